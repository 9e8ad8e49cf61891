"""SIGKILL at random moments while what was told in chats is remembered, and moved on from tier to
tier: nothing is lost, and nothing is there twice.

``LPM_KILLS`` says how many runs.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.ids import is_thread
from lpm_kernel.domain.library.documents import DocumentState
from lpm_kernel.L1.tiers.assertions import told_in
from lpm_kernel.node import Node
from tests.bench.chat_life import BEGAN, Replay, chats
from tests.scale import many

RUNS = int(os.environ.get("LPM_KILLS", many(200, 5)))
CHATS, KILLS = 5, 2
LATER = timedelta(days=120)

pytestmark = pytest.mark.slow


def opened(home: Path, clock: FrozenClock | None = None) -> Node:
    return Node.open(
        home,
        clock=clock or FrozenClock(BEGAN + LATER),
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
        communities="louvain",
    )


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which much was said, and nothing is remembered yet."""
    home = tmp_path_factory.mktemp("homes") / "home"
    clock = FrozenClock(BEGAN)
    with opened(home, clock) as node:
        Replay(node, clock).live(chats()[:CHATS], flush=False)
    return home


def remember(node: Node) -> None:
    """What the node does by itself with what was said."""
    node.recover_jobs()
    # as the worker begins: what one before it left is made and read before anything is moved
    node.reconcile()
    node.run_jobs()
    while node.chat.flush():
        pass
    if move := getattr(node.chat, "move_tiers", None):
        move()
    node.reconcile()
    node.run_jobs()


def child(home: Path, kill_after: float | None) -> float | None:
    """Do it in a process of its own. Returns how long it took, ``None`` where it was killed."""
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:  # pragma: no cover - the child is not measured
        status = 3
        try:
            with opened(home) as node:
                remember(node)
            status = 0
        finally:
            os._exit(status)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    _, ended = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(ended) or os.WEXITSTATUS(ended) == 0
    return None if os.WIFSIGNALED(ended) else time.monotonic() - began


def end(home: Path) -> dict[str, Any]:
    """What there is in the end: each thing that was told in one place, and in one only."""
    with opened(home) as node:
        node.reconcile()
        node.run_jobs()
        assert node.home.first_break() is None
        assert {each.state for each in node.home.verify()} == {"fine"}
        turns = [turn for turn in node.ports.conversations.every_turn() if turn.role == "user"]
        documents = [each for each in node.ports.documents.everything() if is_thread(each.id)]
        assert {each.state for each in documents} == {DocumentState.READY}
        said: Counter[object] = Counter()
        for document in documents:
            assert document.text_version is not None
            parsed = node.ports.files.text(document.sha256, document.text_version)
            assert parsed is not None
            found = node.ports.index.chunks_of(document.id, None, 100)
            assert "\n".join(chunk.text for chunk in found) in parsed.text
            for segment in parsed.segments:
                assert sum(each.start <= segment.start < each.end for each in found) == 1
                place = node.chat.said_in(document.id, segment.turn)
                assert place is not None
                said[place.turn] += 1
        assert said == Counter(turn.id for turn in turns if told_in(turn.text))
        open_chats = node.ports.threads.open_chats()
        return {
            "open": open_chats,
            "threads": [
                thread
                for chat in node.ports.conversations.page(limit=20)[0]
                for thread in node.ports.threads.of(chat.id)
            ],
            "documents": sorted((each.id, each.sha256) for each in documents),
            "index": sorted(
                (identifier, each.chunks, each.vectors)
                for identifier, each in node.ports.index.indexed().items()
            ),
            "files": sorted(node.ports.files.kept()),
        }


def test_killed_while_it_remembers_it_loses_nothing_and_doubles_nothing(
    before: Path, tmp_path: Path
) -> None:
    dice = random.Random("threads 20260314")
    still = tmp_path / "still"
    shutil.copytree(before, still)
    took = child(still, None)
    assert took is not None
    expected = end(still)
    assert expected["open"] == []
    assert len(expected["threads"]) >= CHATS
    killed = 0
    for run in range(max(RUNS, 5)):
        home = tmp_path / f"shaken-{run}"
        shutil.copytree(before, home)
        for _ in range(dice.randint(1, KILLS)):
            ended = child(home, dice.uniform(0, took))
            killed += ended is None
            took = min(took, ended or took)
        child(home, None)
        assert end(home) == expected
        shutil.rmtree(home)
    print(f"killed {killed} times in {run + 1} runs")  # noqa: T201 - `make test-kill` is read
    assert killed
