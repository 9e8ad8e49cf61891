"""The person reads what would leave before it does: the draft leaves word for word, or their own
words do, or nothing.
"""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.share.network import Arrived, InboxState
from lpm_kernel.node import Node
from lpm_kernel.usecases.share import decisions
from lpm_kernel.usecases.share.outgoing import new_id
from protocol.grants import Consent, Grant
from protocol.messages import Message, Verb
from protocol.scope import Form, Layer, RowKind, Scope
from tests.asking import ASKER, OWNER, given

SAID = "I walked along the canal in Aldermoor."
WALK = "I walked along the canal in Aldermoor. Write to ida@example.org."
CANAL = Scope(
    frozenset({"walks"}), frozenset(RowKind), frozenset(Layer), None, None, Form.EXCERPT, "a visit"
)


@pytest.fixture
def scripted() -> ScriptedModel:
    return ScriptedModel([(".", "I do not know.")])


@pytest.fixture
def walk(node: Node) -> str:
    added = node.library.add_text(WALK, title="Walk", tags=["walks"])
    node.library.add_text(
        "The canal in Aldermoor is where Ren hides.", title="Ren", tags=["walks"], private=True
    )
    node.library.add_text(
        "The code of the safe by the canal in Aldermoor is 4711.", title="Safe", tags=["walks"]
    )
    node.library.add_text("The canal in Aldermoor costs money.", title="Money", tags=["money"])
    node.run_jobs()
    return added.document.id


@pytest.fixture
def under(node: Node) -> Grant:
    return given(node, CANAL, Consent.ASK)


def ask(node: Node, under: Grant, verb: Verb = Verb.ASK, most: int = 20_000) -> str:
    """Put a question into the inbox, where it waits; gives its name."""
    now, question = int(node.ports.clock.now().timestamp()), "Where did Asako walk along the canal?"
    asked = (
        {"question": question, "tokens": 200}
        if verb is Verb.ASK
        else {"query": question, "most": 9}
    )
    body = {**asked, "purpose": "a visit", "bytes": most}
    message = Message(new_id(), ASKER.did, OWNER.did, now, now + 3_600, verb, body, under.id)
    said = message.json().decode()
    node.ports.post.claim(
        Arrived(ASKER.did, message.id, b"d" * 32, now + 3_600, verb, said, under.id),
        node.ports.clock.now(),
    )
    decisions.wait(node.ports.post, node.ports.audit, node.ports.clock, ASKER.did, message.id)
    return f"{ASKER.did}.{message.id}"


def drafted(client: FlaskClient, name: str) -> dict[str, object]:
    made = client.post(f"/api/inbox/{name}/draft")
    assert made.status_code == 200, made.get_json()
    return dict(made.get_json()["draft"])


def leaves(node: Node, name: str) -> dict[str, object]:
    reply = node.replying.reply(*name.split(".", 1))
    return dict(reply.body or {"code": reply.code})


@pytest.mark.usefixtures("walk")
def test_the_draft_is_what_leaves(client: FlaskClient, node: Node, under: Grant) -> None:
    name = ask(node, under)
    assert client.get("/api/inbox?waiting=true").get_json()["items"][0]["draft"] is None
    draft = drafted(client, name)
    assert SAID in str(draft["text"])
    assert [each["title"] for each in draft["sources"]] == ["Walk"]  # type: ignore[attr-defined]
    held = {each["title"]: each["reason"] for each in draft["held_back"]}  # type: ignore[attr-defined]
    assert held == {"Ren": "private", "Safe": "secret", "Money": "tag"}
    assert client.get("/api/inbox?waiting=true").get_json()["items"][0]["draft"] == draft
    assert leaves(node, name) == {"code": "replay"}  # nothing leaves before
    asked = len(node.models.model.seen)  # type: ignore[attr-defined]
    assert client.post(f"/api/inbox/{name}/approve", json={"draft": draft["id"]}).status_code == 200
    assert leaves(node, name)["text"] == draft["text"]
    assert len(node.models.model.seen) == asked  # type: ignore[attr-defined]  # it was not written again


@pytest.mark.usefixtures("walk")
def test_what_was_read_and_is_not_cited_is_told_from_what_the_answer_rests_on(
    client: FlaskClient, node: Node, under: Grant
) -> None:
    node.library.add_text("Asako is a cellist.", title="Cello", tags=["walks"])
    node.run_jobs()
    draft = drafted(client, ask(node, under))
    assert {each["title"]: each["cited"] for each in draft["sources"]} == {  # type: ignore[attr-defined]
        "Walk": True,
        "Cello": False,
    }


