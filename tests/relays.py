"""A relay in a thread, honest or not, and what it saw."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import trio

from lpm_kernel.peer import circuit
from lpm_kernel.peer.relay import PeerRelay, Place, RelayLimits
from lpm_kernel.peer.relay_process import RelayHost, RelayTerms
from lpm_kernel.peer.reservations import keep_places
from lpm_kernel.peer.wire import Connection, Stream
from protocol.identity import PeerId
from tests.peers import PATIENCE, Peer, until

SEED = bytes(range(32))


@dataclass
class Seen:
    """What a relay was told and what it carried, by stream."""

    asked: list[tuple[PeerId, bytes]] = field(default_factory=list)
    """Who asked on each stream, and the message as it came."""
    carried: dict[int, bytearray] = field(default_factory=dict)
    stops: list[bytes] = field(default_factory=list)
    """What was said to it by whom it called."""


class Watching(Stream):
    """A stream of which everything is kept that came."""

    seen: bytearray

    @classmethod
    def over(cls, stream: Stream, seen: bytearray) -> Watching:
        made = cls(**{name: getattr(stream, name) for name in stream.__dataclass_fields__})
        made.seen = seen
        return made

    async def message(self, most: int) -> bytes:
        data = await super().message(most)
        self.seen += data
        return data

    async def read(self, n: int | None = None, *, saying: bool = True) -> bytes:
        data = await super().read(n, saying=saying)
        self.seen += data
        return data


class WatchedRelay(PeerRelay):
    """A relay that keeps what it sees: what asks for a circuit, and all that comes for it from
    either side.
    """

    seen: Seen
    lies: PeerId | None = None
    """Whom it says that every circuit comes from."""

    async def _join(self, near: Stream, waiting: Connection, by: PeerId) -> None:
        await super()._join(near, waiting, self.lies or by)

    async def answer(self, stream: Stream, connection: Connection) -> None:
        kept = bytearray()
        self.seen.carried[len(self.seen.carried)] = kept
        try:
            await super().answer(Watching.over(stream, kept), connection)
        finally:
            self.seen.asked.append((connection.peer, bytes(kept)))

    async def _carry_both(self, near: Stream, far: Stream) -> None:
        kept = self.seen.carried[len(self.seen.carried)] = bytearray()
        await super()._carry_both(near, Watching.over(far, kept))


class RelayBox:
    """A relay in a thread of its own, that can be ended and started again on the same port."""

    def __init__(
        self, limits: RelayLimits | None = None, only: frozenset[PeerId] = frozenset()
    ) -> None:
        self.terms = RelayTerms(limits or RelayLimits(), 200, 100, only)
        self.interface, self.port, self.seen = "127.0.0.1", 0, Seen()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def relay(self) -> WatchedRelay:
        assert isinstance(self.relaying.relay, WatchedRelay)
        return self.relaying.relay

    @property
    def peer(self) -> PeerId:
        return self.relay.peer

    @property
    def named(self) -> str:
        return self.relaying.host.named[0]

    @property
    def circuit(self) -> str:
        """Where whoever keeps a place here is reached."""
        return self.named + circuit.CIRCUIT

    def start(self) -> None:
        ready = threading.Event()

        async def live() -> None:
            self._token, self._stop = trio.lowlevel.current_trio_token(), trio.Event()
            self.relaying = RelayHost(SEED, self.terms)
            made = self.relaying.relay
            watched = WatchedRelay(
                made.peer, made.limits, made.may_wait, made.may_call, made.addresses
            )
            watched.seen = self.seen
            self.relaying.relay = watched
            self.relaying.host.answers[circuit.HOP] = watched.answer
            async with trio.open_nursery() as nursery:
                await nursery.start(self.relaying.host.run, self.interface, self.port)
                self.port = int(self.relaying.host.addresses[0].rpartition("/")[2])
                ready.set()
                await self._stop.wait()
                nursery.cancel_scope.cancel()

        self._thread = threading.Thread(target=trio.run, args=(live,), daemon=True)
        self._thread.start()
        assert ready.wait(PATIENCE)

    def stop(self) -> None:
        if self._thread is not None:
            self._token.run_sync_soon(self._stop.set)
            self._thread.join(PATIENCE)
            assert not self._thread.is_alive()
            self._thread = None

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401  any function
        """Do something where the relay lives."""
        return trio.from_thread.run(function, *arguments, trio_token=self._token)

    def place(self, peer: Peer) -> Place:
        """Give the place that is kept for somebody."""
        return until(lambda: self.relay.places.get(peer.host.wire.peer))


def watched(interface: str, port: int, kept: Path) -> None:
    """Relay in this process until standard input ends, then write down what was seen."""
    box = RelayBox()
    box.interface, box.port = interface, port
    real = circuit.taken

    async def taken(stream: Any) -> bool:  # noqa: ANN401  a stream, of which one method is replaced
        read = stream.message

        async def message(most: int) -> bytes:
            data: bytes = await read(most)
            box.seen.stops.append(data)
            return data

        object.__setattr__(stream, "message", message)
        return await real(stream)

    object.__setattr__(circuit, "taken", taken)
    with box:
        print(box.named, flush=True)  # noqa: T201  the line that whoever runs it reads
        sys.stdin.read()
    seen = {
        "asked": [[peer, data.hex()] for peer, data in box.seen.asked],
        "stops": [data.hex() for data in box.seen.stops],
        "carried": [bytes(data).hex() for data in box.seen.carried.values()],
    }
    kept.write_text(json.dumps(seen))


def waits_at(peer: Peer, *named: str, look: float = 0.1) -> str:
    """Have somebody keep a place at these relays; gives the first address through one."""
    peer.begin(keep_places, peer.host, lambda: named, look)
    return until(lambda: next(iter(peer.host.circuits.values()), None))
