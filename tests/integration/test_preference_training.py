"""A training that learns preferences too: its steps, what is examined beside what, and that each is
carried on where it stood.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lpm_kernel.backends.train.scripted import ScriptedTrainer
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.domain.training.runs import Run, RunState
from lpm_kernel.errors import InvalidInputError, TrainingFailedError
from lpm_kernel.L2.recipes.dpo import PreferenceRecipe
from lpm_kernel.node import Node
from lpm_kernel.usecases.training.pair_rows import leave_out, pairs_in
from lpm_kernel.usecases.training.rows import wordings_in
from tests.integration.test_training import NOTE, Weighed

pytestmark = pytest.mark.integration

MORE = """# More

## Retain
- B I sold my bicycle to Haru Tanabe for 9000 yen in May 2023.
- W @Haru Tanabe: my neighbour, a baker.
- B My sister Yuka lives in Kanazawa since 2019.
- O(c=0.8) @winter: I like it more than summer.
"""


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    model = Weighed([("capital of Spain", "Madrid.")])
    with Node.open(tmp_path / "home", model=model, trainer="scripted") as opened:
        for title, text in (("Notes", NOTE), ("More", MORE)):
            opened.library.add_text(text, title=title)
        opened.run_jobs()
        yield opened


def prepared(node: Node, **given: object) -> Run:
    wanted = {"steps": 4, "questions": 4, "exam_questions": 6, "dpo": True, **given}
    return node.training.prepare_training(wanted)


def learned(node: Node, run: Run) -> Run:
    node.training.queue_training(run.id)
    node.run_jobs()
    return node.ports.runs.get(run.id)


def test_it_is_examined_before_and_after_preferences(node: Node) -> None:
    run = learned(node, prepared(node))
    assert run.state is RunState.READY, run.error
    assert run.scorecard is not None
    assert list(run.scorecard.arms) == [
        "base",
        "retrieval",
        "sft",
        "sft_retrieval",
        "sft_dpo",
        "sft_dpo_retrieval",
    ]
    before, after = (run.scorecard.arms[arm]["preference"] for arm in ("sft", "sft_dpo"))
    assert (before.value, after.value) == (0.5, 1.0)
    assert before.n == after.n > 0
    place = node.ports.home.versions / run.id
    assert (place / "sft.gguf").read_bytes() != (place / "adapter.gguf").read_bytes()
    assert PreferenceRecipe.read(place).loss_type == ("sigmoid", "sft")
    node.training.promote_training(run.id, insist=True)
    assert node.training.adapter is not None
    assert node.training.adapter.path == place / "adapter.gguf"


def test_lines_that_a_power_cut_left_half_written_are_asked_for_again(node: Node) -> None:
    calm = learned(node, prepared(node, wording="model"))
    torn = prepared(node, wording="model")
    place = node.ports.home.versions / torn.id
    (place / "wordings.jsonl").write_text('{"key": "of whi', "utf-8")
    (place / "answers.jsonl").write_text('{"arm": "base", "it', "utf-8")
    torn = learned(node, torn)
    assert torn.scorecard == calm.scorecard
    before = node.ports.home.versions / calm.id
    for name in ("wordings.jsonl", "answers.jsonl", "examples.jsonl"):
        assert (place / name).read_bytes() == (before / name).read_bytes(), name


def test_what_it_says_itself_is_rejected_where_it_is_not_the_better_answer(node: Node) -> None:
    run = learned(node, prepared(node, on_policy=True))
    place = node.ports.home.versions / run.id
    by_rule, learns = (
        [json.loads(line) for line in (place / name).read_text("utf-8").splitlines()]
        for name in ("pairs.jsonl", "pairs_on_policy.jsonl")
    )
    assert [row["id"] for row in learns] == [row["id"] for row in by_rule]
    changed = [row for row, before in zip(learns, by_rule, strict=True) if row != before]
    assert run.outcome is not None
    assert run.outcome["preferences"]["on_policy"] == {
        "pairs": len(by_rule),
        "own": len(changed),
    }
    said = wordings_in(place, "own_answers.jsonl")
    assert changed
    assert all(row["rejected"][0]["content"] == said[row["id"]] for row in changed)
    assert PreferenceRecipe.read(place).pairs == "pairs_on_policy.jsonl"
    plain = learned(node, prepared(node))
    place = node.ports.home.versions / plain.id
    assert not (place / "own_answers.jsonl").exists()
    assert PreferenceRecipe.read(place).pairs == "pairs.jsonl"


def test_what_it_said_itself_goes_with_its_pair(node: Node) -> None:
    place = node.ports.home.versions / prepared(node).id
    pairs = list(pairs_in(place / "preferences.jsonl"))
    said = [json.dumps({"key": pair.id, "answer": "It was said."}) for pair in pairs]
    torn = '{"key": "of whi'
    (place / "own_answers.jsonl").write_text("\n".join([*said, torn]), "utf-8")
    leave_out(place, lambda pair: pair == pairs[0])
    left = wordings_in(place, "own_answers.jsonl")
    assert left.keys() == {pair.id for pair in pairs[1:]}


def test_without_it_nothing_of_it_is_there(node: Node) -> None:
    run = learned(node, prepared(node, dpo=False))
    assert run.scorecard is not None
    assert "sft_dpo" not in run.scorecard.arms
    place = node.ports.home.versions / run.id
    assert not (place / "dpo").exists()
    assert not (place / "sft.gguf").exists()


def test_without_pairs_it_is_what_it_was(node: Node) -> None:
    run = learned(node, prepared(node, pairs=0))
    assert run.scorecard is not None
    assert "sft_dpo" not in run.scorecard.arms
    assert "preferences" not in (run.outcome or {})


def test_what_breaks_down_in_preferences_goes_on_there(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = node.training.trainer
    assert isinstance(trainer, ScriptedTrainer)
    steps: list[str] = []
    learn, prefer = trainer.learn, trainer.prefer

    def breaks(run: Path, said: object) -> dict[str, object]:
        steps.append("prefer")
        if len(steps) == 1:
            raise TrainingFailedError("There was not enough memory.", "End other programs first.")
        return dict(prefer(run, said))  # type: ignore[arg-type]

    monkeypatch.setattr(trainer, "prefer", breaks)
    run = prepared(node)
    job = node.training.queue_training(run.id)
    node.run_jobs()
    assert node.ports.jobs.get(job.id).state is JobState.FAILED
    progress = (node.ports.home.versions / run.id / "progress.jsonl").read_text("utf-8")
    assert learned(node, run).state is RunState.READY
    assert steps == ["prefer", "prefer"]
    assert learn is not None
    assert (node.ports.home.versions / run.id / "progress.jsonl").read_text("utf-8") == progress


@pytest.mark.parametrize(
    "given", [{"dpo": 1}, {"dpo": "yes"}, {"beta": 0}, {"preference_loss": "none"}]
)
def test_settings_that_cannot_be_are_refused(node: Node, given: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(given))):
        prepared(node, **given)


def test_its_recipe_has_what_was_set(node: Node) -> None:
    run = learned(node, prepared(node, beta=0.3, preference_rate=1e-4, preference_batch=2))
    recipe = json.loads((node.ports.home.versions / run.id / "dpo.json").read_text("utf-8"))
    assert (recipe["beta"], recipe["learning_rate"], recipe["batch"]) == (0.3, 1e-4, 2)
    assert recipe["micro_batch_size"] <= 2
