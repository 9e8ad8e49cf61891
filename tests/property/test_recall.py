"""What recall promises whatever is asked and whatever is remembered."""

from __future__ import annotations

import math
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import passages, terms
from lpm_kernel.L0.language.dates import moment, spans
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.recall import Recall

pytestmark = pytest.mark.property

NOW = datetime(2025, 11, 20, 9, tzinfo=UTC)
ODD = st.sampled_from(
    [
        '"',
        "*",
        "NEAR",
        "NEAR(a b)",
        "^",
        "-",
        "AND OR NOT",
        "a:b",
        "(",
        "'",
        "\x00",
        "\ud800",
        "😀👩‍👩‍👧",
        "的",
        "か",
        "2月30日",
        "0000年",
        "99999 years ago",
        "31 April 2024",
    ]
)
TEXT = st.one_of(
    st.text(max_size=200),
    ODD,
    st.text(alphabet="的了我猫狗上海カタナ仕事しごと何?。 ", max_size=40),
    st.text(alphabet="goat roof elm?'\"*- ", max_size=60),
)
SAID = [
    "The goat stands on the roof.",
    "Elm from a yard near Lostwithiel, 320 pounds.",
    "先週、仕事をやめた。",
    "我的猫叫豆豆。",
    "😀",
    "Yes.",
]


def bank(texts: list[str], *, words_alone: bool = False) -> Recall:
    index = IndexDb(Path(tempfile.mkdtemp()) / "index.db")
    chunks, at = [], 0
    for text in texts:
        end = at + len(text)
        chunks.append(
            Chunk(
                chunk_id(DocumentId("d"), "v", at, end),
                DocumentId("d"),
                "v",
                at,
                end,
                text,
                "s",
                None,
                NOW,
            )
        )
        at = end + 1
    embedder = None if words_alone else HashingEmbedder()
    embedded = (
        None
        if embedder is None
        else Embedded(embedder.id, embedder.embed([chunk.content for chunk in chunks]))
    )
    index.put(DocumentId("d"), passages(chunks), embedded=embedded)
    return Recall(index, embedder, FrozenClock(NOW), len)


@pytest.fixture(scope="module", params=[False, True], ids=["vectors", "words alone"])
def recall(request: pytest.FixtureRequest) -> Recall:
    return bank(SAID, words_alone=request.param)


