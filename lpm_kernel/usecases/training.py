"""Trainings: what is learned is gathered and can be read, learned, exported, examined, taken into use and given up again.

A training is a row in the registry and a folder. The row has figures and ids; the folder has everything in words, so
that erasing a memory takes the folder of every training that learned it. Each step leaves a file behind when it is
whole and is not done again, so a training that was killed at any moment goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from lpm_kernel.domain.decisions import Decision
from lpm_kernel.domain.documents import Document, Problem
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memories import Belief, Memories, MemoryId, Wished
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Decisions, Documents, Runs
from lpm_kernel.domain.training import (
    Audience,
    Example,
    ExampleKind,
    InUse,
    Learned,
    LearnedFrom,
    Maker,
    Run,
    RunId,
    RunState,
    Source,
    Synthesiser,
    Taught,
    Trainer,
)
from lpm_kernel.errors import ConflictError, InvalidInputError, NotEnoughMemoryError, NotFoundError
from lpm_kernel.L2.asked_by_model import AskedByModel, identifier
from lpm_kernel.L2.dataset import Dataset, Wanted, build
from lpm_kernel.L2.render import as_person, messages

Progress = Callable[[float, str, str], None]

FEWEST = 3
"""Statements below which there is nothing to learn."""
SAMPLES = 3
"""Questions whose answers are shown before and while it learns."""
FREE_SHARE = 0.9
"""Share of the free memory that a training may take."""
BITES = (16, 8, 4, 2, 1)
GIGABYTE = 1_000_000_000
WORDINGS = "wordings.jsonl"
"""What a model said when it was asked for questions, by what it was asked."""

RECIPE = frozenset(
    ["rank", "alpha", "dropout", "learning_rate", "warmup_steps", "epochs", "steps", "batch", "bite", "checkpoint_every", "patience", "seed", "threads", "precision"]
)  # fmt: skip
ROWS = frozenset({"questions", "notes", "unknown", "general"})
DEFAULTS: Mapping[str, Any] = {
    "rank": 16, "alpha": 32, "dropout": 0.0, "learning_rate": 5e-4, "warmup_steps": 20, "epochs": 3, "steps": None, "batch": 16, "bite": None, "checkpoint_every": 25,
    "patience": 4, "seed": 1, "threads": None, "precision": "auto", "questions": 32, "wording": "templates", "notes": 0.08, "unknown": 0.2, "general": 0.12,
    "exam_questions": 120,
}  # fmt: skip
ONE_OF: Mapping[str, tuple[str, ...]] = {"precision": ("auto", "float32", "bfloat16"), "wording": ("templates", "model")}
LEAST: Mapping[str, float] = {"rank": 1, "alpha": 1, "dropout": 0, "learning_rate": 1e-7, "warmup_steps": 0, "epochs": 1, "steps": 1, "batch": 1, "bite": 1, "checkpoint_every": 1,
                              "patience": 1, "seed": 0, "threads": 1, "questions": 1, "notes": 0, "unknown": 0, "general": 0, "exam_questions": 0}  # fmt: skip
MOST: Mapping[str, float] = {"rank": 256, "alpha": 1024, "dropout": 0.9, "learning_rate": 0.1, "warmup_steps": 10_000, "epochs": 100, "steps": 1_000_000, "batch": 512, "bite": 512,
                             "checkpoint_every": 100_000, "patience": 1000, "seed": 2**31 - 1, "threads": 512, "questions": 200, "notes": 2, "unknown": 2, "general": 2, "exam_questions": 10_000}  # fmt: skip


@dataclass(frozen=True)
class Base:
    """What a training starts from."""

    name: str
    learns: Path
    """What the trainer reads: a Hugging Face folder or a GGUF file."""
    serves: Path
    """The GGUF file that the model host serves, onto which the adapter is put."""
    bytes: int
    """What the weights need in memory while they are trained: four bytes for each parameter."""


@dataclass(frozen=True)
class Desk:
    """What trainings are made with."""

    runs: Runs
    memories: Memories
    documents: Documents
    trainer: Trainer
    synthesiser: Synthesiser
    folder: Path
    clock: Clock
    name: str = field(repr=False)
    """Of the person."""
    called: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    """By name, what else its bearer is called."""
    decisions: Decisions | None = field(default=None, repr=False)
    correction: Callable[[Decision], str | None] = field(default=lambda _: None, repr=False)
    """How a mended sentence reads rightly."""


@dataclass(frozen=True)
class Material:
    """What could be learned, and what is held back and why."""

    taught: tuple[Taught, ...]
    withheld: tuple[Taught, ...]
    """Private statements: they are learned only by a training for the owner alone, and asked for by nobody else."""
    left_out: Mapping[str, int]


def material(desk: Desk, *, private: bool = False) -> Material:
    """Gather every statement that is believed now. Private ones only where the training answers its owner alone.

    What the person wants forgotten is not learned, and what they mended is learned as it reads rightly.
    """
    believed = _all(desk.memories, Wished())
    documents = {each.id: each for each in desk.documents.many(sorted({each.document for each in believed}))}
    taught: list[Taught] = []
    withheld: list[Taught] = []
    decided = desk.decisions.about(sorted(documents)) if desk.decisions else {}
    gone = struck = 0
    for each in believed:
        document = documents.get(each.document)
        if document is None:
            gone += 1
            continue
        statement, text, source = each.statement, each.statement.text, each.document
        against = next((one for one in decided.get(document.id, ()) if one.strikes and _concerns(one, each, document)), None)
        if against is not None:
            rightly = desk.correction(against)
            if not rightly or against.correction is None:
                struck += 1
                continue
            text, source = rightly.strip(), against.correction
        one = Taught(
            each.memory,
            text,
            statement.entities,
            statement.kind,
            source,
            document.created_at,
            document.private,
        )
        (withheld if document.private and not private else taught).append(one)
    left_out = {"private": len(withheld), "put_away": gone, "forgotten": struck}
    return Material(tuple(taught), tuple(withheld), {why: count for why, count in left_out.items() if count})


def _concerns(decision: Decision, belief: Belief, document: Document) -> bool:
    """Tell whether a decision about words of a document is about this statement of it."""
    if decision.text_version == document.text_version and decision.start < belief.end and belief.start < decision.end:
        return True
    said, quote = " ".join(belief.statement.text.split()), " ".join(decision.quote.split())
    return bool(quote) and (said in quote or quote in said)


def _all(memories: Memories, wished: Wished) -> list[Belief]:
    found: list[Belief] = []
    cursor: str | None = None
    while True:
        page, cursor = memories.page(wished, limit=500, cursor=cursor)
        found += page
        if cursor is None:
            return sorted(found, key=lambda each: (each.believed_from, each.memory))


def settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every setting of a training, those that are not given at their defaults. Raises ``InvalidInputError`` that names the one that cannot be."""
    if unknown := sorted(set(given) - set(DEFAULTS)):
        raise InvalidInputError(f"There is no setting “{unknown[0]}”.", f"The settings are: {', '.join(DEFAULTS)}.")
    for name, value in given.items():
        if name in ONE_OF:
            if value not in ONE_OF[name]:
                raise InvalidInputError(f"The setting “{name}” cannot be {value!r}.", f"It is one of {', '.join(ONE_OF[name])}.")
        elif value is None:
            if DEFAULTS[name] is not None:
                raise InvalidInputError(f"The setting “{name}” needs a number.", f"Between {LEAST[name]:g} and {MOST[name]:g}.")
        elif isinstance(value, bool) or not isinstance(value, int | float) or not LEAST[name] <= value <= MOST[name]:
            raise InvalidInputError(f"The setting “{name}” cannot be {value!r}.", f"It lies between {LEAST[name]:g} and {MOST[name]:g}.")
    return {**DEFAULTS, **given}


