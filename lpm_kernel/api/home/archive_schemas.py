"""Archives of the home."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel

from lpm_kernel.api.schemas import Queued, Sent


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
