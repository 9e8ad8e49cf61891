"""How a SQLite file is opened here: WAL, foreign keys, a busy timeout, and writes that take their lock at once.

A transaction that reads first and writes later can fail with "database is locked" whatever the timeout, so
:func:`writing` begins with ``BEGIN IMMEDIATE``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

BUSY_SECONDS = 15


def open_engine(path: Path, *, durable: bool = True) -> Engine:
    """Open, or create, the database at ``path``, readable by its owner alone.

    ``durable``: a commit survives a power cut, not only a killed process. What can be remade does without.
    """
    path.touch(mode=0o600, exist_ok=True)
    engine = create_engine(
        f"sqlite:///{path}", poolclass=QueuePool, pool_size=4, max_overflow=16, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # SQLAlchemy's begin event below starts transactions, not the driver
        for pragma in ("journal_mode=WAL", f"synchronous={'FULL' if durable else 'NORMAL'}", "foreign_keys=ON", "temp_store=MEMORY"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writing") else "BEGIN")

    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open one short transaction that will write; it commits at the end, or leaves no trace."""
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open one consistent view."""
    with engine.connect() as connection, connection.begin():
        yield connection
