"""Tables at which several talk: who sits there, what was said, and what it rests on."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.memory.recall_schemas import CitationOut
from lpm_kernel.api.schemas import Event, InJson, Sent, Text

StateName = Literal["open", "paused", "closed", "broken"]
StrategyName = Literal["round_robin", "moderated", "debate", "free"]
StopName = Literal["rounds", "agreement", "no_new_evidence", "time", "person", "alone"]
MemberKind = Literal["twin", "role", "person"]
StanceName = Literal["agrees", "disagrees"]
StepName = Literal[
    "opening",
    "invited",
    "joined",
    "left",
    "called",
    "turn",
    "failed",
    "paused",
    "resumed",
    "struck",
    "summary",
    "closed",
]


class SeatIn(Sent):
    """Who is to sit at a table."""

    kind: MemberKind
    role: str = Field(default="", max_length=100, description="Of a `role`: its id.")
    name: Text = Field(default="", max_length=80, description="Of a `person`: how they are called.")
    contact: str = Field(
        default="",
        max_length=40,
        description="Of a `twin`: the contact whose second self is invited; they can type, too.",
    )


class DiscussionIn(Sent):
    """A table to be opened. The person sits at each; nothing private is said there."""

    aim: Text = Field(default="", max_length=8000, description="What is to be worked out.")
    seats: list[SeatIn] = Field(
        default=[], max_length=12, description="Who takes part; empty: whom the template has."
    )
    template: str = Field(default="", max_length=40, description="A ready-made table.")
    language: Literal["en", "ja"] = "en"
    strategy: StrategyName | None = Field(
        default=None,
        description="Whose turn it is; null: as the template has it.",
    )
    rounds: int | None = Field(default=None, ge=1, le=100)
    stop: list[StopName] | None = Field(
        default=None,
        description=(
            "What ends it besides the last round, its time and the person: `agreement`,"
            " `no_new_evidence`."
        ),
    )
    minutes: int = Field(default=1440, ge=1, le=43_200)
    tags: list[str] = Field(
        default=[],
        max_length=50,
        description=(
            "What may be used; none: everything that is not private. Required at a"
            " table with a contact."
        ),
    )


class TableAcceptIn(Sent):
    """What your second self may use at the table of a contact, and how often it speaks there."""

    tags: list[str] = Field(min_length=1, max_length=64)
    form: Literal["answer", "summary", "excerpt"] = Field(
        default="excerpt", description="How literally."
    )
    turns: int = Field(default=30, ge=1, le=200)
    kinds: list[Literal["passage", "world", "experience", "opinion", "observation"]] = Field(
        default=[], description="None: all kinds."
    )


class ByTableTurn(BaseModel):
    """Which entry of which table."""

    id: str = Field(max_length=100)
    n: int = Field(ge=0, le=5000)


class ByMember(BaseModel):
    """Which member of which table."""

    id: str = Field(max_length=100)
    member: str = Field(max_length=40)


class TableTurnIn(Sent):
    """What somebody types at a table."""

    text: Text = Field(min_length=1, max_length=8000)
    by: str = Field(default="me", max_length=40, description="Which of those who type.")
    on: int | None = Field(default=None, ge=0, description="The turn that it is about.")
    stance: StanceName | None = Field(default=None, description="What it makes of that turn.")


class AfterQuery(Sent):
    """From where on a table is watched."""

    after: int = Field(default=-1, ge=-1, description="The last entry that is known.")


class TableMemberOut(BaseModel):
    """Somebody at a table."""

    id: str
    kind: MemberKind
    name: str
    role: str = Field(description="The role that it plays.")
    present: bool
    due: bool = Field(description="It may take the next turn.")
    turns: int
    failed: bool = Field(description="It had the word last, and could not speak.")
    contact: str = Field(
        default="", description="The contact whose node speaks for it; empty: yours."
    )
    mine: bool = Field(default=True, description="This node speaks for it.")
    state: Literal["here", "left", "invited", "coming", "declined"] = "here"


class TableGrantOut(BaseModel):
    """The permission with which your second self sits at the table of a contact."""

    id: str
    tags: list[str]
    form: str
    turns: int
    spent: int
    until: datetime
    revoked: bool


class TableCiteOut(BaseModel):
    """What a turn rests on, as its author lets it be cited."""

    layer: str
    kind: str
    at: datetime | None
    quote: str


class SummaryPointOut(BaseModel):
    """What a summary says of a member: nothing but what that member's turn says itself."""

    by: str
    turn: int
    says: Literal["said", "agreed", "disagreed", "abstained"]
    quotes: list[str]


