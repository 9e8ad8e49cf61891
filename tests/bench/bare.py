"""Bare hosts of libp2p, one question and its answer a stream: what our own request and answer are
measured beside.
"""

from __future__ import annotations

import json
import sys
from contextlib import AsyncExitStack
from typing import Any, Final

import trio
from libp2p import new_host
from libp2p.crypto.ed25519 import create_new_key_pair
from libp2p.crypto.x25519 import create_new_key_pair as create_noise_key_pair
from libp2p.custom_types import TProtocol
from libp2p.peer.peerinfo import info_from_p2p_addr
from libp2p.request_response.api import RequestContext, RequestResponse
from libp2p.request_response.codec import BytesCodec
from libp2p.security.noise.transport import PROTOCOL_ID as NOISE
from libp2p.security.noise.transport import Transport as Noise
from libp2p.stream_muxer.yamux.yamux import PROTOCOL_ID as YAMUX
from libp2p.stream_muxer.yamux.yamux import Yamux
from multiaddr import Multiaddr

BARE: Final = TProtocol("/bare/1")


def host() -> Any:  # noqa: ANN401  libp2p publishes no types
    """Make a host that offers what ours does."""
    keys = create_new_key_pair()
    noise = Noise(keys, noise_privkey=create_noise_key_pair().private_key)
    return new_host(key_pair=keys, sec_opt={NOISE: noise}, muxer_opt={YAMUX: Yamux})


def say(**said: str) -> None:
    print(json.dumps(said), flush=True)


async def answer(size: str) -> None:
    """Answer each request with so many bytes until standard input ends; one line on standard output
    says where.
    """
    listening = host()

    async def reply(_request: bytes, _context: RequestContext) -> bytes:
        return bytes(int(size))

    async with listening.run(listen_addrs=[Multiaddr("/ip4/127.0.0.1/tcp/0")]):
        RequestResponse(listening).set_handler(BARE, reply, BytesCodec())
        say(address=str(listening.get_addrs()[0]))
        await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)  # type: ignore[call-arg]  # the stubs are of an older trio


async def ask(address: str, size: str, connections: str) -> None:
    """Connect so often, then ask as each line on standard input says: how often in all, and how
    many in flight. A line when it is done.
    """
    other = info_from_p2p_addr(Multiaddr(address))
    async with AsyncExitStack() as stack:
        askers = []
        for _ in range(int(connections)):
            own = host()
            await stack.enter_async_context(own.run(listen_addrs=[]))
            await own.connect(other)
            askers.append(RequestResponse(own))

        async def work(asker: RequestResponse, times: int) -> None:
            for _ in range(times):
                await asker.send_request(other.peer_id, [BARE], bytes(int(size)), BytesCodec())

        while line := await trio.to_thread.run_sync(sys.stdin.readline):
            times, in_flight = map(int, line.split())
            async with trio.open_nursery() as nursery:
                for number in range(in_flight):
                    nursery.start_soon(work, askers[number % len(askers)], times // in_flight)
            say()
