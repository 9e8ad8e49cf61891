"""Tiers: how a thread that has ended moves from what is recent to what is held for good.

It is recent for a day, lies in the archive for a week to a month, and is then in long-term memory
for ever: consolidated, or else fading. The times are the issue's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from lpm_kernel.domain.chat.threads import Thread, Tier
from lpm_kernel.domain.ids import DocumentId

SESSION_LASTS: Final = timedelta(hours=24)
"""How long after its end a thread is recent."""
ARCHIVE_LEAST: Final = timedelta(days=7)
"""How long after its end a thread is weighed at the earliest: what matters after a week is
consolidated.
"""
ARCHIVE_MOST: Final = timedelta(days=30)
"""How long after its end a thread that was not consolidated fades."""


@dataclass(frozen=True)
class ThreadMove:
    """A thread on its way into another tier. What is ``None`` stays as it is."""

    thread: DocumentId
    tier: Tier
    salience: Mapping[str, float] | None = None
    consolidated: bool | None = None


@dataclass(frozen=True)
class ThreadFilter:
    """Which threads are wanted."""

    tiers: tuple[Tier, ...] = ()
    """Only those in these; empty: in any."""
    consolidated: bool | None = None


class ThreadTiers(Protocol):
    """Where threads stand, and what the person said of them."""

    def due(self, tier: Tier, until: datetime) -> list[Thread]:
        """Return the threads of a tier that ended by then, of chats that are there, oldest
        first.
        """
        ...

    def consolidated_since(self, since: datetime) -> list[Thread]:
        """Return the threads of chats that are there that were consolidated, or ended, since
        then, and are; oldest first.
        """
        ...

    def move(self, moves: Sequence[ThreadMove], at: datetime) -> None:
        """Move threads, all of them or none. Those that are gone meanwhile are left out."""
        ...

    def told_of(
        self, wanted: ThreadFilter, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Thread], str | None]:
        """Return a page of threads in which something was told, of chats that are there, the
        newest first. Raises ``InvalidInputError`` for a cursor that is none.
        """
        ...

    def counts(self) -> Mapping[tuple[Tier, bool], int]:
        """Count the threads in which something was told, of chats that are there, by tier and by
        whether they are consolidated.
        """
        ...

    def consolidate(self, thread: DocumentId, *, consolidated: bool, wanted: bool = True) -> None:
        """Have a thread be consolidated or not, as the person said; not ``wanted``: that is taken
        back, and its salience tells from now on. Raises ``NotFoundError``.
        """
        ...
