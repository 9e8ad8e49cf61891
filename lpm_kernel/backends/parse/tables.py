"""Rows with headings: CSV in any dialect, JSON, and JSON lines that are no conversation.

A row becomes one line, ``heading: value; heading: value``, so that it can be understood alone. Rows
are counted as a spreadsheet counts them: with a line of headings, the first row of data is row 2.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from lpm_kernel.backends.parse.canvas import Canvas, distinct, headed, one_line, row_text
from lpm_kernel.backends.parse.decode import decode
from lpm_kernel.backends.parse.moments import day_first, read_moment
from lpm_kernel.domain.library.documents import ParsedText
from lpm_kernel.errors import EmptyDocumentError, UnreadableDocumentError

DELIMITERS = (",", "\t", ";", "|")
LOOKED_AT = 50
"""Rows from which dialect and date column are told."""
DATES = 0.8
"""Share of a column that has to be dates for it to be the date of its rows."""
DEEPEST = 12
"""Objects inside objects: what lies deeper is shown as it is written."""
LONGEST_NUMBER = 4_000
"""Digits."""
LONGEST_CELL = 10_000_000
MOST_NAMED = 5
"""Bad lines that are named one by one."""
_TEXT_FIELDS = ("text", "content", "body", "note", "message", "entry", "本文", "内容")
_DATE_FIELDS = (
    "date",
    "when",
    "timestamp",
    "time",
    "created_at",
    "created",
    "day",
    "at",
    "日付",
    "日時",
)
_OF_A_LIFE = re.compile(
    r"birth|born|\bdob\b|\bdied\b|death|誕生|生年|没年|命日|生日|出生|去世", re.IGNORECASE
)
"""Headings of dates on which somebody was born or died: nothing was written then."""
_READABLE = 60
"""Characters from which on a text field is prose and stands without its heading."""

Cells = list[tuple[str, str]]

csv.field_size_limit(LONGEST_CELL)


def read_csv(name: str, data: bytes) -> ParsedText:
    """Read a table, each row under the headings of the first."""
    text = decode(name, data)
    if text.startswith("sep=") and "\n" in text:  # Excel says its delimiter itself
        text = text.partition("\n")[2]
    try:
        rows = list(
            _numbered(
                csv.reader(
                    io.StringIO(text, newline=""), delimiter=_delimiter(text), skipinitialspace=True
                )
            )
        )
    except csv.Error as error:
        raise UnreadableDocumentError(
            name,
            "its rows do not end where they should.",
            "Open it in a spreadsheet, save it again as CSV in UTF-8, and add that.",
        ) from error
    if not rows:
        raise EmptyDocumentError(name)
    headed_by_first = len(rows) > 1 and _is_heading(
        rows[0][1], [row for _, row in rows[1:LOOKED_AT]]
    )
    headings = distinct(rows[0][1]) if headed_by_first else []
    body = rows[1:] if headed_by_first else rows
    if not headings:
        headings = (
            [f"column {at + 1}" for at in range(max(len(row) for _, row in body))]
            if any(len(row) > 1 for _, row in body)
            else [""]
        )
    return _table([(number, headed(headings, row)) for number, row in body])


def _numbered(rows: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Count rows as a spreadsheet does, and leave out the empty ones."""
    for number, row in enumerate(rows, start=1):
        if any(cell.strip() for cell in row):
            yield number, row


def _delimiter(text: str) -> str:
    """Return what parts the cells: what gives the first rows the same number of cells, and most of
    them.
    """
    head = "\n".join(text[:200_000].split("\n")[:LOOKED_AT])

    def fitness(delimiter: str) -> tuple[float, int]:
        try:
            widths = [
                len(row)
                for row in csv.reader(
                    io.StringIO(head, newline=""), delimiter=delimiter, skipinitialspace=True
                )
                if row
            ]
        except csv.Error:
            return 0.0, 0
        most = max(set(widths), key=widths.count) if widths else 1
        return (widths.count(most) / len(widths) if most > 1 else 0.0), most

    return max(DELIMITERS, key=fitness)


