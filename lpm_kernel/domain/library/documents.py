"""What came in: documents, their canonical text, and the chunks that recall finds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Self

from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.errors import NodeError


class DocumentState(StrEnum):
    """How far a document has come."""

    RECEIVED = "received"
    READY = "ready"
    FAILED = "failed"


class DocumentKind(StrEnum):
    """How the original is read."""

    TEXT = "text"
    MARKDOWN = "markdown"
    PDF = "pdf"
    TRANSCRIPT = "transcript"
    """A conversation, turn by turn: JSON lines, LINE, WhatsApp, ChatGPT."""
    TABLE = "table"
    """Rows with headings: CSV, JSON."""
    MAIL = "mail"
    """One message, or a box of them."""
    HTML = "html"
    DOCX = "docx"
    ARCHIVE = "archive"
    """A zip: each file in it becomes a document of its own."""
    IMAGE = "image"
    AUDIO = "audio"


class AnchorKind(StrEnum):
    """What a place in a document is counted in."""

    PAGE = "page"
    PARAGRAPH = "paragraph"
    ROW = "row"
    MESSAGE = "message"
    TURN = "turn"


@dataclass(frozen=True)
class Anchor:
    """A place in a document as its reader would say it: page 2, row 14, message 3. Counts from
    1.
    """

    kind: AnchorKind
    n: int

    def __str__(self) -> str:
        return f"{self.kind.value} {self.n}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read back what ``str`` wrote.

        >>> str(Anchor.read("row 14"))
        'row 14'
        """
        kind, _, number = text.partition(" ")
        return cls(AnchorKind(kind), int(number))


@dataclass(frozen=True)
class Problem:
    """What went wrong, what is safe and what the person can do. Never holds a memory's text."""

    title: str
    detail: str
    hint: str = ""

    @classmethod
    def of(cls, error: NodeError) -> Problem:
        """Return the three sentences of an error."""
        return cls(error.title, error.detail, error.hint)


@dataclass(frozen=True)
class Document:
    """One original as it came in, and what is known of it without reading it."""

    id: DocumentId
    title: str = field(repr=False)
    kind: DocumentKind
    sha256: str
    bytes: int
    state: DocumentState
    added_at: datetime
    created_at: datetime | None = None
    """When the thing itself was written, where that is known."""
    name: str = field(default="", repr=False)
    """The file name that it came with, for choosing a parser and showing it; never used as a
    path.
    """
    tags: tuple[str, ...] = ()
    private: bool = False
    error: Problem | None = None
    text_version: str | None = None
    """Which parser made the canonical text that is being served."""
    keywords: tuple[str, ...] = field(default=(), repr=False)
    summary: tuple[tuple[int, int], ...] = ()
    """Spans of the canonical text: the document's own sentences that say most of what it is
    about.
    """
    parent: DocumentId | None = None
    """The archive that it came in; that one may be deleted, and this one stays."""
    folder: str = field(default="", repr=False)
    """Where it lies in the library, as `letters/2024`: the path that it came by, or where the
    person put it.
    """
    deleted_at: datetime | None = None
    """When it was put away. It can come back for a while; until then nothing finds it."""
    origin: str = field(default="", repr=False)
    """The file of the workspace that it is, as ``memory/2026-11-21.md``; empty for what was handed
    in.
    """
    superseded_by: DocumentId | None = None
    """How it reads now: an older version. What cites this one still opens here; nothing else finds
    it.
    """
    version: int = 1
    """Its place in the order of the versions of one document; not their number, since one of them
    may have been erased.
    """
    path: str = field(default="", repr=False)
    """The file that it was when it was handed in, as ``letters/2024/a.md``; in an archive, with a
    slash before it, the path there. Empty for what came without one. Moving it in the library
    changes ``folder`` alone.
    """
    apart: bool = False
    """The person said that it is a document of its own, whatever else is called or reads so."""
    corrects: bool = False
    """It was made to put something right, and belongs to that decision alone: the same words
    elsewhere are another document.
    """
    sealed_by_archive: bool = False
    """It is private because the archive is that it came in, and opens with it."""


@dataclass(frozen=True)
class ThreadDocument:
    """What is known of a document that holds what was told in a thread of a chat."""

    sha256: str
    put_away: bool


