"""A week of 10, 100 and 1,000 nodes: what is sent, how long an answer takes, and what a node has to
compute, as they grow; every invariant is looked at on the way. Run by `make bench`; a quarter of an
hour. `LPM_NODES` and `LPM_SEEDS` name other sizes and seeds; `LPM_PICTURE` is a file for a picture.
"""

from __future__ import annotations

import os
import statistics
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.simulation.world import Wish, World

pytestmark = pytest.mark.bench

SIZES = [int(each) for each in (os.environ.get("LPM_NODES") or "10 100 1000").split()]
SEEDS = [int(each) for each in (os.environ.get("LPM_SEEDS") or "1").split()]
DAYS = 7


@dataclass(frozen=True)
class Found:
    """What came of one world."""

    members: int
    figures: dict[str, float]


def found_in(world: World, seconds: float) -> Found:
    """Take the figures of a world that was lived through."""
    members, watch = len(world.all), world.watch
    counts, took = watch.counts, sorted(watch.seconds)
    of_nodes = members * DAYS
    return Found(
        members,
        {
            "frames, node and day": counts["frames"] / of_nodes,
            "bytes, node and day": watch.size / of_nodes,
            "requests": len(watch.settled),
            "tries a request": counts["tries"] / max(1, len(watch.settled)),
            "asked again": counts["repeated"],
            "lies": sum(many for what, many in counts.items() if what.startswith("lie ")),
            "answer, median s": statistics.median(took),
            "answer, 95 %, s": took[int(0.95 * len(took))],
            "ms of one core a frame": 1_000 * seconds / counts["frames"],
        },
    )


def picture(every: list[Found]) -> str:
    """Draw two figures over the number of nodes, as SVG."""
    names = ("frames, node and day", "ms of one core a frame")
    parts = []
    for row, name in enumerate(names):
        most = max(each.figures[name] for each in every)
        parts.append(f'<text x="8" y="{20 + 60 * row}">{name}</text>')
        for at, each in enumerate(every):
            value, top = each.figures[name], 28 + 60 * row
            wide = 4 + 76 * value / most
            parts.append(
                f'<rect x="{8 + 120 * at}" y="{top}" width="{wide:.0f}" height="10"/>'
                f'<text x="{8 + 120 * at}" y="{top + 24}">{each.members:,}: {value:.2f}</text>'
            )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 380 140" font-family="sans-serif"'
        ' font-size="11"><rect width="380" height="140" fill="#fff"/>'
        f'<g fill="#355">{"".join(parts)}</g></svg>\n'
    )


def test_a_week_of_many_nodes() -> None:
    every = []
    for members in SIZES:
        for seed in SEEDS:
            world = World(Wish(members, DAYS, seed))
            found = found_in(world, world.live())
            every.append(found)
            print(f"\n{members:,} nodes, seed {seed}:", dict(sorted(world.watch.counts.items())))
            for name, value in found.figures.items():
                print(f"  {name}: {value:,.2f}")
    if file := os.environ.get("LPM_PICTURE"):
        Path(file).write_text(picture(every), "utf-8")
    small, large = every[0].figures, every[-1].figures
    # what a node sends and computes does not hang on how many there are
    assert large["frames, node and day"] <= 2 * small["frames, node and day"] + 10
    assert large["ms of one core a frame"] <= 2 * small["ms of one core a frame"]
