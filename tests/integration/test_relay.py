"""Through a relay: what works as it does directly, what a relay and its visitors may not do, and
what one that is not honest can.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from libp2p.network.connection.raw_connection import RawConnection
from libp2p.peer.id import ID
from libp2p.protocol_muxer.exceptions import MultiselectClientError
from libp2p.relay.circuit_v2.pb.circuit_pb2 import HopMessage
from libp2p.relay.circuit_v2.pb.circuit_pb2 import PeerId as PeerField

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.share.network import OutboxState
from lpm_kernel.peer import circuit, identify, reservations
from lpm_kernel.peer.circuit import HOP, STOP, RelayRefusedError, RelayStatus
from lpm_kernel.peer.delivery import ask
from lpm_kernel.peer.doorstep import HALF_OPEN
from lpm_kernel.peer.host import STREAMS
from lpm_kernel.peer.relay import MIB, RelayLimits
from lpm_kernel.peer.reservations import read_relay
from lpm_kernel.peer.wire import Connection, Stream, Trouble, Wire, WireError, _Carried
from lpm_kernel.usecases.share import people, reach
from protocol.contact import Invite
from protocol.encoding import frame
from protocol.events import Answered, Event
from protocol.identity import PeerId
from tests.peers import PATIENCE, REPLY, TEXT, Peer, fixed, meet, soon, until
from tests.relays import RelayBox, waits_at

STRANGER = bytes([7]) * 32


@pytest.fixture
def box() -> Iterator[RelayBox]:
    with RelayBox() as made:
        yield made


@pytest.fixture
def asako(tmp_path: Path) -> Iterator[Peer]:
    with Peer(tmp_path / "asako", "Asako", fixed) as peer:
        yield peer


@pytest.fixture
def bram(tmp_path: Path) -> Iterator[Peer]:
    with Peer(tmp_path / "bram", "Bram") as peer:
        yield peer


def granted(asako: Peer, bram: Peer, invited: str = "") -> str:
    """Let them become contacts, over this address where there is one; gives a grant."""
    if invited:
        assert bram.outcome(bram.accept(asako.invite(invited))).state is OutboxState.ANSWERED
    else:
        meet(asako, bram)
    grant = asako.gives(bram).id
    until(bram.node.ports.permissions.received)
    return grant


def reaches(bram: Peer, *addresses: str, asako: Peer) -> None:
    """Have one know the other at these addresses and at no others, with nothing open between them:
    what is open would be asked over.
    """
    parted(asako, bram)
    bram.node.ports.contacts.found(bram.knows(asako).id, addresses)


def parted(one: Peer, other: Peer) -> None:
    """End what is open between two."""
    for here, there in ((one, other), (other, one)):
        here.call(_part, here, there.host.wire.peer)
    until(lambda: not any(_open(a, b) for a, b in ((one, other), (other, one))))


async def _part(peer: Peer, other: PeerId) -> None:
    peer.host.connections.leave(other, at_once=True)


def _open(peer: Peer, other: Peer) -> bool:
    return other.host.wire.peer in peer.host.connections.peers


async def through(peer: Peer, to: Peer, address: str, grant: str) -> Event:
    async with peer.host.wire.dialled(address, to.host.wire.peer) as connection:
        return await ask(peer.host, connection, to.keystore.card(to.name), peer.question(to, grant))


def hidden(peer: Peer) -> str:
    """Have somebody say that they listen where nobody does, as behind a router: whoever asks them
    finds nothing else. Gives that address.
    """
    peer.host.announced = (closed_port(),)
    return peer.host.announced[0]


def closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"/ip4/127.0.0.1/tcp/{taken.getsockname()[1]}"


# --- what works ---------------------------------------------------------------------------------


def test_two_meet_ask_and_answer_through_a_relay_and_nowhere_else(
    asako: Peer, bram: Peer, box: RelayBox
) -> None:
    nobody = hidden(asako)
    circuit_of_asako = waits_at(asako, box.named)
    assert circuit_of_asako == box.circuit
    link = asako.invite(circuit_of_asako)
    assert Invite.read(link).addrs == ()
    assert Invite.read(link).relay == box.named
    grant = granted(asako, bram, circuit_of_asako)
    # asked where they listen, they name the relay behind their own address
    assert asako.node.ports.contacts.addresses(asako.knows(bram).id) == [bram.address]
    of_asako = bram.knows(asako).id
    assert until(
        lambda: len(found := bram.node.ports.contacts.addresses(of_asako)) == 2 and found
    ) == [nobody, circuit_of_asako]
    parted(asako, bram)
    before = box.relay.carried
    outcome = bram.outcome(bram.asks(asako, grant))
    assert outcome.state is OutboxState.ANSWERED
    assert outcome.receipt == REPLY
    assert box.relay.carried - before > len(TEXT)
    parted(asako, bram)
    assert not box.relay.called or until(lambda: not box.relay.called)


def test_the_relay_is_tried_after_the_addresses_that_lead_there_directly(
    asako: Peer, bram: Peer, box: RelayBox
) -> None:
    here = waits_at(asako, box.named)
    grant = granted(asako, bram)
    reaches(bram, here, asako.address, asako=asako)
    assert bram.outcome(bram.asks(asako, grant)).state is OutboxState.ANSWERED
    assert box.relay.carried == 0
    of_asako = bram.knows(asako).id
    until(lambda: bram.node.ports.contacts.addresses(of_asako) == [asako.address, here])
    nobody = hidden(asako)
    reaches(bram, nobody, here, asako=asako)
    assert bram.outcome(bram.asks(asako, grant)).state is OutboxState.ANSWERED
    assert box.relay.carried > 0
    tries = bram.call(_tries, bram, asako, (nobody, here))
    assert [each for each, _ in tries] == [here, nobody]  # it worked, for some minutes


async def _tries(peer: Peer, to: Peer, addresses: tuple[str, ...]) -> list[tuple[str, float]]:
    return peer.host.routes.tries(to.host.wire.peer, addresses)


def test_a_relay_that_is_gone_takes_its_address_along_and_is_found_again(
    asako: Peer, box: RelayBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reservations, "FIRST_PAUSE", 0.1)
    here = waits_at(asako, box.named)
    box.stop()
    until(lambda: not asako.host.circuits)
    assert asako.host.places == [asako.address]
    box.start()
    assert until(lambda: asako.host.places[1:]) == [here]


def test_a_contact_relays_for_contacts_where_their_person_says_so(
    tmp_path: Path, asako: Peer, bram: Peer
) -> None:
    with Peer(tmp_path / "chie", "Chie") as chie:
        grant = granted(asako, bram)
        meet(chie, asako)
        meet(chie, bram)
        chie.host.relays = lambda: True
        here = waits_at(asako, reach.CONTACTS)
        assert here == f"{chie.address}/p2p/{chie.host.wire.peer}{circuit.CIRCUIT}"
        reaches(bram, hidden(asako), here, asako=asako)
        assert bram.outcome(bram.asks(asako, grant)).state is OutboxState.ANSWERED
        assert chie.host.relay.carried > len(TEXT)


# --- who may not ----------------------------------------------------------------------------------


async def asked_for(wire: Wire, address: str, relay: PeerId, to: PeerId | None = None) -> int:
    """Ask a relay for a place, or for a circuit; gives what it said."""
    async with wire.dialled(address, relay) as connection, connection.stream(HOP) as stream:
        try:
            with trio.fail_after(8):
                await (circuit.reserve(stream) if to is None else circuit.connect(stream, to))
        except RelayRefusedError as refused:
            return refused.status
        return RelayStatus.OK


def told(peer: Peer, seed: bytes, address: str, relay: PeerId, to: PeerId | None = None) -> int:
    return int(peer.call(asked_for, Wire(seed), address, relay, to))


def test_a_stranger_gets_nothing_of_a_contact_who_relays(
    tmp_path: Path, asako: Peer, bram: Peer
) -> None:
    with Peer(tmp_path / "chie", "Chie") as chie:
        meet(chie, asako)
        chie.host.relays = lambda: True
        waits_at(asako, reach.CONTACTS)
        chie_at = (chie.address, chie.host.wire.peer)
        for to in (None, asako.host.wire.peer):
            with pytest.raises(WireError):  # the gate closes right after Noise
                told(bram, STRANGER, *chie_at, to)
        chie.invite()  # while an invite is open, strangers come in: to say hello, and for no more
        for to in (None, asako.host.wire.peer):
            with pytest.raises((WireError, *Trouble)):
                told(bram, STRANGER, *chie_at, to)
        assert list(chie.host.relay.places) == [asako.host.wire.peer]
        assert chie.host.relay.carried == 0


def test_a_contact_who_does_not_relay_does_not_speak_it_and_one_who_was_blocked_is_served_no_more(
    tmp_path: Path, asako: Peer, bram: Peer
) -> None:
    with Peer(tmp_path / "chie", "Chie") as chie:
        meet(chie, asako)
        meet(chie, bram)
        chie_at = (chie.address, chie.host.wire.peer)
        with pytest.raises(WireError, match="do not speak"):
            bram.call(asked_for, bram.host.wire, *chie_at, None)
        chie.host.relays = lambda: True
        waits_at(asako, reach.CONTACTS)
        to = asako.host.wire.peer
        assert bram.call(asked_for, bram.host.wire, *chie_at, to) == RelayStatus.OK
        people.block(chie.node.ports.contacts, chie.node.ports.clock, chie.knows(asako).id)
        assert bram.call(asked_for, bram.host.wire, *chie_at, to) == RelayStatus.NO_RESERVATION
        chie.host.relays = bool
        with pytest.raises((WireError, *Trouble)):
            bram.call(asked_for, bram.host.wire, *chie_at, to)


def test_a_place_is_for_whoever_asks_and_for_nobody_whom_they_name(
    asako: Peer, bram: Peer, box: RelayBox
) -> None:
    async def reserve_for(other: PeerId) -> None:
        asked = HopMessage(
            type=HopMessage.RESERVE, peer=PeerField(id=ID.from_string(other).to_bytes())
        )
        async with (
            Wire(STRANGER).dialled(box.relaying.host.addresses[0], box.peer) as connection,
            connection.stream(HOP) as stream,
        ):
            await stream.write(frame(asked.SerializeToString()))
            await stream.message(circuit.LONGEST)

    bram.call(reserve_for, asako.host.wire.peer)
    assert list(box.relay.places) == [Wire(STRANGER).peer]


def test_a_relay_for_some_serves_no_others() -> None:
    mine = Wire(STRANGER).peer
    with RelayBox(only=frozenset({mine})) as box:
        address = box.relaying.host.addresses[0]
        other = Wire(bytes([8]) * 32)
        assert box.call(asked_for, Wire(STRANGER), address, box.peer) == RelayStatus.OK
        assert box.call(asked_for, other, address, box.peer) == RelayStatus.PERMISSION_DENIED


# --- limits ---------------------------------------------------------------------------------------


def test_a_relay_is_full_at_some_time_and_makes_room_when_somebody_goes() -> None:
    with RelayBox(RelayLimits(places=1)) as box:
        address = box.relaying.host.addresses[0]

        async def two() -> list[int]:
            async with Wire(STRANGER).dialled(address, box.peer) as first:
                async with first.stream(HOP) as stream:
                    await circuit.reserve(stream)
                return [await asked_for(Wire(bytes([8]) * 32), address, box.peer)]

        assert box.call(two) == [RelayStatus.RESERVATION_REFUSED]
        until(lambda: not box.relaying.host.inside)
        assert box.call(asked_for, Wire(bytes([8]) * 32), address, box.peer) == RelayStatus.OK


def test_one_network_takes_no_more_than_its_share_of_the_places() -> None:
    with RelayBox(RelayLimits(places=9, places_of_one=2)) as box:
        address = box.relaying.host.addresses[0]

        async def many() -> list[int]:
            said: list[int] = []
            async with AsyncExitStack() as stack:
                wires = [Wire(bytes([20 + number]) * 32) for number in range(4)]
                there = [
                    await stack.enter_async_context(wire.dialled(address, box.peer))
                    for wire in wires
                ]
                for connection in there:  # twice: who has one asks for it again
                    said += [await reserved(connection), await reserved(connection)]
                for place in box.relay.places.values():
                    place.connection.place = "2001:db8::/64"
                said.append(await reserved(there[-1]))
            return said

        no = RelayStatus.RESERVATION_REFUSED
        assert box.call(many) == [RelayStatus.OK] * 4 + [no] * 4 + [RelayStatus.OK]


async def reserved(connection: Connection) -> int:
    """Ask for a place, and give what the relay says."""
    async with connection.stream(HOP) as stream:
        try:
            await circuit.reserve(stream)
        except RelayRefusedError as refused:
            return refused.status
    return RelayStatus.OK


def test_one_address_that_cannot_be_said_silences_no_other(
    asako: Peer, bram: Peer, box: RelayBox
) -> None:
    meet(asako, bram)
    bad = f"/ip4/localhost/tcp/4002/p2p/{bram.host.wire.peer}"
    long = f"/dns4/{'a' * 60}.{'b' * 30}.example/tcp/4002/p2p/{Wire(STRANGER).peer}"
    assert [read_relay(each) for each in (bad, long, f"/ip4/::1/tcp/1/p2p/{box.peer}")] == [
        None
    ] * 3
    circuit_there = waits_at(asako, bad, long, box.named)
    asako.host.circuits[bram.host.wire.peer] = f"{bad}/p2p-circuit"
    asako.host.announced = ["/ip4/localhost/tcp/1", asako.address]  # however it came there
    try:
        assert f"{bad}/p2p-circuit" not in asako.host.places
        said = bram.call(_identified, bram, asako)
        assert said == [asako.address, circuit_there]
    finally:
        asako.host.announced = ()


async def _identified(peer: Peer, other: Peer) -> list[str]:
    wire, at = peer.host.wire, other.address
    async with wire.dialled(at, other.host.wire.peer, frozenset({identify.IDENTIFY})) as there:
        return await identify.ask(there)


@pytest.mark.parametrize("said", [b"", b"\xff" * 30, frame(b"\xff" * 30)[1:], b"\x08\x02"])
def test_what_is_no_question_is_refused_and_ends_one_stream(box: RelayBox, said: bytes) -> None:
    async def rave() -> int:
        async with (
            Wire(STRANGER).dialled(box.relaying.host.addresses[0], box.peer) as connection,
            connection.stream(HOP) as stream,
        ):
            await stream.write(frame(said))
            with trio.fail_after(12), pytest.raises(RelayRefusedError) as refused:
                await circuit._status(stream)
            return refused.value.status

    assert box.call(rave) == RelayStatus.MALFORMED_MESSAGE
    assert box.call(asked_for, Wire(STRANGER), box.relaying.host.addresses[0], box.peer) == 100


async def waits(wire: Wire, box: RelayBox, take: Callable[[Stream], Awaitable[Any]]) -> None:
    """Keep a place, and do something with each circuit that the relay brings."""

    async def answer(stream: Stream, connection: Connection) -> None:
        with suppress(WireError, *Trouble):
            assert await connection.agree(stream) == STOP
            await circuit.admit(stream)
            await take(stream)

    address = box.relaying.host.addresses[0]
    async with wire.dialled(address, box.peer, frozenset({STOP}), answer) as connection:
        async with connection.stream(HOP) as stream:
            await circuit.reserve(stream)
        await trio.sleep_forever()


async def called(
    wire: Wire, box: RelayBox, to: PeerId, act: Callable[[Stream], Awaitable[Any]]
) -> str:
    """Open a circuit, do something with it, read to its end; gives how that came."""
    address = box.relaying.host.addresses[0]
    async with wire.dialled(address, box.peer) as connection, connection.stream(HOP) as stream:
        await circuit.connect(stream, to)
        try:
            with trio.fail_after(12):
                await act(stream)
                while True:
                    await stream.read()
        except (WireError, *Trouble) as error:
            return type(error).__name__


def test_a_circuit_carries_so_much_and_lasts_so_long_and_its_place_is_free_again() -> None:
    waiting, calling = Wire(STRANGER), Wire(bytes([8]) * 32)

    async def push(stream: Stream) -> None:
        for _ in range(100):
            await stream.write(bytes(60_000))

    async def swallow(stream: Stream) -> None:
        while True:
            await stream.read()

    async def nothing(_stream: Stream) -> None:
        await trio.lowlevel.checkpoint()

    limits = RelayLimits(bytes=MIB, seconds=1, circuits_of_one=1)
    with RelayBox(limits) as box:

        async def play() -> tuple[str, int, str, float]:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(waits, waiting, box, swallow)
                await soon(lambda: waiting.peer in box.relay.places)
                ended = await called(calling, box, waiting.peer, push)
                carried = box.relay.carried
                await soon(lambda: not box.relay.called)
                began = trio.current_time()
                silent = await called(calling, box, waiting.peer, nothing)
                lasted = trio.current_time() - began
                nursery.cancel_scope.cancel()
            return ended, carried, silent, lasted

        ended, carried, silent, lasted = box.call(play)
        assert {ended, silent} <= {"MuxedStreamReset", "MuxedStreamError", "MuxedStreamEOF"}
        assert 0 < carried <= MIB
        assert 0.9 < lasted < 8
        until(lambda: not box.relay.called and not box.relay.calling)


def test_one_peer_gets_so_many_circuits_at_a_time() -> None:
    waiting, calling = Wire(STRANGER), Wire(bytes([8]) * 32)

    async def hold(_stream: Stream) -> None:
        await trio.sleep_forever()

    with RelayBox(RelayLimits(circuits_of_one=3)) as box:

        async def play() -> int:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(waits, waiting, box, hold)
                await soon(lambda: waiting.peer in box.relay.places)
                for _ in range(3):
                    nursery.start_soon(called, calling, box, waiting.peer, hold)
                await soon(lambda: box.relay.called[waiting.peer] == 3)
                said = await asked_for(
                    Wire(bytes([9]) * 32), box.relaying.host.addresses[0], box.peer, waiting.peer
                )
                nursery.cancel_scope.cancel()
            return said

        assert box.call(play) == RelayStatus.RESOURCE_LIMIT_EXCEEDED


def test_no_circuit_is_made_of_circuits(
    tmp_path: Path, asako: Peer, bram: Peer, box: RelayBox
) -> None:
    with Peer(tmp_path / "chie", "Chie") as chie:
        meet(chie, asako)
        meet(chie, bram)
        chie.host.relays = lambda: True
        waits_at(asako, reach.CONTACTS)
        here = waits_at(chie, box.named)
        for to in (None, asako.host.wire.peer):
            said = bram.call(asked_for, bram.host.wire, here, chie.host.wire.peer, to)
            assert said == RelayStatus.PERMISSION_DENIED


# --- a relay that is not honest -------------------------------------------------------------------


async def brings(
    box: RelayBox, to: Peer, by: PeerId, act: Callable[[Stream], Awaitable[Any]]
) -> str:
    """Bring somebody a circuit that nobody asked for, said to be from ``by``; gives its end."""
    place = box.relay.places[to.host.wire.peer]
    async with place.connection.stream(STOP) as stream:
        await stream.write(circuit.announced_circuit(by, (60, MIB)))
        assert await circuit.taken(stream)
        try:
            with trio.fail_after(8):
                await act(stream)
                while True:
                    await stream.read()
        except (WireError, *Trouble) as error:
            return type(error).__name__


def decided(peer: Peer) -> int:
    found, _ = peer.node.ports.audit.page(limit=500)
    return sum(entry.kind is AuditKind.PEER_DECIDED for entry in found)


def test_a_relay_that_lies_about_who_calls_opens_no_door(
    asako: Peer, bram: Peer, box: RelayBox
) -> None:
    grant = granted(asako, bram)
    parted(asako, bram)
    waits_at(asako, box.named)
    box.place(asako)
    contact = bram.host.wire.peer
    evil = Wire(STRANGER)

    async def as_somebody_else(stream: Stream) -> None:
        """Let a stranger speak Noise, said to be a contact."""
        raw = RawConnection(_Carried(stream), True)
        secured = await evil._security.secure_outbound(raw, ID.from_string(asako.host.wire.peer))
        with pytest.raises(MultiselectClientError):  # the gate closed right after Noise
            await evil._muxed(secured, asako.host.wire.peer)

    box.call(brings, box, asako, contact, as_somebody_else)
    assert asako.host._crowd.connections[evil.peer] == 0
    assert asako.host._crowd.connections[contact] == 0
    # and whoever is called a stranger, and proves to be a contact, is that contact
    assert isinstance(bram.call(through, bram, asako, box.circuit, grant), Answered)

    box.relay.lies = evil.peer
    assert isinstance(bram.call(through, bram, asako, box.circuit, grant), Answered)


def test_what_a_relay_plays_again_is_nothing(asako: Peer, bram: Peer, box: RelayBox) -> None:
    grant = granted(asako, bram)
    waits_at(asako, box.named)
    assert isinstance(bram.call(through, bram, asako, box.circuit, grant), Answered)
    before = decided(asako)
    [came] = [bytes(each) for each in box.seen.carried.values() if b"/noise" in each[:200]][:1]
    after_connect = came[came.index(b"\x13/multistream") :]

    async def play(stream: Stream) -> None:
        await stream.write(after_connect)

    for _ in range(3):
        box.call(brings, box, asako, bram.host.wire.peer, play)
    assert decided(asako) == before
    [standing] = asako.node.ports.permissions.given(None, asako.speaker.now // 86_400)
    assert standing.spent.calls == 1


def test_a_relay_that_floods_fills_a_few_places_at_the_door_and_others_are_answered(
    asako: Peer, bram: Peer, box: RelayBox
) -> None:
    grant = granted(asako, bram)
    waits_at(asako, box.named)
    place = box.place(asako)
    most = 0

    async def one(said: bytes) -> None:
        with suppress(WireError, *Trouble):
            async with place.connection.stream(STOP) as stream:
                await stream.write(circuit.announced_circuit(box.peer, (60, MIB)))
                for _ in range(50):
                    await stream.write(said)
                    await trio.sleep(0.02)

    async def flood() -> None:
        async with trio.open_nursery() as nursery:
            for said in (b"\x13/multistream/1.0.0\n", b"", bytes(60_000)) * (STREAMS // 2):
                nursery.start_soon(one, said)

    async def meanwhile() -> Event:
        nonlocal most
        end = trio.current_time() + 0.5
        while trio.current_time() < end:
            most = max(most, sum(map(len, asako.host._crowd.doorstep.knocking.values())))
            await trio.sleep(0.01)
        return await through(bram, asako, asako.address, grant)

    with ThreadPoolExecutor(1) as pool:
        flooding = pool.submit(box.call, flood)
        assert isinstance(bram.call(meanwhile), Answered)
        flooding.result(PATIENCE)
    assert 0 < most <= HALF_OPEN
    assert asako.host._crowd.strangers == 0
    until(lambda: not asako.host._crowd.doorstep.knocking)


@pytest.mark.parametrize("after", [0, 400, 1_500])
def test_what_a_relay_cuts_is_done_once_when_it_comes_again(
    asako: Peer, bram: Peer, box: RelayBox, after: int
) -> None:
    grant = granted(asako, bram)
    here = waits_at(asako, box.named)
    reaches(bram, hidden(asako), here, asako=asako)
    box.place(asako)
    uncut = box.relay.limits
    object.__setattr__(box.relay, "limits", RelayLimits(bytes=after))
    row = bram.asks(asako, grant)
    until(lambda: bram.tried(row) >= 1)
    object.__setattr__(box.relay, "limits", uncut)
    bram.tries_again()
    assert bram.outcome(row).receipt == REPLY
    [standing] = asako.node.ports.permissions.given(None, asako.speaker.now // 86_400)
    assert standing.spent.calls == 1
