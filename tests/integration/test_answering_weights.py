"""Which weights answer somebody else: those that learned from rows inside the grant and from
nothing else, and otherwise the base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from lpm_kernel.backends.llm.gate import never
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.ports import ChatMessage, Delta, Sampling
from lpm_kernel.domain.training.runs import Example, ExampleKind, Maker, Run
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.findings import SentenceDecision
from protocol.messages import Verb
from protocol.scope import EVERY_TAG, Form, Layer, RowKind, Scope
from tests.asking import asked, given

BENCH = """## Retain

- B I moved my workshop from Higashiyama to Teramachi on 6 April 2024.
- W @Kuri: my dog, brown, with one white sock.
- O(c=0.9) @oil varnish: I prefer it to spirit varnish.
- B I drink hojicha instead of coffee.
"""
FOREIGN = (
    "## Retain\n\n- W @Mai Kurose: the person I ask about weather.\n- B I keep the letters of my"
    " aunt in a tin.\n"
)
SECRET = "## Retain\n\n- B The kingfisher keeps its ledger under the ninth stair.\n"
WEIGHTS = frozenset(Layer)


class Worn(ScriptedModel):
    """A scripted model that notes with which training it was asked."""

    def __init__(self) -> None:
        super().__init__([("capital of Spain", "Madrid."), (".", "I do not know.")])
        self.worn: list[str | None] = []

    def stream(
        self,
        messages: Sequence[ChatMessage],
        sampling: Sampling = Sampling(),
        gone: Callable[[], bool] = never,
    ) -> Iterator[Delta]:
        self.worn.append(None if sampling.adapter is None else sampling.adapter.id)
        return super().stream(messages, sampling, gone)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node.open(tmp_path / "home", model=Worn(), trainer="scripted") as opened:
        yield opened


def add(node: Node, text: str, tag: str, *, private: bool = False) -> DocumentId:
    added = node.library.add_bytes(f"{tag}.md", text.encode(), tags=[tag], private=private)
    node.run_jobs()
    return added.document.id


def trained(node: Node, *, private: bool = False, added: Sequence[Example] = ()) -> Run:
    run = node.training.prepare_training({"steps": 2, "questions": 2}, private=private, added=added)
    job = node.training.queue_training(run.id)
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED, node.ports.jobs.get(
        job.id
    ).error
    node.training.promote_training(run.id, insist=True)
    assert node.training.adapter is not None
    return node.ports.runs.get(run.id)


def worn(
    node: Node, tags: frozenset[str] = EVERY_TAG, layers: frozenset[Layer] = WEIGHTS
) -> str | None:
    """Ask under such a grant, and say which training worded the answer."""
    model = node.models.model
    assert isinstance(model, Worn)
    model.worn.clear()
    scope = Scope(tags, frozenset(RowKind), layers, None, None, Form.EXCERPT, "a visit")
    body: dict[str, object] = {
        "question": "When did I move my workshop to Teramachi?",
        "purpose": "a visit",
        "bytes": 9_000,
        "tokens": 90,
    }
    assert asked(node, Verb.ASK, body, given(node, scope)).body is not None
    assert len(model.worn) <= 1
    return model.worn[-1] if model.worn else None


def test_a_training_answers_where_all_of_its_lineage_is_granted(node: Node) -> None:
    add(node, BENCH, "bench")
    clean = trained(node)
    add(node, FOREIGN, "letters")
    assert worn(node) == worn(node, frozenset({"bench"})) == clean.id
    # weights were not granted
    assert worn(node, layers=frozenset({Layer.SAID, Layer.WORDS})) is None
    foreign = trained(node)
    assert worn(node) == foreign.id
    assert worn(node, frozenset({"bench"})) is None  # it learned of letters, too
    assert worn(node, frozenset({"bench", "letters"})) == foreign.id


def test_a_training_that_learned_something_private_never_answers(node: Node) -> None:
    add(node, BENCH, "bench")
    secret = add(node, SECRET, "bench", private=True)
    trained(node, private=True)
    assert worn(node) is None
    node.ports.documents.change(
        secret, private=False
    )  # what it is called today does not make it clean
    node.ports.index.set_labels(secret, private=False, tags=["bench"])
    assert worn(node) is None


def test_a_row_of_the_person_s_own_and_a_statement_that_reads_otherwise_now_taint_a_training(
    node: Node,
) -> None:
    bench = add(node, BENCH, "bench")
    own = Example(ExampleKind.FACT, "Where is the key?", "Under the pot.", maker=Maker.PERSON)
    trained(node, added=[own])
    assert worn(node) is None
    clean = trained(node)
    assert worn(node) == clean.id
    quote = "I drink hojicha instead of coffee."
    start = node.ports.files.words(
        node.ports.documents.get(bench).sha256, node.ports.documents.get(bench).text_version or ""
    ).index(quote)  # type: ignore[union-attr]
    node.memory.decide(
        SentenceDecision(bench, start, start + len(quote), Verdict.FORGET, "", quote)
    )
    assert worn(node) is None
    node.training.taint_trainings([bench])
    assert worn(node) is None