def _is_heading(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Tell whether a row names columns: words, each once, of which none is a number or a date."""
    cells = [cell.strip() for cell in first]
    named = [cell for cell in cells if cell]
    if (
        not named
        or len(set(named)) < len(named)
        or any(_is_value(cell) or len(cell) > _READABLE * 2 for cell in named)
    ):
        return False
    return (
        len(named) > 1
        or any(_is_value(row[0].strip()) for row in below if row)
        or all(len(row) <= 1 for row in below)
    )


def _is_value(cell: str) -> bool:
    return (
        cell.replace(",", "")
        .replace(".", "")
        .replace("-", "")
        .replace("%", "")
        .strip("¥$€£ ")
        .isdigit()
        or read_moment(cell) is not None
    )


def _table(
    rows: Sequence[tuple[int, Cells]], remarks: Sequence[str] = (), *, prose: bool = False
) -> ParsedText:
    """Write rows. ``prose``: a long text field stands first, without its heading, and the other
    fields behind it.
    """
    dates, first = _dates([cells for _, cells in rows])
    canvas = Canvas()
    earliest: datetime | None = None
    for number, cells in rows:
        said_at = next(
            (
                moment
                for heading, value in cells
                if heading == dates and (moment := read_moment(value, day_first=first))
            ),
            None,
        )
        canvas.row(number, _prose(cells) if prose else row_text(cells), said_at)
        if said_at is not None and (earliest is None or said_at < earliest):
            earliest = said_at
    return canvas.parsed(created_at=earliest, remarks=remarks)


def _dates(rows: Sequence[Cells]) -> tuple[str | None, bool]:
    """Return the heading of the column that dates the rows, if there is one, and whether its days
    come first.
    """
    columns: dict[str, list[str]] = {}
    for cells in rows[:LOOKED_AT]:
        for heading, value in cells:
            if value:
                columns.setdefault(heading, []).append(value)
    for heading in sorted(columns, key=lambda heading: heading.lower() not in _DATE_FIELDS):
        values = columns[heading]
        if _OF_A_LIFE.search(heading):
            continue
        if sum(
            read_moment(value) is not None or read_moment(value, day_first=False) is not None
            for value in values
        ) >= DATES * len(values):
            return heading, day_first(
                value for cells in rows for name, value in cells if name == heading
            )
    return None, True


def _prose(cells: Cells) -> str:
    main = next(
        (heading for heading, value in cells if heading.lower() in _TEXT_FIELDS and value), None
    )
    if main is None:
        return row_text(cells)
    rest = row_text([(heading, value) for heading, value in cells if heading != main])
    words = next(value for heading, value in cells if heading == main)
    return f"{words} ({rest})" if rest else words


# --- JSON ---------------------------------------------------------------------------------------


def of_json(name: str, value: object) -> ParsedText:
    """Write what a JSON file holds. Raises ``EmptyDocumentError``."""
    rows: list[tuple[int, Cells]] = []
    if isinstance(value, list):
        rows = [
            (number, cells) for number, item in enumerate(value, start=1) if (cells := _cells(item))
        ]
    elif isinstance(value, dict):
        lists = {
            key: item
            for key, item in value.items()
            if isinstance(item, list) and any(isinstance(each, dict) for each in item)
        }
        head = _cells({key: item for key, item in value.items() if key not in lists})
        rows = [(1, head)] if head else []
        for key, items in lists.items():
            rows += [
                (number, [(str(key), f"{number}"), *cells])
                for number, item in enumerate(items, start=1)
                if (cells := _cells(item))
            ]
    elif value is not None:
        rows = [(1, [("", one_line(_scalar(value)))])]
    if not any(row_text(cells) for _, cells in rows):
        raise EmptyDocumentError(name)
    return _table(rows, prose=True)


def read_json_lines(name: str, text: str) -> ParsedText:
    """Read objects, one a line; a line that is none is named and left out. Raises when no line is
    one.
    """
    rows: list[tuple[int, Cells]] = []
    bad: list[int] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_int=whole_number)
            cells = _cells(value) if isinstance(value, dict) else []
        except (ValueError, RecursionError):
            cells = []
        if cells:
            rows.append((number, cells))
        else:
            bad.append(number)
    if not rows:
        raise UnreadableDocumentError(
            name,
            "none of its lines is a JSON object.",
            'Each line has to be a JSON object, for a conversation with at least "text"; "speaker",'
            ' "timestamp", "session" and "id" help.',
        )
    return _table(rows, left_out(bad, "no JSON objects"), prose=True)


def whole_number(digits: str) -> int | str:
    """Read a whole number; one with more digits than Python converts stays as it is written."""
    return int(digits) if len(digits) <= LONGEST_NUMBER else digits


def left_out(bad: Sequence[int], what: str) -> tuple[str, ...]:
    """Name the lines that were left out."""
    if not bad:
        return ()
    named = ", ".join(str(number) for number in bad[:MOST_NAMED]) + (
        " …" if len(bad) > MOST_NAMED else ""
    )
    return (f"Left out {len(bad)} lines that are {what} (line {named}).",)


def _cells(value: object, prefix: str = "", depth: int = 0) -> Cells:
    """Return the fields of a value, those of objects inside under ``outer.inner``."""
    if isinstance(value, dict):
        if depth >= DEEPEST:
            return [(prefix, one_line(json.dumps(value, ensure_ascii=False)))] if value else []
        return [
            cell
            for key, item in value.items()
            for cell in _cells(
                item, f"{prefix}.{one_line(str(key))}" if prefix else one_line(str(key)), depth + 1
            )
        ]
    if isinstance(value, list):
        if depth >= DEEPEST:
            return [(prefix, one_line(json.dumps(value, ensure_ascii=False)))] if value else []
        if not any(isinstance(item, dict | list) for item in value):
            return [(prefix, ", ".join(one_line(_scalar(item)) for item in value))] if value else []
        return [
            cell
            for number, item in enumerate(value, start=1)
            for cell in _cells(item, f"{prefix}.{number}" if prefix else str(number), depth + 1)
        ]
    words = one_line(_scalar(value))
    return [(prefix, words)] if words else []


def _scalar(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
