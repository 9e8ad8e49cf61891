"""What was put into a frame: the question of “By the way: {question}”, read back out of the
sentence that was made of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from string import Formatter


def filling(frames: Iterable[str], said: str) -> dict[str, str] | None:
    """Return what stands in the places of the first frame that fits a sentence, by their names;
    ``None`` where none fits.

    >>> filling(["In a few words: {question}", "{question} Keep it short."], "Who? Keep it short.")
    {'question': 'Who?'}
    """
    return next((found for frame in frames if (found := _filling(frame, said)) is not None), None)


def _filling(frame: str, said: str) -> dict[str, str] | None:
    found: dict[str, str] = {}
    pieces = list(Formatter().parse(frame))
    opening, name, *_ = pieces[0]
    if not said.startswith(opening):
        return None
    start = len(opening)
    for literal, following, *_ in pieces[1:]:
        end = said.find(literal, start) if following else said.rfind(literal, start)
        if end < 0:
            return None
        if name:
            found[name] = said[start:end]
        start, name = end + len(literal), following
    if name:
        found[name] = said[start:]
        return found
    return found if start == len(said) else None
