"""Whose words a sentence is, as far as its document shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lpm_kernel.L1.entities.resolution import own_keys
from lpm_kernel.L1.statements.authorship import authorship_of, is_by_the_person
from tests.growth import MOST_GROWTH, growth

pytestmark = pytest.mark.unit

AISLING = frozenset(own_keys("Aisling Keane"))
KEIKO = frozenset(own_keys("平野 圭子"))


def own(text: str, words: str, keys: frozenset[str] = AISLING) -> bool:
    return authorship_of(text, keys).may_be_own(text.index(words))


TALK = """Conor: hartnett says 21 june not 7. lad broke his arm
Aisling: then I'll take doyle
Conor: he signed"""


@pytest.mark.parametrize(
    ("words", "is_own"),
    [("hartnett", False), ("lad broke", False), ("I'll take", True), ("he signed", False)],
)
def test_a_line_of_a_talk_is_whose_name_stands_before_it(words: str, *, is_own: bool) -> None:
    assert own(TALK, words) is is_own


def test_lists_in_a_long_diary_make_no_talk_of_it() -> None:
    headings = ("Bought", "Seen", "Shopping", "So", "Owed", "Read", "Names", "Rules", "Costs")
    lists = [
        f"I mended fence {day}.\nMai came.\nIt rained.\nWe ate.\nI slept.\n{heading}: two of them"
        for day in range(12)
        for heading in headings[day % 3 :: 3]
    ]
    lists += [f"I swam {day} lengths.\nList {day}: one" for day in range(9)]
    diary = "\n\n".join(lists)
    assert own(diary, "I mended fence 11")
    assert own(diary, "two of them")
    short = "I mended it.\nMai came.\nIt rained.\nWe ate.\n" * 8
    lists = [f"{heading}: two" for heading in headings[1:]]
    assert own("\n".join([short, "So: one", *lists, "So: I slept"]), "I slept")
    several = "\n".join(f"{name}: I saw {name} at the gate" for name in (*headings, "Seen"))
    assert not own(several, "I saw Seen")


@pytest.mark.parametrize(
    "text",
    [
        "Dear Aisling,\n\nI noticed the gate is narrow.",
        "Hi Conor and Aisling, as promised I noticed something.",
        "To: Aisling Keane, Licensing.\nI noticed a duck.",
        "Patient: Aisling Keane, 33. I noticed hives.",
    ],
)
def test_what_is_written_to_the_person_is_not_theirs(text: str) -> None:
    assert not own(text, "I noticed" if "I noticed" in text else "noticed")


def test_a_japanese_letter_says_at_its_head_to_whom_it_goes() -> None:
    assert not own("圭子へ\n私は元気です。", "私は", KEIKO)
    assert not own("平野圭子様\n私どもの会は", "私ども", KEIKO)
    assert own("京都へ\n私は行った。", "私は", KEIKO)


@pytest.mark.parametrize(
    "text",
    [
        "I drew a box on the map.",
        "Dear Tadhg, I drew a box on the map.",
        "Time: three\nPlace: Kyoto\nBring: I bring rope",
        "19:30 I came home. 20:15 I slept.",
        "see https://example.org/a\nhttps://example.org/b\nI read both.",
    ],
)
def test_what_does_not_show_that_it_is_somebody_elses_may_be_the_persons(text: str) -> None:
    assert own(text, "I ")


def test_a_bill_speaks_of_nobody() -> None:
    assert not authorship_of("Paid to date 48,000. Balance 8,807.", AISLING).speaks_of_self
    assert authorship_of("Paid my share.", AISLING).speaks_of_self
    assert authorship_of("家賃を払った。", AISLING).speaks_of_self


LABELLED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "statements" / "whose.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def taken(case: dict[str, str]) -> bool:
    """Tell whether the labelled words are taken for the owner's."""
    written = authorship_of(case["document"], frozenset(own_keys(case["owner"])), case["title"])
    place = case["document"].index(case["words"])
    return written.speaks_of_self and written.may_be_own(place)


@pytest.mark.parametrize(
    "case", [case for case in LABELLED if not case["own"]], ids=lambda case: case["words"][:40]
)
def test_no_strangers_words_are_taken_for_the_persons(case: dict[str, str]) -> None:
    assert not taken(case)


def test_most_of_the_persons_own_words_are_taken_for_theirs() -> None:
    own = [case for case in LABELLED if case["own"]]
    assert sum(taken(case) for case in own) >= 0.9 * len(own)


