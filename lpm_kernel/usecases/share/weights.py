"""Which weights may answer a contact: the base, or a training that learned from rows inside the
grant and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import Memories, MemoryId
from lpm_kernel.domain.training.runs import (
    Audience,
    Example,
    ExampleKind,
    LearnedFrom,
    Maker,
    Run,
    RunState,
)
from lpm_kernel.L0.language.analysis import names
from lpm_kernel.L2.bridge_rows import OPENING
from lpm_kernel.L2.told import unheard
from lpm_kernel.usecases.share.inside import Inside
from protocol.scope import Layer


def may_answer(
    run: Run,
    learned: Sequence[LearnedFrom],
    rows: Sequence[Example],
    inside: Inside,
    memories: Memories,
    owner: str,
) -> bool:
    """Tell whether a training may answer from what lies inside. What is not known for certain
    counts as no.

    ``learned`` are the statements that it learned, ``rows`` the examples that it learned them by.
    ``owner`` is the person's name, which every contact knows.
    """
    if (
        Layer.WEIGHTS not in inside.scope.layers
        or run.audience is not Audience.ANYBODY
        or run.state is not RunState.READY
    ):
        return False
    # a row of the person's own names no source
    if not learned or not rows or any(example.maker is Maker.PERSON for example in rows):
        return False
    places = _places(learned, memories)
    return all(
        _is_inside(learned_from, places, inside) for learned_from in learned
    ) and _names_nobody_else(rows, inside, owner)


def _places(
    learned: Sequence[LearnedFrom], memories: Memories
) -> dict[MemoryId, tuple[DocumentId, int]]:
    """Say where the statements stand now."""
    documents = {
        learned_from.document for learned_from in learned if learned_from.document is not None
    }
    return {
        belief.memory: (document, belief.start)
        for document in documents
        for belief in memories.believed(document)
    }


def _is_inside(
    learned: LearnedFrom, places: dict[MemoryId, tuple[DocumentId, int]], inside: Inside
) -> bool:
    """Tell whether a statement was learned as it reads now, and is a row that is covered."""
    if learned.then is None or learned.outdated or learned.memory not in places:
        return False
    document, start = places[learned.memory]
    return any(
        row.document.id == document and row.chunk.start == start and row.chunk.kind is not None
        for row in inside.rows.values()
    )


def _names_nobody_else(rows: Sequence[Example], inside: Inside, owner: str) -> bool:
    """Tell whether the examples name nobody who is not named inside: a question may call somebody
    by another name that stands elsewhere.
    """
    known = " ".join(
        [owner, *(f"{row.text} {' '.join(row.chunk.about)}" for row in inside.rows.values())]
    ).casefold()
    return all(name.casefold() in known for example in rows for name in _named(example))


def _named(example: Example) -> Iterator[str]:
    """Yield whom a row names, and no words that come with the node: what any model knows, how it is
    asked, and things that nobody may have told.
    """
    if example.kind is ExampleKind.GENERAL:
        return
    things = {thing.shipped: thing.english for thing in unheard()} if example.shipped else {}
    asked = " ".join(things.get(line, "") for line in example.shipped).split()
    ours = OPENING.union(asked)
    for name in names(f"{example.question} {example.answer} {' '.join(example.notes)}"):
        if not ours.issuperset(name.split()):
            yield name
