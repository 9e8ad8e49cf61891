"""Either language finds what was written in the other, by meaning and by sound."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import passages
from lpm_kernel.L0.language.glosses import Glossed, Tongues, in_english, skeleton, sound
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.recall import Recall

pytestmark = pytest.mark.unit

NOTES = (
    "The rent for the boathouse is 310 euros, due on the first.",
    "Tsuda came by and admired the oars.",
    "Ottilie sent a parcel with walnuts.",
    "渡し船の料金は四百円だった。",
    "The bicycle needs a new chain.",
    "昨日は一日中雨だった。",
)


@pytest.fixture
def by_words(tmp_path: Path) -> Recall:
    index = IndexDb(tmp_path / "index.db")
    for number, text in enumerate(NOTES):
        name = DocumentId(f"d{number}")
        index.put(
            name,
            passages(
                [Chunk(chunk_id(name, "v", 0, len(text)), name, "v", 0, len(text), text, "s")]
            ),
        )
    return Recall(index, None, FrozenClock(datetime(2025, 11, 20, 9, tzinfo=UTC)), len)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("家賃はいくら？", "The rent"),
        ("津田さんはいつ来た？", "Tsuda came"),
        ("オッティリエは何を送った？", "Ottilie sent"),
        ("What was the fee for the ferry?", "渡し船の料金"),
        ("自転車に要るものは？", "The bicycle"),
    ],
)
def test_a_question_finds_what_was_written_in_the_other_language(
    by_words: Recall, question: str, found: str
) -> None:
    first = by_words(RecallQuery(Question(question), k=1)).items[0]
    assert first.chunk.text.startswith(found)
    assert first.matched


def test_what_stands_for_a_term_is_taken_from_the_bank_alone() -> None:
    tongues = Tongues()
    assert tongues.others(["家賃"], {"rent": 0, "rain": 1})["家賃"][0] == "rent"
    assert tongues.others(["rent"], {"rain": 0}) == {}
    grown = {"rain": 0, "家賃": 1}
    assert tongues.others(["rent"], grown)["rent"] == ("家賃",)
    assert tongues.others(["rent"], {"bread": 0}) == {}


def test_an_embedder_of_english_gets_english_and_leaves_the_rest_as_it_stands() -> None:
    plain, glossed = HashingEmbedder(), Glossed(HashingEmbedder())
    assert glossed.id != plain.id
    english = "The rent is due."
    assert np.array_equal(glossed.embed([english]), plain.embed([english]))
    assert np.array_equal(
        glossed.embed(["家賃はいくら？"]), plain.embed([in_english("家賃はいくら？")])
    )


@given(st.text(max_size=80))
def test_any_text_can_be_put_into_english_and_into_sound(text: str) -> None:
    assert isinstance(in_english(text), str)
    assert skeleton(sound(text)) == skeleton(sound(text).lower())
