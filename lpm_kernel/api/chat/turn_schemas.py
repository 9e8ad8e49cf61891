"""Turns of a chat: what is said, what is judged, and the events that an answer is streamed as."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, RootModel

from lpm_kernel.api.memory.recall_schemas import CitationOut, ItemOut
from lpm_kernel.api.schemas import Event, InJson, ProblemOut, Sent

PartKindName = Literal["statement", "quotation", "note", "role"]
OutcomeName = Literal["answered", "closest", "nothing", "talk"]


class PartOut(BaseModel):
    """A stretch of an answer with one origin."""

    kind: PartKindName
    text: str
    citations: list[int]


class JudgementOut(BaseModel):
    """What the person says of an answer."""

    verdict: Literal["right", "wrong", "better"]
    better: str = Field(
        description="The better wording, or what is right instead; empty unless it was given."
    )
    at: datetime


class SpokenBy(BaseModel):
    """A role that speaks in a chat."""

    id: str
    name: str = Field(description="Empty where the role was deleted.")
    seal: str


class TurnOut(BaseModel):
    """What one side said."""

    id: str
    role: Literal["user", "assistant"]
    text: str
    state: Literal["done", "stopped", "failed", "discarded"] = Field(
        description="`discarded`: only the summary of its thread was kept."
    )
    created_at: datetime
    parts: list[PartOut]
    citations: list[CitationOut]
    evidence: list[ItemOut]
    model: str | None
    abstained: bool
    outcome: OutcomeName | None = Field(
        default=None,
        description="Of a whole answer: it answers, it is the closest that was found, or there is"
        " nothing.",
    )
    problem: ProblemOut | None
    answers: str | None = Field(default=None, description="The turn that this one answers.")
    variants: list[str] = Field(
        default=[], description="All answers to the same turn, oldest first, this one among them."
    )
    in_mind: int = Field(
        default=0,
        description=(
            "How many lines of your profile the model was given; which, is asked for by itself."
        ),
    )
    verdict: JudgementOut | None = None
    speaker: SpokenBy | None = Field(
        default=None, description="In a chat with roles: which of them is asked, or answers."
    )


class LineInMindOut(BaseModel):
    """A line of the profile that the model was given."""

    kind: Literal["topics", "people", "places", "asked", "new", "pinned"] = Field(
        description=(
            "As what: spoken of or named most, roles asked most, new that month, or marked as"
            " important."
        )
    )
    line: str
    name: str = Field(description="How it is called now.")


class InMindOut(BaseModel):
    """What of the profile an answer was given with."""

    items: list[LineInMindOut] = Field(description="Those that are there and not hidden.")
    gone: int = Field(description="How many are hidden, or not there any more.")


class ByTurn(BaseModel):
    """The ids in the path."""

    id: str = Field(max_length=100)
    turn: str = Field(max_length=100)


class TurnPatch(Sent):
    """Which of several answers is shown."""

    shown: Literal[True]


class JudgementIn(Sent):
    """What the person says of an answer."""

    verdict: Literal["right", "wrong", "better"]
    better: str = Field(
        default="",
        description="The better wording, or what is right instead; with `right` it is left out.",
    )


class TurnIn(Sent):
    """What the person says."""

    text: str = Field(
        default="", description="Empty among several roles: one of them goes on by itself."
    )
    to: str = Field(
        default="",
        max_length=40,
        description=(
            "Among several roles, the one that is asked; empty: whom `text` names first, else who"
            " spoke least."
        ),
    )
    now: datetime | None = Field(
        default=None, description="When it is asked: what “yesterday” counts from."
    )
    client_id: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9-]{8,36}$",
        description="Chosen by the caller: the same one twice is one turn.",
    )
    trained: bool = Field(
        default=True,
        description=(
            "With the training in use; false: by the model without it, from the same memory. Where"
            " no training is in use, both are the same."
        ),
    )


class AgainQuery(Sent):
    """From when the same question is answered again."""

    now: datetime | None = Field(
        default=None,
        description="What “yesterday” counts from, if not from when it was asked first.",
    )
    trained: bool = Field(
        default=True, description="With the training in use; false: by the model without it."
    )


class EvidenceData(BaseModel):
    """What was found for a question."""

    turn: TurnOut = Field(description="The question, as it is kept.")
    items: list[ItemOut]
    level: str
    answer_id: str = Field(description="The turn under which the answer will be kept.")


class EvidenceEvent(Event):
    """The question is kept and its evidence found; no word is written yet."""

    event: Literal["evidence"]
    data: InJson[EvidenceData]


class WaitingData(BaseModel):
    """How long the queue is."""

    ahead: int = Field(description="Answers that come first.")


class WaitingEvent(Event):
    """Other answers come first."""

    event: Literal["waiting"]
    data: InJson[WaitingData]


class ThoughtData(BaseModel):
    """More of what the model thinks before it answers."""

    text: str


class ThoughtEvent(Event):
    """The model thinks: nobody checked it, and it is not kept."""

    event: Literal["thought"]
    data: InJson[ThoughtData]


class TokenData(BaseModel):
    """More of an answer."""

    part: int = Field(description="To which of its parts it belongs, from 0.")
    kind: PartKindName
    text: str


class TokenEvent(Event):
    """More words, which passed the guard."""

    event: Literal["token"]
    data: InJson[TokenData]


class CitationData(BaseModel):
    """What a part of an answer rests on."""

    part: int
    citation: CitationOut


class CitationEvent(Event):
    """A part rests on this."""

    event: Literal["citation"]
    data: InJson[CitationData]


class TurnData(BaseModel):
    """An answer as it is kept."""

    turn: TurnOut


class DoneEvent(Event):
    """The answer is whole and kept; nothing follows."""

    event: Literal["done"]
    data: InJson[TurnData]


class ExhaustedEvent(Event):
    """Memory offers no other answer; the one that is shown stands, and nothing follows."""

    event: Literal["exhausted"]
    data: InJson[TurnData]


class FailedData(BaseModel):
    """Why an answer broke off."""

    problem: ProblemOut
    turn: TurnOut | None = Field(description="What was kept of it; null where nothing was.")


class FailedEvent(Event):
    """The answer broke off; nothing follows."""

    event: Literal["failed"]
    data: InJson[FailedData]


class TurnEvent(
    RootModel[
        Annotated[
            EvidenceEvent
            | WaitingEvent
            | ThoughtEvent
            | TokenEvent
            | CitationEvent
            | DoneEvent
            | FailedEvent,
            Field(discriminator="event"),
        ]
    ]
):
    """One event of an answer: its `event:` line and its `data:` line."""


class AgainEvent(
    RootModel[
        Annotated[
            EvidenceEvent
            | WaitingEvent
            | ThoughtEvent
            | TokenEvent
            | CitationEvent
            | DoneEvent
            | ExhaustedEvent
            | FailedEvent,
            Field(discriminator="event"),
        ]
    ]
):
    """One event of another answer: its `event:` line and its `data:` line."""
