"""Facts that differ in a number or a date and in nothing else: six places or eight, the 14th or the
21st.

A fact is compared by a key, which is all that it says besides the number: subject, what is said of
it, what is counted. Two facts with one key and other values cannot both be so at one time. What
happens again and again has no such key ("I walked 6 km"), so only what *is* so counts for numbers,
and only what happens once for dates; ages grow by themselves. By rule, in English and Japanese;
whatever is not plain has no key. A false contradiction annoys, a missed one does not.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.dates import named
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L1.statements.changes import words
from lpm_kernel.L1.statements.validity import ELSEWHEN, told


class Differs(StrEnum):
    """In what two facts differ."""

    NUMBER = "number"
    DATE = "date"


LONGEST = 220
"""Signs of a sentence that is compared: a long one says more than one thing."""
LEAST = 2
"""Words that a key consists of, what is counted among them."""
SOFT = frozenset(
    terms(
        "now still month year pay price cost total altogether exactly about currently today's old"
        " long there counting per each いる ある する なる 月 年 今 現在 全部 合計"
    )
)
"""Words that do not tell one fact from another."""

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"  # noqa: SIM905  reads better
    " sixteen seventeen eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905 - as above
_WORDS = {
    **{word: n for n, word in enumerate(_ONES)},
    **{word: 10 * n for n, word in enumerate(_TENS, start=2)},
}
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_COUNT = re.compile(
    rf"(?P<sign>[¥$€£])?(?<![\w.])(?P<n>\d[\d,]*(?:\.\d+)?|(?:{_WORD})(?:-(?:{_WORD}))?)(?P<clock>:\d\d)?\b\s?(?P<unit>%|[a-z]+(?:"
    r" [a-z]+)?)?",
    re.IGNORECASE,
)
_COUNT_JA = re.compile(
    r"(?<!第)(?P<n>[0-9][0-9,.]{0,15}[万千百]?[0-9]{0,8}|[一二三四五六七八九十百千万]{1,12})"
    r"(?P<unit>[ァ-ヶー]+|[A-Za-z%]+|[名人円匹本枚冊台個脚軒階巻曲度回杯頭羽皿点畳坪時割坐席]|つ"
    r"|キロ)"
)
_KANJI = {sign: n for n, sign in enumerate("〇一二三四五六七八九")}
_TENFOLD = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_IS = re.compile(
    r"\b(?:is|are|has|have|costs?|holds?|takes?|seats?|weighs?|measures?|contains?|owns?|pays?"
    r"|pay|earns?|charges?|opens?|closes?|starts?|begins?|ends?|counts?|needs?|comes to"
    r"|amounts to|stands at)\b",
    re.IGNORECASE,
)
_AT_ONCE = re.compile(r"^[^:：]{2,40}[:：]\s")
"""Whom it is about, in front of it: what follows is so."""
_ASIDE = re.compile(r"\s?\([^()]*\)|（[^（）]*）")
_MARKER = re.compile(r"\b(?:since|from|as of|until|till|through)\s+(?:the\s+)?$", re.IGNORECASE)
_MARKER_JA = re.compile(r"^(?:の?(?:初め|終わり|末|頃))?(?:から|まで|以来|以降)(?:は|、)?")
_IS_JA = re.compile(
    r"(?:です|だ|である|ある|いる|います|あります|かかる|かかります|まる|まります|する|します"
    r"|入る|入ります|持つ|[名人円匹本枚冊台個脚軒階巻曲つ時])[。．]?$"
)
_SITUATED = re.compile(
    r"\b(?:today|yesterday|tonight|tomorrow|this (?:morning|evening|week|month|year|time)|last"
    r"|next|ago|late|early|left|more|less|years? old|aged|been|being|only|so far|another|other"
    r"|nearly|almost|about|around|maybe|perhaps|or|if|would|could|should|might|per cent"
    r"|(?:am|is|are) \w+ing)\b|[?？]|今日|昨日|明日|今朝|今夜|朝は|夜は|昼は|今回|前回|約|ほど"
    r"|くらい|ぐらい|たぶん|かも|なら|たら|もし|[歳才]|あと|残り",
    re.IGNORECASE,
)
"""What is so on a day only, or is not said plainly."""
_DENIES = re.compile(r"\b(?:not|no|never|nor|without)\b|n['’]t\b|ない|ません", re.IGNORECASE)
_ONCE = re.compile(
    r"\b(?:born|died|founded|built|made|married|invented|graduated)\b|\b(?:is|was) (?:of|from)\b"
    r"|生まれ|亡くな|建て|建った|作られ|創業|創立|結婚|卒業",
    re.IGNORECASE,
)
"""What happens once and never again."""
_PLANNED = re.compile(
    r"\b(?:begins?|starts?|opens?|closes?|ends?|leaves|takes place|is on|falls on)\b|始まる"
    r"|始まります|終わる|終わります|開く|開店する|閉まる|締め切",
    re.IGNORECASE,
)
"""What has one date, as long as the year is the same."""
_YEAR = re.compile(r"(?:19|20|18|17)\d\d")
_OLD_YEAR = re.compile(r"(?<![\d.,])1[0-8]\d\d(?!\d|[.,]\d)")
"""The reader of dates begins in 1900."""
_ORDINAL = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th))\b"
    r"|第[0-9一二三四五六七八九十]+|[0-9一二三四五六七八九十]{1,8}(?:番|号|回)目?",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"\b(?:[A-Z][a-z]+|room|no\.?|number|page|chapter|part|line|bus|track|step|platform)\s"
    r"(?P<n>\d+)\b(?=\s+[a-z])"
)
_FIRST = re.compile(r"\b(?:I|my|me|mine|we|our|us)\b|私|僕|俺|うち|我", re.IGNORECASE)


_NUMBER = re.compile(rf"\d|\b(?:{_WORD})\b|[一二三四五六七八九十百千万]", re.IGNORECASE)
_SAYS = re.compile(
    "|".join(each.pattern for each in (_IS, _IS_JA, _ONCE, _PLANNED, _AT_ONCE)), re.IGNORECASE
)


@dataclass(frozen=True)
class ComparableFact:
    """A fact, with what it is compared by and what it says."""

    key: tuple[str, ...] = field(repr=False)
    values: frozenset[str] = field(repr=False)
    differs: Differs
    first_person: bool
    """Whose fact it is depends on who says it."""


def differ(first: str, second: str) -> Differs | None:
    """Say in what two facts differ that cannot both be so; ``None`` where they agree, or nobody can
    tell.

    >>> differ("The evening class has six seats.",
    ...     "There are eight seats in the evening class.").value
    'number'
    >>> (differ("The course begins on 14 June.", "The course begins on 21 June.").value,
    ...  differ("I walked 6 km.", "I walked 8 km."))
    ('date', None)
    """
    for one in facts(first):
        for other in facts(second):
            if (
                one.differs is other.differs
                and one.key == other.key
                and one.values.isdisjoint(other.values)
                and not apart(first, second)
            ):
                return one.differs
    return None


def apart(first: str, second: str) -> bool:
    """Tell whether two sentences say themselves that they are so at different times."""
    one, other = told(first, None), told(second, None)
    return bool(
        (one.end and other.start and one.end <= other.start)
        or (other.end and one.start and other.end <= one.start)
    )


@lru_cache(maxsize=20_000)
def facts(text: str) -> tuple[ComparableFact, ...]:
    """Return what a sentence says in numbers or dates that can be held against others."""
    plain = unicodedata.normalize("NFKC", text.strip())
    plain = _ASIDE.sub("", plain)
    if (
        len(plain) > LONGEST
        or not _NUMBER.search(plain)
        or not _SAYS.search(plain)
        or _SITUATED.search(plain)
        or _DENIES.search(plain)
    ):
        return ()
    places = named(plain, ELSEWHEN)
    # "the autumn course" is no date
    exact = [
        mention
        for mention in places
        if any(sign.isdigit() for sign in plain[mention.start : mention.end])
    ]
    dates = [(mention.start, mention.end) for mention in exact] or [
        match.span() for match in _OLD_YEAR.finditer(plain)
    ]
    marked = [
        (start, end)
        for start, end in dates
        if _MARKER.search(plain[:start]) or _MARKER_JA.match(plain[end:])
    ]
    if dates and marked == dates:  # they say since when it is so, and the number is the fact
        for start, end in sorted(dates, reverse=True):
            plain = _MARKER.sub(" ", plain[:start]) + _MARKER_JA.sub("", plain[end:])
        dates = []
    made = _dated(plain, dates) if dates else _counted(plain)
    return () if made is None else (made,)


def _dated(text: str, dates: list[tuple[int, int]]) -> ComparableFact | None:
    once = bool(_ONCE.search(text))
    if len(dates) != 1 or not (once or _PLANNED.search(text)):
        return None
    start, end = dates[0]
    said = text[start:end]
    year = _YEAR.search(said)
    span = named(said, ELSEWHEN)
    value = (
        said
        if not span
        else (
            f"{span[0].spans[0].start:%Y-%m-%d}/{span[0].spans[0].days:.0f}"
            if year
            else f"{span[0].spans[0].start:%m-%d}"
        )
    )
    grain = (
        "day"
        if re.search(r"\d{1,2}日|\d{1,2}\b(?<!\d{4})", said.replace(year[0] if year else "\0", ""))
        else "long"
    )
    rest = text[:start] + " " + text[end:]
    if _COUNT.search(rest) and _COUNT.search(rest)["n"].isdigit():  # type: ignore[index]
        return None
    key = _key(
        text, rest, (grain, *([] if once or not year else [year[0]]), "year" if year else "")
    )
    return (
        None
        if key is None
        else ComparableFact(key, frozenset({value}), Differs.DATE, bool(_FIRST.search(text)))
    )


def _counted(text: str) -> ComparableFact | None:
    japanese = language_of(text) != "en"
    if not ((_IS_JA if japanese else _IS).search(text) or _AT_ONCE.match(text)):
        return None
    match = _only_count(text, japanese=japanese)
    if match is None:
        return None
    value, unit, end = _measured_ja(match) if japanese else _measured(match)
    rest = text[: match.start()] + " " + text[end:]
    counts_in = japanese or unit in {"clock", "%", "¥", "$", "€", "£"}
    key = _key(text, rest, (unit,) if counts_in else ())
    if key is None or value is None:
        return None
    return ComparableFact(key, frozenset({value}), Differs.NUMBER, bool(_FIRST.search(text)))


def _only_count(text: str, *, japanese: bool) -> re.Match[str] | None:
    """Find the number of a sentence that has one alone; “room 12” and “one” count nothing."""
    labels = [match.span("n") for match in _LABEL.finditer(text)]
    counts = [
        match
        for match in (_COUNT_JA if japanese else _COUNT).finditer(text)
        if not any(start <= match.start("n") < end for start, end in labels)
        and match["n"] not in {"one", "One", "一"}
    ]
    return counts[0] if len(counts) == 1 else None


def _measured(match: re.Match[str]) -> tuple[str | None, str, int]:
    """Give value, unit and end of a number."""
    clock = match["clock"]
    unit = "clock" if clock else match["sign"] or match["unit"] or ""
    return _value(match["n"] + (clock or "")), unit, match.end("clock" if clock else "n")


def _measured_ja(match: re.Match[str]) -> tuple[str | None, str, int]:
    unit = match["unit"] or ""
    return _value_ja(match["n"]), unit, match.end("unit" if unit else "n")


def _key(text: str, rest: str, more: tuple[str, ...]) -> tuple[str, ...] | None:
    said = {word for word in words(rest) if word not in SOFT}
    said |= {match[0].casefold() for match in _ORDINAL.finditer(text)}
    if language_of(text) != "en" and not re.search(r"[はが:：]", text):
        return None
    # what is counted, or that it has a year, says something too
    counts = len(said) + any(each not in {"", "day", "long"} for each in more)
    return (*sorted(said), "|", *more) if counts >= LEAST else None


def _value(written: str) -> str | None:
    if ":" in written:
        return written
    plain = written.lower().replace(",", "")
    if plain[:1].isdigit():
        return f"{float(plain):g}"
    tens, _, ones = plain.partition("-")
    return f"{_WORDS[tens] + (_WORDS[ones] if ones else 0)}"


def _value_ja(written: str) -> str | None:
    """Read a number in figures, in signs, or in both.

    >>> _value_ja("四万八千"), _value_ja("48,000"), _value_ja("4万8000"), _value_ja("十二")
    ('48000', '48000', '48000', '12')
    """
    plain = written.replace(",", "")
    try:
        return f"{float(plain):g}" if "." in plain else f"{int(plain)}"
    except ValueError:
        pass
    total = part = number = 0
    for sign in plain:
        if sign.isdigit() or sign in _KANJI:
            number = number * 10 + (_KANJI[sign] if sign in _KANJI else int(sign))
        elif sign == "万":
            total, part, number = total + (part + number or 1) * _TENFOLD[sign], 0, 0
        elif sign in _TENFOLD:
            part, number = part + (number or 1) * _TENFOLD[sign], 0
        else:
            return None
    return f"{total + part + number}"
