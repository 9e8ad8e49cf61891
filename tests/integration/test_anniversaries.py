"""On this day: what earlier years hold under the date of today, each sentence with its place."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.node import Node
from lpm_kernel.usecases.home.access import create_key
from tests.integration.test_timeline import add


def on_this_day(client: FlaskClient, day: str = "", key: str = "") -> dict[str, Any]:
    answer = client.get(
        "/api/timeline/anniversaries",
        query_string={"on": day} if day else {},
        headers={"Authorization": f"Bearer {key}"} if key else {},
    )
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def days(found: dict[str, Any]) -> list[str]:
    return [each["day"] for each in found["items"]]


def test_an_empty_home_remembers_nothing(client: FlaskClient) -> None:
    assert on_this_day(client) == {"day": "2026-03-14", "exact": False, "items": []}


def test_the_same_date_of_earlier_years_comes_back_with_its_place(
    client: FlaskClient, node: Node
) -> None:
    add(node, "2024-03-14.md", "I strung the cello for Ottilie and let it stand.")
    document = add(node, "2025-03-14.md", "I live in Ghent with Osman and his brother.")
    add(node, "2025-03-15.md", "Rain all day and the glue would not set.")
    add(node, "2026-03-14.md", "I planed the neck of the viola this morning.")
    found = on_this_day(client)
    assert (found["exact"], days(found)) == (True, ["2025-03-14", "2024-03-14"])
    said = found["items"][0]["sentence"]
    text = client.get(
        f"/api/documents/{document}/text?start={said['start']}&end={said['end']}"
    ).get_json()["text"]
    assert (said["document"]["id"], text) == (document, said["text"])


def test_the_week_of_last_year_stands_in_only_where_the_day_itself_is_bare(
    client: FlaskClient, node: Node
) -> None:
    add(node, "2025-03-12.md", "I strung the cello for Ottilie and let it stand.")
    add(node, "2024-03-13.md", "Rain all day and the glue would not set.")
    assert days(on_this_day(client)) == ["2025-03-12"]
    assert not on_this_day(client)["exact"]
    add(node, "2023-03-14.md", "I live in Ghent with Osman and his brother.")
    assert (on_this_day(client)["exact"], days(on_this_day(client))) == (True, ["2023-03-14"])


def test_the_29th_of_february_comes_back_on_the_28th_of_a_common_year(
    client: FlaskClient, node: Node
) -> None:
    add(node, "2024-02-29.md", "I strung the cello for Ottilie and let it stand.")
    assert days(on_this_day(client, "2025-02-28")) == ["2024-02-29"]
    assert days(on_this_day(client, "2027-02-28")) == ["2024-02-29"]
    assert days(on_this_day(client, "2028-02-29")) == ["2024-02-29"]
    assert days(on_this_day(client, "2028-02-28")) == []


@pytest.mark.usefixtures("in_kyoto")
def test_today_is_the_persons_own_day(client: FlaskClient, node: Node) -> None:
    # evening in Greenwich, and the morning of the next day in Kyoto
    late = datetime(2025, 3, 14, 20, tzinfo=UTC)
    add(node, "late.txt", "I live in Ghent with Osman and his brother.", created_at=late)
    assert days(on_this_day(client, "2026-03-15")) == ["2025-03-15"]
    assert on_this_day(client)["day"] == "2026-03-14"


def test_what_was_forgotten_or_is_private_stays_where_it_is(
    client: FlaskClient, node: Node
) -> None:
    add(node, "2025-03-14.md", "I live in Ghent with Osman and his brother.", private=True)
    assert on_this_day(client)["items"][0]["sentence"]["document"]["private"]
    _, key = create_key(node.ports.access, node.ports.clock, "a program", ["recall"])
    assert on_this_day(client, key=key)["items"] == []
    said = on_this_day(client)["items"][0]["sentence"]
    place = {"document": said["document"]["id"], "start": said["start"], "end": said["end"]}
    assert client.post("/api/findings", json={**place, "decision": "forget"}).status_code == 200
    assert on_this_day(client)["items"] == []


def test_only_a_day_of_the_calendar_is_today(client: FlaskClient) -> None:
    for day in ("soon", "2025-02-29", "0001-01-01"):
        assert client.get(f"/api/timeline/anniversaries?on={day}").status_code == 422
