"""Memories fade visibly while they are not used; citing, opening, keeping and correcting
strengthens them; nothing is deleted for it.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.memory.forgetting import FADING
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.forgetting import AT_ONCE, LATEST


def keep(client: FlaskClient, node: Node, line: str) -> str:
    answer = client.post("/api/memories", json={"line": line})
    node.run_jobs()
    return str(answer.get_json()["id"])


def held(client: FlaskClient, query: str = "") -> dict[str, float]:
    return {
        each["id"]: each["strength"]
        for each in client.get(f"/api/memories{query}").get_json()["items"]
    }


@pytest.fixture
def three(client: FlaskClient, node: Node, frozen_clock: FrozenClock) -> tuple[str, str, str]:
    """Three statements, noted four months ago."""
    made = (
        keep(client, node, "W @Mai: keeps a kingfisher"),
        keep(client, node, "W @Ren: turns bowls"),
        keep(client, node, "W @Ida: sails on Sundays"),
    )
    assert set(held(client).values()) == {1.0}
    frozen_clock.advance(timedelta(days=120))
    return made


def test_what_is_used_comes_back_and_what_is_pinned_never_went(
    client: FlaskClient, node: Node, frozen_clock: FrozenClock, three: tuple[str, str, str]
) -> None:
    opened, pinned, left = three
    faded = held(client)
    assert all(value < FADING for value in faded.values())
    assert client.get(f"/api/memories/{opened}").get_json()["memory"]["strength"] > 0.9
    assert client.patch(f"/api/memories/{pinned}", json={"pinned": True}).status_code == 202
    frozen_clock.advance(timedelta(days=60))
    now = held(client)
    assert now[left] < faded[left] < now[opened] < now[pinned] == 1.0
    assert list(held(client, "?sort=strength")) == [left, opened, pinned]
    assert list(held(client, "?fading=true")) == [left]
    (why,) = client.get("/api/memories?fading=true").get_json()["items"]
    assert (why["uses"], why["last_used"]) == (0, None)
    assert why["noted_at"] < why["fades_at"] < frozen_clock.now().isoformat()
    shown = {each["id"]: each for each in client.get("/api/memories").get_json()["items"]}
    assert shown[opened]["uses"] == 1
    assert shown[opened]["last_used"] < frozen_clock.now().isoformat() < shown[opened]["fades_at"]
    assert shown[pinned]["fades_at"] is None
    first = client.get("/api/memories?sort=strength&limit=2").get_json()
    rest = client.get(
        f"/api/memories?sort=strength&limit=2&cursor={first['next_cursor']}"
    ).get_json()
    assert [each["id"] for each in (*first["items"], *rest["items"])] == [left, opened, pinned]
    assert rest["next_cursor"] is None
    client.patch(f"/api/memories/{pinned}", json={"pinned": False})
    assert held(client)[pinned] < FADING
    # what fades is found as ever
    assert any("sails" in each.text for each in node.memory.recall("Who sails on Sundays?").items)


def test_bringing_a_memory_back_is_taken_back(
    client: FlaskClient, node: Node, three: tuple[str, str, str]
) -> None:
    def renew(memory: str, *, renewed: bool) -> None:
        answer = client.patch(f"/api/memories/{memory}", json={"renewed": renewed})
        assert answer.status_code == 202, answer.text

    before = client.get("/api/memories?fading=true").get_json()["items"]
    renew(three[0], renewed=True)
    renew(three[1], renewed=True)
    assert list(held(client, "?fading=true")) == [three[2]]
    renew(three[0], renewed=False)
    assert set(held(client, "?fading=true")) == {three[0], three[2]}
    renew(three[1], renewed=False)
    assert client.get("/api/memories?fading=true").get_json()["items"] == before
    # a use that waits to be written is none either
    belief = node.ports.memories.history(MemoryId(three[0]))[-1]
    node.ports.uses.note(belief.document, belief.start, belief.end)
    renew(three[0], renewed=False)
    node.ports.uses.write()
    assert node.ports.holding.uses([MemoryId(three[0])]) == {}


def test_what_an_answer_cites_and_what_is_corrected_is_used(
    client: FlaskClient, node: Node, three: tuple[str, str, str]
) -> None:
    cited, corrected, left = three
    chat = client.post("/api/conversations", json={}).get_json()["id"]
    answer = client.post(
        f"/api/conversations/{chat}/turns", json={"text": "Who keeps a kingfisher?"}
    ).get_data(as_text=True)
    assert "event: citation" in answer
    assert (
        client.patch(
            f"/api/memories/{corrected}", json={"content": "turns bowls and cups"}
        ).status_code
        == 202
    )
    node.run_jobs()
    now = held(client)
    assert now[left] < FADING < 0.9 < min(now[cited], now[corrected])


def test_uses_are_written_together_a_row_a_day_and_at_the_latest_when_the_home_is_shut(
    node: Node, frozen_clock: FrozenClock, three: tuple[str, str, str]
) -> None:
    belief = node.ports.memories.history(MemoryId(three[0]))[-1]
    for _ in range(2 * AT_ONCE):  # the same memory on the same day is one row
        node.ports.uses.note(belief.document, belief.start, belief.end)
    assert node.ports.holding.uses([belief.memory]) == {}
    frozen_clock.advance(2 * LATEST)
    node.ports.uses.note(belief.document, belief.start, belief.end)
    node.ports.uses.note(belief.document, belief.end + 5, belief.end + 9)
    assert node.ports.holding.uses([belief.memory]) == {
        belief.memory: [frozen_clock.now().astimezone().date()]
    }
    frozen_clock.advance(timedelta(days=1))
    node.ports.uses.note(belief.document, belief.start, belief.end)
    home = node.ports.home
    node.close()
    with Node(home, clock=frozen_clock, embedder=HashingEmbedder()) as again:
        assert len(again.ports.holding.uses([belief.memory])[belief.memory]) == 2


def test_erasing_takes_uses_and_pins(
    client: FlaskClient, node: Node, three: tuple[str, str, str]
) -> None:
    client.patch(f"/api/memories/{three[0]}", json={"pinned": True})
    client.get(f"/api/memories/{three[0]}")
    document = client.get(f"/api/memories/{three[0]}").get_json()["memory"]["evidence"][0][
        "document"
    ]
    token = client.post("/api/erasures", json={"documents": [document]}).get_json()["token"]
    assert client.post(f"/api/erasures/{token}/confirm").status_code == 202
    node.run_jobs()
    node.ports.uses.write()
    memories = [MemoryId(each) for each in three]
    assert node.ports.holding.uses(memories) == {}
    assert node.ports.holding.pinned(memories) == set()
