"""What is asked of somebody's second self, and what comes back."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent, Text
from lpm_kernel.api.share.network_schemas import OutboxStateName


class PeerQuestionIn(Sent):
    """A question to a contact's second self."""

    question: Text = Field(min_length=1, max_length=4000)
    grant: str = Field(
        default="",
        max_length=100,
        description="Under which of their grants; empty: the one that holds longest.",
    )


class ByPeerQuestion(BaseModel):
    """Which question to which contact."""

    id: str = Field(max_length=100)
    question: str = Field(max_length=100)


class PeerQuestionOut(BaseModel):
    """What was asked, and what came back: a stranger's text, which nobody here checked."""

    id: str
    contact: str
    question: str
    purpose: str
    grant: str
    state: OutboxStateName
    made_at: datetime
    until: datetime
    tries: int
    next_try: datetime | None = Field(description="When it is tried again, while it waits.")
    code: str = Field(
        description=(
            "Why they refused; while it waits, why the last try brought no answer. Empty then: they"
            " were not reached."
        )
    )
    answer: str
    abstained: bool = Field(description="They have nothing to say about it.")
    quotes: list[str] = Field(description="Sentences of theirs that the answer rests on.")
    kept: str | None = Field(description="The document that you made of it.")


class PeerQuestionList(BaseModel):
    """Questions to a contact, newest first."""

    items: list[PeerQuestionOut]
    next_cursor: str | None = None
