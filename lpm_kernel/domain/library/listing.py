"""Looking through the library: which documents are wanted, in what order, and how many there are of
each sort.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Self

from lpm_kernel.domain.library.documents import DocumentKind, DocumentState

NO_FOLDER = "/"
"""Stands for what lies in no folder, where a folder is asked for."""
MOST_FOLDER = 400
MOST_DEPTH = 20


class Sort(StrEnum):
    """What a list of documents is sorted by."""

    ADDED = "added"
    CREATED = "created"
    """When it was written; what has no date comes last, whichever way it is sorted."""
    TITLE = "title"
    SIZE = "size"


class Author(StrEnum):
    """Who made a document."""

    ANYONE = "anyone"
    PERSON = "person"
    """What came in: neither the pages that the node writes nor the corrections that stand for
    decisions.
    """
    NODE = "node"
    """The biography, and the pages of people, things and topics."""


@dataclass(frozen=True)
class DocumentFilter:
    """Which documents. What is left at its default does not narrow anything."""

    text: str = field(default="", repr=False)
    """Stands in the title or in the file name."""
    kinds: tuple[DocumentKind, ...] = ()
    states: tuple[DocumentState, ...] = ()
    tags: tuple[str, ...] = field(default=(), repr=False)
    """All of them."""
    folder: str = field(default="", repr=False)
    """This one and what lies below it; ``NO_FOLDER`` for what lies in none."""
    private: bool | None = None
    open_only: bool = False
    """Nothing private at all, not even in what other choices would give."""
    since: datetime | None = None
    until: datetime | None = None
    """When it was written, end exclusive; what has no date is then left out."""
    parent: str = ""
    """The archive that it came in."""
    author: Author = Author.ANYONE
    away: bool = False
    """Those that were deleted and can still come back, instead of those that are there."""

    def without(self, facet: str) -> Self:
        """Return the same with one question left open, to say how many each answer to it would
        give.
        """
        empty = DocumentFilter()
        return replace(self, **{facet: getattr(empty, facet)})


@dataclass(frozen=True)
class FacetCounts:
    """How many documents a filter finds, and how many each further choice would leave."""

    total: int
    bytes: int
    kinds: dict[str, int]
    states: dict[str, int]
    tags: dict[str, int] = field(repr=False)
    folders: dict[str, int] = field(repr=False)
    """By the folder itself; the empty one for those that lie in none."""
    private: int = 0


def plain_folder(path: str) -> str:
    r"""Return a folder as it is kept: parts with slashes between them, nothing that leads
    elsewhere, cut where it is too long.

    >>> plain_folder("\\letters//2024/../"), plain_folder("C:\\Users\\nagi"), plain_folder("./")
    ('letters/2024', 'C:/Users/nagi', '')
    """
    kept = ""
    for part in path_parts(path)[:MOST_DEPTH]:
        longer = f"{kept}/{part}" if kept else part
        if len(longer) > MOST_FOLDER:
            break
        kept = longer
    return kept


def path_parts(path: str) -> list[str]:
    """Return the folders of a path, without anything that leads elsewhere or cannot be printed."""
    parts = []
    for part in path.replace("\\", "/").split("/"):
        printable = " ".join("".join(sign for sign in part if sign.isprintable()).split())
        if printable and printable not in {".", ".."}:
            parts.append(printable)
    return parts
