"""Statements that the person wrote or kept."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import JobOut, MemoryKind, Page, Sent
from lpm_kernel.domain.memory.forgetting import FADING

StatementKindName = Literal["world", "experience", "opinion", "observation"]


class MemoryQuery(Page):
    """Which memories."""

    kind: list[StatementKindName] = Field(default=[], description="Of these kinds.")
    entity: str = Field(
        default="", max_length=200, description="About this person, place or thing."
    )
    q: str = Field(default="", max_length=500, description="With these words in it.")
    forgotten: bool = Field(
        default=False,
        description="Those that are believed no more, as they read last, the last forgotten first.",
    )
    as_of: datetime | None = Field(
        default=None, description="What was believed at this moment, instead of now; on one page."
    )
    sort: Literal["newest", "strength"] = Field(
        default="newest", description="`strength`: what fades most first."
    )
    fading: bool = Field(default=False, description=f"Only what is held less than {FADING:.0%}.")
    valid_at: datetime | None = Field(
        default=None, description="Without what was not so at this moment; what nobody dated stays."
    )


class EvidenceOut(BaseModel):
    """Words of a document that a memory rests on, in code points of its text, end exclusive."""

    document: str
    title: str
    start: int
    end: int
    quote: str
    source: str


class MemoryOut(BaseModel):
    """One statement, in the wording that is believed, or was."""

    id: str
    kind: MemoryKind
    content: str
    entities: list[str]
    confidence: float | None
    valid_from: datetime | None = Field(
        default=None,
        description=(
            "Since when it is so, as the person said, settled, or the statement says itself."
        ),
    )
    valid_until: datetime | None = Field(
        default=None, description="Until when it was so; that moment itself is not part of it."
    )
    believed_from: datetime
    believed_until: datetime | None
    number: int = Field(description="Counts the wordings of this memory from 1.")
    source: str = Field(description="The line where it stands, as `memory/2026-11-21.md#L5`.")
    evidence: list[EvidenceOut]
    strength: float = Field(
        description=(
            "How strongly it is held, 0 to 1: it fades while it is not used, each use makes it fade"
            " more slowly, and nothing is deleted for it."
        )
    )
    pinned: bool = Field(description="It never fades.")
    noted_at: datetime = Field(description="When its first wording was believed.")
    last_used: date | None = Field(
        default=None, description="The day on which it was last cited, opened, kept or corrected."
    )
    uses: int = Field(description="On how many days it was used.")
    fades_at: datetime | None = Field(
        default=None,
        description=(
            f"When it is held less than {FADING:.0%}, or has been since, unless it is used;"
            " nothing for what is pinned."
        ),
    )
    corrected: bool = Field(description="It read otherwise before.")
    tags: list[str] = Field(description="Of the document that it stands in.")
    private: bool
    editable: bool = Field(
        description=(
            "It stands in the workspace, so that it can be changed here; a document that was handed"
            " in never is."
        )
    )


class MemoryList(BaseModel):
    """A page of memories."""

    items: list[MemoryOut]
    next_cursor: str | None = None


class MemoryWhole(BaseModel):
    """A memory with everything that it said before, oldest first."""

    memory: MemoryOut
    history: list[MemoryOut]


class MemoryIn(Sent):
    """A statement to keep: as a line, or part by part."""

    line: str = Field(
        default="", max_length=2_500, description="As `O(c=0.9) @Peter: prefers short replies`."
    )
    content: str = Field(default="", max_length=2_000)
    kind: StatementKindName = "world"
    entities: list[str] = Field(default=[], max_length=20)
    confidence: float | None = Field(default=None, ge=0, le=1)
    file: str | None = Field(
        default=None,
        max_length=200,
        description="A file of the workspace; today's unless one is named.",
    )
    valid_from: datetime | None = Field(
        default=None,
        description="Since when it is so. Kept in the ledger: the line stays as it is.",
    )
    valid_until: datetime | None = None


class MemoryPatch(Sent):
    """How a statement shall read; what is left out stays."""

    renewed: bool | None = Field(
        default=None,
        description=(
            "`true` brings it back where it fades: it is held as if it had been used now. `false`"
            " takes that back: it counts as not used today."
        ),
    )
    content: str | None = Field(default=None, max_length=2_000)
    kind: StatementKindName | None = None
    entities: list[str] | None = Field(default=None, max_length=20)
    confidence: float | None = Field(default=None, ge=0, le=1)
    valid_from: datetime | None = Field(
        default=None,
        description=(
            "Since when it is so; `null` takes the date back. A statement of a document that was"
            " handed in takes dates too."
        ),
    )
    valid_until: datetime | None = None
    pinned: bool | None = Field(default=None, description="Whether it never fades.")


class MemoryKept(BaseModel):
    """Where a statement was written, and the job that reads it; none where it was read already."""

    id: str
    file: str
    job: JobOut | None
