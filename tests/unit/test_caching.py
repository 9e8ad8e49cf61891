"""What is kept of what was worked out: bounded, never stale, and gone when it has to be."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.caching import PROFILES, QUESTIONS, VersionedCache
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.domain.ports import TokenEmbedder
from lpm_kernel.errors import EmbedderUnavailableError
from lpm_kernel.L0.index.asked import EmbeddedQuestions

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors

pytestmark = pytest.mark.unit


class Counting(HashingEmbedder):
    """The hashing twin, which notes what it was given; down while it is told to be."""

    def __init__(self) -> None:
        super().__init__(64)
        self.given: list[str] = []
        self.down = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.down:
            raise EmbedderUnavailableError("It cannot be reached.")
        self.given += texts
        return super().embed(texts)


class CountingTokens(Counting):
    def embed_tokens(self, texts: Sequence[str]) -> Embedded:
        return Embedded(self.id, self.embed(texts), [np.ones((1, 64), np.int8) for _ in texts])


# --- the cache ----------------------------------------------------------------------------------


def test_a_change_is_seen_at_the_next_look() -> None:
    profile = {"name": "Nagi", "version": 1}
    cache = VersionedCache[str, str](PROFILES)

    def look() -> object:
        return cache.get("me", profile["version"], lambda: f"I am {profile['name']}.")

    assert look() == look() == "I am Nagi."
    profile.update(name="Nagi Sorrel", version=2)
    assert look() == "I am Nagi Sorrel."
    assert len(cache) == 1


@pytest.mark.parametrize("most", [0, 1, QUESTIONS, PROFILES])
def test_it_is_bounded(most: int) -> None:
    cache = VersionedCache[int, int](most)
    for number in range(most + 50):
        assert cache.get(number, 0, lambda number=number: number) == number  # type: ignore[misc]
        assert len(cache) <= most
    assert len(cache) == most


def test_what_was_used_longest_ago_goes_first() -> None:
    cache = VersionedCache[str, str](2)
    for key in ("a", "b", "a", "c"):
        cache.get(key, 0, lambda: "first")
    made = {key: cache.get(key, 0, lambda: "again") for key in ("a", "c", "b")}
    assert made == {"a": "first", "c": "first", "b": "again"}


def test_what_fails_is_asked_again() -> None:
    cache = VersionedCache[str, int](2)

    def fail() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        cache.get("a", 0, fail)
    assert cache.get("a", 0, lambda: 3) == 3


def test_what_was_being_made_when_all_was_forgotten_is_not_kept() -> None:
    cache = VersionedCache[str, str](2)

    def make() -> str:
        cache.forget()
        return "of what was erased meanwhile"

    assert cache.get("a", 0, make) == "of what was erased meanwhile"
    assert len(cache) == 0


looks = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 2)) | st.none(), max_size=60)


@given(looks, st.integers(0, 4))
def test_whatever_is_asked_in_whatever_order_the_answer_is_of_that_version(
    asked: list[tuple[int, int] | None], most: int
) -> None:
    cache = VersionedCache[int, tuple[int, int]](most)
    for look in asked:
        if look is None:
            cache.forget()
        else:
            assert cache.get(look[0], look[1], lambda look=look: look) == look  # type: ignore[misc]
        assert len(cache) <= most


def test_threads_share_one() -> None:
    cache, wrong = VersionedCache[int, int](20), []

    def ask(seed: int) -> None:
        for number in range(400):
            key = (number * seed) % 60
            if cache.get(key, 0, lambda key=key: key) != key or len(cache) > 20:  # type: ignore[misc]
                wrong.append(key)
            if number % 97 == 0:
                cache.forget()

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in (1, 7, 11, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# --- questions ----------------------------------------------------------------------------------


def test_a_question_is_embedded_once() -> None:
    embedder = Counting()
    asked = EmbeddedQuestions(embedder)
    first, again = (asked.embed("Where is the van?", closely=True) for _ in range(2))
    assert first is not None
    assert again is not None
    assert np.array_equal(first.vectors, HashingEmbedder(64).embed(["Where is the van?"]))
    assert np.array_equal(first.vectors, again.vectors)
    asked.embed("Where is the van", closely=True)
    assert embedder.given == ["Where is the van?", "Where is the van"]


def test_with_tokens_and_without_are_two_things() -> None:
    asked = EmbeddedQuestions(CountingTokens())
    for _ in range(2):
        plain = asked.embed("Where is the van?", closely=False)
        close = asked.embed("Where is the van?", closely=True)
        assert plain is not None
        assert close is not None
        assert not plain.tokens
        assert close.tokens


def test_no_more_than_the_last_questions_are_kept() -> None:
    embedder = Counting()
    asked = EmbeddedQuestions(embedder)
    for number in [*range(QUESTIONS + 1), QUESTIONS, 0]:
        asked.embed(f"Question {number}?", closely=True)
    assert len(asked._kept) == QUESTIONS
    assert len(embedder.given) == QUESTIONS + 2


def test_an_embedder_that_comes_back_is_asked_again() -> None:
    embedder = Counting()
    asked = EmbeddedQuestions(embedder)
    embedder.down = True
    assert asked.embed("Where?", closely=True) is None
    embedder.down = False
    assert asked.embed("Where?", closely=True) is not None


def test_nothing_is_embedded_where_nothing_is_asked_or_nothing_embeds() -> None:
    assert EmbeddedQuestions(Counting()).embed(" \n", closely=True) is None
    assert EmbeddedQuestions(None).embed("Where?", closely=True) is None


def test_what_is_kept_holds_no_words_and_goes() -> None:
    embedder = Counting()
    asked = EmbeddedQuestions(embedder)
    asked.embed("Where does the kingfisher keep its ledger?", closely=True)
    assert b"kingfisher" not in pickle.dumps(asked._kept._kept)
    asked.forget()
    assert len(asked._kept) == 0
    asked.embed("Where does the kingfisher keep its ledger?", closely=True)
    assert len(embedder.given) == 2


WORDS = st.text(alphabet="abc 犬。", max_size=12)


@given(asked=st.lists(WORDS, max_size=4), told=st.lists(WORDS, max_size=6))
def test_what_was_asked_is_remembered_as_if_it_were_embedded_anew(
    asked: list[str], told: list[str]
) -> None:
    inner = CountingTokens()
    questions = EmbeddedQuestions(inner)
    for text in asked:
        questions.embed(text, closely=True)
    embedder = questions.embedder_of_told()
    assert isinstance(embedder, TokenEmbedder)
    made, plain = embedder.embed_tokens(told), CountingTokens().embed_tokens(told)
    assert (made.embedder, len(made.tokens or ())) == (plain.embedder, len(told))
    assert np.array_equal(made.vectors, plain.vectors)


def test_a_question_that_is_told_is_not_embedded_again() -> None:
    inner = CountingTokens()
    questions = EmbeddedQuestions(inner)
    questions.embed("I sold the van.", closely=True)
    embedder = questions.embedder_of_told()
    assert isinstance(embedder, TokenEmbedder)
    embedder.embed_tokens(["I sold the van.", "犬を飼った。"])
    assert inner.given == ["I sold the van.", "犬を飼った。"]
    assert EmbeddedQuestions(None).embedder_of_told() is None
