"""Weighs what speaks for a passage. The weights are learned beforehand, on invented lives, and ship
in `weights.json`.

The score is a sum, so what each signal gave can be said in points of the score, and adds up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.chat.recall import Level, Signals
from lpm_kernel.domain.library.passages import TOKEN_ONE
from lpm_kernel.L0.index.search import Candidates

GROUPS: dict[str, str] = {
    "own": "words",
    "top": "words",
    "cover": "words",
    "rarest": "words",
    "related": "words",
    "related_near": "neighbours",
    "before": "neighbours",
    "after": "neighbours",
    "cover_near": "neighbours",
    "cover_around": "neighbours",
    "session": "neighbours",
    "meaning": "meaning",
    "meaning_near": "meaning",
    "meaning_rare": "meaning",
    "meaning_session": "meaning",
    "late": "meaning",
    "late_near": "meaning",
    "speaker": "entity",
    "me": "entity",
    "when": "time",
    "date": "time",
    "now": "time",
    "asking": "form",
    "brief_asking": "form",
    "brief": "form",
    "number": "form",
    "proper": "form",
}
"""Under which name a feature is shown to the person."""

ANSWERABLE = (
    "cover_best",
    "cover_two",
    "near_best",
    "meaning_best",
    "rare_best",
    "best",
    "margin",
    "spread",
)
"""What is known of a whole answer, for judging whether there is one."""


Tokens = Sequence[NDArray[np.int8] | None]
"""The tokens of passages, each of shape (tokens, ``TOKEN_WIDTH``); ``None`` where there are
none.
"""

BESIDE = 0.9
"""What a token counts that stands in the passage before or after."""

TINY = 1e-9

LATE = 60
"""Candidates that late interaction looks at, the best by everything else."""


@dataclass(frozen=True)
class RankingWeights:
    """What a feature counts, at one level of service."""

    features: dict[str, float]
    answerable: dict[str, float]
    """Logistic over ``ANSWERABLE`` with ``bias``."""
    several: dict[str, float] = field(default_factory=dict)
    """What counts differently where the question asks for several things."""

    def of(self, found: Candidates) -> Mapping[str, float]:
        """Give what each feature counts for this question."""
        return {**self.features, **self.several} if found.several else self.features


@lru_cache(maxsize=1)
def shipped() -> dict[Level, RankingWeights]:
    """Read the weights that ship with the node."""
    raw = json.loads(resources.files(__package__).joinpath("weights.json").read_text("utf-8"))
    return {
        Level(level): RankingWeights(
            raw[level]["features"], raw[level]["answerable"], raw[level].get("several", {})
        )
        for level in raw
        if level in set(Level)
    }


def scores(found: Candidates, weights: RankingWeights) -> NDArray[np.float64]:
    """Score the candidates. Shape (m,)."""
    total = np.zeros(len(found.positions))
    counts = weights.of(found)
    for name, values in found.features.items():
        total += counts.get(name, 0.0) * values
    return total


DECAY_RATE = 0.05
"""By which a day makes a passage older where a question asks to be ranked so."""


def similarity(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn distances into what is near: 1 at no distance, 1/3 at the farthest that two directions
    are apart (2).
    """
    return np.asarray(1.0 / (1.0 + distance))


def decayed(
    distance: NDArray[np.float64], days: NDArray[np.float64], rate: float = DECAY_RATE
) -> NDArray[np.float64]:
    """Score by nearness times newness: 1/(1+d) · (1 + 1/(1 + rate·days)); an unknown day (NaN)
    counts as long ago, one to come as today.

    Asked for by name only: the second factor, 1 to 2, outweighs the first, so that the list is one
    of the newest first. Shape (m,).

    >>> decayed(np.array([0.0, 0.0, 1.0, 0.0]),
    ...     np.array([0.0, 20.0, 0.0, np.nan])).round(3).tolist()
    [2.0, 1.5, 1.0, 1.0]
    """
    old = np.where(np.isnan(days), np.inf, np.maximum(0.0, days))
    return np.asarray(similarity(distance) * (1.0 + 1.0 / (1.0 + rate * old)))


