"""What a year of chats costs (20,000 turns): remembering what was told beside an answer, finding
something in the same home with them and without, moving between tiers at night, and the index. Run
by `make bench`; `LPM_YEAR_TURNS` names another number of turns, `LPM_YEAR_MB` how many megabytes
of notes lie in the home before (2).

The turns are those of `chats/` with other names, numbers and places, no two alike. Embedded with
what a fresh machine has. The home without is a copy of the same home, asked in turn with the other.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.ports import TokenEmbedder
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.node import Node
from tests.bench.chat_life import BEGAN, Place, Replay, Said, chats, questions
from tests.bench.test_adding import MEGABYTE, notes

pytestmark = pytest.mark.bench

TURNS = int(os.environ.get("LPM_YEAR_TURNS", "20000"))
NOTES = float(os.environ.get("LPM_YEAR_MB", "2"))
YEAR = timedelta(days=365)
IN_A_SITTING = 6
EMBEDDED_EVERY = 10
"""Sittings of which the words are embedded alone too, to compare with."""
FLUSH_MS, NIGHT_SECONDS, SLOWER = 50, 60, 1.2
"""What is to be reached: milliseconds beside an answer, processor seconds at night, and how much
longer it may take to find something where there are chats too.
"""
EMBEDDINGS = 3.5
"""What a flush was measured to cost, in embeddings of the same words, less the noise: other work on
a machine slows both.
"""
NAMES = (
    "Kenta",
    "Priya",
    "Rutger",
    "Callum",
    "Yuki",
    "Dermot",
    "Ottilie",
    "Bastien",
    "Nkechi",
    "Ingrid",
    "Fern",
    "Eloise",
)
OTHERS = (
    "Amara",
    "Bohdan",
    "Chiyo",
    "Dafydd",
    "Esme",
    "Farid",
    "Greta",
    "Hamish",
    "Ines",
    "Jun",
    "Katya",
    "Leon",
    "Maire",
    "Nils",
    "Oona",
    "Pavel",
    "Quentin",
    "Rosa",
    "Sefa",
    "Tove",
    "Ulla",
    "Viktor",
    "Wanda",
    "Xenia",
    "Yusuf",
    "Zofia",
)
PLACES = (
    "Bath",
    "Ghent",
    "Kochi",
    "Lund",
    "Nara",
    "Oban",
    "Porto",
    "Riga",
    "Split",
    "Turku",
    "Umea",
    "Vigo",
    "Wells",
    "York",
    "高知",
    "奈良",
    "函館",
    "尾道",
)
THINGS = (
    "kettle",
    "ladder",
    "lantern",
    "drawer",
    "teapot",
    "bicycle",
    "ferry",
    "garden",
    "meeting",
    "parcel",
    "stove",
    "letter",
    "violin",
    "window",
    "bakery",
    "鍵",
    "本棚",
    "自転車",
    "弁当",
    "傘",
)


def year(turns: int, seed: int = 5) -> Iterator[list[Said]]:
    """Yield sittings of a year: what the person and the node say in turn, no two turns alike."""
    dice = random.Random(seed)
    told = [said.text for chat in chats() for said in chat.said if said.by == "person"]
    count = turns // IN_A_SITTING
    for number in range(count):
        at = BEGAN + YEAR * (number / count)
        # every third time the person goes on in an earlier chat
        chat = number if number % 3 or number < 9 else number - 3 * dice.randint(1, 3) + 1
        yield [
            Said(
                Place(f"y{chat}", number * IN_A_SITTING + turn),
                at + timedelta(minutes=turn),
                "node" if turn % 2 else "person",
                "I see." if turn % 2 else varied(dice.choice(told), dice),
            )
            for turn in range(IN_A_SITTING)
        ]


def varied(text: str, dice: random.Random) -> str:
    """Say the same of others: with other names and numbers, and where it was."""
    for name in NAMES:
        text = text.replace(name, dice.choice(OTHERS))
    text = re.sub(r"\d+", lambda found: str(dice.randint(1, 10 ** len(found[0]))), text)
    if text.isascii():
        return f"{text} It was near {dice.choice(PLACES)}, with the {dice.choice(THINGS)}."
    return f"{text}{dice.choice(PLACES)}で、{dice.choice(THINGS)}のそば。"


def sizes(home: Path) -> dict[str, int]:
    """Return the bytes of a home's databases and of its files."""
    databases = {name: (home / name).stat().st_size for name in ("index.db", "node.db")}
    files = (path for path in (home / "files").rglob("*") if path.is_file())
    return {**databases, "files": sum(path.stat().st_size for path in files)}


def took(work: Callable[[], object]) -> tuple[float, float]:
    """Return the milliseconds that it takes, and those of the processor."""
    began, worked = time.perf_counter(), time.process_time()
    work()
    return 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - worked)


