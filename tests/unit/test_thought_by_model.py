"""What a model words as the thought before an answer, and which of it is learned."""

from __future__ import annotations

import pytest

from lpm_kernel.domain.training.runs import Example, ExampleKind, ReasoningVariant
from lpm_kernel.L2.reasoning import with_thought
from lpm_kernel.L2.thought_by_model import (
    LONGEST,
    asked,
    key,
    read,
    unfit_thought,
    with_model_thought,
)

MULTI = ReasoningVariant.MULTI
ROW = Example(
    ExampleKind.FACT,
    "Who lent me the ladder?",
    "Mai lent me her ladder in 2021.",
    ("Mai lent me her ladder in 2021.", "The pear tree is old."),
)
JAPANESE = Example(ExampleKind.FACT, "梯子を貸してくれたのは誰？", "舞さんが貸してくれた。")


@pytest.mark.parametrize(
    ("thought", "why"),
    [
        ("1. It asks who lent the ladder.\n2. The first note says that it was Mai.", None),
        ("However, the note speaks of 2021, so it was Mai.", None),
        ("", "empty"),
        ("It was Mai. " * 80, "long"),
        ("<think>It was Mai.</think>", "signs"),
        ("舞が貸した。", "language"),
        ("1. It was in 2019.", "number"),
        ("1. Ottilie lent it.\n2. No, it was Mai.", "name"),
        ("The note says that Mr Kurose lent it.", "name"),
    ],
)
def test_what_brings_in_anything_of_its_own_is_not_learned(thought: str, why: str | None) -> None:
    assert unfit_thought(thought, ROW, MULTI) == why


def test_japanese_is_thought_about_in_japanese() -> None:
    assert (
        unfit_thought("1. 誰が貸したかを聞かれている。\n2. 舞さんだと覚えている。", JAPANESE, MULTI)
        is None
    )
    assert unfit_thought("Mai lent it.", JAPANESE, MULTI) == "language"


def test_the_rules_thought_stays_where_there_is_none_to_be_learned() -> None:
    ruled = with_thought(ROW, MULTI)
    good = "1. It asks who.\n2. The note says Mai."
    assert with_model_thought(ruled, MULTI, {}) == ruled
    assert with_model_thought(ruled, MULTI, {key(ruled, MULTI): "1. It was Ottilie."}) == ruled
    said = {key(ruled, MULTI): f" {good}\n\n"}
    assert with_model_thought(ruled, MULTI, said).thought == good
    assert with_model_thought(ROW, MULTI, said) == ROW, "what is not thought about"
    assert with_model_thought(ruled, MULTI, said).id == ruled.id, "striking it holds"


def test_what_is_asked_names_the_row_and_the_variant() -> None:
    keys = {key(row, variant) for row in (ROW, JAPANESE) for variant in LONGEST}
    assert len(keys) == 2 * len(LONGEST)
    (message,), sampling = asked(ROW, MULTI)
    assert all(part in message.content for part in (ROW.question, ROW.answer, *ROW.notes))
    assert "English" in message.content
    assert "Japanese" in asked(JAPANESE, MULTI)[0][0].content
    assert sampling.temperature == 0


def test_a_thought_is_kept_without_what_is_around_it() -> None:
    assert read("\n 1. One.\n\n 2. Two. \n") == "1. One.\n2. Two."
