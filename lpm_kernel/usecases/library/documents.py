"""Looking after documents: change, delete, read a stretch of the text, say where a passage
stands.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.chat.recall import Recalled
from lpm_kernel.domain.home.jobs import Job, JobState, Lane
from lpm_kernel.domain.ids import DocumentId, JobId, is_thread
from lpm_kernel.domain.library.documents import (
    Chunk,
    Document,
    DocumentState,
    ParsedText,
    text_hash,
)
from lpm_kernel.domain.memory.sealing import seals
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.stores import Decisions, Documents, Files, Jobs
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.language.analysis import marks
from lpm_kernel.L0.text.chunks import chunks as cut
from lpm_kernel.usecases.library.ports import LibraryPorts

WINDOW = 20_000
"""Characters of a text that are handed out when nobody says how many."""
MOST_WINDOW = 200_000
AWAY_DAYS = 30
"""How long a document that was deleted can come back."""


@dataclass(frozen=True)
class PassagePlace:
    """Where a passage stands, computed when it is shown, so that it stays right after masking and
    reindexing.
    """

    document: Document | None
    source: str
    """``documents/<id>#L3-L9``, or ``memory/2026-11-21.md#L12`` for a file of the workspace: lines
    of the canonical text, from 1.
    """
    first_line: int
    last_line: int
    turn: str | None = None
    """The name of the turn of a conversation where it begins."""


@dataclass(frozen=True)
class TextWindow:
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

    def __init__(
        self,
        files: Files,
        documents: Documents,
        chat_of: Callable[[DocumentId], str | None] = lambda _: None,
        keep: int = 64,
    ) -> None:
        """``chat_of`` gives the chat that a thread is of."""
        self._files = files
        self._documents = documents
        self._chat_of = chat_of
        self._keep = keep
        self._lines: OrderedDict[tuple[str, str], NDArray[np.int64]] = OrderedDict()
        self._lock = Lock()

    def of(self, chunks: Iterable[Chunk]) -> list[PassagePlace]:
        """Return the place of each chunk; ``document`` is ``None`` where it was deleted
        meanwhile.
        """
        known: dict[DocumentId, Document | None] = {}
        return [
            self.span(known, chunk.document, chunk.text_version, chunk.start, chunk.end)
            for chunk in chunks
        ]

    def found(
        self, items: Iterable[Recalled], cited: Sequence[Citation] = ()
    ) -> list[PassagePlace]:
        """Return the place of each thing found: of what was told in a conversation the turn that is
        cited, else the one that answers best, for several may stand in one passage.
        """
        known: dict[DocumentId, Document | None] = {}
        first = {each.chunk: each.start for each in reversed(cited)}
        return [
            self.span(
                known,
                item.chunk.document,
                item.chunk.text_version,
                first.get(item.chunk.id, item.chunk.start + _told_at(item))
                if is_thread(item.chunk.document)
                else item.chunk.start,
                item.chunk.end,
            )
            for item in items
        ]

    def span(
        self,
        known: dict[DocumentId, Document | None],
        identifier: DocumentId,
        version: str,
        start: int,
        end: int,
    ) -> PassagePlace:
        """Return the place of one span; ``known`` spares asking for a document twice."""
        if identifier not in known:
            try:
                known[identifier] = self._documents.get(identifier)
            except NotFoundError:
                known[identifier] = None
        document = known[identifier]
        if document is None:
            return PassagePlace(None, f"documents/{identifier}", 0, 0)
        if is_thread(identifier) and (chat := self._chat_of(identifier)):
            turn = self._turn(document, start)
            source = f"conversations/{chat}#{turn}" if turn else f"conversations/{chat}"
            return PassagePlace(document, source, 0, 0, turn)
        starts = self._line_starts(document.sha256, version)
        first, last = (
            int(np.searchsorted(starts, position, side="right"))
            for position in (start, max(start, end - 1))
        )
        lines = f"#L{first}" if first == last else f"#L{first}-L{last}"
        file = (
            document.origin
            if document.origin and document.superseded_by is None
            else f"documents/{identifier}"
        )
        return PassagePlace(document, f"{file}{lines}", first, last)

    def _turn(self, document: Document, start: int) -> str | None:
        """Name the turn in which a place of a thread lies."""
        parsed = self._files.text(document.sha256, document.text_version or "")
        return next(
            (
                segment.turn
                for segment in (parsed.segments if parsed else ())
                if segment.start <= start < segment.end
            ),
            None,
        )

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


def _told_at(item: Recalled) -> int:
    """Return where the first of the lines begins that hold most of what matched."""
    text = item.chunk.text
    starts = line_starts(text).tolist()
    matched = Counter(bisect_right(starts, start) for start, _ in marks(text, item.forms))
    most = max(matched.values(), default=0)
    return min((starts[line - 1] for line, n in matched.items() if n == most), default=0)


def window(
    files: Files, documents: Documents, identifier: DocumentId, start: int | None, end: int | None
) -> TextWindow:
    """Return a stretch of a document's canonical text. Raises ``NotFoundError`` while it has
    none.
    """
    document = documents.get(identifier)
    parsed = files.text(document.sha256, document.text_version) if document.text_version else None
    if parsed is None:
        raise NotFoundError("text of the document", identifier)
    length = len(parsed.text)
    first = min(max(0, start or 0), length)
    last = min(length, first + MOST_WINDOW, first + WINDOW if end is None else max(first, end))
    return TextWindow(
        text=parsed.text[first:last],
        start=first,
        end=last,
        length=length,
        line=parsed.text.count("\n", 0, first) + 1,
        version=document.text_version or "",
        pages=_pages(parsed, first, last),
    )


def _pages(parsed: ParsedText, first: int, last: int) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        (s.page, s.start, s.end)
        for s in parsed.segments
        if s.page is not None and s.start < last and s.end > first
    )


def relabel(library: LibraryPorts, identifier: DocumentId, **changes: object) -> Document:
    """Change title, date, tags, folder or privacy, in the index and on the pages too. Another date
    or title is read into every passage, by a job.

    A tag that seals makes it private, unless the same change says that it is not.
    """
    documents = library.documents
    if "private" not in changes and isinstance(tags := changes.get("tags"), tuple):
        changes |= sealed_by(documents.get(identifier), tags, library.seal_tags)
    label(documents, library.decisions, library.index, library.clock, {identifier: changes})
    document = documents.get(identifier)
    if {"created_at", "title"} & set(changes) and document.state is DocumentState.READY:
        library.jobs.add("ingest", Lane.INGEST, identifier, library.clock.now())
    library.seal_pages([identifier])
    return document


def sealed_by(
    document: Document, tags: Sequence[str], seal_tags: Sequence[str]
) -> dict[str, object]:
    """Return what changes besides where these tags take the place of those that it has."""
    added = set(tags) - set(document.tags)
    return {"private": True} if not document.private and seals(added, seal_tags) else {}


def label(
    documents: Documents,
    decisions: Decisions,
    index: PassageIndex,
    clock: Clock,
    labels: Mapping[DocumentId, Mapping[str, object]],
) -> None:
    """Write the rows, then the index. Where ``private`` is named, what came in an archive follows
    it.

    What corrects a document is made private before it is; opened, each has to be by itself.
    """
    own = {
        identifier: {**wanted, "sealed_by_archive": False} if "private" in wanted else dict(wanted)
        for identifier, wanted in labels.items()
    }
    changes = own | _of_members(documents, own)
    sealed = [
        document_id for document_id, wanted in changes.items() if wanted.get("private") is True
    ]
    seal_corrections(documents, decisions, index, clock, sealed)
    documents.change_many(changes, clock.now())
    shown = [
        document_id for document_id, wanted in changes.items() if {"tags", "private"} & set(wanted)
    ]
    rows = (*documents.many(shown), *documents.many(shown, away=True))
    index.set_all_labels({document.id: (document.private, document.tags) for document in rows})


def _of_members(
    documents: Documents, labels: Mapping[DocumentId, Mapping[str, object]]
) -> dict[DocumentId, dict[str, object]]:
    """Return what changes for what came in an archive: it is sealed with it, and opens with it."""
    found: dict[DocumentId, dict[str, object]] = {}
    above = {
        document_id: bool(wanted["private"])
        for document_id, wanted in labels.items()
        if "private" in wanted
    }
    while above:
        below: dict[DocumentId, bool] = {}
        for member in documents.members(list(above)):
            if member.parent is None or member.id in labels or member.id in found:
                continue
            private = above[member.parent]
            if not member.private if private else member.sealed_by_archive:
                found[member.id] = {"private": private, "sealed_by_archive": private}
                below[member.id] = private
        above = below
    return found


def seal_corrections(
    documents: Documents,
    decisions: Decisions,
    index: PassageIndex,
    clock: Clock,
    identifiers: Sequence[DocumentId],
) -> None:
    """Make private what corrects these documents, put away or not, and what they said before, where
    they are files of the workspace.
    """
    earlier = [
        revision for document_id in identifiers for revision in documents.revisions(document_id)
    ]
    documents.change_many({document.id: {"private": True} for document in earlier}, clock.now())
    corrections = list(
        {
            decision.correction: None
            for known in decisions.about(identifiers, away=True).values()
            for decision in known
            if decision.correction
        }
    )
    documents.change_many(
        {document_id: {"private": True} for document_id in corrections}, clock.now()
    )
    index.set_all_labels(
        {
            document.id: (True, document.tags)
            for document in (*documents.many(corrections), *earlier)
        }
    )


def put_away(
    documents: Documents, index: PassageIndex, clock: Clock, identifiers: Sequence[DocumentId]
) -> list[DocumentId]:
    """Delete documents so that they can come back: the rows first, so that a crash in between
    leaves only what the worker takes out of the index.

    Returns those that were there. Vectors stay, since they cost most to make.
    """
    gone = documents.put_away(identifiers, clock.now())
    # the last edit may not have been read yet
    index.put_away(
        [
            *gone,
            *(earlier.id for document_id in gone for earlier in documents.revisions(document_id)),
        ]
    )
    return gone


def restore(
    files: Files, documents: Documents, clock: Clock, identifiers: Sequence[DocumentId]
) -> list[Job]:
    """Bring back what was put away, as it was: same id, tags, folder and privacy. The jobs that are
    returned put its passages where recall finds them.
    """
    with files.locked():  # nothing of it is being removed for good
        return documents.restore(identifiers, clock.now())


def goes_at(document: Document) -> datetime | None:
    """Return when a document that was put away goes for good."""
    return None if document.deleted_at is None else document.deleted_at + timedelta(days=AWAY_DAYS)


def clear_out(files: Files, documents: Documents, index: PassageIndex, clock: Clock) -> int:
    """Remove for good what was put away long ago. Returns how many documents went."""
    now = clock.now()
    late = documents.put_away_by(now - timedelta(days=AWAY_DAYS))
    for identifier in late:
        with files.locked():
            if documents.many([identifier], away=True):  # it has not come back meanwhile
                _remove(files, documents, index, identifier)
    return len(late)


def delete(files: Files, documents: Documents, index: PassageIndex, identifier: DocumentId) -> None:
    """Remove a document for good, put away or not."""
    with files.locked():
        _remove(files, documents, index, identifier)


def _remove(
    files: Files, documents: Documents, index: PassageIndex, identifier: DocumentId
) -> None:
    """Take out index, row, and then the file, which is swept away where no row has it; what was
    done before a crash can be done again.
    """
    for each in documents.revisions(identifier):
        _remove(files, documents, index, each.id)
    document = documents.get(identifier, away=True)
    parsed = files.text(document.sha256, document.text_version) if document.text_version else None
    made = (
        cut(document.id, document.text_version or "", parsed, document.created_at) if parsed else []
    )
    index.remove(identifier)
    index.drop_unused([text_hash(chunk.content) for chunk in made])
    documents.delete(identifier)
    if documents.by_hash(document.sha256) is None:
        files.drop(document.sha256)
        documents.removed([document.sha256])


def read_again(documents: Documents, jobs: Jobs, clock: Clock, job: JobId) -> Job:
    """Queue a job again; its document waits again."""
    known = jobs.get(job)
    if known.document is not None and documents.get(known.document).state is DocumentState.FAILED:
        documents.change(known.document, state=DocumentState.RECEIVED, error=None)
    return jobs.retry(job, clock.now())


def retry_failed(documents: Documents, jobs: Jobs, clock: Clock) -> list[Job]:
    """Queue again what failed and was not done since: the newest job of each document, and of each
    other kind of work.

    An archive that could not be taken in is not among it: the upload is gone.
    """
    seen: set[tuple[str, object]] = set()
    again: list[Job] = []
    cursor: str | None = None
    while True:
        page, cursor = jobs.page(limit=500, cursor=cursor)
        for job in page:
            about = (job.kind, job.document or repr(sorted(job.request.items())))
            if about not in seen and job.state is JobState.FAILED and job.kind != "import":
                again.append(job)
            seen.add(about)
        if cursor is None:
            there = {
                document.id
                for document in documents.many(
                    [job.document for job in again if job.document is not None]
                )
            }
            return [
                read_again(documents, jobs, clock, job.id)
                for job in reversed(again)
                if job.document is None or job.document in there
            ]


def reindex(documents: Documents, jobs: Jobs, clock: Clock) -> int:
    """Queue every document for reading again, and return how many. Used after ``index.db`` was
    deleted.
    """
    todo = documents.all()
    for document in todo:
        if document.state is DocumentState.FAILED:
            documents.change(document.id, state=DocumentState.RECEIVED, error=None)
        jobs.add("ingest", Lane.INGEST, document.id, clock.now())
    return len(todo)
