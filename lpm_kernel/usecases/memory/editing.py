"""Changes to the files of the workspace by their paths: a statement retained or reworded, text
added, replaced, inserted, an earlier version brought back.

Each takes in what stands in the folder before it, so that what an editor wrote becomes a version of
its own, and what it wrote itself after it, and is put on record.
"""

from __future__ import annotations

from collections.abc import Callable

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import Job
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import Belief, MemoryId
from lpm_kernel.domain.memory.validity import UNKNOWN, Validity
from lpm_kernel.domain.memory.workspace import PUT_RIGHT, PUT_RIGHT_SEALED, daily
from lpm_kernel.domain.statements import Statement
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.library.differences import DiffLine, difference
from lpm_kernel.usecases.library.display import is_private
from lpm_kernel.usecases.library.versions import Version
from lpm_kernel.usecases.memory import memories, revisions, validity, workspace
from lpm_kernel.usecases.memory.file_access import FileAccess
from lpm_kernel.usecases.memory.workspace import FileChange, WorkspacePorts


class WorkspaceEditor:
    """Changes files for one caller; ``open_only``: a program that does not see what is private.
    ``keep_step`` takes in what was written to the folder.
    """

    def __init__(
        self,
        ports: WorkspacePorts,
        keep_step: Callable[[], list[Job]],
        *,
        made: bool = True,
        open_only: bool = False,
    ) -> None:
        self._ports = ports
        self._keep_step = keep_step
        self._made = made
        self._open_only = open_only
        self._access = FileAccess(ports.documents, ports.reader, open_only, ports.seal_tags)

    def retain(
        self, line: str, path: str | None, known: Validity = UNKNOWN
    ) -> tuple[str, str, list[Job]]:
        """Keep a statement in a file, or in that of the day: its file, its id, and the jobs that
        read it. Raises ``InvalidInputError``.

        ``known``: from when until when it is so; the ledger keeps that, the line stays as it is.
        """
        validity.checked(known)
        if self._open_only or not self._made:
            self._keep_step()
        where = self._access.named(daily(self._ports.clock.now().date()) if path is None else path)
        identifier = workspace.retain(
            self._ports.workspace, self._access, line, where, self._is_taken
        )
        written = self._wrote(where.text, "retain")
        if known != UNKNOWN and written.document is not None:
            validity.date_line(
                self._ports.validities, self._ports.clock, identifier, written.document, line, known
            )
        return where.text, identifier, list(written.jobs)

    def _is_taken(self, identifier: str) -> bool:
        """Tell whether a new line may not have this id; a program revives nothing but what it sees,
        and cannot tell what else is there.
        """
        if self._open_only:
            try:
                beliefs = self._ports.memories.history(MemoryId(identifier))
            except NotFoundError:
                return True
            if any(is_private(self._ports.documents, belief.document) for belief in beliefs):
                return True
        return memories.stands(
            self._ports.memories, self._ports.documents, self._ports.files, identifier
        )

    def put_right(self, *, sealed: bool) -> str:
        """Return the file for what is right where an answer was not; the one for what is private is
        made where there is none.
        """
        if sealed and self._ports.workspace.read(PUT_RIGHT_SEALED) is None:
            self.write(
                PUT_RIGHT_SEALED,
                "append",
                lambda text: revisions.appended(text, "---\nprivate: true\n---\n"),
            )
        return PUT_RIGHT_SEALED if sealed else PUT_RIGHT

    def reword(self, belief: Belief, wanted: Statement | None) -> tuple[str, list[Job]]:
        """Write a statement anew in its file, or with ``None`` take its line out. Raises
        ``ConflictError`` where it cannot be.
        """
        documents = self._ports.documents
        document = documents.get(belief.document)
        if document.superseded_by is not None:  # it was written anew and is being read
            document = documents.get(document.superseded_by)
        read = self._ports.files.original(document.sha256)
        memories.reword(self._ports.workspace, self._access, document, read, belief, wanted)
        return document.origin, list(self._wrote(document.origin, "reword").jobs)

    def write(self, path: str, how: str, edit: workspace.Edit) -> FileChange:
        """Change the text of a file, which is made where there is none."""
        self._keep_step()
        named = self._access.named(path)
        workspace.change(
            self._ports.workspace, self._access, named, lambda there: revisions.fits(edit(there))
        )
        return self._wrote(named.text, how)

    def files(self) -> list[revisions.WorkspaceFile]:
        """List the files, as they read now."""
        self._keep_step()
        return revisions.files(self._ports.documents)

    def versions(self, path: str) -> list[Version]:
        """List what a file said, the newest first. Raises ``NotFoundError``."""
        self._keep_step()
        return revisions.versions(self._ports.documents, self._access.named(path).text)

    def changed_between(
        self, path: str, before: DocumentId | None, after: DocumentId
    ) -> list[DiffLine]:
        """Say what changed between two versions of a file, or from nothing. Raises
        ``NotFoundError``.
        """
        self._access.named(path)
        was, now = (
            ""
            if version is None
            else revisions.said(self._ports.files, self._ports.documents, path, version)
            for version in (before, after)
        )
        return difference(was, now)

    def restore(self, path: str, version: DocumentId) -> FileChange:
        """Have a file read as it did in a version. Raises ``NotFoundError`` and
        ``ConflictError``.
        """
        self._keep_step()
        self._access.named(path)
        here = self._ports
        revisions.restore(here.workspace, here.files, here.documents, path, version)
        return self._wrote(path, "restore")

    def _wrote(self, path: str, how: str) -> FileChange:
        """Take in what was written to a file, and put it on record."""
        jobs = self._keep_step()
        document = self._ports.documents.by_origin(path)
        if document is not None and not any(job.document == document.id for job in jobs):
            # another look at the folder came first, and queued it
            reads = self._ports.jobs.latest_for([document.id]).get(document.id)
            jobs = [*([reads] if reads is not None and reads.ended_at is None else []), *jobs]
        self._ports.audit.append(
            self._ports.clock.now(),
            AuditKind.WRITTEN,
            document=document.id if document else "",
            how=how,
        )
        return FileChange(path, document.id if document else None, tuple(jobs))


def date_memory(
    ports: WorkspacePorts, belief: Belief, known: Validity, text: str | None = None
) -> None:
    """Keep from when until when a memory is so, and put that on record; ``text`` is its wording
    from now on. Raises ``InvalidInputError``.
    """
    document = ports.documents.get(belief.document)
    validity.date_memory(ports.validities, ports.clock, belief, document, known, text)
    ports.audit.append(ports.clock.now(), AuditKind.DATED, document=belief.document)
