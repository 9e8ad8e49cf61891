"""Connections to contacts that are open: whoever dialled, both sides ask over them, until nothing
was asked for a while.

A connection may be gone without a word, as where a machine lost its power. So who asks on one on
which nothing was said lately first sees whether the other side is there; and what breaks on a
connection that was open before is dialled for at once (``delivery``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import trio

from lpm_kernel.peer.wire import Connection
from protocol.identity import PeerId

IDLE_SECONDS: Final = 120
"""How long a connection stays on which nothing is asked, unless the person says otherwise."""
RELAYED_SECONDS: Final = 10
"""The same of one that goes through a relay."""
FRESH_SECONDS: Final = 5.0
"""Who asks so soon after the last time does not look whether the other side is still there."""
PONG_SECONDS: Final = 2.0
MOST_DIALLED: Final = 32
"""Connections that are kept because this node dialled; the one that was used least lately gives
way.
"""
LOOK_SECONDS: Final = 1.0


@dataclass
class Connections:
    """Those that are open now, by whom they go to. Belongs to the loop that the host lives in."""

    idle: float = IDLE_SECONDS
    """Seconds that a connection stays on which nothing is asked."""
    _open: dict[PeerId, list[Connection]] = field(default_factory=dict)
    _dialled: list[Connection] = field(default_factory=list)

    @property
    def peers(self) -> list[PeerId]:
        """Whom some go to."""
        return list(self._open)

    def of(self, peer: PeerId) -> list[Connection]:
        """Give those that may be asked over, the one that was used last first."""
        usable = [
            connection
            for connection in self._open.get(peer, [])
            if not connection.over and not connection.leaving
        ]
        return sorted(usable, key=lambda connection: -connection.used)

    async def usable(self, peer: PeerId) -> Connection | None:
        """Give one over which this peer can be asked now; ``None``: they have to be dialled."""
        for connection in self.of(peer):
            fresh = trio.current_time() - connection.used < FRESH_SECONDS
            if fresh or await connection.muxer.answers(PONG_SECONDS):
                return connection
            connection.cut()
        return None

    @contextmanager
    def held(self, connection: Connection, *, dialled: bool = False) -> Iterator[None]:
        """Let a connection be used until the block ends."""
        if dialled:
            self._make_room()
            self._dialled.append(connection)
        self._open.setdefault(connection.peer, []).append(connection)
        try:
            yield
        finally:
            connection.leaving = True
            if dialled:
                self._dialled.remove(connection)
            here = self._open[connection.peer]
            here.remove(connection)
            if not here:
                del self._open[connection.peer]

    async def stay(self, connection: Connection) -> None:
        """Wait until a connection is over: ended by them, or nothing was asked for a while."""
        while not connection.over and (connection.busy or self._keeps(connection)):
            with trio.move_on_after(min(LOOK_SECONDS, self.idle)):
                await connection.ended()

    def leave(self, peer: PeerId, *, at_once: bool) -> None:
        """Begin nothing more over what is open to a peer, and end it: once nothing is under way, or
        ``at_once``.
        """
        for connection in self._open.get(peer, []):
            connection.leaving = True
            if at_once:
                connection.cut()

    def _keeps(self, connection: Connection) -> bool:
        # a circuit takes one of the few places that a relay has
        idle = min(self.idle, RELAYED_SECONDS) if connection.relayed else self.idle
        until = max(connection.used + idle, connection.kept_until)
        return not connection.leaving and trio.current_time() < until

    def _make_room(self) -> None:
        idle = [connection for connection in self._dialled if not connection.busy]
        if len(self._dialled) >= MOST_DIALLED and idle:
            min(idle, key=lambda connection: connection.used).cut()
