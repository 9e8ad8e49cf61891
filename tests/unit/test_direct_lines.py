"""The direct line of an answer: words of what is quoted that answer by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity, Length, PartKind
from lpm_kernel.domain.chat.recall import Level, Recalled, Recollection, Signals
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.models.reading import TextReading
from lpm_kernel.domain.ports import ModelCard
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.answer import AnswerRequest, Draft, answer
from lpm_kernel.L1.answering.direct_lines import as_sentence, trimmed
from lpm_kernel.L1.answering.reader import CERTAIN, Pick, ReadingResult

pytestmark = pytest.mark.unit

ASKED = Question("Who is covering my post?")
LETTER = "Your post will be covered by Fergal Daly (acting). The lift works again."
NAME = (LETTER.index("Fergal"), LETTER.index(" (acting)"))


class Small(ScriptedModel):
    """The scripted twin, said to be small."""

    def card(self) -> ModelCard:
        """Describe it."""
        return replace(super().card(), parameters=500_000_000)


class Pointing:
    """A reader that finds the answer in certain words."""

    id = "pointing/1"

    def __init__(self, words: str, certain: float) -> None:
        self._words, self._certain = words, certain

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:  # noqa: ARG002  the port's signature
        """Point at the words where they stand."""
        return [self._reading(text) for text in texts]

    def _reading(self, text: str) -> TextReading:
        at = text.find(self._words)
        spans = [(at, at + len(self._words))] if at >= 0 else []
        logits = np.full(len(spans), self._certain / 2, np.float32)
        return TextReading(3.0, 0.0, np.array(spans, np.int32).reshape(-1, 2), logits, logits)


def found(text: str, day: int = 3) -> Recalled:
    chunk = Chunk(
        ChunkId(f"c{day}"),
        DocumentId(f"d{day}"),
        "v",
        0,
        len(text),
        text,
        "s",
        said_at=datetime(2024, 5, day, tzinfo=UTC),
    )
    return Recalled(chunk, 5.0, Signals(), matched=("post", "cover"))


def recollection(*items: Recalled) -> Recollection:
    return Recollection(items, Level.WORDS, 20, len(items), 0.9)


def read(words: str, certain: float, text: str = LETTER) -> ReadingResult:
    ports = reader.ReaderPorts(model=Pointing(words, certain))
    return reader.read(ASKED, recollection(found(text)), ports)


def told(
    reading: ReadingResult,
    *items: Recalled,
    question: Question = ASKED,
    length: Length = Length.NORMAL,
) -> Draft:
    draft, identity = Draft(), Identity("Orla", length=length)
    asked = AnswerRequest(question, question, recollection(*items), reading, identity)
    list(answer(asked, Small(), draft))
    return draft


def line_of(draft: Draft) -> str | None:
    first = draft.parts[0]
    return first.text if first.kind is PartKind.STATEMENT else None


def test_words_that_the_reader_is_certain_of_are_the_line() -> None:
    line = read("Fergal Daly", CERTAIN + 1).line
    assert line == Pick(0, *NAME)


def test_words_that_it_is_less_certain_of_are_none() -> None:
    assert read("Fergal Daly", CERTAIN - 1).line is None


def test_what_is_nearly_the_whole_quotation_is_none() -> None:
    whole = LETTER[: LETTER.index(" The")]
    assert read(whole, CERTAIN + 1, whole).line is None


@pytest.mark.parametrize("words", ["(", ", . ", "**"])
def test_marks_alone_are_none(words: str) -> None:
    assert (
        read(words, CERTAIN + 1, f"Your post: Fergal Daly {words} covers it for me.").line is None
    )


def test_the_line_stands_above_the_quotation_and_cites_it() -> None:
    pick = Pick(0, 0, LETTER.index(" The"))
    draft = told(ReadingResult((pick,), 0.9, line=Pick(0, *NAME)), found(LETTER))
    assert line_of(draft) == "Fergal Daly."
    quoted = next(part for part in draft.parts if part.kind is PartKind.QUOTATION)
    assert draft.parts[0].citations == quoted.citations
    assert quoted.text == LETTER[pick.start : pick.end]


def test_who_wants_the_circumstances_reads_the_line_with_the_wider_quotation() -> None:
    pick = Pick(0, 0, LETTER.index(" The"))
    reading = ReadingResult((pick,), 0.9, line=Pick(0, *NAME))
    draft = told(reading, found(LETTER), length=Length.FULL)
    quoted = next(part for part in draft.parts if part.kind is PartKind.QUOTATION)
    assert (line_of(draft), quoted.text) == ("Fergal Daly.", LETTER)
    assert draft.parts[0].citations == quoted.citations


def test_what_may_be_another_thing_has_no_line() -> None:
    pick = Pick(0, 0, LETTER.index(" The"))
    draft = told(ReadingResult((pick,), 0.35, learned=True, line=Pick(0, *NAME)), found(LETTER))
    assert draft.parts[0].kind is PartKind.DOUBT
    assert all(part.kind is not PartKind.STATEMENT for part in draft.parts)


def test_of_how_things_are_the_line_is_never_older_than_what_is_quoted_first() -> None:
    newer = "Nora covers my post now."
    asked = Question("Who covers my post now?")
    reading = ReadingResult(
        (Pick(0, 0, LETTER.index(" The")), Pick(1, 0, len(newer))), 0.9, line=Pick(0, *NAME)
    )
    draft = told(reading, found(LETTER), found(newer, 20), question=asked)
    assert line_of(draft) is None
    first = next(part for part in draft.parts if part.kind is PartKind.QUOTATION)
    assert first.text == newer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It was -12 °C outside.", "-12 °C"),
        ("It was −12 °C outside.", "−12 °C"),
        ("Half of it: .5 l.", ".5 l"),
        ("It is written in C#.", "C#"),
        ("– Fergal Daly, acting", "Fergal Daly"),
    ],
)
def test_marks_that_belong_to_the_words_stay(text: str, words: str) -> None:
    start = text.index(words)
    whole = (max(0, start - 2), min(len(text), start + len(words) + 1))
    assert text[slice(*trimmed(text, *whole))].endswith(words)
    assert text[slice(*trimmed(text, start, start + len(words)))] == words


texts = st.text(alphabet="ab 猫は「」(（）).,。", max_size=40)


@given(texts, st.integers(0, 40), st.integers(0, 40))
def test_what_is_trimmed_lies_inside_and_leaves_no_bracket_open(
    text: str, one: int, two: int
) -> None:
    start, end = sorted((min(one, len(text)), min(two, len(text))))
    first, last = trimmed(text, start, end)
    assert start <= first <= last <= end
    words = text[first:last]
    for opening, closing in ("()", "（）", "「」"):
        assert words.count(opening) == words.count(closing)
    assert words == words.strip(" .,。")


@pytest.mark.parametrize(
    ("words", "language", "sentence"),
    [
        ("€14,850", "en", "€14,850."),
        ("did it\nrain?", "en", "Did it rain?"),
        ("iPhone 12", "en", "iPhone 12."),
        ("a duck", "en", "A duck."),
        ("八月二十三日", "ja", "八月二十三日。"),
        ("「塩分だね」", "ja", "「塩分だね」。"),
        ("两千七", "zh", "两千七。"),
    ],
)
def test_words_become_a_sentence_of_their_language(
    words: str, language: str, sentence: str
) -> None:
    assert as_sentence(words, language) == sentence  # type: ignore[arg-type]  # one of the three
