"""How a training goes."""

from __future__ import annotations

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent
from lpm_kernel.api.training.run_schemas import RunStateName


class StepOut(BaseModel):
    """One step."""

    step: int
    loss: float | None
    held_out: float | None


class AskedOut(BaseModel):
    """A question that was asked before and while it learned."""

    question: str
    before: str
    now: str
    step: int


class ProgressOut(BaseModel):
    """How a training goes."""

    state: RunStateName
    step: int
    of: int
    seconds_left: float | None
    steps: list[StepOut]
    samples: list[AskedOut]


class LogQuery(Sent):
    """From where on."""

    after: int | None = Field(
        None,
        ge=0,
        description=(
            "The byte up to which it was read already; left out: so that the last 64 kB come."
        ),
    )


class LogOut(BaseModel):
    """What the program that learns writes."""

    text: str
    after: int = Field(description="What to ask with for what comes next.")
