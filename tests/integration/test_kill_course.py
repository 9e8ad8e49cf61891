"""SIGKILL at random moments of every step of a training – rows, wording, measuring, learning,
preferring, exporting, examining, taking into use, growing, thinning, erasing: the next process goes
on, and the end is that of a node that nobody killed.

In `make test-full` each step has 20 kills; ``LPM_STEP_KILLS`` names another number.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.domain.home.jobs import MOST_ATTEMPTS, JobState
from lpm_kernel.domain.training.runs import LOG, Run, RunState
from lpm_kernel.node import Node
from lpm_kernel.usecases.training.service import every
from tests.integration.test_growth import NEW
from tests.integration.test_preference_training import MORE
from tests.integration.test_training import NOTE
from tests.scale import only_in_full
from tests.training_killed import SUNDAY, WEEK, Death, Deed, child, draw, opened

pytestmark = [pytest.mark.integration, pytest.mark.slow]

KILLS = int(os.environ.get("LPM_STEP_KILLS", "20"))
FEWER = MOST_ATTEMPTS - 1
"""Deaths that a job survives: what killed more workers is left alone."""
MOST_AT_ONCE = 3
"""Processes that die one after the other before one comes to its end."""
SMALL = {"steps": 3, "questions": 2, "exam_questions": 3, "checkpoint_every": 1}
WEEKS = 5
DOOMED = f"loom of week {WEEKS - 1}"


def train(node: Node) -> None:
    """Carry the training that lies prepared through, and use it."""
    (run,) = every(node.ports.runs)
    if run.state is RunState.PREPARED and not node.ports.jobs.page(limit=1, kind="train")[0]:
        node.training.queue_training(run.id)
    node.run_jobs()
    if node.ports.runs.in_use().run != run.id:
        node.training.promote_training(run.id, insist=True)


def grow(node: Node) -> None:
    node.training.look_for_growth()
    node.run_jobs()


def forget(node: Node) -> None:
    """Erase what the training in use learned last."""
    for document in [each for each in node.ports.documents.all() if each.name == DOOMED]:
        node.home.confirm_erasure(node.home.propose_erasure([document.id]).token)
    node.reconcile()
    node.run_jobs()


@dataclass(frozen=True)
class Case:
    """What is done to which home, and the steps in which it is killed."""

    home: str
    deed: Deed
    steps: tuple[str, ...]
    now: datetime = SUNDAY


CASES = {
    "train": Case(
        "prepared",
        train,
        ("word", "measure", "learn", "ask", "prefer", "export", "examine", "end", "promote"),
    ),
    "grow": Case(
        "grown",
        grow,
        ("prepare", "measure", "learn", "export", "examine", "promote", "thin", "end"),
        SUNDAY + WEEKS * WEEK,
    ),
    "forget": Case("grown", forget, ("taint", "end"), SUNDAY + WEEKS * WEEK),
}


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A home with a training that is prepared, and one that grew for weeks."""
    root = tmp_path_factory.mktemp("homes")
    with opened(root / "prepared") as node:
        tell(node, NOTE, "Notes")
        tell(node, MORE, "More")
        node.training.prepare_training(
            {**SMALL, "dpo": True, "on_policy": True, "pairs": 2, "wording": "model"}
        )
    with opened(root / "grown", SUNDAY - WEEK) as node:
        node.ports.change_settings(grow="weekly", grow_steps=3)
        tell(node, NOTE, "Notes")
        run = node.training.prepare_training(SMALL)
        node.training.queue_training(run.id)
        node.run_jobs()
        node.training.promote_training(run.id, insist=True)
    for week in range(WEEKS):
        with opened(root / "grown", SUNDAY + week * WEEK) as node:
            tell(node, NEW.format(thing=f"loom of week {week}"), f"loom of week {week}")
            if week < WEEKS - 1:
                grow(node)
    with opened(root / "grown", SUNDAY + (WEEKS - 1) * WEEK) as node:
        grow(node)
        tell(node, NEW.format(thing="harp"), "harp")
        assert sum(run.state is RunState.THINNED for run in every(node.ports.runs)) == 1
    shutil.copytree(root / "prepared", root / "warm")
    with opened(root / "warm") as node:
        train(node)  # so that no child has to load and to hash what this process has by then
    return {name: root / name for name in ("prepared", "grown")}


def tell(node: Node, text: str, title: str) -> None:
    node.library.add_text(text, title=title)
    node.run_jobs()


