"""Questions in the words of a sentence: they ask what somebody would ask."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import ExampleKind, Taught
from lpm_kernel.L2.dataset import DatasetMix, RowWorld, build
from lpm_kernel.L2.exam import Draw, Measure, examination
from lpm_kernel.L2.formed import formed
from lpm_kernel.L2.nouns import nouns
from lpm_kernel.L2.templates import Templates

_NAMED = list(enumerate(("Osei", "Lena", "Kofi", "Ilse", "Petra", "Jonas", "Mirko", "Aino")))
pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("told", "asked", "never"),
    [
        ("My rent has been 748 euros since May 2025.", "What has your rent been?", "What did"),
        ("The summer course takes eight people.", "What does the summer course take?", "did"),
        (
            "My first harvest came to 23 kilos.",
            "How many kilos did your first harvest come to?",
            "How many kilos?",
        ),
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
        ("I was at sea when she called.", "Where were you?", "was you"),
        ("Ana cannot swim in May.", "Who cannot swim?", "can not"),
        ("My rent in Teramachi is 62,000 yen.", "What is your rent in Teramachi?", "Who is"),
        ("My sister is a nurse.", "Who is your sister?", "What is your sister"),
        ("Duarte moved out and went to Braga.", "Who moved out?", "What did Duarte move"),
        ("We named the boat Petrel because it rolls.", "What did you name?", "it rolls"),
        ("I am allergic to shellfish.", "Are you allergic to shellfish?", "Where are"),
        ("I got the scholarship in 2019.", "When did you get the scholarship?", "Where did"),
        ("I go to work by bus and we eat soup.", "How do you go to work?", "soup"),
        ("On Sundays I call my mother in Braga.", "Where do you call your mother?", "Do on"),
        ("If I won money, I would buy a boat.", "What would you buy?", "won"),
        ("Dr Osei says that my iron is low, so I eat.", "What does Dr Osei say?", "me"),
        ("We rent it from Ana, who keeps bees on the roof.", "Do you rent it from Ana?", "roof"),
        ("I do not like to be telephoned.", "Do you like to be telephoned?", "not"),
        ("I work nights at the hospital.", "Where do you work nights?", "What do you work"),
        ("Ilse owes me 340 euros.", "How many euros does Ilse owe you?", "How many euros?"),
        ("Dad drove a taxi for ten years.", "How long did your dad drive a taxi?", "When"),
        ("Ana came from Oran in 1962.", "Where did Ana come from?", "Where did Ana come?"),
        ("He has moved out, so the room is free.", "Has he moved out?", "free"),
        ("I gave up smoking the day that she was born.", "", "the day?"),
        ("Got the job after two rejections.", "What did you get?", "Who"),
        ("I want to train as a nurse.", "Do you want to train as a nurse?", "train?"),
        ("I keep it in a box: 50 euros so far.", "Do you keep it in a box?", "50"),
        ("Leaving for Porto if they let me.", "", "?"),
        ("I have been vegan since 2020.", "Since when have you been vegan?", "What have"),
        ("I broke my wrist on 12 January.", "When did you break your wrist?", "Where"),
        ("My dentist Dr. Osei works in Leith.", "Where does your dentist Dr. Osei work?", "Dr?"),
        ("I took over the shop in Bergen.", "Where did you take over the shop?", "you take?"),
        ("I took in a goat in May.", "When did you take in a goat?", "Where"),
        ("She gave me a bird feeder.", "What did she give?", "What gave"),
        ("They are from Tampere.", "Are they from Tampere?", "What are they"),
        ("He is a nurse in Bergen.", "Is he a nurse in Bergen?", "What is he"),
        ("Rudy called from Yellowknife.", "Where did Rudy call from?", "call?"),
        ("I was voted steward, 41 to 12.", "What were you voted?", "When were"),
        ("I work from nine to five.", "When do you work?", "Where"),
        ("I bought one that plays rain.", "What did you buy?", "buy one?"),
        ("Rudy says the shop in Bergen is shut.", "What does Rudy say?", "in Bergen?"),
        ("And I bought a ticket.", "What did you buy?", "and"),
        ("An old man paid me in mussels.", "Who paid you?", "What paid"),
        ("And how is Mai?", "", "?"),
        ("Rudy thinks I should go.", "Who thinks you should go?", "What did"),
        ("Rudy is home for ten days.", "Is Rudy home for ten days?", "How many"),
        (
            "The cat that I drew is taken for a bear.",
            "Is the cat that you drew taken for a bear?",
            "did",
        ),
    ],
)
def test_a_sentence_is_asked_about_as_somebody_would(told: str, asked: str, never: str) -> None:
    found = list(formed(told))
    assert asked in found or not asked
    assert not [each for each in found if never in each]


def test_a_name_that_opens_a_sentence_is_known_from_elsewhere() -> None:
    asked = list(formed("Pixel sleeps on the sofa.", known=("Pixel",)))
    assert asked == [
        "Where does Pixel sleep?",
        "Does Pixel sleep on the sofa?",
    ]


def test_a_verb_with_nothing_behind_it_is_asked_about_too() -> None:
    assert list(formed("In 2019 I always was.")) == ["When were you always?"]
    assert list(formed("In May 2020 nobody really was.")) == []


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


@pytest.mark.parametrize(
    ("told", "things"),
    [
        ("Kofi plays chess with his grandfather.", ["Kofi", "chess", "grandfather"]),
        ("The dog ate my passport two days ago.", ["dog", "passport"]),
        ("Nocas and Rita marry in June, and I make the cake.", ["Nocas", "Rita", "cake"]),
        ("The council painted the old bridge last spring.", ["council", "old bridge"]),
        ("I have been vegan since 2020 but I eat honey.", ["honey"]),
        ("弟は札幌の病院で働き始めた。", ["弟", "札幌", "病院"]),
    ],
)
def test_free_questions_turn_on_names_and_nouns(told: str, things: list[str]) -> None:
    assert [unit.surface for unit in nouns(told)] == things


def test_a_year_is_asked_for_where_one_is_told() -> None:
    for told in (
        "Every Thursday I run up the Fourvière steps with nurses.",
        "毎週木曜に剣道をする。",
    ):
        asked = [
            each.question for each in Templates().questions(Taught(MemoryId("m"), told), 60, 1)
        ]
        assert not [each for each in asked if "year" in each or "何年" in each]
    told = "In 2019 I ran up the Fourvière steps with nurses."
    asked = [each.question for each in Templates().questions(Taught(MemoryId("m"), told), 60, 1)]
    assert [each for each in asked if "In which year" in each]


def test_a_question_is_written_in_one_language() -> None:
    for told in ("弟は札幌の病院で働き始めた。", "My brother works in a hospital in Leith."):
        for each in Templates().questions(Taught(MemoryId("m1"), told), 24, 1):
            wide = re.search(r"[ぁ-ん一-龯]", each.question)
            assert not (wide and re.search(r"\b[a-z]{2,}", each.question)), each.question


def test_what_is_known_and_what_is_not_are_asked_about_in_the_same_words() -> None:
    told = [Taught(MemoryId(f"m{at}"), f"My uncle {name} sells boats.") for at, name in _NAMED]
    made = build(told, Templates(), DatasetMix(unknown=2)).examples
    for opening in ("What do you know about ", "What can you tell me about "):
        kinds = {row.kind for row in made if row.question.startswith(opening)}
        assert ExampleKind.UNKNOWN in kinds
        assert kinds & {ExampleKind.FACT, ExampleKind.THIRD}


def test_the_examination_asks_about_names_and_nouns() -> None:
    told = [
        Taught(MemoryId("m1"), "Kofi plays chess with his grandfather on Sundays."),
        Taught(MemoryId("m2"), "The council painted the old bridge over the canal in 2019."),
        Taught(MemoryId("m3"), "Zeynep has run the bakery on Linden Street since 2017."),
        Taught(MemoryId("m4"), "My wedding was in a barn near Ghent."),
    ]
    asked = [each for each in examination(told, (), Draw(1, most=80)) if each.memory]
    assert {each.measure for each in asked} >= {Measure.FACT_RETENTION, Measure.GROUNDING}
    for each in asked:
        assert not re.search(
            r"\b(?:plays|painted|has|run|2019|2017|near)\b", each.sought or each.question
        )


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
