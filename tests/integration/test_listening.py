"""Strangers on loopback: whoever has no key holds nobody up, fills no disk and leads nobody
elsewhere; and nobody who has one takes everything.
"""

from __future__ import annotations

import json
import select
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from lpm_kernel.api import listening as limits
from lpm_kernel.api.app import create_app
from lpm_kernel.api.lanes import WIDTHS, Lanes, RequestLane, Width
from lpm_kernel.api.listening import Patience, listen
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from tests.serving import running

CALM = Patience()
SOON = 30.0
"""Seconds within which something happens also on a busy machine."""


@contextmanager
def listening(
    node: Node,
    patience: Patience = CALM,
    widths: Mapping[RequestLane, Width] = WIDTHS,
    front_end: Path | None = None,
) -> Iterator[tuple[str, int]]:
    """Serve a node as ``lpm serve`` does, and give the place."""
    app = create_app(node) if front_end is None else create_app(node, front_end)
    server = listen(app, "127.0.0.1", 0, 100_000_000, patience, Lanes(widths))
    with running(server):
        yield "127.0.0.1", int(server.effective_port)


def heard(connection: socket.socket) -> bytes:
    """Return what comes until the other side closes."""
    connection.settimeout(SOON)
    said = b""
    with connection, suppress(ConnectionResetError):
        while piece := connection.recv(65_536):
            said += piece
    return said


def answered(connections: Sequence[socket.socket], count: int) -> bool:
    """Wait until so many of them have an answer."""
    until = time.monotonic() + SOON
    while time.monotonic() < until:
        if len(select.select(connections, [], [], 0)[0]) == count:
            return True
        time.sleep(0.02)
    return False


def head(place: tuple[str, int], method: str, path: str, *lines: str) -> bytes:
    return "\r\n".join(
        [f"{method} {path} HTTP/1.1", f"Host: {place[0]}:{place[1]}", *lines, "", ""]
    ).encode()


def is_closed_while_it_sends(connection: socket.socket, byte: bytes) -> bool:
    """Send the same byte again and again, until nobody takes it any more or the time is over."""
    until = time.monotonic() + SOON
    try:
        while time.monotonic() < until:
            connection.sendall(byte)
            time.sleep(0.05)
    except OSError:
        return True
    return False


def health(place: tuple[str, int]) -> int:
    return httpx.get(
        f"http://{place[0]}:{place[1]}/healthz", timeout=SOON, trust_env=False
    ).status_code


@pytest.mark.parametrize(
    "opening",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: ",
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n1",
    ],
)
def test_connections_that_ask_nothing_do_not_stop_the_node(node: Node, opening: bytes) -> None:
    with listening(node) as place, ExitStack() as open_ones:
        for _ in range(300):
            connection = open_ones.enter_context(socket.create_connection(place, timeout=SOON))
            connection.sendall(opening)
        assert health(place) == 200


def test_a_header_that_comes_byte_by_byte_has_its_time(node: Node) -> None:
    with (
        listening(node, Patience(header_seconds=0.5)) as place,
        socket.create_connection(place) as connection,
    ):
        assert is_closed_while_it_sends(connection, b"G")


def test_a_body_that_comes_byte_by_byte_has_its_time_with_a_key_too(node: Node) -> None:
    with (
        listening(node, Patience(body_seconds=0.5)) as place,
        socket.create_connection(place) as connection,
    ):
        key = f"Authorization: Bearer {node.ports.home.secret('api-token')}"
        connection.sendall(
            head(
                place,
                "POST",
                "/api/documents",
                key,
                "Content-Type: application/json",
                "Content-Length: 1000000",
            )
        )
        assert is_closed_while_it_sends(connection, b" ")


@pytest.mark.parametrize(
    ("path", "lines", "status"),
    [
        ("/api/documents", ["Content-Length: 60000000"], b"401"),
        ("/api/documents", ["Transfer-Encoding: chunked"], b"401"),
        ("/api/documents", ["Content-Length: 60000000", "Expect: 100-continue"], b"401"),
        ("/api/documents", ["Content-Length: 60000000", "Authorization: Bearer nothing"], b"401"),
        ("/api/documents", ["Content-Length: 60000000", "Origin: http://evil.example"], b"403"),
        ("/inward/replies", ["Content-Length: 60000000"], b"401"),
        ("/login", ["Content-Length: 60000000"], b"405"),
        ("/chat", ["Content-Length: 60000000"], b"405"),
    ],
)
def test_a_stranger_is_answered_before_the_body(
    node: Node, path: str, lines: list[str], status: bytes
) -> None:
    with listening(node) as place, socket.create_connection(place) as connection:
        connection.sendall(head(place, "POST", path, "Content-Type: application/json", *lines))
        said = heard(connection)  # not a byte of the body was sent
        assert said.startswith(b"HTTP/1.1 " + status), said[:100]
        assert b"application/problem+json" in said


