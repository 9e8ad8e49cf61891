"""Erasing: what is to go, what goes, and what stays out of reach."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent


class ByToken(BaseModel):
    """The token in the path."""

    token: str = Field(max_length=200)


class ErasureIn(Sent):
    """What is to be erased."""

    documents: list[str] = Field(default=[], max_length=10_000)
    conversations: list[str] = Field(default=[], max_length=10_000)
    everything: bool = Field(
        default=False, description="All documents and all conversations, whatever else is named."
    )


class Named(BaseModel):
    """A document by id and title."""

    id: str
    title: str


class ShareOut(BaseModel):
    """What goes from one place, or what stays in one that is out of reach."""

    place: str = Field(
        description=(
            "What goes: originals, texts, index, conversations, turns, backups, exports. What"
            " stays: handed_out, elsewhere, git, disk."
        )
    )
    count: int
    bytes: int
    sentence: str


class ErasureOut(BaseModel):
    """What would go, and the token that makes it go."""

    erasure: str
    token: str
    expires_at: datetime
    documents: list[Named]
    conversations: list[str]
    goes: list[ShareOut]
    stays: list[ShareOut]
