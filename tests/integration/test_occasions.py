"""What is going on: what comes today or tomorrow, and who was named lately; else nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from tests.integration.test_timeline import add


def occasions(client: FlaskClient, day: str = "", key: str = "") -> dict[str, Any]:
    answer = client.get(
        "/api/timeline/occasions",
        query_string={"on": day} if day else {},
        headers={"Authorization": f"Bearer {key}"} if key else {},
    )
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def comes(client: FlaskClient, day: str) -> list[tuple[str, str]]:
    return [(each["day"], each["sentence"]["text"]) for each in occasions(client, day)["events"]]


def test_where_nothing_is_going_on_nothing_is_said(client: FlaskClient, node: Node) -> None:
    assert occasions(client) == {"day": "2026-03-14", "events": [], "named": []}
    add(node, "2026-03-10.md", "Rain all day, and the glue would not set.")
    assert occasions(client) == {"day": "2026-03-14", "events": [], "named": []}


@pytest.mark.parametrize(
    ("said_on", "sentence", "day"),
    [
        ("2026-03-01", "Dentist on 14 March at ten, Dr Ide.", "2026-03-14"),
        ("2026-03-13", "Tomorrow the varnish arrives from Cremona.", "2026-03-14"),
        ("2026-02-20", "The lease of the shop ends on 2026-03-15.", "2026-03-15"),
        ("2026-03-02", "3月14日10時、歯医者の予約。", "2026-03-14"),
        ("2026-03-13", "明日は凪さんと能登へ行く。", "2026-03-14"),
        ("2026-03-02", "请于3月15日前书面回复房东。", "2026-03-15"),
    ],
)
def test_what_was_said_to_come_today_or_tomorrow_is_an_event_with_its_place(
    client: FlaskClient, node: Node, said_on: str, sentence: str, day: str
) -> None:
    document = add(node, f"{said_on}.md", sentence)
    (event,) = occasions(client, "2026-03-14")["events"]
    said = event["sentence"]
    text = client.get(
        f"/api/documents/{document}/text?start={said['start']}&end={said['end']}"
    ).get_json()["text"]
    assert (event["day"], said["document"]["id"], text) == (day, document, said["text"])


@pytest.mark.parametrize(
    ("said_on", "sentence"),
    [
        ("2026-03-14", "Today, 14 March 2026, the varnish arrives."),  # of its own day
        ("2026-03-01", "I was born on 14 March and so was my mother."),  # over
        ("2025-03-13", "Tomorrow the varnish arrives from Cremona."),  # of another year
        ("2026-01-02", "The exhibition opens on 14 March in Noto."),  # too long ago
        ("2026-03-01", "Are we free on 14 March for the opening?"),  # a question
        ("2026-03-01", "The exhibition in Noto, 7-14 March, is free."),  # the end of a stretch
        ("2026-03-01", "Honestly: not 14 March, the hall is taken."),  # denied
        ("2026-03-01", "> The hall is yours on 14 March, says Mai."),  # of an earlier mail
        ("2026-03-01", "14 March 2026"),  # a date alone
        ("2026-03-01", "In March the exhibition opens in Noto."),  # no day
    ],
)
def test_anything_else_that_names_a_date_is_none(
    client: FlaskClient, node: Node, said_on: str, sentence: str
) -> None:
    add(node, f"{said_on}.md", sentence)
    assert comes(client, "2026-03-14") == []


def test_today_comes_before_tomorrow_and_the_same_words_once(
    client: FlaskClient, node: Node
) -> None:
    add(node, "2026-03-01.md", "On 15 March the scaffold comes down.")
    add(node, "2026-03-02.md", "Dentist on 14 March at ten.")
    add(node, "2026-03-03 copy.md", "Note.\n\nDentist on 14 March at ten.")
    assert comes(client, "2026-03-14") == [
        ("2026-03-14", "Dentist on 14 March at ten."),
        ("2026-03-15", "On 15 March the scaffold comes down."),
    ]


def test_what_was_forgotten_or_is_private_is_no_ones_event(client: FlaskClient, node: Node) -> None:
    add(node, "2026-03-01.md", "Dentist on 14 March at ten.", private=True)
    _, key = create_key(node.ports.access, node.ports.clock, "a program", ["recall"])
    assert occasions(client, "2026-03-14", key)["events"] == []
    (event,) = occasions(client, "2026-03-14")["events"]
    said = event["sentence"]
    place = {"document": said["document"]["id"], "start": said["start"], "end": said["end"]}
    assert client.post("/api/findings", json={**place, "decision": "forget"}).status_code == 200
    assert comes(client, "2026-03-14") == []


def test_who_was_named_lately_comes_with_the_day(client: FlaskClient, node: Node) -> None:
    add(node, "2025-11-02.md", "Mr Ide said that the old room is damp. Mr Ide laughed.")
    add(node, "2026-03-09.md", "I had tea with Mr Ide at the mill.")
    add(node, "2026-03-11.md", "I walked home with Mr Ide.")
    add(node, "2025-10-01.md", "Mrs Brambling wrote. I had tea with Mrs Brambling.")
    assert occasions(client)["named"] == []
    node.graph.draw()
    assert occasions(client)["named"] == [
        {"slug": "ide", "name": "Mr Ide", "last": "2026-03-11", "passages": 2}
    ]
    assert [each["passages"] for each in occasions(client, "2026-03-11")["named"]] == [1]
    assert occasions(client, "2026-04-20")["named"] == []


@pytest.mark.usefixtures("in_kyoto")
def test_tomorrow_is_counted_where_the_person_is(client: FlaskClient, node: Node) -> None:
    # the evening of the 12th in Greenwich, the morning of the 13th in Kyoto
    said_at = datetime(2026, 3, 12, 20, tzinfo=UTC)
    add(node, "note.txt", "Tomorrow the varnish arrives from Cremona.", created_at=said_at)
    assert comes(client, "2026-03-14") == [
        ("2026-03-14", "Tomorrow the varnish arrives from Cremona.")
    ]
    assert comes(client, "2026-03-12") == []
