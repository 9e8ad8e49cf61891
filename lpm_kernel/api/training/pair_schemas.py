"""The preference pairs of a training."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Page, Sent

PairRuleName = Literal[
    "thumbs",
    "edited",
    "choice",
    "struck",
    "correction",
    "evidence",
    "invented",
    "voice",
    "stranger",
]


class PairIn(Sent):
    """A pair that the person writes."""

    question: str = Field(min_length=1, max_length=2000)
    chosen: str = Field(min_length=1, max_length=4000, description="The answer that is preferred.")
    rejected: str = Field(min_length=1, max_length=4000)
    rule: PairRuleName = Field(default="edited", description="Why it is preferred.")
    notes: list[str] = Field(
        default_factory=list, max_length=8, description="What is read with the question."
    )
    memory: str | None = Field(
        default=None, max_length=100, description="The statement that it is about."
    )


class PairsQuery(Page):
    """Which pairs."""

    rule: PairRuleName | None = None
    q: str = Field(default="", max_length=200)


class PairOut(BaseModel):
    """A pair of a training."""

    id: str
    rule: PairRuleName
    question: str
    chosen: str
    rejected: str
    notes: list[str]
    asker: str = Field(description="Who asks, and what they may know; empty: the person.")
    memories: list[str]
    documents: list[str]
    conversations: list[str]
    turns: list[str]
    private: bool
    maker: Literal["template", "model", "person"]
    struck: bool
    held_out: bool = Field(description="Never learned; it is asked about to see what was learned.")


class PairList(BaseModel):
    """Pairs, in the order in which they were made."""

    items: list[PairOut]
    next_cursor: str | None = None
    total: int


class PairsPatch(Sent):
    """What to leave out, bring back, or add."""

    strike: list[str] = Field(default_factory=list, max_length=10_000)
    unstrike: list[str] = Field(default_factory=list, max_length=10_000)
    add: list[PairIn] = Field(default_factory=list, max_length=10_000)


class PairCounts(BaseModel):
    """How many pairs a training has."""

    counts: dict[str, int] = Field(description="Learned ones, by rule.")
    held_out: int
    chosen_characters: float = Field(description="Mean length of the preferred answers.")
    rejected_characters: float
    left_out: dict[str, int] = Field(description="Pairs that were not made, by why.")
