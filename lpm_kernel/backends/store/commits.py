"""One wait for the disk, shared by all commits that were made before it began.

SQLite writes a commit to its log, and with ``synchronous=FULL`` waits each time until the log is on
disk, holding the lock that every other writer wants. Here the lock is let go first: who committed
waits afterwards, and whoever waits first asks the system once for all whose commits stand in the
log by then (ADR 0023). A commit is no less on disk when its writer goes on; only others may have
read it before.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path


def flush(log: Path) -> None:
    """Wait until a log is on disk. One that is gone was taken into the database, on disk, by
    whoever removed it. Raises ``OSError``.
    """
    try:
        descriptor = os.open(log, os.O_RDWR)
    except FileNotFoundError:
        return
    try:
        # as SQLite does
        (os.fdatasync if hasattr(os, "fdatasync") else os.fsync)(descriptor)
    finally:
        os.close(descriptor)


class Commits:
    """The commits of one database by this process, numbered from 1, and which of them last."""

    def __init__(self, flush: Callable[[], None]) -> None:
        self._flush = flush
        self._changed = threading.Condition()
        self._made = self._lasting = self._lost = 0
        self._flushing = False

    def note(self) -> int:
        """Count a commit that was made; give its number."""
        with self._changed:
            self._made += 1
            return self._made

    def wait(self, number: int | None = None) -> None:
        """Return once this commit is on disk; ``None``: all that were made by now.

        Raises ``OSError`` where the disk failed meanwhile: then nobody can say whether it is, and a
        second try would not tell.
        """
        with self._changed:
            number = self._made if number is None else number
            while self._lasting < number:
                if number <= self._lost:
                    raise OSError("What was written could not be brought to disk.")
                if self._flushing:
                    self._changed.wait()
                else:
                    self._bring()

    def flush(self) -> None:
        """Bring to disk what stands in the log, also what other processes wrote there."""
        self._flush()

    def _bring(self) -> None:
        """Flush for everybody who committed by now. The lock is held, and let go meanwhile."""
        self._flushing, until = True, self._made
        self._changed.release()
        whole = False
        try:
            self._flush()
            whole = True
        finally:
            self._changed.acquire()
            self._flushing = False
            if whole:
                self._lasting = max(self._lasting, until)
            else:
                self._lost = until
            self._changed.notify_all()
