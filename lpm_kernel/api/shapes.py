"""Domain values to what clients see."""

from __future__ import annotations

from collections.abc import Sequence

from lpm_kernel.api import schemas
from lpm_kernel.domain.conversations import Citation, Conversation, Turn
from lpm_kernel.domain.documents import Chunk, Document, Problem
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.jobs import Job
from lpm_kernel.domain.recall import Recalled, Recollection
from lpm_kernel.errors import NotFoundError
from lpm_kernel.node import Node


def problem(known: Problem | None) -> schemas.ProblemOut | None:
    """Show a problem."""
    return None if known is None else schemas.ProblemOut(title=known.title, detail=known.detail, hint=known.hint)


def job(known: Job) -> schemas.JobOut:
    """Show a job."""
    return schemas.JobOut(
        id=known.id,
        kind=known.kind,
        state=known.state.value,
        progress=known.progress,
        step=known.step,
        message=known.message,
        error=problem(known.error),
        created_at=known.created_at,
        ended_at=known.ended_at,
        document=known.document,
    )


def documents(node: Node, known: Sequence[Document], *, whole: bool = False) -> list[schemas.DocumentOut]:
    """Show documents, each with how many passages it gave and its newest job; ``whole``: with the summary's words too."""
    jobs = node.jobs.latest_for([each.id for each in known])
    counts = node.passage_counts([each.id for each in known])
    return [
        schemas.DocumentOut(
            id=each.id,
            title=each.title,
            name=each.name,
            kind=each.kind.value,
            sha256=each.sha256,
            bytes=each.bytes,
            state=each.state.value,
            created_at=each.created_at,
            added_at=each.added_at,
            tags=list(each.tags),
            private=each.private,
            error=problem(each.error),
            passages=counts.get(each.id, 0),
            job=jobs[each.id].id if each.id in jobs else None,
            keywords=list(each.keywords),
            summary=[schemas.SummarySentence(text=words, start=start, end=end) for words, (start, end) in zip(node.sentences(each), each.summary, strict=True)]
            if whole
            else [],
        )
        for each in known
    ]


def items(node: Node, recalled: Sequence[Recalled], *, explain: bool = True) -> list[schemas.ItemOut]:
    """Show what was found, each with the lines where it stands; what was deleted meanwhile is left out."""
    shown = []
    for each, place in zip(recalled, node.places.of(one.chunk for one in recalled), strict=True):
        if place.document is None:
            continue
        chunk, signals = each.chunk, each.signals
        shown.append(
            schemas.ItemOut(
                id=chunk.id,
                content=chunk.text,
                timestamp=chunk.said_at,
                entities=list(each.entities),
                source=place.source,
                score=each.score,
                signals=schemas.SignalsOut(
                    words=signals.words, meaning=signals.meaning, time=signals.time, entity=signals.entity, neighbours=signals.neighbours, form=signals.form
                )
                if explain
                else None,
                matched=list(each.matched),
                speaker=chunk.speaker,
                document=schemas.DocumentRef(id=place.document.id, title=place.document.title, kind=place.document.kind.value, private=place.document.private),
                start=chunk.start,
                end=chunk.end,
                page=chunk.page,
                turn=chunk.turn,
            )
        )
    return shown


def recollection(node: Node, found: Recollection, *, explain: bool) -> schemas.RecallOut:
    """Show an answer of recall."""
    return schemas.RecallOut(
        items=items(node, found.items, explain=explain), tokens=found.tokens, level=found.level.value, considered=found.considered, answerable=found.answerable
    )


def citations(node: Node, known: Sequence[Citation]) -> list[schemas.CitationOut]:
    """Show citations: the words are read from the text version that was cited, and the lines are computed now."""
    shown = []
    seen: dict[DocumentId, Document | None] = {}
    for each in known:
        place = node.places.span(seen, each.document, each.text_version, each.start, each.end)
        shown.append(
            schemas.CitationOut(
                n=each.n,
                id=each.chunk,
                source=place.source,
                quote="" if place.document is None else node.quote(place.document, each),
                document=each.document,
                title="" if place.document is None else place.document.title,
                start=each.start,
                end=each.end,
                page=None if place.document is None else node.page_of(place.document, each),
            )
        )
    return shown


def turn(node: Node, known: Turn, *, evidence: bool = True) -> schemas.TurnOut:
    """Show a turn with its citations and what was on the table."""
    return schemas.TurnOut(
        id=known.id,
        role=known.role,
        text=known.text,
        state=known.state.value,
        created_at=known.created_at,
        parts=[schemas.PartOut(kind=part.kind.value, text=part.text, citations=list(part.citations)) for part in known.parts],
        citations=citations(node, known.citations),
        evidence=items(node, _still_there(node, known), explain=False) if evidence else [],
        model=known.model,
        abstained=known.abstained,
        problem=problem(known.problem),
    )


def _still_there(node: Node, known: Turn) -> list[Recalled]:
    found = []
    for identifier in known.evidence:
        try:
            found.append(node.as_recalled(node.index.chunk(identifier)))
        except NotFoundError:  # its document was deleted or read anew since
            continue
    return found


def conversation(known: Conversation) -> schemas.ConversationOut:
    """Show a chat."""
    return schemas.ConversationOut(id=known.id, title=known.title, created_at=known.created_at, updated_at=known.updated_at, turns=known.turns)


def passage(node: Node, known: Sequence[Chunk]) -> list[schemas.PassageOut]:
    """Show passages of a document."""
    return [
        schemas.PassageOut(
            id=chunk.id, start=chunk.start, end=chunk.end, text=chunk.text, speaker=chunk.speaker, said_at=chunk.said_at, page=chunk.page, source=place.source
        )
        for chunk, place in zip(known, node.places.of(known), strict=True)
    ]
