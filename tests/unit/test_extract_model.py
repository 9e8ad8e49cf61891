"""What counts of a model's answer about a passage: each statement by itself, held to the sentence
that it names.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L1.statements.extraction import LONGEST
from lpm_kernel.L1.statements.extraction_model import MOST, asker, form, question, read

DOCUMENT = DocumentId("d_1")
TEXT = (
    "Priya moved to Ghent in May 2021 with Osman. She likes it there. Osman does not eat fish. Did"
    " Mai call? 兄の拓海は松江で三年働いている。"
)


def passage(text: str = TEXT, *, speaker: str | None = None) -> Chunk:
    return Chunk(
        chunk_id(DOCUMENT, "text-1", 50, 50 + len(text)),
        DOCUMENT,
        "text-1",
        50,
        50 + len(text),
        text,
        "part-1",
        speaker=speaker,
    )


def said(**changes: object) -> dict[str, Any]:
    return {
        "sentence": 1,
        "says": "Priya moved to Ghent in May 2021 with Osman.",
        "kind": "world",
        "about": ["Priya"],
        "sure": "high",
    } | changes


def answer(*items: object) -> str:
    return json.dumps({"statements": items}, ensure_ascii=False)


def test_a_statement_has_the_place_of_the_sentence_that_it_names() -> None:
    found = read(
        answer(
            said(sentence=5, says="拓海は松江で働いている。", about=["拓海"]),
            said(says="Priya moved to Ghent in 2021."),
        ),
        passage(),
    )
    assert found is not None
    first, second = found
    assert (first.text, first.wording, first.about) == (
        TEXT[:44],
        "Priya moved to Ghent in 2021.",
        ("Priya",),
    )
    assert (second.text, second.wording, second.about) == (
        "兄の拓海は松江で三年働いている。",
        "拓海は松江で働いている。",
        ("拓海",),
    )
    assert [TEXT[each.start - 50 : each.end - 50] for each in found] == [
        each.text for each in found
    ]
    assert "Ghent" not in repr(first)


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "a text",
        [],
        {},
        said(sentence=0),
        said(sentence=6),
        said(sentence="1"),
        said(sentence=True),
        said(kind="summary"),
        said(kind=[]),
        said(sure="certain"),
        said(sure=[]),
        said(says=3),
        said(says=""),
        said(says="x" * (LONGEST + 1)),
        said(says="Priya moved to Oslo in May 2021."),  # a name that is not there
        said(says="Priya moved to Ghent in May 2022."),  # a number that is not there
        said(says="Priya happily moved to Ghent."),  # a word that is not there
        said(says="Osman moved to Ghent with Priya."),  # turned round
        said(says="Priya did not move to Ghent in May 2021."),  # denied
        said(sentence=3, says="Osman eats fish."),  # affirmed
        # about nobody whom the sentence names
        said(sentence=2, says="Priya likes it there.", about=[]),
        said(sentence=4, says="Mai called.", about=["Mai"]),  # a question
    ],
)
def test_what_is_bad_is_left_out_and_the_others_stay(bad: object) -> None:
    found = read(answer(bad, said(sentence=3, says="Osman does not eat fish.")), passage())
    assert found is not None
    assert [each.text for each in found] == ["Osman does not eat fish."]


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "I do not know.",
        "[]",
        "{}",
        '{"statements": 3}',
        '{"statements": [',
        "[" * 100_000,
        '{"statements": [{"sentence": 1, "says": "Priya',
    ],
)
def test_an_answer_that_is_none_is_told_from_one_that_chooses_nothing(bad: str) -> None:
    assert read(bad, passage()) is None
    assert read(answer(), passage()) == []


def test_an_answer_of_which_nothing_is_carried_is_none() -> None:
    assert read(answer(said(says="Priya moved to Oslo.")), passage()) is None
    assert (
        read(
            answer(
                said(says="Priya moved to Oslo."), said(sentence=3, says="Osman does not eat fish.")
            ),
            passage(),
        )
        != []
    )


def test_one_statement_of_a_sentence_and_no_more_than_asked_for() -> None:
    found = read(answer(said(), said(says="Priya moved to Ghent.")), passage())
    assert found is not None
    assert [each.wording for each in found] == [None]
    many = passage(" ".join(f"Priya bought {n} looms in Ghent." for n in range(2, 20)))
    found = read(
        answer(*(said(sentence=n, says=f"Priya bought {n + 1} looms.") for n in range(1, 15))), many
    )
    assert found is not None
    assert len(found) == MOST


def test_names_that_do_not_stand_there_are_left_out_and_who_speaks_comes_first() -> None:
    found = read(answer(said(about=["Mai", 3, "Osman", ""])), passage())
    assert found is not None
    assert found[0].about == ("Osman",)
    found = read(answer(said(about=["Mai"])), passage())
    assert found is not None
    assert found[0].about[0] == "Priya"
    found = read(
        answer(said(says="I bought a loom in Ghent.", kind="experience", about=["Ghent"])),
        passage("I bought a loom in Ghent.", speaker="Mai"),
    )
    assert found is not None
    assert (found[0].about, found[0].kind) == (("Mai", "Ghent"), StatementKind.EXPERIENCE)


def test_the_form_lets_a_model_name_no_sentence_that_is_not_there() -> None:
    asked = question(passage())
    assert asked is not None
    messages, sampling = asked
    assert "3. Osman does not eat fish.\n" in messages[0].content
    assert sampling.response_format == form(5)
    schema = form(5)["json_schema"]["schema"]["properties"]["statements"]["items"]
    assert schema["properties"]["sentence"]["enum"] == [1, 2, 3, 4, 5]
    assert schema["additionalProperties"] is False


def test_nothing_is_asked_about_what_no_statement_can_be_made_of() -> None:
    assert question(passage("# A heading of some length")) is None
    assert question(passage("Well.")) is None
    assert question(passage("I moved to Ghent in May 2021.", speaker="assistant")) is None


def test_another_model_is_another_asker() -> None:
    assert asker("bundled ") == asker("bundled ")
    assert asker("bundled ") != asker("http://127.0.0.1:1/v1 big")
