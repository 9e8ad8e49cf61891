"""The workspace with every process running: what an editor writes is found, also when the worker
was killed meanwhile.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.integration.test_kill import free_port
from tests.processes import PATIENCE, RunningNode
from tests.scale import only_in_full

pytestmark = pytest.mark.slow


def found(node: RunningNode, question: str) -> list[str]:
    return [
        item["content"]
        for item in node.ask("POST", "/api/recall", json={"query": question}).json()["items"]
    ]


def until_found(node: RunningNode, words: str) -> float:
    """Return the seconds until recall gives these words."""
    begin = time.monotonic()
    while time.monotonic() - begin < PATIENCE:
        if any(words in each for each in found(node, words)):
            return time.monotonic() - begin
        time.sleep(0.02)
    raise TimeoutError(words)


def written(node: RunningNode, path: str, text: str) -> None:
    """Write as editors do: a new file beside it, put in its place."""
    file = node.home.workspace / path
    fresh = file.with_name(f"{file.name}~")
    fresh.write_text(text)
    fresh.replace(file)


def test_what_an_editor_writes_is_found_and_what_a_command_keeps(tmp_path: Path) -> None:
    with RunningNode(tmp_path / "home", free_port()) as node:
        node.settle()
        written(
            node, "bank/world.md", "# World\n\n## Retain\n\n- W The kiln stands in Teramachi.\n"
        )
        until_found(node, "The kiln stands in Teramachi.")
        written(node, "bank/world.md", "# World\n\n## Retain\n\n- W The kiln stands in Nomachi.\n")
        took = [until_found(node, "The kiln stands in Nomachi.")]
        for number in range(5):
            written(
                node,
                "bank/world.md",
                f"# World\n\n## Retain\n\n- W The kiln stands in Owari {number}.\n",
            )
            took.append(until_found(node, f"The kiln stands in Owari {number}."))
        kept = subprocess.run(
            [sys.executable, "-m", "lpm_kernel", "retain", "W @Mai: lives in Kobe"],
            env=node.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert kept.returncode == 0, kept.stderr
        assert "@Mai: lives in Kobe" in found(node, "Where does Mai live?")


@only_in_full
def test_a_worker_that_is_killed_in_the_middle_of_edits_reads_them_all(tmp_path: Path) -> None:
    with RunningNode(tmp_path / "home", free_port()) as node:
        node.settle()
        for number in range(6):
            written(node, f"memory/2026-01-0{number + 1}.md", f"Note number {number} about glaze.")
            worker = node.pid("work")
            if number % 2 and worker:
                os.kill(worker, signal.SIGKILL)
            time.sleep(0.1)
        for number in range(6):
            until_found(node, f"Note number {number} about glaze.")
        node.settle()
        assert len(node.ask("GET", "/api/documents").json()["items"]) == 6