@pytest.mark.parametrize(
    ("title", "text", "is_own"),
    [
        ("To Margaret", "Dear Margaret, I have no water. Your brother, A.", True),
        ("From Wendell", "Alistair. Found it. I wont mail it. W.", False),
        ("2022-02-11 Barristers", "Dear Mr. Keane, I have written. Yours, C. Rudderham", False),
        ("Re: second site", "Thandi, I have a pot of money. Hilary", False),
        ("note", "I saw the pin. Wendell knew.", True),
        (
            "Dive medical",
            "Dr N. Abrahams. Re: Dr A. Keane. I confirm that she may not dive.",
            False,
        ),
        ("2021-03-29 Re- second site", "Sisi, I have a pot of money. Hilary", False),
    ],
)
def test_a_letter_is_whose_it_is_signed_by(title: str, text: str, *, is_own: bool) -> None:
    written = authorship_of(text, frozenset(own_keys("Alistair Keane")), title)
    assert written.may_be_own(text.index("I " if "I " in text else "Found")) is is_own


def test_a_japanese_letter_presents_whoever_writes_it() -> None:
    own_names = frozenset(own_keys("佐伯 美緒"))
    theirs = "佐伯様\n\n整備工場の五十嵐です。車を見ました。"
    hers = "桐谷先生\n\nお疲れさまです。佐伯です。九月は休みます。"
    assert not authorship_of(theirs, own_names).may_be_own(theirs.index("車"))
    assert authorship_of(hers, own_names).may_be_own(hers.index("九月"))


def test_the_second_mail_of_a_box_is_not_quoted_by_the_first() -> None:
    box = (
        "From: Owen\nTo: Gran\n\nI will drive.\n\nOn Tue, 4 Jun 2024, Gran wrote:\nI missed it.\n\n"
        "From: Owen\nTo: Gran\n\nI am outside."
    )
    owner = frozenset(own_keys("Owen"))
    said = {
        words: authorship_of(box, owner).may_be_own(box.index(words))
        for words in ("I will drive.", "I missed it.", "I am outside.")
    }
    assert said == {"I will drive.": True, "I missed it.": False, "I am outside.": True}


def test_what_is_said_of_a_doctor_last_is_no_signature() -> None:
    text = "I met Dr Byrne in Cork. Dr Byrne, the vet, has a cold."
    assert authorship_of(text, frozenset({"nagi"})).may_be_own(0)


@pytest.mark.parametrize(
    "text",
    [
        "To the Governors,\nI have moved the desk to the hall.\nRegistrar",
        "I have moved the bins to the yard.\nThe Parking Office",
        "Potassium 4.9. I have moved the next test to May. NP J. Whitfield",
        "合唱団 御中\n私どもは校庭の門を九時に開けます。\n副校長 榎本",
        "住民各位\n断水のお知らせです。私どもは九時に始めます。\n水道課",
        "住民各位\n断水のお知らせです。私どもは九時に始めます。\n水道課　佐藤",
    ],
)
def test_what_an_officer_signs_is_not_the_persons(text: str) -> None:
    keys = AISLING if text.isascii() else KEIKO
    assert not own(text, "I have" if text.isascii() else "私ども", keys)


@pytest.mark.parametrize(
    "text",
    [
        "To the Governors,\nI have moved the desk to the hall.\nAisling Keane, Registrar",
        "I have moved the bins.\nMet the planning committee",
        "I have moved the bins to the yard.\nTo do: ring the Parking Office",
        "合唱団 御中\n私は九時に門を開けます。\n書記 平野圭子",
        "住民各位\n断水のお知らせです。私は九時に始めます。\n水道課　平野",
    ],
)
def test_what_the_person_signs_for_an_office_is_theirs(text: str) -> None:
    keys = AISLING if text.isascii() else KEIKO | {"平野"}
    assert own(text, "I have" if text.isascii() else "私は", keys)


@pytest.mark.parametrize(
    ("text", "name", "is_own"),
    [
        ("A year of kelp\nby Jane Doe\n\nI dive on Fridays.", "Aisling Keane", False),
        ("A year of kelp\nBy Aisling Keane\n\nI dive on Fridays.", "Aisling Keane", True),
        ("A year of kelp\n\nI dive on Fridays.\n\nWords by Jane Doe", "Aisling Keane", False),
        ("by Friday Morning\nI dive.", "Aisling Keane", True),
        ("Read Beloved by Toni Morrison\nI dive on Fridays.", "Aisling Keane", True),
        ("by the end of May\nI dive on Fridays.", "Aisling Keane", True),
        ("【私の一冊】ひばり薬局　寺岡 典\n私が挙げるのは手帳です。", "平野 圭子", False),
        ("【私の一冊】ひばり薬局　寺岡 典\n私が挙げるのは手帳です。", "寺岡 典", True),
        ("海辺の一年\n文・田中 誠\n私は金曜に潜ります。", "平野 圭子", False),
        ("【買い物】 牛乳 卵\n私は金曜に潜ります。", "平野 圭子", True),
    ],
)
def test_a_column_is_by_whom_its_by_line_names(text: str, name: str, *, is_own: bool) -> None:
    keys = frozenset(own_keys(name))
    assert own(text, "I dive" if "I dive" in text else "私", keys) is is_own


