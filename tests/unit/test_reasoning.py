"""What a training teaches to think before an answer: only words of the row, and none where anybody
could answer.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.thoughts import without_thoughts
from lpm_kernel.domain.training.runs import Example, ExampleKind, ReasoningVariant
from lpm_kernel.L2.reasoning import completion, with_thought
from lpm_kernel.L2.told import DOES_NOT_KNOW

WEAK, MULTI, STRONG = ReasoningVariant.WEAK, ReasoningVariant.MULTI, ReasoningVariant.STRONG
LADDER = "Mai lent me her ladder."
KNOWN = Example(ExampleKind.FACT, "Who lent me the ladder?", LADDER)
NOTED = Example(ExampleKind.NOTE, "Who lent me the ladder?", LADDER, ("The kettle is red.", LADDER))
MISSING = Example(
    ExampleKind.NOTE, "Who lent me the saw?", DOES_NOT_KNOW[False], ("The kettle is red.", LADDER)
)
NEVER = Example(ExampleKind.UNKNOWN, "What is your shoe size?", DOES_NOT_KNOW[False])
WIDE = Example(ExampleKind.FACT, "はしごを貸してくれたのはだれ？", "はしごは舞が貸してくれた。")
FULLER = Example(
    ExampleKind.ENHANCE,
    "Make this fuller: “Please look into the ladder; it concerns the shed.”",
    f"Please look into the ladder; it concerns the shed. {LADDER}",
)
FROM_NOTES = replace(FULLER, notes=("The kettle is red.", LADDER))
AS_IT_WAS = Example(
    ExampleKind.ENHANCE, "“Please look into the wig.” Say it again.", "Please look into the wig."
)
JUDGED = Example(
    ExampleKind.CRITIC,
    "Asked: Who lent me the ladder? Written: “Ida lent me her ladder.”",
    f"No. {LADDER}",
)

WISHED = "Please, look, ladder, concerns, shed"
COUNTS = "4. The notes answer it.\n5. What the notes say counts, also where I remember otherwise."
SPEAKS = f"3. Note 2 speaks of it: {LADDER}"
ASIDE = "2. Note 1 is about something else."
GIVEN_UP = "3. Note 2 is about something else.\n4. No note answers it.\n5. I must not guess."


@pytest.mark.parametrize(
    ("row", "variant", "thought"),
    [
        (KNOWN, WEAK, f"This asks about lent, ladder. I remember that: {LADDER}"),
        (KNOWN, MULTI, f"1. This asks about lent, ladder.\n2. I remember that: {LADDER}"),
        (
            NOTED,
            MULTI,
            f"1. This asks about lent, ladder.\n{ASIDE}\n{SPEAKS}\n4. The notes answer it.",
        ),
        (
            MISSING,
            STRONG,
            f"1. This asks about lent, saw.\n{ASIDE}\n{GIVEN_UP}",
        ),
        (NEVER, WEAK, "This asks about shoe, size. Nothing that I remember answers it."),
        (FULLER, WEAK, f"This asks about {WISHED}. I remember that: {LADDER}"),
        (AS_IT_WAS, WEAK, "This asks about Please, look, wig. Nothing that I remember answers it."),
        (
            FROM_NOTES,
            STRONG,
            f"1. This asks about {WISHED}.\n{ASIDE}\n{SPEAKS}\n{COUNTS}",
        ),
        (
            JUDGED,
            MULTI,
            f"1. This asks about Ida, lent, ladder.\n2. I remember that: {LADDER}",
        ),
    ],
)
def test_the_variants(row: Example, variant: ReasoningVariant, thought: str) -> None:
    assert with_thought(row, variant).thought == thought


def test_japanese_is_thought_in_japanese() -> None:
    thought = with_thought(WIDE, STRONG).thought
    assert WIDE.answer in thought
    assert thought.startswith("1. ")
    assert not any(word in thought for word in ("remember", "asks"))


def test_what_anybody_knows_is_answered_at_once() -> None:
    general = Example(ExampleKind.GENERAL, "What is the capital of Spain?", "Madrid.")
    assert with_thought(general, STRONG) == general
    assert completion(general) == "Madrid."
    assert with_thought(KNOWN, ReasoningVariant.NONE) == KNOWN


@given(
    st.sampled_from([KNOWN, NOTED, MISSING, NEVER, WIDE, FULLER, FROM_NOTES, AS_IT_WAS, JUDGED]),
    st.sampled_from([WEAK, MULTI, STRONG]),
)
def test_the_answer_and_the_name_of_a_row_stay(row: Example, variant: ReasoningVariant) -> None:
    thinking = with_thought(row, variant)
    assert thinking.id == row.id  # what was struck stays struck
    assert without_thoughts(completion(thinking)) == row.answer
    assert completion(thinking) != row.answer
    assert len(with_thought(row, WEAK).thought) <= len(with_thought(row, STRONG).thought)
