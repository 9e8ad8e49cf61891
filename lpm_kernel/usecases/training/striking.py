"""What the person struck from the rows and the pairs of a training, and with it whole statements:
of one whose every question was struck nothing is learned, whatever else was made of it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.preferences import PreferencePair
from lpm_kernel.domain.training.runs import Example, Taught
from lpm_kernel.L2.alignment.preferences import unwanted_pairs
from lpm_kernel.L2.dataset import struck_whole, unwanted
from lpm_kernel.usecases.training.rows import examples_in, lines_in, write_whole

ROWS, PAIRS = "struck.json", "pairs_struck.json"
EARLIER, STATEMENTS = "statements_struck_before.json", "statements_struck.json"
"""Ids of rows, of pairs, and of the statements that were struck whole: in a training from which
this one goes on, and in this one, by the questions that it had then: a model may word others since.
"""


def struck_in(place: Path, what: str) -> set[str]:
    """Return the ids that are struck there: of :data:`ROWS`, :data:`PAIRS` or statements."""
    file = place / what
    return set(json.loads(file.read_text("utf-8"))) if file.exists() else set()


def write_struck(place: Path, what: str, ids: Collection[str]) -> None:
    """Write them down."""
    write_whole(place / what, json.dumps(sorted(ids)))


def strike(place: Path, what: str, struck: Iterable[str], unstruck: Iterable[str]) -> None:
    """Strike rows or pairs, and bring struck ones back, with the statements that this means."""
    again = set(unstruck)
    kept = (struck_in(place, what) | set(struck)) - again
    write_struck(place, what, kept)
    if what != ROWS:
        return
    rows = list(examples_in(place / "rows.jsonl"))
    back = {row.memories[0] for row in rows if row.id in again and row.memories}
    for file, more in ((EARLIER, set[MemoryId]()), (STATEMENTS, struck_whole(rows, kept))):
        write_struck(place, file, (struck_in(place, file) - back) | more)


def statements_in(place: Path) -> set[MemoryId]:
    """Return the statements that are struck whole, here or before."""
    return {MemoryId(each) for file in (EARLIER, STATEMENTS) for each in struck_in(place, file)}


def unwanted_rows_in(place: Path, rows: Sequence[Example]) -> set[str]:
    """Return the ids of the rows that are not learned."""
    return unwanted(rows, struck_in(place, ROWS), statements_in(place))


def unwanted_pairs_in(place: Path, pairs: Sequence[PreferencePair]) -> set[str]:
    """Return the ids of the pairs that are not learned."""
    return unwanted_pairs(pairs, struck_in(place, PAIRS), statements_in(place))


def inherit(before: Path, place: Path, known: Iterable[Taught]) -> None:
    """Have what was struck in one training be struck in the one that goes on from it; of what is
    ``known`` a statement that reads otherwise now is learned again.
    """
    for what in (ROWS, PAIRS):
        write_struck(place, what, struck_in(before, what))
    material = map(json.loads, lines_in(before / "material.jsonl"))
    then = {row["memory"]: row["text"] for row in material}
    changed = {each.memory for each in known if then.get(each.memory, each.text) != each.text}
    write_struck(place, EARLIER, statements_in(before) - changed)