def slow(spent: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return sorted(spent)[int(0.95 * (len(spent) - 1))]


@dataclass(frozen=True)
class Waited:
    """Milliseconds, a value a question: how long it waited until what was told before it was
    remembered, what of that the processor worked, and what embedding the same words once cost it.
    """

    wall: list[float]
    worked: list[float]
    embedding: list[float]

    def told(self) -> str:
        """Say it in a line, with the first and the last tenth."""
        tenth = max(1, len(self.wall) // 10)
        first, last = self.worked[:tenth], self.worked[-tenth:]
        return (
            f"p50 {statistics.median(self.wall):.0f} ms (aim {FLUSH_MS}), p95 {slow(self.wall):.0f}"
            f"; of the processor p50 {statistics.median(self.worked):.0f} ms, p95"
            f" {slow(self.worked):.0f}, the first tenth {statistics.median(first):.0f}, the last"
            f" {statistics.median(last):.0f}; {self.ratio:.1f} times embedding the words alone"
        )

    @property
    def ratio(self) -> float:
        """Processor time, as so many embeddings of the same words."""
        return statistics.median(self.worked) / statistics.median(self.embedding)


def live(node: Node, clock: FrozenClock) -> Waited:
    """Live through the year."""
    replay, embedder = Replay(node, clock), node.models.embedder
    assert isinstance(embedder, TokenEmbedder)
    waited = Waited([], [], [])
    for number, sitting in enumerate(year(TURNS)):
        clock.advance(max(timedelta(), sitting[0].at - clock.now()))
        chat = replay.begin(sitting[0], "A talk")
        wall, worked = took(partial(node.chat.flush_beside, chat))
        if number:
            waited.wall.append(wall)
            waited.worked.append(worked)
        if number % EMBEDDED_EVERY == 0:
            told = [said.text for said in sitting if said.by == "person"]
            waited.embedding.append(took(partial(embedder.embed_tokens, told))[1])
        for said in sitting:
            replay.say(said, "A talk")
            if said.by == "person":  # what is said is looked for before it is answered
                node.memory.whole_recall.vector_of(said.text)
        if number % 500 == 499:
            print(f"after {(number + 1) * IN_A_SITTING:,} turns: {waited.told()}", flush=True)
    clock.advance(timedelta(hours=1))
    node.chat.flush()
    return waited


def recalled(homes: dict[str, tuple[Node, Scope]]) -> dict[str, list[float]]:
    """Ask every home the same in turn. Returns the milliseconds of each."""
    spent: dict[str, list[float]] = {name: [] for name in homes}
    for node, _ in homes.values():
        node.memory.warm()
    for number, asked in enumerate(questions()):
        names = list(homes)
        # whoever is asked later finds the words looked up: each is first in turn
        for name in (*names[number % len(names) :], *names[: number % len(names)]):
            node, scope = homes[name]
            memory = node.memory.memory_for(owner=True)
            query = RecallQuery(Question(asked.question), k=10, scope=scope)
            spent[name].append(took(partial(memory.recall, query))[0])
    return spent


def test_a_year_of_chats(tmp_path: Path) -> None:
    without, beside = tmp_path / "without", tmp_path / "with"
    notes(tmp_path / "notes", int(NOTES * MEGABYTE))
    with Node.open(without, clock=FrozenClock(BEGAN)) as node:
        for path in sorted((tmp_path / "notes").glob("*.md")):
            node.library.add_bytes(path.name, path.read_bytes())
        node.run_jobs()
        passages = sum(each.chunks for each in node.ports.index.indexed().values())
    shutil.copytree(without, beside)
    before = sizes(without)
    clock = FrozenClock(BEGAN)
    with Node.open(beside, clock=clock) as node:
        began = time.process_time()
        waited = live(node, clock)
        lived = time.process_time() - began
        idle, _ = took(node.chat.flush)
        kept, _ = took(node.chat.keep_threads)
        threads = len(node.ports.threads.ids())
        rows = sum(each.chunks for each in node.ports.index.indexed().values()) - passages
        night = moved(node)
    after = sizes(beside)
    print(
        f"\n{TURNS:,} turns, {threads:,} threads, {rows:,} passages beside {passages:,} of notes;"
        f" lived through in {lived:.0f} cpu-s\nflush beside an answer: {waited.told()}; with none"
        f" ended {idle:.0f} ms; holding together {kept:.0f} ms"
    )
    for name, size in after.items():
        grown = size - before[name]
        print(
            f"{name}: {before[name] / 1e6:.1f} MB, then {size / 1e6:.1f}, {grown / TURNS:.0f} bytes"
            f" a turn, +{grown / before[name]:.0%}"
        )
    night_told = "does not exist" if night is None else f"{night:.0f} cpu-s"
    print(f"nightly move: {night_told}")
    with ExitStack() as stack:  # each has its own, which keeps the vectors of its questions alone
        old, new, also = (
            stack.enter_context(Node.open(home, clock=clock)) for home in (without, beside, beside)
        )
        spent = recalled(
            {
                "without": (old, Scope()),
                "with, not asked": (new, Scope()),
                "with, asked": (also, Scope(threads=True)),
            }
        )
    base = statistics.median(spent["without"])
    ratios = {name: statistics.median(each) / base for name, each in spent.items()}
    for name, each in spent.items():
        print(
            f"recall, {name}: p50 {statistics.median(each):.1f} ms, p95 {slow(each):.1f}, ratio"
            f" {ratios[name]:.2f}"
        )
    assert waited.ratio <= EMBEDDINGS
    assert night is None or night <= NIGHT_SECONDS
    assert ratios["with, asked"] <= SLOWER


def moved(node: Node) -> float | None:
    """Return the processor seconds of the nightly move between tiers; ``None``: there is none."""
    move = getattr(node.chat, "move_tiers", None)
    if move is None:
        return None
    began = time.process_time()
    move()
    return time.process_time() - began
