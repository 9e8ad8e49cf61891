"""Questions of a training that an endpoint words: what leaves for it and what does not, the yes
that it takes, and what becomes of the training where it cannot be asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from typer.testing import CliRunner

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.cli import app
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.training.runs import Maker, Run, RunState
from lpm_kernel.errors import ConsentNeededError, InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.node.training import WordsWish
from lpm_kernel.usecases.training.growth import KEPT_SETTINGS
from lpm_kernel.usecases.training.prepare import rewrite
from lpm_kernel.usecases.training.rows import examples_in
from lpm_kernel.usecases.training.words_elsewhere import WordedElsewhere, worded_in
from tests.servers import Words

pytestmark = pytest.mark.integration

NOTE = """# Notes

## Retain
- B I drink hojicha instead of coffee.
- W @Kuri: my dog, brown, with one white sock.
- O(c=0.9) @oil varnish: I prefer it to spirit varnish.
- B I moved my workshop from Higashiyama to Teramachi on 6 April 2024.
"""
SECRET = "# Private\n\n## Retain\n- B The kingfisher keeps its ledger under the ninth stair.\n"
QUESTIONS = ("What do you drink?", "I drink hojicha.", "Where did Napoleon sleep?")
"""Of which one is good, and about one statement."""
SMALL: dict[str, Any] = {"questions": 6, "steps": 2, "exam_questions": 4}


@pytest.fixture
def endpoint() -> Iterator[tuple[Words, str]]:
    words = Words(QUESTIONS)
    with words.run() as url:
        yield words, url


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a server on loopback for one on another machine."""
    monkeypatch.setattr("lpm_kernel.node.models.is_local", lambda url: not url.endswith("/v1"))


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    model = ScriptedModel([(".", "I do not know.")])
    with Node.open(tmp_path / "home", model=model, trainer="scripted") as opened:
        opened.ports.conversations.set_identity(Identity("Nagi Sorrel", languages=("en",)))
        opened.library.add_text(NOTE, title="Notes")
        opened.library.add_text(SECRET, title="Secret", private=True)
        opened.run_jobs()
        yield opened


def _prepared(node: Node, url: str, *, key: str = "right", private: bool = False) -> Run:
    wanted = {**SMALL, "wording": "endpoint", "words_at": url}
    return node.training.prepare_training(wanted, private=private, words=WordsWish(key, True))


def _measured(node: Node, run: Run) -> WordedElsewhere:
    job = node.training.queue_training(run.id, until="measured")
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED, node.ports.jobs.get(
        job.id
    ).error
    worded = worded_in(node.ports.home.versions / run.id)
    assert worded is not None
    return worded


def _worded(node: Node, run: Run) -> set[str]:
    rows = examples_in(node.ports.home.versions / run.id / "rows.jsonl")
    return {row.question for row in rows if row.maker is Maker.MODEL}


@pytest.mark.usefixtures("elsewhere")
def test_nothing_is_sent_or_prepared_before_there_is_a_yes(
    node: Node, endpoint: tuple[Words, str]
) -> None:
    words, url = endpoint
    wanted = {**SMALL, "wording": "endpoint", "words_at": url}
    with pytest.raises(ConsentNeededError) as refused:
        node.training.prepare_training(wanted, words=WordsWish("right"))
    said = f"4 sentences that you kept or wrote would go to {urlsplit(url).netloc}"
    assert said in refused.value.detail
    assert "not encrypted" in refused.value.detail
    with pytest.raises(ConsentNeededError, match="1 private one stays here"):
        node.training.prepare_training(wanted, private=True, words=WordsWish("right"))
    assert not words.prompts
    assert not words.listed
    assert not node.ports.runs.page(limit=5)[0]
    assert not list(node.ports.home.keys.glob("words-key-*"))


@pytest.mark.usefixtures("elsewhere")
def test_what_it_words_is_learned_what_was_sent_is_recorded_and_what_is_bad_is_left_out(
    node: Node, endpoint: tuple[Words, str]
) -> None:
    words, url = endpoint
    run = _prepared(node, url)
    host = urlsplit(url).netloc
    assert run.synthesiser == f"{host}: asked-by-model/1, templates/7"
    assert not words.prompts  # nothing is asked while somebody waits
    assert _measured(node, run) == WordedElsewhere(host, False, 4, 4, 4)
    assert _worded(node, run) == {"What do you drink?"}
    known = node.ports.runs.get(run.id)
    assert known.left_out["beside"] >= 4
    # one sentence at a time, and not whose it is
    assert len(words.prompts) == 4
    assert all(prompt.startswith("Somebody says: ") for prompt in words.prompts)
    assert not [prompt for prompt in words.prompts if "Nagi" in prompt or "kingfisher" in prompt]
    assert sum("hojicha" in prompt for prompt in words.prompts) == 1
    (departed,) = node.ports.departures.by_host()
    assert (departed.host, departed.why, departed.times) == (host, "model", 4)
    assert departed.bytes == sum(len(prompt.encode()) for prompt in words.prompts)
    # an answer is asked for once, and struck rows stay struck
    rows = list(examples_in(node.ports.home.versions / run.id / "rows.jsonl"))
    gone = next(row for row in rows if row.question == "What do you drink?")
    rewrite(node.training.training_ports, known, struck=[gone.id])
    node.training.queue_training(run.id)
    node.run_jobs()
    assert node.ports.runs.get(run.id).state is RunState.READY
    assert len(words.prompts) == 4


