"""What a sentence is asked about: names, days, sums, events and things, and never a verb or half a
phrase.
"""

from __future__ import annotations

import pytest

from lpm_kernel.L0.language import japanese
from lpm_kernel.L1.answering.questions import QuestionKind, asked_of


def asked(sentence: str, *weighty: str, own: bool = True) -> dict[QuestionKind, list[str]]:
    found: dict[QuestionKind, list[str]] = {}
    for each in asked_of(sentence, weighty, own=own):
        assert each.held in sentence
        found.setdefault(each.kind, []).append(each.question)
    return found


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "I sold the boat, Puffin, on 3 May 2024; we had her for nine years.",
            "When did I sell the boat, Puffin?",
        ),
        (
            "On 3 May 2024 we carried the stove upstairs with Halvard.",
            "When did we carry the stove upstairs?",
        ),
        ("The roof of the barn was mended on 3 May 2024.", "When was the roof of the barn mended?"),
        ("2024年5月3日、蔵の屋根を直した。", "蔵の屋根を直したのはいつですか。"),
    ],
)
def test_an_event_with_its_day_is_asked_for_by_when(sentence: str, question: str) -> None:
    assert asked(sentence)[QuestionKind.WHEN] == [question]


def test_whose_words_they_are_decides_who_i_is() -> None:
    assert QuestionKind.WHEN not in asked("I sold the boat on 3 May 2024.", own=False)


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The boathouse fee is 300 kr now.", "How much is the boathouse fee?"),
        ("My stall costs 12 euros a week.", "How much does the stall cost?"),
        ("駐車場は月8,000円になった。", "駐車場はいくらですか。"),
    ],
)
def test_a_sum_is_asked_for_by_how_much(sentence: str, question: str) -> None:
    assert asked(sentence)[QuestionKind.SUM] == [question]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("Halvard: boatbuilder in Risør.", "Who or what is Halvard?"),
        ("Mrs Okafor is the caretaker of the school.", "Who is Mrs Okafor?"),
        ("長谷川さん: 島の船大工。", "長谷川さんはどんな人ですか。"),
    ],
)
def test_who_is_defined_is_asked_for_by_who(sentence: str, question: str) -> None:
    assert asked(sentence)[QuestionKind.WHO] == [question]


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Told Mrs Okafor about it.", "Mrs Okafor"),
        ("Sold Puffin.", "Puffin"),
        ("Then the Blue Heron came in.", "the Blue Heron"),
        ("Yesterday we met Halvard again.", "Halvard"),
        ("長谷川さんに会った。", "長谷川さん"),
    ],
)
def test_a_name_is_asked_about_without_the_word_that_only_begins_the_sentence(
    sentence: str, name: str
) -> None:
    (question,) = asked(sentence)[QuestionKind.NAME]
    assert name in question


@pytest.mark.parametrize(
    "sentence",
    [
        "Everything that I mend I mend so that it shows.",
        "It is yours for a week and mine for ever.",
        "Asked again. Wrote again.",
        "FIRST FISH of the year, ONLY one.",
        "The teacher said so.",
        "It was the longest of the first.",
        "答えるまで二メートルも歩いた。",
        "おばあさんがうかがうと言った。",
    ],
)
def test_verbs_measures_and_shouts_are_not_asked_about(sentence: str) -> None:
    weighty = [
        "mend",
        "mine",
        "ask",
        "wrote",
        "first",
        "fish",
        "longest",
        "said",
        "答える",
        "メートル",
        "うかがう",
        "歩く",
    ]
    assert not asked(sentence, *weighty)


def test_of_plain_things_those_are_asked_about_that_the_document_is_about() -> None:
    sentence = "The wooden boathouse in the bay needs a door, says the harbour master."
    assert asked(sentence, "boathouse")[QuestionKind.THING] == [
        "Tell me about the wooden boathouse."
    ]
    assert not asked(sentence)
    assert not asked("The boathouse in the bay needs a door.", "boathouse")
    assert asked("蔵の屋根が傷んだ。", "屋根")[QuestionKind.THING] == [
        "蔵の屋根について教えてください。"
    ]


def test_the_language_is_that_of_most_of_the_sentence() -> None:
    assert asked("Halvard (ハルヴァル) came with Mrs Okafor.")[QuestionKind.NAME][-1].startswith(
        "What"
    )


def test_what_only_counts_is_no_thing() -> None:
    assert japanese.things("二番ベッドの横に三メートルの棚") == ["ベッド", "横", "棚"]
