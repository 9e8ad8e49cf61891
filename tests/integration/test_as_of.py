"""Two times: recall as of a day answers with what was believed then, also where it was reworded or
given up since.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.config import Home
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.recall_options import RecallOptions

FIRST = datetime(2025, 11, 1, 9, tzinfo=UTC)
LINES = (
    "# World\n\n## Retain\n\n- W @Jonas: lives in Bergen with two cats\n- O(c=0.9) @Jonas: prefers"
    " letters to calls\n"
)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    clock = FrozenClock(FIRST)
    with Node(
        Home(tmp_path), clock=clock, embedder=HashingEmbedder(), communities="louvain"
    ) as here:
        here.workspace.append("bank/world.md", LINES.partition("## Retain\n\n")[2])
        here.run_jobs()
        clock.advance(timedelta(days=60))
        here.workspace.replace(
            "bank/world.md", "lives in Bergen with two cats", "lives in Oslo with two cats"
        )
        here.run_jobs()
        clock.advance(timedelta(days=60))
        here.workspace.replace("bank/world.md", "- O(c=0.9) @Jonas: prefers letters to calls\n", "")
        here.run_jobs()
        yield here


@pytest.fixture
def client(node: Node) -> FlaskClient:
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    return client


def said(client: FlaskClient, query: str, day: int | None = None, **more: object) -> list[str]:
    asked = {
        "query": query,
        **more,
        **({"as_of": (FIRST + timedelta(days=day)).isoformat()} if day is not None else {}),
    }
    return [each["content"] for each in client.post("/api/recall", json=asked).get_json()["items"]]


def test_the_wording_of_then_is_given(client: FlaskClient) -> None:
    assert any("Oslo" in each for each in said(client, "Where does Jonas live?"))
    then = said(client, "Where does Jonas live?", 1)
    assert any("lives in Bergen" in each for each in then)
    assert not any("Oslo" in each for each in then)
    assert any("Oslo" in each for each in said(client, "Where does Jonas live?", 61))
    assert said(client, "Where does Jonas live?", -1) == []


def test_what_was_given_up_since_is_given_too(client: FlaskClient) -> None:
    assert not any("letters" in each for each in said(client, "Does Jonas prefer letters?"))
    assert any(
        "letters" in each
        for each in said(client, "Does Jonas prefer letters?", 61, kinds=["opinion"])
    )
    assert not any(
        "letters" in each
        for each in said(client, "Does Jonas prefer letters?", 61, kinds=["world"])
    )
    assert not any("letters" in each for each in said(client, "Does Jonas prefer letters?", 121))


def test_the_place_of_an_earlier_wording_opens(node: Node, client: FlaskClient) -> None:
    asked = {"query": "Where does Jonas live?", "as_of": (FIRST + timedelta(days=1)).isoformat()}
    item = next(
        each
        for each in client.post("/api/recall", json=asked).get_json()["items"]
        if "Bergen" in each["content"]
    )
    identifier = item["document"]["id"] if isinstance(item["document"], dict) else item["document"]
    document = node.ports.documents.get(identifier)
    assert "Bergen" in node.ports.files.original(document.sha256).decode()
    assert client.get(f"/api/documents/{identifier}").status_code == 200


def test_an_earlier_wording_is_the_very_words_that_stand_at_its_place(node: Node) -> None:
    """Also a line that names several, or somebody with blanks in the name: nothing is put together
    anew.
    """
    node.workspace.append(
        "bank/world.md", "- W @[Mr Ide],@Jonas :  share the boat shed with the old crane\n"
    )
    node.run_jobs()
    day = node.ports.clock.now()
    assert isinstance(node.ports.clock, FrozenClock)
    node.ports.clock.advance(timedelta(days=1))
    node.workspace.replace(
        "bank/world.md",
        "share the boat shed with the old crane",
        "share the boat shed with the new crane",
    )
    node.run_jobs()
    for question in (
        "Who shares the boat shed with the crane?",
        "Does Jonas prefer letters to calls?",
    ):
        for item in node.memory.recall(
            question,
            options=RecallOptions(as_of=day if "shed" in question else FIRST + timedelta(days=61)),
        ).items:
            chunk = item.chunk
            document = node.ports.documents.get(chunk.document)
            words = node.ports.files.words(document.sha256, chunk.text_version) or ""
            assert words[chunk.start : chunk.end] == chunk.text
    assert any(
        item.chunk.text.startswith("@[Mr Ide],@Jonas :") and "old crane" in item.text
        for item in node.memory.recall(
            "Who shares the boat shed?", options=RecallOptions(as_of=day)
        ).items
    )
