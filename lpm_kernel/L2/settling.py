"""Processes that learn, with memory that stays theirs from step to step."""

from __future__ import annotations

import os
import sys
import threading
import time

SETTLED = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "20000000000",
    "MALLOC_TOP_PAD_": "500000000",
    "OMP_WAIT_POLICY": "PASSIVE",
}
"""Every step asks for the same hundreds of megabytes. Without these, glibc gives them back to the
system each time and the page faults cost more than the arithmetic where memory is virtual
(`docs/log.md`); threads that wait must sleep.
"""


def settle(module: str) -> None:
    """Start this process anew with memory that stays; the environment counts only from the start.
    ``module`` is what it runs.
    """
    if sys.platform == "linux" and any(
        os.environ.get(name) != value for name, value in SETTLED.items()
    ):
        os.execve(  # noqa: S606  this very program
            sys.executable, [sys.executable, "-m", module, *sys.argv[1:]], {**os.environ, **SETTLED}
        )


def end_with_parent() -> None:
    """End with who started this process, where `LPM_PARENT` says who that is: a worker that was
    killed leaves nobody behind.
    """
    parent = os.environ.get("LPM_PARENT")

    def watch() -> None:
        while os.getppid() == int(parent or 0):
            time.sleep(1)
        os._exit(1)

    if parent:
        threading.Thread(target=watch, daemon=True).start()
