"""One at a time, in the order of asking: a running answer is never interrupted by the next request."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK_SECONDS = 0.1
"""How often one who waits looks whether whoever asked is still there."""


def never() -> bool:
    """Stand for somebody who stays to the end."""
    return False


class GoneError(Exception):
    """Whoever asked has gone away, so nobody reads the answer."""


class Gate:
    """A queue for one thing that only one thread may use.

    >>> gate = Gate()
    >>> with gate.turn():
    ...     gate.waiting
    0
    """

    def __init__(self) -> None:
        self._line: deque[object] = deque()
        self._moved = threading.Condition()

    @property
    def waiting(self) -> int:
        """How many wait behind the one whose turn it is."""
        return max(0, len(self._line) - 1)

    @contextmanager
    def turn(self, gone: Callable[[], bool] = never) -> Iterator[None]:
        """Wait for one's turn and hold it. Raises :class:`GoneError` when ``gone`` turns true while waiting."""
        ticket = object()
        with self._moved:
            self._line.append(ticket)
        try:
            with self._moved:
                while self._line[0] is not ticket:
                    self._moved.wait(LOOK_SECONDS)
                    if gone():
                        raise GoneError
            yield
        finally:
            with self._moved:
                self._line.remove(ticket)
                self._moved.notify_all()
