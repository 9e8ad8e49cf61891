"""Yamux with a bound on what lies unread, and with as few frames as it needs.

The one that libp2p brings keeps whatever comes in, however much was read of it: 600 MB pushed into
one stream took the process from 86 to 690 MB. This one ends the connection instead. It also says of
each byte that was read that there is room again, in a frame of its own; here that is said once for
many, and the first bytes of a stream open it. The end of a stream travels in a frame of its own,
behind the last bytes: not every implementation takes the two together (ADR 0021).
"""

# ruff: noqa: SLF001 - what libp2p's streams cannot do by themselves
from __future__ import annotations

import struct
from contextlib import suppress
from types import TracebackType
from typing import Any, Final

import trio
from libp2p.peer.id import ID
from libp2p.stream_muxer.exceptions import MuxedStreamError
from libp2p.stream_muxer.yamux.yamux import (
    DEFAULT_WINDOW_SIZE,
    FLAG_FIN,
    FLAG_SYN,
    HEADER_SIZE,
    MAX_MESSAGE_SIZE,
    TYPE_DATA,
    TYPE_PING,
    TYPE_WINDOW_UPDATE,
    YAMUX_HEADER_FORMAT,
    Yamux,
    YamuxStream,
)

MOST_UNREAD: Final = 2 * 2**20
"""Bytes that may wait in all streams of a connection together. The longest answer is half of it."""
MOST_STREAMS: Final = 32
"""Streams of one connection that are remembered at a time, those that nobody has read to the end
included.
"""
PING_SECONDS: Final = 20.0
"""How often a connection is looked at on which somebody may wait."""
LOST_SECONDS: Final = 20.0
"""How long the other side may take to say that it is there. It may be a busy machine."""
_MOST_IN_A_FRAME: Final = MAX_MESSAGE_SIZE - HEADER_SIZE
IN_A_ROW: Final = 16
"""How often a lock is taken before all other tasks have a turn."""


class MuxerOverflowError(trio.TooSlowError):
    """More came than may lie here. Derived from the one error at which the muxer ends a connection
    instead of going on with the next frame.
    """


