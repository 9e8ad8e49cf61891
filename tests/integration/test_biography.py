"""Who somebody is, from a home whose documents say it only by the way."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.config import Home
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.L1.answering.perspective import GrammaticalPerson
from lpm_kernel.node import Node

pytestmark = pytest.mark.integration

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)
LIFE = {
    "2024-02-03 garden.md": "Rain. My brother Colm rang about the roof, and I said no.",
    "2024-03-05 Riaan.md": "Riaan: Are you home?\nAda: Not before six.\nRiaan: Right.",
    "2024-06-05 Riaan.md": "Riaan: Camera 2 is down.\nAda: I know.\nRiaan: Since Friday.",
    "2024-07-01 Your application.md": (
        "Dear Ada Moe, we would like to offer you the post of Driver Trainer, starting on 22 July."
        " Please sign the form.\n\nP. Sand, Personnel"
    ),
    "2024-07-02 A question.md": "Dear Sir, my sister Beth wants a room.\n\nRegards,\nJohn Pell",
    "2024-07-03 Offer to Nora.md": (
        "Dear Nora, we would like to offer you the post of Cook, starting on 2 August."
    ),
}


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(
        Home(tmp_path), clock=FrozenClock(NOW), embedder=HashingEmbedder(), communities="louvain"
    ) as here:
        here.ports.conversations.set_identity(Identity("Ada Moe", languages=("en",)))
        for name, text in LIFE.items():
            here.library.add_bytes(name, text.encode())
        here.run_jobs()
        yield here


def told(node: Node, person: str = "first") -> list[str]:
    node.reflection.reflect()
    node.run_jobs()
    known = node.reflection.biography(GrammaticalPerson(person))
    assert all(sentence.evidence for sentence in known.sentences)
    return [sentence.text for sentence in known.sentences]


def test_what_documents_say_by_the_way_is_told_in_sentences_that_stand_alone(node: Node) -> None:
    assert told(node) == [
        "My brother is called Colm.",
        "In July 2024 I was offered work as Driver Trainer.",
        "I have been in touch with Riaan.",
    ]


def test_it_is_told_in_every_person(node: Node) -> None:
    assert told(node, "second") == [
        "Your brother is called Colm.",
        "In July 2024 you were offered work as Driver Trainer.",
        "You have been in touch with Riaan.",
    ]
    assert told(node, "third") == [
        "Ada Moe's brother is called Colm.",
        "In July 2024 Ada Moe was offered work as Driver Trainer.",
        "Ada Moe has been in touch with Riaan.",
    ]


def test_nothing_is_told_of_what_is_private(tmp_path: Path) -> None:
    with Node(
        Home(tmp_path), clock=FrozenClock(NOW), embedder=HashingEmbedder(), communities="louvain"
    ) as node:
        node.ports.conversations.set_identity(Identity("Ada Moe"))
        for name, text in LIFE.items():
            node.library.add_bytes(name, text.encode(), private=True)
        node.run_jobs()
        assert told(node) == []


def test_a_home_without_a_name_tells_only_what_needs_none(tmp_path: Path) -> None:
    with Node(
        Home(tmp_path), clock=FrozenClock(NOW), embedder=HashingEmbedder(), communities="louvain"
    ) as node:
        for name, text in LIFE.items():
            node.library.add_bytes(name, text.encode())
        node.run_jobs()
        assert told(node) == ["My brother is called Colm."]
        node.ports.conversations.set_identity(Identity("Ada Moe"))
        node.reflection.reflect(since=datetime(2000, 1, 1, tzinfo=UTC))
        known = node.reflection.biography(GrammaticalPerson.FIRST)
        assert len(known.sentences) == 3, "it is read again for the name"
