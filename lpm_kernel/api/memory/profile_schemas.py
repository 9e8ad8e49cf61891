"""The profile that is counted from the person's chats."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent, Text
from lpm_kernel.domain.chat.profile import MOST_NAME

LineKindName = Literal["topic", "person", "place", "asked"]


class ProfileQuery(Sent):
    """How much of the profile."""

    limit: int = Field(default=100, ge=1, le=1000, description="Lines of each kind, at most.")


class LinePath(BaseModel):
    """The line in the path."""

    line: str = Field(max_length=100)


class MergedLineOut(BaseModel):
    """A line that counts in another."""

    id: str
    name: str
    count: int = Field(description="Turns in which it stands itself.")


class ProfileLineOut(BaseModel):
    """A line of the profile."""

    id: str
    kind: LineKindName
    name: str = Field(
        description="How it is called; empty for the second self, and for a role that is gone."
    )
    written: str = Field(description="How it is written most often.")
    count: int = Field(description="Turns of the person that it counts.")
    months: list[int] = Field(description="The same by months.")
    depth: list[float] = Field(
        description=(
            "Of a person, else empty: how near they were each month, 0 to 1, as log(1 + turns) /"
            " log(1 + the turns of whom was spoken of most that month)."
        ),
    )
    last: datetime = Field(description="When it was said last.")
    pinned: bool
    hidden: bool
    slug: str | None = Field(
        default=None, description="Of a person or a place that has a page: its page."
    )
    role: str | None = Field(
        default=None, description="Of who is asked: the role; empty for the second self."
    )
    merged: list[MergedLineOut] = Field(description="What counts in it besides.")


class TopicShareOut(BaseModel):
    """A topic of the vector."""

    line: str
    name: str
    share: float = Field(description="Its part of the turns of all of them, 0 to 1; 1 together.")


class ProfileEditOut(BaseModel):
    """What the person changed in a line. Taking it back brings back what was before."""

    id: str
    line: str
    at: datetime
    hidden: bool | None = None
    pinned: bool | None = None
    name: str | None = None
    into: str | None = None


class ProfileOut(BaseModel):
    """The profile."""

    turns: int = Field(description="Everything that the person said.")
    months: list[str] = Field(description="From the first to the last, without gaps: `2026-03`.")
    by_month: list[int] = Field(description="Everything that the person said, by months.")
    lines: list[ProfileLineOut] = Field(
        description="Of each kind the pinned ones first, then those with most turns."
    )
    totals: dict[LineKindName, int] = Field(description="How many lines of each kind there are.")
    hidden: list[ProfileLineOut] = Field(description="What the person hid.")
    vector: list[TopicShareOut] = Field(description="The ten topics with most turns.")
    edits: list[ProfileEditOut] = Field(description="What was changed, oldest first.")


class CountedTurnOut(BaseModel):
    """A turn that a line counts."""

    conversation: str
    title: str
    turn: str
    number: int = Field(description="Its place in the chat, from 1.")
    at: datetime
    text: str = Field(description="How it begins.")


class CountedTurnList(BaseModel):
    """A page of the turns that a line counts, newest first."""

    items: list[CountedTurnOut]
    total: int
    next: str | None = None


class LinePatch(Sent):
    """What changes in a line; what is left out stays."""

    hidden: bool | None = None
    pinned: bool | None = None
    name: Text | None = Field(
        default=None, max_length=MOST_NAME, description="Empty: as it is written."
    )
    into: str | None = Field(
        default=None,
        max_length=100,
        description="The line of the same kind that it counts in; empty: for itself again.",
    )
