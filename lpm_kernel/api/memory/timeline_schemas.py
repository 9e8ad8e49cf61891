"""The days of a life."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, Field

from lpm_kernel.api.library.document_schemas import AuthorOut, DocumentRef
from lpm_kernel.api.library.passage_schemas import AnchorOut
from lpm_kernel.api.schemas import Page, Sent


class TimelineQuery(Page):
    """Which days, and how much of them."""

    limit: int = Field(
        default=31,
        ge=1,
        le=31,
        description="Days that are told of, with `detail`; without it all days come at once.",
    )
    since: date | None = Field(
        default=None, alias="from", description="The first day; the whole of the past unless given."
    )
    until: date | None = Field(default=None, alias="to", description="The last day, among them.")
    detail: bool = Field(
        default=False,
        description=(
            "With documents, names and a sentence, the latest day first, up to `limit` days at"
            " once; else figures alone, the earliest first."
        ),
    )


class DaySentenceOut(BaseModel):
    """A sentence as it stands in a document, in code points of its text, end exclusive."""

    text: str
    source: str
    speaker: str | None
    author: AuthorOut | None = None
    document: DocumentRef
    start: int
    end: int
    page: int | None
    anchor: AnchorOut | None = None


class DayOut(BaseModel):
    """What was said or written on one day, by the person's own calendar; never the day on which
    something was merely handed in.
    """

    day: date
    passages: int
    statements: int = Field(description="How many of the passages are statements.")
    documents: list[DocumentRef] = Field(
        default=[], description="Those that hold most of the day, up to 8; with `detail`."
    )
    document_count: int = Field(default=0, description="Of how many documents; with `detail`.")
    names: list[str] = Field(
        default=[], description="Who and what is told of most, up to 5; with `detail`."
    )
    sentence: DaySentenceOut | None = Field(
        default=None, description="The day's own best sentence; with `detail`."
    )


class TimelineOut(BaseModel):
    """Days that hold something. `first`, `last`, `busiest` and `undated` are about all days,
    whatever was asked for.
    """

    days: list[DayOut]
    first: date | None
    last: date | None
    busiest: int = Field(description="The passages of the day that holds most.")
    undated: int = Field(
        description="Passages of which nobody knows when they were said; they stand on no day."
    )
    next_cursor: str | None = Field(
        default=None, description="With `detail`: where the days before these begin."
    )


class TodayQuery(Sent):
    """Which day is today."""

    on: date | None = Field(
        default=None,
        ge=date(1900, 1, 1),
        description="Today where the person is; where the node stands unless given.",
    )


class AnniversaryList(BaseModel):
    """Days of earlier years that are like today, the latest first; each with documents, names and a
    sentence.
    """

    day: date = Field(description="What was taken for today.")
    exact: bool = Field(
        description="The days have its date; else they are of the same week of last year."
    )
    items: list[DayOut]


class EventOut(BaseModel):
    """What was said to come on a day."""

    day: date
    sentence: DaySentenceOut


class NamedOut(BaseModel):
    """Somebody who was named in the last two weeks."""

    slug: str
    name: str
    last: date = Field(description="When last.")
    passages: int = Field(description="How many passages of these days name them.")


class OccasionList(BaseModel):
    """What is going on, up to three of each sort."""

    day: date = Field(description="What was taken for today.")
    events: list[EventOut] = Field(description="Those of today before those of tomorrow.")
    named: list[NamedOut] = Field(
        description="The people named most first; none until the first map was drawn."
    )
