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
    SaidInOut,
    SignalsOut,
)
from lpm_kernel.api.schemas import MemoryKind
from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recalled, Recollection, Signals
from lpm_kernel.domain.chat.threads import SaidIn
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import AnchorKind, Chunk, Document
from lpm_kernel.L0.language.analysis import marks
from lpm_kernel.node import Node


def serialise_items(
    node: Node,
    recalled: Sequence[Recalled],
    *,
    explain: bool = True,
    authors: bool = True,
    cited: Sequence[Citation] = (),
) -> list[ItemOut]:
    """Show what was found, each with the lines where it stands; what was deleted meanwhile, or made
    private and is not the caller's, is left out. ``authors``: with whose words they are. What is
    ``cited`` of it opens there.
    """
    shown = []
    for each, place in zip(recalled, node.ports.places.found(recalled, cited), strict=True):
        if place.document is None or (place.document.private and not is_owner()):
            continue
        chunk = each.chunk
        said = _said_in(node, place.document.id, place.turn)
        shown.append(
            ItemOut(
                id=chunk.id,
                kind=_kind(place.document, chunk),
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
                document=serialise_document_ref(place.document, said.title if said else None),
                said_in=serialise_said_in(said),
                start=chunk.start,
                end=chunk.end,
                page=chunk.page,
                anchor=None if said else serialise_anchor(chunk.anchor),
                author=(
                    serialise_author(node, place.document, chunk.text_version, chunk.start)
                    if authors
                    else None
                ),
                turn=place.turn if said else chunk.turn,
                corrects=each.corrects,
                path=list(each.path),
                lately=each.lately,
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
        said = _said_in(node, citation.document, place.turn)
        title = "" if place.document is None else place.document.title
        shown.append(
            CitationOut(
                n=citation.n,
                id=citation.chunk,
                kind=_kind(place.document, cited),
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
                title=said.title if said else title,
                said_in=serialise_said_in(said),
                start=citation.start,
                end=citation.end,
                page=where.n if where is not None and where.kind is AnchorKind.PAGE else None,
                anchor=None if said else serialise_anchor(where),
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


def _said_in(node: Node, document: DocumentId, label: str | None) -> SaidIn | None:
    return node.chat.said_in(document, label) if is_thread(document) else None


def serialise_said_in(said: SaidIn | None) -> SaidInOut | None:
    """Show in which chat something was said."""
    if said is None:
        return None
    return SaidInOut(conversation=said.conversation, title=said.title, turn=said.turn)


def _kind(document: Document | None, chunk: Chunk | None) -> MemoryKind:
    if document is not None and is_thread(document.id):
        return "turn"
    return chunk.kind.value if chunk is not None and chunk.kind else "passage"
