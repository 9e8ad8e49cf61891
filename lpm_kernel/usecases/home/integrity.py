"""Whether the parts of a home belong together, told before anything is opened, swept or backed up.

A home is one folder of several parts, and a part can be lost, damaged or put back from elsewhere. A
node that went on working then would take the loss for the person's wish. So what does not fit
together is named, with the one command that mends it, and nothing is written: :func:`ensure_whole`
is the first thing that every process does.

What counts as a loss: a database that is missing, empty, damaged, foreign, or older than the home
notes; and more than :data:`MOST_ASTRAY` of the originals, at least :data:`FEWEST_ASTRAY`, that the
database does not know, or that it knows and that are not there. Fewer are named by `lpm doctor` and
`lpm verify`, and nothing of them is lost either.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from lpm_kernel.config import Home, usable_settings
from lpm_kernel.errors import CorruptHomeError, InvalidInputError, SealedHomeError
from lpm_kernel.usecases.mishaps import not_permitted

MOST_ASTRAY = 0.5
"""Share of the originals that may be unknown or missing before the home counts as not whole."""
FEWEST_ASTRAY = 5
"""So many at least: a process that was killed may leave one or two."""
CHECKED_BYTES = 256_000_000
"""A database up to this size is checked page by page on every opening; a larger one by `lpm
verify`.
"""
NOTE = "audit.json"
RECOVERS = "`lpm recover` moves it to the folder `damaged` and goes on with what is there."
MAGIC = b"SQLite format 3\0"
_SHA256 = re.compile(r"[0-9a-f]{64}")
MOST_ENTRIES = 2**63
_UNDER_WAY = ("confirmed", "cleaned")


@dataclass(frozen=True)
class Fault:
    """What does not fit together, as a sentence."""

    sentence: str
    hint: str = ""
    """What to do, where that is not what :func:`way_back` says."""


def ensure_whole(home: Home) -> None:
    """Raise ``CorruptHomeError`` where the parts of a home contradict each other, and
    ``SealedHomeError`` where it is locked. Nothing is written.
    """
    if home.is_locked:
        raise SealedHomeError
    if (fault := find_fault(home)) is not None:
        raise CorruptHomeError(
            fault.sentence, f"Nothing was changed. {fault.hint or way_back(home)}"
        )


def misplaced(home: Home) -> list[Path]:
    """Return what stands where a part of the home should be and is no such thing: a file for a
    folder, a link that leads nowhere.
    """
    folders = (
        home.files,
        home.keys,
        home.logs,
        home.run,
        home.exports,
        home.imports,
        home.backups,
        home.models,
        home.versions,
        home.readers,
        home.workspace,
        home.aside,
    )
    logs = [home.node_db.with_name(f"{home.node_db.name}{suffix}") for suffix in ("-wal", "-shm")]
    files = (home.node_db, *logs, home.root / NOTE, home.marker, home.settings_file)
    return [
        *(
            path
            for path in (*folders, home.damaged)
            if (path.exists() or path.is_symlink()) and not path.is_dir()
        ),
        *(path for path in files if (path.exists() or path.is_symlink()) and not path.is_file()),
    ]


def _misplaced(home: Home) -> Fault | None:
    """Say what stands in the place of a part."""
    for path in misplaced(home):
        if path == home.settings_file:  # it keeps no home shut
            continue
        if path.is_symlink() and not path.exists():
            way = (
                way_back(home)
                if path.name.startswith(home.node_db.name) or path == home.files
                else RECOVERS
            )
            return Fault(
                f"The part “{path.name}” of this home is a link to {path.readlink()}, which is not"
                " there.",
                f"Connect the disk that it is on. If that is gone: {way}",
            )
        if path.name.startswith(home.node_db.name):
            return Fault(
                f"The database of this home (node.db) is damaged: a folder stands where {path.name}"
                " should be."
            )
        if path == home.files:
            return Fault(
                "A file stands where the folder of the originals (files/) of this home should be."
            )
        stands, wanted = ("folder", "file") if path.is_dir() else ("file", "folder")
        return Fault(
            f"A {stands} stands where the {wanted} “{path.name}” of this home should be.", RECOVERS
        )
    return None


def way_back(home: Home) -> str:
    """Name the one command that brings a home back."""
    newest = newest_backup(backup_folder(home))
    if newest is None:
        return (
            "`lpm recover` makes the home whole from what is there; put a backup back first if you"
            " have one elsewhere."
        )
    day = f"{newest[1][:4]}-{newest[1][4:6]}-{newest[1][6:8]}"
    return (
        f"`lpm restore newest` brings the backup of {day} back; `lpm recover` goes on with what is"
        " there."
    )


def newest_backup(folder: Path) -> tuple[Path, str] | None:
    """Return the newest backup that lost nothing, and its id, which begins with its time. Its
    database is there; `lpm restore` checks the rest.
    """
    whole: list[tuple[int, str, Path]] = []
    for path in folder.glob("*/backup.json") if folder.is_dir() else ():
        with suppress(OSError, ValueError, AttributeError, TypeError, RecursionError):
            manifest = json.loads(path.read_text("utf-8"))
            finished = not path.parent.name.endswith((".new", ".gone"))
            if (
                finished
                and not manifest.get("lost")
                and _begins_as_database(path.with_name("node.db"))
            ):
                whole.append((int(manifest.get("sequence", 0)), path.parent.name, path.parent))
    return (max(whole)[2], max(whole)[1]) if whole else None


def backup_folder(home: Home) -> Path:
    """Return where the backups of a home lie that need not open."""
    folder = ""
    with suppress(InvalidInputError):
        folder = usable_settings(home)[0].backup_folder
    return Path(folder).expanduser().absolute() if folder else home.backups


def _begins_as_database(path: Path) -> bool:
    with path.open("rb") as handle:
        return handle.read(len(MAGIC)) == MAGIC


def find_fault(home: Home) -> Fault | None:
    """Return the first thing that does not fit together, or ``None``. Nothing is written.

    Raises ``UnavailableError`` where the home itself is out of reach.
    """
    try:
        if (fault := _misplaced(home)) is not None:
            return fault
        used = is_used(home)
        if not home.node_db.exists() or home.node_db.stat().st_size == 0:
            how = "is empty" if home.node_db.exists() else "is missing"
            return (
                Fault(f"The database of this home (node.db) {how}, and {_left(home)}.")
                if used
                else None
            )
        if not _begins_as_database(home.node_db):
            return Fault(
                "The database of this home (node.db) is damaged: it is no longer a database."
            )
        if home.files.is_dir():
            os.scandir(home.files).close()
    except PermissionError as error:
        raise not_permitted(home, error) from error
    noted = _noted(home)
    try:
        with _reading(home.node_db) as database:
            return _fault_in(home, database, noted)
    except sqlite3.DatabaseError as error:
        if _is_busy(error):
            return None
        return Fault(f"The database of this home (node.db) is damaged: {_plain(error)}.")


def is_used(home: Home) -> bool:
    """Tell whether the home was worked with before: it bears its mark, notes what happened, or
    holds an original.
    """
    return home.marker.exists() or (home.root / NOTE).exists() or bool(_originals(home.files))


def mark(home: Home) -> None:
    """Put the mark on a home that has its database now, so that a missing one is told from a new
    home; one that cannot be read is written anew.
    """
    if not _is_marked(home):
        _write_marker(home, [])


def _is_marked(home: Home) -> bool:
    try:
        return isinstance(json.loads(home.marker.read_text("utf-8")), dict)
    except (OSError, ValueError, RecursionError):
        return False


def _write_marker(home: Home, lost: list[str]) -> None:
    fresh = home.marker.with_name(f"{home.marker.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
        json.dump({"home": home.secret("home-id"), "lost": lost}, handle)
        handle.flush()
        os.fsync(handle.fileno())
    fresh.replace(home.marker)


def is_usable(home: Home) -> bool:
    """Tell whether the database is one of ours and can be read."""
    try:
        with _reading(home.node_db) as database:
            if (
                home.node_db.stat().st_size <= CHECKED_BYTES
                and database.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok"
            ):
                return False
            database.execute("SELECT version_num FROM alembic_version").fetchone()
            _known(database)
    except (sqlite3.DatabaseError, OSError):
        return False
    return True


def accept(home: Home) -> int:
    """Note that the person goes on with a home as it is, and return how many originals are lost:
    they do not stop it again.
    """
    with _reading(home.node_db) as database:
        lost = sorted(_known(database) - _originals(home.files))
    _write_marker(home, lost)
    return len(lost)


def unknown_originals(home: Home) -> set[str]:
    """Return the hashes of originals that the database does not know, and that nobody asked to
    remove.
    """
    with _reading(home.node_db) as database:
        return _originals(home.files) - _known(database) - _ordered(database)


def _fault_in(
    home: Home, database: sqlite3.Connection, noted: tuple[int, str] | None
) -> Fault | None:
    tables = {
        str(row[0])
        for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    if "alembic_version" not in tables or "document" not in tables:
        if tables:
            return Fault("The database of this home (node.db) is that of another program.")
        return (
            Fault(f"The database of this home (node.db) is empty, and {_left(home)}.")
            if is_used(home)
            else None
        )
    if home.node_db.stat().st_size <= CHECKED_BYTES:
        said = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
        if said != "ok":
            return Fault(
                "The database of this home (node.db) is damaged: parts of it cannot be read."
            )
    if noted is not None and "audit" in tables:
        row = database.execute("SELECT hash FROM audit WHERE number = ?", (noted[0],)).fetchone()
        newest = int(database.execute("SELECT coalesce(max(number), 0) FROM audit").fetchone()[0])
        if newest < noted[0]:
            return Fault(
                f"The database of this home (node.db) is an older copy: it ends {noted[0] - newest}"
                " steps before the last that the home noted."
            )
        if row is None or str(row[0]) != noted[1]:
            return Fault(
                "The database of this home (node.db) belongs to another home, or to another course"
                " of this one."
            )
    return _astray(home, database)


def _astray(home: Home, database: sqlite3.Connection) -> Fault | None:
    known, there = _known(database), _originals(home.files)
    missing = known - there - _accepted(home)
    if len(missing) >= FEWEST_ASTRAY and len(missing) > MOST_ASTRAY * len(known):
        return Fault(
            f"{len(missing)} of {len(known)} originals are not in the folder {home.files.name}/ any"
            " more."
        )
    unknown = there - known - _ordered(database)
    if len(unknown) >= FEWEST_ASTRAY and len(unknown) > MOST_ASTRAY * len(there):
        return Fault(
            f"The database of this home (node.db) does not know {len(unknown)} of the {len(there)}"
            " originals that are there."
        )
    return None


def _known(database: sqlite3.Connection) -> set[str]:
    return {str(row[0]) for row in database.execute("SELECT DISTINCT sha256 FROM document")}


def _ordered(database: sqlite3.Connection) -> set[str]:
    """Return the hashes of what the person asked to be removed, and that may not be gone yet."""
    found: set[str] = set()
    tables = {
        str(row[0])
        for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    if "removal" in tables:
        found |= {str(row[0]) for row in database.execute("SELECT sha256 FROM removal")}
    if "erasure" in tables:
        for row in database.execute(
            "SELECT documents FROM erasure WHERE state IN (?, ?)", _UNDER_WAY
        ):
            found |= {str(load.get("sha256", "")) for load in json.loads(row[0])}
    return found


def _accepted(home: Home) -> set[str]:
    try:
        return {str(each) for each in json.loads(home.marker.read_text("utf-8")).get("lost", [])}
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return set()


def _noted(home: Home) -> tuple[int, str] | None:
    """Return the newest audit entry as the home noted it; a note that cannot be read says
    nothing.
    """
    try:
        body = json.loads((home.root / NOTE).read_text("utf-8"))
        number = int(body["number"])
        return (number, str(body["hash"])) if 0 < number < MOST_ENTRIES else None
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _left(home: Home) -> str:
    count = len(_originals(home.files))
    if not count:
        return "the home was used before"
    return f"{count} originals are still there" if count > 1 else "an original is still there"


def _originals(folder: Path) -> set[str]:
    return (
        {path.name for path in folder.iterdir() if _SHA256.fullmatch(path.name)}
        if folder.is_dir()
        else set()
    )


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database for reading. On a disk that cannot be written it is read as it lies there."""
    where = f"file:{quote(str(path))}?mode=ro"
    try:
        connection = sqlite3.connect(where, uri=True, timeout=5)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            raise
        connection = sqlite3.connect(f"{where}&immutable=1", uri=True, timeout=5)
    with closing(connection):
        yield connection


def _is_busy(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    }


def _plain(error: sqlite3.DatabaseError) -> str:
    damaged = {
        sqlite3.SQLITE_CORRUPT: "parts of it cannot be read",
        sqlite3.SQLITE_NOTADB: "it is no longer a database",
    }
    return damaged.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, str(error))
