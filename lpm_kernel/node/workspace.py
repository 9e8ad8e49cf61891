"""The workspace: what the person writes there is read, and what is retained is written there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lpm_kernel.backends.llm.client import estimate_tokens
from lpm_kernel.backends.store.home.workspace import LocalWorkspace
from lpm_kernel.domain.home.jobs import Job
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, ParsedText
from lpm_kernel.domain.memory.memories import Belief
from lpm_kernel.domain.memory.proposals import Extractor
from lpm_kernel.domain.memory.validity import UNKNOWN, Validity
from lpm_kernel.domain.statements import Statement
from lpm_kernel.L1.answering.core import Core
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.library.counts import Numbers, numbers
from lpm_kernel.usecases.library.differences import DiffLine
from lpm_kernel.usecases.library.versions import Version
from lpm_kernel.usecases.memory import editing, remembering, revisions, workspace
from lpm_kernel.usecases.memory.file_access import FileAccess
from lpm_kernel.usecases.memory.inheritance import NewText, inherit
from lpm_kernel.usecases.memory.workspace import FileChange, WorkspacePorts


class WorkspaceFiles:
    """The folder of Markdown, and the ledger of what stands in it."""

    workspace_troubles: tuple[str, ...] = ()
    """Files of the workspace that are left alone, each with the reason."""
    workspace_unread: tuple[str, ...] = ()
    """Lines under `## Retain` that are no statements: where, and why."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self.extractors: Callable[[Sequence[DocumentId]], Mapping[DocumentId, Extractor]]
        """What reads these documents, where that is not the rules."""

    @property
    def folder(self) -> LocalWorkspace:
        """The folder itself."""
        return LocalWorkspace(self._ports.home.workspace)

    @property
    def _kept_with(self) -> WorkspacePorts:
        here = self._ports
        return WorkspacePorts(
            self.folder,
            here.files,
            here.documents,
            here.decisions,
            here.memories,
            here.validities,
            here.jobs,
            here.audit,
            here.index,
            here.reader,
            here.clock,
            here.settings.seal_tags,
        )

    def _editor(self, *, open_only: bool = False) -> editing.WorkspaceEditor:
        made = self._ports.home.workspace.exists()
        return editing.WorkspaceEditor(
            self._kept_with, self.keep_step, made=made, open_only=open_only
        )

    @property
    def _ledger(self) -> remembering.LedgerKeeping:
        return remembering.LedgerKeeping(self._kept_with, self.extractors)

    def keep_step(self) -> list[Job]:
        """Take in what was written to the workspace since the last look, and return the jobs that
        read it.
        """
        here = self._ports
        synced = workspace.keep_step(self._kept_with, here.home, here.workspace_known)
        self.workspace_troubles, self.workspace_unread = synced.troubles, synced.unread
        return list(synced.jobs)

    def put_workspace_back(self) -> int:
        """Write the files of the workspace that are missing, empty or full of zeros as they were
        read last. Returns how many.
        """
        return workspace.put_all_back(self._kept_with, self._ports.workspace_known)

    def write_back(self, deleted: Sequence[DocumentId]) -> None:
        """Write the files of the workspace that these deleted documents were: they are being
        brought back.
        """
        workspace.write_back(self.folder, self._ports.files, self._ports.documents, deleted=deleted)

    def take_from_folder(self, documents: Sequence[DocumentId]) -> None:
        """Remove the files of the workspace that these documents are, unless they read otherwise by
        now: they are being deleted, and can come back.
        """
        here = self._ports
        workspace.take_from_folder(self.folder, here.files, here.documents, documents)

    def numbers(self, *, open_only: bool = False) -> Numbers:
        """Say how much there is; with ``open_only`` as if nothing that is private were there."""
        here = self._ports
        return numbers(
            here.documents, here.memories, here.index, here.threads.ids(), open_only=open_only
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
        return self._editor(open_only=open_only).retain(line, path, known)

    def put_right(self, *, sealed: bool) -> str:
        """Return the file for what is right where an answer was not; the one for what is private is
        made where there is none.
        """
        return self._editor().put_right(sealed=sealed)

    def reword(
        self, belief: Belief, wanted: Statement | None, *, open_only: bool = False
    ) -> tuple[str, list[Job]]:
        """Write a statement anew in its file, or with ``None`` take its line out. Raises
        ``ConflictError`` where it cannot be.
        """
        return self._editor(open_only=open_only).reword(belief, wanted)

    def date_memory(self, belief: Belief, known: Validity, text: str | None = None) -> None:
        """Keep from when until when a memory is so; ``text`` is its wording from now on. Raises
        ``InvalidInputError``.
        """
        editing.date_memory(self._kept_with, belief, known, text)

    def append(self, path: str, text: str, *, open_only: bool = False) -> FileChange:
        """Put text at the end of a file of the workspace, which is made where there is none."""
        return self._editor(open_only=open_only).write(
            path, "append", lambda there: revisions.appended(there, text)
        )

    def replace(self, path: str, old: str, new: str, *, open_only: bool = False) -> FileChange:
        """Put other words in the place of some that stand once in a file of the workspace. Raises
        ``InvalidInputError`` where they do not.
        """
        return self._editor(open_only=open_only).write(
            path, "replace", lambda there: revisions.replaced(there, old, new)
        )

    def insert(self, path: str, line: int, text: str, *, open_only: bool = False) -> FileChange:
        """Put text below a line of a file of the workspace. Raises ``InvalidInputError`` beyond its
        end.
        """
        return self._editor(open_only=open_only).write(
            path, "insert", lambda there: revisions.inserted(there, line, text)
        )

    def workspace_files(self) -> list[revisions.WorkspaceFile]:
        """List the files of the workspace, as they read now."""
        return self._editor().files()

    def versions(self, path: str, *, open_only: bool = False) -> list[Version]:
        """List what a file of the workspace said, the newest first. Raises ``NotFoundError``."""
        return self._editor(open_only=open_only).versions(path)

    def changed_between(
        self, path: str, before: DocumentId | None, after: DocumentId, *, open_only: bool = False
    ) -> list[DiffLine]:
        """Say what changed between two versions of a file, or from nothing. Raises
        ``NotFoundError``.
        """
        return self._editor(open_only=open_only).changed_between(path, before, after)

    def restore_version(
        self, path: str, version: DocumentId, *, open_only: bool = False
    ) -> FileChange:
        """Have a file of the workspace read as it did in a version. Raises ``NotFoundError`` and
        ``ConflictError``.
        """
        return self._editor(open_only=open_only).restore(path, version)

    def core(self, *, private: bool) -> Core:
        """Return what every prompt holds of ``memory.md``: as it reads now, or for somebody else as
        it was read last, unless it is private.
        """
        return remembering.core(self._kept_with, estimate_tokens, private=private)

    def remember(self, document: Document, parsed: ParsedText) -> None:
        """Keep what a text states, as it is decided about."""
        self._ledger.remember(document, parsed)

    def inherit(self, document: Document, parsed: ParsedText, earlier: Sequence[Document]) -> None:
        """Have what was decided about older versions, oldest first, hold in a text too."""
        here = self._ports
        now = NewText(document, parsed.text, here.reader.version)
        inherit(here.files, here.decisions, here.validities, now, earlier)

    def remember_kept(self, documents: Sequence[DocumentId] | None = None) -> int:
        """Bring the ledger up to what was decided about these documents, or about any. Returns how
        many were looked at.
        """
        return self._ledger.remember_kept(documents)
