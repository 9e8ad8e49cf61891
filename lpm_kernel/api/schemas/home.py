"""The home as a whole: erasing, sizes, the audit chain, backups, archives."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas.basics import Page, Sent
from lpm_kernel.api.schemas.jobs import Queued


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


class AuditEntry(BaseModel):
    """One thing that happened, chained to the one before by its hash."""

    number: int
    at: datetime
    kind: str
    facts: dict[str, Any]
    previous: str
    hash: str


class BreakOut(BaseModel):
    """The first place where the chain does not hold."""

    number: int
    sentence: str


class AuditList(BaseModel):
    """A page of the audit chain."""

    items: list[AuditEntry]
    next_cursor: str | None = None
    verified: bool | None = None
    broken: BreakOut | None = None


class AuditQuery(Page):
    """Which entries, and whether the chain is walked."""

    verify: bool = False


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


class ExportIn(Sent):
    """What goes into an archive."""

    private: bool = True
    conversations: bool = True


class ExportRef(BaseModel):
    """An archive that is being made."""

    id: str


class ExportQueued(Queued):
    """An archive that is being made, and the job that makes it."""

    export: ExportRef


class ExportOut(BaseModel):
    """An archive that lies ready."""

    id: str
    bytes: int
    made_at: datetime


class ExportList(BaseModel):
    """Archives that lie ready."""

    items: list[ExportOut]


class VerificationIn(Sent):
    """Whether what can be made again is made again."""

    repair: bool = False
