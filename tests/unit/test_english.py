"""English words with their parts of speech: what a sentence says decides, not the word alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.L0.language.english import noun_phrases, tagged

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("We rent the flat, and the rent rose.", ["flat", "rent"]),
        ("She leaves honey under the leaves.", ["honey", "leaves"]),
        ("I stand at the stand.", ["stand"]),
        ("He's the one who'd saw it with the saw.", ["saw"]),
    ],
)
def test_a_word_is_what_it_is_in_its_sentence(text: str, nouns: list[str]) -> None:
    assert [token.text for token in tagged(text) if token.noun] == nouns


@pytest.mark.parametrize(
    ("text", "lemmas"),
    [
        ("I've been there.", ["i", "have", "be", "there", "."]),
        ("They cannot swim.", ["they", "can", "not", "swim", "."]),
        ("Dr. Osei doesn’t know.", ["Dr.", "Osei", "do", "not", "know", "."]),
    ],
)
def test_what_is_drawn_together_is_read_apart(text: str, lemmas: list[str]) -> None:
    assert [token.lemma for token in tagged(text)] == lemmas


@given(st.text(max_size=120))
def test_every_word_stands_where_it_says(text: str) -> None:
    tokens = tagged(text)
    assert [text[token.start : token.end] for token in tokens] == [each.text for each in tokens]
    assert sorted(tokens, key=lambda token: token.start) == list(tokens)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("My brother Tomas drives a big lorry.", [("my", "brother Tomas"), ("a", "big lorry")]),
        (
            "The neighbour's rabbit ate four carrots.",
            [("the", "neighbour's rabbit"), ("four", "carrots")],
        ),
        ("I work at St Mary's.", [("", "St Mary's")]),
        ("It rains.", []),
    ],
)
def test_a_noun_has_with_it_what_belongs_to_it(text: str, phrases: list[tuple[str, str]]) -> None:
    assert [(each.owner, each.words) for each in noun_phrases(text)] == phrases
