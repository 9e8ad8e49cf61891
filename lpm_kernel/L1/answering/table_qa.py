"""Computing: how many rows of a table, and what they add up to, which no model of this size can do
and no quotation says.

It acts where a question asks for a count, a total, a mean or an extreme, and nearly every word of
it is a value, a heading or the title of one table. It says which rows were taken, so that a person
sees what was counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.dates import Span
from lpm_kernel.L0.language.glosses import stems
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.table_columns import (
    column_asked,
    counts_a_column,
    noun_counted,
    numbers_in,
    unit_asked,
    unit_of,
)
from lpm_kernel.L1.answering.table_wording import (
    FigureWording,
    as_written,
    word_count,
    word_extreme,
    word_sum,
)
from lpm_kernel.L1.answering.tables import (
    AskedTerm,
    ComputedAnswer,
    Table,
    TableQuery,
    TableRow,
    listed,
)

CITED = 6
"""Rows that are cited; the others are counted."""
UNKNOWN = 1
"""Words of the question that may stand nowhere in the table."""
Say = Callable[[str], str]
_BEYOND = re.compile(
    r"\b(?:without|not|no|never|except|excluding|outside|apart from|other than|besides|more than"
    r"|less than|fewer than|(?:long|short|high|low|heavi|light|old|young|larg|small|great"
    r"|cheap)er|over|under"
    r"|at least|at most|between|second|third|fourth|fifth|next|different|distinct|unique|per|each"
    r"|every|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|n[’']t\b"
    r"|ない|以外|なし|抜き|除|より|以上|以下|未満|超|番目|曜|別|ごと|毎|種類",
    re.IGNORECASE,
)
"""A denial, a comparison, an order, a day of the week: more than choosing rows by their words. Such
a question is left to quotation.
"""
_WANTED = (
    (
        TableQuery.TOTAL,
        re.compile(
            r"\b(?:add(?:s|ed)? up|altogether|in total|in all|total|sum of|combined|come to)\b"
            r"|合計|合わせて|全部で|総額|累計",
            re.IGNORECASE,
        ),
    ),
    (TableQuery.MEAN, re.compile(r"\b(?:on average|average|mean)\b|平均", re.IGNORECASE)),
    (
        TableQuery.MOST,
        re.compile(
            r"\b(?:the )?(?:most(?! (?:recent|of))|highest|largest|biggest|longest|heaviest"
            r"|maximum|dearest|farthest)\b|最も|一番|いちばん|最高|最大|最長",
            re.IGNORECASE,
        ),
    ),
    (
        TableQuery.LEAST,
        re.compile(
            r"\b(?:the )?(?:least|lowest|smallest|shortest|lightest|minimum|cheapest|fewest)\b"
            r"|最低|最小|最短",
            re.IGNORECASE,
        ),
    ),
    (
        TableQuery.COUNT,
        re.compile(
            r"\bhow (?:many|often)\b|\bnumber of\b|何回|何度(?!で)|何件|いくつ|何本|何冊|何枚",
            re.IGNORECASE,
        ),
    ),
)
_LEAST_JA = re.compile(r"(?:最も|一番|いちばん)(?:少な|低|短|小さ|安|軽)")
_SPENT = re.compile(
    r"\bhow (?:much|far|many)\b.{0,200}\bdid (?:I|we|he|she|they|it)\b.{0,200}\b"
    r"(?:in|during|since|between|from|last|this)\b|\bhow (?:much|far|many)\b.{0,200}\bhave "
    r"(?:I|we)\b",
    re.IGNORECASE,
)
"""A stretch of time and something that goes on in it: what it adds up to is meant."""
_LIGHT = listed(
    "time number row entri list tabl record total sum add altogeth amount mani much often overal"
    " averag mean most least highest lowest largest smallest longest shortest biggest heaviest"
    " lightest dearest cheapest all everi each have has had been be is are year month week day sinc"
    " until befor after last ago between from did get got come there combin count find maximum"
    " minimum were was spring summer autumn winter fall 表 回 何回 何度 何件 何本 合計 全部 平均 何"
    " 一番 最も ある いくつ いくら 年 月 日 する いる なる 中 記録 行 度 件 回数 合わせる"
)
"""Words that say nothing of which rows are meant."""
_MONTHS = listed("januari februari march april may june juli august septemb octob novemb decemb")
_PARTS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])|(?<=\D)(?=\d)")


def wanted(question: Question) -> TableQuery | None:
    """Tell what a question wants computed, if anything.

    >>> [wanted(Question(text)) for text in ("How many times was I in Oslo?",
    ...     "What do the fees add up to?", "When did it rain?")]
    [<TableQuery.COUNT: 'count'>, <TableQuery.TOTAL: 'total'>, None]
    """
    if _LEAST_JA.search(question.text):
        return TableQuery.LEAST
    return next(
        (query for query, says in _WANTED if says.search(question.text)),
        TableQuery.TOTAL if _SPENT.search(question.text) else None,
    )


def compute(question: Question, now: datetime, tables: Sequence[Table]) -> ComputedAnswer | None:
    """Compute what a question asks for. ``None`` where it asks for nothing of the kind, or no table
    fits it without doubt.
    """
    what = wanted(question)
    if what is None or _BEYOND.search(question.text):
        return None
    best: tuple[int, int] | None = None
    found = None
    for number, table in enumerate(tables):
        made = _in(question, what, now, table)
        if made is not None and (best is None or made[0] < best):
            best, (_, sentence, rows) = made[0], made
            found = ComputedAnswer(sentence, rows, number)
    return found


@dataclass(frozen=True)
class _Choice:
    """The rows of a table that a question means."""

    asked: tuple[AskedTerm, ...]
    headings: dict[str, set[str]]
    words: tuple[str, ...]
    """Those that chose the rows."""
    rows: tuple[TableRow, ...]
    fitness: tuple[int, int]
    """The lower, the better the table fits."""


@dataclass(frozen=True)
class _Contents:
    """What a table says, and the words of it."""

    title: str = field(repr=False)
    headings: dict[str, set[str]]
    texts: list[str] = field(repr=False)
    """Its rows, as they are written."""
    held: list[set[str]] = field(repr=False)
    """The words of each row."""


@dataclass(frozen=True)
class _Meant:
    """What the words of a question mean in a table."""

    selects: list[AskedTerm]
    """Those that choose rows."""
    unknown: list[AskedTerm]
    """Those that the table does not know."""
    named: int
    """How many are of its title."""


def _choice_of(question: Question, now: datetime, table: Table) -> _Choice | None:
    """Return the rows that are meant, or nothing: the question says more than the table knows."""
    asked = _asked(question)
    contents = _contents(table)
    meant = _meant(question, asked, contents)
    if meant is None:
        return None
    rows = _matching(question, now, table, contents, meant.selects)
    if not rows:
        return None
    chose = tuple(as_written(question, [term.word for term in meant.selects], rows))
    fitness = (len(meant.unknown), -meant.named - len(meant.selects))
    return _Choice(asked, contents.headings, chose, rows, fitness)


def _asked(question: Question) -> tuple[AskedTerm, ...]:
    heard = question.words  # pairs of signs are for searching
    return tuple(
        AskedTerm(word, frozenset((word, *stems(word))))
        for word in question.terms
        if word.isascii() or word in heard
    )


def _contents(table: Table) -> _Contents:
    texts = [" | ".join(value for _, value in row.cells) for row in table.rows]
    return _Contents(
        title=table.title,
        headings={heading: _words(heading) for row in table.rows for heading, _ in row.cells},
        texts=texts,
        held=[set(terms(text)) for text in texts],
    )


def _meant(question: Question, asked: Sequence[AskedTerm], contents: _Contents) -> _Meant | None:
    """Sort the words by what they mean; ``None`` where the question is not about the table, or
    counts something that it does not know.
    """
    telling = [
        term for term in asked if not term.forms & (_LIGHT | _MONTHS) and not term.word.isdigit()
    ]
    title_words = _words(contents.title)
    named = sum(term.stands_in(title_words, contents.title) for term in telling)
    others = _beside_the_headings(telling, title_words, contents)
    everywhere, everything = set().union(*contents.held), " | ".join(contents.texts)
    selects = [term for term in others if term.stands_in(everywhere, everything)]
    unknown = _unknown(others, selects, contents.headings)
    about = selects or named or (not unknown and len(others) < len(telling))
    if len(unknown) > UNKNOWN or not about:
        return None
    noun = noun_counted(question)
    if not named and any(term.word in noun for term in unknown):
        return None
    return _Meant(selects, unknown, named)


def _beside_the_headings(
    telling: Sequence[AskedTerm], title_words: set[str], contents: _Contents
) -> list[AskedTerm]:
    """Give the words that stand neither in the title nor in a heading."""
    names = title_words.union(*contents.headings.values())
    text = " | ".join((contents.title, *contents.headings))
    return [term for term in telling if not term.stands_in(names, text)]


def _unknown(
    others: Sequence[AskedTerm], selects: Sequence[AskedTerm], headings: dict[str, set[str]]
) -> list[AskedTerm]:
    """Give the words that choose no row, are no unit of a column and no part of a word that
    chooses.
    """
    units = {unit_of(words) for words in headings.values()} - {None}
    return [
        term
        for term in others
        if term not in selects
        and unit_of(term.forms) not in units
        and not any(term.word in asked_term.word for asked_term in selects)
    ]


def _matching(
    question: Question,
    now: datetime,
    table: Table,
    contents: _Contents,
    selects: Sequence[AskedTerm],
) -> tuple[TableRow, ...]:
    """Give the rows that hold every word, in the column and of the time that the question says."""
    columns = [
        (heading, term)
        for term in selects
        for heading in contents.headings
        if _names_column(question, heading, term.word)
    ]
    dates = [span for span in question.dates(now) if span.weight >= 1]
    return tuple(
        row
        for row, words, text in zip(table.rows, contents.held, contents.texts, strict=True)
        if all(term.stands_in(words, text) for term in selects)
        and _in_its_column(row, columns)
        and (not dates or _said_in(row, dates))
    )


def _said_in(row: TableRow, dates: Sequence[Span]) -> bool:
    said_at = row.said_at
    return said_at is not None and any(span.start <= said_at < span.end for span in dates)


def _names_column(question: Question, heading: str, word: str) -> bool:
    """Tell whether a question says in which column a word stands: "from Oslo", where a column is
    called so.
    """
    before = re.search(
        rf"\b{re.escape(heading)}\W+(?:the\W+|a\W+)?([^\W_]+)", question.text, re.IGNORECASE
    )
    return before is not None and word in terms(before[1])


def _in_its_column(row: TableRow, columns: Sequence[tuple[str, AskedTerm]]) -> bool:
    return all(
        any(heading == named and term.forms & set(terms(value)) for heading, value in row.cells)
        for named, term in columns
    )


def _in(
    question: Question, what: TableQuery, now: datetime, table: Table
) -> tuple[tuple[int, int], str, tuple[TableRow, ...]] | None:
    """Compute in one table, and say how well it fits."""
    choice = _choice_of(question, now, table)
    if choice is None:
        return None
    counts = what is TableQuery.COUNT
    if counts and not counts_a_column(question, choice.headings, table.rows):
        return (
            choice.fitness,
            word_count(question, table.title, choice.rows, choice.words),
            choice.rows[:CITED],
        )
    column = column_asked(choice.asked, unit_asked(question), choice.headings, table.rows)
    if column is None or (counts and not _SPENT.search(question.text)):
        return None
    wording = FigureWording(question, what, table.title, column, choice.words)
    numbered = numbers_in(column, table.rows, choice.rows)
    if len(numbered) <= 1:  # what stands in a single row is the answer, and is quoted
        return None
    if what in {TableQuery.MOST, TableQuery.LEAST}:
        number, row = (max if what is TableQuery.MOST else min)(numbered, key=lambda pair: pair[0])
        ties = tuple(table_row for value, table_row in numbered if value == number)
        return (
            choice.fitness,
            word_extreme(wording, number, row),
            ties[:CITED],
        )
    total = sum((number for number, _ in numbered), Decimal(0))
    value = (
        total if what is not TableQuery.MEAN else (total / len(numbered)).quantize(Decimal("0.01"))
    )
    rows = tuple(row for _, row in numbered)
    return (
        choice.fitness,
        word_sum(wording, value, rows),
        rows[:CITED],
    )


def _words(name: str) -> set[str]:
    return {term for part in _PARTS.split(name) if part for term in terms(part)} | set(
        terms(name.replace("_", " "))
    )
