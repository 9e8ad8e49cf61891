"""What a model has read before: kept, found again, and dropped when there is no room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.llm.prefixes import Prefixes, shared

TOKENS = st.lists(st.integers(0, 3), max_size=12)


@given(left=TOKENS, right=TOKENS)
def test_shared_counts_the_common_beginning(left: list[int], right: list[int]) -> None:
    length = shared(left, right)
    assert left[:length] == right[:length]
    assert length == min(len(left), len(right)) or left[length] != right[length]
    assert shared(tuple(left), right) == length


@given(kept=st.lists(st.tuples(TOKENS, st.integers(0, 40)), max_size=12), asked=TOKENS)
def test_it_never_holds_more_than_it_may_and_finds_the_best(
    kept: list[tuple[list[int], int]], asked: list[int]
) -> None:
    prefixes = Prefixes(limit=100)
    for tokens, size in kept:
        prefixes.keep(tokens, bytearray(size))
        assert prefixes.size <= 100
    found = prefixes.nearest(asked)
    if found is not None:
        assert shared(found.tokens, asked) > 0
        assert found.tokens in {tuple(tokens) for tokens, _ in kept}


def test_what_was_not_used_for_longest_goes_first() -> None:
    prefixes = Prefixes(limit=3)
    for tokens in ([1, 1], [2, 2], [3, 3]):
        prefixes.keep(tokens, bytearray(1))
    assert prefixes.nearest([1, 9]) is not None
    prefixes.keep([4, 4], bytearray(1))
    assert prefixes.nearest([2, 2]) is None
    assert prefixes.nearest([1, 1]) is not None


def test_a_state_larger_than_all_the_room_is_not_kept() -> None:
    prefixes = Prefixes(limit=3)
    prefixes.keep([1], bytearray(4))
    assert len(prefixes) == 0


@given(
    kept=st.lists(st.tuples(TOKENS, st.sampled_from(["base", "tuned"])), max_size=12),
    asked=TOKENS,
    weights=st.sampled_from(["base", "tuned"]),
)
def test_a_state_is_found_by_the_weights_that_made_it_alone(
    kept: list[tuple[list[int], str]], asked: list[int], weights: str
) -> None:
    prefixes = Prefixes(limit=100)
    for tokens, made_with in kept:
        prefixes.keep(tokens, bytearray(1), made_with)
    found = prefixes.nearest(asked, weights)
    assert (found is None) == all(
        shared(tokens, asked) == 0 for tokens, made_with in kept if made_with == weights
    )
    assert found is None or (list(found.tokens), weights) in kept
    prefixes.forget(lambda made_with: made_with == weights)
    assert prefixes.nearest(asked, weights) is None
    assert len(prefixes) <= sum(made_with != weights for _, made_with in kept)


def test_forgetting_leaves_nothing() -> None:
    prefixes = Prefixes(limit=10)
    prefixes.keep([1], bytearray(1))
    prefixes.forget()
    assert prefixes.size == 0
    assert prefixes.nearest([1]) is None
