"""A training with nothing scripted: the bundled model learns a few statements, is written out, put
onto what serves, and knows them in words that no row had.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lpm_kernel.backends.train.child import ChildTrainer
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.training.runs import RunState
from lpm_kernel.node import Node
from tests.scale import only_in_full

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not ChildTrainer.is_there(), reason="torch, trl and peft are not installed"),
]

NOTE = """# Notes

## Retain
- B I moved my workshop from Higashiyama to Teramachi on 6 April 2024.
- W @Kuri: my dog, brown, with one white sock.
- O(c=0.9) I prefer oil varnish to spirit varnish.
- W @Mai Kurose: the person I ask about weather.
"""
EXAM = """{"question": "What sort of animal is Kuri?", "accept": ["dog"]}
{"question": "Which varnish is better, in your view?", "accept": ["oil"]}
{"question": "Whom would you ask about the weather?", "accept": ["Mai"]}
{"question": "To which place did the workshop move?", "accept": ["Teramachi"]}
"""


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node.open(tmp_path / "home", communities="louvain", reflect="asked") as here:
        here.ports.conversations.set_identity(Identity("Nagi Sorrel", languages=("en",)))
        here.library.add_text(NOTE, title="Notes")
        here.run_jobs()
        yield here


@only_in_full
def test_the_bundled_model_learns_is_written_out_and_knows(node: Node) -> None:
    given = {
        "steps": 24,
        "precision": "float32",
        "batch": 8,
        "questions": 10,
        "learning_rate": 2e-3,
        "checkpoint_every": 12,
        "notes": 0.0,
        "general": 0.2,
        "exam_questions": 0,
    }
    run = node.training.prepare_training(given, questions=EXAM)
    job = node.training.queue_training(run.id)
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.SUCCEEDED, node.ports.jobs.get(
        job.id
    ).error
    run = node.ports.runs.get(run.id)
    assert run.state is RunState.READY
    assert run.estimate is not None
    assert run.outcome is not None
    assert run.outcome["steps"] == 24
    assert run.scorecard is not None
    knew, knows = (
        run.scorecard.arms["base"]["fact_retention"],
        run.scorecard.arms["sft"]["fact_retention"],
    )
    assert knows.value > knew.value
    steps = [
        json.loads(line)
        for line in (node.ports.home.versions / run.id / "progress.jsonl")
        .read_text("utf-8")
        .splitlines()
    ]
    losses = [step["loss"] for step in steps if "loss" in step]
    # four questions are too few for a share that is to be reached
    assert sum(losses[-4:]) / 4 < losses[0] / 3, losses
    node.training.promote_training(run.id, insist=True)
    assert node.training.adapter is not None
    assert node.training.adapter.id == run.id


MORE = """# More

## Retain
- B I sold my bicycle to Haru Tanabe for 9000 yen in May 2023.
- W @Haru Tanabe: my neighbour, a baker.
- B My sister Yuka lives in Kanazawa since 2019.
- O(c=0.8) @winter: I like it more than summer.
- B I string violins in September and varnish in June.
- W @Jonas: an organist in Bergen, who writes by post.
"""


@only_in_full
def test_what_is_preferred_is_learned_after_what_is_so_and_both_are_served(node: Node) -> None:
    node.library.add_text(MORE, title="More")
    node.run_jobs()
    given = {
        "steps": 24,
        "precision": "float32",
        "batch": 8,
        "questions": 6,
        "learning_rate": 2e-3,
        "checkpoint_every": 12,
        "notes": 0.0,
        "exam_questions": 0,
        "dpo": True,
        "pairs": 6,
        "preference_batch": 4,
        "preference_epochs": 2,
        "preference_rate": 3e-4,
    }
    run = node.training.prepare_training(given, questions=EXAM)
    job = node.training.queue_training(run.id)
    node.run_jobs()
    done = node.ports.jobs.get(job.id)
    assert done.state is JobState.SUCCEEDED, done.error
    run = node.ports.runs.get(run.id)
    assert run.outcome is not None
    held_out = run.outcome["preferences"]["held_out"]
    assert held_out["reward"]["margin"]["value"] > 0  # it moved the right way
    place = node.ports.home.versions / run.id
    assert (place / "sft.gguf").read_bytes() != (place / "adapter.gguf").read_bytes()
    assert node.training.ask_trained("What sort of animal is Kuri?", run.id, retrieval=False)


@only_in_full
def test_a_device_that_is_not_there_is_refused_in_words_before_anything_is_learned(
    node: Node,
) -> None:
    run = node.training.prepare_training(
        {
            "questions": 4,
            "exam_questions": 0,
            "device": "cuda" if sys.platform == "darwin" else "mps",
        }
    )
    job = node.training.queue_training(run.id)
    node.run_jobs()
    failed = node.ports.jobs.get(job.id)
    assert failed.state is JobState.FAILED
    assert failed.error is not None
    assert "no device of that kind" in failed.error.detail
    assert "auto" in failed.error.hint
    assert node.ports.runs.get(run.id).state is RunState.STOPPED
