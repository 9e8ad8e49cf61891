"""A link as a picture that a telephone reads. segno enters here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

import segno

QUIET = 4
"""Modules of paper around it, without which readers do not find it."""
_INK, _PAPER, _END = "\x1b[30m", "\x1b[107m", "\x1b[0m"


@dataclass(frozen=True)
class Code:
    """A QR code as one path of an SVG: squares of one unit on a side of ``size``, with the quiet
    zone.
    """

    size: int
    path: str = field(repr=False)
    """The dark squares. It holds what the link holds, a secret."""


def draw(text: str) -> Code:
    """Draw a text.

    >>> draw("smp://i/").size, draw("smp://i/").path[:12]
    (29, 'M4 4h7v1h-7z')
    """
    rows = _rows(text)
    runs = []
    for y, row in enumerate(rows):
        x = 0
        for dark, squares in groupby(row):
            width = len(list(squares))
            if dark:
                runs.append(f"M{x + QUIET} {y + QUIET}h{width}v1h-{width}z")
            x += width
    return Code(len(rows) + 2 * QUIET, "".join(runs))


def in_terminal(text: str) -> str:
    """Draw a text with half blocks, dark on light whatever the terminal's own colours are."""
    rows = _rows(text)
    side = len(rows) + 2 * QUIET
    blank = [False] * side
    padded = (
        [blank] * QUIET
        + [[False] * QUIET + row + [False] * QUIET for row in rows]
        + [blank] * (QUIET + side % 2)
    )
    lines = []
    for upper, lower in zip(padded[::2], padded[1::2], strict=True):
        blocks = "".join(
            {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}[pair]
            for pair in zip(upper, lower, strict=True)
        )
        lines.append(f"{_PAPER}{_INK}{blocks}{_END}")
    return "\n".join(lines)


def _rows(text: str) -> list[list[bool]]:
    return [
        [bool(square) for square in row]
        for row in segno.make(text, error="l", micro=False, boost_error=True).matrix
    ]
