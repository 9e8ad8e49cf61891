"""Who and what is named, over a real home and Flask's client: listed, shown with its evidence, put right, drawn."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.graph.louvain import Louvain
from lpm_kernel.node import Node

DIARY = {
    "2024-04-06.md": "Moved the bench to Teramachi today with Ren. Ren said it was heavier than a cow. It rained in Teramachi until five.",
    "2024-05-01.md": "Walked with Ren in Teramachi. Later Mai Kurose said that it would rain, and Mai was right.",
    "2024-06-02.md": "Ren Takeda wrote from Toyama. Ren Takeda asked about glue. Everybody in Toyama uses it.",
    "2024-07-03.md": "Again Mai asked whether Ren had eaten. We met Mr Ide in Teramachi, and Ide said nothing.",
}


@pytest.fixture
def told(node: Node, client: FlaskClient) -> FlaskClient:
    for name, text in DIARY.items():
        node.add_bytes(name, text.encode())
    node.run_jobs()
    assert client.post("/api/graph/rebuild").status_code == 202
    node.run_jobs()
    return client


def slugs(client: FlaskClient, **wanted: str) -> dict[str, int]:
    return {each["slug"]: each["mentions"] for each in client.get("/api/entities", query_string=wanted).get_json()["items"]}


def test_until_the_first_map_there_is_none(node: Node, client: FlaskClient) -> None:
    node.add_text("Walked with Mai in Teramachi.")
    node.run_jobs()
    assert client.get("/api/graph").get_json() == {"state": "none", "made_at": None, "nodes": [], "edges": [], "communities": []}
    assert client.get("/api/entities").get_json() == {"items": [], "next": None}


def test_people_and_places_are_listed_with_what_they_are(told: FlaskClient) -> None:
    found = {each["slug"]: each for each in told.get("/api/entities").get_json()["items"]}
    assert {slug: each["kind"] for slug, each in found.items()} == {
        "teramachi": "place", "toyama": "place", "mai-kurose": "person", "ren-takeda": "person", "ide": "person",
    }  # fmt: skip
    assert (found["mai-kurose"]["name"], found["mai-kurose"]["aliases"]) == ("Mai", ["Mai Kurose"])
    assert found["ide"]["aliases"] == ["Mr Ide"] or found["ide"]["name"] == "Mr Ide"
    assert found["teramachi"]["first"].startswith("2024-04-06")


def test_the_map_is_drawn_and_says_what_it_rests_on(node: Node, told: FlaskClient) -> None:
    made = told.get("/api/graph").get_json()
    assert made["state"] == "fresh"
    assert all(0 <= each["x"] <= 1 and 0 <= each["y"] <= 1 for each in made["nodes"])
    edge = next(each for each in made["edges"] if {each["source"], each["target"]} == {"ren-takeda", "teramachi"})
    proof = told.get(f"/api/graph/edges/{edge['source']}/{edge['target']}").get_json()["items"]
    assert proof
    assert all("Ren" in each["text"] and "Teramachi" in each["text"] for each in proof)
    assert node.clusters.name == Louvain.name
