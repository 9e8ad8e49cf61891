"""Views that move in small steps, facts that cannot both be so, and lines for memory.md that nobody
puts there unasked.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.L1.statements.opinions import STEP
from lpm_kernel.node import Node

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(
        Home(tmp_path), clock=FrozenClock(NOW), embedder=HashingEmbedder(), communities="louvain"
    ) as here:
        here.ports.conversations.set_identity(Identity("Ida Strand", languages=("en",)))
        here.workspace.append(
            "memory/2026-01-10.md",
            "# A day\n\n## Retain\n\n- O(c=0.8) @Nora: is a reliable sailor\n- B I gave up coffee"
            " in January 2026.\n",
        )
        here.run_jobs()
        yield here


@pytest.fixture
def client(node: Node) -> FlaskClient:
    client = create_app(node).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
    return client


def told(node: Node, day: str, text: str) -> None:
    node.library.add_bytes(f"{day}.md", text.encode())
    node.run_jobs()


def the_opinion(client: FlaskClient) -> dict[str, Any]:
    (found,) = client.get("/api/opinions").get_json()["items"]
    assert found == client.get(f"/api/opinions/{found['id']}").get_json()
    return dict(found)


def test_a_view_moves_in_small_steps_and_every_link_opens_its_words(
    node: Node, client: FlaskClient
) -> None:
    assert the_opinion(client)["confidence"] == 0.8
    told(node, "2026-02-01", "I find Nora an unreliable sailor.")
    once = the_opinion(client)
    assert 0.8 - STEP / 4 < once["confidence"] < 0.8
    assert [each["stance"] for each in once["curve"]] == [None, "contradicts"]
    for number in range(2, 12):
        told(
            node,
            f"2026-03-{number:02}",
            f"{number} boats came back. I find Nora an unreliable sailor.",
        )
    often = the_opinion(client)
    assert 0 < often["confidence"] < 0.5
    assert len(often["contradicts"]) == 11
    for each in often["contradicts"]:
        document = node.ports.documents.get(each["document"])
        words = node.ports.files.words(document.sha256, document.text_version or "") or ""
        assert words[each["start"] : each["end"]] == each["quote"]
        assert "an unreliable sailor" in each["quote"]


def test_what_was_said_before_is_shown_and_moves_nothing(node: Node, client: FlaskClient) -> None:
    told(node, "2019-02-01", "I find Nora an unreliable sailor.")
    found = the_opinion(client)
    assert found["confidence"] == 0.8
    assert len(found["contradicts"]) == 1


def test_the_persons_own_word_counts_at_once_and_whole(node: Node, client: FlaskClient) -> None:
    told(node, "2026-02-01", "I find Nora an unreliable sailor.")
    known = the_opinion(client)
    assert (
        client.patch(f"/api/memories/{known['id']}", json={"confidence": 0.95}).status_code == 202
    )
    node.run_jobs()
    assert the_opinion(client)["confidence"] == 0.95


def test_a_struck_sentence_speaks_for_nothing(node: Node, client: FlaskClient) -> None:
    told(node, "2026-02-01", "I find Nora an unreliable sailor.")
    (place,) = the_opinion(client)["contradicts"]
    found = f"{place['document']}.{place['start']}-{place['end']}"
    assert client.post(f"/api/findings/{found}", json={"decision": "forget"}).status_code == 200
    assert the_opinion(client)["contradicts"] == []
    assert the_opinion(client)["confidence"] == 0.8


def test_whom_two_facts_are_about_is_said_where_their_words_do_not(
    node: Node, client: FlaskClient
) -> None:
    told(node, "2024-02-01", "## Retain\n\n- W @Petrel: has six places.")
    told(node, "2025-06-01", "## Retain\n\n- W @Petrel: has eight places.")
    found = client.get("/api/disagreements").get_json()["items"]
    assert [
        (each["about"], each["first"][0]["quote"], each["second"][0]["quote"]) for each in found
    ] == [("Petrel", "has six places.", "has eight places.")]


def test_facts_that_cannot_both_be_so_are_settled_and_that_is_taken_back(
    node: Node, client: FlaskClient
) -> None:
    told(node, "2024-02-01", "Aksel lives in Bergen. I rang Aksel on the quay in Bergen.")
    told(node, "2025-06-01", "Aksel lives in Oslo. I rang Aksel in Oslo.")
    node.graph.draw()
    (found,) = client.get("/api/disagreements").get_json()["items"]
    assert found["about"] is None
    assert [found["first"][0]["quote"], found["second"][0]["quote"], found["reason"]] == [
        "Aksel lives in Bergen.",
        "Aksel lives in Oslo.",
        "place",
    ]
    assert (
        client.post(f"/api/disagreements/{found['id']}", json={"verdict": "changed"}).get_json()[
            "verdict"
        ]
        == "changed"
    )
    assert client.get("/api/disagreements").get_json()["items"] == []
    (settled,) = client.get("/api/disagreements?settled=true").get_json()["items"]
    assert (settled["first"][0]["at"][:4], settled["second"][0]["at"][:4]) == ("2024", "2025")
    assert len(client.delete(f"/api/disagreements/{found['id']}").get_json()["items"]) == 1
    assert (
        client.post(f"/api/disagreements/{found['id']}", json={"verdict": "second"}).status_code
        == 200
    )
    assert not any(
        "lives in Bergen" in each.text
        for each in node.memory.recall("Where does Aksel live?").items
    )
    client.delete(f"/api/disagreements/{found['id']}")
    assert any(
        "lives in Bergen" in each.text
        for each in node.memory.recall("Where does Aksel live?").items
    )
    assert client.post("/api/disagreements/none", json={"verdict": "both"}).status_code == 404
    assert (
        client.post(f"/api/disagreements/{found['id']}", json={"verdict": "perhaps"}).status_code
        == 422
    )


def test_nothing_goes_into_the_core_unasked(node: Node, client: FlaskClient) -> None:
    before = (node.ports.home.workspace / "memory.md").read_bytes()
    (found,) = client.get("/api/core/proposals").get_json()["items"]
    assert (found["line"], found["evidence"][0]["quote"]) == (
        "I gave up coffee in January 2026.",
    ) * 2
    assert [
        (each["text"], each["after"]) for each in found["change"] if each["part"] == "added"
    ] == [("- I gave up coffee in January 2026.", len(before.splitlines()) + 1)]
    assert not [each for each in found["change"] if each["part"] == "removed"]
    assert (node.ports.home.workspace / "memory.md").read_bytes() == before
    assert (
        client.post(f"/api/core/proposals/{found['id']}", json={"accept": False}).get_json()[
            "items"
        ]
        == []
    )
    assert len(client.delete(f"/api/core/proposals/{found['id']}").get_json()["items"]) == 1
    assert (
        client.post(
            f"/api/core/proposals/{found['id']}",
            json={"accept": True, "line": "I drink no coffee."},
        ).get_json()["items"]
        == []
    )
    assert "- I drink no coffee." in (node.ports.home.workspace / "memory.md").read_text("utf-8")
    assert "I drink no coffee." in node.memory.core_for(owner=True).lines
    assert (
        client.post(f"/api/core/proposals/{found['id']}", json={"accept": True}).status_code == 404
    )


def test_a_number_that_differs_between_two_documents_is_put_to_the_person_without_a_name_too(
    node: Node, client: FlaskClient
) -> None:
    told(node, "2024-03-01", "## Retain\n\n- W The evening class has six seats.\n")
    told(node, "2025-03-01", "## Retain\n\n- W There are eight seats in the evening class.\n")
    told(node, "2025-04-01", "## Retain\n\n- B I walked 6 km to the mill.\n")
    told(node, "2025-05-01", "## Retain\n\n- B I walked 8 km to the mill.\n")
    (found,) = client.get("/api/disagreements").get_json()["items"]
    assert (found["reason"], found["first"][0]["quote"], found["second"][0]["quote"]) == (
        "number",
        "The evening class has six seats.",
        "There are eight seats in the evening class.",
    )


def test_what_a_diary_says_that_one_thinks_is_an_opinion_and_how_it_turned_is_shown(
    node: Node, client: FlaskClient
) -> None:
    told(node, "2018-04-02", "Went to Cork. I hate opera. Niall loves opera.")
    told(node, "2024-04-02", "I love opera. I think the tram leaves at nine.")
    told(node, "2025-04-02", "Dear Ida,\n\nI hate cats.\n\nYours, Niall")
    (stated,) = client.get("/api/opinions").get_json()["stated"]
    assert stated["content"] == "I love opera."
    assert stated["turned"]
    assert stated["since"].startswith("2024-04-02")
    assert [each["quote"] for each in stated["words"]] == ["I love opera.", "I hate opera."]
    assert [each["at"][:4] for each in stated["words"]] == ["2024", "2018"]


def test_what_is_kept_as_an_opinion_is_not_found_a_second_time(
    node: Node, client: FlaskClient
) -> None:
    told(node, "2026-02-01", "I find Nora an unreliable sailor.")
    assert client.get("/api/opinions").get_json()["stated"] == []


def test_what_is_of_nobody_is_held_together_and_what_others_say_of_themselves_is_not(
    node: Node, client: FlaskClient
) -> None:
    told(node, "2025-01-02", "The choir meets on Tuesdays. I work at the library in Cork.")
    told(node, "2025-05-02", "The choir meets on Thursdays.")
    told(node, "2025-05-03", "Dear Ida,\nI work at the brewery in Cork.\nYours, Niall")
    (found,) = client.get("/api/disagreements").get_json()["items"]
    assert [each["quote"] for side in ("first", "second") for each in found[side]] == [
        "The choir meets on Tuesdays.",
        "The choir meets on Thursdays.",
    ]
