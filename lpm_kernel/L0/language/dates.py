"""Dates and periods that a question names, as spans of time, and how well a moment fits them.

"In March", "the summer of 2024", 先週, 去年の夏, 上个月: own rules, since what people ask for are
periods, which date parsers give back as single days or not at all. A span says when something
*happened*; it is often told later, so the fit falls off slowly afterwards and quickly before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.errors import InvalidInputError

DAY = 86_400.0
DECEMBER = 12
EARLIEST = 1900
LATEST = 2199
MOST = 8
"""Spans that one question may name."""

LONGEST = 2_000
"""Characters of a question that are read for dates."""

YEARS_BACK = 6
"""A month or a day without a year is looked for in so many years."""

OTHER_YEAR = 0.6
"""How much less an earlier year counts when none was named."""


@dataclass(frozen=True)
class Span:
    """From ``start`` until before ``end``; ``weight`` is how sure it is that this was meant."""

    start: datetime
    end: datetime
    weight: float = 1.0
    open: bool = False
    """"Since" and "before": everything on one side of a date, which says little about a single
    passage.
    """

    @property
    def days(self) -> float:
        """Length in days."""
        return (self.end - self.start).total_seconds() / DAY


_NAMES = {
    1: "january jan januar janvier enero",
    2: "february feb februar février febrero",
    3: "march mar märz mars marzo",
    4: "april apr avril abril",
    5: "may mai mayo",
    6: "june jun juni juin junio",
    7: "july jul juli juillet julio",
    8: "august aug août agosto",
    9: "september sep sept septembre septiembre",
    10: "october oct oktober octobre octubre",
    11: "november nov novembre noviembre",
    12: "december dec dezember décembre diciembre",
}
_MONTH = {name: number for number, names in _NAMES.items() for name in names.split()}
_MONTHS = "|".join(sorted(_MONTH, key=len, reverse=True))
_DOUBTFUL = {"may", "mai", "march", "mar", "mars", "jan", "jun", "dec"}
"""Also words or names: they need a year, a day or a preposition beside them."""

_PREPOSITION = re.compile(
    r"\b(?:in|since|during|of|last|next|this|by|until|before|after|im|seit|en|de|desde|depuis)\s+$",
    re.IGNORECASE,
)
_SEASONS = {
    "spring": 3,
    "summer": 6,
    "autumn": 9,
    "fall": 9,
    "winter": 12,
    "春": 3,
    "夏": 6,
    "秋": 9,
    "冬": 12,
    "frühling": 3,
    "sommer": 6,
    "herbst": 9,
    "primavera": 3,
    "verano": 6,
    "otoño": 9,
    "invierno": 12,
}
_SEASON = "|".join(
    sorted((s for s in _SEASONS if s.isascii() or len(s) > 1), key=len, reverse=True)
)
_NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "couple of": 2,
    "few": 3,
    "几": 3,
    "两": 2,
    "数": 3,
    "半": 0,
}
_NUMBER = r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905 - reads better
_WEEKDAYS_JA = "月火水木金土日"
_WEEKDAY = rf"(?:{'|'.join(_WEEKDAYS)}|(?-i:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun))"
_SATURDAY = 5
_NTH = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 0,
    "最初": 1,
    "最後": 0,
    "最終": 0,
    "最后": 0,
    **{f"第{sign}": at % 4 + 1 for at, sign in enumerate("1234一二三四")},
}
_KANJI = str.maketrans("〇零一二三四五六七八九", "00123456789")
_CJK_NUMBER = "0-9０-９〇零一二三四五六七八九十"
_HOLIDAYS = {
    "christmas": (12, 24, 3),
    "new year": (12, 31, 2),
    "halloween": (10, 31, 1),
    "valentine": (2, 14, 1),
    "クリスマス": (12, 24, 2),
    "正月": (1, 1, 7),
    "年末": (12, 20, 12),
    "圣诞": (12, 24, 2),
    "weihnachten": (12, 24, 3),
    "navidad": (12, 24, 3),
}
_LATE_PART = {
    "early": (0, 10),
    "mid": (10, 10),
    "late": (19, 12),
    "beginning of": (0, 10),
    "start of": (0, 10),
    "middle of": (10, 10),
    "end of": (19, 12),
    "上旬": (0, 10),
    "中旬": (10, 10),
    "下旬": (19, 12),
}

Rule = tuple["re.Pattern[str]", Callable[["re.Match[str]", datetime], Iterator[Span]]]


def spans(text: str, now: datetime) -> list[Span]:
    """Give the periods that a text names, seen from ``now``, in the time zone of ``now``.

    >>> now = datetime(2025, 11, 20, 9, tzinfo=UTC)
    >>> [(s.start.date().isoformat(), s.end.date().isoformat())
    ...     for s in spans("the summer of 2024", now)]
    [('2024-06-01', '2024-09-01')]
    >>> [(s.start.date().isoformat(), s.end.date().isoformat())
    ...     for s in spans("先週どこへ行った?", now)]
    [('2025-11-10', '2025-11-17')]
    """
    found: list[Span] = []
    for mention in named(text, now):
        before, after = (
            text[max(0, mention.start - 12) : mention.start],
            text[mention.end : mention.end + 6],
        )
        found += [opened for span in mention.spans for opened in _opened(span, before, after, now)]
    return found


@dataclass(frozen=True)
class DateMention:
    """Where a text names a date, and what it may mean, the likeliest first. Code points, end
    exclusive.
    """

    start: int
    end: int
    spans: tuple[Span, ...]


def named(text: str, now: datetime) -> list[DateMention]:
    """Give the dates that a text names with their places, the most exact first; "since" and
    "before" are not looked at.

    >>> [(each.start, each.end)
    ...     for each in named("I lived there from 2019 to May 2021.",
    ...     datetime(2025, 11, 20, tzinfo=UTC))]
    [(27, 35), (19, 23)]
    """
    now = now if now.tzinfo else now.replace(tzinfo=UTC)
    left = text[:LONGEST].translate(str.maketrans("０１２３４５６７８９", "0123456789"))
    found: list[DateMention] = []
    for pattern, make in _RULES:
        for match in list(pattern.finditer(left)):
            try:
                made = tuple(make(match, now))
            except (ValueError, OverflowError):  # the 31st of April, the year 0
                continue
            if made:
                found.append(DateMention(match.start(), match.end(), made))
                left = (
                    left[: match.start()]
                    + "\x00" * (match.end() - match.start())
                    + left[match.end() :]
                )
        if sum(len(mention.spans) for mention in found) >= MOST * YEARS_BACK:
            break
    return found


def fit(named: Sequence[Span], moments: NDArray[np.float64]) -> NDArray[np.float32]:
    """Say how well each moment (POSIX seconds, NaN: unknown) fits the spans: 1 said then, less soon
    after, 0 otherwise.
    """
    best = np.zeros(len(moments), np.float32)
    for span in named:
        start, end = span.start.timestamp(), span.end.timestamp()
        early, late = (moments - start) / DAY, (moments - end) / DAY
        value = np.zeros(len(moments), np.float32)
        for share, before, after in _slopes(span):
            value = np.where(
                (early >= -before) & (late < after), np.maximum(value, np.float32(share)), value
            )
        np.maximum(best, value * np.float32(span.weight), out=best)
    return best


def _slopes(span: Span) -> tuple[tuple[float, float, float], ...]:
    """How much a moment counts up to so many days before the start and after the end."""
    if span.open:
        return ((0.5, 0, 0),)
    if span.days <= 3:  # noqa: PLR2004 - a day, or a long weekend
        return ((0.3, 10, 31), (0.7, 2, 10), (1.0, 1, 1))
    if span.days <= 31:  # noqa: PLR2004 - a week, or a month
        return ((0.2, 28, 45), (0.6, 3, 28), (1.0, 1, 1))
    return ((0.3, 10, 31), (1.0, 1, 1))


def moment(text: str, now: datetime, *, until: bool = False) -> datetime:
    """Read the argument of ``--since`` or ``--until``: ``30d``, ``2w``, ``2025-11-20``, "last
    week", "3 May".

    Gives the start of what was named, or with ``until`` its end (so that a day named counts whole).
    Raises ``InvalidInputError``.
    """
    now = now if now.tzinfo else now.replace(tzinfo=UTC)
    wanted = text.strip()
    if match := re.fullmatch(r"(\d{1,5}) ?(h|d|w|m|mo|y)", wanted, re.IGNORECASE):
        try:
            return _back(now, int(match[1]), match[2].lower())
        except (ValueError, OverflowError):
            return datetime(EARLIEST, 1, 1, tzinfo=now.tzinfo)
    if "T" in wanted or ":" in wanted:
        try:
            exact = datetime.fromisoformat(wanted)
        except ValueError:
            pass
        else:
            return exact if exact.tzinfo else exact.replace(tzinfo=now.tzinfo)
    named = spans(wanted, now)
    if named:
        return named[0].end if until else named[0].start
    if parsed := _parsed_elsewhere(wanted, now):
        return parsed
    raise InvalidInputError(
        "This is not a date that the node can read.",
        "Write 2025-11-20, 30d, 2w, or words such as “last week”.",
    )


def _parsed_elsewhere(wanted: str, now: datetime) -> datetime | None:
    """Ask dateparser, which knows many languages; it is slow to import, and only a rare argument
    comes here.
    """
    import dateparser

    parsed: datetime | None = dateparser.parse(
        wanted[:80],
        settings={"RELATIVE_BASE": now.replace(tzinfo=None), "PREFER_DATES_FROM": "past"},
    )
    return parsed.replace(tzinfo=parsed.tzinfo or now.tzinfo) if parsed else None


# --- pieces of time -----------------------------------------------------------------------------


def _midnight(now: datetime, days: int = 0) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=days)


def _year(text: str) -> int:
    year = int(text)
    if not EARLIEST <= year <= LATEST:
        raise ValueError(text)
    return year


def _days(now: datetime, back: int, length: int = 1, weight: float = 1.0) -> Iterator[Span]:
    start = _midnight(now, -back)
    yield Span(start, start + timedelta(days=length), weight)


def _month(now: datetime, year: int, month: int, length: int = 1, weight: float = 1.0) -> Span:
    """``length`` months from that one; ``month`` may lie outside 1..12."""
    first, last = year * 12 + month - 1, year * 12 + month - 1 + length
    start = _midnight(now).replace(year=first // 12, month=first % 12 + 1, day=1)
    return Span(start, start.replace(year=last // 12, month=last % 12 + 1), weight)


def _day(
    now: datetime, year: int, month: int, day: int, *, length: int = 1, weight: float = 1.0
) -> Span:
    start = _midnight(now).replace(year=year, month=month, day=day)
    return Span(start, start + timedelta(days=length), weight)


def _years(now: datetime, month: int, day: int = 1) -> Iterator[tuple[int, float]]:
    """Give the years that a date without a year may mean, the latest past one first."""
    latest = now.year if (month, day) <= (now.month, now.day) else now.year - 1
    for back in range(YEARS_BACK):
        yield latest - back, 1.0 if back == 0 else OTHER_YEAR
    if latest < now.year:
        yield now.year, OTHER_YEAR


def _years_of(
    now: datetime, month: int, day: int, weekday: str | None
) -> Iterator[tuple[int, float]]:
    """Give the years that a day may mean; where its weekday is named, those in which it falls on
    it, the nearest first, next year's too.
    """
    if weekday is None:
        yield from _years(now, month, day)
        return
    wanted = _weekday_of(weekday)
    fitting = [
        year
        for year in range(now.year - YEARS_BACK, now.year + 2)
        if _day(now, year, month, day).start.weekday() == wanted
    ]
    if not fitting:  # a slip of the pen
        yield from _years(now, month, day)
    fitting.sort(key=lambda year: abs(_day(now, year, month, day).start - now))
    for place, year in enumerate(fitting):
        yield year, OTHER_YEAR if place else 1.0


def _weekday_of(name: str) -> int:
    if name[0] in _WEEKDAYS_JA:
        return _WEEKDAYS_JA.index(name[0])
    return next(at for at, word in enumerate(_WEEKDAYS) if word.startswith(name.lower()[:3]))


def _back(now: datetime, count: int, unit: str) -> datetime:
    if unit in {"h", "d", "w"}:
        return now - timedelta(hours={"h": 1, "d": 24, "w": 168}[unit] * count)
    months = now.year * 12 + now.month - 1 - count * (DECEMBER if unit == "y" else 1)
    return now.replace(year=months // 12, month=months % 12 + 1, day=min(now.day, 28))


def _opened(span: Span, before: str, after: str, now: datetime) -> Iterator[Span]:
    """Turn "since May" and "before May" into everything on that side."""
    if re.search(
        r"\b(?:since|after|seit|desde|depuis)\s+(?:the\s+)?$", before, re.IGNORECASE
    ) or re.match(r"以[来降后]|から", after):
        yield Span(
            span.start,
            max(now, span.start) + timedelta(days=1),
            1.0 if span.weight == 1.0 else 0.0,
            open=True,
        )
        yield Span(span.start, span.end, span.weight * 0.7)
    elif re.search(
        r"\b(?:before|until|till|prior to|vor|bis|antes de|avant)\s+(?:the\s+)?$",
        before,
        re.IGNORECASE,
    ) or re.match(r"以前|より前|まで|之前", after):
        yield Span(
            span.start.replace(year=EARLIEST),
            span.start,
            1.0 if span.weight == 1.0 else 0.0,
            open=True,
        )
    else:
        yield span


def _number(text: str) -> int:
    """Read a number in figures, in English words up to ten, or in kanji up to ninety-nine."""
    word = text.strip().lower().removeprefix("a ")
    if word in _NUMBERS:
        return _NUMBERS[word]
    if "十" in word:
        tens, _, ones = word.partition("十")
        return (int(tens.translate(_KANJI)) if tens else 1) * 10 + (
            int(ones.translate(_KANJI)) if ones else 0
        )
    return int(word.translate(_KANJI))


# --- the rules, the most exact first ------------------------------------------------------------


def _iso(match: re.Match[str], now: datetime) -> Iterator[Span]:
    yield _day(now, _year(match[1]), int(match[2]), int(match[3]))


def _dotted(match: re.Match[str], now: datetime) -> Iterator[Span]:
    yield _day(now, _year(match[3]), int(match[2]), int(match[1]))


def _western(match: re.Match[str], now: datetime) -> Iterator[Span]:
    part, day, name, day_after, year = (
        match["part"],
        match["day"],
        match["month"].lower(),
        match["day2"],
        match["year"],
    )
    number = int(day or day_after) if day or day_after else None
    month = _MONTH[name]
    if (
        name in _DOUBTFUL
        and number is None
        and not year
        and not part
        and not _PREPOSITION.search(match.string, max(0, match.start() - 12), match.start())
    ):
        return
    weekday = match["weekday"] if number else None
    for each, weight in (
        [(_year(year), 1.0)] if year else _years_of(now, month, number or 1, weekday)
    ):
        if number:
            yield _day(now, each, month, number, weight=weight)
        elif part:
            first, length = _LATE_PART[part.lower()]
            yield _day(now, each, month, first + 1, length=length, weight=weight)
        else:
            yield _month(now, each, month, 1, weight)


def _eastern(match: re.Match[str], now: datetime) -> Iterator[Span]:
    year = int(match["year"].translate(_KANJI)) if match["year"] else None
    year = 2018 + _number(match["reiwa"]) if match["reiwa"] else year
    year = (
        {"去": -1, "昨": -1, "一昨": -2, "前": -2, "今": 0, "本": 0, "来": 1, "明": 1}[
            match["word"]
        ]
        + now.year
        if match["word"]
        else year
    )
    if match["month"] is None:
        if year is None:
            return
        yield (
            _month(now, _year(str(year)), _SEASONS[match["season"]], 3)
            if match["season"]
            else _month(now, _year(str(year)), 1, 12)
        )
        return
    month, day = _number(match["month"]), _number(match["day"]) if match["day"] else None
    weekday = match["weekday"] if day else None
    for each, weight in (
        [(_year(str(year)), 1.0)] if year else _years_of(now, month, day or 1, weekday)
    ):
        if day:
            yield _day(now, each, month, day, weight=weight)
        elif match["part"]:
            first, length = _LATE_PART[match["part"]]
            yield _day(now, each, month, first + 1, length=length, weight=weight)
        else:
            yield _month(now, each, month, 1, weight)


def _season(match: re.Match[str], now: datetime) -> Iterator[Span]:
    first = _SEASONS[(match["season"] or match["kanji"]).lower()]
    if match["year"]:
        yield _month(now, _year(match["year"]), first, 3)
        return
    when = (match["which"] or "").lower()
    if when == "next":
        yield _month(now, now.year if first > now.month else now.year + 1, first, 3)
        return
    for year, weight in _years(now, first):
        yield _month(now, year, first, 3, weight)
        if when:
            return


def _holiday(match: re.Match[str], now: datetime) -> Iterator[Span]:
    month, day, length = _HOLIDAYS[match["holiday"].lower()]
    for year, weight in [(_year(match["year"]), 1.0)] if match["year"] else _years(now, month, day):
        yield _day(now, year, month, day, length=length, weight=weight)


def _ago(match: re.Match[str], now: datetime) -> Iterator[Span]:
    count, unit = _number(match["count"]), match["unit"].lower()
    unit = {
        "日": "day",
        "天": "day",
        "週間": "week",
        "周": "week",
        "星期": "week",
        "ヶ月": "month",
        "か月": "month",
        "カ月": "month",
        "个月": "month",
        "月": "month",
        "年": "year",
    }.get(unit, unit)
    if unit == "day":
        yield from _days(now, count)
    elif unit == "week":
        yield from _days(now, 7 * count + 3, 7)
    elif unit == "month":
        yield _month(now, now.year, now.month - count)
    else:
        yield (
            _month(now, now.year - count, 1, 12)
            if count > 1
            else _month(now, now.year, now.month - DECEMBER - 1, 3)
        )


def _recent(match: re.Match[str], now: datetime) -> Iterator[Span]:
    """Read "in the last three weeks"."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[match["unit"].lower()] * (
        _number(match["count"]) if match["count"] else 1
    )
    yield from _days(now, days, days + 1)