def prepare(desk: Desk, base: Base, given: Mapping[str, Any], *, private: bool = False, added: Sequence[Example] = (), struck: Iterable[str] = ()) -> Run:
    """Make the rows of a training so that they can be read and struck. Nothing is learned yet, and no model is asked: see ``wording.py``.

    Raises ``InvalidInputError`` where there is too little to learn or a setting cannot be.
    """
    wanted = settings(given)
    found = material(desk, private=private)
    if len(found.taught) < FEWEST:
        raise InvalidInputError(
            f"There are {len(found.taught)} kept statements to learn from; a training needs at least {FEWEST}.",
            "Keep some of what the node learned (Memory, Today), or write statements under “## Retain” in a note.",
        )
    run = Run(
        id=RunId("t_" + secrets.token_hex(8)),
        number=0,
        state=RunState.PREPARED,
        created_at=desk.clock.now(),
        settings={**wanted, "struck": sorted(struck)},
        base=base.name,
        synthesiser=identifier(desk.synthesiser) if wanted["wording"] == "model" else desk.synthesiser.id,
        audience=Audience.OWNER if any(each.private for each in found.taught) else Audience.ANYBODY,
        parent=desk.runs.in_use().run,
        left_out=found.left_out,
    )
    place = desk.folder / run.id
    place.mkdir(parents=True, mode=0o700)
    (place / "struck.json").write_text(json.dumps(sorted(struck)), "utf-8")
    _write_rows(place / "added.jsonl", added)
    dataset = _write(desk, place, run, found)
    return desk.runs.add(_with_rows(run, place, dataset, found), _sources(dataset, found))


