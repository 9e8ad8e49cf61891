"""The ``Clock`` port: the machine's, and its twin that stands still until it is told otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class SystemClock:
    """The machine's clock, in its own time zone."""

    def now(self) -> datetime:
        """Return the present moment."""
        return datetime.now(UTC).astimezone()


class FrozenClock:
    """A clock that stands still."""

    def __init__(self, now: datetime) -> None:
        self._now = now.astimezone()

    def now(self) -> datetime:
        """Return the moment at which it stands."""
        return self._now

    def advance(self, by: timedelta) -> None:
        """Move it on."""
        self._now += by
