"""Erasing, archives and a lost index with all processes of the node running."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from lpm_kernel.usecases.processes import address
from tests.integration.test_erasing import NAME, SECRET
from tests.integration.test_kill import free_port
from tests.lives import SAMPLE
from tests.processes import PATIENCE, RunningNode
from tests.scale import only_in_full
from tests.scan import traces, windows

QUESTIONS = ("When did I move the workshop?", "豆腐", "Where does the kingfisher keep its ledger?")

pytestmark = pytest.mark.slow


def answers(node: RunningNode) -> list[list[tuple[str, str]]]:
    found = [
        node.ask("POST", "/api/recall", json={"query": question, "k": 10}).json()["items"]
        for question in QUESTIONS
    ]
    return [[(item["id"], item["content"]) for item in each] for each in found]


def done(node: RunningNode, job: str) -> dict[str, Any]:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        known: dict[str, Any] = node.ask("GET", f"/api/jobs/{job}").json()
        if known["state"] not in {"queued", "running"}:
            return known
        time.sleep(0.05)
    raise TimeoutError(job)


@only_in_full
def test_a_node_that_listens_everywhere_is_opened_on_this_machine(tmp_path: Path) -> None:
    node = RunningNode(tmp_path / "home", free_port())
    with node.home.settings_file.open("a") as settings:
        settings.write('host = "0.0.0.0"\ntls = "off"\n')
    with node:
        until = time.monotonic() + PATIENCE
        while not (where := address(node.home)) and time.monotonic() < until:
            time.sleep(0.05)
        assert where == node.url
        link = subprocess.run(
            [sys.executable, "-m", "lpm_kernel", "open", "--json"],
            env=node.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert httpx.get(json.loads(link.stdout)["link"]).status_code == 303
        by_that_name = {"Host": f"0.0.0.0:{node.port}"}  # as a page elsewhere would call it
        assert httpx.get(f"{node.url}/healthz", headers=by_that_name).status_code == 421


def test_the_whole_home_with_everything_running(tmp_path: Path) -> None:
    with RunningNode(tmp_path / "home", free_port()) as node:
        secret = node.ask("POST", "/api/documents", files={"file": (NAME, SECRET.encode())}).json()[
            "document"
        ]["id"]
        for path in sorted((SAMPLE / "memory").glob("2024-0[1-5]*.md")):
            node.ask("POST", "/api/documents", files={"file": (path.name, path.read_bytes())})
        node.settle()
        conversation = node.ask("POST", "/api/conversations", json={}).json()["id"]
        assert (
            node.ask(
                "POST",
                f"/api/conversations/{conversation}/turns",
                json={"text": "Where does the kingfisher keep its ledger?"},
            ).status_code
            == 200
        )
        for work in ("/api/backups", "/api/verifications", "/api/exports"):
            ended = done(node, node.ask("POST", work, json={}).json()["job"]["id"])
            assert ended["state"] == "succeeded", ended
        before = answers(node)

        for path in node.home.root.glob("index.db*"):
            path.unlink()
        lpm = [sys.executable, "-m", "lpm_kernel"]
        again = subprocess.run(
            [*lpm, "reindex", "--json"],
            env=node.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert again.returncode == 0, again.stderr
        assert json.loads(again.stdout)["documents"] == len(
            node.ask("GET", "/api/documents").json()["items"]
        )
        node.settle()
        assert answers(node) == before

        token = node.ask("POST", "/api/erasures", json={"documents": [secret]}).json()["token"]
        job = node.ask("POST", f"/api/erasures/{token}/confirm").json()["job"]["id"]
        assert all(
            not content.startswith("The kingfisher")
            for each in answers(node)
            for _, content in each
        )
        ended = done(node, job)
        assert (ended["state"], ended["result"]["backups"]) == ("succeeded", 1), ended
        others = [path.read_text("utf-8") for path in (SAMPLE / "memory").glob("2024-0[1-5]*.md")]
        wanted = windows([SECRET, NAME], but=[*others, *QUESTIONS])
        assert traces(node.home.root, wanted) == []
        refused = subprocess.run(
            [*lpm, "restore", "newest"],
            env=node.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert refused.returncode == 1
        assert "still running" in refused.stderr
    assert traces(tmp_path / "home", wanted) == []
    restored = subprocess.run(
        [*lpm, "restore", "newest", "--json"],
        env=node.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert restored.returncode == 0, restored.stderr
    assert traces(tmp_path / "home", wanted) == []
