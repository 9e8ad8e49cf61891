"""A model that thinks before it answers: its owner may look on, and it is no part of anything that
is kept, cited, learned from or told to somebody else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.thoughts import OPENS
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from tests.integration.test_threads import begin
from tests.scan import traces
from tests.verdicts import note

pytestmark = pytest.mark.integration

SECRET = "kingfishers whisper backwards"
ASKED = "Where do the bee houses stand?"
TOLD = "The bee houses stand below the pear tree."


@pytest.fixture
def node(home: Path, frozen_clock: FrozenClock) -> Iterator[Node]:
    thinking = ScriptedModel([("bee houses", f"<think>{SECRET}</think>{TOLD}")])
    with Node.open(
        home, clock=frozen_clock, model=thinking, embedder=HashingEmbedder(), trainer="scripted"
    ) as opened:
        note(opened, TOLD, "Bees")
        yield opened


@pytest.fixture
def client(node: Node) -> FlaskClient:
    found = create_app(node).test_client()
    found.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    return found


def events(client: FlaskClient, **more: object) -> list[tuple[str, dict[str, object]]]:
    chat = begin(client)
    told = client.post(f"/api/conversations/{chat}/turns", json={"text": ASKED}, **more)
    found = []
    for block in told.get_data(as_text=True).strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_its_owner_sees_what_it_thinks_and_nothing_of_it_is_kept(
    node: Node, client: FlaskClient
) -> None:
    told = events(client)
    thought = "".join(str(data["text"]) for event, data in told if event == "thought")
    assert thought == SECRET
    done = next(data for event, data in told if event == "done")
    assert TOLD in json.dumps(done)
    assert SECRET not in json.dumps(done)
    assert OPENS not in json.dumps([data for event, data in told if event != "thought"])
    node.run_jobs()
    assert traces(node.ports.home.root, [SECRET]) == []


def test_nobody_else_is_told_what_the_second_self_thinks(node: Node, client: FlaskClient) -> None:
    _, key = create_key(node.ports.access, node.ports.clock, "program", ("chat", "recall", "write"))
    stranger = client.application.test_client()
    stranger.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {key}"
    told = events(stranger)
    assert {"evidence", "done"} <= {event for event, _ in told}
    assert SECRET not in json.dumps(told)
    asked = {"model": "second-me", "messages": [{"role": "user", "content": ASKED}]}
    whole = client.post("/v1/chat/completions", json=asked).get_json()["choices"][0]["message"]
    assert TOLD in whole["content"]
    assert SECRET not in json.dumps(whole)


def test_the_base_model_says_what_it_thinks_apart(client: FlaskClient) -> None:
    asked = {
        "model": "base",
        "messages": [{"role": "user", "content": ASKED}],
    }
    whole = client.post("/v1/chat/completions", json=asked).get_json()["choices"][0]["message"]
    assert (whole["content"], whole["reasoning_content"]) == (TOLD, SECRET)
    streamed = client.post("/v1/chat/completions", json={**asked, "stream": True})
    deltas = [
        json.loads(line.removeprefix("data: "))["choices"][0]["delta"]
        for line in streamed.get_data(as_text=True).splitlines()
        if line.startswith("data: {")
    ]
    assert "".join(each.get("reasoning_content", "") for each in deltas) == SECRET
    assert "".join(each.get("content", "") for each in deltas) == TOLD
