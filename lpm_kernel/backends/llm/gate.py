"""One at a time, in the order of asking: a running answer is never interrupted by the next
request.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK_SECONDS = 0.1
"""How often one who waits looks whether whoever asked is still there."""

MOST_PASSED = 8
"""So many may go before one who is patient, one after another."""


def never() -> bool:
    """Stand for somebody who stays to the end."""
    return False


class GoneError(Exception):
    """Whoever asked has gone away, so nobody reads the answer."""


class Gate:
    """A queue for one thing that only one thread may use. Who is in no hurry lets others go first.

    >>> gate = Gate()
    >>> with gate.turn():
    ...     gate.waiting
    0
    """

    def __init__(self) -> None:
        self._holder: object | None = None
        self._line: deque[object] = deque()
        self._patient: deque[object] = deque()
        self._passed = 0
        """How many went first since one who is patient had a turn."""
        self._moved = threading.Condition()

    @property
    def waiting(self) -> int:
        """How many wait behind the one whose turn it is."""
        return len(self._line) + len(self._patient)

    @property
    def ahead(self) -> int:
        """How many come before whoever asks now."""
        return self.waiting + (self._holder is not None)

    @contextmanager
    def turn(self, gone: Callable[[], bool] = never, *, patient: bool = False) -> Iterator[None]:
        """Wait for one's turn and hold it. Raises :class:`GoneError` when ``gone`` turns true while
        waiting.

        ``patient``: everybody else goes first, but no more than :data:`MOST_PASSED` of them in a
        row.
        """
        ticket = object()
        line = self._patient if patient else self._line
        with self._moved:
            line.append(ticket)
            try:
                while self._next() is not ticket:
                    self._moved.wait(LOOK_SECONDS)
                    if gone():
                        raise GoneError
                self._holder = ticket
                self._passed = 0 if patient else self._passed + 1
            finally:
                line.remove(ticket)
                self._moved.notify_all()
        try:
            yield
        finally:
            with self._moved:
                self._holder = None
                self._moved.notify_all()

    def _next(self) -> object | None:
        """Return the ticket whose turn it is; nobody's while one is held."""
        if self._holder is not None:
            return None
        if self._patient and (not self._line or self._passed >= MOST_PASSED):
            return self._patient[0]
        return self._line[0] if self._line else None
