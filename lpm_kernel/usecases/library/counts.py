"""How much there is, in one vocabulary: every place that shows a number asks here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.listing import Author, DocumentFilter
from lpm_kernel.domain.memory.memories import Memories
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.stores import Documents


@dataclass(frozen=True)
class Numbers:
    """What a home holds. Suggestions are those that
    :func:`lpm_kernel.usecases.memory.findings.undecided` returns.
    """

    documents: int
    """What came in and is there, read or not: what the library lists."""
    pages: int
    """What the node writes and keeps up: the biography, pages of people, things and topics."""
    passages: int
    """Stretches of documents that recall finds."""
    memories: int
    """Statements that are believed now: written by the person, or kept."""


def numbers(
    documents: Documents,
    memories: Memories,
    index: PassageIndex,
    threads: Collection[DocumentId] = (),
    *,
    open_only: bool = False,
) -> Numbers:
    """Count everything but what was told in chats (``threads``); with ``open_only`` as if nothing
    that is private were there.
    """
    passages = index.counts().chunks - sum(index.passage_counts(sorted(threads)).values())
    if open_only:
        passages = sum(
            index.passage_counts(
                documents.ids(DocumentFilter(author=Author.ANYONE, open_only=True))
            ).values()
        )
    written, made = (
        documents.count(author, open_only=open_only) for author in (Author.PERSON, Author.NODE)
    )
    return Numbers(written, made, passages, memories.count(open_only=open_only))
