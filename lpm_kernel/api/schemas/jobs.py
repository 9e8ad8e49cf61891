"""Background work."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas.basics import Event, InJson, Page, ProblemOut


class JobOut(BaseModel):
    """Background work."""

    id: str
    kind: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    progress: float
    step: str
    message: str
    error: ProblemOut | None
    created_at: datetime
    ended_at: datetime | None
    document: str | None
    result: dict[str, Any] | None = Field(
        default=None,
        description=(
            "What came of it in figures, where a sentence does not say it all; only for the owner."
        ),
    )


class JobEvent(Event):
    """How background work is now: its `event:` line and its `data:` line."""

    event: Literal["job"]
    data: InJson[JobOut]


class JobList(BaseModel):
    """A page of jobs."""

    items: list[JobOut]
    next_cursor: str | None = None


class JobQuery(Page):
    """Which jobs."""

    state: str = Field(
        default="", description="States separated by commas, for example `queued,running`."
    )


class JobStarted(BaseModel):
    """Background work that was begun."""

    job: JobOut


class JobsRetried(BaseModel):
    """The jobs that were queued again."""

    items: list[JobOut]
    next_cursor: str | None = None


class Queued(BaseModel):
    """Work that was queued."""

    job: JobOut
