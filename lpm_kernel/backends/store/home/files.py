"""Originals and canonical texts in a local folder, by content hash.

Every write goes to a fresh name first, reaches the disk, and then takes its place: a process killed
at any moment leaves a whole file or none.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import psutil

from lpm_kernel.domain.library.canonical import details_of, with_details
from lpm_kernel.domain.library.documents import ParsedText
from lpm_kernel.errors import NotFoundError

_SHA256 = re.compile(r"[0-9a-f]{64}")
_FICLONE = 0x40049409
"""Linux's request to share the blocks of a file (`man ioctl_ficlone`)."""
_VERSION = re.compile(r"[a-z0-9-]{1,32}")


class LocalFiles:
    """The ``Files`` port over one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._aside = folder.with_name("aside")

    def keep(self, data: bytes) -> str:
        """Keep an original durably and return its SHA-256 in hex."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self._folder / sha256
        if not path.is_file() or path.stat().st_size != len(data):
            self._write(path, data)
        return sha256

    def original(self, sha256: str) -> bytes:
        """Return an original."""
        path = self._path(sha256)
        if not path.is_file():
            raise NotFoundError("original", sha256[:12])
        return path.read_bytes()

    def keep_text(self, sha256: str, version: str, parsed: ParsedText) -> None:
        """Keep the text as plain UTF-8, and beside it what is known of its parts; the text is
        written last.
        """
        self._write(
            self._path(sha256, f".{version}.json"),
            json.dumps(details_of(parsed), ensure_ascii=False).encode(),
            more=True,
        )
        self._write(self._path(sha256, f".{version}.txt"), parsed.text.encode())

    def text(self, sha256: str, version: str) -> ParsedText | None:
        """Return the canonical text, or ``None`` where that version was not made, or is damaged: it
        can be made again.
        """
        text_path, details_path = (
            self._path(sha256, f".{version}.txt"),
            self._path(sha256, f".{version}.json"),
        )
        if not (text_path.is_file() and details_path.is_file()):
            return None
        try:
            return with_details(
                text_path.read_bytes().decode(), json.loads(details_path.read_bytes())
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def words(self, sha256: str, version: str) -> str | None:
        """Return the canonical text without its parts, which take longer to read than the text
        itself.
        """
        path = self._path(sha256, f".{version}.txt")
        return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None

    def listing(self) -> dict[str, dict[str, Path]]:
        """Return everything that is kept, by the hash of the original and the ending: none for the
        original itself.
        """
        found: dict[str, dict[str, Path]] = {}
        for path in sorted(self._folder.iterdir()):
            if _SHA256.fullmatch(path.name[:64]) and not path.name.endswith(".new"):
                found.setdefault(path.name[:64], {})[path.name[64:]] = path
        return found

    def keep_file(self, sha256: str, pieces: Iterable[bytes], ending: str = "") -> bool:
        """Keep an original, or a text beside it, piece by piece. ``False``: these bytes are not
        what the hash says, and nothing is kept.
        """
        path = self._path(sha256, ending)
        fresh = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
        made = hashlib.sha256()
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as handle:
            for piece in pieces:
                made.update(piece)
                handle.write(piece)
            handle.flush()
            os.fsync(handle.fileno())
        if not ending and made.hexdigest() != sha256:
            fresh.unlink()
            return False
        self._put_in_place(fresh, path)
        return True

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold off every other process that keeps or drops an original, so that a file and its row
        come and go together.
        """
        with (self._folder / ".lock").open("a") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def kept(self) -> set[str]:
        """Return the hashes of everything that is kept."""
        return {
            path.name[:64] for path in self._folder.iterdir() if _SHA256.fullmatch(path.name[:64])
        }

    def drop_text(self, sha256: str, version: str) -> None:
        """Remove a text; it can be made again."""
        for ending in (f".{version}.txt", f".{version}.json"):
            _remove(self._path(sha256, ending))

    def drop(self, sha256: str) -> None:
        """Remove an original and every text made from it, put aside or not."""
        self.drop_all({self._path(sha256).name})

    def drop_all(self, hashes: Collection[str]) -> None:
        """Remove several originals and every text made from them, put aside or not, in one pass."""
        for folder in (self._folder, self._aside):
            for path in [path for path in _entries(folder) if path.name[:64] in hashes]:
                _remove(path)

    def put_aside(self, hashes: Collection[str], at: datetime) -> None:
        """Move originals that nobody knows, with their texts, out of the way; they can come
        back.
        """
        for path in [path for path in _entries(self._folder) if path.name[:64] in hashes]:
            self._aside.mkdir(mode=0o700, exist_ok=True)
            with suppress(FileNotFoundError):
                os.utime(path, (at.timestamp(), at.timestamp()))
                path.replace(self._aside / path.name)

    def aside(self) -> dict[str, Path]:
        """Return the originals that were put aside, by their hashes."""
        return {
            path.name: path
            for path in sorted(_entries(self._aside))
            if _SHA256.fullmatch(path.name) and path.is_file()
        }

    def drop_aside(self, before: datetime) -> int:
        """Remove what was put aside before a moment, and return how many originals that were."""
        count = 0
        for path in _entries(self._aside):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before.timestamp():
                    count += bool(_SHA256.fullmatch(path.name))
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        return count

    def sweep(self) -> None:
        """Remove what a killed process left half written. A fresh name carries its process, so what
        is under way stays.
        """
        for path in [path for path in self._folder.glob("*.new") if path.is_file()]:
            writer = path.name.removesuffix(".new").rpartition(".")[2].partition("-")[0]
            if not (writer.isdigit() and psutil.pid_exists(int(writer))):
                path.unlink(missing_ok=True)

    def _path(self, sha256: str, ending: str = "") -> Path:
        if not _SHA256.fullmatch(sha256) or (
            ending and not _VERSION.fullmatch(ending.split(".")[1])
        ):
            raise NotFoundError("file", sha256)
        return self._folder / f"{sha256}{ending}"

    def _put_in_place(self, fresh: Path, path: Path) -> None:
        """Give a file its name. What stands there and is no file is put aside."""
        if path.is_dir():
            self._aside.mkdir(mode=0o700, exist_ok=True)
            path.rename(self._aside / f"{secrets.token_hex(4)}-{path.name}")
        fresh.replace(path)

    def _write(self, path: Path, data: bytes, *, more: bool = False) -> None:
        """Write a file that lasts; ``more`` follows at once, and its name reaches the disk together
        with this one's.
        """
        fresh = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        self._put_in_place(fresh, path)
        if more:
            return
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file with its times, sharing its blocks where the file system can: a later change to
    one does not reach the other.

    The copy is for the person alone, whatever the source was: a disk of another system may know no
    such thing.
    """
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with source.open("rb") as read, os.fdopen(descriptor, "wb") as write:
        try:
            fcntl.ioctl(write.fileno(), _FICLONE, read.fileno())
        except OSError:  # not on this file system, or across two of them
            shutil.copyfileobj(read, write, 1 << 20)
        write.flush()
        os.fsync(write.fileno())
    known = source.stat()
    os.utime(target, ns=(known.st_atime_ns, known.st_mtime_ns))
