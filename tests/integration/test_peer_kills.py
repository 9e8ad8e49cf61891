"""Two hosts, each in a process of its own, ask and answer while one or the other is killed: each
question ends, and is answered and paid for once.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.share.network import Amount, InboxState, OutboxState
from protocol import limits
from tests.peers import REPLY, Peer, fixed, meet, until

KILLS = int(os.environ.get("LPM_PEER_KILLS", "6"))
EXCHANGES = 5 * KILLS
UNDER_WAY = 6
"""Questions that wait for their answer at a time."""
PATIENCE = 180.0
"""Seconds without any answer after which something is lost."""
BUDGET = Amount(limits.CALLS_A_DAY, limits.BYTES_A_DAY, limits.TOKENS_A_DAY)


class Hosts:
    """The host of each home, which is killed and begins again on the same port."""

    def __init__(self, nursery: subprocess.Popen[str], *peers: Peer) -> None:
        self._nursery, self._pids = nursery, dict[Peer, int]()
        for each in peers:
            self.begin(each)

    def begin(self, peer: Peer) -> None:
        assert self._nursery.stdin is not None
        assert self._nursery.stdout is not None
        self._nursery.stdin.write(f"{peer.node.ports.home.root} {peer.port}\n")
        self._nursery.stdin.flush()
        self._pids[peer] = json.loads(self._nursery.stdout.readline())["pid"]

    def kill(self, peer: Peer) -> None:
        """Kill a host, wherever it is."""
        os.kill(self._pids[peer], signal.SIGKILL)
        until(lambda: not psutil.pid_exists(self._pids[peer]))

    def keep(self) -> int:
        """Begin again what ended by itself, as whoever keeps a host does: its port may have been
        somebody else's. Returns how many.
        """
        gone = [peer for peer, pid in self._pids.items() if not psutil.pid_exists(pid)]
        for each in gone:
            self.begin(each)
        return len(gone)


@contextmanager
def hosts(*peers: Peer) -> Iterator[Hosts]:
    command = [sys.executable, "-m", "tests.peers_killed"]
    with subprocess.Popen(
        command,
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as nursery:
        try:
            yield Hosts(nursery, *peers)
        finally:
            assert nursery.stdin is not None
            nursery.stdin.close()  # and with it go those that live
            nursery.wait(20)


@pytest.mark.slow
def test_each_question_is_answered_and_paid_for_once_whoever_is_killed_meanwhile(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    dice = random.Random(7)
    asako, bram = Peer(tmp_path / "asako", "Second Me", fixed), Peer(tmp_path / "bram", "Second Me")
    asako.start()
    bram.start()
    meet(asako, bram)
    grant = asako.gives(bram, daily=BUDGET)
    until(bram.node.ports.permissions.received)
    asako.stop()
    bram.stop()
    of_asako, killed = bram.knows(asako), Counter[str]()
    began, slowest, kept = time.monotonic(), 0.0, 0
    asked: dict[str, float] = {}
    ended: set[str] = set()
    with hosts(asako, bram) as alive:
        last = time.monotonic()
        while len(ended) < EXCHANGES:
            while len(asked) < EXCHANGES and len(asked) - len(ended) < UNDER_WAY:
                asked[bram.asks(asako, grant.id).id] = time.monotonic()
            # what failed is tried again now, and not in half a minute
            bram.node.ports.post.hurry(of_asako.id, bram.speaker.now)
            for waits in asked.keys() - ended:
                row = bram.node.ports.post.outgoing(waits)
                if row is not None and row.state is not OutboxState.WAITING:
                    ended.add(waits)
                    last = time.monotonic()
                    slowest = max(slowest, last - asked[waits])
            assert time.monotonic() - last < PATIENCE, (
                f"{len(asked) - len(ended)} of {len(asked)} questions do not end"
            )
            if killed.total() < KILLS and len(ended) >= (killed.total() + 1) * EXCHANGES // (
                KILLS + 1
            ):
                time.sleep(dice.random() / 5)
                name, whom = dice.choice([("who answers", asako), ("who asks", bram)])
                alive.kill(whom)
                killed[name] += 1
                alive.begin(whom)
            kept += alive.keep()
            time.sleep(0.02)
    told = bram.node.ports.post.outbox(limit=EXCHANGES + 9, verb="ask")[0]
    assert Counter(row.id for row in told) == dict.fromkeys(asked, 1)
    assert {(row.state, json.dumps(row.receipt)) for row in told} == {
        (OutboxState.ANSWERED, json.dumps(REPLY))
    }
    came = [row for row in asako.node.ports.post.inbox(limit=EXCHANGES + 9)[0] if row.verb == "ask"]
    assert Counter(row.id for row in came) == dict.fromkeys(asked, 1)
    assert {row.state for row in came} == {InboxState.ANSWERED}
    facts = [
        json.loads(entry.facts)
        for entry in asako.node.ports.audit.all()
        if entry.kind == AuditKind.PEER_DECIDED
    ]
    assert Counter(
        each["message"] for each in facts if each["outcome"] == "answered" and each["verb"] == "ask"
    ) == dict.fromkeys(asked, 1)
    [standing] = asako.node.ports.permissions.given(None, asako.speaker.now // 86_400)
    assert standing.spent.calls == EXCHANGES
    for each in (asako, bram):
        assert each.node.home.first_break() is None
        each.node.close()
    tries = sum(row.tries for row in told)
    text = (
        f"{EXCHANGES} questions, killed {dict(killed)}: {tries} tries, {kept} begun again because"
        f" they could not listen, the slowest {slowest:.1f} s, {time.monotonic() - began:.0f} s"
        " in all"
    )
    record_property("measured", text)
    print(text)  # noqa: T201  a figure
