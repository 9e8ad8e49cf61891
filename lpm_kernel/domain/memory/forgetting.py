"""How strongly a memory is held: it fades while nobody uses it, and each use makes it fade more
slowly. Nothing is ever deleted for it.

The curve is Ebbinghaus's (*Über das Gedächtnis*, 1885) in its exponential form, as MemoryBank uses
it for what an assistant remembers (Zhong et al. 2023, arXiv:2305.10250): what is left after a time
*t* is R = exp(-t / S). *S* is 1 when something is noted and grows by 1 with each use, with which
*t* begins anew. Uses of one day count once: repetition that is spread out strengthens, cramming
does not (Cepeda et al. 2006). One unit of *S* is :data:`DAYS`; MemoryBank leaves it open.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Protocol

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import MemoryId

DAYS = 60.0
"""One unit of strength: what is used once a season is held, and what is never used again is at a
third after two months.
"""
FADING = 0.2
"""Below this something counts as fading: unused for three months, or for half a year after one
use.
"""


def strength(
    noted: datetime, used: Collection[date], now: datetime, *, pinned: bool = False
) -> float:
    """Return how strongly something is held, 0..1; what is pinned never fades.

    >>> noted, now = datetime(2026, 1, 1, 12).astimezone(), datetime(2026, 3, 2, 12).astimezone()
    >>> (round(strength(noted, [], now), 2), round(strength(noted, [date(2026, 1, 31)], now), 2),
    ...  strength(noted, [], now, pinned=True))
    (0.37, 0.78, 1.0)
    """
    return hold(noted, used, now, pinned=pinned).strength


@dataclass(frozen=True)
class MemoryHold:
    """How strongly a memory is held, and why: what a page of what is fading shows of it."""

    noted: datetime
    last_used: date | None
    """The day of its last use; ``None``: it was not used since it was noted."""
    uses: int
    """Days on which it was used."""
    strength: float
    """0..1."""
    pinned: bool
    fades_at: datetime | None
    """When it falls, or fell, below :data:`FADING` unless it is used; ``None``: it is pinned."""

    @property
    def fading(self) -> bool:
        """Whether it counts as fading."""
        return self.strength < FADING


def hold(
    noted: datetime, used: Collection[date], now: datetime, *, pinned: bool = False
) -> MemoryHold:
    """Say how strongly something is held and why. ``used``: the days of its uses; those before it
    was noted and those to come do not count.

    >>> noted, now = datetime(2026, 1, 1, 12).astimezone(), datetime(2026, 5, 1, 12).astimezone()
    >>> held = hold(noted, [], now)
    >>> round(held.strength, 3), held.fading, f"{held.fades_at:%Y-%m-%d}"
    (0.135, True, '2026-04-08')
    """
    days = sorted({day for day in used if noted.date() <= day <= now.date()})
    since = max(
        [noted, *(noted.replace(year=day.year, month=day.month, day=day.day) for day in days[-1:])]
    )
    lasts = DAYS * (1 + len(days))
    idle = max(0.0, (now - since).total_seconds() / 86_400)
    return MemoryHold(
        noted,
        days[-1] if days else None,
        len(days),
        1.0 if pinned else math.exp(-idle / lasts),
        pinned,
        None if pinned else since + timedelta(days=lasts * math.log(1 / FADING)),
    )


Use = tuple[MemoryId, DocumentId, date]
"""A memory was of use on a day: its words were cited, opened or kept. With the document in which
they stood then.
"""


@dataclass(frozen=True)
class Pin:
    """A memory that never fades, with the document in which it stood when it was pinned."""

    memory: MemoryId
    document: DocumentId
    at: datetime


class Holding(Protocol):
    """Keeps when statements were used and which are pinned. Both go with the document that the
    statement stands in.
    """

    def used(self, uses: Sequence[Use]) -> None:
        """Note uses, one row a memory and day; what is gone meanwhile is left out."""
        ...

    def unused(self, uses: Sequence[Use]) -> None:
        """Take uses back: these memories count as not used on these days."""
        ...

    def uses(self, memories: Collection[MemoryId]) -> Mapping[MemoryId, list[date]]:
        """Return the days on which these were used."""
        ...

    def pin(self, memory: MemoryId, document: DocumentId, now: datetime) -> None:
        """Pin one. Raises ``NotFoundError`` for a document that is not there."""
        ...

    def unpin(self, memory: MemoryId) -> None:
        """Let one fade again."""
        ...

    def pinned(self, memories: Collection[MemoryId]) -> set[MemoryId]:
        """Return those of these that are pinned."""
        ...

    def pins(self) -> list[Pin]:
        """Return every pin, the oldest first."""
        ...

    def all_uses(self) -> list[Use]:
        """Return every use, day by day."""
        ...