def late(
    question: NDArray[np.int8], own: Tokens, before: Tokens, after: Tokens
) -> dict[str, NDArray[np.float32]]:
    """Say how well each passage holds what each word of the question means, by itself and with its
    neighbours.

    For each token of the question the best cosine among the passage's tokens (Khattab and Zaharia
    2020, ColBERT). The mean over the question weighs a token by how much it tells these passages
    apart: "did" fits all of them alike. A passage without tokens gets the mean of the others.
    ``own``, ``before`` and ``after`` are of one length m.
    """
    best = _closest(question, own)
    known = np.isfinite(best).all(axis=0)
    if not known.any():
        return {"late": np.zeros(len(own), np.float32), "late_near": np.zeros(len(own), np.float32)}
    near = np.maximum(
        best, BESIDE * np.maximum(_closest(question, before), _closest(question, after))
    )
    telling = best[:, known].std(axis=1, dtype=np.float64) + TINY
    telling /= telling.sum()
    found = {"late": telling @ best[:, known], "late_near": telling @ near[:, known]}
    filled = {name: np.full(len(own), values.mean(), np.float32) for name, values in found.items()}
    for name, values in found.items():
        filled[name][known] = values
    return filled


def _closest(question: NDArray[np.int8], passages: Tokens) -> NDArray[np.float32]:
    """Give the best cosine of each question token in each passage, shape (tokens, m); minus
    infinity where there is nothing.
    """
    found = np.full((len(question), len(passages)), -np.inf, np.float32)
    there = [at for at, tokens in enumerate(passages) if tokens is not None and len(tokens)]
    if there and len(question):
        together = [tokens for tokens in passages if tokens is not None and len(tokens)]
        starts = np.cumsum([0, *(len(tokens) for tokens in together[:-1])])
        cosines = (
            question.astype(np.float32)
            @ np.concatenate(together).astype(np.float32).T
            / TOKEN_ONE**2
        )
        found[:, there] = np.maximum.reduceat(cosines, starts, axis=1)
    return found


def order(score: NDArray[np.float64], moments: NDArray[np.float64]) -> NDArray[np.int64]:
    """Sort best first; of equals the newer one, then the one that came first."""
    newest = np.where(np.isnan(moments), -np.inf, moments)
    return np.lexsort((np.arange(len(score)), -newest, -np.round(score, 9)))


def signals(found: Candidates, weights: RankingWeights, at: int) -> Signals:
    """Say what each group of features gave to one candidate."""
    given: dict[str, float] = {}
    counts = weights.of(found)
    for name, values in found.features.items():
        group = GROUPS[name]
        given[group] = given.get(group, 0.0) + counts.get(name, 0.0) * float(values[at])
    return Signals(**given)


def evidence(
    found: Candidates, score: NDArray[np.float64], ranked: Sequence[int]
) -> dict[str, float]:
    """Sum up the best of an answer in numbers that mean the same in any bank."""
    if not len(ranked):
        return dict.fromkeys(ANSWERABLE, 0.0)
    head = list(ranked[:5])
    cover = np.sort(found.features["cover"][head])[::-1]
    meant, rare = found.features.get("meaning"), found.features.get("meaning_rare")
    best = float(score[ranked[0]])
    later = [float(score[i]) for i in ranked[1:10]]
    return {
        "cover_best": float(cover[0]),
        "cover_two": float(cover[:2].mean()),
        "near_best": float(found.features["cover_near"][head].max()),
        "meaning_best": float(meant[head].max()) if meant is not None else 0.0,
        "rare_best": float(rare[head].max()) if rare is not None else 0.0,
        "best": best,
        "margin": best - float(np.mean(later)) if later else 0.0,
        "spread": float(np.std(later)) if later else 0.0,
    }


def answerable(seen: Mapping[str, float], weights: RankingWeights) -> float:
    """Give the probability that the answer is among what was found, 0..1."""
    total = weights.answerable.get("bias", 0.0) + sum(
        weights.answerable.get(name, 0.0) * value for name, value in seen.items()
    )
    return float(1 / (1 + np.exp(-np.clip(total, -30, 30))))
