"""What the node believed at an earlier time: statements in the wording that they had then, those
too that were given up since.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lpm_kernel.domain.chat.recall import Recalled, Recollection, Scope, Signals
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, Document, chunk_id
from lpm_kernel.domain.memory.memories import Belief
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import matched, terms

SHARE = 0.5
"""Of the question's words that a statement must hold which is not in the index any more."""
MOST = 5
"""Statements that are added so."""


@dataclass(frozen=True)
class StatementSources:
    """Where statements stand."""

    believed: Callable[[DocumentId], Sequence[Belief]]
    """Gives what a document states by now."""
    documents: Callable[[Sequence[DocumentId]], Sequence[Document]]
    words: Callable[[Document], str | None]
    """Gives the text of a document; what does not stand in one any more is left out."""


def as_believed(
    query: RecallQuery,
    found: Recollection,
    then: Sequence[Belief],
    sources: StatementSources,
    count_tokens: Callable[[str], int],
) -> Recollection:
    """Put the wordings of ``then`` in the place of those that came after, and add those that were
    given up.
    """
    named = sorted({belief.document for belief in then})
    known = {document.id: document for document in sources.documents(named)}

    def chunk_of(belief: Belief) -> Chunk | None:
        return _chunk(belief, known.get(belief.document), sources.words)

    items, shown = _in_earlier_words(found, then, sources.believed, chunk_of)
    gone = [
        belief
        for belief in then
        if belief.memory not in shown
        and _allowed(query.scope, belief)
        and belief.document in known
        and _in(query.scope, known[belief.document])
    ]
    best = items[0].score if items else 1.0
    more = _given_up(query.question.search_terms, gone, best, chunk_of)
    ranked = sorted([*items, *more], key=lambda item: -item.score)[: query.k]
    tokens = [count_tokens(item.content) for item in ranked]
    while query.token_budget is not None and ranked and sum(tokens) > query.token_budget:
        ranked.pop()
        tokens.pop()
    return replace(found, items=tuple(ranked), tokens=sum(tokens))


def _in_earlier_words(
    found: Recollection,
    then: Sequence[Belief],
    now: Callable[[DocumentId], Sequence[Belief]],
    chunk_of: Callable[[Belief], Chunk | None],
) -> tuple[list[Recalled], set[str]]:
    """Give what was found, each statement in its wording of then, and the memories of which
    statements were found.
    """
    by_memory = {each.memory: each for each in then}
    items: list[Recalled] = []
    shown: set[str] = set()
    for item in found.items:
        belief = _belief(item.chunk, now)
        earlier = by_memory.get(belief.memory) if belief else None
        if belief is not None:
            shown.add(belief.memory)
        if earlier is None or belief is None or earlier.number == belief.number:
            items.append(item)
        elif (chunk := chunk_of(earlier)) is not None:
            items.append(replace(item, chunk=replace(chunk, said_at=item.chunk.said_at)))
    return items, shown


def _belief(chunk: Chunk, now: Callable[[DocumentId], Sequence[Belief]]) -> Belief | None:
    if not chunk.kind:
        return None
    return next((belief for belief in now(chunk.document) if belief.start == chunk.start), None)


def _given_up(
    asked: Sequence[str],
    gone: Sequence[Belief],
    best: float,
    chunk_of: Callable[[Belief], Chunk | None],
) -> list[Recalled]:
    """Give those statements that hold enough of what is asked, the best first."""
    more = []
    for belief in gone if asked else ():
        said = belief.statement
        held = matched(asked, terms(" ".join((*said.entities, said.text))))
        chunk = chunk_of(belief) if len(held) >= SHARE * len(asked) else None
        if chunk is not None:
            score = best * len(held) / len(asked)
            more.append(Recalled(chunk, score, Signals(), held, said.entities))
    return sorted(more, key=lambda item: -item.score)[:MOST]


def _chunk(
    belief: Belief, document: Document | None, words: Callable[[Document], str | None]
) -> Chunk | None:
    """Return a wording as the passage that it was: the very words that stand at its place. ``None``
    where they stand nowhere any more.
    """
    version, text = (document.text_version, words(document)) if document else (None, None)
    said = belief.statement
    if (
        document is None
        or version is None
        or text is None
        or said.text not in text[belief.start : belief.end]
    ):
        return None
    return Chunk(
        id=chunk_id(belief.document, version, belief.start, belief.end),
        document=belief.document,
        text_version=version,
        start=belief.start,
        end=belief.end,
        text=text[belief.start : belief.end],
        session=f"statement-{belief.start}",
        said_at=document.created_at,
        kind=said.kind,
        about=said.entities,
        confidence=said.confidence,
    )


def _allowed(scope: Scope, belief: Belief) -> bool:
    said = belief.statement
    return (
        (not scope.kinds or said.kind.value in scope.kinds)
        and (
            not scope.entities
            or not {entity.casefold() for entity in scope.entities}.isdisjoint(
                entity.casefold() for entity in said.entities
            )
        )
        and not scope.speakers
        and (not scope.documents or belief.document in scope.documents)
        and (scope.since is None or belief.believed_from >= scope.since.astimezone())
    )


def _in(scope: Scope, document: Document) -> bool:
    return (scope.include_private or not document.private) and set(scope.tags) <= set(document.tags)
