"""How long an adapter takes to be loaded, and to be switched, on the bundled model."""

from __future__ import annotations

import statistics
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from lpm_kernel.backends.llm.adapters import Adapters
from lpm_kernel.backends.llm.gguf_model import GgufModel
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.domain.ports import Adapter, ChatMessage, Sampling
from lpm_kernel.L2.recipes.export.base import BaseMeasures
from tests.adapters import write_adapter

ROUNDS = 20
RANK = 16
"""What the recipe for the bundled model trains."""
ASKED = [ChatMessage("user", "Which boat did we take out past the harbour wall that day? " * 20)]


def first_word(model: GgufModel, adapter: Adapter | None) -> float:
    started = time.perf_counter()
    list(model.stream(ASKED, Sampling(temperature=0.0, max_tokens=1, adapter=adapter)))
    return time.perf_counter() - started


def milliseconds(seconds: list[float]) -> str:
    return f"{statistics.median(seconds) * 1000:.2f} ms (worst {max(seconds) * 1000:.2f})"


def test_loading_and_switching(tmp_path: Path) -> None:
    base = BaseMeasures.read(bundled_model())
    one, other = (
        write_adapter(tmp_path / f"{name}.gguf", base, seed, strength=0.01, rank=RANK)
        for seed, name in enumerate(("one", "other"))
    )
    loads: list[float] = []
    switches: list[float] = []
    with closing(GgufModel(bundled_model(), context=1024)) as model:
        adapters: Adapters = model._adapters
        for _ in range(ROUNDS):
            started = time.perf_counter()
            adapters.use(one)
            loads.append(time.perf_counter() - started)
            adapters.forget("one")
        adapters.use(one)
        adapters.use(other)
        for turn in range(ROUNDS):
            started = time.perf_counter()
            adapters.use((one, None, other, replace(one, scale=0.5))[turn % 4])
            switches.append(time.perf_counter() - started)
        cold = {adapter: first_word(model, adapter) for adapter in (None, one, other)}
        warm = [first_word(model, adapter) for _ in range(3) for adapter in cold]
    size = one.path.stat().st_size / 1e6
    print(
        f"\nan adapter of {size:.0f} MB: loaded in {milliseconds(loads)}, switched in"
        f" {milliseconds(switches)} (wanted: below 2 s)"
    )
    print(
        f"first word, read anew {statistics.median(cold.values()):.2f} s; switched to and fro, read"
        f" before {statistics.median(warm):.2f} s"
    )
    assert max(loads) < 2.0
    assert max(switches) < 0.1
    assert statistics.median(warm) < 0.5 * statistics.median(cold.values())
