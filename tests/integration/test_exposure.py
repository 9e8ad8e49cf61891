"""One answer says who can reach what, from where and since when, and what has left; what contacts
were told is part of what left.
"""

from __future__ import annotations

import socket
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store.prepared import driver
from lpm_kernel.backends.store.sqlite import writing
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ports import ChatMessage
from lpm_kernel.domain.share.network import DAY
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key, new_login_code
from lpm_kernel.usecases.models.egress import RecordedModel
from lpm_kernel.usecases.share.sockets import listeners
from tests.conftest import MORNING
from tests.integration.test_meeting import asks, life, mai, named

__all__ = ["life", "mai", "named"]
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
NOW = int(MORNING.timestamp())


def exposed(client: FlaskClient) -> Any:  # noqa: ANN401 - what JSON says
    answer = client.get("/api/exposure")
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def test_a_home_of_ones_own_has_nobody_in_it(client: FlaskClient) -> None:
    found = exposed(client)
    for name in ("keys", "browsers", "people", "invites", "elsewhere", "went"):
        assert found[name] == [], name
    assert (found["bytes"], found["answers"], found["peers_on"]) == (0, 0, False)


def test_a_program_shows_with_what_it_may_do_and_when_it_was_last_here(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    key, secret = create_key(node.ports.access, node.ports.clock, "Editor", ("recall",))
    assert [
        (each["name"], each["last_used_at"]) for each in client.get("/api/keys").get_json()["items"]
    ] == [("Editor", None)]
    frozen_clock.advance(timedelta(hours=2))
    assert (
        client.get("/api/documents", headers={"Authorization": f"Bearer {secret}"}).status_code
        == 200
    )
    [shown] = exposed(client)["keys"]
    assert (shown["id"], shown["scopes"], shown["last_used_at"]) == (
        key.id,
        ["recall"],
        "2026-03-14T11:26:53Z",
    )
    client.delete(f"/api/keys/{key.id}")
    assert exposed(client)["keys"] == []


def test_a_browser_shows_and_is_signed_out(node: Node, client: FlaskClient) -> None:
    browser = create_app(node).test_client()
    assert (
        browser.get(
            f"/login?code={new_login_code(node.ports.access, node.ports.clock)}",
            headers={"User-Agent": FIREFOX},
        ).status_code
        == 303
    )
    [mine] = exposed(browser)["browsers"]
    assert (mine["program"], mine["here"], mine["since"]) == (
        "Firefox, Linux",
        True,
        "2026-03-14T09:26:53Z",
    )
    [same] = exposed(client)["browsers"]
    assert same == {**mine, "here": False}
    assert client.delete(f"/api/browsers/{mine['id']}").status_code == 204
    assert browser.get("/api/status").status_code == 401
    assert client.delete(f"/api/browsers/{mine['id']}").status_code == 404
    assert [each.kind for each in node.ports.audit.all()][-2:] == [
        AuditKind.SIGNED_IN,
        AuditKind.SIGNED_OUT,
    ]


def test_a_key_for_a_program_sees_nothing_of_this(node: Node) -> None:
    secret = create_key(node.ports.access, node.ports.clock, "Editor", ("chat", "recall", "write"))[
        1
    ]
    stranger = create_app(node).test_client()
    said = {"Authorization": f"Bearer {secret}"}
    assert stranger.get("/api/exposure", headers=said).status_code == 403
    assert stranger.delete("/api/browsers/abc", headers=said).status_code == 403


def test_a_caller_is_let_in_where_nothing_can_be_written(node: Node) -> None:
    secret = create_key(node.ports.access, node.ports.clock, "Editor", ("recall",))[1]
    with writing(node.ports.database.engine) as connection:
        driver(connection).execute("PRAGMA query_only = ON")
    stranger = create_app(node).test_client()
    assert (
        stranger.get("/api/documents", headers={"Authorization": f"Bearer {secret}"}).status_code
        == 200
    )
    assert node.ports.access.all_keys()[0].last_used_at is None


@pytest.mark.usefixtures("life")
def test_what_a_contact_was_told_counts_as_left(
    node: Node, client: FlaskClient, mai: str, frozen_clock: FrozenClock
) -> None:
    given = client.post(
        "/api/grants", json={"contact": mai, "template": "answers", "purpose": "a visit"}
    ).get_json()
    issuer, message = asks(node, given["id"]).split(".", 1)
    [person] = exposed(client)["people"]
    [granted] = person["grants"]
    assert (person["name"], granted["purpose"], granted["tags"], granted["consent"]) == (
        "Mai Kurose",
        "a visit",
        [],
        "ask",
    )
    assert granted["covers"] == client.get("/api/grants").get_json()["items"][0]["covers"] > 0
    assert granted["last_asked_at"] == person["last_asked_at"] == "2026-03-14T09:26:53Z"
    status = client.get("/api/status").get_json()["left"]
    assert status == {"bytes": 0, "sentence": "Nothing sent out", "answers": 0, "last_at": None}

    frozen_clock.advance(timedelta(minutes=5))
    node.ports.post.answer(
        issuer, message, node.ports.clock.now(), {"text": "Yes."}, documents=("d_1",)
    )
    node.ports.post.left(person["id"], NOW // DAY, "answer", 1_500)
    found = exposed(client)
    assert found["went"] == [
        {
            "to": "contact",
            "contact": mai,
            "name": "Mai Kurose",
            "bytes": 1_500,
            "times": 1,
            "last_at": "2026-03-14T09:31:53Z",
        },
    ]
    assert (found["bytes"], found["answers"]) == (1_500, 1)
    assert client.get("/api/status").get_json()["left"] == {
        "bytes": 1_500,
        "sentence": "1.5 kB sent out, with 1 answer to contacts. It went to your contacts",
        "answers": 1,
        "last_at": "2026-03-14T09:31:53Z",
    }
    [check] = [
        each
        for each in client.get("/api/health").get_json()["checks"]
        if each["id"] == "connections_outward"
    ]
    assert check["state"] == "look"

    client.delete(f"/api/grants/{given['id']}")
    assert exposed(client)["people"][0]["grants"] == []
    client.delete(f"/api/contacts/{mai}")
    forgotten = exposed(client)
    assert forgotten["people"] == []
    assert forgotten["went"] == [
        {
            "to": "forgotten",
            "contact": None,
            "name": "",
            "bytes": 1_500,
            "times": None,
            "last_at": None,
        }
    ]


def test_a_refusal_is_no_answer(node: Node, client: FlaskClient, mai: str) -> None:
    given = client.post(
        "/api/grants", json={"contact": mai, "template": "answers", "purpose": "a visit"}
    ).get_json()
    issuer, message = asks(node, given["id"]).split(".", 1)
    node.ports.post.answer(issuer, message, node.ports.clock.now(), None, "no_grant")
    assert exposed(client)["answers"] == 0


def test_an_open_invite_is_a_way_in(client: FlaskClient, frozen_clock: FrozenClock) -> None:
    client.post(
        "/api/invites",
        json={"label": "for Mai", "expires_in": 3600, "addresses": ["/ip4/192.0.2.7/tcp/4001"]},
    )
    assert [each["label"] for each in exposed(client)["invites"]] == ["for Mai"]
    frozen_clock.advance(timedelta(hours=2))
    assert exposed(client)["invites"] == []


def test_a_model_elsewhere_shows_with_what_it_was_sent(node: Node, client: FlaskClient) -> None:
    assert client.get("/api/status").get_json()["private"]
    node.ports.change_settings(
        model="https://name:word@models.example/v1", embedder="https://vectors.example/v1"
    )
    # what is private stays here, so that answers do without it
    assert not client.get("/api/status").get_json()["private"]
    node.ports.audit.append(
        node.ports.clock.now(), AuditKind.MODEL_CHANGED, to="endpoint", host="models.example"
    )
    recorded = RecordedModel(
        ScriptedModel([(".", "Yes.")]), "models.example", node.ports.departures, node.ports.clock
    )
    for _ in range(2):
        list(recorded.stream([ChatMessage("user", "x" * 100)]))
    found = exposed(client)
    assert found["elsewhere"] == [
        {"what": "model", "host": "models.example", "since": "2026-03-14T09:26:53Z"},
        {"what": "embedder", "host": "vectors.example", "since": None},
    ]
    assert found["went"] == [
        {
            "to": "model",
            "contact": None,
            "name": "models.example",
            "bytes": 200,
            "times": 2,
            "last_at": "2026-03-14T09:26:53Z",
        }
    ]
    node.ports.change_settings(model="bundled", embedder="bundled")
    assert exposed(client)["elsewhere"] == []
    assert len(exposed(client)["went"]) == 1


def test_what_listens_is_seen_as_the_system_sees_it(client: FlaskClient) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as alone,
        socket.create_server(("0.0.0.0", 0)) as open_to_all,  # noqa: S104  what is looked for
    ):
        ports = [each.getsockname()[1] for each in (alone, open_to_all)]
        found = {each["port"]: each for each in exposed(client)["listeners"]}
        assert [(found[port]["host"], found[port]["alone"]) for port in ports] == [
            ("127.0.0.1", True),
            ("0.0.0.0", False),  # noqa: S104  what a socket says
        ]
    assert not set(ports) & {each["port"] for each in exposed(client)["listeners"]}


def test_a_port_that_takes_datagrams_is_named_to_be_seen() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert port not in {each.port for each in listeners([], {})}
        assert port in {each.port for each in listeners([], {}, frozenset({port}))}
