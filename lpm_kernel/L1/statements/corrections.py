"""What the person decided about what was found: a corrected sentence gives way to its correction, a
forgotten one to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lpm_kernel.domain.chat.recall import Recalled, Recollection
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.memory.decisions import Decision, stretches
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.text.chunks import Span
from lpm_kernel.L1.statements.changes import FactChange, applying


@dataclass(frozen=True)
class PassageDecisions:
    """What was decided about passages, there or elsewhere."""

    decisions: Mapping[DocumentId, Sequence[Decision]]
    """By the document that they are about."""
    changes: Sequence[FactChange] = ()
    """What corrections change anywhere."""
    written: Callable[[Chunk], datetime | None] = lambda chunk: chunk.said_at
    """When a passage was written."""


@dataclass(frozen=True)
class _Striking:
    """Says what is struck of a passage, for a question that may see some corrections."""

    decided: PassageDecisions
    passages: Callable[[DocumentId], Sequence[Chunk]]

    def against(self, chunk: Chunk) -> dict[Decision, set[Span]]:
        """Return the stretches of a passage that were decided against, there or elsewhere."""
        decided = self.decided
        elsewhere = {
            change.decision: spans
            for change, spans in applying(decided.changes, chunk, decided.written(chunk))
            if change.decision.correction and self.passages(change.decision.correction)
        }
        return _against(chunk, decided.decisions.get(chunk.document, ()), elsewhere)

    def unless_struck(self, chunk: Chunk | None) -> Chunk | None:
        """Return a passage of which nothing is struck."""
        return None if chunk is None or self.against(chunk) else chunk


def with_corrections(
    query: RecallQuery,
    found: Recollection,
    decided: PassageDecisions,
    passages: Callable[[DocumentId], Sequence[Chunk]],
    count_tokens: Callable[[str], int],
) -> Recollection:
    """Strike what was decided against, and put each correction before what it corrects, wherever
    the correction itself was found.

    ``passages`` gives those of a correction that this question may see. An item of which nothing
    is left after striking goes. A sentence anywhere that tells an old fact, and was written before
    its correction, gives way too.
    """
    decisions, changes = decided.decisions, decided.changes
    if not changes and not any(
        decision.strikes for known in decisions.values() for decision in known
    ):
        return found
    asked = query.question.terms
    there = {item.chunk.id: item for item in found.items}
    corrections = {decision.correction for known in decisions.values() for decision in known} | {
        change.decision.correction for change in changes
    }
    items: dict[str, Recalled] = {}

    striking = _Striking(decided, passages)

    def take(item: Recalled, seen: frozenset[str] = frozenset()) -> None:
        against = striking.against(item.chunk)
        for correction in dict.fromkeys(
            decision.correction
            for decision in against
            if decision.correction and decision.correction not in seen
        ):
            for chunk in passages(correction):
                known = there.get(chunk.id) or Recalled(
                    chunk, item.score, item.signals, _matched(asked, chunk)
                )
                better = max(known, item, key=lambda each: each.score)
                take(
                    replace(known, score=better.score, signals=better.signals),
                    seen | {item.chunk.document},
                )
        struck = tuple(sorted(span for spans in against.values() for span in spans))
        left = replace(
            item,
            struck=struck,
            corrects=item.chunk.document in corrections,
            before=striking.unless_struck(item.before),
            after=striking.unless_struck(item.after),
        )
        if not struck or terms(left.text):
            items.setdefault(item.chunk.id, left)

    for recalled in found.items:
        take(recalled)
    return _fitting(query, found, list(items.values()), count_tokens)


def _fitting(
    query: RecallQuery,
    found: Recollection,
    items: Sequence[Recalled],
    count_tokens: Callable[[str], int],
) -> Recollection:
    """Keep as many as are asked for, and of those what the tokens allow."""
    kept, tokens = [], 0
    for item in items[: query.k]:
        cost = count_tokens(item.content)
        if query.token_budget is None or tokens + cost <= query.token_budget:
            kept.append(item)
            tokens += cost
    return replace(found, items=tuple(kept), tokens=tokens)


def _against(
    chunk: Chunk, decisions: Sequence[Decision], elsewhere: Mapping[Decision, Sequence[Span]]
) -> dict[Decision, set[Span]]:
    """Give the stretches of a chunk that were decided against, there or where the same is told."""
    there = {
        decision: set(stretches(decision, chunk))
        for decision in (*decisions, *elsewhere)
        if decision.strikes and decision.document == chunk.document
    }
    every = {
        decision: there.get(decision, set()) | set(elsewhere.get(decision, ()))
        for decision in (*there, *elsewhere)
    }
    return {decision: spans for decision, spans in every.items() if spans}


def _matched(asked: Sequence[str], chunk: Chunk) -> tuple[str, ...]:
    held = set(terms(chunk.content))
    return tuple(term for term in asked if term in held)
