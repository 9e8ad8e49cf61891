"""The invented half-year of chats: every question about it can be checked from it alone."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.bench.chat_life import CATEGORIES, Asked, Said, chats, folded, holds, notes, questions

pytestmark = pytest.mark.unit

LIFE, QUESTIONS = chats(), questions()
SAID: dict[object, Said] = {said.place: said for chat in LIFE for said in chat.said}
COMPUTED = {"q056", "q061", "q089"}
"""A difference, or "yesterday" counted: what is accepted stands nowhere."""


def test_there_is_as_much_as_is_promised() -> None:
    assert len(LIFE) >= 40
    assert len(QUESTIONS) >= 150
    assert sum(asked.blind for asked in QUESTIONS) >= len(QUESTIONS) // 3
    asked_for = Counter(asked.category for asked in QUESTIONS)
    assert set(asked_for) == set(CATEGORIES)
    assert min(asked_for.values()) >= 12
    assert {asked.language for asked in QUESTIONS} == {"en", "ja"}
    assert len({asked.id for asked in QUESTIONS}) == len(QUESTIONS)


def test_time_goes_forward_in_a_chat() -> None:
    for chat in LIFE:
        assert [said.place.turn for said in chat.said] == list(range(1, len(chat.said) + 1))
        assert all(
            before.at < after.at for before, after in zip(chat.said, chat.said[1:], strict=False)
        )
        assert chat.said[0].by == "person"


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.id)
def test_what_answers_was_said(asked: Asked) -> None:
    evidence = [SAID[place] for place in asked.evidence]
    if asked.category == "abstain":
        assert not evidence
        assert not asked.accept
        return
    assert evidence
    assert asked.accept
    if asked.category != "who":
        assert {said.by for said in evidence} == {"person"}
    told = " ".join(f"{said.text} {said.at.date()}" for said in evidence)
    if asked.id not in COMPUTED:
        assert all(any(holds(told, each) for each in group) for group in asked.accept)
    assert folded(asked.question) not in folded(told)


def test_the_notes_hold_what_the_person_said_and_nothing_else() -> None:
    written = dict(notes(LIFE))
    for said in SAID.values():
        note = written.get(f"{said.at.date()}-{said.place.chat}.md", "")
        assert (said.text in note) == (said.by == "person")


def test_an_older_fact_before_the_newer_one_is_not_right() -> None:
    asked = next(each for each in QUESTIONS if each.category == "update" and each.wrong)
    new, old = asked.accept[0][0], asked.wrong[0]
    assert asked.is_right(f"It is {new}, and not {old} any more.")
    assert not asked.is_right(f"It is {old}, or {new}.")
    assert not asked.is_right("It is something else.")