def _weekday(match: re.Match[str], now: datetime) -> Iterator[Span]:
    yield from _days(now, (now.weekday() - _WEEKDAYS.index(match[1].lower())) % 7 or 7)


def _nth(match: re.Match[str], now: datetime) -> Iterator[Span]:
    """Read "the last Saturday of May", 5月の第2土曜日, "the first week in June"."""
    month = _MONTH[match["month"].lower()] if match["month"] else _number(match["month_ja"])
    count = _NTH[(match["nth"] or match["nth_ja"]).lower()]
    kind = (match["kind"] or match["kind_ja"]).lower()
    year = match["year"]
    for each, weight in [(_year(year), 1.0)] if year else _years(now, month):
        yield _nth_of(_month(now, each, month, 1, weight), count, kind)


def _nth_of(month: Span, count: int, kind: str) -> Span:
    """Return the week, weekend or weekday of a month that is counted; 0: its last. A week begins
    with the month.
    """
    week = timedelta(weeks=1)
    if kind in {"week", "週"}:
        start = month.start + week * (count - 1) if count else month.end - week
        return Span(start, start + week, month.weight)
    weekend = kind in {"weekend", "週末"}
    wanted = _SATURDAY if weekend else _weekday_of(kind)
    start = month.start + timedelta((wanted - month.start.weekday()) % 7) + week * (count - 1)
    if not count:
        last = month.end - timedelta(days=1)
        start = last - timedelta((last.weekday() - wanted) % 7)
    return Span(start, start + timedelta(days=2 if weekend else 1), month.weight)


