"""Questions to the memory, and what was found."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.library.document_schemas import AuthorOut, DocumentKindName, DocumentRef
from lpm_kernel.api.library.passage_schemas import AnchorOut
from lpm_kernel.api.schemas import MemoryKind, Sent
from lpm_kernel.L0.index.ranking import DECAY_RATE


class RecallIn(Sent):
    """A question to the memory."""

    query: str = Field(max_length=50_000)
    k: int = Field(default=25, ge=1, le=200)
    since: str | None = Field(default=None, description="A date, or a span such as `30d`, `2w`.")
    until: str | None = None
    as_of: datetime | None = Field(
        default=None,
        description=(
            "Look from this moment: what was said or written later, or nobody knows when, takes no"
            " part."
        ),
    )
    now: datetime | None = Field(
        default=None, description="When it is asked: what “yesterday” counts from."
    )
    kinds: list[MemoryKind] = Field(
        default=[],
        description=(
            "Kinds of memory: statements that were retained, `turn` for what you said in chats, or"
            " `passage` for what is neither."
        ),
    )
    entities: list[str] = Field(
        default=[],
        max_length=50,
        description="Said by one of these, or naming one of them: see `GET /api/recall/names`.",
    )
    tags: list[str] = Field(default=[], description="Of a document with one of these.")
    document_kinds: list[DocumentKindName] = Field(
        default=[], description="Of documents of these kinds."
    )
    folder: str = Field(
        default="",
        max_length=500,
        description="Of documents in this folder or below it; `/` for none.",
    )
    token_budget: int | None = Field(default=None, ge=1)
    explain: bool = Field(default=False, description="With signals, and with `marks`.")
    spread: bool = Field(
        default=False,
        description=(
            "Also what lies two edges away on the map from what the question names, each with its"
            " `path`, after what was found."
        ),
    )
    typing: bool = Field(
        default=False,
        description=(
            "It is being typed: the last word stands for all that begin with it, and answers come"
            " sooner."
        ),
    )
    rerank: bool = Field(
        default=False,
        description=(
            "Have the reader read the best 25 and rank them anew by what they answer, as a chat"
            " does; half a second slower. Without a reader the order stays."
        ),
    )
    ranking: Literal["learned", "decay"] = Field(
        default="learned",
        description=(
            "`decay`: 1/(1+distance) · (1 + 1/(1 + decay_rate·days)), mostly the newest first."
        ),
    )
    decay_rate: float = Field(
        default=DECAY_RATE, gt=0, le=10, description="How much a day counts with `decay`."
    )


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


class MarkOut(BaseModel):
    """A stretch of a text, in code points, end exclusive."""

    start: int
    end: int


class SaidInOut(BaseModel):
    """The chat in which the person said something."""

    conversation: str
    title: str
    turn: str | None = Field(description="The turn; null where it is not there any more.")


class ItemOut(BaseModel):
    """Something that was found."""

    id: str
    kind: MemoryKind = "passage"
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
    marks: list[MarkOut] = Field(
        default=[],
        description="Where matched words stand in `content`, in code points; with `explain`.",
    )
    speaker: str | None
    document: DocumentRef
    said_in: SaidInOut | None = Field(
        default=None, description="Of a `turn`: the chat in which the person said it."
    )
    start: int
    end: int
    page: int | None
    anchor: AnchorOut | None = None
    author: AuthorOut | None = Field(
        default=None, description="Whose words these are, where that shows; with `explain`."
    )
    turn: str | None = Field(description="The id that a transcript gave to this turn.")
    corrects: bool = Field(
        default=False,
        description=(
            "It is your correction of something else that was found, which stands after it."
        ),
    )
    path: list[str] = Field(
        default=[], description="How it was reached over the map, by slugs; with `spread`."
    )
    lately: bool = Field(
        default=False,
        description=(
            "In a chat: it was not looked for; you told it lately in another chat, and the model"
            " was given it along with what was found."
        ),
    )
    struck: bool = Field(
        default=False,
        description=(
            "Something in it was corrected, or is to be forgotten, and left out of `content`."
        ),
    )


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
    kind: MemoryKind = Field(
        default="passage",
        description=(
            "What it rests on: `passage`, `world` and `experience` were observed, an `opinion` is"
            " believed, an `observation` sums up, a `turn` was said by the person in a chat."
        ),
    )
    confidence: float | None = Field(
        default=None, description="Of an opinion that says how sure it is, 0..1."
    )
    source: str
    quote: str
    author: AuthorOut | None = Field(
        default=None, description="Whose words these are, where the document shows it."
    )
    said_at: datetime | None = Field(
        default=None, description="When they were written or said, where that is known."
    )
    document: str
    title: str
    said_in: SaidInOut | None = Field(
        default=None, description="Of a `turn`: the chat in which the person said it."
    )
    start: int
    end: int
    page: int | None
    anchor: AnchorOut | None = None
    struck: bool = Field(
        default=False,
        description=(
            "The person mended or forgot these words since: the answer may not hold any more."
        ),
    )
