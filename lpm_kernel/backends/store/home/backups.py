"""Backups in a local folder: each is a folder that could be used as a home, and shares its files
with the others.

The first backup copies the originals (without using space where the file system can share blocks),
and those after it link to that copy, so a further one costs little more than its database. No file
of the home itself is shared: damage to it would be damage to its backup. A backup appears under its
name once it is whole.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy.exc import DatabaseError, OperationalError

from lpm_kernel.backends.store.home.database import NodeDatabase, fingerprint
from lpm_kernel.backends.store.home.files import LocalFiles, copy_file
from lpm_kernel.domain.home.backups import Backup, in_order
from lpm_kernel.domain.stores import BackupSource, Contents
from lpm_kernel.errors import CorruptHomeError, NotFoundError, UnavailableError

FORMAT = 1
MANIFEST = "backup.json"
PIECE = 1 << 20
SAME_SECONDS = 2.0
"""By how much the times of a file and of its copy may differ: some file systems keep no finer
ones.
"""
_SHA256 = re.compile(r"[0-9a-f]{64}")


class LocalBackups:
    """The backups in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[Backup]:
        """Return the backups, oldest first; what is no whole backup is left out."""
        found = []
        for path in sorted(self.folder.glob(f"*/{MANIFEST}")) if self.folder.is_dir() else ():
            with suppress(ValueError, KeyError, TypeError, OSError, RecursionError):
                if not path.parent.name.endswith((".new", ".gone")):
                    found.append(_backup(json.loads(path.read_text("utf-8"))))
        return sorted(found, key=in_order)

    def damaged(self) -> str | None:
        """Name the last folder that was written here where it is no backup that could be brought
        back; its originals are not read for that.
        """
        folders = (
            [
                path
                for path in self.folder.iterdir()
                if path.is_dir() and not path.name.endswith((".new", ".gone"))
            ]
            if self.folder.is_dir()
            else []
        )
        if not folders:
            return None
        newest = max(folders, key=lambda path: path.stat().st_mtime)
        try:
            manifest = json.loads((newest / MANIFEST).read_text("utf-8"))
            _backup(manifest)
            return None if hash_of(newest / "node.db") == manifest["node_db"] else newest.name
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return newest.name

    def path(self, identifier: str) -> Path:
        """Return the folder of a backup. Raises ``NotFoundError``."""
        if identifier in {backup.id for backup in self.all()}:
            return self.folder / identifier
        raise NotFoundError("backup", identifier)

    def sweep(self) -> None:
        """Remove what was being made or removed when its process died."""
        for path in (*self.folder.glob("*.new"), *self.folder.glob("*.gone")):
            shutil.rmtree(path, ignore_errors=True)
        for path in self.folder.glob(f"*/{MANIFEST}.*.new"):
            path.unlink(missing_ok=True)

    def take(
        self,
        identifier: str,
        at: datetime,
        label: str,
        source: BackupSource,
        about: Mapping[str, Any],
    ) -> Backup:
        """Make a backup: the database as it is now, links to all files, and what else belongs to
        it.

        The copy of the database is opened and checked, and originals that no earlier backup holds
        are hashed; what is damaged in the home is named in the manifest. Raises
        ``UnavailableError`` when the folder cannot be written, and ``CorruptHomeError`` when the
        database is damaged.
        """
        staging = self.folder / f"{identifier}.new"
        before = self.all()
        earlier = [self.folder / backup.id / "files" for backup in before][-1:]
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (staging, staging / "files"):
                folder.mkdir(mode=0o700)
            _lay_out(staging, source, earlier)
            documents, damaged = _examine(staging, known=earlier)
            manifest = {
                "format": FORMAT,
                "id": identifier,
                "sequence": max((backup.sequence for backup in before), default=0) + 1,
                "at": at.isoformat(),
                "label": label,
                "documents": documents,
                "bytes": sum(path.stat().st_size for path in staging.rglob("*") if path.is_file()),
                "node_db": hash_of(staging / "node.db"),
                "damaged": damaged,
                **about,
            }
            _write(staging / MANIFEST, manifest)
            staging.replace(self.folder / identifier)
        except OSError as error:
            shutil.rmtree(staging, ignore_errors=True)
            why = (
                "the disk is full"
                if error.errno in {errno.ENOSPC, errno.EDQUOT}
                else error.strerror
            )
            raise UnavailableError(
                f"The backup could not be written to {self.folder}: {why}.",
                "Free space there or name another folder; the earlier backups are as they were.",
            ) from error
        except CorruptHomeError:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        return _backup(manifest)

    def originals(self, identifier: str) -> dict[str, str]:
        """Return the hash of each document of a backup by its id; nothing where its database cannot
        be read.
        """
        where = f"file:{quote(str(self.path(identifier) / 'node.db'))}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(where, uri=True)) as database:
                return {
                    str(row[0]): str(row[1])
                    for row in database.execute("SELECT id, sha256 FROM document")
                }
        except sqlite3.DatabaseError:
            return {}

    def erase(self, identifier: str, take_out: Callable[[Contents], None], at: datetime) -> bool:
        """Have something taken out of a backup, and leave no trace of it there. ``False``: there
        was nothing to take out.

        May be done again after a crash at any point. Raises ``CorruptHomeError`` when its database
        cannot be read.
        """
        path = self.path(identifier)
        try:
            with closing(NodeDatabase(path / "node.db")) as database:
                before = fingerprint(database.engine, tombstones=False)
                take_out(
                    Contents(
                        database.documents,
                        database.decisions,
                        database.conversations,
                        database.erasures,
                        LocalFiles(path / "files"),
                    )
                )
                changed = fingerprint(database.engine, tombstones=False) != before
                database.documents.removed(database.documents.removals())
                database.erasures.compact()
                stay = {document.sha256 for document in database.documents.everything()}
                tombstones = len(database.erasures.tombstones())
        except DatabaseError as error:
            if isinstance(error, OperationalError):
                raise
            raise CorruptHomeError(
                f"The database of backup {identifier} cannot be read.", "Delete the backup."
            ) from error
        for found in [found for found in (path / "files").iterdir() if found.name[:64] not in stay]:
            found.unlink()
            changed = True
        _single_file(path / "node.db")
        manifest = json.loads((path / MANIFEST).read_text("utf-8"))
        _write(
            path / MANIFEST,
            manifest
            | {
                "node_db": hash_of(path / "node.db"),
                "documents": len(stay),
                "rewritten_at": at.isoformat(),
                "tombstones": tombstones,
            },
        )
        return changed

    def behind(self, tombstones: int) -> list[str]:
        """Name the backups that do not know all of this many erasures yet: the folder was out of
        reach when they happened.
        """
        return [
            backup.id
            for backup in self.all()
            if json.loads((self.folder / backup.id / MANIFEST).read_text("utf-8")).get(
                "tombstones", 0
            )
            < tombstones
        ]

    def holds(self, identifier: str) -> set[str]:
        """Return the hashes of the originals that a backup holds."""
        return {
            path.name
            for path in (self.path(identifier) / "files").iterdir()
            if _SHA256.fullmatch(path.name)
        }

    def remove(self, identifier: str) -> None:
        """Remove a backup."""
        path = self.path(identifier)
        gone = path.with_name(f"{identifier}.gone")
        path.replace(gone)
        shutil.rmtree(gone, ignore_errors=True)


