"""Reflection: what the node wrote on pages of the workspace by itself, each sentence with its
evidence, each time with its undo.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from lpm_kernel.domain.ids import DocumentId


@dataclass(frozen=True)
class Evidence:
    """A stretch of the canonical text of a document: code points, end exclusive."""

    document: DocumentId
    text_version: str
    start: int
    end: int


@dataclass(frozen=True)
class WrittenLine:
    """A sentence that the node put on a page."""

    path: str
    key: str
    """Hash of its words: the same sentence again, from wherever, has the same."""
    mark: str
    """What the line ends with in the file."""
    section: str
    text: str = field(repr=False)
    evidence: tuple[Evidence, ...]
    struck_at: datetime | None = None
    """When the person took it from the page."""


@dataclass(frozen=True)
class PageChange:
    """What a reflection did to a file: the hash of its bytes before and after, ``None`` where there
    was or is none.
    """

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Reflection:
    """One time that the node went over what was new."""

    id: str
    at: datetime
    documents: int
    pages: tuple[PageChange, ...] = ()
    undone_at: datetime | None = None


class What(StrEnum):
    """What the person was asked about."""

    CORE = "core"
    """Whether a line belongs into what is always in mind."""
    DISAGREEMENT = "disagreement"
    """Two statements that cannot both be so."""


@dataclass(frozen=True)
class Ruling:
    """What the person said of something that the node put to them: known by a hash of the words
    that it was about.
    """

    id: str
    what: What
    verdict: str
    at: datetime


class Reflections(Protocol):
    """Keeps what was written, when, on what, and what the person struck."""

    def begin(self, reflection: str, at: datetime, documents: int) -> None:
        """Note that one begins; one that was killed and begins again keeps what it noted."""
        ...

    def will_write(self, reflection: str, change: PageChange, leaving: Collection[str]) -> None:
        """Before a file is written: note how it read and will read, and forget the lines that leave
        it, by their keys.
        """
        ...

    def wrote(self, path: str, lines: Sequence[WrittenLine], now: datetime) -> None:
        """After a file was written: these lines stand there now, besides those that the person
        struck.
        """
        ...

    def strike(self, path: str, keys: Collection[str], now: datetime) -> None:
        """Note that the person took these lines from the page."""
        ...

    def unstrike(self, path: str, keys: Collection[str]) -> None:
        """Note that the person brought these lines back."""
        ...

    def lines(self, path: str) -> list[WrittenLine]:
        """Return what was written on a page and what was struck from it, in the order in which it
        was written.
        """
        ...

    def paths(self) -> list[str]:
        """Return every page that the node wrote on."""
        ...

    def resting_on(self, documents: Collection[DocumentId]) -> list[str]:
        """Return the pages with a sentence that rests on one of these."""
        ...

    def unsupported(self) -> list[str]:
        """Return the pages with a sentence whose evidence was deleted, made private or written anew
        since.
        """
        ...

    def get(self, reflection: str) -> Reflection:
        """Return one. Raises ``NotFoundError``."""
        ...

    def latest(self, limit: int) -> list[Reflection]:
        """Return the newest ones, the newest first."""
        ...

    def undone(self, reflection: str, now: datetime) -> None:
        """Note that one was undone."""
        ...

    def rule(self, identifier: str, what: What, verdict: str, now: datetime) -> None:
        """Note what the person said of something; said again, the last word counts."""
        ...

    def unrule(self, identifier: str) -> None:
        """Take it back. Raises ``NotFoundError``."""
        ...

    def rulings(self, what: What) -> Mapping[str, str]:
        """Return what was said, by what it was said of."""
        ...

    def all_rulings(self) -> list[Ruling]:
        """Return everything that was said, the oldest first."""
        ...
