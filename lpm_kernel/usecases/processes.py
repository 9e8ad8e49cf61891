"""Which processes of a home run: each holds a lock on a file in ``run/`` as long as it lives, and
wrote its id into it.

A lock goes with its process however that ends, so a stale file cannot be taken for a running node.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from lpm_kernel.config import Home
from lpm_kernel.errors import ConflictError, HomeLockedError

if os.name == "nt":  # pragma: no cover - Windows runs the node in WSL
    raise ImportError("The node runs on Linux, macOS and WSL.")

import fcntl

NAMES = ("node", "serve", "work", "peer")
ADDRESS = "node.json"
BEAT_EVERY = 2.0
LOOKED_AT_FOR = 0.5
"""Seconds: who asks whether a process runs takes its lock for a moment, which is not a reason to
refuse to start.
"""


@contextmanager
def running_as(home: Home, name: str) -> Iterator[None]:
    """Hold the lock of process ``name`` of this home. Raises ``HomeLockedError`` when another holds
    it.
    """
    path = _file(home, name)
    with path.open("a+") as handle:
        until = time.monotonic() + LOOKED_AT_FOR
        while not _locked(handle):
            if time.monotonic() > until:
                raise HomeLockedError(_pid(path) or 0)
            time.sleep(LOOKED_AT_FOR / 10)
        handle.seek(0)
        handle.truncate()
        handle.write(str(os.getpid()))
        handle.flush()
        yield


def running_since(home: Home, name: str = "node") -> datetime | None:
    """Return when a process of this home started; ``None``: it does not run."""
    if name not in dict(running(home)):
        return None
    return datetime.fromtimestamp(_file(home, name).stat().st_mtime, UTC)


def beat(home: Home, name: str, stop: threading.Event) -> None:
    """Give a sign of life until told to stop, in a thread of its own: it falls silent when nothing
    in the process gets a turn any more.
    """
    while not stop.wait(BEAT_EVERY):
        with suppress(OSError):  # a full disk is no reason to end
            written = os.open(_beat(home, name), os.O_WRONLY | os.O_CREAT, 0o600)
            try:  # in place, not emptied first: on a full disk it could not be filled again
                os.pwrite(written, f"{time.monotonic():020.6f}".encode(), 0)
            finally:
                os.close(written)


def last_beat(home: Home, name: str) -> str | None:
    """Return the last sign of life of a process: another one than before, or the same again."""
    try:
        return _beat(home, name).read_text()
    except OSError:
        return None


def _beat(home: Home, name: str) -> Path:
    return home.run / f"{name}.beat"


@contextmanager
def waiting_for(home: Home, name: str) -> Iterator[None]:
    """Do something that only one process of a home does at a time, after the others."""
    with _file(home, name).open("a+") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def alone(home: Home, name: str, taken: str) -> Iterator[None]:
    """Do something that only one process of a home does at a time. Raises ``ConflictError`` with
    ``taken`` while another does it.
    """
    with _file(home, name).open("a+") as handle:
        if not _locked(handle):
            raise ConflictError(taken, "Wait for it, or end that command first.")
        yield


@contextmanager
def reading_documents(
    home: Home, *, undisturbed: bool = False, wait: bool = True
) -> Iterator[None]:
    """Held while a document is read, by any number of processes at once; ``undisturbed`` waits
    until nobody reads, and keeps others from it. Raises ``BlockingIOError`` instead of waiting
    without ``wait``.
    """
    with _file(home, "reading").open("a+") as handle:
        how = fcntl.LOCK_EX if undisturbed else fcntl.LOCK_SH
        fcntl.flock(handle, how if wait else how | fcntl.LOCK_NB)
        yield


def running(home: Home) -> list[tuple[str, int]]:
    """Return name and process id of what runs on this home."""
    found = []
    for name in NAMES:
        path = _file(home, name)
        if not path.exists():
            continue
        with path.open("a+") as handle:
            if not _locked(handle) and (pid := _pid(path)):
                found.append((name, pid))
    return found


def address(home: Home, name: str = "node") -> str | None:
    """Return where the running node of this home answers; ``name``: which of its processes has to
    run for that.

    What another supervisor noted says nothing: one that was killed, or that of the home which this
    one was copied from.
    """
    runs = dict(running(home)) if home.run.is_dir() else {}
    if name not in runs:
        return None
    try:
        noted = json.loads((home.run / ADDRESS).read_text("utf-8"))
        return (
            str(noted["url"])
            if noted["pid"] == runs.get("node") and noted["home"] == str(home.root.resolve())
            else None
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def announce(home: Home, url: str) -> None:
    """Note where the node that this process keeps running answers."""
    fresh = home.run / f"{ADDRESS}.new"
    fresh.write_text(
        json.dumps({"url": url, "pid": os.getpid(), "home": str(home.root.resolve())}), "utf-8"
    )
    fresh.replace(home.run / ADDRESS)


def withdraw(home: Home) -> None:
    """Take that note away."""
    (home.run / ADDRESS).unlink(missing_ok=True)


def named(home: Home) -> list[int]:
    """Return the process ids of what serves or works on this home, or did so last."""
    return [
        pid
        for name in ("serve", "work")
        if (path := _file(home, name)).exists() and (pid := _pid(path)) is not None
    ]


def _file(home: Home, name: str) -> Path:
    return home.run / f"{name}.lock"


def _locked(handle: IO[str]) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _pid(path: Path) -> int | None:
    text = path.read_text().strip()
    return int(text) if text.isdigit() else None
