"""How something that was told stands to everything else, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.passages import Labels
from lpm_kernel.L0.index.columns import Columns, Vectors, _nothing
from lpm_kernel.L1.tiers.weighing import Standing, standings

pytestmark = pytest.mark.unit

EMBEDDER = "all-MiniLM-L6-v2/1"
DAY = 86_400.0


def bank(*rows: tuple[int, float, str, list[int]]) -> Columns:
    """Rows of documents: which, on which day, whom they name, and their direction."""
    codes = np.array([direction for *_, direction in rows], np.int8)
    scales = (1 / np.linalg.norm(codes.astype(np.float32), axis=1)).astype(np.float32)
    ordinals = np.array([number for number, *_ in rows], np.int64)
    return replace(
        _nothing(),
        rows=np.arange(1, len(rows) + 1),
        ordinals=ordinals,
        moments=np.array([day * DAY for _, day, *_ in rows]),
        names=tuple(names for _, _, names, _ in rows),
        vectors=Vectors(codes, scales, codes, scales),
        labels={
            number: Labels(number, DocumentId(f"d_{number}"), private=False, tags=frozenset())
            for number in ordinals.tolist()
        },
    )


def standing(columns: Columns, number: int, people: dict[str, str] | None = None) -> Standing:
    name = DocumentId(f"d_{number}")
    return dict(standings(columns, [name], EMBEDDER, people or {}))[name]


def test_only_what_is_like_it_and_came_before_is_a_neighbour() -> None:
    columns = bank(
        (1, 1, "", [100, 0]),
        (2, 2, "", [100, 10]),
        (2, 2, "", [100, 20]),
        (3, 3, "", [0, 100]),
        (4, 9, "", [100, 5]),
        (9, 5, "", [100, 0]),
    )
    assert standing(columns, 9) == Standing(2, 0.0, 3)
    assert standing(columns, 1) == Standing(0, 0.0, 1)


def test_it_is_as_new_as_what_is_newest_in_it() -> None:
    columns = bank((1, 1, "", [100, 0]), (9, 5, "", [100, 0]), (9, 5, "", [0, 100]))
    assert standing(columns, 9) == Standing(0, 0.0, 2)


def test_the_nearest_of_the_people_counts_and_what_is_no_person_does_not() -> None:
    columns = bank(
        *[(1, 1, "Leni", [0, 100])] * 9,
        (2, 1, "Monday\nConor", [0, 100]),
        (9, 5, "CONOR\nMonday", [100, 0]),
    )
    people = {"leni": "leni", "conor": "conor"}
    assert standing(columns, 9, people).relation == pytest.approx(np.log(3) / np.log(10))
    assert standing(columns, 9).relation == 0.0


def test_without_vectors_everything_is_new() -> None:
    columns = replace(bank((1, 1, "", [100, 0]), (9, 5, "", [100, 0])), vectors=None)
    assert standing(columns, 9) == Standing(0, 0.0, 1)
    assert list(standings(columns, [DocumentId("d_none")], EMBEDDER, {})) == []
