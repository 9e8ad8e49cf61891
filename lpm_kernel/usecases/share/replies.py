"""What an answer to another node is worded by, and what of the home is held back from it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.ports import Adapter
from lpm_kernel.domain.stores import Runs
from lpm_kernel.domain.training.preferences import PreferencePair
from lpm_kernel.domain.training.runs import Example, LearnedFrom, Maker, Run, RunId
from lpm_kernel.errors import NodeError, NotFoundError
from lpm_kernel.usecases.share import weights
from lpm_kernel.usecases.share.answering import BUSY, PeerReply
from lpm_kernel.usecases.share.inside import Inside
from lpm_kernel.usecases.share.view import RowSources, sorted_out, stays
from protocol.scope import Scope

logger = logging.getLogger(__name__)

AT_ONCE = 2
"""Answers that are worked on at a time; whoever asks besides is told to come again, so that the
person's own screens are not held up.
"""


class ReplyCounter:
    """Where other nodes are answered, a few at a time."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._places = threading.BoundedSemaphore(at_once)

    def reply(self, answer: Callable[[], PeerReply]) -> PeerReply:
        """Answer now. What cannot be answered now is refused as busy, so that they ask again."""
        if not self._places.acquire(blocking=False):
            return BUSY
        try:
            return answer()
        except NodeError as error:
            logger.warning(
                "A question of another node could not be answered: %s", type(error).__name__
            )
            return BUSY
        finally:
            self._places.release()


@dataclass(frozen=True)
class LearnedWeights:
    """What is known of the training in use."""

    runs: Runs
    memories: Memories
    rows_of: Callable[[Run], Iterable[Example]]
    """Gives what a training was made from."""
    pairs_of: Callable[[Run], Iterable[PreferencePair]]
    """Gives the pairs that it learned preferences from."""
    learned_from: Callable[[Run], list[LearnedFrom]]
    speaks_to_others: Callable[[Run], bool]
    owner: str


def run_for(known: LearnedWeights, adapter: Adapter | None, inside: Inside) -> Run | None:
    """Return the training that may word an answer: the one in use where all that it learned from
    lies inside what was granted.
    """
    if adapter is None:
        return None
    try:
        run = known.runs.get(RunId(adapter.id))
        rows = list(known.rows_of(run))
        judged = any(pair.maker is Maker.PERSON for pair in known.pairs_of(run))
        learned = known.learned_from(run)
    # deleted a moment ago, or damaged: nobody can say what it learned from
    except (NotFoundError, OSError, ValueError, KeyError):
        return None
    # what the person did with an answer names no row that a grant could cover
    may = (
        not judged
        and known.speaks_to_others(run)
        and weights.may_answer(run, learned, rows, inside, known.memories, known.owner)
    )
    return run if may else None


def held_back(
    sources: RowSources,
    found: Collection[Recalled],
    scope: Scope,
    allowed: frozenset[str],
    written: Collection[DocumentId],
) -> list[tuple[ChunkId, str]]:
    """Say what of the passages ``found`` for a question stays here, and why."""
    rows = sorted_out(sources.documents, sources.decisions, sources.passages, scope, written)
    why = {row.chunk.id: reason for row in rows if (reason := stays(row, allowed))}
    return [(item.chunk.id, why[item.chunk.id]) for item in found if item.chunk.id in why]
