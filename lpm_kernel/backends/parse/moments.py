"""Dates as files write them. Only a full date counts: one without its year says nothing of when."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, time

_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)")
_JAPANESE = re.compile(r"(\d{4})年\s*(\d{1,2})月\s*(\d{1,2})日")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
LONGEST = 40
"""Characters: what is longer is a sentence with a date in it."""


def read_moment(text: str, *, day_first: bool = True) -> datetime | None:
    """Return the time that a text is, noon where it gives a day alone, ``None`` where it is
    something else.

    >>> (str(read_moment("2024/4/6").date()), str(read_moment("06.04.2024 09:30").time()),
    ...  read_moment("April"))
    ('2024-04-06', '09:30:00', None)
    """
    text = text.strip()
    if not text or len(text) > LONGEST or not text[0].isdigit():
        return None
    try:
        if len(text) > len("2024-04-06"):
            return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        pass
    try:
        day, rest = _day(text, day_first=day_first)
        if day is None:
            return None
        clock = _CLOCK.search(rest)
        if clock is None and any(character.isalnum() and character.isascii() for character in rest):
            return None
        at = time(int(clock[1]), int(clock[2]), int(clock[3] or 0)) if clock else time(12)
        return datetime.combine(day, at).astimezone()
    except (ValueError, OverflowError):  # the 31st of February, or outside the calendar
        return None


def _day(text: str, *, day_first: bool) -> tuple[date | None, str]:
    if match := _YEAR_FIRST.match(text) or _JAPANESE.match(text):
        return date(int(match[1]), int(match[2]), int(match[3])), text[match.end() :]
    if match := _YEAR_LAST.match(text):
        day, month = (int(match[1]), int(match[2])) if day_first else (int(match[2]), int(match[1]))
        return date(int(match[3]), month, day), text[match.end() :]
    return None, ""


def day_first(texts: Iterable[str]) -> bool:
    """Tell whether dates such as 04/06/2024 begin with the day: a number above twelve says which it
    is.
    """
    months = [
        (int(match[1]), int(match[2]))
        for text in texts
        if (match := _YEAR_LAST.match(text.strip()))
    ]
    return not any(second > 12 for _, second in months) or any(first > 12 for first, _ in months)  # noqa: PLR2004  twelve months


def posix(value: object) -> datetime | None:
    """Return the time of seconds since 1970."""
    try:
        return (
            datetime.fromtimestamp(float(value)).astimezone()
            if isinstance(value, int | float) and not isinstance(value, bool) and value > 0
            else None
        )
    except (ValueError, OverflowError, OSError):
        return None


def iso(value: object) -> datetime | None:
    """Return the time of an ISO 8601 text."""
    try:
        return datetime.fromisoformat(value).astimezone() if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None
