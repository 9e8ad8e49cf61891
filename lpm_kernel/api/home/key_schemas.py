"""Keys for other programs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent, Text


class KeyIn(Sent):
    """A key for another program."""

    name: Text = Field(min_length=1, max_length=100)
    scopes: list[Literal["chat", "recall", "write", "admin"]] = Field(min_length=1)


class KeyOut(BaseModel):
    """A key, without its secret."""

    id: str
    name: str
    scopes: list[str]
    created_at: datetime
    last_used_at: datetime | None = Field(
        description="To the minute; none: never, or not since this is noted."
    )


class KeyMade(KeyOut):
    """A new key; the secret is shown this once."""

    key: str


class KeyList(BaseModel):
    """All keys."""

    items: list[KeyOut]
    next_cursor: str | None = None
