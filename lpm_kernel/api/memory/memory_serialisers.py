"""Memories and their evidence, as clients see them."""

from __future__ import annotations

from collections.abc import Sequence

from lpm_kernel.api.memory.memory_schemas import EvidenceOut, MemoryOut
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.memories import Belief
from lpm_kernel.domain.memory.reflection import Evidence
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.validity import of_memories


def serialise_memories(node: Node, beliefs: Sequence[Belief]) -> list[MemoryOut]:
    """Show wordings of memories, each with its line and the words that it rests on; what was
    deleted meanwhile is left out.
    """
    shown: list[MemoryOut] = []
    seen: dict[DocumentId, Document | None] = {}
    there = {
        document.id: document
        for document in node.ports.documents.many(sorted({belief.document for belief in beliefs}))
    }
    standing = [(belief, there[belief.document]) for belief in beliefs if belief.document in there]
    holds = node.memory.holds([belief for belief, _ in standing])
    for (belief, document), valid, held in zip(
        standing, of_memories(node.ports.validities, standing), holds, strict=True
    ):
        place = node.ports.places.span(
            seen,
            belief.document,
            document.text_version or node.ports.reader.version,
            belief.start,
            belief.end,
        )
        said = belief.statement
        evidence = EvidenceOut(
            document=document.id,
            title=document.title,
            start=belief.start,
            end=belief.end,
            quote=_quote(node, document, belief),
            source=place.source,
        )
        shown.append(
            MemoryOut(
                id=belief.memory,
                kind=said.kind.value,
                content=said.text,
                entities=list(said.entities),
                confidence=said.confidence,
                valid_from=valid.start,
                valid_until=valid.end,
                believed_from=belief.believed_from,
                believed_until=belief.believed_until,
                number=belief.number,
                source=place.source,
                evidence=[evidence],
                strength=round(held.strength, 4),
                pinned=held.pinned,
                noted_at=held.noted,
                last_used=held.last_used,
                uses=held.uses,
                fades_at=held.fades_at,
                corrected=belief.number > 1,
                tags=list(document.tags),
                private=document.private,
                editable=bool(document.origin) and document.superseded_by is None,
            )
        )
    return shown


def _quote(node: Node, document: Document, belief: Belief) -> str:
    version = document.text_version or node.ports.reader.version
    words = node.ports.files.words(document.sha256, version) or ""
    return words[belief.start : belief.end]


def serialise_evidence(
    node: Node, places: Sequence[tuple[Evidence, Document, str]]
) -> list[EvidenceOut]:
    """Show words of documents with the place where they stand."""
    seen: dict[DocumentId, Document | None] = {}
    return [
        EvidenceOut(
            document=document.id,
            title=document.title,
            start=evidence.start,
            end=evidence.end,
            quote=quote,
            source=node.ports.places.span(
                seen, evidence.document, evidence.text_version, evidence.start, evidence.end
            ).source,
        )
        for evidence, document, quote in places
    ]