def end(home: Path, now: datetime) -> dict[str, Any]:
    """What there is in the end, without what differs from run to run; ids are drawn by lot, so the
    number of a training stands for it.
    """
    with opened(home, now) as node:
        runs = {run.id: run for run in every(node.ports.runs)}
        assert {each.name for each in node.ports.home.versions.glob("t_*")} <= set(runs)
        assert {job.state for job in node.ports.jobs.page(limit=200)[0]} == {JobState.SUCCEEDED}
        assert node.home.first_break() is None
        numbers = {str(run.id): f"training {run.number}" for run in runs.values()}
        found = {
            "trainings": [_of(node, run) for run in runs.values()],
            "used": [(use.run, use.insisted) for use in node.ports.runs.used()],
            "audit": [(each.kind, each.facts) for each in node.ports.audit.all()],
            "jobs": Counter(job.kind for job in node.ports.jobs.page(limit=200)[0]),
            "half": [
                str(path.relative_to(home))
                for path in (home / "versions").rglob("*")
                if path.suffix in {".part", ".new"} or path.name.startswith(".")
            ],
        }
        assert not found["half"]
        whole = json.dumps(found, default=str, sort_keys=True, indent=1)
    whole = re.sub("|".join(numbers), lambda name: numbers[name[0]], whole)
    ids = dict.fromkeys(re.findall(r"\b[a-z]_[0-9a-f]{16}\b", whole))
    for number, name in enumerate(ids):
        whole = whole.replace(name, f"id {number}")
    read: dict[str, Any] = json.loads(whole)
    return read


def _of(node: Node, run: Run) -> dict[str, Any]:
    """What a training is: its row, what it learned from, and every file with its hash."""
    place = node.ports.home.versions / run.id
    row = {name: getattr(run, name) for name in run.__dataclass_fields__ if name != "settings"}
    return {
        **row,
        "sources": len(node.ports.runs.sources(run.id)),
        "files": {
            str(path.relative_to(place)): _digest(path, run, node.ports.home.root)
            for path in sorted(place.rglob("*"))
            if path.is_file() and path.name != LOG  # lines for people, not what came of it
        },
    }


def _digest(path: Path, run: Run, home: Path) -> str:
    content = path.read_bytes().replace(run.id.encode(), b"this").replace(bytes(home), b"home")
    return hashlib.sha256(re.sub(rb"t_[0-9a-f]{16}", b"another", content)).hexdigest()[:12]


def _differences(found: Any, wanted: Any, where: str = "") -> list[str]:  # noqa: ANN401  JSON
    """Say where two ends differ."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return [
            each
            for name in {**found, **wanted}
            for each in _differences(found.get(name), wanted.get(name), f"{where}/{name}")
        ]
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        pairs = enumerate(zip(found, wanted, strict=True))
        return [each for n, pair in pairs for each in _differences(*pair, f"{where}/{n}")]
    return [] if found == wanted else [f"{where}: {found!r}, and not {wanted!r}"]


@pytest.fixture(scope="module")
def undisturbed(
    homes: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Counter[str], dict[str, Any]]]:
    """The moments of each case where nobody is killed, and its end."""
    root, known = tmp_path_factory.mktemp("undisturbed"), {}

    def of(name: str) -> tuple[Counter[str], dict[str, Any]]:
        if name not in known:
            case = CASES[name]
            shutil.copytree(homes[case.home], root / name)
            moments = child(root / name, case.deed, now=case.now)
            assert moments is not None
            known[name] = moments, end(root / name, case.now)
        return known[name]

    return of


@pytest.mark.parametrize("name", CASES)
def test_killed_once_in_every_step_it_ends_as_if_nobody_had_been(
    name: str,
    homes: dict[str, Path],
    undisturbed: Callable[[str], tuple[Counter[str], dict[str, Any]]],
    tmp_path: Path,
) -> None:
    case, dice = CASES[name], random.Random(f"{name} 20261129")
    moments, expected = undisturbed(name)
    killed = 0
    for first in range(0, len(case.steps), FEWER):
        home = tmp_path / f"shaken-{first}"
        shutil.copytree(homes[case.home], home)
        deaths = [draw(moments, step, dice) for step in case.steps[first : first + FEWER]]
        killed += sum(child(home, case.deed, death, now=case.now) is None for death in deaths)
        child(home, case.deed, now=case.now)
        assert _differences(end(home, case.now), expected) == [], deaths
    assert killed > len(case.steps) // 2


@only_in_full
@pytest.mark.parametrize(
    ("name", "step"), [(name, step) for name, case in CASES.items() for step in case.steps]
)
def test_killed_many_times_in_a_step_it_ends_as_if_nobody_had_been(
    name: str,
    step: str,
    homes: dict[str, Path],
    undisturbed: Callable[[str], tuple[Counter[str], dict[str, Any]]],
    tmp_path: Path,
) -> None:
    case, dice = CASES[name], random.Random(f"{name} {step} 20261129")
    moments, expected = undisturbed(name)
    killed = 0
    while killed < KILLS:
        home = tmp_path / f"shaken-{killed}"
        shutil.copytree(homes[case.home], home)
        deaths: list[Death] = []
        for _ in range(dice.randint(1, MOST_AT_ONCE)):
            deaths.append(draw(moments, step, dice))
            if child(home, case.deed, deaths[-1], now=case.now) is not None:
                break  # so far on that the step was over
            killed += 1
        child(home, case.deed, now=case.now)
        assert _differences(end(home, case.now), expected) == [], deaths
        shutil.rmtree(home)
    print(f"{name}, {step}: killed {killed} times, {moments[step]} moments")  # noqa: T201 - `make test-full` is read
