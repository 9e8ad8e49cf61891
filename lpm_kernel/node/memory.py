"""What is found, what is decided about it, and what an answer may rest on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import MappingProxyType

from lpm_kernel.backends.llm.client import estimate_tokens
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.chat.conversations import Citation, Turn
from lpm_kernel.domain.chat.recall import (
    Level,
    NamedParty,
    Recalled,
    RecallQuery,
    Recollection,
    Scope,
    Signals,
)
from lpm_kernel.domain.ids import ChunkId, DocumentId, FindingId
from lpm_kernel.domain.library.documents import Chunk, Document, DocumentKind
from lpm_kernel.domain.library.listing import DocumentFilter
from lpm_kernel.domain.memory.decisions import Decision, Verdict, stretches
from lpm_kernel.domain.memory.memories import Belief, MemoryFilter
from lpm_kernel.domain.memory.retain import line_of
from lpm_kernel.domain.memory.validity import Dated
from lpm_kernel.domain.ports import Embedder
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.index.days import Days, Tally
from lpm_kernel.L0.language.dates import moment
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.core import Core
from lpm_kernel.L1.recall import Recall
from lpm_kernel.L1.statements.changes import CONSIDERED, FactChange, change_of
from lpm_kernel.L1.statements.corrections import heeded
from lpm_kernel.L1.statements.validity import in_time
from lpm_kernel.node.library import Library
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.workspace import WorkspaceFiles
from lpm_kernel.usecases.chat import table_rows
from lpm_kernel.usecases.home import erasure as erasing
from lpm_kernel.usecases.memory import findings as judging
from lpm_kernel.usecases.memory import forgetting, timeline, validity, verdicts
from lpm_kernel.usecases.memory.as_of import as_believed


class Memory:
    """Recall, with what the person decided, for whoever asks."""

    _recaller: tuple[IndexDb, Embedder | None, Recall] | None = None
    """What recalls, with the index and the embedder that it was made for."""
    known_changes: Mapping[Decision, FactChange | None] = MappingProxyType({})
    """What corrections change, by the decision."""

    def __init__(
        self, ports: Ports, models: Models, library: Library, workspace: WorkspaceFiles
    ) -> None:
        self.spread_on_map: Callable[[Recollection, RecallQuery], Recollection]
        """Adds what lies near on the map."""
        self._ports = ports
        self._models = models
        self._library = library
        self._workspace = workspace

    def recall(
        self,
        query: str,
        *,
        k: int = 25,
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        tags: Sequence[str] = (),
        speakers: Sequence[str] = (),
        entities: Sequence[str] = (),
        memory_kinds: Sequence[str] = (),
        kinds: Sequence[DocumentKind] = (),
        folder: str = "",
        as_of: datetime | None = None,
        token_budget: int | None = None,
        explain: bool = True,
        typing: bool = False,
        decay_rate: float | None = None,
        spread: bool = False,
        now: datetime | None = None,
        include_private: bool = True,
    ) -> Recollection:
        """Find what answers a question. ``since`` and ``until`` take a time, a date, or a span such
        as ``30d``.

        ``memory_kinds`` are those of statements, or ``passage``; ``kinds`` are those of documents.
        ``spread`` adds what lies two edges away on the map from what the question names. ``as_of``
        looks from another day: what was said or written later, or nobody knows when, does not take
        part. ``decay_rate`` ranks by nearness and newness alone
        (:func:`lpm_kernel.L0.index.ranking.decayed`).
        """
        seen_from = now or as_of or self._ports.clock.now()
        ends = [moment(until, seen_from, until=True) if isinstance(until, str) else until, as_of]
        scope = Scope(
            since=moment(since, seen_from) if isinstance(since, str) else since,
            until=min(
                (end for end in ends if end is not None),
                default=None,
                key=lambda end: end.astimezone(),
            ),
            tags=tuple(tags),
            speakers=tuple(speakers),
            entities=tuple(entities),
            kinds=tuple(memory_kinds),
            include_private=include_private,
        )
        if kinds or folder:
            scope = replace(
                scope,
                documents=tuple(
                    self._ports.documents.ids(
                        DocumentFilter(
                            kinds=tuple(kinds), folder=folder, open_only=not include_private
                        )
                    )
                ),
            )
            if not scope.documents:
                return Recollection((), Level.WORDS, 0, 0, 0.0)
        asked = RecallQuery(query, k, scope, token_budget, explain, typing, decay_rate)
        found = self.recall_query(asked, now or as_of)
        if as_of is not None:
            then = self._ports.memories.at(as_of, MemoryFilter(open_only=not include_private))
            found = as_believed(
                asked,
                found,
                then,
                self._ports.memories.believed,
                self._ports.documents.many,
                self._text_of,
                estimate_tokens,
            )
            found = self._in_time(asked, found, as_of, as_of)
        return self.spread_on_map(found, asked) if spread else found

    def _text_of(self, document: Document) -> str | None:
        return (
            self._ports.files.words(document.sha256, document.text_version)
            if document.text_version
            else None
        )

    def names(self, beginning: str, limit: int, *, include_private: bool) -> list[NamedParty]:
        """Return who and what is named in the passages, or said them, most often first."""
        return self.whole_recall.names(beginning, limit, Scope(include_private=include_private))

    def days(self, scope: Scope) -> Days:
        """Return how much each day holds of what may take part."""
        return self.whole_recall.days(scope)

    def told_of(self, days: Days, tallies: Sequence[Tally]) -> list[timeline.DaySummary]:
        """Tell of these days: documents, names, and the day's own best sentence."""
        return timeline.told(
            days,
            self._ports.index,
            self._ports.documents,
            self._ports.decisions,
            tallies,
            own=self._ports.conversations.identity().name,
        )

    def recall_query(self, query: RecallQuery, now: datetime | None = None) -> Recollection:
        """Find what answers a question that is already taken apart, what was so at the time that it
        asks about before what was not.
        """
        return self._in_time(query, self._heeded(query, now), now or self._ports.clock.now())

    def _in_time(
        self, query: RecallQuery, found: Recollection, now: datetime, as_of: datetime | None = None
    ) -> Recollection:
        dated = validity.dated(
            self._ports.validities,
            self._ports.memories,
            [item.chunk for item in found.items],
            as_of,
        )
        seen = partial(self._corrections_of, scope=query.scope)
        return validity.with_what_was_so(
            query, in_time(query.text, found, dated, now), self._ports.validities, seen, now
        )

    def _heeded(self, query: RecallQuery, now: datetime | None = None) -> Recollection:
        recall = self.whole_recall if query.scope.include_private else self.whole_recall.open_only()
        found = recall(query, now)
        changes = self._changes()
        there = [item.chunk.document for item in found.items]
        decided = self._ports.decisions.about(
            [*there, *(each.decision.correction for each in changes if each.decision.correction)]
        )
        if not decided and not changes:
            return found
        seen = partial(self._corrections_of, scope=query.scope)
        return heeded(
            query, found, decided, seen, estimate_tokens, changes, self._written(there, changes)
        )

    def _written(
        self, documents: Sequence[DocumentId], changes: Sequence[FactChange]
    ) -> Callable[[Chunk], datetime | None]:
        """Tell when a passage was written: a correction when it was decided, another on its own
        day, one without a day when its document was added.
        """
        decided = {
            each.decision.correction: each.decision.at
            for each in changes
            if each.decision.correction
        }
        added = (
            {each.id: each.added_at for each in self._ports.documents.many(documents)}
            if changes
            else {}
        )
        return lambda chunk: (
            decided.get(chunk.document) or chunk.said_at or added.get(chunk.document)
        )

    def _changes(self) -> list[FactChange]:
        """Return what the newest corrections change, each worked out once."""
        known = self.known_changes
        mended = [
            each
            for each in self._ports.decisions.all()
            if each.verdict is Verdict.MEND and each.correction
        ][-CONSIDERED:]
        self.known_changes = {
            each: known[each] if each in known else change_of(each, self.correction(each) or "")
            for each in mended
        }
        return [each for each in self.known_changes.values() if each is not None]

    def _corrections_of(self, document: DocumentId, scope: Scope) -> list[Chunk]:
        with suppress(NotFoundError):
            if scope.include_private or not self._ports.documents.get(document).private:
                return self._ports.index.chunks_of(document)
        return []

    def recall_for(self, *, owner: bool) -> Callable[[RecallQuery], Recollection]:
        """Return recall as somebody may use it: what is private stays with the owner, and goes to
        no model elsewhere.
        """

        def recall(query: RecallQuery) -> Recollection:
            seen = query.scope.include_private and owner and self._models.model_is_here
            return self.recall_query(
                replace(query, scope=replace(query.scope, include_private=seen))
            )

        return recall

    def core_for(self, *, owner: bool) -> Core:
        """Return what every prompt holds of ``memory.md``, as somebody may see it: a private one
        stays with the owner, and goes to no model elsewhere.
        """
        return self._workspace.core(private=owner and self._models.model_is_here)

    def may_go(self, turns: Sequence[Turn], *, owner: bool) -> list[Turn]:
        """Return earlier turns as the model may see them.

        One elsewhere, and one that somebody else asks, sees nothing that rests on what is private,
        or that is not there any more and may have been.
        """
        if owner and self._models.model_is_here:
            return list(turns)
        cited = {each.document for turn in turns for each in turn.citations}
        open_ones = {
            each.id for each in self._ports.documents.many(list(cited)) if not each.private
        }
        return [
            erasing.without(turn, cited - open_ones, instead=erasing.LEFT_OUT) for turn in turns
        ]

    def read(self, question: str, found: Recollection) -> reader.ReadingResult:
        """Choose what answers a question."""
        told = table_rows.told(
            question,
            found,
            self._ports.documents,
            self._ports.decisions,
            self._ports.files,
            self._ports.clock.now(),
        )
        told = told or validity.told_of_change(
            question,
            found,
            self._ports.validities,
            partial(self._words_of, {item.chunk.document for item in found.items}),
        )
        return (
            reader.ReadingResult((), 1.0, told)
            if told is not None
            else reader.read(question, found, self._models.embedder)
        )

    def _words_of(self, seen: Collection[DocumentId], known: Dated) -> tuple[str, int, int] | None:
        """Return the words of a dated sentence and where they stand; nothing where they were
        struck, or are private and not among what was ``seen``.
        """
        with suppress(NotFoundError):
            document = self._ports.documents.get(known.document)
            words = self._ports.files.words(document.sha256, known.text_version) or ""
            struck = any(
                each.strikes and known.quote in each.quote
                for each in self._ports.decisions.about([document.id]).get(document.id, ())
            )
            if (
                words[known.start : known.end] == known.quote
                and not struck
                and (not document.private or document.id in seen)
            ):
                return known.quote, known.start, known.end
        return None

    def read_rest(
        self, question: str, found: Recollection, shown: Sequence[reader.Span]
    ) -> reader.ReadingResult:
        """Choose what answers a question besides what was shown already."""
        return reader.rest(question, found, shown, self._models.embedder)

    def gather(self, request: str, found: Recollection) -> tuple[reader.Pick, ...]:
        """Choose the sentences that belong to a request."""
        return reader.gather(request, found, self._models.embedder)

    def passages(self, known: Iterable[ChunkId]) -> list[Chunk]:
        """Return those of the passages that are still there: a document may have been deleted, or
        read anew, since.
        """
        found = []
        for identifier in known:
            with suppress(NotFoundError):
                found.append(self._ports.index.chunk(identifier))
        return found

    def as_recalled(self, chunks: Sequence[Chunk]) -> list[Recalled]:
        """Show chunks among things found without asking why; what the person decided against is
        struck.
        """
        decided = self._ports.decisions.about([chunk.document for chunk in chunks])
        return [
            Recalled(
                chunk,
                0.0,
                Signals(),
                entities=(chunk.speaker,) if chunk.speaker else (),
                struck=tuple(
                    sorted(
                        span
                        for each in decided.get(chunk.document, ())
                        if each.strikes
                        for span in stretches(each, chunk)
                    )
                ),
            )
            for chunk in chunks
        ]

    def warm(self) -> None:
        """Read the index into memory now rather than at the first question."""
        self.whole_recall.warm()

    @property
    def recaller(self) -> Recall:
        """What recalls out of everything: to be narrowed for whoever may not see it."""
        return self.whole_recall

    @property
    def whole_recall(self) -> Recall:
        """What recalls for the owner."""
        index = self._ports.index
        embedder = self._models.embedder
        if (
            self._recaller is None
            or self._recaller[0] is not index
            or self._recaller[1] is not embedder
        ):
            self._recaller = (
                index,
                embedder,
                Recall(index, embedder, self._ports.clock, estimate_tokens),
            )
        return self._recaller[2]

    def judged(
        self, finding: FindingId, verdict: Verdict, content: str = ""
    ) -> judging.SentenceDecision:
        """Say what is decided about something that was found."""
        return judging.judged(self._ports.decisions, finding, verdict, content)

    def decide(self, judged: judging.SentenceDecision) -> judging.Finding:
        """Record what the person decided about a sentence."""
        if judged.verdict is Verdict.KEEP:
            self._ports.uses.note(judged.document, judged.start, judged.end)
        found = judging.decide(
            self._ports.files,
            self._ports.documents,
            self._ports.decisions,
            self._ports.index,
            self._ports.clock,
            self._library.arrive,
            judged,
        )
        self._workspace.remember_kept([found.document.id])
        return found

    def divide_corrections(self) -> int:
        """Give each decision a correction of its own, where an earlier release shared them. Returns
        how many were made.
        """
        return judging.divide(
            self._ports.files, self._ports.documents, self._ports.decisions, self._library.arrive
        )

    def correction(self, decision: Decision) -> str | None:
        """Return how a mended sentence reads rightly."""
        if decision.correction is None:
            return None
        with suppress(NotFoundError):
            return self._ports.files.original(
                self._ports.documents.get(decision.correction).sha256
            ).decode("utf-8", "replace")
        return None

    def strengths(self, beliefs: Sequence[Belief]) -> list[tuple[float, bool]]:
        """Return how strongly memories are held, 0..1, and whether they are pinned."""
        self._ports.uses.write()
        return forgetting.strengths(
            self._ports.memories, self._ports.holding, beliefs, self._ports.clock.now()
        )

    def pin(self, belief: Belief, *, pinned: bool) -> None:
        """Have a memory never fade, or fade again."""
        if pinned:
            self._ports.holding.pin(belief.memory, belief.document, self._ports.clock.now())
        else:
            self._ports.holding.unpin(belief.memory)

    def cited(self, citations: Sequence[Citation]) -> None:
        """Note that words were cited in an answer: what is used fades more slowly."""
        for each in citations:
            self._ports.uses.note(each.document, each.start, each.end)

    def undecide(self, finding: FindingId) -> None:
        """Take a decision back."""
        decided = self._ports.decisions.get(finding)
        judging.undo(
            self._ports.files,
            self._ports.documents,
            self._ports.decisions,
            self._ports.index,
            self._ports.clock,
            finding,
        )
        self._workspace.remember_kept([decided.document])

    def state_right(self, said: Turn) -> None:
        """Make a memory of what the person says is right in the place of an answer, reword it, or
        take it out where they took that back.

        It is private where the answer cites anything private. Raises ``InvalidInputError``.
        """
        right, identifier = verdicts.right_of(said), verdicts.memory_of(said.id)
        asked = self._ports.conversations.turn(said.answers) if said.answers is not None else None
        wanted = (
            verdicts.stated("" if asked is None else asked.text.strip(), right) if right else None
        )
        last = self._ports.memories.last(identifier)
        known = last if last is not None and last.believed_until is None else None
        if known is not None and (wanted is None or wanted.text != known.statement.text):
            self._workspace.reword(
                known, None if wanted is None else replace(wanted, id=identifier)
            )
        elif known is None and wanted is not None:
            sealed = any(
                each.private
                for each in self._ports.documents.many(
                    sorted({each.document for each in said.citations})
                )
            )
            self._workspace.retain(
                line_of(replace(wanted, id=identifier)), self._workspace.put_right(sealed=sealed)
            )

    def struck_since(self, said: Turn) -> set[int]:
        """Return the numbers of the citations whose words the person mended or forgot since it was
        said.
        """
        decided = (
            self._ports.decisions.about([each.document for each in said.citations])
            if said.citations
            else {}
        )
        return {
            each.n
            for each in said.citations
            for decision in decided.get(each.document, [])
            if decision.strikes and decision.at > said.created_at and self._concerns(decision, each)
        }

    def _concerns(self, decision: Decision, cited: Citation) -> bool:
        if decision.text_version == cited.text_version:
            return decision.start < cited.end and cited.start < decision.end
        # read anew since: what was decided holds for the words, wherever they stand
        with suppress(NotFoundError):
            return decision.quote in self._library.quote(
                self._ports.documents.get(cited.document), cited
            )
        return False

    def still_holds(self, said: Turn) -> bool:
        """Tell whether nothing that an answer rests on was mended or forgotten since."""
        return not self.struck_since(said)
