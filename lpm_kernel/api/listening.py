"""Listening: waitress, with limits for callers whom nobody knows yet.

Waitress reads a whole request before the application sees it, closes nobody who sends a byte now
and then, and stops to listen at its limit of connections. Here each phase of a request has its
time; a large body is read only after the gate has let its headers in; and at the limit the oldest
connection that nobody works for makes room, also one whose answer is not taken.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from socket import SHUT_RDWR, socket
from threading import Lock
from typing import Any

from flask import Flask
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import MultiSocketServer, TcpWSGIServer

from lpm_kernel.api import gate
from lpm_kernel.api.encryption import Encryption
from lpm_kernel.api.lanes import Lanes

UNASKED = 65_536
"""Bytes of a body that are read before anybody asks whose it is; they stay in memory."""
MOST_CONNECTIONS = 400
SPARE_CONNECTIONS = 20
"""Below that limit, places that are kept free for who comes next."""
MOST_HEADERS = 65_536

Admits = Callable[[str, str, dict[str, str]], bool]
"""Tells by method, path and headers whether the gate lets a request in."""


@dataclass(frozen=True)
class Patience:
    """How long, and how many, callers may keep the node waiting."""

    header_seconds: float = 10.0
    """From the connection, or the first byte of a request, to the end of its headers."""
    body_seconds: float = 30.0
    bytes_a_second: int = 20_000
    """What a body brings at least, after ``body_seconds``."""
    idle_seconds: float = 75.0
    """Between two requests, and for an answer that nobody takes."""
    silent: int = 128
    """Connections that ask nothing, from everywhere."""
    silent_from_one: int = 64
    """The same from one address."""


def admits(app: Flask) -> Admits:
    """Return a function that asks the gate of the application."""

    def ask(method: str, path: str, headers: dict[str, str]) -> bool:
        environ = {f"HTTP_{name}": value for name, value in headers.items()}
        environ |= {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "0",
            "wsgi.url_scheme": "http",
        }
        with app.request_context(environ):
            # everybody waits for this thread
            return gate.wants_body(path) and gate.refusal(note=False) is None

    return ask


class Parser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request that is answered by its headers alone where the gate would refuse it: the body is
    never read.
    """

    body_rcv: Any = None

    def __init__(self, adj: Adjustments, let_in: Admits) -> None:
        super().__init__(adj)
        self._let_in = let_in
        self._was_asked = False

    def received(self, data: bytes) -> int:
        """Take in bytes; say how many."""
        taken: int = super().received(data)
        if self.headers_finished and not self._was_asked and self.error is None and not self.empty:
            self._was_asked = True
            large = self.chunked or self.content_length > UNASKED
            if large and not self._let_in(self.command, f"/{self.path.lstrip('/')}", self.headers):
                self._without_body()
                return len(data)
        return taken

    def _without_body(self) -> None:
        if self.body_rcv is not None:
            self.body_rcv.getfile().close()
        self.body_rcv, self.chunked, self.content_length = None, False, 0
        self.headers["CONTENT_LENGTH"] = "0"
        self.headers["CONNECTION"] = "close"  # what still comes is no request
        self.expect_continue, self.connection_close, self.completed = False, True, True


class TimedChannel(HTTPChannel):  # type: ignore[misc]  # as above
    """A connection that knows since when it keeps the node waiting."""

    begun = 0.0
    served = False

    def __init__(self, server: ListeningSocket, *given: Any, **named: Any) -> None:  # noqa: ANN401  waitress' own
        self.parser_class = lambda adj: Parser(adj, server.let_in)
        super().__init__(server, *given, **named)

    def received(self, data: bytes) -> bool:
        """Take in bytes of a request, and note when it began."""
        if self.request is None:
            self.begun = time.time()
        return bool(super().received(data))

    def service(self) -> None:
        """Answer a request."""
        self.served = True
        super().service()

    def is_silent(self) -> bool:
        """Tell whether nothing was asked, or everything was answered."""
        return not self.requests and not self.total_outbufs_len

    def is_idle(self) -> bool:
        """Tell whether nobody works for it: it asks nothing, or has yet to take its answer."""
        return not self.requests and not self.will_close

    def drop(self) -> None:
        """Have it closed: by the loop, which hears of a connection that takes nothing only when
        that is shut down.
        """
        self.will_close = True
        with suppress(OSError):
            self.socket.shutdown(SHUT_RDWR)

    def is_overdue(self, now: float, patience: Patience) -> bool:
        """Tell whether it has kept the node waiting for too long."""
        request = self.request
        if self.total_outbufs_len:
            return bool(now - self.last_activity > patience.idle_seconds)
        if self.requests:
            return False
        if request is None:
            return bool(
                now - self.last_activity
                > (patience.idle_seconds if self.served else patience.header_seconds)
            )
        if not request.headers_finished:
            return now - self.begun > patience.header_seconds
        return bool(
            now - self.begun
            > patience.body_seconds + request.body_bytes_received / patience.bytes_a_second
        )


