"""What a grant covers, row by row: the one place that decides what may be in the index that a
contact is answered from.

Passages and statements are the rows of the index: a statement is a line that the person retained,
and its evidence is its document. A row of a private document is never covered, whatever a grant
says, and neither is what the person wants forgotten. A page that the node wrote by itself rests on
rows of anywhere, so it is outside of every grant; the passages that it repeats are judged on their
own. What looks like a secret (:mod:`lpm_kernel.L1.statements.secrets`) is outside until the person
says otherwise, row by row. A correction lies where the words lie that it puts right
(:mod:`lpm_kernel.usecases.memory.corrections`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from enum import StrEnum
from itertools import product
from typing import Final

from lpm_kernel.domain.chat.recall import without
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import Chunk, Document, DocumentState, text_hash
from lpm_kernel.domain.memory.decisions import stretches
from lpm_kernel.domain.stores import Decisions, Documents
from lpm_kernel.L1.statements.secrets import Secret, looks_secret
from lpm_kernel.usecases.library.passages import Passages
from lpm_kernel.usecases.memory.corrections import Corrected, corrections
from protocol.scope import EVERY_TAG, Form, Layer, Row, RowKind, Scope

FIRST: Final = 20
"""Rows that a preview shows."""
NAMED: Final = 100
"""Documents that a preview names."""


class Outside(StrEnum):
    """Why a row is not covered: the first of these that holds."""

    PRIVATE = "private"
    LAYER = "layer"
    """A passage where the grant is about statements, or the other way round."""
    TAG = "tag"
    KIND = "kind"
    UNDATED = "undated"
    """Nobody knows when it was, and the grant names a time."""
    TIME = "time"
    FORGOTTEN = "forgotten"
    """The person wants it forgotten, or has put it right."""
    WRITTEN = "written"
    """The node wrote it by itself, from more than the grant covers."""
    SECRET = "secret"  # noqa: S105  a reason
    """It looks like a secret, and the person did not allow it."""


@dataclass(frozen=True)
class RowPlace:
    """Where something lies: what a scope decides by."""

    rows: tuple[Row, ...]
    """All of them: a correction may put right what stood in several."""
    by_node: bool
    """On a page that the node wrote by itself."""

    def inside(self, scope: Scope) -> bool:
        """Tell whether a scope holds all of it."""
        return all(map(scope.holds, self.rows))


@dataclass(frozen=True)
class Covered:
    """One row inside a scope, in the words that may be used."""

    document: Document
    chunk: Chunk
    places: tuple[RowPlace, ...]
    """What decides that it is covered; any of them suffices."""
    text: str = field(repr=False)
    """Without what the person wants forgotten or has put right."""
    struck: tuple[tuple[int, int], ...] = ()
    """The stretches of the chunk's text that this leaves out."""
    gone: bool = False
    """Nothing is left of it: it lies inside, and is not used."""
    looks: Secret | None = None
    """What it looks like that is better not shared unasked."""

    @property
    def name(self) -> str:
        """Name its words, so that what was decided about them holds when they are read again."""
        return text_hash(f"{self.document.origin or self.document.id}\n{self.chunk.text}")

    def withheld(self, allowed: Collection[str]) -> bool:
        """Tell whether it stays here: it looks like a secret, and is not among what was allowed."""
        return self.looks is not None and self.name not in allowed

    @property
    def row(self) -> Row:
        """What decides that it is covered, the first of it."""
        return self.places[0].rows[0]

    @property
    def layer(self) -> Layer:
        """Whether it was said, or is a wording of what was."""
        return self.row.layer


@dataclass(frozen=True)
class Preview:
    """What a grant covers now. What is added later and fits is covered, too."""

    documents: int
    passages: int
    statements: int
    private: int
    """Documents that stay outside because they are private."""
    first: tuple[Covered, ...] = field(repr=False)
    """The newest ones."""
    kinds: Mapping[RowKind, int] = field(default_factory=dict)
    by_document: tuple[tuple[Document, int], ...] = field(default=(), repr=False)
    """Documents with how many rows of each, the fullest first."""
    left_out: Mapping[Outside, int] = field(default_factory=dict)
    """Rows that stay outside, by the reason."""
    suspects: tuple[Covered, ...] = field(default=(), repr=False)
    """Rows that fit and look like a secret, whether they are allowed or not."""


