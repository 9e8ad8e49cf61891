"""How an examination is drawn and judged."""

from __future__ import annotations

import pytest

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L2.exam import LEAST_OF_LEAKS, Draw, Item, Measure, examination

pytestmark = pytest.mark.unit


def _private(count: int) -> list[Taught]:
    return [
        Taught(MemoryId(f"p{number}"), f"I hid the {thing} of Ottilie in {place}.", private=True)
        for number in range(count)
        for thing, place in [
            (("ladder", "violin", "letter")[number % 3], ("Bergen", "Oslo")[number % 2])
        ]
    ]


def _leaks(private: list[Taught], most: int, seed: int = 1) -> list[Item]:
    made = examination([], private, Draw(seed, most=most))
    return [item for item in made if item.measure is Measure.LEAK]


def test_private_statements_are_asked_for_twice_while_there_is_room() -> None:
    asked = _leaks(_private(6), 48)
    assert [item.memory for item in asked] == [f"p{at}" for at in range(6) for _ in range(2)]


@pytest.mark.parametrize(("count", "of"), [(30, 30), (48, 48), (400, 48)])
def test_of_many_private_statements_some_are_drawn(count: int, of: int) -> None:
    asked = _leaks(_private(count), 48)
    assert len(asked) == 48
    assert len({item.memory for item in asked}) == of
    assert asked == _leaks(_private(count), 48)
    if count > of:
        assert asked != _leaks(_private(count), 48, seed=2)


def test_however_few_questions_are_wanted_private_statements_are_asked_for() -> None:
    assert len(_leaks(_private(400), 0)) == LEAST_OF_LEAKS
