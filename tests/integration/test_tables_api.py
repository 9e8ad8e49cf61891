"""Tables over HTTP: opening one, watching it, and everything that the person does there."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.node import Node
from lpm_kernel.worker.loop import see_to_tables

SEA = "We went to the sea at Risør in May. The ferry took two hours."


@pytest.fixture
def life(node: Node, client: FlaskClient, scripted: ScriptedModel) -> Node:
    scripted.script = ScriptedModel(
        [("as “Planner”", "Risør by ferry."), ("as “Doubter”", "I agree. It may rain.")]
    ).script
    node.library.add_text(SEA, title="Sea", tags=["travel"])
    node.run_jobs()
    client.put("/api/identity", json={"name": "Nagi"})
    return node


def opened(client: FlaskClient, **changed: object) -> dict[str, Any]:
    sent = {"template": "trip", "aim": "Where did we go in May?", "rounds": 1} | changed
    came = client.post("/api/discussions", json=sent)
    assert came.status_code == 201, came.text
    return dict(came.get_json())


def finished(client: FlaskClient, table: str) -> dict[str, Any]:
    for _ in range(40):
        came = client.post(f"/api/discussions/{table}/next")
        assert came.status_code == 200, came.text
        if came.get_json()["state"] != "open":
            return dict(came.get_json())
    raise AssertionError


def entries(text: str) -> list[dict[str, Any]]:
    return [
        json.loads(line.removeprefix("data: "))["entry"]
        for line in text.splitlines()
        if line.startswith("data: ")
    ]


@pytest.mark.usefixtures("life")
def test_a_ready_made_table_is_one_choice(client: FlaskClient) -> None:
    ready = client.get("/api/discussions/ready?language=ja").get_json()["items"]
    assert [each["id"] for each in ready] == ["trip", "decision", "interview", "writers-room"]
    assert ready[0]["name"] == "一緒に旅行の計画"
    for each in ready:
        made = opened(client, template=each["id"], aim="", language="ja")
        assert made["aim"] == each["aim"]
        assert [member["kind"] for member in made["members"]].count("role") == len(each["roles"])
    names = [role["name"] for role in client.get("/api/roles").get_json()["items"]]
    assert "計画係" in names
    again = len(names)
    opened(client, template="trip", language="en")
    assert len(client.get("/api/roles").get_json()["items"]) == again


@pytest.mark.usefixtures("life")
def test_a_table_is_opened_talks_and_ends(client: FlaskClient) -> None:
    table = opened(client)
    assert [(each["id"], each["kind"], each["due"]) for each in table["members"]] == [
        ("m1", "twin", True),
        ("m2", "role", False),
        ("m3", "role", False),
        ("me", "person", False),
    ]
    assert [each["step"] for each in table["items"]] == ["opening"]
    done = finished(client, table["id"])
    assert (done["state"], done["why"]) == ("closed", "rounds")
    twin = done["items"][1]
    assert twin["evidence"][0]["quote"] == "We went to the sea at Risør in May."
    assert twin["evidence"][0]["title"] == "Sea"
    assert [each["text"] for each in done["items"][2:4]] == [
        "Risør by ferry.",
        "I agree. It may rain.",
    ]
    assert (done["items"][3]["on"], done["items"][3]["stance"]) == (2, "agrees")
    summary = done["items"][4]
    assert [(each["by"], each["says"]) for each in summary["points"]] == [
        ("m1", "said"),
        ("m2", "said"),
        ("m3", "agreed"),
    ]
    assert summary["points"][2]["quotes"] == ["I agree."]
    assert done["head"] == done["items"][-1]["hash"]
    listed = client.get("/api/discussions").get_json()["items"]
    assert [(each["id"], each["turns"]) for each in listed] == [(table["id"], 3)]


@pytest.mark.usefixtures("life")
def test_it_is_watched_entry_by_entry(client: FlaskClient) -> None:
    table = opened(client)["id"]
    finished(client, table)
    seen = entries(client.get(f"/api/discussions/{table}/events").text)
    assert [each["step"] for each in seen] == [
        "opening",
        "turn",
        "turn",
        "turn",
        "summary",
        "closed",
    ]
    later = entries(client.get(f"/api/discussions/{table}/events?after=3").text)
    assert later == seen[4:]
    assert client.get("/api/discussions/nowhere/events").status_code == 404


@pytest.mark.usefixtures("life")
def test_the_person_speaks_pauses_strikes_and_ends_it(client: FlaskClient) -> None:
    where = f"/api/discussions/{opened(client)['id']}"
    said = client.post(f"{where}/turns", json={"text": "Not too far."}).get_json()
    assert (said["items"][-1]["by"], said["items"][-1]["text"]) == ("me", "Not too far.")
    assert client.post(f"{where}/pause").get_json()["state"] == "paused"
    assert client.post(f"{where}/next").get_json()["entries"] == 3
    assert client.post(f"{where}/resume").get_json()["state"] == "open"
    struck = client.post(f"{where}/turns/1/strike").get_json()
    assert (struck["items"][1]["text"], struck["items"][1]["gone"]) == ("", True)
    assert struck["items"][1]["hash"] == said["items"][1]["hash"]
    left = client.post(f"{where}/members/m3/leave").get_json()
    assert [each["present"] for each in left["members"]] == [True, True, False, True]
    ended = client.post(f"{where}/close").get_json()
    assert (ended["state"], ended["why"]) == ("closed", "person")
    assert client.post(f"{where}/turns", json={"text": "But"}).status_code == 409
    assert client.get(f"{where}/export").text.startswith("# Where did we go in May?")
    assert client.delete(where).status_code == 204
    assert client.get(where).status_code == 404


@pytest.mark.usefixtures("life")
def test_a_turn_is_kept_and_let_go(client: FlaskClient) -> None:
    where = f"/api/discussions/{opened(client)['id']}"
    client.post(f"{where}/turns", json={"text": "Ottilie bakes walnut bread."})
    document = client.post(f"{where}/turns/1/keep").get_json()["document"]
    assert client.get(where).get_json()["items"][1]["kept"] == document
    assert client.delete(f"{where}/turns/1/keep").status_code == 204
    assert client.get(where).get_json()["items"][1]["kept"] is None
    assert client.get(f"/api/documents/{document}").status_code == 404
    assert client.post(f"{where}/turns/9/keep").status_code == 404


@pytest.mark.parametrize(
    "sent",
    [
        {"template": "nothing"},
        {"template": "", "seats": []},
        {"strategy": "shouting"},
        {"rounds": 101},
        {"more": 1},
        {"seats": [{"kind": "ghost"}]},
    ],
)
@pytest.mark.usefixtures("life")
def test_what_is_no_table_is_refused(client: FlaskClient, sent: dict[str, object]) -> None:
    came = client.post("/api/discussions", json={"template": "trip", "aim": "Where?"} | sent)
    assert came.status_code == 422, came.text


def test_the_worker_has_them_speak(life: Node, client: FlaskClient) -> None:
    table = opened(client)["id"]
    stop = threading.Event()
    thread = threading.Thread(target=see_to_tables, args=(life, stop))
    thread.start()
    try:
        seen = entries(client.get(f"/api/discussions/{table}/events").text)
    finally:
        stop.set()
        thread.join()
    assert seen[-1]["step"] == "closed"


def test_a_table_whose_record_is_broken_is_in_the_list_and_can_be_deleted(
    life: Node, client: FlaskClient
) -> None:
    table, other = opened(client)["id"], opened(client)["id"]
    with closing(sqlite3.connect(life.ports.home.node_db)) as database, database:
        database.execute("UPDATE discussion_entry SET entry = '{}' WHERE discussion = ?", (table,))
    listed = {
        each["id"]: each["state"] for each in client.get("/api/discussions").get_json()["items"]
    }
    assert listed == {table: "broken", other: "open"}
    said = client.get(f"/api/discussions/{table}")
    assert "delete the table" in str(said.get_json())
    assert client.delete(f"/api/discussions/{table}").status_code == 204
    assert [each["id"] for each in client.get("/api/discussions").get_json()["items"]] == [other]