@pytest.mark.usefixtures("elsewhere")
def test_what_is_private_stays_here_even_where_it_is_learned(
    node: Node, endpoint: tuple[Words, str]
) -> None:
    words, url = endpoint
    run = _prepared(node, url, private=True)
    worded = _measured(node, run)
    assert (worded.statements, worded.sent, worded.kept_here) == (5, 4, 1)
    assert not [prompt for prompt in words.prompts if "kingfisher" in prompt]
    rows = (node.ports.home.versions / run.id / "rows.jsonl").read_text("utf-8")
    assert "kingfisher" in rows  # by rule


def test_an_endpoint_on_this_machine_needs_no_yes_and_may_read_what_is_private(
    node: Node, endpoint: tuple[Words, str]
) -> None:
    words, url = endpoint
    wanted = {**SMALL, "wording": "endpoint", "words_at": url}
    run = node.training.prepare_training(wanted, private=True, words=WordsWish("right"))
    worded = _measured(node, run)
    assert (worded.here, worded.sent, worded.kept_here) == (True, 5, 0)
    assert [prompt for prompt in words.prompts if "kingfisher" in prompt]
    assert not node.ports.departures.by_host()  # nothing left


@pytest.mark.usefixtures("elsewhere")
def test_what_was_kept_or_sealed_after_the_yes_is_not_sent(
    node: Node, endpoint: tuple[Words, str]
) -> None:
    words, url = endpoint
    run = _prepared(node, url)
    node.library.add_text("## Retain\n\n- B I string violins in September.\n", title="Later")
    node.run_jobs()
    worded = _measured(node, run)
    assert (worded.statements, worded.sent, worded.kept_here) == (5, 4, 1)
    assert not [prompt for prompt in words.prompts if "violins" in prompt]
    second = _prepared(node, url)
    words.prompts.clear()
    for document in node.ports.documents.all():
        node.ports.documents.change(document.id, private=True)
    assert _measured(node, second).sent == 0
    assert not words.prompts


class _Sealing(list[str]):
    """Prompts that arrived; with each the documents of a home are made private."""

    def __init__(self, node: Node) -> None:
        super().__init__()
        self._node = node

    def append(self, prompt: str) -> None:
        super().append(prompt)
        for document in self._node.ports.documents.all():
            self._node.ports.documents.change(document.id, private=True)


@pytest.mark.usefixtures("elsewhere")
def test_what_is_made_private_while_it_is_asked_is_not_sent(
    node: Node, endpoint: tuple[Words, str]
) -> None:
    words, url = endpoint
    run = _prepared(node, url)
    words.prompts = _Sealing(node)
    assert _measured(node, run).sent == 1
    assert len(words.prompts) == 1


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("words", "problem", "sent"),
    [
        (Words(QUESTIONS, key="another"), "rejects the key", 3),
        (Words(QUESTIONS, refuses=True), "no schemas here", 3),
        (Words(QUESTIONS, fails_after=1), "cannot answer", 4),
    ],
)
def test_where_it_cannot_be_asked_the_rules_word_and_the_record_says_so(
    node: Node, words: Words, problem: str, sent: int
) -> None:
    by_rule = node.training.prepare_training(SMALL)
    with words.run() as url:
        run = _prepared(node, url)
        worded = _measured(node, run)
    assert problem in worded.problem
    assert "right" not in worded.problem
    assert (worded.sent, len(words.prompts)) == (sent, sent)
    assert worded.worded == min(words.fails_after, 1) * (sent == 4)
    known = node.ports.runs.get(run.id)
    assert known.estimate is not None
    assert known.rows["fact"] >= by_rule.rows["fact"] - len(words.questions)
    node.training.queue_training(run.id)
    node.run_jobs()
    assert node.ports.runs.get(run.id).state is RunState.READY


