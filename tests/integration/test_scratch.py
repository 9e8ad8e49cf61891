"""A home on a slow disk: trainings learn in a scratch folder, and nothing of them stays there."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lpm_kernel.backends.train.scratch import ScratchTrainer, bring
from lpm_kernel.backends.train.scripted import ScriptedTrainer
from lpm_kernel.domain.training.runs import LOG, Learned, RunState
from lpm_kernel.node import Node
from tests.integration.test_kill_course import SMALL, end, train
from tests.integration.test_preference_training import MORE
from tests.integration.test_training import NOTE
from tests.training_killed import SUNDAY, Death, Moments, child, draw, opened

pytestmark = pytest.mark.integration

WORDS = b"spirit varnish"


def scratch_of(home: Path) -> Path:
    return home.with_name(f"{home.name}-scratch")


def plain(folder: Path) -> list[Path]:
    """Return the files there that hold what the person wrote."""
    return [path for path in folder.rglob("*") if path.is_file() and WORDS in path.read_bytes()]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("homes") / "prepared"
    with opened(root) as node:
        for title, text in (("Notes", NOTE), ("More", MORE)):
            node.library.add_text(text, title=title)
        node.run_jobs()
        node.training.prepare_training({**SMALL, "dpo": True, "pairs": 2})
    return root


def laid(prepared: Path, home: Path) -> Path:
    """Copy the home to where it has a scratch folder beside it."""
    shutil.copytree(prepared, home)
    with opened(home) as node:
        node.ports.change_settings(scratch=str(scratch_of(home)))
    return home


def test_it_ends_as_in_the_home_and_leaves_nothing_there(prepared: Path, tmp_path: Path) -> None:
    plain_home, home = tmp_path / "plain", laid(prepared, tmp_path / "home")
    shutil.copytree(prepared, plain_home)
    for each in (plain_home, home):
        with opened(each) as node:
            train(node)
            assert isinstance(node.training.trainer, ScratchTrainer) == (each == home)
    assert end(home, SUNDAY)["trainings"] == end(plain_home, SUNDAY)["trainings"]
    assert [path for path in scratch_of(home).rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("step", ["learn", "prefer"])
def test_killed_there_it_goes_on_there_and_nothing_stays(
    prepared: Path, tmp_path: Path, step: str
) -> None:
    dice = random.Random(step)
    calm = laid(prepared, tmp_path / "calm")
    moments = child(calm, train)
    assert moments is not None
    home = laid(prepared, tmp_path / "torn")
    deaths = [draw(moments, step, dice) for _ in range(4)]
    killed = sum(child(home, train, death) is None for death in deaths)
    assert killed
    child(home, train)
    assert end(home, SUNDAY)["trainings"] == end(calm, SUNDAY)["trainings"]
    assert [path for path in scratch_of(home).rglob("*") if path.is_file()] == []


def interrupted(node: Node) -> None:
    """Leave plain text there, as a process does that is killed while it learns."""
    trainer, run = node.training.trainer, next(iter(node.ports.runs.page(limit=1)[0]))
    place = node.ports.home.versions / run.id
    (place / "recipe.json").write_text('{"steps": 3}', "utf-8")
    assert isinstance(trainer, ScratchTrainer)
    trainer.measure(place, lambda _: None)
    assert node.training.scratch is not None
    assert plain(node.training.scratch)


def test_what_is_erased_goes_from_there_at_once(prepared: Path, tmp_path: Path) -> None:
    home = laid(prepared, tmp_path / "home")
    with opened(home) as node:
        interrupted(node)
        (doomed,) = [each for each in node.ports.documents.all() if each.title == "Notes"]
        node.home.confirm_erasure(node.home.propose_erasure([doomed.id]).token)
        assert plain(scratch_of(home)) == []


def test_a_start_empties_what_nobody_works_at(prepared: Path, tmp_path: Path) -> None:
    home = laid(prepared, tmp_path / "home")
    with opened(home) as node:
        interrupted(node)
    with opened(home) as node:
        node.reconcile()
        assert plain(scratch_of(home)) == []
        assert next(iter(node.ports.runs.page(limit=1)[0])).state is RunState.PREPARED


class StoppedError(Exception):
    """The person stopped it."""


def test_one_that_is_stopped_shows_how_far_it_came_and_takes_its_checkpoints_home(
    tmp_path: Path,
) -> None:
    class Checkpointing(ScriptedTrainer):
        def learn(self, run: Path, said: Callable[[Learned], None]) -> dict[str, object]:
            (run / "checkpoints" / "checkpoint-1").mkdir(parents=True, exist_ok=True)
            (run / "checkpoints" / "checkpoint-1" / "whole").touch()
            return dict(super().learn(run, said))

    run, scratch = tmp_path / "t_1", tmp_path / "scratch"
    run.mkdir()
    for name in ("examples.jsonl", "held_out.jsonl"):
        (run / name).write_text("{}\n", "utf-8")
    (run / "recipe.json").write_text('{"steps": 5}', "utf-8")

    def said(learned: Learned) -> None:
        if learned.step == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        ScratchTrainer(Checkpointing(), scratch).learn(run, said)
    assert len((run / "progress.jsonl").read_text("utf-8").splitlines()) == 2
    assert (run / LOG).exists()
    assert (run / "checkpoints" / "checkpoint-1" / "whole").exists()
    assert [path for path in scratch.rglob("*") if path.is_file()] == []
    ScratchTrainer(Checkpointing(), scratch).learn(run, lambda _: None)  # it goes on
    told = [json.loads(line) for line in (run / "progress.jsonl").read_text("utf-8").splitlines()]
    assert [each["step"] for each in told] == [1, 2, 3, 4, 5]


def test_a_copy_that_is_killed_at_any_moment_leaves_a_whole_one(tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(source, "new")
    killed = number = 0
    while True:
        number += 1
        place = tmp_path / f"home-{number}"
        target, before = place / "adapter", place / ".adapter.before"
        write(target, "old")
        pid = os.fork()
        if pid == 0:  # pragma: no cover - the child is not measured
            Moments(place, Death("begin", number))
            bring(source, target)
            os._exit(0)
        _, ended = os.waitpid(pid, 0)
        there = {
            path.name: path.read_text()
            for path in (target if target.exists() else before).iterdir()
        }
        assert there in (dict.fromkeys("ab", "old"), dict.fromkeys("ab", "new"))
        bring(source, target)
        assert {path.name: path.read_text() for path in target.iterdir()} == dict.fromkeys(
            "ab", "new"
        )
        assert [path.name for path in place.iterdir()] == ["adapter"]
        if not os.WIFSIGNALED(ended):
            break
        killed += 1
    assert killed > 5


def write(folder: Path, words: str) -> None:
    folder.mkdir(parents=True)
    for name in "ab":
        (folder / name).write_text(words)
