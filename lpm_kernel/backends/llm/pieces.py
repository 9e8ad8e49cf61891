"""From tokens to text that may be shown: whole characters, and nothing of a stop sequence."""

from __future__ import annotations

import codecs
from collections.abc import Sequence


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
