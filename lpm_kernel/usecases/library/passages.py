"""Reading the passages of documents out of the index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk
from lpm_kernel.domain.ports import PassageIndex

PIECE: Final = 500
Passages = Callable[[DocumentId], Iterable[Chunk]]
"""Gives the passages of a document in the order of its text."""


def passages_of(index: PassageIndex) -> Passages:
    """Read the rows of a document from the index, piece by piece."""

    def read(document: DocumentId) -> Iterator[Chunk]:
        after: ChunkId | None = None
        while piece := index.chunks_of(document, after, PIECE):
            yield from piece
            after = piece[-1].id

    return read