class _UnfinishedError(Exception):
    """More has to come before anything can be read."""


class EncryptedChannel(TimedChannel):
    """A connection over TLS. The loop reads and a worker may write: one at a time."""

    is_shaken = False

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  waitress' own
        self._one_at_a_time = Lock()
        super().__init__(*given, **named)

    def handle_read(self) -> None:
        """Go on with the handshake, then take in whatever came."""
        try:
            if not self.is_shaken:
                with self._one_at_a_time:
                    self.socket.do_handshake()
                self.is_shaken = True
            super().handle_read()
            while self.connected and self.socket.pending():  # what no poll tells of
                super().handle_read()
        except (_UnfinishedError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return
        except OSError:  # who speaks no TLS, or believes us not
            self.handle_close()

    def recv(self, buffer_size: int) -> bytes:
        """Read; raises ``_UnfinishedError`` where a record is not whole yet, since waitress closes
        at any ``OSError``.
        """
        try:
            with self._one_at_a_time:
                data = bytes(self.socket.recv(buffer_size))
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise _UnfinishedError from None
        if not data:
            self.handle_close()
        return data

    def send(self, data: bytes, do_close: bool = True) -> int:
        """Write what can be written now, and say how much."""
        try:
            with self._one_at_a_time:
                return int(self.socket.send(data))
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0
        except OSError:
            if not do_close:
                raise
            self.handle_close()
            return 0


class ListeningSocket(TcpWSGIServer):  # type: ignore[misc]  # as above
    """A socket that is listened to."""

    channel_class = TimedChannel

    encryption: Encryption | None = None

    def __init__(self, app: Flask, lanes: Lanes, patience: Patience, **named: Any) -> None:  # noqa: ANN401  waitress' own
        self.let_in = admits(app)
        self.patience, self.lanes = patience, lanes
        super().__init__(app, dispatcher=lanes, **named)

    def accept(self) -> tuple[socket, Any] | None:
        """Take a connection, encrypted where that is wanted."""
        taken = super().accept()
        if taken is None or self.encryption is None:
            return taken  # type: ignore[no-any-return]  # as above
        connection, address = taken
        try:
            return self.encryption.wrap(connection), address
        except OSError:  # it has gone already
            connection.close()
            return None

    def handle_accept(self) -> None:
        """Take a connection; where too many are silent, the oldest of them goes, and where there is
        no room, the oldest that is idle.
        """
        super().handle_accept()
        idle = [
            active_channel
            for active_channel in self.active_channels.values()
            if active_channel.is_idle()
        ]
        if idle and len(self.active_channels) > self.adj.connection_limit - SPARE_CONNECTIONS:
            min(idle, key=lambda each: each.creation_time).drop()
        silent = [each for each in idle if each.is_silent() and not each.will_close]
        newest = max(silent, key=lambda each: each.creation_time, default=None)
        if newest is None:
            return
        alike = [each for each in silent if each.addr[0] == newest.addr[0]]
        for some, most in ((alike, self.patience.silent_from_one), (silent, self.patience.silent)):
            if len(some) > most:
                min(some, key=lambda each: each.last_activity).drop()

    def maintenance(self, now: float) -> None:
        """Close who keeps the node waiting, and send away who was kept waiting for too long."""
        for channel in self.active_channels.values():
            if channel.is_overdue(now, self.patience):
                channel.drop()
        self.lanes.sweep()
        if self.encryption is not None:
            self.encryption.renew()


def listen(
    app: Flask,
    host: str,
    port: int,
    most_body: int,
    patience: Patience = Patience(),
    lanes: Lanes | None = None,
) -> ListeningSocket | MultiSocketServer:
    """Return a server for every address that the host name has. Raises ``OSError`` where the port
    is taken.
    """
    adj = Adjustments(
        host=host,
        port=port,
        channel_request_lookahead=1,  # what lets the server notice that a client has gone away
        max_request_body_size=most_body,
        max_request_header_size=MOST_HEADERS,
        connection_limit=MOST_CONNECTIONS,
        cleanup_interval=1,
        asyncore_use_poll=True,
        ident=None,
        clear_untrusted_proxy_headers=True,
    )
    channels: dict[int, Any] = {}
    lanes = lanes or Lanes()
    servers = [
        ListeningSocket(app, lanes, patience, map=channels, adj=adj, sockinfo=info)
        for info in adj.listen
    ]
    if len(servers) == 1:
        return servers[0]
    places = [(each.effective_host, each.effective_port) for each in servers]
    return MultiSocketServer(channels, adj, places, lanes, servers[-1].log_info)


def encrypt(server: ListeningSocket | MultiSocketServer, encryption: Encryption) -> None:
    """Have a server that does not run yet speak TLS and nothing else."""
    sockets = server.map if isinstance(server, MultiSocketServer) else server._map  # noqa: SLF001  waitress has no other way
    for each in sockets.values():
        if isinstance(each, ListeningSocket):
            each.encryption, each.channel_class = encryption, EncryptedChannel
            each.adj.url_scheme = "https"
