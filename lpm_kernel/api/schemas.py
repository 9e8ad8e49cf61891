"""Bodies, queries and answers. What a client sends may hold no unknown field; what it gets may grow."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from lpm_kernel.api.problems import ABOUT_BLANK, TYPES

Text = Annotated[str, StringConstraints(strip_whitespace=True)]
Stretch = Annotated[list[int], Field(min_length=2, max_length=2)]
"""Where something begins and ends in a text, in code points, end exclusive."""


class Sent(BaseModel):
    """Something that a client sends."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_written_in_whole_characters(cls, body: object) -> object:
        """Refuse half of a surrogate pair, which JSON can carry and no database can keep."""
        try:
            json.dumps(body, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError as error:
            message = "There is half a character in it."
            raise ValueError(message) from error
        return body


class Page(Sent):
    """Which page of a list."""

    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = Field(default=None, max_length=400)


class ById(BaseModel):
    """The id in the path."""

    id: str = Field(max_length=100)


class ProblemOut(BaseModel):
    """What went wrong, what is safe, what you can do."""

    title: str
    detail: str
    hint: str = ""


class HttpProblem(ProblemOut):
    """An error as `application/problem+json`."""

    type: str = Field(
        default=ABOUT_BLANK, description="Which problem it is, for a program; a later release may know more of them.", json_schema_extra={"enum": list(TYPES)}
    )
    status: int


class JobOut(BaseModel):
    """Background work."""

    id: str
    kind: str
    state: Literal["queued", "running", "succeeded", "failed", "cancelled"]
    progress: float
    step: str
    message: str
    error: ProblemOut | None
    created_at: datetime
    ended_at: datetime | None
    document: str | None
    result: dict[str, Any] | None = Field(default=None, description="What came of it in figures, where a sentence does not say it all; only for the owner.")


class JobList(BaseModel):
    """A page of jobs."""

    items: list[JobOut]
    next_cursor: str | None = None


class JobQuery(Page):
    """Which jobs."""

    state: str = Field(default="", description="States separated by commas, for example `queued,running`.")


class SummarySentence(BaseModel):
    """A sentence of the document itself that says much of what it is about, and where it stands."""

    text: str
    start: int
    end: int


class DocumentOut(BaseModel):
    """A document."""

    id: str
    title: str
    name: str
    kind: Literal["text", "markdown", "pdf", "transcript", "table", "mail", "html", "docx", "archive", "image", "audio"]
    sha256: str
    bytes: int
    state: Literal["received", "ready", "failed"]
    created_at: datetime | None
    added_at: datetime
    tags: list[str]
    private: bool
    error: ProblemOut | None
    passages: int
    job: str | None
    keywords: list[str]
    summary: list[SummarySentence]
    parent: str | None = Field(default=None, description="The archive that it came in.")
    folder: str = Field(default="", description="Where it lies in the library, as `letters/2024`.")
    deleted_at: datetime | None = Field(default=None, description="When it was deleted; only in the list of what can come back.")
    goes_at: datetime | None = Field(default=None, description="When it goes for good.")
    remarks: list[str] = Field(default=[], description="What was left out or not read, in sentences; with one document, not in lists.")


class DocumentList(BaseModel):
    """A page of documents."""

    items: list[DocumentOut]
    next_cursor: str | None = None


Kind = Literal["text", "markdown", "pdf", "transcript", "table", "mail", "html", "docx", "archive", "image", "audio"]


class DocumentFilter(Sent):
    """Which documents. What is left out does not narrow anything."""

    q: str = Field(default="", max_length=200, description="Stands in the title or in the file name.")
    kind: list[Kind] = Field(default=[], max_length=20)
    state: list[Literal["received", "ready", "failed"]] = Field(default=[], max_length=5)
    tag: list[str] = Field(default=[], max_length=20, description="All of them.")
    folder: str = Field(default="", max_length=500, description="This one and what lies below it; `/` for what lies in none.")
    private: bool | None = None
    since: str | None = Field(default=None, max_length=100, description="When it was written: a date, or a span such as `30d`.")
    until: str | None = Field(default=None, max_length=100)
    parent: str = Field(default="", max_length=100, description="The archive that it came in.")
    deleted: bool = Field(default=False, description="Those that were deleted and can still come back, instead of those that are there; only for the owner.")


class DocumentQuery(DocumentFilter, Page):
    """Which documents, in what order."""

    sort: Literal["added", "created", "title", "size"] = Field(default="added", description="Of those that were deleted, `added` means when.")
    order: Literal["asc", "desc"] = "desc"
    offset: int = Field(default=0, ge=0, le=10_000_000, description="How many to pass over, for showing a place in a long list at once.")
    sentences: bool = Field(default=False, description="With the first sentence of each summary.")


class DocumentCounts(BaseModel):
    """How many documents a filter finds. Kinds, states, folders and privacy are each counted as if nothing were chosen there."""

    total: int
    bytes: int
    private: int
    kinds: dict[str, int]
    states: dict[str, int]
    tags: dict[str, int]
    folders: dict[str, int]


class DocumentIn(Sent):
    """A pasted text."""

    text: str
    title: str | None = None
    created_at: datetime | None = None
    tags: list[str] = []
    private: bool = False
    folder: str = Field(default="", max_length=500)


class DocumentPatch(Sent):
    """What may be changed of a document."""

    title: str | None = None
    tags: list[str] | None = None
    private: bool | None = None
    created_at: datetime | None = None
    folder: str | None = Field(default=None, max_length=500)


class LabelsBefore(Sent):
    """What was set on a document before a change of many."""

    id: str = Field(max_length=100)
    tags: list[str]
    folder: str = Field(max_length=500)
    private: bool


class BulkIn(Sent):
    """What is to be done to many documents: named by `ids`, or found by `filter`. Labels, `delete`, `restore`, `retry` and `put_back` are each done alone."""

    ids: list[str] | None = Field(default=None, max_length=20_000)
    filter: DocumentFilter | None = None
    add_tags: list[str] = []
    remove_tags: list[str] = []
    folder: str | None = Field(default=None, max_length=500)
    private: bool | None = None
    delete: bool = False
    restore: bool = False
    retry: bool = Field(default=False, description="Read again what could not be read.")
    put_back: list[LabelsBefore] | None = Field(default=None, max_length=20_000, description="What a change answered as `before`: labels become as they were.")


class BulkOut(BaseModel):
    """What was done: to which documents, and how their labels were before."""

    done: int
    ids: list[str]
    before: list[LabelsBefore]


class Added(BaseModel):
    """What became of a document that was handed over."""

    document: DocumentOut
    job: JobOut | None


class AnchorOut(BaseModel):
    """A place in a document as its reader would say it; counts from 1, rows as a spreadsheet does."""

    kind: Literal["page", "paragraph", "row", "message", "turn"]
    n: int


class PageSpan(BaseModel):
    """A page of a document and where it lies in the text."""

    page: int
    start: int
    end: int


class PageOut(BaseModel):
    """A page that can be drawn, its size in its own measure, and where it lies in the text."""

    page: int
    width: float
    height: float
    start: int | None
    end: int | None


class PageList(BaseModel):
    """The pages of a document."""

    items: list[PageOut]


class PagePath(ById):
    """A page of a document, counted from 1."""

    page: int = Field(ge=1, le=1_000_000)


class PictureQuery(Sent):
    """How wide."""

    width: int = Field(default=800, ge=40, le=2400, description="Pixels; a very long page comes smaller, a small picture as it is.")


class SpanQuery(Sent):
    """Which stretch of the text."""

    start: int = Field(ge=0, le=2**53)
    end: int = Field(ge=0, le=2**53)


class BoxOut(BaseModel):
    """A rectangle on a page, as shares of its width and height from the top left."""

    left: float
    top: float
    right: float
    bottom: float


class PlacesOut(BaseModel):
    """Where a stretch stands on a page; empty where it could not be found there."""

    page: int
    boxes: list[BoxOut]


class TextOut(BaseModel):
    """A stretch of canonical text; offsets count code points."""

    text: str
    start: int
    end: int
    length: int
    line: int
    version: str
    pages: list[PageSpan]


class TextQuery(Sent):
    """Which stretch of the text."""

    start: int | None = Field(default=None, ge=0)
    end: int | None = Field(default=None, ge=0)


class PassageOut(BaseModel):
    """A passage of a document."""

    id: str
    start: int
    end: int
    text: str
    speaker: str | None
    said_at: datetime | None
    page: int | None
    anchor: AnchorOut | None = None
    source: str


class PassageList(BaseModel):
    """A page of passages, in the order of the text."""

    items: list[PassageOut]
    next_cursor: str | None = None


class RecallIn(Sent):
    """A question to the memory."""

    query: str = Field(max_length=50_000)
    k: int = Field(default=25, ge=1, le=200)
    since: str | None = Field(default=None, description="A date, or a span such as `30d`, `2w`.")
    until: str | None = None
    as_of: datetime | None = Field(default=None, description="Look from this moment: what was said or written later, or nobody knows when, takes no part.")
    kinds: list[str] = Field(default=[], description="Kinds of memory. Now there is `passage`.")
    entities: list[str] = Field(default=[], max_length=50, description="Said by one of these, or naming one of them: see `GET /api/recall/names`.")
    tags: list[str] = Field(default=[], description="Of a document with one of these.")
    document_kinds: list[Kind] = Field(default=[], description="Of documents of these kinds.")
    folder: str = Field(default="", max_length=500, description="Of documents in this folder or below it; `/` for none.")
    token_budget: int | None = Field(default=None, ge=1)
    explain: bool = Field(default=False, description="With signals, and with `marks`.")
    typing: bool = Field(default=False, description="It is being typed: the last word stands for all that begin with it, and answers come sooner.")


class NameQuery(Sent):
    """Which names."""

    q: str = Field(default="", max_length=200, description="How the name, or a part of it, begins.")
    limit: int = Field(default=20, ge=1, le=200)


class NameOut(BaseModel):
    """Somebody or something that passages name, or were said by."""

    name: str
    passages: int
    speaks: bool


class NameList(BaseModel):
    """Names, most frequent first."""

    items: list[NameOut]


class SignalsOut(BaseModel):
    """What each signal gave to the score."""

    words: float
    meaning: float
    time: float
    entity: float
    neighbours: float
    form: float


class DocumentRef(BaseModel):
    """The document that a passage stands in."""

    id: str
    title: str
    kind: str
    private: bool


class MarkOut(BaseModel):
    """A stretch of a text, in code points, end exclusive."""

    start: int
    end: int


class ItemOut(BaseModel):
    """Something that was found."""

    id: str
    kind: Literal["passage"] = "passage"
    content: str
    timestamp: datetime | None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    entities: list[str]
    confidence: float | None = None
    source: str
    score: float
    signals: SignalsOut | None
    matched: list[str]
    marks: list[MarkOut] = Field(default=[], description="Where matched words stand in `content`, in code points; with `explain`.")
    speaker: str | None
    document: DocumentRef
    start: int
    end: int
    page: int | None
    anchor: AnchorOut | None = None
    turn: str | None = Field(description="The id that a transcript gave to this turn.")
    corrects: bool = Field(default=False, description="It is your correction of something else that was found, which stands after it.")
    struck: bool = Field(default=False, description="Something in it was corrected, or is to be forgotten, and left out of `content`.")


class RecallOut(BaseModel):
    """What was found."""

    items: list[ItemOut]
    tokens: int
    level: str
    considered: int
    answerable: float


class CitationOut(BaseModel):
    """Where a sentence comes from."""

    n: int
    id: str
    source: str
    quote: str
    document: str
    title: str
    start: int
    end: int
    page: int | None
    anchor: AnchorOut | None = None


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
    start: int
    end: int
    decision: DecisionOut | None
    kind: Literal["world", "experience", "opinion", "observation", "passage"] = Field(description="What was retained in so many words has a kind of its own.")
    entities: list[str]
    confidence: float | None


class FindingList(BaseModel):
    """A page of findings."""

    items: list[FindingOut]
    next_cursor: str | None = None
    total: int = Field(description="How many there are on all pages together.")


class FindingQuery(Page):
    """Which findings: those to decide about, or those that were decided."""

    decided: bool = False


class VerdictIn(Sent):
    """Keep it; mend it, with `content` saying how it reads rightly; or forget it: no answer rests on it any more."""

    decision: Literal["keep", "mend", "forget"]
    content: str = Field(default="", max_length=2000)


class FindingIn(VerdictIn):
    """A decision about any stretch of a document."""

    document: str = Field(max_length=100)
    start: int = Field(ge=0, le=1_000_000_000)
    end: int = Field(ge=0, le=1_000_000_000)


class PartOut(BaseModel):
    """A stretch of an answer with one origin."""

    kind: Literal["statement", "quotation", "note"]
    text: str
    citations: list[int]


class JudgementOut(BaseModel):
    """What the person says of an answer."""

    verdict: Literal["right", "wrong", "better"]
    better: str = Field(description="The better wording; empty unless one was given.")
    at: datetime


class TurnOut(BaseModel):
    """What one side said."""

    id: str
    role: Literal["user", "assistant"]
    text: str
    state: Literal["done", "stopped", "failed"]
    created_at: datetime
    parts: list[PartOut]
    citations: list[CitationOut]
    evidence: list[ItemOut]
    model: str | None
    abstained: bool
    problem: ProblemOut | None
    answers: str | None = Field(default=None, description="The turn that this one answers.")
    variants: list[str] = Field(default=[], description="All answers to the same turn, oldest first, this one among them.")
    verdict: JudgementOut | None = None


class BranchedOut(BaseModel):
    """Where a chat was taken up and led another way."""

    conversation: str
    turn: str
    title: str | None = Field(description="Of the chat that it was branched from; null when that one is gone or put away.")


class SnippetOut(BaseModel):
    """What was found of a chat. Spans count code points, end exclusive."""

    text: str
    spans: list[Stretch]
    turn: str | None = Field(description="Who said it; null where the title matches.")


class ConversationOut(BaseModel):
    """A chat."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    turns: int
    branched_from: BranchedOut | None = None
    deleted_at: datetime | None = None
    snippet: SnippetOut | None = Field(default=None, description="Where chats were searched: what was found.")


class BranchOut(BaseModel):
    """A chat that was branched from this one."""

    conversation: str
    turn: str = Field(description="The question from which on it differs.")
    title: str


class ConversationWhole(ConversationOut):
    """A chat with its turns."""

    items: list[TurnOut]
    before: str | None = Field(default=None, description="Where `limit` was given and there are earlier turns: send it as `before` to have them.")
    branches: list[BranchOut] = []


class ConversationQuery(Page):
    """Which chats."""

    q: str = Field(default="", max_length=200, description="Words that stand in the title or in what was said.")
    deleted: bool = Field(default=False, description="Those that were deleted and can still be brought back.")


class TurnsQuery(Sent):
    """Which turns of a chat."""

    limit: int | None = Field(default=None, ge=1, le=500, description="The last so many; without it all.")
    before: str | None = Field(default=None, max_length=100, description="Only those before this turn.")


class ByTurn(BaseModel):
    """The ids in the path."""

    id: str = Field(max_length=100)
    turn: str = Field(max_length=100)


class BranchIn(Sent):
    """The question from which on a new chat is to differ."""

    turn: str = Field(max_length=100)


class TurnPatch(Sent):
    """Which of several answers is shown."""

    shown: Literal[True]


class JudgementIn(Sent):
    """What the person says of an answer."""

    verdict: Literal["right", "wrong", "better"]
    better: str = Field(default="", description="The better wording.")


class ConversationList(BaseModel):
    """A page of chats."""

    items: list[ConversationOut]
    next_cursor: str | None = None


class ConversationIn(Sent):
    """A new chat."""

    title: str = Field(default="", max_length=300)


class ConversationPatch(Sent):
    """Another title."""

    title: Text = Field(min_length=1, max_length=300)


class TurnIn(Sent):
    """What the person says."""

    text: str
    client_id: str | None = Field(default=None, pattern=r"^[A-Za-z0-9-]{8,36}$", description="Chosen by the caller: the same one twice is one turn.")


class EnhanceIn(Sent):
    """A request to an expert elsewhere."""

    request: str
    strike: list[str] = Field(default=[], max_length=100, description="Ids of facts that shall not be said.")


class FactOut(BaseModel):
    """A sentence of the person that was added, and where it stands."""

    id: str
    text: str
    source: str
    document: str
    title: str
    start: int
    end: int
    timestamp: datetime | None
    why: str


class EnhanceOut(BaseModel):
    """The request made complete, and what was added to it."""

    request: str
    facts: list[FactOut]


class CritiqueIn(Sent):
    """A request, and the reply of an expert to it."""

    request: str
    reply: str


class PointOut(BaseModel):
    """One thing that was wanted, and what the reply does with it."""

    kind: Literal["met", "missed", "against", "unknown"]
    text: str
    reply_span: Stretch | None = Field(description="Where that shows in the reply, in code points, end exclusive.")
    want: str
    source: FactOut | None = Field(description="Where the want stands in memory; null where it stands in the request.")


class CritiqueOut(BaseModel):
    """A reply held against a request."""

    verdict: Literal["met", "partly", "missed", "against", "unknown"]
    points: list[PointOut]


class IdentityIO(Sent):
    """Who the node is the second self of."""

    name: Text = Field(min_length=1, max_length=200)
    introduction: str = Field(default="", max_length=4000)
    style: str = Field(default="", max_length=4000)
    languages: list[str] = Field(default=[], max_length=20, description="Codes such as `en` and `ja`; the first is spoken where a question shows no language.")
    values: str = Field(default="", max_length=4000, description="What matters to the person.")
    length: Literal["short", "normal", "full"] = Field(default="normal", description="How long answers are; `normal` leaves it to `style`.")
    manner: Literal["usual", "plain", "warm", "formal"] = Field(default="usual", description="How the node speaks; `usual` leaves it to `style`.")


class IdentityOut(BaseModel):
    """Who the node is the second self of; the name is empty until somebody gave one."""

    name: str
    introduction: str
    style: str
    languages: list[str]
    values: str
    length: Literal["short", "normal", "full"]
    manner: Literal["usual", "plain", "warm", "formal"]


class PreviewIn(Sent):
    """A question, and the person to whom it would be answered."""

    identity: IdentityIO
    question: Text = Field(min_length=1, max_length=2000)


class PreviewOut(BaseModel):
    """How the node would say it."""

    parts: list[PartOut]


class QuestionsQuery(Sent):
    """How many questions."""

    limit: int = Field(default=3, ge=1, le=12)


class QuestionOut(BaseModel):
    """A question that has an answer here, and where that stands."""

    question: str
    document: str
    title: str
    start: int
    end: int


class QuestionList(BaseModel):
    """Questions to begin with."""

    items: list[QuestionOut]
    next_cursor: str | None = None


class SampleOut(BaseModel):
    """The sample life, in a node of its own."""

    state: Literal["absent", "stopped", "starting", "running"]
    address: str | None = Field(description="Where it answers, once it runs.")
    home: str = Field(description="The folder that it has to itself.")


class SampleLink(BaseModel):
    """A link that works once."""

    link: str


class SettingsIO(Sent):
    """How the screen looks and listens."""

    language: Literal["system", "en", "ja"] = "system"
    theme: Literal["system", "light", "dark"] = "system"
    single_keys: bool = True


class PartState(BaseModel):
    """How a part of the node is."""

    id: str
    state: Literal["ready", "starting", "down"]
    sentence: str


class Left(BaseModel):
    """What left this machine."""

    bytes: int
    sentence: str


class StatusOut(BaseModel):
    """The node at a glance."""

    version: str
    name: str
    intro: str
    named: bool
    documents: int
    chunks: int
    address: str
    level: str
    model: PartState
    embedder: PartState
    jobs_running: int
    left: Left


class CheckOut(BaseModel):
    """One check of the doctor."""

    id: str
    state: Literal["fine", "look", "broken"]
    sentence: str
    command: str


class HealthOut(BaseModel):
    """What the doctor found."""

    checks: list[CheckOut]
    checked_at: datetime


class ModelOut(BaseModel):
    """A model that can be chosen, or fetched."""

    id: str
    kind: Literal["bundled", "file", "endpoint", "scripted", "catalogue"]
    name: str
    active: bool
    detail: str
    purpose: Literal["chat", "embedding"] = "chat"
    licence: str = ""
    url: str = Field(default="", description="Where it would be fetched from.")
    bytes: int = Field(default=0, description="Of a file its size; of the catalogue about how much is to be fetched.")
    fetched: int = Field(default=0, description="How much lies there from a download that is not finished.")
    job: str | None = Field(default=None, description="The download that is under way, or that did not end well.")


class ModelList(BaseModel):
    """Models that can be chosen."""

    items: list[ModelOut]
    next_cursor: str | None = None


class ModelChoice(Sent):
    """A model: the bundled one, a GGUF file, or an OpenAI-compatible endpoint."""

    kind: Literal["bundled", "file", "endpoint"]
    path: str | None = Field(default=None, max_length=4000)
    url: str | None = Field(default=None, max_length=2000)
    key: str | None = Field(default=None, max_length=1000)
    model: str | None = Field(default=None, max_length=300)


class ProbeOut(BaseModel):
    """What a probe learned, in words."""

    ok: bool
    sentence: str
    context_window: int | None
    words_per_second: float | None


class DownloadIn(Sent):
    """Where to fetch a model from, when it is not in the catalogue."""

    url: str | None = Field(default=None, max_length=2000)
    consent: bool = Field(default=False, description="The person knows that it is a stranger's work.")


class JobStarted(BaseModel):
    """Background work that was begun."""

    job: JobOut


class EmbedderChoice(Sent):
    """What turns texts into vectors: the bundled model, a GGUF file, an OpenAI-compatible endpoint, or nothing."""

    kind: Literal["bundled", "hashing", "none", "file", "endpoint"]
    path: str | None = Field(default=None, max_length=4000)
    url: str | None = Field(default=None, max_length=2000)
    key: str | None = Field(default=None, max_length=1000)
    model: str | None = Field(default=None, max_length=300)
    consent: bool = Field(default=False, description="The person knows that texts and questions go to another machine.")


class EmbedderTried(BaseModel):
    """What a probe learned, in words."""

    ok: bool
    sentence: str
    id: str
    dimension: int
    sentences_per_second: float | None
    model: str
    elsewhere: bool = Field(description="Texts would leave this machine.")


class EmbedderOut(BaseModel):
    """An embedder that can be chosen."""

    id: str
    kind: Literal["bundled", "hashing", "none", "file", "endpoint"]
    name: str
    active: bool
    detail: str
    passages: int = Field(description="How many passages have a vector of it.")


class EmbedderList(BaseModel):
    """Embedders that can be chosen, and the one that is being brought in."""

    items: list[EmbedderOut]
    next_cursor: str | None = None
    passages: int = Field(description="How many passages there are.")
    wanted: str | None = Field(description="The name of the embedder that everything is being embedded with, or was to be.")
    job: JobOut | None


class EmbedderStarted(JobStarted):
    """What the probe said, and the work that embeds everything anew."""

    tried: EmbedderTried


class JobsRetried(BaseModel):
    """The jobs that were queued again."""

    items: list[JobOut]
    next_cursor: str | None = None


class KeyIn(Sent):
    """A key for another program."""

    name: Text = Field(min_length=1, max_length=100)
    scopes: list[Literal["chat", "recall", "write", "admin"]] = Field(min_length=1)


class KeyOut(BaseModel):
    """A key, without its secret."""

    id: str
    name: str
    scopes: list[str]
    created_at: datetime


class KeyMade(KeyOut):
    """A new key; the secret is shown this once."""

    key: str


class KeyList(BaseModel):
    """All keys."""

    items: list[KeyOut]
    next_cursor: str | None = None


class ByToken(BaseModel):
    """The token in the path."""

    token: str = Field(max_length=200)


class Queued(BaseModel):
    """Work that was queued."""

    job: JobOut


class ErasureIn(Sent):
    """What is to be erased."""

    documents: list[str] = Field(default=[], max_length=10_000)
    conversations: list[str] = Field(default=[], max_length=10_000)
    everything: bool = Field(default=False, description="All documents and all conversations, whatever else is named.")


class SizeOut(BaseModel):
    """What one kind of thing takes up."""

    id: Literal["originals", "texts", "memory", "index", "models", "backups", "archives", "logs", "other"]
    bytes: int
    files: int


class SizesOut(BaseModel):
    """What the home takes up, and what is free on its disk. A file that two places share counts once, where it was first."""

    items: list[SizeOut]
    bytes: int
    free: int
    home: str


class Named(BaseModel):
    """A document by id and title."""

    id: str
    title: str


class ShareOut(BaseModel):
    """What goes from one place, or what stays in one that is out of reach."""

    place: str = Field(description="What goes: originals, texts, index, conversations, turns, backups, exports. What stays: handed_out, elsewhere, git, disk.")
    count: int
    bytes: int
    sentence: str


class ErasureOut(BaseModel):
    """What would go, and the token that makes it go."""

    erasure: str
    token: str
    expires_at: datetime
    documents: list[Named]
    conversations: list[str]
    goes: list[ShareOut]
    stays: list[ShareOut]


class AuditEntry(BaseModel):
    """One thing that happened, chained to the one before by its hash."""

    number: int
    at: datetime
    kind: str
    facts: dict[str, Any]
    previous: str
    hash: str


class BreakOut(BaseModel):
    """The first place where the chain does not hold."""

    number: int
    sentence: str


class AuditList(BaseModel):
    """A page of the audit chain."""

    items: list[AuditEntry]
    next_cursor: str | None = None
    verified: bool | None = None
    broken: BreakOut | None = None


class AuditQuery(Page):
    """Which entries, and whether the chain is walked."""

    verify: bool = False


class BackupOut(BaseModel):
    """A backup."""

    id: str
    at: datetime
    label: str = Field(description="scheduled, asked or before-restore")
    documents: int
    bytes: int


class BackupList(BaseModel):
    """The backups, and the folder in which they lie."""

    items: list[BackupOut]
    folder: str


class ExportIn(Sent):
    """What goes into an archive."""

    private: bool = True
    conversations: bool = True


class ExportRef(BaseModel):
    """An archive that is being made."""

    id: str


class ExportQueued(Queued):
    """An archive that is being made, and the job that makes it."""

    export: ExportRef


class ExportOut(BaseModel):
    """An archive that lies ready."""

    id: str
    bytes: int
    made_at: datetime


class ExportList(BaseModel):
    """Archives that lie ready."""

    items: list[ExportOut]


class VerificationIn(Sent):
    """Whether what can be made again is made again."""

    repair: bool = False


class ChatMessageIn(BaseModel):
    """One message of an OpenAI chat."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[dict[str, Any]] | None = None
    name: str | None = None


class StreamOptions(Sent):
    """What a streamed answer has besides."""

    include_usage: bool = False


class ChatIn(BaseModel):
    """`POST /v1/chat/completions` as in the OpenAI API. What the node cannot honour is refused, never ignored."""

    model_config = ConfigDict(extra="forbid")

    model: str
    messages: list[ChatMessageIn] = Field(min_length=1)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    n: int | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    response_format: dict[str, Any] | None = None
    tools: list[Any] | None = None
    tool_choice: Any | None = None
    parallel_tool_calls: bool | None = None
    functions: list[Any] | None = None
    function_call: Any | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    logit_bias: dict[str, float] | None = None
    user: str | None = None
    store: bool | None = None
    metadata: dict[str, Any] | None = None


class EmbeddingsIn(BaseModel):
    """`POST /v1/embeddings` as in the OpenAI API."""

    model_config = ConfigDict(extra="forbid")

    model: str
    input: str | list[str]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str | None = None
