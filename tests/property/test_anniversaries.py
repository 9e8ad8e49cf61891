"""Whatever days a life has, only earlier years come back, and the date is kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.L0.index.columns import Columns
from lpm_kernel.L0.index.days import Days, Tally
from lpm_kernel.usecases.memory.anniversaries import MOST, MOST_OF_WEEK, anniversaries
from lpm_kernel.usecases.memory.timeline import DaySentence, DaySummary

DATES = st.dates(date(1900, 1, 1), date(2199, 12, 31))


def life(known: set[date]) -> Days:
    """One passage on each of these days."""
    numbers = np.array(sorted(day.toordinal() for day in known), np.int32)
    at = np.arange(len(numbers) + 1, dtype=np.int64)
    nothing = np.zeros(len(numbers), np.int64)
    return Days(cast("Columns", None), at[:-1], numbers, at, nothing, 0)


def tell(tallies: Sequence[Tally]) -> list[DaySummary]:
    said = DaySentence(cast("Chunk", DocumentId("d")), "Rain.", 0, 5)
    return [DaySummary(tally, (), 1, (), said) for tally in tallies]


@given(DATES, st.sets(DATES, max_size=60))
def test_only_earlier_years_come_back(today: date, known: set[date]) -> None:
    found = anniversaries(life(known), today, tell)
    shown = [day.tally.day for day in found.days]
    assert shown == sorted(shown, reverse=True)
    assert set(shown) <= known
    if found.exact:
        assert 0 < len(shown) <= MOST
        assert all(day.year < today.year for day in shown)
        assert {(day.month, day.day) for day in shown} <= {(today.month, today.day), (2, 29)}
    else:
        assert len(shown) <= MOST_OF_WEEK
        assert all(abs((today - day) - timedelta(days=365)) <= timedelta(days=8) for day in shown)


@given(DATES, st.integers(1, 9))
def test_a_day_with_todays_date_always_comes_back(today: date, years: int) -> None:
    try:
        then = today.replace(year=today.year - years)
    except ValueError:  # no 29 February in that year
        return
    found = anniversaries(life({then, today}), today, tell)
    assert [day.tally.day for day in found.days] == [then]
