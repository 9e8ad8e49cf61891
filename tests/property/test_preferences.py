"""Preference pairs made by rule: what must always hold of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.preferences import BY_RULE, PairRule, PreferencePair
from lpm_kernel.domain.training.runs import Maker, Taught
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.alignment.asking import PlainQuestions
from lpm_kernel.L2.alignment.distractors import Distractors
from lpm_kernel.L2.alignment.holding_out import Sourced, held_out
from lpm_kernel.L2.alignment.preferences import (
    TOLERANCE,
    PairMix,
    PairSet,
    PairWorld,
    build_pairs,
    matched,
)
from lpm_kernel.L2.alignment.voices import LET_IN, STOCK, STRANGERS
from lpm_kernel.L2.render import messages_of_pair
from lpm_kernel.L2.templates import Templates
from lpm_kernel.L2.told import DOES_NOT_KNOW

pytestmark = pytest.mark.property

PEOPLE = ("Mai", "Jonas", "Petra", "Kenji", "Ines", "Mrs Tsuda")
PLACES = ("Bergen", "Kanazawa", "Lisbon", "Teramachi", "Wajima")
THINGS = ("ladder", "kettle", "trowel", "lantern", "saddle", "anvil", "funnel", "bellows")
MONTHS = ("January", "May", "June", "October")
STATEMENTS = st.one_of(
    st.builds(
        "I lent {} my {} in {} {}.".format,
        st.sampled_from(PEOPLE),
        st.sampled_from(THINGS),
        st.sampled_from(MONTHS),
        st.integers(1990, 2026),
    ),
    st.builds(
        "{} moved to {} on {} {} {}.".format,
        st.sampled_from(PEOPLE),
        st.sampled_from(PLACES),
        st.integers(1, 28),
        st.sampled_from(MONTHS),
        st.integers(1990, 2026),
    ),
    st.builds(
        "My {} cost {} yen, and I would not sell it.".format,
        st.sampled_from(THINGS),
        st.integers(3, 90_000),
    ),
    st.sampled_from(
        (
            "工房は寺町にある。",
            "わたしは柚子の皮を入れる。",
            "舞さんは山の友だちだ。",
            "Rain all day.",
        )
    ),
    st.text(max_size=40),
)
TAUGHT = st.lists(st.tuples(STATEMENTS, st.integers(0, 9)), max_size=24).map(
    lambda told: [
        Taught(MemoryId(f"m{number}"), text, document=DocumentId(f"d{document}"))
        for number, (text, document) in enumerate(told)
    ]
)
SEEDS = st.integers(0, 5)
WORLD = PairWorld(Templates(), "Nagi Sorrel")


@st.composite
def done(draw: st.DrawFn) -> list[PreferencePair]:
    """Draw pairs of what somebody did with answers that rest on documents."""
    return [
        PreferencePair(
            draw(st.sampled_from((PairRule.THUMBS, PairRule.EDITED))),
            f"What of {number}?",
            f"chosen {number}",
            f"rejected {number}",
            documents=tuple(
                DocumentId(f"d{each}") for each in draw(st.sets(st.integers(0, 9), max_size=2))
            ),
            conversations=(ConversationId(f"c{draw(st.integers(0, 3))}"),),
            maker=Maker.PERSON,
        )
        for number in range(draw(st.integers(0, 6)))
    ]


def every(pairs: PairSet) -> Sequence[PreferencePair]:
    return (*pairs.learned, *pairs.held_out)


@settings(max_examples=60, deadline=None)
@given(TAUGHT, done(), SEEDS)
def test_no_source_and_no_words_are_learned_and_held_out(
    taught: list[Taught], pairs: list[PreferencePair], seed: int
) -> None:
    made = build_pairs(taught, pairs, WORLD, PairMix(seed=seed))
    learned = {source for pair in made.learned for source in pair.sources}
    held = {source for pair in made.held_out for source in pair.sources}
    ruled = {
        document
        for pair in every(made)
        if pair.maker is Maker.TEMPLATE
        for document in pair.documents
    }
    one = ruled if len(ruled) == 1 else set()  # of one document, statements are held out
    assert not (learned & held) - one
    assert not {memory for pair in made.learned for memory in pair.memories} & {
        memory for pair in made.held_out for memory in pair.memories
    }
    stock = {*STOCK, *DOES_NOT_KNOW.values()}

    def words(pair: PreferencePair) -> tuple[str, ...]:
        answers = sorted((pair.chosen, pair.rejected))
        asked = (pair.asker, pair.question, *pair.notes) if stock & set(answers) else ()
        return (*asked, *answers)

    assert not set(map(words, made.learned)) & set(map(words, made.held_out))


def test_where_one_document_holds_everything_statements_are_held_out() -> None:
    taught = [
        Taught(
            MemoryId(f"m{number}"),
            f"I moved my {what} in {2000 + number}.",
            document=DocumentId("d"),
        )
        for number, what in enumerate(("bench", "lathe", "kiln", "press", "loom", "anvil"))
    ]
    made = build_pairs(taught, [], WORLD, PairMix())
    assert made.learned
    assert made.held_out


@settings(max_examples=60, deadline=None)
@given(TAUGHT, SEEDS)
def test_the_same_prompt_is_never_given_both_ways(taught: list[Taught], seed: int) -> None:
    made = build_pairs(taught, [], WORLD, PairMix(seed=seed))
    put = {
        (tuple(messages_of_pair(pair, "Nagi")), pair.chosen, pair.rejected) for pair in every(made)
    }
    assert not {(asked, rejected, chosen) for asked, chosen, rejected in put} & put


def test_where_nothing_was_told_not_knowing_is_preferred_in_both_languages() -> None:
    """A Japanese question is not told from what is known by its language: two of three stand beside
    one about a name that a statement has, which prefers the statement.
    """
    firsts, lasts = ("Osei", "Lena", "Kofi", "Ilse"), ("Vane", "Holt", "Lunde", "Marsh", "Quist")
    named = [f"{first} {last}" for first in firsts for last in lasts]
    told = [
        Taught(MemoryId(name), f"{name} moved to {name[:3]}borg in {2000 + at}.")
        for at, name in enumerate(named)
    ]
    made = build_pairs(told, (), PairWorld(Templates())).learned
    invented = [pair for pair in made if pair.rule is PairRule.INVENTED]
    nothing = DOES_NOT_KNOW.values()
    unknown = Counter(pair.chosen for pair in invented if pair.chosen in nothing)
    known = Counter(pair.rejected for pair in invented if pair.rejected in nothing)
    own, other = DOES_NOT_KNOW[False], DOES_NOT_KNOW[True]
    assert unknown[own] == known[own]
    assert unknown[other] / 2 <= known[other] < unknown[other]
    assert min(unknown.values()) >= sum(unknown.values()) / 4


_ASKED = """
from random import Random
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L2.alignment.asking import PlainQuestions
from lpm_kernel.L2.templates import Templates
told = Taught("m1", "I drink coffee with bread on the stairs of the library and read a letter.")
print(ascii(PlainQuestions([told], Templates(), 1).about_in(told, Random(1), wide=True)))
"""


def test_a_question_in_the_other_language_is_the_same_in_every_process() -> None:
    asked = {
        subprocess.run(
            [sys.executable, "-c", _ASKED],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in range(3)
    }
    assert len(asked) == 1
    assert asked != {"None\n"}


def test_in_the_other_language_a_statement_is_asked_about_by_what_only_it_speaks_of() -> None:
    told = [
        Taught(MemoryId(text), text)
        for text in (
            "I drink coffee on the stairs.",
            "I swept the stairs.",
            "My English is poor.",
            "屋根を直した。",
        )
    ]
    questions = PlainQuestions(told, Templates(), 1)
    asked = [
        questions.about_in(each, Random(1), wide=not unspaced(each.text)) or "" for each in told
    ]
    assert "コーヒー" in asked[0]
    assert "the roof" in asked[3]
    assert "英語" in asked[2]
    assert not asked[1]


def test_every_second_question_of_voice_is_shown_the_statement_among_other_notes() -> None:
    taught = [
        Taught(
            MemoryId(f"m{number}"),
            f"I lent {who} my {what} in {2000 + number}, when nobody else wanted to have it.",
            document=DocumentId(f"d{number}"),
        )
        for number, (who, what) in enumerate(zip(PEOPLE * 2, THINGS, strict=False))
    ]
    made = build_pairs(taught, [], WORLD, PairMix())
    pairs = [pair for pair in made.learned if pair.rule is PairRule.VOICE]
    shown = [pair for pair in pairs if pair.notes]
    assert 0.3 < len(shown) / len(pairs) < 0.7
    assert all(pair.chosen in pair.notes and len(pair.notes) > 1 for pair in shown)


@settings(max_examples=60, deadline=None)
@given(TAUGHT, SEEDS)
def test_neither_the_preferred_answers_nor_the_rejected_ones_are_longer(
    taught: list[Taught], seed: int
) -> None:
    made = build_pairs(taught, [], WORLD, PairMix(seed=seed))
    for some in (made.learned, made.held_out):
        for rule in (None, *BY_RULE):
            pairs = [pair for pair in some if rule in (None, pair.rule)]
            chosen = sum(len(pair.chosen) for pair in pairs)
            rejected = sum(len(pair.rejected) for pair in pairs)
            assert abs(chosen - rejected) <= TOLERANCE * max(chosen, rejected)


@settings(max_examples=40, deadline=None)
@given(TAUGHT, done(), SEEDS)
def test_the_same_gives_the_same_and_every_pair_says_what_it_was_made_of(
    taught: list[Taught], pairs: list[PreferencePair], seed: int
) -> None:
    mix = PairMix(per_rule=7, seed=seed)
    made = build_pairs(taught, pairs, WORLD, mix)
    assert made == build_pairs(taught, pairs, WORLD, mix)
    ids = [pair.id for pair in made.made]
    assert len(ids) == len(set(ids))
    where = {each.memory: each.document for each in taught}
    for pair in every(made):
        assert pair.chosen != pair.rejected
        assert messages_of_pair(pair, "Nagi")[-1].role == "user"
        if pair.maker is Maker.TEMPLATE:
            assert pair.memories
            assert set(pair.documents) == {where[memory] for memory in pair.memories}
    by_rule = [pair.rule for pair in made.learned if pair.maker is Maker.TEMPLATE]
    assert all(by_rule.count(rule) <= mix.per_rule for rule in BY_RULE)
    assert {pair.id for pair in made.made if pair.maker is Maker.PERSON} == {
        pair.id for pair in pairs
    }


@settings(max_examples=40, deadline=None)
@given(TAUGHT, done(), st.data())
def test_what_is_struck_is_in_neither_and_nothing_else_goes(
    taught: list[Taught], pairs: list[PreferencePair], data: st.DataObject
) -> None:
    before = build_pairs(taught, pairs, WORLD)
    ids = [pair.id for pair in every(before)]
    struck = set(data.draw(st.lists(st.sampled_from(ids), max_size=5))) if ids else set()
    after = build_pairs(taught, pairs, WORLD, struck=struck)
    assert [pair.id for pair in every(after)] == [each for each in ids if each not in struck]
    assert after.made == before.made


@settings(max_examples=40, deadline=None)
@given(TAUGHT, SEEDS)
def test_what_a_grant_names_or_is_private_is_kept_from_no_stranger_and_all_else_is_told_as_well(
    taught: list[Taught], seed: int
) -> None:
    shared = {DocumentId("d1"), DocumentId("d2")}
    taught = [replace(each, private=each.document == "d3") for each in taught]
    made = build_pairs(taught, [], replace(WORLD, shared=shared), PairMix(seed=seed))
    for pair in every(made):
        if pair.rule is PairRule.STRANGER:
            assert not {*shared, DocumentId("d3")} & set(pair.documents)
            assert pair.asker in (*STRANGERS, *LET_IN)
            assert (pair.chosen in STOCK) == (pair.asker in STRANGERS)
            assert (pair.rejected in STOCK) == (pair.asker in LET_IN)


@given(st.integers(0, 12), SEEDS)
def test_strangers_ask_about_half_of_what_they_may_not_know_however_much_is_shared(
    shared: int, seed: int
) -> None:
    lent = [
        Taught(
            MemoryId(f"m{number}"),
            f"I lent {person} my {thing} in May {2001 + number}.",
            document=DocumentId(f"d{number}"),
        )
        for number, (person, thing) in enumerate(product(PEOPLE, THINGS[:2]))
    ]
    world = replace(WORLD, shared={DocumentId(f"d{number}") for number in range(shared)})
    made = build_pairs(lent, [], world, PairMix(seed=seed))
    asked = [pair for pair in every(made) if pair.asker in STRANGERS]
    # what is learned and what is held out are counted by themselves, each rounded up
    assert 0 <= 2 * len(asked) - (len(lent) - shared) <= 2


@settings(max_examples=100, deadline=None)
@given(TAUGHT, SEEDS)
def test_what_is_distorted_was_never_told_and_is_made_of_what_was(
    taught: list[Taught], seed: int
) -> None:
    distractors = Distractors(taught)
    told = {" ".join(each.text.casefold().split()) for each in taught}
    texts = {each.memory: each.text for each in taught}
    for each in taught:
        found = distractors.distort(each, "", Random(seed))
        if found is not None:
            made, donor = found
            assert " ".join(made.casefold().split()) not in told
            assert donor != each.memory
            new = set(made.split()) - set(each.text.split())
            assert all(word.strip(".,") in texts[donor] for word in new)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 12), min_size=1, max_size=3), st.sampled_from("ab ")),
        max_size=30,
    ),
    SEEDS,
)
def test_a_fifth_of_the_sources_is_held_out_and_something_of_every_kind(
    drawn: list[tuple[set[int], str]], seed: int
) -> None:
    items = [
        Sourced(tuple(f"s{each}" for each in sorted(sources)), f"text {number}", label.strip())
        for number, (sources, label) in enumerate(drawn)
    ]
    held = held_out(items, seed)
    for item in items:
        assert len(held & set(item.sources)) in (0, len(set(item.sources)))
    out = [item for item in items if held & set(item.sources)]
    assert len(out) <= len(items) / 2


@given(st.integers(4, 40), SEEDS)
def test_of_single_sources_about_a_fifth_is_held_out(count: int, seed: int) -> None:
    items = [Sourced((f"s{number}",), f"text {number}") for number in range(count)]
    assert len(held_out(items, seed)) == max(1, round(count / 5))


def test_a_kind_that_two_sources_have_is_represented() -> None:
    items = [Sourced((f"d{number}",), f"text {number}") for number in range(40)]
    items += [Sourced((f"c{number}",), f"said {number}", "thumbs") for number in range(2)]
    for seed in range(20):
        assert len(held_out(items, seed) & {"c0", "c1"}) >= 1


@given(st.lists(st.tuples(st.integers(1, 90), st.integers(1, 90)), max_size=30))
def test_what_is_matched_keeps_what_is_even(lengths: list[tuple[int, int]]) -> None:
    pairs = [
        PreferencePair(PairRule.VOICE, f"{number}?", "x" * chosen, "y" * rejected)
        for number, (chosen, rejected) in enumerate([*lengths, (7, 7)])
    ]
    kept = matched(pairs)
    chosen, rejected = (
        sum(len(pair.chosen) for pair in kept),
        sum(len(pair.rejected) for pair in kept),
    )
    assert abs(chosen - rejected) <= TOLERANCE * max(chosen, rejected)
    assert pairs[-1] in kept