def rewrite(desk: Desk, run: Run, *, struck: Iterable[str] = (), unstruck: Iterable[str] = (), added: Sequence[Example] = ()) -> Run:
    """Strike rows, bring struck ones back, or add rows of the person's own. Raises ``ConflictError`` once it began to learn."""
    if run.state is not RunState.PREPARED:
        raise ConflictError("This training has begun, so its rows stay as they are.", "Prepare another one.")
    place = desk.folder / run.id
    kept = (set(json.loads((place / "struck.json").read_text("utf-8"))) | set(struck)) - set(unstruck)
    (place / "struck.json").write_text(json.dumps(sorted(kept)), "utf-8")
    before = list(examples_in(place / "added.jsonl"))
    _write_rows(place / "added.jsonl", [*before, *(each for each in added if each not in before)])
    return remake(desk, run, material(desk, private=run.audience is Audience.OWNER))


def remake(desk: Desk, run: Run, found: Material) -> Run:
    """Make the rows anew from what is believed now and what a model said."""
    place = desk.folder / run.id
    dataset = _write(desk, place, run, found)
    desk.runs.relearn(run.id, _sources(dataset, found))
    fresh = _with_rows(run, place, dataset, found)
    return desk.runs.change(run.id, rows=fresh.rows, left_out=fresh.left_out, hashes=fresh.hashes)


def _write(desk: Desk, place: Path, run: Run, found: Material) -> Dataset:
    """Make the rows from what is believed now and write them down, with what the recipe needs."""
    wanted = Wanted(**{name: run.settings[name] for name in ROWS}, seed=run.settings["seed"])
    struck = json.loads((place / "struck.json").read_text("utf-8"))
    added = list(examples_in(place / "added.jsonl"))
    dataset = build(found.taught, _synthesiser(desk, place, run), wanted, struck=struck, called=desk.called, added=added)
    _write_rows(place / "rows.jsonl", dataset.made)
    for name, rows in (("examples.jsonl", dataset.examples), ("held_out.jsonl", dataset.held_out)):
        _write_lines(place / name, (_for_trainer(row, desk.name) for row in rows))
    _write_lines(
        place / "material.jsonl",
        (
            {"memory": each.memory, "text": each.text, "entities": each.entities, "private": each.private, "document": each.document}
            for each in (*found.taught, *found.withheld)
        ),
    )
    samples = [row.question for row in dataset.held_out if row.kind in (ExampleKind.FACT, ExampleKind.THIRD)][:SAMPLES]
    (place / "samples.json").write_text(json.dumps(samples, ensure_ascii=False), "utf-8")
    return dataset


