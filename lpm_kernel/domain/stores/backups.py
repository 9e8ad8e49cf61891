"""What something can be taken out of, and the backups of a home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from lpm_kernel.domain.home.backups import Backup
from lpm_kernel.domain.stores.conversations import Conversations
from lpm_kernel.domain.stores.decisions import Decisions
from lpm_kernel.domain.stores.documents import Documents
from lpm_kernel.domain.stores.erasures import Erasures
from lpm_kernel.domain.stores.files import Files


@dataclass(frozen=True)
class Contents:
    """What something can be taken out of: a backup, or a home that is laid out to be restored."""

    documents: Documents
    decisions: Decisions
    conversations: Conversations
    erasures: Erasures
    files: Files


@dataclass(frozen=True)
class BackupSource:
    """What a backup is made of."""

    copy_database: Callable[[Path], None]
    files: Path
    others: Mapping[str, Path]
    """Other files, by the names that they have in it."""


class Backups(Protocol):
    """The backups of a home, in one folder."""

    def all(self) -> list[Backup]:
        """Return them, oldest first."""
        ...

    def damaged(self) -> str | None:
        """Name the last that was written where it could not be brought back."""
        ...

    def take(
        self,
        identifier: str,
        at: datetime,
        label: str,
        source: BackupSource,
        about: Mapping[str, Any],
    ) -> Backup:
        """Make a backup: the database as it is now, all files, and what else belongs to it; then
        check it.
        """
        ...

    def originals(self, identifier: str) -> dict[str, str]:
        """Return the hash of each document of a backup by its id; nothing where its database cannot
        be read.
        """
        ...

    def erase(self, identifier: str, take_out: Callable[[Contents], None], at: datetime) -> bool:
        """Have something taken out of a backup, and leave no trace of it there. ``False``: there
        was nothing to take out.

        Raises ``CorruptHomeError`` when its database cannot be read.
        """
        ...

    def behind(self, tombstones: int) -> list[str]:
        """Name the backups that do not know all of this many erasures yet."""
        ...

    def path(self, identifier: str) -> Path:
        """Return its folder. Raises ``NotFoundError``."""
        ...

    def remove(self, identifier: str) -> None:
        """Remove it."""
        ...

    def sweep(self) -> None:
        """Remove what was being made or removed when its process died."""
        ...
