"""The twin of an embedder: words and pairs of characters, hashed. No model, no start-up, the same
on every machine.

It knows no meaning, but texts that share words lie near each other, which is what a test or a
demonstration needs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors

WORD = re.compile(r"\w+")
WORD_WEIGHT = 1.0
PAIR_WEIGHT = 0.3


class HashingEmbedder:
    """Feature hashing with signs (Weinberger et al. 2009) over words and character pairs.

    >>> asked = HashingEmbedder().embed(["a river walk"])[0]
    >>> near, far = HashingEmbedder().embed(["a walk by the river", "tax"]) @ asked
    >>> bool(near > 0.5 > far)
    True
    """

    def __init__(self, dimension: int = 384) -> None:
        self.dimension = dimension
        self.id = f"hashing/1/{dimension}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text by itself; a text without a word gets the first axis."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for feature, weight in _features(text):
                place, sign = _place(feature, self.dimension)
                vectors[row, place] += sign * weight
            if not vectors[row].any():
                vectors[row, 0] = 1.0
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def _features(text: str) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for word in WORD.findall(text.lower()):
        found.append((word, WORD_WEIGHT))
        found += [(word[at : at + 2], PAIR_WEIGHT) for at in range(len(word) - 1)]
    return found


@lru_cache(maxsize=100_000)
def _place(feature: str, dimension: int) -> tuple[int, float]:
    digest = hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return number % dimension, 1.0 if number >> 63 else -1.0
