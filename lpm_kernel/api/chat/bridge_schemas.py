"""A request made complete, and a reply held against it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent, Stretch


class EnhanceIn(Sent):
    """A request to an expert elsewhere."""

    request: str
    strike: list[str] = Field(default=[], max_length=100, description="Ids of facts to leave out.")


class FactOut(BaseModel):
    """A sentence of the person that was added, and where it stands."""

    id: str
    text: str
    source: str
    document: str
    title: str
    start: int
    end: int
    timestamp: datetime | None
    why: str


class EnhanceOut(BaseModel):
    """The request made complete, and what was added to it."""

    request: str
    facts: list[FactOut]


class CritiqueIn(Sent):
    """A request, and the reply of an expert to it."""

    request: str
    reply: str


class PointOut(BaseModel):
    """One thing that was wanted, and what the reply does with it."""

    kind: Literal["met", "missed", "against", "unknown"]
    text: str
    reply_span: Stretch | None = Field(
        description="Where that shows in the reply, in code points, end exclusive."
    )
    want: str
    source: FactOut | None = Field(
        description="Where the want stands in memory; null where it stands in the request."
    )


class CritiqueOut(BaseModel):
    """A reply held against a request."""

    verdict: Literal["met", "partly", "missed", "against", "unknown"]
    points: list[PointOut]
