"""Where a node listens, asked of the node itself: libp2p's identify, and of that only what is
needed.

It is asked inside Noise, of who was let in. What they say is where they may be dialled next time;
they have to prove who they are there, so a wrong address costs a try.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import trio
from google.protobuf.message import DecodeError
from libp2p.crypto.keys import PublicKey
from libp2p.identity.identify.pb.identify_pb2 import Identify
from multiaddr import Multiaddr
from multiaddr.exceptions import Error as NoAddressError

from lpm_kernel.domain.share.network import MOST_ADDRESSES
from lpm_kernel.peer.wire import SMP, Connection, Stream, Trouble, WireError, where
from protocol.encoding import frame, frame_length
from protocol.refusals import Refusal

logger = logging.getLogger(__name__)

IDENTIFY: Final = "/ipfs/id/1.0.0"
LONGEST: Final = 4_096
"""Bytes of what a node says of itself."""
SECONDS: Final = 2


async def say(
    stream: Stream,
    key: PublicKey,
    addresses: Sequence[str],
    spoken: Sequence[str] = (SMP, IDENTIFY),
) -> None:
    """Say where this node listens, and what it speaks; no name and no version of the program. What
    cannot be written as an address is left out.
    """
    said = Identify(
        protocol_version="smp/1",
        agent_version="",
        public_key=key.serialize(),
        listen_addrs=[each for each in map(_written, addresses) if each],
        protocols=spoken,
    )
    await stream.write(frame(said.SerializeToString()), last=True)


def _written(address: str) -> bytes:
    """Write an address in bytes; none where it is no address."""
    try:
        return bytes(Multiaddr(address).to_bytes())
    except (NoAddressError, ValueError, KeyError):
        logger.warning("An address of this node cannot be said to others, and is left out.")
        return b""


async def ask(connection: Connection) -> list[str]:
    """Ask where they listen. Empty: they do not say, or nothing that could be dialled."""
    came = bytearray()
    length: tuple[int, int] | None = None
    try:
        with trio.fail_after(SECONDS):
            async with connection.stream(IDENTIFY) as stream:
                while length is None or len(came) < sum(length):
                    came += await stream.read(LONGEST)
                    length = frame_length(bytes(came[:3]), LONGEST)
                await stream.finish()
        return read(bytes(came[length[1] : sum(length)]))
    except (WireError, Refusal, trio.TooSlowError, *Trouble):
        return []


def read(data: bytes) -> list[str]:
    """Give the addresses in what a node said of itself; what is none is left out, and so is all if
    nothing can be read.
    """
    try:
        said = Identify.FromString(data)
    except DecodeError:
        return []
    found = []
    for listen_addr in said.listen_addrs[: 4 * MOST_ADDRESSES]:
        try:
            address = str(Multiaddr(listen_addr))
        except (NoAddressError, ValueError, KeyError):
            continue
        if where(address) is not None:
            found.append(address)
    return found[:MOST_ADDRESSES]
