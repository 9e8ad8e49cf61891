"""How salient something is that a person said, and which of it is consolidated.

Salience is 0.4 emotion + 0.3 novelty + 0.2 relation + 0.1 repetition, each from 0 to 1. The
formula is the issue's own; each part is kept, so that a screen can say why something is held.
Nothing here reads a store or a clock: neighbours, mentions and repetitions are counted by whoever
asks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol, TypeVar

from lpm_kernel.L0.language.emotion import emotion
from lpm_kernel.L0.text.sentences import sentences

EMOTION: Final = 0.4
NOVELTY: Final = 0.3
RELATION: Final = 0.2
REPETITION: Final = 0.1

MOST_NEIGHBOURS: Final = 5
"""Neighbours with which nothing is new any more."""
MOST_TIMES: Final = 10
"""Repetitions beyond which one more adds nothing."""
SHARE: Final = 0.7
"""What part of everything is consolidated; the rest fades."""


@dataclass(frozen=True)
class Salience:
    """How salient something is, part by part; each from 0 to 1."""

    emotion: float
    """How much feeling its strongest sentence shows."""
    novelty: float
    """1 where nothing like it was said before, 0 where five things were."""
    relation: float
    """How near the nearest person is whom it names."""
    repetition: float
    """How often it was said, by tenths."""

    @property
    def total(self) -> float:
        """All of it, 0..1.

        >>> Salience(emotion=0.5, novelty=1.0, relation=0.0, repetition=0.1).total
        0.51
        """
        weighed = (
            EMOTION * _within(self.emotion),
            NOVELTY * _within(self.novelty),
            RELATION * _within(self.relation),
            REPETITION * _within(self.repetition),
        )
        return _within(math.fsum(weighed))


def salience(text: str, *, neighbours: int, relation: float, times: int) -> Salience:
    """Say how salient a text is. ``neighbours`` counts what is like it (`weighing.py`),
    ``relation`` is that of the people whom it names (:func:`relation`), ``times`` counts how often
    it was said, this time included.

    >>> salience("I am sad.", neighbours=0, relation=1.0, times=1).total
    0.71
    """
    return Salience(
        strongest_emotion(text), novelty(neighbours), _within(relation), repetition(times)
    )


def strongest_emotion(text: str) -> float:
    """Say how much feeling the strongest sentence of a text shows, 0..1: a page with one outcry
    shows as much as the outcry, and a long text no more for being long.

    >>> strongest_emotion("The bus was late. I am sad. We had soup.")
    0.5
    """
    return max(map(emotion, sentences(text)), default=0.0)


def novelty(neighbours: int) -> float:
    """Say how new something is that has so many neighbours, 0..1.

    >>> [novelty(count) for count in (0, 1, 5, 9)]
    [1.0, 0.8, 0.0, 0.0]
    """
    return 1.0 - min(MOST_NEIGHBOURS, max(0, neighbours)) / MOST_NEIGHBOURS


def relation(mentions: Sequence[int], most: int) -> float:
    """Say how near the nearest of the people is whom a text names, 0..1.

    ``mentions`` counts for each of them how often the person speaks of them, ``most`` how often of
    whom they speak of most. The share is taken of the logarithms, log(1 + n) / log(1 + most), since
    somebody of whom one speaks half as often is nearly as near; nobody named gives 0.

    >>> relation([], 99), relation([9, 0], 99), relation([99], 99), relation([0], 0)
    (0.0, 0.5, 1.0, 0.0)
    """
    nearest = max(mentions, default=0)
    if nearest <= 0 or most <= 0:
        return 0.0
    return _within(math.log1p(nearest) / math.log1p(most))


def repetition(times: int) -> float:
    """Say how much it counts that something was said so often, 0..1.

    >>> [repetition(times) for times in (0, 1, 10, 40)]
    [0.0, 0.1, 1.0, 1.0]
    """
    return min(MOST_TIMES, max(0, times)) / MOST_TIMES


def _within(value: float) -> float:
    """Clamp to 0..1; what is no number counts nothing."""
    return min(1.0, max(0.0, value)) if value == value else 0.0  # noqa: PLR0124  false for NaN alone


# --- consolidation ------------------------------------------------------------------------------


class Weighable(Protocol):
    """Something that may be consolidated."""

    @property
    def weight(self) -> float:
        """Its salience, 0..1."""
        ...

    @property
    def at(self) -> datetime:
        """When it was said."""
        ...


ItemT = TypeVar("ItemT", bound=Weighable)


def consolidated_count(count: int, share: float = SHARE) -> int:
    """Say how many of so many are consolidated: the share of them, cut to a whole number, and at
    least one where there is any.

    >>> [consolidated_count(count) for count in (0, 1, 2, 3, 10, 11)]
    [0, 1, 1, 2, 7, 7]
    """
    if count <= 0:
        return 0
    return max(1, math.floor(round(share * count, 9)))  # 0.29 * 100 is 28.999…


def consolidated(items: Sequence[ItemT], share: float = SHARE) -> list[ItemT]:
    """Return the most salient share of the items in the order in which they were given. Of two
    equals the older comes first, of two as old the one that was given first. One alone is
    consolidated whatever it weighs. Raises ``ValueError`` for a share outside 0..1.
    """
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"A share lies from 0 to 1, not at {share}.")
    ranked = sorted(
        range(len(items)), key=lambda place: (-items[place].weight, items[place].at, place)
    )
    return [items[place] for place in sorted(ranked[: consolidated_count(len(items), share)])]
