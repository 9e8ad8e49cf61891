"""Entities: who and what the person's texts name, and what the person decided about that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntFlag, StrEnum

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Chunk

MOST_NAME = 200
"""Characters of a name that the person gives."""


class EntityKind(StrEnum):
    """What an entity is, as far as rules can tell."""

    PERSON = "person"
    PLACE = "place"
    THING = "thing"
    IDEA = "idea"
    UNKNOWN = "unknown"


class Sign(IntFlag):
    """What stands beside a name and says what it is the name of."""

    SPEAKS = 1
    """It said the passage."""
    MARKED = 2
    """The person wrote it with ``@``."""
    TITLED = 4
    """Mr, さん."""
    ACTS = 8
    """It says, asks, thinks, laughs: "Mai said"."""
    WITH = 16
    """Somebody does something with it: "with Mai", 舞と."""
    WITHIN = 32
    """Something is in it or at it: "in Kanazawa", 金沢で."""
    TOWARDS = 64
    """Somebody goes to it or comes from it: "went to Noto", 能登へ行く."""
    OWNED = 128
    """It is the one, or somebody's: "the Guild", "my Tofu"."""
    LISTED_PERSON = 256
    """The dictionary has it as the name of a person."""
    LISTED_PLACE = 512
    """The dictionary has it as the name of a place."""
    ABSTRACT = 1024
    """Its ending makes ideas: -ism, 主義."""
    SITE = 2048
    """Its last word is a sort of place: Street, Station, 駅."""
    OWNS = 4096
    """Something is its own: "Ren's house"."""


NO_SIGN = Sign(0)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a passage, as it is written there. One for each spelling and passage."""

    row: int
    """The passage's row in the index."""
    surface: str = field(repr=False)
    signs: Sign = NO_SIGN


@dataclass(frozen=True, slots=True)
class PassageStanding:
    """Where a passage stands and when it was said, as far as counting needs it."""

    row: int
    document: DocumentId
    session: tuple[int, int]
    """The document's number and that of the session in it."""
    moment: float | None
    """POSIX seconds."""
    private: bool
    statement: bool
    """The person stated it in so many words."""


@dataclass(frozen=True)
class Read:
    """A passage as it is searched for names."""

    row: int
    chunk: Chunk


@dataclass(frozen=True)
class Entity:
    """Somebody or something that was named."""

    slug: str = field(repr=False)
    name: str = field(repr=False)
    kind: EntityKind
    aliases: tuple[str, ...] = field(repr=False)
    """Every other spelling, the most frequent first."""
    keys: frozenset[str] = field(repr=False)
    """Its spellings as they are compared."""
    rows: tuple[int, ...] = field(repr=False)
    """The passages that name it, in the order of the index."""
    first: float | None = None
    last: float | None = None
    self: bool = False
    """It is the person whose node this is."""
    hidden: bool = False
    """The person said that it is no person, place, thing or idea."""


class EntityVerdict(StrEnum):
    """What the person decided."""

    MERGE = "merge"
    SPLIT = "split"
    CHANGE = "change"
    APART = "apart"
    """They are not one, and are not proposed as one any more."""


@dataclass(frozen=True)
class Party:
    """An entity as a decision knows it: by its spellings and the documents in which they stand, so
    that it is found when everything is read anew.
    """

    slug: str = field(repr=False)
    name: str = field(repr=False)
    forms: Mapping[str, frozenset[DocumentId]] = field(repr=False)


@dataclass(frozen=True)
class EntityDecision:
    """Something that the person said of an entity. It goes with the last document that it is known
    by.
    """

    id: str
    verdict: EntityVerdict
    at: datetime
    parties: tuple[Party, ...] = field(repr=False)
    """The entity that it is about; after it, for a merge those that become
    it, and of those that are kept apart the others."""
    name: str | None = field(default=None, repr=False)
    """How it is called: of a change, or of what a split makes."""
    kind: EntityKind | None = None
    hidden: bool | None = None
    documents: frozenset[DocumentId] = frozenset()
    """The documents whose mentions a split takes along."""


@dataclass(frozen=True)
class Entities:
    """All of them, as the person's decisions leave them."""

    by_slug: Mapping[str, Entity] = field(repr=False)
    """Those that are named most often first."""
    became: Mapping[str, str] = field(repr=False)
    """What was merged, by its slug: the slug of what it is now."""
    decided: Mapping[str, Sequence[EntityDecision]] = field(repr=False)
    """The decisions about each, oldest first."""
    at: Mapping[int, tuple[str, ...]] = field(repr=False)
    """Which of them a passage names, the hidden ones left out."""

    def find(self, slug: str) -> Entity | None:
        """Return an entity by its slug, or by one that it had before it was merged."""
        return self.by_slug.get(self.became.get(slug, slug))
