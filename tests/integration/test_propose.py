"""What the node proposes of what was added, in a whole node: where it stands, and that what was
decided is not proposed again.
"""

from __future__ import annotations

from datetime import timedelta

from flask.testing import FlaskClient

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.proposals import PER_DOCUMENT, proposal_id, propose

MOVED = "Ottilie moved to Bergen in May 2021 and works at the harbour."
LETTER = (
    f"Dear Mai,\n\nthank you for your letter. {MOVED} How are you? It was so"
    " nice.\n\n五月に京都の工房を辞めた。\n\nBest wishes,"
)
OTHER = f"Notes from Tuesday\n\nSo it goes. {MOVED}"


def add(node: Node, text: str, title: str) -> Document:
    document = node.library.add_text(text, title=title).document
    node.run_jobs()
    return node.ports.documents.get(document.id)


def proposed(node: Node, document: Document) -> list[str]:
    return [
        each.text
        for each in propose(
            node.ports.files,
            document,
            node.ports.decisions.about([document.id]).get(document.id, []),
        )
    ]


def test_of_a_letter_its_facts_are_proposed_and_nothing_else(
    node: Node, client: FlaskClient
) -> None:
    letter = add(node, LETTER, "Letter")
    assert sorted(proposed(node, letter)) == sorted([MOVED, "五月に京都の工房を辞めた。"])
    items = client.get("/api/findings").get_json()["items"]
    assert {each["content"] for each in items} == set(proposed(node, letter))
    assert all(LETTER[each["start"] : each["end"]] == each["content"] for each in items)
    found = next(each for each in node.findings.findings() if each.text == MOVED)
    assert found.statement is None  # inferred: it is no statement before the person keeps it
    assert found.proposal is not None
    assert (found.proposal.kind, found.proposal.about[0]) == (StatementKind.WORLD, "Ottilie")


def test_of_a_document_that_speaks_of_nobody_nothing_is_found(
    node: Node, frozen_clock: FrozenClock
) -> None:
    add(node, LETTER, "Letter")
    frozen_clock.advance(timedelta(minutes=1))
    add(
        node,
        "Nobody knew how old the wood was, which is of the kind that one finds everywhere.",
        "Wood",
    )
    assert {each.document.title for each in node.findings.findings()} == {"Letter"}


def test_what_was_forgotten_or_mended_is_not_proposed_again_in_this_document_or_another(
    node: Node, client: FlaskClient
) -> None:
    letter = add(node, LETTER, "Letter")
    finding = next(each for each in node.findings.findings() if each.text == MOVED)
    client.post(f"/api/findings/{finding.id}", json={"decision": "forget"})
    assert MOVED not in proposed(node, letter)
    add(node, OTHER, "Notes")
    assert MOVED not in [
        each.text for each in node.findings.findings() if each.proposal is not None
    ]
    client.delete(f"/api/findings/{finding.id}")
    assert MOVED in proposed(node, letter)
    node.memory.decide(
        node.memory.judged(finding.id, Verdict.MEND, "Ottilie moved to Oslo in May 2021.")
    )
    node.run_jobs()
    assert MOVED not in [
        each.text for each in node.findings.findings() if each.proposal is not None
    ]


def test_a_decision_about_a_part_settles_the_sentence(node: Node, client: FlaskClient) -> None:
    letter = add(node, LETTER, "Letter")
    start = LETTER.index("in May 2021")
    judged = {
        "document": letter.id,
        "start": start,
        "end": start + len("in May 2021"),
        "decision": "forget",
    }
    assert client.post("/api/findings", json=judged).status_code == 200
    assert proposed(node, letter) == ["五月に京都の工房を辞めた。"]


def test_a_long_text_proposes_a_few_of_each_page_and_keeps_their_names(node: Node) -> None:
    text = "\n\n".join(
        f"Ottilie bought {i} violins in Bergen in May {1900 + i}." for i in range(2, 120)
    )
    document = add(node, text, "Ledger")
    first = propose(node.ports.files, document)
    assert len(first) == PER_DOCUMENT
    names = [proposal_id(each) for each in first]
    assert names == [proposal_id(each) for each in propose(node.ports.files, document)]
    assert len(set(names)) == PER_DOCUMENT
