"""Two processes that learn together, started by the node's own trainer as on two devices: the same
losses as one, and they stop, go on and end together.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from lpm_kernel.backends.train.child import ChildTrainer
from lpm_kernel.domain.training.runs import Learned
from tests.adapters import write_tiny_folder
from tests.integration.test_kill_training import folder, told
from tests.scale import only_in_full

pytestmark = [
    pytest.mark.integration,
    pytest.mark.slow,
    pytest.mark.skipif(not ChildTrainer.is_there(), reason="torch, trl and peft are not installed"),
]

STEPS = 6
PATIENCE = 60.0


class CancelledError(Exception):
    """The person stopped it."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("base") / "tiny"
    write_tiny_folder(place)
    return place


def run_in(place: Path, base: Path, **given: object) -> Path:
    return folder(place, base, **{"device": "cpu", "steps": STEPS, "patience": 9, **given})


def losses(run: Path) -> list[float]:
    lines = map(json.loads, (run / "progress.jsonl").read_text("utf-8").splitlines())
    return [line.get("loss", line.get("held_out")) for line in lines]


def learners(run: Path) -> list[psutil.Process]:
    """Return whoever works at that run: the launcher, and those that learn."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if str(run) in (process.info["cmdline"] or [])
    ]


def stops_at(step: int) -> Callable[[Learned], None]:
    def said(learned: Learned) -> None:
        if learned.step >= step:
            raise CancelledError

    return said


@only_in_full
def test_two_learn_as_one_does_also_when_they_are_stopped_and_go_on(
    tmp_path: Path, base: Path
) -> None:
    alone, together = (run_in(tmp_path / name, base) for name in ("alone", "together"))
    ChildTrainer(1).learn(alone, lambda _: None)
    seen: list[int] = []

    def said(learned: Learned) -> None:
        seen.append(len(learners(together)))
        stops_at(2)(learned)

    with pytest.raises(CancelledError):
        ChildTrainer(2).learn(together, said)
    assert max(seen) == 3  # the launcher, and two that learn
    assert learners(together) == []
    assert not (together / "outcome.json").exists()
    ChildTrainer(2).learn(together, lambda _: None)
    assert told(together, "loss") == list(range(1, STEPS + 1))
    assert losses(together)[:2] == pytest.approx(losses(alone)[:2], abs=2e-3)
    assert losses(together)[-1] == pytest.approx(losses(alone)[-1], abs=2e-3)


@only_in_full
@pytest.mark.parametrize("whom", ["worker", "launcher", "learner"])
def test_killing_one_takes_all_of_them_down(tmp_path: Path, base: Path, whom: str) -> None:
    run = run_in(tmp_path / "run", base, steps=500, epochs=100, patience=1000)
    worker = os.fork()
    if worker == 0:  # pragma: no cover - the child is not measured
        try:
            ChildTrainer(2).learn(run, lambda _: None)
        finally:
            os._exit(3)
    until = time.monotonic() + 4 * PATIENCE
    while not (run / "progress.jsonl").exists():
        assert time.monotonic() < until
        time.sleep(0.2)
    launcher, *learning = sorted(learners(run), key=lambda process: process.pid)
    assert len(learning) == 2
    victim = {"worker": worker, "launcher": launcher.pid, "learner": learning[-1].pid}[whom]
    os.kill(victim, signal.SIGKILL)
    os.waitpid(worker, 0)  # it notices, or it was the one
    until = time.monotonic() + PATIENCE
    while learners(run):
        assert time.monotonic() < until, [process.cmdline() for process in learners(run)]
        time.sleep(0.2)


@only_in_full
def test_what_is_measured_is_said_of_each(tmp_path: Path, base: Path) -> None:
    run = run_in(tmp_path / "run", base)
    estimate = ChildTrainer(2).measure(run, lambda _: None)
    assert (estimate["devices"], estimate["device"], estimate["steps"]) == (2, "cpu", STEPS)
    assert estimate["peak_bytes"] > 0 < estimate["seconds"]
