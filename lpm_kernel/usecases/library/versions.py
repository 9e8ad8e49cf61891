"""The versions of a document: what it said before, and how it reads now.

Each is a document of its own with an id that stays, so that what cites it opens there; the older
ones name the present one (``superseded_by``), and are in no list, no index and no count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.stores import Documents


@dataclass(frozen=True)
class Version:
    """How a document read at a time."""

    document: DocumentId
    number: int
    """Counts the versions of a document from 1, the oldest."""
    at: datetime
    bytes: int
    current: bool


@dataclass(frozen=True)
class VersionNumber:
    """Which version of how many."""

    number: int = 1
    of: int = 1


def versions_of(documents: Documents, now: Document) -> list[Version]:
    """List what a document said up to ``now``, the newest first."""
    return [
        Version(
            document.id,
            number,
            document.added_at,
            document.bytes,
            current=document.id == now.id and now.deleted_at is None,
        )
        for number, document in reversed(
            list(enumerate([*documents.revisions(now.id), now], start=1))
        )
    ]


def current_of(documents: Documents, document: Document) -> Document:
    """Return how a document reads now, put away or not. Raises ``NotFoundError``."""
    if document.superseded_by is None:
        return document
    return documents.get(document.superseded_by, away=True)


def numbers_of(documents: Documents, shown: Sequence[Document]) -> dict[DocumentId, VersionNumber]:
    """Say of each of these which version of how many it is; those that are the only one are left
    out.
    """
    counts = documents.revision_counts() if shown else {}
    found = {
        document.id: VersionNumber(counts[document.id] + 1, counts[document.id] + 1)
        for document in shown
        if document.id in counts
    }
    for document in shown:
        if document.superseded_by is not None:
            older = [each.id for each in documents.revisions(document.superseded_by)]
            found[document.id] = VersionNumber(older.index(document.id) + 1, len(older) + 1)
    return found
