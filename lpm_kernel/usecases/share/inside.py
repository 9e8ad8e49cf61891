"""What a contact is answered from: an index of the rows that a grant covers, as if there were no
others.

:func:`view.covered` decides row by row, and recall is narrowed to the numbers of just those rows:
there is one way of saying "inside". A row of which the person wants a part forgotten stands there
with what is left of it, and cannot be found by the rest.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.library.passages import Passage
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.workspace import CORE
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language import analysis
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering import reader
from lpm_kernel.L1.answering.core import core_of, without_struck
from lpm_kernel.L1.recall import Recall
from lpm_kernel.L1.statements.reflection import PageLine
from lpm_kernel.usecases.chat.recall import RecallPorts, ScopedMemory
from lpm_kernel.usecases.chat.visibility import VisibleRows
from lpm_kernel.usecases.memory.corrections import corrections
from lpm_kernel.usecases.memory.short_biography import LifeClaims, short_within
from lpm_kernel.usecases.share.view import Covered, lying, may_hold, shareable
from protocol.scope import Form, Layer, RowKind, Scope

AT_ONCE: Final = 8
"""Scopes whose rows are kept in memory: those that were asked under last."""


class Inside:
    """The rows that a scope covers. ``recall`` and ``read`` know of nothing else."""

    def __init__(
        self,
        scope: Scope,
        rows: Sequence[Covered],
        recall: Recall,
        ports: RecallPorts,
        gone: Sequence[Chunk] = (),
    ) -> None:
        whole = (
            scope.since is None
            and scope.until is None
            and RowKind.PASSAGE in scope.kinds
            and Layer.SAID in scope.layers
        )
        self.scope = scope
        self.rows = {row.chunk.id: row for row in rows}
        self._by_document: dict[DocumentId, list[Covered]] = {}
        for row in rows:
            self._by_document.setdefault(row.document.id, []).append(row)
        visible = VisibleRows(
            recall, ports.index, ports.decisions, ports.validities, whole=whole, gone=gone
        )
        self._memory = ScopedMemory(visible, ports)
        self._ports = ports
        self._told: tuple[LifeClaims, list[PageLine]] | None = None

    def recall(self, query: RecallQuery) -> Recollection:
        """Find what answers a question, in the words that may be used."""
        found = self._memory.recall(query)
        known = [
            (item, self.rows[item.chunk.id]) for item in found.items if item.chunk.id in self.rows
        ]
        return replace(
            found,
            items=tuple(
                replace(item, struck=tuple(sorted({*item.struck, *row.struck})))
                for item, row in known
            ),
        )

    def passages_of(self, document: DocumentId) -> list[Chunk]:
        """Return the passages of a document that recall can find."""
        return self._memory.passages_of(document)

    def read(self, question: Question, found: Recollection) -> reader.ReadingResult:
        """Choose what answers a question."""
        return self._memory.read(question, found)

    def core(self) -> tuple[str, ...]:
        """Return the lines of ``memory.md`` that lie inside."""
        rows = sorted(self.core_rows(), key=lambda row: row.chunk.start)
        texts = (
            without_struck(row.chunk.text, [row.chunk.text[start:end] for start, end in row.struck])
            for row in rows
        )
        return core_of("\n".join(texts), self._ports.count_tokens).lines

    def core_rows(self) -> list[Covered]:
        """Return the rows of ``memory.md`` that lie inside."""
        known = self._ports.documents.by_origin(CORE)
        return (
            []
            if known is None
            else [row for row in self.rows.values() if row.document.id == known.id]
        )

    def short_biography(self) -> tuple[str, ...]:
        """Return who the person is in up to three sentences of their page, of which everything that
        they rest on lies inside.
        """
        return tuple(line.text for line in self._short())

    def short_biography_rows(self) -> list[Covered]:
        """Return the rows that these sentences rest on."""
        evidence = [each for line in self._short() for each in line.evidence]
        return [row for each in evidence if (row := self._row_with(each)) is not None]

    def _short(self) -> list[PageLine]:
        """Make them once of what tells who the person is now."""
        life = self._ports.life()
        if self._told is None or self._told[0] is not life:
            self._told = life, short_within(life, lambda claim: self._row_with(claim) is not None)
        return self._told[1]

    def _row_with(self, claim: Claim) -> Covered | None:
        """Return a row that a claim lies in with all its words."""
        return next(
            (
                row
                for row in self._by_document.get(claim.document, ())
                if row.chunk.text_version == claim.text_version
                and row.chunk.start <= claim.start
                and claim.end <= row.chunk.end
                and not any(
                    row.chunk.start + start < claim.end and claim.start < row.chunk.start + end
                    for start, end in row.struck
                )
            ),
            None,
        )

    def row_of(self, cited: Citation) -> Covered | None:
        """Return the row that a citation lies in; ``None`` where it does not lie inside."""
        if cited.chunk in self.rows:
            return self.rows[cited.chunk]
        here = (
            row
            for row in self.rows.values()
            if (row.document.id, row.chunk.text_version) == (cited.document, cited.text_version)
        )
        return next(
            (row for row in here if row.chunk.start <= cited.start and cited.end <= row.chunk.end),
            None,
        )


@dataclass(frozen=True)
class _Made:
    recall: Recall
    stamp: object
    inside: Inside


class Views:
    """The views that were asked for last, each kept as long as nothing changes: not the index, not
    a document, not a decision.
    """

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[Scope, frozenset[str]], _Made] = OrderedDict()
        self._lock = threading.Lock()

    def over(
        self, recall: Recall, ports: RecallPorts, written: Collection[DocumentId]
    ) -> Callable[..., Inside]:
        """Return what gives a view of a scope, over these."""

        def inside(scope: Scope, allowed: frozenset[str] = frozenset()) -> Inside:
            return self.inside(scope, recall, ports, written, allowed)

        return inside

    def inside(
        self,
        scope: Scope,
        recall: Recall,
        ports: RecallPorts,
        written: Collection[DocumentId],
        allowed: frozenset[str] = frozenset(),
    ) -> Inside:
        """Return what lies inside a scope now. ``recall`` knows everything; ``written`` are the
        pages that the node wrote by itself.
        """
        # they say how much leaves, not from where
        plain = replace(scope, form=Form.ANSWER, purpose="")
        key = plain, allowed
        with self._lock:
            stamp = (
                ports.index.revision(),
                ports.documents.all(),
                ports.decisions.all(),
                frozenset(written),
                ports.reads,
            )
            made = self._made.get(key)
            if made is None or made.recall is not recall or made.stamp != stamp:
                made = self._made[key] = _Made(
                    recall, stamp, build(plain, recall, ports, written, allowed)
                )
            self._made.move_to_end(key)
            while len(self._made) > AT_ONCE:
                self._made.popitem(last=False)
        return made.inside


def build(
    scope: Scope,
    recall: Recall,
    ports: RecallPorts,
    written: Collection[DocumentId],
    allowed: frozenset[str] = frozenset(),
) -> Inside:
    """Choose the rows, and make an index of them."""
    mended = corrections(ports.decisions, ports.documents)
    read = recall.rows_of(
        [
            document.id
            for document in shareable(ports.documents)
            if may_hold(scope, document) or document.id in mended
        ]
    )
    by_document: dict[DocumentId, list[Chunk]] = {}
    for chunk in sorted(read.values(), key=lambda chunk: (chunk.start, chunk.end)):
        by_document.setdefault(chunk.document, []).append(chunk)

    def passages(document: DocumentId) -> Sequence[Chunk]:
        return by_document.get(document, ())

    lie = list(lying(ports.documents, ports.decisions, passages, scope, written, allowed))
    rows = [row for row in lie if not row.gone]
    numbers: dict[ChunkId, int] = {chunk.id: number for number, chunk in read.items()}
    instead = {numbers[row.chunk.id]: _left(row) for row in rows if row.struck}
    narrow = recall.only([numbers[row.chunk.id] for row in rows], instead)
    return Inside(scope, rows, narrow, ports, [row.chunk for row in lie if row.gone])


def _left(row: Covered) -> Passage:
    """Take apart what is left of a row."""
    [passage] = analysis.passages([replace(row.chunk, text=row.text)], row.document.title)
    return passage
