"""Reckoning: how many rows of a table, and what they add up to, which no model of this size can do
and no quotation says.

It acts where a question asks for a count, a total, a mean or an extreme, and nearly every word of
it is a value, a heading or the title of one table. It says which rows were taken, so that a person
sees what was counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from enum import StrEnum

from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L0.language.dates import Span
from lpm_kernel.L0.language.glosses import stems
from lpm_kernel.L0.language.identification import Language, day_in_words
from lpm_kernel.L0.language.question import Question

CITED = 6
"""Rows that are cited; the others are counted."""
UNKNOWN = 1
"""Words of the question that may stand nowhere in the table."""
MOST_DIGITS = 15
"""Digits of a number that is reckoned with."""
GROUP = 3
"""Digits of a group of thousands."""
NUMBERS = 0.8
"""Share of a column's values that have to be numbers."""

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


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


class TableQuery(StrEnum):
    """What is to be reckoned."""

    COUNT = "count"
    TOTAL = "total"
    MEAN = "mean"
    MOST = "most"
    LEAST = "least"


@dataclass(frozen=True)
class TableRow:
    """A row of a table: its cells by heading, when it is dated, and its span in the document's
    text, end exclusive.
    """

    cells: tuple[tuple[str, str], ...] = field(repr=False)
    start: int
    end: int
    said_at: datetime | None = None


@dataclass(frozen=True)
class Table:
    """A table with its title."""

    title: str = field(repr=False)
    rows: tuple[TableRow, ...] = field(repr=False)


@dataclass(frozen=True)
class Reckoned:
    """What came out, as a sentence, and the rows that it was made from, those to be cited first."""

    sentence: str = field(repr=False)
    rows: tuple[TableRow, ...]
    table: int
    """Which of the tables."""


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
_UNITS = (
    (
        "money",
        _listed(
            "yen eur euro usd dollar gbp pound nok sek dkk chf amount price cost fee betrag rent"
            " paid sum charge expens spend spent pay earn cheap dear 金額 料金 価格 費用 代金 円"
            " 値段 いくら 使う 払う 高い 安い"
        ),
        re.compile(r"\bhow much (?:money|did|have|do|was|were|is)\b|いくら", re.IGNORECASE),
    ),
    (
        "way",
        _listed("km kilometr kilomet mile distanc far walk long length 距離 キロ 歩く 長い"),
        re.compile(r"\bhow far\b|何キロ", re.IGNORECASE),
    ),
    (
        "weight",
        _listed("kg kilo kilogram weight weigh heavi light gram 重さ 重い 軽い"),
        re.compile(r"\bhow heavy\b", re.IGNORECASE),
    ),
    (
        "time",
        _listed("day hour minut min durat long 日数 時間 長い"),
        re.compile(r"\bhow long\b|何日|何時間", re.IGNORECASE),
    ),
)
_LIGHT = _listed(
    "time number row entri list tabl record total sum add altogeth amount mani much often overal"
    " averag mean most least highest lowest largest smallest longest shortest biggest heaviest"
    " lightest dearest cheapest all everi each have has had been be is are year month week day sinc"
    " until befor after last ago between from did get got come there combin count find maximum"
    " minimum were was spring summer autumn winter fall 表 回 何回 何度 何件 何本 合計 全部 平均 何"
    " 一番 最も ある いくつ いくら 年 月 日 する いる なる 中 記録 行 度 件 回数 合わせる"
)
"""Words that say nothing of which rows are meant."""
_MONTHS = _listed("januari februari march april may june juli august septemb octob novemb decemb")
_NUMBER = re.compile(r"[¥$€£]?\s?(-?\d[\d,. \u00a0'’]*)\s?(?:%|[^\W\d_]{1,4}\.?)?")
_SIGNS = re.compile(r"[\d\s.,'’+-]")
"""What is left of a value without these is its unit."""
_HOW_MANY = re.compile(r"\bhow many (\w+)", re.IGNORECASE)
_DATE_LIKE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}")
_PARTS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])|(?<=\D)(?=\d)")


