"""Who may call."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class ApiKey:
    """A key for another program. The key itself is shown once and kept as a hash."""

    id: str
    name: str = field(repr=False)
    scopes: tuple[str, ...]
    created_at: datetime


class Access(Protocol):
    """Who may call: single-use login codes, cookie sessions, keys of programs. Only hashes are kept."""

    def new_code(self, code_hash: str, expires_at: datetime) -> None:
        """Record a login code."""
        ...

    def use_code(self, code_hash: str, now: datetime) -> bool:
        """Use a login code up: true once, before it expires."""
        ...

    def new_session(self, session_hash: str, now: datetime) -> None:
        """Record a cookie session."""
        ...

    def knows_session(self, session_hash: str, since: datetime) -> bool:
        """Tell whether a cookie session is open that began after ``since``."""
        ...

    def new_key(self, key: ApiKey, key_hash: str) -> None:
        """Record a key."""
        ...

    def key(self, key_hash: str) -> ApiKey | None:
        """Return the key of this hash."""
        ...

    def all_keys(self) -> list[ApiKey]:
        """Return all keys, newest first."""
        ...

    def revoke_key(self, key_id: str, now: datetime) -> None:
        """End a key now. Raises ``NotFoundError``."""
        ...
