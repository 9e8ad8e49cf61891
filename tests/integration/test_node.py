"""The node as a library: no web, no network, an index that can be thrown away."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.recall import Level
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.library.documents import DocumentState
from lpm_kernel.L1.answering.answer import Ended
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.ask import SingleQuestion, ask
from lpm_kernel.usecases.chat.recall_options import RecallOptions
from lpm_kernel.usecases.library.documents import reindex
from tests.lives import SAMPLE

if TYPE_CHECKING:
    from lpm_kernel.domain.ports import Vectors

QUESTIONS = (
    "When did I move the workshop?",
    "oil varnish on the cello",
    "豆腐",
    "工房を寺町に移したのはいつ？",
    "Who painted the sign?",
    "Ren",
)


def add_life(node: Node) -> None:
    for path in sorted((SAMPLE / "memory").glob("*.md")) + sorted((SAMPLE / "chats").glob("*.txt")):
        node.library.add_bytes(path.name, path.read_bytes())
    node.run_jobs()


def answers(node: Node) -> list[list[tuple[str, str]]]:
    return [
        [(item.chunk.id, item.chunk.text) for item in node.memory.recall(question, k=10).items]
        for question in QUESTIONS
    ]


def test_a_deleted_index_is_made_again_and_answers_the_same(home: Path) -> None:
    with Node.open(home, embedder=HashingEmbedder()) as node:
        add_life(node)
        before = answers(node)
        assert all(before)
    for path in home.glob("index.db*"):
        path.unlink()
    with Node.open(home, embedder=HashingEmbedder()) as node:
        assert node.ports.index.fresh
        assert node.reconcile() > 0
        node.run_jobs()
        assert answers(node) == before
        reindex(node.ports.documents, node.ports.jobs, node.ports.clock)
        node.run_jobs()
        assert answers(node) == before


def test_words_alone_find_and_say_so(home: Path) -> None:
    with Node.open(home, embedder=None) as node:
        node.ports.change_settings(embedder="none")
        add_life(node)
        found = node.memory.recall("When did I move the workshop?")
        assert found.level is Level.WORDS
        assert any("6 April 2024" in item.chunk.text for item in found.items[:5])


def test_a_home_without_an_embedder_catches_up_when_one_comes(home: Path) -> None:
    with Node.open(home) as node:
        node.ports.change_settings(embedder="none")
        node.library.add_text("The cello is of 1911.")
        node.run_jobs()
    with Node.open(home, embedder=HashingEmbedder()) as node:
        assert node.reconcile() == 1
        node.run_jobs()
        assert node.memory.recall("cello").level is Level.VECTORS
        assert node.reconcile() == 0


def test_rows_of_documents_that_are_gone_are_swept(node: Node) -> None:
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    (document,) = node.ports.documents.all()
    node.ports.documents.delete(document.id)  # and killed before the index was told
    node.reconcile()
    assert node.memory.recall("cello").items == ()


def test_files_without_a_document_are_swept_and_added_again_is_kept(node: Node) -> None:
    received = node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    node.ports.documents.delete(received.document.id)  # and killed before the files went
    assert node.ports.files.kept()
    node.reconcile()
    assert not node.ports.files.kept()
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    assert node.memory.recall("cello").items


def test_privacy_that_is_set_while_a_document_is_read_stays(node: Node) -> None:
    received = node.library.add_bytes("2025-08-30.md", b"# Heading\n\nThe cello is of 1911.")

    def meanwhile(_share: float, step: str, _message: str) -> None:
        if step == "chunk":
            node.ports.documents.change(received.document.id, private=True, tags=["mine"])

    node.library.ingest(received.document.id, meanwhile)
    known = node.ports.documents.get(received.document.id)
    assert (known.title, known.private, known.tags) == ("Heading", True, ("mine",))
    assert node.memory.recall("cello", options=RecallOptions(include_private=False)).items == ()


def test_an_index_deleted_under_a_running_node_is_noticed(node: Node) -> None:
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    assert node.memory.recall("cello").items
    for path in node.ports.home.root.glob("index.db*"):
        path.unlink()
    node.reconcile()
    node.run_jobs()
    assert node.memory.recall("cello").items


def test_a_cancelled_reading_stays_cancelled(node: Node) -> None:
    received = node.library.add_text("The cello is of 1911.")
    assert received.job is not None
    node.ports.jobs.cancel(received.job.id, node.ports.clock.now())
    assert node.reconcile() == 0


def test_one_bad_document_does_not_stop_the_rest(node: Node) -> None:
    node.library.add_bytes("broken.pdf", b"%PDF-1.4 cut")
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    assert {document.state for document in node.ports.documents.all()} == {
        DocumentState.FAILED,
        DocumentState.READY,
    }
    assert {job.state for job in node.ports.jobs.page(limit=9)[0]} == {
        JobState.FAILED,
        JobState.SUCCEEDED,
    }


def test_embedding_is_not_done_twice(home: Path) -> None:
    counted = _Counting()
    with Node.open(home, embedder=counted) as node:
        node.library.add_text("The cello is of 1911.")
        node.run_jobs()
        reindex(node.ports.documents, node.ports.jobs, node.ports.clock)
        node.run_jobs()
    assert counted.texts == 1


class _Counting(HashingEmbedder):
    """The hashing twin, counting what it is asked."""

    texts = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return super().embed(texts)


@pytest.mark.parametrize(
    "question",
    ["", " ", "?", "the", "😀", '"', "NEAR(a b)", "a* OR b^", "-", "の", "x" * 50_000, "雨" * 5000],
)
def test_no_question_is_an_error(node: Node, question: str) -> None:
    node.library.add_text("The cello is of 1911. 雨だった。")
    node.run_jobs()
    node.memory.recall(question)


def test_the_library_imports_without_a_web_package() -> None:
    code = (
        "import sys, lpm_kernel.node; print(sorted(set(sys.modules) & {'flask', 'flask_openapi3',"
        " 'waitress', 'werkzeug', 'openai', 'llama_cpp', 'onnxruntime', 'torch', 'graphrag',"
        " 'alembic'}))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


@pytest.mark.usefixtures("socket_disabled")
def test_adding_finding_and_answering_need_no_network(node: Node, scripted: ScriptedModel) -> None:
    scripted.script = ScriptedModel([("cello", "The cello is of 1911.")]).script
    node.library.add_text("The cello is of 1911.")
    node.run_jobs()
    assert node.memory.recall("How old is the cello?").items
    told = list(
        ask(
            node.chat.speaks(None, owner=True),
            node.ports.conversations.identity(),
            SingleQuestion("Of which year is the cello?"),
        )
    )
    assert isinstance(told[-1], Ended)
    assert told[-1].citations
