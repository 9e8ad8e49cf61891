"""Bringing a backup back: everything is made ready beside the home, then put in its place piece by
piece.

A home whose restoring was interrupted finishes it when it is opened next. What was erased since the
backup stays erased.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from lpm_kernel.config import Home
from lpm_kernel.domain.home.audit import AuditEntry
from lpm_kernel.errors import ConflictError, InvalidInputError, StillRunningError
from lpm_kernel.usecases.processes import running

STAGING = "restore.new"
READY = "ready"
KEEP = "keep"
"""Stands in what is staged where the present state could not be put aside as a backup."""
PIECES = ("files", "settings.toml", "audit.json", "node.db")
"""In the order in which they are put in place; the database comes last."""


@dataclass(frozen=True)
class Present:
    """What of the present state must outlive it."""

    tombstones: dict[str, datetime]
    entries: list[AuditEntry]
    unfinished: int


Prepare = Callable[[Path, Present], None]
"""Called with the staged folder: takes erased rows out of its database and carries the audit chain
on.
"""


def restore(
    home: Home,
    source: Path,
    present: Present,
    prepare: Prepare,
    put_aside: Callable[[], str],
    close: Callable[[], None],
) -> str:
    """Put a backup in the place of the home and return the name under which the present state was
    put aside.

    Raises ``StillRunningError`` while a process of the home runs, ``ConflictError`` while an
    erasure is not finished.
    """
    refuse_while_running(home)
    if present.unfinished:
        raise ConflictError(
            "An erasure is running, so nothing was restored: what it erases could come back.",
            "Start the node, wait until the job is done, then restore.",
        )
    aside = put_aside()
    staging = home.root / STAGING
    shutil.rmtree(staging, ignore_errors=True)
    stage(source, staging)
    prepare(staging, present)
    close()
    (staging / READY).touch()
    finish(home)
    return aside


def restore_to(target: Home, source: Path, present: Present, prepare: Prepare) -> None:
    """Make a home of a backup in an empty folder; the present home is not touched. Raises
    ``InvalidInputError``.
    """
    if target.root.exists() and any(target.root.iterdir()):
        raise InvalidInputError(
            f"{target.root} is not empty, so nothing was written to it.",
            "Choose a folder that does not exist yet.",
        )
    target.root.mkdir(parents=True, exist_ok=True, mode=0o700)
    staging = target.root / STAGING
    stage(source, staging)
    prepare(staging, present)
    (staging / READY).touch()
    finish(target)


def refuse_while_running(home: Home) -> None:
    """Raise ``StillRunningError`` while another process of the home runs."""
    if runs := [pid for _, pid in running(home) if pid != os.getpid()]:
        raise StillRunningError(runs[0])


def set_aside(home: Home, *names: str) -> None:
    """Move files of the home that cannot be used, with their logs, into a folder of their own."""
    refuse_while_running(home)
    for path in [path for name in names for path in home.root.glob(f"{name}*")]:
        home.put_away(path)


def present_of(path: Path) -> Present:
    """Return what of a database must outlive it, as far as it can still be read."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as database:
            erased = {
                str(row[0]): datetime.fromisoformat(row[1])
                for row in database.execute("SELECT id, at FROM tombstone")
            }
            entries = [
                AuditEntry(*row)
                for row in database.execute(
                    "SELECT number, at, kind, facts, previous, hash FROM audit ORDER BY number"
                )
            ]
    except (sqlite3.DatabaseError, ValueError, TypeError):
        return Present({}, [], 0)
    return Present(erased, entries, 0)


def restore_broken(home: Home, source: Path, prepare: Prepare) -> None:
    """Put a backup in the place of a home that cannot be opened.

    The database lies in ``damaged`` then, and what the backup does not have of the originals is put
    aside.
    """
    present = present_of(home.node_db)
    staging = home.root / STAGING
    shutil.rmtree(staging, ignore_errors=True)
    stage(source, staging)
    for path in (staging / "keys").iterdir() if (staging / "keys").is_dir() else ():
        if not (home.keys / path.name).exists():
            home.keys.mkdir(exist_ok=True, mode=0o700)
            shutil.copy2(path, home.keys / path.name)
    prepare(staging, present)
    set_aside(home, "node.db", "audit.json")
    (staging / KEEP).touch()
    (staging / READY).touch()
    finish(home)


def stage(source: Path, staging: Path) -> None:
    """Lay out a backup in a folder, closed to everybody else. Originals are copied: damage to one
    of them must not be damage to its backup.
    """
    staging.mkdir(mode=0o700)
    (staging / "files").mkdir(mode=0o700)
    for path in sorted((source / "files").iterdir()):
        shutil.copy2(path, staging / "files" / path.name)
    for name in ("settings.toml", "node.db"):
        if (source / name).exists():
            shutil.copy2(source / name, staging / name)
    if (source / "keys").is_dir():
        shutil.copytree(source / "keys", staging / "keys")
    for path in staging.rglob("*"):  # a backup may lie on a disk that knows no owners
        path.chmod(0o700 if path.is_dir() else 0o600)


def finish(home: Home) -> bool:
    """Put what is staged in its place; may be done again after a crash at any point. ``False``:
    nothing was staged.
    """
    staging = home.root / STAGING
    if not (staging / READY).exists():
        if staging.is_dir():  # it was never whole, so the home is as it was
            shutil.rmtree(staging)
        else:
            staging.unlink(missing_ok=True)
        return False
    home.workspace_pending.touch()
    for name in PIECES:
        _put_in_place(staging, home.root, name)
    if (staging / KEEP).exists():
        _keep_strays(staging / "files.before", home)
    home.drop_index()
    home.keys.mkdir(exist_ok=True, mode=0o700)
    for path in (staging / "keys").iterdir() if (staging / "keys").is_dir() else ():
        if not (home.keys / path.name).exists():
            path.replace(home.keys / path.name)
    (staging / READY).unlink()
    shutil.rmtree(staging)
    return True


def _put_in_place(staging: Path, root: Path, name: str) -> None:
    fresh, place = staging / name, root / name
    if not fresh.exists():
        return
    if place.is_dir() != fresh.is_dir() and (place.exists() or place.is_symlink()):
        place.rename(staging / f"{name}.odd")  # something of another kind stands there
    if fresh.is_dir() and place.exists():
        place.replace(staging / f"{name}.before")
    if name == "node.db":  # what its log holds is in the backup that was just made
        for suffix in ("-wal", "-shm"):
            (root / f"{name}{suffix}").unlink(missing_ok=True)
    fresh.replace(place)


def _keep_strays(before: Path, home: Home) -> None:
    """Put originals aside that no backup was made of and that are not in the one that was brought
    back.
    """
    for path in before.iterdir() if before.is_dir() else ():
        if (
            path.is_file()
            and not path.name.startswith(".")
            and not (home.files / path.name).exists()
        ):
            home.aside.mkdir(mode=0o700, exist_ok=True)
            os.utime(path)
            path.replace(home.aside / path.name)
