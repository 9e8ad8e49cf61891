"""Pages by key: the cursor names the last row that was shown, so nothing is skipped or doubled when rows are added."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Row, Select, and_, or_

from lpm_kernel.errors import InvalidInputError


def newest_first(
    connection: Connection, query: Select[Any], when: Column[Any], key: Column[Any], *, limit: int, cursor: str | None
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


def _write(moment: datetime, identifier: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([moment.isoformat(), identifier]).encode()).decode().rstrip("=")


def _read(cursor: str) -> tuple[datetime, str]:
    try:
        moment, identifier = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        return datetime.fromisoformat(moment).astimezone(), str(identifier)
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidInputError("The cursor is not one of this list.", "Leave `cursor` out to start at the beginning.") from error
