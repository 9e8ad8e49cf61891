"""Periods that a question names. The present is Thursday, 20 November 2025."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L0.language.dates import fit, moment, spans

pytestmark = pytest.mark.unit

NOW = datetime(2025, 11, 20, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("what happened on 2025-11-03?", "2025-11-03", "2025-11-04"),
        ("on 20 November 2024", "2024-11-20", "2024-11-21"),
        ("on November 20th, 2024", "2024-11-20", "2024-11-21"),
        ("am 20. November 2024", "2024-11-20", "2024-11-21"),
        ("20.11.2024", "2024-11-20", "2024-11-21"),
        ("in March", "2025-03-01", "2025-04-01"),
        ("in December", "2024-12-01", "2025-01-01"),
        ("in early June 2024", "2024-06-01", "2024-06-11"),
        ("the summer of 2024", "2024-06-01", "2024-09-01"),
        ("last winter", "2024-12-01", "2025-03-01"),
        ("yesterday", "2025-11-19", "2025-11-20"),
        ("last week", "2025-11-10", "2025-11-17"),
        ("last weekend", "2025-11-15", "2025-11-17"),
        ("last Friday", "2025-11-14", "2025-11-15"),
        ("last month", "2025-10-01", "2025-11-01"),
        ("last year", "2024-01-01", "2025-01-01"),
        ("the last Saturday of May", "2025-05-31", "2025-06-01"),
        ("on the first Monday in June 2024", "2024-06-03", "2024-06-04"),
        ("the second weekend of July", "2025-07-12", "2025-07-14"),
        ("the last week of October", "2025-10-25", "2025-11-01"),
        ("at the end of August", "2025-08-20", "2025-09-01"),
        ("5月の最後の土曜日", "2025-05-31", "2025-06-01"),
        ("6月の第2土曜日", "2025-06-14", "2025-06-15"),
        ("Thursday 3 September", "2026-09-03", "2026-09-04"),
        ("on Friday, the 21st of November", "2025-11-21", "2025-11-22"),
        ("Sun 20 November", "2022-11-20", "2022-11-21"),
        ("Monday 20 November", "2023-11-20", "2023-11-21"),
        ("11月21日（金）", "2025-11-21", "2025-11-22"),
        ("three weeks ago", "2025-10-27", "2025-11-03"),
        ("two months ago", "2025-09-01", "2025-10-01"),
        ("in 2023", "2023-01-01", "2024-01-01"),
        ("at Christmas 2024", "2024-12-24", "2024-12-27"),
        ("先週どこへ行った?", "2025-11-10", "2025-11-17"),
        ("昨日の夕食", "2025-11-19", "2025-11-20"),
        ("去年の夏", "2024-06-01", "2024-09-01"),
        ("2025年11月に", "2025-11-01", "2025-12-01"),
        ("二〇二四年三月", "2024-03-01", "2024-04-01"),
        ("令和6年5月3日", "2024-05-03", "2024-05-04"),
        ("11月3日の夜", "2025-11-03", "2025-11-04"),
        ("3日前", "2025-11-17", "2025-11-18"),
        ("三年前", "2022-01-01", "2023-01-01"),
        ("先月", "2025-10-01", "2025-11-01"),
        ("10月の上旬", "2025-10-01", "2025-10-11"),
        ("昨天", "2025-11-19", "2025-11-20"),
        ("上个月", "2025-10-01", "2025-11-01"),
        ("上周", "2025-11-10", "2025-11-17"),
        ("两个月前", "2025-09-01", "2025-10-01"),
        ("去年", "2024-01-01", "2025-01-01"),
        ("letzte Woche", "2025-11-10", "2025-11-17"),
    ],
)
def test_a_period_named_in_words(text: str, first: str, after: str) -> None:
    found = spans(text, NOW)[0]
    assert (found.start.date().isoformat(), found.end.date().isoformat()) == (first, after)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "may I come in?",
        "Mai likes March hares",
        "call 2000 people",
        "the 31 April incident",
        "0000-99-99",
        "99月99日",
        "12:30",
    ],
)
def test_what_names_no_period_gives_none(text: str) -> None:
    assert spans(text, NOW) == []


def test_a_month_without_a_year_means_the_last_one_first_and_earlier_ones_less() -> None:
    found = spans("in March", NOW)
    assert [span.start.year for span in found] == [2025, 2024, 2023, 2022, 2021, 2020]
    assert found[0].weight > found[1].weight


def test_since_and_before_open_a_period_to_one_side() -> None:
    since = spans("since March 2024", NOW)[0]
    assert (since.open, since.start.date().isoformat()) == (True, "2024-03-01")
    assert since.end > NOW
    before = spans("before 2020", NOW)[0]
    assert (before.open, before.end.date().isoformat()) == (True, "2020-01-01")


def test_days_begin_where_the_person_is() -> None:
    tokyo = timezone(timedelta(hours=9))
    found = spans("yesterday", datetime(2025, 11, 20, 1, tzinfo=tokyo))[0]
    assert found.start == datetime(2025, 11, 19, tzinfo=tokyo)


def test_people_tell_late() -> None:
    moments = np.array(
        [datetime(2025, 11, day, 12, tzinfo=UTC).timestamp() for day in (1, 10, 11, 15)] + [np.nan]
    )
    early, then, next_day, days_after, unknown = fit(spans("on 10 November 2025", NOW), moments)
    assert then == next_day == 1.0
    assert 0 < days_after < 1
    assert early < days_after
    assert unknown == 0


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("30d", "2025-10-21T09:30"),
        ("2w", "2025-11-06T09:30"),
        ("6m", "2025-05-20T09:30"),
        ("1y", "2024-11-20T09:30"),
        ("12h", "2025-11-19T21:30"),
        ("2025-11-03", "2025-11-03T00:00"),
        ("2025-11-03T10:15", "2025-11-03T10:15"),
        ("last week", "2025-11-10T00:00"),
        ("先週", "2025-11-10T00:00"),
        ("99999y", "1900-01-01T00:00"),
    ],
)
def test_since(text: str, since: str) -> None:
    assert moment(text, NOW) == datetime.fromisoformat(since).replace(tzinfo=UTC)


def test_until_a_day_counts_the_day() -> None:
    assert moment("2025-11-03", NOW, until=True) == datetime(2025, 11, 4, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "soon-ish", "🐐"])
def test_what_is_no_date_is_said_to_be_none(text: str) -> None:
    with pytest.raises(InvalidInputError):
        moment(text, NOW)
