"""The process behind ``lpm work``."""

from __future__ import annotations

import logging
import signal
import threading

from lpm_kernel.config import Home
from lpm_kernel.node import Node
from lpm_kernel.usecases.processes import beat, running_as
from lpm_kernel.worker.loop import work


def run(home: Home) -> None:
    """Work until SIGTERM. Raises ``HomeLockedError`` when a worker runs already."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs every address that it asks
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    home.make()
    with running_as(home, "work"), Node(home, in_process=False) as node:
        threading.Thread(target=beat, args=(home, "work", stop), name="beat", daemon=True).start()
        work(node, stop)
