"""What a training teaches to think before an answer: only words of the row, and none where anybody
could answer.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.thoughts import without_thoughts
from lpm_kernel.domain.training.preferences import PairRule, PreferencePair
from lpm_kernel.domain.training.runs import Example, ExampleKind, ReasoningVariant
from lpm_kernel.L2.bridge_rows import DRAFTS
from lpm_kernel.L2.manners import ASKED
from lpm_kernel.L2.reasoning import completion, pair_thought, with_thought
from lpm_kernel.L2.told import DOES_NOT_KNOW
from lpm_kernel.usecases.training.pair_rows import as_learned

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


@pytest.mark.parametrize("asker", ["a stranger", "a friend"])
@pytest.mark.parametrize("answer", ["I keep that to myself.", LADDER])
def test_somebody_else_is_answered_or_not_without_a_thought(asker: str, answer: str) -> None:
    row = Example(ExampleKind.DISCRETION, KNOWN.question, answer, asker=asker)
    assert with_thought(row, STRONG) == row


BACK = "I gave the ladder back on Sunday."
DONE = "What did you do with the ladder?"


@pytest.mark.parametrize(
    ("answer", "notes", "speaking"),
    [
        ("Mai lent it to me, and it went back on Sunday.", (LADDER, BACK), {1, 2}),
        ("Mai lent me the ladder. I gave it back.", ("The kettle is red.", LADDER, BACK), {2, 3}),
        ("It hangs in the shed.", (LADDER, BACK), set()),
    ],
)
@pytest.mark.parametrize("variant", [WEAK, MULTI, STRONG])
def test_before_an_answer_nothing_says_that_there_is_none(
    answer: str, notes: tuple[str, ...], speaking: set[int], variant: ReasoningVariant
) -> None:
    thought = with_thought(Example(ExampleKind.NOTE, DONE, answer, notes), variant).thought
    assert "No note" not in thought
    assert "guess" not in thought
    assert ("The notes answer it." in thought) is bool(speaking)
    assert (f"I remember that: {answer}" in thought) is not bool(speaking)
    if variant is not WEAK:
        said = {n for n in range(1, len(notes) + 1) if f"Note {n} speaks of it" in thought}
        assert said == speaking


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("note", ["I know Mai from the allotment.", "「わからない」と言われた。"])
def test_a_note_with_the_word_know_is_not_taken_for_knowing(note: str, wide: bool) -> None:
    row = Example(ExampleKind.NOTE, DONE, DOES_NOT_KNOW[wide], (note, "The bus is late."))
    assert with_thought(row, STRONG).thought.endswith("No note answers it.\n5. I must not guess.")
    alone = Example(ExampleKind.FACT, DONE, DOES_NOT_KNOW[wide])
    assert "I remember that" not in with_thought(alone, WEAK).thought


@pytest.mark.parametrize(
    ("frame", "wide"),
    [
        (frame, wide)
        for by_language in ASKED.values()
        for wide, frames in by_language.items()
        for frame in frames
    ],
)
def test_another_manner_asks_what_its_question_asks(frame: str, wide: bool) -> None:
    question = WIDE.question if wide else KNOWN.question
    asked = frame.format(question=question, name="Anna Else")
    row = Example(ExampleKind.DIVERSITY, asked, LADDER)
    plain = with_thought(Example(ExampleKind.DIVERSITY, question, LADDER), STRONG)
    assert with_thought(row, STRONG).thought == plain.thought


@pytest.mark.parametrize("frame", DRAFTS[False])
def test_a_draft_is_about_what_was_asked(frame: str) -> None:
    asked = frame.format(question=KNOWN.question, draft="Ida lent me her ladder.")
    thought = with_thought(Example(ExampleKind.CRITIC, asked, f"No. {LADDER}"), WEAK).thought
    assert thought == f"This asks about lent, ladder. I remember that: {LADDER}"


PAIRS = [
    PreferencePair(PairRule.INVENTED, KNOWN.question, LADDER, "Ida lent me her ladder."),
    PreferencePair(PairRule.INVENTED, NEVER.question, DOES_NOT_KNOW[False], LADDER),
    PreferencePair(PairRule.EVIDENCE, KNOWN.question, LADDER, BACK, NOTED.notes),
    PreferencePair(PairRule.EVIDENCE, DONE, DOES_NOT_KNOW[False], LADDER, MISSING.notes),
    PreferencePair(PairRule.EVIDENCE, DONE, LADDER, DOES_NOT_KNOW[False], MISSING.notes),
    PreferencePair(PairRule.EDITED, DONE, "Mai lent it, it went back.", "None.", (LADDER, BACK)),
    PreferencePair(PairRule.VOICE, WIDE.question, WIDE.answer, "はしごは舞さんが貸しました。"),
]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("variant", [WEAK, MULTI, STRONG])
def test_the_thought_of_a_pair_gives_neither_answer_away(
    pair: PreferencePair, variant: ReasoningVariant
) -> None:
    thought = pair_thought(pair, variant)
    assert thought
    for answer in (pair.chosen, pair.rejected):
        assert answer not in thought
    turned = replace(pair, chosen=pair.rejected, rejected=pair.chosen)
    assert pair_thought(turned, variant) == thought
    learned = as_learned(pair, "Anna", variant)
    for side, answer in (("chosen", pair.chosen), ("rejected", pair.rejected)):
        assert learned[side][0]["content"] == f"<think>\n{thought}\n</think>\n\n{answer}"


def test_a_pair_names_the_notes_that_speak_where_both_answers_are_of_them() -> None:
    said = "You were lent a ladder by Mai."
    pair = PreferencePair(PairRule.VOICE, KNOWN.question, LADDER, said, NOTED.notes)
    assert pair_thought(pair, MULTI) == "1. This asks about lent, ladder.\n2. Note 2 speaks of it."
    other = replace(pair, rejected="The kettle is red.")
    assert pair_thought(other, MULTI) == "1. This asks about lent, ladder."


def test_a_pair_in_which_somebody_else_asks_has_no_thought() -> None:
    pair = replace(PAIRS[0], asker="a stranger")
    assert pair_thought(pair, STRONG) == ""
    assert as_learned(pair, "Anna", STRONG)["chosen"][0]["content"] == LADDER
