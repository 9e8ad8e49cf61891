"""On this day: which earlier days have the date of today, and, where nothing was said on any, what
the same week of last year holds.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from lpm_kernel.L0.index.days import Days, Tally
from lpm_kernel.usecases.memory.timeline import DaySummary

MOST = 10
"""Earlier days that are told of."""
MOST_OF_WEEK = 3
"""Of the week of last year."""
Tell = Callable[[Sequence[Tally]], list[DaySummary]]
"""Tells what days hold."""


@dataclass(frozen=True)
class Anniversaries:
    """Days of earlier years that are like today."""

    exact: bool
    """They have its date; else they are of the same week of last year."""
    days: tuple[DaySummary, ...]
    """The latest first, each with a sentence."""


def anniversaries(days: Days, today: date, tell: Tell) -> Anniversaries:
    """Tell of the days with the date of ``today`` in earlier years. Where there is none, of those
    of last year's week around it that hold most.

    What was said on 29 February comes back on the 28th of a year that has no 29th. A day of which
    no sentence can be shown is no anniversary.
    """
    same = [
        tally
        for tally in days.tallies(until=_year_ago(today))
        if (tally.day.month, tally.day.day) in _dates(today)
    ]
    if told := _with_sentence(tell(same[::-1][:MOST])):
        return Anniversaries(exact=True, days=told)
    monday = _year_ago(today) - timedelta(days=_year_ago(today).weekday())
    week = days.tallies(monday, monday + timedelta(days=6))
    fullest = sorted(week, key=lambda tally: (-tally.passages, -tally.day.toordinal()))
    chosen = sorted(fullest[:MOST_OF_WEEK], key=lambda tally: tally.day, reverse=True)
    return Anniversaries(exact=False, days=_with_sentence(tell(chosen)))


def _with_sentence(told: Sequence[DaySummary]) -> tuple[DaySummary, ...]:
    return tuple(day for day in told if day.sentence is not None)


def _dates(today: date) -> set[tuple[int, int]]:
    """Return month and day of what is remembered today.

    >>> sorted(_dates(date(2026, 2, 28))), sorted(_dates(date(2028, 2, 28)))
    ([(2, 28), (2, 29)], [(2, 28)])
    """
    dates = {(today.month, today.day)}
    if (today.month, today.day) == (2, 28) and not isleap(today.year):
        dates.add((2, 29))
    return dates


def _year_ago(today: date) -> date:
    """Return the date a year before, the latest that an anniversary may have.

    >>> _year_ago(date(2028, 2, 29)), _year_ago(date(2025, 2, 28))
    (datetime.date(2027, 2, 28), datetime.date(2024, 2, 29))
    """
    year = today.year - 1
    if (2, 29) in _dates(today):
        return date(year, 2, 29 if isleap(year) else 28)
    return today.replace(year=year)
