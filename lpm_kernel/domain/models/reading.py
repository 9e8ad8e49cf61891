"""What a model that has learned to read makes of a text that may answer a question."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_SPAN = 24
"""Tokens that an answer may have."""
WIDTH = 420
"""Letters that are read together; what takes more of the model's tokens counts for more."""
WIDE, DIGIT = 2.2, 2.0
"""What a sign of Japanese or Chinese counts for, and a digit."""
BESIDE = 200
"""Letters of what stands beside a short passage."""

WIDE_SIGN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uff01-\uff60\uac00-\ud7af]")
_DIGIT = re.compile(r"[0-9]")


def width(text: str) -> float:
    """Return how much a text takes of what is read together.

    >>> width("rain"), width("雨だ"), width("410")
    (4.0, 4.4, 6.0)
    """
    wide, digits = len(WIDE_SIGN.findall(text)), len(_DIGIT.findall(text))
    return len(text) + wide * (WIDE - 1) + digits * (DIGIT - 1)


@dataclass(frozen=True)
class TextReading:
    """One text, read with one question in mind. n tokens."""

    relevance: float
    """How likely the text answers at all, as a logit."""
    none: float
    """How likely it holds no span that answers, on the scale of the spans."""
    spans: NDArray[np.int32] = field(repr=False)
    """Shape (n, 2): where each token stands in the text, in code points, end exclusive."""
    begins: NDArray[np.float32] = field(repr=False)
    """Shape (n,): how likely the answer begins with each token, as a logit."""
    ends: NDArray[np.float32] = field(repr=False)
    """Shape (n,): how likely it ends with each."""

    def best(self, start: int, end: int) -> tuple[float, int, int] | None:
        """Return the likeliest answer that begins in a stretch of the text: by how much it is
        likelier than none, and where it stands. ``None`` where nothing of the stretch was read.
        """
        inside = [
            at
            for at, (first, last) in enumerate(self.spans.tolist())
            if first < end and last > start
        ]
        found: tuple[float, int, int] | None = None
        for at in inside:
            ends = self.ends[at : min(inside[-1] + 1, at + LONGEST_SPAN)]
            to = at + int(ends.argmax())
            score = float(self.begins[at]) + float(self.ends[to]) - self.none
            if found is None or score > found[0]:
                found = (score, int(self.spans[at][0]), int(self.spans[to][1]))
        return found