def covered(
    documents: Documents,
    decisions: Decisions,
    passages: Passages,
    scope: Scope,
    written: Collection[DocumentId] = (),
    allowed: Collection[str] = (),
) -> Iterator[Covered]:
    """Give every row inside a scope, document by document, those added last first. ``written`` are
    the pages that the node wrote.
    """
    return (
        row
        for row in lying(documents, decisions, passages, scope, written, allowed)
        if not row.gone
    )


def lying(
    documents: Documents,
    decisions: Decisions,
    passages: Passages,
    scope: Scope,
    written: Collection[DocumentId] = (),
    allowed: Collection[str] = (),
) -> Iterator[Covered]:
    """Give every row inside a scope, those too of which nothing is left because it was put right or
    forgotten.
    """
    rows = sorted_out(documents, decisions, passages, scope, written)
    return (row for row in rows if isinstance(row, Covered) and not row.withheld(allowed))


def may_hold(scope: Scope, document: Document) -> bool:
    """Tell whether any row of a document can be inside."""
    tagged = scope.tags == EVERY_TAG or bool(scope.tags & frozenset(document.tags))
    return document.state is DocumentState.READY and not document.private and tagged


def outside(scope: Scope, row: Row) -> Outside | None:
    """Say why a row is outside a scope; ``None`` exactly where the scope holds it."""
    if scope.holds(row):
        return None
    if row.private:
        return Outside.PRIVATE
    if row.layer not in scope.layers:
        return Outside.LAYER
    if scope.tags != EVERY_TAG and not scope.tags & row.tags:
        return Outside.TAG
    if row.kind not in scope.kinds:
        return Outside.KIND
    return Outside.UNDATED if row.at is None else Outside.TIME


@dataclass(frozen=True)
class OutsideRow:
    """A row outside a scope, and why."""

    document: Document
    chunk: Chunk
    why: Outside


def stays(row: Covered | OutsideRow, allowed: Collection[str]) -> Outside | None:
    """Say why a row is not used; ``None`` where it is."""
    if isinstance(row, OutsideRow):
        return row.why
    if row.withheld(allowed):
        return Outside.SECRET
    return Outside.FORGOTTEN if row.gone else None


def shareable(documents: Documents) -> list[Document]:
    """Return the documents of which something may be granted: what was told in chats is none."""
    return [document for document in documents.all() if not is_thread(document.id)]


def sorted_out(
    documents: Documents,
    decisions: Decisions,
    passages: Passages,
    scope: Scope,
    written: Collection[DocumentId] = (),
) -> Iterator[Covered | OutsideRow]:
    """Give every row that was read: as it is covered, or why it is not. What looks like a secret
    says so, and nobody was asked yet.
    """
    read = [each for each in reversed(shareable(documents)) if each.state is DocumentState.READY]
    decided = decisions.about([each.id for each in read])
    mended = corrections(decisions, documents)
    atlas = _Atlas(read, passages, written, mended)
    for document in read:
        quotes = tuple(decision.quote for decision in mended.get(document.id, ()))
        about = next(filter(None, map(looks_secret, (document.title, *quotes))), None)
        against = [
            decision
            for decision in decided.get(document.id, ())
            if decision.strikes and decision.document == document.id
        ]
        for chunk in passages(document.id):
            reasons = {
                place: (
                    next((why for row in place.rows if (why := outside(scope, row))), None)
                    or (Outside.WRITTEN if place.by_node else None)
                )
                for place in atlas.of(document, chunk)
            }
            places = tuple(place for place, why in reasons.items() if why is None)
            if not places:
                yield OutsideRow(
                    document, chunk, next(iter(reasons.values()), None) or Outside.FORGOTTEN
                )
                continue
            struck = tuple(
                sorted({span for decision in against for span in stretches(decision, chunk)})
            )
            text = _left_of(chunk, struck)
            looks = about or looks_secret(chunk.text)
            yield Covered(
                document, chunk, places, text or "", struck, gone=text is None, looks=looks
            )


