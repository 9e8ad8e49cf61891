"""What the person decided about what was found: a corrected sentence gives way to its correction, a forgotten one to nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lpm_kernel.domain.decisions import Decision, stretches
from lpm_kernel.domain.documents import Chunk
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.recall import Recalled, RecallQuery, Recollection
from lpm_kernel.L0.analyse import terms


def heeded(
    query: RecallQuery,
    found: Recollection,
    decisions: Mapping[DocumentId, Sequence[Decision]],
    passages: Callable[[DocumentId], Sequence[Chunk]],
    count_tokens: Callable[[str], int],
) -> Recollection:
    """Strike what was decided against, and put each correction before what it corrects, wherever the correction itself was found.

    ``passages`` gives those of a correction that this question may see. What is left after striking says nothing goes.
    """
    if not any(each.strikes for known in decisions.values() for each in known):
        return found
    asked = list(dict.fromkeys(terms(query.text)))
    there = {item.chunk.id: item for item in found.items}
    corrections = {each.correction for known in decisions.values() for each in known}
    items: dict[str, Recalled] = {}

    def take(item: Recalled, seen: frozenset[str] = frozenset()) -> None:
        against = [each for each in decisions.get(item.chunk.document, ()) if each.strikes and stretches(each, item.chunk)]
        for correction in dict.fromkeys(each.correction for each in against if each.correction and each.correction not in seen):
            for chunk in passages(correction):
                known = there.get(chunk.id) or Recalled(chunk, item.score, item.signals, _matched(asked, chunk))
                better = max(known, item, key=lambda each: each.score)
                take(replace(known, score=better.score, signals=better.signals), seen | {item.chunk.document})
        struck = tuple(sorted(span for each in against for span in stretches(each, item.chunk)))
        left = replace(item, struck=struck, corrects=item.chunk.document in corrections)
        if not struck or terms(left.text):
            items.setdefault(item.chunk.id, left)

    for each in found.items:
        take(each)
    kept, tokens = [], 0
    for item in list(items.values())[: query.k]:
        cost = count_tokens(item.content)
        if query.token_budget is None or tokens + cost <= query.token_budget:
            kept.append(item)
            tokens += cost
    return replace(found, items=tuple(kept), tokens=tokens)


def _matched(asked: Sequence[str], chunk: Chunk) -> tuple[str, ...]:
    held = set(terms(chunk.content))
    return tuple(term for term in asked if term in held)
