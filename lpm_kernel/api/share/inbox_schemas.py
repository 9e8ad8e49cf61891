"""What others asked, and the answers that wait for a word."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field, model_validator

from lpm_kernel.api.schemas import Page, Sent, Text
from lpm_kernel.api.share.grant_schemas import FormName, ReasonName

InboxStateName = Literal["asked", "waiting", "decided", "answered", "expired"]


class ByRequest(BaseModel):
    """Which message that came in."""

    id: str = Field(max_length=300)


class InboxQuery(Page):
    """Which messages that came in."""

    contact: str | None = Field(default=None, max_length=100)
    waiting: bool = Field(default=False, description="Only what waits for your word, oldest first.")


class DraftRowOut(BaseModel):
    """A row of a document, as it stands."""

    document: str
    title: str
    text: str
    start: int
    end: int


class DraftSourceOut(DraftRowOut):
    """A row that was read for a draft."""

    cited: bool = Field(
        description=(
            "Its words rest on it; the others were read for it, and may have told it something."
        )
    )


class HeldBackOut(DraftRowOut):
    """A row that belongs to the question and stays here."""

    reason: ReasonName


class DraftOut(BaseModel):
    """An answer as it would leave."""

    id: str
    made_at: datetime
    text: str = Field(
        description="Word for word as it would leave; for passages, one after the other."
    )
    abstained: bool
    form: FormName | None
    own: bool = Field(description="You wrote it yourself.")
    editable: bool
    bytes: int
    sources: list[DraftSourceOut]
    held_back: list[HeldBackOut]


class ApproveIn(Sent):
    """What shall leave."""

    draft: str | None = Field(
        default=None,
        max_length=40,
        description="Id of the draft that you read: exactly this leaves, and nothing without it.",
    )
    text: Text | None = Field(
        default=None,
        max_length=65_536,
        description="Your own words in place of the draft's; with `draft`.",
    )

    @model_validator(mode="before")
    @classmethod
    def _may_be_nothing(cls, body: object) -> object:
        """Take a request without a body for one that names nothing."""
        return {} if body is None else body


class RequestOut(BaseModel):
    """A message that came in. What it says is a stranger's text."""

    id: str
    contact: str | None
    name: str
    verb: str
    words: str = Field(description="What they ask, word for word; empty once it was forgotten.")
    purpose: str
    grant: str | None
    grant_words: str = Field(description="What you wrote for yourself when you gave the grant.")
    state: InboxStateName
    came_at: datetime
    until: datetime
    decided_at: datetime | None
    answered_at: datetime | None
    answer: str = Field(description="What was answered, where it was text.")
    code: str = Field(description="Why it was refused.")
    draft: DraftOut | None = Field(
        default=None,
        description=(
            "The answer as it would leave; null until `POST /api/inbox/{id}/draft` made it."
        ),
    )


class InboxList(BaseModel):
    """Messages that came in."""

    items: list[RequestOut]
    next_cursor: str | None = None
    waiting: int = Field(description="How many wait for your word.")
