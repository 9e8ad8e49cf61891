"""What a model has read before and need not read again.

Reading a prompt is most of the work of a short answer, and prompts of one conversation begin alike. The state of the
model after a prompt is kept under the tokens that led to it; the next prompt starts from the state that shares the
longest beginning with it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np


def shared(left: Sequence[int], right: Sequence[int]) -> int:
    """Count the tokens that two sequences begin with alike.

    >>> shared([1, 2, 3], [1, 2, 4, 5])
    2
    """
    length = min(len(left), len(right))
    differ = np.flatnonzero(np.asarray(left[:length]) != np.asarray(right[:length]))
    return int(differ[0]) if differ.size else length


@dataclass(frozen=True)
class Saved:
    """A model's state after ``tokens``."""

    tokens: tuple[int, ...] = field(repr=False)
    state: bytearray = field(repr=False)


class Prefixes:
    """States by the tokens that led to them, at most ``limit`` bytes of them; the longest unused goes first.

    >>> kept = Prefixes(limit=10)
    >>> kept.keep([1, 2, 3], bytearray(3))
    >>> kept.keep([1, 2, 3, 4], bytearray(4))  # takes the place of its own beginning
    >>> kept.nearest([1, 2, 3, 9]).tokens
    (1, 2, 3, 4)
    >>> kept.size
    4
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._saved: OrderedDict[tuple[int, ...], Saved] = OrderedDict()

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return sum(len(saved.state) for saved in self._saved.values())

    def __len__(self) -> int:
        return len(self._saved)

    def keep(self, tokens: Sequence[int], state: bytearray) -> None:
        """Keep a state; a longer state of the same beginning serves for the shorter one as well."""
        key = tuple(tokens)
        for known in [known for known in self._saved if key[: len(known)] == known]:
            del self._saved[known]
        if len(state) <= self.limit:
            self._saved[key] = Saved(key, state)
        while self.size > self.limit:
            self._saved.popitem(last=False)

    def nearest(self, tokens: Sequence[int]) -> Saved | None:
        """Return the state that saves most of the reading, if any saves something."""
        wanted = tuple(tokens)
        best = max(self._saved.values(), key=lambda saved: shared(saved.tokens, wanted), default=None)
        if best is None or not shared(best.tokens, wanted):
            return None
        self._saved.move_to_end(best.tokens)
        return best

    def forget(self) -> None:
        """Drop everything, as erasing asks for."""
        self._saved.clear()
