"""The worker's loop: look for work, do it, now and then hold the index against the documents."""

from __future__ import annotations

import threading
import time

from lpm_kernel.node import Node

IDLE_SECONDS = 0.3
RECONCILE_EVERY = 60.0
RECOVER_EVERY = 2.0


def work(node: Node, stop: threading.Event) -> None:
    """Work until told to stop; then hand back what is held."""
    node.files.sweep()
    recovered = reconciled = float("-inf")
    while not stop.is_set():
        now = time.monotonic()
        if now - recovered > RECOVER_EVERY:
            node.recover_jobs()
            recovered = now
        if now - reconciled > RECONCILE_EVERY and not node.jobs.active():
            node.reconcile()
            reconciled = now
        if not node.do_one_job():
            stop.wait(IDLE_SECONDS)
    node.jobs.release(node.worker, node.clock.now())
