"""How an examination is drawn and judged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Figure, Taught
from lpm_kernel.L2.exam import (
    LEAST_OF_LEAKS,
    Draw,
    Item,
    Measure,
    examination,
    verdict,
)
from lpm_kernel.L2.shares import agreement, fell, share

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


def _right(right: int, of: int) -> Figure:
    return share([1.0] * right + [0.0] * (of - right))


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [  # Brown, Cai and DasGupta 2001, and the closed forms n/(n+z²) and z²/(n+z²)
        (3, 3, 0.4385, 1.0),
        (0, 3, 0.0, 0.5615),
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_the_interval_of_a_share_is_wilsons(right: int, of: int, low: float, high: float) -> None:
    assert _right(right, of) == Figure(round(right / of, 4), low, high, of)


@given(st.lists(st.floats(0, 1), max_size=60))
def test_an_interval_of_a_share_holds_its_value(outcomes: list[float]) -> None:
    made = share(outcomes)
    assert 0 <= made.low <= made.value <= made.high <= 1
    assert made.n == len(outcomes)
    assert not fell(made, made)
    if outcomes:
        assert made.high - made.low > 0.05


@pytest.mark.parametrize(
    ("before", "after", "of", "worse"),
    [
        (3, 2, 3, False),
        (3, 1, 3, False),
        (3, 0, 3, True),
        (1, 0, 1, False),
        (1, 0, 40, False),
        (40, 39, 40, False),
        (20, 16, 20, False),
        (20, 15, 20, True),
        (60, 45, 120, False),
        (60, 44, 120, True),
    ],
)
def test_a_measure_got_worse_only_beyond_chance(
    before: int, after: int, of: int, worse: bool
) -> None:
    said = verdict({"grounding": _right(after, of)}, {"grounding": _right(before, of)})
    assert said.reasons == (("grounding",) if worse else ())


def test_what_an_older_release_resampled_counts_by_how_many_were_asked() -> None:
    before = {"grounding": Figure(1.0, 1.0, 1.0, 3)}
    assert not verdict({"grounding": _right(2, 3)}, before).reasons


@pytest.mark.parametrize(
    ("before", "after", "better"),
    [
        ({"third_party": (0, 30)}, {"third_party": (30, 30)}, True),
        ({"third_party": (0, 30)}, {"third_party": (0, 30)}, False),
        (
            {"third_party": (0, 30), "fact_retention": (5, 10)},
            {"third_party": (9, 30), "fact_retention": (4, 10)},
            True,
        ),
        (
            {"third_party": (9, 30), "fact_retention": (4, 10)},
            {"third_party": (6, 30), "fact_retention": (5, 10)},
            False,
        ),
        ({"grounding": (3, 9)}, {"grounding": (4, 9)}, False),
        ({}, {"third_party": (1, 30)}, True),
    ],
)
def test_what_is_known_of_others_is_known(
    before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]], better: bool
) -> None:
    now, was = ({name: _right(*of) for name, of in each.items()} for each in (after, before))
    assert verdict(now, was).better is better


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60))
def test_answers_to_the_same_questions_agree_from_none_to_all(
    outcomes: list[tuple[int, int]],
) -> None:
    mine, theirs = [each[0] for each in outcomes], [each[1] for each in outcomes]
    assert -1 <= agreement(mine, theirs) <= 1
    assert agreement(mine, theirs) == pytest.approx(agreement(theirs, mine))
    assert not fell(share(mine), share(mine), mine, mine)
    if fell(share(mine), share(theirs), mine, theirs):
        assert sum(mine) < sum(theirs) - 1  # one answer decides nothing
        assert not fell(share(theirs), share(mine), theirs, mine)


def test_the_same_questions_tell_more_than_as_many_others() -> None:
    before, after = [1.0] * 60 + [0.0] * 60, [1.0] * 50 + [0.0] * 70
    figures = {"grounding": share(before)}, {"grounding": share(after)}
    told = {"fact_retention": share([1.0] * 30)}
    known = {"fact_retention": share([1.0] * 20 + [0.0] * 10)}
    was, now = figures[0] | known, figures[1] | told
    assert verdict(now, was).better
    assert verdict(now, was, {"grounding": (after, before)}).reasons == ("grounding",)


def test_what_is_told_besides_is_not_asked_for_as_unknown() -> None:
    learned = [Taught(MemoryId("m1"), "I lent Mai my ladder.")]
    asked = [
        item.question
        for item in examination(learned, [], Draw(1, most=9_000))
        if item.measure is Measure.ABSTENTION
    ]
    things = [question.rpartition(" ")[2].rstrip("?") for question in asked if "remind" in question]
    besides = [
        Taught(MemoryId(f"o{number}"), f"I sold the {thing}.")
        for number, thing in enumerate(things)
    ]
    left = examination(learned, [], Draw(1, most=9_000), also_told=besides)
    said = " ".join(item.question for item in left if item.measure is Measure.ABSTENTION)
    assert len(things) > 9
    assert not [thing for thing in things if f"my {thing}?" in said]
