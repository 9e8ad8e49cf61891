"""A contact who pushes as many bytes as they can: requests of the longest kind that open as
nothing, over connection after connection.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import suppress
from pathlib import Path

import trio

from lpm_kernel.backends.clock import SystemClock
from lpm_kernel.config import Home
from lpm_kernel.peer.wire import SMP, Trouble, Wire, WireError
from lpm_kernel.usecases.share.keys import Keystore
from protocol import limits
from protocol.encoding import frame
from protocol.identity import PeerId

AT_ONCE = 4


async def push(home: str, address: str, peer: str, megabytes: str) -> None:
    """Push so much, once a line came on standard input; a line on standard output says what became
    of it.
    """
    wire = Wire(Keystore(Home(Path(home)), SystemClock()).keys.transport_seed)
    junk, pushed, connections = frame(b"SMP\x01" + bytes(limits.REQUEST - 4)), 0, 0
    await trio.to_thread.run_sync(sys.stdin.readline)
    began = time.monotonic()

    async def one() -> None:
        nonlocal pushed
        while pushed < int(megabytes) * 10**6 and not connection.over:
            async with connection.stream(SMP) as stream:
                await stream.write(junk)
                pushed += len(junk)
                await stream.read()

    while pushed < int(megabytes) * 10**6:
        connections += 1
        with suppress(WireError, *Trouble, ExceptionGroup):
            async with (
                wire.dialled(address, PeerId(peer)) as connection,
                trio.open_nursery() as nursery,
            ):
                for _ in range(AT_ONCE):
                    nursery.start_soon(one)
    print(
        json.dumps(
            {"pushed": pushed, "connections": connections, "seconds": time.monotonic() - began}
        ),
        flush=True,
    )
