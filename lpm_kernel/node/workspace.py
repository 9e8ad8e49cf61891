"""The workspace: what the person writes there is read, and what is retained is written there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lpm_kernel.backends.llm.client import estimate_tokens
from lpm_kernel.backends.store.home.workspace import LocalWorkspace
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import Job
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, ParsedText
from lpm_kernel.domain.memory.decisions import Decision
from lpm_kernel.domain.memory.memories import Belief, MemoryId
from lpm_kernel.domain.memory.proposals import Extractor, Proposal
from lpm_kernel.domain.memory.validity import UNKNOWN, Validity
from lpm_kernel.domain.memory.workspace import CORE, PUT_RIGHT, PUT_RIGHT_SEALED, daily
from lpm_kernel.domain.statements import Statement
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L1.answering.core import Core, core_of, without_struck
from lpm_kernel.node.library import Library
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.library.counts import Numbers, numbers
from lpm_kernel.usecases.library.documents import seal_corrections
from lpm_kernel.usecases.memory import memories, revisions, validity, workspace
from lpm_kernel.usecases.memory.file_access import FileAccess
from lpm_kernel.usecases.memory.proposals import RULES, extracted
from lpm_kernel.usecases.memory.workspace import FileChange

MADE_ANEW = "anew\n"
"""Says in the note of a workspace that waits to be written that there was none, so it gets the
files that one begins with.
"""


class WorkspaceFiles:
    """The folder of Markdown, and the ledger of what stands in it."""

    workspace_troubles: tuple[str, ...] = ()
    """Files of the workspace that are left alone, each with the reason."""
    workspace_unread: tuple[str, ...] = ()
    """Lines under `## Retain` that are no statements: where, and why."""

    def __init__(self, ports: Ports, library: Library) -> None:
        self._ports = ports
        self._library = library
        self.extractors: Callable[[Sequence[DocumentId]], Mapping[DocumentId, Extractor]]
        """What reads these documents, where that is not the rules."""

    @property
    def folder(self) -> LocalWorkspace:
        """The folder itself."""
        return LocalWorkspace(self._ports.home.workspace)

    def keep_step(self) -> list[Job]:
        """Take in what was written to the workspace since the last look, and return the jobs that
        read it.
        """
        with self._ports.workspace_lock:
            pending = self._ports.home.workspace_pending
            if not pending.exists() and not self._ports.home.workspace.exists():
                # before the folder is there, so that whoever is killed in the midst goes on here
                pending.write_text(MADE_ANEW)
            try:
                anew, since = pending.read_bytes() == MADE_ANEW.encode(), pending.stat().st_mtime_ns
            except FileNotFoundError:  # nothing waits, or another process was done with it just now
                pass
            else:
                if anew:
                    workspace.make(self.folder)
                # what came into a folder that was not there is the person's, however old
                workspace.write_back(
                    self.folder, self._ports.files, self._ports.documents, over=0 if anew else since
                )
                pending.unlink(missing_ok=True)
            synced = workspace.sync(
                self.folder,
                self._ports.files,
                self._ports.documents,
                self._ports.decisions,
                self._ports.validities,
                self._ports.index,
                self._ports.reader,
                self._ports.clock,
                self._ports.workspace_known,
            )
        self.workspace_troubles, self.workspace_unread = synced.troubles, synced.unread
        return list(synced.jobs)

    def put_workspace_back(self) -> int:
        """Write the files of the workspace that are missing, empty or full of zeros as they were
        read last. Returns how many.
        """
        with self._ports.workspace_lock:
            self._ports.workspace_known.stamps.clear()
            return workspace.put_back(self.folder, self._ports.files, self._ports.documents)

    def write_back(self, deleted: Sequence[DocumentId]) -> None:
        """Write the files of the workspace that these deleted documents were: they are being
        brought back.
        """
        workspace.write_back(self.folder, self._ports.files, self._ports.documents, deleted=deleted)

    def take_from_folder(self, documents: Sequence[DocumentId]) -> None:
        """Remove the files of the workspace that these documents are, unless they read otherwise by
        now: they are being deleted, and can come back.
        """
        for each in self._ports.documents.many(documents):
            if each.origin and each.superseded_by is None:
                self.folder.remove(each.origin, self._ports.files.original(each.sha256))

    def numbers(self, *, open_only: bool = False) -> Numbers:
        """Say how much there is; with ``open_only`` as if nothing that is private were there."""
        return numbers(
            self._ports.documents, self._ports.memories, self._ports.index, open_only=open_only
        )

    def access_to_files(self, *, open_only: bool) -> FileAccess:
        """Return which files a caller may name; a program with ``open_only`` those that are not
        private.
        """
        return FileAccess(
            self._ports.documents, self._ports.reader, open_only, self._ports.settings.seal_tags
        )

    def retain(
        self,
        line: str,
        path: str | None = None,
        known: Validity = UNKNOWN,
        *,
        open_only: bool = False,
    ) -> tuple[str, str, list[Job]]:
        """Keep a statement, as ``O(c=0.9) @Peter: prefers short replies``: its file, its id, and
        the jobs that read it. Raises ``InvalidInputError``.

        ``known``: from when until when it is so; the ledger keeps that, the line stays as it is.
        """
        validity.checked(known)
        if open_only or not self._ports.home.workspace.exists():
            self.keep_step()
        access = self.access_to_files(open_only=open_only)
        where = access.named(daily(self._ports.clock.now().date()) if path is None else path)
        identifier = workspace.retain(
            self.folder,
            access,
            line,
            where,
            lambda known: self._is_taken(known, open_only=open_only),
        )
        written = self._wrote(where.text, "retain")
        if known != UNKNOWN and written.document is not None:
            validity.date_line(
                self._ports.validities, self._ports.clock, identifier, written.document, line, known
            )
        return where.text, identifier, list(written.jobs)

    def put_right(self, *, sealed: bool) -> str:
        """Return the file for what is right where an answer was not; the one for what is private is
        made where there is none.
        """
        if sealed and self.folder.read(PUT_RIGHT_SEALED) is None:
            self.append(PUT_RIGHT_SEALED, "---\nprivate: true\n---\n")
        return PUT_RIGHT_SEALED if sealed else PUT_RIGHT

    def _is_taken(self, identifier: str, *, open_only: bool) -> bool:
        """Tell whether a new line may not have this id; a program revives nothing but what it sees,
        and cannot tell what else is there.
        """
        if open_only:
            try:
                known = self._ports.memories.history(MemoryId(identifier))
            except NotFoundError:
                return True
            if any(self._library.is_private(each.document) for each in known):
                return True
        return memories.stands(
            self._ports.memories, self._ports.documents, self._ports.files, identifier
        )

    def reword(
        self, belief: Belief, wanted: Statement | None, *, open_only: bool = False
    ) -> tuple[str, list[Job]]:
        """Write a statement anew in its file, or with ``None`` take its line out. Raises
        ``ConflictError`` where it cannot be.
        """
        document = self._ports.documents.get(belief.document)
        if document.superseded_by is not None:  # it was written anew and is being read
            document = self._ports.documents.get(document.superseded_by)
        access = self.access_to_files(open_only=open_only)
        memories.reword(
            self.folder,
            access,
            document,
            self._ports.files.original(document.sha256),
            belief,
            wanted,
        )
        return document.origin, list(self._wrote(document.origin, "reword").jobs)

    def date_memory(self, belief: Belief, known: Validity, text: str | None = None) -> None:
        """Keep from when until when a memory is so; ``text`` is its wording from now on. Raises
        ``InvalidInputError``.
        """
        validity.date_memory(
            self._ports.validities,
            self._ports.clock,
            belief,
            self._ports.documents.get(belief.document),
            known,
            text,
        )
        self._ports.audit.append(self._ports.clock.now(), AuditKind.DATED, document=belief.document)

    def append(self, path: str, text: str, *, open_only: bool = False) -> FileChange:
        """Put text at the end of a file of the workspace, which is made where there is none."""
        return self._write(
            path, "append", lambda there: revisions.appended(there, text), open_only=open_only
        )

    def replace(self, path: str, old: str, new: str, *, open_only: bool = False) -> FileChange:
        """Put other words in the place of some that stand once in a file of the workspace. Raises
        ``InvalidInputError`` where they do not.
        """
        return self._write(
            path, "replace", lambda there: revisions.replaced(there, old, new), open_only=open_only
        )

    def insert(self, path: str, line: int, text: str, *, open_only: bool = False) -> FileChange:
        """Put text below a line of a file of the workspace. Raises ``InvalidInputError`` beyond its
        end.
        """
        return self._write(
            path, "insert", lambda there: revisions.inserted(there, line, text), open_only=open_only
        )

    def workspace_files(self) -> list[revisions.WorkspaceFile]:
        """List the files of the workspace, as they read now."""
        self.keep_step()
        return revisions.files(self._ports.documents)

    def versions(self, path: str, *, open_only: bool = False) -> list[revisions.Version]:
        """List what a file of the workspace said, the newest first. Raises ``NotFoundError``."""
        self.keep_step()
        return revisions.versions(
            self._ports.documents, self.access_to_files(open_only=open_only).named(path).text
        )

    def changed_between(
        self, path: str, before: DocumentId | None, after: DocumentId, *, open_only: bool = False
    ) -> list[revisions.DiffLine]:
        """Say what changed between two versions of a file, or from nothing. Raises
        ``NotFoundError``.
        """
        self.access_to_files(open_only=open_only).named(path)
        return revisions.difference(
            *(
                ""
                if each is None
                else revisions.said(self._ports.files, self._ports.documents, path, each)
                for each in (before, after)
            )
        )

    def restore_version(
        self, path: str, version: DocumentId, *, open_only: bool = False
    ) -> FileChange:
        """Have a file of the workspace read as it did in a version. Raises ``NotFoundError`` and
        ``ConflictError``.
        """
        self.keep_step()
        self.access_to_files(open_only=open_only).named(path)
        revisions.restore(self.folder, self._ports.files, self._ports.documents, path, version)
        return self._wrote(path, "restore")

    def _write(
        self, path: str, how: str, edit: Callable[[str], str], *, open_only: bool
    ) -> FileChange:
        self.keep_step()  # what an editor wrote before becomes a version of its own
        access = self.access_to_files(open_only=open_only)
        named = access.named(path)
        workspace.change(self.folder, access, named, lambda there: revisions.fits(edit(there)))
        return self._wrote(named.text, how)

    def _wrote(self, path: str, how: str) -> FileChange:
        """Take in what was written to a file, and put it on record."""
        jobs = self.keep_step()
        now = self._ports.documents.by_origin(path)
        if now is not None and not any(each.document == now.id for each in jobs):
            # another look at the folder came first, and queued it
            reads = self._ports.jobs.latest_for([now.id]).get(now.id)
            jobs = [*([reads] if reads is not None and reads.ended_at is None else []), *jobs]
        self._ports.audit.append(
            self._ports.clock.now(), AuditKind.WRITTEN, document=now.id if now else "", how=how
        )
        return FileChange(path, now.id if now else None, tuple(jobs))

    def core(self, *, private: bool) -> Core:
        """Return what every prompt holds of ``memory.md``: as it reads now, or for somebody else as
        it was read last, unless it is private.
        """
        known = self._ports.documents.by_origin(CORE)
        struck = (
            []
            if known is None
            else [
                each.quote
                for each in self._ports.decisions.about([known.id]).get(known.id, ())
                if each.strikes
            ]
        )
        if private:
            data = self.folder.read(CORE)
            return (
                Core()
                if data is None
                else core_of(
                    without_struck(data.decode("utf-8", "replace"), struck), estimate_tokens
                )
            )
        if (
            known is None
            or known.private
            or known.deleted_at is not None
            or known.text_version is None
        ):
            return Core()
        parsed = self._ports.files.text(known.sha256, known.text_version)
        return (
            Core()
            if parsed is None
            else core_of(without_struck(parsed.text, struck), estimate_tokens)
        )

    def remember(self, document: Document, parsed: ParsedText) -> None:
        """Keep what a text states, as it is decided about."""
        # it may say so itself, and its earlier wordings did not
        if document.private and document.text_version != self._ports.reader.version:
            seal_corrections(
                self._ports.documents,
                self._ports.decisions,
                self._ports.index,
                self._ports.clock,
                [document.id],
            )
        decided = (
            self._ports.decisions.correcting([document.id])
            if document.corrects
            else self._ports.decisions.about([document.id]).get(document.id, [])
        )
        if document.corrects and any(self._is_stated(each) for each in decided):
            decided = []  # the line itself is the memory, and reads as it was put right
        kept = (
            memories.kept_of(document, parsed.text, decided, self._proposals_for(decided))
            if decided
            else []
        )
        memories.remember(
            memories.Ledger(
                self._ports.memories, self._ports.documents, self._ports.files, self._ports.clock
            ),
            document,
            parsed,
            kept,
        )

    def _is_stated(self, decision: Decision) -> bool:
        """Tell whether what was decided about is a statement that its document retains."""
        return any(
            each.start < decision.end and decision.start < each.end
            for each in self._ports.memories.believed(decision.document)
        )

    def _proposals_for(self, decided: Sequence[Decision]) -> list[Proposal]:
        """Return what is proposed of the documents that were decided about."""
        if not decided:
            return []
        about = self._ports.documents.many(sorted({each.document for each in decided}))
        reads = self.extractors([each.id for each in about])
        return [
            each
            for document in about
            for each in extracted(self._ports.files, document, reads.get(document.id, RULES))
        ]

    def remember_kept(self, documents: Sequence[DocumentId] | None = None) -> int:
        """Bring the ledger up to what was decided about these documents, or about any. Returns how
        many were looked at.
        """
        if documents is None:
            documents = sorted(
                {
                    one
                    for each in self._ports.decisions.all()
                    for one in (each.document, each.correction)
                    if one is not None
                }
            )
        looked = 0
        for document in self._ports.documents.many(documents):
            parsed = (
                self._ports.files.text(document.sha256, document.text_version)
                if document.text_version and not document.superseded_by
                else None
            )
            if parsed is not None:
                self.remember(document, parsed)
                looked += 1
        return looked
