"""A question whose answer is a count or a sum over a table that was added."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.node import Node
from tests.unit.test_table_answers import BIRDS

QUESTION = "How many times did I see a wren?"


@pytest.fixture
def table(node: Node) -> str:
    document = node.library.add_bytes("bird list.csv", BIRDS.encode()).document
    node.library.add_text(
        "The wren is a small brown bird. I was in the garden all day.", title="Diary"
    )
    node.run_jobs()
    return document.id


def answered(client: FlaskClient, question: str = QUESTION) -> dict[str, Any]:
    conversation = client.post("/api/conversations", json={}).get_json()["id"]
    client.post(f"/api/conversations/{conversation}/turns", json={"text": question}).get_data()
    return dict(client.get(f"/api/conversations/{conversation}").get_json()["items"][-1])


def test_rows_are_counted_and_cited(client: FlaskClient, table: str) -> None:
    turn = answered(client)
    assert turn["text"] == "I count 3 rows in “bird list” with “wren” (1 May 2024 to 4 May 2025)."
    assert [(part["kind"], part["citations"]) for part in turn["parts"]] == [
        ("statement", [1, 2, 3])
    ]
    assert [(each["document"], each["anchor"]) for each in turn["citations"]] == [
        (table, {"kind": "row", "n": n}) for n in (2, 4, 6)
    ]
    assert all("wren" in each["quote"] for each in turn["citations"])


def test_what_is_not_computed_is_answered_as_ever(client: FlaskClient, table: str) -> None:
    assert table
    assert "kingfisher" in answered(client, "When did I see a kingfisher?")["text"]


def test_a_row_that_is_to_be_forgotten_does_not_count(
    client: FlaskClient, node: Node, table: str
) -> None:
    document = node.ports.documents.get(DocumentId(table))
    words = node.ports.files.words(document.sha256, document.text_version or "") or ""
    line = next(line for line in words.splitlines() if "with young" in line)
    start = words.index(line)
    client.post(
        "/api/findings",
        json={"document": table, "start": start, "end": start + len(line), "decision": "forget"},
    )
    assert "I count 2 rows" in answered(client)["text"]


def test_a_private_table_is_not_computed_with_for_a_program(
    client: FlaskClient, table: str
) -> None:
    client.patch(f"/api/documents/{table}", json={"private": True})
    key = client.post("/api/keys", json={"name": "editor", "scopes": ["chat"]}).get_json()["key"]
    asked = {"model": "second-me", "messages": [{"role": "user", "content": QUESTION}]}
    said = client.post(
        "/v1/chat/completions", json=asked, headers={"Authorization": f"Bearer {key}"}
    ).get_json()
    assert "I count" not in said["choices"][0]["message"]["content"]
    assert (
        "I count 3 rows"
        in client.post("/v1/chat/completions", json=asked).get_json()["choices"][0]["message"][
            "content"
        ]
    )