def _synthesiser(desk: Desk, place: Path, run: Run) -> Synthesiser:
    """Return who words the questions of a training."""
    if run.settings.get("wording") != "model":
        return desk.synthesiser
    return AskedByModel(wordings_in(place), run.base, desk.name, desk.synthesiser)


def wordings_in(place: Path) -> dict[str, str]:
    """Read what a model said; a line that a kill cut short does not count."""
    found: dict[str, str] = {}
    if (place / WORDINGS).exists():
        for line in (place / WORDINGS).read_text("utf-8", "replace").splitlines():
            with suppress(ValueError, KeyError):
                row = json.loads(line)
                found[row["key"]] = row["answer"]
    return found


def _for_trainer(row: Example, name: str) -> dict[str, Any]:
    before = [{"role": each.role, "content": each.content} for each in messages(row, name)]
    return {"prompt": before, "completion": [{"role": "assistant", "content": row.answer}]}


def _with_rows(run: Run, place: Path, dataset: Dataset, found: Material) -> Run:
    made = {"examples": _hash(place / "examples.jsonl"), "held_out": _hash(place / "held_out.jsonl")}
    left_out = {**found.left_out, **dataset.left_out}
    return replace(run, rows={**dataset.counts, "held_out": len(dataset.held_out)}, left_out=left_out, hashes={**run.hashes, **made})


def _sources(dataset: Dataset, found: Material) -> list[Source]:
    where = {each.memory: each.document for each in found.taught}
    return [Source(memory, where.get(memory)) for memory in dataset.memories]


# --- rows in files --------------------------------------------------------------------------------


def examples_in(file: Path) -> Iterable[Example]:
    """Read rows as they were written."""
    if not file.exists():
        return
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield Example(
            ExampleKind(row["kind"]),
            row["question"],
            row["answer"],
            tuple(row["notes"]),
            tuple(MemoryId(each) for each in row["memories"]),
            Maker(row["maker"]),
        )


def as_row(example: Example) -> dict[str, Any]:
    """Give an example as it is written and exported."""
    return {
        "id": example.id,
        "kind": example.kind.value,
        "question": example.question,
        "answer": example.answer,
        "notes": list(example.notes),
        "memories": list(example.memories),
        "maker": example.maker.value,
    }


def _write_rows(file: Path, rows: Iterable[Example]) -> None:
    _write_lines(file, map(as_row, rows))


def _write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    part = file.with_suffix(".part")
    part.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    part.chmod(0o600)
    part.replace(file)


