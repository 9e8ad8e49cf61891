"""What the index knows of something that was told, for its salience: how much like it was said
before, whom it names, how often it was said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.L0.index.columns import Columns, Vectors, cosines
from lpm_kernel.L1.tiers.calibration import ALIKE, alike_from, of_different_days
from lpm_kernel.L1.tiers.salience import relation

SAMPLE: Final = 800
"""Passages of a home that are compared with each other, to learn which cosine of an embedder that
nobody measured counts as alike.
"""
DAY: Final = 86_400.0


@dataclass(frozen=True)
class Standing:
    """How something that was told stands to everything else."""

    neighbours: int
    """Documents from before that hold something like what is newest in it."""
    relation: float
    """How near the nearest person is whom it names, 0..1."""
    times: int
    """How often what was said most often in it was said, this time included."""


def standings(
    columns: Columns,
    documents: Collection[DocumentId],
    embedder: str | None,
    people: Mapping[str, str],
) -> Iterator[tuple[DocumentId, Standing]]:
    """Say of these documents how they stand; nothing of those that are not in the index. ``people``
    gives who is known to be a person, by each of their names in small letters.
    """
    counts = _mentions(columns, people)
    most = max(counts.values(), default=0)
    alike = None if embedder is None else _alike(columns, embedder)
    wanted = frozenset(documents)
    for ordinal, label in columns.labels.items():
        if label.document not in wanted:
            continue
        rows = np.flatnonzero(columns.ordinals == ordinal)
        found = _neighbours(columns, rows, alike)
        named = {who for row in rows for who in _named(columns, int(row), people)}
        yield (
            label.document,
            Standing(
                min(found, default=0),
                relation([counts[who] for who in named], most),
                1 + max(found, default=0),
            ),
        )


def _mentions(columns: Columns, people: Mapping[str, str]) -> Counter[str]:
    """Count the passages that name each of the people."""
    counts: Counter[str] = Counter()
    for row in range(len(columns)):
        counts.update(_named(columns, row, people))
    return counts


def _named(columns: Columns, row: int, people: Mapping[str, str]) -> set[str]:
    """Return which of the people a row names."""
    names = columns.names[row]
    found = names.casefold().split("\n") if names else ()
    return {people[name] for name in found if name in people}


def _neighbours(columns: Columns, rows: NDArray[np.int64], alike: float | None) -> list[int]:
    """Count of each row of a document the other documents from before that hold something like it;
    nothing where it has no vector, or nobody knows what counts as alike.
    """
    vectors = columns.vectors
    if vectors is None or alike is None:
        return []
    found = []
    for row in rows.tolist():
        if vectors.own_scales[row] <= 0:
            continue
        near = cosines(vectors.own, vectors.own_scales, _wide(vectors, row)) >= alike
        before = columns.moments < columns.moments[row]
        near &= before & (columns.ordinals != columns.ordinals[row])
        found.append(len(np.unique(columns.ordinals[near])))
    return found


def _wide(vectors: Vectors, row: int) -> NDArray[np.float32]:
    wide: NDArray[np.float32] = vectors.own[row].astype(np.float32) * vectors.own_scales[row]
    return wide


def _alike(columns: Columns, embedder: str) -> float | None:
    """Return the cosine from which two passages are alike."""
    vectors = columns.vectors
    if vectors is None:
        return None
    if embedder in ALIKE:
        return ALIKE[embedder]
    known = np.flatnonzero((vectors.own_scales > 0) & ~np.isnan(columns.moments))
    chosen = known[np.linspace(0, len(known) - 1, min(SAMPLE, len(known))).astype(np.int64)]
    wide = np.array([_wide(vectors, int(row)) for row in chosen], np.float32)
    days = (columns.moments[chosen] // DAY).astype(np.int64).tolist()
    return alike_from(embedder, of_different_days(wide, days)) if len(chosen) else None
