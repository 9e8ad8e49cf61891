"""What contacts offer, and what is offered to them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent

OfferStateName = Literal["offered", "fetching", "here", "kept", "refused", "failed"]


class OfferIn(Sent):
    """A document that is offered to a contact."""

    document: str = Field(max_length=100)
    days: int = Field(default=7, ge=1, le=30, description="How long it stands.")


class ItemIn(Sent):
    """An item that an answer of theirs named."""

    item: str = Field(max_length=100)
    grant: str = Field(
        default="",
        max_length=100,
        description="Under which of their grants; empty: the one that holds longest.",
    )


class ByOffer(BaseModel):
    """Which offer of which contact."""

    id: str = Field(max_length=100)
    offer: str = Field(max_length=100)


class OfferOut(BaseModel):
    """One item for one contact: yours, or one of theirs. The title is theirs then: data, which
    nobody here checked.
    """

    id: str
    contact: str
    name: str = Field(description="Whom it goes to, or who offers it.")
    ours: bool
    told: bool = Field(
        description="Whether word of yours has reached their node; of theirs always true."
    )
    title: str
    media: str
    size: int = Field(description="Bytes; 0: not known yet.")
    hash: str
    until: datetime
    withdrawn_at: datetime | None
    document: str | None = Field(description="What it is, of yours.")
    state: OfferStateName = Field(description="How far it has come; of yours always `offered`.")
    fetched: int = Field(
        description="Bytes of it that are here, in quarantine; of yours, that they were given."
    )
    came_at: datetime | None
    grant: str | None = Field(description="Under which grant of theirs it is fetched.")
    kept: str | None = Field(description="The document that you made of it.")
    code: str = Field(description="Why it could not be fetched.")


class OfferList(BaseModel):
    """Offers both ways, those that last longest first."""

    items: list[OfferOut]
    next_cursor: str | None = None


class OfferPreviewOut(BaseModel):
    """What lies in quarantine: a stranger's text, which nobody here checked."""

    offer: OfferOut
    text: str | None = Field(description="Its beginning; null where it is no text.")
    cut: bool = Field(description="Whether there is more than this.")
