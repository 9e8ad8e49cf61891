"""Yamux with a bound on what lies unread.

The one that libp2p brings keeps whatever comes in, however much was read of it: 600 MB pushed into one stream took the process from
86 to 690 MB. This one ends the connection instead.
"""

from __future__ import annotations

from typing import Final

import trio
from libp2p.stream_muxer.yamux.yamux import Yamux

MOST_UNREAD: Final = 2 * 2**20
"""Bytes that may wait in all streams of a connection together. The longest answer is half of it."""
MOST_STREAMS: Final = 32
"""Streams of one connection that are remembered at a time, those that nobody has read to the end included."""


class TooMuchError(trio.TooSlowError):
    """More came than may lie here. Derived from the one error at which the muxer ends a connection instead of going on with the next frame."""


class BoundedYamux(Yamux):  # type: ignore[misc]  # libp2p publishes no types
    """A connection of many streams. Who pushes more than is read is cut off."""

    async def _read_data_body(self, length: int) -> bytes:
        unread = sum(len(each) for each in self.stream_buffers.values())
        if unread + length > MOST_UNREAD or len(self.streams) > MOST_STREAMS:
            raise TooMuchError
        return bytes(await super()._read_data_body(length))
