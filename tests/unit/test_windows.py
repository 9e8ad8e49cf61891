"""What a model that reads is given, and what its readings come to."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.embed.reading import LiteralReader
from lpm_kernel.domain.chat.recall import Level, Recalled, Recollection, Signals
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.models.reading import WIDTH, TextReading, width
from lpm_kernel.errors import ReaderUnavailableError
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.reranking import RERANKED, cut, reranked
from lpm_kernel.L1.answering.sentences import sentences
from lpm_kernel.L1.answering.windows import ReadOnce, windows

pytestmark = pytest.mark.unit

DAY = datetime(2024, 5, 3, 9, tzinfo=UTC)
LADDER = "Who lent me the ladder?"


def found(*texts: str, speaker: str | None = None) -> Recollection:
    items = tuple(
        Recalled(
            chunk=Chunk(
                id=ChunkId(f"c{n}"),
                document=DocumentId("d1"),
                text_version="t",
                start=1000 * n,
                end=1000 * n + len(text),
                text=text,
                session="s",
                speaker=speaker,
                said_at=DAY,
            ),
            score=float(len(texts) - n),
            signals=Signals(),
        )
        for n, text in enumerate(texts)
    )
    return Recollection(items, Level.WORDS, 0, len(items), 0.5)


class Counting(LiteralReader):
    """The twin, which notes what it was given."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:
        self.given += texts
        return super().read(question, texts)


class Silent(LiteralReader):
    """A reader that is not there."""

    def read(
        self,
        question: str,  # noqa: ARG002  the port's
        texts: Sequence[str],  # noqa: ARG002  the port's
    ) -> list[TextReading]:
        raise ReaderUnavailableError("It is not there.")


@given(st.lists(st.text(st.sampled_from("ab. 雨日。\n"), max_size=900), min_size=1, max_size=4))
def test_every_sentence_stands_in_one_window_and_windows_are_no_wider_than_they_may(
    texts: list[str],
) -> None:
    items = found(*texts).items
    known = sentences(items)
    made = windows(items, known)
    told = [
        (number, window.text[start:end])
        for window in made
        for number, start, end in window.sentences
    ]
    assert [number for number, _ in told] == list(range(len(known)))
    for number, text in told:
        assert known[number].text.startswith(text.rstrip())
    for window in made:
        assert len(window.sentences) == 1 or width(window.text) <= WIDTH + 40


def test_a_window_is_headed_by_its_day_and_by_who_said_it() -> None:
    items = found("Take the ladder.", speaker="Mai").items
    assert windows(items, sentences(items))[0].text == "2024-05-03 Mai: Take the ladder."


def beside(item: Recalled) -> Recalled:
    before, after = (found(text).items[0].chunk for text in ("Jonas: Free?", "OK"))
    return replace(item, before=before, after=after)


def test_a_short_passage_is_read_with_what_stands_beside_it_and_a_long_one_alone() -> None:
    item = beside(found("Yes, at two.", speaker="Mai").items[0])
    window = windows([item], sentences([item]))[0]
    assert window.text == "2024-05-03 Jonas: Free?\nMai: Yes, at two.\nOK"
    (_, start, end) = window.sentences[0]
    assert window.text[start:end] == "Yes, at two."
    long = beside(found("word " * 40).items[0])
    assert "Jonas" not in windows([long], sentences([long]))[0].text


def test_the_last_words_of_a_long_passage_are_read_with_those_before_them() -> None:
    item = beside(
        found("The old boat of the ferryman had no name written on it. " * 9 + "It sank.").items[0]
    )
    made = windows([item], sentences([item]))
    assert len(made) > 1
    assert "Jonas" not in "".join(window.text for window in made)
    assert made[-1].text.count("The old boat of the ferryman") >= 1
    assert "It sank." in made[-1].text


def test_what_answers_comes_first_whatever_recall_said() -> None:
    memory = found("It rained all day.", "Soup again.", "Mai lent me the ladder.")
    weights = {"score": 0.1, "relevant": 1.0, "span": 1.0}
    items = reranked(Question(LADDER), memory, LiteralReader(), weights).items
    assert items[0].chunk.text == "Mai lent me the ladder."
    assert sorted(item.chunk.id for item in items) == ["c0", "c1", "c2"]


def test_a_correction_stays_before_what_it_corrects_and_scores_stay_with_their_places() -> None:
    memory = found("Rain.", "On 9 July.", "It was June. Mai lent me the ladder.", "Soup.")
    struck = replace(memory.items[2], struck=((0, 12),))
    correction = replace(memory.items[1], corrects=True)
    items = (memory.items[0], correction, struck, memory.items[3])
    weights = {"relevant": 1.0, "span": 1.0}
    ranked = reranked(
        Question(LADDER), replace(memory, items=items), LiteralReader(), weights
    ).items
    assert [item.chunk.id for item in ranked[:2]] == ["c1", "c2"]
    assert [item.score for item in ranked] == sorted((i.score for i in items), reverse=True)


def test_what_lies_behind_those_that_are_read_keeps_its_place() -> None:
    memory = found(*["Rain."] * RERANKED, "Mai lent me the ladder.")
    model = Counting()
    items = reranked(Question(LADDER), memory, model, {"relevant": 1.0}).items
    assert items[-1].chunk.text == "Mai lent me the ladder."
    assert not any("ladder" in text for text in model.given)


def test_whole_passages_are_kept_as_long_as_they_fit() -> None:
    memory = found("one two three four", "one two", "one")
    kept = cut(memory, 3, 4, lambda text: len(text.split()))
    assert [item.chunk.text for item in kept.items] == ["one two three four"]
    left = replace(memory.items[0], struck=((0, 8),))
    assert len(cut(replace(memory, items=(left,)), 3, 2, lambda text: len(text.split())).items) == 1
    kept = cut(memory, 3, 3, lambda text: len(text.split()))
    assert [item.chunk.text for item in kept.items] == ["one two", "one"]
    assert kept.tokens == 3


def test_no_text_is_read_twice_with_one_question() -> None:
    inner = Counting()
    once = ReadOnce(inner, most=3)
    first = once.read(LADDER, ["a ladder", "rain", "a ladder"])
    again = once.read(LADDER, ["rain", "a ladder"])
    assert inner.given == ["a ladder", "rain"]
    assert again == [first[1], first[0]]
    once.read("And when?", ["rain", "soup"])
    assert inner.given == ["a ladder", "rain", "rain", "soup"]


def test_what_was_read_is_kept_without_its_words() -> None:
    once = ReadOnce(Counting())
    once.read(LADDER, ["the ladder of Mai"])
    assert b"ladder" not in pickle.dumps(once._kept)


def test_a_reader_that_is_not_there_leaves_the_other_signs() -> None:
    memory = found("Mai lent me the ladder. It was heavy.", "Rain.")
    asked = Question(LADDER)
    silent = reader.ReaderPorts(model=Silent())
    assert reader.read(asked, memory, silent) == reader.read(asked, memory)


def test_the_best_span_begins_in_its_stretch_and_is_weighed_against_none() -> None:
    text = "Mai lent it."
    spans = np.array([(0, 3), (4, 8), (9, 11)], np.int32)
    begins, ends = np.array([3.0, 0.0, 5.0], np.float32), np.array([2.0, 1.0, 0.0], np.float32)
    reading = TextReading(0.0, 1.5, spans, begins, ends)
    assert reading.best(0, 3) == (3.5, 0, 3)
    assert reading.best(0, len(text)) == (3.5, 0, 3)
    assert reading.best(4, len(text)) == (3.5, 9, 11)
    assert reading.best(12, 20) is None
