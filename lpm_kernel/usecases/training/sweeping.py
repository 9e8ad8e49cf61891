"""Trainings whose files or rows are not there any more, and those that nobody works at any more."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from lpm_kernel.config import Home
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Jobs, Runs
from lpm_kernel.domain.training.runs import Run, RunState
from lpm_kernel.usecases.training.course import at_work, working_at
from lpm_kernel.usecases.training.learn import stop
from lpm_kernel.usecases.training.rows import lose_checkpoints
from lpm_kernel.usecases.training.service import clear_scratch, every, lose_weights

COMPARING = "comparing-"
"""How the folder of a comparison begins: it goes with what it is made for, or, where that was
killed, when the node starts.
"""
NOT_HERE = Problem(
    "Its files are not here",
    "A backup keeps what is known of a training, but not its weights.",
    "Train again; what it learned from is still kept.",
)
"""The problem of a training that came back with a backup, without its files."""


def sweep(
    registry: Runs, jobs: Jobs, clock: Clock, home: Home, scratch: Path | None = None
) -> None:
    """Remove folders of trainings that the registry does not have, and note which trainings nobody
    works at any more.
    """
    runs: dict[str, Run] = {run.id: run for run in every(registry)}
    _sweep_folders(home, runs, clock)
    if scratch is not None and scratch.is_dir():
        _sweep_scratch(scratch, runs, jobs)
    if not at_work(jobs, "merge"):
        for part in home.versions.glob("t_*/.merged-*.part"):
            part.unlink(missing_ok=True)
    for run in runs.values():
        if run.state is not RunState.TAINTED and not (home.versions / run.id).is_dir():
            registry.change(run.id, state=RunState.TAINTED, error=NOT_HERE)
            if registry.in_use().run == run.id:
                registry.use(None, clock.now())
        elif run.state is RunState.WORKING and not working_at(jobs, [run]):
            stop(registry, run)


def _sweep_folders(home: Home, runs: Mapping[str, Run], clock: Clock) -> None:
    """Remove trainings that are out of service for good, and weights that were thinned out; put
    aside what belongs to none.
    """
    for folder in home.versions.iterdir() if home.versions.is_dir() else ():
        if folder.is_dir() and folder.name.startswith(COMPARING):
            shutil.rmtree(folder, ignore_errors=True)
        if not folder.is_dir() or not folder.name.startswith("t_"):
            continue
        if folder.name not in runs:
            _put_aside(folder, home.aside, clock)
        elif runs[folder.name].state is RunState.TAINTED:
            shutil.rmtree(folder, ignore_errors=True)
        elif runs[folder.name].state is RunState.THINNED:
            lose_weights(folder)
        elif runs[folder.name].state is RunState.READY:
            lose_checkpoints(folder)


def _sweep_scratch(scratch: Path, runs: Mapping[str, Run], jobs: Jobs) -> None:
    """Remove the plain text that a killed process left where it learned, unless it is gone on."""
    for place in scratch.glob("gone_*"):
        shutil.rmtree(place, ignore_errors=True)
    for place in scratch.glob("t_*"):
        run = runs.get(place.name)
        learns = run is not None and run.state in (RunState.PREPARED, RunState.WORKING)
        if run is None or not learns or not working_at(jobs, [run]):
            clear_scratch(scratch, place.name)


def _put_aside(folder: Path, aside: Path, clock: Clock) -> None:
    """Move a training that the registry does not have to where it lies for as long as deleted
    documents do; an erasure removes it.
    """
    aside.mkdir(mode=0o700, exist_ok=True)
    place = aside / folder.name
    shutil.rmtree(place, ignore_errors=True)
    now = clock.now().timestamp()
    os.utime(folder, (now, now))
    folder.replace(place)
