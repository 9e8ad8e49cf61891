"""The workspace: what the person writes there is read, and what is retained is written there."""

from __future__ import annotations

from collections.abc import Sequence

from lpm_kernel.backends.store.workspace import LocalWorkspace
from lpm_kernel.domain.documents import Document, ParsedText
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.jobs import Job
from lpm_kernel.domain.memories import Belief
from lpm_kernel.domain.statements import Statement
from lpm_kernel.node.library import Library
from lpm_kernel.usecases import memories, workspace
from lpm_kernel.usecases.library import seal_corrections


class Writing(Library):
    """The folder of Markdown, and the ledger of what stands in it."""

    workspace_troubles: tuple[str, ...] = ()
    """Files of the workspace that are left alone, each with the reason."""

    @property
    def workspace(self) -> LocalWorkspace:
        """The folder itself."""
        return LocalWorkspace(self.home.workspace)

    def keep_step(self) -> list[Job]:
        """Take in what was written to the workspace since the last look, and return the jobs that read it."""
        with self._workspace_lock:
            if self.home.workspace_pending.exists():
                workspace.write_back(self.workspace, self.files, self.documents, over=self.home.workspace_pending.stat().st_mtime_ns)
                self.home.workspace_pending.unlink()
            elif not self.home.workspace.exists():
                workspace.make(self.workspace)
                workspace.write_back(self.workspace, self.files, self.documents)
            synced = workspace.sync(self.workspace, self.files, self.documents, self.decisions, self.index, self.reader, self.clock, self._workspace_known)
        self.workspace_troubles = synced.troubles
        return list(synced.jobs)

    def write_back(self, deleted: Sequence[DocumentId]) -> None:
        """Write the files of the workspace that these deleted documents were: they are being brought back."""
        workspace.write_back(self.workspace, self.files, self.documents, deleted=deleted)

    def take_from_folder(self, documents: Sequence[DocumentId]) -> None:
        """Remove the files of the workspace that these documents are, unless they read otherwise by now: they are being deleted, and can come back."""
        for each in self.documents.many(documents):
            if each.origin and each.superseded_by is None:
                self.workspace.remove(each.origin, self.files.original(each.sha256))

    def retain(self, line: str, path: str | None = None) -> tuple[str, str, list[Job]]:
        """Keep a statement, as ``O(c=0.9) @Peter: prefers short replies``: its file, its id, and the jobs that read it. Raises ``InvalidInputError``."""
        if not self.home.workspace.exists():
            self.keep_step()
        where, identifier = workspace.retain(
            self.workspace, self.clock, line, path, lambda known: memories.stands(self.memories, self.documents, self.files, known)
        )
        return where, identifier, self.keep_step()

    def reword(self, belief: Belief, wanted: Statement | None) -> tuple[str, list[Job]]:
        """Write a statement anew in its file, or with ``None`` take its line out. Raises ``ConflictError`` where it cannot be."""
        document = self.documents.get(belief.document)
        if document.superseded_by is not None:  # it was written anew and is being read
            document = self.documents.get(document.superseded_by)
        memories.reword(self.workspace, document, self.files.original(document.sha256), belief, wanted)
        return document.origin, self.keep_step()

    def _remember(self, document: Document, parsed: ParsedText) -> None:
        if document.origin and document.private and document.text_version is None:  # it may say so itself, and its earlier wordings did not
            seal_corrections(self.documents, self.decisions, self.index, self.clock, [document.id])
        memories.remember(self.memories, self.documents, self.files, self.clock, document, parsed)