@pytest.mark.usefixtures("walk")
def test_own_words_take_its_place_and_are_masked(
    client: FlaskClient, node: Node, under: Grant
) -> None:
    name = ask(node, under)
    draft = drafted(client, name)
    mine = {"draft": draft["id"], "text": "By the canal. Write to ida@example.org."}
    sent = client.post(f"/api/inbox/{name}/approve", json=mine).get_json()
    assert sent["draft"]["own"] is True
    body = leaves(node, name)
    assert (body["text"], body["cites"]) == ("By the canal. Write to [e-mail].", [])


@pytest.mark.usefixtures("walk")
def test_another_draft_than_was_read_does_not_leave(
    client: FlaskClient, node: Node, under: Grant
) -> None:
    name = ask(node, under)
    first = drafted(client, name)
    drafted(client, name)
    refused = client.post(f"/api/inbox/{name}/approve", json={"draft": first["id"]})
    assert refused.status_code == 409
    row = node.ports.post.arrived(*name.split(".", 1))
    assert row is not None
    assert row.state is InboxState.WAITING


@pytest.mark.parametrize("sent", [False, True])
def test_what_it_rests_on_is_made_private(
    client: FlaskClient, node: Node, under: Grant, walk: str, sent: bool
) -> None:
    name = ask(node, under)
    draft = drafted(client, name)
    approve = {"draft": draft["id"]}
    if sent:
        assert client.post(f"/api/inbox/{name}/approve", json=approve).status_code == 200
    client.patch(f"/api/documents/{walk}", json={"private": True})
    if sent:
        assert leaves(node, name) == {"code": "no_grant"}
    else:
        assert client.post(f"/api/inbox/{name}/approve", json=approve).status_code == 409
        assert SAID not in str(drafted(client, name)["text"])


def test_what_it_rests_on_is_erased(
    client: FlaskClient, node: Node, under: Grant, walk: str
) -> None:
    name = ask(node, under)
    draft = drafted(client, name)
    client.post(f"/api/inbox/{name}/approve", json={"draft": draft["id"]})
    token = client.post("/api/erasures", json={"documents": [walk]}).get_json()["token"]
    client.post(f"/api/erasures/{token}/confirm")
    node.run_jobs()
    row = node.ports.post.arrived(*name.split(".", 1))
    assert row is not None
    assert SAID not in json.dumps(row.draft)
    assert leaves(node, name) == {"code": "no_grant"}


@pytest.mark.usefixtures("walk")
def test_what_cannot_be_sent_is_refused_with_a_sentence(
    client: FlaskClient, node: Node, under: Grant
) -> None:
    name = ask(node, under, most=1_200)
    path, draft = f"/api/inbox/{name}/approve", drafted(client, name)
    assert client.post(path, json={"text": "Mine."}).status_code == 422
    assert client.post(path, json={"draft": draft["id"], "text": "x" * 2_000}).status_code == 422
    assert client.post(path, json={"draft": draft["id"], "text": " "}).status_code == 422
    passages = ask(node, under, Verb.RECALL)
    draft = drafted(client, passages)
    assert (draft["editable"], "4711" in str(draft["text"])) == (False, False)
    assert (
        client.post(
            f"/api/inbox/{passages}/approve", json={"draft": draft["id"], "text": "Mine."}
        ).status_code
        == 422
    )
    assert (
        client.post(f"/api/inbox/{passages}/approve", json={"draft": draft["id"]}).status_code
        == 200
    )
    assert leaves(node, passages)["items"]
    client.post(f"/api/inbox/{name}/refuse")
    assert client.post(f"/api/inbox/{name}/draft").status_code == 409
    assert client.post("/api/inbox/did:key:z.none/draft").status_code == 404


@pytest.mark.usefixtures("walk")
def test_nothing_leaves_unread(client: FlaskClient, node: Node, under: Grant) -> None:
    name = ask(node, under)
    for body in ({}, {"text": "Mine."}):
        refused = client.post(f"/api/inbox/{name}/approve", json=body)
        assert (refused.status_code, refused.get_json()["hint"]) == (
            422,
            "Ask for the draft, and give its id when you send it.",
        )
    assert client.post(f"/api/inbox/{name}/approve").status_code == 422
    row = node.ports.post.arrived(*name.split(".", 1))
    assert row is not None
    assert row.state is InboxState.WAITING
