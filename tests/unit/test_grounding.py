"""The guard: what a passage carries is let through with that passage; what it does not is not shown."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lpm_kernel.domain.conversations import PartKind
from lpm_kernel.domain.documents import Chunk
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.recall import Recalled, Signals
from lpm_kernel.L1.grounding import Guard, nothing, quotation

MOVED = "I moved the workshop from Higashiyama to Teramachi on 6 April 2024."
PAID = "In the end Ken paid Mira 500 yen for the varnish."
COATS = "First coats of oil varnish on Ottilie's cello: 9, 19 and 29 August 2025."


def found(*texts: str) -> list[Recalled]:
    return [
        Recalled(Chunk(ChunkId(f"c{n}"), DocumentId("d"), "text-1", 0, len(text), text, "part-1", said_at=datetime(2025, 8, 30, tzinfo=UTC)), 1.0, Signals())
        for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("question", "sentence", "carried_by"),
    [
        ("When did I move the workshop?", "You moved the workshop to Teramachi on 6 April 2024.", 0),
        ("When did I move the workshop?", "On 6 April 2024.", 0),
        ("When did I move the workshop?", "You moved the workshop on 7 April 2024.", None),
        ("When did I move the workshop?", "You moved the workshop to Kyoto on 6 April 2024.", None),
        ("When did I move the workshop?", "You moved the workshop.", None),
        ("When did I move the workshop?", "I don't know when you moved the workshop on 6 April 2024.", None),
        ("Whose cello got oil varnish?", "The oil varnish went on Ottilie's cello.", 1),
        ("Whose cello got oil varnish?", "The oil varnish went on Jonas's cello.", None),
        ("When did I move the workshop?", "You moved the workshop to Teramachi on 6 April 2024 after a fire.", None),
        ("Who paid for the varnish?", "Ken paid Mira 500 yen for the varnish.", 2),
        ("Who paid for the varnish?", "So Mira paid Ken 500 yen for the varnish.", None),
    ],
)
def test_only_what_is_carried_is_let_through(question: str, sentence: str, carried_by: int | None) -> None:
    pieces = (guard := Guard(question, found(MOVED, COATS, PAID))).feed(sentence + "\n") + guard.finish()
    assert [piece.item for piece in pieces] == ([] if carried_by is None else [carried_by])


def test_a_sentence_is_released_as_soon_as_it_is_complete() -> None:
    guard = Guard("When did I move the workshop?", found(MOVED))
    released = [[piece.text for piece in guard.feed(word)] for word in ("You moved the workshop on ", "6 April ", "2024. ", "And ", "then rain.")]
    assert released == [[], [], [], ["You moved the workshop on 6 April 2024."], []]


def test_words_to_the_letter_are_a_quotation() -> None:
    guard = Guard("When did I move the workshop?", found(MOVED))
    (piece,) = guard.feed(MOVED + "\n")
    assert (piece.kind, piece.span) == (PartKind.QUOTATION, (0, len(MOVED)))


def test_a_copy_with_slips_gives_way_to_the_original() -> None:
    guard = Guard("When did I move the workshop?", found(MOVED))
    (piece,) = guard.feed("I moved the workshop from Higashiyama to Teramachi, on 6 April 2024.\n")
    assert (piece.kind, piece.text) == (PartKind.QUOTATION, MOVED)


def test_going_round_in_circles_is_noticed_and_not_shown() -> None:
    guard = Guard("When did I move the workshop?", found(MOVED))
    shown = [piece.text for _ in range(3) for piece in guard.feed("On 6 April 2024.\n")]
    assert (shown, guard.repeats) == (["On 6 April 2024."], 2)


def test_the_quotation_has_the_form_of_an_answer_and_stands_where_it_says() -> None:
    items = found("I put off moving the workshop until I had seen one tsuyu.", f"## Retain\n- B {MOVED}\n- W @Tofu: my white van.")
    note, quote = quotation("When did I move the workshop?", items)
    assert (note.kind, quote.text, quote.item) == (PartKind.NOTE, MOVED, 1)
    assert quote.span is not None
    assert items[1].chunk.text[slice(*quote.span)] == MOVED


@pytest.mark.parametrize(
    ("question", "says"),
    [("Who is Bo?", "I have nothing about that."), ("ボーは誰？", "それについての記憶はありません。"), ("谁是波？", "关于这件事，我没有任何记录。")],
)
def test_having_nothing_is_said_in_the_questions_language(question: str, says: str) -> None:
    assert nothing(question).text == says
