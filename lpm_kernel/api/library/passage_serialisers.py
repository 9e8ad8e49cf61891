"""Passages of a document and the places where they stand, as clients see them."""

from __future__ import annotations

from collections.abc import Sequence

from lpm_kernel.api.library.passage_schemas import AnchorOut, PassageOut
from lpm_kernel.domain.library.documents import Anchor, Chunk
from lpm_kernel.node import Node


def serialise_anchor(anchor: Anchor | None) -> AnchorOut | None:
    """Show a place."""
    return None if anchor is None else AnchorOut(kind=anchor.kind.value, n=anchor.n)


def serialise_passages(node: Node, chunks: Sequence[Chunk]) -> list[PassageOut]:
    """Show passages of a document."""
    return [
        PassageOut(
            id=chunk.id,
            start=chunk.start,
            end=chunk.end,
            text=chunk.text,
            speaker=chunk.speaker,
            said_at=chunk.said_at,
            page=chunk.page,
            anchor=serialise_anchor(chunk.anchor),
            source=place.source,
        )
        for chunk, place in zip(chunks, node.ports.places.of(chunks), strict=True)
    ]
