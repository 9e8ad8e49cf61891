"""What is really streamed is what the contract says: each event, of each route, in each way that an
answer may go.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask.testing import FlaskClient
from pydantic import BaseModel
from werkzeug.test import TestResponse

from lpm_kernel.api.chat.openai_schemas import ChatEvent
from lpm_kernel.api.chat.role_schemas import TrialEvent
from lpm_kernel.api.chat.turn_schemas import AgainEvent, TurnEvent
from lpm_kernel.api.describe import FILE
from lpm_kernel.api.home import job_schemas
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.ports import Delta
from lpm_kernel.errors import ModelUnavailableError
from lpm_kernel.node import Node
from tests.integration.test_api import COATS, add
from tests.integration.test_conversations import SMALL

QUESTION = "When did the coats of varnish go on?"
SAYS = "The coats went on Ottilie's cello on 9, 19 and 29 August 2025."
ROLE = {"name": "Coach", "prompt": "Ask about it.", "purpose": "", "seal": "C", "sees": {}}


def told(answer: TestResponse, model: type[BaseModel]) -> list[str]:
    """Hold every event against its shape, and return their names in the order they came."""
    assert answer.status_code == 200, answer.text
    assert answer.content_type == "text/event-stream; charset=utf-8"
    assert answer.text.endswith("\n\n")
    names = []
    for block in answer.text[:-2].split("\n\n"):
        name, data = block.split("\n")
        pair = {"event": name.removeprefix("event: "), "data": json.loads(data[len("data: ") :])}
        shaped = model.model_validate(pair)
        # nothing is sent that the shape does not have, and nothing that it has is left out
        assert shaped.model_dump(mode="json") == pair
        names.append(pair["event"])
    return names


@pytest.fixture
def ask(client: FlaskClient, node: Node) -> Callable[[], TestResponse]:
    """Ask the same question in a new chat, of a life that answers it."""
    add(client, node, "a.txt", COATS)

    def asked() -> TestResponse:
        chat = client.post("/api/conversations", json={}).get_json()["id"]
        return client.post(f"/api/conversations/{chat}/turns", json={"text": QUESTION})

    return asked


def again(client: FlaskClient) -> TestResponse:
    """Have what was asked last answered again."""
    chat = client.get("/api/conversations").get_json()["items"][0]["id"]
    (question, *_) = client.get(f"/api/conversations/{chat}").get_json()["items"]
    return client.post(f"/api/conversations/{chat}/turns/{question['id']}/again")


def breaks_down(*_: object) -> Iterator[Delta]:
    """Say some words, and no more."""
    yield Delta("The coats")
    raise ModelUnavailableError("The model broke off.")


class TestAnswers:
    def test_an_answer(self, ask: Callable[[], TestResponse], scripted: ScriptedModel) -> None:
        scripted.script = ScriptedModel([("coats", SAYS)]).script
        assert told(ask(), TurnEvent) == ["evidence", "token", "citation", "done"]

    def test_one_that_waits(
        self,
        ask: Callable[[], TestResponse],
        node: Node,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(node.models, "answers_ahead", lambda: 2)
        assert told(ask(), TurnEvent)[:2] == ["evidence", "waiting"]

    def test_one_from_nothing(self, client: FlaskClient) -> None:
        chat = client.post("/api/conversations", json={}).get_json()["id"]
        answer = client.post(f"/api/conversations/{chat}/turns", json={"text": "Who painted it?"})
        assert told(answer, TurnEvent)[-1] == "done"

    def test_one_that_breaks_down(
        self, ask: Callable[[], TestResponse], scripted: ScriptedModel
    ) -> None:
        scripted.script = ScriptedModel([(".", None)]).script
        assert told(ask(), TurnEvent)[-1] == "failed"

    def test_one_that_breaks_down_as_nobody_expected(
        self, ask: Callable[[], TestResponse], node: Node, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(node.models, "answers_ahead", lambda: 1 / 0)
        assert told(ask(), TurnEvent)[-1] == "failed"

    def test_another_answer(
        self, client: FlaskClient, ask: Callable[[], TestResponse], scripted: ScriptedModel
    ) -> None:
        scripted.script = ScriptedModel([("coats", SAYS)]).script
        ask()
        assert told(again(client), AgainEvent)[-1] == "done"
        scripted.script = ScriptedModel([(".", None)]).script
        assert told(again(client), AgainEvent)[-1] == "failed"

    def test_no_other_answer(
        self,
        client: FlaskClient,
        scripted: ScriptedModel,
        node: Node,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(scripted, "card", lambda: SMALL)
        add(client, node, "a.txt", "I moved the workshop to Teramachi on 6 April 2024.")
        chat = client.post("/api/conversations", json={}).get_json()["id"]
        asked = {"text": "When did I move the workshop to Teramachi?"}
        answer = client.post(f"/api/conversations/{chat}/turns", json=asked)
        assert told(answer, TurnEvent)[-1] == "done"
        assert told(again(client), AgainEvent)[-1] == "exhausted"


class TestRoles:
    def test_a_trial(self, client: FlaskClient, node: Node, scripted: ScriptedModel) -> None:
        add(client, node, "a.txt", COATS)
        scripted.script = []
        asked = {"role": ROLE, "text": QUESTION}
        names = told(client.post("/api/roles/try", json=asked), TrialEvent)
        assert set(names) == {"token", "citation", "done"}
        scripted.script = ScriptedModel([(".", None)]).script
        assert told(client.post("/api/roles/try", json=asked), TrialEvent) == ["failed"]


class TestJobs:
    def test_work_that_succeeds_and_work_that_fails(self, client: FlaskClient, node: Node) -> None:
        job = client.post("/api/documents", json={"text": COATS}).get_json()["job"]
        node.run_jobs()
        assert told(client.get(f"/api/jobs/{job['id']}/events"), job_schemas.JobEvent) == ["job"]
        broken = add(client, node, "a.pdf", "this is no PDF")
        job = next(
            each
            for each in client.get("/api/jobs").get_json()["items"]
            if each["document"] == broken["id"]
        )
        answer = client.get(f"/api/jobs/{job['id']}/events")
        assert told(answer, job_schemas.JobEvent) == ["job"]
        assert '"state": "failed"' in answer.text


class TestChatCompletions:
    def chunks(self, client: FlaskClient, **more: object) -> list[Any]:
        """Hold every line of data against its shape, and return what they say."""
        asked = {"messages": [{"role": "user", "content": QUESTION}], "stream": True, **more}
        answer = client.post("/v1/chat/completions", json={"model": "second-me"} | asked)
        assert answer.content_type == "text/event-stream; charset=utf-8"
        said = []
        for block in answer.text[:-2].split("\n\n"):
            line = block.removeprefix("data: ")
            pair = {"data": line if line == "[DONE]" else json.loads(line)}
            shaped = ChatEvent.model_validate(pair)
            assert shaped.model_dump(mode="json", exclude_unset=True) == pair
            said.append(pair["data"])
        return said

    @pytest.mark.parametrize("model", ["second-me", "base"])
    def test_an_answer(
        self, client: FlaskClient, node: Node, scripted: ScriptedModel, model: str
    ) -> None:
        add(client, node, "a.txt", COATS)
        scripted.script = ScriptedModel([("coats", SAYS)]).script
        said = self.chunks(client, model=model, stream_options={"include_usage": True})
        assert said[-1] == "[DONE]"
        assert said[-2]["usage"]["total_tokens"]
        assert ("citations" in said[-3]) == (model == "second-me")

    def test_one_that_breaks_down(
        self, client: FlaskClient, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(scripted, "stream", breaks_down)
        said = self.chunks(client, model="base")
        assert said[-1]["error"]["type"] == "server_error"


def test_every_stream_of_the_contract_has_a_shape() -> None:
    contract = json.loads(FILE.read_text("utf-8"))
    streams = {
        path: answer["content"]["text/event-stream"]["schema"]["$ref"].rpartition("/")[2]
        for path, methods in contract["paths"].items()
        for call in methods.values()
        for answer in call["responses"].values()
        if "text/event-stream" in answer.get("content", {})
    }
    assert streams == {
        "/api/conversations/{id}/turns": "TurnEvent",
        "/api/conversations/{id}/turns/{turn}/again": "AgainEvent",
        "/api/discussions/{id}/events": "DiscussionEvent",
        "/api/jobs/{id}/events": "JobEvent",
        "/api/roles/try": "TrialEvent",
        "/v1/chat/completions": "ChatEvent",
    }
    assert set(streams.values()) <= set(contract["components"]["schemas"])
