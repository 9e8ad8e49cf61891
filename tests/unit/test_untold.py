"""What nobody told is asked about as one would ask: who of somebody, and what it cost of what is
paid for.
"""

from __future__ import annotations

import re
from random import Random

import pytest

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Taught
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.told import Unheard, unheard
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
    return [row.question for row in unknown_rows(TOLD, {}, 6000, Random(1))]


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
    assert not any("tailor" in row.question for row in unknown_rows(told, {}, 600, Random(1)))


def test_places_and_things_own_nothing() -> None:
    told = [
        *TOLD,
        Taught(MemoryId("three"), "I heard Ottilie sing the Ballad Requiem in Bergen."),
        Taught(MemoryId("four"), "The car is a 2009 Kangoo."),
        Taught(MemoryId("five"), "祖母のカステラはおいしいが、イネスは食べない。"),
    ]
    asked = [row.question for row in unknown_rows(told, {}, 600, Random(1))]
    assert any("Ottilie's" in each for each in asked)
    assert any("イネスの" in each for each in asked)
    assert not any(re.search("Requiem|Bergen|Risør|Kangoo|カステラ", each) for each in asked)
