"""Recall: a question in, the passages that may answer it out, each with its place and the reasons
for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.chat.recall import (
    Level,
    NamedParty,
    Recalled,
    Recollection,
    Scope,
    Signals,
    Sought,
)
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.passages import Embedded, Passage
from lpm_kernel.domain.memory.decisions import Decision, whole_in
from lpm_kernel.domain.ports import Clock, Embedder, PassageIndex
from lpm_kernel.L0.index import ranking
from lpm_kernel.L0.index.asked import EmbeddedQuestions
from lpm_kernel.L0.index.columns import Bank, Choose, Columns, Narrowed
from lpm_kernel.L0.index.days import Days, day_numbers, days
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.index.search import Candidates, WordsBesides, candidates
from lpm_kernel.L0.language import analysis
from lpm_kernel.L0.language.glosses import Tongues
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.language.related import Related

MOST = 1000
"""Items that one question may get."""

BEGUN = 40
"""Words that the beginning of one may stand for."""

DAY_SECONDS = 86_400.0


@dataclass(frozen=True)
class _Ranked:
    """Candidates in their order. m of them."""

    level: Level
    found: Candidates
    score: NDArray[np.float64]
    """Shape (m,)."""
    order: NDArray[np.int64]
    """The best first."""


@dataclass(frozen=True)
class _Wanted:
    """Candidates that are given back, and how."""

    found: Candidates
    score: NDArray[np.float64]
    """Shape (m,)."""
    order: Sequence[int] | NDArray[np.int64]
    """The numbers of those that are wanted, the best first."""
    why: Callable[[int], Signals]
    beside: NDArray[np.bool_] | bool
    """Which rows may stand beside them, to be read along; ``False``: none."""


class Recall:
    """Finds passages. One object serves all threads; it keeps the index in memory and follows its
    changes.
    """

    def __init__(
        self,
        index: PassageIndex,
        embedder: Embedder | None,
        clock: Clock,
        count_tokens: Callable[[str], int],
    ) -> None:
        self._index = index
        self._asked = EmbeddedQuestions(embedder)
        self._clock = clock
        self._count = count_tokens
        self._whole = Bank(index, embedder.id if embedder else None)
        self._bank: Bank | Narrowed = self._whole
        self._by_words: frozenset[int] = frozenset()
        """Rows that are found by their words alone."""
        self._open: Recall | None = None
        self._tongues = Tongues()
        self._related = Related()
        self._named: tuple[tuple[int, Scope], Columns, list[NamedParty]] | None = None
        self._days: tuple[tuple[int, Scope], Columns, Days] | None = None

    def within(
        self, scope: Scope, mended: Mapping[DocumentId, Sequence[Decision]] = MappingProxyType({})
    ) -> Recall:
        """Return what recalls out of the rows that a scope lets in, as if there were no others.

        ``mended`` says of a correction what it puts right: it is in the scope exactly when the
        words that it corrects are.
        """
        aware = _aware(scope, self._clock.now())

        def choose(columns: Columns) -> NDArray[np.bool_] | None:
            allowed = columns.selected(aware)
            return (
                allowed
                if allowed is None or not mended
                else self._with_corrections(columns, allowed, mended, private=aware.include_private)
            )

        return self._narrow(choose, self._asked)

    def open_only(self) -> Recall:
        """Return what recalls out of what is not private, as if there were nothing else: this,
        where nothing is private.

        A word that stands in private passages alone is then as rare as one that stands nowhere.
        """
        if not any(label.private for label in self._bank.columns().labels.values()):
            return self
        if self._open is None:
            self._open = self.within(Scope(include_private=False))
        return self._open

    def _with_corrections(
        self,
        columns: Columns,
        allowed: NDArray[np.bool_],
        mended: Mapping[DocumentId, Sequence[Decision]],
        *,
        private: bool,
    ) -> NDArray[np.bool_]:
        """Let the rows of corrections in where a row is in that holds what they put right, and no
        others of them.
        """
        known = {label.document: label for label in columns.labels.values()}
        allowed = allowed.copy()
        waiting = {
            document_id: known[document_id]
            for document_id in mended
            if document_id in known and (private or not known[document_id].private)
        }
        allowed[
            np.isin(
                columns.ordinals,
                [known[document_id].ordinal for document_id in mended if document_id in known],
            )
        ] = False
        seen: dict[DocumentId, list[Chunk]] = {}

        def every(document: DocumentId) -> Iterable[Chunk]:
            # what another scope left out already belongs to the document still
            everything = self._whole.columns()
            return self._index.chunks(
                everything.rows[everything.ordinals == known[document].ordinal].tolist()
            ).values()

        def holds(decision: Decision) -> bool:
            if decision.document not in known:
                return False
            if decision.document not in seen:
                there = columns.rows[
                    allowed & (columns.ordinals == known[decision.document].ordinal)
                ].tolist()
                seen[decision.document] = list(self._index.chunks(there).values())
            return whole_in(decision, seen[decision.document], partial(every, decision.document))

        while let_in := [
            document_id for document_id in waiting if any(map(holds, mended[document_id]))
        ]:
            for document_id in let_in:
                allowed[columns.ordinals == waiting.pop(document_id).ordinal] = True
                seen.pop(document_id, None)
        return allowed

    def only(self, rows: Collection[int], instead: Mapping[int, Passage]) -> Recall:
        """Return what recalls out of these rows, as if there were no others. What is added later is
        not among them.

        Those in ``instead`` are found by the words that they have there, and by nothing else.
        """
        chosen = np.array(sorted(rows), np.int64)
        # nothing is kept: how long an answer takes must not tell a stranger what was asked before
        asked = EmbeddedQuestions(self._asked.embedder, most=0)
        return self._narrow(lambda columns: np.isin(columns.rows, chosen), asked, instead)

    def _narrow(
        self,
        choose: Choose,
        asked: EmbeddedQuestions,
        instead: Mapping[int, Passage] | None = None,
    ) -> Recall:
        narrow = Recall(self._index, asked.embedder, self._clock, self._count)
        narrow._asked = asked
        narrow._whole, narrow._bank = self._whole, Narrowed(self._bank, choose, instead)
        narrow._by_words = frozenset(instead or ())
        return narrow

    def rows_of(self, documents: Collection[DocumentId]) -> dict[int, Chunk]:
        """Return the passages of these documents that may be found, by the number of their row."""
        columns, wanted = self._bank.columns(), frozenset(documents)
        numbers = [ordinal for ordinal, label in columns.labels.items() if label.document in wanted]
        return self._index.chunks(columns.rows[np.isin(columns.ordinals, numbers)].tolist())

    def passages_of(self, document: DocumentId) -> list[Chunk]:
        """Return the passages of a document that may be found, in the order of the text."""
        return sorted(self.rows_of([document]).values(), key=lambda chunk: (chunk.start, chunk.end))

    def vector_of(self, question: str) -> NDArray[np.float32] | None:
        """Return the vector of a question, from memory where it was asked lately; ``None`` without
        an embedder. Shape (dimension,), of unit length.
        """
        asked = self._asked.embed(question, closely=True)
        return None if asked is None else asked.vectors[0]

    def embedder_of_told(self) -> Embedder | None:
        """Return the embedder for what was asked a moment ago, and is remembered now."""
        return self._asked.embedder_of_told()

    def columns(self) -> Columns:
        """Give the rows out of which this recalls, as they are now."""
        return self._bank.columns()

    def forget_questions(self) -> None:
        """Keep no vector of a question that was asked here, or of what is narrowed by a scope."""
        self._asked.forget()

    def warm(self) -> None:
        """Read the index into memory now rather than at the first question."""
        self._bank.columns()

    def names(self, beginning: str, limit: int, scope: Scope) -> list[NamedParty]:
        """Return who and what is named in the passages that may take part, or said them; a part of
        a name that begins so will do.
        """
        columns = self._bank.columns()
        key = (id(columns), scope)
        if self._named is None or self._named[0] != key:
            self._named = (key, columns, _named(columns, scope))
        wanted = beginning.strip().casefold()
        found = [
            party
            for party in self._named[2]
            if not wanted
            or any(
                part.startswith(wanted)
                for part in (party.name.casefold(), *party.name.casefold().split())
            )
        ]
        return found[:limit]

    def admitted(self, rows: Collection[int], scope: Scope) -> set[int]:
        """Return those of these rows that may take part."""
        columns = self._bank.columns()
        known = np.isin(columns.rows, list(rows))
        allowed = columns.selected(_aware(scope, self._clock.now()))
        return {int(row) for row in columns.rows[known if allowed is None else known & allowed]}

    def latest(self, scope: Scope, most: int) -> tuple[int, list[Chunk], dict[DocumentId, int]]:
        """Count what may take part, and return the newest of it and how many passages of each
        document it is; what nobody knows the day of comes last.
        """
        columns = self._bank.columns()
        allowed = columns.selected(_aware(scope, self._clock.now()))
        at = np.arange(len(columns)) if allowed is None else np.flatnonzero(allowed)
        moments = np.where(np.isnan(columns.moments[at]), -np.inf, columns.moments[at])
        newest = columns.rows[at[np.lexsort((-at, -moments))[:most]]].tolist()
        chunks = self._index.chunks(newest)
        ordinals, counts = np.unique(columns.ordinals[at], return_counts=True)
        documents = {
            columns.labels[int(ordinal)].document: int(count)
            for ordinal, count in zip(ordinals, counts, strict=True)
        }
        return len(at), [chunks[row] for row in newest if row in chunks], documents

    def days(self, scope: Scope) -> Days:
        """Return the days of what may take part; counted once for each state of the index."""
        columns = self._bank.columns()
        key = (id(columns), scope)
        counted = self._days
        if counted is None or counted[0] != key:
            counted = self._days = (
                key,
                columns,
                days(columns, day_numbers(columns.moments), columns.selected(scope)),
            )
        return counted[2]

    def __call__(self, query: RecallQuery, now: datetime | None = None) -> Recollection:
        """Answer ``query``, seen from ``now`` (the clock's time unless given)."""
        now = now or self._clock.now()
        now = now if now.tzinfo else now.replace(tzinfo=UTC)
        asked = self._asked.embed(query.question.text, closely=not query.typing)
        columns = self._bank.columns()
        ranked = self._ranked(query, now, columns, asked)
        if query.decay_rate is None and ranked.level is Level.VECTORS and asked is not None:
            ranked = self._looked_closely(columns, ranked, asked)
        found, level = ranked.found, ranked.level
        weights = ranking.shipped()[level]
        shown, order = ranked.score, ranked.order
        why: Callable[[int], Signals] = partial(ranking.signals, found, weights)
        if query.decay_rate is not None and len(found.positions):
            shown, why = self._by_newness(query.decay_rate, now, columns, found, level)
            order = ranking.order(shown, columns.moments[found.positions])
        allowed = columns.selected(_aware(query.scope, now)) if query.rerank else False
        wanted = _Wanted(
            found,
            shown,
            order[: max(0, min(query.k, MOST))],
            why,
            np.ones(len(columns), np.bool_) if allowed is None else allowed,
        )
        items, tokens = self._within(query.token_budget, self._items(columns, wanted))
        seen = ranking.evidence(found, ranked.score, [int(i) for i in ranked.order[:10]])
        return Recollection(
            items=tuple(items),
            level=level,
            tokens=tokens,
            considered=len(found.positions),
            answerable=ranking.answerable(seen, weights) if items else 0.0,
            sought=tuple(
                Sought(term, (term, *found.others.get(term, ())), rarity)
                for term, rarity in found.rarity.items()
            ),
        )

    def _ranked(
        self, query: RecallQuery, now: datetime, columns: Columns, asked: Embedded | None
    ) -> _Ranked:
        """Rank by words, and by vectors where there are any."""
        question = query.question
        vector = None if asked is None else np.asarray(asked.vectors[0], np.float32)
        level = Level.VECTORS if vector is not None and columns.vectors is not None else Level.WORDS
        others = self._tongues.others(question.search_terms, columns.vocabulary)
        if query.typing:
            others = {**others, **_begun(question, columns)}
        found = candidates(
            columns,
            question,
            now,
            vector=vector,
            allowed=columns.selected(_aware(query.scope, now)),
            words_besides=WordsBesides(self._related, others),
        )
        score = ranking.scores(found, ranking.shipped()[level])
        order = ranking.order(score, columns.moments[found.positions])
        return _Ranked(level, found, score, order)

    def _by_newness(
        self, rate: float, now: datetime, columns: Columns, found: Candidates, level: Level
    ) -> tuple[NDArray[np.float64], Callable[[int], Signals]]:
        """Score by :func:`ranking.decayed`, with why: the distance is that of the vectors, or
        without them the share of the question's words that is missing.
        """
        near, feature = ("words", "cover") if level is Level.WORDS else ("meaning", "meaning")
        distance = 1.0 - np.clip(found.features[feature].astype(np.float64), -1.0, 1.0)
        score = ranking.decayed(
            distance, (now.timestamp() - columns.moments[found.positions]) / DAY_SECONDS, rate
        )
        nearness = ranking.similarity(distance)

        def why(at: int) -> Signals:
            return Signals(**{near: float(nearness[at])}, time=float(score[at] - nearness[at]))

        return score, why

    def _looked_closely(self, columns: Columns, ranked: _Ranked, asked: Embedded) -> _Ranked:
        """Rank the best anew by late interaction; as they were where the index has no tokens of
        them. Those that were not looked at stay behind those that were, in the order that they had.
        """
        best, rest = ranked.order[: ranking.LATE], ranked.order[ranking.LATE :]
        found = self._with_late(columns, ranked.found, best, asked) if asked.tokens else None
        if found is None:
            return ranked
        score = ranking.scores(found, ranking.shipped()[Level.LATE])
        if len(rest):
            score[rest] -= max(0.0, float(score[rest].max() - score[best].min()))
        order = ranking.order(score, columns.moments[found.positions])
        return _Ranked(Level.LATE, found, score, order)

    def _with_late(
        self, columns: Columns, found: Candidates, best: NDArray[np.int64], asked: Embedded
    ) -> Candidates | None:
        """Add what late interaction says of the best."""
        at = found.positions[best]
        beside = [columns.beside(at, distance) for distance in (0, -1, 1)]
        tokens = self._index.tokens(
            sorted({row for rows in beside for row in rows if row is not None} - self._by_words),
            asked.embedder,
        )
        if not tokens or not asked.tokens:
            return None
        seen = ranking.late(
            asked.tokens[0],
            *([None if row is None else tokens.get(row) for row in rows] for rows in beside),
        )
        features = dict(found.features)
        for name, values in seen.items():
            features[name] = np.full(
                len(found.positions), values.mean(dtype=np.float64), np.float32
            )
            features[name][best] = values
        return replace(found, features=features)

    def _items(self, columns: Columns, wanted: _Wanted) -> Iterator[Recalled]:
        found = wanted.found
        places = [int(found.positions[i]) for i in wanted.order]
        rows = columns.rows[places].tolist()
        before, after = (
            [row if row not in self._by_words else None for row in beside]
            for beside in (_beside(columns, places, wanted.beside, by) for by in (-1, 1))
        )
        near = [row for row in (*before, *after) if row is not None]
        chunks = self._index.chunks([*rows, *near])
        words = _sought(columns, found)
        for n, (i, row) in enumerate(zip(wanted.order, rows, strict=True)):
            if row not in chunks:  # removed while the question was being answered
                continue
            at = int(found.positions[i])
            held = set(
                columns.term_ids[columns.term_starts[at] : columns.term_starts[at + 1]].tolist()
            )
            yield Recalled(
                chunk=chunks[row],
                score=float(wanted.score[i]),
                signals=wanted.why(int(i)),
                matched=tuple(
                    dict.fromkeys(term for number, (term, _) in words.items() if number in held)
                ),
                entities=_entities(chunks[row], columns.names[at]),
                forms=tuple(form for number, (_, form) in words.items() if number in held),
                before=_chunk(chunks, before[n]),
                after=_chunk(chunks, after[n]),
            )

    def _within(self, budget: int | None, items: Iterator[Recalled]) -> tuple[list[Recalled], int]:
        """Keep whole items, best first, as long as they fit; a long one is passed over for shorter
        ones after it.
        """
        kept, tokens = [], 0
        for item in items:
            cost = self._count(item.chunk.content)
            if budget is not None and tokens + cost > budget:
                continue
            kept.append(item)
            tokens += cost
        return kept, tokens


def _sought(columns: Columns, found: Candidates) -> dict[int, tuple[str, str]]:
    """Give by its number in the vocabulary each word that is looked for: the question's word, and
    how this one is spelled.
    """
    return {
        number: (term, form)
        for term in found.terms
        for form in (term, *found.others.get(term, ()))
        if (number := columns.vocabulary.get(form)) is not None
    }


def _beside(
    columns: Columns, places: Sequence[int], allowed: NDArray[np.bool_] | bool, by: int
) -> list[int | None]:
    """Give the row that stands before or after each place in its session, where it may be seen."""
    if isinstance(allowed, bool):
        return [None] * len(places)
    rows = columns.beside(np.array(places, np.int64), by)
    return [
        row if row is not None and allowed[place + by] else None
        for row, place in zip(rows, places, strict=True)
    ]


def _chunk(chunks: Mapping[int, Chunk], row: int | None) -> Chunk | None:
    return None if row is None else chunks.get(row)


def _entities(chunk: Chunk, names: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            [*([chunk.speaker] if chunk.speaker else []), *(names.split("\n") if names else [])]
        )
    )


