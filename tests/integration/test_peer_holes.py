"""What libp2p leaves open, each hole with a test that fails when it opens again; the table is in
docs/adr/0013.
"""

from __future__ import annotations

import resource
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from libp2p.peer.id import ID
from libp2p.protocol_muxer.multiselect_client import MultiselectClient
from libp2p.protocol_muxer.multiselect_communicator import MultiselectCommunicator
from libp2p.stream_muxer.yamux.yamux import TYPE_DATA, YAMUX_HEADER_FORMAT

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.share.network import OutboxState
from lpm_kernel.peer import host as hosting
from lpm_kernel.peer.doorstep import HALF_OPEN
from lpm_kernel.peer.identify import IDENTIFY
from lpm_kernel.peer.muxer import MOST_UNREAD
from lpm_kernel.peer.speaker import Composed, ReplayClaims
from lpm_kernel.peer.wire import SMP, Connection, Stream, Trouble, Wire, WireError
from lpm_kernel.usecases.share import outgoing
from protocol import limits
from protocol.contact import Invite, make_hello
from protocol.encoding import frame
from protocol.envelope import seal, sign
from protocol.events import Answered, Asked, Declined
from protocol.messages import Message, Verb
from protocol.refusals import Code
from tests.peers import REPLY, Peer, meet, soon, talk, until

MIB = 2**20


class Slow:
    """Answers when it may; counts how many it was asked at once."""

    def __init__(self) -> None:
        self.may, self.asked = threading.Event(), 0

    def __call__(self, _asked: Asked, _now: int) -> Composed:
        self.asked += 1
        assert self.may.wait(20)
        return Composed(REPLY)


@pytest.fixture
def slow() -> Iterator[Slow]:
    made = Slow()
    yield made
    made.may.set()


@pytest.fixture
def asako(tmp_path: Path, slow: Slow) -> Iterator[Peer]:
    with Peer(tmp_path / "asako", "Asako", slow) as peer:
        yield peer
        slow.may.set()


@pytest.fixture
def bram(tmp_path: Path) -> Iterator[Peer]:
    with Peer(tmp_path / "bram", "Bram") as peer:
        yield peer


def granted(asako: Peer, bram: Peer) -> str:
    meet(asako, bram)
    grant = asako.gives(bram)
    until(bram.node.ports.permissions.received)
    return grant.id


def multistream(*words: str) -> bytes:
    return b"".join(frame(word.encode() + b"\n") for word in words)


def offered(port: int, *words: str) -> bytes:
    """Say this to a port, and give what comes back within a moment."""
    said = b""
    with socket.create_connection(("127.0.0.1", port)) as near:
        near.sendall(multistream("/multistream/1.0.0", *words))
        near.settimeout(0.5)
        with suppress(TimeoutError, ConnectionResetError):
            while data := near.recv(4096):
                said += data
    return said


def test_noise_and_yamux_are_offered_and_nothing_beside_them(asako: Peer, bram: Peer) -> None:
    for other in ("/plaintext/2.0.0", "/secio/1.0.0", "/tls/1.0.0"):
        assert offered(asako.port, other) == multistream("/multistream/1.0.0", "na")
    listed = offered(asako.port, "ls")
    assert listed == multistream("/multistream/1.0.0") + frame(b"/noise\n\n")
    meet(asako, bram)

    async def look() -> tuple[list[str], list[str]]:
        raw = await trio.open_tcp_stream("127.0.0.1", asako.port)
        async with raw:
            wire = bram.host.wire
            counted = hosting_counted(raw)
            secured = await wire._security.secure_outbound(
                counted, ID.from_string(asako.host.wire.peer)
            )
            muxers = await MultiselectClient().query_multistream_command(
                MultiselectCommunicator(secured), "ls", 2
            )
        async with bram.host.wire.dialled(asako.address, asako.host.wire.peer) as connection:
            stream = Stream(await connection.muxer.open_stream())
            return muxers, await MultiselectClient().query_multistream_command(
                MultiselectCommunicator(stream), "ls", 2
            )

    muxers, protocols = bram.call(look)
    assert muxers == ["/yamux/1.0.0"]
    assert sorted(protocols) == sorted([SMP, IDENTIFY])


def hosting_counted(raw: trio.SocketStream) -> Any:  # noqa: ANN401  libp2p's
    from libp2p.io.trio import TrioTCPStream
    from libp2p.network.connection.raw_connection import RawConnection

    return RawConnection(TrioTCPStream(raw), True)


