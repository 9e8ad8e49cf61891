"""The guard: what a passage carries is let through with that passage; what it does not is not
shown.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lpm_kernel.domain.chat.conversations import PartKind
from lpm_kernel.domain.chat.recall import Recalled, Signals
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Attribution, Chunk
from lpm_kernel.L0.language.dates import Span
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.day_questions import told_of
from lpm_kernel.L1.answering.grounding import Guard, nothing, quotation
from lpm_kernel.L1.answering.leads import WordsOf, lead, undated
from lpm_kernel.L1.answering.reader import Pick
from lpm_kernel.L1.answering.voice import Voice

LANGUAGES: tuple[Language, ...] = ("en", "ja", "zh")
MOVED = "I moved the workshop from Higashiyama to Teramachi on 6 April 2024."
PAID = "In the end Ken paid Mira 500 yen for the varnish."
COATS = "First coats of oil varnish on Ottilie's cello: 9, 19 and 29 August 2025."


def found(*texts: str) -> list[Recalled]:
    return [
        Recalled(
            Chunk(
                ChunkId(f"c{n}"),
                DocumentId("d"),
                "text-1",
                0,
                len(text),
                text,
                "part-1",
                said_at=datetime(2025, 8, 30, tzinfo=UTC),
            ),
            1.0,
            Signals(),
        )
        for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("question", "sentence", "carried_by"),
    [
        (
            "When did I move the workshop?",
            "You moved the workshop to Teramachi on 6 April 2024.",
            0,
        ),
        ("When did I move the workshop?", "On 6 April 2024.", 0),
        ("When did I move the workshop?", "You moved the workshop on 7 April 2024.", None),
        ("When did I move the workshop?", "You moved the workshop to Kyoto on 6 April 2024.", None),
        ("When did I move the workshop?", "You moved the workshop.", None),
        (
            "When did I move the workshop?",
            "I don't know when you moved the workshop on 6 April 2024.",
            None,
        ),
        ("Whose cello got oil varnish?", "The oil varnish went on Ottilie's cello.", 1),
        ("Whose cello got oil varnish?", "The oil varnish went on Jonas's cello.", None),
        (
            "When did I move the workshop?",
            "You moved the workshop to Teramachi on 6 April 2024 after a fire.",
            None,
        ),
        ("Who paid for the varnish?", "Ken paid Mira 500 yen for the varnish.", 2),
        ("Who paid for the varnish?", "So Mira paid Ken 500 yen for the varnish.", None),
    ],
)
def test_only_what_is_carried_is_let_through(
    question: str, sentence: str, carried_by: int | None
) -> None:
    pieces = (guard := Guard(Question(question), found(MOVED, COATS, PAID))).feed(
        sentence + "\n"
    ) + guard.finish()
    assert [piece.item for piece in pieces] == ([] if carried_by is None else [carried_by])


def test_a_sentence_is_released_as_soon_as_it_is_complete() -> None:
    guard = Guard(Question("When did I move the workshop?"), found(MOVED))
    released = [
        [piece.text for piece in guard.feed(word)]
        for word in ("You moved the workshop on ", "6 April ", "2024. ", "And ", "then rain.")
    ]
    assert released == [[], [], [], ["You moved the workshop on 6 April 2024."], []]


def test_words_to_the_letter_are_a_quotation() -> None:
    guard = Guard(Question("When did I move the workshop?"), found(MOVED))
    (piece,) = guard.feed(MOVED + "\n")
    assert (piece.kind, piece.span) == (PartKind.QUOTATION, (0, len(MOVED)))


def test_a_copy_with_slips_gives_way_to_the_original() -> None:
    guard = Guard(Question("When did I move the workshop?"), found(MOVED))
    (piece,) = guard.feed("I moved the workshop from Higashiyama to Teramachi, on 6 April 2024.\n")
    assert (piece.kind, piece.text) == (PartKind.QUOTATION, MOVED)


def test_going_round_in_circles_is_noticed_and_not_shown() -> None:
    guard = Guard(Question("When did I move the workshop?"), found(MOVED))
    shown = [piece.text for _ in range(3) for piece in guard.feed("On 6 April 2024.\n")]
    assert (shown, guard.repeats) == (["On 6 April 2024."], 2)


def test_what_was_chosen_is_quoted_with_who_said_it_and_when() -> None:
    items = found(
        "I put off moving the workshop until I had seen one tsuyu.",
        f"## Retain\n- B {MOVED}\n- W @Tofu: my white van.",
    )
    at = items[1].chunk.text.index(MOVED)
    doubt, note, quote = quotation(
        Question("When did I move the workshop?"), items, [Pick(1, at, at + len(MOVED))], sure=False
    )
    assert (doubt.kind, note.kind, note.text) == (PartKind.DOUBT, PartKind.NOTE, "30 August 2025:")
    assert (quote.text, quote.item, quote.span) == (MOVED, 1, (at, at + len(MOVED)))


@pytest.mark.parametrize(
    ("question", "text", "says"),
    [
        (
            "When did Mai come?",
            "Mai came yesterday.",
            "Ren, 30 August 2025 (meaning 29 August 2025):",
        ),
        ("Who came?", "Mai came yesterday.", "Ren, 30 August 2025:"),
        ("When did Mai come?", "Mai came on 3 May 2024.", "Ren, 30 August 2025:"),
        (
            "When did Mai mark it?",
            "Mai may mark it, and did so yesterday with 1/2 cup.",
            "Ren, 30 August 2025 (meaning 29 August 2025):",
        ),
        ("When could Mai begin?", "She could begin on 23 October.", "Ren, 30 August 2025:"),
        ("When is the baby due?", "Before the baby, due 20 Oct.", "Ren, 30 August 2025:"),
        ("When is the interview?", "Interview on Tuesday the 2nd.", "Ren, 30 August 2025:"),
        ("When do we get it?", "We pick it up on Sunday.", "Ren, 30 August 2025:"),
        (
            "When did we get it?",
            "We picked it up on Sunday.",
            "Ren, 30 August 2025 (meaning 24 August 2025):",
        ),
        ("舞さんはいつ来る？", "10月23日に来られるそうだ。", "Ren、2025年8月30日："),
        (
            "舞さんはいつ来た？",
            "昨日、舞さんが来た。",
            "Ren、2025年8月30日（2025年8月29日のこと）：",
        ),
    ],
)
def test_a_day_that_is_only_meant_is_said(question: str, text: str, says: str) -> None:
    chunk = replace(found(text)[0].chunk, speaker="Ren")
    assert lead(chunk, text, Question(question)) == says


@pytest.mark.parametrize(
    ("author", "question", "says"),
    [
        (Attribution(own=True), "Who came?", "You wrote on 30 August 2025:"),
        (Attribution(own=True), "誰が来た？", "2025年8月30日に書いたもの："),
        (Attribution(own=False, name="Mrs Pryce"), "Who came?", "Mrs Pryce, 30 August 2025:"),
        (Attribution(own=False), "Who came?", "From “Hidaka Life”, 30 August 2025:"),
        (None, "誰が来た？", "「Hidaka Life」、2025年8月30日："),
        (Attribution(own=True), "When did Mai come?", "You wrote on 30 August 2025 (meaning 29"),
    ],
)
def test_a_quotation_says_whose_words_it_brings(
    author: Attribution | None, question: str, says: str
) -> None:
    text = "Mai came yesterday."
    words = WordsOf(author, undated("2025-08-30 Hidaka Life"))
    said = lead(found(text)[0].chunk, text, Question(question), whose=words)
    assert said.startswith(says)


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", "There is nothing from 10 May 2021. The nearest day is 9 May 2021."),
        ("ja", "2021年5月10日の記録はありません。いちばん近い記録は2021年5月9日のものです。"),
        ("zh", "没有2021年5月10日的记录。最近的记录是2021年5月9日的。"),
    ],
)
def test_a_day_with_nothing_is_named_with_the_nearest_that_has_something(
    language: Language, says: str
) -> None:
    said_at = datetime(2021, 5, 9, 18, tzinfo=UTC)
    known = [replace(item, chunk=replace(item.chunk, said_at=said_at)) for item in found("Rain.")]
    day = Span(datetime(2021, 5, 10, tzinfo=UTC), datetime(2021, 5, 11, tzinfo=UTC))
    assert nothing(Voice(language), day, known).text == says


def test_a_correction_belongs_to_the_time_of_what_it_corrects() -> None:
    there, other = found("We sold the blue cello to a student.", "It was the red viola, I say.")
    later = replace(other.chunk, said_at=datetime(2026, 1, 2, tzinfo=UTC))
    correction = replace(other, chunk=later, corrects=True)
    day = Span(datetime(2025, 8, 30, tzinfo=UTC), datetime(2025, 8, 31, tzinfo=UTC))
    assert told_of([correction], day) == ()
    assert {pick.item for pick in told_of([there, correction], day)} == {0, 1}


def test_having_nothing_is_said_in_the_language_of_the_question() -> None:
    said = {language: nothing(Voice(language)).text for language in LANGUAGES}
    assert said["en"] == "I found nothing about that."
    assert said["ja"] == "それについての記憶はありません。"
    assert said["zh"] == "关于这件事，我没有任何记录。"


@pytest.mark.parametrize(
    ("speaker", "sentence", "passes"),
    [
        ("Mai", "Mai said the ridge is icy.", True),
        ("Ren", "Mai said the ridge is icy.", False),
        (None, "Mai said the ridge is icy.", False),
    ],
)
def test_who_said_it_is_checked(speaker: str | None, sentence: str, *, passes: bool) -> None:
    items = [
        replace(
            found("The ridge is icy, Mai.")[0],
            chunk=replace(found("The ridge is icy, Mai.")[0].chunk, speaker=speaker),
        )
    ]
    assert bool(Guard(Question("What about the ridge?"), items).carrier(sentence)) is passes


def test_what_a_newer_note_puts_otherwise_does_not_pass_as_how_things_are() -> None:
    old, new = found(
        "The rent of the workshop is 48,000 yen.",
        "From now on the rent of the workshop is 62,000 yen.",
    )
    old = replace(old, chunk=replace(old.chunk, said_at=datetime(2023, 5, 7, tzinfo=UTC)))
    stale, fresh = (
        "The rent of the workshop is 48,000 yen.",
        "The rent of the workshop is 62,000 yen.",
    )
    now, then = (
        Guard(Question("What is the rent of the workshop?"), [old, new]),
        Guard(Question("What was the rent of the workshop in 2023?"), [old, new]),
    )
    assert (
        now.carrier(stale),
        now.carrier(fresh) is not None,
        then.carrier(stale) is not None,
    ) == (None, True, True)


def test_within_what_was_chosen_nothing_else_carries() -> None:
    items = found(MOVED, COATS)
    sentence = "The oil varnish went on Ottilie's cello."
    question = "Whose cello got oil varnish?"
    assert Guard(Question(question), items, [Pick(1, 0, len(COATS))]).carrier(sentence)
    assert Guard(Question(question), items, [Pick(0, 0, len(MOVED))]).carrier(sentence) is None


def test_how_things_are_is_quoted_newest_first() -> None:
    old, new = found("The rent is 48,000 yen.", "The rent is 62,000 yen.")
    old = replace(old, chunk=replace(old.chunk, said_at=datetime(2023, 5, 7, tzinfo=UTC)))
    picks = [Pick(0, 0, 23), Pick(1, 0, 23)]
    quoted = {
        question: [
            piece.item
            for piece in quotation(Question(question), [old, new], picks)
            if piece.item is not None
        ]
        for question in ("What is the rent?", "What was the rent?")
    }
    assert quoted == {"What is the rent?": [1, 0], "What was the rent?": [0, 1]}
