"""No pattern takes the square of a text's length, or worse: a text that a stranger wrote must not
hold the node up.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

from tests.growth import (
    LONG_RUN,
    MOST_GROWTH,
    NOTICED,
    SHORT_RUN,
    ambiguous,
    growth,
    hostile,
    only_from_the_start,
    patterns,
    seconds,
    tree_of,
)
from tests.scale import FULL

FIRST_RUNS = (16, 24, 36, 60, *(range(80, 401, 20) if FULL else (90, 120, 160, 210, 270, 340, 400)))
"""Short enough for one that doubles with every sign to end, and long enough to show it."""
AT_ONCE = 0.01
KNOWN = {
    "lpm_kernel.L0.text.chunks._ONLY_HEADINGS": "each turn takes a line's end with it",
    "lpm_kernel.L1.answering.redaction._KNOWN[19]": "the runs are parted by hyphens",
    "lpm_kernel.L1.statements.reflection._DATE": "asked of the start of a sentence only",
}
"""Patterns that may be ambiguous, and why each of them is harmless."""
ALL = patterns()


def worst(pattern: re.Pattern[Any], *, from_start: bool) -> str:
    """Say on what a pattern takes too long; nothing where it does not."""

    def work(text: Any) -> None:  # noqa: ANN401  as the pattern is, letters or bytes
        if from_start:
            pattern.match(text)
            pattern.fullmatch(text)
        else:
            for _ in pattern.finditer(text):
                pass

    for lead, pump, end in sorted(hostile(pattern)):

        def run(length: int, lead: str = lead, pump: str = pump, end: str = end) -> None:
            text = lead + pump * (length // len(pump) + 1) + end
            work(text if isinstance(pattern.pattern, str) else text.encode())

        for length in FIRST_RUNS:
            if all(seconds(partial(run, length)) > AT_ONCE for _ in range(2)):
                return f"{(lead, pump, end)!r} at {length}"
        grown = growth(run, SHORT_RUN, LONG_RUN, NOTICED)
        if grown > MOST_GROWTH:
            return f"{(lead, pump, end)!r}: {grown:.0f} times as long for four times the length"
    return ""


@pytest.mark.slow
def test_the_time_of_no_pattern_grows_faster_than_the_text() -> None:
    assert len(ALL) > 300
    tried: dict[tuple[re.Pattern[Any], bool], str] = {}
    slow: dict[str, str] = {}
    for where, pattern in ALL.items():
        way = pattern, only_from_the_start(where, pattern)
        if way not in tried:  # one is imported under several names
            tried[way] = worst(pattern, from_start=way[1])
        if tried[way]:
            slow[where] = tried[way]
    assert slow == {}


def test_no_pattern_can_share_out_the_same_signs_in_many_ways() -> None:
    found = {where: said for where, pattern in ALL.items() if (said := ambiguous(tree_of(pattern)))}
    assert set(found) == set(KNOWN), found


@pytest.mark.parametrize("written", [r"(a+)+b", r"(?:\s*x?)*y", r"\s*\s+x", r"\d+[0-9,]*x"])
def test_the_rule_bites(written: str) -> None:
    assert ambiguous(tree_of(re.compile(written)))


@pytest.mark.parametrize(
    "written", [r"(?:a+,)+b", r"\s*x\s*", r"\s*+\s*x", r"\w+\s+\w+", r"(?:a{1,9})*b", r"(?:\w+ )*x"]
)
def test_the_rule_lets_what_is_plain_through(written: str) -> None:
    assert not ambiguous(tree_of(re.compile(written)))


@pytest.mark.parametrize("written", [r"(a|a)+b", r"\s+$", r"(?:<!--.{0,9}?-->\s*)*<x"])
def test_the_measure_bites(written: str) -> None:
    assert worst(re.compile(written), from_start=False)
