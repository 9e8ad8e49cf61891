"""Pages by key: the cursor names the last row that was shown, so nothing is skipped or doubled when
rows are added.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    String,
    and_,
    or_,
    type_coerce,
)

from lpm_kernel.errors import StrangeCursorError

LARGEST = 1 << 62


def newest_first(
    connection: Connection,
    query: Select[Any],
    when: Column[Any],
    key: Column[Any],
    *,
    limit: int,
    cursor: str | None,
) -> tuple[list[Row[Any]], str | None]:
    """Run the query newest first and return one page of rows with the cursor of the next."""
    if cursor is not None:
        moment, identifier = _read(cursor)
        query = query.where(or_(when < moment, and_(when == moment, key < identifier)))
    rows = list(connection.execute(query.order_by(when.desc(), key.desc()).limit(limit + 1)))
    following = None
    if len(rows) > limit:
        last = rows[limit - 1]._mapping  # noqa: SLF001  SQLAlchemy's public name for it
        following = _write(last[when], last[key])
    return rows[:limit], following


@dataclass(frozen=True)
class KeyOrder:
    """An order of rows. A cursor holds its name and direction too, so that one of another order is
    refused.
    """

    key: ColumnElement[Any]
    """Never empty."""
    identifier: Column[Any]
    """Which of two rows with the same key comes first."""
    name: str
    descending: bool


@dataclass(frozen=True)
class PageRequest:
    """Which page is wanted."""

    limit: int
    cursor: str | None = None
    offset: int = 0


def by_key(
    connection: Connection, query: Select[Any], order_by: KeyOrder, page: PageRequest
) -> tuple[list[Row[Any]], str | None]:
    """Run the query in this order, and return one page of rows with the cursor of the next."""
    key, identifier, descending = order_by.key, order_by.identifier, order_by.descending
    limit, cursor = page.limit, page.cursor
    # The key as it lies in the database: a cursor carries it there and back unchanged.
    plain = (
        type_coerce(key, String) if not isinstance(key.type, Integer) else type_coerce(key, Integer)
    )
    order = f"{order_by.name} {'desc' if descending else 'asc'}"
    if cursor is not None:
        value, last = _read_key(cursor, order, int if isinstance(key.type, Integer) else str)
        beyond = plain < value if descending else plain > value
        further = identifier < last if descending else identifier > last
        query = query.where(or_(beyond, and_(plain == value, further)))
    sorted_by = (plain.desc(), identifier.desc()) if descending else (plain.asc(), identifier.asc())
    rows = list(
        connection.execute(
            query.add_columns(plain.label("sorted_by"))
            .order_by(*sorted_by)
            .limit(limit + 1)
            .offset(page.offset or None)
        )
    )
    following = None
    if len(rows) > limit:
        last_row = rows[limit - 1]._mapping  # noqa: SLF001  SQLAlchemy's public name for it
        following = _encode([order, last_row["sorted_by"], last_row[identifier]])
    return rows[:limit], following


def _read_key(cursor: str, order: str, kind: type) -> tuple[Any, str]:
    try:
        known, value, identifier = json.loads(
            base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        )
    except (ValueError, TypeError) as error:
        raise StrangeCursorError from error
    if (
        known != order
        or type(value) is not kind
        or not isinstance(identifier, str)
        or (isinstance(value, int) and abs(value) >= LARGEST)
    ):
        raise StrangeCursorError
    return (_text(value) if isinstance(value, str) else value), _text(identifier)


def _text(value: str) -> str:
    """Return a text that a database can hold, which half of a surrogate pair is not."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise StrangeCursorError from error
    return value


def _encode(row: list[Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(row).encode()).decode().rstrip("=")


def _write(moment: datetime, identifier: str) -> str:
    return (
        base64.urlsafe_b64encode(json.dumps([moment.isoformat(), identifier]).encode())
        .decode()
        .rstrip("=")
    )


def _read(cursor: str) -> tuple[datetime, str]:
    try:
        moment, identifier = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        read = datetime.fromisoformat(moment).astimezone(UTC)
    except (ValueError, TypeError, OverflowError) as error:
        raise StrangeCursorError from error
    if not isinstance(identifier, str):
        raise StrangeCursorError
    return read, _text(identifier)
