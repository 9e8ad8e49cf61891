"""A host that anybody may come to: it knows nobody, keeps nothing, and answers a few protocols
within limits. A relay is one, and a rendezvous server.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import trio

from lpm_kernel.peer import identify
from lpm_kernel.peer.doorstep import Doorstep
from lpm_kernel.peer.identify import IDENTIFY
from lpm_kernel.peer.wire import Asked, Connection, Stream, Wire, address_of, network_of
from protocol.identity import PeerId

logger = logging.getLogger(__name__)

STREAMS: Final = 24
"""Streams of one connection. Who opens more is cut off."""
IDLE_SECONDS: Final = 30


@dataclass
class _Visitors:
    """Who is in, by the network that they come from."""

    doorstep: Doorstep = field(default_factory=Doorstep)
    by_address: Counter[str] = field(default_factory=Counter)


class OpenHost:
    """A host on the wire, under a key of its own."""

    def __init__(
        self, seed: bytes, answers: Mapping[str, Asked], connections: int, of_one_address: int
    ) -> None:
        self.wire = Wire(seed)
        self.answers = dict(answers)
        self.addresses: list[str] = []
        """Where it listens, once it does."""
        self.announced: list[str] = []
        """What it says of where it listens."""
        self._most, self._most_of_one = connections, of_one_address
        self.visitors = _Visitors()

    async def run(self, host: str, port: int, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:  # noqa: ANN401  trio's
        """Listen until cancelled; starts with the addresses. Raises ``OSError`` where it cannot
        listen.
        """
        listeners = await trio.open_tcp_listeners(port, host=host, backlog=128)
        self.addresses = [address_of(*listener.socket.getsockname()[:2]) for listener in listeners]
        async with trio.open_nursery() as nursery:
            await nursery.start(partial(trio.serve_listeners, self._knocked, listeners))
            task_status.started(self.addresses)

    @property
    def named(self) -> list[str]:
        """Give its addresses as others write them into their settings."""
        return [f"{each}/p2p/{self.wire.peer}" for each in self.announced or self.addresses]

    @property
    def inside(self) -> int:
        """How many connections stand."""
        return self.visitors.by_address.total()

    async def _knocked(self, socket: trio.SocketStream) -> None:
        try:
            async with socket:
                address = network_of(str(socket.socket.getpeername()[0]))
                inside = self.visitors.by_address
                if inside.total() >= self._most or inside[address] >= self._most_of_one:
                    return
                inside[address] += 1
                try:
                    await self._enter(socket, address)
                finally:
                    inside[address] -= 1
                    if not inside[address]:
                        del inside[address]
        except Exception as error:  # noqa: BLE001  a connection breaks as it likes, and alone
            logger.debug("A connection ended: %s", type(error).__name__)

    async def _enter(self, socket: trio.SocketStream, address: str) -> None:
        proved: list[tuple[PeerId, Any]] = []
        with self.visitors.doorstep.stand(address):
            proved.append(await self.wire.proved(socket))
        for peer, proof in proved:  # none, if the doorstep ended first
            spoken = frozenset({IDENTIFY, *self.answers})
            async with self.wire.accepted(peer, proof, spoken, self._answer) as connection:
                connection.place = address
                while not connection.over and (
                    connection.streams
                    or trio.current_time()
                    < max(connection.used + IDLE_SECONDS, connection.kept_until)
                ):
                    with trio.move_on_after(IDLE_SECONDS):
                        await connection.ended()

    async def _answer(self, stream: Stream, connection: Connection) -> None:
        if connection.streams >= STREAMS:
            connection.cut()
            return
        connection.streams += 1
        try:
            protocol = await connection.agree(stream)
            if protocol == IDENTIFY:
                await identify.say(
                    stream,
                    self.wire.public_key,
                    self.announced or self.addresses,
                    [IDENTIFY, *self.answers],
                )
            elif protocol is not None:
                await self.answers[protocol](stream, connection)
            await stream.close()
        except Exception as error:  # noqa: BLE001  a stream breaks as it likes, and alone
            logger.debug("A stream ended: %s", type(error).__name__)
            await stream.reset()
        finally:
            connection.streams -= 1
            connection.used = trio.current_time()
