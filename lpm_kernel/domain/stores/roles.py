"""The roles that the person keeps."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.chat.roles import Role, RoleId


class Roles(Protocol):
    """Keeps roles under their ids."""

    def add(self, role: Role) -> bool:
        """Record a new one. ``False``: its id is taken, also by one that was put away, and nothing
        was changed.
        """
        ...

    def get(self, role: RoleId) -> Role:
        """Return one that is there. Raises ``NotFoundError``."""
        ...

    def all(self, *, put_away: bool = False) -> list[Role]:
        """Return those that are there, or those that were put away, oldest first."""
        ...

    def change(self, role: Role) -> Role:
        """Record how it reads now; when it was made stays. Raises ``NotFoundError``."""
        ...

    def put_away(self, role: RoleId, at: datetime) -> None:
        """Put it away, so that it can be brought back. Raises ``NotFoundError``."""
        ...

    def bring_back(self, role: RoleId) -> Role:
        """Bring back what was put away; what is there stays. Raises ``NotFoundError``."""
        ...

    def let_go(self, before: datetime) -> int:
        """Delete for good what was put away before then, and return how many."""
        ...
