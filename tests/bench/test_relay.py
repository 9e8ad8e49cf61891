"""What a relay costs: the same question over a connection through one and over a direct one, in
turns, in the same run. Each side and the relay are processes of their own; all commits are on disk.

The relay encrypts and decrypts everything once more, and everything passes one process more: on a
machine that has a core for each of the three, that is a delay; where they share cores, it is work.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio

from lpm_kernel.domain.share.network import Amount
from lpm_kernel.peer.delivery import ask
from lpm_kernel.peer.wire import Connection
from protocol import limits
from protocol.events import Answered
from tests.bench.test_peers import OURS, Process
from tests.peers import Peer, meet, until

pytestmark = pytest.mark.bench

BLOCK = int(os.environ.get("LPM_BENCH_BLOCK", "64"))
ROUNDS = int(os.environ.get("LPM_BENCH_ROUNDS", "9"))
IN_FLIGHT = (1, 4)
"""A contact is worked for at four at a time."""
LEAST = 0.5
RELAY = """
import json, sys, trio
from lpm_kernel.peer import relay_process
from lpm_kernel.peer.relay import MIB, RelayLimits
terms = relay_process.RelayTerms(RelayLimits(bytes=1024 * MIB, seconds=3600))
sys.stdin.readline()
trio.run(relay_process.live, relay_process.RelayHost(bytes(32), terms).host, ("127.0.0.1", 0))
"""
ALL_DAY = Amount(limits.CALLS_A_DAY, limits.BYTES_A_DAY, limits.TOKENS_A_DAY)


class Both:
    """A node that answers, a contact of it, and a relay at which it keeps a place."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        relay = Process(stack, RELAY).told("")["addresses"][0]
        self.asako = Peer(folder / "asako", "Second Me")
        stack.callback(self.asako.node.close)
        self.asako.node.ports.change_settings(relays=(relay,))
        self.asako.port = Process(stack, OURS, self.asako.node.ports.home.root).told("")["port"]
        self.bram = stack.enter_context(Peer(folder / "bram", "Bram"))
        meet(self.asako, self.bram)
        self.grant = self.asako.gives(self.bram, daily=ALL_DAY).id
        until(self.bram.node.ports.permissions.received)
        self.places = {"direct": self.asako.address, "relayed": f"{relay}/p2p-circuit"}

    async def take(self, way: str, in_flight: int) -> float:
        """Ask a block of questions one way; gives the seconds that one took."""
        bram, peer = self.bram, self.asako.host.wire.peer
        async with bram.host.wire.dialled(self.places[way], peer) as connection:
            await self._ask(connection)
            began = time.perf_counter()
            async with trio.open_nursery() as nursery:
                for _ in range(in_flight):
                    nursery.start_soon(self._several, connection, BLOCK // in_flight)
            return (time.perf_counter() - began) / BLOCK

    async def _several(self, connection: Connection, number: int) -> None:
        for _ in range(number):
            await self._ask(connection)

    async def _ask(self, connection: Connection) -> None:
        card = self.asako.keystore.card(self.asako.name)
        message = self.bram.question(self.asako, self.grant)
        assert isinstance(await ask(self.bram.host, connection, card, message), Answered)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    with ExitStack() as stack:
        yield Both(stack, tmp_path)


def test_a_relayed_exchange_beside_a_direct_one(both: Both) -> None:
    found: dict[int, float] = {}
    for in_flight in IN_FLIGHT:
        pairs = []
        for _ in range(ROUNDS):
            direct = both.bram.call(both.take, "direct", in_flight)
            pairs.append((direct, both.bram.call(both.take, "relayed", in_flight)))
        direct, relayed = (statistics.median(each) for each in zip(*pairs, strict=True))
        found[in_flight] = statistics.median(one / other for one, other in pairs)
        print(
            f"{in_flight} in flight: {direct * 1e3:.1f} ms direct, {relayed * 1e3:.1f} ms through"
            f" a relay, {found[in_flight]:.2f} of direct (medians of {ROUNDS} pairs of {BLOCK})"
        )
    assert min(found.values()) >= LEAST, found