def _hash(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


# --- learning -------------------------------------------------------------------------------------


def measure(desk: Desk, run: Run, base: Base, progress: Progress) -> Run:
    """Take three steps and note what the whole would need, in bites that fit, unless that is known of as many rows. Raises ``NotEnoughMemoryError``."""
    if run.estimate is not None and run.estimate.get("rows", rows_of(run)) == rows_of(run):
        return run
    place = desk.folder / run.id
    free = int(psutil.virtual_memory().available * FREE_SHARE)
    if base.bytes > free:
        raise NotEnoughMemoryError(base.bytes, free, f"A base with at most {free / 4 / GIGABYTE:.1f} billion parameters would fit.")
    asked = run.settings["bite"]
    bites = [asked] if asked else [bite for bite in BITES if bite <= run.settings["batch"]] or [run.settings["batch"]]
    estimate: Mapping[str, Any] = {}
    for bite in bites:
        progress(0.05, "measure", f"Three steps in bites of {bite}, to tell how long it takes")
        _write_recipe(desk, place, run, base, bite)
        estimate = {**desk.trainer.measure(place, lambda _: progress(0.05, "measure", "Measuring three steps")), "bite": bite, "rows": rows_of(run)}
        free = int(estimate["free_bytes"] * FREE_SHARE) if estimate.get("free_bytes") else free
        if estimate["peak_bytes"] <= free:
            return desk.runs.change(run.id, estimate=estimate)
    smaller = [bite for bite in BITES if bite < (asked or 1)]
    hint = f"Leave the bite to the node, or take {smaller[0]}." if smaller else "End other programs, or take a smaller base or a lower rank."
    raise NotEnoughMemoryError(int(estimate["peak_bytes"]), free, hint)


def rows_of(run: Run) -> int:
    """Count the rows that a training learns."""
    return sum(count for kind, count in run.rows.items() if kind != "held_out")


def _write_recipe(desk: Desk, place: Path, run: Run, base: Base, bite: int) -> None:
    samples = json.loads((place / "samples.json").read_text("utf-8"))
    asked = [json.dumps([{"role": each.role, "content": each.content} for each in as_person(question, desk.name)], ensure_ascii=False) for question in samples]
    recipe = {name: run.settings[name] for name in RECIPE} | {"base": str(base.learns), "bite": bite, "samples": asked}
    part = place / "recipe.part"
    part.write_text(json.dumps(recipe, ensure_ascii=False), "utf-8")
    part.replace(place / "recipe.json")


def learn(desk: Desk, run: Run, base: Base, progress: Progress) -> Run:
    """Learn what was prepared, from the last checkpoint on. What ``progress`` raises stops it with a checkpoint."""
    place = desk.folder / run.id
    if run.outcome is not None and (place / "adapter.gguf").exists():
        return run
    if not (place / "recipe.json").exists():
        _write_recipe(desk, place, run, base, (run.estimate or {}).get("bite") or run.settings["bite"] or run.settings["batch"])
    at = [0, 1]

    def said(step: Learned) -> None:
        if step.of:
            at[:] = max(at[0], step.step), step.of
        progress(0.1 + 0.6 * at[0] / at[1], "learn", f"Step {at[0]} of {at[1]}" if at[0] else "Loading the model")

    outcome = desk.trainer.learn(place, said)
    progress(0.72, "export", "Writing it as the model host reads it")
    served = desk.trainer.export(place, base.serves, f"{run.id}")
    return desk.runs.change(run.id, outcome=dict(outcome), hashes={**run.hashes, "adapter": _hash(served)})


def stop(desk: Desk, run: Run) -> Run:
    """Note that a training does not go on for now."""
    return desk.runs.change(run.id, state=RunState.STOPPED) if run.state is RunState.WORKING else run


def failed(desk: Desk, run: RunId, problem: Problem) -> Run:
    """Note why it does not go on; one of which something was erased meanwhile stays what it is."""
    known = desk.runs.get(run)
    return known if known.state is RunState.TAINTED else desk.runs.change(run, state=RunState.STOPPED, error=problem)


# --- in use ---------------------------------------------------------------------------------------


def promote(desk: Desk, run: Run, *, insist: bool = False) -> InUse:
    """Let a training answer as the person. Raises ``ConflictError`` where it is not ready, or got worse and nobody insists."""
    if run.state is not RunState.READY:
        raise ConflictError("This training is not ready to be used.", "Let it learn to the end first.")
    if run.scorecard is not None and not run.scorecard.verdict.better and not insist:
        worse = ", ".join(run.scorecard.verdict.reasons) or "it knows no more than before"
        raise ConflictError(
            f"This training is not better than what is in use ({worse}).",
            "Look at its scorecard. To use it all the same, insist (`--insist`, or “Use it anyway”).",
        )
    return desk.runs.use(run.id, desk.clock.now(), insisted=insist and run.scorecard is not None and not run.scorecard.verdict.better)


def roll_back(desk: Desk) -> InUse:
    """Go one step back: to what was in use before, as far as it is still there, else the base. Raises ``ConflictError`` where nothing is in use."""
    now = desk.runs.in_use()
    if now.run is None:
        raise ConflictError("The base is in use; there is nothing to go back from.", "")
    return desk.runs.use(_before(desk, {now.run}), desk.clock.now())


def _before(desk: Desk, without: set[RunId]) -> RunId | None:
    """Give what was in use before the training in use was taken into use for the first time; without these, and without those that are not ready any more."""
    uses = desk.runs.used()
    first = max((place for place, use in enumerate(uses) if use.run == uses[0].run), default=0)
    for use in uses[first + 1 :]:
        if use.run is None:
            return None
        if use.run in without:
            continue
        try:
            if desk.runs.get(use.run).state is RunState.READY:
                return use.run
        except NotFoundError:
            continue
    return None


def delete(desk: Desk, run: Run) -> None:
    """Delete a training with everything in its folder. Raises ``ConflictError`` while it is in use or at work."""
    if run.state is RunState.WORKING:
        raise ConflictError("This training is at work.", "Cancel it first.")
    if desk.runs.in_use().run == run.id:
        raise ConflictError("This training is in use.", "Take another one into use, or the base, first.")
    shutil.rmtree(desk.folder / run.id, ignore_errors=True)
    desk.runs.delete(run.id)


def learned_from(desk: Desk, run: Run) -> list[LearnedFrom]:
    """Return what a training learned from, each statement as it was learned and as it reads now."""
    then = {row["memory"]: row["text"] for row in map(json.loads, _lines_in(desk.folder / run.id / "material.jsonl"))}
    now = {each.memory: each.text for each in material(desk, private=True).taught}
    return [LearnedFrom(each.memory, each.document, then.get(each.memory), now.get(each.memory)) for each in desk.runs.sources(run.id)]


def concerned(runs: Runs, memories: Memories, documents: Collection[DocumentId]) -> list[Run]:
    """Return the trainings that learned something of these documents, or what the person put right in them."""
    told = sorted({belief.memory for document in documents for belief in memories.believed(document)})
    return list(
        {
            run.id: run for run in (*runs.resting_on(documents), *(run for each in told for run in runs.knowing(each))) if run.state is not RunState.TAINTED
        }.values()
    )


def taint(desk: Desk, documents: Sequence[DocumentId]) -> list[Run]:
    """Take out of service, at once, every training that learned something of what is erased, and remove everything that it left in words or weights.

    The newest clean one that was in use before takes its place, else the base. Doing it twice is doing it once.
    """
    told = {belief.memory for document in documents for belief in desk.memories.believed(document)}
    touched = concerned(desk.runs, desk.memories, documents)
    ids = {run.id for run in touched}
    if desk.runs.in_use().run in ids:
        desk.runs.use(_before(desk, ids), desk.clock.now())
    for run in touched:
        shutil.rmtree(desk.folder / run.id, ignore_errors=True)
        desk.runs.change(run.id, state=RunState.TAINTED, ended_at=desk.clock.now())
    for place in desk.folder.glob("t_*") if desk.folder.is_dir() else ():
        _scrub(place, set(documents), told)
    return touched


def _scrub(place: Path, documents: set[DocumentId], told: set[MemoryId]) -> None:
    """Take out of the words of a training what it did not learn, but held: private statements that it was examined for, and those of which every row was struck."""
    material_of = [json.loads(line) for line in lines] if (lines := _lines_in(place / "material.jsonl")) else []
    gone = {row["memory"] for row in material_of if row.get("document") in documents or row["memory"] in told}
    if not gone:
        return
    _write_lines(place / "material.jsonl", (row for row in material_of if row["memory"] not in gone))
    for name in ("rows.jsonl", "added.jsonl"):
        _write_rows(place / name, (row for row in list(examples_in(place / name)) if not gone & set(row.memories)))
    for name in ("exam.jsonl", "answers.jsonl", WORDINGS):  # the figures stay, in the registry
        (place / name).unlink(missing_ok=True)


def _lines_in(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines() if file.exists() else []
