"""How much there is, in one vocabulary: every place that shows a number asks here."""

from __future__ import annotations

from dataclasses import dataclass

from lpm_kernel.domain.library import Author
from lpm_kernel.domain.memories import Memories
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.stores import Documents


@dataclass(frozen=True)
class Numbers:
    """What a home holds. Suggestions are those that :func:`lpm_kernel.usecases.findings.undecided` returns."""

    documents: int
    """What came in and is there, read or not: what the library lists."""
    pages: int
    """What the node writes and keeps up: the biography, pages of people, things and topics."""
    passages: int
    """Stretches of documents that recall finds."""
    memories: int
    """Statements that are believed now: written by the person, or kept."""


def numbers(documents: Documents, memories: Memories, index: PassageIndex) -> Numbers:
    """Count everything."""
    return Numbers(documents.count(Author.PERSON), documents.count(Author.NODE), index.counts().chunks, memories.count())