def test_a_fault_while_answering_ends_one_request_and_nothing_else(
    tmp_path: Path, bram: Peer
) -> None:
    def broken(_asked: Asked, _now: int) -> Composed:
        raise RuntimeError("the canary that nobody reads")

    with Peer(tmp_path / "dorit", "Dorit", broken) as dorit:
        grant = granted(dorit, bram)
        asked = bram.question(dorit, grant)
        assert bram.call(talk, bram, dorit, asked) == Declined(Code.BUSY)
        [standing] = dorit.node.ports.permissions.given(None, dorit.speaker.now // 86_400)
        assert standing.spent.calls == 0
        object.__setattr__(dorit.speaker, "answer", lambda _asked, _now: Composed(REPLY))
        answered = bram.call(talk, bram, dorit, asked)
        assert isinstance(answered, Answered)
        assert answered.body == REPLY


def test_an_answer_that_cannot_be_sent_is_not_kept(tmp_path: Path, bram: Peer) -> None:
    bodies: list[dict[str, Any]] = [
        {**REPLY, "text": "long " * 10_000},
        {"text": "of another shape"},
        REPLY,
    ]
    with Peer(tmp_path / "dorit", "Dorit", lambda _asked, _now: Composed(bodies.pop(0))) as dorit:
        asked = bram.question(dorit, granted(dorit, bram))
        for _ in range(2):
            assert bram.call(talk, bram, dorit, asked) == Declined(Code.BUSY)
        assert isinstance(bram.call(talk, bram, dorit, asked), Answered)


def test_bytes_that_are_nothing_end_the_stream_and_not_the_host(asako: Peer, bram: Peer) -> None:
    meet(asako, bram)

    async def rave() -> None:
        for junk in (
            b"\xff" * 4,
            b"\x00",
            b"\x05\xde\xad\xbe\xef\xff",
            frame(b"SMP\x01" + bytes(600)),
            bytes(range(256)) * 40,
        ):
            async with bram.host.wire.dialled(asako.address, asako.host.wire.peer) as connection:
                with suppress(WireError, *Trouble):
                    async with connection.stream(SMP) as stream:
                        await stream.write(junk)
                        await stream.close()
                        with trio.move_on_after(2):
                            while await stream.read():
                                pass

    bram.call(rave)
    asako.gives(bram)
    until(bram.node.ports.permissions.received)


def test_who_pushes_more_than_is_read_is_cut_off(asako: Peer, bram: Peer, slow: Slow) -> None:
    grant = granted(asako, bram)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    async def push() -> int:
        pushed, piece = 0, bytes(60_000)
        async with (
            bram.host.wire.dialled(asako.address, asako.host.wire.peer) as connection,
            connection.stream(SMP) as stream,
        ):
            signed = sign(bram.question(asako, grant), bram.keystore.keys.identity)
            await stream.write(
                frame(seal(signed, asako.keystore.card("Asako").box, limits.REQUEST))
            )
            await soon(lambda: bool(slow.asked))
            header = struct.pack(
                YAMUX_HEADER_FORMAT, 0, TYPE_DATA, 0, stream.raw.stream_id, len(piece)
            )
            with suppress(*Trouble), trio.move_on_after(10):
                while pushed < 64 * MIB and not connection.over:
                    await connection.muxer._write_frame(header + piece)
                    pushed += len(piece)
            return pushed

    # the second part lies in the buffers of the sockets
    assert bram.call(push) < MOST_UNREAD + 16 * MIB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 48 * 1024
    slow.may.set()
    asked = bram.question(asako, grant)
    assert isinstance(bram.call(talk, bram, asako, asked), Answered)


def test_a_crowd_that_says_nothing_keeps_nobody_out(asako: Peer, bram: Peer) -> None:
    link = asako.invite()
    with ExitStack() as crowd:
        sockets = [
            crowd.enter_context(socket.create_connection(("127.0.0.1", asako.port)))
            for _ in range(400)
        ]
        began = time.monotonic()
        met = bram.outcome(bram.accept(link), 5)
        assert met.state is OutboxState.ANSWERED
        assert time.monotonic() - began < 3
        assert sum(map(len, asako.host._crowd.doorstep.knocking.values())) <= HALF_OPEN
        until(lambda: not asako.host._crowd.doorstep.knocking, 4)
        for each in sockets:
            each.settimeout(1)
            with suppress(ConnectionResetError):
                while each.recv(64):
                    pass


async def stay(
    port: int, who: int, peer: Peer, seen: list[Connection | None], seconds: float
) -> None:
    """Come in as somebody whom nobody knows, and stay as long as it is allowed."""
    wire = Wire(bytes([who]) * 32)
    try:
        async with wire.dialled(f"/ip4/127.0.0.1/tcp/{port}", peer.host.wire.peer) as connection:
            await trio.sleep(0.3)
            seen.append(None if connection.over else connection)
            with trio.move_on_after(seconds):
                await connection.ended()
    except WireError:
        seen.append(None)


def test_nobody_unknown_comes_in_but_four_while_an_invite_is_open(
    asako: Peer, bram: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "HELLO_SECONDS", 2)

    async def crowd() -> tuple[int, float]:
        seen: list[Connection | None] = []
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            for who in range(1, 8):  # no more than may knock at a time
                nursery.start_soon(stay, asako.port, who, asako, seen, 6)
        assert len(seen) == 7
        return sum(each is not None for each in seen), trio.current_time() - began

    assert bram.call(crowd)[0] == 0
    link = asako.invite()
    admitted, lasted = bram.call(crowd)
    assert admitted == limits.STRANGERS
    assert lasted < 4
    assert asako.host._crowd.strangers == 0
    assert asako.node.ports.contacts.all() == []
    assert bram.outcome(bram.accept(link)).state is OutboxState.ANSWERED


def test_a_flood_of_hellos_that_prove_nothing_writes_nothing_and_is_told_nothing(
    asako: Peer, bram: Peer, tmp_path: Path
) -> None:
    invite = Invite.read(asako.invite())
    said: list[bytes] = []

    async def flood(stop: trio.Event) -> None:
        card = bram.keystore.card("Bram")
        while not stop.is_set():
            body = make_hello(invite, card) | {
                "proof": make_hello(
                    Invite.make(asako.keystore.card("Asako"), (), bram.speaker.now), card
                )["proof"]
            }
            now = bram.speaker.now
            message = Message(
                outgoing.new_id(),
                bram.keystore.keys.identity.did,
                invite.did,
                now,
                now + 600,
                Verb.HELLO,
                body,
            )
            data = frame(
                seal(sign(message, bram.keystore.keys.identity), invite.box, limits.REQUEST)
            )
            with suppress(WireError, *Trouble):
                async with (
                    bram.host.wire.dialled(asako.address, invite.peer) as connection,
                    connection.stream(SMP) as stream,
                ):
                    await stream.write(data)
                    with trio.move_on_after(1):
                        said.append(await stream.read())

    async def flooded() -> None:
        stop = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(flood, stop)
            await trio.sleep(2)
            stop.set()

    bram.call(flooded)
    assert said == []
    assert asako.node.ports.post.inbox(limit=9)[0] == []
    assert asako.node.ports.contacts.all() == []
    refused = [each for each in asako.node.ports.audit.all() if each.kind == AuditKind.PEER_DECIDED]
    assert 1 <= len(refused) <= 3  # one a minute, with how often
    assert "bad_signature" in refused[0].facts
    with Peer(tmp_path / "chika", "Chika") as chika:
        assert chika.outcome(chika.accept(invite.link)).state is OutboxState.ANSWERED


async def spoken(connection: Connection, protocol: str) -> bool:
    """Open a stream, and say whether the other side speaks this."""
    try:
        async with connection.stream(protocol) as stream:
            await stream.read()
    except WireError:
        return False
    except Trouble:
        return True
    return True


def test_a_stranger_has_one_hello_and_is_told_that_all_else_is_not_spoken(
    asako: Peer, bram: Peer
) -> None:
    asako.invite()

    async def opened(*protocols: str) -> tuple[list[bool], bool]:
        async with bram.host.wire.dialled(asako.address, asako.host.wire.peer) as connection:
            said = [await spoken(connection, protocol) for protocol in protocols]
            with trio.move_on_after(0.5):
                await connection.ended()
            return said, connection.over

    others = [IDENTIFY, "/ipfs/ping/1.0.0"] * (hosting.STREAMS_OF_A_STRANGER // 2)
    assert bram.call(opened, *others) == ([False] * len(others), False)
    assert bram.call(opened, *others, IDENTIFY)[1]

    async def greeted_twice() -> bool:
        async with (
            bram.host.wire.dialled(asako.address, asako.host.wire.peer) as connection,
            connection.stream(SMP) as first,
            connection.stream(SMP) as second,
        ):
            for stream in (first, second):
                await stream.write(b"\x20")
            with trio.move_on_after(0.5):
                await connection.ended()
            return connection.over

    assert bram.call(greeted_twice)


def test_a_contact_gets_four_answers_at_a_time_and_the_rest_are_told_so_at_once(
    asako: Peer, bram: Peer, slow: Slow
) -> None:
    grant = granted(asako, bram)

    async def crowd() -> list[float]:
        busy: list[float] = []
        answered: list[Answered] = []

        async def one() -> None:
            event = await talk(bram, asako, bram.question(asako, grant))
            if event == Declined(Code.BUSY):
                busy.append(trio.current_time())
            elif isinstance(event, Answered):
                answered.append(event)

        async with trio.open_nursery() as nursery:
            for _ in range(hosting.AT_ONCE):
                nursery.start_soon(one)
            await soon(lambda: slow.asked == hosting.AT_ONCE)
            began = trio.current_time()
            for _ in range(2):
                await one()
            slow.may.set()
        assert len(answered) == hosting.AT_ONCE
        return [each - began for each in busy]

    waits = bram.call(crowd)
    assert len(waits) == 2
    assert max(waits) < 2


def test_who_opens_many_streams_is_cut_off(asako: Peer, bram: Peer) -> None:
    meet(asako, bram)

    async def open_many() -> bool:
        async with bram.host.wire.dialled(asako.address, asako.host.wire.peer) as connection:
            with suppress(*Trouble):
                for _ in range(hosting.STREAMS + 4):
                    await connection.muxer.open_stream()
            with trio.move_on_after(20):
                await connection.ended()
            return connection.over

    assert bram.call(open_many)


def test_the_answer_is_kept_for_who_hung_up(asako: Peer, bram: Peer, slow: Slow) -> None:
    grant = granted(asako, bram)
    question = bram.question(asako, grant)

    async def hang_up() -> None:
        async with (
            bram.host.wire.dialled(asako.address, asako.host.wire.peer) as connection,
            connection.stream(SMP) as stream,
        ):
            asking = sign(question, bram.keystore.keys.identity)
            await stream.write(
                frame(seal(asking, asako.keystore.card("Asako").box, limits.REQUEST))
            )
            await soon(lambda: bool(slow.asked))

    bram.call(hang_up)
    assert bram.call(talk, bram, asako, question) == Declined(Code.BUSY, 5)
    slow.may.set()
    until(lambda: (row := asako.node.ports.post.arrived(question.iss, question.id)) and row.answer)
    answered = bram.call(talk, bram, asako, question)
    assert isinstance(answered, Answered)
    assert (answered.body, slow.asked) == (REPLY, 1)


@pytest.mark.parametrize(
    ("then", "answered", "tokens"),
    [
        ("half", True, REPLY["tokens"]),
        ("reset", False, 200),
        ("more", False, 200),
        ("cut", False, 200),
    ],
)
def test_who_breaks_off_gets_nothing_and_pays_for_all_and_who_ends_their_half_is_answered(
    asako: Peer, bram: Peer, slow: Slow, then: str, answered: bool, tokens: int
) -> None:
    grant = granted(asako, bram)
    question = bram.question(asako, grant)
    asking = sign(question, bram.keystore.keys.identity)
    envelope = frame(seal(asking, asako.keystore.card("Asako").box, limits.REQUEST))

    async def ask() -> bytes:
        async with (
            bram.host.wire.dialled(asako.address, asako.host.wire.peer) as connection,
            connection.stream(SMP) as stream,
        ):
            await stream.write(envelope, last=then == "half")
            await soon(lambda: bool(slow.asked))
            if then == "reset":
                await stream.reset()
            elif then == "more":
                await stream.write(b"x")
            elif then == "cut":
                return b""
            await trio.sleep(0.2)
            slow.may.set()
            return await hosting.whole(stream, limits.ANSWER)

    assert bool(bram.call(ask)) is answered
    if then == "cut":
        time.sleep(0.2)
        slow.may.set()
    until(lambda: (row := asako.node.ports.post.arrived(question.iss, question.id)) and row.answer)
    assert (
        asako.node.ports.permissions.given(None, asako.speaker.now // 86_400)[0].spent.tokens
        == tokens
    )


def test_no_private_key_lies_open_in_the_home(asako: Peer, bram: Peer) -> None:
    meet(asako, bram)
    keys = asako.keystore.keys
    secrets = [keys.transport_seed, keys.identity.seed, keys.box.private]
    for file in asako.node.ports.home.root.rglob("*"):
        if file.is_file():
            held = file.read_bytes()
            assert not [each for each in secrets if each in held or each.hex().encode() in held], (
                file.name
            )


def test_a_node_that_died_over_a_message_takes_it_up_when_it_comes_again(
    asako: Peer, bram: Peer, slow: Slow
) -> None:
    grant = granted(asako, bram)
    slow.may.set()
    question = bram.question(asako, grant)
    # what a process did before it was killed: the message is written down, and nothing else
    gone = ReplayClaims(asako.speaker)
    gone.claim(question, sign(question, bram.keystore.keys.identity).digest, question.exp)
    gone.let_go()
    answered = bram.call(talk, bram, asako, question)
    assert isinstance(answered, Answered)
    assert slow.asked == 1
