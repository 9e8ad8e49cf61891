"""The lock of a home with all processes of the node running, as the person meets it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil
import pytest

from tests.integration.test_kill import free_port
from tests.processes import PATIENCE, RunningNode, told
from tests.scale import only_in_full
from tests.scan import traces

PASSPHRASE = "the kiln is warm in March"
SECRET = "The kingfisher keeps its ledger under the ninth stair."

pytestmark = pytest.mark.slow


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def sign(node: RunningNode) -> str:
    """What the sign of life says; nothing where there is none."""
    try:
        return str(httpx.get(f"{node.url}/healthz").json()["status"])
    except httpx.TransportError:
        return ""


def unlock(node: RunningNode, passphrase: str = PASSPHRASE) -> httpx.Response:
    return httpx.post(
        f"{node.url}/api/home/unlock", json={"passphrase": passphrase}, timeout=PATIENCE
    )


def lpm(node: RunningNode, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lpm_kernel", *words],
        env=node.environment,
        capture_output=True,
        text=True,
        check=False,
    )


def finds(node: RunningNode) -> bool:
    found = node.ask("POST", "/api/recall", json={"query": "kingfisher ledger"}).json()["items"]
    return any(SECRET in item["content"] for item in found)


def test_a_node_locks_its_home_and_unlocks_it(tmp_path: Path) -> None:
    node = RunningNode(tmp_path / "home", free_port())
    with node:
        node.ask("POST", "/api/documents", files={"file": ("bird.md", SECRET.encode())})
        node.settle()
        assert finds(node)
        wish = {"passphrase": PASSPHRASE, "understood": True}
        assert node.ask("POST", "/api/home/lock").status_code == 422  # there is no passphrase
        assert node.ask("PUT", "/api/home/lock", json=wish).json()["state"] == "open"
        assert node.ask("POST", "/api/home/lock").status_code == 202
        until(lambda: sign(node) == "locked")

        assert traces(node.home.root, [SECRET, "kingfisher", PASSPHRASE]) == []
        assert {path.name for path in node.home.root.iterdir()} == {"lock", "run", "models"}
        known = httpx.get(f"{node.url}/api/home/lock").json()
        assert known["state"] == "locked"
        assert {plain["code"] for plain in known["plain"]} == {"run"}
        ready = httpx.get(f"{node.url}/readyz")
        assert (ready.status_code, ready.json()["waiting"][0]["state"]) == (503, "locked")
        for path in ("/api/status", "/api/documents", "/v1/models", "/openapi.json", "/inward/x"):
            refused = httpx.get(node.url + path)
            assert (refused.status_code, refused.json()["type"]) == (423, "/problems/unlock-first")
        assert httpx.get(f"{node.url}/healthz", headers={"Host": "a.example"}).status_code == 421
        foreign = {"Origin": "http://a.example"}
        body = {"passphrase": PASSPHRASE}
        assert httpx.post(f"{node.url}/api/home/unlock", json=body, headers=foreign).is_error
        assert node.pid("work") is None
        assert "lpm lock open" in lpm(node, "recall", "kingfisher").stderr

        wrong = unlock(node, "the kiln is cold in March")
        assert (wrong.status_code, wrong.json()["type"]) == (403, "/problems/wrong-passphrase")
        right = unlock(node)
        assert right.status_code == 200
        assert node.process is not None
        assert PASSPHRASE not in told(node.process.pid)
        until(lambda: sign(node) == "ok")
        assert httpx.get(node.url + right.json()["link"]).status_code == 303
        assert finds(node)
        assert node.ask("POST", "/api/home/unlock", json=body).status_code == 409
        until(lambda: node.pid("work") is not None)

        others = psutil.Process(node.process.pid).children(recursive=True)
        node.kill()  # it is left open, and locked when it starts again
        assert psutil.wait_procs(others, timeout=PATIENCE)[1] == []
        assert sign(node) == ""
        assert traces(node.home.root, ["kingfisher"])
        node.start()
        assert sign(node) == "locked"
        assert traces(node.home.root, ["kingfisher"]) == []
        assert unlock(node).status_code == 200
        until(lambda: sign(node) == "ok")
    assert node.home.is_locked
    assert traces(node.home.root, ["kingfisher", PASSPHRASE]) == []
    assert not list(node.home.models.iterdir())


@only_in_full
def test_commands_lock_and_unlock_it_and_the_node_starts_as_it_was_left(tmp_path: Path) -> None:
    node = RunningNode(tmp_path / "home", free_port())
    file = tmp_path / "passphrase"
    file.write_text(PASSPHRASE + "\n")
    opens = ("--passphrase-file", str(file))
    assert lpm(node, "init").returncode == 0
    assert "backups" in lpm(node, "lock", "set", *opens).stderr  # what it costs to forget it
    assert lpm(node, "lock", "show", "--json").stdout.startswith('{"state": "off"')
    assert lpm(node, "lock", "set", "--yes", *opens).returncode == 0
    assert lpm(node, "lock", "now").returncode == 0
    assert node.home.is_locked
    assert lpm(node, "lock", "open", *opens).returncode == 0
    with node:
        assert sign(node) == "ok"
        assert lpm(node, "lock", "now").returncode == 0
        until(lambda: sign(node) == "locked")
        assert lpm(node, "lock", "open", *opens).returncode == 0
        until(lambda: sign(node) == "ok")
        assert finds(node) is False
    assert node.home.is_locked
    assert lpm(node, "lock", "open", *opens).returncode == 0
    assert lpm(node, "lock", "remove", *opens).returncode == 0
    assert not node.home.lock.exists()
