"""Contacts: the people whom this node knows."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Page, Sent, Text
from lpm_kernel.api.share.grant_schemas import GrantOut
from lpm_kernel.api.share.inbox_schemas import RequestOut
from lpm_kernel.api.share.network_schemas import MessageOut, SentOut

ContactStateName = Literal["pending", "active", "changed", "blocked", "ended"]


class ByContact(BaseModel):
    """Which contact."""

    id: str = Field(max_length=100)


class ContactOut(BaseModel):
    """The person behind another node."""

    id: str
    did: str
    name: str = Field(
        description="What the person calls them; otherwise what they call themselves."
    )
    own_name: str = Field(description="What their card calls them.")
    state: ContactStateName
    online: bool | None = Field(description="None: nobody knows at the moment.")
    last_seen: datetime | None
    met_at: datetime
    words: list[str] = Field(description="Six, to be read aloud by both.")
    verified_at: datetime | None = Field(
        description="When you said that both have the same six words."
    )
    notes: str
    given: int = Field(description="Grants that hold.")
    had: int = Field(description="Grants of theirs that hold.")


class ContactQuery(Page):
    """Which contacts."""

    text: Text = Field(
        default="", max_length=200, description="Part of a name, a note, an identity or an address."
    )


class ContactList(BaseModel):
    """Contacts, those met last first."""

    items: list[ContactOut]
    next_cursor: str | None = None


class WordsIn(Sent):
    """The six words that you read to each other."""

    words: list[str] = Field(
        min_length=1, max_length=12, description="As they stand at the contact."
    )
    same: bool = Field(description="Both have them. Otherwise: not compared.")


class ContactPatch(Sent):
    """What the person says of somebody. Nothing of it goes out."""

    name: Text | None = Field(default=None, max_length=80)
    notes: Text | None = Field(default=None, max_length=4000)


class ContactWhole(ContactOut):
    """A contact with what was exchanged."""

    peer: str
    addresses: list[str] = Field(description="Where their node was found last.")
    next_name: str = Field(
        description="What they call themselves under the identity that theirs goes on with."
    )
    grants: list[GrantOut]
    sent: list[SentOut]
    inbox: list[RequestOut]
    outbox: list[MessageOut]
