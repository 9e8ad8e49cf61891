"""People, places, things and ideas that were named."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.library.document_schemas import DocumentRef
from lpm_kernel.api.memory.memory_schemas import MemoryOut
from lpm_kernel.api.memory.recall_schemas import ItemOut
from lpm_kernel.api.schemas import Page, Sent

EntityKindName = Literal["person", "place", "thing", "idea", "unknown"]
DecisionWhat = Literal["merge", "split", "change", "apart"]


class EntityQuery(Page):
    """Which entities."""

    text: str = Field(
        default="", max_length=200, description="How a name of it, or a part of one, begins."
    )
    kind: EntityKindName | None = Field(default=None, description="Of this kind.")


class BySlug(BaseModel):
    """The name of an entity in paths."""

    slug: str = Field(max_length=300)


class EntityLanguage(Sent):
    """In which language the node says who it is."""

    language: Literal["en", "ja"] = "en"


class EntityOut(BaseModel):
    """Somebody or something that was named."""

    slug: str
    name: str = Field(description="As it is written most often, or as the person calls it.")
    kind: EntityKindName
    aliases: list[str] = Field(description="How else it is written.")
    mentions: int = Field(description="Passages that name it, or were said by it.")
    first: datetime | None
    last: datetime | None
    community: str | None = Field(description="Where it stands on the map, once there is one.")
    self: bool = Field(description="It is the person whose node this is.")


class EntityList(BaseModel):
    """A page of entities, most often named first."""

    items: list[EntityOut]
    next: str | None = None


class NamingOut(DocumentRef):
    """A document that names an entity, and in how many of its passages."""

    passages: int


class NamingList(BaseModel):
    """A page of the documents that name an entity, the one that named it last first."""

    items: list[NamingOut]
    total: int
    next: str | None = None


class ProofOut(ItemOut):
    """A passage, with the words of it that matter here."""

    text: str = Field(description="The passage, or the one sentence of it that is quoted.")


class NeighbourOut(BaseModel):
    """Another entity that is named beside this one."""

    slug: str
    name: str
    kind: EntityKindName
    weight: float
    evidence: list[ProofOut]


class IntroductionOut(BaseModel):
    """A sentence that says who somebody is."""

    text: str
    evidence: ProofOut


class DuplicateOut(EntityOut):
    """Another entity that may be the same one."""

    points: float = Field(description="How much speaks for it: the more, the surer.")


class EntityDecisionOut(BaseModel):
    """What the person decided about an entity. Taking it back brings back what was before."""

    id: str
    what: DecisionWhat
    at: datetime
    names: list[str] = Field(
        default=[], description="Which entities it is about, by the names that they had."
    )
    name: str | None = Field(default=None, description="How it is called by this decision.")
    kind: EntityKindName | None = None
    hidden: bool | None = None
    documents: list[str] = Field(default=[], description="What a split took along.")


class EntityWhole(EntityOut):
    """An entity with what is known of it."""

    introduction: list[IntroductionOut] = Field(
        description="Who it is, in one or two sentences; none where the documents do not say."
    )
    duplicates: list[DuplicateOut] = Field(
        description="What may be the same one, the surest first; merging is for the person to do."
    )
    statements: list[MemoryOut]
    passages: list[ItemOut]
    neighbours: list[NeighbourOut]
    decisions: list[EntityDecisionOut]


class MergeIn(Sent):
    """Which entities are one."""

    into: str = Field(max_length=300)
    slugs: list[str] = Field(min_length=1, max_length=100)


class ApartIn(Sent):
    """Which entities are not one."""

    slugs: list[str] = Field(min_length=2, max_length=100)


class SplitIn(Sent):
    """What is somebody or something else."""

    name: str = Field(max_length=200)
    documents: list[str] = Field(
        min_length=1, max_length=10_000, description="Their mentions belong to the new entity."
    )


class EntityPatch(Sent):
    """How it is called, what it is, and whether it is one at all; what is left out stays."""

    name: str | None = Field(default=None, max_length=200)
    kind: EntityKindName | None = None
    hidden: bool | None = Field(default=None, description="It is no person, place, thing or idea.")


class Decided(BaseModel):
    """What was decided, and the entity as it is now."""

    decision: str
    entity: EntityOut
