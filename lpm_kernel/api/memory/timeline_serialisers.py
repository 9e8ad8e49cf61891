"""Days of a life, as clients see them."""

from __future__ import annotations

from lpm_kernel.api.library.document_serialisers import serialise_author, serialise_document_ref
from lpm_kernel.api.library.passage_serialisers import serialise_anchor
from lpm_kernel.api.memory.timeline_schemas import DayOut, DaySentenceOut
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.timeline import DaySentence, DaySummary


def serialise_day(node: Node, day: DaySummary) -> DayOut:
    """Show a day with what it holds."""
    return DayOut(
        day=day.tally.day,
        passages=day.tally.passages,
        statements=day.tally.statements,
        documents=[serialise_document_ref(document) for document in day.documents],
        document_count=day.document_count,
        names=list(day.names),
        sentence=None if day.sentence is None else serialise_sentence(node, day.sentence),
    )


def serialise_sentence(node: Node, sentence: DaySentence) -> DaySentenceOut | None:
    """Show a sentence with its place; ``None`` where its document was deleted meanwhile."""
    chunk = sentence.chunk
    place = node.ports.places.span(
        {}, chunk.document, chunk.text_version, sentence.start, sentence.end
    )
    if place.document is None:
        return None
    return DaySentenceOut(
        text=sentence.text,
        source=place.source,
        speaker=chunk.speaker,
        author=serialise_author(node, place.document, chunk.text_version, sentence.start),
        document=serialise_document_ref(place.document),
        start=sentence.start,
        end=sentence.end,
        page=chunk.page,
        anchor=serialise_anchor(chunk.anchor),
    )
