"""Invites, and the greetings that answer them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent, Text
from lpm_kernel.api.share.network_schemas import DAY_SECONDS, OutboxStateName


class InviteIn(Sent):
    """A link for one person."""

    label: Text = Field(default="", max_length=4000, description="For whom it is. It stays here.")
    expires_in: int = Field(
        default=DAY_SECONDS, ge=60, le=DAY_SECONDS, description="Seconds for which it holds."
    )
    addresses: list[str] = Field(
        default_factory=list, max_length=8, description="Where this node is reached, as multiaddrs."
    )


class InviteOut(BaseModel):
    """An invite. The link is a secret, and is forgotten once it is used or withdrawn."""

    id: str
    invite: str | None = Field(description="The link.")
    label: str
    state: Literal["open", "used", "withdrawn", "expired"]
    made_at: datetime
    expires_at: datetime
    contact: str | None = Field(description="Who used it.")
    words: list[str] = Field(
        description="Six words to compare aloud; there are none before it is used."
    )
    addresses: list[str] = Field(
        description="Where the link says that this node is reached. None: nobody can use it."
    )


class CodeOut(BaseModel):
    """A link as a QR code: the squares of an SVG path, on a side of so many units, with the quiet
    zone. It holds the secret of the link.
    """

    size: int
    path: str


class InviteList(BaseModel):
    """Invites, newest first."""

    items: list[InviteOut]
    next_cursor: str | None = None


class GreetingIn(Sent):
    """An invite that somebody sent."""

    invite: Text = Field(
        min_length=1,
        max_length=4000,
        description="The link. It is a secret: it stands in the body, never in an address.",
    )
    name: Text = Field(
        default="", max_length=80, description="What you will call them. It stays here."
    )


class GreetingOut(BaseModel):
    """A hello to whoever made an invite. Once their node answers, they are a contact."""

    id: str
    name: str = Field(description="What you will call them.")
    state: OutboxStateName
    made_at: datetime
    until: datetime
    tries: int
    next_try: datetime | None
    code: str = Field(description="Why they refused.")
    contact: str | None = Field(description="Whom it met.")


class GreetingList(BaseModel):
    """Greetings that wait or met nobody, newest first."""

    items: list[GreetingOut]