def _monday(now: datetime, weeks: int, days: int = 7, first: int = 0) -> Iterator[Span]:
    yield from _days(now, now.weekday() + 7 * weeks - first, days)


def _bare_year(match: re.Match[str], now: datetime) -> Iterator[Span]:
    yield _month(now, _year(match[1]), 1, 12)


def _plain(pattern: str, make: Callable[[datetime], Iterator[Span]]) -> Rule:
    return re.compile(pattern, re.IGNORECASE), lambda _match, now: make(now)


def _one(make: Callable[[datetime], Span]) -> Callable[[datetime], Iterator[Span]]:
    return lambda now: iter((make(now),))


_ORDINAL = r"(?:st|nd|rd|th)?"
_RULES: tuple[Rule, ...] = (
    (re.compile(r"(?<!\d)(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)"), _iso),
    (re.compile(r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)"), _dotted),
    (
        re.compile(
            rf"\b(?P<nth>{'|'.join(nth for nth in _NTH if nth.isascii())})"
            rf" (?P<kind>{_WEEKDAY}|week(?:end)?) (?:of|in) "
            rf"(?P<month>{_MONTHS})\b(?:,? ?(?:of )?(?P<year>(?:19|20)\d\d)\b)?"
            r"(?P<month_ja>(?!))?(?P<nth_ja>(?!))?(?P<kind_ja>(?!))?",
            re.IGNORECASE,
        ),
        _nth,
    ),
    (
        re.compile(
            rf"(?P<month>(?!))?(?P<nth>(?!))?(?P<kind>(?!))?(?P<year>(?!))?"
            rf"(?P<month_ja>[{_CJK_NUMBER}]{{1,3}})月の?(?P<nth_ja>第[1-4一二三四]|最初|最[後后終])"
            r"の?(?P<kind_ja>[月火水木金土日]曜日?|週末|週)"
        ),
        _nth,
    ),
    (
        re.compile(
            rf"(?:\b(?P<part>early|mid|late|(?:beginning|start|middle|end) of)[ -])?"
            rf"(?:\b(?P<weekday>{_WEEKDAY})\.?,? (?:the )?)?"
            rf"(?:\b(?P<day>\d{{1,2}}){_ORDINAL}\.?(?: of| de)? )?\b(?P<month>{_MONTHS})\b\.?"
            rf"(?: (?P<day2>\d{{1,2}}){_ORDINAL}\b(?!\d|:))?"
            r"(?:,? ?(?:of |de )?(?P<year>(?:19|20)\d\d)\b)?",
            re.IGNORECASE,
        ),
        _western,
    ),
    (
        re.compile(
            rf"(?:(?P<year>(?:19|20)\d\d|[〇零一二三四五六七八九]{{4}})年|令和(?P<reiwa>[{_CJK_NUMBER}]{{1,3}})年|(?P<word>一昨|去|昨|今|来|明|前|本)年)の?\s?(?P<season>[春夏秋冬])?(?:(?P<month>[{_CJK_NUMBER}]{{1,3}})月(?:の?(?P<part>[上中下]旬)|(?P<day>[{_CJK_NUMBER}]{{1,3}})[日号](?:[（(](?P<weekday>[月火水木金土日])(?:曜日?)?[)）])?)?)?"
        ),
        _eastern,
    ),
    (
        re.compile(
            rf"(?P<year>(?!))?(?P<reiwa>(?!))?(?P<word>(?!))?(?P<season>(?!))?(?P<month>[{_CJK_NUMBER}]{{1,3}})月(?!曜|間|ほど)(?:の?(?P<part>[上中下]旬)|(?P<day>[{_CJK_NUMBER}]{{1,3}})[日号](?:[（(](?P<weekday>[月火水木金土日])(?:曜日?)?[)）])?)?"
        ),
        _eastern,
    ),
    (
        re.compile(
            rf"\b(?P<holiday>{'|'.join(h for h in _HOLIDAYS if h.isascii())})(?:['’]?s)?(?:"
            r" (?:day|eve))?(?: (?:of |in )?(?P<year>(?:19|20)\d\d))?",
            re.IGNORECASE,
        ),
        _holiday,
    ),
    (
        re.compile(
            rf"(?P<year>(?!))?(?P<holiday>{'|'.join(h for h in _HOLIDAYS if not h.isascii())})"
        ),
        _holiday,
    ),
    (
        re.compile(
            r"\b(?:(?P<which>last|this|past|next|letzten|diesen)"
            rf" )?\b(?P<kanji>(?!))?(?P<season>{_SEASON})\b(?:,? ?(?:of |in |de"
            r" )?(?P<year>(?:19|20)\d\d))?",
            re.IGNORECASE,
        ),
        _season,
    ),
    (
        re.compile(
            r"(?P<which>(?!))?(?P<season>(?!))?(?P<year>(?!))?(?<![一-鿿])(?:この|今)?"
            r"(?P<kanji>[春夏秋冬])(?=[にのは、天休]|$)"
        ),
        _season,
    ),
    (
        re.compile(
            rf"\b(?P<count>{_NUMBER}) (?P<unit>day|week|month|year)s? (?:ago|back|earlier)\b",
            re.IGNORECASE,
        ),
        _ago,
    ),
    (
        re.compile(
            r"(?P<count>[0-9〇一二三四五六七八九十两几数]{1,3})"
            r"(?P<unit>日|天|週間|个?星期|周|[ヶかカ个]?月|年)(?:ほど|くらい)?(?:以)?前"
        ),
        _ago,
    ),
    (
        re.compile(
            rf"\b(?:last|past|previous) (?:(?P<count>{_NUMBER}) )(?P<unit>day|week|month|year)s?\b",
            re.IGNORECASE,
        ),
        _recent,
    ),
    (re.compile(rf"\b(?:last|on|this|past) ({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE), _weekday),
    _plain(
        r"\bthe day before yesterday\b|一昨日|おととい|前天|vorgestern|anteayer",
        lambda now: _days(now, 2),
    ),
    _plain(
        r"\byesterday\b|\blast night\b|昨[日夜晩]|きのう|昨天|昨晚|\bgestern\b|\bayer\b",
        lambda now: _days(now, 1),
    ),
    _plain(
        r"\btoday\b|\bthis (?:morning|afternoon|evening)\b|\btonight\b|今[日朝夜晩]|きょう|今天"
        r"|\bheute\b|\bhoy\b",
        lambda now: _days(now, 0),
    ),
    _plain(r"\btomorrow\b|明日|あした|明天", lambda now: _days(now, -1)),
    _plain(
        r"\b(?:last|past) weekend\b|先週末|先週の週末|上周末|letztes wochenende",
        lambda now: _monday(now, 1, 2, first=5),
    ),
    _plain(r"\bthis weekend\b|今週末", lambda now: _monday(now, 0, 2, first=5)),
    _plain(r"\b(?:the )?week before last\b|先々週|上上周", lambda now: _monday(now, 2)),
    _plain(
        r"\blast week\b|\bprevious week\b|先週|上个?(?:周|星期|礼拜)|letzte woche|la semana pasada",
        lambda now: _monday(now, 1),
    ),
    _plain(
        r"\bthis week\b|今週|这个?(?:周|星期)|本周|diese woche|esta semana",
        lambda now: _monday(now, 0),
    ),
    _plain(r"\bnext week\b|来週|下个?(?:周|星期)", lambda now: _monday(now, -1)),
    _plain(
        r"\b(?:the )?month before last\b|先々月|上上个?月",
        _one(lambda now: _month(now, now.year, now.month - 2)),
    ),
    _plain(
        r"\b(?:last|previous|past) month\b|先月|上个?月|letzten monat|el mes pasado",
        _one(lambda now: _month(now, now.year, now.month - 1)),
    ),
    _plain(
        r"\bthis month\b|今月|这个?月|本月|diesen monat|este mes",
        _one(lambda now: _month(now, now.year, now.month)),
    ),
    _plain(r"\bnext month\b|来月|下个?月", _one(lambda now: _month(now, now.year, now.month + 1))),
    _plain(r"\b(?:the )?year before last\b", _one(lambda now: _month(now, now.year - 2, 1, 12))),
    _plain(
        r"\b(?:last|previous|past) year\b|letztes jahr|el año pasado",
        _one(lambda now: _month(now, now.year - 1, 1, 12)),
    ),
    _plain(r"\bthis year\b|dieses jahr|este año", _one(lambda now: _month(now, now.year, 1, 12))),
    (
        re.compile(
            r"(?<![\d.,$€£¥])\b((?:19|20)\d\d)\b(?![\d.,]*\d|[年円元]"
            r"| ?(?:km|m|kg|g|yen|euros?|dollars|people|words)\b)"
        ),
        _bare_year,
    ),
)
