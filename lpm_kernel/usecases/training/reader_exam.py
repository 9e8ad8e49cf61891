"""Examining a reader: how well it reads what nothing was learned from, beside the one that the node
ships.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lpm_kernel.domain.models.reading import TextReading
from lpm_kernel.domain.ports import ReadingModel
from lpm_kernel.domain.training.reading import ReadingExample
from lpm_kernel.L1.answering.reader import NOTHING, chance_of_an_answer

OWN, PAPERS = "own", "papers"
SHIPPED, LEARNED = "shipped", "learned"
READ_RIGHTLY = "read_rightly"
"""The measure by which it is decided."""
FALL: Final[Mapping[str, float]] = {OWN: 0.0, PAPERS: 0.01}
"""By how much fewer questions may be read rightly: of the person's own, none."""

Figures = dict[str, float]


@dataclass
class _Seen:
    """What was seen of all questions, one number for each window or question."""

    answering: list[float] = field(default_factory=list)
    """Relevance of the windows that answer."""
    others: list[float] = field(default_factory=list)
    first: list[bool] = field(default_factory=list)
    rightly: list[bool] = field(default_factory=list)


def figures(
    reader: ReadingModel,
    examples: Sequence[ReadingExample],
    progress: Callable[[float], None] = lambda _: None,
) -> Figures:
    """Read all windows of these questions, and say how well that went. Each figure is 0..1.

    - ``read_rightly``: of all questions, the share of which the answer is found: the best span of
      all windows touches it, and the bar of an answer is passed, or is not where nothing answers;
    - ``told_apart``: of all pairs of a window that answers its question and one that does not
      answer its own, the share in which the first is the more relevant (the area under the curve);
    - ``first``: of the questions that have both, the share in which one that answers comes first.

    A figure that nothing speaks for is left out. Raises ``ReaderUnavailableError``.
    """
    seen = _Seen()
    for number, example in enumerate(examples):
        _look(reader, example, seen)
        progress((number + 1) / len(examples))
    return {
        name: round(sum(values) / len(values), 4)
        for name, values in (
            (READ_RIGHTLY, seen.rightly),
            ("told_apart", _pairs(seen.answering, seen.others)),
            ("first", seen.first),
        )
        if values
    }


def reasons(found: Mapping[str, Mapping[str, Figures]]) -> tuple[str, ...]:
    """Say what got worse than it may, in words: nothing, where the reader may be used. ``found``:
    ``own`` and ``papers`` → ``shipped`` and ``learned`` → figures.
    """
    told = []
    for kind, may_fall in FALL.items():
        before, after = (found[kind][arm].get(READ_RIGHTLY) for arm in (SHIPPED, LEARNED))
        if before is None or after is None:
            told.append(f"nothing could be measured on {_SAID[kind]}")
        elif after < before - may_fall - 1e-9:
            told.append(f"{_SAID[kind]} read rightly {after:.1%} instead of {before:.1%}")
    return tuple(told)


_SAID: Final[Mapping[str, str]] = {
    OWN: "your questions",
    PAPERS: "papers",
}


def _look(reader: ReadingModel, example: ReadingExample, seen: _Seen) -> None:
    read = reader.read(example.question, [window.text for window in example.windows])
    answers = [window.span is not None for window in example.windows]
    relevance = [reading.relevance for reading in read]
    there = [value for value, answer in zip(relevance, answers, strict=True) if answer]
    others = [value for value, answer in zip(relevance, answers, strict=True) if not answer]
    seen.answering += there
    seen.others += others
    if there and others:
        seen.first.append(max(there) > max(others))
    span, touches = _best(read, example)
    says = chance_of_an_answer(span, max(relevance)) >= NOTHING
    seen.rightly.append(says and touches if there else not says)


def _best(read: Sequence[TextReading], example: ReadingExample) -> tuple[float, bool]:
    """Return how likely the best span of all windows is, and whether it touches the answer."""
    best, touches = float("-inf"), False
    for reading, window in zip(read, example.windows, strict=True):
        found = reading.best(0, len(window.text))
        if found is not None and found[0] > best:
            best, start, end = found
            span = window.span
            touches = span is not None and start < span[1] and span[0] < end
    return best, touches


def _pairs(answering: Sequence[float], others: Sequence[float]) -> list[float]:
    """Return for each pair whether the one that answers is the more relevant; of two alike,
    half.
    """
    return [
        1.0 if one > other else 0.5 if one == other else 0.0
        for one in answering
        for other in others
    ]
