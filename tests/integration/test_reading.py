"""A model that reads, in the node: passages are ranked anew and sentences chosen by what it says,
and without it everything goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.embed.reading import LiteralReader
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.models.reading import TextReading
from lpm_kernel.errors import ReaderUnavailableError
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import evidence_for
from lpm_kernel.L1.answering.reranking import RERANKED
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.findings import SentenceDecision

pytestmark = pytest.mark.integration

NOTES = {
    "2024-05-01.md": "The ladder of the ladder shop is for ladder people. No ladder today.",
    "2024-05-03.md": "Mai lent me hers on Sunday, and I painted the gutter.",
    "2024-05-04.md": "It rained all day. We stayed in with soup.",
}
QUESTION = "From whom did I borrow the ladder?"


class Noting(LiteralReader):
    """Notes what it is given to read."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:
        self.given += texts
        return super().read(question, texts)


class Knowing(LiteralReader):
    """Knows one passage that answers, and can fall silent."""

    silent = False

    def read(self, question: str, texts: Sequence[str]) -> list[TextReading]:
        if self.silent:
            raise ReaderUnavailableError("It is not there.")
        return [
            TextReading(
                9.0 if "Mai lent" in text else -9.0, 0.0, found.spans, found.begins, found.ends
            )
            for text, found in zip(texts, super().read(question, texts), strict=True)
        ]


@pytest.fixture
def knowing() -> Knowing:
    return Knowing()


@pytest.fixture
def client(home: Path, frozen_clock: FrozenClock, knowing: Knowing) -> Iterator[FlaskClient]:
    with Node.open(
        home,
        clock=frozen_clock,
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
        reader=knowing,
    ) as node:
        for name, text in NOTES.items():
            node.library.add_bytes(name, text.encode())
        node.run_jobs()
        browser = create_app(node).test_client()
        token = node.ports.home.secret("api-token")
        browser.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        yield browser


def first(client: FlaskClient, *, rerank: bool) -> str:
    found = client.post("/api/recall", json={"query": QUESTION, "k": 3, "rerank": rerank}).json
    assert found is not None
    content: str = found["items"][0]["content"]
    return content


def test_recall_is_ranked_anew_where_that_is_asked_for(client: FlaskClient) -> None:
    assert "ladder shop" in first(client, rerank=False)
    assert "Mai lent" in first(client, rerank=True)


def test_a_reader_that_falls_silent_leaves_the_order_that_recall_had(
    client: FlaskClient, knowing: Knowing
) -> None:
    knowing.silent = True
    assert first(client, rerank=True) == first(client, rerank=False)


def test_a_chat_quotes_what_the_reader_takes_for_the_answer(client: FlaskClient) -> None:
    made = client.post("/api/conversations", json={}).json
    assert made is not None
    told = client.post(f"/api/conversations/{made['id']}/turns", json={"text": QUESTION})
    assert "Mai lent me hers on Sunday" in told.get_data(as_text=True)


def test_without_its_weights_the_node_answers_as_before_and_says_what_is_missing(
    home: Path, frozen_clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> Path:
        raise ReaderUnavailableError("The weights are not installed.", "Run `make setup` again.")

    monkeypatch.setattr("lpm_kernel.backends.embed.e5.reader.bundled_file", gone)
    with Node.open(home, clock=frozen_clock, model=ScriptedModel()) as node:
        node.library.add_bytes("note.md", b"Mai lent me the ladder on Sunday.")
        node.run_jobs()
        found = node.memory.recall_query(evidence_for(Question("Who lent me the ladder?")))
        assert [item.chunk.text for item in found.items] == ["Mai lent me the ladder on Sunday."]
        state = node.models.reader_state()
        assert state is not None
        assert (state.state, "not installed" in state.sentence) == ("down", True)


def test_a_correction_comes_before_what_it_corrects_and_what_is_forgotten_is_not_read(
    home: Path, frozen_clock: FrozenClock
) -> None:
    reads = Noting()
    chat = "\n".join(
        f'{{"id": "{n}", "text": "{text}", "speaker": "{who}", "session": "s"}}'
        for n, (who, text) in enumerate(
            [("Lin", "Do you still have diabetes?"), ("Mai", "Yes, since March."), ("Lin", "Oh.")]
        )
    )
    with Node.open(
        home,
        clock=frozen_clock,
        model=ScriptedModel(),
        embedder=HashingEmbedder(),
        reader=reads,
    ) as node:
        node.library.add_bytes("chat.jsonl", (chat + "\n").encode())
        node.library.add_bytes("a.md", b"The fair is on 3 May. Mai runs the fair on her own.")
        for n in range(RERANKED):
            node.library.add_bytes(f"n{n}.md", f"Mai runs the fair on day {n}.".encode())
        node.run_jobs()
        for name, quote, right in (
            ("chat.jsonl", "Do you still have diabetes?", ""),
            ("a.md", "The fair is on 3 May.", "It is on 9 July."),
        ):
            known = next(each for each in node.ports.documents.all() if each.name == name)
            words = node.ports.files.words(known.sha256, known.text_version or "") or ""
            start = words.index(quote)
            verdict = Verdict.MEND if right else Verdict.FORGET
            end = start + len(quote)
            node.memory.decide(SentenceDecision(known.id, start, end, verdict, right, quote))
        node.run_jobs()
        node.memory.recall_query(evidence_for(Question("Since when, Mai? In March?")))
        asked = Question("Who runs the fair on 3 May on her own?")
        found = node.memory.recall_query(evidence_for(asked)).items
    assert reads.given
    assert not any("diabetes" in text for text in reads.given)
    texts = [item.text for item in found]
    assert next(n for n, text in enumerate(texts) if "9 July" in text) < next(
        (n for n, text in enumerate(texts) if "on her own" in text), len(texts)
    )
