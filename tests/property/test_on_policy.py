"""Pairs that reject the model's own answers."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.domain.training.preferences import BY_RULE, PairRule, PreferencePair
from lpm_kernel.domain.training.runs import Maker
from lpm_kernel.L2.alignment.on_policy import on_policy
from lpm_kernel.L2.alignment.preferences import TOLERANCE, matched
from lpm_kernel.L2.alignment.produced import is_better, likeness
from lpm_kernel.L2.exam import does_not_know

CHOSEN = "I moved my bench to the long room in May."
PAIRS = st.lists(
    st.builds(
        lambda number, rule, rejected, maker: PreferencePair(
            rule,
            f"What of {number}?",
            CHOSEN.replace("bench", f"bench {number}"),
            rejected,
            maker=maker,
        ),
        st.integers(0, 99),
        st.sampled_from((*BY_RULE, PairRule.THUMBS)),
        st.text(min_size=20, max_size=60),
        st.sampled_from((Maker.TEMPLATE, Maker.PERSON)),
    ),
    max_size=12,
    unique_by=lambda pair: pair.question,
)
ANSWERS = st.lists(
    st.one_of(st.sampled_from(("", CHOSEN, "I don't know.")), st.text(max_size=200)), min_size=12
)


@settings(max_examples=80, deadline=None)
@given(PAIRS, ANSWERS)
def test_only_what_is_not_the_better_answer_is_rejected_and_lengths_stay_alike(
    pairs: list[PreferencePair], answers: list[str]
) -> None:
    of_rule = {rule: matched([each for each in pairs if each.rule is rule]) for rule in BY_RULE}
    even = [
        pair
        for pair in pairs
        if pair.maker is Maker.PERSON or pair in of_rule.get(pair.rule, [pair])
    ]
    said = {pair.id: answers[at] for at, pair in enumerate(even)}
    made = on_policy(even, said)
    assert [known for known, _ in made] == [pair.id for pair in even]
    for before, (known, after) in zip(even, made, strict=True):
        assert replace(after, rejected=before.rejected) == before
        if after != before:
            assert before.maker is Maker.TEMPLATE
            assert after.rejected == said[known].strip()
            assert not is_better(after.rejected, before.chosen, before.rejected)
            assert not does_not_know(after.rejected)
    for rule in BY_RULE:
        mine = [
            (before, after)
            for before, (_, after) in zip(even, made, strict=True)
            if before.rule is rule and before.maker is Maker.TEMPLATE
        ]
        chosen = sum(len(before.chosen) for before, _ in mine)
        sides = [sum(len(pair.rejected) for pair in side) for side in zip(*mine, strict=True)]
        uneven = [abs(chosen - each) > TOLERANCE * max(chosen, each) for each in sides]
        assert not any(uneven[1:]) or uneven[0]


@given(st.text(max_size=40), st.text(max_size=40))
def test_likeness_lies_between_none_and_the_same(said: str, other: str) -> None:
    assert 0 <= likeness(said, other) <= 1 + 1e-9
    if said.strip():
        assert likeness(said, said) > 1 - 1e-9


def test_its_own_wrong_answer_is_rejected_and_its_right_one_is_not() -> None:
    pair = PreferencePair(PairRule.VOICE, "Where?", CHOSEN, CHOSEN.replace("I ", "You "))
    wrong = "You moved the old bench to a room in March."
    [(known, after)] = on_policy([pair], {pair.id: wrong})
    assert (known, after.rejected) == (pair.id, wrong)
    assert on_policy([pair], {pair.id: CHOSEN}) == [(pair.id, pair)]
    assert on_policy([pair], {pair.id: wrong * 9}) == [(pair.id, pair)]  # far longer
    mine = replace(pair, maker=Maker.PERSON)
    assert on_policy([mine], {mine.id: wrong}) == [(mine.id, mine)]
