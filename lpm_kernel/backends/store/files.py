"""Originals and canonical texts in a local folder, by content hash.

Every write goes to a fresh name first, reaches the disk, and then takes its place: a process killed at any moment
leaves a whole file or none.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from lpm_kernel.domain.documents import ParsedText, Segment
from lpm_kernel.errors import NotFoundError

_SHA256 = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"[a-z0-9-]{1,32}")


class LocalFiles:
    """The ``Files`` port over one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, data: bytes) -> str:
        """Keep an original durably and return its SHA-256 in hex."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self._folder / sha256
        if not path.exists() or path.stat().st_size != len(data):
            self._write(path, data)
        return sha256

    def original(self, sha256: str) -> bytes:
        """Return an original."""
        path = self._path(sha256)
        if not path.exists():
            raise NotFoundError("original", sha256[:12])
        return path.read_bytes()

    def keep_text(self, sha256: str, version: str, parsed: ParsedText) -> None:
        """Keep the text as plain UTF-8, and beside it what is known of its parts; the text is written last."""
        details = {
            "title": parsed.title,
            "created_at": parsed.created_at.isoformat() if parsed.created_at else None,
            "tags": list(parsed.tags),
            "private": parsed.private,
            "remarks": list(parsed.remarks),
            "segments": [_lean(asdict(segment)) for segment in parsed.segments],
        }
        self._write(self._path(sha256, f".{version}.json"), json.dumps(details, ensure_ascii=False).encode())
        self._write(self._path(sha256, f".{version}.txt"), parsed.text.encode())

    def text(self, sha256: str, version: str) -> ParsedText | None:
        """Return the canonical text, or ``None`` where that version was not made."""
        text_path, details_path = self._path(sha256, f".{version}.txt"), self._path(sha256, f".{version}.json")
        if not (text_path.exists() and details_path.exists()):
            return None
        details = json.loads(details_path.read_bytes())
        return ParsedText(
            text=text_path.read_bytes().decode(),
            segments=tuple(Segment(**_timed(row, "said_at")) for row in details["segments"]),
            title=details["title"],
            created_at=_timed(details, "created_at")["created_at"],
            tags=tuple(details["tags"]),
            private=details["private"],
            remarks=tuple(details["remarks"]),
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold off every other process that keeps or drops an original, so that a file and its row come and go together."""
        with (self._folder / ".lock").open("a") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def kept(self) -> set[str]:
        """Return the hashes of everything that is kept."""
        return {path.name[:64] for path in self._folder.iterdir() if _SHA256.fullmatch(path.name[:64])}

    def drop(self, sha256: str) -> None:
        """Remove an original and every text made from it."""
        for path in self._folder.glob(f"{self._path(sha256).name}*"):
            path.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what a killed process left half written. A fresh name carries its process, so what is under way stays."""
        for path in self._folder.glob("*.new"):
            writer = path.name.removesuffix(".new").rpartition(".")[2].partition("-")[0]
            if not (writer.isdigit() and _lives(int(writer))):
                path.unlink(missing_ok=True)

    def _path(self, sha256: str, ending: str = "") -> Path:
        if not _SHA256.fullmatch(sha256) or (ending and not _VERSION.fullmatch(ending.split(".")[1])):
            raise NotFoundError("file", sha256)
        return self._folder / f"{sha256}{ending}"

    def _write(self, path: Path, data: bytes) -> None:
        fresh = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        fresh.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _lean(row: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is at its default, so that a transcript's details stay small."""
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items() if value is not None and value is not False}


def _timed(row: dict[str, Any], key: str) -> dict[str, Any]:
    """Read one ISO 8601 value of a row back."""
    text = row.get(key)
    return row | {key: datetime.fromisoformat(text) if text else None}