def takes_nothing(place: tuple[str, int], path: str) -> socket.socket:
    """Ask for something large, and read no more than its first byte."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    connection.settimeout(SOON)
    connection.connect(place)
    connection.sendall(head(place, "GET", path))
    assert connection.recv(1)
    return connection


@pytest.fixture
def screens(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text("home")
    (tmp_path / "large.js").write_bytes(b"x" * 6_000_000)
    return tmp_path


def test_answers_that_nobody_takes_do_not_stop_the_node(
    node: Node, screens: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_CONNECTIONS", 60)
    with listening(node, front_end=screens) as place, ExitStack() as open_ones:
        for _ in range(70):
            open_ones.enter_context(takes_nothing(place, "/large.js"))
        assert health(place) == 200


def test_an_answer_that_nobody_takes_has_its_time(
    node: Node, screens: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_CONNECTIONS", 20)
    monkeypatch.setattr(limits, "SPARE_CONNECTIONS", -20)  # nobody has to make room
    with (
        listening(node, Patience(idle_seconds=0.5), front_end=screens) as place,
        ExitStack() as open_ones,
    ):
        for _ in range(16):
            open_ones.enter_context(takes_nothing(place, "/large.js"))
        time.sleep(2)
        for _ in range(10):
            assert health(place) == 200
            open_ones.enter_context(takes_nothing(place, "/large.js"))


def test_who_has_a_key_is_read_to_the_end(node: Node) -> None:
    with listening(node) as (host, port):
        sent = {"text": "The kiln is old. " * 20_000}
        headers = {"Authorization": f"Bearer {node.ports.home.secret('api-token')}"}
        answer = httpx.post(
            f"http://{host}:{port}/api/documents",
            json=sent,
            headers=headers,
            timeout=SOON,
            trust_env=False,
        )
        assert answer.status_code in {200, 201, 202}, answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/%09/evil.example/",
        "/%5cevil.example/",
        "/%0d%0aX:%20y/",
        "//evil.example/",
        "/%2fevil.example/",
        "/%00/",
    ],
)
def test_nobody_is_led_to_another_site(node: Node, tmp_path: Path, path: str) -> None:
    (tmp_path / "index.html").write_text("home")
    (tmp_path / "chat.html").write_text("chat")
    with (
        listening(node, front_end=tmp_path) as place,
        socket.create_connection(place) as connection,
    ):
        connection.sendall(head(place, "GET", path, "Connection: close"))
        said = heard(connection)
        assert said.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400")), said[:200]
        assert b"Location:" not in said
        assert (
            httpx.get(f"http://{place[0]}:{place[1]}/chat/", trust_env=False).headers["Location"]
            == "/chat"
        )


class Held(HashingEmbedder):
    """Embeds once it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = threading.Event()
        self.asked = threading.Semaphore(0)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.release()
        assert self.let.wait(SOON)
        return np.asarray(super().embed(texts))


def recalls(place: tuple[str, int], token: str) -> socket.socket:
    connection = socket.create_connection(place)
    body = json.dumps({"query": f"Where is the kiln {time.monotonic_ns()}?"}).encode()
    lines = (
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    connection.sendall(head(place, "POST", "/api/recall", *lines) + body)
    return connection


def test_a_lane_that_is_full_says_so_and_the_others_go_on(
    home: Path, frozen_clock: FrozenClock
) -> None:
    embedder = Held()
    widths = {**WIDTHS, RequestLane.RECALL: Width(1, 1)}
    with Node.open(
        home, clock=frozen_clock, model=ScriptedModel([(".", "Yes.")]), embedder=embedder
    ) as node:
        embedder.let.set()
        node.library.add_text("The kiln is in the old mill.")
        node.run_jobs()
        embedder.let.clear()
        embedder.asked = threading.Semaphore(0)
        token = node.ports.home.secret("api-token")
        with listening(node, widths=widths) as place:
            first = recalls(place, token)
            assert embedder.asked.acquire(timeout=SOON)  # it is being answered
            others = [recalls(place, token) for _ in range(3)]  # one place to wait
            assert answered(others, 2)  # who is sent away hears it at once
            assert health(place) == 200
            headers = {"Authorization": f"Bearer {token}"}
            assert (
                httpx.get(
                    f"http://{place[0]}:{place[1]}/api/documents",
                    headers=headers,
                    timeout=SOON,
                    trust_env=False,
                ).status_code
                == 200
            )
            embedder.let.set()
            answers = sorted(heard(each) for each in (first, *others))
            assert [each[:12] for each in answers] == [b"HTTP/1.1 200"] * 2 + [b"HTTP/1.1 503"] * 2
            assert b"Retry-After: 2" in answers[-1]
            assert b"application/problem+json" in answers[-1]
            assert b'"/problems/busy"' in answers[-1]


def test_who_waited_for_too_long_is_sent_away(home: Path, frozen_clock: FrozenClock) -> None:
    embedder = Held()
    widths = {**WIDTHS, RequestLane.RECALL: Width(1, 8, seconds=0.5)}
    with Node.open(
        home, clock=frozen_clock, model=ScriptedModel([(".", "Yes.")]), embedder=embedder
    ) as node:
        embedder.let.set()
        node.library.add_text("The kiln is in the old mill.")
        node.run_jobs()
        embedder.let.clear()
        embedder.asked = threading.Semaphore(0)
        with listening(node, widths=widths) as place:
            first = recalls(place, node.ports.home.secret("api-token"))
            assert embedder.asked.acquire(timeout=SOON)
            # while the first is still held
            assert heard(recalls(place, node.ports.home.secret("api-token"))).startswith(
                b"HTTP/1.1 503"
            )
            embedder.let.set()
            assert heard(first).startswith(b"HTTP/1.1 200")


def test_a_large_body_holds_nobody_up_while_another_process_writes_to_the_database(
    node: Node,
) -> None:
    _, secret = create_key(node.ports.access, node.ports.clock, "reader", ("recall",))
    with (
        listening(node) as place,
        closing(sqlite3.connect(node.ports.home.node_db, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with socket.create_connection(place) as asking:
            fields = (
                f"Authorization: Bearer {secret}",
                "Content-Type: application/json",
                "Content-Length: 100000",
            )
            asking.sendall(head(place, "POST", "/api/recall", *fields))
            time.sleep(0.3)
            before = time.monotonic()
            assert (
                httpx.get(f"http://{place[0]}:{place[1]}/healthz", timeout=SOON).status_code == 200
            )
            assert time.monotonic() - before < 5
