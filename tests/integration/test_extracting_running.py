"""A language model asked about what was added, in a running node: the worker asks the model host by
itself, while the person does something else.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from lpm_kernel.config import write_settings
from tests.integration.test_extracting import MOVED, SCRIPT, TEXT
from tests.integration.test_kill import free_port
from tests.processes import PATIENCE, RunningNode

pytestmark = pytest.mark.slow


def test_the_worker_asks_by_itself(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"answers": SCRIPT}), "utf-8")
    node = RunningNode(tmp_path / "home", free_port(), model=f"scripted:{script}")
    write_settings(node.home, extractor="model")
    with node:
        added = node.ask("POST", "/api/documents", files={"file": ("letter.md", TEXT.encode())})
        assert added.status_code in {200, 202}, added.text
        until = time.monotonic() + PATIENCE
        wording = None
        while wording is None and time.monotonic() < until:
            found = [
                each
                for each in node.ask("GET", "/api/findings").json()["items"]
                if each["content"] == MOVED
            ]
            wording = found[0]["wording"] if found else None
            time.sleep(0.2)
        assert wording == "Ottilie moved to Bergen in 2021."
        jobs = [(job["kind"], job["state"]) for job in node.ask("GET", "/api/jobs").json()["items"]]
        assert ("extract", "succeeded") in jobs or ("extract", "running") in jobs
