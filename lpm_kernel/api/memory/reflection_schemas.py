"""What the node writes by itself."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent


class ReflectIn(Sent):
    """How far back to look."""

    since: str | None = Field(
        default=None,
        max_length=40,
        description=(
            "Go also over what is from then on: `7d`, a date, a time. Left out: what is new."
        ),
    )


class PageChangeOut(BaseModel):
    """A page that was written."""

    path: str
    title: str = Field(description="Whom or what it is about.")
    made: bool = Field(description="There was no such page before.")
    removed: bool = Field(description="Nothing was left to stand on it.")
    before: str | None = Field(description="The version before, for `/api/workspace/diff`.")
    after: str | None
    changed_since: bool = Field(
        description="It was changed after that, so that an undo leaves it alone."
    )


class ReflectionOut(BaseModel):
    """One time that the node went over what was new."""

    id: str
    at: datetime
    documents: int
    pages: list[PageChangeOut]
    undone_at: datetime | None


class ReflectionList(BaseModel):
    """Reflections, the newest first."""

    items: list[ReflectionOut]


class ByReflection(Sent):
    """Which one."""

    id: str = Field(max_length=100)
