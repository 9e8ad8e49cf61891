"""The forgetting curve: what is unused fades and never comes back by itself, each use strengthens,
what is pinned never fades.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.memory.forgetting import FADING, hold, strength

NOTED = datetime(2025, 1, 1, 12, tzinfo=UTC)
DAY = st.integers(0, 2_000)


def day(number: int) -> date:
    return (NOTED + timedelta(days=number)).date()


@given(used=st.lists(DAY, max_size=8), later=st.integers(0, 3_000), further=st.integers(1, 3_000))
def test_what_is_unused_fades_steadily_and_never_below_nothing(
    used: list[int], later: int, further: int
) -> None:
    last = max(used, default=0)
    days = [day(each) for each in used]
    before, after = (
        strength(NOTED, days, NOTED + timedelta(days=last + each))
        for each in (later, later + further)
    )
    assert 0 <= after < before <= 1 or after == before == 0


@given(used=st.lists(DAY, max_size=8), again=DAY, now=st.integers(0, 4_000))
def test_a_use_never_weakens_and_strengthens_what_had_faded(
    used: list[int], again: int, now: int
) -> None:
    moment = NOTED + timedelta(days=now)
    before, after = (
        strength(NOTED, [day(each) for each in known], moment) for known in (used, [*used, again])
    )
    assert after >= before
    if again not in used and 0 < again <= now and 0 < before < 1:
        assert after > before


@given(used=st.lists(DAY, max_size=8), now=st.integers(0, 40_000))
def test_what_is_pinned_never_fades(used: list[int], now: int) -> None:
    assert (
        strength(NOTED, [day(each) for each in used], NOTED + timedelta(days=now), pinned=True)
        == 1.0
    )


@given(used=st.lists(DAY, min_size=1, max_size=4), now=st.integers(0, 4_000))
def test_several_uses_of_one_day_count_once(used: list[int], now: int) -> None:
    moment, days = NOTED + timedelta(days=now), [day(each) for each in used]
    assert strength(NOTED, days * 3, moment) == strength(NOTED, days, moment)


@given(used=st.lists(DAY, max_size=8), now=st.integers(0, 4_000))
def test_what_is_said_of_why_something_fades_agrees_with_how_strongly_it_is_held(
    used: list[int], now: int
) -> None:
    moment = NOTED + timedelta(days=now)
    days = [day(each) for each in used]
    held = hold(NOTED, days, moment)
    assert held.strength == strength(NOTED, days, moment)
    assert held.uses == len({each for each in used if each <= now})
    assert held.last_used == max((each for each in days if each <= moment.date()), default=None)
    assert held.fades_at is not None
    assert held.fading == (held.fades_at < moment)
    before, after = (
        strength(NOTED, [each for each in days if each <= moment.date()], held.fades_at + shift)
        for shift in (timedelta(minutes=-1), timedelta(minutes=1))
    )
    assert after < FADING < before


def test_what_is_pinned_is_never_said_to_fade() -> None:
    held = hold(NOTED, [], NOTED + timedelta(days=9_000), pinned=True)
    assert (held.strength, held.fading, held.fades_at) == (1.0, False, None)
