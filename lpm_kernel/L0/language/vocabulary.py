"""Which words of a bank's vocabulary are new since somebody looked at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from operator import eq


def grown(vocabulary: Mapping[str, int], known: Sequence[str]) -> list[str] | None:
    """Return the words that were appended to those that are known, in their order; ``None`` where
    the vocabulary was made anew.

    Every known word is compared: a text that went and came back in another order leaves as many
    words, and the same last one.

    >>> grown({"rain": 0, "sea": 1, "tide": 2}, ["rain", "sea"])
    ['tide']
    >>> grown({"sea": 0, "rain": 1, "tide": 2}, ["rain", "sea", "tide"]) is None
    True
    """
    if len(vocabulary) < len(known) or not all(map(eq, known, vocabulary)):
        return None
    return list(islice(vocabulary, len(known), None))
