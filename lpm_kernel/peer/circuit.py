"""What is said to a relay, and by it: the messages of libp2p's circuit relay v2, and no more of
them than reservations and circuits need.

Nothing here believes a relay: who is at the other end of a circuit, Noise proves, as over a socket.
protocol/spec/reach.md says which fields are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Protocol

from google.protobuf.message import DecodeError
from libp2p.peer.id import ID
from libp2p.relay.circuit_v2.pb.circuit_pb2 import (
    HopMessage,
    Limit,
    Reservation,
    StopMessage,
)
from libp2p.relay.circuit_v2.pb.circuit_pb2 import PeerId as PeerField
from libp2p.relay.circuit_v2.pb.circuit_pb2 import Status as PbStatus
from multiaddr import Multiaddr

from protocol.encoding import frame
from protocol.identity import PeerId

HOP: Final = "/libp2p/circuit/relay/0.2.0/hop"
"""What a relay is asked by."""
STOP: Final = "/libp2p/circuit/relay/0.2.0/stop"
"""What a relay asks by."""
CIRCUIT: Final = "/p2p-circuit"
"""How the address of a relay ends where it stands for whoever is reached through it."""
LONGEST: Final = 4_096
"""Bytes of one message."""
MOST_ID: Final = 64
"""Bytes of a peer id."""


class RelayStatus(IntEnum):
    """What a relay says to what it is asked; numbers are libp2p's."""

    OK = PbStatus.OK
    RESERVATION_REFUSED = PbStatus.RESERVATION_REFUSED
    RESOURCE_LIMIT_EXCEEDED = PbStatus.RESOURCE_LIMIT_EXCEEDED
    PERMISSION_DENIED = PbStatus.PERMISSION_DENIED
    CONNECTION_FAILED = PbStatus.CONNECTION_FAILED
    NO_RESERVATION = PbStatus.NO_RESERVATION
    MALFORMED_MESSAGE = PbStatus.MALFORMED_MESSAGE


REFUSALS: Final[Mapping[int, str]] = {
    RelayStatus.CONNECTION_FAILED: "The relay did not reach them.",
    RelayStatus.NO_RESERVATION: "They do not listen at this relay.",
    RelayStatus.PERMISSION_DENIED: "This relay does not serve us.",
    RelayStatus.RESERVATION_REFUSED: "This relay has no room.",
    RelayStatus.RESOURCE_LIMIT_EXCEEDED: "This relay has no room.",
}


class Framed(Protocol):
    """A stream that is read a frame at a time."""

    async def message(self, most: int) -> bytes:
        """Read one frame, and leave what comes behind it."""

    async def write(self, data: bytes, *, last: bool = False) -> None:
        """Write all of it."""


class RelayRefusedError(Exception):
    """The relay said no, or something that it cannot mean."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(REFUSALS.get(status, "The relay did not do it."))


@dataclass(frozen=True)
class RelayRequest:
    """What somebody asks a relay for."""

    reserve: bool
    """A place to be reached at; otherwise a circuit."""
    to: PeerId | None
    """Whom the circuit shall lead to."""


# --- who is behind a relay, or wants to reach them ------------------------------------------------


async def reserve(stream: Framed) -> int:
    """Ask for a place; gives the second until which it holds. Raises ``RelayRefusedError``."""
    await stream.write(frame(HopMessage(type=HopMessage.RESERVE).SerializeToString()))
    said = await _status(stream)
    if not said.HasField("reservation"):
        raise RelayRefusedError(RelayStatus.MALFORMED_MESSAGE)
    return int(said.reservation.expire)


async def connect(stream: Framed, to: PeerId) -> None:
    """Ask for a circuit: what is read and written from then on is theirs, and whose, Noise has to
    prove. Raises ``RelayRefusedError``.
    """
    asked = HopMessage(type=HopMessage.CONNECT, peer=PeerField(id=ID.from_string(to).to_bytes()))
    await stream.write(frame(asked.SerializeToString()))
    await _status(stream)


async def admit(stream: Framed) -> None:
    """Take a circuit that a relay brings. Whom it says that it comes from is not looked at: it
    could say anything, and could find out by it whom this node knows. Raises
    ``RelayRefusedError``.
    """
    try:
        said = StopMessage.FromString(await stream.message(LONGEST))
    except DecodeError:
        raise RelayRefusedError(RelayStatus.MALFORMED_MESSAGE) from None
    if said.type != StopMessage.CONNECT:
        raise RelayRefusedError(RelayStatus.MALFORMED_MESSAGE)
    await stream.write(
        frame(StopMessage(type=StopMessage.STATUS, status=PbStatus.OK).SerializeToString())
    )


async def _status(stream: Framed) -> HopMessage:
    try:
        said = HopMessage.FromString(await stream.message(LONGEST))
    except DecodeError:
        raise RelayRefusedError(RelayStatus.MALFORMED_MESSAGE) from None
    if said.type != HopMessage.STATUS or said.status != PbStatus.OK:
        raise RelayRefusedError(int(said.status))
    return said


# --- the relay ------------------------------------------------------------------------------------


def read_request(data: bytes) -> RelayRequest | None:
    """Read what a relay is asked for; ``None`` for what is nothing it could be asked."""
    try:
        said = HopMessage.FromString(data)
        if said.type == HopMessage.RESERVE:
            return RelayRequest(reserve=True, to=None)
        if said.type != HopMessage.CONNECT or not 0 < len(said.peer.id) <= MOST_ID:
            return None
        return RelayRequest(reserve=False, to=PeerId(str(ID(said.peer.id))))
    except DecodeError:
        return None


def status(code: RelayStatus) -> bytes:
    """Write an answer without anything in it."""
    return frame(
        HopMessage(type=HopMessage.STATUS, status=PbStatus.ValueType(code)).SerializeToString()
    )


def reserved(until: int, addresses: list[str], relay: PeerId, limit: tuple[int, int]) -> bytes:
    """Write that a place is kept until a second; ``addresses``: where the relay is dialled;
    ``limit``: seconds and bytes of a circuit.
    """
    kept = Reservation(
        expire=until, addrs=[Multiaddr(f"{each}/p2p/{relay}").to_bytes() for each in addresses]
    )
    return _with_limit(
        HopMessage(type=HopMessage.STATUS, status=PbStatus.OK, reservation=kept), limit
    )


def connected(limit: tuple[int, int]) -> bytes:
    """Write that a circuit stands, and how many seconds and bytes it may take."""
    return _with_limit(HopMessage(type=HopMessage.STATUS, status=PbStatus.OK), limit)


def announced_circuit(by: PeerId, limit: tuple[int, int]) -> bytes:
    """Write to whoever keeps a place that somebody wants to reach them."""
    said = StopMessage(
        type=StopMessage.CONNECT, peer=PeerField(id=ID.from_string(by).to_bytes()), limit=_of(limit)
    )
    return frame(said.SerializeToString())


async def taken(stream: Framed) -> bool:
    """Read whether they take a circuit."""
    try:
        said = StopMessage.FromString(await stream.message(LONGEST))
    except DecodeError:
        return False
    return bool(said.type == StopMessage.STATUS and said.status == PbStatus.OK)


def _with_limit(message: HopMessage, limit: tuple[int, int]) -> bytes:
    message.limit.CopyFrom(_of(limit))
    return frame(message.SerializeToString())


def _of(limit: tuple[int, int]) -> Limit:
    return Limit(duration=limit[0], data=limit[1])
