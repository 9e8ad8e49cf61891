"""A language model asked about every passage, in a whole node: in the background, once, and nothing
is lost where it does not answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.home.jobs import Job, JobState
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.L0.language.analysis import passages
from lpm_kernel.node import Node
from lpm_kernel.worker.loop import Questions
from tests.scan import traces, windows

TEXT = (
    "Good morning! Ottilie moved to Bergen in May 2021 and works at the harbour. It rained. She"
    " rents a room with a stove of green tiles."
)
OTHER = "Ottilie sold the boat to Ravensborough upon Wye in 2023."
MOVED = "Ottilie moved to Bergen in May 2021 and works at the harbour."
ANSWER = """{"statements": [
 {"sentence": \\1, "says": "Ottilie moved to Bergen in 2021.", "kind": "world", "about": ["Ottilie"], "sure": "high"},
 {"sentence": \\1, "says": "Ottilie moved to Oslo.", "kind": "world", "about": ["Ottilie"], "sure": "high"},
 {"sentence": 99}
]}"""  # noqa: E501  a text as it stands
SCRIPT: list[tuple[str, str | None]] = [
    (r"(\d+)\. Ottilie moved", ANSWER),
    (r"sold the boat", "I think that sentence 1 matters most."),
    (r"numbered sentences", '{"statements": []}'),
]


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(SCRIPT)


@pytest.fixture
def reading(home: Path, frozen_clock: FrozenClock, model: ScriptedModel) -> Iterator[Node]:
    with Node.open(home, clock=frozen_clock, model=model, embedder=HashingEmbedder()) as opened:
        opened.ports.change_settings(extractor="model")
        yield opened


def add(node: Node, text: str, title: str | None = None) -> DocumentId:
    document = node.library.add_text(text, title=title).document
    node.run_jobs()
    return document.id


def asked(node: Node) -> Job:
    assert node.findings.extraction_is_due()
    job = node.findings.queue_extraction()
    assert node.findings.queue_extraction().id == job.id
    node.run_jobs()
    return node.ports.jobs.get(job.id)


def proposed(node: Node) -> list[str]:
    return [each.text for each in node.findings.findings() if each.proposal is not None]


def test_until_it_was_asked_the_rules_propose_and_then_it_does(
    reading: Node, model: ScriptedModel
) -> None:
    add(reading, TEXT, title="Letter")
    before = reading.findings.findings()
    assert [each.text for each in before if each.proposal] == [MOVED]
    assert model.seen == []  # looking asks nothing
    job = asked(reading)
    assert (job.state, job.result) == (JobState.SUCCEEDED, {"asked": 1})
    found = next(each for each in reading.findings.findings() if each.proposal is not None)
    assert found.proposal is not None
    assert (found.text, found.proposal.wording, found.proposal.confidence) == (
        MOVED,
        "Ottilie moved to Bergen in 2021.",
        0.9,
    )
    assert TEXT[found.start : found.end] == MOVED
    client = create_app(reading).test_client()
    shown = client.get(
        "/api/findings",
        headers={"Authorization": f"Bearer {reading.ports.home.secret('api-token')}"},
    ).get_json()["items"]
    assert [(each["content"], each["wording"]) for each in shown if each["wording"]] == [
        (MOVED, "Ottilie moved to Bergen in 2021.")
    ]
    assert len(model.seen) == 1


def test_a_passage_is_asked_about_once_and_a_killed_job_goes_on(
    reading: Node, model: ScriptedModel
) -> None:
    add(reading, TEXT)
    add(reading, OTHER)
    add(reading, "Mai keeps bees in Noto.\n\n" + TEXT)
    model.script.insert(0, (re.compile("bees"), None))  # it breaks down at the last passage
    assert asked(reading).state is JobState.FAILED
    seen = len(model.seen)
    model.script.pop(0)
    assert asked(reading).result == {"asked": 1}
    assert len(model.seen) == seen + 1
    assert not reading.findings.extraction_is_due()
    # read anew: what was answered about the same words is known still
    for document in reading.ports.documents.all():
        reading.ports.index.put(document.id, passages(reading.ports.index.chunks_of(document.id)))
    assert not reading.findings.extraction_is_due()
    reading.ports.index.remove(reading.ports.documents.all()[0].id)
    assert not reading.findings.extraction_is_due()


def test_what_cannot_be_read_is_left_to_the_rules(reading: Node) -> None:
    add(reading, OTHER)
    before = proposed(reading)
    assert before == [OTHER]
    asked(reading)
    assert proposed(reading) == before


def test_what_is_decided_is_not_proposed_again_by_either(reading: Node) -> None:
    add(reading, TEXT)
    client: FlaskClient = create_app(reading).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {reading.ports.home.secret('api-token')}"
    asked(reading)
    finding = next(each for each in reading.findings.findings() if each.proposal)
    assert client.post(f"/api/findings/{finding.id}", json={"decision": "keep"}).status_code == 200
    assert proposed(reading) == []
    reading.ports.change_settings(extractor="rules")
    assert not reading.findings.extraction_is_due()
    assert proposed(reading) == []


def test_with_the_rules_in_use_nothing_is_asked(node: Node, scripted: ScriptedModel) -> None:
    add(node, TEXT)
    assert not node.findings.extraction_is_due()
    assert not Questions(every=0).are_open(node)
    job = node.findings.queue_extraction()
    node.run_jobs()
    assert node.ports.jobs.get(job.id).result == {"asked": 0}
    assert scripted.seen == []
    assert proposed(node) == [MOVED]


def test_a_model_elsewhere_is_never_asked(reading: Node, model: ScriptedModel) -> None:
    reading.ports.change_settings(model="https://models.example/v1")
    add(reading, TEXT)
    assert not reading.findings.extraction_is_due()
    reading.findings.queue_extraction()
    reading.run_jobs()
    assert model.seen == []
    reading.ports.change_settings(model="http://127.0.0.1:9/v1")
    assert reading.findings.extraction_is_due()


def test_the_worker_asks_once_after_every_change(reading: Node, model: ScriptedModel) -> None:
    questions = Questions(every=0)
    assert not questions.are_open(reading)
    add(reading, OTHER)
    assert questions.are_open(reading)
    assert not questions.are_open(reading)  # nothing has changed, whatever came of it
    reading.findings.queue_extraction()
    reading.run_jobs()
    add(reading, TEXT)
    assert questions.are_open(reading)
    assert len(model.seen) == 1


def test_a_model_that_broke_down_is_asked_again_and_one_that_was_stopped_is_not(
    reading: Node, model: ScriptedModel, frozen_clock: FrozenClock
) -> None:
    questions = Questions(every=0, again=0)
    model.script.insert(0, (re.compile("Ottilie"), None))
    add(reading, TEXT)
    assert questions.are_open(reading)
    assert asked(reading).state is JobState.FAILED
    assert questions.are_open(reading)
    frozen_clock.advance(timedelta(minutes=5))
    job = reading.findings.queue_extraction()
    reading.ports.jobs.cancel(job.id, reading.ports.clock.now())
    assert not questions.are_open(reading)


def test_a_model_that_is_not_up_yet_is_waited_for(home: Path, frozen_clock: FrozenClock) -> None:
    questions = Questions(every=0)
    with Node.open(home, clock=frozen_clock, embedder=HashingEmbedder(), in_process=False) as node:
        node.ports.change_settings(extractor="model")
        add(node, TEXT)
        assert node.findings.extraction_is_due()
        assert node.models.model_state().state == "down"
        assert not questions.are_open(node)
    with Node.open(
        home, clock=frozen_clock, model=ScriptedModel(SCRIPT), embedder=HashingEmbedder()
    ) as node:
        assert questions.are_open(node)


def test_what_is_erased_leaves_no_answer(home: Path, reading: Node) -> None:
    kept, gone = add(reading, TEXT), add(reading, OTHER, title="The boat")
    asked(reading)
    assert set(reading.ports.index.replies.newest([kept, gone], reading.findings._asker)) == {
        kept,
        gone,
    }
    reading.home.confirm_erasure(reading.home.propose_erasure([gone]).token)
    reading.run_jobs()
    reading.close()
    assert traces(home, windows([OTHER], but=[TEXT])) == []
