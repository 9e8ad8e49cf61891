"""The sample life."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class SampleOut(BaseModel):
    """The sample life, in a node of its own."""

    state: Literal["absent", "stopped", "starting", "running"]
    address: str | None = Field(description="Where it answers, once it runs.")
    home: str = Field(description="The folder that it has to itself.")


class SampleLink(BaseModel):
    """A link that works once."""

    link: str
