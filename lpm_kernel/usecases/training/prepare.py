"""Making the rows of a training, to be read, struck and added to before anything is learned."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lpm_kernel.domain.ids import JobId
from lpm_kernel.domain.training.runs import (
    Audience,
    Example,
    ExampleKind,
    Run,
    RunId,
    RunState,
    Synthesiser,
    TrainingSource,
)
from lpm_kernel.errors import ConflictError, InvalidInputError
from lpm_kernel.L2.asked_by_model import AskedByModel, identifier
from lpm_kernel.L2.dataset import Dataset, DatasetMix, build
from lpm_kernel.L2.render import messages
from lpm_kernel.usecases.training.material import Material, Replay, material, material_of
from lpm_kernel.usecases.training.ports import TrainingBase, TrainingPorts
from lpm_kernel.usecases.training.rows import (
    examples_in,
    hash_of,
    wordings_in,
    write_lines,
    write_rows,
)
from lpm_kernel.usecases.training.settings import ROWS, settings

FEWEST = 3
"""Statements below which there is nothing to learn."""
SAMPLES = 3
"""Questions whose answers are shown before and while it learns."""


@dataclass(frozen=True)
class GoesOn:
    """What a training goes on from when it grows by itself."""

    run: Run
    job: JobId
    """The job that makes it."""


def prepare(
    ports: TrainingPorts,
    base: TrainingBase,
    given: Mapping[str, Any],
    *,
    private: bool = False,
    added: Sequence[Example] = (),
    goes_on: GoesOn | None = None,
) -> Run:
    """Make the rows of a training so that they can be read and struck. Nothing is learned yet, and
    no model is asked: see ``wording.py``.

    Raises ``InvalidInputError`` where there is too little to learn or a setting cannot be.
    """
    wanted = settings(given)
    now = ports.clock.now()
    found = material(ports, private=private, replay=Replay.of(wanted, now))
    if len(found.taught) < (1 if goes_on else FEWEST):
        raise InvalidInputError(
            f"There are {len(found.taught)} memories to learn from; a training needs at"
            f" least {FEWEST}.",
            "Keep some of what the node learned (Memory, Today), or write statements under “##"
            " Retain” in a note.",
        )
    run = Run(
        id=RunId("t_" + secrets.token_hex(8)),
        number=0,
        state=RunState.PREPARED,
        created_at=now,
        settings={
            **wanted,
            "struck": [],
            **({"start": goes_on.run.id, "grown": goes_on.job} if goes_on else {}),
        },
        base=base.name,
        synthesiser=(
            identifier(ports.synthesiser) if wanted["wording"] == "model" else ports.synthesiser.id
        ),
        audience=_audience(found, goes_on),
        parent=ports.runs.in_use().run,
        left_out=found.left_out,
    )
    place = ports.folder / run.id
    place.mkdir(parents=True, mode=0o700)
    (place / "struck.json").write_text("[]", "utf-8")
    write_rows(place / "added.jsonl", added)
    dataset = _write(ports, place, run, found)
    return ports.runs.add(
        _with_rows(run, place, dataset, found), _sources(ports, run, dataset, found)
    )


def _audience(found: Material, goes_on: GoesOn | None) -> Audience:
    """Tell whom it may answer: weights hold what those held from which they go on."""
    before = goes_on is not None and goes_on.run.audience is Audience.OWNER
    private = before or any(taught.private for taught in found.taught)
    return Audience.OWNER if private else Audience.ANYBODY


def rewrite(
    ports: TrainingPorts,
    run: Run,
    *,
    struck: Iterable[str] = (),
    unstruck: Iterable[str] = (),
    added: Sequence[Example] = (),
) -> Run:
    """Strike rows, bring struck ones back, or add rows of the person's own. Raises
    ``ConflictError`` once it began to learn.
    """
    if run.state is not RunState.PREPARED:
        raise ConflictError(
            "This training has begun, so its rows stay as they are.", "Prepare another one."
        )
    place = ports.folder / run.id
    kept = (set(json.loads((place / "struck.json").read_text("utf-8"))) | set(struck)) - set(
        unstruck
    )
    (place / "struck.json").write_text(json.dumps(sorted(kept)), "utf-8")
    before = list(examples_in(place / "added.jsonl"))
    write_rows(
        place / "added.jsonl", [*before, *(example for example in added if example not in before)]
    )
    return remake(ports, run, material_of(ports, run))


def remake(ports: TrainingPorts, run: Run, found: Material) -> Run:
    """Make the rows anew from what is believed now and what a model said."""
    place = ports.folder / run.id
    dataset = _write(ports, place, run, found)
    ports.runs.relearn(run.id, _sources(ports, run, dataset, found))
    fresh = _with_rows(run, place, dataset, found)
    return ports.runs.change(run.id, rows=fresh.rows, left_out=fresh.left_out, hashes=fresh.hashes)


def _write(ports: TrainingPorts, place: Path, run: Run, found: Material) -> Dataset:
    """Make the rows from what is believed now and write them down, with what the recipe needs."""
    wanted = DatasetMix(**{name: run.settings[name] for name in ROWS}, seed=run.settings["seed"])
    struck = json.loads((place / "struck.json").read_text("utf-8"))
    added = list(examples_in(place / "added.jsonl"))
    dataset = build(
        found.taught,
        _synthesiser(ports, place, run),
        wanted,
        struck=struck,
        called=ports.called,
        added=added,
    )
    write_rows(place / "rows.jsonl", dataset.made)
    for name, rows in (("examples.jsonl", dataset.examples), ("held_out.jsonl", dataset.held_out)):
        write_lines(place / name, (_for_trainer(row, ports.name) for row in rows))
    write_lines(
        place / "material.jsonl",
        (
            {
                "memory": taught.memory,
                "text": taught.text,
                "entities": taught.entities,
                "private": taught.private,
                "document": taught.document,
            }
            for taught in (*found.taught, *found.withheld, *found.older)
        ),
    )
    samples = [
        row.question
        for row in dataset.held_out
        if row.kind in (ExampleKind.FACT, ExampleKind.THIRD)
    ][:SAMPLES]
    (place / "samples.json").write_text(json.dumps(samples, ensure_ascii=False), "utf-8")
    return dataset


def _synthesiser(ports: TrainingPorts, place: Path, run: Run) -> Synthesiser:
    """Return who words the questions of a training."""
    if run.settings.get("wording") != "model":
        return ports.synthesiser
    return AskedByModel(wordings_in(place), run.base, ports.name, ports.synthesiser)


def _for_trainer(row: Example, name: str) -> dict[str, Any]:
    before = [{"role": message.role, "content": message.content} for message in messages(row, name)]
    return {"prompt": before, "completion": [{"role": "assistant", "content": row.answer}]}


def _with_rows(run: Run, place: Path, dataset: Dataset, found: Material) -> Run:
    made = {
        "examples": hash_of(place / "examples.jsonl"),
        "held_out": hash_of(place / "held_out.jsonl"),
    }
    left_out = {**found.left_out, **dataset.left_out}
    return replace(
        run,
        rows={**dataset.counts, "held_out": len(dataset.held_out)},
        left_out=left_out,
        hashes={**run.hashes, **made},
    )


def _sources(
    ports: TrainingPorts, run: Run, dataset: Dataset, found: Material
) -> list[TrainingSource]:
    """Return what a training learns from, and what that learned from which it goes on: the weights
    hold both.
    """
    where = {taught.memory: taught.document for taught in found.taught}
    start = run.settings.get("start")
    inherited = ports.runs.sources(RunId(str(start))) if start else []
    learned = [TrainingSource(memory, where.get(memory)) for memory in dataset.memories]
    return list({source.memory: source for source in (*inherited, *learned)}.values())
