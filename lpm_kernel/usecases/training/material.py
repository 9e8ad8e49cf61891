"""What could be learned: every statement that is believed, as the person last put it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision, JudgedSentence, concerns
from lpm_kernel.domain.memory.memories import Belief, Memories, MemoryFilter, MemoryId
from lpm_kernel.domain.training.runs import Audience, Run, RunId, Taught
from lpm_kernel.usecases.training.pair_rows import learned_in
from lpm_kernel.usecases.training.ports import TrainingPorts
from lpm_kernel.usecases.training.rows import examples_in, lines_in

LEFT_OUT = ("private", "put_away", "forgotten", "fading", "older")
"""Why a statement is not learned, in the order in which it is said."""


@dataclass(frozen=True)
class Material:
    """What could be learned, and what is held back and why."""

    taught: tuple[Taught, ...]
    withheld: tuple[Taught, ...]
    """Private statements: they are learned only by a training for the owner alone, and asked for by
    nobody else.
    """
    left_out: Mapping[str, int]
    older: tuple[Taught, ...] = ()
    """Statements that a small training was not to learn again. It is asked for them."""


@dataclass(frozen=True)
class Known:
    """What a training and those before it learned, or were told not to."""

    memories: frozenset[MemoryId]
    then: Mapping[MemoryId, str] = field(repr=False)
    """How statements read when it was prepared, as far as that is still there."""

    @classmethod
    def of(cls, ports: TrainingPorts, run: RunId) -> Known:
        """Read it: what a row was made of is known where the person struck the row, too."""
        place = ports.folder / run
        made = (memory for row in examples_in(place / "rows.jsonl") for memory in row.memories)
        rows = map(json.loads, lines_in(place / "material.jsonl"))
        return cls(
            frozenset((*(source.memory for source in ports.runs.sources(run)), *made)),
            {MemoryId(row["memory"]): str(row["text"]) for row in rows},
        )

    def holds(self, taught: Taught) -> bool:
        """Tell whether a statement is known as it reads now."""
        return (
            taught.memory in self.memories
            and self.then.get(taught.memory, taught.text) == taught.text
        )


@dataclass(frozen=True)
class Replay:
    """What a small training learns: what is new, and so much of the rest that it is not unlearned
    (rehearsal: Robins 1995, DOI 10.1080/09540099550039318).
    """

    since: datetime
    """From when on a statement is new."""
    older: float
    """Share of all others, drawn by the seed."""
    seed: int
    known: Known | None = None
    """What is known to the training that it goes on from: what is not is new, too."""

    @classmethod
    def of(
        cls, settings: Mapping[str, Any], now: datetime, known: Known | None = None
    ) -> Replay | None:
        """Read it from the settings of a training; ``None`` where everything is learned."""
        days = settings.get("recent_days")
        return (
            cls(now - timedelta(days=days), settings["older"], settings["seed"], known)
            if days
            else None
        )

    def select(self, believed: Sequence[Belief], read: Mapping[MemoryId, Taught]) -> set[MemoryId]:
        """Choose among these; the same ones give the same, in whatever order they come. ``read`` is
        how they read now.
        """
        new = {
            belief.memory
            for belief in believed
            if belief.believed_from >= self.since
            or (self.known and belief.memory in read and not self.known.holds(read[belief.memory]))
        }
        rest = list(
            dict.fromkeys(
                belief.memory
                for belief in sorted(believed, key=_by_words)
                if belief.memory not in new
            )
        )
        return new | set(Random(self.seed).sample(rest, round(self.older * len(rest))))  # noqa: S311 - a draw that can be repeated, no secret


def material(
    ports: TrainingPorts, *, private: bool = False, replay: Replay | None = None
) -> Material:
    """Gather every statement that is believed now, or what ``replay`` chooses of them. Private ones
    only where the training answers its owner alone.

    What the person wants forgotten is not learned, nor what fades because it was not used for long;
    what they mended is learned as it reads rightly.
    """
    believed = _all(ports.memories, MemoryFilter())
    named = sorted({belief.document for belief in believed})
    documents = {document.id: document for document in ports.documents.many(named)}
    there = [belief for belief in believed if belief.document in documents]
    held = _not_fading(ports, there)
    as_read = list(_as_they_read(ports, held, documents))
    open_ones = [belief for belief in held if private or not documents[belief.document].private]
    now_learned = _learned_now(open_ones, replay, as_read)
    taught: list[Taught] = []
    withheld: list[Taught] = []
    older: list[Taught] = []
    left_out: Counter[str] = Counter(
        put_away=len(believed) - len(there), fading=len(there) - len(held)
    )
    for statement in as_read:
        if statement is None:
            left_out["forgotten"] += 1
        elif statement.private and not private:
            left_out["private"] += 1
            withheld.append(statement)
        elif statement.memory in now_learned:
            taught.append(statement)
        else:
            left_out["older"] += 1
            older.append(statement)
    counted = {why: left_out[why] for why in LEFT_OUT if left_out[why]}
    return Material(tuple(taught), tuple(withheld), counted, tuple(older))


def _not_fading(ports: TrainingPorts, beliefs: Sequence[Belief]) -> list[Belief]:
    faded = ports.fading(beliefs)
    return [belief for belief in beliefs if belief.memory not in faded]


def _as_they_read(
    ports: TrainingPorts, beliefs: Sequence[Belief], documents: Mapping[DocumentId, Document]
) -> Iterator[Taught | None]:
    """Give each statement as it reads rightly; nothing for one that the person wants forgotten."""
    decided = ports.decisions.about(sorted(documents)) if ports.decisions else {}
    for belief in beliefs:
        document = documents[belief.document]
        yield _as_it_reads(ports, belief, document, decided.get(document.id, ()))


def _learned_now(
    believed: Sequence[Belief], replay: Replay | None, as_read: Sequence[Taught | None]
) -> set[MemoryId]:
    if replay is None:
        return {belief.memory for belief in believed}
    return replay.select(believed, {each.memory: each for each in as_read if each is not None})


def _as_it_reads(
    ports: TrainingPorts, belief: Belief, document: Document, decided: Sequence[Decision]
) -> Taught | None:
    """Return a statement as it reads rightly; nothing where the person wants it forgotten."""
    statement, text, source = belief.statement, belief.statement.text, belief.document
    said = JudgedSentence(text, document.text_version, belief.start, belief.end)
    against = next(
        (decision for decision in decided if decision.strikes and concerns(decision, said)), None
    )
    if against is not None:
        rightly = ports.correction(against)
        if not rightly or against.correction is None:
            return None
        text, source = rightly.strip(), against.correction
    sealed = document.private or any(
        origin.private for origin in ports.documents.many([source]) if source != document.id
    )
    return Taught(
        belief.memory,
        text,
        statement.entities,
        statement.kind,
        source,
        document.created_at,
        sealed,
    )


def material_of(ports: TrainingPorts, run: Run) -> Material:
    """Gather what a training that was prepared learns, as it is believed now; what was new then is
    what is new.
    """
    return material(
        ports,
        private=run.audience is Audience.OWNER,
        replay=Replay.of(run.settings, run.created_at, known_before(ports, run.settings)),
    )


def known_before(ports: TrainingPorts, settings: Mapping[str, Any]) -> Known | None:
    """Return what is known to the training that one goes on from; ``None`` where it does not."""
    start = settings.get("start")
    return None if start is None else Known.of(ports, RunId(str(start)))


def is_sealed(ports: TrainingPorts, run: Run) -> bool:
    """Tell whether a training answers its owner alone: it learned something private, or something
    that was made private since.
    """
    if run.audience is Audience.OWNER:
        return True
    of_pairs = (each for pair in learned_in(ports.folder, run) for each in pair.documents)
    of_rows = (source.document for source in ports.runs.sources(run.id))
    named = sorted({each for each in (*of_rows, *of_pairs) if each is not None})
    there = (*ports.documents.many(named), *ports.documents.many(named, away=True))
    return any(document.private for document in there)


def _all(memories: Memories, wished: MemoryFilter) -> list[Belief]:
    found: list[Belief] = []
    cursor: str | None = None
    while True:
        page, cursor = memories.page(wished, limit=500, cursor=cursor)
        found += page
        if cursor is None:
            return sorted(found, key=_by_words)


def _by_words(belief: Belief) -> tuple[datetime, int, str, str]:
    """Order statements by when they came, their places and their words: ids are drawn by lot, and
    draws must not hang on them.
    """
    return belief.believed_from, belief.start, belief.statement.text, belief.memory
