"""The timeline: what each day of a life holds, in figures for the whole of it and in a few words
for the days one looks at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from lpm_kernel.L1.entities.resolution import key_of, own_keys
from lpm_kernel.L1.statements.authorship import authorship_of, is_called
from lpm_kernel.L1.statements.extraction import SHREDS, likelihood, signs, told_spans
from lpm_kernel.L1.statements.telling import is_telling, needs_context
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
    whose = _Whose(
        frozenset(own_keys(own)),
        {document.id: document.title for document in known.values()},
    )
    sentence = _sentence(index, decisions, days, positions[: len(positions) if known else 0], whose)
    return DaySummary(tally, tuple(ranked[:DOCUMENTS]), len(ranked), tuple(names[:NAMES]), sentence)


def _sentence(
    index: PassageIndex,
    decisions: Decisions,
    days: Days,
    positions: NDArray[np.int64],
    of: _Whose,
) -> DaySentence | None:
    """Choose what tells most of the day: what would be proposed to be kept, the surest first; then
    what the person stated; then what says most of what the day is about, then whatever tells
    anything. No line of a head, no salutation, no row of a table.

    What needs no context comes before what does, and of both the person's own words before anybody
    else's. What was mended or forgotten is nobody's best sentence.
    """
    columns = days.columns
    looked_at = positions[:: max(1, -(-len(positions) // LOOKED_AT))]
    found = index.chunks([int(row) for row in columns.rows[looked_at]])
    there = [
        (found[int(row)], int(at))
        for row, at in zip(columns.rows[looked_at], looked_at, strict=True)
        if int(row) in found
    ]
    chunks = [chunk for chunk, _ in there]
    is_struck = struck(decisions, chunks)
    is_own = of.own_among(chunks)
    passages = _passages(there, days)
    ranked = (*_proposed(chunks), *_stated(chunks), *_summing_up(passages), *_all(chunks))
    told = [
        sentence
        for sentence in ranked
        if not is_struck(sentence) and (sentence.chunk.kind or is_telling(sentence.text))
    ]
    whole = list(filter(_is_whole, told))
    ordered = (*filter(is_own, whole), *whole, *filter(is_own, told), *told)
    return next(iter(ordered), None)


def _is_whole(sentence: DaySentence) -> bool:
    """Tell whether a sentence can be understood by itself."""
    return not (needs_context(sentence.text) or signs(sentence.text) & SHREDS)


def _passages(there: Sequence[tuple[Chunk, int]], days: Days) -> list[Passage]:
    columns = days.columns
    return [
        Passage(
            chunk,
            (),
            tuple(columns.names[at].split("\n")) if columns.names[at] else (),
            Trait(int(columns.traits[at])),
        )
        for chunk, at in there
    ]


@dataclass(frozen=True)
class _Whose:
    """By whom the documents of a day are, as far as they show it."""

    own: frozenset[str] = field(repr=False)
    titles: Mapping[DocumentId, str] = field(repr=False)

    def own_among(self, chunks: Sequence[Chunk]) -> Callable[[DaySentence], bool]:
        """Return what tells whether a sentence of these passages may be the person's own."""
        texts: dict[DocumentId, str] = {}
        places: dict[tuple[DocumentId, int], int] = {}
        for chunk in sorted(chunks, key=lambda each: (each.document, each.start)):
            before = texts.get(chunk.document, "")
            before = f"{before}\n\n" if before else ""
            places[chunk.document, chunk.start] = len(before)
            texts[chunk.document] = before + chunk.text
        written = {
            document: authorship_of(text, self.own, self.titles.get(document, ""))
            for document, text in texts.items()
        }

        def is_own(sentence: DaySentence) -> bool:
            chunk = sentence.chunk
            if chunk.speaker:
                return is_called(key_of(chunk.speaker), self.own)
            place = places[chunk.document, chunk.start] + sentence.start - chunk.start
            return written[chunk.document].may_be_own(place)

        return is_own


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


def _all(chunks: Sequence[Chunk]) -> list[DaySentence]:
    """Give every sentence, the likeliest to be worth keeping first."""
    sentences = [
        DaySentence(chunk, chunk.text[start:end], chunk.start + start, chunk.start + end)
        for chunk in chunks
        if chunk.kind is None
        for start, end in told_spans(chunk)
    ]
    return sorted(sentences, key=lambda each: -likelihood(signs(each.text)))


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
