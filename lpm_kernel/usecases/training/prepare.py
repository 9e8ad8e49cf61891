"""Making the rows of a training, to be read, struck and added to before anything is learned."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lpm_kernel.domain.ids import JobId
from lpm_kernel.domain.training.preferences import PreferencePair
from lpm_kernel.domain.training.runs import (
    Audience,
    Example,
    ReasoningVariant,
    Run,
    RunId,
    RunState,
    Synthesiser,
    TrainingSource,
)
from lpm_kernel.errors import ConflictError, InvalidInputError
from lpm_kernel.L2.alignment.preferences import PairMix, PairSet, PairWorld, build_pairs
from lpm_kernel.L2.asked_by_model import AskedByModel, identifier
from lpm_kernel.L2.dataset import OF_A_STATEMENT, Dataset, DatasetMix, RowWorld, build
from lpm_kernel.L2.reasoning import completion
from lpm_kernel.L2.render import messages
from lpm_kernel.L2.thought_by_model import with_model_thought
from lpm_kernel.usecases.training import striking
from lpm_kernel.usecases.training.lineage import text_hashes
from lpm_kernel.usecases.training.material import (
    Material,
    Replay,
    is_sealed,
    known_before,
    material,
    material_of,
)
from lpm_kernel.usecases.training.names import named_in
from lpm_kernel.usecases.training.pair_rows import (
    ADDED,
    inherit_pairs,
    pairs_in,
    write_pair_set,
    write_pairs,
)
from lpm_kernel.usecases.training.ports import TrainingBase, TrainingPorts
from lpm_kernel.usecases.training.preferences import CollectedPairs, collect
from lpm_kernel.usecases.training.rows import (
    THOUGHTS,
    examples_in,
    hash_of,
    lines_in,
    wordings_in,
    write_lines,
    write_rows,
    write_whole,
)
from lpm_kernel.usecases.training.settings import DEFAULTS, ROWS, settings
from lpm_kernel.usecases.training.words_elsewhere import (
    BY_ENDPOINT,
    WordsEndpoint,
    WordsLeaving,
    check_consent,
    check_endpoint,
    leaving,
    note_consent,
    words_endpoint,
)

FEWEST = 3
"""Statements below which there is nothing to learn."""
SAMPLES = 3
"""Questions whose answers are shown before and while it learns."""


@dataclass(frozen=True)
class OwnRows:
    """What the person wrote and said themselves for a training."""

    examples: Sequence[Example] = ()
    pairs: Sequence[PreferencePair] = ()
    consent: bool = False
    """That sentences may be sent to the endpoint that words the questions."""


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
    own: OwnRows = OwnRows(),
    goes_on: GoesOn | None = None,
) -> Run:
    """Make the rows of a training so that they can be read and struck. Nothing is learned yet, and
    no model is asked: see ``wording.py``.

    Raises ``InvalidInputError`` where there is too little to learn or a setting cannot be, and
    ``ConsentNeededError`` where an endpoint elsewhere is to word the questions and nobody said yes.
    """
    wanted = check_endpoint(settings(given))
    now = ports.clock.now()
    start = {"start": goes_on.run.id, "grown": goes_on.job} if goes_on else {}
    replay = Replay.of(wanted, now, known_before(ports, start))
    found = material(ports, private=private, replay=replay, documents=wanted["documents"])
    if len(found.taught) < (1 if goes_on else FEWEST):
        raise InvalidInputError(
            f"There are {len(found.taught)} memories to learn from; a training needs at"
            f" least {FEWEST}.",
            "Keep some of what the node learned (Memory, Today), or write statements under “##"
            " Retain” in a note.",
        )
    _check_consent(ports, wanted, found, consent=own.consent)
    run = Run(
        id=RunId("t_" + secrets.token_hex(8)),
        number=0,
        state=RunState.PREPARED,
        created_at=now,
        settings={**wanted, **start},
        base=base.name,
        synthesiser=_worded_by(ports, wanted),
        audience=_audience(ports, found, goes_on, private=private),
        parent=ports.runs.in_use().run,
        left_out=found.left_out,
    )
    place = ports.folder / run.id
    place.mkdir(parents=True, mode=0o700)
    striking.write_struck(place, striking.ROWS, ())
    if words_endpoint(wanted) is not None:
        note_consent(place, found.taught)
    write_rows(place / "added.jsonl", own.examples)
    write_pairs(place / ADDED, own.pairs)
    if goes_on is not None:
        inherit_pairs(ports.folder, goes_on.run, place)
        striking.inherit(
            ports.folder / goes_on.run.id, place, (*found.taught, *found.withheld, *found.older)
        )
    made = _write(ports, place, run, found)
    return ports.runs.add(_with_rows(run, place, made, found), _sources(ports, run, made, found))


def words_leaving(
    ports: TrainingPorts, given: Mapping[str, Any], *, private: bool = False
) -> WordsLeaving:
    """Say what would leave this machine if the endpoint that these settings name worded the
    questions. Nothing is sent. Raises ``InvalidInputError``.
    """
    wanted = check_endpoint(settings({**given, "wording": BY_ENDPOINT}))
    replay = Replay.of(wanted, ports.clock.now())
    found = material(ports, private=private, replay=replay, documents=wanted["documents"])
    return _leaving(ports, WordsEndpoint(wanted["words_at"]), found)


def _leaving(ports: TrainingPorts, endpoint: WordsEndpoint, found: Material) -> WordsLeaving:
    if ports.words is None:
        raise InvalidInputError("No endpoint can be asked here.", "Word by templates.")
    return leaving(endpoint, found.taught, here=ports.words.is_here(endpoint))


def _check_consent(
    ports: TrainingPorts, wanted: Mapping[str, Any], found: Material, *, consent: bool
) -> None:
    endpoint = words_endpoint(wanted)
    if endpoint is not None:
        check_consent(_leaving(ports, endpoint, found), consent=consent)


def _worded_by(ports: TrainingPorts, wanted: Mapping[str, Any]) -> str:
    """Name who words the questions, as it stands in the record of a training."""
    if wanted["wording"] == "templates":
        return ports.synthesiser.id
    endpoint = words_endpoint(wanted)
    by_model = identifier(ports.synthesiser)
    return by_model if endpoint is None else f"{endpoint.id}: {by_model}"


def _audience(
    ports: TrainingPorts, found: Material, goes_on: GoesOn | None, *, private: bool
) -> Audience:
    """Say whom a training may answer: its owner alone, once anything that it learns is private, or
    that was learned from which it goes on.
    """
    sealed = (
        (goes_on is not None and is_sealed(ports, goes_on.run))
        or any(taught.private for taught in found.taught)
        or (private and any(pair.private for pair in _collected(ports, private=True).pairs))
    )
    return Audience.OWNER if sealed else Audience.ANYBODY


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
    _check_open(run)
    place = ports.folder / run.id
    striking.strike(place, striking.ROWS, struck, unstruck)
    before = list(examples_in(place / "added.jsonl"))
    write_rows(
        place / "added.jsonl", [*before, *(example for example in added if example not in before)]
    )
    return remake(ports, run, material_of(ports, run))


def rewrite_pairs(
    ports: TrainingPorts,
    run: Run,
    *,
    struck: Iterable[str] = (),
    unstruck: Iterable[str] = (),
    added: Sequence[PreferencePair] = (),
) -> Run:
    """Strike pairs, bring struck ones back, or add pairs of the person's own. Raises
    ``ConflictError`` once it began to learn.
    """
    _check_open(run)
    place = ports.folder / run.id
    striking.strike(place, striking.PAIRS, struck, unstruck)
    before = list(pairs_in(place / ADDED))
    known = {pair.id for pair in before}
    write_pairs(place / ADDED, [*before, *(pair for pair in added if pair.id not in known)])
    return remake(ports, run, material_of(ports, run))


def freshened(ports: TrainingPorts, run: Run) -> Run:
    """Make the rows of a training anew, before it learns, where something that it was to learn is
    not believed any more, reads otherwise or was sealed since it was prepared. What was kept since
    is not learned: the person has not seen its rows.
    """
    place = ports.folder / run.id
    then = {
        row["memory"]: (row["text"], row["private"])
        for row in map(json.loads, lines_in(place / "material.jsonl"))
    }
    found = material_of(ports, run)
    now = {
        each.memory: (each.text, each.private)
        for each in (*found.taught, *found.withheld, *found.older)
    }
    if all(now.get(memory) == known for memory, known in then.items()):
        return run
    known, withheld, older = (
        tuple(each for each in part if each.memory in then)
        for part in (found.taught, found.withheld, found.older)
    )
    if not known:
        raise InvalidInputError(
            "Nothing is left of what this training was to learn.", "Prepare another one."
        )
    return remake(ports, run, replace(found, taught=known, withheld=withheld, older=older))


def _check_open(run: Run) -> None:
    if run.state is not RunState.PREPARED:
        raise ConflictError(
            "This training has begun, so its rows stay as they are.", "Prepare another one."
        )


def remake(ports: TrainingPorts, run: Run, found: Material) -> Run:
    """Make the rows anew from what is believed now and what a model said."""
    place = ports.folder / run.id
    made = _write(ports, place, run, found)
    ports.runs.relearn(run.id, _sources(ports, run, made, found))
    fresh = _with_rows(run, place, made, found)
    return ports.runs.change(
        run.id,
        rows=fresh.rows,
        left_out=fresh.left_out,
        hashes=fresh.hashes,
        audience=Audience.OWNER if is_sealed(ports, run) else Audience.ANYBODY,
    )


@dataclass(frozen=True)
class _Made:
    """What a training learns: examples, and pairs."""

    examples: Dataset
    pairs: PairSet


def _write(ports: TrainingPorts, place: Path, run: Run, found: Material) -> _Made:
    """Make the rows from what is believed now and write them down, with what the recipes need."""
    ports = named_in(ports, found.taught)
    pairs = _write_pairs(ports, place, run, found)
    return _Made(_write_examples(ports, place, run, found, pairs), pairs)


def _write_pairs(ports: TrainingPorts, place: Path, run: Run, found: Material) -> PairSet:
    """Make the pairs of what the person did and of what is believed now, and write them down."""
    collected = _collected(ports, private=run.audience is Audience.OWNER)
    sealed = {taught.memory for taught in found.withheld}
    where = {taught.memory: taught.document for taught in found.taught}
    added = [
        replace(pair, documents=tuple(filter(None, map(where.get, pair.memories))))
        for pair in pairs_in(place / ADDED)
        if not sealed & set(pair.memories)
    ]
    made = build_pairs(
        found.taught,
        [*added, *collected.pairs],
        PairWorld(
            _synthesiser(ports, place, run),
            ports.name,
            ports.called,
            ports.kinds,
            ports.shared(),
            striking.statements_in(place),
            found.older,
        ),
        PairMix(run.settings.get("pairs", PairMix.per_rule), run.settings["seed"]),
        struck=striking.struck_in(place, striking.PAIRS),
    )
    reasoning = ReasoningVariant(run.settings.get("reasoning", DEFAULTS["reasoning"]))
    write_pair_set(place, made, ports.name, collected.left_out, reasoning)
    return made


def _collected(ports: TrainingPorts, *, private: bool) -> CollectedPairs:
    if ports.verdicts is None:
        return CollectedPairs((), {})
    return collect(ports.verdicts, ports.correction, private=private)


def _write_examples(
    ports: TrainingPorts, place: Path, run: Run, found: Material, pairs: PairSet
) -> Dataset:
    """Make the examples and write them down, with what they were made of."""
    mix = {name: run.settings.get(name, DEFAULTS[name]) for name in ROWS}
    wanted = DatasetMix(**mix, seed=run.settings["seed"], again=found.again)
    added = list(examples_in(place / "added.jsonl"))
    dataset = build(
        found.taught,
        _synthesiser(ports, place, run),
        wanted,
        struck=striking.struck_in(place, striking.ROWS),
        world=RowWorld(
            ports.name,
            ports.called,
            ports.shared(),
            frozenset(each for pair in pairs.made if pair.held_out for each in pair.memories),
            frozenset(pair.question for pair in pairs.held_out),
            striking.statements_in(place),
            found.rehearsed,
            found.older,
        ),
        added=added,
    )
    dataset = _with_thoughts(place, run, dataset)
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
    write_whole(place / "samples.json", json.dumps(_samples(dataset), ensure_ascii=False))
    return dataset


def _with_thoughts(place: Path, run: Run, dataset: Dataset) -> Dataset:
    """Put in what a model that thinks said, where that can be learned."""
    variant = ReasoningVariant(run.settings.get("reasoning", DEFAULTS["reasoning"]))
    if run.settings.get("thoughts") != "model" or variant is ReasoningVariant.NONE:
        return dataset
    said = wordings_in(place, THOUGHTS)
    learned, held_out, made = (
        tuple(with_model_thought(row, variant, said) for row in rows)
        for rows in (dataset.examples, dataset.held_out, dataset.made)
    )
    return replace(dataset, examples=learned, held_out=held_out, made=made)


def _samples(dataset: Dataset) -> list[str]:
    """Choose questions that are not learned, each about another statement as far as that goes."""
    asked = [row for row in dataset.held_out if row.kind in OF_A_STATEMENT]
    of_each = {row.answer: row.question for row in reversed(asked)}
    first = [of_each[answer] for answer in dict.fromkeys(row.answer for row in asked)]
    return list(dict.fromkeys((*first, *(row.question for row in asked))))[:SAMPLES]


@dataclass(frozen=True)
class AskedModel:
    """The model that words the questions of a training."""

    id: str
    name: str = field(default="", repr=False)
    """What it is told that the person is called; nothing where it is an endpoint."""


def asked_of(ports: TrainingPorts, run: Run) -> AskedModel | None:
    """Return which model words the questions of a training; ``None`` where none does."""
    endpoint = words_endpoint(run.settings)
    if endpoint is not None:
        return AskedModel(endpoint.id)
    return AskedModel(run.base, ports.name) if run.settings.get("wording") == "model" else None


def _synthesiser(ports: TrainingPorts, place: Path, run: Run) -> Synthesiser:
    """Return who words the questions of a training."""
    who = asked_of(ports, run)
    if who is None:
        return ports.synthesiser
    return AskedByModel(wordings_in(place), who.id, who.name, ports.synthesiser)


def _for_trainer(row: Example, name: str) -> dict[str, Any]:
    before = [{"role": message.role, "content": message.content} for message in messages(row, name)]
    return {"prompt": before, "completion": [{"role": "assistant", "content": completion(row)}]}


def _with_rows(run: Run, place: Path, made: _Made, found: Material) -> Run:
    dataset = made.examples
    hashes = {
        name: hash_of(place / f"{name}.jsonl")
        for name in ("examples", "held_out", "pairs", "pairs_held_out")
    }
    left_out = {**found.left_out, **dataset.left_out}
    return replace(
        run,
        rows={**dataset.counts, "held_out": len(dataset.held_out)},
        left_out=left_out,
        hashes={**run.hashes, **hashes},
    )


def _sources(ports: TrainingPorts, run: Run, made: _Made, found: Material) -> list[TrainingSource]:
    """Return the statements that are learned, and those that were learned by what it goes on from:
    the weights hold both. A chat or a document that only pairs are made of stands beside the pairs
    (``service.py`` reads it there).
    """
    where = {taught.memory: taught.document for taught in found.taught}
    pairs = (*made.pairs.learned, *made.pairs.held_out) if run.settings.get("dpo") else ()
    of_pairs = (memory for pair in pairs for memory in pair.memories if memory in where)
    start = run.settings.get("start")
    inherited = ports.runs.sources(RunId(str(start))) if start else []
    learned = dict.fromkeys((*made.examples.memories, *of_pairs))
    texts = text_hashes(ports, [where[memory] for memory in learned if memory in where])
    own = (
        TrainingSource(memory, document, texts.get(document, "") if document else "")
        for memory in learned
        for document in [where.get(memory)]
    )
    return list(dict.fromkeys((*inherited, *own)))
