"""The column of a table that a question is about, and the numbers that stand in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from decimal import Decimal, InvalidOperation

from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.tables import AskedTerm, TableRow, listed

MOST_DIGITS = 15
"""Digits of a number that is computed with."""
GROUP = 3
"""Digits of a group of thousands."""
NUMBERS = 0.8
"""Share of a column's values that have to be numbers."""
_UNITS = (
    (
        "money",
        listed(
            "yen eur euro usd dollar gbp pound nok sek dkk chf amount price cost fee betrag rent"
            " paid sum charge expens spend spent pay earn cheap dear 金額 料金 価格 費用 代金 円"
            " 値段 いくら 使う 払う 高い 安い"
        ),
        re.compile(r"\bhow much (?:money|did|have|do|was|were|is)\b|いくら", re.IGNORECASE),
    ),
    (
        "way",
        listed("km kilometr kilomet mile distanc far walk long length 距離 キロ 歩く 長い"),
        re.compile(r"\bhow far\b|何キロ", re.IGNORECASE),
    ),
    (
        "weight",
        listed("kg kilo kilogram weight weigh heavi light gram 重さ 重い 軽い"),
        re.compile(r"\bhow heavy\b", re.IGNORECASE),
    ),
    (
        "time",
        listed("day hour minut min durat long 日数 時間 長い"),
        re.compile(r"\bhow long\b|何日|何時間", re.IGNORECASE),
    ),
)
_NUMBER = re.compile(r"[¥$€£]?\s?(-?\d[\d,. \u00a0'’]*)\s?(?:%|[^\W\d_]{1,4}\.?)?")
_SIGNS = re.compile(r"[\d\s.,'’+-]")
"""What is left of a value without these is its unit."""
_DATE_LIKE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}")
_HOW_MANY = re.compile(r"\bhow many (\w+)", re.IGNORECASE)


def numbers_in(
    column: str, every: Sequence[TableRow], rows: Sequence[TableRow]
) -> list[tuple[Decimal, TableRow]]:
    """Give the numbers of a column with their rows; none where it cannot be told how the column
    writes them.
    """
    values = [value for row in every for heading, value in row.cells if heading == column]
    dotted = _dotted(values)
    if (
        dotted is None
        or len({unit for value in values if (unit := _SIGNS.sub("", value).casefold())}) > 1
    ):
        return []
    written = (
        (value.replace(".", "") if dotted else value, row)
        for row in rows
        for heading, value in row.cells
        if heading == column
    )
    return [(number, row) for value, row in written if (number := number_of(value)) is not None]


def unit_asked(question: Question) -> str | None:
    """Return the kind of unit that a question asks in, where it names one."""
    return next((name for name, _, asks in _UNITS if asks.search(question.text)), None)


def unit_of(words: Collection[str]) -> str | None:
    """Return the kind of unit that one of these words names."""
    return next((name for name, known, _ in _UNITS if not known.isdisjoint(words)), None)


def column_asked(
    asked: Sequence[AskedTerm],
    unit: str | None,
    headings: dict[str, set[str]],
    rows: Sequence[TableRow],
) -> str | None:
    """Choose the column of numbers that is meant: the one whose heading is named, or the only one
    of the unit that is asked for.
    """
    numeric = [
        heading
        for heading in headings
        if _is_numeric([value for row in rows for name, value in row.cells if name == heading])
    ]
    named = [
        heading for heading in numeric if any(term.forms & headings[heading] for term in asked)
    ]
    if len(named) == 1:
        return named[0]
    units = {each for each in (unit, *(unit_of(term.forms) for term in asked)) if each}
    fitting = [heading for heading in named or numeric if unit_of(headings[heading]) in units]
    return fitting[0] if len(fitting) == 1 else None


def _is_numeric(values: Sequence[str]) -> bool:
    written = [value for value in values if value]
    good = sum(
        number_of(value) is not None and not _DATE_LIKE.fullmatch(value) for value in written
    )
    return bool(written) and good >= NUMBERS * len(written)


def _dotted(values: Sequence[str]) -> bool | None:
    """Tell whether dots part the thousands of a column; ``None`` where 1.200 may be either."""
    written = [match[1].strip() for value in values if (match := _NUMBER.fullmatch(value.strip()))]
    parts = [value.partition(".")[2] for value in written if "." in value and "," not in value]
    if (
        not parts
        or any(len(part) != GROUP for part in parts)
        or any("," in value for value in written)
    ):
        return False
    return True if len(parts) < len(written) else None


def number_of(text: str) -> Decimal | None:
    """Read a number as a table has it.

    >>> [number_of(text)
    ...     for text in ("1,234.50", "1.234,50", "¥460,000", "6,2 km", "58%", "2024-05-02", "six")]
    [Decimal('1234.50'), Decimal('1234.50'), Decimal('460000'), Decimal('6.2'), Decimal('58'),
     None, None]
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None or sum(sign.isdigit() for sign in text) > MOST_DIGITS:
        return None
    digits = re.sub(r"[ \u00a0'’]", "", match[1]).rstrip(".,")
    if "," in digits and "." in digits:
        digits = (
            digits.replace(",", "")
            if digits.rindex(".") > digits.rindex(",")
            else digits.replace(".", "").replace(",", ".")
        )
    elif digits.count(",") == 1 and len(digits.partition(",")[2]) != GROUP:
        digits = digits.replace(",", ".")
    elif digits.count(".") > 1:
        digits = digits.replace(".", "")
    try:
        return Decimal(digits.replace(",", ""))
    except InvalidOperation:
        return None


def counts_a_column(
    question: Question, headings: dict[str, set[str]], rows: Sequence[TableRow]
) -> bool:
    """Tell whether "how many kilometres" asks for what a column of numbers holds, not for rows."""
    noun = noun_counted(question)
    unit = unit_of(noun) if noun else None
    for heading, words in headings.items():
        if (noun & words or (unit and unit_of(words) == unit)) and _is_numeric(
            [value for row in rows for name, value in row.cells if name == heading]
        ):
            return True
    return False


def noun_counted(question: Question) -> set[str]:
    """Return what is counted: the first word after "how many"."""
    match = _HOW_MANY.search(question.text)
    return set(terms(match[1])) if match else set()
