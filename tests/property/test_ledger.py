"""The ledger: whatever is written, every statement is one memory, nothing is believed twice, and
reading again changes nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, DocumentKind, DocumentState
from lpm_kernel.domain.memory.memories import Belief
from lpm_kernel.domain.memory.retain import parse
from lpm_kernel.L1.statements.ledger import changed

NOON = datetime(2026, 11, 21, 12).astimezone()
LINES = st.lists(
    st.sampled_from(
        [
            "- W Rain. ^mabc1",
            "- W Rain.",
            "- W Rain is forecast for the weekend.",
            "- W Rain is forecast for the week.",
            "- O(c=0.5) @Mai: likes tea",
            "- O(c=0.9) @Mai: likes tea",
            "- B 雨だった。",
            "none",
        ]
    ),
    max_size=7,
)


def document(words: str) -> Document:
    return Document(
        DocumentId(f"d_{abs(hash(words))}"),
        "Day",
        DocumentKind.MARKDOWN,
        "0" * 64,
        len(words),
        DocumentState.READY,
        NOON,
        origin="memory/day.md",
    )


def read(before: list[Belief], lines: list[str], now: datetime) -> list[Belief]:
    text = "## Retain\n" + "\n".join(lines)
    found = parse(text).statements
    made = changed(before, found, document(text), now)
    assert [text[each.start : each.end] for each in made.beliefs] == [
        text[slice(*each.about)] for each in found
    ]
    assert [(each.statement.text, each.statement.confidence) for each in made.beliefs] == [
        (each.statement.text, each.statement.confidence) for each in found
    ]
    assert len({each.memory for each in made.beliefs}) == len(made.beliefs)
    assert set(made.ended) == {each.memory for each in before} - {
        each.memory for each in made.beliefs
    }
    return list(made.beliefs)


@given(st.lists(LINES, min_size=1, max_size=6))
def test_every_statement_is_one_memory_and_a_memory_goes_on_or_ends(texts: list[list[str]]) -> None:
    known: list[Belief] = []
    for number, lines in enumerate(texts):
        was = {each.memory: each for each in known}
        known = read(known, lines, NOON + timedelta(days=number))
        for each in known:
            if (old := was.get(each.memory)) is not None:
                same = old.statement == each.statement
                assert (
                    (each.number, each.believed_from) == (old.number, old.believed_from)
                    if same
                    else each.number == old.number + 1
                )


@given(LINES)
def test_reading_the_same_again_changes_nothing(lines: list[str]) -> None:
    once = read([], lines, NOON)
    assert read(once, lines, NOON + timedelta(days=1)) == once


@given(LINES, st.randoms())
def test_statements_that_change_places_keep_their_memories(
    lines: list[str], random: Random
) -> None:
    distinct = list(dict.fromkeys(lines))
    once = read([], distinct, NOON)
    moved = list(distinct)
    random.shuffle(moved)
    again = read(once, moved, NOON)
    assert {(each.memory, each.statement) for each in again} == {
        (each.memory, each.statement) for each in once
    }


def test_a_line_that_is_worded_anew_is_the_same_memory() -> None:
    once = read([], ["- W Rain is forecast for the weekend."], NOON)
    again = read(once, ["- B I swam.", "- W Rain is forecast for the whole week."], NOON)
    assert [(each.memory == once[0].memory, each.number) for each in again] == [
        (False, 1),
        (True, 2),
    ]


def test_a_statement_about_somebody_else_is_another_memory() -> None:
    once = read([], ["- W @Mai: lives in Kobe"], NOON)
    again = read(once, ["- W @Jonas: lives in Kobe"], NOON)
    assert again[0].memory != once[0].memory
