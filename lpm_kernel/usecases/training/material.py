"""What could be learned: every statement that is believed, as the person last put it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision, JudgedSentence, concerns
from lpm_kernel.domain.memory.memories import Belief, Memories, MemoryFilter, MemoryId
from lpm_kernel.domain.training.runs import Audience, Run, RunId, Taught
from lpm_kernel.usecases.memory.proposals import proposal_id
from lpm_kernel.usecases.training.pair_rows import learned_in
from lpm_kernel.usecases.training.ports import TrainingPorts
from lpm_kernel.usecases.training.rows import examples_in, lines_in

MOST_WRITTEN = 200
"""Sentences of the person's documents that one training learns, besides what is kept."""
MOST_REHEARSED = 4
"""Questions about what is known for one about what is new."""
OWN = "own"
"""The setting ``documents`` where all documents of the person's own are learned from."""
LEFT_OUT = ("private", "put_away", "forgotten", "fading", "older", "over")
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
    rehearsed: frozenset[MemoryId] = frozenset()
    """Statements among those taught that are known, and asked about less."""
    again: float = 1.0
    """Share of the questions about each of those."""


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
    (rehearsal: Robins 1995, DOI 10.1080/09540099550039318). Every older statement is asked about,
    a little: those that are not are unlearned in one week (docs/adr/0031).
    """

    since: datetime
    """From when on a statement is new."""
    older: float
    """The most of the questions about each of all others: a share."""
    seed: int
    known: Known | None = None
    """What is known to the training that it goes on from: what is not is new, too."""
    questions: int = 1
    """About a statement that is new."""

    @classmethod
    def of(
        cls, settings: Mapping[str, Any], now: datetime, known: Known | None = None
    ) -> Replay | None:
        """Read it from the settings of a training; ``None`` where everything is learned."""
        days = settings.get("recent_days")
        return (
            cls(
                now - timedelta(days=days),
                settings["older"],
                settings["seed"],
                known,
                settings["questions"],
            )
            if days
            else None
        )

    def select(
        self, believed: Sequence[Belief], read: Mapping[MemoryId, Taught]
    ) -> tuple[set[MemoryId], set[MemoryId]]:
        """Choose among these what is new and what is rehearsed; the same ones give the same, in
        whatever order they come. ``read`` is how they read now.
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
        return new, self.rehearse(rest, len(new))

    def rehearse(self, rest: Sequence[MemoryId], new: int) -> set[MemoryId]:
        """Draw of what is known, by the seed and the day, what is rehearsed beside so many new
        statements: all of it, as long as one question about each finds room.
        """
        if not self.older:
            return set()
        room = MOST_REHEARSED * max(1, new) * self.questions
        draw = Random(f"{self.seed}:{self.since.date()}")  # noqa: S311 - a draw that can be repeated, no secret
        return set(draw.sample(list(rest), min(len(rest), room)))

    def share(self, rehearsed: int, new: int) -> float:
        """Say which share of the questions about each of so many statements is asked again, beside
        so many new ones.

        >>> replay = Replay(datetime(2026, 3, 1), 0.5, 1)
        >>> replay.share(12, 6), replay.share(36, 3), replay.share(0, 3)
        (0.5, 0.3333333333333333, 0.5)
        """
        return min(self.older, MOST_REHEARSED * max(1, new) / max(1, rehearsed))


def material(
    ports: TrainingPorts,
    *,
    private: bool = False,
    replay: Replay | None = None,
    documents: str | Sequence[str] = (),
) -> Material:
    """Gather every statement that is believed now, or what ``replay`` chooses of them. Private ones
    only where the training answers its owner alone. What the person wrote in ``documents`` comes
    besides (:data:`OWN`: in all that is theirs).

    What the person wants forgotten is not learned, nor what fades because it was not used for long;
    what they mended is learned as it reads rightly.
    """
    believed = _all(ports.memories, MemoryFilter())
    named = sorted({belief.document for belief in believed})
    known = {document.id: document for document in ports.documents.many(named)}
    there = [belief for belief in believed if belief.document in known]
    held = _not_fading(ports, there)
    as_read = list(_as_they_read(ports, held, known))
    open_ones = [belief for belief in held if private or not known[belief.document].private]
    now_learned, again = _learned_now(open_ones, replay, as_read)
    said = {_flat(each.text) for each in as_read if each is not None}
    found = _written(ports, documents, said)
    written = _most(found, replay)
    written_now, written_again = _written_now(written, replay, private=private)
    learned = {*now_learned, *again, *written_now, *written_again}
    gathered = _divided((*as_read, *written), learned, private=private)
    left_out = {
        "private": len(gathered.withheld),
        "put_away": len(believed) - len(there),
        "forgotten": as_read.count(None),
        "fading": len(there) - len(held),
        "older": len(gathered.older),
        "over": len(found) - len(written),
    }
    rehearsed = frozenset({*again, *written_again})
    new = len({*now_learned, *written_now})
    return replace(
        gathered,
        left_out={why: left_out[why] for why in LEFT_OUT if left_out[why]},
        rehearsed=rehearsed,
        again=replay.share(len(rehearsed), new) if replay else 1.0,
    )


def _divided(
    statements: Sequence[Taught | None], learned: Collection[MemoryId], *, private: bool
) -> Material:
    """Tell apart what is learned, what is held back because it is private, and what is not learned
    this time.
    """
    there = [each for each in statements if each is not None]
    free = [each for each in there if private or not each.private]
    return Material(
        tuple(each for each in free if each.memory in learned),
        tuple(each for each in there if each not in free),
        {},
        tuple(each for each in free if each.memory not in learned),
    )


def _written(
    ports: TrainingPorts, documents: str | Sequence[str], said: Collection[str]
) -> list[Taught]:
    """Give what the person wrote in these documents and did not keep."""
    if not documents or documents == "none":
        return []
    named = None if documents == OWN else [DocumentId(each) for each in documents]
    return [
        Taught(
            MemoryId(proposal_id(finding.proposal)),
            finding.text,
            finding.proposal.about,
            finding.proposal.kind,
            finding.document.id,
            finding.document.created_at,
            finding.document.private,
        )
        for finding in ports.own_statements(named)
        if finding.proposal is not None and _flat(finding.text) not in said
    ]


def _most(written: Sequence[Taught], replay: Replay | None) -> list[Taught]:
    """Choose as many as one training learns, of what is open and of what is private: what is new
    first, where it goes on from another.
    """
    known = replay.known if replay is not None else None
    ordered = sorted(written, key=lambda each: known is not None and known.holds(each))
    return [
        each
        for sealed in (False, True)
        for each in [each for each in ordered if each.private is sealed][:MOST_WRITTEN]
    ]


def _written_now(
    written: Sequence[Taught], replay: Replay | None, *, private: bool
) -> tuple[set[MemoryId], set[MemoryId]]:
    """Choose of what was written as of what is kept."""
    may = [each for each in written if private or not each.private]
    if replay is None:
        return {each.memory for each in may}, set()
    known = replay.known
    new = {
        each.memory
        for each in may
        if (each.at is not None and each.at >= replay.since)
        or (known is not None and not known.holds(each))
    }
    rest = [each.memory for each in may if each.memory not in new]
    return new, replay.rehearse(rest, len(new))


def _flat(text: str) -> str:
    return " ".join(text.split())


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
) -> tuple[set[MemoryId], set[MemoryId]]:
    if replay is None:
        return {belief.memory for belief in believed}, set()
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
        documents=run.settings.get("documents", ()),
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
