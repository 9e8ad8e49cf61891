"""What holds for the rows of every training, whatever was kept."""

from __future__ import annotations

import string
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Example, ExampleKind, Maker, Taught
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.dataset import DatasetMix, build
from lpm_kernel.L2.exam import (
    CHOICES,
    MOST_CHOICES,
    Draw,
    Item,
    Measure,
    examination,
    figure,
    likeliest,
    read_items,
    right,
    verdict,
)
from lpm_kernel.L2.templates import Templates
from lpm_kernel.L2.told import DOES_NOT_KNOW

pytestmark = pytest.mark.property

WORDS = st.sampled_from(
    [
        "my",
        "dog",
        "Kuri",
        "house",
        "garden",
        "moved",
        "Teramachi",
        "1911",
        "cello",
        "oil",
        "varnish",
        "bought",
        "sold",
        "Jonas",
        "Bergen",
        "letter",
        "工房",
        "寺町",
        "引っ越す",
        "tea",
        "drink",
        "rain",
        "since",
        "May",
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=10).map(" ".join) | st.text(
    string.printable + "あ猫家、。", max_size=60
)
THINGS = [
    ("varnish", "cellar"),
    ("letters", "drawer"),
    ("clamps", "shed"),
    ("coins", "jar"),
    ("seeds", "barn"),
    ("maps", "attic"),
    ("wine", "pantry"),
    ("shoes", "hall"),
    ("gloves", "car"),
    ("lamps", "garage"),
    ("books", "loft"),
    ("rope", "boat"),
]
TAUGHT = st.lists(TEXTS, max_size=8).map(
    lambda texts: [Taught(MemoryId(f"m{number}"), text) for number, text in enumerate(texts)]
)


@settings(max_examples=60, deadline=None)
@given(TAUGHT, st.integers(0, 5))
def test_the_same_statements_and_seed_give_the_same_rows_and_every_row_names_what_it_was_made_of(
    taught: list[Taught], seed: int
) -> None:
    wanted = DatasetMix(questions=5, seed=seed)
    made = build(taught, Templates(), wanted)
    assert made == build(taught, Templates(), wanted)
    known = {each.memory for each in taught}
    for row in (*made.examples, *made.held_out):
        assert set(row.memories) <= known
        assert row.question.strip()
        assert row.memories or row.kind in (
            ExampleKind.ENHANCE,
            ExampleKind.UNKNOWN,
            ExampleKind.GENERAL,
        )
        assert row.memories or row.shipped
        if row.kind is ExampleKind.UNKNOWN:
            assert row.answer in DOES_NOT_KNOW.values()
    ids = [row.id for row in (*made.examples, *made.held_out)]
    assert len(ids) == len(set(ids))


@settings(max_examples=40, deadline=None)
@given(TAUGHT, st.data())
def test_what_is_struck_is_in_no_row_and_nothing_else_goes(
    taught: list[Taught], data: st.DataObject
) -> None:
    wanted = DatasetMix(questions=4)
    before = build(taught, Templates(), wanted)
    ids = [row.id for row in (*before.examples, *before.held_out)]
    struck = set(data.draw(st.lists(st.sampled_from(ids), max_size=5))) if ids else set()
    after = build(taught, Templates(), wanted, struck=struck)
    assert {row.id for row in (*after.examples, *after.held_out)} == set(ids) - struck


@settings(max_examples=40, deadline=None)
@given(TAUGHT, TAUGHT)
def test_the_examination_asks_nothing_that_a_row_asked(
    taught: list[Taught], private: list[Taught]
) -> None:
    made = build(taught, Templates(), DatasetMix(questions=8))
    asked = {row.question for row in (*made.examples, *made.held_out)}
    hidden = [
        Taught(MemoryId(f"p{number}"), each.text, private=True)
        for number, each in enumerate(private)
    ]
    for item in examination(taught, hidden):
        assert item.question not in asked
        assert (item.measure is Measure.LEAK) == (
            item.memory is not None and item.memory.startswith("p")
        )


@settings(max_examples=40, deadline=None)
@given(TAUGHT, st.integers(0, 5))
def test_a_choice_is_between_four_statements_that_differ_of_which_one_is_right(
    taught: list[Taught], seed: int
) -> None:
    made = [item for item in examination(taught, [], Draw(seed)) if item.measure is Measure.CHOICE]
    assert len(made) <= MOST_CHOICES
    assert len({item.memory for item in made}) == len(made)
    for item in made:
        assert len(set(item.options)) == CHOICES
        assert item.expected in item.options
        assert len({unspaced(option) for option in item.options}) == 1
        assert not item.accept
        assert not item.say


def test_the_right_statement_stands_anywhere_among_the_four() -> None:
    taught = [
        Taught(MemoryId(f"m{number}"), f"I keep {thing} in the {place}.")
        for number, (thing, place) in enumerate(THINGS)
    ]
    made = [
        item
        for seed in range(4)
        for item in examination(taught, [], Draw(seed))
        if item.measure is Measure.CHOICE
    ]
    places = Counter(item.options.index(item.expected) for item in made)
    assert set(places) == set(range(CHOICES))
    assert max(places.values()) < len(made) / 2


def test_who_finds_everything_alike_is_at_chance_and_length_decides_nothing() -> None:
    options = (
        "Short.",
        "One that is far longer than all of the others here.",
        "Middling, so to say.",
        "And a last one.",
    )
    for expected in options:
        item = Item(Measure.CHOICE, "Which?", options=options, expected=expected)
        assert (
            likeliest(
                item, [(-2.0 * len(option.split()), len(option.split())) for option in options]
            )[1]
            == 1 / CHOICES
        )
    assert likeliest(
        Item(Measure.CHOICE, "Which?", options=options, expected=options[1]),
        [(-2.0, 1), (-11.0, 11), (-8.0, 4), (-8.0, 4)],
    ) == (options[1], 1.0)


def test_nobody_writes_questions_for_what_is_made_by_rule() -> None:
    for measure in ("fact_choice", "perplexity_drift"):
        with pytest.raises(InvalidInputError, match="Line 1"):
            read_items(f'{{"question": "Who?", "accept": ["x"], "measure": "{measure}"}}', [])


def test_a_training_that_picks_worse_than_before_is_not_better() -> None:
    before = {"fact_retention": figure([0.0] * 20), "fact_choice": figure([1.0] * 20)}
    after = {"fact_retention": figure([1.0] * 20), "fact_choice": figure([0.25] * 20)}
    assert verdict(after, before).reasons == ("fact_choice",)
    # examined before there were choices
    assert verdict(after, {"fact_retention": before["fact_retention"]}).better


def test_a_row_of_the_persons_own_stays_as_it_was_written() -> None:
    own = Example(ExampleKind.FACT, "Who sleeps in the shavings?", "Kuri does.", maker=Maker.PERSON)
    made = build(
        [
            Taught(MemoryId("m1"), "My dog is Kuri."),
            Taught(MemoryId("m2"), "I moved to Teramachi."),
        ],
        Templates(),
        DatasetMix(questions=4),
        added=[own],
    )
    assert own in made.examples


@settings(max_examples=50, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=50))
def test_an_interval_holds_its_value(outcomes: list[bool]) -> None:
    made = figure([float(each) for each in outcomes])
    assert 0 <= made.low <= made.value <= made.high <= 1
    assert made.n == len(outcomes)


