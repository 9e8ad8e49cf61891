"""How the node is."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.models.model_schemas import PartState


class Left(BaseModel):
    """What left this machine."""

    bytes: int
    sentence: str
    answers: int = Field(description="That contacts got.")
    last_at: datetime | None = Field(
        description="When something was last sent to a model elsewhere or answered to a contact."
    )


class WaitingOut(BaseModel):
    """What waits for the person's word."""

    people: int = Field(description="Questions of contacts that are answered after a yes.")
    table: int = Field(description="Invitations to tables.")


class StatusOut(BaseModel):
    """The node at a glance."""

    version: str
    name: str
    intro: str
    named: bool
    documents: int = Field(description="What came in and is there: what the library lists.")
    chunks: int = Field(description="Passages that recall finds.")
    memories: int = Field(description="Statements that are believed now: written by you, or kept.")
    pages: int = Field(description="What the node wrote up by itself.")
    address: str
    level: str
    model: PartState
    embedder: PartState
    training: int | None = Field(
        description="Number of the training that you are answered with; null for none."
    )
    private: bool = Field(
        description="Answers to you look at what is private too; false while the model runs"
        " elsewhere."
    )
    jobs_running: int
    left: Left
    waiting: WaitingOut = Field(description="Nothing, for a program that is not the person's own.")


class CheckOut(BaseModel):
    """One check of the doctor."""

    id: str
    state: Literal["fine", "look", "broken"]
    sentence: str
    command: str


class HealthOut(BaseModel):
    """What the doctor found."""

    checks: list[CheckOut]
    checked_at: datetime