@dataclass(frozen=True)
class Segment:
    """A stretch of canonical text that belongs together: a page, a turn, a section.

    ``start`` and ``end`` count code points in the canonical text, end exclusive.
    """

    start: int
    end: int
    page: int | None = None
    session: str | None = None
    speaker: str | None = field(default=None, repr=False)
    said_at: datetime | None = None
    turn: str | None = None
    whole: bool = False
    """True: this is one chunk and is never cut or joined (a turn of a transcript, a row of a
    table).
    """
    anchor: Anchor | None = None
    """Where it begins, for what has no pages. Paragraphs are counted on from there: an empty line
    parts two.
    """

    def anchor_at(self, text: str, position: int) -> Anchor | None:
        """Return the place of a position in this segment of ``text``."""
        if self.page is not None:
            return Anchor(AnchorKind.PAGE, self.page)
        if self.anchor is not None and self.anchor.kind is AnchorKind.PARAGRAPH:
            return Anchor(
                AnchorKind.PARAGRAPH, self.anchor.n + text.count("\n\n", self.start, position)
            )
        return self.anchor


@dataclass(frozen=True)
class ParsedText:
    """The canonical text of a document: sanitised, newline-normalised, with its segments in
    order.
    """

    text: str = field(repr=False)
    segments: tuple[Segment, ...]
    title: str | None = field(default=None, repr=False)
    created_at: datetime | None = None
    tags: tuple[str, ...] = ()
    private: bool = False
    remarks: tuple[str, ...] = ()
    """What was left out, in sentences for the person."""
    kept_only: bool = False
    """True: there is nothing to find by words here, and that is no failure (a picture that nothing
    reads, an archive).
    """


@dataclass(frozen=True)
class Member:
    """A file in an archive."""

    name: str = field(repr=False)
    """As the archive gives it; it may look like a path and is never used as one."""
    data: bytes = field(default=b"", repr=False)
    problem: str | None = None
    """Why it is left out, in a few words."""


BY_HAND = frozenset({DocumentKind.TEXT, DocumentKind.MARKDOWN, DocumentKind.AUDIO})
"""What people write or say themselves; of everything else it has to be shown."""
MACHINES = frozenset({"assistant", "system", "tool"})
"""What programs are called where conversations with a model are kept."""


@dataclass(frozen=True)
class Chunk:
    """A stretch of a document's canonical text, small enough to be cited whole."""

    id: ChunkId
    document: DocumentId
    text_version: str
    start: int
    end: int
    text: str = field(repr=False)
    session: str
    """Chunks of one session of one document are neighbours in the order of ``start``."""
    speaker: str | None = field(default=None, repr=False)
    said_at: datetime | None = None
    turn: str | None = None
    """The id under which a transcript named this turn."""
    page: int | None = None
    anchor: Anchor | None = None
    kind: StatementKind | None = None
    """What it tells of, where it is a statement that was retained; ``None``: a passage like any
    other.
    """
    about: tuple[str, ...] = field(default=(), repr=False)
    """Whom and what the statement names with ``@``."""
    confidence: float | None = None
    """0..1, of an opinion that says how sure it is."""

    @property
    def content(self) -> str:
        """The text with the name of who said it, as it is embedded and shown to a model."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text

    @property
    def by_machine(self) -> bool:
        """Said by a program, in a conversation with a model, and not by a person."""
        return (self.speaker or "").casefold() in MACHINES


@dataclass(frozen=True)
class Attribution:
    """Who wrote or said something, as far as its document shows it."""

    own: bool
    """The person whose second self this is."""
    name: str | None = field(default=None, repr=False)
    """How the document calls whoever else it is, where it does."""


def chunk_id(document: DocumentId, text_version: str, start: int, end: int) -> ChunkId:
    """Give a chunk a name that stays the same when the index is rebuilt.

    >>> chunk_id(DocumentId("d1"), "text-1", 0, 12) == chunk_id(DocumentId("d1"), "text-1", 0, 12)
    True
    """
    key = f"{document}|{text_version}|{start}|{end}"
    return ChunkId("c_" + hashlib.sha256(key.encode()).hexdigest()[:20])


@dataclass(frozen=True)
class SelfDescription:
    """What a document says of itself."""

    title: str | None = field(repr=False)
    created_at: datetime | None
    tags: tuple[str, ...] = field(repr=False)
    private: bool
    sealed: bool = False
    """A tag makes it private."""


def text_hash(text: str) -> str:
    """Hash a text (a chunk's content, a quotation) so that it can be recognised without being
    kept.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
