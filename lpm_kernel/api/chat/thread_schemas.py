"""What was told in chats, by how far it has moved."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Page, Sent

TierName = Literal["session", "archive", "long_term"]


class ThreadQuery(Page):
    """Which threads."""

    tier: list[TierName] = Field(default=[], description="In these tiers; in any unless named.")
    consolidated: bool | None = Field(
        default=None, description="Only what is consolidated, or only what is not."
    )


class SalienceOut(BaseModel):
    """How salient what was told is, part by part, each 0 to 1."""

    emotion: float = Field(description="How much feeling its strongest sentence shows.")
    novelty: float = Field(
        description="1 where nothing like it was said before, 0 where it often was."
    )
    relation: float = Field(description="How near the nearest person is whom it names.")
    repetition: float = Field(description="How often it was said, by tenths.")
    total: float = Field(description="0.4 emotion + 0.3 novelty + 0.2 relation + 0.1 repetition.")


class HeldThreadOut(BaseModel):
    """A stretch of a chat in which the person told something."""

    id: str
    conversation: str
    title: str
    number: int = Field(description="Of its first turn in the chat, from 1.")
    turn: str = Field(description="Its first turn.")
    started_at: datetime
    ended_at: datetime
    tier: TierName
    moved_at: datetime | None = Field(description="When it came into its tier.")
    consolidated: bool = Field(
        description=(
            "It is among the most salient, or the person said so: what was told is proposed."
        )
    )
    decided: bool = Field(description="You said so; its salience does not tell.")
    fades_at: datetime | None = Field(
        description="When it fades, or faded, unless it is consolidated; nothing for what is."
    )
    salience: SalienceOut | None = Field(description="Nothing before it was weighed.")
    keywords: list[str]
    content: str = Field(description="The sentence in it that matters most, as it was said.")


class TierCounts(BaseModel):
    """How much lies in each tier."""

    session: int
    archive: int
    consolidated: int = Field(description="In long-term memory, and consolidated.")
    fading: int = Field(description="In long-term memory, and not consolidated.")


class HeldThreadList(BaseModel):
    """A page of threads, the newest first."""

    items: list[HeldThreadOut]
    next_cursor: str | None = None
    counts: TierCounts


class ThreadPatch(Sent):
    """What the person says of a thread."""

    consolidated: bool = Field(
        description="`true` brings it back: it is proposed to be kept. `false` lets it fade."
    )
    decided: bool = Field(
        default=True,
        description="`false` takes back what you said: its salience tells from now on.",
    )
