"""The index in memory, column by column, so that a question is answered by a few passes over
arrays.

A snapshot never changes: a reader takes one and keeps it while it works. When the index has moved
on, the next snapshot is made from the last: rows that were added are read and appended; rows that
went away are dropped and what was counted over all rows is counted again, so that a removed text
leaves nothing behind and a rebuilt index answers alike.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.chat.recall import Scope
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.passages import STATEMENTS, Batch, Labels, Passage
from lpm_kernel.domain.ports import PassageIndex

BATCH = 20_000
"""Rows read at once."""

BACK = (0.4, 0.2)
"""Share of a vector that its first and second successor in the session take over."""

FORWARD = (0.2, 0.1)
"""The same for its predecessors."""

CODE = 127
BLOCK = 512
"""Rows that are widened from whole numbers at once: 800 kB, which stays in the cache (4,096 took
half as long again).
"""

EVERY_STATEMENT = sum(int(trait) for trait in STATEMENTS.values())
MOST_SEGMENTS = 6
"""Postings are kept in so many pieces before they are sorted into one."""


@dataclass(frozen=True)
class Postings:
    """Which rows hold a term, and how often: the inverted file of rows ``first`` and following."""

    first: int
    starts: NDArray[np.int64]
    """Shape (terms + 1,): where a term's rows begin."""
    rows: NDArray[np.int32]
    counts: NDArray[np.float32]


@dataclass(frozen=True)
class Vectors:
    """Vectors of one embedder as whole numbers; a row of zeros has none. Shapes (n, dimension) and
    (n,).
    """

    own: NDArray[np.int8]
    own_scales: NDArray[np.float32]
    context: NDArray[np.int8]
    """Each vector averaged with its neighbours in the session."""
    context_scales: NDArray[np.float32]


