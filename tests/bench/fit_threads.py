"""How much less alike than its neighbours a turn has to be to end a thread, for each embedder:
measured on the English ones of the invented talks.

``python -m tests.bench.fit_threads`` prints for several rates the cosine that so many turns of one
session lie below, compared with the mean of up to six before them, and how many turns of another
talk lie below it too. ``lpm_kernel/L1/tiers/threads.py`` holds what a rate of 5 % gives.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.embed.minilm import MiniLmEmbedder
from lpm_kernel.domain.ports import Embedder
from lpm_kernel.L0.language.glosses import Glossed
from lpm_kernel.L0.language.identification import language_of
from tests.bench.fit_ranker import load

BEFORE = 6
"""Turns that one is compared with: the questions of a thread."""
RATES = (0.05, 0.1, 0.15, 0.2, 0.3)


def cosines(embedder: Embedder) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how alike turns are to those before them in their session, and how alike a turn of
    another talk would be. Shapes (turns,).
    """
    talks, _ = load()
    english = {
        name: turns
        for name, turns in talks.items()
        if all(language_of(turn.text) == "en" for turn in turns[:20])
    }
    vectors = {
        name: embedder.embed([turn.text for turn in turns]) for name, turns in english.items()
    }
    draw = random.Random(1)

    def pairs() -> Iterator[tuple[float, float]]:
        for name, turns in english.items():
            others = np.concatenate([vectors[other] for other in english if other != name])
            for at in range(1, len(turns)):
                session = turns[at].session
                before = [
                    earlier
                    for earlier in range(max(0, at - BEFORE), at)
                    if turns[earlier].session == session
                ]
                if before:
                    mean = vectors[name][before].mean(axis=0)
                    mean /= np.linalg.norm(mean)
                    other = others[draw.randrange(len(others))]
                    yield float(mean @ vectors[name][at]), float(mean @ other)

    near, far = np.array(list(pairs())).T
    return near, far


def main() -> None:
    """Print the table."""
    for embedder in (Glossed(MiniLmEmbedder()), HashingEmbedder()):
        near, far = cosines(embedder)
        print(f"{embedder.id}: {len(near)} turns, {(near < 0.75).mean():.1%} of them below 0.75")
        for rate in RATES:
            least = float(np.quantile(near, rate))
            print(f"  {rate:.0%} below {least:.3f}; of another talk {(far < least).mean():.0%}")


if __name__ == "__main__":
    main()
