"""What an answer to another node is worded by, and what of the home is held back from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.ports import Adapter
from lpm_kernel.domain.stores import Runs
from lpm_kernel.domain.training.runs import Example, LearnedFrom, Run, RunId
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.share import weights
from lpm_kernel.usecases.share.inside import Inside
from lpm_kernel.usecases.share.view import RowSources, sorted_out, stays
from protocol.scope import Scope


@dataclass(frozen=True)
class LearnedWeights:
    """What is known of the training in use."""

    runs: Runs
    memories: Memories
    rows_of: Callable[[Run], Iterable[Example]]
    """Gives what a training was made from."""
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
        learned = known.learned_from(run)
    # deleted a moment ago, or damaged: nobody can say what it learned from
    except (NotFoundError, OSError, ValueError, KeyError):
        return None
    may = known.speaks_to_others(run) and weights.may_answer(
        run, learned, rows, inside, known.memories, known.owner
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
