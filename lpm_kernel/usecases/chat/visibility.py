"""What may be seen of the memory: all of it, what is not private, or the rows of a scope."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Protocol

from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.memory.decisions import Decision, Verdict, whole_in
from lpm_kernel.domain.memory.memories import Belief, Memories, MemoryFilter
from lpm_kernel.domain.memory.validity import Dated, Dates, Validities
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.stores import Decisions, Documents
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L1.recall import Recall
from lpm_kernel.usecases.library.passages import passages_of

EVERY = 1_000_000
SIDES = 2
"""Sentences of a disagreement that was settled."""


class Visibility(Protocol):
    """What may be seen; everything else is as if it were not there."""

    whole: bool
    """Of a document that may be seen, everything may."""
    by_owner: bool
    """The person asks, or a program of theirs: "you" is the person."""
    dates: Dates
    """From when until when sentences are so that may be seen."""

    def find(self, query: RecallQuery, now: datetime) -> Recollection:
        """Find what answers a question."""
        ...

    def passages_of(self, document: DocumentId) -> list[Chunk]:
        """Return the passages of a document."""
        ...

    def corrections(self, most: int) -> list[Decision]:
        """Return the newest decisions that put something right, oldest first, where both sides may
        be seen.
        """
        ...

    def corrects(self, correction: DocumentId) -> bool:
        """Tell whether what a correction puts right may be seen."""
        ...

    def believed(self, memories: Memories, at: datetime) -> Sequence[Belief]:
        """Return what was believed at an earlier time."""
        ...


def _putting_right(decisions: Decisions) -> list[Decision]:
    return [
        decision
        for decision in decisions.all()
        if decision.verdict is Verdict.MEND and decision.correction
    ]


class Everything:
    """What the owner sees, with what is private."""

    whole = True
    by_owner = True

    def __init__(
        self, recall: Recall, index: PassageIndex, decisions: Decisions, validities: Validities
    ) -> None:
        self._recall = recall
        self._index = index
        self._decisions = decisions
        self.dates: Dates = validities

    def find(self, query: RecallQuery, now: datetime) -> Recollection:
        """Find what answers a question, in the scope that it names."""
        return self._recall(query, now)

    def passages_of(self, document: DocumentId) -> list[Chunk]:
        """Return the passages of a document."""
        return self._index.chunks_of(document)

    def corrections(self, most: int) -> list[Decision]:
        """Return the newest decisions that put something right, oldest first."""
        return _putting_right(self._decisions)[-most:]

    def corrects(self, correction: DocumentId) -> bool:  # noqa: ARG002  the protocol's
        """Tell that what a correction puts right may be seen."""
        return True

    def believed(self, memories: Memories, at: datetime) -> Sequence[Belief]:
        """Return what was believed at an earlier time."""
        return memories.at(at, MemoryFilter())


class OpenDocuments:
    """What is not private: for programs, and for a model elsewhere."""

    whole = True
    by_owner = True

    def __init__(
        self,
        recall: Recall,
        index: PassageIndex,
        documents: Documents,
        decisions: Decisions,
        validities: Validities,
    ) -> None:
        """``recall`` is the owner's."""
        self._recall = recall.open_only()
        self._index = index
        self._documents = documents
        self._decisions = decisions
        self._is_open: dict[DocumentId, bool] = {}
        self.dates: Dates = VisibleDates(validities, lambda dated: self._holds(dated.document))

    def find(self, query: RecallQuery, now: datetime) -> Recollection:
        """Find what answers a question, in the scope that it names."""
        scope = replace(query.scope, include_private=False)
        return self._recall(replace(query, scope=scope), now)

    def passages_of(self, document: DocumentId) -> list[Chunk]:
        """Return the passages of a document; none of a private one."""
        return self._index.chunks_of(document) if self._holds(document) else []

    def corrections(self, most: int) -> list[Decision]:
        """Return the newest decisions that put something right, oldest first, where both documents
        are open.
        """
        decisions, seen = _putting_right(self._decisions), list[Decision]()
        while decisions and len(seen) < most:
            decisions, newest = decisions[:-most], decisions[-most:]
            self._look_up({decision.document for decision in newest})
            self._look_up({decision.correction for decision in newest if decision.correction})
            seen = [*filter(self._is_seen, newest), *seen]
        return seen[-most:]

    def corrects(self, correction: DocumentId) -> bool:
        """Tell whether what a correction puts right is open."""
        return any(map(self._is_seen, self._decisions.correcting([correction])))

    def believed(self, memories: Memories, at: datetime) -> Sequence[Belief]:
        """Return what was believed at an earlier time, out of open documents."""
        return memories.at(at, MemoryFilter(open_only=True))

    def _is_seen(self, decision: Decision) -> bool:
        return (
            decision.correction is not None
            and self._holds(decision.correction)
            and self._holds(decision.document)
        )

    def _holds(self, document: DocumentId) -> bool:
        self._look_up({document})
        return self._is_open[document]

    def _look_up(self, documents: Collection[DocumentId]) -> None:
        unknown = [document for document in documents if document not in self._is_open]
        there = self._documents.many(unknown) if unknown else ()
        self._is_open |= dict.fromkeys(unknown, False) | {
            document.id: not document.private for document in there
        }


