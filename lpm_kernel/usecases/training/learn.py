"""Measuring what a training needs, and learning it, from the last checkpoint on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil

from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.domain.stores import Runs
from lpm_kernel.domain.training.runs import Learned, Run, RunId, RunState, adapter_in
from lpm_kernel.errors import NotEnoughMemoryError, OutOfMemoryError
from lpm_kernel.L2.render import as_person
from lpm_kernel.usecases.training.examination import ExaminedModel
from lpm_kernel.usecases.training.own_answers import ask_itself
from lpm_kernel.usecases.training.pair_rows import ON_POLICY, PAIRS
from lpm_kernel.usecases.training.ports import TrainingBase, TrainingPorts
from lpm_kernel.usecases.training.rows import (
    hash_of,
    lines_in,
    lose_checkpoints,
    rows_of,
    write_whole,
)
from lpm_kernel.usecases.training.settings import PREFERENCES, RECIPE

FREE_SHARE = 0.9
"""Share of the free memory that a training may take."""
SUPERVISED = "sft.gguf"
"""What was learned before preferences were, to be examined beside it."""
MICRO_BATCH_SIZES = (16, 8, 4, 2, 1)
GIGABYTE = 1_000_000_000
OF_REFERENCE = 1 / 3
"""What going forward alone takes, of a step's time: going back takes twice as long."""


def measure(ports: TrainingPorts, run: Run, base: TrainingBase, progress: Progress) -> Run:
    """Take three steps and note what the whole would need, in micro-batches that fit, unless
    that is known of as many rows. Raises ``NotEnoughMemoryError``.
    """
    if run.estimate is not None and run.estimate.get("rows", rows_of(run)) == rows_of(run):
        return run
    place = ports.folder / run.id
    free = int(psutil.virtual_memory().available * FREE_SHARE)
    if base.bytes > free:
        raise NotEnoughMemoryError(
            base.bytes,
            free,
            f"A base with at most {free / 4 / GIGABYTE:.1f} billion parameters would fit.",
        )
    asked, batch = run.settings["micro_batch_size"], run.settings["batch"]
    sizes = [asked] if asked else [size for size in MICRO_BATCH_SIZES if size <= batch] or [batch]
    estimate: Mapping[str, Any] = {}
    needed = 0
    for size in sizes:
        progress(
            0.05, "measure", f"Three steps in micro-batches of {size}, to tell how long it takes"
        )
        _write_recipe(ports, place, run, base, size)
        estimate = {
            **ports.trainer.measure(
                place, lambda _: progress(0.05, "measure", "Measuring three steps")
            ),
            "micro_batch_size": size,
            "rows": rows_of(run),
        }
        free = int(estimate["free_bytes"] * FREE_SHARE) if estimate.get("free_bytes") else free
        needed = _needed(estimate)
        if needed <= free:
            seconds = round(estimate["seconds"] + _seconds_of_pairs(run, place, estimate), 1)
            return ports.runs.change(run.id, estimate={**estimate, "seconds": seconds})
    smaller = [size for size in MICRO_BATCH_SIZES if size < (asked or 1)]
    hint = (
        f"Leave the micro-batch size to the node, or take {smaller[0]}."
        if smaller
        else "End other programs, or take a smaller base or a lower rank."
    )
    raise NotEnoughMemoryError(needed, free, hint)


def _needed(estimate: Mapping[str, Any]) -> int:
    """Return the bytes that must be free at once: a GPU has memory of its own, and processes on the
    processor share its.
    """
    sharing = estimate.get("devices", 1) if estimate.get("device") == "cpu" else 1
    return int(estimate["peak_bytes"]) * int(sharing)


def _seconds_of_pairs(run: Run, place: Path, estimate: Mapping[str, Any]) -> float:
    """Tell how long the pairs will take by what was measured of the rows, as time goes by what is
    read: of a pair the question twice, and all of it by the reference too, which takes no step
    back. Nothing where no preferences are learned.
    """
    if not _prefers(run, place):
        return 0.0
    rows = [_lengths(row) for row in map(json.loads, lines_in(place / "examples.jsonl"))]
    pairs = [_lengths(row) for row in map(json.loads, lines_in(place / PAIRS))]
    of_rows = sum(map(sum, rows)) * estimate["steps"] * run.settings["batch"] / (len(rows) or 1)
    of_pairs = sum(question + sum((question, *sides)) for question, *sides in pairs)
    read = of_pairs * run.settings["preference_epochs"] * (1 + OF_REFERENCE)
    return float(estimate["seconds"] * read / max(1.0, of_rows))


def _lengths(row: Mapping[str, Any]) -> list[int]:
    """Count the characters of what is asked, and of each answer."""
    parts = [row[name] for name in ("prompt", "completion", "chosen", "rejected") if name in row]
    return [sum(len(said["content"]) for said in part) for part in parts]


def _write_recipe(
    ports: TrainingPorts, place: Path, run: Run, base: TrainingBase, micro_batch_size: int
) -> None:
    samples = json.loads((place / "samples.json").read_text("utf-8"))
    asked = [
        json.dumps(
            [
                {"role": message.role, "content": message.content}
                for message in as_person(question, ports.name)
            ],
            ensure_ascii=False,
        )
        for question in samples
    ]
    recipe = {name: run.settings[name] for name in RECIPE} | {
        "base": str(base.learns),
        "micro_batch_size": micro_batch_size,
        "samples": asked,
    }
    if start := run.settings.get("start"):
        recipe |= {"start": str(adapter_in(ports.folder / str(start)))}
    write_whole(place / "recipe.json", json.dumps(recipe, ensure_ascii=False))


