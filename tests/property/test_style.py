"""Whatever is written: a distance lies between 0 and 1, and hangs on no order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.L2.alignment.style import (
    characters_by_language,
    log_odds,
    profiles_of,
    style_distance,
)
from lpm_kernel.L2.alignment.style_features import added, read_text

NOTES = [
    f"I came home at {number}. Not a soul. She says it is the rain of {number}, and I doubt it."
    for number in range(100)
]
PROFILES = profiles_of(NOTES)
WORDS = st.dictionaries(st.sampled_from(["a", "well", "so", "は", "x"]), st.integers(1, 50))


@given(st.lists(st.text(), max_size=8))
def test_a_difference_lies_between_0_and_1(texts: list[str]) -> None:
    for text in texts:
        found = read_text(text).get("en", [])
        assert 0.0 <= PROFILES["en"].difference(found) <= 1.0


@settings(max_examples=8)
@given(st.lists(st.sampled_from(NOTES), min_size=20, max_size=40), st.text())
def test_a_distance_lies_between_0_and_1_within_its_interval(texts: list[str], more: str) -> None:
    found = style_distance(PROFILES, [*texts, more])
    if found is not None:
        assert 0.0 <= found.low <= found.value <= found.high <= 1.0


@settings(max_examples=3)
@given(st.permutations(NOTES))
def test_the_order_of_texts_does_not_matter(texts: list[str]) -> None:
    assert profiles_of(texts)["en"].own == PROFILES["en"].own
    assert profiles_of(texts)["en"].words == PROFILES["en"].words
    assert characters_by_language(texts) == characters_by_language(NOTES)


@given(st.lists(st.text(), max_size=6))
def test_counts_add_up(texts: list[str]) -> None:
    read = [sample for text in texts for sample in read_text(text).get("en", [])]
    total = added(read)
    assert total.sentences == len(read)
    assert total.characters == sum(each.characters for each in read)
    assert added([added(read[:2]), added(read[2:])]) == total


@given(WORDS, WORDS)
def test_log_odds_turn_round_with_the_sides(own: dict[str, int], general: dict[str, int]) -> None:
    one, other = log_odds(own, general), log_odds(general, own)
    assert all(abs(one[word] + other[word]) < 1e-9 for word in one)
