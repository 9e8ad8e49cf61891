"""The bars of the reader's judgements, where its weights are learned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.fit_reader import FALSE_NOTHING, WRONG_ANSWERED, HeldOut, Judgement

pytestmark = pytest.mark.unit


@given(st.integers(0, 2**32 - 1), st.floats(0.2, 0.9))
def test_the_bars_keep_what_was_promised_on_what_they_were_set_on(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    is_there = rng.random(200) < share
    is_right = is_there & (rng.random(200) < 0.5)
    made = HeldOut(
        rng.normal(is_there, 1.0), rng.normal(is_right, 1.0), is_there=is_there, is_right=is_right
    )
    nothing, answer = made.bars()
    quoted = made.there >= nothing
    assert (~quoted)[is_there].mean() <= FALSE_NOTHING
    shown = quoted & (made.right >= answer)
    assert (shown & ~is_right).mean() <= WRONG_ANSWERED + 1 / len(is_there)


def test_a_judgement_is_moved_so_that_its_bar_lies_where_the_product_looks() -> None:
    moved = Judgement(("span",), np.array([2.0, 1.0])).with_bar(3.0, 0.3)
    # at the bar itself: twice one and one more is three
    assert 1 / (1 + np.exp(-(moved["span"] + moved["bias"]))) == pytest.approx(0.3, abs=1e-4)
