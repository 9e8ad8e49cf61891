"""What relays: it keeps places for peers who cannot be dialled, and joins two streams into a
circuit, byte for byte, within limits.

It reads none of it and could not: what passes is Noise between the two. It is one and the same for
``lpm relay``, which serves everybody, and for a node whose person lets contacts be reached through
it, which serves contacts only.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import trio
from libp2p.stream_muxer.exceptions import MuxedStreamEOF

from lpm_kernel.peer import circuit
from lpm_kernel.peer.circuit import RelayStatus
from lpm_kernel.peer.wire import PIECE, Connection, Stream, Trouble, WireError
from protocol.identity import PeerId

ASK_SECONDS: Final = 10
"""For whoever asks to say what, and for whoever keeps a place to take a circuit."""
WRITE_SECONDS: Final = 30
"""For a side to take a piece of what came for it."""
MIB: Final = 2**20


@dataclass(frozen=True)
class RelayLimits:
    """How much a relay does."""

    places: int = 64
    """Peers who are reached through it."""
    places_of_one: int = 8
    """Peers among them who come from one network: an address of IPv4, or 64 bits of IPv6."""
    circuits: int = 64
    """Circuits at a time."""
    circuits_of_one: int = 8
    """Circuits at a time that begin at one peer, and that lead to one."""
    bytes: int = 16 * MIB
    """Of one circuit, both ways together."""
    seconds: int = 300
    """Of one circuit."""
    place_seconds: int = 3_600
    """How long a place is kept that nobody asks for again."""

    @property
    def of_a_circuit(self) -> tuple[int, int]:
        """Seconds and bytes, as both ends are told."""
        return self.seconds, self.bytes


@dataclass
class Place:
    """A place that is kept for a peer, as long as their connection stands."""

    connection: Connection
    until: float


@dataclass
class _Budget:
    left: int


@dataclass
class PeerRelay:
    """Places, circuits, and who may have them. Each question is asked anew each time."""

    peer: PeerId
    """Under which the relay itself is known."""
    limits: RelayLimits
    may_wait: Callable[[PeerId], Awaitable[bool]]
    """Who may have a place here."""
    may_call: Callable[[PeerId], Awaitable[bool]]
    """Who may be joined with somebody who has one."""
    addresses: Callable[[], Sequence[str]] = tuple
    """Where it is dialled."""
    places: dict[PeerId, Place] = field(default_factory=dict)
    calling: Counter[PeerId] = field(default_factory=Counter)
    called: Counter[PeerId] = field(default_factory=Counter)
    carried: int = 0
    """Bytes, since it began."""

    async def answer(self, stream: Stream, connection: Connection) -> None:
        """Do what is asked on one stream; a circuit lasts as long as that does."""
        data = b""
        with trio.move_on_after(ASK_SECONDS), suppress(WireError, *Trouble):
            data = await stream.message(circuit.LONGEST)
        request = circuit.read_request(data) if data else None
        if request is None:
            await self._refuse(stream, RelayStatus.MALFORMED_MESSAGE)
        elif connection.relayed:  # or a circuit could be made of circuits
            await self._refuse(stream, RelayStatus.PERMISSION_DENIED)
        elif request.to is None:
            await self._keep_place(stream, connection)
        else:
            await self._call(stream, connection, request.to)

    async def _refuse(self, stream: Stream, code: RelayStatus) -> None:
        with trio.move_on_after(ASK_SECONDS):
            await stream.write(circuit.status(code), last=True)

    async def _keep_place(self, stream: Stream, connection: Connection) -> None:
        peer = connection.peer
        if not await self.may_wait(peer):
            self.places.pop(peer, None)
            await self._refuse(stream, RelayStatus.PERMISSION_DENIED)
            return
        self._forget_old()
        if not self._has_room(peer, connection.place):
            await self._refuse(stream, RelayStatus.RESERVATION_REFUSED)
            return
        connection.kept_until = trio.current_time() + self.limits.place_seconds
        self.places[peer] = Place(connection, connection.kept_until)
        until = int(time.time()) + self.limits.place_seconds
        addresses = list(self.addresses())
        with trio.fail_after(ASK_SECONDS):
            await stream.write(
                circuit.reserved(until, addresses, self.peer, self.limits.of_a_circuit), last=True
            )

    def _has_room(self, peer: PeerId, network: str) -> bool:
        """Say whether there is a place for a peer: one they have, or one more, also of their
        network. No network is that of a contact, of whom each has one place.
        """
        others = [place for kept, place in self.places.items() if kept != peer]
        of_one = sum(place.connection.place == network for place in others) if network else 0
        return len(others) < self.limits.places and of_one < self.limits.places_of_one

    def _forget_old(self) -> None:
        now = trio.current_time()
        for peer, place in list(self.places.items()):
            if place.connection.over or place.until <= now:
                del self.places[peer]

    async def _call(self, stream: Stream, connection: Connection, to: PeerId) -> None:
        """Join whoever asks with whoever keeps this place."""
        by = connection.peer
        if not await self.may_call(by):
            await self._refuse(stream, RelayStatus.PERMISSION_DENIED)
            return
        self._forget_old()
        # of whom it does not serve any more, and of whom it never did, it says the same
        if not await self.may_wait(to) or (place := self.places.get(to)) is None:
            await self._refuse(stream, RelayStatus.NO_RESERVATION)
            return
        # nothing is awaited until they are counted
        if (
            self.calling.total() >= self.limits.circuits
            or self.calling[by] >= self.limits.circuits_of_one
            or self.called[to] >= self.limits.circuits_of_one
        ):
            await self._refuse(stream, RelayStatus.RESOURCE_LIMIT_EXCEEDED)
            return
        self.calling[by] += 1
        self.called[to] += 1
        try:
            await self._join(stream, place.connection, by)
        finally:
            _less(self.calling, by)
            _less(self.called, to)

    async def _join(self, near: Stream, waiting: Connection, by: PeerId) -> None:
        try:
            async with waiting.stream(circuit.STOP) as far:
                ready = False
                with trio.move_on_after(ASK_SECONDS):
                    await far.write(circuit.announced_circuit(by, self.limits.of_a_circuit))
                    ready = await circuit.taken(far)
                if ready:
                    await near.write(circuit.connected(self.limits.of_a_circuit))
                    await self._carry_both(near, far)
                    return
        except (WireError, *Trouble):
            pass
        await self._refuse(near, RelayStatus.CONNECTION_FAILED)

    async def _carry_both(self, near: Stream, far: Stream) -> None:
        """Carry until one side ends it, or it took all that a circuit may: then both are broken
        off.
        """
        budget = _Budget(self.limits.bytes)
        with trio.move_on_after(self.limits.seconds):
            async with trio.open_nursery() as nursery:
                for one, other in ((near, far), (far, near)):
                    nursery.start_soon(self._carry, one, other, budget, nursery.cancel_scope)
        for stream in (near, far):
            if not stream.raw.send_closed:
                await stream.reset()

    async def _carry(
        self, one: Stream, other: Stream, budget: _Budget, scope: trio.CancelScope
    ) -> None:
        """Carry one way. What one side does not take is not read from the other."""
        try:
            while budget.left > 0:
                data = await one.read(PIECE)
                budget.left -= len(data)
                if budget.left < 0:
                    break
                with trio.fail_after(WRITE_SECONDS):
                    await other.write(data)
                self.carried += len(data)
        except MuxedStreamEOF:
            with trio.move_on_after(1):
                await other.close()
        except (WireError, trio.TooSlowError, *Trouble):
            pass
        scope.cancel()


def _less(counted: Counter[PeerId], peer: PeerId) -> None:
    counted[peer] -= 1
    if not counted[peer]:
        del counted[peer]
