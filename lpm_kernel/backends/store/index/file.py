"""The file of the index: opened, and made anew when it is missing, damaged or of another shape."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from sqlalchemy import (
    Connection,
    Engine,
    Executable,
    MetaData,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import DatabaseError

from lpm_kernel.backends.store.index.tables import FULL_TEXT, STAMP, metadata, stamp
from lpm_kernel.backends.store.sqlite import open_engine, reading, writing

logger = logging.getLogger(__name__)

CHECKED_BYTES = 256_000_000
"""An index up to this size is checked page by page on every opening; `lpm verify` looks at a larger
one.
"""


def open_file(path: Path) -> tuple[Engine, bool]:
    """Open the file, making it anew when it cannot be used. Says whether it was made."""
    engine = open_engine(path, durable=False) if _readable(path) else _replace(path)
    with writing(engine) as connection:
        if _stamped(connection):
            return engine, False
        _empty(connection)
        metadata.create_all(connection)
        connection.execute(text(FULL_TEXT))
        connection.execute(insert(stamp).values(id=1, stamp=STAMP, revision=1))
    return engine, True


def fit(
    engine: Engine,
    metadata: MetaData,
    fits: Callable[[Connection], bool],
    *first: Executable,
    fresh: bool,
    former: Mapping[str, str] | None = None,
) -> None:
    """Make tables that have a shape of their own beside the passages, and put the ``first`` row in;
    where they are there in that shape, nothing is done. A table that still has its ``former`` name
    is given the present one.
    """
    with reading(engine) as connection:
        if not fresh and not _misnamed(connection, former) and fits(connection):
            return
    with writing(engine) as connection:
        for before, now in _misnamed(connection, former).items():
            connection.execute(text(f"ALTER TABLE {before} RENAME TO {now}"))
        if fresh or not fits(connection):  # another process may have been here meanwhile
            metadata.drop_all(connection)
            metadata.create_all(connection)
            for row in first:
                connection.execute(row)


def _misnamed(connection: Connection, former: Mapping[str, str] | None) -> dict[str, str]:
    there = inspect(connection).get_table_names() if former else []
    return {
        before: now
        for before, now in (former or {}).items()
        if before in there and now not in there
    }


def _readable(path: Path) -> bool:
    """Say whether SQLite takes this for one of its files and every table answers."""
    if not path.is_file():
        return False
    engine: Engine | None = None
    try:
        engine = open_engine(path, durable=False)
        with reading(engine) as connection:
            if _stamped(connection):
                for table in metadata.sorted_tables:
                    connection.execute(select(table).limit(1)).all()
                connection.execute(
                    text("SELECT rowid FROM words WHERE words MATCH 'x' LIMIT 1")
                ).all()
                if (
                    path.stat().st_size <= CHECKED_BYTES
                    and connection.execute(text("PRAGMA quick_check(1)")).scalar_one() != "ok"
                ):
                    return False
    except DatabaseError:
        return False
    finally:
        if engine is not None:
            engine.dispose()
    return True


def _replace(path: Path) -> Engine:
    if path.is_file() and path.stat().st_size:
        logger.warning("index.db cannot be used as it is and is made anew from the documents.")
    for each in (Path(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")):
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        each.unlink(missing_ok=True)
    return open_engine(path, durable=False)


def _stamped(connection: Connection) -> bool:
    there = (
        connection.execute(
            text(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('stamp', 'words')"
            )
        )
        .scalars()
        .all()
    )
    return (
        len(there) == len(("stamp", "words"))
        and connection.execute(select(stamp.c.stamp)).scalar_one_or_none() == STAMP
    )


def _empty(connection: Connection) -> None:
    connection.execute(text("DROP TABLE IF EXISTS words"))
    metadata.drop_all(connection)
