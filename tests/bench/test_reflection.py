"""What going over one new day costs, with few notes behind it and with many: the same, within three
tenths. Run by `make bench`.
"""

from __future__ import annotations

import random
import statistics
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.node import Node

pytestmark = pytest.mark.bench

START = datetime(2000, 1, 1, 12, tzinfo=UTC)
FEW, MANY = 100, 10_000
DAYS = 7
MORE = 1.3
NAMES = (
    "Nora Aksel Lena Ravi Mei Tomas Ines Kofi Yuna Petra Omar Sofie Liam Aya Bruno Carla Dev Elif"  # noqa: SIM905  reads better so
    " Finn Greta".split()
)
PLACES = "Bergen Oslo Tromsø Stavanger Ghent Porto Lyon Graz Kyoto Turku".split()  # noqa: SIM905 - reads better so
DEEDS = (
    "bought a boat from {} in {}",
    "met {} at the station in {}",
    "painted a room with {} in {}",
    "cooked soup for {} in {}",
    "lost a bet to {} in {}",
    "found a flat for {} in {}",
)


def note(number: int, chance: random.Random) -> bytes:
    """Write a day: four sentences about some of twenty people."""
    said = [
        f"I {chance.choice(DEEDS).format(chance.choice(NAMES), chance.choice(PLACES))} on day"
        f" {number}."
        for _ in range(3)
    ]
    other, place = chance.choice(NAMES), chance.choice(PLACES)
    return " ".join([*said, f"{other} moved to {place} after {number} weeks of looking."]).encode()


def cost(folder: Path, behind: int) -> tuple[float, float]:
    """Return the processor seconds of going over one new day (the median of some), and of the whole
    life before.
    """
    chance = random.Random(1)
    with Node(
        Home(folder),
        clock=FrozenClock(START + timedelta(days=behind)),
        embedder=HashingEmbedder(),
        communities="louvain",
    ) as node:
        node.ports.conversations.set_identity(Identity("Ida Strand", languages=("en",)))
        for number in range(behind):
            node.library.add_bytes(
                f"{(START + timedelta(days=number)).date()}.md", note(number, chance)
            )
        node.run_jobs()
        node.graph.draw()
        began = time.process_time()
        node.reflection.reflect()
        whole = time.process_time() - began
        node.run_jobs()
        spent = []
        for number in range(behind, behind + DAYS):
            node.library.add_bytes(
                f"{(START + timedelta(days=number)).date()}.md", note(number, chance)
            )
            node.run_jobs()
            began = time.process_time()
            node.reflection.reflect()
            spent.append(time.process_time() - began)
            node.run_jobs()
    return statistics.median(spent), whole


def test_a_new_day_costs_the_same_after_ten_thousand(tmp_path: Path) -> None:
    few, first = cost(tmp_path / "few", FEW)
    many, all_ = cost(tmp_path / "many", MANY)
    print(
        f"\none new day: {few:.2f} cpu-s after {FEW} notes, {many:.2f} after {MANY:,} (ratio"
        f" {many / few:.2f}); the first time: {first:.1f} and {all_:.1f}"
    )
    assert many <= MORE * few
