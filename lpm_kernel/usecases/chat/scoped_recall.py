"""What a role sees, or what a contact is answered from: recall, corrections, dates, tables and
``memory.md``, as if nothing lay outside its scope.

The same steps as for the person themselves, over ports that are narrowed first. The rule is
non-interference: adding or taking away a memory outside the scope changes neither what the model is
given nor the answer (`tests/property/test_roles.py`, `tests/property/test_answering.py`). So no
count is taken over all rows, no decision reaches in from outside, and no list is cut before what is
outside has left it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from lpm_kernel.domain.chat.conversations import AnswerBasis, Citation, Turn
from lpm_kernel.domain.chat.recall import RecallQuery, Recollection, Scope
from lpm_kernel.domain.ids import ChunkId, DocumentId, TurnId
from lpm_kernel.domain.library.documents import Chunk, text_hash
from lpm_kernel.domain.memory.decisions import Decision, Verdict, whole_in
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.memory.validity import Dated, Validities
from lpm_kernel.domain.memory.workspace import CORE
from lpm_kernel.domain.ports import Clock, Embedder, PassageIndex
from lpm_kernel.domain.stores import Decisions, Documents, Files
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.core import MOST_TOKENS, Core, core_of, without_struck
from lpm_kernel.L1.recall import Recall
from lpm_kernel.L1.statements.changes import CONSIDERED, FactChange
from lpm_kernel.L1.statements.corrections import heeded
from lpm_kernel.L1.statements.validity import in_time
from lpm_kernel.usecases.chat import table_rows
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.memory import validity

EVERY = 1_000_000
SIDES = 2
"""Sentences of a disagreement that was settled."""


@dataclass(frozen=True)
class Tools:
    """What it is made with: the ports as the node has them."""

    index: PassageIndex
    documents: Documents
    decisions: Decisions
    validities: Validities
    memories: Memories
    files: Files
    clock: Clock
    embedder: Embedder | None
    count_tokens: Callable[[str], int]
    change_of: Callable[[Decision], FactChange | None]


class Seen:
    """The part of the memory that lies inside a scope. ``recall`` gives it; nothing else is asked
    about what is there.

    ``whole``: of a document that is inside, everything is. A part of one gives no sums. ``gone``
    lies inside and is found no more, because all of it was put right or forgotten: what put it
    right lies inside, too.
    """

    def __init__(
        self, recall: Recall, tools: Tools, *, whole: bool, gone: Sequence[Chunk] = ()
    ) -> None:
        self._gone = gone
        self._recall = recall
        self._whole = whole
        self._tools = tools
        self._dates = Narrow(tools.validities, self._passes)
        self._known: dict[DocumentId, list[Chunk]] = {}
        self._inside: dict[ChunkId, bool] = {}

    def passages_of(self, document: DocumentId) -> list[Chunk]:
        """Return the passages of a document that lie inside."""
        if document not in self._known:
            self._known[document] = self._recall.passages_of(document)
        return self._known[document]

    def holds(self, cited: Citation) -> bool:
        """Tell whether a place in a document lies inside."""
        start, end = cited.start, cited.end
        inside = [
            each
            for each in self.passages_of(cited.document)
            if each.text_version == cited.text_version
        ]
        return any(each.start <= start < each.end for each in inside) and any(
            each.start < end <= each.end for each in inside
        )

    def recall(self, query: RecallQuery) -> Recollection:
        """Find what answers a question."""
        tools, now = self._tools, self._tools.clock.now()
        query = replace(query, scope=Scope())  # what takes part was chosen already
        found = self._recall(query, now)
        changes = self._changes()
        there = [item.chunk.document for item in found.items]
        corrections = [each.decision.correction for each in changes if each.decision.correction]
        decided = tools.decisions.about([*there, *corrections])
        if decided or changes:
            found = heeded(
                query,
                found,
                decided,
                self.passages_of,
                tools.count_tokens,
                changes,
                self._written(there, changes),
            )
            found = replace(
                found,
                items=tuple(
                    replace(item, corrects=item.corrects and self._corrects(item.chunk.document))
                    for item in found.items
                ),
            )
        dated = validity.dated(self._dates, tools.memories, [item.chunk for item in found.items])
        return validity.with_what_was_so(
            query, in_time(query.text, found, dated, now), self._dates, self.passages_of, now
        )

    def read(self, question: str, found: Recollection) -> reader.ReadingResult:
        """Choose what answers a question. A table is reckoned with where whole documents are
        inside.
        """
        tools = self._tools
        told = None
        if self._whole:
            told = table_rows.told(
                question, found, tools.documents, tools.decisions, tools.files, tools.clock.now()
            )
        told = told or validity.told_of_change(question, found, self._dates, self._words)
        return (
            reader.ReadingResult((), 1.0, told)
            if told is not None
            else reader.read(question, found, tools.embedder)
        )

    def read_rest(
        self, question: str, found: Recollection, shown: Sequence[reader.Span]
    ) -> reader.ReadingResult:
        """Choose what answers a question besides what was shown already."""
        return reader.rest(question, found, shown, self._tools.embedder)

    def core(self, most: int = MOST_TOKENS) -> Core:
        """Return what of ``memory.md`` is always in mind, up to ``most`` tokens: the lines that lie
        inside.
        """
        known = self._tools.documents.by_origin(CORE)
        if known is None or known.deleted_at is not None:
            return Core()
        struck = [
            each.quote
            for each in self._tools.decisions.about([known.id]).get(known.id, ())
            if each.strikes
        ]
        text = "\n".join(each.text for each in self.passages_of(known.id))
        return core_of(without_struck(text, struck), self._tools.count_tokens, most)

    def history(
        self, turns: Sequence[Turn], turn: Callable[[TurnId], Turn | None], *, learned: bool
    ) -> list[Turn]:
        """Return the earlier turns that a role may go on from: those after the last answer that
        rests on something which does not lie inside any more.

        Everything counts that the model was given, cited or not, and what it heard of earlier
        answers with all that these rest on. ``learned``: what was learned in a training lies
        inside.
        """
        outside = self.outside(turns, turn, learned=learned)
        past = [number for number, each in enumerate(turns) if each.id in outside]
        return list(turns[past[-1] + 1 :]) if past else list(turns)

    def outside(
        self, turns: Sequence[Turn], turn: Callable[[TurnId], Turn | None], *, learned: bool
    ) -> set[TurnId]:
        """Name the answers that may tell something which does not lie inside: see
        :meth:`history`.
        """
        lines = {text_hash(line) for line in self.core(EVERY).lines}
        hearers: dict[TurnId, list[TurnId]] = defaultdict(list)
        seen, waiting, tainted = {each.id for each in turns}, list(turns), []
        while waiting:
            each = waiting.pop()
            if each.role == "user":
                continue
            # or one of an earlier release
            if (
                each.given is None
                or not self._may_be_told(each.given, lines, learned=learned)
                or not self._lies_inside(each)
            ):
                tainted.append(each.id)
                continue
            for heard in each.given.heard:
                hearers[heard].append(each.id)
                if heard not in seen:
                    seen.add(heard)
                    known = turn(heard)
                    waiting.append(known) if known is not None else tainted.append(heard)
        outside: set[TurnId] = set()
        while tainted:
            if (last := tainted.pop()) not in outside:
                outside.add(last)
                tainted.extend(hearers[last])
        return outside

    def _may_be_told(self, given: AnswerBasis, lines: Collection[str], *, learned: bool) -> bool:
        return (
            all(each in lines for each in given.core)
            and (learned or not given.learned)
            and (self._whole or not given.whole)
        )

    def _lies_inside(self, turn: Turn) -> bool:
        return all(map(self._has, turn.evidence)) and all(map(self.holds, turn.citations))

    def _has(self, passage: ChunkId) -> bool:
        """Tell whether a passage lies inside; one that is gone does not."""
        if passage not in self._inside:
            try:
                chunk = self._tools.index.chunk(passage)
                self._inside[passage] = any(
                    each.id == passage for each in self.passages_of(chunk.document)
                )
            except NotFoundError:
                self._inside[passage] = False
        return self._inside[passage]

    def _changes(self) -> list[FactChange]:
        """Return what corrections change, where both the correction and what it corrects lie
        inside.
        """
        mended = [
            each
            for each in self._tools.decisions.all()
            if each.verdict is Verdict.MEND and each.correction
        ]
        inside = [each for each in mended if self._is_inside(each)][-CONSIDERED:]
        return [change for each in inside if (change := self._tools.change_of(each)) is not None]

    def _is_inside(self, decision: Decision) -> bool:
        if not decision.correction or not (
            self.passages_of(decision.correction)
            or any(each.document == decision.correction for each in self._gone)
        ):
            return False
        return self._passes(
            decision, [each for each in self._gone if each.document == decision.document]
        )

    def _passes(self, said: Decision | Dated, gone: Sequence[Chunk] = ()) -> bool:
        """Tell whether the words that something was said of lie inside, all of them."""
        return whole_in(
            said,
            [*self.passages_of(said.document), *gone],
            partial(passages_of(self._tools.index), said.document),
        )

    def _corrects(self, correction: DocumentId) -> bool:
        return any(self._is_inside(each) for each in self._tools.decisions.correcting([correction]))

    def _written(
        self, there: Collection[DocumentId], changes: Sequence[FactChange]
    ) -> Callable[[Chunk], datetime | None]:
        decided = {
            each.decision.correction: each.decision.at
            for each in changes
            if each.decision.correction
        }
        added = (
            {each.id: each.added_at for each in self._tools.documents.many(list(there))}
            if changes
            else {}
        )
        return lambda chunk: (
            decided.get(chunk.document) or chunk.said_at or added.get(chunk.document)
        )

    def _words(self, known: Dated) -> tuple[str, int, int] | None:
        with suppress(NotFoundError):
            document = self._tools.documents.get(known.document)
            words = self._tools.files.words(document.sha256, known.text_version) or ""
            struck = any(
                each.strikes and known.quote in each.quote
                for each in self._tools.decisions.about([document.id]).get(document.id, ())
            )
            if words[known.start : known.end] == known.quote and not struck:
                return known.quote, known.start, known.end
        return None


class Narrow:
    """The dates of sentences inside a scope. What a ruling set counts where both sentences of it
    lie inside.
    """

    def __init__(self, validities: Validities, holds: Callable[[Dated], bool]) -> None:
        self._validities = validities
        self._holds = holds

    def about(
        self, documents: Collection[DocumentId], memories: Collection[str] = ()
    ) -> list[Dated]:
        """Return what is known of these sentences, and of these memories, which lie inside wherever
        they were dated.
        """
        return self._inside(self._validities.about(documents, memories), memories)

    def ruled(self, rulings: Collection[str]) -> list[Dated]:
        """Return what these rulings set."""
        return self._inside(self._validities.ruled(rulings))

    def during(self, first: datetime, last: datetime, limit: int) -> list[Dated]:
        """Return what was so then."""
        return self._inside(self._validities.during(first, last, EVERY))[:limit]

    def _inside(self, known: Sequence[Dated], memories: Collection[str] = ()) -> list[Dated]:
        sides: dict[str, list[Dated]] = {}
        for each in self._validities.ruled({each.ruling for each in known if each.ruling}):
            sides.setdefault(each.ruling, []).append(each)
        whole = {
            ruling
            for ruling, each in sides.items()
            if len(each) == SIDES and all(map(self._holds, each))
        }
        return [
            each
            for each in known
            if (each.ruling in whole if each.ruling else each.id in memories or self._holds(each))
        ]
