"""What a grant covers, row by row: the one place that decides what may be in the index that a contact is answered from.

Passages and statements are the rows of the index: a statement is a line that the person retained, and its evidence is its document.
A row of a private document is never covered, whatever a grant says, and neither is what the person wants forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from lpm_kernel.domain.decisions import Decision, stretches
from lpm_kernel.domain.documents import Chunk, Document, DocumentState
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.recall import without
from lpm_kernel.domain.stores import Decisions, Documents
from protocol.scope import Layer, Row, RowKind, Scope

FIRST: Final = 20
"""Rows that a preview shows."""
PIECE: Final = 500
Passages = Callable[[DocumentId], Iterable[Chunk]]


@dataclass(frozen=True)
class Covered:
    """One row inside a scope, in the words that may be used."""

    document: Document
    chunk: Chunk
    layer: Layer
    text: str = field(repr=False)
    """Without what the person wants forgotten or has put right."""


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


def passages_of(index: PassageIndex) -> Passages:
    """Read the rows of a document from the index, piece by piece."""

    def read(document: DocumentId) -> Iterator[Chunk]:
        after: ChunkId | None = None
        while piece := index.chunks_of(document, after, PIECE):
            yield from piece
            after = piece[-1].id

    return read


def covered(documents: Documents, decisions: Decisions, passages: Passages, scope: Scope) -> Iterator[Covered]:
    """Give every row inside a scope, document by document, those added last first."""
    open_ones = [each for each in reversed(documents.all()) if not each.private and each.state is DocumentState.READY]
    decided = decisions.about([each.id for each in open_ones])
    for document in open_ones:
        against = [each for each in decided.get(document.id, ()) if each.strikes and each.document == document.id]
        for chunk in passages(document.id):
            row = row_of(document, chunk)
            text = _left_of(chunk, against) if scope.holds(row) else None
            if text is not None:
                yield Covered(document, chunk, row.layer, text)


def row_of(document: Document, chunk: Chunk) -> Row:
    """Say of a passage or a statement what decides whether it is inside a scope."""
    moment = chunk.said_at or document.created_at
    at = None if moment is None else int(moment.timestamp())
    if chunk.kind is None:
        return Row(Layer.SAID, RowKind.PASSAGE, frozenset(document.tags), at, document.private)
    return Row(Layer.WORDS, RowKind(chunk.kind.value), frozenset(document.tags), at, document.private)


def preview(documents: Documents, decisions: Decisions, passages: Passages, scope: Scope, first: int = FIRST) -> Preview:
    """Count what a scope covers, and show the first rows of it."""
    shown: list[Covered] = []
    inside: set[DocumentId] = set()
    counts = {Layer.SAID: 0, Layer.WORDS: 0}
    for each in covered(documents, decisions, passages, scope):
        inside.add(each.document.id)
        counts[each.layer] += 1
        if len(shown) < first:
            shown.append(each)
    private = sum(each.private for each in documents.all())
    return Preview(len(inside), counts[Layer.SAID], counts[Layer.WORDS], private, tuple(shown))


def _left_of(chunk: Chunk, against: Iterable[Decision]) -> str | None:
    """Return what is left of a row once what was decided against is struck; a statement goes as a whole."""
    struck = sorted(span for each in against for span in stretches(each, chunk))
    if not struck:
        return chunk.text
    left = without(chunk.text, struck)
    return None if chunk.kind is not None or not any(letter.isalnum() for letter in left) else left