def _named(columns: Columns, scope: Scope) -> list[NamedParty]:
    """Count names, most frequent first; of several spellings the most frequent stands for all."""
    allowed = columns.selected(scope)
    spellings: dict[str, Counter[str]] = {}
    speaking: set[str] = set()
    for at, names in enumerate(columns.names):
        if allowed is not None and not allowed[at]:
            continue
        number = int(columns.speakers[at])
        speaker = [columns.speaker_names[number]] if number >= 0 else []
        speaking.update(name.casefold() for name in speaker)
        for name in dict.fromkeys([*speaker, *(names.split("\n") if names else [])]):
            spellings.setdefault(name.casefold(), Counter())[name] += 1
    found = [
        NamedParty(each.most_common(1)[0][0], each.total(), key in speaking)
        for key, each in spellings.items()
    ]
    return sorted(found, key=lambda each: (-each.passages, each.name))


def _begun(question: Question, columns: Columns) -> dict[str, tuple[str, ...]]:
    """Give for the last word, where it is still being typed, the terms that begin with it."""
    last = analysis.unfinished(question.text)
    term = next(iter(analysis.terms(last)), "")
    if term not in question.search_terms:
        return {}
    return {term: tuple(each for each in columns.beginning(last, BEGUN) if each != term)}


def _aware(scope: Scope, now: datetime) -> Scope:
    """Read a time without a zone as the person's."""
    since, until = (
        each if each is None or each.tzinfo else each.replace(tzinfo=now.tzinfo)
        for each in (scope.since, scope.until)
    )
    return replace(scope, since=since, until=until)
