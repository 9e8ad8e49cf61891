"""Growing every week: when, and what came of the last time."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from typing import Literal

from flask import Response
from pydantic import BaseModel, Field

from lpm_kernel.api.context import node
from lpm_kernel.api.schemas import JobOut, Sent
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import TRAINING

api = TRAINING.blueprint("growth", __name__)

SkipName = Literal[
    "nothing-in-use", "other-model", "nothing-new", "busy", "on-battery", "other-training"
]
DayName = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


ScheduleName = Literal["weekly", "off"]


class GrowthIn(Sent):
    """When and how much; what is left out stays as it is."""

    schedule: ScheduleName | None = None
    day: DayName | None = None
    steps: int | None = Field(default=None, ge=1, le=100_000)
    batch: int | None = Field(default=None, ge=1, le=512)


class GrowthOut(BaseModel):
    """How it stands with learning every week what is new."""

    schedule: ScheduleName
    day: DayName
    steps: int
    batch: int
    next_at: datetime | None = Field(description="When it may begin next; null where it is off.")
    cannot: SkipName | None = Field(description="Why nothing could be learned now.")
    last: JobOut | None = Field(description="The newest week: learned or skipped.")
    last_skipped: SkipName | None
    last_run: str | None = Field(description="The training that came of it.")


@api.get("/growth", summary="How it stands with weekly training", responses={200: GrowthOut})
def growth() -> Response:
    """Say when what is new is learned next, and what came of the last time."""
    return json_response(_shown())


@api.patch("/growth", summary="Set when and how much", responses={200: GrowthOut})
def set_growth(body: GrowthIn) -> Response:
    """Set the day, the size, or that nothing is learned by itself."""
    given = body.model_dump(exclude_none=True)
    node().ports.change_settings(
        **{"grow" if name == "schedule" else f"grow_{name}": each for name, each in given.items()}
    )
    return json_response(_shown())


def _shown() -> GrowthOut:
    known, settings = node().training.growth(), node().ports.settings
    result = dict(known.last.result or {}) if known.last is not None else {}
    return GrowthOut.model_validate(
        {
            "schedule": known.schedule,
            "day": known.day,
            "steps": settings.grow_steps,
            "batch": settings.grow_batch,
            "next_at": known.next_at,
            "cannot": node().training.why_not_grow(),
            "last": serialise_job(known.last) if known.last is not None else None,
            "last_skipped": result.get("skipped"),
            "last_run": result.get("run"),
        }
    )


@api.post("/growth", summary="Learn what is new now", responses={202: JobOut})
def grow() -> Response:
    """Go on from the training in use with what is new, whatever the day; where nothing got worse
    the result is taken into use.
    """
    return json_response(serialise_job(node().training.queue_growth()), HTTPStatus.ACCEPTED)
