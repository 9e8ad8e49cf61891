"""What is supposed, dreamt or told again is told by the same words wherever it matters."""

from __future__ import annotations

import re

import pytest

from lpm_kernel.L0.language import irrealis
from lpm_kernel.L1.answering.starters import starters
from lpm_kernel.L1.entities.relations import OWN, facts
from lpm_kernel.L1.statements.deaths import own_deaths
from lpm_kernel.L1.statements.office_doubts import is_not_held, is_unsure

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("before", ["Maybe", "Apparently", "In the dream", "I thought", "If only"])
def test_nobody_died_by_what_is_guessed_dreamt_or_heard(before: str) -> None:
    assert not list(own_deaths(f"{before} my brother Ian died."))
    assert list(own_deaths("My brother Ian died."))


@pytest.mark.parametrize("text", ["父が死んだらしい。", "父が死んだかもしれない。"])
def test_nobody_died_by_what_is_guessed_in_japanese(text: str) -> None:
    assert not list(own_deaths(text))


def test_a_word_that_only_holds_a_marker_marks_nothing() -> None:
    guess = re.compile(irrealis.japanese(irrealis.GUESS))
    assert not guess.search("しかも雪だ。")
    assert not guess.search("すばらしい店だ。")
    assert not re.search(irrealis.chinese(irrealis.CONDITION), "若林先生来了。")
    assert not re.search(irrealis.chinese(irrealis.DREAM), "我的梦想。")
    assert not re.search(irrealis.english(irrealis.MAY), "in May", re.IGNORECASE)


@pytest.mark.parametrize("before", ["supposing", "perhaps", "in the dream", "unless"])
def test_whose_brother_it_is_is_not_read_off_what_is_supposed(before: str) -> None:
    def told(text: str) -> list[str]:
        at = text.index("Conor")
        return [fact.value for fact in facts(text, [(at, at + 5)], lambda _: OWN)]

    assert told("My brother Conor has the boat.") == ["brother"]
    assert told(f"It rains, {before} my brother Conor has the boat.") == []


@pytest.mark.parametrize("before", ["Pretend that", "I hoped that", "I wish that", "Maybe"])
def test_the_day_of_what_did_not_happen_is_not_asked_for(before: str) -> None:
    def asked(text: str) -> list[str]:
        return [each.question for each in starters(text, own=True, dated=True)]

    assert asked("Then I sold the boat to Halvard.") == ["When did I sell the boat to Halvard?"]
    assert asked(f"{before} then I sold the boat to Halvard.") == []


def test_an_offer_that_may_never_be_is_unsure() -> None:
    assert is_unsure("Perhaps we can offer you the post.")
    assert not is_unsure("We wish to offer you the post.")
    assert is_not_held("会長は田中さんらしい。")