class _Atlas:
    """Says where rows lie."""

    def __init__(
        self,
        read: Sequence[Document],
        passages: Passages,
        written: Collection[DocumentId],
        mended: Corrected,
    ) -> None:
        self._known = {document.id: document for document in read}
        self._passages = passages
        self._written = frozenset(written)
        self._mended = mended
        self._rows: dict[DocumentId, list[Chunk]] = {}

    def of(
        self, document: Document, chunk: Chunk, *, beyond: frozenset[DocumentId] = frozenset()
    ) -> list[RowPlace]:
        """Return where a row lies: a correction where what it puts right does, which may be in
        several places, or nowhere.
        """
        if document.id not in self._mended:
            return [RowPlace((row_of(document, chunk),), document.id in self._written)]
        found: dict[RowPlace, None] = {}
        for decision in self._mended[document.id]:
            original = self._known.get(decision.document)
            if original is None or original.id in beyond:
                continue
            rows = self._rows_of(original)
            pieces = [
                each
                for each in rows
                if decision.quote not in each.text and stretches(decision, each)
            ]
            for parts in [
                *([each] for each in rows if decision.quote in each.text),
                *([pieces] if pieces else []),
            ]:
                for further in product(
                    *(self.of(original, each, beyond=beyond | {document.id}) for each in parts)
                ):
                    held = tuple(
                        dict.fromkeys(
                            replace(row, private=row.private or document.private)
                            for place in further
                            for row in place.rows
                        )
                    )
                    found[RowPlace(held, any(place.by_node for place in further))] = None
        return list(found)

    def _rows_of(self, document: Document) -> list[Chunk]:
        if document.id not in self._rows:
            self._rows[document.id] = list(self._passages(document.id))
        return self._rows[document.id]


def row_of(document: Document, chunk: Chunk) -> Row:
    """Say of a passage or a statement what decides whether it is inside a scope."""
    moment = chunk.said_at or document.created_at
    if moment is not None and moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)  # as the index reads it
    at = None if moment is None else math.floor(moment.timestamp())
    layer = Layer.SAID if chunk.kind is None else Layer.WORDS
    return Row(layer, _kind_of(chunk), frozenset(document.tags), at, document.private)


@dataclass(frozen=True)
class RowSources:
    """Where the rows come from that a grant may cover."""

    documents: Documents
    decisions: Decisions
    passages: Passages


def preview(
    sources: RowSources,
    scope: Scope,
    first: int = FIRST,
    written: Collection[DocumentId] = (),
    allowed: Collection[str] = (),
) -> Preview:
    """Count what a scope covers and what it leaves out, and show the first rows of it."""
    shown: list[Covered] = []
    named: dict[DocumentId, Document] = {}
    rows: Counter[DocumentId] = Counter()
    kinds: Counter[RowKind] = Counter()
    left_out: Counter[Outside] = Counter()
    suspects: list[Covered] = []
    documents = sources.documents
    rows_there = sorted_out(documents, sources.decisions, sources.passages, scope, written)
    for each in rows_there:
        if isinstance(each, OutsideRow) or each.gone:
            left_out[each.why if isinstance(each, OutsideRow) else Outside.FORGOTTEN] += 1
            continue
        if each.looks is not None:
            suspects.append(each)
        if each.withheld(allowed):
            left_out[Outside.SECRET] += 1
            continue
        named[each.document.id] = each.document
        rows[each.document.id] += 1
        kinds[each.row.kind] += 1
        if len(shown) < first:
            shown.append(each)
    private = sum(document.private for document in shareable(documents))
    fullest = tuple((named[document], count) for document, count in rows.most_common(NAMED))
    said = kinds.pop(RowKind.PASSAGE, 0)
    statements = sum(kinds.values())
    if said:
        kinds[RowKind.PASSAGE] = said
    return Preview(
        len(rows),
        said,
        statements,
        private,
        tuple(shown),
        dict(kinds),
        fullest,
        dict(left_out),
        tuple(suspects),
    )


def counts(
    documents: Documents,
    decisions: Decisions,
    passages: Passages,
    scopes: Sequence[tuple[Scope, Collection[str]]],
    written: Collection[DocumentId] = (),
) -> list[int]:
    """Count the rows that each of these scopes covers with what was allowed there, in one walk
    through the memory.
    """
    found = [0] * len(scopes)
    if not scopes:
        return found
    every = Scope(EVERY_TAG, frozenset(RowKind), frozenset(Layer), None, None, Form.ANSWER, "")
    for each in sorted_out(documents, decisions, passages, every, written):
        if isinstance(each, Covered) and not each.gone:
            for at, (scope, allowed) in enumerate(scopes):
                inside = any(place.inside(scope) for place in each.places)
                found[at] += inside and not each.withheld(allowed)
    return found


def _kind_of(chunk: Chunk) -> RowKind:
    return RowKind.PASSAGE if chunk.kind is None else RowKind(chunk.kind.value)


def _left_of(chunk: Chunk, struck: Sequence[tuple[int, int]]) -> str | None:
    """Return what is left of a row once what was decided against is struck; a statement goes as a
    whole.
    """
    if not struck:
        return chunk.text
    left = without(chunk.text, struck)
    return None if chunk.kind is not None or not any(letter.isalnum() for letter in left) else left
