"""Going through all that was found: what waits, many decisions at once, and the way back."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from typer.testing import CliRunner

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.cli import app
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import MemoryFilter
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory import findings
from lpm_kernel.usecases.memory.findings import MOST

NAMES = ("Ottilie", "Halvard", "Sunniva", "Edda", "Colm", "Nora")
PLACES = ("Bergen", "Oslo", "Turku", "Cork", "Kyoto", "Lund")


@pytest.fixture
def ledger(node: Node) -> str:
    """One document with more sentences than are shown at once."""
    text = "\n\n".join(
        f"{name} moved to {place} in May {1990 + number}."
        for number, (name, place) in enumerate((n, p) for n in NAMES for p in PLACES[:4])
    )
    document = node.library.add_text(text, title="Ledger").document
    node.run_jobs()
    return document.id


def waiting(client: FlaskClient, query: str = "limit=500") -> dict[str, Any]:
    return dict(client.get(f"/api/findings?every=true&{query}").get_json())


def decide(client: FlaskClient, items: list[dict[str, Any]], decision: str) -> dict[str, Any]:
    sent = [
        {"id": each["id"], "decision": decision, "content": each.get("content", "")}
        for each in items
    ]
    answer = client.post("/api/findings/bulk", json={"items": sent})
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def undo(client: FlaskClient, decided: dict[str, Any]) -> dict[str, Any]:
    made = [
        {"id": each["decision"]["id"], "at": each["decision"]["at"]}
        for each in decided["items"]
        if each["outcome"] == "decided"
    ]
    return dict(client.post("/api/findings/bulk/undo", json={"items": made}).get_json())


def outcomes(answer: dict[str, Any]) -> list[str]:
    return [each["outcome"] for each in answer["items"]]


def believed(node: Node) -> list[str]:
    found, _ = node.ports.memories.page(MemoryFilter(), limit=200)
    return sorted(belief.statement.text for belief in found)


@pytest.mark.usefixtures("ledger")
def test_all_that_waits_is_listed_and_not_the_best_alone(client: FlaskClient) -> None:
    best = client.get("/api/findings?limit=500").get_json()
    every = waiting(client)
    assert best["total"] <= MOST < every["total"] == len(NAMES) * 4
    assert {each["id"] for each in best["items"]} <= {each["id"] for each in every["items"]}
    assert every["further"] is False
    assert all(each["document"]["title"] == "Ledger" for each in every["items"])


@pytest.mark.usefixtures("ledger")
def test_a_cursor_goes_on_behind_what_was_left_open(client: FlaskClient) -> None:
    page = waiting(client, "limit=6")
    decide(client, page["items"][:4], "keep")
    following = waiting(client, "limit=6&cursor=2")
    assert following["total"] == page["total"] - 4
    every = [each["id"] for each in waiting(client)["items"]]
    assert [each["id"] for each in page["items"][4:]] == every[:2]
    assert [each["id"] for each in following["items"]] == every[2:8]


@pytest.mark.usefixtures("ledger")
def test_what_was_decided_at_once_is_taken_back_at_once(client: FlaskClient, node: Node) -> None:
    before, memories = waiting(client), believed(node)
    kept = decide(client, before["items"][:9], "keep")
    assert kept["decided"] == 9
    assert waiting(client)["total"] == before["total"] - 9
    assert believed(node) == sorted(each["content"] for each in before["items"][:9])
    back = undo(client, kept)
    assert (back["taken_back"], set(outcomes(back))) == (9, {"open"})
    assert (waiting(client), believed(node)) == (before, memories)
    assert outcomes(undo(client, kept)) == ["changed"] * 9  # once is once


def test_what_was_dismissed_is_not_put_again_and_still_answers(
    client: FlaskClient, node: Node, ledger: str
) -> None:
    one = waiting(client)["items"][0]
    question = f"When did {one['content'].split()[0]} move to {one['content'].split()[3]}?"
    dismissed = decide(client, [one], "dismiss")
    assert dismissed["items"][0]["decision"]["verdict"] == "dismiss"
    assert one["content"] not in believed(node)
    node.library.add_text(f"Notes.\n\n{one['content']}", title="Copy")
    node.run_jobs()
    for query in ("every=true", "every=false"):
        listed = client.get(f"/api/findings?limit=500&{query}").get_json()["items"]
        assert one["content"] not in [each["content"] for each in listed]
    found = client.post("/api/recall", json={"query": question}).get_json()["items"]
    there = [each for each in found if each["document"]["id"] == ledger]
    assert any(one["content"] in each["content"] and not each["struck"] for each in there)
    assert (
        client.post(f"/api/findings/{one['id']}", json={"decision": "dismiss"}).status_code == 200
    )


def test_what_was_decided_elsewhere_is_not_overruled(
    client: FlaskClient, frozen_clock: FrozenClock, ledger: str
) -> None:
    shown = waiting(client)["items"][:4]
    client.post(f"/api/findings/{shown[0]['id']}", json={"decision": "forget"})
    part = {"document": ledger, "start": shown[1]["start"], "end": shown[1]["start"] + 8}
    client.post("/api/findings", json={**part, "decision": "mend", "content": "Somebody else"})
    frozen_clock.advance(timedelta(minutes=1))
    decided = decide(client, shown, "keep")
    assert outcomes(decided) == ["elsewhere", "elsewhere", "decided", "decided"]
    assert [each["decision"]["verdict"] for each in decided["items"]] == [
        "forget",
        "mend",
        "keep",
        "keep",
    ]


@pytest.mark.usefixtures("ledger")
def test_what_was_decided_otherwise_since_is_not_taken_back(
    client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    shown = waiting(client)["items"][:3]
    kept = decide(client, shown, "keep")
    frozen_clock.advance(timedelta(minutes=1))
    client.post(f"/api/findings/{shown[0]['id']}", json={"decision": "forget"})
    client.post(
        f"/api/findings/{shown[1]['id']}", json={"decision": "mend", "content": "It was Lund."}
    )
    assert outcomes(undo(client, kept)) == ["changed", "changed", "open"]
    held = client.get("/api/findings?decided=true").get_json()["items"]
    assert sorted(each["decision"]["verdict"] for each in held) == ["forget", "mend"]


def test_what_is_gone_holds_up_nothing_else(client: FlaskClient, node: Node, ledger: str) -> None:
    node.library.add_text("My sister Tove was born in Rome in 1993.", title="Other")
    node.run_jobs()
    shown = waiting(client)["items"]
    other = next(each for each in shown if each["document"]["title"] == "Other")
    one = next(each for each in shown if each["document"]["id"] == ledger)
    client.delete(f"/api/documents/{other['document']['id']}")
    asked = [
        other,
        {"id": "nonsense"},
        {"id": f"{ledger}.3-4000000"},
        {"id": one["id"], "content": "These words were never shown."},
        one,
    ]
    decided = decide(client, asked, "keep")
    assert outcomes(decided) == ["gone", "gone", "gone", "gone", "decided"]
    assert all(each["problem"]["detail"] for each in decided["items"][:4])


@pytest.mark.usefixtures("ledger")
def test_words_that_moved_are_found_again_and_no_others_are_meant(
    client: FlaskClient, node: Node
) -> None:
    shown = waiting(client)["items"]
    document, _, _ = shown[0]["id"].rpartition(".")
    moved = {"id": f"{document}.1-9", "content": shown[3]["content"]}
    decided = decide(client, [moved], "forget")
    assert outcomes(decided) == ["decided"]
    assert decided["items"][0]["decision"]["id"] == shown[3]["id"]
    assert [each.quote for each in node.ports.decisions.all()] == [shown[3]["content"]]


def test_what_was_said_in_a_chat_is_not_listed_and_cannot_be_forgotten(
    client: FlaskClient, node: Node, frozen_clock: FrozenClock
) -> None:
    conversation = client.post("/api/conversations", json={"title": "The van"}).get_json()["id"]
    said = {"text": "I sold the old van to my neighbour Aoife in May 2021."}
    client.post(f"/api/conversations/{conversation}/turns", json=said).get_data()
    frozen_clock.advance(timedelta(hours=1))
    node.chat.flush()
    for days in (1, 8):
        frozen_clock.advance(timedelta(days=days))
        node.chat.move_tiers()
    told = client.get("/api/findings").get_json()["items"]
    assert [each["content"] for each in told] == [said["text"]]
    assert waiting(client)["items"] == []
    assert outcomes(decide(client, told, "forget")) == ["refused"]
    assert outcomes(decide(client, told, "keep")) == ["decided"]


@pytest.mark.usefixtures("ledger")
def test_a_correction_is_not_made_for_many(client: FlaskClient) -> None:
    one = waiting(client)["items"][0]["id"]
    sent = {"items": [{"id": one, "decision": "mend"}]}
    assert client.post("/api/findings/bulk", json=sent).status_code == 422
    assert client.post("/api/findings/bulk", json={"items": []}).status_code == 422


@pytest.mark.usefixtures("ledger")
def test_a_wording_that_was_kept_is_not_put_again_from_another_document(
    client: FlaskClient, node: Node
) -> None:
    one = waiting(client)["items"][0]
    node.library.add_text(f"Notes.\n\n{one['content']}", title="Copy")
    node.run_jobs()
    shown = [each for each in waiting(client)["items"] if each["content"] == one["content"]]
    assert len(shown) == 1
    kept = decide(client, shown, "keep")
    assert not any(each["content"] == one["content"] for each in waiting(client)["items"])
    undo(client, kept)
    assert any(each["content"] == one["content"] for each in waiting(client)["items"])


def test_only_so_many_documents_are_looked_through_and_it_is_said(
    client: FlaskClient,
    node: Node,
    ledger: str,
    frozen_clock: FrozenClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(findings, "LATEST", 1)
    monkeypatch.setattr(findings, "LOOKED_THROUGH", 1)
    frozen_clock.advance(timedelta(minutes=1))
    node.library.add_text("My sister Tove was born in Rome in 1993.", title="Other")
    node.run_jobs()
    found = waiting(client)
    assert found["further"] is True
    assert {each["document"]["title"] for each in found["items"]} == {"Other"}
    assert node.ports.documents.get(DocumentId(ledger)).title == "Ledger"


@pytest.mark.usefixtures("ledger")
def test_what_was_dismissed_is_recorded_and_so_is_that_it_was_taken_back(
    client: FlaskClient, node: Node
) -> None:
    def said() -> list[str]:
        entries, _ = node.ports.audit.page(limit=2)
        return [entry.kind for entry in entries]

    gone = decide(client, waiting(client)["items"][:2], "forget")
    assert said() == [AuditKind.FORGOTTEN] * 2
    undo(client, gone)
    assert said() == [AuditKind.TAKEN_BACK] * 2


@pytest.mark.usefixtures("home")
def test_the_terminal_lists_decides_and_takes_back(
    client: FlaskClient, node: Node, ledger: str
) -> None:
    def lpm(*words: str) -> dict[str, Any]:
        done = CliRunner().invoke(app, ["suggestions", *words, "--json"])
        assert done.exit_code == 0, done.output
        return dict(json.loads(done.output))

    before = waiting(client)
    listed = lpm("list", "--limit", "5")
    assert [each["id"] for each in listed["items"]] == [each["id"] for each in before["items"][:5]]
    assert listed["total"] == before["total"]
    assert lpm("keep", "--first", "3")["decided"] == 3
    assert lpm("dismiss", before["items"][4]["id"], before["items"][0]["id"])["items"] == [
        {"id": before["items"][4]["id"], "outcome": "decided"},
        {"id": before["items"][0]["id"], "outcome": "elsewhere"},
    ]
    assert waiting(client)["total"] == before["total"] - 4
    assert len(lpm("undo")["taken_back"]) == 1
    assert waiting(client)["total"] == before["total"] - 3
    lpm("dismiss", "--document", ledger)
    assert waiting(client)["items"] == []
    while node.ports.decisions.count():
        lpm("undo")
    assert waiting(client) == before
    refused = CliRunner().invoke(app, ["suggestions", "keep"])
    assert refused.exit_code == 1
    assert CliRunner().invoke(app, ["suggestions", "undo"]).exit_code == 1
