"""From a socket to a connection of streams: Noise and nothing else, yamux and nothing else.

Built from libp2p's parts and not from its host, whose swarm holds the place of every connection
that ever came in until it ends (ADR 0013). What comes before the other side is known may take a few
kilobytes and two seconds, no more.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import Any, Final

import trio
from libp2p.crypto.ed25519 import create_new_key_pair
from libp2p.crypto.x25519 import create_new_key_pair as create_noise_key_pair
from libp2p.custom_types import TProtocol
from libp2p.io.abc import ReadWriteCloser
from libp2p.io.exceptions import IOException
from libp2p.io.trio import TrioTCPStream
from libp2p.network.connection.raw_connection import RawConnection
from libp2p.peer.id import ID
from libp2p.protocol_muxer.generic_selector import GenericMultistreamSelector
from libp2p.security.noise.transport import PROTOCOL_ID as NOISE
from libp2p.security.noise.transport import Transport as Noise
from libp2p.security.security_multistream import SecurityMultistream
from libp2p.stream_muxer.exceptions import MuxedConnError, MuxedStreamError
from libp2p.stream_muxer.yamux.yamux import PROTOCOL_ID as YAMUX
from libp2p.stream_muxer.yamux.yamux import YamuxStream

from lpm_kernel.peer import circuit, muxer
from lpm_kernel.peer.muxer import BoundedYamux
from protocol import limits
from protocol.encoding import frame, frame_length
from protocol.identity import PeerId
from protocol.refusals import Refusal

SMP: Final = "/smp/1"
UPGRADE_SECONDS: Final = 2
"""From the opening of a socket to a connection whose other side is known."""
DIAL_SECONDS: Final = 10
UPGRADE_BYTES: Final = 16_384
"""What may come in until then. A handshake takes less than two thousand."""
NEGOTIATION_BYTES: Final = 1_024
"""What may come in until a stream has its protocol."""
PIECE: Final = 65_536
LONGEST_ADDRESS: Final = 128
MULTISTREAM: Final = "/multistream/1.0.0"
_ADDRESS: Final = re.compile(
    r"/(?:ip4|ip6|dns|dns4|dns6)/([^/]{1,100})/tcp/([0-9]{1,5})"
    r"(?:/p2p/([1-9A-HJ-NP-Za-km-z]{1,80}))?(/p2p-circuit(?:/p2p/([1-9A-HJ-NP-Za-km-z]{1,80}))?)?"
)
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
"""A part of a host name."""

Trouble = (
    IOException,
    MuxedConnError,
    MuxedStreamError,
    OSError,
    EOFError,
    trio.BrokenResourceError,
    trio.ClosedResourceError,
)
"""What a wire breaks with."""
Asked = Callable[["Stream", "Connection"], Awaitable[None]]
"""What is done with a stream that the other side opened."""


class WireError(Exception):
    """The other side could not be reached, or does not speak this."""


class _Counted(TrioTCPStream):  # type: ignore[misc]  # libp2p publishes no types
    """A socket from which only so much may come until ``allowance`` is lifted; from then on it is
    read in larger pieces than are asked for.
    """

    def __init__(self, stream: Any) -> None:  # noqa: ANN401  a socket, or a stream through a relay
        super().__init__(stream)
        self.read_lock, self.write_lock = muxer.Latch(), muxer.Latch()
        self.allowance: int | None = UPGRADE_BYTES
        self._ahead = bytearray()

    async def read(self, n: int | None = None) -> bytes:
        if self.allowance is None:
            if not self._ahead and n != 0:
                self._ahead += await self._some(PIECE)
            data = bytes(self._ahead[:n])
            del self._ahead[: len(data)]
            return data
        if self.allowance == 0:
            raise IOException("more than a handshake takes")
        data = bytes(await self._some(self.allowance if n is None else min(n, self.allowance)))
        if not data and n != 0:
            raise IOException("ended")
        self.allowance -= len(data)
        return data

    async def _some(self, n: int) -> bytes:
        return bytes(await super().read(n))


class _Carried(_Counted):
    """A stream of a connection to a relay, in the place of a socket. It ends as a socket does."""

    stream: Stream

    async def _some(self, n: int) -> bytes:
        try:
            return await self.stream.read(n) if n else b""
        except (WireError, *Trouble):
            return b""

    async def write(self, data: bytes) -> None:
        async with self.write_lock:
            try:
                await self.stream.write(data)
            except Trouble as error:
                raise IOException("the relay ended it") from error

    async def close(self) -> None:
        await self.stream.close()

    def get_remote_address(self) -> tuple[str, int] | None:
        """Leave it out: a relay has one, and it says nothing of who is behind."""
        return None


@dataclass
class Stream:
    """One stream: bytes in, bytes out, after the two sides agreed on what it speaks
    (multistream-select).

    What has to be said about that travels with the first bytes that have to be said anyway.
    ``allowance`` bounds what is read meanwhile.
    """

    raw: YamuxStream
    first: bool = False
    """Whether the other side has yet to learn of it."""
    allowance: int | None = NEGOTIATION_BYTES
    _came: bytearray = field(default_factory=bytearray, repr=False)
    _unsaid: bytearray = field(default_factory=bytearray, repr=False)
    _expected: list[str] = field(default_factory=list)
    """What they have to say before anything else is read."""

    def ask_for(self, protocol: str) -> None:
        """Say which protocol it shall speak, with the first bytes that are written; what they say
        to it is read before their first bytes.
        """
        self._expected = [MULTISTREAM, protocol]
        self._unsaid += b"".join(map(_line, self._expected))

    async def read(self, n: int | None = PIECE, *, saying: bool = True) -> bytes:
        """Read some bytes. Raises one of ``Trouble`` at the end, as libp2p does, and ``WireError``
        where they do not speak what was asked for.

        ``saying``: what is left to say of the protocol is said first, since they may wait for it.
        """
        await self._agreed()
        if not self._came:
            await self._more(saying=saying)
        data = bytes(self._came[: None if n is None or n < 0 else n])
        del self._came[: len(data)]
        return data

    async def message(self, most: int) -> bytes:
        """Read one frame, and leave what comes behind it. Raises as ``read`` does, and
        ``WireError`` for one that is longer, or none.
        """
        await self._agreed()
        while True:
            try:
                length = frame_length(bytes(self._came[: limits.VARINT]), most)
            except Refusal:
                raise WireError("They do not say what belongs here.") from None
            if length is not None and len(self._came) >= sum(length):
                data = bytes(self._came[length[1] : sum(length)])
                del self._came[: sum(length)]
                return data
            await self._more()

    async def _agreed(self) -> None:
        """Read what they have to say to the protocol that was asked for."""
        while self._expected:
            expected = self._expected[0]
            if await self._said() != expected:
                raise WireError(f"They do not speak {expected}.")
            del self._expected[0]
            self.allowance = self.allowance if self._expected else None

    async def _more(self, *, saying: bool = True) -> None:
        if saying and self._unsaid:
            await self.write(b"")
        most = PIECE if self.allowance is None else min(PIECE, self.allowance)
        if most == 0:
            raise IOException("more than an agreement takes")
        data = await muxer.read(self.raw, most)
        self._came += data
        if self.allowance is not None:
            self.allowance -= len(data)

    async def _said(self) -> str:
        """Read one line of an agreement."""
        while True:
            try:
                length = frame_length(bytes(self._came[:3]), NEGOTIATION_BYTES)
            except Refusal:
                raise IOException("no line of an agreement") from None
            if length is not None and len(self._came) >= sum(length):
                line = bytes(self._came[length[1] : sum(length)])
                del self._came[: sum(length)]
                return line.decode("utf-8", "replace").removesuffix("\n")
            await self._more()

    async def agree(self, protocols: Sequence[str]) -> str | None:
        """Answer what they ask for; ``None`` where there is nothing to agree on. What is said to it
        goes with the first bytes that are written.
        """
        if await self._said() != MULTISTREAM:
            return None
        self._unsaid += _line(MULTISTREAM)
        while True:
            asked = await self._said()
            if asked in protocols:
                self._unsaid += _line(asked)
                self.allowance = None
                return asked
            self._unsaid += _line("\n".join(protocols) + "\n" if asked == "ls" else "na")

    async def write(self, data: bytes, *, last: bool = False) -> None:
        """Write all of it. ``last``: nothing comes after it."""
        said, first = bytes(self._unsaid) + data, self.first
        self._unsaid.clear()
        self.first = False
        await muxer.write(self.raw, said, first=first, last=last)

    @property
    def behind(self) -> bytes | None:
        """What came in and was not read: a byte of it, to show that there is something; ``None``
        once they broke the stream off. Any thread may look.
        """
        return (
            None
            if self.raw.reset_received
            else bytes(
                (self._came or self.raw.conn.stream_buffers.get(self.raw.stream_id, b""))[:1]
            )
        )

    async def close(self) -> None:
        """Say that nothing more comes, and read nothing more."""
        with suppress(*Trouble):
            if not self.raw.send_closed:
                await self.write(b"", last=True)
            await muxer.forget(self.raw)

    async def finish(self) -> None:
        """Be done with a stream whose answer came. Who asks ends their half here and not before:
        some would take that for the end of all (ADR 0021).
        """
        await muxer.finish(self.raw)

    async def leave(self) -> None:
        """Be done with it: drop it, unless its end was said."""
        if not self.raw.send_closed:
            await self.reset()
        else:
            await muxer.forget(self.raw)

    async def reset(self) -> None:
        """Drop it, both ways."""
        with suppress(*Trouble):
            await (muxer.drop(self.raw) if self.first else self.raw.reset())

    def get_remote_address(self) -> tuple[str, int] | None:
        """Leave it out: nobody here decides by an address."""
        return None


def _line(words: str) -> bytes:
    return frame(words.encode() + b"\n")


ReadWriteCloser.register(Stream)


@dataclass
class Connection:
    """A connection whose other side Noise proved."""

    peer: PeerId
    muxer: BoundedYamux
    protocols: frozenset[str]
    """What is answered here."""
    streams: int = 0
    """How many of theirs are open."""
    opened: int = 0
    """How many a stranger opened in all."""
    greeted: bool = False
    """Whether one of them was for a hello."""
    used: float = field(default_factory=trio.current_time)
    """When the last one was opened or ended."""
    identified: trio.Event = field(default_factory=trio.Event)
    """Set once they were told where this node listens."""
    asked: int = 0
    """How many of ours are open."""
    answered: trio.Event = field(default_factory=trio.Event)
    """Set once something of ours was answered."""
    leaving: bool = False
    """Whether nothing more is begun here."""

    @property
    def busy(self) -> bool:
        """Whether something is under way."""
        return self.streams + self.asked > 0

    place: str = ""
    """The network that they come from, where somebody counts by it."""
    relayed: bool = False
    """Whether it goes through a relay."""
    kept_until: float = 0.0
    """Until when it stays though nothing is asked on it: a place is kept for them here."""

    def cut(self) -> None:
        """End it without a word."""
        self.muxer.shut()

    @property
    def over(self) -> bool:
        """Whether it ended."""
        return bool(self.muxer.event_shutting_down.is_set())

    async def ended(self) -> None:
        """Wait until it ended."""
        await self.muxer.event_shutting_down.wait()

    @asynccontextmanager
    async def stream(self, protocol: str) -> AsyncIterator[Stream]:
        """Open a stream of a protocol; it is broken off where the block ends before it was closed.
        Raises ``WireError`` where the connection ended; reading raises it where they do not speak
        that.
        """
        try:
            stream = Stream(await self.muxer.begin_stream(), first=True)
        except Trouble as error:
            raise WireError("The connection ended.") from error
        stream.ask_for(protocol)
        self.asked += 1
        try:
            yield stream
        finally:
            self.asked -= 1
            self.used = trio.current_time()
            with trio.move_on_after(1) as leaving:
                leaving.shield = True
                await stream.leave()

    async def accept(self) -> Stream:
        """Wait for a stream that they open. Raises one of ``Trouble`` once the connection ended."""
        return Stream(await self.muxer.accept_stream())

    async def agree(self, stream: Stream) -> str | None:
        """Agree on what a stream speaks; ``None`` where there is nothing to agree on."""
        try:
            with trio.fail_after(UPGRADE_SECONDS):
                return await stream.agree(sorted(self.protocols))
        except (trio.TooSlowError, *Trouble):
            return None


class Wire:
    """Turns sockets into connections, under one transport key."""

    def __init__(self, transport_seed: bytes) -> None:
        keys = create_new_key_pair(transport_seed)
        self.peer = PeerId(str(ID.from_pubkey(keys.public_key)))
        self.public_key = keys.public_key
        self._security = SecurityMultistream(
            {NOISE: Noise(keys, create_noise_key_pair().private_key)}
        )
        self._muxers: GenericMultistreamSelector[type[BoundedYamux]] = GenericMultistreamSelector()
        self._muxers.add_handler(TProtocol(YAMUX), BoundedYamux)

    @asynccontextmanager
    async def dialled(
        self,
        address: str,
        peer: PeerId,
        protocols: frozenset[str] = frozenset(),
        answer: Asked | None = None,
        patience: float = DIAL_SECONDS,
    ) -> AsyncIterator[Connection]:
        """Connect to a node that has to prove to be this peer; ``answer`` gets what they ask
        meanwhile; ``patience``: seconds until somebody has to answer at the address. Raises
        ``WireError``.
        """
        relay = relay_of(address)
        async with (
            self._socket(address, peer, patience)
            if relay is None
            else self._circuit(address, relay, peer)
        ) as counted:
            try:
                with trio.fail_after(2 * UPGRADE_SECONDS):
                    raw = RawConnection(counted, True)
                    secured = await self._security.secure_outbound(raw, ID.from_string(peer))
                    muxer = await self._muxed(secured, peer)
            except Exception as error:
                raise WireError("They are not who they should be, or do not speak this.") from error
            counted.allowance = None
            made = Connection(peer, muxer, protocols, relayed=relay is not None)
            async with _running(made, answer) as connection:
                yield connection

    @asynccontextmanager
    async def _socket(self, address: str, peer: PeerId, patience: float) -> AsyncIterator[_Counted]:
        """Open a socket to an address."""
        place = where(address, peer)
        if place is None:
            raise WireError("This address cannot be dialled.")
        try:
            with trio.fail_after(patience):
                socket = await trio.open_tcp_stream(*place)
        except (OSError, trio.TooSlowError) as error:
            raise WireError("Nobody answers at this address.") from error
        async with socket:
            yield _Counted(socket)

    @asynccontextmanager
    async def _circuit(self, address: str, relay: PeerId, peer: PeerId) -> AsyncIterator[_Counted]:
        """Have a relay open a circuit to a peer."""
        if where(address, peer) is None:
            raise WireError("This address cannot be dialled.")
        async with (
            self.dialled(address.partition(circuit.CIRCUIT)[0], relay) as connection,
            connection.stream(circuit.HOP) as stream,
        ):
            try:
                with trio.fail_after(DIAL_SECONDS):
                    await circuit.connect(stream, peer)
            except (circuit.RelayRefusedError, trio.TooSlowError, *Trouble) as error:
                raise WireError("The relay does not reach them.") from error
            yield _Carried(stream)

    async def proved(self, opened: trio.SocketStream | Stream) -> tuple[PeerId, Any]:
        """Let Noise prove who is at the other end of a socket that came in, or of a circuit that a
        relay brought. Raises whatever they break it with.
        """
        counted = _Carried(opened) if isinstance(opened, Stream) else _Counted(opened)
        secured = await self._security.secure_inbound(RawConnection(counted, False))
        return PeerId(str(secured.get_remote_peer())), (secured, counted)

    @asynccontextmanager
    async def accepted(
        self,
        peer: PeerId,
        proof: Any,  # noqa: ANN401  libp2p's, from ``proved``
        protocols: frozenset[str],
        answer: Asked,
    ) -> AsyncIterator[Connection]:
        """Go on with a connection that was let in."""
        secured, counted = proof
        with trio.fail_after(UPGRADE_SECONDS):
            muxer = await self._muxed(secured, peer)
        counted.allowance = None
        made = Connection(peer, muxer, protocols, relayed=isinstance(counted, _Carried))
        async with _running(made, answer) as connection:
            yield connection

    async def _muxed(self, secured: Any, peer: PeerId) -> BoundedYamux:  # noqa: ANN401  libp2p's
        await self._muxers.select(secured, secured.is_initiator, UPGRADE_SECONDS)
        return BoundedYamux(secured, ID.from_string(peer), is_initiator=secured.is_initiator)


@asynccontextmanager
async def _running(connection: Connection, answer: Asked | None) -> AsyncIterator[Connection]:
    """Let the muxer run, and answer what they open, until the block ends. What the block raises
    leaves as it is.
    """
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_muxing, connection.muxer)
            await connection.muxer.event_started.wait()
            nursery.start_soon(_accepting, connection, answer)
            try:
                yield connection
            finally:
                nursery.cancel_scope.cancel()
    except BaseExceptionGroup as several:
        if len(several.exceptions) == 1:
            raise several.exceptions[0] from None
        raise


async def _muxing(muxer: BoundedYamux) -> None:
    try:
        await muxer.start()
    finally:  # where the other side is gone before it has begun, libp2p's own says neither
        muxer.shut()
        muxer.event_started.set()


async def _accepting(connection: Connection, answer: Asked | None) -> None:
    async with trio.open_nursery() as nursery:
        while not connection.over:
            try:
                stream = await connection.accept()
            except Trouble:
                return
            if answer is None:
                await stream.reset()
            else:
                nursery.start_soon(answer, stream, connection)


def where(address: str, peer: PeerId | None = None) -> tuple[str, int] | None:
    """Read an address that can be dialled: host and port, which are a relay's where it goes through
    one. ``None`` for another one, one that names another peer, one that says of its host what that
    is not, and one of more than 128 characters: who is told of that could not write it down.

    >>> where("/ip4/192.0.2.7/tcp/4001"), where("/ip4/192.0.2.7/udp/4001/quic-v1")
    (('192.0.2.7', 4001), None)
    >>> where("/dns4/localhost/tcp/4001"), where("/ip4/localhost/tcp/4001"), where("/ip6/::1/tcp/1")
    (('localhost', 4001), None, ('::1', 1))
    >>> where("/ip4/192.0.2.7/tcp/4001/p2p/12D3KooWR/p2p-circuit")
    ('192.0.2.7', 4001)
    """
    found = _ADDRESS.fullmatch(address)
    if found is None or len(address) > LONGEST_ADDRESS or not 0 < int(found[2]) < 2**16:
        return None
    if not _is_host(address.split("/")[1], found[1]):
        return None
    through, named = found[4], found[5] if found[4] else found[3]
    if (through and found[3] is None) or (named is not None and named != peer):
        return None
    return found[1], int(found[2])


def _is_host(kind: str, host: str) -> bool:
    """Tell whether a host is of the kind that an address says."""
    if kind.startswith("dns"):
        return all(map(_NAME.fullmatch, host.removesuffix(".").split(".")))
    try:
        return ip_address(host).version == int(kind[-1]) and "%" not in host
    except ValueError:
        return False


def network_of(address: str) -> str:
    """Return by what a place is counted that somebody comes from: an address of IPv4, and the 64
    bits of IPv6 that one household has.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3::4"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7')
    >>> network_of("/p2p/12D3KooWR")
    '/p2p/12D3KooWR'
    """
    try:
        read = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(read, IPv4Address):
        return str(read)
    if read.ipv4_mapped is not None:
        return str(read.ipv4_mapped)
    return str(IPv6Network((int(read) >> 64 << 64, 64)))


def relay_of(address: str) -> PeerId | None:
    """Name the relay that an address goes through; ``None`` where it goes through none.

    >>> relay_of("/ip4/192.0.2.7/tcp/4001/p2p/12D3KooWR/p2p-circuit"), relay_of("/ip4/::/tcp/1")
    ('12D3KooWR', None)
    """
    found = _ADDRESS.fullmatch(address)
    return PeerId(found[3]) if found is not None and found[4] and found[3] else None


def address_of(host: str, port: int) -> str:
    """Write an address.

    >>> address_of("127.0.0.1", 4001), address_of("::1", 4001)
    ('/ip4/127.0.0.1/tcp/4001', '/ip6/::1/tcp/4001')
    """
    return f"/{'ip6' if ':' in host else 'ip4'}/{host}/tcp/{port}"
