"""Ordinary chat with a training in use: it words the answers, its number stands under them, the
guard stands, and only those hear it who may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.ports import ModelCard
from lpm_kernel.domain.training.runs import Audience, Figure, Run, Scorecard
from lpm_kernel.domain.training.runs import TrainingVerdict as Better
from lpm_kernel.errors import ModelUnavailableError
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.findings import SentenceDecision
from lpm_kernel.usecases.training.rows import examples_in

pytestmark = pytest.mark.integration

NOTE = """# Notes

## Retain
- B I moved my workshop from Higashiyama to Teramachi on 6 April 2024.
- W @Kuri: my dog, brown, with one white sock.
- B I drink hojicha instead of coffee.
- B I ride a bicycle with a box.
"""
ASKED = "When did I move my workshop to Teramachi?"


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel([("Teramachi", "You moved to Teramachi on 6 April 2024.")])


@pytest.fixture
def node(tmp_path: Path, model: ScriptedModel) -> Iterator[Node]:
    with Node.open(tmp_path / "home", model=model, trainer="scripted") as opened:
        opened.ports.change_settings(model="scripted")
        opened.library.add_text(NOTE, title="Notes")
        opened.run_jobs()
        yield opened


def in_use(node: Node, model: ScriptedModel, says: str, **given: object) -> Run:
    """Train, and have the training say something of its own."""
    run = node.training.prepare_training({"steps": 4, "questions": 4}, **given)  # type: ignore[arg-type]
    node.training.queue_training(run.id)
    node.run_jobs()
    node.training.promote_training(run.id, insist=True)
    model.adapters[run.id] = [(re.compile("Teramachi"), says)]
    return node.ports.runs.get(run.id)


def asked(node: Node, question: str = ASKED) -> dict[str, object]:
    """Ask in a chat, as the owner does, and return the answer as it is kept."""
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    chat = client.post("/api/conversations", json={}).get_json()["id"]
    said = client.post(f"/api/conversations/{chat}/turns", json={"text": question})
    assert said.status_code == 200
    said.get_data()
    turns: list[dict[str, object]] = client.get(f"/api/conversations/{chat}").get_json()["items"]
    return turns[-1]


def test_a_training_in_use_words_the_answers_and_its_number_stands_under_them(
    node: Node, model: ScriptedModel
) -> None:
    before = asked(node)
    assert before["model"] == "scripted"
    run = in_use(node, model, "That was on 6 April 2024.")
    answer = asked(node)
    assert answer["model"] == f"scripted + training {run.number}"
    assert "That was on 6 April" in str(answer["text"])
    assert answer["citations"]
    node.training.roll_back_training()
    assert asked(node)["text"] == before["text"]


def test_a_question_may_go_to_the_model_without_the_training(
    node: Node, model: ScriptedModel
) -> None:
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    assert client.get("/api/status").get_json()["training"] is None
    run = in_use(node, model, "That was on 6 April 2024.")
    assert client.get("/api/status").get_json()["training"] == run.number
    chat = f"/api/conversations/{client.post('/api/conversations', json={}).get_json()['id']}"
    client.post(f"{chat}/turns", json={"text": ASKED, "trained": False}).get_data()
    base = client.get(chat).get_json()["items"][-1]
    assert base["model"] == "scripted"
    assert "You moved to Teramachi on 6 April 2024." in base["text"]

    # answered as the person beside it, from the same evidence, as if it were asked so at once
    client.post(f"{chat}/turns/{base['id']}/again", json={}).get_data()
    trained = client.get(chat).get_json()["items"][-1]
    assert trained["model"] == f"scripted + training {run.number}"
    assert trained["text"] == asked(node)["text"]
    assert [item["id"] for item in trained["evidence"]] == [item["id"] for item in base["evidence"]]
    assert trained["variants"] == [base["id"], trained["id"]]

    # both can be read, whichever is shown
    assert client.get(f"{chat}/turns/{base['id']}").get_json()["text"] == base["text"]
    assert client.get(f"{chat}/turns/t_none").status_code == 404

    client.post(f"{chat}/turns/{base['id']}/again?trained=false", json={}).get_data()
    assert client.get(chat).get_json()["items"][-1]["model"] == "scripted"


def test_what_a_training_makes_up_does_not_pass_the_guard(node: Node, model: ScriptedModel) -> None:
    in_use(node, model, "I moved to Osaka in 1998 with four cats.")
    assert "Osaka" not in str(asked(node)["text"])


def test_a_training_whose_file_is_gone_leaves_the_model_to_answer(
    node: Node, model: ScriptedModel
) -> None:
    run = in_use(node, model, "That was on 6 April 2024.")
    (node.ports.home.versions / run.id / "adapter.gguf").unlink()
    assert asked(node)["model"] == "scripted"


def test_a_model_that_is_not_there_fails_in_the_chat_and_the_question_is_kept(
    node: Node, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_use(node, model, "That was on 6 April 2024.")

    def gone() -> ModelCard:
        raise ModelUnavailableError("The model is not there.")

    monkeypatch.setattr(model, "card", gone)
    monkeypatch.setattr(type(node.training), "training_base", lambda _: gone())
    answer = asked(node)
    assert answer["state"] == "failed"
    assert answer["role"] == "assistant"  # so that the question stands before it


def told_in_use(node: Node) -> tuple[int | None, int | None]:
    """Return the training that the owner, and a program that may chat, hears that it speaks to."""
    client = create_app(node).test_client()
    owner = {"Authorization": f"Bearer {node.ports.home.secret('api-token')}"}
    wanted = {"name": "editor", "scopes": ["recall", "chat"]}
    key = client.post("/api/keys", json=wanted, headers=owner).get_json()["key"]
    told = [
        client.get("/api/status", headers=headers).get_json()["training"]
        for headers in (owner, {"Authorization": f"Bearer {key}"})
    ]
    return told[0], told[1]


def test_what_learned_private_things_or_said_them_answers_its_owner_alone(
    node: Node, model: ScriptedModel
) -> None:
    open_to_all = in_use(node, model, "That was on 6 April 2024.")
    assert (
        node.speaking.speaker(owner=False).card().id == f"scripted + training {open_to_all.number}"
    )
    assert told_in_use(node) == (open_to_all.number, open_to_all.number)
    card = open_to_all.scorecard
    assert card is not None
    said = {**card.arms["sft"], "leak_rate": Figure(0.5, 0.0, 1.0, 2)}
    node.ports.runs.change(
        open_to_all.id,
        scorecard=Scorecard(
            {**card.arms, "sft": said}, Better(better=False, reasons=("leak_rate",))
        ),
    )
    assert node.speaking.speaker(owner=False).card().id == "scripted"
    assert (
        node.speaking.speaker(owner=True).card().id == f"scripted + training {open_to_all.number}"
    )
    node.library.add_text(
        "## Retain\n- B The kingfisher keeps its ledger under the ninth stair.\n",
        title="Secret",
        private=True,
    )
    node.run_jobs()
    own = in_use(node, model, "I moved.", private=True)
    assert own.audience is Audience.OWNER
    assert told_in_use(node) == (own.number, None)
    assert node.speaking.speaker(owner=False).card().id == "scripted"
    assert node.speaking.speaker(owner=True).card().id == f"scripted + training {own.number}"


def test_what_was_put_right_is_learned_as_it_reads_rightly_and_what_was_forgotten_is_not(
    node: Node,
) -> None:
    before = node.training.prepare_training({"questions": 4})
    assert not any(each.outdated for each in node.training.learned_from(before))
    one = node.training.material().taught[0]
    text = (
        node.ports.files.words(
            node.ports.documents.get(one.document or "").sha256,  # type: ignore[arg-type]
            node.ports.documents.get(one.document or "").text_version or "",  # type: ignore[arg-type]
        )
        or ""
    )
    for verdict, said, rightly in (
        (Verdict.FORGET, "I drink hojicha instead of coffee.", ""),
        (
            Verdict.MEND,
            "I moved my workshop from Higashiyama to Teramachi on 6 April 2024.",
            "I moved my workshop to Teramachi on 7 April 2024.",
        ),
    ):
        at = text.index(said)
        node.memory.decide(
            SentenceDecision(one.document or "", at, at + len(said), verdict, rightly, said)  # type: ignore[arg-type]
        )
    node.run_jobs()
    found = node.training.material()
    assert {
        (each.then, each.now) for each in node.training.learned_from(before) if each.outdated
    } == {
        ("I drink hojicha instead of coffee.", None),
        (
            "I moved my workshop from Higashiyama to Teramachi on 6 April 2024.",
            "I moved my workshop to Teramachi on 7 April 2024.",
        ),
    }
    told = [each.text for each in found.taught]
    assert "I moved my workshop to Teramachi on 7 April 2024." in told
    assert not any("6 April" in each or "hojicha" in each for each in told)
    assert found.left_out == {"forgotten": 1}
    run = node.training.prepare_training({"questions": 4})
    rows = (node.ports.home.versions / run.id / "rows.jsonl").read_text()
    assert "7 April" in rows
    assert "6 April" not in rows
    assert all(
        "Kuri" in each.answer
        for each in examples_in(node.ports.home.versions / run.id / "rows.jsonl")
        if "white sock" in each.answer
    )
