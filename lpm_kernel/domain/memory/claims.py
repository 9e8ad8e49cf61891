"""Claims: what the person stated, and what sentences of their texts state as far as an extractor
can tell. What reflection works on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.statements import StatementKind


@dataclass(frozen=True)
class Claim:
    """A statement with the place where it stands."""

    document: DocumentId
    text_version: str
    start: int
    end: int
    """Code points of the canonical text, end exclusive."""
    text: str = field(repr=False)
    kind: StatementKind
    about: tuple[str, ...] = field(repr=False)
    """Whom and what it names, as it is written there."""
    confidence: float
    """0..1: how sure the person is of it, or how likely it is worth keeping."""
    kept: bool
    """The person stated it in so many words; otherwise it is inferred."""
    mine: bool
    """It tells of the person whose node this is."""
    signs: tuple[str, ...] = ()
    """What speaks for it, the weightiest first."""
    private: bool = False
    moment: float | None = None
    """When it was said or written, POSIX seconds."""

    @property
    def weight(self) -> float:
        """What is kept comes before what is inferred; the surer first."""
        return self.confidence + (2.0 if self.kept else 0.0)


@dataclass(frozen=True)
class KnownEntity:
    """An entity as reflection needs it, as the map had it last."""

    slug: str = field(repr=False)
    name: str = field(repr=False)
    kind: str
    keys: frozenset[str] = field(repr=False)
    passages: int
    self: bool = False
    topic: str = field(default="", repr=False)
    """The topic that it belongs to; most belong to one."""
    place: int = 0
    """Among the entities of that topic, the heaviest first."""


@dataclass(frozen=True)
class KnownTopic:
    """Entities that are named together more often than with others, as the map had them last: what
    a part of somebody's life is about.
    """

    id: str = field(repr=False)
    """The slug of its heaviest entity."""
    members: tuple[KnownEntity, ...] = field(repr=False)
    """The heaviest first; the person is none of them."""


class Claims(Protocol):
    """Keeps claims beside the passages that they stand in; they go with their document. All of it
    can be made again.
    """

    def unread(self, extractor: str) -> list[DocumentId]:
        """Return the documents of the index whose claims this extractor did not look for yet."""
        ...

    def put(
        self, document: DocumentId, extractor: str, claims: Sequence[tuple[Claim, Collection[str]]]
    ) -> None:
        """Make these the claims of a document, each with the keys of the names in it. A document
        that is gone meanwhile is left alone.
        """
        ...

    def fresh(self, since: float | None = None) -> list[DocumentId]:
        """Return the documents that were read and not reflected on; with ``since`` also those that
        hold claims from that moment on.
        """
        ...

    def settle(self, documents: Collection[DocumentId]) -> None:
        """Note that these were reflected on."""
        ...

    def keys(self, documents: Collection[DocumentId]) -> set[str]:
        """Return the keys of everything that the claims of these documents name."""
        ...

    def naming(self, keys: Collection[str], limit: int) -> list[Claim]:
        """Return the open claims with one of these keys, the weightiest first."""
        ...

    def mine(
        self, limit: int, since: float | None = None, until: float | None = None
    ) -> list[Claim]:
        """Return the open claims about the person, the weightiest first."""
        ...

    def views(self, limit: int) -> list[Claim]:
        """Return what the person thinks of things, of the open claims that they did not keep, the
        newest first.
        """
        ...

    def weightiest(self, limit: int) -> list[Claim]:
        """Return the open claims, the weightiest first."""
        ...

    def saying(self, terms: Collection[str], limit: int) -> list[Claim]:
        """Return claims of the passages that share most of these terms, private ones too; those of
        equal rank in the order of the text.
        """
        ...

    def named(self, keys: Collection[str]) -> list[KnownEntity]:
        """Return the entities that have one of these keys, as the map had them last; the hidden
        ones left out.
        """
        ...

    def entities(self, slugs: Collection[str]) -> list[KnownEntity]:
        """Return the entities with these slugs, as the map had them last; the hidden ones left
        out.
        """
        ...

    def largest(self, limit: int) -> list[KnownEntity]:
        """Return the entities that are named most often, as the map had them last; the hidden ones
        left out.
        """
        ...

    def topics(self, limit: int, least: int) -> list[KnownTopic]:
        """Return the topics with the most entities, and at least so many, besides the person; the
        largest first.
        """
        ...
