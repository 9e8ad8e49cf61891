"""The versions of a document, and what changed between two."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent


class VersionOut(BaseModel):
    """How a document read at a time."""

    document: str
    number: int
    at: datetime
    bytes: int
    current: bool


class VersionList(BaseModel):
    """Versions, the newest first."""

    items: list[VersionOut]


class DiffLine(BaseModel):
    """A line, with its number before and after where it stands there."""

    part: Literal["same", "added", "removed", "skipped"]
    text: str
    before: int | None
    after: int | None


class DiffOut(BaseModel):
    """What changed, line by line."""

    lines: list[DiffLine]


class BeforeQuery(Sent):
    """What a version is compared with."""

    before: str = Field(
        default="", max_length=100, description="Another version; the one before it unless given."
    )


class VersionIn(Sent):
    """A document that is the next version of another."""

    document: str = Field(max_length=100)


class UseAgainIn(Sent):
    """Which version a document shall read as."""

    version: str = Field(max_length=100)
