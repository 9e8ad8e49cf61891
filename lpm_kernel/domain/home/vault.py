"""What locking a home needs of what seals it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Opened:
    """What came of unlocking a home."""

    files: int
    damaged: tuple[str, ...] = field(default=(), repr=False)
    """Paths of files that could not be brought back."""


class Vault(Protocol):
    """A home that can be locked by a passphrase."""

    @property
    def is_locked(self) -> bool:
        """Whether everything is sealed."""
        ...

    @property
    def has_lock(self) -> bool:
        """Whether a passphrase was set. Raises ``DamagedLockError``."""
        ...

    @property
    def unsettled(self) -> bool:
        """Whether a killed process left something to finish, or another one is at it."""
        ...

    def set(self, passphrase: str, before: str | None = None) -> None:
        """Set a passphrase, or another one in place of ``before``."""
        ...

    def remove(self, passphrase: str) -> None:
        """Have no lock any more."""
        ...

    def seal(self) -> None:
        """Lock the home; nobody may have it open."""
        ...

    def open(self, passphrase: str, *, partly: bool = False) -> Opened:
        """Unlock the home; ``partly``: without what is damaged."""
        ...

    def settle(self) -> None:
        """Finish, or take back, what a killed process was about."""
        ...

    def strays(self) -> int:
        """Count the files that somebody else put into a locked home."""
        ...
