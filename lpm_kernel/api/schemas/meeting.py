"""Other people: invites, contacts, grants, what they asked, and what left for them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, Field, model_validator

from lpm_kernel.api.schemas.basics import Page, Sent, Text
from lpm_kernel.usecases.share.passing import MOST

ContactStateName = Literal["pending", "active", "changed", "blocked", "ended"]
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
InboxStateName = Literal["asked", "waiting", "decided", "answered", "expired"]
OutboxStateName = Literal["waiting", "answered", "refused", "expired", "withdrawn"]
ReachName = Literal["off", "listening", "starting", "stopped", "locked", "missing"]
DAY_SECONDS = 86_400


class ByContact(BaseModel):
    """Which contact."""

    id: str = Field(max_length=100)


class ByRequest(BaseModel):
    """Which message that came in."""

    id: str = Field(max_length=300)


class InviteIn(Sent):
    """A link for one person."""

    label: Text = Field(default="", max_length=4000, description="For whom it is. It stays here.")
    expires_in: int = Field(
        default=DAY_SECONDS, ge=60, le=DAY_SECONDS, description="Seconds for which it holds."
    )
    addresses: list[str] = Field(
        default_factory=list, max_length=8, description="Where this node is reached, as multiaddrs."
    )


class InviteOut(BaseModel):
    """An invite. The link is a secret, and is forgotten once it is used or withdrawn."""

    id: str
    invite: str | None = Field(description="The link.")
    label: str
    state: Literal["open", "used", "withdrawn", "expired"]
    made_at: datetime
    expires_at: datetime
    contact: str | None = Field(description="Who used it.")
    words: list[str] = Field(
        description="Six words to compare aloud; there are none before it is used."
    )
    addresses: list[str] = Field(
        description="Where the link says that this node is reached. None: nobody can use it."
    )


class CodeOut(BaseModel):
    """A link as a QR code: the squares of an SVG path, on a side of so many units, with the quiet
    zone. It holds the secret of the link.
    """

    size: int
    path: str


class InviteList(BaseModel):
    """Invites, newest first."""

    items: list[InviteOut]
    next_cursor: str | None = None


class ContactOut(BaseModel):
    """The person behind another node."""

    id: str
    did: str
    name: str = Field(
        description="What the person calls them; otherwise what they call themselves."
    )
    own_name: str = Field(description="What their card calls them.")
    state: ContactStateName
    online: bool | None = Field(description="None: nobody knows at the moment.")
    last_seen: datetime | None
    met_at: datetime
    words: list[str] = Field(description="Six, to be read aloud by both.")
    verified_at: datetime | None = Field(
        description="When you said that both have the same six words."
    )
    notes: str
    given: int = Field(description="Grants that hold.")
    had: int = Field(description="Grants of theirs that hold.")


class ContactQuery(Page):
    """Which contacts."""

    text: Text = Field(
        default="", max_length=200, description="Part of a name, a note, an identity or an address."
    )


class ContactList(BaseModel):
    """Contacts, those met last first."""

    items: list[ContactOut]
    next_cursor: str | None = None


class SentOut(BaseModel):
    """What left on one day, of one kind."""

    day: str = Field(description="As 2026-03-14, in UTC.")
    contact: str | None = Field(description="None: for contacts who were deleted.")
    name: str
    category: str
    bytes: int


class MessageOut(BaseModel):
    """A message of the person's own."""

    id: str
    contact: str | None = Field(description="None: a greeting to somebody who is no contact yet.")
    name: str
    verb: str
    state: OutboxStateName
    made_at: datetime
    until: datetime
    tries: int
    next_try: datetime | None = Field(description="When it is tried again, while it waits.")
    code: str = Field(
        description=(
            "Why they refused; while it waits, why the last try brought no answer. Empty then: they"
            " were not reached."
        )
    )
    bytes: int


class GreetingIn(Sent):
    """An invite that somebody sent."""

    invite: Text = Field(
        min_length=1,
        max_length=4000,
        description="The link. It is a secret: it stands in the body, never in an address.",
    )
    name: Text = Field(
        default="", max_length=80, description="What you will call them. It stays here."
    )


class GreetingOut(BaseModel):
    """A hello to whoever made an invite. Once their node answers, they are a contact."""

    id: str
    name: str = Field(description="What you will call them.")
    state: OutboxStateName
    made_at: datetime
    until: datetime
    tries: int
    next_try: datetime | None
    code: str = Field(description="Why they refused.")
    contact: str | None = Field(description="Whom it met.")


class GreetingList(BaseModel):
    """Greetings that wait or met nobody, newest first."""

    items: list[GreetingOut]


class ReachIn(Sent):
    """Whether others may reach this node."""

    on: bool
    everywhere: bool | None = Field(
        default=None,
        description="On every interface; otherwise on this machine alone. Left out: as it is.",
    )


class UnlockIn(Sent):
    """What opens the keys."""

    passphrase: str = Field(
        min_length=1,
        max_length=MOST,
        pattern=r"^[^\r\n]+$",
        description="As it was set by `lpm peer protect`.",
        repr=False,
    )


class ReachOut(BaseModel):
    """Whether and where others reach this node."""

    on: bool
    everywhere: bool
    state: ReachName
    addresses: list[str] = Field(description="Where it listens, as multiaddrs.")
    locked: bool = Field(
        description=(
            "The keys wait for their passphrase: until it is typed, nothing can be signed from the"
            " screen."
        )
    )


