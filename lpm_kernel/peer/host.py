"""The node's end of the wire: it listens, lets in whom the gate lets in, and answers one request a
stream.

Nothing that comes in may end it: each socket and each stream is a task of its own, and what breaks
there ends there. Everything that blocks runs in threads, the work on answers in other threads than
the short look into the database.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Final

import trio

from lpm_kernel.domain.share.network import (
    MOST_ADDRESSES,
    ContactId,
    ContactState,
    InviteState,
)
from lpm_kernel.peer import circuit, identify
from lpm_kernel.peer.books import known
from lpm_kernel.peer.circuit import HOP, STOP
from lpm_kernel.peer.connections import IDLE_SECONDS, LOOK_SECONDS, Connections
from lpm_kernel.peer.deciding import RequestTurn, work
from lpm_kernel.peer.doorstep import Doorstep
from lpm_kernel.peer.identify import IDENTIFY
from lpm_kernel.peer.relay import PeerRelay, RelayLimits
from lpm_kernel.peer.routes import Routes
from lpm_kernel.peer.speaker import Speaker
from lpm_kernel.peer.wire import (
    DIAL_SECONDS,
    PIECE,
    SMP,
    UPGRADE_SECONDS,
    Connection,
    Stream,
    Trouble,
    Wire,
    address_of,
    where,
)
from protocol import limits
from protocol.contact import Contact, Entrance, gate
from protocol.encoding import frame_length
from protocol.events import Event, Refused
from protocol.identity import PeerId
from protocol.refusals import Code, Refusal

logger = logging.getLogger(__name__)
Standing = tuple[ContactId, str, ContactState] | None
SPOKEN: Final = frozenset({SMP, IDENTIFY})
"""What a contact may open a stream of."""

CONNECTIONS: Final = 8
"""Connections of one contact."""
CONNECTIONS_IN_ALL: Final = 128
STREAMS: Final = 16
"""Streams of one connection. Who opens more is cut off."""
STREAMS_OF_A_STRANGER: Final = 8
"""Streams that a stranger may open in all: one for a hello, and what other hosts of libp2p ask by
themselves, as identify, which is told that it is not spoken here.
"""
AT_ONCE: Final = 4
"""Requests of one contact that are worked on."""
AT_ONCE_IN_ALL: Final = 32
REQUEST_SECONDS: Final = 30
FOR_CONTACTS: Final = RelayLimits(places=16, circuits=16, circuits_of_one=4)
"""How much this node relays for contacts, where its person allows it."""


@dataclass
class Crowd:
    """Who is in, and who knocks."""

    doorstep: Doorstep = field(default_factory=Doorstep)
    strangers: int = 0
    connections: Counter[PeerId] = field(default_factory=Counter)
    asking: Counter[PeerId] = field(default_factory=Counter)

    @contextmanager
    def counting(self, peer: PeerId) -> Iterator[None]:
        """Count a connection of a contact, whoever dialled."""
        self.connections[peer] += 1
        try:
            yield
        finally:
            self.connections[peer] -= 1
            if not self.connections[peer]:
                del self.connections[peer]


class Host:
    """One node on the wire."""

    def __init__(self, speaker: Speaker, idle: float = IDLE_SECONDS) -> None:
        self.speaker = speaker
        self.connections = Connections(idle)
        self.wire = Wire(speaker.keystore.keys.transport_seed)
        self.addresses: list[str] = []
        """Where it listens, once it does."""
        self.announced: Sequence[str] = ()
        """What it says of where it listens, where that is not what the sockets say."""
        self.forwarded = ""
        """Where the router leads to it, while it does."""
        self.circuits: dict[PeerId, str] = {}
        """Where it is reached through relays, by the relay."""
        self.routes = Routes()
        self.relay = PeerRelay(
            self.wire.peer, FOR_CONTACTS, self._is_served, self._is_served, lambda: self.direct
        )
        self.relays: Callable[[], bool] = bool
        """Whether contacts may be reached through this node."""
        self._crowd = Crowd()
        self._looks, self._work = trio.CapacityLimiter(8), trio.CapacityLimiter(AT_ONCE_IN_ALL)

    @property
    def spoken(self) -> frozenset[str]:
        """What a contact may open a stream of."""
        return SPOKEN | {HOP} if self.relays() else SPOKEN

    async def run(self, host: str, port: int, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:  # noqa: ANN401  trio's
        """Listen until cancelled; starts with the addresses. Raises ``OSError`` where it cannot
        listen.
        """
        listeners = await trio.open_tcp_listeners(port, host=host, backlog=128)
        self.addresses = [address_of(*listener.socket.getsockname()[:2]) for listener in listeners]
        async with trio.open_nursery() as nursery:
            await nursery.start(partial(trio.serve_listeners, self._knocked, listeners))
            nursery.start_soon(self.watch)
            task_status.started(self.addresses)

    @property
    def direct(self) -> Sequence[str]:
        """Where it listens, as it says so."""
        return self.announced or self.addresses

    @property
    def places(self) -> list[str]:
        """Where it is reached: at its own addresses, at the router's, and through relays."""
        usable = [each for each in self.circuits.values() if where(each) is not None]
        through = [self.forwarded] * bool(self.forwarded) + usable[: MOST_ADDRESSES // 2]
        return [*self.direct[: MOST_ADDRESSES - len(through)], *through]

    async def is_contact(self, peer: PeerId) -> bool:
        """Tell whether somebody is a contact."""
        contact, _ = await self.blocking(self._known, peer)
        return contact is not None

    async def _is_served(self, peer: PeerId) -> bool:
        """Say whether this node relays for a peer: for contacts, where the person allows it."""
        if not self.relays():
            return False
        contact, _ = await self.blocking(self._known, peer)
        return gate(contact, invite_open=False, strangers=0) is Entrance.CONTACT

    async def blocking(self, function: Any, *arguments: Any) -> Any:  # noqa: ANN401  any function
        """Call something that looks into the database."""
        return await trio.to_thread.run_sync(function, *arguments, limiter=self._looks)

    # --- who comes in ----------------------------------------------------------------------------

    async def _knocked(self, socket: trio.SocketStream) -> None:
        try:
            async with socket:
                await self.enter(socket, str(socket.socket.getpeername()[0]))
        except Exception as error:  # noqa: BLE001  a connection breaks as it likes, and alone
            logger.debug("A connection ended: %s", type(error).__name__)

    async def enter(self, opened: trio.SocketStream | Stream, address: str) -> None:
        """Find out who it is, ask the gate, and stay with whom it lets in. What came through a
        relay has the relay for its address.
        """
        began = trio.current_time()
        proved: list[tuple[PeerId, Any, Contact | None, bool]] = []
        with self._crowd.doorstep.stand(address):
            peer, proof = await self.wire.proved(opened)
            proved.append((peer, proof, *await self.blocking(self._known, peer)))
        for peer, proof, contact, invited in proved:  # none, if the doorstep ended first
            await self._admit(peer, proof, contact, began + limits.HELLO_SECONDS, invited=invited)

    async def _admit(
        self,
        peer: PeerId,
        proof: Any,  # noqa: ANN401  libp2p's
        contact: Contact | None,
        until: float,
        *,
        invited: bool,
    ) -> None:
        # nothing is awaited until they are counted
        entrance = gate(contact, invite_open=invited, strangers=self._crowd.strangers)
        if entrance is Entrance.STRANGER:
            self._crowd.strangers += 1
            try:
                await self._stranger(peer, proof, until)
            finally:
                self._crowd.strangers -= 1
        elif (
            entrance is Entrance.CONTACT
            and self._crowd.connections[peer] < CONNECTIONS
            and self._crowd.connections.total() < CONNECTIONS_IN_ALL
        ):
            with self._crowd.counting(peer):
                await self._visit(peer, proof)
        else:
            await self.blocking(self._turned_away, peer)

    def _known(self, peer: PeerId) -> tuple[Contact | None, bool]:
        speaker = self.speaker
        invited = any(
            invite.state is InviteState.OPEN and invite.expires > speaker.now
            for invite in speaker.contacts.invites()
        )
        return speaker.books.contact(peer), invited

    def _turned_away(self, peer: PeerId) -> None:
        row = self.speaker.contacts.by_peer(peer)
        self.speaker.turned_away.note("" if row is None else row.id, Code.NO_GRANT, "gate")

    async def _stranger(self, peer: PeerId, proof: Any, until: float) -> None:  # noqa: ANN401  libp2p's
        """Read one hello, and answer a good one. All of it has to be over in five seconds."""
        with trio.move_on_at(until):
            async with self.wire.accepted(peer, proof, frozenset({SMP}), self._hello) as connection:
                await connection.ended()

    async def _visit(self, peer: PeerId, proof: Any) -> None:  # noqa: ANN401  libp2p's
        """Stay with a contact who came in until they leave, or nobody asks anything for a while."""
        async with (
            self.wire.accepted(peer, proof, self.spoken, self.answer) as connection,
            trio.open_nursery() as nursery,
        ):
            nursery.start_soon(self.learn, connection)
            with self.connections.held(connection):
                await self.connections.stay(connection)
            nursery.cancel_scope.cancel()

    async def keep(
        self,
        address: str,
        peer: PeerId,
        patience: float = DIAL_SECONDS,
        task_status: Any = trio.TASK_STATUS_IGNORED,  # noqa: ANN401  trio's
    ) -> None:
        """Dial a contact, and stay with them as with one who came in; starts with the connection,
        or raises ``WireError``.
        """
        reached = False
        try:
            async with (
                self.wire.dialled(address, peer, self.spoken, self.answer, patience) as connection,
                trio.open_nursery() as nursery,
            ):
                with self._crowd.counting(peer), self.connections.held(connection, dialled=True):
                    reached = True
                    task_status.started(connection)
                    nursery.start_soon(self._learn_once_answered, connection)
                    await self.connections.stay(connection)
                nursery.cancel_scope.cancel()
        except Exception as error:
            if not reached:
                raise
            logger.debug("A connection ended: %s", type(error).__name__)

    async def _learn_once_answered(self, connection: Connection) -> None:
        await connection.answered.wait()
        await self.learn(connection)

    async def watch(self, every: float = LOOK_SECONDS) -> None:
        """End what is open to whom the gate does not let in any more, or who is somebody else by
        now, or whose grant was taken back, until cancelled.
        """
        seen: dict[PeerId, Standing] = {}
        since = self.speaker.clock.now()
        while True:
            await trio.sleep(every)
            peers, looked = self.connections.peers, self.speaker.clock.now()
            if peers:
                try:
                    now, taken_back = await self.blocking(self._standing, peers, since)
                except Exception as error:  # noqa: BLE001  looked at again in a moment
                    logger.warning("Contacts could not be looked at: %s", type(error).__name__)
                    continue
                for peer in peers:
                    changed = now[peer] is None or seen.get(peer, now[peer]) != now[peer]
                    if changed or peer in taken_back:
                        self.connections.leave(peer, at_once=changed)
                seen = now
            since = looked

    def _standing(
        self, peers: Sequence[PeerId], since: datetime
    ) -> tuple[dict[PeerId, Standing], set[PeerId]]:
        """Say who these are now, ``None`` for nobody whom the gate lets in, and of whom a grant was
        taken back since.
        """
        rows = {peer: self.speaker.contacts.by_peer(peer) for peer in peers}
        ended = self.speaker.permissions.revoked(since)
        return {
            peer: (row.id, row.did, row.state)
            if row is not None
            and gate(known(row), invite_open=False, strangers=0) is Entrance.CONTACT
            else None
            for peer, row in rows.items()
        }, {peer for peer, row in rows.items() if row is not None and row.id in ended}

    async def learn(self, connection: Connection) -> None:
        """Ask a contact where they listen, and remember it."""
        addresses = await identify.ask(connection)
        if addresses:
            await self.blocking(self._found, connection.peer, addresses)

    def _found(self, peer: PeerId, addresses: list[str]) -> None:
        row = self.speaker.contacts.by_peer(peer)
        if row is not None and self.speaker.contacts.addresses(row.id) != addresses:
            self.speaker.contacts.found(row.id, addresses)
            self.speaker.post.hurry(row.id, self.speaker.now)

    # --- what they ask ---------------------------------------------------------------------------

    async def answer(self, stream: Stream, connection: Connection) -> None:
        """Answer one stream of a contact."""
        await self._stream(stream, connection, self._speak)

    async def _hello(self, stream: Stream, connection: Connection) -> None:
        """Answer a stranger: one hello, and to all else that it is not spoken here."""
        connection.opened += 1
        if connection.opened > STREAMS_OF_A_STRANGER:
            connection.cut()
            return
        await self._stream(stream, connection, self._greet)

    async def _stream(
        self,
        stream: Stream,
        connection: Connection,
        speak: Callable[[Stream, Connection], Awaitable[None]],
    ) -> None:
        if connection.streams >= STREAMS:
            connection.cut()
            return
        connection.streams += 1
        try:
            await speak(stream, connection)
            await stream.close()
        except Exception as error:  # noqa: BLE001  a stream breaks as it likes, and alone
            logger.debug("A stream ended: %s", type(error).__name__)
            await stream.reset()
        finally:
            connection.streams -= 1
            connection.used = trio.current_time()

    async def _speak(self, stream: Stream, connection: Connection) -> None:
        protocol = await connection.agree(stream)
        if protocol == IDENTIFY:
            more = sorted(connection.protocols - SPOKEN - {STOP})
            await identify.say(stream, self.wire.public_key, self.places, [SMP, IDENTIFY, *more])
            connection.identified.set()
        elif protocol == HOP:
            await self.relay.answer(stream, connection)
        elif protocol == STOP:  # of a relay alone, at which this node keeps a place
            with trio.fail_after(UPGRADE_SECONDS):
                await circuit.admit(stream)
            await self.enter(stream, f"/p2p/{connection.peer}")
        elif protocol == SMP and not await self._request(stream, connection, stranger=False):
            connection.cut()  # they were let in once; the person decided otherwise since

    async def _greet(self, stream: Stream, connection: Connection) -> None:
        if await connection.agree(stream) != SMP:
            return
        if connection.greeted:
            connection.cut()
            return
        connection.greeted = True
        if await self._request(stream, connection, stranger=True):
            await stream.close()
            await self.learn(connection)
            connection.cut()  # they are a contact now: the gate decides anew

    async def _request(self, stream: Stream, connection: Connection, *, stranger: bool) -> bool:
        """Take one request to its answer. Returns whether the connection may go on: of a stranger,
        whether it was one that could be read.
        """
        asking, peer = self._crowd.asking, connection.peer
        full = asking[peer] >= AT_ONCE or asking.total() >= AT_ONCE_IN_ALL
        if not full:
            asking[peer] += 1
        try:
            turn = RequestTurn(self.speaker, peer, full, partial(_behind, stream, connection))
            return await self._taken(stream, connection, turn, stranger=stranger)
        finally:
            if not full:
                asking[peer] -= 1
                if not asking[peer]:
                    del asking[peer]

    async def _taken(
        self, stream: Stream, connection: Connection, turn: RequestTurn, *, stranger: bool
    ) -> bool:
        data = b""
        with trio.move_on_after(REQUEST_SECONDS):
            data = await whole(stream, limits.REQUEST)
        if not data:
            return not stranger
        limiter = self._looks if turn.full else self._work
        events: list[Event] | None = await trio.to_thread.run_sync(
            partial(work, turn, data, stranger=stranger), limiter=limiter
        )
        if events is None:
            return False
        if turn.out:
            with trio.fail_after(REQUEST_SECONDS):
                await stream.write(turn.out, last=True)
        if any(
            isinstance(event, Refused) and event.where in {"frame", "length"} for event in events
        ):
            connection.cut()
        return not stranger or any(not isinstance(event, Refused) for event in events)


def _behind(stream: Stream, connection: Connection) -> bytes | None:
    """Give what came in behind a request; ``None`` once they hung up. Called in a thread."""
    return None if connection.over else stream.behind


async def whole(stream: Stream, most: int) -> bytes:
    """Read one frame, or as much as shows that it is none; nothing, where they hang up before it is
    whole.
    """
    came = bytearray()
    with suppress(*Trouble):
        while True:
            came += await stream.read(PIECE)
            try:
                length = frame_length(bytes(came[: limits.VARINT]), most)
            except Refusal:
                return bytes(came)
            if length is not None and len(came) >= sum(length):
                return bytes(came)
    return b""
