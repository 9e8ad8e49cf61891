"""A home that cannot be opened: brought back from a backup, or made whole from what is there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from lpm_kernel.backends.clock import SystemClock
from lpm_kernel.backends.store.home.backups import LocalBackups, check_backup, is_whole
from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.backends.store.home.files import LocalFiles
from lpm_kernel.config import Home
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Contents
from lpm_kernel.usecases.home import integrity, rescue, restore
from lpm_kernel.usecases.home.restoring import BackupCheck


def prepare(staging: Path, present: restore.Present, key: str, clock: Clock) -> None:
    """Take out of a home that is laid out what was erased since, and carry its audit chain on."""
    files = staging / "files"
    with closing(NodeDatabase(staging / "node.db", key)) as database:
        held = Contents(
            database.documents,
            database.decisions,
            database.conversations,
            database.erasures,
            LocalFiles(files),
        )
        staged = rescue.StagedHome(held, database.audit, database.contacts, database.discussions)
        rescue.adapt(staged, files, present, clock)


def restore_broken(home: Home, wanted: str) -> bool:
    """Bring a backup back where the home does not open. ``False``: it opens, so `Node.restore` does
    it.

    Raises ``NotFoundError``, ``CorruptHomeError`` where the backup is damaged, and
    ``StillRunningError``.
    """

    def prepared(staging: Path, present: restore.Present) -> None:
        prepare(staging, present, home.secret("audit-key"), SystemClock())

    check = BackupCheck(is_whole, check_backup)
    return rescue.restore_broken(home, _backups, wanted, check, prepared)


def recover(home: Home) -> rescue.Recovered:
    """Make a home whole from what is there: originals that no document has are taken in again, as
    private.

    A database that cannot be used is moved to the folder `damaged`; one that can is gone on with.
    Raises ``StillRunningError``.
    """
    return rescue.recover(home, lambda: _opened(home))


@contextmanager
def _opened(home: Home) -> Iterator[rescue.OpenedHome]:
    from lpm_kernel.node import Node

    with Node(home, checked=False) as node:
        yield rescue.OpenedHome(
            node.ports.files,
            node.ports.audit,
            node.ports.clock,
            node.workspace.keep_step,
            node.workspace.put_workspace_back,
            node.library.receive,
        )


def newest_whole(home: Home) -> tuple[str, list[str]]:
    """Return the id of the newest backup that lost nothing and is whole, and those after it that
    are damaged. Raises ``NotFoundError``.
    """
    return rescue.newest_whole(_backups(home), is_whole)


def _backups(home: Home) -> LocalBackups:
    return LocalBackups(integrity.backup_folder(home))