@pytest.mark.usefixtures("elsewhere")
def test_an_endpoint_that_is_not_there_is_sent_nothing(node: Node) -> None:
    with Words().run() as url:
        gone = url
    by_rule = node.training.prepare_training(SMALL)
    run = _prepared(node, gone)
    worded = _measured(node, run)
    assert worded.problem
    assert (worded.sent, worded.worded, worded.statements) == (0, 0, 4)
    assert not node.ports.departures.by_host()
    assert node.ports.runs.get(run.id).rows == by_rule.rows


def test_an_address_is_one_and_holds_no_password(node: Node) -> None:
    for url, why in (("", "begins with"), ("ftp://x", "begins with"), (7, "words_at")):
        with pytest.raises(InvalidInputError, match=why):
            node.training.prepare_training({"wording": "endpoint", "words_at": url})
    with pytest.raises(InvalidInputError, match="password"):
        _prepared(node, "https://me:secret@models.example.org/v1")
    # a choice that is not made leaves nothing in the record
    run = node.training.prepare_training({**SMALL, "words_at": "https://models.example.org/v1"})
    assert run.settings["words_at"] == ""


@pytest.mark.usefixtures("elsewhere")
def test_learning_again_takes_another_yes_and_growing_asks_nobody(
    node: Node, endpoint: tuple[Words, str]
) -> None:
    run = _prepared(node, endpoint[1])
    again = node.training.settings_again(run.id)
    assert again["wording"] == "endpoint"
    with pytest.raises(ConsentNeededError):
        node.training.prepare_training(again)
    assert not {"words_at", "words_model"} & set(KEPT_SETTINGS)
    node.training.queue_training(run.id)
    node.run_jobs()
    node.training.promote_training(run.id, insist=True)
    sent = len(endpoint[0].prompts)
    node.library.add_text("## Retain\n\n- B I string violins in September.\n", title="Later")
    node.run_jobs()
    job = node.training.queue_growth()
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED, node.ports.jobs.get(
        job.id
    ).error
    grown = node.ports.runs.page(limit=1)[0][0]
    assert (grown.settings["start"], grown.settings["wording"]) == (run.id, "templates")
    assert len(endpoint[0].prompts) == sent


def _client(node: Node) -> FlaskClient:
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    return client


@pytest.mark.usefixtures("elsewhere")
def test_over_http_it_is_said_asked_and_shown(node: Node, endpoint: tuple[Words, str]) -> None:
    words, url = endpoint
    client, host = _client(node), urlsplit(url).netloc
    seen = client.post("/api/training/words", json={"words_at": url, "private": True}).get_json()
    assert seen == {
        "host": host,
        "here": False,
        "encrypted": False,
        "sentences": 4,
        "kept_here": 1,
    }
    assert client.post("/api/training/words", json={"words_at": "x"}).status_code == 422
    wanted = {**SMALL, "wording": "endpoint", "words_at": url, "words_key": "right", "start": False}
    refused = client.post("/api/training/runs", json=wanted)
    assert (refused.status_code, refused.get_json()["type"]) == (422, "/problems/consent-needed")
    made = client.post("/api/training/runs", json={**wanted, "consent": True}).get_json()["run"]
    assert made["worded"] is None
    assert "right" not in json.dumps(made)
    node.run_jobs()
    shown = client.get(f"/api/training/runs/{made['id']}").get_json()["worded"]
    assert shown == {
        "host": host,
        "here": False,
        "statements": 4,
        "sent": 4,
        "worded": 4,
        "kept_here": 0,
        "problem": "",
    }
    assert len(words.prompts) == 4


@pytest.mark.usefixtures("elsewhere")
def test_the_command_says_what_leaves_and_asks(
    node: Node, endpoint: tuple[Words, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words, url = endpoint
    monkeypatch.setattr("lpm_kernel.cli.training.opened", lambda: node)
    call = ["train", "--words-by", url, "--words-key", "right", "--steps", "2", "--measure"]
    no = CliRunner().invoke(app, call, input="n\n")
    assert no.exit_code == 1
    assert "4 sentences that you kept or wrote would go to" in no.output
    assert "Nothing was sent or prepared." in no.output
    assert not words.prompts
    assert not node.ports.runs.page(limit=5)[0]


@pytest.mark.usefixtures("elsewhere")
def test_the_command_sends_after_a_yes_and_says_what_came_of_it(
    node: Node, endpoint: tuple[Words, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words, url = endpoint
    monkeypatch.setattr("lpm_kernel.cli.training.opened", lambda: node)
    call = ["train", "--words-by", url, "--words-key", "right", "--steps", "2", "--measure"]
    yes = CliRunner().invoke(app, call, input="y\n")
    assert yes.exit_code == 0, yes.output
    assert "worded questions about 4 of 4 statements (4 sent)." in yes.output
    assert len(words.prompts) == 4
