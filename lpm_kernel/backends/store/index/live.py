"""The index of a node that runs: its file may be deleted, or be found damaged, at any moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from lpm_kernel.backends.store.index.database import IndexDb


class LiveIndex:
    """``index.db``, opened anew when somebody deleted the file under a running node. ``drop``
    removes the file with its logs.
    """

    def __init__(self, path: Path, drop: Callable[[], None]) -> None:
        self._path = path
        self._drop = drop
        self._lock = threading.Lock()
        self._open()

    @property
    def now(self) -> IndexDb:
        """The index over the file that is there."""
        if self._stamp() != self._opened[0]:
            with self._lock:
                if self._stamp() != self._opened[0]:
                    self._opened[1].close()
                    self._open()
        return self._opened[1]

    def discard_damaged(self) -> bool:
        """Begin the index anew where its file is damaged; what has to be read again is for the
        caller. ``False``: it is whole.
        """
        if not self.now.complaints():
            return False
        with self._lock:
            self._opened[1].close()
            self._drop()
            self._open()
        return True

    def close(self) -> None:
        """Let go of the file."""
        self._opened[1].close()

    def _open(self) -> None:
        opened = IndexDb(self._path)
        self._opened = (self._stamp(), opened)

    def _stamp(self) -> int:
        return self._path.stat().st_ino if self._path.exists() else 0
