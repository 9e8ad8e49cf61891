"""Another embedder on a running node: the server stays up, and the vectors that are compared are
always of one embedder.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.integration.test_kill import free_port
from tests.lives import SAMPLE
from tests.processes import RunningNode
from tests.scale import only_in_full
from tests.servers import Embeddings

pytestmark = pytest.mark.slow


def level(node: RunningNode) -> str:
    return str(
        node.ask("POST", "/api/recall", json={"query": "the workshop", "k": 3}).json()["level"]
    )


def use(node: RunningNode, **choice: str) -> None:
    answer = node.ask("PUT", "/api/embedders/active", json=choice)
    assert answer.status_code == 202, answer.text
    node.settle()
    assert node.ask("GET", f"/api/jobs/{answer.json()['job']['id']}").json()["state"] == "succeeded"


def active(node: RunningNode) -> tuple[str, int]:
    found = node.ask("GET", "/api/embedders").json()
    return next((each["kind"], each["passages"]) for each in found["items"] if each["active"])


@only_in_full
def test_it_changes_while_the_node_runs_and_the_server_is_not_started_anew(tmp_path: Path) -> None:
    with Embeddings().run() as url, RunningNode(tmp_path / "home", free_port()) as node:
        for path in sorted((SAMPLE / "memory").glob("*.md"))[:8]:
            node.ask("POST", "/api/documents", files={"file": (path.name, path.read_bytes())})
        node.settle()
        serve = node.pid("serve")
        passages = node.ask("GET", "/api/embedders").json()["passages"]
        assert level(node) == "words+vectors"
        use(node, kind="endpoint", url=url)
        assert active(node) == ("endpoint", passages)
        assert level(node) == "words+vectors"
        use(node, kind="none")
        assert active(node) == ("none", 0)
        assert level(node) == "words"
        use(node, kind="hashing")
        assert active(node) == ("hashing", passages)
        began = time.monotonic()
        while level(node) != "words+vectors":  # the host is started anew for it
            assert time.monotonic() - began < 60
            time.sleep(0.05)
        assert node.pid("serve") == serve
        node.kill()
        node.start()
        began = time.monotonic()
        while level(node) != "words+vectors":
            assert time.monotonic() - began < 60
            time.sleep(0.05)
