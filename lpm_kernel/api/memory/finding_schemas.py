"""What was found in what was added, and what the person decides about it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.library.document_schemas import AuthorOut, DocumentRef
from lpm_kernel.api.schemas import MemoryKind, Page, Sent


class DecisionOut(BaseModel):
    """What the person decided about a sentence."""

    verdict: Literal["keep", "mend", "forget"]
    at: datetime
    content: str | None = Field(description="How it reads rightly, where it was mended.")
    correction: str | None = Field(description="The document that holds the correction.")


class FindingOut(BaseModel):
    """A sentence of what was added. `start` and `end` count code points of the canonical text."""

    id: str
    content: str
    timestamp: datetime | None
    source: str
    document: DocumentRef
    author: AuthorOut | None = None
    start: int
    end: int
    decision: DecisionOut | None
    kind: MemoryKind = Field(
        description="What was retained in so many words has a kind of its own."
    )
    inferred: bool = Field(
        description=(
            "The node chose it, from words that stand there; it is no statement before it is kept."
        )
    )
    entities: list[str]
    confidence: float | None
    wording: str | None = Field(
        default=None,
        description=(
            "How the model that proposes it puts it, where that is not how it stands there; the"
            " sentence says all of it."
        ),
    )


class FindingList(BaseModel):
    """A page of findings."""

    items: list[FindingOut]
    next_cursor: str | None = None
    total: int = Field(description="How many there are on all pages together.")


class FindingQuery(Page):
    """Which findings: those to decide about, or those that were decided."""

    decided: bool = False


class VerdictIn(Sent):
    """Keep it; mend it, with `content` saying how it reads rightly; or forget it: no answer rests
    on it any more.
    """

    decision: Literal["keep", "mend", "forget"]
    content: str = Field(default="", max_length=2000)


class FindingIn(VerdictIn):
    """A decision about any stretch of a document."""

    document: str = Field(max_length=100)
    start: int = Field(ge=0, le=1_000_000_000)
    end: int = Field(ge=0, le=1_000_000_000)
