"""The model that thinks: tried for that, chosen apart from the one that answers, and asked for
thoughts where a training teaches to think.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.probe import probe, probe_file
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.domain.ports import ChatMessage, Endpoint, Sampling
from lpm_kernel.domain.training.runs import RunId
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError
from lpm_kernel.node import Node
from lpm_kernel.node import models as node_models
from lpm_kernel.usecases.training.prepare import rewrite
from lpm_kernel.usecases.training.rows import THOUGHTS, examples_in, wordings_in
from lpm_kernel.usecases.training.thinking import SEALED, thought_in
from tests.integration.test_endpoints import MODELS, Answers, chunk, server
from tests.integration.test_training import EXAM, NOTE, SECRET, Weighed
from tests.scan import traces

KEY = "sk-kingfisher-secret-9"


def thought(text: str) -> str:
    return f"data: {json.dumps({'choices': [{'delta': {'reasoning_content': text}}]})}\n\n"


THINKS = "".join(thought(f"step {n} ") for n in range(20)) + chunk("Cy.", "stop")
INLINE = chunk("<think>Ada, then Bo, ") + chunk("then Cy.</think>Cy.", "stop")


def answering(said: str) -> Answers:
    return {"/v1/models": (200, MODELS), "/v1/chat/completions": (200, said)}


@pytest.mark.parametrize("said", [THINKS, INLINE])
def test_a_model_that_thinks_is_told_by_its_thoughts(said: str) -> None:
    with server(answering(said)) as url:
        assert "It thinks before it answers." in probe(Endpoint(url), thinking=True).sentence


def test_a_model_that_does_not_think_is_said_to_be_none() -> None:
    with (
        server(answering(chunk("Cy is the ") + chunk("youngest.", "stop"))) as url,
        pytest.raises(ModelUnavailableError, match="answers without a thought") as refused,
    ):
        probe(Endpoint(url), thinking=True)
    assert "Qwen3" in refused.value.hint


def test_it_is_said_within_seconds_although_the_answer_takes_minutes() -> None:
    def slowly(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        try:
            for _ in range(600):
                handler.wfile.write(thought("hm ").encode())
                time.sleep(0.1)
        except OSError:
            return  # the probe has heard enough

    with server({"/v1/models": (200, MODELS), "/v1/chat/completions": slowly}) as url:
        started = time.monotonic()
        probe(Endpoint(url), thinking=True)
        assert time.monotonic() - started < 30  # it thinks for a minute


def test_the_bundled_model_does_not_think() -> None:
    with pytest.raises(ModelUnavailableError, match="answers without a thought") as refused:
        probe_file(bundled_model(), thinking=True)
    assert refused.value.hint


def shown(client: FlaskClient) -> dict[str, object]:
    return dict(client.get("/api/thinking").get_json())


def test_it_is_chosen_apart_from_the_chat_model_and_its_key_is_never_shown(
    node: Node, client: FlaskClient
) -> None:
    nothing = {"kind": "none", "name": "", "model": "", "here": True, "keyed": False}
    before = node.ports.settings.model
    assert shown(client) == nothing
    with server(answering(THINKS)) as url:
        body = {"kind": "endpoint", "url": url, "key": KEY, "model": "second"}
        tried = client.post("/api/thinking/probe", json=body).get_json()
        assert tried["ok"]
        assert shown(client) == nothing, "trying changes nothing"
        answer = client.put("/api/thinking", json=body)
        chosen = {"kind": "endpoint", "name": url, "model": "second", "here": True, "keyed": True}
        assert answer.get_json() == shown(client) == chosen
        # chosen again without a key it keeps the key
        client.put("/api/thinking", json={"kind": "endpoint", "url": url, "model": "second"})
        assert shown(client) == chosen
    assert node.ports.settings.model == before
    for path in ("thinking", "settings", "models", "audit", "exposure", "status"):
        assert KEY not in client.get(f"/api/{path}").get_data(as_text=True)
    assert traces(node.ports.home.root, [KEY]) == [("keys/thinking-key", KEY)]
    assert client.put("/api/thinking", json={"kind": "none"}).get_json() == nothing
    assert traces(node.ports.home.root, [KEY]) == []


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"/v1/models": (401, "{}")}, "rejects the key"),
        (answering(chunk("Cy.", "stop")), "without a thought"),
        ({}, "no OpenAI-compatible endpoint"),
    ],
)
def test_what_is_wrong_is_said_and_the_one_before_stays(
    node: Node, client: FlaskClient, answers: Answers, said: str
) -> None:
    with server(answering(THINKS)) as good, server(answers) as bad:
        client.put("/api/thinking", json={"kind": "endpoint", "url": good})
        body = {"kind": "endpoint", "url": bad, "key": KEY}
        tried = client.post("/api/thinking/probe", json=body).get_json()
        assert not tried["ok"]
        assert said in tried["sentence"]
        assert client.put("/api/thinking", json=body).status_code == 503
        assert shown(client)["name"] == good
        assert node.ports.settings.thinking_model == good


def test_an_address_where_nothing_is_is_said(client: FlaskClient) -> None:
    body = {"kind": "endpoint", "url": "http://127.0.0.1:9/v1"}
    tried = client.post("/api/thinking/probe", json=body).get_json()
    assert (tried["ok"], bool(tried["sentence"])) == (False, True)
    assert client.post("/api/thinking/probe", json={"kind": "file"}).status_code == 422
    assert client.post("/api/thinking/probe", json={"kind": "none"}).get_json()["ok"]


def test_a_file_runs_in_a_process_of_its_own_for_as_long_as_it_is_asked(tmp_path: Path) -> None:
    file = str(bundled_model())
    with Node.open(
        tmp_path / "home", model=ScriptedModel(), embedder=HashingEmbedder(), thinking_model=file
    ) as node:
        with node.models.thinking() as thinker:
            assert thinker is not None
            assert thinker.here
            said = thinker.model.stream([ChatMessage("user", "Say yes.")], Sampling(max_tokens=4))
            assert "".join(delta.text for delta in said)
            assert list((node.ports.home.root / "run").glob("spare-*"))
        assert not list((node.ports.home.root / "run").glob("spare-*"))
        assert node.ports.departures.by_host() == []


def test_a_file_that_is_no_model_is_said(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\xff" * 400)
    with (
        Node.open(
            tmp_path / "home",
            model=ScriptedModel(),
            embedder=HashingEmbedder(),
            thinking_model=str(broken),
        ) as node,
        pytest.raises(ModelUnavailableError),
        node.models.thinking(),
    ):
        pass


# --- thoughts of a training -----------------------------------------------------------------------

WANTED = {"questions": 3, "steps": 2, "reasoning": "multi", "thoughts": "model"}
GOOD = "1. It asks about what is in the notes.\n2. It is said there."
THOUGHT = ScriptedModel([("hojicha", "1. Ottilie drank it.\n2. So do I."), (".", GOOD)])


@pytest.fixture
def training(tmp_path: Path) -> Iterator[Node]:
    with Node.open(
        tmp_path / "home",
        model=Weighed([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
        trainer="scripted",
        thinking=THOUGHT,
    ) as opened:
        opened.library.add_text(NOTE, title="Notes")
        opened.run_jobs()
        yield opened


def measured(node: Node, **more: object) -> RunId:
    run = node.training.prepare_training({**WANTED, "exam_questions": EXAM, **more})
    node.training.queue_training(run.id, until="measured")
    node.run_jobs()
    return run.id


def thoughts(node: Node, run: RunId) -> dict[str, str]:
    rows = examples_in(node.ports.home.versions / run / "rows.jsonl")
    return {row.answer: row.thought for row in rows if row.thought and not row.notes}


def test_a_model_words_what_is_thought_and_what_it_invents_is_left_to_the_rules(
    training: Node,
) -> None:
    ruled = thoughts(training, measured(training, thoughts="rules"))
    run = measured(training)
    found = thoughts(training, run)
    assert set(found) == set(ruled)
    invented = [answer for answer in found if "hojicha" in answer]
    assert invented
    assert all(found[answer] == ruled[answer] for answer in invented)
    others = [found[answer] for answer in found if "hojicha" not in answer]
    assert GOOD in others
    assert all(each == GOOD or each in ruled.values() for each in others)
    place = training.ports.home.versions / run
    assert GOOD.replace("\n", "\\n") in (place / "examples.jsonl").read_text()
    assert wordings_in(place, THOUGHTS)
    record = thought_in(place)
    assert record is not None
    assert record.here
    assert record.problem == ""
    # two rows that differ in who asks alone are thought about once
    assert 0 < record.thought < record.sent <= record.rows
    # what was asked once is not asked again
    asked = len(THOUGHT.seen)
    training.training.queue_training(run, until="measured")
    training.run_jobs()
    assert len(THOUGHT.seen) == asked
    assert thought_in(place) == record


def test_thoughts_about_what_was_erased_are_nowhere(training: Node) -> None:
    added = training.library.add_text(
        "## Retain\n- W @Zeb: my neighbour, a glazier.\n", title="Zeb"
    )
    training.run_jobs()
    run = measured(training)
    place = training.ports.home.versions / run
    assert len(wordings_in(place, THOUGHTS)) > 1
    rows = list(examples_in(place / "rows.jsonl"))
    [zeb] = {row.memories for row in rows if "Zeb" in row.answer and len(row.memories) == 1}
    of_it = {row.id for row in rows if set(zeb) & set(row.memories)}
    ports = training.training.training_ports
    rewrite(ports, training.ports.runs.get(run), struck=of_it)  # so it does not go as a whole
    training.home.confirm_erasure(training.home.propose_erasure([added.document.id]).token)
    training.run_jobs()
    assert list(examples_in(place / "rows.jsonl"))
    assert not wordings_in(place, THOUGHTS)  # of which row a thought was, its hash does not tell


def test_a_model_that_cannot_be_reached_leaves_the_rules_thoughts_and_says_so(
    tmp_path: Path,
) -> None:
    with (
        server({"/v1/models": (200, MODELS), "/v1/chat/completions": (500, "{}")}) as url,
        Node.open(
            tmp_path / "home",
            model=Weighed([(".", "I do not know.")]),
            embedder=HashingEmbedder(),
            trainer="scripted",
            thinking_model=url,
        ) as node,
    ):
        node.library.add_text(NOTE, title="Notes")
        node.run_jobs()
        run = measured(node)
        record = thought_in(node.ports.home.versions / run)
    assert record is not None
    assert record.thought == 0 < record.rows
    assert record.problem
    assert record.problem in record.sentence()
    assert "by rule" in record.sentence()


def test_without_a_model_that_thinks_a_training_cannot_have_its_thoughts(node: Node) -> None:
    with pytest.raises(InvalidInputError, match="No model that thinks"):
        node.training.prepare_training(WANTED)


def elsewhere(url: str) -> bool:
    return not url.startswith("http")


@pytest.mark.parametrize("private", [False, True])
def test_to_a_model_elsewhere_goes_what_is_open_and_it_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private: bool
) -> None:
    heard: list[str] = []

    def listen(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write((chunk(GOOD, "stop") + "data: [DONE]\n\n").encode())
        heard.append(handler.path)

    monkeypatch.setattr(node_models, "is_local", elsewhere)
    with (
        server({"/v1/models": (200, MODELS), "/v1/chat/completions": listen}) as url,
        Node.open(
            tmp_path / "home",
            model=Weighed([(".", "I do not know.")]),
            embedder=HashingEmbedder(),
            trainer="scripted",
            thinking_model=url,
        ) as node,
    ):
        node.library.add_text(NOTE, title="Notes")
        if private:
            node.library.add_text(SECRET, title="Secret", private=True)
        node.run_jobs()
        run = node.training.prepare_training({**WANTED, "exam_questions": EXAM}, private=private)
        node.training.queue_training(run.id, until="measured")
        node.run_jobs()
        gone = node.ports.departures.by_host()
    assert bool(heard) is not private
    assert bool(gone) is not private
    record = thought_in(node.ports.home.versions / run.id)
    assert record is not None
    assert not record.here
    assert (record.sent > 0, bool(record.problem)) == (not private, private)


def test_what_is_made_private_while_thoughts_are_asked_elsewhere_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []

    def listen(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        heard.append(handler.path)
        [document] = node.ports.documents.all()
        node.ports.documents.change(document.id, private=True)
        handler.wfile.write((chunk(GOOD, "stop") + "data: [DONE]\n\n").encode())

    monkeypatch.setattr(node_models, "is_local", elsewhere)
    with (
        server({"/v1/models": (200, MODELS), "/v1/chat/completions": listen}) as url,
        Node.open(
            tmp_path / "home",
            model=Weighed([(".", "I do not know.")]),
            embedder=HashingEmbedder(),
            trainer="scripted",
            thinking_model=url,
        ) as node,
    ):
        node.library.add_text(NOTE, title="Notes")
        node.run_jobs()
        record = thought_in(node.ports.home.versions / measured(node))
    assert len(heard) == 1
    assert record is not None
    assert record.problem == SEALED
