"""The map of who and what is named."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.memory.entity_schemas import EntityKindName, ProofOut
from lpm_kernel.api.schemas import Sent

GraphState = Literal["none", "fresh", "stale", "rebuilding", "failed"]


class ByEdge(BaseModel):
    """Two entities."""

    source: str = Field(max_length=300)
    target: str = Field(max_length=300)


class GraphQuery(Sent):
    """Which part of the map."""

    around: str = Field(
        default="", max_length=300, description="The slug of an entity; empty for the whole."
    )
    hops: int = Field(default=2, ge=1, le=4)
    limit: int = Field(
        default=400,
        ge=1,
        le=5_000,
        description="Entities at most, those that are named most often.",
    )


class NodeOut(BaseModel):
    """An entity on the map; `x` and `y` lie between 0 and 1."""

    id: str
    name: str
    kind: EntityKindName
    x: float
    y: float
    size: int
    community: str | None
    first: datetime | None
    last: datetime | None
    self: bool


class EdgeOut(BaseModel):
    """Two entities that are named together."""

    source: str
    target: str
    weight: float
    first: datetime | None
    last: datetime | None
    private: bool = Field(description="Only what is private says so.")


class CommunityOut(BaseModel):
    """Entities that are named together more often than with others, and what is said of them in the
    person's own sentences.
    """

    id: str
    title: str = Field(
        description="The place and the words that its passages share, or its heaviest names."
    )
    size: int
    report: list[ProofOut]
    members: list[str]


class GraphOut(BaseModel):
    """The map, or a part of it."""

    state: GraphState
    made_at: datetime | None
    nodes: list[NodeOut]
    edges: list[EdgeOut]
    communities: list[CommunityOut]


class ProofList(BaseModel):
    """What an edge rests on."""

    items: list[ProofOut]
