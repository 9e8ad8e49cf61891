"""Words of related meaning: pets are dogs and cats, an instrument is a clarinet, an injury is an
ankle that hurts.

People ask with the name of a kind and told of its members. A table of vectors, one for each of the
commoner English words, says how near two words are; it was made beforehand by embedding each word
by itself (`tests/bench/make_related.py`), so that no embedder has to run. A Japanese word stands
where its first English meaning stands.
"""

from __future__ import annotations

import lzma
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.L0.language import glosses
from lpm_kernel.L0.language.vocabulary import grown

FLOOR = 0.3
"""Likeness up to which two words have nothing to do with each other; from here to 1 it counts as 0
to 1.
"""

Floats = NDArray[np.float32]


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, int], Floats]:
    """Read the words, as they stand in the index, and their vectors at unit length; the last vector
    is zero and stands for all other words.
    """
    folder = resources.files(__package__)
    words = lzma.decompress(folder.joinpath("related.txt.xz").read_bytes()).decode().split()
    with folder.joinpath("related.npy").open("rb") as file:
        vectors = np.load(file).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return {word: row for row, word in enumerate(words)}, np.vstack(
        [vectors, np.zeros((1, vectors.shape[1]), np.float32)]
    )


def _row(term: str, rows: Mapping[str, int]) -> int:
    """Give where a term stands in the table; -1, the last, where it does not."""
    if term.isascii():
        return rows.get(term, -1)
    return next((rows[stem] for stem in glosses.stems(term) if stem in rows), -1)


def relatedness(one: str, other: str) -> float:
    """Say how related two terms are, 0..1.

    >>> relatedness("pet", "cat") > 0.4, relatedness("犬", "pet") > 0.2, relatedness("pet", "citi")
    (True, True, 0.0)
    """
    rows, vectors = _table()
    return float(
        _above(np.asarray(vectors[_row(one, rows)] @ vectors[_row(other, rows)], np.float32))
    )


def nearest(term: str, floor: float, most: int) -> list[str]:
    """Give the terms that are nearest to one, the nearest first: those with at least this likeness
    (cosine), as they stand in the index.

    >>> "instrument" in nearest("cello", 0.4, 5)
    True
    """
    rows, vectors = _table()
    at = _row(term, rows)
    if at < 0:
        return []
    likeness = vectors[:-1] @ vectors[at]
    names = list(rows)
    order = np.argsort(-likeness, kind="stable")[: most + 1]
    return [names[row] for row in order if row != at and likeness[row] >= floor][:most]


def _above(likeness: Floats) -> Floats:
    return np.asarray(np.maximum(0.0, (likeness - FLOOR) / (1.0 - FLOOR)), np.float32)


class Related:
    """How the words of a bank are related to those of a question. Grows with the bank; threads
    share it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._vocabulary: Mapping[str, int] = {}
        self._words: list[str] = []
        self._known = np.zeros((2, 0), np.int64)
        """Numbers of the bank's words that stand in the table, and their rows there."""

    def to(self, terms: Sequence[str], vocabulary: Mapping[str, int]) -> Floats:
        """Give for every word of the bank how related it is to each term, 0..1; nothing is related
        to itself. Shape (words, terms).
        """
        found = np.zeros((len(vocabulary), len(terms)), np.float32)
        if not terms:
            return found
        rows, vectors = _table()
        numbers, places = self._places(vocabulary)
        found[numbers] = _above(vectors @ vectors[[_row(term, rows) for term in terms]].T)[places]
        for number, term in enumerate(terms):
            if term in vocabulary:
                found[vocabulary[term], number] = 0.0
        return found

    def _places(self, vocabulary: Mapping[str, int]) -> NDArray[np.int64]:
        """Look at the words that are new. A bank that was made anew has another vocabulary and is
        looked at from the start.
        """
        with self._lock:
            if vocabulary is self._vocabulary:
                return self._known
            new = grown(vocabulary, self._words)
            if new is None:
                self._words, self._known, new = [], np.zeros((2, 0), np.int64), list(vocabulary)
            rows, _ = _table()
            found = [(vocabulary[term], row) for term in new if (row := _row(term, rows)) >= 0]
            self._known = np.hstack([self._known, np.array(found, np.int64).reshape(-1, 2).T])
            self._words += new
            self._vocabulary = vocabulary
            return self._known
