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
    last_used_at: datetime | None = None
    """To the minute; nothing: never, or not since this is noted."""


@dataclass(frozen=True)
class Browser:
    """A browser that is signed in. ``id`` names it and opens nothing."""

    id: str
    program: str
    """What it calls itself, in two words; empty for one that signed in before this was noted."""
    since: datetime
    last_used_at: datetime | None = None


class Access(Protocol):
    """Who may call: single-use login codes, cookie sessions, keys of programs. Only hashes are
    kept.
    """

    def new_code(self, code_hash: str, expires_at: datetime) -> None:
        """Record a login code."""
        ...

    def use_code(self, code_hash: str, now: datetime) -> bool:
        """Use a login code up: true once, before it expires."""
        ...

    def new_session(self, session_hash: str, now: datetime, program: str = "") -> None:
        """Record a cookie session, and which browser has it."""
        ...

    def session(self, session_hash: str, since: datetime) -> Browser | None:
        """Return the cookie session of this hash, if it is open and began after ``since``."""
        ...

    def all_sessions(self, since: datetime) -> list[Browser]:
        """Return the cookie sessions that began after ``since``, newest first."""
        ...

    def end_session(self, browser: str, now: datetime) -> None:
        """Sign a browser out now. Raises ``NotFoundError``."""
        ...

    def used_session(self, browser: str, now: datetime) -> None:
        """Note that a browser called."""
        ...

    def used_key(self, key_id: str, now: datetime) -> None:
        """Note that a program called with a key."""
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
