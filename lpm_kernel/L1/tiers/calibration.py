"""Which similarity counts as alike, for each embedder.

A threshold belongs to the embedder that it was found with: one crowds its cosines between 0.7 and
1, another spreads them around 0. What carries over is the rate, how many pairs of texts lie above
it. So the 0.8 that the formula of salience names is read as MiniLM's: the rate at which passages of
different days reach it there is kept, and another embedder gets the threshold that as many pairs
reach. ``tests/bench/test_calibration.py`` measures both on invented lives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Cosines = NDArray[np.float32]

NEIGHBOUR_RATE: Final = 1e-4
"""Of 232,188 pairs of passages of different days, out of eight invented lives, 23 reach 0.8 with
MiniLM: it is their quantile 0.9999.
"""
ALIKE: Final[Mapping[str, float]] = {
    "all-MiniLM-L6-v2/1": 0.8,
    "all-MiniLM-L6-v2/1+ja1": 0.8,
    "multilingual-e5-small": 0.94,
    "hashing/1/384": 0.69,
}
"""The cosine that this rate reaches, by the embedder's id, measured on the same pairs; for e5, two
passages (`passage: …`) are compared, two questions would need 0.93.
"""
LEAST: Final = 10
"""Pairs above a threshold from which it can be told where it lies."""


def rate(similarities: Cosines, threshold: float) -> float:
    """Say what share of the similarities reaches a threshold, 0..1; 0 where there are none.

    >>> rate(np.array([0.1, 0.5, 0.8, 0.9], np.float32), 0.75)
    0.5
    """
    return float((similarities >= threshold).mean()) if similarities.size else 0.0


def threshold(similarities: Cosines, rate: float) -> float | None:
    """Return what this share of the similarities reaches: the quantile 1 - ``rate``. ``None``
    where there are too few to tell, fewer than ten above it.

    >>> cosines = np.linspace(0, 1, 101, dtype=np.float32)
    >>> round(threshold(cosines, 0.2), 2), threshold(cosines[:20], 0.2)
    (0.8, None)
    """
    if similarities.size * rate < LEAST:
        return None
    return float(np.quantile(similarities, 1.0 - rate))


def alike_from(embedder: str, similarities: Cosines) -> float | None:
    """Return the cosine from which two texts are neighbours: what was measured of this embedder,
    else what :data:`NEIGHBOUR_RATE` of the home's own pairs reach. ``None``: too few to tell, some
    450 passages are needed, and until then nothing counts as like anything.

    >>> alike_from("all-MiniLM-L6-v2/1", np.zeros(0, np.float32))
    0.8
    """
    if embedder in ALIKE:
        return ALIKE[embedder]
    return threshold(similarities, NEIGHBOUR_RATE)


def of_different_days(vectors: Cosines, days: Sequence[int]) -> Cosines:
    """Return the cosines of all pairs of texts of different days. ``vectors``: shape (n,
    dimension), rows of unit length; ``days``: n numbers. For some hundred texts of a home; a
    thousand give half a million pairs.

    >>> of_different_days(np.eye(3, dtype=np.float32), [1, 1, 2]).tolist()
    [0.0, 0.0]
    """
    numbers = np.asarray(days)
    pairs = np.triu(numbers[:, None] != numbers[None, :], 1)
    cosines: Cosines = (vectors @ vectors.T)[pairs]
    return cosines