class Latch:
    """A lock that is taken at once where it is free. trio's own gives every other task a turn
    first, and libp2p takes a dozen for one request.

    Every so often it does the same, so that who sends many small frames keeps nobody waiting.
    """

    def __init__(self) -> None:
        self._lock = trio.Lock()
        self._row = 0

    async def __aenter__(self) -> None:
        """Take it, or wait until it is free."""
        self._row = (self._row + 1) % IN_A_ROW
        if self._row and not self._lock.locked():
            self._lock.acquire_nowait()
        else:
            await self._lock.acquire()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of it."""
        self._lock.release()


class BoundedYamux(Yamux):  # type: ignore[misc]  # libp2p publishes no types
    """A connection of many streams. Who pushes more than is read is cut off."""

    def __init__(self, secured: Any, peer: ID, *, is_initiator: bool) -> None:  # noqa: ANN401  libp2p's
        super().__init__(secured, peer, is_initiator=is_initiator)
        self.streams_lock, self._write_lock = Latch(), Latch()
        self._ping_event: trio.Event = trio.Event()
        self.unsaid = bytearray()
        """Frames that nobody waits for: they leave with the next one that somebody does."""

    async def _read_data_body(self, length: int) -> bytes:
        unread = sum(len(stream_buffer) for stream_buffer in self.stream_buffers.values())
        if unread + length > MOST_UNREAD or len(self.streams) > MOST_STREAMS:
            raise MuxerOverflowError
        return bytes(await super()._read_data_body(length))

    async def _write_frame(self, data: bytes) -> None:
        async with self._write_lock:
            data, self.unsaid = bytes(self.unsaid) + data, bytearray()
            await self.secured_conn.write(data)

    def shut(self) -> None:
        """End it without a word; whoever waits for bytes of a stream hears of it."""
        self.event_shutting_down.set()
        for came in self.stream_events.values():
            came.set()

    async def answers(self, seconds: float) -> bool:
        """Ask whether the other side is there. ``False``: nothing came in so many seconds.

        Several may ask at a time: whatever is answered then says it to all of them.
        """
        self._ping_id += 1
        if self._ping_event.is_set():
            self._ping_event = trio.Event()
        pong = self._ping_event
        self._ping_sent_time = trio.current_time()
        with trio.move_on_after(seconds), suppress(Exception):  # it breaks as the wire does
            await self._write_frame(
                struct.pack(YAMUX_HEADER_FORMAT, 0, TYPE_PING, FLAG_SYN, 0, self._ping_id)
            )
            await pong.wait()
        return pong.is_set()

    async def _measure_rtt_loop(self) -> None:
        """Ask every so often, as libp2p does, and end a connection that fell silent: who waits for
        an answer there asks over another one.
        """
        while not self.event_shutting_down.is_set():
            with trio.move_on_after(PING_SECONDS):
                await self.event_shutting_down.wait()
            if not self.event_shutting_down.is_set() and not await self.answers(LOST_SECONDS):
                self.shut()

    async def begin_stream(self) -> YamuxStream:
        """Make a stream of which the other side learns with its first bytes (:func:`write`)."""
        await self.stream_backlog_semaphore.acquire()
        async with self.streams_lock:
            if self.event_shutting_down.is_set():
                self.stream_backlog_semaphore.release()
                raise MuxedStreamError("Connection is shutting down")
            number = self.next_stream_id
            self.next_stream_id += 2
            stream = self.streams[number] = YamuxStream(number, self, True)
            stream._owns_backlog_slot = True
            self.stream_buffers[number], self.stream_events[number] = bytearray(), trio.Event()
        return stream


async def write(
    stream: YamuxStream, data: bytes, *, first: bool = False, last: bool = False
) -> None:
    """Write all of it. ``first``: these bytes open the stream; ``last``: nothing comes after them,
    which is said in a frame without bytes, handed to the socket together with the last one.
    """
    while first or last or data:
        piece = data[:_MOST_IN_A_FRAME]
        if stream.send_closed or stream.closed:
            raise MuxedStreamError("Stream is closed for sending")
        if stream.send_window < len(piece):  # libp2p's own waits until they have read
            await stream.write(data)
            piece, data = b"", b""
        data = data[len(piece) :]
        ends = last and not data
        stream.send_window -= len(piece)
        stream.send_closed = ends
        frames = _frame(stream, FLAG_SYN * first, piece) if first or piece else b""
        if ends:
            frames += _frame(stream, FLAG_FIN)
        if frames:
            await stream.conn._write_frame(frames)
        first, last = False, last and not ends
    if stream.send_closed:
        stream.closed = stream.recv_closed
        await stream.conn._finalize_stream(stream, fully_closed=stream.closed)


def _frame(stream: YamuxStream, flags: int, data: bytes = b"") -> bytes:
    """Write a frame of a stream: one of data, or the update of a window by nothing, which is what
    flags without data travel in.
    """
    kind = TYPE_DATA if data else TYPE_WINDOW_UPDATE
    return struct.pack(YAMUX_HEADER_FORMAT, 0, kind, flags, stream.stream_id, len(data)) + data


async def read(stream: YamuxStream, most: int) -> bytes:
    """Read some bytes. Raises as libp2p's does at the end."""
    data = bytes(await stream.conn.read_stream(stream.stream_id, most))
    stream._pending_recv_release += len(data)
    if stream._pending_recv_release >= DEFAULT_WINDOW_SIZE // 4 and not stream.recv_closed:
        room, stream._pending_recv_release = stream._pending_recv_release, 0
        stream.recv_window += room
        await stream.send_window_update(room)
    return data


async def drop(stream: YamuxStream) -> None:
    """Forget a stream of which the other side has not learned."""
    stream.closed = stream.send_closed = stream.recv_closed = True
    await stream.conn._finalize_stream(stream, fully_closed=True)


async def finish(stream: YamuxStream) -> None:
    """Say the end of a stream that was read to the last byte with whatever is said next, and forget
    it. A frame of its own would cost both sides a tenth of a short exchange.
    """
    if not stream.send_closed:
        stream.send_closed = True
        stream.conn.unsaid += _frame(stream, FLAG_FIN)
    await forget(stream)


async def forget(stream: YamuxStream) -> None:
    """Remember nothing more of a stream whose end was said here. What still comes of it is thrown
    away, and they need not end theirs: nobody here waits for that.
    """
    stream.closed = stream.recv_closed = True
    stream.conn.stream_buffers.get(stream.stream_id, bytearray()).clear()
    await stream.conn._finalize_stream(stream, fully_closed=True)
