"""An application answered over HTTP in a thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from flask import Flask
from waitress import wasyncore
from waitress.server import BaseWSGIServer, create_server

ENDS_WITHIN = 10
"""Seconds."""


@contextmanager
def served(app: Flask, **options: object) -> Iterator[str]:
    """Answer on a port of loopback, with the options of waitress, and give the address."""
    server = create_server(app, host="127.0.0.1", port=0, threads=4, **options)
    with running(server):
        yield f"http://127.0.0.1:{server.effective_port}"


@contextmanager
def running(server: BaseWSGIServer) -> Iterator[None]:
    """Have a server look at its sockets in a thread of its own, and end both."""
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        # By the thread that looks at the sockets: closed from here, one could go while it looks.
        # It may do so, and close what wakes it, before the waking is through.
        with suppress(OSError):
            server.trigger.pull_trigger(lambda: wasyncore.close_all(server._map, ignore_all=True))
        thread.join(ENDS_WITHIN)
        server.task_dispatcher.shutdown(timeout=1)
        assert not thread.is_alive()
