"""Keeping the ledger up to what texts state, and to what the person decided about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, ParsedText
from lpm_kernel.domain.memory.decisions import Decision
from lpm_kernel.domain.memory.proposals import Extractor, Proposal
from lpm_kernel.domain.memory.workspace import CORE
from lpm_kernel.L1.answering.core import Core, core_of, without_struck
from lpm_kernel.usecases.library.documents import seal_corrections
from lpm_kernel.usecases.memory.memories import Ledger, kept_of, remember
from lpm_kernel.usecases.memory.proposals import RULES, extracted
from lpm_kernel.usecases.memory.workspace import WorkspacePorts

Extractors = Callable[[Sequence[DocumentId]], Mapping[DocumentId, Extractor]]
"""Gives what reads these documents, where that is not the rules."""


@dataclass(frozen=True)
class LedgerKeeping:
    """Keeps what texts state, as it is decided about."""

    ports: WorkspacePorts
    extractors: Extractors

    def remember(self, document: Document, parsed: ParsedText) -> None:
        """Keep what a text states."""
        ports = self.ports
        # it may say so itself, and its earlier wordings did not
        if document.private and document.text_version != ports.reader.version:
            seal_corrections(
                ports.documents, ports.decisions, ports.index, ports.clock, [document.id]
            )
        decided = (
            ports.decisions.correcting([document.id])
            if document.corrects
            else ports.decisions.about([document.id]).get(document.id, [])
        )
        if document.corrects and any(self._is_stated(decision) for decision in decided):
            decided = []  # the line itself is the memory, and reads as it was put right
        kept = (
            kept_of(document, parsed.text, decided, self._proposals_for(decided)) if decided else []
        )
        ledger = Ledger(ports.memories, ports.documents, ports.files, ports.clock)
        remember(ledger, document, parsed, kept)

    def remember_kept(self, documents: Sequence[DocumentId] | None = None) -> int:
        """Bring the ledger up to what was decided about these documents, or about any. Returns how
        many were looked at.
        """
        ports = self.ports
        looked = 0
        for document in ports.documents.many(
            self._decided_about() if documents is None else documents
        ):
            parsed = (
                ports.files.text(document.sha256, document.text_version)
                if document.text_version and not document.superseded_by
                else None
            )
            if parsed is not None:
                self.remember(document, parsed)
                looked += 1
        return looked

    def _decided_about(self) -> list[DocumentId]:
        return sorted(
            {
                document
                for decision in self.ports.decisions.all()
                for document in (decision.document, decision.correction)
                if document is not None
            }
        )

    def _is_stated(self, decision: Decision) -> bool:
        """Tell whether what was decided about is a statement that its document retains."""
        return any(
            belief.start < decision.end and decision.start < belief.end
            for belief in self.ports.memories.believed(decision.document)
        )

    def _proposals_for(self, decided: Sequence[Decision]) -> list[Proposal]:
        """Return what is proposed of the documents that were decided about."""
        about = self.ports.documents.many(sorted({decision.document for decision in decided}))
        reads = self.extractors([document.id for document in about])
        return [
            proposal
            for document in about
            for proposal in extracted(self.ports.files, document, reads.get(document.id, RULES))
        ]


def core(ports: WorkspacePorts, tokens: Callable[[str], int], *, private: bool) -> Core:
    """Return what every prompt holds of ``memory.md``: as it reads now, or for somebody else as it
    was read last, unless it is private.
    """
    document = ports.documents.by_origin(CORE)
    decided = [] if document is None else ports.decisions.about([document.id]).get(document.id, [])
    struck = [decision.quote for decision in decided if decision.strikes]
    if private:
        data = ports.workspace.read(CORE)
        text = None if data is None else data.decode("utf-8", "replace")
    elif document is None or document.private or document.deleted_at is not None:
        text = None
    else:
        text = _text_of(ports, document)
    return Core() if text is None else core_of(without_struck(text, struck), tokens)


def _text_of(ports: WorkspacePorts, document: Document) -> str | None:
    if document.text_version is None:
        return None
    parsed = ports.files.text(document.sha256, document.text_version)
    return None if parsed is None else parsed.text
