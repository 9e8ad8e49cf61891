"""SIGKILL at random moments while those at tables talk: what was said stays with its hashes, nobody
says the same turn twice, and each table goes on to its end.

``LPM_KILLS`` says how many kills.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.roles import Role, RoleId
from lpm_kernel.domain.share.discussions import DiscussionId, DiscussionState
from lpm_kernel.node import Node
from lpm_kernel.usecases.share.tables import NewSeat, NewTable
from protocol.discussion import Entry, Step, Words
from protocol.ledger import verify
from tests.conftest import MORNING
from tests.scale import many

KILLS = int(os.environ.get("LPM_KILLS", many(100, 5)))
TABLES = many(50, 4)
ROUNDS = 3

pytestmark = pytest.mark.slow


def opened(home: Path) -> Node:
    said = ScriptedModel([("as “Cook”", "Fish soup, I say."), (".", "The sea.")], pause=0.01)
    return Node.open(home, clock=FrozenClock(MORNING), model=said, embedder=HashingEmbedder())


def killed(home: Path, after: float) -> bool:
    """Have a process go on with every table, and kill it after so many seconds; no if it was done
    before.
    """
    child = os.fork()
    if not child:
        with opened(home) as node:
            while node.discussing.go_on():
                pass
        os._exit(0)
    until = time.monotonic() + after
    while time.monotonic() < until:
        if os.waitpid(child, os.WNOHANG)[0]:
            return False
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def test_killed_at_any_moment_nothing_said_is_lost_or_said_twice(tmp_path: Path) -> None:
    home, draw = tmp_path / "home", random.Random("tables")
    with opened(home) as node:
        for name in ("Cook", "Guide"):
            node.ports.roles.add(
                Role(RoleId(name.lower()), name, "", name, created_at=MORNING, updated_at=MORNING)
            )
        seats = [NewSeat("twin"), NewSeat("role", "cook"), NewSeat("role", "guide")]
        tables = [
            node.discussing.open(NewTable(f"Where to, {n}?", seats, rounds=ROUNDS)).discussion.id
            for n in range(TABLES)
        ]
    seen: dict[DiscussionId, list[str]] = {}
    kills = 0
    for _ in range(KILLS):
        kills += killed(home, draw.uniform(0.02, 1.0))
        with opened(home) as node:
            for table in tables:
                now = [each.hash for each in record(node, table)]
                assert now[: len(seen.get(table, []))] == seen.get(table, [])
                seen[table] = now
    with opened(home) as node:
        while node.discussing.go_on():
            pass
        for table in tables:
            entries = record(node, table)
            assert [each.hash for each in entries][: len(seen[table])] == seen[table]
            turns = [
                (each.fields["by"], each.fields["round"])
                for each in entries
                if each.step is Step.TURN
            ]
            assert turns == [(who, n + 1) for n in range(ROUNDS) for who in ("m1", "m2", "m3")]
            assert [each.step for each in entries[-2:]] == [Step.SUMMARY, Step.CLOSED]
            assert node.ports.discussions.get(table).state is DiscussionState.CLOSED
    print(f"{kills} kills, {TABLES} tables of {3 * ROUNDS} turns")  # noqa: T201  what was measured
    assert kills


def record(node: Node, table: DiscussionId) -> list[Entry]:
    """Check what is kept of a table, and give it."""
    rows = node.ports.discussions.entries(table)
    return verify(
        (Entry.read(each.entry), None if each.words is None else Words.read(each.words))
        for each in rows
    ).entries
