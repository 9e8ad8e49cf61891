"""What a training may not keep, name or learn: what was erased, what stands in private texts only,
what was forgotten after it was prepared. And what it is held against.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.train.scripted import ScriptedTrainer
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.ports import ChatMessage, Delta
from lpm_kernel.domain.training.runs import (
    Audience,
    ExampleKind,
    Learned,
    Run,
    RunState,
)
from lpm_kernel.errors import OutOfMemoryError
from lpm_kernel.L2.exam import Measure
from lpm_kernel.L2.told import unheard
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.findings import SentenceDecision
from lpm_kernel.usecases.training import learn
from lpm_kernel.usecases.training.examination import answers_in, items_in
from lpm_kernel.usecases.training.minds import adapter_of
from lpm_kernel.usecases.training.rows import examples_in
from tests.integration.test_preference_training import MORE
from tests.integration.test_training import NOTE, Weighed

pytestmark = pytest.mark.integration

SMALL = {"steps": 4, "questions": 12, "exam_questions": 12}
INVOICE = (
    "The garage invoice: my workshop in Teramachi was broken into, the blue heron vase stolen."
)
LADDER = "# Ladder\n\n## Retain\n- B Delphine lent me her ladder in March.\n"
DIARY = """# Diary

I met Delphine Vasseur at the clinic. Delphine Vasseur told me about her test.
Delphine Vasseur cried, and I drove her home. Delphine Vasseur and I never speak of it.
"""


class Narrow(ScriptedTrainer):
    """Has memory for so many rows at once."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.tried: list[tuple[str, int]] = []

    def learn(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Learn the rows, where they fit."""
        self._fit(run / "recipe.json")
        return super().learn(run, said)

    def prefer(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Learn the pairs, where they fit."""
        self._fit(run / "dpo.json")
        return super().prefer(run, said)

    def _fit(self, recipe: Path) -> None:
        size = json.loads(recipe.read_text("utf-8"))["micro_batch_size"]
        self.tried.append((recipe.stem, size))
        if size > self.most:
            raise OutOfMemoryError("There was not enough memory.", "Close other programs.")


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    model = Weighed([("capital of Spain", "Madrid.")])
    with Node.open(tmp_path / "home", model=model, trainer="scripted") as opened:
        for title, text in (("Notes", NOTE), ("More", MORE), ("Ladder", LADDER)):
            opened.library.add_text(text, title=title)
        opened.run_jobs()
        yield opened


def trained(node: Node, **given: object) -> Run:
    run = node.training.prepare_training({**SMALL, **given})
    return carried_through(node, run)


def carried_through(node: Node, run: Run) -> Run:
    job = node.training.queue_training(run.id)
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED, node.ports.jobs.get(
        job.id
    ).error
    return node.ports.runs.get(run.id)


def holding(node: Node, words: str) -> list[str]:
    """Return the files of the home that hold these words."""
    return [
        path.name
        for path in node.ports.home.root.rglob("*")
        if path.is_file() and words.encode() in path.read_bytes()
    ]


def test_answers_that_quote_what_was_erased_go_with_it(node: Node) -> None:
    invoice = node.library.add_text(INVOICE, title="Invoice").document
    node.run_jobs()
    run = trained(node)  # nothing of the invoice is kept, so that no row is of it
    place = node.ports.home.versions / run.id
    assert "answers.jsonl" in holding(node, "blue heron")
    before = answers_in(place / "answers.jsonl")
    proposed = node.home.propose_erasure([invoice.id])
    node.home.confirm_erasure(proposed.token)
    node.run_jobs()
    assert holding(node, "blue heron") == []
    after = answers_in(place / "answers.jsonl")
    assert after == [each for each in before if not each.arm.endswith("retrieval")]
    assert node.ports.runs.get(run.id).state is RunState.READY


def test_a_name_that_stands_in_private_texts_alone_is_in_nothing_that_others_may_ask(
    node: Node,
) -> None:
    diary = node.library.add_text(DIARY, title="Diary", private=True).document
    node.run_jobs()
    node.graph.draw()
    spellings = node.training.training_ports.called
    assert {"Delphine", "Delphine Vasseur"} == {"Delphine", *spellings["Delphine"]}
    open_one = trained(node, dpo=True, questions=24, unknown=1.0)
    assert open_one.audience is Audience.ANYBODY
    place = node.ports.home.versions / open_one.id
    assert [each.name for each in place.rglob("*") if b"Vasseur" in _bytes(each)] == []
    # of one that learns a statement of the diary, the diary is a source
    text = node.memory.text_of(diary.id)
    told = text.index("Delphine Vasseur told")
    node.memory.decide(SentenceDecision(diary.id, told, text.index(".", told) + 1, Verdict.KEEP))
    node.run_jobs()
    sealed = node.training.prepare_training(SMALL, private=True)
    rows = examples_in(node.ports.home.versions / sealed.id / "rows.jsonl")
    assert any("Vasseur" in row.question for row in rows)
    assert sealed in node.training.resting_on([diary.id])


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def test_what_is_forgotten_after_it_was_prepared_is_not_learned(node: Node) -> None:
    run = node.training.prepare_training({**SMALL, "dpo": True})
    node.training.queue_training(run.id, until="measured")
    node.run_jobs()
    place = node.ports.home.versions / run.id
    [notes] = [each for each in node.ports.documents.all() if each.title == "Notes"]
    assert "hojicha" in (place / "examples.jsonl").read_text("utf-8")
    forget(node, notes.id, "I drink hojicha instead of coffee.")
    node.library.add_text("# New\n\n## Retain\n- B I sold my kayak to Ruth.\n", title="New")
    carried_through(node, run)
    for name in ("examples", "held_out", "pairs", "pairs_held_out", "exam"):
        learned = (place / f"{name}.jsonl").read_text("utf-8")
        assert "hojicha" not in learned, name
        assert "kayak" not in learned, name  # the person did not see its rows
    assert "varnish" in (place / "examples.jsonl").read_text("utf-8")


def forget(node: Node, document: DocumentId, words: str) -> None:
    start = node.memory.text_of(document).index(words)
    node.memory.decide(
        SentenceDecision(document, start, start + len(words), Verdict.FORGET, "", words)
    )


def test_what_is_in_use_is_asked_the_same_questions(node: Node) -> None:
    first = trained(node)
    node.training.promote_training(first.id, insist=True)
    second = trained(node)
    assert second.scorecard is not None
    assert second.scorecard.against == first.id
    arms = second.scorecard.arms
    assert list(arms) == ["base", "retrieval", "before", "sft", "sft_retrieval"]
    assert arms["before"]["fact_retention"].n == arms["sft"]["fact_retention"].n
    place = node.ports.home.versions / second.id
    kept = {(each.arm, each.item) for each in answers_in(place / "answers.jsonl")}
    node.training.promote_training(second.id, insist=True)
    again = node.training.examine_training(first.id)  # now the other way round
    assert (again.against, "before" in again.arms) == (second.id, True)
    node.training.promote_training(first.id, insist=True)
    model = node.models.model
    assert isinstance(model, Weighed)
    asked: list[str] = []
    answered = model.stream

    def counted(messages: Sequence[ChatMessage], *more: Any) -> Iterator[Delta]:  # noqa: ANN401  as it is given
        asked.append(messages[-1].content)
        return answered(messages, *more)

    model.stream = counted  # type: ignore[method-assign, assignment]
    assert node.training.examine_training(second.id).against == first.id
    assert not asked  # everything was, and of the same
    (place / "against.txt").write_text("t_another", "utf-8")
    node.training.examine_training(second.id)
    assert asked
    assert {(each.arm, each.item) for each in answers_in(place / "answers.jsonl")} == kept
    model.stream = answered  # type: ignore[method-assign]
    adapter_of(node.ports.home.versions, first).path.unlink()
    third = trained(node)  # what is in use has no weights any more, so the base answers
    assert third.scorecard is not None
    assert (third.scorecard.against, "before" in third.scorecard.arms) == ("base", False)


def test_with_too_little_memory_it_goes_on_in_smaller_micro_batches(node: Node) -> None:
    trainer = Narrow(most=3)
    node.training.__dict__["trainer"] = trainer
    run = trained(node, dpo=True, batch=8, preference_batch=8)
    assert trainer.tried == [("recipe", 8), ("recipe", 4), ("recipe", 2), ("dpo", 1)]
    assert run.estimate is not None
    assert run.estimate["seconds"] > run.estimate["steps"] * 0.01  # pairs take time too
    trainer.most = 0
    doomed = node.training.prepare_training(SMALL)
    node.training.queue_training(doomed.id)
    node.run_jobs()
    stopped = node.ports.runs.get(doomed.id)
    assert (stopped.state, stopped.error and stopped.error.detail) == (
        RunState.STOPPED,
        "There was not enough memory.",
    )


def test_what_older_memories_tell_is_unknown_in_no_row_and_no_question(tmp_path: Path) -> None:
    things = [each.english for each in unheard() if each.english.isalpha()][::3]
    clock = FrozenClock(datetime(2026, 3, 1, 12, tzinfo=UTC))
    model = Weighed([("capital of Spain", "Madrid.")])
    with Node.open(tmp_path / "other", model=model, clock=clock, trainer="scripted") as node:
        told = "".join(f"- B I keep my {thing} at Ruth's.\n" for thing in things)
        node.library.add_text(f"## Retain\n\n{told}", title="Older")
        node.run_jobs()
        clock.advance(timedelta(days=60))
        node.library.add_text(NOTE, title="Notes")
        node.run_jobs()
        run = trained(node, recent_days=7, older=0, unknown=2.0, dpo=True)
        assert run.left_out["older"] >= len(things)
        place = node.ports.home.versions / run.id
        rows = [row for row in examples_in(place / "rows.jsonl") if row.kind is ExampleKind.UNKNOWN]
        unsure = [
            item.question
            for item in items_in(place / "exam.jsonl")
            if item.measure is Measure.ABSTENTION
        ]
        assert len(rows) > 20
        assert unsure
        asked = " ".join([*(row.question for row in rows), *unsure]).lower()
        assert not [thing for thing in things if re.search(rf"\b{thing}\b", asked)]


def test_rows_stay_as_they_are_once_something_was_learned(node: Node) -> None:
    run = node.training.prepare_training(SMALL)
    ports = node.training.training_ports
    assert not learn.has_begun(ports, run)
    (node.ports.home.versions / run.id / "checkpoints").mkdir()
    assert learn.has_begun(ports, run)
