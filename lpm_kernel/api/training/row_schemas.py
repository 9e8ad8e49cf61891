"""The rows of a training."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Page, Sent

ExampleKindName = Literal[
    "fact", "third", "note", "enhance", "critic", "diversity", "discretion", "unknown", "general"
]


class RowIn(Sent):
    """A row that the person writes."""

    question: str = Field(min_length=1, max_length=2000)
    answer: str = Field(min_length=1, max_length=4000)
    memory: str | None = Field(
        default=None, max_length=100, description="The statement that it teaches."
    )


class RowsQuery(Page):
    """Which rows."""

    kind: ExampleKindName | None = None
    q: str = Field(default="", max_length=200)


class RowOut(BaseModel):
    """A row of a training."""

    id: str
    kind: ExampleKindName
    question: str
    answer: str
    notes: list[str]
    memories: list[str] = Field(description="The statements that it was made of.")
    documents: list[str] = Field(description="The documents in which those stand.")
    shipped: list[str] = Field(
        description="Lines of files that come with the node that it was made of, such as"
        " `general.jsonl:12`.",
    )
    searched: int = Field(
        description="How many statements were searched to make sure that none speaks of it.",
    )
    asker: str = Field(
        default="", description="Who asks, and what they may know, where it is not the person."
    )
    maker: Literal["template", "model", "person"]
    thought: str = Field(default="", description="What it teaches to think before the answer.")
    struck: bool
    held_out: bool = Field(description="Not learned; it says when to stop.")


class RowList(BaseModel):
    """Rows, in the order in which they were made."""

    items: list[RowOut]
    next_cursor: str | None = None
    total: int


class RowsPatch(Sent):
    """What to leave out, bring back, or add."""

    strike: list[str] = Field(default_factory=list, max_length=10_000)
    unstrike: list[str] = Field(default_factory=list, max_length=10_000)
    add: list[RowIn] = Field(default_factory=list, max_length=10_000)
