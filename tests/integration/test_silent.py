"""A process that runs and does not answer is ended, and started again."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import PATIENCE, RunningNode
from tests.scale import only_in_full

pytestmark = [pytest.mark.integration, pytest.mark.slow]


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningNode]:
    monkeypatch.setattr(RunningNode, "environment", property(_impatient))
    with RunningNode(tmp_path, free_port()) as running:
        yield running


def _impatient(node: RunningNode) -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("LPM_")} | {
        "LPM_HOME": str(node.home.root),
        "LPM_SILENT_FOR": "8",
    }


@only_in_full
@pytest.mark.parametrize("name", ["serve", "work"])
def test_a_process_that_stands_still_is_started_again(node: RunningNode, name: str) -> None:
    until = time.monotonic() + PATIENCE
    while (stuck := node.pid(name)) is None and time.monotonic() < until:
        time.sleep(0.1)
    assert stuck is not None
    time.sleep(12)
    assert node.pid(name) == stuck, "one that answers is left alone"
    os.kill(stuck, signal.SIGSTOP)
    until = time.monotonic() + PATIENCE
    while node.pid(name) in {None, stuck} and time.monotonic() < until:
        time.sleep(0.2)
    assert node.pid(name) not in {None, stuck}
    assert node.ask("GET", "/healthz").status_code == 200
