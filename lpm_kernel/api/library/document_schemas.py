"""Documents: what is known of them, and what may be done to many."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import JobOut, Page, ProblemOut, Sent


class AuthorOut(BaseModel):
    """Whose words stand at a place, as far as the document shows it."""

    own: bool = Field(description="The person's whose node this is.")
    name: str | None = Field(description="How the document calls whoever else it is.")


class SummarySentence(BaseModel):
    """A sentence of the document itself that says much of what it is about, and where it stands."""

    text: str
    start: int
    end: int
    author: AuthorOut | None = None


class DocumentRef(BaseModel):
    """The document that a passage stands in."""

    id: str
    title: str
    kind: str
    private: bool


DocumentKindName = Literal[
    "text",
    "markdown",
    "pdf",
    "transcript",
    "table",
    "mail",
    "html",
    "docx",
    "archive",
    "image",
    "audio",
]


class DocumentOut(BaseModel):
    """A document."""

    id: str
    title: str
    name: str
    kind: DocumentKindName
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
    deleted_at: datetime | None = Field(
        default=None, description="When it was deleted; only in the list of what can come back."
    )
    goes_at: datetime | None = Field(default=None, description="When it goes for good.")
    version: int = Field(default=1, description="Which of its versions this is, from 1.")
    versions: int = Field(default=1, description="How many there are.")
    superseded_by: str | None = Field(
        default=None, description="How it reads now, where this is an older version."
    )
    same_name: DocumentRef | None = Field(
        default=None,
        description=(
            "It came alone, and this one is called so: it may be a new version of it. Asked once;"
            " with one document, not in lists."
        ),
    )
    remarks: list[str] = Field(
        default=[],
        description="What was left out or not read, in sentences; with one document, not in lists.",
    )


class DocumentList(BaseModel):
    """A page of documents."""

    items: list[DocumentOut]
    next_cursor: str | None = None


class DocumentFilter(Sent):
    """Which documents. What is left out does not narrow anything."""

    q: str = Field(
        default="", max_length=200, description="Stands in the title or in the file name."
    )
    kind: list[DocumentKindName] = Field(default=[], max_length=20)
    state: list[Literal["received", "ready", "failed"]] = Field(default=[], max_length=5)
    tag: list[str] = Field(default=[], max_length=20, description="All of them.")
    folder: str = Field(
        default="",
        max_length=500,
        description="This one and what lies below it; `/` for what lies in none.",
    )
    private: bool | None = None
    since: str | None = Field(
        default=None,
        max_length=100,
        description="When it was written: a date, or a span such as `30d`.",
    )
    until: str | None = Field(default=None, max_length=100)
    parent: str = Field(default="", max_length=100, description="The archive that it came in.")
    made_by: Literal["person", "node", "anyone"] = Field(
        default="person",
        description=(
            "`person`: what came in. `node`: the pages that it writes. `anyone`: these, and"
            " corrections."
        ),
    )
    deleted: bool = Field(
        default=False,
        description=(
            "Those that were deleted and can still come back, instead of those that are there; only"
            " for the owner."
        ),
    )


class OneDocumentQuery(Sent):
    """Whether it may be one that was deleted."""

    deleted: bool = Field(
        default=False, description="Show it where it was deleted, too; for its owner alone."
    )


class DocumentQuery(DocumentFilter, Page):
    """Which documents, in what order."""

    sort: Literal["added", "created", "title", "size"] = Field(
        default="added", description="Of those that were deleted, `added` means when."
    )
    order: Literal["asc", "desc"] = "desc"
    offset: int = Field(
        default=0,
        ge=0,
        le=10_000_000,
        description="How many to pass over, for showing a place in a long list at once.",
    )
    sentences: bool = Field(default=False, description="With the first sentence of each summary.")


class DocumentCounts(BaseModel):
    """How many documents a filter finds. Kinds, states, folders and privacy are each counted as if
    nothing were chosen there.
    """

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
    tags: list[str] = Field(default=[])
    private: bool = False
    folder: str = Field(default="", max_length=500)
    version_of: str | None = Field(
        default=None, max_length=100, description="The document that it is a new version of."
    )


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
    """What is to be done to many documents: named by `ids`, or found by `filter`. Labels, `delete`,
    `restore`, `retry` and `put_back` are each done alone.
    """

    ids: list[str] | None = Field(default=None, max_length=20_000)
    filter: DocumentFilter | None = None
    add_tags: list[str] = Field(default=[])
    remove_tags: list[str] = Field(default=[])
    folder: str | None = Field(default=None, max_length=500)
    private: bool | None = None
    delete: bool = False
    restore: bool = False
    retry: bool = Field(default=False, description="Read again what could not be read.")
    put_back: list[LabelsBefore] | None = Field(
        default=None,
        max_length=20_000,
        description="What a change answered as `before`: labels become as they were.",
    )


class BulkOut(BaseModel):
    """What was done: to which documents, and how their labels were before."""

    done: int
    ids: list[str]
    before: list[LabelsBefore]


class Added(BaseModel):
    """What became of a document that was handed over."""

    document: DocumentOut
    job: JobOut | None
