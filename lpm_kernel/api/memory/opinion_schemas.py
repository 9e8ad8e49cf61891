"""Views and how sure they are, disagreements, and lines that could stand in ``memory.md``."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.library import version_schemas
from lpm_kernel.api.memory.memory_schemas import EvidenceOut
from lpm_kernel.api.schemas import Sent

DisagreementVerdict = Literal["changed", "first", "second", "both"]


class DatedEvidence(EvidenceOut):
    """Words of a document, with the day that they are of."""

    at: datetime | None
    valid_from: datetime | None = Field(default=None, description="Since when it is so.")
    valid_until: datetime | None = Field(default=None, description="Until when it was so.")
    kept: bool = Field(
        description="The person stated it in so many words; otherwise it was found in a text."
    )


class OpinionPoint(BaseModel):
    """How sure at a moment, and what made it so."""

    at: datetime
    confidence: float
    stance: Literal["supports", "contradicts"] | None = Field(
        description="What moved it; none where the person said it themselves."
    )


class OpinionOut(BaseModel):
    """A view of the person's, with what speaks for it and against it."""

    id: str = Field(description="Of the memory.")
    content: str
    entities: list[str]
    stated: float | None = Field(description="How sure the person said they were.")
    confidence: float = Field(
        description="How sure it is by now: what was said since moves it in small steps."
    )
    updated_at: datetime
    curve: list[OpinionPoint]
    supports: list[DatedEvidence]
    contradicts: list[DatedEvidence]


class StatedViewOut(BaseModel):
    """What the person thinks of one thing, as their own texts say it; they did not keep it as an
    opinion.
    """

    content: str = Field(description="What was said last.")
    since: datetime | None = Field(
        description="Since when it is said so, with nothing against it in between."
    )
    turned: bool = Field(description="An older sentence says the opposite.")
    words: list[DatedEvidence] = Field(description="The newest first.")


class OpinionList(BaseModel):
    """Views, what moved last first."""

    items: list[OpinionOut]
    stated: list[StatedViewOut] = Field(
        description="Found in the person's own texts, the newest first."
    )


class DisagreementQuery(Sent):
    """Which ones."""

    settled: bool = False


class DisagreementOut(BaseModel):
    """Two facts that cannot both be so at one time, the older first. A side is empty where its
    words do not stand any more.
    """

    id: str
    reason: Literal["number", "date", "negation", "place", "name"]
    about: str | None = Field(
        description="Whom or what both are about, where their words do not say so."
    )
    first: list[DatedEvidence]
    second: list[DatedEvidence]
    verdict: DisagreementVerdict | None


class DisagreementList(BaseModel):
    """Disagreements, what is kept first."""

    items: list[DisagreementOut]


class SettleIn(Sent):
    """Which is so."""

    changed_on: datetime | None = Field(
        default=None,
        description=(
            "With `changed`: when the newer came to be so; unless it is given, what the newer one"
            " says of that counts, or its own day. Said again, the last word counts."
        ),
    )
    verdict: DisagreementVerdict = Field(
        description=(
            "`changed`: the older was so until the newer; `first` or `second`: the other is wrong;"
            " `both` can be so."
        )
    )


class CoreLineOut(BaseModel):
    """A line that could stand in `memory.md`."""

    id: str
    line: str
    reason: str
    evidence: list[DatedEvidence]
    change: list[version_schemas.DiffLine] = Field(
        description="What taking it in, worded as it is, does to the file as it reads now."
    )


class CoreLineList(BaseModel):
    """A few lines, the surest first."""

    items: list[CoreLineOut]


class CoreLineIn(Sent):
    """What becomes of it."""

    accept: bool
    line: str | None = Field(
        default=None,
        min_length=1,
        max_length=400,
        description="Worded otherwise; left out: as it was proposed.",
    )
