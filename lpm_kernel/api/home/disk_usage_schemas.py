"""What the home takes up, by kind of thing."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class SizeOut(BaseModel):
    """What one kind of thing takes up."""

    id: Literal[
        "originals", "texts", "memory", "index", "models", "backups", "archives", "logs", "other"
    ]
    bytes: int
    files: int


class SizesOut(BaseModel):
    """What the home takes up, and what is free on its disk. A file that two places share counts
    once, where it was first.
    """

    items: list[SizeOut]
    bytes: int
    free: int
    home: str
