"""Moving threads from what is recent into the archive and on into long-term memory, and what is
consolidated on the way.

Nothing is deleted by it, and nothing becomes harder to find: a thread that is not consolidated is
not proposed to be kept, that is all.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from lpm_kernel.domain.chat.threads import Thread, Tier
from lpm_kernel.domain.chat.tiers import (
    ARCHIVE_LEAST,
    ARCHIVE_MOST,
    SESSION_LASTS,
    ThreadFilter,
    ThreadMove,
    ThreadTiers,
)
from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.ports import Clock
from lpm_kernel.L0.language.emotion import emotion
from lpm_kernel.L0.text.sentences import sentences
from lpm_kernel.L1.tiers.salience import consolidated, salience, strongest_emotion
from lpm_kernel.L1.tiers.weighing import Standing

log = logging.getLogger(__name__)

BATCH: Final = 100
"""Threads that move together."""
MOST_RECENT: Final = 2
"""Recent sessions of which the model is told."""
LONGEST: Final = 300
"""Characters of what is told along; anything longer is left to be found."""
LOOKED_AT: Final = 12
"""Recent threads among which they are looked for."""

Standings = Callable[[Sequence[DocumentId]], Mapping[DocumentId, Standing]]
"""Tells how what was told in threads stands to everything else; nothing of what is not read yet."""


@dataclass(frozen=True)
class TierPorts:
    """What threads are moved with."""

    tiers: ThreadTiers
    clock: Clock
    text_of: Callable[[DocumentId], str]
    """What was told in a thread; empty where it is not read yet."""
    standings: Standings


@dataclass(frozen=True)
class Moved:
    """What came of one move."""

    archived: int = 0
    consolidated: int = 0
    fading: int = 0
    failed: int = 0
    """Threads that could not be moved; they are tried again the next time."""
    batches: int = 0

    @property
    def total(self) -> int:
        """How many moved."""
        return self.archived + self.consolidated + self.fading


@dataclass(frozen=True)
class Weighed:
    """A thread with its weight, to be ranked."""

    thread: Thread

    @property
    def weight(self) -> float:
        """Its salience, 0..1."""
        return (self.thread.salience or {}).get("total", 0.0)

    @property
    def at(self) -> datetime:
        """When it was told."""
        return self.thread.ended_at


def move_step(ports: TierPorts) -> Moved:
    """Move what is due. Doing it twice is doing it once; one that was interrupted is gone on with.

    Into the archive a day after its end, where it is weighed. Consolidated is from a week on what
    is among the most salient of what was told in the month; what was not consolidated within the
    month fades.
    """
    now = ports.clock.now()
    due = ports.tiers.due(Tier.SESSION, now - SESSION_LASTS)
    archived = _Batches(ports, now).move(due, lambda part: _weighed(ports, part, now))
    chosen = _chosen(ports, now)
    kept = _Batches(ports, now).move(
        chosen,
        lambda part: [ThreadMove(each.id, Tier.LONG_TERM, consolidated=True) for each in part],
    )
    taken = {each.id for each in chosen}
    over = [
        each for each in ports.tiers.due(Tier.ARCHIVE, now - ARCHIVE_MOST) if each.id not in taken
    ]
    faded = _Batches(ports, now).move(
        over, lambda part: [ThreadMove(each.id, Tier.LONG_TERM) for each in part]
    )
    return Moved(
        archived.moved,
        kept.moved,
        faded.moved,
        archived.failed + kept.failed + faded.failed,
        archived.batches + kept.batches + faded.batches,
    )


def recent_sessions(ports: TierPorts, beside: ConversationId) -> list[DocumentId]:
    """Name the last threads of other chats than this one that are recent, the newest first."""
    since = ports.clock.now() - SESSION_LASTS
    latest, _ = ports.tiers.told_of(ThreadFilter((Tier.SESSION,)), limit=LOOKED_AT)
    return [
        thread.id for thread in latest if thread.conversation != beside and thread.ended_at > since
    ][:MOST_RECENT]


def weightiest(passages: Sequence[Chunk]) -> list[Chunk]:
    """Return the passage that shows most feeling, of equals the longest; nothing where all of them
    are too long to be told along.
    """
    ranked = sorted(
        (each for each in passages if len(each.text) <= LONGEST),
        key=lambda each: (strongest_emotion(each.text), len(each.text)),
        reverse=True,
    )
    return ranked[:1]


def gist(text: str) -> str:
    """Return the sentence of what was told that shows most feeling; of equals the longest.

    >>> gist("The bus was late. I am so sad. We had soup with Leni.")
    'I am so sad.'
    """
    said = [" ".join(each.split()) for each in sentences(text)]
    return max(said, key=lambda each: (emotion(each), len(each)), default="")


def _chosen(ports: TierPorts, now: datetime) -> list[Thread]:
    """Return what is consolidated now of what waits in the archive."""
    waiting = ports.tiers.due(Tier.ARCHIVE, now - ARCHIVE_LEAST)
    if unweighed := [each for each in waiting if each.told and each.salience is None]:
        # what could not be read within the week is weighed once it was
        _Batches(ports, now).move(unweighed, lambda part: _read_since(ports, part))
        waiting = ports.tiers.due(Tier.ARCHIVE, now - ARCHIVE_LEAST)
    recent = ports.tiers.consolidated_since(now - ARCHIVE_MOST)
    ranked = {
        each.id: Weighed(each)
        for each in (*waiting, *recent)
        if each.salience and each.wanted is not False
    }
    by_age = sorted(ranked.values(), key=lambda each: (each.at, each.thread.id))
    best = {each.thread.id for each in consolidated(by_age)}
    return [each for each in waiting if each.id in best or each.wanted]


class _Batches:
    """Moves threads a hundred at a time, each hundred wholly or not at all; one that fails is tried
    again thread by thread.
    """

    def __init__(self, ports: TierPorts, now: datetime) -> None:
        self._ports, self._now = ports, now
        self.moved = self.failed = self.batches = 0

    def move(
        self,
        threads: Sequence[Thread],
        moves: Callable[[Sequence[Thread]], Sequence[ThreadMove]],
    ) -> _Batches:
        for part in (threads[at : at + BATCH] for at in range(0, len(threads), BATCH)):
            self.batches += 1
            if self._try(part, moves):
                continue
            for one in part:
                if not self._try([one], moves):
                    self.failed += 1
        return self

    def _try(
        self,
        threads: Sequence[Thread],
        moves: Callable[[Sequence[Thread]], Sequence[ThreadMove]],
    ) -> bool:
        try:
            wanted = moves(threads)
            self._ports.tiers.move(wanted, self._now)
        except Exception as error:  # noqa: BLE001  whatever one thread has, the others move
            log.warning(
                "%d threads of chats could not be moved: %s", len(threads), type(error).__name__
            )
            return False
        self.moved += len(wanted)
        return True


def _read_since(ports: TierPorts, threads: Sequence[Thread]) -> list[ThreadMove]:
    """Weigh what was read since it came into the archive unweighed."""
    stand = ports.standings([thread.id for thread in threads])
    return [
        ThreadMove(thread.id, Tier.ARCHIVE, _parts(ports.text_of(thread.id), stand[thread.id]))
        for thread in threads
        if thread.id in stand
    ]


def _weighed(ports: TierPorts, threads: Sequence[Thread], now: datetime) -> list[ThreadMove]:
    """Weigh what was told. What is not read yet waits, but no longer than a week."""
    stand = ports.standings([thread.id for thread in threads if thread.told])
    moves = []
    for thread in threads:
        standing, parts = stand.get(thread.id), None
        if thread.told and standing is not None:
            parts = _parts(ports.text_of(thread.id), standing)
        if parts is not None or not thread.told or now - thread.ended_at >= ARCHIVE_LEAST:
            moves.append(ThreadMove(thread.id, Tier.ARCHIVE, parts))
    return moves


def _parts(text: str, standing: Standing) -> Mapping[str, float]:
    weighed = salience(
        text,
        neighbours=standing.neighbours,
        relation=standing.relation,
        times=standing.times,
    )
    parts = {**asdict(weighed), "total": weighed.total}
    return {name: round(value, 4) for name, value in parts.items()}