def check_backup(path: Path) -> list[str]:
    """Open a backup, hash everything in it, and say what is not as it was."""
    try:
        manifest = json.loads((path / MANIFEST).read_text("utf-8"))
        if hash_of(path / "node.db") != manifest["node_db"]:
            return ["its database is not as it was written"]
    except (OSError, ValueError, KeyError) as error:
        raise CorruptHomeError(
            "The backup cannot be read.", "Choose another one: `lpm backup --list`."
        ) from error
    return [each for each in _examine(path, known=())[1] if each not in manifest.get("damaged", [])]


def is_whole(path: Path) -> bool:
    """Tell whether a backup is as it was written."""
    try:
        return not check_backup(path)
    except CorruptHomeError:
        return False


def hash_of(path: Path) -> str:
    """Hash a file piece by piece."""
    made = hashlib.sha256()
    with path.open("rb") as handle:
        while piece := handle.read(PIECE):
            made.update(piece)
    return made.hexdigest()


def _share(source: Path, target: Path, earlier: Iterable[Path]) -> None:
    """Link the copy of an earlier backup, or make one: what happens to a file of the home must not
    happen to its backup too.

    Where the two differ, the one that its hash names is taken: an original that was damaged since
    does not take the place of a whole copy.
    """
    try:
        mine = source.stat()
        for candidate in (folder / source.name for folder in earlier):
            with suppress(OSError):
                there = candidate.stat()
                same = (
                    there.st_size == mine.st_size
                    and abs(there.st_mtime - mine.st_mtime) <= SAME_SECONDS
                )
                # earlier releases shared the file of the home itself
                if there.st_ino != mine.st_ino and (same or _is_better(candidate, source)):
                    os.link(candidate, target)
                    return
        copy_file(source, target)
    # it was dropped meanwhile; the check says so when a document misses it
    except FileNotFoundError:
        target.unlink(missing_ok=True)


