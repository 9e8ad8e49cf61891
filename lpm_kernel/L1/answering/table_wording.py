"""A figure from a table, told in the language of the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.glosses import stems
from lpm_kernel.L0.language.identification import Language, day_in_words
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.tables import TableQuery, TableRow


@dataclass(frozen=True)
class FigureWording:
    """What a figure is told of, and in which language."""

    question: Question
    what: TableQuery
    title: str
    column: str
    words: Sequence[str]
    """By which the rows were chosen."""


def as_written(question: Question, selected: Sequence[str], rows: Sequence[TableRow]) -> list[str]:
    """Give the words that chose the rows, as the question writes them; those of the other language
    as the table does.
    """
    written = re.findall(r"[^\W_]+(?:[’'-][^\W_]+)*", question.text)
    found = []
    for term in selected:
        own = next((word for word in written if term in terms(word)), None)
        found.append(
            own
            if own and len(own) <= len(term) + 4
            else next(
                (v for row in rows for _, v in row.cells if set(terms(v)) & {term, *stems(term)}),
                term,
            )
        )
    return list(dict.fromkeys(found))


def word_count(
    question: Question, title: str, rows: Sequence[TableRow], words: Sequence[str]
) -> str:
    """Tell how many rows there are."""
    language, n = question.language, len(rows)
    said, when = _with(words, language), _when(rows, language)
    return {
        "en": f"I count {n} {'row' if n == 1 else 'rows'} in “{title}”{said}{when}.",
        "ja": f"「{title}」に{said + 'は' if said else ''}{n}回（{n}行）あります{when}。",
        "zh": f"在“{title}”里{said}有{n}行{when}。",
    }[language]


def word_sum(wording: FigureWording, value: Decimal, rows: Sequence[TableRow]) -> str:
    """Tell what rows add up to, or are on average."""
    title, column = wording.title, wording.column
    language, n = wording.question.language, len(rows)
    said, when, sum_ = _with(wording.words, language), _when(rows, language), written(value)
    if wording.what is TableQuery.MEAN:
        return {
            "en": f"Over {n} rows of “{title}”{said}{when}, {column} is {sum_} on average.",
            "ja": f"「{title}」の{said}{n}行{when}の{column}は、平均{sum_}です。",
            "zh": f"“{title}”里{said}{n}行{when}的{column}平均是{sum_}。",
        }[language]
    return {
        "en": f"{column} of {n} rows of “{title}”{said}{when} adds up to {sum_}.",
        "ja": f"「{title}」の{said}{n}行{when}の{column}は、合計{sum_}です。",
        "zh": f"“{title}”里{said}{n}行{when}的{column}合计{sum_}。",
    }[language]


def word_extreme(wording: FigureWording, number: Decimal, row: TableRow) -> str:
    """Tell the highest or the lowest, with its row."""
    title, column = wording.title, wording.column
    language = wording.question.language
    said, value = _with(wording.words, language), written(number)
    cells = "; ".join(f"{heading}: {cell}" for heading, cell in row.cells if cell)
    high = wording.what is TableQuery.MOST
    return {
        "en": (
            f"The {'highest' if high else 'lowest'} {column} in “{title}”{said} is {value}:"
            f" {cells}."
        ),
        "ja": (
            f"「{title}」の{said}{column}で最も{'大きい' if high else '小さい'}のは"
            f"{value}です：{cells}。"
        ),
        "zh": f"“{title}”里{said}{column}最{'大' if high else '小'}的是{value}：{cells}。",
    }[language]


def _when(rows: Sequence[TableRow], language: Language) -> str:
    dated = sorted(row.said_at for row in rows if row.said_at)
    if not dated:
        return ""
    first, last = (day_in_words(moment, language) for moment in (dated[0], dated[-1]))
    if first == last:
        return f" ({first})" if language == "en" else f"（{first}）"
    return (
        f" ({first} to {last})"
        if language == "en"
        else f"（{first}から{last}まで）"
        if language == "ja"
        else f"（{first}至{last}）"
    )


def _with(words: Sequence[str], language: Language) -> str:
    if not words:
        return ""
    return (
        f" with {' and '.join(f'“{word}”' for word in words)}"
        if language == "en"
        else "".join(f"「{word}」" for word in words)
    )


def written(number: Decimal) -> str:
    """Write a number with its thousands apart and without idle zeros.

    >>> written(Decimal("476000")), written(Decimal("12.40")), written(Decimal("0"))
    ('476,000', '12.4', '0')
    """
    text = f"{number:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
