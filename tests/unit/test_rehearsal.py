"""What a small training learns again of what is known."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L2.dataset import OF_A_STATEMENT, DatasetMix, RowWorld, build
from lpm_kernel.L2.templates import Templates
from lpm_kernel.usecases.training.material import MOST_REHEARSED, Replay

pytestmark = pytest.mark.unit
SINCE = datetime(2026, 3, 1, tzinfo=UTC)
TOLD = [
    Taught(MemoryId("m1"), "Kofi plays chess with his grandfather on Sundays."),
    Taught(MemoryId("m2"), "The council painted the old bridge over the canal in 2019."),
    Taught(MemoryId("m3"), "Zeynep has run the bakery on Linden Street since 2017."),
    Taught(MemoryId("m4"), "My wedding was in a barn near Ghent."),
]


@given(st.integers(0, 400), st.integers(0, 40), st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0]))
def test_what_is_known_is_rehearsed_as_far_as_what_is_new_is_not_drowned(
    known: int, new: int, share: float
) -> None:
    rest = [MemoryId(f"m{at}") for at in range(known)]
    replay = Replay(SINCE, share, 1, questions=24)
    drawn = replay.rehearse(rest, new)
    assert drawn <= set(rest)
    assert drawn == replay.rehearse(rest, new)
    of_each = max(1, round(replay.share(len(drawn), new) * 24))
    assert of_each * len(drawn) <= MOST_REHEARSED * max(1, new) * 24 * 1.5
    if share and known <= MOST_REHEARSED * max(1, new) * 24:
        assert len(drawn) == known  # nothing is unlearned that need not be


def test_a_rehearsed_statement_is_asked_about_less_and_not_left_out() -> None:
    world = RowWorld(rehearsed={MemoryId("m1"), MemoryId("m3")})
    every = build(TOLD, Templates(), DatasetMix(again=0.2))
    made = build(TOLD, Templates(), DatasetMix(again=0.2), world=world)
    before, after = (
        Counter(row.memories[0] for row in each.made if row.kind in OF_A_STATEMENT)
        for each in (every, made)
    )
    for memory, count in before.items():
        wanted = max(1, round(0.2 * count)) if memory in world.rehearsed else count
        assert after[memory] == wanted
    none = build(TOLD, Templates(), DatasetMix(again=0.0), world=world)
    assert (
        Counter(row.memories[0] for row in none.made if row.kind in OF_A_STATEMENT)[MemoryId("m1")]
        == 1
    )
