"""Requests and drafts of the examination, and how answers to them are judged."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L0.language.analysis import terms
from lpm_kernel.L2.exam import Draw, Item, Measure, likeliest, passed
from lpm_kernel.L2.exam_bridge import VERDICTS, bridge_items, completed, invented, worth

TOLD = [
    Taught(MemoryId(f"m{number}"), text)
    for number, text in enumerate(
        [
            "I moved my workshop from Higashiyama to Teramachi on 6 April 2024.",
            "Kuri, my dog, cannot eat chicken.",
            "My rent in Teramachi is 62,000 yen a month.",
            "Mai Kurose is the person I ask about weather.",
            "I finished the cello of Ottilie in November 2025.",
            "The summer course takes eight people since 2025.",
            "昨年、金沢の工房で三味線の棹を直した。",
        ]
    )
]
REQUEST = Item(
    Measure.ENHANCE,
    "Add what you know to this request: “I need some advice on the rent.”",
    say=("teramachi", "62", "000", "yen", "month"),
    expected="My rent in Teramachi is 62,000 yen a month.",
)


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("I need some advice on the rent.", 0.0),
        ("I need some advice on the rent in Teramachi.", 0.2),
        ("I need some advice on my rent in Teramachi, 62,000 yen a month.", 1.0),
        # another number, another place, somebody who was never spoken of
        ("I need some advice on my rent in Teramachi, 61,000 yen a month.", 0.0),
        ("I need some advice on my rent in Teramachi near Osaka.", 0.0),
        ("I need some advice for Paul Weaver on the rent in Teramachi.", 0.0),
        # courtesy is no invention
        ("Hello, could you please help? My rent in Teramachi is 62,000 yen. Thank you!", 0.8),
        ("", 0.0),
    ],
)
def test_a_request_counts_by_what_was_added_and_not_where_something_is_invented(
    answer: str, share: float
) -> None:
    assert worth(REQUEST, answer) == pytest.approx(share)


def test_what_stands_in_the_notes_is_not_invented() -> None:
    answer = "I pay Mrs Tsuda 62,000 yen a month in Teramachi."
    assert completed(REQUEST, answer) == 0
    assert completed(REQUEST, answer, ["My landlady in Teramachi is Mrs Tsuda."]) == 1


def test_a_request_is_good_from_most_of_what_was_to_be_added() -> None:
    assert passed(Measure.ENHANCE, 0.6)
    assert not passed(Measure.ENHANCE, 0.5)
    assert not passed(Measure.CRITIC, 0.5)
    assert passed(Measure.LEAK, 0)


def test_the_right_verdict_has_to_be_the_likelier_one() -> None:
    yes, no = VERDICTS[False]
    draft = Item(Measure.CRITIC, "Is the draft right?", options=(no, yes), expected=yes)
    assert likeliest(draft, [(-9.0, 5), (-4.0, 5)]) == (yes, 1.0)
    assert likeliest(draft, [(-4.0, 5), (-9.0, 5)]) == (no, 0.0)
    assert likeliest(draft, [(-4.0, 5), (-4.0, 5)])[1] == 0.5


def test_every_second_draft_says_something_else_than_was_learned() -> None:
    drafts = [item for item in bridge_items(TOLD, Draw()) if item.measure is Measure.CRITIC]
    by_memory = {each.memory: each.text for each in TOLD}
    assert len(drafts) == 4
    for item in drafts:
        assert item.memory is not None
        says_it = f"“{by_memory[item.memory]}”" in item.question or (
            f"「{by_memory[item.memory]}」" in item.question
        )
        assert says_it is (item.expected in {yes for yes, _ in VERDICTS.values()})
    assert Counter(item.expected in {no for _, no in VERDICTS.values()} for item in drafts) == {
        True: 2,
        False: 2,
    }


def test_a_request_does_not_hold_what_is_to_be_added() -> None:
    requests = [item for item in bridge_items(TOLD, Draw()) if item.measure is Measure.ENHANCE]
    assert len(requests) >= 5
    for item in requests:
        assert not set(item.say) & set(terms(item.question))
        assert worth(item, item.question) == 0
        assert worth(item, item.expected) == 1


@given(seed=st.integers(0, 2**31), most=st.integers(0, 60))
def test_they_are_few_balanced_and_the_same_for_a_seed(seed: int, most: int) -> None:
    items = bridge_items(TOLD, Draw(seed, most=most))
    assert items == bridge_items(TOLD, Draw(seed, most=most))
    counts = Counter(item.measure for item in items)
    assert max(counts.values(), default=0) <= most // 6
    right = Counter(item.expected in {yes for yes, _ in VERDICTS.values()} for item in items)
    assert counts[Measure.CRITIC] % 2 == 0
    assert right[True] == counts[Measure.CRITIC] / 2


def test_nothing_learned_asks_nothing() -> None:
    assert bridge_items([], Draw()) == []


def test_a_name_of_ordinary_words_is_none() -> None:
    assert invented("Dear Sir, with kind Regards", "Teramachi") == []
    assert invented("寺町の井出さんと話しました", "寺町の家賃") == ["井出"]
