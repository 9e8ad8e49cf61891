"""Growing every week: when, and what came of the last time."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from typing import Literal

from flask import Response
from pydantic import BaseModel, Field

from lpm_kernel.api.context import node
from lpm_kernel.api.schemas import JobOut
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import TRAINING

api = TRAINING.blueprint("growth", __name__)

SkipName = Literal[
    "nothing-in-use", "other-model", "nothing-new", "busy", "on-battery", "other-training"
]
DayName = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


class GrowthOut(BaseModel):
    """How it stands with learning every week what is new."""

    schedule: Literal["weekly", "off"]
    day: DayName
    next_at: datetime | None = Field(description="When it may begin next; null where it is off.")
    cannot: SkipName | None = Field(description="Why nothing could be learned now.")
    last: JobOut | None = Field(description="The newest week: learned or skipped.")
    last_skipped: SkipName | None
    last_run: str | None = Field(description="The training that came of it.")


@api.get("/growth", summary="How it stands with weekly training", responses={200: GrowthOut})
def growth() -> Response:
    """Say when what is new is learned next, and what came of the last time."""
    known = node().training.growth()
    result = dict(known.last.result or {}) if known.last is not None else {}
    return json_response(
        GrowthOut.model_validate(
            {
                "schedule": known.schedule,
                "day": known.day,
                "next_at": known.next_at,
                "cannot": node().training.why_not_grow(),
                "last": serialise_job(known.last) if known.last is not None else None,
                "last_skipped": result.get("skipped"),
                "last_run": result.get("run"),
            }
        )
    )


@api.post("/growth", summary="Learn what is new now", responses={202: JobOut})
def grow() -> Response:
    """Go on from the training in use with what is new, whatever the day; where nothing got worse
    the result is taken into use.
    """
    return json_response(serialise_job(node().training.queue_growth()), HTTPStatus.ACCEPTED)
