"""Recall over a small bank: what is found, what may take part, what it says of itself."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.chat.recall import Level, Scope
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id
from lpm_kernel.domain.library.passages import TOKEN_ONE, TOKEN_WIDTH, Embedded
from lpm_kernel.domain.ports import Embedder
from lpm_kernel.errors import EmbedderUnavailableError
from lpm_kernel.L0.index import ranking
from lpm_kernel.L0.index.columns import averaged, cosines
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.index.search import BY_WORDS, Candidates
from lpm_kernel.L0.language.analysis import passages
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.language.related import Related
from lpm_kernel.L1.recall import Recall

pytestmark = pytest.mark.unit

NOW = datetime(2025, 11, 20, 9, tzinfo=UTC)
TALK = [
    ("Corin", "Good morning!"),
    ("Isolde", "I found the timber. Narrow-leaf elm, from a yard near Lostwithiel."),
    ("Corin", "How much did you pay?"),
    ("Isolde", "I got him down to three hundred and twenty pounds."),
    ("Corin", "I am sweeping the cathedral, mostly."),
    ("Isolde", "Everyone sweeps first."),
]
NOTES = [
    "The varnish dried in the back room. I shall wait one rainy season.",
    "Bought hojicha and two lemons.",
    "先週、能條さんと輪島でお椀を売った。",
    "我的猫叫豆豆。",
]


class WithTokens(HashingEmbedder):
    """A twin that gives tokens too: each word by itself, in fewer numbers."""

    def embed_tokens(self, texts: Sequence[str]) -> Embedded:
        tokens = [
            np.round(HashingEmbedder(TOKEN_WIDTH).embed(text.split() or [""]) * TOKEN_ONE).astype(
                np.int8
            )
            for text in texts
        ]
        return Embedded(self.id, self.embed(texts), tokens)


class Silent:
    """An embedder whose model does not answer."""

    id = HashingEmbedder().id
    dimension = HashingEmbedder().dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise EmbedderUnavailableError(f"{len(texts)} texts wait.")


def said(
    document: str,
    lines: Sequence[tuple[str | None, str]],
    start: datetime,
    apart: timedelta = timedelta(minutes=1),
) -> list[Chunk]:
    made, at = [], 0
    for number, (speaker, text) in enumerate(lines):
        end = at + len(text)
        made.append(
            Chunk(
                chunk_id(DocumentId(document), "v1", at, end),
                DocumentId(document),
                "v1",
                at,
                end,
                text,
                "S1",
                speaker,
                start + number * apart,
                f"{document}/{number}" if speaker else None,
            )
        )
        at = end + 2
    return made


def put(
    index: IndexDb,
    chunks: list[Chunk],
    *,
    private: bool = False,
    tags: Sequence[str] = (),
    embedder: Embedder | None = None,
) -> None:
    embedder = embedder or HashingEmbedder()
    vectors = Embedded(embedder.id, embedder.embed([chunk.content for chunk in chunks]))
    index.put(chunks[0].document, passages(chunks), private=private, tags=tags, embedded=vectors)


def count(text: str) -> int:
    return len(text.split())


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexDb]:
    opened = IndexDb(tmp_path / "index.db")
    put(opened, said("talk", TALK, datetime(2023, 4, 2, 18, tzinfo=UTC)), tags=["family"])
    put(
        opened,
        said(
            "notes",
            [(None, text) for text in NOTES],
            datetime(2025, 11, 1, tzinfo=UTC),
            timedelta(days=5),
        ),
        private=True,
    )
    yield opened
    opened.close()


@pytest.fixture(params=[HashingEmbedder(), None], ids=["vectors", "words alone"])
def recall(index: IndexDb, request: pytest.FixtureRequest) -> Recall:
    return Recall(index, request.param, FrozenClock(NOW), count)


def first(recall: Recall, text: str, **scope: object) -> str:
    items = recall(RecallQuery(Question(text), k=3, scope=Scope(**scope))).items  # type: ignore[arg-type]  # each test names its own
    return items[0].chunk.text if items else ""


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Where did Isolde find the elm?", "Lostwithiel"),
        ("How much did Isolde pay for the timber?", "three hundred"),
        ("varnish", "varnish"),
        ("輪島で何を売った?", "お椀"),
        ("お椀", "お椀"),
        ("猫", "猫"),
        ("我的猫叫什么名字?", "豆豆"),
        ("豆豆", "豆豆"),
    ],
)
@pytest.mark.parametrize("embedder", [HashingEmbedder(), None])
def test_the_answer_comes_first(
    index: IndexDb, embedder: Embedder | None, asked: str, found: str
) -> None:
    assert found in first(Recall(index, embedder, FrozenClock(NOW), count), asked)


def test_an_answer_without_a_word_of_the_question_is_found_beside_it(index: IndexDb) -> None:
    found = Recall(index, None, FrozenClock(NOW), count)(
        RecallQuery(Question("How much did Isolde pay?"), k=2)
    )
    assert TALK[3][1] in [item.chunk.text for item in found.items]
    price = next(item for item in found.items if item.chunk.text == TALK[3][1])
    assert price.signals.neighbours > 0


def test_signals_add_up_to_the_score(recall: Recall) -> None:
    found = recall(RecallQuery(Question("How much did Isolde pay for the elm in April 2023?")))
    for item in found.items:
        assert math.isclose(sum(asdict(item.signals).values()), item.score, abs_tol=1e-4)
    assert found.items[0].signals.time > 0
    assert found.items[0].signals.entity > 0


def test_it_says_at_which_level_it_ran(index: IndexDb) -> None:
    query = RecallQuery(Question("elm"))
    assert Recall(index, HashingEmbedder(), FrozenClock(NOW), count)(query).level is Level.VECTORS
    assert Recall(index, None, FrozenClock(NOW), count)(query).level is Level.WORDS
    silent = Recall(index, Silent(), FrozenClock(NOW), count)(query)
    assert silent.level is Level.WORDS
    assert "elm" in silent.items[0].chunk.text


def test_vectors_of_another_embedder_do_not_count(index: IndexDb) -> None:
    found = Recall(index, HashingEmbedder(32), FrozenClock(NOW), count)(
        RecallQuery(Question("elm"))
    )
    assert found.level is Level.WORDS


def test_since_and_until_say_which_rows_may_take_part(recall: Recall) -> None:
    since = recall(
        RecallQuery(Question("timber varnish lemons"), scope=Scope(since=NOW - timedelta(days=30)))
    )
    assert {item.chunk.document for item in since.items} == {"notes"}
    end = datetime(2024, 1, 1)  # noqa: DTZ001 - without a zone it is the person's
    until = recall(RecallQuery(Question("timber varnish lemons"), scope=Scope(until=end)))
    assert {item.chunk.document for item in until.items} == {"talk"}


def test_labels_say_which_rows_may_take_part(index: IndexDb, recall: Recall) -> None:
    assert first(recall, "varnish", include_private=False) == first(
        recall, "varnish", documents=(DocumentId("talk"),)
    )
    assert "varnish" not in first(recall, "varnish", tags=("family",))
    assert recall(RecallQuery(Question("varnish"), scope=Scope(tags=("nowhere",)))).items == ()
    assert {
        item.chunk.speaker
        for item in recall(RecallQuery(Question("elm"), scope=Scope(speakers=("corin",)))).items
    } == {"Corin"}
    index.set_labels(DocumentId("notes"), private=False, tags=["family"])
    assert "varnish" in first(recall, "varnish", tags=("family",), include_private=False)


def test_a_narrow_scope_is_filled_before_candidates_are_cut(tmp_path: Path) -> None:
    index = IndexDb(tmp_path / "large.db")
    for number in range(6):
        put(
            index,
            said(f"loud{number}", [(None, "elm elm elm timber")] * 100, NOW - timedelta(days=200)),
        )
    put(
        index,
        said(
            "quiet",
            [(None, f"one elm in a long list of other things number {n}") for n in range(30)],
            NOW - timedelta(days=9),
        ),
        tags=["quiet"],
    )
    recall = Recall(index, HashingEmbedder(), FrozenClock(NOW), count)
    assert index.counts().chunks > 2 * BY_WORDS
    found = recall(RecallQuery(Question("elm timber"), k=25, scope=Scope(tags=("quiet",))))
    assert len(found.items) == 25


@pytest.mark.parametrize("budget", [0, 1, 5, 12, 20, 1000])
def test_the_budget_is_never_exceeded_and_items_are_whole(recall: Recall, budget: int) -> None:
    found = recall(
        RecallQuery(Question("How much did Isolde pay for the elm?"), token_budget=budget)
    )
    assert found.tokens == sum(count(item.chunk.content) for item in found.items) <= budget
    assert {item.chunk.text for item in found.items} <= {text for _, text in TALK} | set(NOTES)


def test_recall_follows_what_is_added_and_removed(index: IndexDb, recall: Recall) -> None:
    assert "goat" not in first(recall, "goat")
    put(index, said("more", [("Oonagh", "The goat stands on the roof.")], NOW))
    assert "goat" in first(recall, "Where is the goat?")
    index.remove(DocumentId("more"))
    assert "goat" not in first(recall, "Where is the goat?")


def test_a_followed_index_answers_like_one_read_anew(index: IndexDb, recall: Recall) -> None:
    recall(RecallQuery(Question("elm")))
    for number in range(12):
        put(
            index,
            said(
                f"extra{number}",
                [("Pascoe", f"The steam box number {number} is lent."), (None, "Kezia shouts.")],
                NOW - timedelta(days=number),
            ),
        )
        recall(RecallQuery(Question("steam box")))
        if number % 3 == 0:
            index.remove(DocumentId(f"extra{number}"))
    for text in ("Who lent the steam box?", "Kezia", "elm", "輪島"):
        query = RecallQuery(Question(text), k=50)
        assert recall(query) == Recall(index, recall._asked.embedder, FrozenClock(NOW), count)(
            query
        )


def test_notes_without_speakers_give_no_odd_numbers(index: IndexDb) -> None:
    index.remove(DocumentId("talk"))
    for text in ("varnish", "Who is it?", "When did I sell bowls?", "", "nothing of this is here"):
        for item in Recall(index, HashingEmbedder(), FrozenClock(NOW), count)(
            RecallQuery(Question(text))
        ).items:
            assert math.isfinite(item.score)
            assert all(math.isfinite(value) for value in asdict(item.signals).values())


def test_nothing_remembered_gives_nothing(tmp_path: Path) -> None:
    found = Recall(IndexDb(tmp_path / "empty.db"), HashingEmbedder(), FrozenClock(NOW), count)(
        RecallQuery(Question("Is anybody there?"))
    )
    assert (found.items, found.tokens, found.considered, found.answerable) == ((), 0, 0, 0.0)


def test_a_question_that_the_memory_answers_is_told_from_one_that_it_does_not(
    index: IndexDb,
) -> None:
    recall = Recall(index, None, FrozenClock(NOW), count)
    known, unknown = (
        recall(RecallQuery(Question(text))).answerable
        for text in ("Where did Isolde find the elm timber?", "Which bank lends Sunniva money?")
    )
    assert known > unknown


def test_a_kind_that_is_asked_for_finds_its_members_by_words_alone(tmp_path: Path) -> None:
    index = IndexDb(tmp_path / "kinds.db")
    put(
        index,
        said(
            "talk",
            [
                ("Ada", "The train was late."),
                ("Ada", "Our cat sleeps on the boiler."),
                ("Ada", "I paint the gate in spring."),
                ("Ada", "It rains."),
            ],
            NOW,
        ),
    )
    recall = Recall(index, None, FrozenClock(NOW), count)
    best, *_ = recall(RecallQuery(Question("Which pets does Ada have?"), explain=True)).items
    assert best.chunk.text == "Our cat sleeps on the boiler."
    assert best.matched == ()
    assert best.signals.words > 0


def test_what_is_related_to_what_is_known_without_an_embedder() -> None:
    vocabulary = {"cat": 0, "dog": 1, "pet": 2, "boiler": 3}
    near = Related().to(["pet", "boiler"], vocabulary)
    assert near.shape == (4, 2)
    assert near[2, 0] == near[3, 1] == 0  # nothing is related to itself
    assert min(near[0, 0], near[1, 0]) > 0.4
    assert near[3, 0] == 0
    assert Related().to([], vocabulary).shape == (4, 0)


def test_related_words_follow_a_vocabulary_that_grows_or_is_made_anew() -> None:
    related = Related()
    small, grown, anew = {"cat": 0}, {"cat": 0, "gate": 1, "dog": 2}, {"gate": 0, "dog": 1}
    assert related.to(["pet"], small).shape == (1, 1)
    for vocabulary in (grown, small, grown, anew):
        np.testing.assert_array_equal(
            related.to(["pet"], vocabulary), Related().to(["pet"], vocabulary)
        )


def test_questions_for_one_thing_and_for_several_have_weights_of_their_own() -> None:
    weights = ranking.shipped()[Level.WORDS]
    one, several = (
        Candidates(np.zeros(1, np.int64), {"speaker": np.ones(1, np.float32)}, (), several=flag)
        for flag in (False, True)
    )
    assert ranking.scores(one, weights)[0] == pytest.approx(weights.features["speaker"])
    assert ranking.scores(several, weights)[0] == pytest.approx(weights.several["speaker"])
    assert ranking.signals(several, weights, 0).entity == pytest.approx(weights.several["speaker"])


def test_of_equals_the_newer_comes_first(tmp_path: Path) -> None:
    index = IndexDb(tmp_path / "same.db")
    for name, days in (("old", 300), ("new", 3), ("older", 600)):
        put(index, said(name, [(None, "The goat is on the roof.")], NOW - timedelta(days=days)))
    found = Recall(index, HashingEmbedder(), FrozenClock(NOW), count)(RecallQuery(Question("goat")))
    assert [item.chunk.document for item in found.items] == ["new", "old", "older"]


def test_every_feature_has_a_name_for_the_person_and_a_weight() -> None:
    for level, weights in ranking.shipped().items():
        left_out = {Level.WORDS: ("meaning", "late"), Level.VECTORS: ("late",), Level.LATE: ()}[
            level
        ]
        named = {name for name in ranking.GROUPS if not name.startswith(left_out)}
        assert set(weights.features) == named
        assert set(weights.several) <= named
        assert set(weights.answerable) == {*ranking.ANSWERABLE, "bias"}


def test_averaging_in_blocks_is_averaging_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(3)
    codes = dice.integers(-127, 128, (50, 8)).astype(np.int8)
    scales = np.full(50, 0.01, np.float32)
    groups = np.sort(dice.integers(0, 9, 50)).astype(np.int32)
    whole = averaged(codes, scales, groups)
    query = dice.standard_normal(8).astype(np.float32)
    expected = cosines(codes, scales, query)
    monkeypatch.setattr("lpm_kernel.L0.index.columns.BLOCK", 7)
    np.testing.assert_array_equal(averaged(codes, scales, groups)[0], whole[0])
    np.testing.assert_allclose(cosines(codes, scales, query), expected, atol=1e-5)


def test_there_are_weights_for_every_level() -> None:
    assert json.loads(
        Path(ranking.__file__).with_name("weights.json").read_text("utf-8")
    ).keys() == set(Level)


def test_late_interaction_prefers_what_holds_each_word_of_the_question() -> None:
    one = np.eye(TOKEN_WIDTH, dtype=np.int8) * TOKEN_ONE
    asked = one[:2]
    both, half, nothing = one[:5], one[1:4], one[7:9]
    nobody = [None] * 4
    found = ranking.late(asked, [both, half, nothing, None], nobody, nobody)
    assert found["late"][0] == pytest.approx(1.0, abs=1e-3)
    assert found["late"][0] > found["late"][1] > found["late"][2] == 0
    assert found["late"][3] == pytest.approx(found["late"][:3].mean())
    beside = ranking.late(asked, [both, half, nothing, None], [None, None, both, None], nobody)
    assert beside["late_near"][2] == pytest.approx(ranking.BESIDE, abs=1e-3)
    for empty in (
        ranking.late(asked[:0], [both, None], nobody[:2], nobody[:2]),
        ranking.late(asked, nobody, nobody, nobody),
    ):
        assert all(np.isfinite(values).all() for values in empty.values())


def test_with_tokens_the_best_are_looked_at_closely_and_the_rest_stays_behind_them(
    tmp_path: Path,
) -> None:
    index = IndexDb(tmp_path / "late.db")
    embedder = WithTokens()
    lines: list[tuple[str | None, str]] = [
        (None, f"The elm number {n} stands in field {n % 7}.") for n in range(3 * ranking.LATE)
    ]
    chunks = said("field", lines, NOW - timedelta(days=300))
    index.put(
        DocumentId("field"),
        passages(chunks),
        embedded=embedder.embed_tokens([chunk.content for chunk in chunks]),
    )
    found = Recall(index, embedder, FrozenClock(NOW), count)(
        RecallQuery(Question("Which elm stands in field 4?"), k=2 * ranking.LATE)
    )
    assert found.level is Level.LATE
    scores = [item.score for item in found.items]
    assert len(scores) == 2 * ranking.LATE
    assert scores == sorted(scores, reverse=True)
    for item in found.items[: ranking.LATE]:
        assert math.isclose(sum(asdict(item.signals).values()), item.score, abs_tol=1e-4)


def test_a_question_in_single_signs_is_not_looked_at_sign_by_sign(tmp_path: Path) -> None:
    index = IndexDb(tmp_path / "late.db")
    embedder = WithTokens()
    chunks = said("notes", [(None, text) for text in NOTES], NOW)
    index.put(
        DocumentId("notes"),
        passages(chunks),
        embedded=embedder.embed_tokens([chunk.content for chunk in chunks]),
    )
    recall = Recall(index, embedder, FrozenClock(NOW), count)
    assert recall(RecallQuery(Question("varnish"))).level is Level.LATE
    assert recall(RecallQuery(Question("輪島で何を売った?"))).level is Level.VECTORS


def test_an_index_without_tokens_is_answered_by_vectors(index: IndexDb) -> None:
    assert (
        Recall(index, WithTokens(), FrozenClock(NOW), count)(RecallQuery(Question("elm"))).level
        is Level.VECTORS
    )


def test_ranking_by_newness_puts_the_newer_of_equals_first_and_says_why(recall: Recall) -> None:
    learned = recall(RecallQuery(Question("elm timber"), k=50))
    newest = recall(RecallQuery(Question("elm timber"), k=50, decay_rate=ranking.DECAY_RATE))
    assert {item.chunk.id for item in newest.items} <= {
        item.chunk.id for item in recall(RecallQuery(Question("elm timber"), k=1000)).items
    }
    assert learned.answerable == newest.answerable
    for item in newest.items:
        days = (
            (NOW - item.chunk.said_at).total_seconds() / 86_400
            if item.chunk.said_at
            else float("nan")
        )
        near = item.signals.meaning or item.signals.words
        assert item.score == pytest.approx(near + item.signals.time)
        assert item.score == pytest.approx(
            float(ranking.decayed(np.array([1 / near - 1]), np.array([days]))[0])
        )
    scores = [item.score for item in newest.items]
    assert scores == sorted(scores, reverse=True)


def test_ranking_by_newness_of_nothing_is_nothing(index: IndexDb) -> None:
    recall = Recall(index, None, FrozenClock(NOW), count)
    assert recall(RecallQuery(Question("zygomorphic"), decay_rate=ranking.DECAY_RATE)).items == ()


@given(st.floats(0, 2), st.floats(0, 4000), st.floats(0, 4000), st.floats(0.001, 5))
def test_of_what_is_equally_near_the_newer_never_scores_less(
    distance: float, one: float, other: float, rate: float
) -> None:
    older, newer = max(one, other), min(one, other)
    both = ranking.decayed(np.array([distance, distance]), np.array([newer, older]), rate)
    assert both[0] >= both[1]
    assert 1 / 3 <= both[1] <= 2
