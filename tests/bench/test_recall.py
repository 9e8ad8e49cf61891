"""How well recall finds, and how long it takes. Run by `make bench`; judged against what was set
out to be reached.

How well: the recall benchmark in the folder that ``LPM_BENCH`` names (by default
`../shared/bench`), through the product's own ingest and recall; skipped where it is not there. FTS5
alone runs beside it, so that the ratio says something on any machine. How long: a bank made of the
invented conversations, at 10,000 and 100,000 passages; its vectors are those of the conversations,
shaken a little, since embedding 100,000 texts is not what is measured.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.minilm import MiniLmEmbedder
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.analysis import passages
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.recall import Recall
from tests.bench.fit_ranker import load

pytestmark = pytest.mark.bench

ROOT = Path(__file__).parents[2]
BENCH = Path(os.environ.get("LPM_BENCH") or ROOT.parent / "shared" / "bench")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SAID_AT_ONCE = 200
"""Passages of a document."""


@dataclass(frozen=True)
class Aim:
    """What is to be reached: the share of the right turns among the first ten, in percent."""

    recall: float
    options: tuple[str, ...] = ()
    adapter: tuple[str, ...] = ()


AIMS = {
    "each conversation its own bank": Aim(82.8),
    "all in one bank": Aim(81.5, options=("--pooled",)),
    "words alone": Aim(81.0, adapter=("--words",)),
}


def measured(system: str, *options: str, folder: Path) -> dict[str, Any]:
    """Run the benchmark once and return its figures."""
    out = folder / "figures.json"
    command = [
        sys.executable,
        "bench_recall.py",
        "--data",
        "locomo-dev.json",
        "--system",
        system,
        "--quiet",
        "--out",
        str(out),
        *options,
    ]
    subprocess.run(
        command,
        cwd=BENCH,
        check=True,
        capture_output=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    (figures,) = json.loads(out.read_text()).values()
    return dict(figures)


@pytest.mark.skipif(
    not (BENCH / "bench_recall.py").exists(),
    reason="the recall benchmark is not there: LPM_BENCH names its folder",
)
@pytest.mark.parametrize("name", AIMS)
def test_how_well_it_finds(name: str, tmp_path: Path) -> None:
    aim = AIMS[name]
    adapter = " ".join(
        (sys.executable, str(ROOT / "tests" / "bench" / "recall_adapter.py"), *aim.adapter)
    )
    ours = measured(f"cmd:{adapter}", *aim.options, folder=tmp_path)
    plain = measured("fts5", *aim.options, folder=tmp_path)
    found, base = (figures["tables"]["all"]["overall"] for figures in (ours, plain))
    print(
        f"\n{name}: R@10 {found['R@10']} (aim {aim.recall}), nDCG@10 {found['nDCG@10']}; FTS5 alone"
        f" {base['R@10']}, ratio {found['R@10'] / base['R@10']:.2f}; p50 {ours['perf']['p50_ms']}"
        f" ms, p95 {ours['perf']['p95_ms']} ms, {ours['perf']['n_mem']} turns read in"
        f" {ours['perf']['index_s']} s"
    )
    assert found["R@10"] >= aim.recall


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


@pytest.fixture(scope="module")
def spoken(embedder: MiniLmEmbedder) -> tuple[list[tuple[str, str]], Embedded]:
    """Every turn of the invented conversations, with what the embedder makes of it."""
    talks, _ = load()
    lines = [(turn.speaker, turn.text) for turns in talks.values() for turn in turns]
    return lines, embedder.embed_tokens([f"{speaker}: {text}" for speaker, text in lines])


def documents(lines: list[tuple[str, str]], size: int) -> Iterator[list[Chunk]]:
    """Make documents of the turns over and over, with a number in each so that no two are alike."""
    for first in range(0, size, SAID_AT_ONCE):
        name = DocumentId(f"d{first}")
        chunks, at = [], 0
        for number in range(first, min(size, first + SAID_AT_ONCE)):
            speaker, text = lines[number % len(lines)]
            text = f"{text} {number}"
            end = at + len(text)
            said_at = NOW - timedelta(hours=size - number)
            chunks.append(
                Chunk(
                    chunk_id(name, "v", at, end),
                    name,
                    "v",
                    at,
                    end,
                    text,
                    f"S{number // 20}",
                    speaker,
                    said_at,
                    str(number),
                )
            )
            at = end + 1
        yield chunks


@pytest.mark.parametrize(("size", "p50", "p95"), [(10_000, 25, 80), (100_000, 60, 150)])
def test_how_long_it_takes(
    size: int,
    p50: int,
    p95: int,
    tmp_path: Path,
    embedder: MiniLmEmbedder,
    spoken: tuple[list[tuple[str, str]], Embedded],
) -> None:
    lines, known = spoken
    dice = np.random.default_rng(7)
    index = IndexDb(tmp_path / "index.db")
    began = time.perf_counter()
    for number, chunks in enumerate(documents(lines, size)):
        which = [(number * SAID_AT_ONCE + each) % len(lines) for each in range(len(chunks))]
        shaken = known.vectors[which] + dice.normal(
            0, 0.02, (len(chunks), known.vectors.shape[1])
        ).astype(np.float32)
        vectors = shaken / np.linalg.norm(shaken, axis=1, keepdims=True)
        tokens = [(known.tokens or ())[each] for each in which]
        index.put(
            chunks[0].document, passages(chunks), embedded=Embedded(embedder.id, vectors, tokens)
        )
    put = time.perf_counter() - began
    recall = Recall(index, embedder, FrozenClock(NOW), len)
    began = time.perf_counter()
    recall.warm()
    read = time.perf_counter() - began
    _, asked = load()
    texts = [each.text for each in asked if each.gold][:: max(1, len(asked) // 150)]
    scope = Scope(since=NOW - timedelta(hours=size // 2))
    for label, within in (("all", Scope()), ("since half-way", scope)):
        spent = []
        recall.forget_questions()
        for text in texts:
            began = time.perf_counter()
            recall(RecallQuery(Question(text), k=25, scope=within))
            spent.append(1000 * (time.perf_counter() - began))
        middle, slow = statistics.median(spent), float(np.percentile(spent, 95))
        print(
            f"\n{size} passages, {label}: p50 {middle:.1f} ms (aim {p50}), p95 {slow:.1f} ms (aim"
            f" {p95}), question embedded each time; put in {put:.0f} s, read into memory in"
            f" {read:.1f} s, load {os.getloadavg()[0]:.1f}; vectors and tokens made of 1,284 real"
            " ones"
        )
        assert middle <= p50
        assert slow <= p95
