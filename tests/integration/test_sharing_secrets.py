"""What looks like a secret stays out of a grant until the person allows it, row by row; what comes
later waits, and the contact sees no difference.
"""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.node import Node
from lpm_kernel.usecases.share.view import Outside
from protocol.messages import Verb
from protocol.scope import EVERY_TAG, Form, Layer, RowKind, Scope
from tests.asking import asked, befriended, given

SAFE, SHELF = "The code of the safe is 4711.", "The safe stands behind the shelf."
EVERYTHING = Scope(
    EVERY_TAG, frozenset(RowKind), frozenset(Layer), None, None, Form.VERBATIM, "a visit"
)
RECALL: dict[str, object] = {
    "query": "Where is the safe?",
    "purpose": "a visit",
    "bytes": 20_000,
    "most": 20,
}


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


def note(node: Node, name: str, text: str) -> str:
    added = node.library.add_bytes(f"{name}.md", text.encode(), title=name)
    node.run_jobs()
    return added.document.id


def wish(node: Node, **more: object) -> dict[str, object]:
    return {
        "contact": befriended(node),
        "template": "answers",
        "layers": ["L0", "L1"],
        "purpose": "a visit",
        **more,
    }


def covers(client: FlaskClient, grant: str) -> int:
    items = client.get("/api/grants").get_json()["items"]
    return int(next(each["covers"] for each in items if each["id"] == grant))


def test_a_preview_lists_what_looks_like_a_secret_and_leaves_it_out(
    client: FlaskClient, node: Node
) -> None:
    note(node, "Shelf", SHELF)
    note(node, "Hall", SAFE)
    body = {name: value for name, value in wish(node).items() if name != "contact"}
    seen = client.post("/api/grants/preview", json=body).get_json()
    assert (
        seen["rows"],
        [(each["text"], each["looks"], each["allowed"]) for each in seen["secrets"]],
    ) == (1, [(SAFE, "code", False)])
    assert {"reason": Outside.SECRET.value, "rows": 1} in seen["left_out"]
    ticked = client.post(
        "/api/grants/preview", json=body | {"allow": [seen["secrets"][0]["id"]]}
    ).get_json()
    assert (ticked["rows"], ticked["secrets"][0]["allowed"]) == (2, True)


def test_what_is_ticked_is_shared_and_what_comes_later_waits(
    client: FlaskClient, node: Node
) -> None:
    note(node, "Hall", SAFE)
    note(node, "Attic", "The PIN of the attic is 2290.")
    body = {name: value for name, value in wish(node).items() if name != "contact"}
    listed = client.post("/api/grants/preview", json=body).get_json()["secrets"]
    hall = next(each["id"] for each in listed if each["text"] == SAFE)
    grant = client.post("/api/grants", json=wish(node, allow=[hall])).get_json()
    assert grant["covers"] == 1
    assert client.get("/api/grants/secrets?waiting=true").get_json()["items"] == []
    note(node, "Cellar", "The password of the cellar is: thrush7.")
    assert covers(client, grant["id"]) == 1
    [later] = client.get("/api/grants/secrets?waiting=true").get_json()["items"]
    assert (later["text"], later["grant"], later["allowed"]) == (
        "The password of the cellar is: thrush7.",
        grant["id"],
        None,
    )
    path = f"/api/grants/{grant['id']}/secrets"
    assert client.put(path, json={"allow": [later["id"]], "leave_out": [hall]}).status_code == 204
    known = client.get("/api/grants/secrets").get_json()
    assert (known["waiting"], {each["title"]: each["allowed"] for each in known["items"]}) == (
        0,
        {"Hall": False, "Attic": False, "Cellar": True},
    )
    assert covers(client, grant["id"]) == 1
    assert client.put("/api/grants/none/secrets", json={"allow": [hall]}).status_code == 404


def test_a_contact_sees_no_difference(node: Node) -> None:
    note(node, "Shelf", SHELF)
    under = given(node, EVERYTHING)
    without = asked(node, Verb.RECALL, RECALL, under).body
    hall = note(node, "Hall", SAFE)
    note(node, "My password is: thrush7", "The safe is grey.")
    assert asked(node, Verb.RECALL, RECALL, under).body == without
    [row] = [row for row in node.meeting.suspects() if row.row.document.id == hall]
    node.meeting.decide_secrets(under.id, {row.row.name: True})
    assert "4711" in json.dumps(asked(node, Verb.RECALL, RECALL, under).body)


def test_a_correction_of_a_secret_is_one(node: Node) -> None:
    from lpm_kernel.domain.memory.decisions import Verdict
    from lpm_kernel.usecases.memory.findings import SentenceDecision

    known = node.ports.documents.get(note(node, "Hall", f"{SAFE} It is grey."))  # type: ignore[arg-type]
    node.memory.decide(
        SentenceDecision(known.id, 0, len(SAFE), Verdict.MEND, "It is 9931 by now.", SAFE)
    )
    node.run_jobs()
    assert "9931" not in json.dumps(asked(node, Verb.RECALL, RECALL, given(node, EVERYTHING)).body)
