"""The recipe of preferences, on a tiny model: it goes on after SIGKILL, the reference stays as it
was, what it leaves is one adapter that can be exported, and what it says of it is right.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from lpm_kernel.L2.recipes.dpo import PreferenceRecipe
from lpm_kernel.L2.recipes.export.adapter import export_adapter
from lpm_kernel.L2.recipes.export.base import BaseMeasures
from lpm_kernel.L2.recipes.loop.folder import rows_in
from lpm_kernel.L2.recipes.loop.machine import OFFLINE, division
from tests.adapters import TINY, write_peft_adapter, write_tiny_folder
from tests.scale import FULL, only_in_full

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.skipif(
        any(find_spec(name) is None for name in ("torch", "trl", "peft")),
        reason="torch, trl and peft are not installed",
    ),
]

ROOT = Path(__file__).parents[2]
EVERY, STEPS = 2, 6
THINGS = ["varnish", "letters", "clamps", "coins", "jars", "chisels"]
PLACES = ["the cellar", "a drawer"]


def pair(thing: str, place: str, rule: str) -> str:
    """Write a pair: short and to the point is better than long-winded."""
    return (
        json.dumps(
            {
                "id": f"{THINGS.index(thing):06d}{len(place):06d}",
                "rule": rule,
                "prompt": [{"role": "user", "content": f"Where are the {thing}?"}],
                "chosen": [{"role": "assistant", "content": f"In {place}."}],
                "rejected": [{"role": "assistant", "content": f"One may find it in {place}, sir."}],
            }
        )
        + "\n"
    )


def folder(place: Path, base: Path, **given: object) -> Path:
    """Write what the recipe reads: twelve pairs in two epochs of three steps, four held out."""
    place.mkdir()
    (place / "pairs.jsonl").write_text(
        "".join(pair(thing, where, "voice") for thing in THINGS for where in PLACES), "utf-8"
    )
    (place / "pairs_held_out.jsonl").write_text(
        "".join(
            pair(thing, "the attic", rule) for thing in THINGS[:2] for rule in ("voice", "edited")
        ),
        "utf-8",
    )
    recipe = {
        "base": str(base),
        "batch": 4,
        "epochs": 2,
        "checkpoint_every": EVERY,
        "learning_rate": 1e-2,
        "threads": 1,
        "precision": "float32",
    }
    (place / "dpo.json").write_text(json.dumps({**recipe, **given}), "utf-8")
    write_peft_adapter(place / "adapter", BaseMeasures.of_config(TINY), seed=7, strength=0.05)
    return place


def weights_of(adapter: Path) -> dict[str, Any]:
    return load_file(adapter / "adapter_model.safetensors")


def told(run: Path, what: str) -> list[int]:
    return [row["step"] for row in rows_in(run / "dpo" / "progress.jsonl") if what in row]


def outcome_of(run: Path) -> dict[str, Any]:
    known: dict[str, Any] = json.loads((run / "dpo" / "outcome.json").read_text("utf-8"))
    return known


MOMENTS = [
    f"checkpoint-{EVERY}/trainer_state.json:1",
    f"checkpoint-{EVERY}/whole:1",
    f"checkpoint-{EVERY}/ref:1",
    # a step told that has to be taken again
    "progress.jsonl:5",
    f"checkpoint-{2 * EVERY}/whole:1",
    f"checkpoint-{STEPS}/whole:1",
    "margins.jsonl:2",
    "outcome.part:1",
]
if not FULL:
    MOMENTS = MOMENTS[1::2]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Everything that is learned here, from one process that has imported torch: a run nobody
    disturbs, one that dies again and again, one with smaller micro-batches, one that gets worse.
    """
    place = tmp_path_factory.mktemp("dpo")
    write_tiny_folder(place / "tiny")
    given: dict[str, dict[str, object]] = {
        "calm": {},
        "torn": {},
        "small": {"micro_batch_size": 1, "loss_type": ["sigmoid"], "loss_weights": [1.0]},
        "whole": {"loss_type": ["sigmoid"], "loss_weights": [1.0]},
        "worse": {
            "learning_rate": 1.0,
            "epochs": 9,
            "patience": 2,
            "loss_weights": [1.0, 1.0],
        },
    }
    made = {name: folder(place / name, place / "tiny", **given[name]) for name in given}
    moments = {"torn": MOMENTS}
    command = [
        word for name, run in made.items() for word in ("--", str(run), *moments.get(name, []))
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.killed", "dpo", *command[1:]],
        cwd=ROOT,
        env={**os.environ, **OFFLINE},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    ended = [
        json.loads(line)["ended"]
        for line in done.stdout.splitlines()
        if line.startswith('{"moment"')
    ]
    assert ended == [0, *(-signal.SIGKILL for _ in MOMENTS), *[0] * 4], done.stderr[-3000:]
    return made


def test_killed_at_every_checkpoint_it_ends_as_if_nobody_had_disturbed_it(
    runs: Mapping[str, Path],
) -> None:
    calm, torn = runs["calm"], runs["torn"]
    for run in (calm, torn):
        assert told(run, "loss") == list(range(1, STEPS + 1))
        assert told(run, "held_out_margin") == list(range(EVERY, STEPS + 1, EVERY))
    mine, theirs = weights_of(calm / "dpo/adapter"), weights_of(torn / "dpo/adapter")
    assert mine.keys() == theirs.keys()
    for name, tensor in mine.items():
        assert np.array_equal(tensor.view(np.uint8), theirs[name].view(np.uint8)), name
    alike = ("steps", "best_step", "held_out", "by_rule")
    one, other = outcome_of(calm), outcome_of(torn)
    assert {name: one[name] for name in alike} == {name: other[name] for name in alike}


def test_it_learns_on_from_what_was_learned_and_leaves_one_adapter(
    runs: Mapping[str, Path], tmp_path: Path
) -> None:
    run = runs["calm"]
    before, after = weights_of(run / "adapter"), weights_of(run / "dpo/adapter")
    assert before.keys() == after.keys()  # and no reference among them
    assert {path.name for path in (run / "dpo/adapter").iterdir()} == {
        "adapter_config.json",
        "adapter_model.safetensors",
    }
    moved = max(float(np.abs(after[name] - before[name]).max()) for name in before)
    assert 0 < moved < 1
    export_adapter(
        run / "dpo/adapter", BaseMeasures.read(runs["calm"].parent / "tiny"), tmp_path / "x", "x"
    )
    assert (tmp_path / "x").stat().st_size > 1000


def test_the_outcome_says_what_the_better_answers_gained(runs: Mapping[str, Path]) -> None:
    outcome = outcome_of(runs["calm"])
    held = outcome["held_out"]
    assert set(outcome["by_rule"]) == {"edited", "voice"}
    assert held["pairs"] == 4 == sum(each["pairs"] for each in outcome["by_rule"].values())
    assert held["reward"]["margin"]["low"] > 0
    assert held["reward"]["accuracy"]["value"] == 1.0
    gained = held["after"]["margin"]["value"] - held["before"]["margin"]["value"]
    assert held["reward"]["margin"]["value"] == pytest.approx(0.1 * gained, abs=1e-3)
    assert held["chosen_tokens"] < held["rejected_tokens"]
    # what it said of its last look is the same, of the same pairs
    looks = {
        row["step"]: row["held_out_margin"]
        for row in rows_in(runs["calm"] / "dpo/progress.jsonl")
        if "held_out_margin" in row
    }
    assert held["reward"]["margin"]["value"] == pytest.approx(looks[outcome["best_step"]], abs=1e-3)
    assert looks[outcome["best_step"]] == max(looks.values())
    first = next(rows_in(runs["calm"] / "dpo/progress.jsonl"))
    assert first["margin"] == 0  # policy and reference begin alike
    assert set(first) == {"step", "of", "loss", "margin", "accuracy", "seconds"}


def apart(one: Path, other: Path) -> float:
    """Tell how far apart two runs ended, as a share of how far they came."""
    mine, theirs = (weights_of(run / "dpo/adapter") for run in (one, other))
    start = weights_of(other / "adapter")
    between = sum(float(((mine[name] - theirs[name]) ** 2).sum()) for name in mine)
    return between / sum(float(((theirs[name] - start[name]) ** 2).sum()) for name in mine)


def test_smaller_micro_batches_learn_the_same(runs: Mapping[str, Path]) -> None:
    assert apart(runs["small"], runs["whole"]) < 1e-3


def test_it_ends_when_nothing_gets_better_and_keeps_the_best(runs: Mapping[str, Path]) -> None:
    outcome = outcome_of(runs["worse"])
    looks = [
        (row["held_out_margin"], row["step"])
        for row in rows_in(runs["worse"] / "dpo/progress.jsonl")
        if "held_out_margin" in row
    ]
    assert outcome["steps"] < 27
    assert outcome["best_step"] == outcome["steps"] - 2 * EVERY
    assert max(looks)[1] == outcome["best_step"]


@only_in_full
def test_two_processes_learn_the_same_as_one(runs: Mapping[str, Path], tmp_path: Path) -> None:
    tiny = runs["whole"].parent / "tiny"
    run = folder(tmp_path / "two", tiny, loss_type=["sigmoid"], loss_weights=[1.0], device="cpu")
    subprocess.run(
        [sys.executable, "-m", "lpm_kernel.L2.recipes.launch", "2", "dpo", str(run)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=600,
    )
    assert told(run, "loss") == list(range(1, STEPS + 1))
    assert apart(run, runs["whole"]) < 1e-3
    assert outcome_of(run)["held_out"]["reward"]["margin"]["value"] == pytest.approx(
        outcome_of(runs["whole"])["held_out"]["reward"]["margin"]["value"], abs=1e-2
    )


def test_a_measured_run_says_what_the_whole_would_need(
    runs: Mapping[str, Path], tmp_path: Path
) -> None:
    run = folder(tmp_path / "run", runs["calm"].parent / "tiny")
    subprocess.run(
        [sys.executable, "-m", "lpm_kernel.L2.recipes.dpo", str(run), "--measure"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=600,
    )
    estimate = json.loads((run / "dpo/estimate.json").read_text("utf-8"))
    assert estimate["steps"] == STEPS
    assert estimate["seconds"] > 0 < estimate["token_bytes"]
    assert {path.name for path in (run / "dpo").iterdir()} == {"estimate.json", "lock"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"betta": 0.1}, "not known: betta"),
        ({"loss_type": ["sigmoid", "joy"]}, "not known: joy"),
        ({"loss_type": ["sigmoid"]}, "1 losses and 2 weights"),
        ({"beta": 0.0}, "not above zero"),
    ],
)
def test_wrong_settings_are_refused_with_a_sentence(
    tmp_path: Path, given: Mapping[str, object], said: str
) -> None:
    (tmp_path / "dpo.json").write_text(json.dumps({"base": "x", **given}), "utf-8")
    with pytest.raises(SystemExit, match=said):
        PreferenceRecipe.read(tmp_path)


def test_a_batch_that_devices_cannot_share_is_refused() -> None:
    with pytest.raises(SystemExit, match="16 rows cannot be shared evenly by 3"):
        division(16, 16, 3)
