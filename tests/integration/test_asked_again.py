"""A question that is asked again is not embedded again, whoever of the node's own voices asks; what
was asked is gone with an erasure, and a change is seen at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Conversation, Identity
from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.ids import ConversationId
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.node import Node

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors

pytestmark = pytest.mark.integration

QUESTION = "Where does the kingfisher keep its ledger?"


class Noting(HashingEmbedder):
    """The hashing twin, which notes what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.given += texts
        return super().embed(texts)


@pytest.fixture
def embedder() -> Noting:
    return Noting()


@pytest.fixture
def asked(
    home: Path, frozen_clock: FrozenClock, scripted: ScriptedModel, embedder: Noting
) -> Iterator[Node]:
    with Node.open(home, clock=frozen_clock, model=scripted, embedder=embedder) as opened:
        opened.library.add_text("The kingfisher keeps its ledger under the stair.", title="Stair")
        opened.library.add_text("My diary: the ledger is a lie.", title="Own", private=True)
        opened.run_jobs()
        yield opened


def times(embedder: Noting) -> int:
    return embedder.given.count(QUESTION)


def test_whoever_asks_it_is_embedded_once(asked: Node, embedder: Noting) -> None:
    first = asked.memory.recall(QUESTION)
    assert first.items
    assert asked.memory.recall(QUESTION) == first
    for owner in (True, False):
        asked.memory.memory_for(owner=owner).recall(RecallQuery(Question(QUESTION)))
    assert times(embedder) == 1


def test_what_is_found_changes_at_once_with_what_is_there(asked: Node, embedder: Noting) -> None:
    before = asked.memory.recall(QUESTION)
    asked.library.add_text("The kingfisher keeps a second ledger in the attic.", title="Attic")
    asked.run_jobs()
    after = asked.memory.recall(QUESTION)
    assert len(after.items) == len(before.items) + 1
    assert times(embedder) == 1


def test_another_embedder_is_asked_anew(asked: Node, embedder: Noting) -> None:
    asked.memory.recall(QUESTION)
    other = Noting()
    other.id = "another/1"
    object.__setattr__(asked.models.given, "embedder", other)
    asked.memory.recall(QUESTION)
    assert (times(embedder), times(other)) == (1, 1)


def test_a_stranger_cannot_tell_by_the_time_what_was_asked(asked: Node, embedder: Noting) -> None:
    whole = asked.memory.whole_recall
    query = RecallQuery(Question(QUESTION), scope=Scope())
    whole(query)
    granted = whole.only(whole.rows_of([each.id for each in asked.ports.documents.all()]), {})
    for _ in range(2):
        granted(query)
    assert times(embedder) == 3


def test_an_erasure_takes_what_was_asked(asked: Node, embedder: Noting) -> None:
    asked.memory.recall(QUESTION)
    kept = asked.memory.whole_recall._asked._kept
    assert len(kept) == 1
    chat = ConversationId("c_1")
    now = asked.ports.clock.now()
    asked.ports.conversations.start(Conversation(chat, QUESTION, now, now))
    asked.home.confirm_erasure(asked.home.propose_erasure([], [chat]).token)
    assert len(kept) == 0
    asked.memory.recall(QUESTION)  # asked again before the worker has done the rest
    assert len(kept) == 1
    asked.run_jobs()
    assert len(kept) == 0
    assert times(embedder) == 2


def test_another_name_is_seen_at_once(asked: Node) -> None:
    """The identity is read where it lies: a look costs no more than asking whether it changed."""
    conversations = asked.ports.conversations
    with Node.open(asked.ports.home.root, embedder=HashingEmbedder()) as other:
        for name in ("Nagi", "Nagi Sorrel"):
            other.ports.conversations.set_identity(Identity(name=name))
            assert conversations.identity().name == name
