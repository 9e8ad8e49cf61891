"""Recall, for whoever asks: find, correct, date, read.

There is one way through, over what may be seen (:class:`Visibility`). The owner's is the widest; a
program, a role and a contact see less of it. The rule is non-interference: adding or taking away a
memory that may not be seen changes neither what the model is given nor the answer
(`tests/property/test_roles.py`, `tests/property/test_answering.py`). So no count is taken over all
rows, no decision reaches in from outside, and no list is cut before what is outside has left it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recalled, Recollection
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk, Document
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.decisions import Decision, stretches
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.memory.validity import Dated, Validities
from lpm_kernel.domain.memory.workspace import CORE
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.stores import Decisions, Documents, Files
from lpm_kernel.errors import NotFoundError, ReaderUnavailableError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.core import MOST_TOKENS, Core, core_of, without_struck
from lpm_kernel.L1.answering.day_questions import days_asked, names_day, naming, said_in, told_of
from lpm_kernel.L1.answering.gathering import gather
from lpm_kernel.L1.answering.reranking import RERANKED, cut, reranked
from lpm_kernel.L1.answering.topic_questions import told_about, topic_asked
from lpm_kernel.L1.entities.resolution import own_keys
from lpm_kernel.L1.statements.changes import CONSIDERED, FactChange
from lpm_kernel.L1.statements.corrections import PassageDecisions, with_corrections
from lpm_kernel.L1.statements.reflection import PageLine
from lpm_kernel.L1.statements.validity import in_time
from lpm_kernel.usecases.chat import persons, table_rows
from lpm_kernel.usecases.chat.visibility import Visibility
from lpm_kernel.usecases.memory import validity
from lpm_kernel.usecases.memory.as_of import StatementSources, as_believed
from lpm_kernel.usecases.memory.short_biography import LifeClaims, short_within


@dataclass(frozen=True)
class RecallPorts:
    """What recall goes through."""

    index: PassageIndex
    documents: Documents
    decisions: Decisions
    validities: Validities
    memories: Memories
    files: Files
    clock: Clock
    reads: reader.ReaderPorts
    count_tokens: Callable[[str], int]
    change_of: Callable[[Decision], FactChange | None]
    """What a correction changes of other sentences."""
    owner: Callable[[], str]
    """What the person is called."""
    life: Callable[[], LifeClaims] = LifeClaims
    """What tells who the person is."""


@dataclass(frozen=True)
class _Moment:
    """A clock that stands still, in the time zone of whoever asks (their day is not ours)."""

    at: datetime

    def now(self) -> datetime:
        """Return the moment."""
        return self.at


class ScopedMemory:
    """The memory, as far as it may be seen. Nothing else is asked about what is there."""

    def __init__(self, visible: Visibility, ports: RecallPorts) -> None:
        self.visible = visible
        self._ports = ports

    def at(self, now: datetime | None) -> ScopedMemory:
        """Return the memory as it is asked at another moment, from which "yesterday" counts."""
        if now is None:
            return self
        return ScopedMemory(self.visible, replace(self._ports, clock=_Moment(now)))

    def passages_of(self, document: DocumentId) -> list[Chunk]:
        """Return the passages of a document that may be seen."""
        return self.visible.passages_of(document)

    def holds(self, cited: Citation) -> bool:
        """Tell whether a place in a document may be seen."""
        passages = [
            chunk
            for chunk in self.passages_of(cited.document)
            if chunk.text_version == cited.text_version
        ]
        return any(chunk.start <= cited.start < chunk.end for chunk in passages) and any(
            chunk.start < cited.end <= chunk.end for chunk in passages
        )

    def recall(
        self, query: RecallQuery, now: datetime | None = None, as_of: datetime | None = None
    ) -> Recollection:
        """Find what answers a question: what was so at the time that it asks about before what was
        not, what was put right in the place of what was wrong.

        ``as_of`` looks from another day: statements have the wording of then.
        """
        now = now or as_of or self._ports.clock.now()
        model = self._ports.reads.model
        if query.rerank and (said := self._said_then(query, now, as_of)) is not None:
            return said
        if not query.rerank or model is None:
            query = replace(query, rerank=False)
            return self._in_time(query, self._corrected(query, now), now, as_of)
        wide = replace(query, k=max(query.k, RERANKED), token_budget=None)
        found = self._corrected(wide, now)
        with suppress(ReaderUnavailableError):
            found = reranked(query.question, found, model, reader.shipped(learned=True).passage)
        found = self._in_time(wide, found, now, as_of)
        return cut(found, query.k, query.token_budget, self._ports.count_tokens)

    def _said_then(
        self, query: RecallQuery, now: datetime, as_of: datetime | None
    ) -> Recollection | None:
        """Find what was said at the time that a question asks about as a whole; ``None`` where it
        asks about something, or nothing was said then.
        """
        if query.scope.since is not None or query.scope.until is not None:
            return None
        for span in days_asked(query.question, now):
            scope = replace(query.scope, since=span.start, until=span.end)
            then = replace(query, scope=scope, rerank=False)
            found = self._in_time(then, self._corrected(then, now), now, as_of)
            if any(said_in(item, span) for item in found.items):
                return found
        return None

    def _in_time(
        self, query: RecallQuery, found: Recollection, now: datetime, as_of: datetime | None
    ) -> Recollection:
        found = self._dated(query, found, now)
        if as_of is None:
            return found
        believed = as_believed(
            query,
            found,
            self.visible.believed(self._ports.memories, as_of),
            StatementSources(
                self._ports.memories.believed, self._ports.documents.many, self._text_of
            ),
            self._ports.count_tokens,
        )
        return self._dated(query, believed, as_of, as_of)

    def _text_of(self, document: Document) -> str | None:
        return (
            self._ports.files.words(document.sha256, document.text_version)
            if document.text_version
            else None
        )

    def _corrected(self, query: RecallQuery, now: datetime) -> Recollection:
        """Find, and let what was decided against give way."""
        found = self.visible.find(query, now)
        changes = [
            change
            for decision in self.visible.corrections(CONSIDERED)
            if (change := self._ports.change_of(decision)) is not None
        ]
        documents = [item.chunk.document for item in found.items]
        corrections = [
            change.decision.correction for change in changes if change.decision.correction
        ]
        decided = self._ports.decisions.about([*documents, *corrections])
        if not decided and not changes:
            return found
        corrected = with_corrections(
            query,
            found,
            PassageDecisions(decided, changes, self._written(documents, changes)),
            self.passages_of,
            self._ports.count_tokens,
        )
        return replace(
            corrected,
            items=tuple(
                replace(item, corrects=item.corrects and self.visible.corrects(item.chunk.document))
                for item in corrected.items
            ),
        )

    def _written(
        self, documents: Collection[DocumentId], changes: Sequence[FactChange]
    ) -> Callable[[Chunk], datetime | None]:
        """Tell when a passage was written: a correction when it was decided, another on its own
        day, one without a day when its document was added.
        """
        decided = {
            change.decision.correction: change.decision.at
            for change in changes
            if change.decision.correction
        }
        added = (
            {
                document.id: document.added_at
                for document in self._ports.documents.many(list(documents))
            }
            if changes
            else {}
        )
        return lambda chunk: (
            decided.get(chunk.document) or chunk.said_at or added.get(chunk.document)
        )

    def _dated(
        self,
        query: RecallQuery,
        found: Recollection,
        now: datetime,
        as_of: datetime | None = None,
    ) -> Recollection:
        """Say of what was found when it was so, and bring what was so at the time in question."""
        dates = self.visible.dates
        stretches = validity.dated(
            dates, self._ports.memories, [item.chunk for item in found.items], as_of
        )
        return validity.with_what_was_so(
            query, in_time(query.question, found, stretches, now), dates, self.passages_of, now
        )

    def read(self, question: Question, found: Recollection) -> reader.ReadingResult:
        """Choose what answers a question. A table is computed with where whole documents may be
        seen.
        """
        ports, now = self._ports, self._ports.clock.now()
        days = days_asked(question, now)
        for span in days:
            if picks := told_of(found.items, span):
                return reader.ReadingResult(picks, 1.0, learned=True, days=days)
        for span in days:
            if picks := naming(found.items, span):
                return reader.ReadingResult(picks, 1.0, learned=True, days=days)
        if days and not any(names_day(found.items, span) for span in days):
            return reader.ReadingResult((), 0.0, learned=True, days=days)
        topic = topic_asked(question)
        if topic and (picks := told_about(found.items, topic, question.language)):
            return reader.ReadingResult(picks, 1.0, learned=True)
        told = None
        if self.visible.whole:
            told = table_rows.told(
                question, found, ports.documents, ports.decisions, ports.files, now
            )
        if told is None and self.visible.by_owner:
            own = frozenset(own_keys(ports.owner()))
            told = persons.told(question, self._about, self._text_by_id, own)
        told = told or validity.told_of_change(question, found, self.visible.dates, self._words_of)
        return (
            reader.ReadingResult((), 1.0, told)
            if told is not None
            else replace(
                reader.of_that_time(
                    reader.read(question, found, ports.reads), question, found, now
                ),
                days=days,
            )
        )

    def _about(self, question: Question, most: int) -> Sequence[Recalled]:
        """Find passages about something, without reading them to rank them."""
        return self._corrected(RecallQuery(question, k=most), self._ports.clock.now()).items

    def _text_by_id(self, identifier: DocumentId) -> str:
        known = self._ports.documents.many([identifier])
        return (self._text_of(known[0]) or "") if known else ""

    def read_rest(
        self, question: Question, found: Recollection, shown: Sequence[reader.Stretch]
    ) -> reader.ReadingResult:
        """Choose what answers a question besides what was shown already."""
        return reader.rest(question, found, shown, self._ports.reads)

    def gather(self, request: Question, found: Recollection) -> tuple[reader.Pick, ...]:
        """Choose the sentences that belong to a request."""
        return gather(request, found, self._ports.reads)

    def core(self, most: int = MOST_TOKENS) -> Core:
        """Return what of ``memory.md`` is always in mind, up to ``most`` tokens: the lines that may
        be seen.
        """
        document = self._ports.documents.by_origin(CORE)
        if document is None or document.deleted_at is not None:
            return Core()
        struck = [
            decision.quote
            for decision in self._ports.decisions.about([document.id]).get(document.id, ())
            if decision.strikes
        ]
        text = "\n".join(chunk.text for chunk in self.passages_of(document.id))
        return core_of(without_struck(text, struck), self._ports.count_tokens, most)

    def short_biography(self) -> list[PageLine]:
        """Return in up to three sentences who the person is, as what may be seen tells it."""
        return short_within(self._ports.life(), self._shows())

    def life_sentences(self) -> set[str]:
        """Return the sentences that may be seen and could tell who the person is."""
        life, shows = self._ports.life(), self._shows()
        return {claim.text for claim in (*life.mine, *life.by_others) if shows(claim)}

    def _shows(self) -> Callable[[Claim], bool]:
        """Return what tells whether a claim may be seen in one piece, and nothing of it was
        struck. What was decided is looked up once for each document.
        """
        passages = cache(self.passages_of)
        struck = cache(self._struck_in)

        def shows(claim: Claim) -> bool:
            there = [
                chunk
                for chunk in passages(claim.document)
                if chunk.text_version == claim.text_version
                and chunk.start <= claim.start
                and claim.end <= chunk.end
            ]
            return any(not _is_struck(claim, chunk, struck(claim.document)) for chunk in there)

        return shows

    def _struck_in(self, document: DocumentId) -> list[Decision]:
        known = self._ports.decisions.about([document]).get(document, ())
        return [decision for decision in known if decision.strikes]

    def _words_of(self, dated: Dated) -> tuple[str, int, int] | None:
        """Return the words of a dated sentence and where they stand; nothing where they were
        struck.
        """
        with suppress(NotFoundError):
            document = self._ports.documents.get(dated.document)
            words = self._ports.files.words(document.sha256, dated.text_version) or ""
            struck = any(
                decision.strikes and dated.quote in decision.quote
                for decision in self._ports.decisions.about([document.id]).get(document.id, ())
            )
            if words[dated.start : dated.end] == dated.quote and not struck:
                return dated.quote, dated.start, dated.end
        return None


def _is_struck(claim: Claim, chunk: Chunk, struck: Sequence[Decision]) -> bool:
    return any(
        chunk.start + start < claim.end and claim.start < chunk.start + end
        for decision in struck
        for start, end in stretches(decision, chunk)
    )
