"""Adapters on a real model in this process: what is said with one never depends on what was said
with another.

A tiny random model serves, so that all of it takes a moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from lpm_kernel.backends.llm.adapters import KEPT
from lpm_kernel.backends.llm.client import EndpointModel
from lpm_kernel.backends.llm.gguf_model import GgufModel
from lpm_kernel.domain.ports import Adapter, ChatMessage, Endpoint, Sampling
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError
from lpm_kernel.L2.recipes.export.base import BaseMeasures
from tests.adapters import TINY, write_adapter, write_tiny_model
from tests.hosts import Host

BASE = BaseMeasures.of_config(TINY)
LONG = [ChatMessage("user", "The boats lay at the quay, and nobody was on board. " * 8)]
"""Longer than what is worth keeping."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("models")
    write_tiny_model(made / "tiny.gguf")
    return made


@pytest.fixture
def model(folder: Path) -> Iterator[GgufModel]:
    with closing(GgufModel(folder / "tiny.gguf", context=512, threads=1)) as loaded:
        yield loaded


@pytest.fixture
def tuned(tmp_path: Path) -> Adapter:
    return write_adapter(tmp_path / "versions" / "tuned" / "tuned.gguf", BASE, seed=3)


def said(model: GgufModel, adapter: Adapter | None) -> str:
    return "".join(
        piece.text
        for piece in model.stream(LONG, Sampling(temperature=0.0, max_tokens=12, adapter=adapter))
    )


def afresh(folder: Path, adapter: Adapter | None) -> str:
    """What a model says that has read nothing before."""
    with closing(GgufModel(folder / "tiny.gguf", context=512, threads=1)) as model:
        return said(model, adapter)


def test_what_was_read_is_kept_for_the_weights_that_read_it(
    model: GgufModel, folder: Path, tuned: Adapter
) -> None:
    half = replace(tuned, scale=0.5)
    wanted = {which: afresh(folder, which) for which in (None, tuned, half)}
    assert len(set(wanted.values())) == 3
    for which in (None, tuned, half):
        assert said(model, which) == wanted[which]
    read = model.tokens_read
    assert read > 3 * 64  # each had to read all of it
    for which in (tuned, None, half, tuned):
        assert said(model, which) == wanted[which]
    # and now each goes on where it ended: the last token alone is read
    assert model.tokens_read == read + 4


def test_many_adapters_take_turns_and_few_stay_loaded(
    model: GgufModel, folder: Path, tmp_path: Path
) -> None:
    every = [write_adapter(tmp_path / f"{seed}.gguf", BASE, seed) for seed in range(KEPT + 2)]
    for adapter in (*every, *every[::-1]):
        assert said(model, adapter) == afresh(folder, adapter)
        assert len(model._adapters) <= KEPT


def test_a_file_written_anew_is_another_adapter(
    model: GgufModel, folder: Path, tuned: Adapter
) -> None:
    before = said(model, tuned)
    write_adapter(tuned.path, BASE, seed=4)
    assert said(model, tuned) != before
    assert said(model, tuned) == afresh(folder, tuned)


def test_a_file_that_is_gone_is_a_sentence_though_it_is_still_loaded(
    model: GgufModel, tuned: Adapter
) -> None:
    base = said(model, None)
    said(model, tuned)
    tuned.path.unlink()
    with pytest.raises(ModelUnavailableError, match="no longer exists"):
        said(model, tuned)
    assert said(model, None) == base


@pytest.mark.parametrize("broken", ["another base", "cut short", "no adapter"])
def test_what_cannot_be_put_on_is_a_sentence_and_the_base_serves_on(
    model: GgufModel, tuned: Adapter, folder: Path, broken: str
) -> None:
    base = said(model, None)
    whole = tuned.path.read_bytes()
    if broken == "another base":
        write_adapter(tuned.path, replace(BASE, width=96), seed=3)
    elif broken == "cut short":
        tuned.path.write_bytes(whole[:-2000])
    else:
        tuned.path.write_bytes((folder / "tiny.gguf").read_bytes())
    with pytest.raises(ModelUnavailableError, match="damaged, or was trained on another base"):
        said(model, tuned)
    assert said(model, None) == base
    tuned.path.write_bytes(whole)
    assert said(model, tuned) != base


