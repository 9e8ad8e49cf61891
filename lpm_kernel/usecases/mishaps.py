"""What the system says when something of the home cannot be read or written, as a sentence with
what to do about it.

A full disk, a disk that is read-only, a file of somebody else's and a damaged one are told apart:
who is sent to free space where a file is damaged loses an hour, and perhaps the home.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from lpm_kernel.config import Home
from lpm_kernel.errors import CorruptHomeError, NodeError, UnavailableError

FULL = (errno.ENOSPC, errno.EDQUOT)
FORBIDDEN = (errno.EACCES, errno.EPERM)
OTHER_KIND = (errno.EISDIR, errno.ENOTDIR, errno.EEXIST)
FEWEST_BYTES = 1_000_000
"""With less than this free, an error at a database is that of a full disk."""


def told(error: BaseException, home: Home) -> NodeError | None:
    """Return the sentence for an error of the system or of a database, or ``None``: it was none."""
    for cause in _causes(error):
        if isinstance(cause, NodeError):
            return cause
        if isinstance(cause, sqlite3.DatabaseError):
            return _of_database(cause, home)
        if isinstance(cause, OSError) and cause.errno is not None:
            return _of_system(cause, home)
    return None


def not_permitted(home: Home, error: OSError) -> UnavailableError:
    """Say which part of the home may not be read or written."""
    return UnavailableError(
        f"{_part(home, error)} cannot be read or written by you.",
        f"Take it back: `chmod -R u+rwX {home.root}`.",
    )


def _of_system(error: OSError, home: Home) -> NodeError | None:
    known = {
        **dict.fromkeys(FULL, disk_full()),
        errno.EROFS: _read_only(home),
        errno.EFBIG: UnavailableError(
            "A file of the home has reached its size limit.",
            "Raise the limit on the size of files (`ulimit -f`), then try again.",
        ),
        errno.EMFILE: UnavailableError(
            "Too many files are open.", "Raise the limit (`ulimit -n`), then try again."
        ),
        errno.EIO: _disk_error(_part(home, error)),
    }
    if error.errno in known:
        return known[error.errno]
    if _inside(home, error) and error.errno in FORBIDDEN:
        return not_permitted(home, error)
    if _inside(home, error) and error.errno in OTHER_KIND:
        return CorruptHomeError(
            f"Something else stands in the place of {_part(home, error)}.",
            "`lpm recover` moves it away and continues with what is there.",
        )
    return None


def _of_database(error: sqlite3.DatabaseError, home: Home) -> NodeError | None:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        if _is_damaged(home.node_db):
            return CorruptHomeError(
                "The database of this home (node.db) is damaged: parts of it cannot be read.",
                "`lpm restore newest` brings the last backup back; `lpm recover` goes on with what"
                " is there.",
            )
        return CorruptHomeError(
            "The index (index.db) is damaged. It is made from the documents.",
            "Rebuild it with `lpm reindex`; nothing is lost.",
        )
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return UnavailableError("The database is busy.", "Try again in a moment.")
    if code == sqlite3.SQLITE_FULL:
        return disk_full()
    if code in {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PERM,
    }:
        return _unwritten(home, code)
    return None


def _is_damaged(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database:
            return bool(database.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except sqlite3.DatabaseError:
        return True


def _unwritten(home: Home, code: int) -> UnavailableError:
    """Say why a database could not be written: SQLite knows less of it than the system does."""
    with suppress(OSError):
        disk = os.statvfs(home.root)
        if disk.f_flag & os.ST_RDONLY:
            return _read_only(home)
        if disk.f_bavail * disk.f_frsize < FEWEST_BYTES:
            return disk_full()
    if code == sqlite3.SQLITE_IOERR:
        return _disk_error("a database of the home")
    return UnavailableError(
        "You have no permission to write to a database of the home.",
        f"Take it back: `chmod -R u+rwX {home.root}`.",
    )


def _disk_error(where: str) -> UnavailableError:
    return UnavailableError(
        f"The disk gave an error at {where}.",
        "Copy the home to another disk; `lpm verify` says what is damaged.",
    )


def _read_only(home: Home) -> UnavailableError:
    return UnavailableError(
        "The disk of the home is read-only, so nothing was written.",
        f"Make it writable, or copy {home.root} to another disk.",
    )


def disk_full() -> UnavailableError:
    """Say that there is no space left."""
    return UnavailableError(
        "The disk of the home is full, so nothing more was written.",
        "Free some space on it, then try again. Nothing that was there is lost.",
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it came of; SQLAlchemy keeps that of the driver in ``orig``."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop(0)
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [getattr(each, "orig", None), each.__cause__]


def _inside(home: Home, error: OSError) -> bool:
    names = [name for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
    return any(
        Path(name if isinstance(name, str) else name.decode("utf-8", "replace")).is_relative_to(
            home.root
        )
        for name in names
    )


def _part(home: Home, error: OSError) -> str:
    """Name the part of the home that an error is about."""
    name = error.filename
    path = Path(name) if isinstance(name, str) else None
    if path is None or not path.is_relative_to(home.root):
        return "the home"
    inside = path.relative_to(home.root).as_posix()
    return "The home" if inside == "." else f"“{inside}” in the home"
