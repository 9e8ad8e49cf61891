"""Backups of the home."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field


class BackupOut(BaseModel):
    """A backup."""

    id: str
    at: datetime
    label: str = Field(description="scheduled, asked or before-restore")
    documents: int
    bytes: int
    lost: int = Field(
        0,
        description=(
            "Originals that the whole backup before has and this one has not, though nobody removed"
            " them"
        ),
    )


class BackupList(BaseModel):
    """The backups, and the folder in which they lie."""

    items: list[BackupOut]
    folder: str
