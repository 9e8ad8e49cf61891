"""Questions in the words of a sentence: they ask what somebody would ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L2.dataset import DatasetMix, RowWorld, build
from lpm_kernel.L2.formed import formed
from lpm_kernel.L2.templates import Templates

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("told", "asked", "never"),
    [
        ("My rent has been 748 euros since May 2025.", "What has your rent been?", "What did"),
        ("The summer course takes eight people.", "What does the summer course take?", "did"),
        ("My first harvest came to 23 kilos.", "How many kilos?", "What does"),
        ("Kanae, my brother's wife, teaches me Japanese.", "Who teaches you Japanese?", "wife,"),
        ("In May 2023 hornets destroyed my hives.", "What did hornets destroy?", "did in"),
        ("Inês Moura is an accountant.", "Who is Inês Moura?", "inês"),
        ("My nephew was born on 11 May 2024.", "When was your nephew born?", "What did"),
        (
            "I bought four hives from Anselmo.",
            "What did you buy from Anselmo?",
            "What did you buy four",
        ),
        ("I will not move back to Norway.", "Where will you not move back?", "What will"),
        ("I was at sea when she called.", "Where were you at sea?", "was you"),
        ("Ana cannot swim in May.", "Who can not swim?", "cannot"),
        ("The cat that I drew is taken for a bear.", "What is the cat that you drew?", "did"),
    ],
)
def test_a_sentence_is_asked_about_as_somebody_would(told: str, asked: str, never: str) -> None:
    found = list(formed(told))
    assert asked in found
    assert not [each for each in found if never in each]


@given(st.text(max_size=80))
def test_whatever_is_told_gives_questions_or_none(text: str) -> None:
    for question in formed(text):
        assert question.endswith("?")
        assert "  " not in question


def test_every_thing_that_a_statement_speaks_of_is_asked_about_openly() -> None:
    taught = Taught(MemoryId("m1"), "My rent has been 748 euros since May 2025.")
    asked = [each.question for each in Templates().questions(taught, 24, 1)]
    assert any("about your rent" in each or "about my rent" in each for each in asked)
    assert len(asked) == len(set(asked)) == 24


def test_no_row_asks_what_a_held_out_pair_asks() -> None:
    told = [
        Taught(MemoryId("m1"), "My rent has been 748 euros since May 2025."),
        Taught(MemoryId("m2"), "Kanae teaches me Japanese on Sundays."),
    ]
    before = build(told, Templates(), DatasetMix())
    question = next(row.question for row in before.examples if "m1" in row.memories)
    after = build(told, Templates(), DatasetMix(), world=RowWorld(examined={question}))
    assert question not in {row.question for row in (*after.examples, *after.held_out)}
    assert after.left_out["examined"] == 1
