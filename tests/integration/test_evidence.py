"""Evidence all the way down, on whole invented lives: whatever the node says opens at words that
stand in an original.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.memory.pages import own_lines
from lpm_kernel.errors import UnsupportedFileError
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.intake import walk
from tests.lives import LIVES, archive
from tests.scale import only_in_full

QUESTIONS = 24
RETAINED = """## Retain

- W @Harbour: has two cranes.
- O(c=0.7) @Harbour: is the calmest place in town
- S @Harbour: three visits this year, each in the rain.
"""


@pytest.fixture(scope="module", params=["nagi", pytest.param("marit", marks=only_in_full)])
def life(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Node, FlaskClient, list[str]]]:
    """A life that was read, retained and reflected on; the model writes the same sentence whatever
    it is asked.
    """
    asked = LIVES / request.param / "questions.jsonl"
    questions = [json.loads(line)["question"] for line in asked.read_text("utf-8").splitlines()]
    model = ScriptedModel([(".", "It was a Tuesday, and the moon is made of glass.")])
    clock = FrozenClock(datetime(2025, 11, 20, 9, tzinfo=UTC))
    with Node(
        Home(tmp_path_factory.mktemp(request.param)),
        clock=clock,
        model=model,
        embedder=HashingEmbedder(),
        communities="louvain",
    ) as node:
        node.ports.conversations.set_identity(
            Identity(
                "Nagi Sorrel（ソレル 凪）" if request.param == "nagi" else "Marit",
                languages=("en", "ja"),
            )
        )
        for path in sorted(walk([archive(request.param)])):
            if path.suffix in {".md", ".txt", ".jsonl", ".eml", ".csv"}:
                try:
                    node.library.add_bytes(path.name, path.read_bytes())
                except UnsupportedFileError:
                    continue
        node.workspace.append("memory/2025-11-20.md", RETAINED)
        node.run_jobs()
        node.graph.draw()
        node.reflection.reflect()
        node.run_jobs()
        client = create_app(node).test_client()
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {node.ports.home.secret('api-token')}"
        yield (
            node,
            client,
            [
                *questions[:: max(1, len(questions) // QUESTIONS)],
                "How many cranes has the Harbour?",
                "Is the Harbour a calm place?",
            ],
        )


def opens(client: FlaskClient, place: dict[str, Any], words: str) -> bool:
    """Whether these words stand where the place says, in the document as it is served."""
    document = place["document"]["id"] if isinstance(place["document"], dict) else place["document"]
    served = client.get(f"/api/documents/{document}/text?start={place['start']}&end={place['end']}")
    assert served.status_code == 200, served.text
    assert f"{document}" in place["source"] or "#" in place["source"]
    return bool(words) and words == served.get_json()["text"]


def test_every_sentence_of_an_answer_rests_on_words_that_open(
    life: tuple[Node, FlaskClient, list[str]],
) -> None:
    _, client, questions = life
    resting, stands = 0, set()
    conversation = client.post("/api/conversations", json={}).get_json()["id"]
    for question in questions:
        client.post(f"/api/conversations/{conversation}/turns", json={"text": question}).get_data()
        turn = client.get(f"/api/conversations/{conversation}").get_json()["items"][-1]
        cited = {each["n"]: each for each in turn["citations"]}
        assert "moon is made of glass" not in turn["text"], "nothing carries it, so it is not said"
        for part in turn["parts"]:
            assert part["citations"] or part["kind"] == "note", f"{question}: {part}"
            for n in part["citations"]:
                assert opens(client, cited[n], cited[n]["quote"])
                resting += 1
        for each in turn["evidence"]:
            stands.add(each["kind"])
        for each in turn["citations"]:
            (item,) = [item for item in turn["evidence"] if item["id"] == each["id"]] or [each]
            assert (each["kind"], each["confidence"]) == (item["kind"], item["confidence"])
    assert resting >= len(questions) // 2
    assert {"passage", "world", "opinion"} <= stands, "observed and believed are told apart"


def test_every_sentence_of_a_page_rests_on_words_that_open(
    life: tuple[Node, FlaskClient, list[str]],
) -> None:
    _, client, _ = life
    told = client.get("/api/biography").get_json()
    pages = [
        told,
        *(
            client.get(f"/api/biography/topics/{each['id']}").get_json()
            for each in told["topics"]
            if each["path"]
        ),
    ]
    sentences = [each for page in pages for each in page["sentences"]]
    sentences += (
        client.get("/api/biography?person=second").get_json()["sentences"]
        + client.get("/api/biography?person=third").get_json()["sentences"]
    )
    assert len(sentences) > len(pages) > 1
    for sentence in sentences:
        assert sentence["evidence"], sentence["text"]
        assert all(opens(client, place, place["quote"]) for place in sentence["evidence"])


def test_every_line_that_the_node_wrote_in_the_workspace_has_evidence(
    life: tuple[Node, FlaskClient, list[str]],
) -> None:
    node, _, _ = life
    written = 0
    for path in node.ports.reflections.paths():
        known = {
            each.mark: each for each in node.ports.reflections.lines(path) if each.struck_at is None
        }
        for line in own_lines((node.ports.home.workspace / path).read_text("utf-8")):
            places = node.reflection.places_of(known[line.mark].evidence)
            assert places, f"{path}: {line.body}"
            assert all(words.strip() for _, _, words in places)
            written += 1
    assert written > len(node.ports.reflections.paths()) > 3


def test_every_memory_opinion_and_report_opens(life: tuple[Node, FlaskClient, list[str]]) -> None:
    _, client, _ = life
    memories = client.get("/api/memories?limit=200").get_json()["items"]
    assert {"world", "opinion", "observation"} <= {each["kind"] for each in memories}
    for memory in memories:
        assert memory["source"].partition("#L")[2], memory
        assert memory["evidence"]
        assert all(opens(client, place, place["quote"]) for place in memory["evidence"])
    for opinion in client.get("/api/opinions").get_json()["items"]:
        assert all(
            opens(client, place, place["quote"])
            for place in [*opinion["supports"], *opinion["contradicts"]]
        )
    reports = [
        sentence
        for each in client.get("/api/graph").get_json()["communities"]
        for sentence in each["report"]
    ]
    assert reports
    assert all(
        each["text"] in each["content"] and opens(client, each, each["content"]) for each in reports
    )


def test_what_is_proposed_is_marked_as_inferred_until_it_is_kept(
    life: tuple[Node, FlaskClient, list[str]],
) -> None:
    _, client, _ = life
    proposed = client.get("/api/findings").get_json()["items"]
    inferred = [each for each in proposed if each["inferred"]]
    assert inferred
    assert all(each["kind"] == "passage" for each in inferred)
    stated = {each["id"] for each in client.get("/api/memories?limit=200").get_json()["items"]}
    kept = client.post(f"/api/findings/{inferred[0]['id']}", json={"decision": "keep"}).get_json()
    assert (kept["inferred"], kept["decision"]["verdict"]) == (False, "keep")
    assert {
        each["id"] for each in client.get("/api/memories?limit=200").get_json()["items"]
    } >= stated
    assert opens(client, inferred[0], inferred[0]["content"])
