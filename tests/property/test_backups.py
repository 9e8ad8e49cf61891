"""Which backups are kept as they grow old."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.home.backups import ALL_FOR, DAILY_FOR, WEEKLY_FOR, Backup, is_due, kept

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
AGES = st.lists(st.integers(0, 120 * 24 * 60), min_size=1, max_size=60)


def backups(ages: list[int]) -> list[Backup]:
    return [
        Backup(f"{number}", NOW - timedelta(minutes=age), "scheduled", 0, 0, 0, "", "")
        for number, age in enumerate(ages)
    ]


@given(AGES)
def test_the_newest_and_all_of_the_last_day_stay(ages: list[int]) -> None:
    known = backups(ages)
    stay = kept(known, NOW)
    assert max(known, key=lambda each: (each.at, each.id)).id in stay
    assert {each.id for each in known if NOW - each.at <= ALL_FOR} <= stay


@given(AGES)
def test_every_day_of_the_week_and_every_week_of_two_months_that_had_one_still_has_one(
    ages: list[int],
) -> None:
    known = backups(ages)
    stay = [each for each in known if each.id in kept(known, NOW)]
    for each in known:
        if NOW - each.at <= DAILY_FOR:
            assert any(other.at.date() == each.at.date() for other in stay)
        elif NOW - each.at <= WEEKLY_FOR:
            assert any(other.at.isocalendar()[:2] == each.at.isocalendar()[:2] for other in stay)


@given(AGES)
def test_old_ones_are_few_and_thinning_twice_is_thinning_once(ages: list[int]) -> None:
    known = backups(ages)
    stay = [each for each in known if each.id in kept(known, NOW)]
    assert len([each for each in stay if NOW - each.at > ALL_FOR]) <= 8 + 9 + 1
    assert kept(stay, NOW) == {each.id for each in stay}


@given(AGES, st.integers(1, 60 * 24 * 30))
def test_what_time_takes_away_stays_away(ages: list[int], later: int) -> None:
    """Thinned now and again later, or only later: nothing is kept that was not there, and the
    newest is.
    """
    known = backups(ages)
    stay = [each for each in known if each.id in kept(known, NOW)]
    again = kept(stay, NOW + timedelta(minutes=later))
    assert again <= {each.id for each in stay}
    assert max(known, key=lambda each: (each.at, each.id)).id in again


def test_one_is_due_when_the_last_is_old_enough_and_something_changed() -> None:
    (old,) = backups([40])
    half_an_hour = timedelta(minutes=30)
    assert is_due(None, "x", half_an_hour, NOW)
    assert is_due(old, "x", half_an_hour, NOW)
    assert not is_due(old, "", half_an_hour, NOW)
    assert not is_due(old, "x", timedelta(hours=1), NOW)
    assert not is_due(None, "x", timedelta(0), NOW)
