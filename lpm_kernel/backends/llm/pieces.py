"""From tokens to text that may be shown: whole characters, and nothing of a stop sequence."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from lpm_kernel.domain.thoughts import MOST_THOUGHT, Splitter


class Pieces:
    r"""Collects the bytes of tokens and gives back text as soon as it is certain to belong to the
    answer.

    >>> pieces = Pieces(["END"])
    >>> [pieces.add(part) for part in (b"caf", b"\xc3", b"\xa9 E", b"N", b"S", b"EN", b"D rest")]
    ['caf', '', 'é ', '', 'ENS', '', '']
    >>> pieces.stopped, pieces.rest()
    (True, '')
    """

    def __init__(self, stops: Sequence[str] = ()) -> None:
        self.stopped = False
        self._stops = [stop for stop in stops if stop]
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def add(self, piece: bytes) -> str:
        """Take the bytes of a token and return what may be shown now."""
        self._held += self._decoder.decode(piece)
        found = [place for stop in self._stops if (place := self._held.find(stop)) >= 0]
        if found:
            self.stopped = True
            shown, self._held = self._held[: min(found)], ""
            return shown
        keep = self._beginning_of_a_stop()
        shown, self._held = (
            self._held[: len(self._held) - keep],
            self._held[len(self._held) - keep :],
        )
        return shown

    def rest(self) -> str:
        """Return what was held back when the answer ended without a stop sequence."""
        held, self._held = self._held + self._decoder.decode(b"", final=True), ""
        return held

    def _beginning_of_a_stop(self) -> int:
        longest = max((len(stop) for stop in self._stops), default=1) - 1
        for length in range(min(longest, len(self._held)), 0, -1):
            if any(stop.startswith(self._held[-length:]) for stop in self._stops):
                return length
        return 0


ROUND, TIMES = 48, 4
"""Tokens of what is said over and over, at most, and how often it is."""


def goes_round(thought: Sequence[bytes]) -> bool:
    """Tell whether the end of a thought, by its tokens, is the same few over and over: a small
    model comes to no end then.

    >>> goes_round([b"so"] * 300), goes_round([b"%d" % number for number in range(300)])
    (True, False)
    """
    end = thought[-ROUND * TIMES :]
    return len(end) == ROUND * TIMES and any(
        end[period:] == end[:-period] for period in range(1, ROUND + 1)
    )


class WrittenAnswer:
    """An answer as it is written: what is thought before it counts for itself, and stops
    nothing.
    """

    def __init__(self, stops: Sequence[str], thinking: Splitter) -> None:
        self.tokens = 0
        self._thought: list[bytes] = []
        self._cut = False
        self._thinking, self._raw, self._pieces = thinking, Pieces(), Pieces(stops)

    @property
    def stopped(self) -> bool:
        """Tell whether a stop sequence ended it."""
        return self._pieces.stopped

    def add(self, piece: bytes) -> tuple[str, str]:
        """Take the bytes of a token, and return what may be shown now, as answer and as thought."""
        self.tokens += 1
        thinking = self._thinking
        said, thought = thinking.feed(self._raw.add(piece))
        if not thinking.answers and (thinking.thinks or thought):
            self._thought.append(piece)
        return self._pieces.add(said.encode("utf-8")), thought

    def is_full(self, room: int, most: int) -> bool:
        """Tell whether there is no ``room`` for another token, or ``most`` were said, or it thinks
        again after it was cut short.
        """
        said = self.tokens - len(self._thought)
        return self.tokens >= room or said >= most or (self._cut and self._thinking.thinks)

    def wanders(self, room: int, end: int) -> bool:
        """Tell whether it thinks for longer than leaves room for an answer, or nothing new, and
        there is room for the ``end`` tokens that close a thought.
        """
        if not self._thinking.thinks or self.tokens + end >= room:
            return False
        thought = len(self._thought)
        if thought > min(MOST_THOUGHT, room // 2):
            return True
        return thought % ROUND == 0 and goes_round(self._thought)

    def cut_short(self, closing: Sequence[bytes]) -> list[tuple[str, str]]:
        """Take the tokens that end a thought, which the model did not write, and return what may be
        shown for each, as ``add`` does. They are no part of what it says.
        """
        self._cut = True
        before = len(self._thought)
        shown = [self.add(piece) for piece in closing]
        self._thought.extend(closing[len(self._thought) - before :])
        return shown

    def rest(self) -> tuple[str, str]:
        """Return what was held back when it ended."""
        said, thought = self._thinking.feed(self._raw.rest())
        held, more = self._thinking.finish()
        if self.stopped:
            return "", thought + more
        shown = self._pieces.add((said + held).encode("utf-8"))
        return shown + self._pieces.rest(), thought + more
