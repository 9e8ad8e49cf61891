"""What was found in what was added, and what the person decides about it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, Field

from lpm_kernel.api.library.document_schemas import AuthorOut, DocumentRef
from lpm_kernel.api.schemas import MemoryKind, Page, ProblemOut, Sent


class DecisionOut(BaseModel):
    """What the person decided about a sentence."""

    verdict: Literal["keep", "mend", "forget", "dismiss"]
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
    further: bool = Field(
        default=False,
        description="There are older documents that were not looked through; ask again later.",
    )


class FindingQuery(Page):
    """Which findings: those to decide about, or those that were decided."""

    decided: bool = False
    every: bool = Field(
        default=False, description="All that wait for a decision, not the best alone."
    )


class VerdictIn(Sent):
    """Keep it; mend it, with `content` saying how it reads rightly; forget it: no answer rests on
    it any more; or dismiss it: it is not put to you again, and answers may rest on it as before.
    """

    decision: Literal["keep", "mend", "forget", "dismiss"]
    content: str = Field(default="", max_length=2000)


class FindingIn(VerdictIn):
    """A decision about any stretch of a document."""

    document: str = Field(max_length=100)
    start: int = Field(ge=0, le=1_000_000_000)
    end: int = Field(ge=0, le=1_000_000_000)


class ReviewedIn(Sent):
    """What you say of one of many: keep it, dismiss it or forget it."""

    id: str = Field(max_length=100)
    decision: Literal["keep", "dismiss", "forget"]
    content: str = Field(
        default="",
        max_length=2000,
        description="The sentence as it was shown; nothing else at that place is decided about.",
    )


class ReviewIn(Sent):
    """Decisions to be made in one step."""

    items: list[ReviewedIn] = Field(min_length=1, max_length=500)


class MadeIn(Sent):
    """A decision as it was made: what changed since is not taken back."""

    id: str = Field(max_length=100)
    at: AwareDatetime


class TakeBackIn(Sent):
    """Decisions to be taken back in one step."""

    items: list[MadeIn] = Field(min_length=1, max_length=500)


class MadeOut(BaseModel):
    """What holds now about a sentence."""

    id: str
    verdict: Literal["keep", "mend", "forget", "dismiss"]
    at: datetime


class ReviewedOut(BaseModel):
    """What became of one of many decisions."""

    id: str = Field(description="As it was asked.")
    outcome: Literal["decided", "elsewhere", "gone", "refused"] = Field(
        description=(
            "`elsewhere`: it was decided about before, and that holds; `gone`: the words are not"
            " there any more; `refused`: see `problem`."
        )
    )
    decision: MadeOut | None
    problem: ProblemOut | None


class ReviewOut(BaseModel):
    """What became of each, in the order in which they were sent."""

    items: list[ReviewedOut]
    decided: int


class TakenBackOut(BaseModel):
    """What became of one of them; `changed`: it was decided otherwise since, and that holds."""

    id: str
    outcome: Literal["open", "changed"]


class TakeBackOut(BaseModel):
    """What became of each, in the order in which they were sent."""

    items: list[TakenBackOut]
    taken_back: int