class VisibleRows:
    """The rows of a scope: what a role sees, or what a contact is answered from."""

    by_owner = False

    def __init__(
        self,
        recall: Recall,
        index: PassageIndex,
        decisions: Decisions,
        validities: Validities,
        *,
        whole: bool,
        gone: Sequence[Chunk] = (),
    ) -> None:
        """``recall`` is narrowed to the rows. ``gone`` are rows of the scope that cannot be found
        any more, because all of their words were corrected or forgotten; their corrections are in
        the scope too.
        """
        self.whole = whole
        self._recall = recall
        self._index = index
        self._decisions = decisions
        self._gone = gone
        self._passages: dict[DocumentId, list[Chunk]] = {}
        self.dates: Dates = VisibleDates(validities, self._covers)

    def find(self, query: RecallQuery, now: datetime) -> Recollection:
        """Find what answers a question."""
        return self._recall(query, now)

    def passages_of(self, document: DocumentId) -> list[Chunk]:
        """Return the passages of a document that lie inside."""
        if document not in self._passages:
            self._passages[document] = self._recall.passages_of(document)
        return self._passages[document]

    def corrections(self, most: int) -> list[Decision]:
        """Return the newest decisions that put something right, oldest first, where both the
        correction and what it corrects lie inside.
        """
        return list(filter(self._is_inside, _putting_right(self._decisions)))[-most:]

    def corrects(self, correction: DocumentId) -> bool:
        """Tell whether what a correction puts right lies inside."""
        return any(map(self._is_inside, self._decisions.correcting([correction])))

    def believed(self, memories: Memories, at: datetime) -> Sequence[Belief]:  # noqa: ARG002  the protocol's
        """Return nothing: of words that stand nowhere any more nobody can tell whether they lay
        inside.
        """
        return ()

    def _is_inside(self, decision: Decision) -> bool:
        if not decision.correction or not (
            self.passages_of(decision.correction)
            or any(chunk.document == decision.correction for chunk in self._gone)
        ):
            return False
        return self._covers(
            decision, [chunk for chunk in self._gone if chunk.document == decision.document]
        )

    def _covers(self, said: Decision | Dated, gone: Sequence[Chunk] = ()) -> bool:
        """Tell whether the words that something was said of lie inside, all of them."""
        return whole_in(
            said,
            [*self.passages_of(said.document), *gone],
            partial(passages_of(self._index), said.document),
        )


class VisibleDates:
    """The dates of sentences that may be seen. The dates that settle a disagreement count only
    where both of its sentences may be seen.
    """

    def __init__(self, validities: Validities, covers: Callable[[Dated], bool]) -> None:
        self._validities = validities
        self._covers = covers

    def about(
        self, documents: Collection[DocumentId], memories: Collection[str] = ()
    ) -> list[Dated]:
        """Return what is known of these sentences, and of these memories, which lie inside wherever
        they were dated.
        """
        return self._visible(self._validities.about(documents, memories), memories)

    def ruled(self, rulings: Collection[str]) -> list[Dated]:
        """Return what these rulings set."""
        return self._visible(self._validities.ruled(rulings))

    def during(self, first: datetime, last: datetime, limit: int) -> list[Dated]:
        """Return what was so then."""
        return self._visible(self._validities.during(first, last, EVERY))[:limit]

    def _visible(self, dated: Sequence[Dated], memories: Collection[str] = ()) -> list[Dated]:
        sides: dict[str, list[Dated]] = {}
        for side in self._validities.ruled({entry.ruling for entry in dated if entry.ruling}):
            sides.setdefault(side.ruling, []).append(side)
        whole = {
            ruling
            for ruling, both in sides.items()
            if len(both) == SIDES and all(map(self._covers, both))
        }
        return [
            entry
            for entry in dated
            if (
                entry.ruling in whole
                if entry.ruling
                else entry.id in memories or self._covers(entry)
            )
        ]
