"""The timeline: what each day of a life holds, in figures for the whole of it and in a few words
for the days one looks at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, Document
from lpm_kernel.domain.library.passages import Passage, Trait
from lpm_kernel.domain.memory.decisions import stretches
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.stores import Decisions, Documents
from lpm_kernel.L0.index.days import Days, Tally, most_named
from lpm_kernel.L0.text.digest import digest
from lpm_kernel.usecases.memory.proposals import RULES, best

MOST_DAYS = 31
"""Days that are told of at once."""
NAMES = 5
DOCUMENTS = 8
"""Documents of a day that are shown; the others are counted."""
LOOKED_AT = 40
"""Passages of a day among which its sentence is looked for, evenly spread."""


@dataclass(frozen=True)
class DaySentence:
    """A day's own best sentence, and where it stands."""

    chunk: Chunk
    text: str = field(repr=False)
    start: int
    end: int
    """Code points of the canonical text, end exclusive."""


@dataclass(frozen=True)
class DaySummary:
    """What one day holds, in words."""

    tally: Tally
    documents: tuple[Document, ...]
    """Those that hold most of the day first, up to :data:`DOCUMENTS`."""
    document_count: int
    names: tuple[str, ...] = field(repr=False)
    sentence: DaySentence | None


def told(
    days: Days,
    index: PassageIndex,
    documents: Documents,
    decisions: Decisions,
    tallies: Iterable[Tally],
    own: str = "",
) -> list[DaySummary]:
    """Tell of these days. ``own`` is the person's name: where several speak, the sentence is to be
    theirs.
    """
    return [_told(days, index, documents, decisions, tally, own) for tally in tallies]


def _told(
    days: Days,
    index: PassageIndex,
    documents: Documents,
    decisions: Decisions,
    tally: Tally,
    own: str,
) -> DaySummary:
    positions, columns = days.on(tally.day), days.columns
    of = {ordinal: label.document for ordinal, label in columns.labels.items()}
    counts = Counter(of[int(ordinal)] for ordinal in columns.ordinals[positions])
    known = {document.id: document for document in documents.many(list(counts))}
    ranked = [
        known[identifier]
        for identifier, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        if identifier in known
    ]
    names = [
        name
        for name in most_named(columns, positions, NAMES + 1)
        if name.casefold() != own.casefold()
    ]
    sentence = _sentence(index, decisions, days, positions[: len(positions) if known else 0], own)
    return DaySummary(tally, tuple(ranked[:DOCUMENTS]), len(ranked), tuple(names[:NAMES]), sentence)


def _sentence(
    index: PassageIndex, decisions: Decisions, days: Days, positions: NDArray[np.int64], own: str
) -> DaySentence | None:
    """Choose as everywhere: what would be proposed to be kept, the surest first; then what the
    person stated; then what says most of what the day is about.

    Where it is known who speaks, it is the person, unless only others did. What was mended or
    forgotten is nobody's best sentence.
    """
    columns = days.columns
    looked_at = positions[:: max(1, -(-len(positions) // LOOKED_AT))]
    found = index.chunks([int(row) for row in columns.rows[looked_at]])
    there = [
        (found[int(row)], int(at))
        for row, at in zip(columns.rows[looked_at], looked_at, strict=True)
        if int(row) in found
    ]
    there = _their_own(there, own)
    chunks = [chunk for chunk, _ in there]
    is_struck = struck(decisions, chunks)
    for chosen in (_proposed, _stated):
        for sentence in chosen(chunks):
            if not is_struck(sentence):
                return sentence
    passages = [
        Passage(
            chunk,
            (),
            tuple(columns.names[at].split("\n")) if columns.names[at] else (),
            Trait(int(columns.traits[at])),
        )
        for chunk, at in there
    ]
    return next(
        (day_sentence for day_sentence in _summing_up(passages) if not is_struck(day_sentence)),
        None,
    )


def _their_own(there: Sequence[tuple[Chunk, int]], own: str) -> list[tuple[Chunk, int]]:
    mine = [
        each
        for each in there
        if not each[0].speaker or each[0].speaker.casefold() == own.casefold()
    ]
    return mine or list(there)


def _proposed(chunks: Sequence[Chunk]) -> list[DaySentence]:
    proposals = [(proposal, chunk) for chunk in chunks for proposal in RULES.extract([chunk])]
    holding = {(proposal.document, proposal.start): chunk for proposal, chunk in proposals}
    return [
        DaySentence(
            holding[proposal.document, proposal.start], proposal.text, proposal.start, proposal.end
        )
        for proposal in best([each for each, _ in proposals])
    ]


def _stated(chunks: Sequence[Chunk]) -> list[DaySentence]:
    return [
        DaySentence(chunk, chunk.text, chunk.start, chunk.end)
        for chunk in chunks
        if chunk.kind is not None
    ]


def _summing_up(passages: Sequence[Passage]) -> list[DaySentence]:
    """Give what says most of what each document has of the day, the document that has most of it
    first.
    """
    by_document: dict[DocumentId, list[Passage]] = {}
    for passage in passages:
        by_document.setdefault(passage.chunk.document, []).append(passage)
    found = []
    for those in sorted(by_document.values(), key=len, reverse=True):
        for start, end in digest(those).summary:
            chunk = next(each.chunk for each in those if each.chunk.start <= start < each.chunk.end)
            found.append(
                DaySentence(chunk, chunk.text[start - chunk.start : end - chunk.start], start, end)
            )
    return found


def struck(decisions: Decisions, chunks: Sequence[Chunk]) -> Callable[[DaySentence], bool]:
    """Return what tells whether the person decided against a sentence of these passages."""
    decided = decisions.about([chunk.document for chunk in chunks])

    def is_struck(sentence: DaySentence) -> bool:
        begin, end = sentence.start - sentence.chunk.start, sentence.end - sentence.chunk.start
        known = (
            decision for decision in decided.get(sentence.chunk.document, ()) if decision.strikes
        )
        return any(
            start < end and begin < finish
            for decision in known
            for start, finish in stretches(decision, sentence.chunk)
        )

    return is_struck
