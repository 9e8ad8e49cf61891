"""Looking after documents: change, delete, read a stretch of the text, say where a passage stands."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.documents import Chunk, Document, DocumentState, ParsedText
from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.jobs import Job, Lane
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.stores import Documents, Files, Jobs
from lpm_kernel.errors import NotFoundError

WINDOW = 20_000
"""Characters of a text that are handed out when nobody says how many."""
MOST_WINDOW = 200_000


@dataclass(frozen=True)
class Place:
    """Where a passage stands, computed when it is shown, so that it stays right after masking and reindexing."""

    document: Document | None
    source: str
    """``documents/<id>#L3-L9``: lines of the canonical text, from 1."""
    first_line: int
    last_line: int


@dataclass(frozen=True)
class Window:
    """A stretch of canonical text; ``start`` and ``end`` count code points."""

    text: str = field(repr=False)
    start: int
    end: int
    length: int
    line: int
    version: str
    pages: tuple[tuple[int, int, int], ...]
    """(page, start, end) of the pages that the stretch touches."""


class Places:
    """Turns spans into lines. Keeps the line starts of the texts used last."""

    def __init__(self, files: Files, documents: Documents, keep: int = 64) -> None:
        self._files = files
        self._documents = documents
        self._keep = keep
        self._lines: OrderedDict[tuple[str, str], NDArray[np.int64]] = OrderedDict()
        self._lock = Lock()

    def of(self, chunks: Iterable[Chunk]) -> list[Place]:
        """Return the place of each chunk; ``document`` is ``None`` where it was deleted meanwhile."""
        known: dict[DocumentId, Document | None] = {}
        return [self.span(known, chunk.document, chunk.text_version, chunk.start, chunk.end) for chunk in chunks]

    def span(self, known: dict[DocumentId, Document | None], identifier: DocumentId, version: str, start: int, end: int) -> Place:
        """Return the place of one span; ``known`` spares asking for a document twice."""
        if identifier not in known:
            try:
                known[identifier] = self._documents.get(identifier)
            except NotFoundError:
                known[identifier] = None
        document = known[identifier]
        if document is None:
            return Place(None, f"documents/{identifier}", 0, 0)
        starts = self._line_starts(document.sha256, version)
        first, last = (int(np.searchsorted(starts, position, side="right")) for position in (start, max(start, end - 1)))
        lines = f"#L{first}" if first == last else f"#L{first}-L{last}"
        return Place(document, f"documents/{identifier}{lines}", first, last)

    def _line_starts(self, sha256: str, version: str) -> NDArray[np.int64]:
        key = (sha256, version)
        with self._lock:
            if key in self._lines:
                self._lines.move_to_end(key)
                return self._lines[key]
        parsed = self._files.text(sha256, version)
        starts = line_starts(parsed.text if parsed else "")
        with self._lock:
            self._lines[key] = starts
            while len(self._lines) > self._keep:
                self._lines.popitem(last=False)
        return starts


def line_starts(text: str) -> NDArray[np.int64]:
    r"""Return the code point at which each line begins, shape (lines,).

    >>> line_starts("a\nbc\n").tolist()
    [0, 2, 5]
    """
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    return np.concatenate(([0], np.flatnonzero(codes == ord("\n")) + 1)).astype(np.int64)


def window(files: Files, documents: Documents, identifier: DocumentId, start: int | None, end: int | None) -> Window:
    """Return a stretch of a document's canonical text. Raises ``NotFoundError`` while it has none."""
    document = documents.get(identifier)
    parsed = files.text(document.sha256, document.text_version) if document.text_version else None
    if parsed is None:
        raise NotFoundError("text of the document", identifier)
    length = len(parsed.text)
    first = min(max(0, start or 0), length)
    last = min(length, first + MOST_WINDOW, first + WINDOW if end is None else max(first, end))
    return Window(
        text=parsed.text[first:last],
        start=first,
        end=last,
        length=length,
        line=parsed.text.count("\n", 0, first) + 1,
        version=document.text_version or "",
        pages=_pages(parsed, first, last),
    )


def _pages(parsed: ParsedText, first: int, last: int) -> tuple[tuple[int, int, int], ...]:
    return tuple((s.page, s.start, s.end) for s in parsed.segments if s.page is not None and s.start < last and s.end > first)


def relabel(documents: Documents, jobs: Jobs, index: PassageIndex, clock: Clock, identifier: DocumentId, **changes: object) -> Document:
    """Change title, date, tags or privacy, in the index too. Another date is read into every passage, by a job."""
    document = documents.change(identifier, **changes)
    if {"tags", "private"} & set(changes):
        index.set_labels(identifier, private=document.private, tags=document.tags)
    if "created_at" in changes and document.state is DocumentState.READY:
        jobs.add("ingest", Lane.INGEST, identifier, clock.now())
    return document


def delete(files: Files, documents: Documents, index: PassageIndex, identifier: DocumentId) -> None:
    """Delete a document: the row first, so that a crash in between leaves only what the worker sweeps away."""
    with files.locked():
        document = documents.delete(identifier)
        files.drop(document.sha256)
    index.remove(identifier)


def read_again(documents: Documents, jobs: Jobs, clock: Clock, job: JobId) -> Job:
    """Queue a job again; its document waits again."""
    known = jobs.get(job)
    if known.document is not None and documents.get(known.document).state is DocumentState.FAILED:
        documents.change(known.document, state=DocumentState.RECEIVED, error=None)
    return jobs.retry(job, clock.now())


def reindex(documents: Documents, jobs: Jobs, clock: Clock) -> int:
    """Queue every document for reading again, and return how many. Used after ``index.db`` was deleted."""
    todo = documents.all()
    for document in todo:
        if document.state is DocumentState.FAILED:
            documents.change(document.id, state=DocumentState.RECEIVED, error=None)
        jobs.add("ingest", Lane.INGEST, document.id, clock.now())
    return len(todo)
