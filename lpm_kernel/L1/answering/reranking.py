"""Ranking what was recalled anew by reading it: the best passages for an answer come first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ports import ReadingModel
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.sentences import sentences
from lpm_kernel.L1.answering.windows import LEARNED, learned_signs

RERANKED = 25
"""Passages that are read to rank them."""

Floats = NDArray[np.float64]


def passage_signs(
    question: Question, found: Recollection, model: ReadingModel
) -> dict[str, Floats]:
    """Return what speaks for each passage, by name, each of shape (items,). Raises
    ``ReaderUnavailableError``.
    """
    items = found.items
    known = sentences(items, len(items))
    signs = learned_signs(model, question, items, known).features
    of = np.array([sentence.item for sentence in known], np.int64)
    scores = np.array([item.score for item in items])
    best = {name: _best_of(signs[name], of, len(items)) for name in LEARNED}
    return {
        "score": scores - scores.max(),
        "rank": 1.0 / (1 + np.arange(len(items))),
        "span": best["span"] - best["span"].max(),
        "relevant": best["relevant"] - best["relevant"].max(),
    }


def _best_of(values: Floats, of: NDArray[np.int64], n: int) -> Floats:
    """Return the largest value of each item's sentences; an item without any has the smallest."""
    best = np.full(n, values.min(initial=0.0))
    np.maximum.at(best, of, values)
    return best


def reranked(
    question: Question, found: Recollection, model: ReadingModel, weights: Mapping[str, float]
) -> Recollection:
    """Order the first :data:`RERANKED` of what was found by how well they answer; a correction
    stays before what it corrects. The scores stay with their places. Raises
    ``ReaderUnavailableError``.
    """
    read, rest = found.items[:RERANKED], found.items[RERANKED:]
    if len(read) <= 1:
        return found
    signs = passage_signs(question, replace(found, items=read), model)
    total = np.asarray(sum(weights.get(name, 0.0) * values for name, values in signs.items()))
    for at, item in enumerate(read):
        if item.corrects:
            corrected = [total[n] for n in range(at, len(read)) if n == at or read[n].struck]
            total[at] = max(corrected)
    scores = sorted((item.score for item in read), reverse=True)
    order = np.argsort(-total, kind="stable")
    ranked = [replace(read[int(at)], score=score) for at, score in zip(order, scores, strict=True)]
    return replace(found, items=(*ranked, *rest))


def cut(
    found: Recollection, k: int, budget: int | None, count_tokens: Callable[[str], int]
) -> Recollection:
    """Keep the first ``k`` items, whole ones, as long as they fit; a long one is passed over for
    shorter ones after it.
    """
    kept, tokens = [], 0
    for item in found.items[:k]:
        cost = count_tokens(item.content)
        if budget is None or tokens + cost <= budget:
            kept.append(item)
            tokens += cost
    return replace(found, items=tuple(kept), tokens=tokens)
