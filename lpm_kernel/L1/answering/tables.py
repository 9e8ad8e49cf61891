"""Tables as they are computed with: their rows, what is asked of them, what came out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class TableQuery(StrEnum):
    """What is to be computed."""

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
class ComputedAnswer:
    """What came out, as a sentence, and the rows that it was made from, those to be cited first."""

    sentence: str = field(repr=False)
    rows: tuple[TableRow, ...]
    table: int
    """Which of the tables."""


@dataclass(frozen=True)
class AskedTerm:
    """A word of the question, in every form that may stand in a table."""

    word: str
    forms: frozenset[str]

    def stands_in(self, words: Collection[str], text: str) -> bool:
        """Tell whether it is among the words of a text, or, Japanese or Chinese, stands in it."""
        return not self.forms.isdisjoint(words) or (not self.word.isascii() and self.word in text)


def listed(words: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(words.split())


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