@dataclass(frozen=True)
class Columns:
    """Every row of the index. n rows; positions in these arrays are not row numbers."""

    rows: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    groups: NDArray[np.int32]
    """Sessions, numbered through; rows of one stand side by side."""
    moments: NDArray[np.float64]
    traits: NDArray[np.int16]
    lengths: NDArray[np.float32]
    """Terms in the row."""
    name_counts: NDArray[np.float32]
    speakers: NDArray[np.int32]
    """Position in ``speaker_names``, -1 for nobody."""
    speaker_names: tuple[str, ...] = field(repr=False)
    vocabulary: dict[str, int] = field(repr=False)
    term_starts: NDArray[np.int64]
    """Shape (n + 1,): where a row's terms begin in ``term_ids``."""
    term_ids: NDArray[np.int32]
    postings: tuple[Postings, ...]
    vectors: Vectors | None
    names: tuple[str, ...] = field(repr=False)
    labels: dict[int, Labels] = field(repr=False)
    threads: NDArray[np.int64]
    """The ordinals of what was told in chats."""

    def __len__(self) -> int:
        return len(self.rows)

    def selected(self, scope: Scope) -> NDArray[np.bool_] | None:
        """Say which rows may take part; ``None`` when all may."""
        masks: list[NDArray[np.bool_]] = []
        if scope.since is not None:
            masks.append(self.moments >= scope.since.timestamp())
        if scope.until is not None:
            masks.append(self.moments < scope.until.timestamp())
        if scope.speakers:
            wanted = {speaker.casefold() for speaker in scope.speakers}
            masks.append(
                np.isin(
                    self.speakers,
                    [i for i, name in enumerate(self.speaker_names) if name.casefold() in wanted],
                )
            )
        if scope.entities:
            masks.append(self._naming(scope.entities))
        if scope.kinds:
            masks.append(self._of_kinds(scope.kinds))
        if len(self.threads) and not scope.threads:
            masks.append(~np.isin(self.ordinals, self.threads))
        if scope.tags or scope.documents or scope.without or not scope.include_private:
            documents, without = frozenset(scope.documents), frozenset(scope.without)
            allowed = [
                label.ordinal
                for label in self.labels.values()
                if label.document not in without and _allowed(label, scope, documents)
            ]
            masks.append(np.isin(self.ordinals, allowed))
        return np.logical_and.reduce(masks) if masks else None

    def _of_kinds(self, kinds: Sequence[str]) -> NDArray[np.bool_]:
        """Say which rows are statements of these kinds, were told in chats, or are neither."""
        bits = sum(int(trait) for kind, trait in STATEMENTS.items() if kind.value in kinds)
        told = np.isin(self.ordinals, self.threads)
        plain = ((self.traits & EVERY_STATEMENT) == 0) & ~told
        stated = ((self.traits & bits) > 0) & ~told
        wanted = stated | (plain & ("passage" in kinds)) | (told & ("turn" in kinds))
        return np.asarray(wanted, np.bool_)

    def _naming(self, entities: Sequence[str]) -> NDArray[np.bool_]:
        """Say which rows were said by one of these or name one of them, however they are written in
        capitals.
        """
        wanted = {entity.casefold() for entity in entities}
        said = np.isin(
            self.speakers,
            [i for i, name in enumerate(self.speaker_names) if name.casefold() in wanted],
        )
        named = [
            bool(names) and not wanted.isdisjoint(names.casefold().split("\n"))
            for names in self.names
        ]
        return np.asarray(said | np.array(named, np.bool_), np.bool_)

    def beginning(self, prefix: str, most: int) -> list[str]:
        """Give the terms that begin so, those that stand in most rows first."""
        counts: dict[str, int] = {}
        for term in [term for term in self.vocabulary if term.startswith(prefix)]:
            number = self.vocabulary[term]
            counts[term] = sum(
                int(piece.starts[number + 1] - piece.starts[number])
                for piece in self.postings
                if number < len(piece.starts) - 1
            )
        return sorted(
            (term for term, count in counts.items() if count),
            key=lambda term: (-counts[term], term),
        )[:most]

    def beside(self, positions: NDArray[np.int64], distance: int) -> list[int | None]:
        """Give the row that stands so far behind each position in its session (before it, if
        negative); ``None``: there is none.
        """
        other = np.clip(positions + distance, 0, len(self) - 1)
        there = (positions + distance == other) & (self.groups[other] == self.groups[positions])
        return [
            int(row) if known else None for row, known in zip(self.rows[other], there, strict=True)
        ]

    def frequencies(self) -> NDArray[np.float32]:
        """Count for every word of the vocabulary the rows that hold it."""
        found = np.zeros(len(self.vocabulary), np.float32)
        for piece in self.postings:
            found[: len(piece.starts) - 1] += np.diff(piece.starts)
        return found

    def postings_of(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Give the positions that hold a term, and how often."""
        return self.postings_of_number(self.vocabulary.get(term, -1))

    def postings_of_number(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Give the positions that hold the term with this number in the vocabulary, and how
        often.
        """
        positions, counts = [], []
        for piece in self.postings:
            if 0 <= number < len(piece.starts) - 1:
                part = slice(piece.starts[number], piece.starts[number + 1])
                positions.append(piece.rows[part].astype(np.int64) + piece.first)
                counts.append(piece.counts[part])
        if not positions:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        return np.concatenate(positions), np.concatenate(counts)


def _allowed(label: Labels, scope: Scope, documents: frozenset[DocumentId]) -> bool:
    return (
        (scope.include_private or not label.private)
        and (not scope.tags or not label.tags.isdisjoint(scope.tags))
        and (not documents or label.document in documents)
    )


class Bank:
    """Hands out the newest snapshot. One for each index and embedder; all threads share it."""

    def __init__(self, index: PassageIndex, embedder: str | None) -> None:
        self._index = index
        self._embedder = embedder
        self._lock = threading.Lock()
        self._columns = _nothing()
        self._revision = -1

    def columns(self) -> Columns:
        """Give a snapshot that is at least as new as this call."""
        if self._index.revision() == self._revision:
            return self._columns
        with self._lock:
            # Taken before reading: what is written meanwhile is read again the next time, at worst.
            revision = self._index.revision()
            if revision != self._revision:
                self._columns = self._next()
                self._revision = revision
            return self._columns

    def _next(self) -> Columns:
        old = self._columns
        labels = {label.ordinal: label for label in self._index.labels()}
        alive = np.isin(old.ordinals, list(labels))
        if not alive.all():
            old = _without(old, alive)
        batches: list[Batch] = []
        after = int(self._columns.rows[-1]) if len(self._columns) else 0
        while True:
            batch = self._index.batch(after, embedder=self._embedder, limit=BATCH)
            if not len(batch.rows):
                break
            after = int(batch.rows[-1])
            batches.append(batch)
        columns = _with(old, batches)
        # A document may have been put between reading the labels and reading the rows: its rows
        # wait for their label.
        unlabelled = set(np.unique(columns.ordinals).tolist()) - set(labels)
        if unlabelled:
            columns = _without(columns, ~np.isin(columns.ordinals, list(unlabelled)))
        return _labelled(columns, labels)


Choose = Callable[[Columns], NDArray[np.bool_] | None]
"""Says which rows take part; ``None`` when all do."""


class Narrowed:
    """The rows of a bank that were chosen, as if there were no others.

    What is counted over all rows, who stands beside whom, and in what order words became known is
    made from these rows alone: nothing outside leaves a trace. Made once for each state of the
    bank. ``instead`` are rows that are read otherwise than they stand in the bank, by their number.
    """

    def __init__(
        self, bank: Bank | Narrowed, choose: Choose, instead: Mapping[int, Passage] | None = None
    ) -> None:
        self._bank = bank
        self._choose = choose
        self._instead = instead or {}
        self._lock = threading.Lock()
        self._made: tuple[Columns, Columns] | None = None

    def columns(self) -> Columns:
        """Give a snapshot that is at least as new as this call."""
        whole = self._bank.columns()
        with self._lock:
            if self._made is None or self._made[0] is not whole:
                self._made = (whole, narrowed(whole, self._choose(whole), self._instead))
            return self._made[1]


def narrowed(
    columns: Columns, allowed: NDArray[np.bool_] | None, instead: Mapping[int, Passage]
) -> Columns:
    """Return the rows that are allowed, counted by themselves, and those in ``instead`` with these
    words.
    """
    allowed = np.ones(len(columns), np.bool_) if allowed is None else allowed
    kept = _reworded(_without(columns, allowed), instead)
    used, first, numbered = np.unique(kept.term_ids, return_index=True, return_inverse=True)
    # words in the order in which these rows bring them
    places = np.argsort(np.argsort(first)).astype(np.int32)
    numbers = dict(zip(used.tolist(), places.tolist(), strict=True))
    words = sorted(
        (term for term, number in kept.vocabulary.items() if number in numbers),
        key=lambda term: numbers[kept.vocabulary[term]],
    )
    vectors = kept.vectors
    if vectors is not None:
        vectors = Vectors(
            vectors.own, vectors.own_scales, *averaged(vectors.own, vectors.own_scales, kept.groups)
        )
        vectors = vectors if vectors.own_scales.any() else None
    known = set(np.unique(kept.ordinals).tolist())
    labels = {ordinal: label for ordinal, label in columns.labels.items() if ordinal in known}
    ids = places[numbered] if len(used) else kept.term_ids
    groups = np.unique(kept.groups, return_inverse=True)[1].astype(np.int32)
    renumbered = {
        "groups": groups,
        "vocabulary": {term: number for number, term in enumerate(words)},
        "term_ids": ids,
        "vectors": vectors,
        "labels": labels,
        "threads": _threads(labels),
    }
    return _inverted_anew(Columns(**{**vars(kept), **renumbered}))


def _nothing() -> Columns:
    whole = np.zeros(0, np.int64)
    return Columns(
        rows=whole,
        ordinals=whole,
        groups=whole.astype(np.int32),
        moments=whole.astype(np.float64),
        traits=whole.astype(np.int16),
        lengths=whole.astype(np.float32),
        name_counts=whole.astype(np.float32),
        speakers=whole.astype(np.int32),
        speaker_names=(),
        vocabulary={},
        term_starts=np.zeros(1, np.int64),
        term_ids=whole.astype(np.int32),
        postings=(),
        vectors=None,
        names=(),
        labels={},
        threads=whole,
    )


def _labelled(columns: Columns, labels: dict[int, Labels]) -> Columns:
    return Columns(**{**vars(columns), "labels": labels, "threads": _threads(labels)})


def _threads(labels: Mapping[int, Labels]) -> NDArray[np.int64]:
    told = [ordinal for ordinal, label in labels.items() if is_thread(label.document)]
    return np.array(told, np.int64)


def _with(old: Columns, batches: Sequence[Batch]) -> Columns:
    """Append batches. Documents are never divided: a session lies within one ``put``, and a put is
    read whole or continued.
    """
    if not batches:
        return old
    first = len(old)
    rows = np.concatenate([batch.rows for batch in batches])
    ordinals = np.concatenate([batch.ordinals for batch in batches])
    sessions = np.concatenate([batch.groups for batch in batches])
    terms = [term.split() for batch in batches for term in batch.terms]
    names = tuple(name for batch in batches for name in batch.names)
    spoken = [speaker for batch in batches for speaker in batch.speakers]
    vocabulary = dict(old.vocabulary)
    ids = np.array(
        [vocabulary.setdefault(term, len(vocabulary)) for each in terms for term in each], np.int32
    )
    lengths = np.array([len(term) for term in terms], np.int64)
    numbers = {name: number for number, name in enumerate(old.speaker_names)}
    speakers = np.array(
        [-1 if each is None else numbers.setdefault(each, len(numbers)) for each in spoken],
        np.int32,
    )
    changes = np.concatenate(
        [[True], (ordinals[1:] != ordinals[:-1]) | (sessions[1:] != sessions[:-1])]
    )
    begins = int(old.groups[-1]) + 1 if first else 0
    groups = (np.cumsum(changes) - 1 + begins).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    piece = _invert(
        first, np.repeat(np.arange(len(rows)), lengths), ids, len(vocabulary), len(rows)
    )
    columns = Columns(
        rows=np.concatenate([old.rows, rows]),
        ordinals=np.concatenate([old.ordinals, ordinals]),
        groups=np.concatenate([old.groups, groups]),
        moments=np.concatenate([old.moments, *(batch.moments for batch in batches)]),
        traits=np.concatenate([old.traits, *(batch.traits for batch in batches)]),
        lengths=np.concatenate([old.lengths, lengths.astype(np.float32)]),
        name_counts=np.concatenate(
            [
                old.name_counts,
                np.array([name.count("\n") + 1 if name else 0 for name in names], np.float32),
            ]
        ),
        speakers=np.concatenate([old.speakers, speakers]),
        speaker_names=tuple(numbers),
        vocabulary=vocabulary,
        term_starts=np.concatenate([old.term_starts, starts[1:] + old.term_starts[-1]]),
        term_ids=np.concatenate([old.term_ids, ids]),
        postings=(*old.postings, piece),
        vectors=_joined(old, batches, groups),
        names=old.names + names,
        labels={},
        threads=old.threads,
    )
    if len(columns.postings) > MOST_SEGMENTS:
        return _inverted_anew(columns)
    return columns


def _without(old: Columns, alive: NDArray[np.bool_]) -> Columns:
    """Drop rows, and count again what is counted over all rows."""
    kept = np.flatnonzero(alive)
    lengths = np.diff(old.term_starts)[kept]
    ids = old.term_ids[np.repeat(alive, np.diff(old.term_starts))]
    by_number = {number: term for term, number in old.vocabulary.items()}
    used, ids_again = np.unique(ids, return_inverse=True)
    spoken, speakers_again = np.unique(old.speakers[kept], return_inverse=True)
    named = [int(number) for number in spoken if number >= 0]
    shift = 1 if len(spoken) and spoken[0] < 0 else 0
    vectors = old.vectors
    return _inverted_anew(
        Columns(
            rows=old.rows[kept],
            ordinals=old.ordinals[kept],
            groups=old.groups[kept],
            moments=old.moments[kept],
            traits=old.traits[kept],
            lengths=old.lengths[kept],
            name_counts=old.name_counts[kept],
            speakers=(speakers_again - shift).astype(np.int32),
            speaker_names=tuple(old.speaker_names[number] for number in named),
            vocabulary={by_number[int(number)]: i for i, number in enumerate(used)},
            term_starts=np.concatenate([[0], np.cumsum(lengths)]),
            term_ids=ids_again.astype(np.int32),
            postings=(),
            vectors=(
                Vectors(
                    vectors.own[kept],
                    vectors.own_scales[kept],
                    vectors.context[kept],
                    vectors.context_scales[kept],
                )
                if vectors
                else None
            ),
            names=tuple(old.names[i] for i in kept),
            labels={},
            threads=old.threads,
        )
    )


def _reworded(columns: Columns, instead: Mapping[int, Passage]) -> Columns:
    """Return the rows with other words, names and form in some of them. Such a row is found by its
    words alone: its vector tells of the old ones.
    """
    at = {
        position: instead[row]
        for position, row in enumerate(columns.rows.tolist())
        if row in instead
    }
    if not at:
        return columns
    vocabulary, names, traits, vectors = (
        dict(columns.vocabulary),
        list(columns.names),
        columns.traits.copy(),
        columns.vectors,
    )
    ids = np.split(columns.term_ids, columns.term_starts[1:-1])
    for position, passage in at.items():
        ids[position] = np.array(
            [vocabulary.setdefault(term, len(vocabulary)) for term in passage.terms], np.int32
        )
        names[position], traits[position] = "\n".join(passage.names), int(passage.traits)
    lengths = np.array([len(each) for each in ids], np.int64)
    counts = np.array([name.count("\n") + 1 if name else 0 for name in names], np.float32)
    if vectors is not None:
        scales = vectors.own_scales.copy()
        scales[list(at)] = 0
        vectors = replace(vectors, own_scales=scales)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    other = replace(columns, names=tuple(names), name_counts=counts, traits=traits, vectors=vectors)
    return replace(
        other,
        vocabulary=vocabulary,
        term_ids=np.concatenate(ids),
        term_starts=starts,
        lengths=lengths.astype(np.float32),
    )


def _inverted_anew(columns: Columns) -> Columns:
    owners = np.repeat(np.arange(len(columns)), np.diff(columns.term_starts))
    piece = _invert(0, owners, columns.term_ids, len(columns.vocabulary), len(columns))
    return Columns(**{**vars(columns), "postings": (piece,)})


def _invert(
    first: int, owners: NDArray[np.int64], ids: NDArray[np.int32], terms: int, rows: int
) -> Postings:
    """Sort (row, term) into (term, row) and count."""
    pairs, counts = np.unique(ids.astype(np.int64) * max(rows, 1) + owners, return_counts=True)
    numbers, positions = np.divmod(pairs, max(rows, 1))
    return Postings(
        first,
        np.searchsorted(numbers, np.arange(terms + 1)),
        positions.astype(np.int32),
        counts.astype(np.float32),
    )


def _joined(old: Columns, batches: Sequence[Batch], groups: NDArray[np.int32]) -> Vectors | None:
    """Append vectors. A bank that has some gets zeros for rows without."""
    width = next((batch.codes.shape[1] for batch in batches if batch.codes is not None), 0) or (
        old.vectors.own.shape[1] if old.vectors else 0
    )
    if not width:
        return None
    own = np.concatenate(
        [
            np.zeros((len(batch.rows), width), np.int8) if batch.codes is None else batch.codes
            for batch in batches
        ]
    )
    own_scales = np.concatenate(
        [
            np.zeros(len(batch.rows), np.float32) if batch.scales is None else batch.scales
            for batch in batches
        ]
    )
    context, context_scales = averaged(own, own_scales, groups)
    before = old.vectors or Vectors(
        np.zeros((len(old), width), np.int8),
        np.zeros(len(old), np.float32),
        np.zeros((len(old), width), np.int8),
        np.zeros(len(old), np.float32),
    )
    return Vectors(
        np.concatenate([before.own, own]),
        np.concatenate([before.own_scales, own_scales]),
        np.concatenate([before.context, context]),
        np.concatenate([before.context_scales, context_scales]),
    )


def averaged(
    codes: NDArray[np.int8], scales: NDArray[np.float32], groups: NDArray[np.int32]
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Average each vector with its neighbours in the session, to unit length, as whole numbers with
    their scales.

    Works in blocks, with two rows of margin on each side, so that a large bank is never wide in
    memory at once.
    """
    margin = len(BACK)
    mixed, mixed_scales = np.zeros_like(codes), np.zeros(len(codes), np.float32)
    for begin in range(0, len(codes), BLOCK):
        low, high = max(0, begin - margin), min(len(codes), begin + BLOCK + margin)
        wide = codes[low:high].astype(np.float32) * scales[low:high, None]
        there = scales[low:high] > 0
        total = wide.copy()
        for distance, (back, forward) in enumerate(zip(BACK, FORWARD, strict=True), start=1):
            together = (groups[low + distance : high] == groups[low : high - distance])[:, None]
            total[distance:] += back * wide[:-distance] * together
            total[:-distance] += forward * wide[distance:] * together
        total *= there[:, None]
        total /= np.maximum(np.linalg.norm(total, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        part = slice(begin - low, begin - low + min(BLOCK, len(codes) - begin))
        scale = np.abs(total[part]).max(axis=1, initial=0) / CODE
        mixed[begin : begin + BLOCK] = np.round(
            total[part] / np.maximum(scale, np.finfo(np.float32).tiny)[:, None]
        )
        mixed_scales[begin : begin + BLOCK] = scale
    return mixed, mixed_scales


def cosines(
    codes: NDArray[np.int8], scales: NDArray[np.float32], vector: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Multiply every row with a vector, block by block. Shape (n,).

    Row by row, so that what comes out for one does not depend on how many stand beside it, or
    where, as it does in the last digit of a product of matrices.
    """
    found = np.empty(len(codes), np.float32)
    wide = np.empty((min(BLOCK, len(codes)), codes.shape[1]), np.float32)
    for begin in range(0, len(codes), BLOCK):
        part = codes[begin : begin + BLOCK]
        np.copyto(wide[: len(part)], part)
        np.vecdot(wide[: len(part)], vector, out=found[begin : begin + len(part)])
    found *= scales
    return found
