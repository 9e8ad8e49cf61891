"""The sample life, begun from the browser: a node and a home of its own, and nothing of it in the
person's.
"""

from __future__ import annotations

import re
import socket
import time
from pathlib import Path

import httpx
import pytest
from flask.testing import FlaskClient

from lpm_kernel.node import Node
from lpm_kernel.usecases.home import doctor, sample
from lpm_kernel.usecases.processes import running


def test_it_is_not_running_until_it_is_asked_for(client: FlaskClient, home: Path) -> None:
    shown = client.get("/api/sample").get_json()
    assert (shown["state"], shown["address"], shown["home"]) == (
        "stopped",
        None,
        str(home.with_name("home-demo")),
    )
    assert client.post("/api/sample/link").status_code == 409
    assert client.delete("/api/sample").status_code == 204


def test_a_node_that_came_without_it_says_so(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sample, "SAMPLE", tmp_path / "not-here")
    assert client.get("/api/sample").get_json()["state"] == "absent"
    assert client.post("/api/sample").status_code == 404


@pytest.mark.slow
def test_it_opens_in_a_home_of_its_own_and_ends_when_told(
    client: FlaskClient, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for name, value in (
        ("LPM_MODEL", "scripted"),
        ("LPM_EMBEDDER", "hashing"),
        ("LPM_PORT", str(port)),
    ):
        monkeypatch.setenv(name, value)
    assert client.post("/api/sample").get_json()["state"] == "starting"
    until = time.monotonic() + 60
    while (shown := client.get("/api/sample").get_json())[
        "state"
    ] != "running" and time.monotonic() < until:
        time.sleep(0.2)
    try:
        assert shown["state"] == "running"
        assert client.post("/api/sample").get_json()["state"] == "running"
        link = client.post("/api/sample/link").get_json()["link"]
        assert re.match(rf"{shown['address']}/login", link)
        with httpx.Client(follow_redirects=False) as browser:
            assert browser.get(link).status_code == 303
            assert browser.get(f"{shown['address']}/api/identity").json()["name"].startswith("Nagi")
        assert node.ports.documents.count() == 0
        assert node.ports.conversations.identity().name == ""
    finally:
        client.delete("/api/sample")
        until = time.monotonic() + 30
        while running(node.ports.beside.home) and time.monotonic() < until:
            time.sleep(0.2)
    assert running(node.ports.beside.home) == []


def test_the_doctor_looks_at_the_connections_that_are_open(node: Node) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()),
    ):
        found = next(check for check in node.examine() if check.id == "connections_now")
    assert found.state == "fine"  # a connection on this machine is none with another


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("93.184.215.14", False),
        ("fe80::1%eth0", False),
        ("192.168.1.4", False),
    ],
)
def test_what_is_here_and_what_is_not(address: str, *, here: bool) -> None:
    assert doctor.is_here(address) is here
