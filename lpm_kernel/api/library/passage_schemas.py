"""The text of a document, its pages and its passages."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import ById, Sent


class AnchorOut(BaseModel):
    """A place in a document as its reader would say it; counts from 1, rows as a spreadsheet
    does.
    """

    kind: Literal["page", "paragraph", "row", "message", "turn"]
    n: int


class PageSpan(BaseModel):
    """A page of a document and where it lies in the text."""

    page: int
    start: int
    end: int


class PageOut(BaseModel):
    """A page that can be drawn, its size in its own measure, and where it lies in the text."""

    page: int
    width: float
    height: float
    start: int | None
    end: int | None


class PageList(BaseModel):
    """The pages of a document."""

    items: list[PageOut]


class PagePath(ById):
    """A page of a document, counted from 1."""

    page: int = Field(ge=1, le=1_000_000)


class PictureQuery(Sent):
    """How wide."""

    width: int = Field(
        default=800,
        ge=40,
        le=2400,
        description="Pixels; a very long page comes smaller, a small picture as it is.",
    )


class SpanQuery(Sent):
    """Which stretch of the text."""

    start: int = Field(ge=0, le=2**53)
    end: int = Field(ge=0, le=2**53)


class BoxOut(BaseModel):
    """A rectangle on a page, as shares of its width and height from the top left."""

    left: float
    top: float
    right: float
    bottom: float


class PlacesOut(BaseModel):
    """Where a stretch stands on a page; empty where it could not be found there."""

    page: int
    boxes: list[BoxOut]


class TextOut(BaseModel):
    """A stretch of canonical text; offsets count code points."""

    text: str
    start: int
    end: int
    length: int
    line: int
    version: str
    pages: list[PageSpan]


class TextQuery(Sent):
    """Which stretch of the text."""

    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)


class PassageOut(BaseModel):
    """A passage of a document."""

    id: str
    start: int
    end: int
    text: str
    speaker: str | None
    said_at: datetime | None
    page: int | None
    anchor: AnchorOut | None = None
    source: str


class PassageList(BaseModel):
    """A page of passages, in the order of the text."""

    items: list[PassageOut]
    next_cursor: str | None = None
