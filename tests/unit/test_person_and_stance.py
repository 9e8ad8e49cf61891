"""Sentences in another person, and how sentences stand to each other, in English and Japanese."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lpm_kernel.L1.answering.perspective import GrammaticalPerson, turned
from lpm_kernel.L1.statements.stance import ConflictReason, Stance, disagree, stance


@pytest.mark.parametrize(
    ("said", "second", "third"),
    [
        (
            "I moved to Bergen in March 2021.",
            "You moved to Bergen in March 2021.",
            "Ida moved to Bergen in March 2021.",
        ),
        (
            "I am a roofer and my brother is one too.",
            "You are a roofer and your brother is one too.",
            "Ida is a roofer and their brother is one too.",
        ),
        (
            "I was late, and I am sorry.",
            "You were late, and you are sorry.",
            "Ida was late, and they are sorry.",
        ),
        (
            "The cello came in June. I call it Ada.",
            "The cello came in June. You call it Ada.",
            None,
        ),
        ("It was cold when I left.", "It was cold when you left.", "It was cold when Ida left."),
        (
            "In May I've sold my boat myself.",
            "In May you've sold your boat yourself.",
            "In May they've sold their boat themselves.",
        ),
        (
            "Wrote to Lena in the evening.",
            "Wrote to Lena in the evening.",
            "Wrote to Lena in the evening.",
        ),
        # whether the verb takes an s cannot be told by rule alone
        ("I drink tea.", "You drink tea.", None),
        ("We moved to Bergen.", None, None),
        ("I said “I am tired”.", None, None),
        ("Thank you, I got it.", None, None),
        ("私は金沢で働いている。", "あなたは金沢で働いている。", "Idaは金沢で働いている。"),
        ("自分の店を持った。", "あなたの店を持った。", "Idaの店を持った。"),
        ("京都に引っ越した。", "京都に引っ越した。", "京都に引っ越した。"),
        ("母は「私は平気」と言った。", None, None),
    ],
)
def test_a_sentence_is_turned_only_where_the_rules_are_sure(
    said: str, second: str | None, third: str | None
) -> None:
    assert turned(said, GrammaticalPerson.FIRST) == said
    assert turned(said, GrammaticalPerson.SECOND) == second
    assert turned(said, GrammaticalPerson.THIRD, "Ida", named=True) == third


def test_after_the_name_comes_they() -> None:
    assert turned("I drink my tea.", GrammaticalPerson.THIRD, "Ida") == "They drink their tea."


@pytest.mark.parametrize(
    ("view", "other", "found"),
    [
        (
            "I prefer oil varnish to spirit varnish.",
            "Oil varnish, and I will not go back to spirit.",
            Stance.SUPPORTS,
        ),
        (
            "I prefer oil varnish to spirit varnish.",
            "Spirit varnish is better than oil varnish.",
            Stance.CONTRADICTS,
        ),
        (
            "I prefer oil varnish to spirit varnish.",
            "I find spirit varnish better than oil varnish.",
            Stance.CONTRADICTS,
        ),
        ("Peter prefers short replies", "Peter hates short replies.", Stance.CONTRADICTS),
        ("Peter prefers short replies", "Peter does not like short replies.", Stance.CONTRADICTS),
        ("Peter prefers short replies", "Peter enjoys short replies most.", Stance.SUPPORTS),
        ("Peter prefers short replies", "Peter sent two replies.", None),
        ("Rain is lovely.", "The bread is lovely.", None),
        (
            "アルコールニスより油ニスがよい。",
            "油ニスよりアルコールニスのほうがいい。",
            Stance.CONTRADICTS,
        ),
        ("コーヒーが好き。", "コーヒーは好きではない。", Stance.CONTRADICTS),
        ("コーヒーが好き。", "朝のコーヒーが楽しみ、やっぱりコーヒーはいい。", Stance.SUPPORTS),
        ("コーヒーが好き。", "コーヒーを二杯いれた。", None),
    ],
)
def test_what_speaks_for_a_view_and_against_it(view: str, other: str, found: Stance | None) -> None:
    assert stance(view, other) is found


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("Jonas lives in Bergen.", "Jonas lives in Gothenburg.", ConflictReason.PLACE),
        ("Jonas lives in Bergen.", "Jonas moved to Gothenburg in 2024.", ConflictReason.PLACE),
        ("Jonas lives in Bergen.", "Jonas loves Bergen.", None),
        ("Jonas lives in Bergen.", "Mai lives in Noto.", None),
        ("I moved to Kanazawa.", "Jonas: moves from Gothenburg to Bergen.", None),
        (
            "Jonas lives in Gothenburg.",
            "Jonas: moves from Gothenburg to Bergen in 2024.",
            ConflictReason.PLACE,
        ),
        (
            "The rent of the room is 300 euros.",
            "The rent of the room is 340 euros.",
            ConflictReason.NUMBER,
        ),
        (
            "On 3 May 2024 I paid the rent of the room.",
            "On 3 June 2024 I paid the rent of the room.",
            None,
        ),
        (
            "The workshop stove still works well in winter.",
            "The workshop stove does not work well in winter.",
            ConflictReason.NEGATION,
        ),
        # too little is said to hold them against each other
        ("Kuri sleeps.", "Kuri does not sleep.", None),
        ("蓮は能登に住んでいる。", "蓮は金沢に住んでいる。", ConflictReason.PLACE),
        ("Jonas lives in Bergen.", "ヨナスは金沢に住んでいる。", None),
    ],
)
def test_facts_that_cannot_both_be_so(
    first: str, second: str, found: ConflictReason | None
) -> None:
    assert disagree(first, second) is found
    assert disagree(second, first) is found


CLASHES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "statements" / "clashes.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize(
    "case",
    [case for case in CLASHES if not case["clash"]],
    ids=lambda case: f"{case['sort']}: {case['first'][:30]}",
)
def test_another_subject_or_thing_a_plan_a_joke_and_how_it_was_contradict_nothing(
    case: dict[str, str],
) -> None:
    assert disagree(case["first"], case["second"]) is None
    assert disagree(case["second"], case["first"]) is None


def test_most_of_what_can_be_only_one_way_at_a_time_is_found_in_either_order() -> None:
    against = [(case["first"], case["second"]) for case in CLASHES if case["clash"]]
    found = [disagree(first, second) for first, second in against]
    assert sum(reason is not None for reason in found) >= 0.9 * len(found)
    assert found == [disagree(second, first) for first, second in against]


def test_two_moves_are_a_history() -> None:
    assert disagree("I moved to Bergen.", "I moved to Oslo.") is None
    assert disagree("I live in Bergen.", "I moved to Oslo.") is ConflictReason.PLACE
