"""Roles: what one is, what it may see, and the small file by which it is handed on."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel

from lpm_kernel.api.chat.turn_schemas import CitationEvent, OutcomeName, TokenEvent
from lpm_kernel.api.library.document_schemas import DocumentKindName
from lpm_kernel.api.memory.recall_schemas import ItemOut
from lpm_kernel.api.schemas import Event, InJson, ProblemOut, ScopeKind, Sent
from lpm_kernel.domain.chat.roles import MOST_CAST

LengthName = Literal["short", "normal", "full"]
MannerName = Literal["usual", "plain", "warm", "formal"]


class SpeechIO(Sent):
    """How a role speaks."""

    style: str = Field(default="", max_length=500, description="In the person's words.")
    length: LengthName = "normal"
    manner: MannerName = "usual"
    temperature: float = Field(
        default=0.7,
        ge=0,
        le=2,
        description="Of the sampling: how freely the model chooses its words.",
    )


class ScopeIO(Sent):
    """Which part of the memory. What is left out narrows nothing."""

    tags: list[str] = Field(
        default=[], max_length=100, description="Of a document with one of these."
    )
    kinds: list[DocumentKindName] = Field(default=[], description="Of documents of these kinds.")
    memory_kinds: list[ScopeKind] = Field(
        default=[], description="Statements of these kinds, or `passage` for what is none."
    )
    folder: str = Field(
        default="", max_length=500, description="Of documents in this folder or below it."
    )
    since: datetime | None = None
    until: datetime | None = Field(
        default=None,
        description=(
            "When it was said, end exclusive; what nobody knows the time of is then left out."
        ),
    )


class SeesIO(ScopeIO):
    """What a role may see."""

    private: bool = Field(
        default=False,
        description="Also what is private, for its owner, with a model on this machine.",
    )


class RoleIn(Sent):
    """A role as the person writes it."""

    name: str = Field(min_length=1, max_length=80)
    purpose: str = Field(default="", max_length=200, description="What it is for, in one line.")
    prompt: str = Field(min_length=1, max_length=8_000)
    seal: str = Field(
        default="", max_length=4, description="One sign on its seal; empty: the first of its name."
    )
    speech: SpeechIO = SpeechIO()
    sees: SeesIO = SeesIO()


class RoleNew(RoleIn):
    """A new role."""

    id: str = Field(
        default="",
        max_length=40,
        description="Programs ask for `second-me/<id>`. Empty: made from the name.",
    )
    starter: str = Field(
        default="", max_length=40, description="The starter that it was begun from."
    )


class RoleOut(BaseModel):
    """A role as it is kept."""

    id: str
    name: str
    purpose: str
    prompt: str
    seal: str
    speech: SpeechIO
    sees: SeesIO
    origin: Literal["written", "starter", "file"]
    model: str = Field(description="What other programs ask for.")
    passages: int = Field(description="Passages and statements that it may see now.")
    of: int = Field(description="Of so many.")
    created_at: datetime
    updated_at: datetime


class RoleList(BaseModel):
    """The roles, and those that were deleted and can still be brought back."""

    items: list[RoleOut]
    deleted: list[RoleOut]


class RoleFile(Sent):
    """A role as it is handed on: what it is, never what it saw. It cannot ask for what is
    private.
    """

    format: Literal["second-me-role"]
    version: Literal[1]
    id: str = Field(default="", max_length=40)
    name: str = Field(min_length=1, max_length=80)
    purpose: str = Field(default="", max_length=200)
    prompt: str = Field(min_length=1, max_length=8_000)
    seal: str = Field(default="", max_length=4)
    speech: SpeechIO = SpeechIO()
    sees: ScopeIO = ScopeIO()


class StarterOut(BaseModel):
    """A role to begin from."""

    id: str
    name: str
    purpose: str
    prompt: str
    seal: str
    speech: SpeechIO


class StartersQuery(Sent):
    """In which language."""

    language: Literal["en", "ja"] = "en"


class StarterList(BaseModel):
    """The roles to begin from."""

    items: list[StarterOut]


class SightQuery(Sent):
    """How many rows are shown."""

    limit: int = Field(default=8, ge=0, le=50)


class SightOut(BaseModel):
    """What a scope lets in now; what is added later and fits belongs to it too."""

    passages: int
    documents: int
    of: int = Field(description="Passages and statements of everything.")
    without_private: bool = Field(
        description=(
            "It asks for what is private and is shown without: the model is elsewhere, or the owner"
            " does not ask."
        )
    )
    items: list[ItemOut] = Field(description="The newest of it.")


class TogetherIn(Sent):
    """Several roles."""

    roles: list[Annotated[str, Field(max_length=40)]] = Field(min_length=1, max_length=MOST_CAST)


class TogetherOut(BaseModel):
    """What every one of several roles may see, and so what they see together in one chat."""

    passages: int
    documents: int
    of: int = Field(description="Passages and statements of everything.")


class TryIn(Sent):
    """Something to say to a role that may not be kept yet."""

    role: RoleIn
    text: str = Field(min_length=1, max_length=4_000)


class TriedData(BaseModel):
    """How an answer ended that is not kept."""

    abstained: bool
    outcome: OutcomeName


class TriedEvent(Event):
    """The answer is whole; nothing follows."""

    event: Literal["done"]
    data: InJson[TriedData]


class TrialFailedData(BaseModel):
    """Why an answer broke off that would not have been kept."""

    problem: ProblemOut


class TrialFailedEvent(Event):
    """The answer broke off; nothing follows."""

    event: Literal["failed"]
    data: InJson[TrialFailedData]


class TrialEvent(
    RootModel[
        Annotated[
            TokenEvent | CitationEvent | TriedEvent | TrialFailedEvent,
            Field(discriminator="event"),
        ]
    ]
):
    """One event of a role's answer: its `event:` line and its `data:` line."""
