"""Hosts that are killed: each is forked from a process that has everything imported, since
importing takes longer than an exchange.

    python -m tests.peers_killed

Each line on standard input is a home and a port; there a host begins as ``lpm peer run`` begins it,
with its bound on memory and its look into the outbox, only that it looks twenty times a second,
that a contact may ask as often as they like, and that its answer is always the same and takes up to
a twentieth of a second. The line on standard output is its process id. It ends when this process
does.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from lpm_kernel.config import Home
from lpm_kernel.peer import delivery, pace, process
from lpm_kernel.peer.speaker import Composed
from protocol.events import Asked
from tests.peers import REPLY


def answer(_asked: Asked, _now: int) -> Composed:
    time.sleep(random.random() / 20)
    return Composed(REPLY)


def main() -> None:
    pace.RATES = {verb: pace.Rate(10**6, 0.001) for verb in pace.RATES}  # type: ignore[misc]
    delivery.deliver.__defaults__ = (0.05,)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    kept: list[int] = []  # the other ends of their standard input
    for line in sys.stdin:
        home, port = line.split()
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.dup2(reading, 0)
            os.close(writing)
            for each in kept:
                os.close(each)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            random.seed()
            process.listen(Home(Path(home)), "127.0.0.1", int(port), answer)
            os._exit(0)
        os.close(reading)
        kept.append(writing)
        print(json.dumps({"pid": child}), flush=True)  # noqa: T201  the line that the test reads


if __name__ == "__main__":
    main()
