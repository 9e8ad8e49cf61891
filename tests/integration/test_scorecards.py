"""A scorecard at the command line and over HTTP: the same figures, as JSON and as Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from typer.testing import CliRunner

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.cli import app
from lpm_kernel.domain.training.runs import Figure, Run, Scorecard, TrainingVerdict
from lpm_kernel.L2.exam import Measure
from lpm_kernel.L2.exam_bridge import completed
from lpm_kernel.node import Node
from lpm_kernel.usecases.training import examination
from lpm_kernel.usecases.training.report import ARM_MEANINGS, MEASURE_MEANINGS

pytestmark = pytest.mark.integration

NOTE = """# Notes

## Retain
- B I moved my workshop from Higashiyama to Teramachi on 6 April 2024.
- W @Kuri: my dog, brown, with one white sock.
- O(c=0.9) @oil varnish: I prefer it to spirit varnish.
- W @Mai Kurose: the person I ask about weather.
- B I drink hojicha instead of coffee.
- B My rent in Teramachi is 62,000 yen a month.
"""
MORE = """# More

## Retain
- B I sold my bicycle to Haru Tanabe for 9000 yen in May 2023.
- W @Haru Tanabe: my neighbour, a baker.
- B My sister Yuka lives in Kanazawa since 2019.
- O(c=0.8) @winter: I like it more than summer.
- W @Ren Hamade: a woodturner in Noto, with two kilns.
"""
ALIKE = frozenset({"enhance_recall", "critic", "fact_retention", "fact_choice"})
"""Measures that every arm is asked for that answers from its weights or with notes."""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    home = tmp_path_factory.mktemp("cards") / "home"
    model = ScriptedModel(
        [("Add what", "I moved my workshop in April 2024."), ("書き足し|補って", "？")]
    )
    with Node.open(home, model=model, trainer="scripted") as opened:
        for title, text in (("Notes", NOTE), ("More", MORE)):
            opened.library.add_text(text, title=title)
        opened.run_jobs()
        _learn(opened, dpo=True)
        yield opened


def _learn(node: Node, **given: object) -> Run:
    asked = {"steps": 2, "questions": 4, "exam_questions": 30, **given}
    run = node.training.prepare_training(asked)
    node.training.queue_training(run.id)
    node.run_jobs()
    return node.ports.runs.get(run.id)


@pytest.fixture(scope="module")
def run(node: Node) -> Run:
    return node.ports.runs.page(limit=1)[0][0]


@pytest.fixture(scope="module")
def client(node: Node) -> FlaskClient:
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    return client


def lpm(node: Node, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, arguments, env={"LPM_HOME": str(node.ports.home.root)})
    return done.exit_code, done.output


def test_every_arm_has_the_figures_that_it_can_have(run: Run) -> None:
    assert run.scorecard is not None
    arms = run.scorecard.arms
    assert list(arms) == [
        "base",
        "retrieval",
        "sft",
        "sft_retrieval",
        "sft_dpo",
        "sft_dpo_retrieval",
    ]
    for name, arm in arms.items():
        assert set(arm) >= ALIKE, name
        assert {Measure.ABSTENTION, Measure.THIRD_PARTY} <= set(arm)
        by_weights = not name.endswith("retrieval")
        assert (Measure.DRIFT in arm) is (Measure.GROUNDING in arm) is by_weights
        assert (Measure.PREFERENCE in arm) is (name in {"sft", "sft_dpo"})
        assert all(figure.low <= figure.value <= figure.high for figure in arm.values())
    asked = {arm["enhance_recall"].n for arm in arms.values()}
    assert asked == {5}, "a sixth of what is asked about what was learned"


def test_requests_are_judged_by_what_was_added(node: Node, run: Run) -> None:
    place = node.ports.home.versions / run.id
    items = examination.items_in(place / "exam.jsonl")
    answers = examination.answers_in(place / "answers.jsonl")
    for answer in answers:
        item = items[answer.item]
        if item.measure is Measure.ENHANCE:
            worth = 0.0
            if "workshop" in item.expected and answer.answer != "？":
                worth = completed(item, "I moved my workshop in April 2024.")
                assert worth > 0
            # what is so of one request is invented for another, or says nothing of it
            assert answer.value == worth, item
    assert any(items[each.item].measure is Measure.CRITIC for each in answers)


def test_the_page_in_markdown_says_what_was_measured_and_of_what(
    node: Node, run: Run, client: FlaskClient
) -> None:
    told = client.get(f"/api/training/runs/{run.id}/scorecard?format=markdown&download=true")
    assert told.content_type == "text/markdown; charset=utf-8"
    assert "scorecard-1.md" in told.headers["Content-Disposition"]
    text = told.get_data(as_text=True)
    assert text.startswith("# Scorecard of training 1\n\n**")
    figures, _, _ = text.partition("## What was in it")
    rows = {line.split("|")[1].strip(): line for line in figures.splitlines() if line[:3] == "| `"}
    assert run.scorecard is not None
    for name in run.scorecard.arms["sft_dpo"]:
        assert rows[f"`{name}`"].count("|") == len(run.scorecard.arms) + 2
        assert f"- `{name}`: " in text
    figure = run.scorecard.arms["sft_dpo"]["abstention"]
    assert f"{100 * figure.value:.1f} % ({100 * figure.low:.1f} to" in rows["`abstention`"]
    assert f"| `seed` | {run.settings['seed']} |" in text
    assert run.base in text
    assert all(f"| {name} | `{value}` |" in text for name, value in run.hashes.items())
    assert not re.search("Teramachi|hojicha|Kurose|Hamade", text), "nothing of the person's words"
    assert lpm(node, "scorecard", "1", "--markdown") == (0, text)


def test_the_figures_are_the_same_wherever_they_are_asked_for(
    node: Node, run: Run, client: FlaskClient, tmp_path: Path
) -> None:
    told = client.get(f"/api/training/runs/{run.id}/scorecard").get_json()
    known = client.get(f"/api/training/runs/{run.id}").get_json()["scorecard"]
    assert {name: told[name] for name in ("arms", "verdict", "against")} == known
    assert told["training"]["number"] == run.number
    assert told["training"]["hashes"] == dict(run.hashes)
    assert told["training"]["memories"] == 11
    code, said = lpm(node, "scorecard", "--json")  # the newest, as none is in use
    assert code == 0
    assert json.loads(said)["arms"] == told["arms"]
    file = tmp_path / "card.json"
    assert lpm(node, "scorecard", "1", "--out", str(file))[0] == 0
    assert json.loads(file.read_text("utf-8"))["training"]["id"] == run.id
    page = tmp_path / "card.md"
    assert lpm(node, "scorecard", "1", "--out", str(page))[0] == 0
    assert page.read_text("utf-8").startswith("# Scorecard of training 1")
    before = page.read_bytes()
    assert lpm(node, "scorecard", "1", "--out", str(page))[0] == 1
    assert page.read_bytes() == before, "what is there is not written over"
    assert lpm(node, "scorecard", "1", "--markdown", "--json")[0] == 1


def test_a_card_of_an_older_release_is_shown(
    node: Node, client: FlaskClient, tmp_path: Path
) -> None:
    old = node.training.prepare_training({"questions": 4})
    figures: Mapping[str, Figure] = {"fact_retention": Figure(0.2, 0.1, 0.3, 90)}
    card = Scorecard({"base": figures, "sft": figures}, TrainingVerdict(False), "t_gone")
    node.ports.runs.change(old.id, scorecard=card)
    told = client.get(f"/api/training/runs/{old.id}/scorecard").get_json()
    assert told["arms"]["sft"] == {
        "fact_retention": {"value": 0.2, "low": 0.1, "high": 0.3, "n": 90}
    }
    assert told["training"]["examined_at"] is None
    text = client.get(f"/api/training/runs/{old.id}/scorecard?format=markdown").get_data(True)
    assert "a training that is not there any more" in text
    assert "20.0 % (10.0 to 30.0, n 90)" in text
    assert "- `critic`:" not in text
    # and its questions, which name nothing to look for
    file = tmp_path / "exam.jsonl"
    row = {
        "measure": "fact_retention",
        "question": "Where?",
        "notes": [],
        "accept": [],
        "say": ["there"],
        "options": [],
        "memory": None,
        "expected": "There.",
    }
    file.write_text(json.dumps(row) + "\n", "utf-8")
    assert [item.sought for item in examination.items_in(file)] == [""]
    node.training.delete_training(old.id)


def test_what_has_no_scorecard_says_so(node: Node, client: FlaskClient) -> None:
    bare = node.training.prepare_training({"questions": 4})
    for form in ("json", "markdown"):
        told = client.get(f"/api/training/runs/{bare.id}/scorecard?format={form}")
        assert told.status_code == 404
    assert client.get(f"/api/training/runs/{bare.id}/scorecard?format=pdf").status_code == 422
    assert lpm(node, "scorecard", str(bare.number))[0] == 1
    node.training.delete_training(bare.id)


def test_the_one_in_use_is_meant_where_none_is_named(node: Node, run: Run) -> None:
    second = _learn(node, seed=2)
    assert second.scorecard is not None
    assert json.loads(lpm(node, "scorecard", "--json")[1])["training"]["id"] == second.id
    node.training.promote_training(run.id, insist=True)
    assert json.loads(lpm(node, "scorecard", "--json")[1])["training"]["id"] == run.id
    node.training.roll_back_training()


def test_what_is_asked_and_of_whom_has_a_meaning() -> None:
    assert {measure.value for measure in Measure} <= {*MEASURE_MEANINGS}
    assert {*examination.ARMS} == {*ARM_MEANINGS}