class TableEntryOut(BaseModel):
    """One entry of the record."""

    n: int
    hash: str
    step: StepName
    by: str = Field(description="The member that it is about or of; empty: the table itself.")
    at: datetime
    round: int | None = None
    text: str = Field(description="Empty where it has no words, or where they are gone.")
    gone: bool = Field(description="It had words, which were struck or erased.")
    abstained: bool = False
    on: int | None = Field(default=None, description="The turn that it answers or is about.")
    stance: StanceName | None = None
    evidence: list[CitationOut] = Field(
        default=[], description="What it rests on; of a role without any: its own words."
    )
    cites: list[TableCiteOut] = Field(
        default=[], description="What it rests on, where a contact said it."
    )
    points: list[SummaryPointOut] = Field(default=[], description="Of a summary.")
    why: StopName | None = Field(default=None, description="Of the end.")
    code: str = Field(default="", description="Of who failed.")
    kept: str | None = Field(default=None, description="The document that you made of it.")


class DiscussionOut(BaseModel):
    """A table, without what was said."""

    id: str
    aim: str
    state: StateName = Field(
        description=(
            "`broken`, in the list alone: its record is not as it was signed; restore a backup, or"
            " delete it."
        )
    )
    template: str
    strategy: StrategyName
    rounds: int
    round: int
    stop: list[StopName]
    until: datetime
    opened_at: datetime
    changed_at: datetime
    tags: list[str]
    members: list[TableMemberOut]
    turns: int
    entries: int
    head: str = Field(description="The hash of the newest entry.")
    why: StopName | None = Field(description="Why it ended.")
    host: str = Field(default="", description="The contact who opened it; empty: you.")
    host_name: str = ""
    invitation: Literal["", "invited", "accepted", "declined", "left", "withdrawn", "expired"] = (
        Field(
            default="",
            description=(
                "How you stand at the table of a contact: `withdrawn` if the host did not let you"
                " sit down, `expired` if the table’s time was over before you did."
            ),
        )
    )
    grant: TableGrantOut | None = Field(
        default=None, description="The permission with which you sit at the table of a contact."
    )
    recovering: bool = Field(
        default=False,
        description=(
            "After a restore: its contacts are asked for what was said since, and nothing is said"
            " before."
        ),
    )
    unsaid: list[str] = Field(
        default=[], description="What you typed there, and is on its way to the record."
    )


class DiscussionDetail(DiscussionOut):
    """A table with what was said."""

    items: list[TableEntryOut]


class DiscussionList(BaseModel):
    """Tables, newest first."""

    items: list[DiscussionOut]
    next_cursor: str | None = None
    with_contacts: bool = Field(
        default=False, description="Whether contacts can be invited (`tables_with_contacts`)."
    )
    stopped: int = Field(
        default=0, description="Open tables with contacts that wait because that is off."
    )


class ReadyRoleOut(BaseModel):
    """A role of a ready-made table."""

    id: str
    name: str
    purpose: str


class ReadyTableOut(BaseModel):
    """A table to begin from."""

    id: str
    name: str
    purpose: str
    aim: str
    strategy: StrategyName
    rounds: int
    stop: list[StopName]
    twin: bool
    roles: list[ReadyRoleOut]


class ReadyTableList(BaseModel):
    """Tables to begin from."""

    items: list[ReadyTableOut]


class KeptTurnOut(BaseModel):
    """The document that was made of a turn."""

    document: str


class WatchedData(BaseModel):
    """What is new at a table."""

    discussion: DiscussionOut
    entry: TableEntryOut


class DiscussionEvent(Event):
    """One entry, as it is added: its `event:` line and its `data:` line."""

    event: Literal["entry"]
    data: InJson[WatchedData]
