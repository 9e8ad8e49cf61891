"""A home that cannot be opened: brought back from a backup, or made whole from what is there."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lpm_kernel.backends.clock import SystemClock
from lpm_kernel.backends.store.home.backups import LocalBackups, check_backup, is_whole
from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.backends.store.home.files import LocalFiles
from lpm_kernel.config import Home
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import InviteState
from lpm_kernel.domain.stores import Contents
from lpm_kernel.errors import CorruptHomeError, InvalidInputError, NodeError
from lpm_kernel.usecases.home import backups as backup
from lpm_kernel.usecases.home import erasure as erasing
from lpm_kernel.usecases.home import integrity, restore
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.processes import running_as

if TYPE_CHECKING:
    from lpm_kernel.node import Node


@dataclass(frozen=True)
class Recovered:
    """What came of going on with what is there."""

    documents: int
    left_aside: int
    lost: int
    """Documents whose originals are nowhere any more."""
    written: int = 0
    """Files of the workspace that were written again."""

    @property
    def sentence(self) -> str:
        """Say it."""
        said = [
            (
                f"The home opens again. {self.documents} originals were taken in again, as private;"
                " the next start reads them."
            )
        ]
        if self.written:
            said.append(f"{self.written} files of the workspace were written again.")
        if self.left_aside:
            said.append(f"{self.left_aside} could not be taken in and stay in the folder `aside`.")
        if self.lost:
            said.append(f"The originals of {self.lost} documents are not there any more.")
        return " ".join(said)


def prepare(staging: Path, present: restore.Present, key: str, clock: Clock) -> None:
    """Take out of a home that is laid out what was erased since, and carry its audit chain on."""
    with closing(NodeDatabase(staging / "node.db", key)) as database:
        held = Contents(
            database.documents,
            database.decisions,
            database.conversations,
            database.erasures,
            LocalFiles(staging / "files"),
        )
        erasing.take_out(held, present.tombstones)
        newest = database.audit.newest()
        same = newest is None or any(each.hash == newest.hash for each in present.entries)
        if same:
            database.audit.take_over(present.entries)
        # it may have been used since the backup, and lets one person in once
        for invite in database.contacts.invites():
            if invite.state is InviteState.OPEN:
                database.contacts.withdraw(invite.id, clock.now())
        database.audit.append(
            clock.now(), AuditKind.RESTORED, continues=same, erased=len(present.tombstones)
        )
        database.documents.removed(database.documents.removals())
        database.erasures.compact()
        stay = {document.sha256 for document in database.documents.everything()}
    for path in (staging / "files").iterdir():
        if path.name[:64] not in stay:
            path.unlink()


def restore_broken(home: Home, wanted: str) -> bool:
    """Bring a backup back where the home does not open. ``False``: it opens, so `Node.restore` does
    it.

    Raises ``NotFoundError``, ``CorruptHomeError`` where the backup is damaged, and
    ``StillRunningError``.
    """
    restore.finish(home)
    if integrity.find_fault(home) is None:
        return False
    restore.refuse_while_running(home)
    _move_away(home)
    home.make()
    if Path(wanted).expanduser().is_file():
        raise InvalidInputError(
            "An archive is taken into a home that opens.",
            "Run `lpm recover` first, then `lpm import` with the archive.",
        )
    source = backup.found(_backups(home), wanted, is_whole)
    if wrong := check_backup(source):
        raise CorruptHomeError(
            f"The backup is not as it was written: {wrong[0]}. Nothing was restored.",
            "Choose another one: `lpm backup --list`.",
        )
    with running_as(home, "node"):
        restore.restore_broken(
            home,
            source,
            lambda staging, present: prepare(
                staging, present, home.secret("audit-key"), SystemClock()
            ),
        )
    return True


def recover(home: Home) -> Recovered:
    """Make a home whole from what is there: originals that no document has are taken in again, as
    private.

    A database that cannot be used is moved to the folder `damaged`; one that can is gone on with.
    Raises ``StillRunningError``.
    """
    from lpm_kernel.node import Node

    restore.finish(home)
    restore.refuse_while_running(home)
    _move_away(home)
    home.make()
    with running_as(home, "node"):
        fault = integrity.find_fault(home)
        if fault is not None:
            restore.set_aside(
                home,
                *(("node.db",) if not integrity.is_usable(home) else ()),
                "audit.json",
                "index.db",
            )
        with Node(home, checked=False) as node:
            node.workspace.keep_step()  # what stands in the workspace is known by then
            written = node.workspace.put_workspace_back()
            taken, left = _take_in(node, integrity.unknown_originals(home))
            lost = integrity.accept(home)
            node.ports.audit.append(
                node.ports.clock.now(), AuditKind.RECOVERED, documents=taken, lost=lost
            )
            return Recovered(taken, left, lost, written)


def _move_away(home: Home) -> None:
    """Put away what stands where a part of the home should be and is no such thing."""
    for path in integrity.misplaced(home):
        home.put_away(path)


def _take_in(node: Node, unknown: set[str]) -> tuple[int, int]:
    aside = node.ports.files.aside()
    taken = 0
    for sha256 in sorted(unknown | aside.keys()):
        data = aside[sha256].read_bytes() if sha256 in aside else node.ports.files.original(sha256)
        try:
            node.library.receive(NewDocument(f"recovered {sha256[:8]}", data, None, private=True))
        except NodeError:  # of a kind that is not read, or empty
            node.ports.files.put_aside({sha256}, node.ports.clock.now())
            continue
        taken += 1
        if sha256 in aside:
            aside[sha256].unlink(missing_ok=True)
    return taken, len(node.ports.files.aside())


def newest_whole(home: Home) -> tuple[str, list[str]]:
    """Return the id of the newest backup that lost nothing and is whole, and those after it that
    are damaged. Raises ``NotFoundError``.
    """
    chosen = backup.found(_backups(home), "newest", is_whole).name
    ids = [each.id for each in _backups(home).all()]
    later = ids[ids.index(chosen) + 1 :]
    return chosen, [each for each in later if not is_whole(_backups(home).path(each))]


def _backups(home: Home) -> LocalBackups:
    return LocalBackups(integrity.backup_folder(home))
