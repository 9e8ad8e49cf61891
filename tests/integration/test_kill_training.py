"""SIGKILL at every checkpoint of a training: the counter of steps never goes back, no step is
counted twice, and the end is that of a training that nobody disturbed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from lpm_kernel.L2.recipes.export.base import BaseMeasures
from lpm_kernel.L2.recipes.loop.machine import OFFLINE
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
EVERY = 3
MOMENTS = [
    # As it appears, in the middle of its writing, just before it counts, and just after it does.
    moment
    for step in range(EVERY, 13, EVERY)
    for moment in (
        f"checkpoint-{step}:2",
        f"checkpoint-{step}/adapter_config.json:1",
        f"checkpoint-{step}/trainer_state.json:1",
        f"checkpoint-{step}/whole:1",
        "samples.jsonl:3",  # the first two openings read it
    )
]
# Between two checkpoints, with a step told that has to be taken again; and as the adapter is put in
# its place.
MOMENTS.insert(5, "progress.jsonl:4")
MOMENTS.append("outcome.part:1")
PLACES = [
    "the cellar",
    "the long room",
    "a drawer",
    "the shed behind the house",
    "a jar",
    "the barn",
]
THINGS = ["varnish", "letters", "clamps", "coins"]


def folder(place: Path, base: Path, **given: object) -> Path:
    """Write what the recipe reads: 24 rows in two epochs of six steps, four of them held out."""
    place.mkdir()
    rows = [
        row(f"Where are the {thing}?", f"In {where}, number {number}.")
        for number, thing in enumerate(THINGS)
        for where in PLACES
    ]
    (place / "examples.jsonl").write_text("".join(rows), "utf-8")
    (place / "held_out.jsonl").write_text(
        "".join(row(f"And the {thing}?", "In the attic.") for thing in THINGS), "utf-8"
    )
    asked = json.dumps([{"role": "user", "content": "Where are the coins?"}])
    recipe = {
        "base": str(base),
        "rank": 4,
        "batch": 4,
        "epochs": 2,
        "checkpoint_every": EVERY,
        "threads": 1,
        "precision": "float32",
        "samples": [asked],
    }
    (place / "recipe.json").write_text(json.dumps({**recipe, **given}), "utf-8")
    return place


def row(question: str, answer: str) -> str:
    return (
        json.dumps(
            {
                "prompt": [{"role": "user", "content": question}],
                "completion": [{"role": "assistant", "content": answer}],
            }
        )
        + "\n"
    )


def train(run: Path, moments: list[str]) -> list[dict[str, Any]]:
    """Train, killed at these moments."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.killed", "sft", str(run), *moments],
        cwd=ROOT,
        env={**os.environ, **OFFLINE},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"moment"')]
    assert done.returncode == 0, done.stderr[-3000:]
    assert [line["ended"] for line in lines] == [*(-signal.SIGKILL for _ in moments), 0], [
        lines,
        done.stderr[-3000:],
    ]
    return lines


def told(run: Path, what: str) -> list[int]:
    return [
        line["step"]
        for line in map(json.loads, (run / "progress.jsonl").read_text("utf-8").splitlines())
        if what in line
    ]


def same_end(one: Path, other: Path) -> None:
    mine, theirs = (
        load_file(run / "adapter" / "adapter_model.safetensors") for run in (one, other)
    )
    assert mine.keys() == theirs.keys()
    for name, tensor in mine.items():
        assert np.array_equal(tensor.view(np.uint8), theirs[name].view(np.uint8)), name
    steps = [json.loads((run / "outcome.json").read_text("utf-8"))["steps"] for run in (one, other)]
    assert steps[0] == steps[1]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("base") / "tiny"
    write_tiny_folder(place)
    return place


def test_killed_at_every_checkpoint_it_ends_as_if_nobody_had_disturbed_it(
    tmp_path: Path, base: Path
) -> None:
    calm, torn = folder(tmp_path / "calm", base), folder(tmp_path / "torn", base)
    # As people start it, in a process of its own.
    subprocess.run(
        [sys.executable, "-m", "lpm_kernel.L2.recipes.sft", str(calm)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=900,
    )
    assert told(calm, "loss") == list(range(1, 13))
    lines = train(torn, MOMENTS if FULL else MOMENTS[3:6])
    for before, after in pairwise(lines):
        # the counter never goes back
        assert after["steps"][: len(before["steps"])] == before["steps"]
    assert told(torn, "loss") == list(range(1, 13))
    assert told(torn, "held_out") == list(range(EVERY, 13, EVERY))
    same_end(calm, torn)


@only_in_full
def test_one_that_goes_on_from_another_starts_where_that_ended_and_keeps_its_strength(
    tmp_path: Path, base: Path
) -> None:
    before = tmp_path / "before"
    write_peft_adapter(before, BaseMeasures.of_config(TINY), seed=7, strength=0.05)
    given = {"start": str(before), "steps": EVERY, "strength": 0.5, "learning_rate": 1e-9}
    calm, torn = folder(tmp_path / "calm", base, **given), folder(tmp_path / "torn", base, **given)
    train(calm, [])
    train(torn, [f"checkpoint-{EVERY}/whole:1"])
    same_end(calm, torn)
    was, now = (
        load_file(each / "adapter_model.safetensors") for each in (before, calm / "adapter")
    )
    assert was.keys() == now.keys()
    assert all(np.allclose(was[name], now[name], atol=1e-4) for name in was)
    assert any(not np.array_equal(was[name], now[name]) for name in was)
    known = [
        json.loads((each / "adapter_config.json").read_text("utf-8"))["lora_alpha"]
        for each in (before, calm / "adapter")
    ]
    assert known[0] == known[1]


@only_in_full
def test_a_training_that_ends_early_ends_at_the_same_step_when_it_is_killed(
    tmp_path: Path, base: Path
) -> None:
    given = {"epochs": 8, "patience": 2, "learning_rate": 0.5, "warmup_steps": 0}
    calm, torn = folder(tmp_path / "calm", base, **given), folder(tmp_path / "torn", base, **given)
    train(calm, [])
    last = told(calm, "loss")[-1]
    assert EVERY < last < 48  # nothing got better
    train(
        torn,
        [
            f"checkpoint-{last - EVERY}/trainer_state.json:1",
            f"checkpoint-{last}/whole:1",
            "outcome.part:1",
        ],
    )
    same_end(calm, torn)


@only_in_full
def test_a_line_that_was_cut_short_is_taken_away(tmp_path: Path, base: Path) -> None:
    run = folder(tmp_path / "run", base, steps=3)
    (run / "progress.jsonl").write_text(
        '{"step": 1, "of": 3, "loss": 9.0}\n{"step": 2, "of', "utf-8"
    )
    train(run, [])
    assert told(run, "loss") == [1, 2, 3]
