"""The days of a life: which passages were said or written on which day, counted over the index in
memory.

A day is one of the person's own calendar, from midnight to midnight where the machine stands. What
nobody dated has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.L0.index.columns import EVERY_STATEMENT, Columns

UNKNOWN = 0
"""Stands for the day of what nobody dated."""


@dataclass(frozen=True)
class Tally:
    """How much one day holds."""

    day: date
    passages: int
    statements: int
    """How many of the passages are statements."""


@dataclass(frozen=True)
class Days:
    """A snapshot's rows by their day. n rows that may take part and have a day, the earliest day
    first, in the order of the index within it.
    """

    columns: Columns
    positions: NDArray[np.int64]
    """Shape (n,): where each stands in the columns."""
    days: NDArray[np.int32]
    """Shape (d,): the days on which something was said, as ``date.toordinal``."""
    starts: NDArray[np.int64]
    """Shape (d + 1,): where each day begins in ``positions``."""
    statements: NDArray[np.int64] = field(repr=False)
    """Shape (d,)."""
    undated: int
    """Rows that may take part and have no day."""

    @property
    def first(self) -> date | None:
        """The earliest day that holds something."""
        return date.fromordinal(int(self.days[0])) if len(self.days) else None

    @property
    def last(self) -> date | None:
        """The latest one."""
        return date.fromordinal(int(self.days[-1])) if len(self.days) else None

    @property
    def busiest(self) -> int:
        """The passages of the day that holds most."""
        return int(np.diff(self.starts).max(initial=0))

    def tallies(self, since: date | None = None, until: date | None = None) -> list[Tally]:
        """Count the days from ``since`` to ``until``, both among them, the earliest first; days
        that hold nothing are left out.
        """
        begin = 0 if since is None else int(np.searchsorted(self.days, since.toordinal()))
        end = (
            len(self.days)
            if until is None
            else int(np.searchsorted(self.days, until.toordinal(), side="right"))
        )
        sizes = np.diff(self.starts)
        return [
            Tally(date.fromordinal(int(self.days[at])), int(sizes[at]), int(self.statements[at]))
            for at in range(begin, end)
        ]

    def on(self, day: date) -> NDArray[np.int64]:
        """Give the positions of one day."""
        at = int(np.searchsorted(self.days, day.toordinal()))
        if at == len(self.days) or self.days[at] != day.toordinal():
            return self.positions[:0]
        return self.positions[self.starts[at] : self.starts[at + 1]]


def days(columns: Columns, numbers: NDArray[np.int32], allowed: NDArray[np.bool_] | None) -> Days:
    """Sort what may take part by its day; ``numbers`` are the rows' days, see
    :func:`day_numbers`.
    """
    there = np.flatnonzero(
        numbers != UNKNOWN if allowed is None else (numbers != UNKNOWN) & allowed
    )
    positions = there[np.argsort(numbers[there], kind="stable")]
    found, starts = np.unique(numbers[positions], return_index=True)
    starts = np.append(starts, len(positions))
    stated = np.append(0, np.cumsum((columns.traits[positions] & EVERY_STATEMENT) > 0))
    everyone = len(numbers) if allowed is None else int(allowed.sum())
    return Days(
        columns, positions, found, starts, np.diff(stated[starts]), everyone - len(positions)
    )


def day_numbers(moments: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the day of each moment as ``date.toordinal``, in the time zone of this machine as it
    was then.

    >>> day_numbers(np.array([np.nan])).tolist() == [UNKNOWN]
    True
    """
    numbers = np.full(len(moments), UNKNOWN, np.int32)
    known = np.flatnonzero(~np.isnan(moments))
    # A zone changes its clock on a whole quarter of an hour: one look into the calendar serves all
    # that was said within it.
    quarters, inverse = np.unique(np.floor(moments[known] / 900), return_inverse=True)
    numbers[known] = (
        np.array([_day(float(quarter) * 900) for quarter in quarters], np.int32)[inverse]
        if len(known)
        else UNKNOWN
    )
    return numbers


def _day(moment: float) -> int:
    try:
        return datetime.fromtimestamp(moment).astimezone().toordinal()
    except (ValueError, OverflowError, OSError):  # at the very ends of the calendar
        return UNKNOWN


def most_named(
    columns: Columns, positions: Sequence[int] | NDArray[np.int64], most: int
) -> list[str]:
    """Return who and what is named in most of these passages; of several spellings the most
    frequent one.
    """
    spellings: dict[str, Counter[str]] = {}
    for at in positions:
        for name in columns.names[int(at)].split("\n") if columns.names[int(at)] else ():
            spellings.setdefault(name.casefold(), Counter())[name] += 1
    ranked = sorted(spellings.values(), key=lambda each: (-each.total(), each.most_common(1)[0][0]))
    return [each.most_common(1)[0][0] for each in ranked[:most]]
