"""Statements that are asked often: written with SQLAlchemy, turned into SQL once, and run by the
driver.

Building an expression and finding its SQL takes ten times as long as SQLite takes to run it, which
shows where one question of a contact is a dozen of them. Values go in and come out as the columns'
types say. Lists (``IN``) cannot be values.
"""

from __future__ import annotations

import sqlite3
from collections import namedtuple
from typing import Any, cast

from sqlalchemy import Connection, Select
from sqlalchemy.dialects.sqlite import dialect as sqlite
from sqlalchemy.sql.base import Executable

_DIALECT = sqlite(paramstyle="named")


def driver(connection: Connection) -> sqlite3.Connection:
    """Return what SQLAlchemy speaks through."""
    return cast("sqlite3.Connection", connection.connection.driver_connection)


class Prepared:
    """One statement. Values are given by the names of its ``bindparam``, or of the columns of an
    insert.
    """

    def __init__(self, statement: Executable) -> None:
        compiled: Any = statement.compile(  # type: ignore[attr-defined]
            dialect=_DIALECT, compile_kwargs={"render_postcompile": True}
        )
        self._sql = str(compiled)
        self._values: dict[str, Any] = {
            name: bind.value for name, bind in compiled.binds.items() if not bind.required
        }
        into = (
            (name, bind.type.dialect_impl(_DIALECT).bind_processor(_DIALECT))
            for name, bind in compiled.binds.items()
        )
        self._into = {name: process for name, process in into if process is not None}
        columns = list(statement.selected_columns) if isinstance(statement, Select) else []
        self._row: Any = namedtuple("Row", [column.key for column in columns]) if columns else None  # type: ignore[misc]  # noqa: PYI024  fields are the statement's
        self._from = [
            column.type.dialect_impl(_DIALECT).result_processor(_DIALECT, None)
            for column in columns
        ]

    def run(self, connection: Connection, **values: Any) -> int:  # noqa: ANN401  of the columns' types
        """Run it, and say how many rows it changed."""
        return self._execute(connection, values).rowcount

    def first(self, connection: Connection, **values: Any) -> Any:  # noqa: ANN401  a row, with its columns as attributes
        """Return the first row, or ``None``."""
        found = self._execute(connection, values).fetchone()
        if found is None or self._row is None:
            return None
        read: list[Any] = [
            value if process is None else process(value)
            for value, process in zip(found, self._from, strict=True)
        ]
        return self._row(*read)

    def _execute(self, connection: Connection, values: dict[str, Any]) -> sqlite3.Cursor:
        given = self._values | values
        for name, process in self._into.items():
            given[name] = process(given[name])
        return driver(connection).execute(self._sql, given)
