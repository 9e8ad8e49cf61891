"""The timeline: each passage on the day of the person's own calendar, and for the days one looks
at, what they hold.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key

WEDNESDAY = (
    "Strung the cello and let it stand. I live in Ghent with Osman and his brother. Rain all day."
)


def add(node: Node, name: str, text: str, **more: object) -> str:
    document = node.library.add_bytes(name, text.encode(), **more).document  # type: ignore[arg-type]
    node.run_jobs()
    return document.id


def timeline(client: FlaskClient, query: str = "") -> dict[str, Any]:
    answer = client.get(f"/api/timeline{query}")
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def test_an_empty_home_has_no_days(client: FlaskClient) -> None:
    assert timeline(client) == {
        "days": [],
        "first": None,
        "last": None,
        "busiest": 0,
        "undated": 0,
        "next_cursor": None,
    }


def test_days_are_counted_by_when_a_thing_was_said(client: FlaskClient, node: Node) -> None:
    add(node, "2025-08-30.md", WEDNESDAY)
    add(
        node,
        "2025-09-02.md",
        "## Retain\n\n- W @Peter: owns the house in the lane\n- B I took over the workshop.\n",
    )
    found = timeline(client)
    assert [(each["day"], each["passages"], each["statements"]) for each in found["days"]] == [
        ("2025-08-30", 1, 0),
        ("2025-09-02", 2, 2),
    ]
    assert (found["first"], found["last"], found["busiest"], found["undated"]) == (
        "2025-08-30",
        "2025-09-02",
        2,
        0,
    )
    assert all(each["sentence"] is None and each["documents"] == [] for each in found["days"])


def test_what_nobody_dated_stands_on_no_day(client: FlaskClient, node: Node) -> None:
    add(node, "a note.txt", "Glue and varnish until six.")
    found = timeline(client)
    assert (found["days"], found["undated"]) == ([], 1)


@pytest.mark.usefixtures("in_kyoto")
def test_a_day_begins_at_the_persons_own_midnight(client: FlaskClient, node: Node) -> None:
    add(node, "late.txt", "Nearly asleep.", created_at=datetime(2025, 8, 30, 14, 59, tzinfo=UTC))
    add(node, "early.txt", "Up again.", created_at=datetime(2025, 8, 30, 15, 0, tzinfo=UTC))
    assert [each["day"] for each in timeline(client)["days"]] == ["2025-08-30", "2025-08-31"]


def test_a_range_holds_both_its_ends_and_the_figures_stay_those_of_the_whole(
    client: FlaskClient, node: Node
) -> None:
    for day in (28, 29, 30, 31):
        add(node, f"2025-08-{day}.md", f"Day {day}.")
    found = timeline(client, "?from=2025-08-29&to=2025-08-30")
    assert [each["day"] for each in found["days"]] == ["2025-08-29", "2025-08-30"]
    assert (found["first"], found["last"]) == ("2025-08-28", "2025-08-31")
    assert client.get("/api/timeline?from=2025-08-30&to=2025-08-29").status_code == 422
    assert client.get("/api/timeline?from=yesterday").status_code == 422


def test_a_day_is_told_with_its_documents_names_and_best_sentence(
    client: FlaskClient, node: Node
) -> None:
    document = add(node, "2025-08-30.md", WEDNESDAY)
    (day,) = timeline(client, "?detail=true")["days"]
    assert [each["id"] for each in day["documents"]] == [document]
    assert day["document_count"] == 1
    assert {"Osman", "Ghent"} <= set(day["names"])
    said = day["sentence"]
    assert (said["text"], said["source"]) == (
        "I live in Ghent with Osman and his brother.",
        f"documents/{document}#L1",
    )
    text = client.get(
        f"/api/documents/{document}/text?start={said['start']}&end={said['end']}"
    ).get_json()["text"]
    assert text == said["text"]


def test_a_sentence_that_was_forgotten_is_no_days_best(client: FlaskClient, node: Node) -> None:
    add(node, "2025-08-30.md", WEDNESDAY)
    said = timeline(client, "?detail=true")["days"][0]["sentence"]
    place = {"document": said["document"]["id"], "start": said["start"], "end": said["end"]}
    assert client.post("/api/findings", json={**place, "decision": "forget"}).status_code == 200
    after = timeline(client, "?detail=true")["days"][0]["sentence"]
    assert after is None or after["text"] != said["text"]


def test_where_several_speak_the_sentence_is_the_persons(client: FlaskClient, node: Node) -> None:
    node.ports.conversations.set_identity(Identity("Nagi"))
    lines = [
        "Mai: I live in Kanazawa with my sister Rei and we run a tea house.",
        "Nagi: Kettle is on.",
        "Mai: Good.",
        "Nagi: I live in Ghent with Osman and his brother.",
    ]
    add(
        node,
        "chat.txt",
        "".join(f"30/08/2025, 10:1{minute} - {line}\n" for minute, line in enumerate(lines)),
    )
    (day,) = timeline(client, "?detail=true")["days"]
    assert (day["sentence"]["speaker"], day["sentence"]["text"]) == (
        "Nagi",
        "I live in Ghent with Osman and his brother.",
    )


def test_many_days_come_a_few_at_a_time_the_latest_first(client: FlaskClient, node: Node) -> None:
    for day in range(1, 6):
        add(node, f"2025-08-0{day}.md", f"I planed the neck, piece {day}.")
    seen, cursor = [], ""
    while True:
        page = timeline(client, f"?detail=true&limit=2{cursor}")
        seen += [each["day"] for each in page["days"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [f"2025-08-0{day}" for day in (5, 4, 3, 2, 1)]
    assert client.get("/api/timeline?detail=true&cursor=soon").status_code == 422


def test_a_private_day_is_the_owners_and_says_so(client: FlaskClient, node: Node) -> None:
    add(node, "2025-08-30.md", WEDNESDAY, private=True)
    (day,) = timeline(client, "?detail=true")["days"]
    assert day["sentence"]["document"]["private"]
    assert day["documents"][0]["private"]
    _, key = create_key(node.ports.access, node.ports.clock, "a program", ["recall"])
    seen = client.get(
        "/api/timeline?detail=true", headers={"Authorization": f"Bearer {key}"}
    ).get_json()
    assert (seen["days"], seen["first"], seen["undated"]) == ([], None, 0)


def test_a_deleted_document_leaves_its_days(client: FlaskClient, node: Node) -> None:
    document = add(node, "2025-08-30.md", WEDNESDAY)
    assert client.delete(f"/api/documents/{document}").status_code in {200, 204}
    assert timeline(client)["days"] == []


MAIL = (
    "From: {who} <{who}@example.org>\nTo: me@example.org\nSubject: The well\n"
    "Date: Sat, 30 Aug 2025 09:00:00 +0000\nContent-Type: text/plain; charset=utf-8\n\n{text}"
)


def the_sentence(client: FlaskClient) -> str | None:
    (day,) = timeline(client, "?detail=true")["days"]
    return None if day["sentence"] is None else str(day["sentence"]["text"])


def test_the_sentence_of_a_day_is_no_line_of_a_mails_head(client: FlaskClient, node: Node) -> None:
    text = "Dear Ann,\n\nThe well gave up in the middle of the dishes.\n\nYours,\nOla"
    add(node, "well.eml", MAIL.format(who="ola", text=text))
    assert the_sentence(client) == "The well gave up in the middle of the dishes."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Dear Dr Reyes, I am pleased to tell you that Ola sold the red boat.",
            "I am pleased to tell you that Ola sold the red boat.",
        ),
        (
            "拝啓　田中様、妹の千夏は去年の春に松江へ引っ越しました。",
            "妹の千夏は去年の春に松江へ引っ越しました。",
        ),
        ("尊敬的王女士：您的申请已于五月三日通过。", "您的申请已于五月三日通过。"),
    ],
)
def test_the_sentence_of_a_day_begins_behind_the_salutation(
    client: FlaskClient, node: Node, text: str, told: str
) -> None:
    add(node, "2025-08-30 a letter.md", text)
    (day,) = timeline(client, "?detail=true")["days"]
    shown = day["sentence"]
    assert shown["text"] == told
    assert (shown["start"], shown["end"]) == (text.index(told), len(text))


def test_a_sentence_that_stands_alone_comes_before_one_that_needs_its_context(
    client: FlaskClient, node: Node
) -> None:
    node.ports.conversations.set_identity(Identity("Ann Reyes"))
    add(node, "2025-08-30 diary.md", "She moved to Cork in May 2025. Ola sold the red boat.")
    assert the_sentence(client) == "Ola sold the red boat."


def test_a_day_that_holds_a_table_alone_has_no_sentence(client: FlaskClient, node: Node) -> None:
    rows = "day, washes, coins, notes\nMon, 14, 212, Ola in\nTue, 11, 160, me alone\n"
    add(node, "2025-08-30 takings.md", rows)
    assert the_sentence(client) is None


def test_the_persons_own_sentence_comes_before_what_was_written_to_them(
    client: FlaskClient, node: Node
) -> None:
    node.ports.conversations.set_identity(Identity("Ann Reyes"))
    letter = "Dear Ann,\n\nI moved to Lisbon with Rui in May 2025.\n\nYours, Ola"
    add(node, "2025-08-30 a letter.md", letter)
    add(node, "2025-08-30 diary.md", "Swam before breakfast, and the harbour was flat.")
    assert the_sentence(client) == "Swam before breakfast, and the harbour was flat."
