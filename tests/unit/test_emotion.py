"""How much feeling a sentence shows, in English, Japanese and Chinese."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.L0.language.emotion import emotion, feelings, lexicon
from lpm_kernel.L0.text.sentences import sentences
from tests.lives import SAMPLE

pytestmark = pytest.mark.unit

BLIND = Path(__file__).parents[1] / "data" / "emotion" / "sentences.tsv"
STRONG = 0.4
"""What a sentence with one plain word of feeling reaches."""


def blind(language: str, kind: str) -> list[str]:
    rows = [line.split("\t") for line in BLIND.read_text("utf-8").splitlines()]
    return [row[2] for row in rows if row[:2] == [language, kind]]


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_strong_feeling_is_told_from_none(language: str) -> None:
    strong, plain = blind(language, "strong"), blind(language, "plain")
    assert len(strong) == len(plain) == 10
    assert sum(emotion(sentence) >= STRONG for sentence in strong) >= 9
    assert [emotion(sentence) for sentence in plain] == [0.0] * 10


@pytest.mark.parametrize(
    "file",
    [
        "papers/recipe-1994.txt",
        "papers/recipe-2025.txt",
        "papers/packing-list-v1.txt",
        "papers/lease-teramachi.txt",
        "tables/ledger.csv",
        "tables/walks.csv",
    ],
)
def test_recipes_lists_leases_and_tables_leave_one_cold(file: str) -> None:
    said = sentences((SAMPLE / file).read_text("utf-8"))
    assert said
    assert [sentence for sentence in said if emotion(sentence) > 0] == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I am sad.", 0.5),
        ("I am very sad.", 0.625),
        ("I am a bit sad.", 0.3),
        ("I am not sad.", 0.125),
        ("I don't hate him.", 0.125),
        ("I was not there, I was sad.", 0.5),
        ("I can't stop crying.", 0.5),
        ("I have never been so happy.", 0.625),
        ("I am furious!", 1 - 0.2 * 0.9),
        ("I am furious!!!!", 1 - 0.2 * 0.9 * 0.9),
        ("I am so furious.", 1.0),
        ("Sad and lonely.", 0.75),
        ("The bus is here!", 0.1),
        ("悲しい。", 0.5),
        ("とても悲しい。", 0.625),
        ("少し悲しい。", 0.3),
        ("悲しくない。", 0.125),
        ("怖くありません。", 0.125),
        ("心配していなかった。", 0.125),
        ("怖くてたまらない。", 0.625),
        ("悲しくて、行かない。", 0.5),
        ("涙が止まらない。", 0.8),
        ("我难过。", 0.5),
        ("我很难过。", 0.625),
        ("我有点难过。", 0.3),
        ("我不难过。", 0.125),
        ("我不高兴。", 0.5),
        ("害怕极了。", 0.625),
        ("今天 😭", 0.8),
        ("", 0.0),
    ],
)
def test_by_hand(sentence: str, expected: float) -> None:
    assert emotion(sentence) == pytest.approx(expected)


@pytest.mark.parametrize(
    "sentence",
    [
        "I missed the bus.",
        "We moved to Leeds.",
        "She dyed the wool.",
        "Grate the cheese and drain it.",
        "Please fire the kiln.",
        "Happy new year.",
        "恐怕要下雨。",
        "愛知県へ行く。",
        "辛いカレーを作る。",
    ],
)
def test_what_only_looks_like_a_feeling(sentence: str) -> None:
    assert emotion(sentence) == 0.0


@pytest.mark.parametrize("language", ["en", "ja", "zh", "any"])
def test_no_two_entries_say_the_same_with_different_weights(language: str) -> None:
    entries = [entry for same in lexicon()[language].values() for entry in same]
    assert len(entries) > 30
    assert len({entry.words for entry in entries}) == len(entries)


def test_the_words_are_shown_with_what_they_weigh() -> None:
    told = [(word.text, word.weight) for word in feelings("I was not angry, just very sad.")]
    assert told == [("angry", 0.125), ("sad", 0.625)]
    assert "angry" not in repr(feelings("I was angry."))


@given(st.text(max_size=200))
def test_any_text_shows_from_nothing_to_all(text: str) -> None:
    assert 0.0 <= emotion(text) <= 1.0


@given(st.lists(st.sampled_from(["sad", "bus", "furious", "glad", "hinge"]), max_size=8))
def test_a_further_word_never_takes_away(words: list[str]) -> None:
    shown = [emotion(" and ".join(words[:size])) for size in range(len(words) + 1)]
    assert shown == sorted(shown)