def wanted(question: Question) -> TableQuery | None:
    """Tell what a question wants reckoned, if anything.

    >>> [wanted(Question(text)) for text in ("How many times was I in Oslo?",
    ...     "What do the fees add up to?", "When did it rain?")]
    [<TableQuery.COUNT: 'count'>, <TableQuery.TOTAL: 'total'>, None]
    """
    if _LEAST_JA.search(question.text):
        return TableQuery.LEAST
    return next(
        (each for each, says in _WANTED if says.search(question.text)),
        TableQuery.TOTAL if _SPENT.search(question.text) else None,
    )


def rows_of(lines: Iterable[tuple[str, int, int, datetime | None]]) -> tuple[TableRow, ...]:
    """Take lines ``heading: value; heading: value`` apart.

    >>> [row.cells for row in rows_of([("km: 6.2; with: Kuri", 0, 19, None)])]
    [(('km', '6.2'), ('with', 'Kuri'))]
    """
    made = []
    for text, start, end, said_at in lines:
        parts = [part.partition(": ") for part in text.split("; ")]
        made.append(
            TableRow(
                tuple((heading, value.strip()) for heading, colon, value in parts if colon),
                start,
                end,
                said_at,
            )
        )
    return tuple(made)


def reckon(question: Question, now: datetime, tables: Sequence[Table]) -> Reckoned | None:
    """Reckon what a question asks for. ``None`` where it asks for nothing of the kind, or no table
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
            found = Reckoned(sentence, rows, number)
    return found


@dataclass(frozen=True)
class _Term:
    """A word of the question, in every form that may stand in a table."""

    word: str
    forms: frozenset[str]

    def stands_in(self, words: Collection[str], text: str) -> bool:
        """Tell whether it is among the words of a text, or, Japanese or Chinese, stands in it."""
        return not self.forms.isdisjoint(words) or (not self.word.isascii() and self.word in text)


@dataclass(frozen=True)
class _Choice:
    """The rows of a table that a question means."""

    asked: tuple[_Term, ...]
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

    selects: list[_Term]
    """Those that choose rows."""
    unknown: list[_Term]
    """Those that the table does not know."""
    named: int
    """How many are of its title."""


def _chosen(question: Question, now: datetime, table: Table) -> _Choice | None:
    """Choose the rows; ``None`` where the question says more than the table knows of."""
    asked = _asked(question)
    contents = _contents(table)
    meant = _meant(question, asked, contents)
    if meant is None:
        return None
    rows = _matching(question, now, table, contents, meant.selects)
    if not rows:
        return None
    chose = tuple(_as_written(question, [term.word for term in meant.selects], rows))
    fitness = (len(meant.unknown), -meant.named - len(meant.selects))
    return _Choice(asked, contents.headings, chose, rows, fitness)


def _asked(question: Question) -> tuple[_Term, ...]:
    heard = question.words  # pairs of signs are for searching
    return tuple(
        _Term(word, frozenset((word, *stems(word))))
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


def _meant(question: Question, asked: Sequence[_Term], contents: _Contents) -> _Meant | None:
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
    noun = _noun(question)
    if not named and any(term.word in noun for term in unknown):
        return None
    return _Meant(selects, unknown, named)


def _beside_the_headings(
    telling: Sequence[_Term], title_words: set[str], contents: _Contents
) -> list[_Term]:
    """Give the words that stand neither in the title nor in a heading."""
    names = title_words.union(*contents.headings.values())
    text = " | ".join((contents.title, *contents.headings))
    return [term for term in telling if not term.stands_in(names, text)]


def _unknown(
    others: Sequence[_Term], selects: Sequence[_Term], headings: dict[str, set[str]]
) -> list[_Term]:
    """Give the words that choose no row, are no unit of a column and no part of a word that
    chooses.
    """
    units = {_unit_of(words) for words in headings.values()} - {None}
    return [
        term
        for term in others
        if term not in selects
        and _unit_of(term.forms) not in units
        and not any(term.word in each.word for each in selects)
    ]


def _matching(
    question: Question, now: datetime, table: Table, contents: _Contents, selects: Sequence[_Term]
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


def _in_its_column(row: TableRow, columns: Sequence[tuple[str, _Term]]) -> bool:
    return all(
        any(heading == named and term.forms & set(terms(value)) for heading, value in row.cells)
        for named, term in columns
    )


def _in(
    question: Question, what: TableQuery, now: datetime, table: Table
) -> tuple[tuple[int, int], str, tuple[TableRow, ...]] | None:
    """Reckon in one table, and say how well it fits."""
    choice = _chosen(question, now, table)
    if choice is None:
        return None
    counts = what is TableQuery.COUNT
    if counts and not _counts_a_column(question, choice.headings, table.rows):
        return (
            choice.fitness,
            _counted(question, table.title, choice.rows, choice.words),
            choice.rows[:CITED],
        )
    column = _column(choice.asked, _unit(question), choice.headings, table.rows)
    if column is None or (counts and not _SPENT.search(question.text)):
        return None
    numbered = _numbers(column, table.rows, choice.rows)
    if len(numbered) <= 1:  # what stands in a single row is the answer, and is quoted
        return None
    reckoned = _Column(what, table.title, column, choice.words)
    if what in {TableQuery.MOST, TableQuery.LEAST}:
        number, row = (max if what is TableQuery.MOST else min)(numbered, key=lambda pair: pair[0])
        ties = tuple(each for value, each in numbered if value == number)
        return (
            choice.fitness,
            _extreme(question, reckoned, number, row),
            ties[:CITED],
        )
    total = sum((number for number, _ in numbered), Decimal(0))
    value = (
        total if what is not TableQuery.MEAN else (total / len(numbered)).quantize(Decimal("0.01"))
    )
    rows = tuple(row for _, row in numbered)
    return (
        choice.fitness,
        _added(question, reckoned, value, rows),
        rows[:CITED],
    )


def _numbers(
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


def _words(name: str) -> set[str]:
    return {term for part in _PARTS.split(name) if part for term in terms(part)} | set(
        terms(name.replace("_", " "))
    )


def _unit(question: Question) -> str | None:
    return next((name for name, _, asks in _UNITS if asks.search(question.text)), None)


def _unit_of(words: Collection[str]) -> str | None:
    return next((name for name, known, _ in _UNITS if not known.isdisjoint(words)), None)


def _column(
    asked: Sequence[_Term],
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
    units = {each for each in (unit, *(_unit_of(term.forms) for term in asked)) if each}
    fitting = [heading for heading in named or numeric if _unit_of(headings[heading]) in units]
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


def _counts_a_column(
    question: Question, headings: dict[str, set[str]], rows: Sequence[TableRow]
) -> bool:
    """Tell whether "how many kilometres" asks for what a column of numbers holds, not for rows."""
    noun = _noun(question)
    unit = _unit_of(noun) if noun else None
    for heading, words in headings.items():
        if (noun & words or (unit and _unit_of(words) == unit)) and _is_numeric(
            [value for row in rows for name, value in row.cells if name == heading]
        ):
            return True
    return False


def _noun(question: Question) -> set[str]:
    """Return what is counted: the first word after "how many"."""
    match = _HOW_MANY.search(question.text)
    return set(terms(match[1])) if match else set()


def _as_written(question: Question, selected: Sequence[str], rows: Sequence[TableRow]) -> list[str]:
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


# --- said ---------------------------------------------------------------------------------------


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


def _counted(question: Question, title: str, rows: Sequence[TableRow], words: Sequence[str]) -> str:
    language, n = question.language, len(rows)
    said, when = _with(words, language), _when(rows, language)
    return {
        "en": f"I count {n} {'row' if n == 1 else 'rows'} in “{title}”{said}{when}.",
        "ja": f"「{title}」に{said + 'は' if said else ''}{n}回（{n}行）あります{when}。",
        "zh": f"在“{title}”里{said}有{n}行{when}。",
    }[language]


@dataclass(frozen=True)
class _Column:
    """What is reckoned, and where."""

    what: TableQuery
    title: str
    """Of the table."""
    name: str
    words: Sequence[str]
    """Those that chose the rows."""


def _added(question: Question, of: _Column, value: Decimal, rows: Sequence[TableRow]) -> str:
    language, n, title, column = question.language, len(rows), of.title, of.name
    said, when, sum_ = _with(of.words, language), _when(rows, language), written(value)
    if of.what is TableQuery.MEAN:
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


def _extreme(question: Question, of: _Column, number: Decimal, row: TableRow) -> str:
    language, title, column = question.language, of.title, of.name
    said, value = _with(of.words, language), written(number)
    cells = "; ".join(f"{heading}: {cell}" for heading, cell in row.cells if cell)
    high = of.what is TableQuery.MOST
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
