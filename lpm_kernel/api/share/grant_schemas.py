"""Grants: what others may ask, and what they cover."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, Field

from lpm_kernel.api.schemas import Page, Sent, Text

VerbName = Literal["ask", "recall", "fetch"]
LayerName = Literal["L0", "L1", "L2"]
RowKindName = Literal["passage", "world", "experience", "opinion", "observation"]
FormName = Literal["answer", "summary", "excerpt", "verbatim"]
TemplateName = Literal["answers", "topic", "documents"]
ReasonName = Literal[
    "private", "layer", "tag", "kind", "undated", "time", "forgotten", "written", "secret"
]
SecretName = Literal["code", "key", "account", "health", "confided"]
GrantStateName = Literal["holds", "revoked", "expired", "resting"]


class GrantWish(Sent):
    """What somebody may ask; what is left out is as the template has it."""

    template: TemplateName = "answers"
    verbs: list[VerbName] = Field(default_factory=list, max_length=3)
    layers: list[LayerName] = Field(
        default_factory=list,
        max_length=3,
        description="L0: passages of documents; L1: statements; L2: what was trained.",
    )
    tags: list[str] = Field(
        default_factory=list,
        max_length=64,
        description="Rows with one of these; none: all rows, with a tag or without.",
    )
    kinds: list[RowKindName] = Field(
        default_factory=list, max_length=5, description="None: all kinds."
    )
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    form: FormName | None = Field(default=None, description="How literally something may leave.")
    calls_per_day: int | None = Field(default=None, ge=0, le=10_000)
    tokens_per_day: int | None = Field(default=None, ge=0, le=10_000_000)
    bytes_per_day: int | None = Field(default=None, ge=0, le=2**30)
    purpose: Text = Field(
        default="",
        max_length=80,
        description=(
            "What it is for; a request has to say the same words. Empty: the tags, or “questions”."
        ),
    )
    consent: Literal["auto", "ask"] | None = Field(
        default=None, description="`ask`: you say yes to each request."
    )
    expires_at: AwareDatetime | None = Field(
        default=None, description="Until when it holds; left out: as many days as the template has."
    )
    passed_on: bool = Field(default=False, description="They may pass a narrower one on.")
    words: Text = Field(default="", max_length=2000, description="For yourself; it stays here.")
    allow: list[str] = Field(
        default_factory=list,
        max_length=10_000,
        description=(
            "Ids of rows that look like a secret, as a preview names them, and may be used all the"
            " same. All others of them stay out."
        ),
    )


class GrantIn(GrantWish):
    """A grant for a contact."""

    contact: str = Field(max_length=100)


class DailyOut(BaseModel):
    """Calls, bytes of answers, tokens that the model writes."""

    calls: int
    bytes: int
    tokens: int


class GrantOut(BaseModel):
    """A grant as it stands."""

    id: str
    direction: Literal["given", "had"]
    contact: str
    name: str
    state: GrantStateName = Field(description="`resting`: the contact is not active.")
    template: str
    verbs: list[VerbName]
    layers: list[LayerName]
    tags: list[str] = Field(description="None: all rows.")
    kinds: list[RowKindName]
    since: datetime | None
    until: datetime | None
    form: FormName
    daily: DailyOut
    spent: DailyOut = Field(
        description="Today, in UTC; of what others gave, the questions that are known here."
    )
    purpose: str
    consent: Literal["auto", "ask"]
    given_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    passed_on: bool
    parent: str | None = Field(description="The grant that this one was passed on from.")
    words: str
    covers: int | None = Field(
        description=(
            "Rows that it covers now; none for one that does not hold, and for what others gave."
        )
    )


class TemplateOut(BaseModel):
    """What a grant begins with."""

    name: TemplateName
    verbs: list[VerbName]
    layers: list[LayerName]
    form: FormName
    daily: DailyOut
    consent: Literal["auto", "ask"]
    days: int
    tagged: bool = Field(description="It is about something, so tags have to be named.")


class TemplateList(BaseModel):
    """Every template."""

    items: list[TemplateOut]


class GrantQuery(Page):
    """Which grants."""

    contact: str | None = Field(default=None, max_length=100)
    direction: Literal["given", "had"] | None = None


class GrantList(BaseModel):
    """Grants, given ones first, each newest first."""

    items: list[GrantOut]
    next_cursor: str | None = None


class CoveredOut(BaseModel):
    """A row that a grant covers, in the words that may be used."""

    document: str
    title: str
    kind: RowKindName
    text: str
    at: datetime | None
    start: int
    end: int


class DocumentRows(BaseModel):
    """How much of a document is covered."""

    id: str
    title: str
    rows: int


class LeftOutRows(BaseModel):
    """How many rows stay outside, and why."""

    reason: ReasonName
    rows: int


class SuspectOut(BaseModel):
    """A row that fits and looks like a secret."""

    id: str
    looks: SecretName = Field(
        description=(
            "`code`: a code or password; `key`: of a program; `account`: a number of one; `health`;"
            " `confided`: told in confidence."
        )
    )
    allowed: bool | None = Field(
        description=(
            "Whether it may be used; null: it came since, waits for your word, and stays out until"
            " then."
        )
    )
    document: str
    title: str
    text: str
    start: int
    end: int
    grant: str | None = None
    contact: str | None = None
    name: str = ""


class SuspectList(BaseModel):
    """Rows that look like a secret."""

    items: list[SuspectOut]
    next_cursor: str | None = None
    waiting: int


class SuspectQuery(Page):
    """Which of them."""

    waiting: bool = Field(
        default=False, description="Only what came since the grant and waits for your word."
    )


class SecretsIn(Sent):
    """What may be used under a grant, and what stays out, by ids."""

    allow: list[str] = Field(default_factory=list, max_length=10_000)
    leave_out: list[str] = Field(default_factory=list, max_length=10_000)


class PreviewOfGrant(BaseModel):
    """What a grant covers now. What is added later and fits is covered, too."""

    rows: int
    documents: int
    passages: int
    statements: int
    private_documents: int
    kinds: dict[str, int]
    by_document: list[DocumentRows] = Field(description="The fullest first, a hundred at most.")
    first: list[CoveredOut] = Field(description="The newest ones.")
    left_out: list[LeftOutRows]
    secrets: list[SuspectOut] = Field(
        description="What fits and looks like a secret; it stays out unless its id is in `allow`."
    )
