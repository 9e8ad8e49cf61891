"""The process of ``lpm relay``: a relay that knows nobody and keeps nothing but its own key.

Who keeps it holds the other end of its standard input, as with the process that listens: where it
ends this process ends too. One line of JSON on standard output says where it listens.
"""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import trio

from lpm_kernel.peer import circuit
from lpm_kernel.peer.open_host import OpenHost
from lpm_kernel.peer.process import announced, bound_memory, until_alone
from lpm_kernel.peer.relay import MIB, PeerRelay, RelayLimits
from lpm_kernel.usecases.share import own_key, reach
from protocol.identity import PeerId

MEMORY: Final = 512 * MIB
"""Bytes of data that it may have."""
SAY_SECONDS: Final = 600.0
"""How often the log says how much there is to do, if there was anything."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class RelayTerms:
    """What whoever runs it decided."""

    limits: RelayLimits
    connections: int = 256
    connections_of_one: int = 16
    """Of one address."""
    only: frozenset[PeerId] = frozenset()
    """Who may have a place; empty: anybody. Whoever wants to reach one of them may come."""


class RelayHost:
    """A host that relays for anybody, or for those that are named."""

    def __init__(self, seed: bytes, terms: RelayTerms) -> None:
        self.host = OpenHost(seed, {}, terms.connections, terms.connections_of_one)
        self._only = terms.only
        self.relay = PeerRelay(
            self.host.wire.peer, terms.limits, self._may_wait, self._anybody, self._addresses
        )
        self.host.answers[circuit.HOP] = self.relay.answer

    async def _may_wait(self, peer: PeerId) -> bool:
        return not self._only or peer in self._only

    async def _anybody(self, peer: PeerId) -> bool:
        return bool(peer)

    def _addresses(self) -> Sequence[str]:
        return self.host.announced or self.host.addresses


async def live(
    host: OpenHost,
    listens_at: tuple[str, int],
    beside: Callable[[], Awaitable[None]] = trio.sleep_forever,
) -> bool:
    """Serve until told to end, with something that goes on beside. ``False``: it cannot listen
    there.
    """
    async with trio.open_nursery() as nursery:
        try:
            await nursery.start(host.run, *listens_at)
        except OSError:
            return False
        host.announced = announced(host.addresses)
        port = int(host.addresses[0].rpartition("/")[2])
        print(json.dumps({"addresses": host.named, "port": port}), flush=True)  # noqa: T201  the line that whoever keeps this process reads
        nursery.start_soon(_until_told, nursery.cancel_scope)
        nursery.start_soon(until_alone, nursery.cancel_scope)
        nursery.start_soon(beside)
    return True


async def _until_told(scope: trio.CancelScope) -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as told:
        async for _ in told:
            scope.cancel()


async def _say_how_much(relaying: RelayHost) -> None:
    """Write numbers to the log, and nobody's name, peer id or address."""
    before = 0
    while True:
        await trio.sleep(SAY_SECONDS)
        if (carried := relaying.relay.carried) != before:
            logger.info(
                "%d places, %d circuits, %d bytes carried since it began",
                len(relaying.relay.places),
                relaying.relay.called.total(),
                carried,
            )
        before = carried


def begin_process() -> None:
    """Write to the log what is worth it, and take no more memory than it needs."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("libp2p").setLevel(logging.CRITICAL)
    bound_memory(MEMORY)


def main(arguments: Sequence[str]) -> None:
    """Relay from a folder, on an interface and a port, within limits (JSON)."""
    folder, host, port, wanted = arguments
    begin_process()
    read = json.loads(wanted)
    terms = RelayTerms(
        RelayLimits(**read["limits"]),
        read["connections"],
        read["connections_of_one"],
        frozenset(map(PeerId, read["only"])),
    )
    relaying = RelayHost(own_key.seed(Path(folder)), terms)
    beside = partial(_say_how_much, relaying)
    if not trio.run(live, relaying.host, (host, int(port)), beside):
        sys.exit(reach.TAKEN)


if __name__ == "__main__":
    main(sys.argv[1:])
