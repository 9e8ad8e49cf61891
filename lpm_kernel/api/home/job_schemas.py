"""Lists of background work, and the events by which it is watched."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Event, InJson, JobOut, Page


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


class JobsRetried(BaseModel):
    """The jobs that were queued again."""

    items: list[JobOut]
    next_cursor: str | None = None
