"""The bytes of a whole exchange, from the opening of the socket: our wire, and the parts of libp2p
that it is made of, against the vectors.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trio
from libp2p.crypto.ed25519 import create_new_key_pair
from libp2p.crypto.x25519 import X25519PrivateKey
from libp2p.security.noise.messages import NoiseHandshakePayload, make_handshake_payload_sig
from noise.connection import Keypair, NoiseConnection

from lpm_kernel.peer import identify
from lpm_kernel.peer.host import whole
from lpm_kernel.peer.identify import IDENTIFY
from lpm_kernel.peer.wire import SMP, Connection, Stream, Wire, WireError, address_of
from protocol import limits
from protocol.encoding import frame

FOLDER = Path(__file__).parents[2] / "protocol" / "vectors"
VECTORS: dict[str, Any] = json.loads((FOLDER / "negotiation.json").read_text("utf-8"))
SIDES = ("dialler", "listener")
SEEDS = {
    each["peer"]: bytes.fromhex(each["transport_seed"])
    for each in json.loads((FOLDER / "keys.json").read_text("utf-8"))["keys"]
}


def said(by: str, layer: str) -> bytes:
    """Give what one side says on a layer, one step behind the other."""
    return b"".join(
        bytes.fromhex(step["said"])
        for step in VECTORS["steps"]
        if (step["by"], step["layer"]) == (by, layer)
    )


@pytest.mark.filterwarnings("ignore:One of ephemeral keypairs")
def test_the_handshake_is_the_one_of_the_vectors_and_opens_what_follows() -> None:
    noise = VECTORS["noise"]
    ends: dict[str, NoiseConnection] = {}
    for name in SIDES:
        end = ends[name] = NoiseConnection.from_name(b"Noise_XX_25519_ChaChaPoly_SHA256")
        for kind, which in (("static", Keypair.STATIC), ("ephemeral", Keypair.EPHEMERAL)):
            end.set_keypair_from_private_bytes(which, bytes.fromhex(noise["private"][name][kind]))
        (end.set_as_initiator if name == "dialler" else end.set_as_responder)()
        end.start_handshake()
    order = ("dialler", "listener", "dialler")
    for number, (by, message) in enumerate(zip(order, noise["messages"], strict=True)):
        payload = bytes.fromhex(noise["payloads"][by]) if number else b""
        assert bytes(ends[by].write_message(payload)).hex() == message
        [other] = {*SIDES} - {by}
        assert ends[other].read_message(bytes.fromhex(message)) == payload
    for step in VECTORS["steps"]:
        if step["layer"] != "socket":
            [other] = {*SIDES} - {step["by"]}
            sealed = bytes.fromhex(step["bytes"])
            assert int.from_bytes(sealed[:2], "big") == len(sealed) - 2
            assert ends[other].decrypt(sealed[2:]).hex() == step["said"]


@pytest.mark.parametrize("name", SIDES)
def test_who_a_side_is_is_said_in_its_handshake(name: str) -> None:
    keys = create_new_key_pair(SEEDS[VECTORS[name]])
    static = X25519PrivateKey.from_bytes(bytes.fromhex(VECTORS["noise"]["private"][name]["static"]))
    signature = make_handshake_payload_sig(keys.private_key, static.get_public_key())
    payload = NoiseHandshakePayload(keys.public_key, signature)
    assert payload.serialize().hex() == VECTORS["noise"]["payloads"][name]


class Written:
    """What a connection writes, frame by frame, without pings."""

    def __init__(self, connection: Connection) -> None:
        self.data = b""
        secured = connection.muxer.secured_conn
        self._write = secured.write
        secured.write = self.write

    async def write(self, data: bytes) -> None:
        if data[1] != 2:
            self.data += data
        await self._write(data)


async def _exchange() -> tuple[bytes, bytes, bool]:
    """Ask one thing over a real socket; gives what either side wrote, and whether identify was
    spoken.
    """
    dialler, listener = (Wire(SEEDS[VECTORS[name]]) for name in SIDES)
    request, answer = (bytes.fromhex(VECTORS[name]) for name in ("request", "answer"))
    wrote: list[Written] = []

    async def reply(stream: Stream, connection: Connection) -> None:
        if await connection.agree(stream) == SMP:
            assert await whole(stream, limits.REQUEST) == request
            await stream.write(answer, last=True)

    async def serve(socket: trio.SocketStream) -> None:
        peer, proof = await listener.proved(socket)
        async with listener.accepted(peer, proof, frozenset({SMP}), reply) as connection:
            wrote.append(Written(connection))
            await connection.ended()

    [sockets] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, serve, [sockets])
        address = address_of(*sockets.socket.getsockname()[:2])
        async with dialler.dialled(address, listener.peer) as connection:
            mine = Written(connection)
            async with connection.stream(SMP) as stream:
                await stream.write(request)
                assert await whole(stream, limits.ANSWER) == answer
                await stream.finish()
            theirs = wrote[0].data
            await connection.muxer._write_frame(b"")
            first = mine.data
            spoken = True
            try:
                async with connection.stream(IDENTIFY) as stream:
                    await stream.read()
            except WireError:
                spoken = False
        nursery.cancel_scope.cancel()
    return first, theirs, spoken


def test_a_request_and_its_answer_are_the_frames_of_the_vectors() -> None:
    assert trio.run(_exchange) == (said("dialler", "yamux"), said("listener", "yamux"), False)


def test_identify_says_what_the_vectors_say() -> None:
    class Kept:
        data = b""

        async def write(self, data: bytes, *, last: bool) -> None:
            assert last
            self.data += data

    vector, kept = VECTORS["identify"], Kept()
    key = create_new_key_pair(SEEDS[VECTORS["listener"]]).public_key
    trio.run(identify.say, kept, key, [vector["address"]])
    assert kept.data.hex() == vector["frame"]
    data = bytes.fromhex(vector["frame"])
    assert identify.read(data[1:]) == [vector["address"]]
    assert frame(data[1:]) == data
