"""Who the person is in their own words."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.memory.memory_schemas import EvidenceOut
from lpm_kernel.api.schemas import Sent

SectionName = Literal[
    "summary",
    "origin",
    "family",
    "work",
    "places",
    "now",
    "life",
    "lately",
    "views",
    "kept",
    "found",
]


class ByTopic(Sent):
    """Which one."""

    id: str = Field(max_length=200, description="The slug of its heaviest entity.")


class BiographyQuery(Sent):
    """Who speaks."""

    person: Literal["first", "second", "third"] = "first"


class SentenceOut(BaseModel):
    """A sentence that the node put on a page, in the person asked for, and what it rests on."""

    id: str = Field(description="The mark at the end of its line.")
    section: SectionName
    text: str
    line: str = Field(
        description="The whole line as it stands in the file, for `/api/workspace/replace`."
    )
    evidence: list[EvidenceOut]


class TopicOut(BaseModel):
    """What is named together more often than with others."""

    id: str
    title: str
    names: list[str] = Field(description="Those that are named most, of the entities in it.")
    slugs: list[str]
    size: int
    path: str | None = Field(description="Its page in the workspace, where reflection wrote one.")


class TopicPageOut(BaseModel):
    """What stands on the page of a topic."""

    id: str
    title: str = Field(description="The heading of the page.")
    path: str
    document: str | None
    sentences: list[SentenceOut]
    by_hand: list[str] = Field(description="Lines that the person wrote on it.")


class BiographyOut(BaseModel):
    """Who somebody is, in their own sentences."""

    name: str
    path: str
    document: str | None = Field(
        description="The page as it reads now; none where nothing was written yet."
    )
    written_at: datetime | None
    short: list[str] = Field(description="Who they are in up to three of the sentences.")
    sentences: list[SentenceOut]
    by_hand: list[str] = Field(description="Lines that the person wrote on the page.")
    left_out: int = Field(description="Sentences that cannot be put in that person by rule.")
    topics: list[TopicOut]


class NumberedVersion(BaseModel):
    """How the page read at a time."""

    number: int
    document: str
    at: datetime
    current: bool


class NumberedVersions(BaseModel):
    """Versions, the newest first."""

    items: list[NumberedVersion]


class ByNumber(Sent):
    """Which version, counted from 1, the oldest."""

    n: int = Field(ge=1, le=1_000_000)
