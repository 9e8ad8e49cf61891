"""What the node believed at an earlier time: statements in the wording that they had then, those too that were given up since."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lpm_kernel.domain.documents import Chunk, Document, chunk_id
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memories import Belief
from lpm_kernel.domain.recall import Recalled, RecallQuery, Recollection, Scope, Signals
from lpm_kernel.L0.analyse import matched, question, terms

SHARE = 0.5
"""Of the question's words that a statement must hold which is not in the index any more."""
MOST = 5
"""Statements that are added so."""


def as_believed(
    query: RecallQuery,
    found: Recollection,
    then: Sequence[Belief],
    now: Callable[[DocumentId], Sequence[Belief]],
    documents: Callable[[Sequence[DocumentId]], Sequence[Document]],
    count_tokens: Callable[[str], int],
) -> Recollection:
    """Put the wordings of ``then`` in the place of those that came after, and add those that were given up; ``now`` gives what a document states by now."""
    by_memory = {each.memory: each for each in then}
    items: list[Recalled] = []
    shown = set()
    for item in found.items:
        belief = next((each for each in now(item.chunk.document) if each.start == item.chunk.start), None) if item.chunk.kind else None
        earlier = by_memory.get(belief.memory) if belief else None
        if belief is not None:
            shown.add(belief.memory)
        changed = earlier is not None and belief is not None and earlier.number != belief.number
        items.append(replace(item, chunk=_chunk(earlier, item.chunk)) if changed and earlier is not None else item)
    gone = [each for each in then if each.memory not in shown and _allowed(query.scope, each)]
    known = {each.id: each for each in documents(sorted({each.document for each in gone}))}
    asked = question(query.text).terms
    best = items[0].score if items else 1.0
    more = []
    for belief in gone:
        words = matched(asked, terms(" ".join((*belief.statement.entities, belief.statement.text))))
        document = known.get(belief.document)
        if document is not None and asked and len(words) >= SHARE * len(asked) and _in(query.scope, document):
            more.append(Recalled(_chunk(belief, None, document), best * len(words) / len(asked), Signals(), words, belief.statement.entities))
    more.sort(key=lambda item: -item.score)
    ranked = sorted([*items, *more[:MOST]], key=lambda item: -item.score)[: query.k]
    tokens = [count_tokens(item.content) for item in ranked]
    while query.token_budget is not None and ranked and sum(tokens) > query.token_budget:
        ranked.pop()
        tokens.pop()
    return replace(found, items=tuple(ranked), tokens=sum(tokens))


def _chunk(belief: Belief, like: Chunk | None, document: Document | None = None) -> Chunk:
    """Return a wording as the passage that it was."""
    version = (like.text_version if like else None) or (document.text_version if document else None) or ""
    said = belief.statement
    return Chunk(
        id=chunk_id(belief.document, version, belief.start, belief.end),
        document=belief.document,
        text_version=version,
        start=belief.start,
        end=belief.end,
        text=said.text if not said.entities else f"@{', @'.join(said.entities)}: {said.text}",
        session=f"statement-{belief.start}",
        said_at=like.said_at if like else document.created_at if document else None,
        kind=said.kind,
        about=said.entities,
        confidence=said.confidence,
    )


def _allowed(scope: Scope, belief: Belief) -> bool:
    said = belief.statement
    return (
        (not scope.kinds or said.kind.value in scope.kinds)
        and (not scope.entities or not {each.casefold() for each in scope.entities}.isdisjoint(each.casefold() for each in said.entities))
        and not scope.speakers
        and (not scope.documents or belief.document in scope.documents)
        and (scope.since is None or belief.believed_from >= scope.since.astimezone())
    )


def _in(scope: Scope, document: Document) -> bool:
    return (scope.include_private or not document.private) and set(scope.tags) <= set(document.tags)