def test_a_training_that_says_private_things_or_forgets_its_language_is_never_better() -> None:
    good = {
        "fact_retention": figure([1.0] * 20),
        "leak_rate": figure([0.0] * 5),
        "perplexity_drift": figure([0.05] * 8),
    }
    base = {"fact_retention": figure([0.0] * 20), "leak_rate": figure([0.0] * 5)}
    assert verdict(good, base).better
    assert verdict({**good, "leak_rate": figure([0.0, 1.0])}, base).reasons == ("leak_rate",)
    assert verdict({**good, "perplexity_drift": figure([0.5] * 8)}, base).reasons == (
        "perplexity_drift",
    )
    assert not verdict({**good, "fact_retention": figure([0.0] * 20)}, base).better


@pytest.mark.parametrize(
    ("item", "answer", "expected"),
    [
        (
            Item(Measure.FACT_RETENTION, "When?", accept=("6 April 2024|April 6",)),
            "I moved on 6 april 2024.",
            True,
        ),
        (
            Item(Measure.FACT_RETENTION, "When?", accept=("6 April", "Teramachi")),
            "On 6 April.",
            False,
        ),
        (Item(Measure.ABSTENTION, "What?"), "I don't know.", True),
        (Item(Measure.ABSTENTION, "何？"), "わかりません。", True),
        (Item(Measure.ABSTENTION, "What?"), "It is a dog.", False),
        (Item(Measure.GROUNDING, "Who?", say=("varnish", "oil")), "Oil varnish.", True),
        (Item(Measure.GROUNDING, "Who?", say=()), "Oil varnish.", False),
    ],
)
def test_answers_are_judged_by_rule(item: Item, answer: str, expected: bool) -> None:
    assert right(item, answer) is expected
