"""What nobody told is asked about as one would ask: who of somebody, and what it cost of what is
paid for.
"""

from __future__ import annotations

import re
from itertools import product
from random import Random

import pytest

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import ExampleKind, Taught
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.alignment.preferences import PairMix, PairWorld, build_pairs
from lpm_kernel.L2.dataset import DatasetMix, RowWorld, build
from lpm_kernel.L2.templates import Templates
from lpm_kernel.L2.told import DOES_NOT_KNOW, Unheard, unheard
from lpm_kernel.L2.untold import unanswered, unknown_rows

TOLD = [
    Taught(MemoryId("one"), "Halvard mends the boats in Risør."),
    Taught(MemoryId("two"), "佐藤さんは蔵の屋根を直した。"),
]
THINGS = {name: thing for thing in unheard() for name in (thing.english, thing.japanese)}
_WHO, _PRICE = re.compile(r"^Who\b|だれ"), re.compile(r"\bcost\b|いくら")


def thing_in(question: str) -> Unheard:
    """Give the longest thing that stands in a question."""
    return THINGS[max((name for name in THINGS if name.casefold() in question.casefold()), key=len)]


@pytest.fixture(scope="module")
def of_rows() -> list[str]:
    return [row.question for row in unknown_rows(TOLD, TOLD, {}, 6000, Random(1))]


@pytest.fixture(scope="module")
def of_pairs() -> list[str]:
    return [question for seed in range(6) for question in unanswered(TOLD, Random(seed))]


@pytest.mark.parametrize("made_by", ["of_rows", "of_pairs"])
def test_who_is_asked_of_somebody_and_the_price_of_what_is_paid_for(
    made_by: str, request: pytest.FixtureRequest
) -> None:
    questions: list[str] = request.getfixturevalue(made_by)
    who = [thing_in(each).sort for each in questions if _WHO.search(each)]
    price = [thing_in(each).sort for each in questions if _PRICE.search(each)]
    assert set(who) == {"who"}
    assert set(price) == {"cost", "thing"}


def test_where_a_blood_type_is_nobody_asks(of_rows: list[str]) -> None:
    where = re.compile(r"^(?:Where is|When did|Have you|Why did|How old)|どこですか|どうしましたか")
    sorts = {thing_in(each).sort for each in of_rows if where.search(each)}
    assert sorts == {"who", "thing"}


def test_what_nobody_told_is_asked_about_in_both_languages() -> None:
    english = [*TOLD[:1], Taught(MemoryId("two"), "Mai paints boats in Bergen.")]
    japanese = [*TOLD[1:], Taught(MemoryId("three"), "父は船を描く。")]
    for told in (english, japanese):
        wide = {unspaced(asked) for asked in unanswered(told, Random(1))}
        assert wide == {True, False}


def test_articles_fit(of_rows: list[str]) -> None:
    articles = [found for each in of_rows for found in re.findall(r"\b(an?) (\w)", each)]
    assert {article for article, _ in articles} == {"a", "an"}
    assert all((letter in "aeio") is (article == "an") for article, letter in articles)


def test_what_a_statement_speaks_of_is_not_asked_about() -> None:
    told = [*TOLD, Taught(MemoryId("three"), "My tailor is in Bergen.")]
    assert not any("tailor" in each for each in unanswered(told, Random(1)))
    assert not any("tailor" in row.question for row in unknown_rows(told, told, {}, 600, Random(1)))


def test_places_and_things_own_nothing() -> None:
    told = [
        *TOLD,
        Taught(MemoryId("three"), "I heard Ottilie sing the Ballad Requiem in Bergen."),
        Taught(MemoryId("four"), "The car is a 2009 Kangoo."),
        Taught(MemoryId("five"), "祖母のカステラはおいしいが、イネスは食べない。"),
    ]
    asked = [row.question for row in unknown_rows(told, told, {}, 600, Random(1))]
    assert any("Ottilie's" in each for each in asked)
    assert any("イネスの" in each for each in asked)
    assert not any(re.search("Requiem|Bergen|Risør|Kangoo|カステラ", each) for each in asked)


SPOKEN_OF = unheard()[::2]
OLDER = [
    Taught(
        MemoryId(f"older{number}"), f"My {thing.english} came from Lisbon, and so {thing.japanese}."
    )
    for number, thing in enumerate(SPOKEN_OF)
]
"""Statements that a weekly training does not learn again: of every second thing of the list."""
NEW = [
    Taught(MemoryId("new1"), "I sold the lathe to Mr Osei in Bristol for 400 pounds."),
    Taught(MemoryId("new2"), "Mai lent me her ladder in May."),
    Taught(MemoryId("new3"), "We rent a garden in Stavanger since 2019."),
]


def test_what_an_older_statement_tells_is_not_unknown() -> None:
    made = build(
        NEW,
        Templates(),
        DatasetMix(unknown=4, enhance=4),
        world=RowWorld("Nagi", also_told=OLDER),
    ).made
    told = {thing.shipped for thing in SPOKEN_OF}
    shipped = [row for row in made if row.kind is not ExampleKind.GENERAL and row.shipped]
    assert {row.kind for row in shipped} == {ExampleKind.UNKNOWN, ExampleKind.ENHANCE}
    assert not [row.question for row in shipped if told & set(row.shipped)]
    assert {row.searched for row in shipped} == {len(NEW) + len(OLDER)}
    learned = {memory for row in made for memory in row.memories}
    assert learned <= {each.memory for each in NEW}


def test_what_a_long_statement_tells_is_not_unknown() -> None:
    long = Taught(MemoryId("long"), "My tailor is in Bergen. " + "It rained there. " * 40)
    made = build([*NEW, long], Templates(), DatasetMix(unknown=4)).made
    assert not [row.question for row in made if "tailor" in row.question]


def test_a_question_that_an_older_statement_answers_is_not_asked() -> None:
    older = Taught(MemoryId("older"), "Mai lent me her ladder in May for the roof of the shed.")
    alone = build(NEW, Templates())
    beside = build(NEW, Templates(), world=RowWorld(also_told=[older]))
    asked = [sum(row.memories[:1] == ("new2",) for row in each.made) for each in (alone, beside)]
    assert asked[1] < asked[0]
    assert beside.left_out["ambiguous"] > alone.left_out.get("ambiguous", 0)


def test_pairs_prefer_not_knowing_only_for_what_no_older_statement_tells() -> None:
    world = PairWorld(Templates(), "Nagi", also_told=OLDER)
    life = [
        Taught(
            MemoryId(f"{number}"), f"I lent {name} my {number} books of {place} in {year}.", (name,)
        )
        for number, (name, place, year) in enumerate(
            product(("Mai", "Osei", "Ida"), ("Oslo", "Kyoto"), (1999, 2004, 2011)), start=3
        )
    ]
    made = build_pairs(life, [], world, PairMix(60)).made
    nothing = [
        pair.question for pair in made if pair.chosen in DOES_NOT_KNOW.values() and not pair.notes
    ]
    assert nothing
    assert not {thing_in(each) for each in nothing} & set(SPOKEN_OF)
