"""One vocabulary of numbers: documents, passages, suggestions, memories and pages mean the same
wherever they stand, and what is kept counts at once.
"""

from __future__ import annotations

import json
from typing import Any

from flask.testing import FlaskClient
from typer.testing import CliRunner

from lpm_kernel.cli import app
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.memories import MemoryFilter
from lpm_kernel.node import Node
from lpm_kernel.usecases.training.material import material
from tests.integration.test_node import add_life

MENDED = "The ferry to the island leaves at seven since the spring."


def got(client: FlaskClient, path: str) -> Any:  # noqa: ANN401 - what JSON says
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def listed(client: FlaskClient, path: str) -> int:
    """Count what a list holds, page by page."""
    found, cursor = 0, ""
    while True:
        page = got(
            client,
            f"{path}{'&' if '?' in path else '?'}limit=100{f'&cursor={cursor}' if cursor else ''}",
        )
        found, cursor = found + len(page["items"]), page.get("next_cursor") or ""
        if not cursor:
            return found


def learned(node: Node) -> list[str]:
    return [each.text for each in material(node.training.training_ports, private=True).taught]


def everywhere(node: Node, client: FlaskClient) -> dict[str, int]:
    """Read each number in every place that shows it, and give it where they agree."""
    status = got(client, "/api/status")
    said = json.loads(CliRunner().invoke(app, ["status", "--json"]).stdout)
    index = next(
        each["sentence"] for each in got(client, "/api/health")["checks"] if each["id"] == "index"
    )
    told = {
        "documents": {
            status["documents"],
            said["documents"],
            got(client, "/api/documents/counts")["total"],
            listed(client, "/api/documents"),
            int(index.split()[0]),
        },
        "passages": {status["chunks"], said["passages"], int(index.split()[2].replace(",", ""))},
        "memories": {
            status["memories"],
            said["memories"],
            listed(client, "/api/memories"),
            len(learned(node)),
        },
        "pages": {
            status["pages"],
            said["pages"],
            got(client, "/api/documents/counts?made_by=node")["total"],
            listed(client, "/api/documents?made_by=node"),
        },
        "suggestions": {got(client, "/api/findings")["total"], listed(client, "/api/findings")},
    }
    assert all(len(each) == 1 for each in told.values()), told
    return {name: each.pop() for name, each in told.items()}


def test_every_place_agrees_and_what_is_kept_counts_at_once(
    node: Node, client: FlaskClient
) -> None:
    add_life(node)
    before = everywhere(node, client)
    assert before["documents"] > 0
    assert before["suggestions"] > 7
    chosen = [each for each in node.findings.findings() if each.proposal is not None][:5]
    for each in chosen[:4]:
        assert client.post(f"/api/findings/{each.id}", json={"decision": "keep"}).status_code == 200
    kept = everywhere(node, client)
    assert kept == {
        **before,
        "memories": before["memories"] + 4,
        "suggestions": kept["suggestions"],
    }
    assert not {each.id for each in chosen[:4]} & {each.id for each in node.findings.findings()}
    assert {" ".join(each.text.split()) for each in chosen[:4]} <= set(learned(node))

    client.post(f"/api/findings/{chosen[4].id}", json={"decision": "mend", "content": MENDED})
    node.run_jobs()
    mended = everywhere(node, client)
    assert (mended["documents"], mended["memories"]) == (
        before["documents"],
        before["memories"] + 5,
    )
    assert MENDED in learned(node)
    assert MENDED in {each["content"] for each in got(client, "/api/memories?limit=100")["items"]}

    client.delete(f"/api/findings/{chosen[4].id}")
    client.delete(f"/api/findings/{chosen[0].id}")
    back = everywhere(node, client)
    assert (back["documents"], back["memories"]) == (before["documents"], before["memories"] + 3)


def test_what_was_kept_stays_one_memory_when_it_is_read_anew_and_goes_with_its_document(
    node: Node,
) -> None:
    add_life(node)
    found = next(
        each
        for each in node.findings.findings()
        if each.proposal is not None and not each.document.private
    )
    node.memory.decide(node.memory.judged(found.id, Verdict.KEEP))
    (kept,) = [
        each
        for each in node.ports.memories.page(MemoryFilter(), limit=500)[0]
        if each.document == found.document.id and each.start == found.start
    ]
    assert kept.statement.kind is (found.proposal.kind if found.proposal else None)
    node.workspace.remember_kept()
    node.library.ingest(found.document.id, lambda *_: None)
    assert node.ports.memories.history(kept.memory) == [kept]
    count = node.ports.memories.count()
    node.ports.documents.delete(found.document.id)
    assert node.ports.memories.count() < count


def test_the_pages_that_the_node_writes_are_not_listed_as_documents(
    node: Node, client: FlaskClient
) -> None:
    add_life(node)
    documents = got(client, "/api/documents/counts")["total"]
    node.reflection.reflect()
    node.run_jobs()
    assert got(client, "/api/documents/counts")["total"] == documents
    pages = got(client, "/api/documents?made_by=node&limit=100")["items"]
    assert pages
    assert not {each["id"] for each in pages} & {
        each["id"] for each in got(client, "/api/documents?limit=100")["items"]
    }


def test_what_is_decided_is_one_suggestion_less_and_brings_no_sentences_that_state_nothing(
    node: Node,
) -> None:
    node.library.add_text(
        "I moved the workshop to Teramachi on 6 April 2024. The rooms there are high. The stove is"
        " of iron. Rain falls on the roof of the shed.",
        title="Rooms",
    )
    node.run_jobs()
    while found := [each for each in node.findings.findings() if each.proposal is not None]:
        before = len(node.findings.findings())
        node.memory.decide(node.memory.judged(found[0].id, Verdict.KEEP))
        assert len(node.findings.findings()) < before
    assert node.findings.findings() == []
