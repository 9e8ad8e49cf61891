"""Two times: what was so is told apart from what was believed, is given by the person, settled,
taken back, and heeded by recall.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given as given_any
from hypothesis import settings
from hypothesis import strategies as st

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.L0.language.question import Question
from lpm_kernel.node import Node

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture
def node(tmp_path: Path, clock: FrozenClock) -> Iterator[Node]:
    model = ScriptedModel([(".", "I do not know.")])
    with Node(
        Home(tmp_path), clock=clock, model=model, embedder=HashingEmbedder(), communities="louvain"
    ) as here:
        here.ports.conversations.set_identity(Identity("Ida Strand", languages=("en",)))
        yield here


@pytest.fixture
def client(node: Node) -> FlaskClient:
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    return client


def told(node: Node, day: str, text: str) -> None:
    node.library.add_bytes(f"{day}.md", text.encode())
    node.run_jobs()


def keep(client: FlaskClient, node: Node, **body: object) -> str:
    answer = client.post("/api/memories", json=body)
    assert answer.status_code == 202, answer.text
    node.run_jobs()
    return str(answer.get_json()["id"])


def found(client: FlaskClient, query: str, **more: object) -> list[dict[str, Any]]:
    return list(client.post("/api/recall", json={"query": query, **more}).get_json()["items"])


def place(items: list[dict[str, Any]], word: str) -> int:
    return next(number for number, each in enumerate(items) if word in each["content"])


def two_homes(node: Node, client: FlaskClient) -> dict[str, Any]:
    """Aksel lived in Bergen, by a note of 2024, and in Oslo, by one of 2025."""
    told(node, "2024-02-01", "Aksel lives in Bergen. I rang Aksel on the quay in Bergen.")
    told(node, "2025-06-01", "Aksel lives in Oslo. I rang Aksel in Oslo.")
    node.graph.draw()
    (open_one,) = client.get("/api/disagreements").get_json()["items"]
    return dict(open_one)


def test_settled_as_changed_each_side_has_its_time_and_recall_heeds_it(
    node: Node, client: FlaskClient
) -> None:
    known = two_homes(node, client)
    settled = client.post(
        f"/api/disagreements/{known['id']}", json={"verdict": "changed"}
    ).get_json()
    assert (
        settled["first"][0]["valid_until"][:10]
        == settled["second"][0]["valid_from"][:10]
        == "2025-06-01"
    )
    for question, first, second in (
        ("Where does Aksel live?", "Oslo", "Bergen"),
        ("Where did Aksel live in 2024?", "Bergen", "Oslo"),
        ("Where did Aksel live in November 2025?", "Oslo", "Bergen"),
    ):
        items = found(client, question)
        # and the other is there all the same
        assert place(items, first) < place(items, second), question


def test_the_day_is_given_and_given_again_and_taken_back_whole(
    node: Node, client: FlaskClient
) -> None:
    known = two_homes(node, client)
    before = found(client, "Where does Aksel live?")
    for day in ("2025-03-01", "2025-04-01"):
        said = client.post(
            f"/api/disagreements/{known['id']}",
            json={"verdict": "changed", "changed_on": f"{day}T00:00:00Z"},
        ).get_json()
        assert (said["first"][0]["valid_until"][:10], said["second"][0]["valid_from"][:10]) == (
            day,
            day,
        )
    assert (
        client.post(
            f"/api/disagreements/{known['id']}",
            json={"verdict": "both", "changed_on": "2025-04-01T00:00:00Z"},
        ).status_code
        == 422
    )
    client.delete(f"/api/disagreements/{known['id']}")
    assert node.ports.validities.all() == []
    assert found(client, "Where does Aksel live?") == before


def test_when_it_changed_is_answered_with_both_sides(node: Node, client: FlaskClient) -> None:
    known = two_homes(node, client)
    client.post(
        f"/api/disagreements/{known['id']}",
        json={"verdict": "changed", "changed_on": "2025-04-01T00:00:00Z"},
    )
    for question, day in (
        ("When did it change where Aksel lives?", "1 April 2025"),
        ("Akselの住所はいつ変わった？", "2025年4月1日"),
    ):
        said = (
            node.memory.memory_for(owner=True)
            .read(Question(question), node.memory.recall(question))
            .told
        )
        assert said is not None
        assert day in said.sentence
        assert said.sentence.index("Bergen") < said.sentence.index("Oslo")
        assert (
            [
                node.ports.files.words(
                    node.ports.documents.get(each.document).sha256, each.text_version
                )[  # type: ignore[index]
                    each.start : each.end
                ]
                for each in said.citations
            ]
            == [
                "Aksel lives in Bergen.",
                "Aksel lives in Oslo.",
            ]
        )


def test_what_the_newer_says_of_its_beginning_counts(node: Node, client: FlaskClient) -> None:
    told(node, "2024-02-01", "Aksel lives in Bergen. I rang Aksel on the quay in Bergen.")
    told(node, "2025-06-01", "Aksel lives in Oslo since May 2025. I rang Aksel in Oslo.")
    node.graph.draw()
    (known,) = client.get("/api/disagreements").get_json()["items"]
    settled = client.post(
        f"/api/disagreements/{known['id']}", json={"verdict": "changed"}
    ).get_json()
    assert settled["first"][0]["valid_until"][:10] == "2025-05-01"


@pytest.mark.parametrize(
    ("text", "now", "then", "over", "holds"),
    [
        (
            (
                "Until March 2024 I worked at the cannery.\n\nSince April 2024 I have worked at the"
                " school."
            ),
            "Where do I work now?",
            "Where did I work in 2023?",
            "cannery",
            "school",
        ),
        (
            "2024年3月まで缶詰工場で働いていた。\n\n2024年4月から小学校で働いている。",
            "今どこで働いている？",
            "2023年はどこで働いていた？",
            "缶詰",
            "小学校",
        ),
    ],
)
def test_what_a_sentence_says_of_its_time_is_heeded(
    node: Node, client: FlaskClient, text: str, now: str, then: str, over: str, holds: str
) -> None:
    for number, part in enumerate(text.split("\n\n")):
        told(node, f"2025-0{number + 1}-01", part)
    items = found(client, now)
    assert place(items, holds) < place(items, over)
    items = found(client, then)
    assert place(items, over) < place(items, holds)


def test_the_persons_dates_are_kept_mended_and_taken_back(
    node: Node, client: FlaskClient, clock: FrozenClock
) -> None:
    memory = keep(client, node, line="W @Mai: lives in Kobe", valid_from="2019-01-01T00:00:00Z")
    shown = client.get(f"/api/memories/{memory}").get_json()["memory"]
    assert (shown["valid_from"][:10], shown["valid_until"]) == ("2019-01-01", None)
    clock.advance(timedelta(days=3))
    assert (
        client.patch(
            f"/api/memories/{memory}", json={"valid_until": "2023-01-01T00:00:00Z"}
        ).get_json()["job"]
        is None
    )
    shown = client.get(f"/api/memories/{memory}").get_json()["memory"]
    assert (shown["valid_from"][:10], shown["valid_until"][:10], shown["number"]) == (
        "2019-01-01",
        "2023-01-01",
        1,
    )
    assert client.get("/api/memories?valid_at=2024-01-01T00:00:00Z").get_json()["items"] == []
    assert len(client.get("/api/memories?valid_at=2020-01-01T00:00:00Z").get_json()["items"]) == 1
    # The dates go along with a new wording that comes with the same memory, and not with one that
    # is written in the file by hand.
    assert (
        client.patch(
            f"/api/memories/{memory}", json={"content": "lives in the port of Kobe"}
        ).status_code
        == 202
    )
    node.run_jobs()
    whole = client.get(f"/api/memories/{memory}").get_json()
    assert [whole["memory"]["valid_until"][:10], whole["memory"]["content"]] == [
        "2023-01-01",
        "lives in the port of Kobe",
    ]
    assert (
        client.patch(
            f"/api/memories/{memory}", json={"valid_from": None, "valid_until": None}
        ).status_code
        == 202
    )
    shown = client.get(f"/api/memories/{memory}").get_json()["memory"]
    assert (shown["valid_from"], shown["valid_until"]) == (None, None)
    assert (
        client.patch(
            f"/api/memories/{memory}",
            json={"valid_from": "2024-01-01T00:00:00Z", "valid_until": "2023-01-01T00:00:00Z"},
        ).status_code
        == 422
    )


def test_what_was_true_then_is_answered_by_validity_and_as_of_by_belief(
    node: Node, client: FlaskClient, clock: FrozenClock
) -> None:
    keep(
        client,
        node,
        line="W @Mai: lives in Kobe",
        valid_from="2019-01-01T00:00:00Z",
        valid_until="2023-01-01T00:00:00Z",
    )
    keep(client, node, line="W @Mai: lives in Nara", valid_from="2023-01-01T00:00:00Z")
    assert "Kobe" in found(client, "What was true in November 2021?")[0]["content"]
    assert "Nara" in found(client, "What was true in November 2025?")[0]["content"]
    assert found(client, "What was true in November 2025?")[0]["valid_from"][:10] == "2023-01-01"
    clock.advance(timedelta(days=10))
    memory = next(
        each["id"]
        for each in client.get("/api/memories").get_json()["items"]
        if "Nara" in each["content"]
    )
    client.patch(f"/api/memories/{memory}", json={"valid_until": "2026-01-01T00:00:00Z"})
    early = found(client, "Where does Mai live?", as_of=(NOW + timedelta(days=1)).isoformat())
    assert "Nara" in early[0]["content"]


def test_a_dated_statement_keeps_its_dates_when_its_file_changes_around_it_and_erasing_takes_them(
    node: Node, client: FlaskClient
) -> None:
    memory = keep(
        client,
        node,
        line="W @Mai: lives in Kobe",
        file="bank/world.md",
        valid_until="2023-01-01T00:00:00Z",
    )
    node.workspace.append("bank/world.md", "A line of another kind.\n")
    node.run_jobs()
    assert (
        client.get(f"/api/memories/{memory}").get_json()["memory"]["valid_until"][:10]
        == "2023-01-01"
    )
    document = node.ports.documents.by_origin("bank/world.md")
    assert document is not None
    token = client.post("/api/erasures", json={"documents": [document.id]}).get_json()["token"]
    assert client.post(f"/api/erasures/{token}/confirm").status_code == 202
    node.run_jobs()
    assert node.ports.validities.all() == []


@settings(max_examples=12)
@given_any(year=st.integers(2001, 2025), asked=st.integers(1995, 2026))
def test_whatever_the_years_the_one_that_held_comes_first_and_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, year: int, asked: int
) -> None:
    home = tmp_path_factory.mktemp("home")
    with Node(Home(home), clock=FrozenClock(NOW), embedder=HashingEmbedder()) as node:
        node.workspace.append(
            "bank/world.md",
            f"## Retain\n\n- W @Mai: lives in Kobe until {year}\n- W @Mai: lives in Nara since"
            f" {year + 1}\n",
        )
        node.run_jobs()
        texts = [each.text for each in node.memory.recall(f"Where did Mai live in {asked}?").items]
    kobe, nara = (
        next(number for number, text in enumerate(texts) if town in text)
        for town in ("Kobe", "Nara")
    )
    assert (kobe < nara) == (asked <= year)