@given(asked=TEXT, k=st.integers(-1, 2000), budget=st.none() | st.integers(0, 200))
@example(asked="goat " * 10_000, k=25, budget=None)
@example(asked="猫" * 50_000, k=25, budget=None)
def test_any_question_is_answered_in_order_within_the_budget(
    recall: Recall, asked: str, k: int, budget: int | None
) -> None:
    found = recall(RecallQuery(Question(asked), k=k, token_budget=budget))
    scores = [item.score for item in found.items]
    assert all(math.isfinite(score) for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert len(scores) <= max(0, k)
    assert budget is None or found.tokens <= budget
    assert 0.0 <= found.answerable <= 1.0
    assert len({item.chunk.id for item in found.items}) == len(scores)


@settings(max_examples=25)
@pytest.mark.parametrize("words_alone", [False, True])
@given(
    texts=st.lists(
        st.text(min_size=1, max_size=80).filter(lambda text: text.isprintable()),
        min_size=1,
        max_size=8,
    )
)
def test_whatever_is_remembered_can_be_asked_for(texts: list[str], *, words_alone: bool) -> None:
    texts = list(dict.fromkeys(texts))
    recall = bank(texts, words_alone=words_alone)
    for text in texts:
        found = recall(
            RecallQuery(Question(text), k=len(texts), scope=Scope(include_private=False))
        )
        assert not terms(text) or text in [item.chunk.text for item in found.items]


@given(said=TEXT)
def test_a_text_asked_for_as_it_stands_shares_a_term_with_itself(said: str) -> None:
    assert (
        not Question(said).search_terms
        or not terms(said)
        or set(Question(said).search_terms) & set(terms(said))
    )


@given(
    text=TEXT,
    now=st.datetimes(
        min_value=datetime(1905, 1, 1),  # noqa: DTZ001  hypothesis adds the zone
        max_value=datetime(2190, 1, 1),  # noqa: DTZ001  as above
        timezones=st.just(UTC),
    ),
)
def test_spans_end_after_they_start(text: str, now: datetime) -> None:
    for span in spans(text, now):
        assert span.start < span.end
        assert 0 <= span.weight <= 1


@settings(max_examples=40)
@given(text=TEXT)
def test_an_argument_is_a_moment_or_refused(text: str) -> None:
    with suppress(InvalidInputError):
        assert moment(text, NOW).tzinfo is not None


DOCUMENTS = (
    "The goat stands on the roof.",
    "An elm from a yard near Lostwithiel.",
    "My dog sleeps in the shavings.",
    "猫は屋根で寝ている。",
    "The violin has a crack.",
)
QUESTIONS = (
    "Which pet sleeps?",
    "What animal is on the roof?",
    "Where is the instrument damaged?",
    "cat",
)


@given(
    st.lists(
        st.tuples(st.booleans(), st.permutations(range(len(DOCUMENTS)))), min_size=1, max_size=4
    ),
    st.data(),
)
@settings(max_examples=25)
def test_what_went_and_came_back_in_any_order_is_found_as_in_an_index_that_is_read_anew(
    steps: list[tuple[bool, list[int]]], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index, embedder = IndexDb(Path(folder) / "index.db"), HashingEmbedder()
        follows = Recall(index, embedder, FrozenClock(NOW), len)

        def put(number: int) -> None:
            said, name = DOCUMENTS[number], DocumentId(f"d{number}")
            chunks = [
                Chunk(
                    chunk_id(name, "v", 0, len(said)), name, "v", 0, len(said), said, "s", None, NOW
                )
            ]
            index.put(
                name, passages(chunks), embedded=Embedded(embedder.id, embedder.embed([said]))
            )

        for number in range(len(DOCUMENTS)):
            put(number)
        for ask_before, order in steps:
            if ask_before:
                follows(RecallQuery(Question(QUESTIONS[0]), k=9), NOW)
            for number in order[: data.draw(st.integers(1, len(order)))]:
                index.remove(DocumentId(f"d{number}"))
            for number in order:
                put(number)
        anew = Recall(index, embedder, FrozenClock(NOW), len)
        for question_asked in QUESTIONS:
            asked = RecallQuery(Question(question_asked), k=9)
            one, other = (
                {item.chunk.id: item.score for item in recall(asked, NOW).items}
                for recall in (follows, anew)
            )
            assert one == pytest.approx(other, abs=1e-4)
        index.close()


TOLD = st.lists(
    st.sampled_from(
        [
            "Goat roof elm.",
            "The goat stands on the roof.",
            "An elm from a yard.",
            "猫は屋根で寝ている。",
            "Elm elm goat glue.",
        ]
    ),
    min_size=1,
    max_size=4,
)


@given(told=st.lists(TOLD, min_size=2, max_size=6), data=st.data())
@settings(max_examples=25)
def test_the_order_of_reading_shows_in_no_digit_of_a_score(
    told: list[list[str]], data: st.DataObject
) -> None:
    """Not in the last one either: sums over the rows are wide enough, and a row is multiplied by
    itself.
    """

    def seen(order: list[int]) -> dict[str, list[tuple[str, object, float]]]:
        with tempfile.TemporaryDirectory() as folder:
            index, embedder = IndexDb(Path(folder) / "index.db"), HashingEmbedder()
            for number in order:
                name, at, chunks = DocumentId(f"d{number}"), 0, []
                for said in told[number]:
                    chunks.append(
                        Chunk(
                            chunk_id(name, "v", at, at + len(said)),
                            name,
                            "v",
                            at,
                            at + len(said),
                            said,
                            "s",
                            None,
                            NOW,
                        )
                    )
                    at += len(said) + 1
                index.put(
                    name,
                    passages(chunks),
                    embedded=Embedded(
                        embedder.id, embedder.embed([chunk.content for chunk in chunks])
                    ),
                )
            recall = Recall(index, embedder, FrozenClock(NOW), len)
            found = {asked: recall(RecallQuery(Question(asked), k=50)) for asked in QUESTIONS}
            return {
                asked: sorted((str(item.chunk.id), item.signals, item.score) for item in each.items)
                for asked, each in found.items()
            }

    numbers = list(range(len(told)))
    assert seen(data.draw(st.permutations(numbers))) == seen(numbers)