class WordsIn(Sent):
    """The six words that you read to each other."""

    words: list[str] = Field(
        min_length=1, max_length=12, description="As they stand at the contact."
    )
    same: bool = Field(description="Both have them. Otherwise: not compared.")


class PeerQuestionIn(Sent):
    """A question to a contact's second self."""

    question: Text = Field(min_length=1, max_length=4000)
    grant: str = Field(
        default="",
        max_length=100,
        description="Under which of their grants; empty: the one that holds longest.",
    )


class ByPeerQuestion(BaseModel):
    """Which question to which contact."""

    id: str = Field(max_length=100)
    question: str = Field(max_length=100)


class PeerQuestionOut(BaseModel):
    """What was asked, and what came back: a stranger's text, which nobody here checked."""

    id: str
    contact: str
    question: str
    purpose: str
    grant: str
    state: OutboxStateName
    made_at: datetime
    until: datetime
    tries: int
    next_try: datetime | None = Field(description="When it is tried again, while it waits.")
    code: str = Field(
        description=(
            "Why they refused; while it waits, why the last try brought no answer. Empty then: they"
            " were not reached."
        )
    )
    answer: str
    abstained: bool = Field(description="They have nothing to say about it.")
    quotes: list[str] = Field(description="Sentences of theirs that the answer rests on.")
    kept: str | None = Field(description="The document that you made of it.")


class PeerQuestionList(BaseModel):
    """Questions to a contact, newest first."""

    items: list[PeerQuestionOut]
    next_cursor: str | None = None


class ContactPatch(Sent):
    """What the person says of somebody. Nothing of it goes out."""

    name: Text | None = Field(default=None, max_length=80)
    notes: Text | None = Field(default=None, max_length=4000)


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


class InboxQuery(Page):
    """Which messages that came in."""

    contact: str | None = Field(default=None, max_length=100)
    waiting: bool = Field(default=False, description="Only what waits for your word, oldest first.")


class DraftRowOut(BaseModel):
    """A row of a document, as it stands."""

    document: str
    title: str
    text: str
    start: int
    end: int


class DraftSourceOut(DraftRowOut):
    """A row that was read for a draft."""

    cited: bool = Field(
        description=(
            "Its words rest on it; the others were read for it, and may have told it something."
        )
    )


class HeldBackOut(DraftRowOut):
    """A row that belongs to the question and stays here."""

    reason: ReasonName


class DraftOut(BaseModel):
    """An answer as it would leave."""

    id: str
    made_at: datetime
    text: str = Field(
        description="Word for word as it would leave; for passages, one after the other."
    )
    abstained: bool
    form: FormName | None
    own: bool = Field(description="You wrote it yourself.")
    editable: bool
    bytes: int
    sources: list[DraftSourceOut]
    held_back: list[HeldBackOut]


class ApproveIn(Sent):
    """What shall leave."""

    draft: str | None = Field(
        default=None,
        max_length=40,
        description="Id of the draft that you read: exactly this leaves, and nothing without it.",
    )
    text: Text | None = Field(
        default=None,
        max_length=65_536,
        description="Your own words in place of the draft's; with `draft`.",
    )

    @model_validator(mode="before")
    @classmethod
    def _may_be_nothing(cls, body: object) -> object:
        """Take a request without a body for one that names nothing."""
        return {} if body is None else body


class RequestOut(BaseModel):
    """A message that came in. What it says is a stranger's text."""

    id: str
    contact: str | None
    name: str
    verb: str
    words: str = Field(description="What they ask, word for word; empty once it was forgotten.")
    purpose: str
    grant: str | None
    grant_words: str = Field(description="What you wrote for yourself when you gave the grant.")
    state: InboxStateName
    came_at: datetime
    until: datetime
    decided_at: datetime | None
    answered_at: datetime | None
    answer: str = Field(description="What was answered, where it was text.")
    code: str = Field(description="Why it was refused.")
    draft: DraftOut | None = Field(
        default=None,
        description=(
            "The answer as it would leave; null until `POST /api/inbox/{id}/draft` made it."
        ),
    )


class InboxList(BaseModel):
    """Messages that came in."""

    items: list[RequestOut]
    next_cursor: str | None = None
    waiting: int = Field(description="How many wait for your word.")


class PeerEntry(BaseModel):
    """An entry of the audit about another node."""

    number: int
    at: datetime
    kind: str
    contact: str | None
    name: str
    facts: dict[str, Any]


class NetworkOut(BaseModel):
    """What left this machine: kinds and bytes, never words."""

    sent: list[SentOut] = Field(description="By day, newest first.")
    bytes: int = Field(description="All that left for contacts.")
    elsewhere: int = Field(
        description="Bytes that left for others: models that are served elsewhere."
    )
    hosts: list[str]
    outbox: list[MessageOut] = Field(description="The newest messages of your own.")
    entries: list[PeerEntry] = Field(description="The newest decisions about other nodes.")


class ContactWhole(ContactOut):
    """A contact with what was exchanged."""

    peer: str
    addresses: list[str] = Field(description="Where their node was found last.")
    next_name: str = Field(
        description="What they call themselves under the identity that theirs goes on with."
    )
    grants: list[GrantOut]
    sent: list[SentOut]
    inbox: list[RequestOut]
    outbox: list[MessageOut]
