"""What was recalled and what was cited, as clients see it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lpm_kernel.api.context import is_owner
from lpm_kernel.api.library.document_serialisers import serialise_author, serialise_document_ref
from lpm_kernel.api.library.passage_serialisers import serialise_anchor
from lpm_kernel.api.memory.recall_schemas import (
    CitationOut,
    ItemOut,
    MarkOut,
    RecallOut,
    SignalsOut,
)
from lpm_kernel.api.schemas import MemoryKind
from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recalled, Recollection, Signals
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import AnchorKind, Chunk, Document
from lpm_kernel.L0.language.analysis import marks
from lpm_kernel.node import Node


def serialise_items(
    node: Node, recalled: Sequence[Recalled], *, explain: bool = True, authors: bool = True
) -> list[ItemOut]:
    """Show what was found, each with the lines where it stands; what was deleted meanwhile, or made
    private and is not the caller's, is left out. ``authors``: with whose words they are.
    """
    shown = []
    for each, place in zip(
        recalled, node.ports.places.of(one.chunk for one in recalled), strict=True
    ):
        if place.document is None or (place.document.private and not is_owner()):
            continue
        chunk = each.chunk
        shown.append(
            ItemOut(
                id=chunk.id,
                kind=_kind(chunk),
                content=each.text,
                timestamp=chunk.said_at,
                valid_from=each.validity.start,
                valid_until=each.validity.end,
                entities=list(dict.fromkeys((*chunk.about, *each.entities))),
                confidence=chunk.confidence,
                source=place.source,
                score=each.score,
                signals=_signals(each.signals) if explain else None,
                matched=list(each.matched),
                marks=(
                    [MarkOut(start=start, end=end) for start, end in marks(each.text, each.forms)]
                    if explain
                    else []
                ),
                speaker=chunk.speaker,
                document=serialise_document_ref(place.document),
                start=chunk.start,
                end=chunk.end,
                page=chunk.page,
                anchor=serialise_anchor(chunk.anchor),
                author=(
                    serialise_author(node, place.document, chunk.text_version, chunk.start)
                    if authors
                    else None
                ),
                turn=chunk.turn,
                corrects=each.corrects,
                path=list(each.path),
                struck=bool(each.struck),
            )
        )
    return shown


def serialise_recollection(node: Node, recollection: Recollection, *, explain: bool) -> RecallOut:
    """Show an answer of recall."""
    return RecallOut(
        items=serialise_items(node, recollection.items, explain=explain, authors=explain),
        tokens=recollection.tokens,
        level=recollection.level.value,
        considered=recollection.considered,
        answerable=recollection.answerable,
    )


def serialise_citations(
    node: Node, citations: Sequence[Citation], struck: Collection[int] = ()
) -> list[CitationOut]:
    """Show citations: the words are read from the text version that was cited, and the lines are
    computed now; ``struck`` numbers those that were decided against.
    """
    shown = []
    seen: dict[DocumentId, Document | None] = {}
    for citation in citations:
        place = node.ports.places.span(
            seen, citation.document, citation.text_version, citation.start, citation.end
        )
        where = None if place.document is None else node.library.anchor_of(place.document, citation)
        cited = next(iter(node.memory.passages([citation.chunk])), None)
        shown.append(
            CitationOut(
                n=citation.n,
                id=citation.chunk,
                kind=_kind(cited),
                confidence=cited.confidence if cited else None,
                source=place.source,
                quote=""
                if place.document is None
                else node.library.quote(place.document, citation),
                author=serialise_author(
                    node, place.document, citation.text_version, citation.start
                ),
                said_at=cited.said_at if cited else None,
                document=citation.document,
                title="" if place.document is None else place.document.title,
                start=citation.start,
                end=citation.end,
                page=where.n if where is not None and where.kind is AnchorKind.PAGE else None,
                anchor=serialise_anchor(where),
                struck=citation.n in struck,
            )
        )
    return shown


def _signals(signals: Signals) -> SignalsOut:
    return SignalsOut(
        words=signals.words,
        meaning=signals.meaning,
        time=signals.time,
        entity=signals.entity,
        neighbours=signals.neighbours,
        form=signals.form,
    )


def _kind(chunk: Chunk | None) -> MemoryKind:
    return chunk.kind.value if chunk is not None and chunk.kind else "passage"
