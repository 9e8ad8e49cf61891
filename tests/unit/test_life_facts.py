"""What a sentence carries of a life without being about it, and how it is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L1.statements.life_facts import (
    ADDRESSED,
    TALK,
    facts_told_to_them,
    names_of,
    offices_of,
    own_facts,
    told,
)

pytestmark = pytest.mark.unit


def claim(
    text: str, *signs: str, mine: bool = True, about: tuple[str, ...] = (), month: int = 3
) -> Claim:
    return Claim(
        DocumentId(f"d{month} {text}"),
        "v",
        0,
        len(text),
        text,
        StatementKind.EXPERIENCE,
        about,
        0.5,
        kept=False,
        mine=mine,
        signs=signs,
        moment=datetime(2024, month, 5, 12, tzinfo=UTC).timestamp(),
    )


def said(*claims: Claim, called: str = "Ada Moe") -> list[str]:
    return [line.text for line in told(claims, names_of(called))]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("So my brother Colm rang from Cork.", "My brother is called Colm."),
        ("We drove home with my daughter Nandi, asleep.", "My daughter is called Nandi."),
        ("弟の克也に電話した。", "弟の名は克也だ。"),
        ("My boss Mr Ide signed it.", "In March 2024 Mr Ide was my boss."),
        ("上司は菅原さん、悪い人じゃない。", "2024年3月、上司は菅原さんだった。"),
    ],
)
def test_people_are_told_by_what_they_are_to_the_person(text: str, sentence: str) -> None:
    assert said(claim(text)) == [sentence]


@pytest.mark.parametrize(
    "text",
    [
        "Ola's cousin Kuba can do it.",
        "Is my brother Colm there?",
        "If my brother Colm came, I would go.",
        "父の時計を直した。",
        "母の手術は来週だ。",
        "隣の重松さんの猫に半分やった、と。",
        "母のカーテンは色があせない。",
        "予約番号は母のスマホだ。",
        "地主の望月と、製茶工場の望月(弟)だ。",
        "I told Colm so.",
    ],
)
def test_what_says_of_nobody_what_they_are_to_the_person_is_not_told(text: str) -> None:
    assert said(claim(text)) == []


def test_who_died_is_told_in_the_past() -> None:
    both = claim("My husband Brendan baked."), claim("Brendan died in his sleep.", month=9)
    assert said(*both) == ["My husband was called Brendan."]


def test_two_husbands_and_one_who_is_brother_and_cousin_are_not_told() -> None:
    assert said(claim("My husband Tom rang."), claim("My husband Jim rang.", month=4)) == []
    assert said(claim("My brother Tom rang."), claim("My cousin Tom rang.", month=4)) == []


def test_kin_that_is_never_named_is_not_told() -> None:
    assert said(claim("My wife left me."), claim("I miss my wife.", month=4)) == []
    talk = "Ann said “my husband drinks too much”."
    assert said(claim(talk), claim(talk, month=4)) == []


@pytest.mark.parametrize(
    ("living", "text"),
    [
        ("My mother Jane rang.", "I dreamt that my mother died."),
        ("My mother Jane rang.", "If my mother died, I would sell the house."),
        ("My mother Jane rang.", 'Ann told me "my mother died on Monday".'),
        ("My mother Jane rang.", "I was afraid that my mother died."),
        ("My mother Jane rang.", "My mother is dead against it."),
        ("My sister Elizabeth rang.", "Queen Elizabeth died in September."),
        ("弟の克也に電話した。", "友人が言うには、弟が亡くなった。"),
        ("弟の克也に電話した。", "克也が亡くなる夢を見た。"),
    ],
)
def test_a_death_that_is_dreamt_feared_or_anothers_is_nobodys(living: str, text: str) -> None:
    told_of = said(claim(living))
    assert said(claim(living), claim(text, month=9)) == told_of
    assert len(told_of) == 1


def test_who_died_is_whom_the_sentence_names() -> None:
    colm = claim("My brother Colm lives in Cork.")
    ian = claim("My older brother Ian died in 2019.", month=4)
    assert said(colm, ian) == ["My brother is called Colm.", "My older brother was called Ian."]
    died = claim("My brother Colm died in 2019.", month=5)
    assert said(colm, died) == ["My brother was called Colm."]
    assert said(claim("弟の克也に電話した。"), claim("弟の克也が亡くなった。", month=4)) == [
        "弟の名は克也だった。"
    ]


@pytest.mark.parametrize(
    ("named", "death"),
    [
        ("My brother Colm lives in Cork.", "My brother died in 2019."),
        ("My husband Tom rang.", "My first husband died in 2019."),
        ("My brother Colm lives in Cork.", "Colm Doyle died in May."),
        ("弟の克也に電話した。", "弟が亡くなった。"),
    ],
)
def test_where_it_is_not_sure_who_died_nothing_is_told(named: str, death: str) -> None:
    assert said(claim(named), claim(death, month=9)) == []


def test_a_short_name_is_the_longer_one_that_begins_so() -> None:
    both = claim("My brother Colm rang."), claim("My brother Colm Byrne came.", month=4)
    assert said(*both) == said(*reversed(both)) == ["My brother is called Colm Byrne."]
    older = claim("My older brother Colm rang.", month=5)
    assert said(both[0], older) == ["My older brother is called Colm."]


def test_who_is_not_my_sister_is_not_told() -> None:
    assert said(claim("She is not my sister Ann.")) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "We would like to offer you the post of Driver Trainer, starting 22 April.",
            "In March 2024 I was offered work as Driver Trainer.",
        ),
        (
            "We'd like to offer you 20 hours a week as a gallery assistant, from June.",
            "In March 2024 I was offered work as a gallery assistant.",
        ),
        (
            "I am pleased to inform you of your promotion to Associate Professor with effect now.",
            "In March 2024 I was promoted to Associate Professor.",
        ),
        (
            "You've been chosen from 212 nominations for the Unsung Award.",
            "In March 2024 I was chosen for the Unsung Award.",
        ),
        ("Your daughter Nandi had a good term.", "My daughter is called Nandi."),
        (
            "We are sorry that your mother, Mrs Iris Doolan, died on Sunday.",
            "My mother was called Iris Doolan.",
        ),
        (
            "Confirming: Site Supervisor from April 3.".replace("C", "c", 1),
            "In March 2024 I was confirmed as Site Supervisor.",
        ),
    ],
)
def test_what_a_letter_says_to_the_person_of_their_work(text: str, sentence: str) -> None:
    assert said(claim(text, ADDRESSED, mine=False)) == [sentence]
    assert said(claim(text, mine=False)) == [], "it is not to them"


def test_whom_a_letter_writer_lost_is_not_of_the_person() -> None:
    named = claim("My wife Ann was late.")
    assert said(named, claim("My wife died in May.", ADDRESSED, mine=False)) == [
        "My wife is called Ann."
    ]
    assert said(named, claim("We heard your wife died.", ADDRESSED, mine=False)) == [
        "My wife was called Ann."
    ]


def test_what_is_refused_or_asked_is_no_offer() -> None:
    assert facts_told_to_them("We are unable to offer you the post of Cook, sorry.") == ()
    assert facts_told_to_them("Could they offer you the post of Cook, then?") == ()


@pytest.mark.parametrize(
    "text",
    [
        "In 2011 we appointed you as head of the school.",
        "Had we known, we would offer you the post of Cook, of course.",
        "We might offer you the post of Cook, from June.",
        "We may offer you the post of Cook, from June.",
        "We could offer you the post of Cook, from June.",
        "We had hoped to offer you the post of Cook, from June.",
        "We were going to offer you the post of Cook, from June.",
        "Ten years ago we appointed you as head of the school.",
        "In May we appointed you as head of the school.",
        "Your appointment as head of the school, ends today.",
        "We would offer you the post of Cook, from June.",
    ],
)
def test_what_may_never_be_or_was_at_another_time_is_not_told(text: str) -> None:
    assert said(claim(text, ADDRESSED, mine=False)) == []


@pytest.mark.parametrize(
    "text",
    [
        "The prize was given by former chair Ada Moe.",
        "The prize was given by the late chair Ada Moe.",
        "The candidates for director: Ada Moe, manager, was not chosen.",
        "In 2011 she met editor Ada Moe.",
        "Would editor Ada Moe come?",
        "We hoped for chair Ada Moe.",
        "Last year chair Ada Moe spoke.",
        "If chair Ada Moe comes, we vote.",
        "Tom said “so says chair Ada Moe”.",
    ],
)
def test_an_office_that_one_no_longer_has_or_may_get_is_not_told(text: str) -> None:
    assert said(claim(text, mine=False)) == []


@pytest.mark.parametrize("text", ["会長候補は中野。", "もし副会長に中野。", "昨年、副会長に中野。"])
def test_so_it_is_in_japanese(text: str) -> None:
    assert said(claim(text), called="中野 由紀子") == []


def test_who_was_a_boss_in_another_year_is_not_told_with_this_one() -> None:
    assert said(claim("In 2011 my boss Mr Ide signed it.")) == []


def test_who_calls_the_person_by_an_office_says_that_they_held_it() -> None:
    web = claim("So says project leader Dr Ada Moe.", mine=False)
    assert said(web) == ["In March 2024 I was project leader."]
    assert offices_of("So says project leader Dr Ada Moe-Lind.", ["Ada Moe"]) == ()
    assert offices_of("Our chair Ada rang.", ["Ada"]) == (), "a given name may be another's"
    minutes = claim("副会長に中野。")
    assert said(minutes, called="中野 由紀子") == ["2024年3月、副会長を務めていた。"]


def test_with_whom_the_person_is_in_touch_takes_two_talks() -> None:
    talks = [
        claim("Riaan: home?", TALK, mine=False, about=("Riaan", "Ada Moe"), month=month)
        for month in (1, 2)
    ]
    mother = [
        claim("Mum: home?", TALK, mine=False, about=("Mum", "Ada Moe"), month=month)
        for month in (1, 2, 3)
    ]
    brother = claim("My brother Colm rang.")
    named = "My brother is called Colm."
    assert said(brother, talks[0]) == [named]
    assert said(brother, *talks, *mother) == [
        named,
        "I have been in touch with my mother and Riaan.",
    ]


def test_with_whom_the_person_is_in_touch_does_not_stand_alone() -> None:
    talks = [
        claim("Riaan: home?", TALK, mine=False, about=("Riaan", "Ada Moe"), month=month)
        for month in (1, 2)
    ]
    assert said(*talks) == []


def test_a_neighbour_is_not_told_of() -> None:
    assert said(claim("My neighbour Tom lent me a ladder.")) == []


def test_every_sentence_rests_on_a_claim_that_it_was_made_of() -> None:
    claims = [
        claim("My brother Colm rang."),
        claim("Riaan: home?", TALK, mine=False, about=("Riaan", "Ada Moe")),
        claim("Riaan: when?", TALK, mine=False, about=("Riaan", "Ada Moe"), month=6),
    ]
    lines = told(claims, ["Ada Moe"])
    assert len(lines) == 2
    assert all(set(line.evidence) <= set(claims) and line.evidence for line in lines)


def test_a_long_sentence_carries_nothing() -> None:
    assert own_facts("My brother Colm rang. " * 60) == ()
