"""Salience by hand, its bounds, and what is consolidated."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.L1.tiers import calibration
from lpm_kernel.L1.tiers.salience import (
    Salience,
    consolidated,
    consolidated_count,
    novelty,
    relation,
    repetition,
    salience,
    strongest_emotion,
)

pytestmark = pytest.mark.unit

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    name: int
    weight: float
    at: datetime


items = st.lists(
    st.builds(
        lambda weight, days: Said(0, weight, BEGAN + timedelta(days=days)),
        st.sampled_from([0.0, 0.1, 0.5, 0.9]) | st.floats(0, 1),
        st.integers(0, 3),
    ),
    max_size=30,
).map(lambda made: [replace(item, name=number) for number, item in enumerate(made)])


@pytest.mark.parametrize(
    ("parts", "total"),
    [
        ((0, 0, 0, 0), 0.0),
        ((1, 1, 1, 1), 1.0),
        ((1, 0, 0, 0), 0.4),
        ((0, 1, 0, 0), 0.3),
        ((0, 0, 1, 0), 0.2),
        ((0, 0, 0, 1), 0.1),
        ((0.5, 0.8, 0.25, 0.3), 0.2 + 0.24 + 0.05 + 0.03),
        ((7, 7, 7, 7), 1.0),
        ((-1, 2, 0, 0), 0.3),
        ((math.nan, 1, 0, 0), 0.3),
    ],
)
def test_the_parts_are_weighed(parts: tuple[float, float, float, float], total: float) -> None:
    assert Salience(*parts).total == pytest.approx(total)


def test_a_text_by_hand() -> None:
    """0.4 * 0.625 ("very sad") + 0.3 * 3/5 + 0.2 * log 4 / log 16 + 0.1 * 2/10."""
    made = salience(
        "The bus came. I am very sad about Mai.",
        neighbours=2,
        relation=relation([3], 15),
        times=2,
    )
    assert made == Salience(0.625, 0.6, 0.5, 0.2)
    assert made.total == pytest.approx(0.25 + 0.18 + 0.1 + 0.02)


@pytest.mark.parametrize(("count", "new"), [(0, 1), (1, 0.8), (4, 0.2), (5, 0), (6, 0), (-1, 1)])
def test_novelty(count: int, new: float) -> None:
    assert novelty(count) == pytest.approx(new)


@pytest.mark.parametrize(
    ("mentions", "most", "near"),
    [
        ([], 50, 0),
        ([0], 50, 0),
        ([50], 50, 1),
        ([3, 1, 0], 15, 0.5),
        ([60], 50, 1),
        ([5], 0, 0),
        ([-2], 9, 0),
    ],
)
def test_relation_is_that_of_the_nearest(mentions: list[int], most: int, near: float) -> None:
    assert relation(mentions, most) == pytest.approx(near)


@given(st.integers(0, 500), st.integers(0, 500), st.integers(1, 500))
def test_who_is_spoken_of_more_is_nearer(one: int, more: int, most: int) -> None:
    assert 0 <= relation([one], most) <= relation([one + more], most) <= 1


@pytest.mark.parametrize(("times", "counted"), [(-1, 0), (0, 0), (1, 0.1), (10, 1), (11, 1)])
def test_repetition(times: int, counted: float) -> None:
    assert repetition(times) == pytest.approx(counted)


def test_a_long_text_shows_as_much_as_its_strongest_sentence() -> None:
    assert strongest_emotion("I am sad. " * 20) == pytest.approx(0.5)
    assert strongest_emotion("I am sad. " + "The bus is late. " * 20) == pytest.approx(0.5)
    assert strongest_emotion("") == 0


@given(st.text(max_size=80), st.integers(-3, 20), st.floats(), st.integers(-3, 20))
def test_salience_is_from_0_to_1(text: str, count: int, near: float, times: int) -> None:
    made = salience(text, neighbours=count, relation=near, times=times)
    parts = (made.emotion, made.novelty, made.relation, made.repetition, made.total)
    assert all(0 <= part <= 1 for part in parts)


# --- consolidation ------------------------------------------------------------------------------


def test_seven_of_ten_in_their_order() -> None:
    weights = [0.9, 0.1, 0.5, 0.8, 0.2, 0.7, 0.6, 0.3, 0.4, 1.0]
    told = [Said(number, weight, BEGAN) for number, weight in enumerate(weights)]
    assert [item.name for item in consolidated(told)] == [0, 2, 3, 5, 6, 8, 9]


def test_one_alone_is_consolidated_and_nothing_of_nothing() -> None:
    assert consolidated([Said(0, 0.0, BEGAN)]) == [Said(0, 0.0, BEGAN)]
    assert consolidated([]) == []


def test_of_equals_the_older_comes_first() -> None:
    told = [Said(0, 0.5, BEGAN + timedelta(days=1)), Said(1, 0.5, BEGAN), Said(2, 0.5, BEGAN)]
    assert [item.name for item in consolidated(told, 0.34)] == [1]
    assert [item.name for item in consolidated(told, 0.7)] == [1, 2]


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_share_is_a_share(share: float) -> None:
    with pytest.raises(ValueError, match="A share"):
        consolidated([], share)


@given(items)
def test_the_most_salient_are_kept_in_order_and_as_many_as_stated(told: list[Said]) -> None:
    kept = consolidated(told)
    names = [item.name for item in kept]
    assert names == sorted(names)
    assert len(kept) == (max(1, 7 * len(told) // 10) if told else 0)
    left = [item for item in told if item.name not in names]
    assert not left or max(item.weight for item in left) <= min(item.weight for item in kept)


@given(items, st.integers(0, 29), st.floats(0, 1))
def test_what_gains_salience_stays_consolidated(told: list[Said], at: int, more: float) -> None:
    names = {item.name for item in consolidated(told)}
    if at in names:
        raised = [replace(item, weight=item.weight + more * (item.name == at)) for item in told]
        assert at in {item.name for item in consolidated(raised)}


@given(items, st.integers(0, 100), st.integers(0, 100))
def test_a_larger_share_keeps_all_that_a_smaller_one_does(
    told: list[Said], one: int, other: int
) -> None:
    small, large = sorted((one, other))
    kept = {item.name for item in consolidated(told, large / 100)}
    assert {item.name for item in consolidated(told, small / 100)} <= kept


@given(st.integers(1, 2_000), st.integers(1, 100))
def test_the_count_is_the_share_cut_to_a_whole_number(count: int, percent: int) -> None:
    assert consolidated_count(count, percent / 100) == max(1, count * percent // 100)


# --- which cosine is alike -----------------------------------------------------------------------


@given(st.integers(2_000, 5_000), st.sampled_from([0.01, 0.05, 0.2]), st.integers(0, 99))
def test_a_threshold_keeps_the_rate(count: int, rate: float, seed: int) -> None:
    cosines = np.random.default_rng(seed).normal(0.8, 0.03, count).astype(np.float32)
    found = calibration.threshold(cosines, rate)
    assert found is not None
    assert calibration.rate(cosines, found) == pytest.approx(rate, abs=2 / count)


def test_an_embedder_that_was_not_measured_is_calibrated_on_the_home() -> None:
    few, many = np.linspace(0, 1, 1_000), np.linspace(0.7, 1, 200_001)
    assert calibration.alike_from("hashing/1/384", few.astype(np.float32)) == 0.69
    assert calibration.alike_from("somebody's", few.astype(np.float32)) is None
    found = calibration.alike_from("somebody's", many.astype(np.float32))
    assert found == pytest.approx(0.99997, abs=1e-5)


def test_pairs_of_one_day_are_left_out() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    assert calibration.of_different_days(vectors, [1, 1, 2]).tolist() == [0, 0]
    assert calibration.of_different_days(vectors, [1, 2, 3]).tolist() == [1, 0, 0]
    assert calibration.rate(np.zeros(0, np.float32), 0.5) == 0