def test_what_is_forgotten_leaves_no_state(model: GgufModel, folder: Path, tuned: Adapter) -> None:
    other = write_adapter(tuned.path.with_name("other.gguf"), BASE, seed=5)
    for adapter in (None, other, tuned):
        said(model, adapter)
    model.forget_adapter("tuned")
    assert len(model._adapters) == 1
    assert model._read == []
    assert model._adapters.worn.adapter == ""
    assert {
        getattr(saved.weights, "adapter", None) for saved in model._prefixes._saved.values()
    } == {"", "other"}
    read = model.tokens_read
    assert said(model, tuned) == afresh(folder, tuned)
    assert model.tokens_read > read + 64


def test_how_likely_a_text_is_goes_by_the_adapter(model: GgufModel, tuned: Adapter) -> None:
    def likely(text: str, adapter: Adapter | None) -> float:
        return sum(value for _, value in model.score(LONG, text, adapter))

    own, other = said(model, tuned), said(model, None)
    assert likely(own, tuned) > likely(own, None)
    assert likely(other, None) > likely(other, tuned)
    assert "".join(text for text, _ in model.score(LONG, own, tuned)) == own


# --- through the host ---------------------------------------------------------------------------


def test_the_host_takes_adapters_from_the_homes_versions_alone(
    tmp_path: Path, folder: Path
) -> None:
    home = tmp_path / "home"
    inside = write_adapter(home / "versions" / "one" / "adapter.gguf", BASE, seed=3)
    outside = write_adapter(tmp_path / "adapter.gguf", BASE, seed=3)
    link = home / "versions" / "link.gguf"
    link.symlink_to(outside.path)
    with (
        Host(home, model=str(folder / "tiny.gguf"), context=512) as host,
        closing(EndpointModel(host.endpoint)) as asked,
    ):
        wanted = "".join(
            piece.text
            for piece in asked.stream(
                LONG, Sampling(temperature=0.0, max_tokens=12, adapter=inside)
            )
        )
        assert wanted == afresh(folder, inside)
        for path in (
            outside.path,
            link,
            home / "versions" / ".." / ".." / "adapter.gguf",
            Path("../../adapter.gguf"),
        ):
            with pytest.raises(InvalidInputError, match="`versions` alone"):
                list(asked.stream(LONG, Sampling(adapter=Adapter("one", path))))
            with pytest.raises(InvalidInputError, match="`versions` alone"):
                asked.score(LONG, "yes", Adapter("one", path))
        relative = replace(inside, path=Path("one/adapter.gguf"))
        assert (
            "".join(
                piece.text
                for piece in asked.stream(
                    LONG, Sampling(temperature=0.0, max_tokens=12, adapter=relative)
                )
            )
            == wanted
        )
        inside.path.unlink()
        asked.forget_adapter("adapter")
        with pytest.raises(ModelUnavailableError, match="no longer exists"):
            list(asked.stream(LONG, Sampling(adapter=inside)))
        assert list(asked.stream(LONG, Sampling(max_tokens=4)))


def test_a_server_that_knows_no_adapters_is_not_asked(tuned: Adapter) -> None:
    """It would answer without and nobody would notice; there need not even be a server for this
    refusal.
    """
    with closing(EndpointModel(Endpoint("http://127.0.0.1:9/v1"))) as asked:
        with pytest.raises(ModelUnavailableError, match="cannot answer with what was trained here"):
            list(asked.stream(LONG, Sampling(adapter=tuned)))
        with pytest.raises(ModelUnavailableError, match="cannot say how likely"):
            asked.score(LONG, "yes")
