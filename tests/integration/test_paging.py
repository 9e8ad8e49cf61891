"""Cursors that somebody made up: a sentence from every list, and never an answer that only looks
like the end of it.
"""

from __future__ import annotations

import base64
import json

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.describe import FILE
from lpm_kernel.node import Node

PAGED = sorted(
    path
    for path, methods in json.loads(FILE.read_text("utf-8"))["paths"].items()
    if "cursor" in {each["name"] for each in methods.get("get", {}).get("parameters", [])}
)
"""Every call of the contract that takes a cursor: one that is added later is tried too."""
FURTHER = [
    "/api/documents?sort=size",
    "/api/documents?sort=title&order=asc",
    "/api/documents?deleted=true",
    "/api/conversations?deleted=true",
    "/api/conversations?q=cello",
    "/api/findings?decided=true",
]
"""The same lists by their other roads."""
EARLIER = "2026-03-14T09:26:53+00:00"
HALF = "\ud83d"
ODD: list[object] = [10**300, 1 << 62, -(1 << 63), 1.5, float("inf"), None, True, [], HALF]
MADE_UP: list[object] = [
    None,
    7,
    [],
    [1, 2],
    [EARLIER],
    [EARLIER, 5],
    [EARLIER, {"a": 1}],
    [EARLIER, HALF],
    [7, "x"],
    ["0001-01-01T00:00:00+14:00", "x"],
    ["9999-12-31T23:59:59-14:00", "x"],
    *([order, value, "x"] for order in ("added desc", "size desc", "title asc") for value in ODD),
    ["size desc", 5, 5],
    ["title asc", "x", None],
    ["added desc", EARLIER, HALF],
]


def written(row: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(row).encode()).decode().rstrip("=")


CURSORS = [
    "x",
    "!!!",
    "-1",
    "1.5",
    "²",
    "１２",
    "9" * 19,
    "9" * 400,
    "x" * 400,
    HALF.encode("utf-8", "surrogatepass").decode("latin-1"),
    *map(written, MADE_UP),
]


@pytest.fixture
def lived(client: FlaskClient, node: Node) -> str:
    document = node.library.add_text(
        "The cello is of 1911. It came from Bergen.", title="Cello"
    ).document.id
    node.library.add_text("The bow is of 1950.", title="Bow")
    node.run_jobs()
    for title in ("Of the cello", "Of the bow"):
        client.post("/api/conversations", json={"title": title})
    return str(document)


@pytest.mark.parametrize("path", [*PAGED, *FURTHER])
def test_a_cursor_that_was_made_up_is_refused_with_a_sentence(
    client: FlaskClient, lived: str, path: str
) -> None:
    for cursor in CURSORS:
        answer = (
            client.get(path.replace("{id}", lived), query_string={"cursor": cursor})
            if "?" not in path
            else client.get(f"{path}&cursor={cursor}")
        )
        assert answer.status_code == 422, (cursor, answer.text)
        assert "cursor" in answer.get_json()["detail"].lower(), cursor


def test_a_passage_of_another_document_is_no_cursor(client: FlaskClient, lived: str) -> None:
    other = next(
        each["id"]
        for each in client.get("/api/documents").get_json()["items"]
        if each["id"] != lived
    )
    theirs = client.get(f"/api/documents/{other}/passages").get_json()["items"][0]["id"]
    assert (
        client.get(f"/api/documents/{lived}/passages", query_string={"cursor": theirs}).status_code
        == 422
    )


def test_earlier_turns_are_asked_for_by_a_turn_of_the_chat(client: FlaskClient, lived: str) -> None:
    assert lived
    chat = client.get("/api/conversations").get_json()["items"][0]["id"]
    for before in CURSORS:
        assert client.get(
            f"/api/conversations/{chat}", query_string={"before": before}
        ).status_code in {404, 422}
