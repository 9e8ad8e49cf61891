"""Which names are alike, and which entities are proposed as one: representative cases. How good it
is on whole lives is measured by `tests/bench/test_duplicates.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import Mention, PassageStanding, Sign
from lpm_kernel.L1.entities.duplicates import Told, candidates, duplicates, rows_wanted
from lpm_kernel.L1.entities.likeness import likeness, part_keys
from lpm_kernel.L1.entities.resolution import entities, key_of

PERSON = Sign.TITLED


def proposed(
    *passages: tuple[str, ...], documents: tuple[int, ...] = (), owner: str = ""
) -> list[set[str]]:
    """Return what is proposed of passages, each given as its text and the names in it."""
    standings = {
        row: PassageStanding(
            row, DocumentId(f"d{place}"), (place, 0), None, private=False, statement=False
        )
        for row, place in enumerate(documents or range(len(passages)))
    }
    mentions = [
        Mention(row, name, PERSON) for row, (_, *names) in enumerate(passages) for name in names
    ]
    found = entities(mentions, standings, owner=owner)
    pairs = candidates(found)
    texts = {row: passages[row][0] for row in rows_wanted(pairs)}
    told = Told(found, standings, texts, {})
    return [{each.one, each.other} for each in duplicates(pairs, told)]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Kaya", "カヤ", "scripts"),
        ("Morioka Kaya", "Kaya Morioka", "scripts"),
        ("森岡カヤ", "Kaya Morioka", "scripts"),
        ("西村優子", "Yuko", "part"),
        ("Ōta", "太田", "scripts"),
        ("James", "ジェームズ", "scripts"),
        ("Joselito", "ホセリト", None),
        ("Pembroke", "ペンブルック", "sounds"),
        ("Hurley", "William Hurley", "part"),
        ("B. Hurley", "William Hurley", "initials"),
        ("Bill", "William Hurley", "short"),
        ("Kate", "Katherine", "short"),
        ("Phillip Ames", "Philip Ames", "spelling"),
        ("陈伟", "陳偉", "scripts"),
        ("Andrea", "Andreas", None),
        ("Yuko", "Yuka", None),
        ("Mia", "Maya", None),
        ("Peter", "ペトラ", None),
        ("Michael Denby", "Luke Denby", None),
        ("真由", "真弓", None),
    ],
)
def test_in_what_two_names_are_alike(one: str, other: str, alike: str | None) -> None:
    assert likeness(key_of(one), key_of(other)) == alike
    assert likeness(key_of(other), key_of(one)) == alike
    assert alike is None or part_keys(key_of(one)) & part_keys(key_of(other))


NAMES = ["kaya", "カヤ", "森岡カヤ", "bill", "william hurley", "hurley", "b hurley", "健", "ken"]


@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_likeness_has_no_order(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one)


def test_a_name_in_another_script_with_the_same_work_is_proposed() -> None:
    assert proposed(
        ("I asked Kaya to keep the first proof by the press.", "Kaya"),
        ("カヤさんがプレス機の試し刷りを取っておいた。", "カヤ"),
    ) == [{"kaya", "カヤ"}]


def test_two_in_one_sentence_are_two() -> None:
    assert not proposed(
        ("Kate brought eggs and Katherine brought the saw for the eggs.", "Kate", "Katherine"),
        ("Kate and Katherine ate the eggs.", "Kate", "Katherine"),
    )


def test_a_name_that_is_given_for_another_is_proposed() -> None:
    assert proposed(
        ("Dave in accounts, I mean David Kessler, signed it.", "Dave", "David Kessler"),
    ) == [{"dave", "david-kessler"}]


def test_a_family_name_of_two_is_nobodys() -> None:
    one = ("William Hurley mended the boat.", "William Hurley")
    alone = ("Hurley was paid for the boat.", "Hurley")
    assert proposed(one, alone) == [{"hurley", "william-hurley"}]
    assert not proposed(one, alone, ("Noreen Hurley sails the boat.", "Noreen Hurley"))


def test_a_brother_is_no_sister() -> None:
    same = ("カヤさんがプレス機の試し刷りを取っておいた。妹のカヤはプレス機が好きだ。", "カヤ")
    assert proposed(("My sister Kaya kept the proof by the press.", "Kaya"), same) == [
        {"kaya", "カヤ"}
    ]
    assert not proposed(("My brother Kaya kept the proof by the press.", "Kaya"), same)


def test_a_person_is_no_firm_and_no_number_of_somebody() -> None:
    assert not proposed(
        ("Paid Robert Tandy for the gate.", "Robert Tandy"),
        ("Paid Tandy & Sons for the gate.", "Tandy & Sons"),
        ("Milked Momo at the gate.", "Momo"),
        ("Milked Momo II at the gate.", "Momo II"),
    )


def test_where_a_text_tells_two_of_one_name_apart_nothing_is_proposed() -> None:
    assert not proposed(
        ("My cousin Peter came. The other Peter laughed at the trees.", "Peter"),
        ("Peter Lyle has old trees.", "Peter Lyle"),
    )


def test_ones_own_family_name_may_be_anybodys_of_the_family() -> None:
    assert not proposed(
        ("Aya Miyamoto leads the team.", "Aya Miyamoto"),
        ("Hideo Miyamoto was a headmaster.", "Hideo Miyamoto"),
        ("A letter came for Miyamoto.", "Miyamoto"),
        owner="Aya Miyamoto",
    )


def test_the_surest_comes_first() -> None:
    found = proposed(
        ("Morioka Kaya sent paper for the press.", "Morioka Kaya"),
        ("森岡カヤさんからプレス機の紙が届いた。", "森岡カヤ"),
        ("Bill mended the roof of the boathouse.", "Bill"),
        ("William Hurley asked about the roof of the boathouse.", "William Hurley"),
    )
    assert found == [{"morioka-kaya", "森岡カヤ"}, {"bill", "william-hurley"}]


def test_a_family_name_alone_is_proposed_where_nobody_is_named_with_both() -> None:
    assert proposed(
        ("吉田さんがケーキを焼いた。", "吉田"), ("吉田直樹さんが冷蔵庫を見に来た。", "吉田直樹")
    ) == [{"吉田", "吉田直樹"}]
