"""What an embedder promises, over every backend: the bundled model, the same behind the host, and
the twin.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.embed.endpoint import EndpointEmbedder
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.embed.minilm import MiniLmEmbedder
from lpm_kernel.backends.llm.host import embedder_loader
from lpm_kernel.domain.ports import Embedder
from tests.hosts import Host

TEXTS = st.lists(st.text(max_size=300), max_size=6)


@pytest.fixture(scope="module", params=["hashing", "bundled", "host"])
def embedder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Embedder]:
    if request.param == "hashing":
        yield HashingEmbedder()
    elif request.param == "bundled":
        yield MiniLmEmbedder()
    else:
        with (
            Host(
                tmp_path_factory.mktemp("home"),
                embedder="lpm_kernel.backends.embed.hashing:HashingEmbedder",
            ) as host,
            closing(
                EndpointEmbedder(host.endpoint, identity="hashing/1/384", dimension=384)
            ) as asked,
        ):
            yield asked


@settings(max_examples=25)
@given(texts=TEXTS)
def test_order_and_company_do_not_matter(embedder: Embedder, texts: list[str]) -> None:
    together = embedder.embed(texts)
    backwards = embedder.embed(texts[::-1])[::-1]
    np.testing.assert_allclose(together, backwards, atol=1e-5)
    for vector, text in zip(together, texts, strict=True):
        np.testing.assert_allclose(vector, embedder.embed([text])[0], atol=1e-5)


@settings(max_examples=15)
@given(texts=TEXTS)
def test_every_text_has_a_vector_of_unit_length(embedder: Embedder, texts: list[str]) -> None:
    vectors = embedder.embed(texts)
    assert vectors.shape == (len(texts), embedder.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), np.ones(len(texts)), atol=1e-5)


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "🦊" * 400, "\ud800", "word " * 3000, "漢字かな交じり文"]
)
def test_nothing_that_can_be_typed_breaks_it(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text])).all()


def test_long_and_short_texts_do_not_touch_each_other(embedder: Embedder) -> None:
    texts = ["river " * length for length in (1, 400, 7, 90, 2, 256)]
    together = embedder.embed(texts)
    for vector, text in zip(together, texts, strict=True):
        np.testing.assert_allclose(vector, embedder.embed([text])[0], atol=1e-5)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_the_same_name_stands_for_the_same_vectors(embedder: Embedder) -> None:
    assert embedder.id
    np.testing.assert_array_equal(
        embedder.embed(["a walk by the river"]), embedder.embed(["a walk by the river"])
    )
    near, far = (
        embedder.embed(["a long walk along the river", "the tax form is due"])
        @ embedder.embed(["a walk by the river"])[0]
    )
    assert near > far


@settings(max_examples=10)
@given(texts=TEXTS)
def test_it_says_the_same_on_several_threads(
    threads: tuple[Embedder, Embedder], texts: list[str]
) -> None:
    alone, several = threads
    np.testing.assert_allclose(several.embed(texts), alone.embed(texts), atol=1e-6)


@pytest.fixture(scope="module")
def threads() -> tuple[Embedder, Embedder]:
    return MiniLmEmbedder(), MiniLmEmbedder(threads=3)


def test_a_setting_says_on_how_many_threads_it_works() -> None:
    made = embedder_loader(f"{__name__}:Threaded", threads=3)()
    assert isinstance(made, Threaded)
    assert made.threads == 3


class Threaded(HashingEmbedder):
    """Remembers on how many threads it is to work."""

    def __init__(self, threads: int = 1) -> None:
        super().__init__()
        self.threads = threads
