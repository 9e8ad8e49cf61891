"""Memories over HTTP: kept, listed, corrected, forgotten, each at its line, with what it said
before.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key


def keep(client: FlaskClient, node: Node, **body: object) -> str:
    answer = client.post("/api/memories", json=body)
    assert answer.status_code == 202, answer.text
    node.run_jobs()
    return str(answer.get_json()["id"])


def listed(client: FlaskClient, query: str = "") -> list[str]:
    return [each["content"] for each in client.get(f"/api/memories{query}").get_json()["items"]]


def test_a_statement_that_is_kept_is_listed_with_line_and_evidence(
    client: FlaskClient, node: Node
) -> None:
    memory = keep(
        client,
        node,
        content="prefers short replies",
        kind="opinion",
        entities=["Peter"],
        confidence=0.9,
    )
    shown = client.get(f"/api/memories/{memory}").get_json()["memory"]
    assert (
        shown["id"],
        shown["kind"],
        shown["content"],
        shown["entities"],
        shown["confidence"],
    ) == (
        memory,
        "opinion",
        "prefers short replies",
        ["Peter"],
        0.9,
    )
    path, _, line = shown["source"].partition("#L")
    assert (node.ports.home.workspace / path).read_text().splitlines()[
        int(line) - 1
    ] == f"- O(c=0.9) @Peter: prefers short replies ^{memory}"
    (evidence,) = shown["evidence"]
    assert evidence["quote"] == "@Peter: prefers short replies"
    text = client.get(
        f"/api/documents/{evidence['document']}/text?start={evidence['start']}&end={evidence['end']}"
    ).get_json()["text"]
    assert text == evidence["quote"]


def test_they_are_narrowed_and_paged(
    client: FlaskClient, node: Node, frozen_clock: FrozenClock
) -> None:
    for number in range(5):
        keep(client, node, content=f"Rain {number}.", kind="world")
        frozen_clock.advance(timedelta(minutes=1))
    keep(client, node, line="B @Mai: walked to Nomachi")
    assert listed(client)[:2] == ["walked to Nomachi", "Rain 4."]
    assert listed(client, "?kind=experience") == ["walked to Nomachi"]
    assert listed(client, "?entity=mai") == ["walked to Nomachi"]
    assert listed(client, "?q=rain 3") == ["Rain 3."]
    seen: list[str] = []
    cursor = ""
    while True:
        page = client.get(f"/api/memories?limit=2{cursor}").get_json()
        seen += [each["content"] for each in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == listed(client)


def test_what_is_forgotten_is_listed_until_it_comes_back(
    client: FlaskClient, node: Node, frozen_clock: FrozenClock
) -> None:
    memory = keep(client, node, line="W @Mai: lives in Kobe")
    other = keep(client, node, line="W @Ren: turns bowls")
    client.patch(f"/api/memories/{memory}", json={"content": "lives in Nara"})
    node.run_jobs()
    assert listed(client, "?forgotten=true") == []
    for each in (other, memory):
        frozen_clock.advance(timedelta(minutes=1))
        assert client.delete(f"/api/memories/{each}").status_code == 202
        node.run_jobs()
    assert listed(client) == []
    assert listed(client, "?forgotten=true") == ["lives in Nara", "turns bowls"]
    assert listed(client, "?forgotten=true&entity=ren") == ["turns bowls"]
    keep(client, node, line=f"W @Ren: turns bowls ^{other}")
    assert listed(client, "?forgotten=true") == ["lives in Nara"]
    assert client.get("/api/memories?forgotten=true&as_of=2026-01-01T00:00:00Z").status_code == 422


def test_a_correction_is_written_to_its_line_and_what_it_said_before_is_kept(
    client: FlaskClient, node: Node, frozen_clock: FrozenClock
) -> None:
    memory = keep(client, node, line="W @Mai: lives in Kobe")
    before = frozen_clock.now()
    frozen_clock.advance(timedelta(days=2))
    assert (
        client.patch(f"/api/memories/{memory}", json={"content": "lives in Nara"}).status_code
        == 202
    )
    node.run_jobs()
    whole = client.get(f"/api/memories/{memory}").get_json()
    assert (
        whole["memory"]["content"],
        whole["memory"]["number"],
        whole["memory"]["corrected"],
    ) == ("lives in Nara", 2, True)
    (old,) = whole["history"]
    assert (old["content"], old["believed_until"], old["evidence"][0]["quote"]) == (
        "lives in Kobe",
        whole["memory"]["believed_from"],
        "@Mai: lives in Kobe",
    )
    assert [item.text for item in node.memory.recall("Where does Mai live?").items] == [
        "@Mai: lives in Nara"
    ]
    then = client.get(
        "/api/memories", query_string={"as_of": (before + timedelta(hours=1)).isoformat()}
    ).get_json()["items"]
    assert [each["content"] for each in then] == ["lives in Kobe"]


def test_one_that_is_forgotten_leaves_its_file_and_is_not_found(
    client: FlaskClient, node: Node
) -> None:
    memory = keep(client, node, line="W @Mai: lives in Kobe")
    keep(client, node, line="W @Jonas: lives in Oslo")
    assert client.delete(f"/api/memories/{memory}").status_code == 202
    node.run_jobs()
    assert listed(client) == ["lives in Oslo"]
    assert not any("Kobe" in item.text for item in node.memory.recall("Who lives where?").items)
    assert "Kobe" not in "".join(
        path.read_text() for path in node.ports.home.workspace.rglob("*.md")
    )
    assert client.get(f"/api/memories/{memory}").get_json()["memory"]["believed_until"] is not None


def test_a_line_that_was_moved_to_another_file_is_the_same_memory(
    client: FlaskClient, node: Node
) -> None:
    memory = keep(client, node, line="W @Mai: lives in Kobe")
    (file,) = (node.ports.home.workspace / "memory").iterdir()
    (node.ports.home.workspace / "bank/world.md").write_text(file.read_text())
    file.unlink()
    node.workspace.keep_step()
    node.run_jobs()
    shown = client.get("/api/memories").get_json()["items"]
    assert [(each["id"], each["number"], each["source"].partition("#")[0]) for each in shown] == [
        (memory, 1, "bank/world.md")
    ]


def test_what_stands_in_a_document_that_was_handed_in_is_a_memory_that_only_a_decision_changes(
    client: FlaskClient, node: Node
) -> None:
    node.library.add_text("## Retain\n- O(c=0.8) @Peter: likes rain\n", title="Diary")
    node.run_jobs()
    (shown,) = client.get("/api/memories").get_json()["items"]
    assert (shown["content"], shown["editable"]) == ("likes rain", False)
    refused = client.patch(f"/api/memories/{shown['id']}", json={"content": "likes snow"})
    assert refused.status_code == 409
    assert "Correct or forget" in refused.get_json()["hint"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"line": "W Rain.", "content": "Rain."},
        {"content": "Rain.", "confidence": 1.5},
        {"content": "two\nlines", "kind": "rumour"},
        {"line": "X Rain."},
        {"content": "@Mai: said so", "entities": ["Jonas"]},
        {"line": "W Rain.", "file": "../elsewhere.md"},
        {"line": "W Rain.", "file": ".git/config.md"},
    ],
)
def test_what_is_no_statement_is_refused_with_a_reason(
    client: FlaskClient, node: Node, body: dict[str, object]
) -> None:
    answer = client.post("/api/memories", json=body)
    assert answer.status_code == 422
    assert answer.get_json()["detail"]
    assert (
        not (node.ports.home.workspace / "memory").exists()
        or list((node.ports.home.workspace / "memory").iterdir()) == []
    )


def test_one_that_is_private_is_the_owners_alone(client: FlaskClient, node: Node) -> None:
    node.library.add_text("## Retain\n- W @Mai: keeps a kingfisher\n", title="Diary", private=True)
    node.run_jobs()
    (memory,) = client.get("/api/memories").get_json()["items"]
    _, key = create_key(node.ports.access, node.ports.clock, "a program", ["recall", "write"])
    headers = {"Authorization": f"Bearer {key}"}
    assert client.get("/api/memories", headers=headers).get_json()["items"] == []
    assert client.get(f"/api/memories/{memory['id']}", headers=headers).status_code == 404
    assert (
        client.patch(
            f"/api/memories/{memory['id']}", json={"content": "x"}, headers=headers
        ).status_code
        == 404
    )
    _, reads = create_key(node.ports.access, node.ports.clock, "a reader", ["recall"])
    assert (
        client.post(
            "/api/memories", json={"line": "W Rain."}, headers={"Authorization": f"Bearer {reads}"}
        ).status_code
        == 403
    )