def has_begun(ports: TrainingPorts, run: Run) -> bool:
    """Tell whether something was learned already, so that its rows stay as they are."""
    place = ports.folder / run.id
    begun = (place / "checkpoints").is_dir() or (place / "outcome.json").exists()
    return begun or run.outcome is not None


def learn(
    ports: TrainingPorts,
    run: Run,
    base: TrainingBase,
    progress: Progress,
    supervised: Callable[[Path], ExaminedModel] | None = None,
) -> Run:
    """Learn what was prepared, from the last checkpoint on. What ``progress`` raises stops it with
    a checkpoint. ``supervised`` answers as what was learned of rows, from its adapter.
    """
    place = ports.folder / run.id
    if run.outcome is not None and (place / "adapter.gguf").exists():
        lose_checkpoints(place)
        return run
    if not (place / "recipe.json").exists():
        _write_recipe(
            ports,
            place,
            run,
            base,
            (run.estimate or {}).get("micro_batch_size")
            or run.settings["micro_batch_size"]
            or run.settings["batch"],
        )
    at = [0, 1]

    def said(step: Learned) -> None:
        if step.of:
            at[:] = max(at[0], step.step), step.of
        progress(
            0.1 + 0.5 * at[0] / at[1],
            "learn",
            f"Step {at[0]} of {at[1]}" if at[0] else "Loading the model",
        )

    learned = _in_what_fits(place / "recipe.json", lambda: ports.trainer.learn(place, said))
    outcome = dict(learned)
    prefers = _prefers(run, place)
    if prefers:
        file = place / SUPERVISED
        ports.trainer.export(place / "adapter", file, base.serves, f"{run.id}-sft")
        itself = supervised(file) if supervised and run.settings.get("on_policy") else None
        asked = itself and ask_itself(place, run, itself, ports.name, progress)
        preferred = _prefer(ports, run, base, progress, ON_POLICY if asked else PAIRS)
        outcome["preferences"] = {**preferred, **({"on_policy": asked} if asked else {})}
    progress(0.72, "export", "Writing it as the model host reads it")
    served = place / "adapter.gguf"
    ports.trainer.export(adapter_in(place), served, base.serves, f"{run.id}")
    hashes = {**run.hashes, "adapter": hash_of(served)}
    done = ports.runs.learned(run.id, ports.clock.now(), outcome, hashes)
    lose_checkpoints(place)
    return done


def _prefers(run: Run, place: Path) -> bool:
    """Tell whether preferences are to be learned, and there are any to learn and to hold out."""
    return bool(run.settings.get("dpo")) and all(
        (place / name).exists() and (place / name).stat().st_size
        for name in ("pairs.jsonl", "pairs_held_out.jsonl")
    )


def _prefer(
    ports: TrainingPorts, run: Run, base: TrainingBase, progress: Progress, pairs: str
) -> Mapping[str, Any]:
    """Learn from the pairs of a file, from the last checkpoint on."""
    place = ports.folder / run.id
    measured = json.loads((place / "recipe.json").read_text("utf-8")).get("micro_batch_size") or 8
    recipe = {given: run.settings[name] for name, given in PREFERENCES.items()} | {
        "base": str(base.learns),
        "loss_type": [run.settings["preference_loss"], "sft"],
        "pairs": pairs,
        # a pair is read as two rows
        "micro_batch_size": min(run.settings["preference_batch"], max(1, measured // 2)),
    }
    write_whole(place / "dpo.json", json.dumps(recipe))
    at = [0, 1]

    def said(step: Learned) -> None:
        if step.of:
            at[:] = max(at[0], step.step), step.of
        told = f"Preferences, step {at[0]} of {at[1]}" if at[0] else "Loading the model"
        progress(0.62 + 0.1 * at[0] / at[1], "prefer", told)

    return _in_what_fits(place / "dpo.json", lambda: ports.trainer.prefer(place, said))


def _in_what_fits(recipe: Path, learned: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """Learn, in smaller micro-batches where the memory does not suffice for those of the recipe:
    they change nothing in what is learned. It goes on from the last checkpoint.
    """
    while True:
        try:
            return learned()
        except OutOfMemoryError:
            known = json.loads(recipe.read_text("utf-8"))
            size = known.get("micro_batch_size") or 1
            if size <= 1:
                raise
            write_whole(recipe, json.dumps({**known, "micro_batch_size": size // 2}))


def stop(runs: Runs, run: Run) -> Run:
    """Note that a training does not go on for now."""
    return runs.change(run.id, state=RunState.STOPPED) if run.state is RunState.WORKING else run


def failed(ports: TrainingPorts, run: RunId, problem: Problem) -> Run:
    """Note why it does not go on: what has not begun can begin still, and one of which something
    was erased meanwhile stays what it is.
    """
    known = ports.runs.get(run)
    if known.state is RunState.TAINTED:
        return known
    state = RunState.STOPPED if known.state is RunState.WORKING else known.state
    return ports.runs.change(run, state=state, error=problem)