def test_a_mail_that_answers_is_signed_above_what_it_quotes() -> None:
    mail = "Keep the blazer, I say. Tom\n\n> On 13 July Aisling wrote:\n> He still owes 60 euros."
    assert not authorship_of(mail, AISLING, "Re: the bowls").may_be_own(0)
    assert authorship_of(mail, frozenset(own_keys("Tom")), "Re: the bowls").may_be_own(0)
    assert authorship_of("I do. Aisling K.\n\n> Do you?", AISLING, "Re: it").may_be_own(0)
    known = frozenset(own_keys("Keane"))
    assert authorship_of("I do. Aisling K.\n\n> Do you?", known, "Re: it").may_be_own(0)


@pytest.mark.parametrize(
    ("title", "is_own"),
    [
        ("節子より 母の家", False),
        ("市役所より 補助金", False),
        ("母より 成人のこと", False),
        ("お父さんから", False),
        ("恵先生からの葉書", False),
        ("去年より 寒い", True),
        ("今日から", True),
        ("節子へ 母の家", True),
    ],
)
def test_a_japanese_title_says_from_whom_a_letter_is(title: str, *, is_own: bool) -> None:
    letter = authorship_of("母の家の屋根が傷んでいます。来週、見てきます。", KEIKO, title)
    assert letter.may_be_own(0) is is_own


@pytest.mark.parametrize("ending", ["Love,\nand", "&", "Love,\n-"])
def test_a_signature_without_a_name_is_nobodys(ending: str) -> None:
    for called in ("Nagi", "-", ""):
        own = frozenset(own_keys(called))
        assert authorship_of(f"Dear Mai,\nI walked.\n{ending}", own).may_be_own(12)


@pytest.mark.parametrize("title", ["To do", "2024-05-03 To buy", "From the garden"])
def test_a_title_that_only_begins_like_one_of_a_letter_makes_none(title: str) -> None:
    assert authorship_of("bread\nMilk", frozenset({"nagi"}), title).may_be_own(0)


@pytest.mark.parametrize("name", ["", "Nagi"])
def test_the_time_that_a_sender_takes_grows_as_the_head_does(name: str) -> None:
    def read(length: int) -> None:
        mail = f"From: {name}{' ' * length}@\nTo: x\nSubject: y\n\nHi"
        assert not is_by_the_person(mail, frozenset({"nagi"}))

    assert growth(read, 3_200, 12_800, 0.01) <= MOST_GROWTH


@pytest.mark.parametrize("head", ["From: Nagi", 'From: "Nagi" <n@home.example>', "From:  Nagi  "])
def test_a_mail_is_by_whom_its_head_names(head: str) -> None:
    mail = f"{head}\nTo: Mai\n\nI walked."
    assert is_by_the_person(mail, frozenset({"nagi"}))
    assert not is_by_the_person(mail, frozenset({"mai"}))


@pytest.mark.parametrize(
    ("line", "own"),
    [
        ("— W. H. Auden", False),
        ("– Emily Dickinson, 1886", False),
        ("- Lea wants the red chair", True),
        ("- B 2025年9月28日、母に尋ねた。", True),
        ("- W Lea: moved to Bergen", True),
    ],
)
def test_a_verse_is_whose_name_stands_below_it_and_a_list_is_no_name(
    line: str, *, own: bool
) -> None:
    written = authorship_of(f"I planed the door until it shut.\n{line}\n", frozenset({"nagi"}))
    assert written.may_be_own(2) is own


@pytest.mark.parametrize(
    ("title", "another"),
    [
        ("2024-04-14-from-mr-ide", True),
        ("2024-04-14_to_mr_ide", False),
        ("from-nagi-sorrel", False),
        ("re-the-lease", False),
        ("walk-from-the-station", False),
    ],
)
def test_the_name_of_a_file_says_from_whom_a_letter_is(title: str, *, another: bool) -> None:
    own = frozenset(own_keys("Nagi Sorrel"))
    text = "I moved the chair to the window. Come when the rain is over."
    assert authorship_of(text, own, title).by_another is another
