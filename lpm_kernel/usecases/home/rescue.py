"""A home that cannot be opened: brought back from a backup, or made whole from what is there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from lpm_kernel.config import Home
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import InviteState
from lpm_kernel.domain.stores import Audit, Backups, Contacts, Contents, Discussions, Files
from lpm_kernel.errors import InvalidInputError, NodeError, SealedHomeError
from lpm_kernel.usecases.home import backups as backup
from lpm_kernel.usecases.home import erasure, integrity, restore
from lpm_kernel.usecases.home.restoring import BackupCheck, checked_backup
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.processes import running_as

TABLES_ASKED_AFTER: Final = timedelta(days=30)
"""Contacts at a table that ended longer ago are not asked for what was lost of it."""


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
                f"The home opens again. Added again, as private:"
                f" {counted(self.documents, 'original')}. The next start reads them."
            )
        ]
        if self.written:
            said.append(f"Written again: {counted(self.written, 'file')} of the workspace.")
        if self.left_aside:
            said.append(f"{self.left_aside} could not be added and stay in the folder `aside`.")
        if self.lost:
            said.append(f"The originals of {counted(self.lost, 'document')} are gone.")
        return " ".join(said)


@dataclass(frozen=True)
class StagedHome:
    """A home that is laid out to be restored."""

    held: Contents
    audit: Audit
    contacts: Contacts
    discussions: Discussions


@dataclass(frozen=True)
class OpenedHome:
    """A damaged home that was opened to be made whole."""

    files: Files
    audit: Audit
    clock: Clock
    keep_step: Callable[[], object]
    """Takes in what stands in the workspace."""
    put_workspace_back: Callable[[], int]
    receive: Callable[[NewDocument], object]


def adapt(staged: StagedHome, files: Path, present: restore.Present, clock: Clock) -> None:
    """Take out of a home that is laid out what was erased since, and carry its audit chain on.
    ``files`` is its folder of originals.
    """
    held, audit = staged.held, staged.audit
    erasure.take_out(held, present.tombstones)
    newest = audit.newest()
    same = newest is None or any(entry.hash == newest.hash for entry in present.entries)
    if same:
        audit.take_over(present.entries)
    # it may have been used since the backup, and lets one person in once
    for invite in staged.contacts.invites():
        if invite.state is InviteState.OPEN:
            staged.contacts.withdraw(invite.id, clock.now())
    staged.discussions.restored(clock.now() - TABLES_ASKED_AFTER)
    audit.append(clock.now(), AuditKind.RESTORED, continues=same, erased=len(present.tombstones))
    held.documents.removed(held.documents.removals())
    held.erasures.compact()
    stay = {document.sha256 for document in held.documents.everything()}
    for path in files.iterdir():
        if path.name[:64] not in stay:
            path.unlink()


def restore_broken(
    home: Home,
    backups: Callable[[Home], Backups],
    wanted: str,
    check: BackupCheck,
    prepare: restore.Prepare,
) -> bool:
    """Bring a backup back where the home does not open. ``False``: it opens, so it is restored like
    any.

    Raises ``NotFoundError``, ``CorruptHomeError`` where the backup is damaged,
    ``SealedHomeError`` and ``StillRunningError``.
    """
    if home.is_locked:
        raise SealedHomeError
    restore.finish(home)
    if integrity.find_fault(home) is None:
        return False
    restore.refuse_while_running(home)
    _move_away(home)
    home.make()
    if Path(wanted).expanduser().is_file():
        raise InvalidInputError(
            "An archive can only be imported into a home that opens.",
            "Run `lpm recover` first, then `lpm import` with the archive.",
        )
    source = checked_backup(backups(home), wanted, check)
    with running_as(home, "node"):
        restore.restore_broken(home, source, prepare)
    return True


def recover(home: Home, opened: Callable[[], AbstractContextManager[OpenedHome]]) -> Recovered:
    """Make a home whole from what is there: originals that no document has are taken in again, as
    private.

    A database that cannot be used is moved to the folder `damaged`; one that can is gone on with.
    Raises ``SealedHomeError`` and ``StillRunningError``.
    """
    if home.is_locked:
        raise SealedHomeError
    restore.finish(home)
    restore.refuse_while_running(home)
    _move_away(home)
    home.make()
    with running_as(home, "node"):
        if integrity.find_fault(home) is not None:
            unusable = () if integrity.is_usable(home) else ("node.db",)
            restore.set_aside(home, *unusable, "audit.json", "index.db")
        with opened() as whole:
            whole.keep_step()  # what stands in the workspace is known by then
            written = whole.put_workspace_back()
            taken, left = _take_in(whole, integrity.unknown_originals(home))
            lost = integrity.accept(home)
            whole.audit.append(whole.clock.now(), AuditKind.RECOVERED, documents=taken, lost=lost)
            return Recovered(taken, left, lost, written)


def _move_away(home: Home) -> None:
    """Put away what stands where a part of the home should be and is no such thing."""
    for path in integrity.misplaced(home):
        home.put_away(path)


def _take_in(opened: OpenedHome, unknown: set[str]) -> tuple[int, int]:
    files = opened.files
    aside = files.aside()
    taken = 0
    for sha256 in sorted(unknown | aside.keys()):
        data = aside[sha256].read_bytes() if sha256 in aside else files.original(sha256)
        try:
            opened.receive(NewDocument(f"recovered {sha256[:8]}", data, None, private=True))
        except NodeError:  # of a kind that is not read, or empty
            files.put_aside({sha256}, opened.clock.now())
            continue
        taken += 1
        if sha256 in aside:
            aside[sha256].unlink(missing_ok=True)
    return taken, len(files.aside())


def newest_whole(backups: Backups, is_whole: Callable[[Path], bool]) -> tuple[str, list[str]]:
    """Return the id of the newest backup that lost nothing and is whole, and those after it that
    are damaged. Raises ``NotFoundError``.
    """
    chosen = backup.found(backups, "newest", is_whole).name
    ids = [each.id for each in backups.all()]
    later = ids[ids.index(chosen) + 1 :]
    return chosen, [name for name in later if not is_whole(backups.path(name))]