def _is_better(candidate: Path, source: Path) -> bool:
    """Tell whether an earlier copy of an original is whole and the original itself is not."""
    return (
        bool(_SHA256.fullmatch(source.name))
        and hash_of(candidate) == source.name
        and hash_of(source) != source.name
    )


def _examine(path: Path, *, known: Iterable[Path]) -> tuple[int, list[str]]:
    """Open the database of a backup and hash its originals, except those that it shares with
    ``known`` folders. Returns the number of documents and what is wrong.
    """
    wrong: list[str] = []
    try:
        with closing(
            sqlite3.connect(f"file:{quote(str(path / 'node.db'))}?mode=ro&immutable=1", uri=True)
        ) as database:
            said = [str(row[0]) for row in database.execute("PRAGMA integrity_check(1)")]
            documents = [
                (str(row[0]), str(row[1]))
                for row in database.execute("SELECT id, sha256 FROM document ORDER BY id")
            ]
    except sqlite3.DatabaseError as error:
        raise CorruptHomeError(
            "The database cannot be read.", "Restore an earlier backup with `lpm restore`."
        ) from error
    if said != ["ok"]:
        raise CorruptHomeError(
            f"The database is damaged: {said[0]}.", "Restore an earlier backup with `lpm restore`."
        )
    for identifier, sha256 in documents:
        original = path / "files" / sha256
        if not original.exists():
            wrong.append(f"the original of document {identifier} is missing")
        elif (
            not any(_is_same(folder / sha256, original) for folder in known)
            and hash_of(original) != sha256
        ):
            wrong.append(f"the original of document {identifier} is damaged")
    return len(documents), wrong


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and one.samefile(other)


def _single_file(path: Path) -> None:
    """Leave a database that is closed as one file, without a log beside it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _write(path: Path, manifest: Mapping[str, Any]) -> None:
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    with os.fdopen(
        os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
    ) as handle:
        json.dump(manifest, handle, ensure_ascii=False, indent=1)
        handle.flush()
        os.fsync(handle.fileno())
    fresh.replace(path)


def _backup(manifest: Mapping[str, Any]) -> Backup:
    return Backup(
        id=str(manifest["id"]),
        at=datetime.fromisoformat(manifest["at"]),
        label=str(manifest["label"]),
        documents=int(manifest["documents"]),
        bytes=int(manifest["bytes"]),
        audit_number=int(manifest["audit_number"]),
        audit_hash=str(manifest["audit_hash"]),
        fingerprint=str(manifest["fingerprint"]),
        lost=int(manifest.get("lost", 0)),
        sequence=int(manifest.get("sequence", 0)),
    )


def _lay_out(staging: Path, source: BackupSource, earlier: Sequence[Path]) -> None:
    """Copy what a backup is made of, sharing the files that an earlier one has."""
    source.copy_database(staging / "node.db")
    for path in sorted(source.files.iterdir()):
        if _SHA256.match(path.name) and not path.name.endswith(".new") and path.is_file():
            _share(path, staging / "files" / path.name, earlier)
    for name, path in source.others.items():
        if path.is_file():
            (staging / name).parent.mkdir(exist_ok=True, mode=0o700)
            copy_file(path, staging / name)
