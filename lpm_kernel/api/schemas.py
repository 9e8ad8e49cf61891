"""Bodies, queries and answers. What a client sends may hold no unknown field; what it gets may grow."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True)]


class Sent(BaseModel):
    """Something that a client sends."""

    model_config = ConfigDict(extra="forbid")


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

    type: str = "about:blank"
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
    kind: Literal["text", "markdown", "pdf", "transcript"]
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


class DocumentList(BaseModel):
    """A page of documents."""

    items: list[DocumentOut]
    next_cursor: str | None = None


class DocumentQuery(Page):
    """Which documents."""

    state: Literal["received", "ready", "failed"] | None = None
    q: str = Field(default="", max_length=200)


class DocumentIn(Sent):
    """A pasted text."""

    text: str
    title: str | None = None
    created_at: datetime | None = None
    tags: list[str] = []
    private: bool = False


class DocumentPatch(Sent):
    """What may be changed of a document."""

    title: str | None = None
    tags: list[str] | None = None
    private: bool | None = None
    created_at: datetime | None = None


class Added(BaseModel):
    """What became of a document that was handed over."""

    document: DocumentOut
    job: JobOut | None


class PageSpan(BaseModel):
    """A page of a document and where it lies in the text."""

    page: int
    start: int
    end: int


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
    as_of: datetime | None = None
    kinds: list[str] = []
    entities: list[str] = []
    tags: list[str] = []
    token_budget: int | None = Field(default=None, ge=1)
    explain: bool = False


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
    speaker: str | None
    document: DocumentRef
    start: int
    end: int
    page: int | None
    turn: str | None = Field(description="The id that a transcript gave to this turn.")


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


class PartOut(BaseModel):
    """A stretch of an answer with one origin."""

    kind: Literal["statement", "quotation", "note"]
    text: str
    citations: list[int]


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


class ConversationOut(BaseModel):
    """A chat."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    turns: int


class ConversationWhole(ConversationOut):
    """A chat with its turns."""

    items: list[TurnOut]


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


class IdentityIO(Sent):
    """Who the node is the second self of."""

    name: Text = Field(min_length=1, max_length=200)
    introduction: str = Field(default="", max_length=4000)
    style: str = Field(default="", max_length=4000)
    languages: list[str] = Field(default=[], max_length=20)


class IdentityOut(BaseModel):
    """Who the node is the second self of; the name is empty until somebody gave one."""

    name: str
    introduction: str
    style: str
    languages: list[str]


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
    """A model that can be chosen."""

    id: str
    kind: Literal["bundled", "file", "endpoint", "scripted"]
    name: str
    active: bool
    detail: str


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
