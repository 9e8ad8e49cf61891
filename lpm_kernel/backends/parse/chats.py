"""Text logs of chats, told by their lines: LINE (English and Japanese), WhatsApp (Android and iOS)
and logs of that form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from lpm_kernel.backends.parse.canvas import Canvas
from lpm_kernel.domain.library.documents import ParsedText

LEAST = 3
"""Messages that make a chat."""
SHARE = 0.3
"""Share of the lines that have to begin a message: the others go on with one."""
HEAD_LINES = 8
"""Lines that may stand above the first message."""
LOOKED_AT = 400
LOOKED_AT_SIGNS = 40_000
"""Lines and characters from which a log is told."""

_MARKS = str.maketrans("", "", "\u200e\u200f\u202a\u202c\ufeff")
_DAY = re.compile(
    r"(?P<y>\d{4})[/.](?P<m>\d{1,2})[/.](?P<d>\d{1,2})(?:\s?\(.{1,3}\)|\s\S{1,10})?"
    r"|(?P<y2>\d{4})年(?P<m2>\d{1,2})月(?P<d2>\d{1,2})日.{0,8}"
    r"|(?P<weekday>[A-Z][a-z]{2,8}),? (?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y3>\d{4})"
)
_LINE = re.compile(
    r"(?P<half>午前|午後)?(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?:\s?(?P<half2>[AaPp])\.?[Mm]\.?)?\t(?:(?P<name>[^\t]{1,80})\t)?(?P<text>.*)"
)
_LINE_SPACED = re.compile(
    r"(?P<half>午前|午後)?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?P<half2>)? "
    r"(?:(?P<name>\S{1,80}) )?(?P<text>.*)"
)
_STAMPED = re.compile(
    r"\[?(?P<one>\d{1,4})[/.-](?P<two>\d{1,2})(?:[/.-](?P<three>\d{2,4}))?,?\s"
    r"(?P<half>午前|午後)?(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    r"(?:\s?(?P<half2>[AaPp])\.?\s?[Mm]\.?)?(?:\]| -) (?:(?P<name>[^:\n]{1,60}?): )?(?P<text>.*)"
)
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LINE_HEAD = re.compile(r"\[LINE\]|.{0,60}(?:とのトーク履歴|Chat history)")


@dataclass
class _Message:
    at: datetime | None
    name: str | None
    lines: list[str] = field(default_factory=list, repr=False)


def read_chat(text: str) -> ParsedText | None:
    """Return the turns of a chat log, or ``None`` when the text is none."""
    head = _lines(text[:LOOKED_AT_SIGNS])[:LOOKED_AT]
    messages = (
        _line_messages if _is_line(head) else _stamped_messages if _is_stamped(head) else None
    )
    if messages is None:
        return None
    lines = _lines(text)
    return _log(lines, list(messages(lines)))


def _lines(text: str) -> list[str]:
    return text.translate(_MARKS).replace("\u202f", " ").split("\n")


def _log(lines: Sequence[str], messages: Sequence[_Message]) -> ParsedText:
    canvas = Canvas()
    above = _above(lines)
    for line in above:
        canvas.line(line)
    for message in messages:
        session = f"{message.at:%Y-%m-%d}" if message.at else "1"
        canvas.turn(session, message.name, "\n".join(message.lines), message.at)
    title = re.sub(r"^\[LINE\]\s*", "", above[0]) if above and _LINE_HEAD.match(above[0]) else None
    return canvas.parsed(
        created_at=next((message.at for message in messages if message.at), None), title=title
    )


def _above(lines: Sequence[str]) -> list[str]:
    """Return what stands above the first message: who talked, when it was saved."""
    above = []
    for line in lines[:HEAD_LINES]:
        if _LINE.fullmatch(line) or _STAMPED.fullmatch(line) or _DAY.fullmatch(line.strip()):
            break
        if line.strip():
            above.append(line.strip())
    return above


# --- LINE ---------------------------------------------------------------------------------------


def _is_line(lines: Sequence[str]) -> bool:
    days = sum(1 for line in lines if _DAY.fullmatch(line.strip()))
    messages = sum(1 for line in lines if (match := _LINE.fullmatch(line)) and match["name"])
    if lines and _LINE_HEAD.match(lines[0]):
        return days > 0
    return (
        days > 0
        and messages >= LEAST
        and messages >= SHARE * sum(1 for line in lines if line.strip())
    )


def _line_messages(lines: Sequence[str]) -> Iterator[_Message]:
    tabbed = any(_LINE.fullmatch(line) for line in lines[:LOOKED_AT])
    pattern = _LINE if tabbed else _LINE_SPACED
    day_first = _weekday_says_day_first(lines)
    day: date | None = None
    begun = False
    message: _Message | None = None
    quoted = False  # a message of several lines stands in quotation marks
    for line in lines:
        if quoted and message is not None:
            quoted = not line.endswith('"')
            message.lines.append(line.removesuffix('"'))
            continue
        found_day, match = _DAY.fullmatch(line.strip()), pattern.fullmatch(line)
        if found_day:
            # a day that does not exist is no reason to lose what was said on it
            day, begun = _day(found_day, day_first=day_first), True
        elif match and begun:
            if message is not None:
                yield message
            message = _Message(_at(day, match) if day else None, _name(match))
            words = match["text"]
            quoted = words.startswith('"') and (len(words) == 1 or not words.endswith('"'))
            message.lines.append(words[1:] if quoted else words)
        elif message is not None:
            message.lines.append(line)
    if message is not None:
        yield message


def _day(match: re.Match[str], *, day_first: bool) -> date | None:
    try:
        if match["weekday"]:
            day, month = (match["a"], match["b"]) if day_first else (match["b"], match["a"])
            return date(int(match["y3"]), int(month), int(day))
        return date(
            int(match["y"] or match["y2"]),
            int(match["m"] or match["m2"]),
            int(match["d"] or match["d2"]),
        )
    except ValueError:
        return None


def _weekday_says_day_first(lines: Sequence[str]) -> bool:
    """Tell the order of day and month by the names of the weekdays beside them."""
    fits = Counter[bool]()
    for line in lines:
        match = _DAY.fullmatch(line.strip())
        if match and match["weekday"]:
            for day_first in (True, False):
                day = _day(match, day_first=day_first)
                fits[day_first] += (
                    day is not None and _WEEKDAYS[day.weekday()] == match["weekday"][:3].lower()
                )
    return fits[True] > fits[False]


# --- stamped lines: WhatsApp and its like -------------------------------------------------------


def _is_stamped(lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    matches = [match for line in filled if (match := _STAMPED.fullmatch(line))]
    names = Counter(match["name"] for match in matches if match["name"])
    said = sum(names.values())
    first = next((at for at, line in enumerate(filled) if _STAMPED.fullmatch(line)), HEAD_LINES)
    # People answer each other, so names come again; the headings of a dated list do not.
    return (
        first < HEAD_LINES
        and said >= LEAST
        and len(matches) >= SHARE * len(filled)
        and len(names) >= 2  # noqa: PLR2004  two people
        and len(names) <= said * 2 / 3
    )


def _stamped_messages(lines: Sequence[str]) -> Iterator[_Message]:
    matches = [(line, _STAMPED.fullmatch(line)) for line in lines]
    year = next(
        (
            int(match[1])
            for line in lines[:HEAD_LINES]
            if not _STAMPED.fullmatch(line) and (match := _YEAR.search(line))
        ),
        None,
    )
    order = _order([match for _, match in matches if match], year)
    message: _Message | None = None
    for line, match in matches:
        if match is None:
            if message is not None:
                message.lines.append(line)
            continue
        if message is not None:
            yield message
        day = _stamp_day(match, order, year)
        message = _Message(_at(day, match) if day else None, _name(match), [match["text"]])
    if message is not None:
        yield message


def _order(matches: Sequence[re.Match[str]], year: int | None) -> bool:
    """Tell whether days come before months: the order in which all dates exist, and none goes
    back.
    """

    def faults(day_first: bool) -> int:
        days = [_stamp_day(match, day_first, year) for match in matches]
        known = [day for day in days if day is not None]
        return 2 * (len(days) - len(known)) + sum(
            later < earlier for earlier, later in pairwise(known)
        )

    first, second = faults(True), faults(False)
    return not any(match["half2"] for match in matches) if first == second else first < second


def _stamp_day(match: re.Match[str], day_first: bool, year: int | None) -> date | None:
    one, two, three = match["one"], match["two"], match["three"]
    try:
        if len(one) == 4:  # noqa: PLR2004  a year
            return date(int(one), int(two), int(three)) if three else None
        full = (int(three) + (2000 if len(three) == 2 else 0)) if three else year  # noqa: PLR2004  two digits
        day, month = (int(one), int(two)) if day_first else (int(two), int(one))
        return date(full, month, day) if full else None
    except ValueError:
        return None


def _at(day: date, match: re.Match[str]) -> datetime | None:
    hour, minute = int(match["hour"]), int(match["minute"])
    half = match["half"] or match["half2"] or ""
    if half in {"午後", "P", "p"} and hour < 12:  # noqa: PLR2004  noon
        hour += 12
    elif half in {"午前", "A", "a"} and hour == 12:  # noqa: PLR2004  midnight
        hour = 0
    try:
        # 24:05 is the night after
        midnight = datetime.combine(day, time(0, minute)) + timedelta(hours=hour)
        return midnight.astimezone()
    except (ValueError, OverflowError):
        return None


def _name(match: re.Match[str]) -> str | None:
    return " ".join(match["name"].split()) or None if match["name"] else None
