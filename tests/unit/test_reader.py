"""The reader: which sentences are quoted, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.embed.reading import LiteralReader
from lpm_kernel.domain.chat.recall import Level, Recalled, Recollection, Signals
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.errors import EmbedderUnavailableError
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.answer import likelihood
from lpm_kernel.L1.answering.sentences import sentences
from lpm_kernel.L1.answering.windows import LEARNED

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors

pytestmark = pytest.mark.unit


class Silent(HashingEmbedder):
    """An embedder that does not answer."""

    def embed(self, texts: Sequence[str]) -> Vectors:  # noqa: ARG002  the port's signature
        raise EmbedderUnavailableError("It is gone.")

    def embed_tokens(self, texts: Sequence[str]) -> Embedded:  # noqa: ARG002  the port's signature
        raise EmbedderUnavailableError("It is gone.")


def found(*texts: str, speaker: str | None = None) -> Recollection:
    items = tuple(
        Recalled(
            Chunk(
                ChunkId(f"c{n}"),
                DocumentId("d"),
                "v",
                0,
                len(text),
                text,
                "s",
                speaker=speaker,
                said_at=datetime(2025, 8, n + 1, tzinfo=UTC),
            ),
            5.0 - n,
            Signals(),
        )
        for n, text in enumerate(texts)
    )
    return Recollection(items, Level.WORDS, 0, len(items), 0.8)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("When did the boat come back?", "The boat came back on 3 May 2024."),
        ("How much did the boat cost?", "The boat cost 900 euros."),
        ("Who painted the boat?", "It was Benedita who painted the boat."),
    ],
)
def test_of_one_passage_the_sentence_with_the_form_of_an_answer_is_among_what_is_quoted(
    question: str, first: str
) -> None:
    text = (
        "We talked about the boat for hours. The boat came back on 3 May 2024. We had soup then."
        " The boat cost 900 euros. More soup came. It was Benedita who painted the boat."
    )
    quoted = [
        text[pick.start : pick.end] for pick in reader.read(Question(question), found(text)).picks
    ]
    assert any(first in each for each in quoted)


@pytest.mark.parametrize(
    "line",
    ["24 September 2023", "Sunday, 5th of May 2024", "二〇二三年九月二十四日", "2023-09-24 (日)"],
)
def test_the_date_at_the_head_of_a_letter_is_not_quoted(line: str) -> None:
    memory = found(f"{line}\nThe boat came back in spring.")
    assert [
        memory.items[0].chunk.text[pick.start : pick.end]
        for pick in reader.read(Question("When did the boat come back?"), memory).picks
    ] == ["The boat came back in spring."]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Dear Mr. and Mrs. Ito: the boat came back.", "the boat came back."),
        ("Hi Mai, the boat came back in May!", "the boat came back in May!"),
        ("Dear Mai,\nThe boat came back in May.", "The boat came back in May."),
        ("On 11 July Mai wrote:\n> The boat came back.", "The boat came back."),
        ("木下様\n\n舟は五月に戻りました。", "舟は五月に戻りました。"),
        ("Hello there. The boat came back in May.", "Hello there. The boat came back in May."),
    ],
)
def test_a_salutation_is_not_quoted(text: str, quoted: str) -> None:
    memory = found(text)
    picks = reader.read(Question("When did the boat come back? 舟はいつ？"), memory).picks
    assert [text[pick.start : pick.end] for pick in picks] == [quoted]


ROWS = "choir | 120 | 140 |\nmedical aid | 3,900 | 5,210 |\npetrol | 2,600 | 1,900 |"


def test_a_row_of_a_table_is_quoted_by_itself() -> None:
    picks = reader.read(Question("How much is the choir a month?"), found(ROWS)).picks
    assert next(ROWS[pick.start : pick.end] for pick in picks) == "choir | 120 | 140 |"


def test_a_row_without_a_word_of_the_question_gives_way() -> None:
    memory = found(ROWS, "We sang at Easter. The organ needs four hundred thousand.")
    picks = reader.read(Question("How much does the organ need?"), memory).picks
    assert {pick.item for pick in picks} == {1}


def test_nothing_recalled_reads_as_nothing() -> None:
    assert reader.read(
        Question("When?"), Recollection((), Level.WORDS, 0, 0, 0.0)
    ) == reader.ReadingResult((), 0.0)


def test_an_embedder_that_does_not_answer_leaves_words_and_form() -> None:
    memory = found("The boat came back on 3 May 2024. Soup.")
    assert reader.read(
        Question("When did the boat come back?"), memory, reader.ReaderPorts(Silent())
    ) == reader.read(Question("When did the boat come back?"), memory)


@given(
    st.lists(
        st.text(st.sampled_from("ab. 雨日\n?1-#"), min_size=1, max_size=120),
        min_size=1,
        max_size=12,
    ),
    st.text(max_size=40),
    st.booleans(),
    st.booleans(),
)
def test_what_is_chosen_stands_in_its_passage_is_short_and_never_overlaps(
    texts: list[str], question: str, embedded: bool, learned: bool
) -> None:
    memory = found(*texts)
    result = reader.read(
        Question(question),
        memory,
        reader.ReaderPorts(
            HashingEmbedder() if embedded else None, LiteralReader() if learned else None
        ),
    )
    spans = [(pick.item, pick.start, pick.end) for pick in result.picks]
    assert len(spans) <= reader.PICKS
    assert 0.0 <= result.chance <= 1.0
    for item, start, end in spans:
        assert 0 <= start < end <= len(texts[item])
        assert all(
            other == (item, start, end) or other[0] != item or other[1] >= end or other[2] <= start
            for other in spans
        )
    if len(spans) > 1:
        assert sum(
            reader.length(texts[item][start:end]) for item, start, end in spans
        ) <= reader.WORDS + reader.length(texts[spans[0][0]][spans[0][1] : spans[0][2]])


def weights(*, there: float, right: float) -> reader.ReaderWeights:
    """Weights that judge everything alike."""
    return reader.ReaderWeights({"cover": 1.0}, {"bias": there}, right={"bias": right})


@pytest.mark.parametrize(
    ("there", "right", "bar"),
    [(-9.0, 9.0, reader.NOTHING), (9.0, -9.0, reader.DOUBTFUL), (9.0, 9.0, 1.0)],
)
def test_what_is_not_there_is_not_quoted_and_what_is_there_is_at_least_the_closest(
    there: float, right: float, bar: float
) -> None:
    memory = found("The boat came back on 3 May 2024.")
    question = Question("When did the boat come back?")
    known = sentences(memory.items)
    reading = reader.reading_of(question, memory.items, known, reader.ReaderPorts())
    chance = reader.judged(reading, weights(there=there, right=right), 0.5)
    assert chance < bar
    assert there < 0 or chance >= reader.NOTHING


@pytest.mark.parametrize(
    ("behind", "certain", "quoted"),
    [(0.9, True, 2), (1.2, True, 1), (1.2, False, 2), (1.6, False, 1)],
)
def test_a_certain_answer_brings_no_second_quotation_that_is_much_worse(
    monkeypatch: pytest.MonkeyPatch, behind: float, certain: bool, quoted: int
) -> None:
    memory = found("The boat came back on 3 May 2024.", "We painted the hull blue in the yard.")
    judged = {"bias": 9.0 if certain else -0.6}
    by_rank = reader.ReaderWeights({"rank": 2 * behind}, judged)
    monkeypatch.setattr(reader, "shipped", lambda **_: by_rank)
    result = reader.read(Question("Boat?"), memory)
    assert (result.chance >= reader.DOUBTFUL) is certain
    assert len(result.picks) == quoted


def test_the_weights_that_ship_count_what_is_known_of_a_reading_and_nothing_else() -> None:
    memory = found("The boat came back on 3 May 2024. It rained.", "Soup.")
    question = Question("When did the boat come back?")
    for learned in (False, True):
        model = LiteralReader() if learned else None
        weights = reader.shipped(learned=learned)
        reading = reader.reading_of(
            question,
            memory.items,
            sentences(memory.items),
            reader.ReaderPorts(HashingEmbedder(), model),
        )
        assert set(weights.sentence) <= {*reading.features, "late", "late_best"}
        seen = set(reader.summary(reading, weights, 0.5)) | {"bias"}
        assert set(weights.answered) <= seen
        assert set(weights.right) <= seen
        assert bool(weights.right) == bool(weights.passage) == learned
    assert all(reader.shipped(learned=True).sentence[name] >= 0 for name in LEARNED)


@pytest.mark.parametrize(
    ("question", "text", "closest"),
    [
        ("What did we build last week?", "We built a boat.", True),
        ("What did we build in August?", "We built a boat.", False),
        ("What did we build in May 2024?", "In May 2024 we built a boat.", False),
        ("What did we build in May 2024?", "In June 2023 we built a boat.", True),
        ("What did we build?", "We built a boat.", False),
        ("What have we built since May?", "We built a boat.", False),
    ],
)
def test_what_was_said_at_quite_another_time_is_the_closest_at_most(
    question: str, text: str, closest: bool
) -> None:
    memory = found(text)
    read = reader.ReadingResult((reader.Pick(0, 0, len(text)),), 0.9)
    now = datetime(2025, 11, 20, 9, tzinfo=UTC)
    chance = reader.of_that_time(read, Question(question), memory, now).chance
    assert (chance < reader.DOUBTFUL) is closest
    assert chance >= reader.NOTHING


def test_a_promise_that_is_none_is_the_closest_at_most() -> None:
    question, weighed = Question("What did I promise Ana about the boat?"), reader.shipped()
    for text, most in (
        ("Ana wants to paint the boat blue.", reader.DOUBTFUL),
        ("I promised Ana to paint the boat blue.", 1.0),
    ):
        memory = found(text)
        known = reader.reading_of(
            question, memory.items, sentences(memory.items), reader.ReaderPorts()
        )
        chance = reader.read(question, memory).chance
        assert chance < most
        assert chance <= reader.judged(known, weighed, memory.answerable)


def test_no_shared_words_make_it_sure_again_where_no_model_reads() -> None:
    question = Question("What did I promise Ana?")
    memory = found("I said to Ana that I would rather be cross.")
    matching = tuple(replace(item, matched=question.terms) for item in memory.items)
    memory = replace(memory, items=matching)
    read = reader.read(question, memory)
    assert not read.learned
    assert likelihood(question, memory, read) < reader.DOUBTFUL
    assert likelihood(question, memory, replace(read, elsewhere=False)) >= reader.DOUBTFUL
