"""How strongly memories are held, and what of them was used.

A use is noted in memory and written with others, so that no question waits for it; a process that
is killed meanwhile loses these uses and nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.forgetting import Holding, MemoryHold, Use, hold
from lpm_kernel.domain.memory.memories import Belief, Memories
from lpm_kernel.domain.ports import Clock

AT_ONCE = 32
"""Uses that are written together."""
LATEST = timedelta(seconds=30)
"""How long one waits at most for the next."""


class Uses:
    """Uses that are not written yet. One object serves all threads."""

    def __init__(self, memories: Memories, holding: Holding, clock: Clock) -> None:
        self._memories, self._holding, self._clock = memories, holding, clock
        self._lock = threading.Lock()
        self._waiting: dict[Use, datetime] = {}

    def note(self, document: DocumentId, start: int, end: int) -> None:
        """Note that words of a document were cited, opened or kept: whatever is stated there was of
        use.
        """
        now = self._clock.now()
        there = self._of_use(document, start, end, now)
        with self._lock:
            for use in there:
                self._waiting.setdefault(use, now)
            full = len(self._waiting) >= AT_ONCE or any(
                now - since > LATEST for since in self._waiting.values()
            )
        if full:
            self.write()

    def take_back(self, document: DocumentId, start: int, end: int) -> None:
        """Have what is stated there count as not used today."""
        there = self._of_use(document, start, end, self._clock.now())
        with self._lock:
            for use in there:
                self._waiting.pop(use, None)
        self._holding.unused(there)

    def _of_use(self, document: DocumentId, start: int, end: int, now: datetime) -> list[Use]:
        today = now.astimezone().date()
        return [
            (belief.memory, document, today)
            for belief in self._memories.believed(document)
            if belief.document == document and belief.start < end and start < belief.end
        ]

    def write(self) -> None:
        """Write what waits."""
        with self._lock:
            waiting, self._waiting = list(self._waiting), {}
        if waiting:
            self._holding.used(waiting)


def holds(
    memories: Memories, holding: Holding, beliefs: Sequence[Belief], now: datetime
) -> list[MemoryHold]:
    """Return how strongly memories are held and why, in their order. Each wording after the first
    was a correction, which is a use.
    """
    ids = [belief.memory for belief in beliefs]
    uses, pinned = holding.uses(ids), holding.pinned(ids)
    first = memories.noted(ids)
    made = []
    for belief in beliefs:
        moments = first.get(belief.memory) or [belief.believed_from]
        days = [
            *uses.get(belief.memory, ()),
            *(moment.astimezone().date() for moment in moments[1:]),
        ]
        noted, fixed = moments[0].astimezone(), belief.memory in pinned
        made.append(hold(noted, days, now.astimezone(), pinned=fixed))
    return made


def weakest_first(
    beliefs: Sequence[Belief],
    strengths: Callable[[Sequence[Belief]], Sequence[tuple[float, bool]]],
    below: float | None,
) -> list[Belief]:
    """Order memories by how strongly they are held, those that fade most first; with ``below``,
    only those that are held less than that.
    """
    known = zip(beliefs, strengths(beliefs), strict=True)
    return [
        belief
        for belief, (held, _) in sorted(known, key=lambda pair: (pair[1][0], pair[0].memory))
        if below is None or held < below
    ]
