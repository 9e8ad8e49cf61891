"""Names are found in a text as they would be one by one, and drawn as from a list of them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L2.name_finder import NameFinder, NamesInOrder
from lpm_kernel.L2.told import Otherwise

pytestmark = pytest.mark.unit

NAMES = st.lists(st.text("Mai 舞佐", min_size=1, max_size=5), max_size=12)
TEXTS = st.text("Mai 舞佐.x", max_size=30)


@given(NAMES, TEXTS)
def test_they_are_those_that_stand_there(names: list[str], text: str) -> None:
    index = NameFinder(names)
    assert index.within(text) == {name for name in names if name in text}
    for place in range(len(text)):
        assert set(index.at(text, place)) == {
            name for name in names if text.startswith(name, place)
        }


@given(NAMES, TEXTS, st.integers(0, 9))
def test_one_is_drawn_as_from_a_list(names: list[str], text: str, seed: int) -> None:
    left = [name for name in names if name not in text]
    absent = NamesInOrder(names).absent_from(text)
    assert list(absent) == left
    assert absent[:2] == left[:2]
    if left:
        assert Random(seed).choice(absent) == Random(seed).choice(left)


def test_a_statement_is_said_otherwise_with_a_name_of_its_script() -> None:
    texts = ["We met Mai.", "We met Ida.", "昨日、佐藤さんに会った。"]
    told = [Taught(MemoryId(text), text) for text in texts]
    assert {Otherwise(told).say("We met Mai.", Random(seed)) for seed in range(5)} == {
        "We met Ida."
    }
