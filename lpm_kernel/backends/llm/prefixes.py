"""What a model has read before and need not read again.

Reading a prompt is most of the work of a short answer, and prompts of one conversation begin alike.
The state of the model after a prompt is kept under the tokens that led to it; the next prompt
starts from the state that shares the longest beginning with it. A state belongs to the weights that
made it: one made with an adapter is never given to another.
"""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

M_MMAP_THRESHOLD = -3
"""As ``malloc.h`` of glibc has it."""
LARGE_BLOCK = 1_000_000


def give_back_large_blocks() -> None:
    """Have the memory of a dropped state leave the process at once.

    glibc takes blocks for itself once it has seen some of their size freed, in a heap for each
    thread: states of at most 192 MB together left a process of 880. Elsewhere than with glibc
    nothing is done.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK)


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
    weights: Hashable = None


class Prefixes:
    """States by the tokens that led to them, at most ``limit`` bytes of them; the longest unused
    goes first.

    >>> kept = Prefixes(limit=10)
    >>> kept.keep([1, 2, 3], bytearray(3))
    >>> kept.keep([1, 2, 3, 4], bytearray(4))  # takes the place of its own beginning
    >>> kept.nearest([1, 2, 3, 9]).tokens
    (1, 2, 3, 4)
    >>> kept.size
    4
    >>> kept.nearest([1, 2, 3, 9], weights="an adapter") is None
    True
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._saved: OrderedDict[tuple[Hashable, tuple[int, ...]], Saved] = OrderedDict()

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return sum(len(saved.state) for saved in self._saved.values())

    def __len__(self) -> int:
        return len(self._saved)

    def keep(self, tokens: Sequence[int], state: bytearray, weights: Hashable = None) -> None:
        """Keep a state; a longer state of the same beginning serves for the shorter one as well."""
        read = tuple(tokens)
        for known in [
            known
            for known in self._saved
            if known[0] == weights and read[: len(known[1])] == known[1]
        ]:
            del self._saved[known]
        if len(state) <= self.limit:
            self._saved[weights, read] = Saved(read, state, weights)
        while self.size > self.limit:
            self._saved.popitem(last=False)

    def nearest(self, tokens: Sequence[int], weights: Hashable = None) -> Saved | None:
        """Return the state of these weights that saves most of the reading, if any saves
        something.
        """
        wanted = tuple(tokens)
        best = max(
            (saved for saved in self._saved.values() if saved.weights == weights),
            key=lambda saved: shared(saved.tokens, wanted),
            default=None,
        )
        if best is None or not shared(best.tokens, wanted):
            return None
        self._saved.move_to_end((weights, best.tokens))
        return best

    def forget(self, which: Callable[[Hashable], bool] = lambda _: True) -> None:
        """Drop everything, as erasing asks for, or the states of those weights."""
        for key in [key for key in self._saved if which(key[0])]:
            del self._saved[key]
