"""Chats: their list, their roles and their branches."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.chat.turn_schemas import SpokenBy, TurnOut
from lpm_kernel.api.schemas import KeepingName, Page, Sent, Stretch, Text
from lpm_kernel.domain.chat.roles import MOST_CAST


class BranchedOut(BaseModel):
    """Where a chat was taken up and led another way."""

    conversation: str
    turn: str
    title: str | None = Field(
        description="Of the chat that it was branched from; null when that one is gone or put away."
    )


class SnippetOut(BaseModel):
    """What was found of a chat. Spans count code points, end exclusive."""

    text: str
    spans: list[Stretch]
    turn: str | None = Field(description="Who said it; null where the title matches.")


class CastOut(SpokenBy):
    """One of the roles that speak in a chat."""

    turns: int = Field(description="Answers that it gave.")


class ConversationOut(BaseModel):
    """A chat."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    turns: int
    branched_from: BranchedOut | None = None
    deleted_at: datetime | None = None
    keeping: KeepingName = Field(
        default="full",
        description="What it keeps of what is said: all; once a thread has ended, its summary"
        " alone; or nothing.",
    )
    role: SpokenBy | None = Field(
        default=None,
        description=(
            "The role that speaks in it, the first where there are several; nothing: the second"
            " self."
        ),
    )
    cast: list[CastOut] = Field(
        default=[], description="The roles that speak in it, where there are several."
    )
    together: int | None = Field(
        default=None,
        description=(
            "Of one chat with several roles: the passages that every one of them may see, and they"
            " together."
        ),
    )
    snippet: SnippetOut | None = Field(
        default=None, description="Where chats were searched: what was found."
    )


class BranchOut(BaseModel):
    """A chat that was branched from this one."""

    conversation: str
    turn: str = Field(description="The question from which on it differs.")
    title: str


class ThreadSentenceOut(BaseModel):
    """A sentence that was said in a thread, word for word."""

    turn: str
    number: int = Field(description="Of its turn in the chat, from 1.")
    kind: Literal["told", "decided", "promised", "asked", "answered"]
    text: str
    speaker: SpokenBy | None = Field(description="The role that said it; null: you, or your self.")
    own: bool = Field(description="You said it.")


class ThreadOut(BaseModel):
    """A stretch of a chat that belongs together and has ended."""

    id: str
    first: str = Field(description="The turn that it begins with.")
    last: str
    started_at: datetime
    ended_at: datetime
    reason: Literal["similarity", "idle", "limit", "phrase", "domain", "elsewhere", "person"] = (
        Field(
            description="Why it ended: what came next is about something else; nobody spoke for a"
            " while; it was as long as one gets; the person said that they change the subject;"
            " another role was asked; the person went on in another chat, or parted it by hand."
        )
    )
    keywords: list[str]
    told: bool = Field(description="You told something in it, which can be recalled.")
    summary: list[ThreadSentenceOut] = Field(
        default=[], description="The most telling of its sentences, in order."
    )
    reduced: bool = Field(
        default=False, description="The words of its turns were thrown away; the summary stays."
    )
    turns: int = Field(default=0, description="Its questions and answers.")
    kept: int = Field(default=0, description="Memories that you kept of what was told in it.")
    kept_outside: int = Field(
        default=0, description="Those of words that do not stand in its summary."
    )


class ThreadsOut(BaseModel):
    """The threads of a chat that have ended, oldest first."""

    items: list[ThreadOut]


class ConversationWhole(ConversationOut):
    """A chat with its turns."""

    items: list[TurnOut]
    before: str | None = Field(
        default=None,
        description=(
            "Where `limit` was given and there are earlier turns: send it as `before` to have them."
        ),
    )
    branches: list[BranchOut] = Field(default=[])
    threads: list[ThreadOut] = Field(
        default=[], description="Its threads that have ended, oldest first."
    )


class ConversationQuery(Page):
    """Which chats."""

    q: str = Field(
        default="", max_length=200, description="Words that stand in the title or in what was said."
    )
    deleted: bool = Field(
        default=False, description="Those that were deleted and can still be brought back."
    )


class TurnsQuery(Sent):
    """Which turns of a chat."""

    limit: int | None = Field(
        default=None, ge=1, le=500, description="The last so many; without it all."
    )
    before: str | None = Field(
        default=None, max_length=100, description="Only those before this turn."
    )


class BranchIn(Sent):
    """The question from which on a new chat is to differ."""

    turn: str = Field(max_length=100)


class ConversationList(BaseModel):
    """A page of chats."""

    items: list[ConversationOut]
    next_cursor: str | None = None


class ConversationIn(Sent):
    """A new chat."""

    title: str = Field(default="", max_length=300)
    role: str = Field(
        default="", max_length=40, description="The role that speaks in it; empty: the second self."
    )
    cast: list[Annotated[str, Field(max_length=40)]] = Field(
        default=[],
        max_length=MOST_CAST,
        description=(
            "Several roles, instead of `role`. Together they see what every one of them may see."
        ),
    )
    keeping: KeepingName | None = Field(
        default=None, description="What it keeps; without it, as the settings say."
    )


class ConversationPatch(Sent):
    """Another title, or what it keeps from now on."""

    title: Text | None = Field(default=None, min_length=1, max_length=300)
    keeping: KeepingName | None = Field(
        default=None,
        description="With `summary` all words of it but those of the summaries are thrown away,"
        " with `none` it is erased when it is left: neither can be undone.",
    )
