"""Reading a document: parse, sanitise, cut, embed, index. Each step can be done twice and a killed
one is taken up again.

The order is what makes it safe: the text is kept under its parser version, vectors are kept as they
are made, the index takes the whole document in one transaction, and only then the document is
called ready.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.jobs import Job, JobState, Lane, Progress
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import (
    Chunk,
    Document,
    DocumentKind,
    DocumentState,
    ParsedText,
    Problem,
    SelfDescription,
    text_hash,
)
from lpm_kernel.domain.library.passages import Embedded, Indexed
from lpm_kernel.domain.memory.pages import own_lines
from lpm_kernel.domain.memory.sealing import seals, tags_within
from lpm_kernel.domain.ports import Clock, Embedder, PassageIndex, TokenEmbedder
from lpm_kernel.domain.stores import Documents, Files, Jobs, Reader
from lpm_kernel.errors import (
    EmbedderUnavailableError,
    EmptyDocumentError,
    InvalidInputError,
    NotFoundError,
)
from lpm_kernel.L0.language.analysis import passages as analyse
from lpm_kernel.L0.text.chunks import chunks as cut
from lpm_kernel.L0.text.digest import digest
from lpm_kernel.L0.text.masking import sanitise
from lpm_kernel.usecases.library.documents import AWAY_DAYS
from lpm_kernel.usecases.library.file_names import day_in_name, default_title
from lpm_kernel.usecases.library.intake import NewDocument, Received, receive
from lpm_kernel.usecases.library.ports import LibraryPorts
from lpm_kernel.usecases.library.succession import text_of
from lpm_kernel.usecases.library.unpacking import unpack
from lpm_kernel.usecases.models.egress import may_embed

BATCH = 64
"""Chunks that are embedded, and then kept, together."""
EMBEDDED = 4000
"""Characters of a passage that are embedded; sentence models read less, and a whole book in one
turn must not be sent.
"""


def ingest(
    library: LibraryPorts, embedder: Embedder | None, identifier: DocumentId, progress: Progress
) -> str:
    """Read one document and return a sentence that says what came of it.

    A document that cannot be read is marked as failed with the reason, and the error goes on to the
    caller.
    """
    documents = library.documents
    document = documents.get(identifier)
    if document.superseded_by is not None:
        return "It reads otherwise by now."

    def look() -> None:
        """Leave a long reading when the job was cancelled meanwhile."""
        progress(0.0, "parse", "Reading")

    try:
        look()
        parsed = (
            _unpacked(library, document, progress)
            if document.kind is DocumentKind.ARCHIVE
            else canonical_text(library.files, library.reader, document, look)
        )
        earlier = _unread_since(documents, document)
        document = _with_what_it_says(library, document, parsed, earlier)
        progress(0.1, "chunk", "Cutting into passages")
        made = cut(document.id, library.reader.version, parsed, document.created_at)
        if not made and not parsed.kept_only and not any(own_lines(parsed.text)):
            raise EmptyDocumentError(document.name)
        allowed = _allowed(embedder, document)
        embedded = _embedded(library.index, allowed, made, progress)
        progress(0.95, "index", "Putting it where recall can find it")
        if not is_thread(document.id):  # a chat states nothing for good before it is kept
            library.inherit(document, parsed, earlier)
            library.remember(document, parsed)
        _put(library, document, parsed, made, embedded)
    except InvalidInputError as error:
        _give_place_back(library, document)
        documents.change(document.id, state=DocumentState.FAILED, error=Problem.of(error))
        raise
    except NotFoundError:  # deleted while it was being read: what was made of it meanwhile goes too
        _clear(library, document)
        raise
    if parsed.kept_only:
        return " ".join(parsed.remarks)
    if embedded is not None:
        how = ""
    elif allowed is embedder:
        how = " Found by words alone until the embedder answers."
    else:
        how = " Private: found by words alone."
    return " ".join((f"{counted(len(made), 'passage')}.{how}", *parsed.remarks))


def _unread_since(documents: Documents, document: Document) -> list[Document]:
    """Return the older versions of a document that is read for the first time, oldest first."""
    first = document.text_version is None and document.version > 1
    return documents.revisions(document.id) if first else []


def _give_place_back(library: LibraryPorts, document: Document) -> None:
    """Let the version before one that cannot be read go on, and have that one stand by itself."""
    earlier = _unread_since(library.documents, document)
    if earlier and earlier[-1].state is not DocumentState.FAILED:
        library.documents.part(document.id, library.clock.now(), failed=True)


def _allowed(embedder: Embedder | None, document: Document) -> Embedder | None:
    """Give the embedder where it may read the document."""
    if embedder is None or not may_embed(embedder, private=document.private):
        return None
    return embedder


def _clear(library: LibraryPorts, gone: Document) -> None:
    """Remove what was made of a document that is not there any more."""
    library.index.put_away([gone.id])
    remove_ordered(library.files, library.documents)
    with library.files.locked():
        if library.documents.by_hash(gone.sha256) is None:
            library.files.drop_text(gone.sha256, library.reader.version)


def canonical_text(
    files: Files, reader: Reader, document: Document, look: Callable[[], None] = lambda: None
) -> ParsedText:
    """Return the sanitised text of this parser version, made now if it was not made before; what
    ``look`` raises ends that.
    """
    parsed = files.text(document.sha256, reader.version)
    if parsed is None or parsed.kept_only:  # what reads a picture may have been installed since
        parsed = sanitise(
            reader.read(document.name, document.kind, files.original(document.sha256), look)
        )
        files.keep_text(document.sha256, reader.version, parsed)
    return parsed


def _unpacked(library: LibraryPorts, document: Document, progress: Progress) -> ParsedText:
    """Take the files out of an archive, once: those that the person deleted since do not come back
    when it is read again.
    """

    def take_as_it_is(new: NewDocument) -> Received:
        """Take a member in, private where the archive is by now."""
        private = library.documents.get(document.id).private
        return receive(library, replace(new, private=private))

    files, reader = library.files, library.reader
    before = files.text(document.sha256, document.text_version) if document.text_version else None
    parsed = before or unpack(files, reader, document, take_as_it_is, progress)
    files.keep_text(document.sha256, reader.version, parsed)
    return parsed


def reconcile(
    documents: Documents,
    jobs: Jobs,
    index: PassageIndex,
    embedder: Embedder | None,
    reader: Reader,
    clock: Clock,
) -> int:
    """Hold the index against the documents and queue what is missing. Returns how many jobs were
    queued.

    Finds: documents received but never queued, an index that was deleted or is older than a
    document's text, vectors of another embedder, rows of documents that are gone. What was
    cancelled stays so.
    """
    there = index.indexed()
    known = documents.everything()
    everything = list(filter(_is_current, known))
    _label_anew(index, everything)
    away = [document for document in known if document.deleted_at is not None]
    latest = jobs.latest_for(
        [document.id for document in everything if document.state is DocumentState.RECEIVED]
    )
    lacking = [
        document.id
        for document in everything
        if document.state is not DocumentState.FAILED
        and not _was_cancelled(latest.get(document.id))
        and (
            document.state is DocumentState.RECEIVED
            or not _is_whole(document, there.get(document.id), embedder, reader.version)
        )
    ]
    for identifier in lacking:
        jobs.add("ingest", Lane.INGEST, identifier, clock.now())
    index.put_away([document.id for document in away if document.id in there])
    for gone in set(there) - {document.id for document in (*everything, *away)}:
        index.remove(gone)
    return len(lacking)


def _is_current(document: Document) -> bool:
    return document.deleted_at is None and document.superseded_by is None


def _was_cancelled(job: Job | None) -> bool:
    return job is not None and job.state is JobState.CANCELLED


def _is_whole(
    document: Document, indexed: Indexed | None, embedder: Embedder | None, version: str
) -> bool:
    """Tell whether the index holds the text of this version, with the vectors that it may have."""
    if indexed is None or document.text_version != version:
        return False
    if indexed.chunks and indexed.text_version != version:
        return False
    allowed = _allowed(embedder, document)
    return allowed is None or indexed.vectors.get(allowed.id, 0) == indexed.chunks


def read_again(files: Files, documents: Documents, jobs: Jobs, reader: Reader, clock: Clock) -> int:
    """Queue what was read and whose text is not there, or not all of it. Returns how many."""
    there = files.listing()
    queued = 0
    for document in documents.all():
        known = there.get(document.sha256, {})
        endings = (f".{reader.version}.txt", f".{reader.version}.json")
        whole = (
            all(ending in known and known[ending].is_file() for ending in endings)
            and known[endings[1]].stat().st_size
        )
        if (
            document.state is DocumentState.READY
            and document.text_version == reader.version
            and "" in known
            and not whole
        ):
            jobs.add("ingest", Lane.INGEST, document.id, clock.now())
            queued += 1
    return queued


def _label_anew(index: PassageIndex, everything: Sequence[Document]) -> None:
    """Mend labels of the index that do not say what the rows say: a process died in between."""
    said = {labels.document: (labels.private, labels.tags) for labels in index.labels()}
    wanted = {
        document.id: (document.private, document.tags)
        for document in everything
        if document.id in said
    }
    wrong = {
        identifier: (private, tags)
        for identifier, (private, tags) in wanted.items()
        if said[identifier] != (private, frozenset(tags))
    }
    if wrong:
        index.set_all_labels(wrong)


def _put(
    library: LibraryPorts,
    document: Document,
    parsed: ParsedText,
    made: Sequence[Chunk],
    embedded: Embedded | None,
) -> None:
    """Index the document as the person has it now, and call it ready; what they change meanwhile
    counts too.
    """
    documents, index, version = library.documents, library.index, library.reader.version
    while True:
        passages = analyse(made, document.title)
        index.put(
            document.id,
            passages,
            private=document.private,
            tags=document.tags,
            created_at=document.created_at,
            embedded=embedded,
        )
        about = digest(passages)
        now = documents.change(
            document.id,
            state=DocumentState.READY,
            error=None,
            text_version=version,
            keywords=about.keywords,
            summary=about.summary,
        )
        if (now.private, now.tags, now.created_at, now.title) == (
            document.private,
            document.tags,
            document.created_at,
            document.title,
        ):
            earlier = [each.id for each in documents.revisions(document.id)]
            index.put_away([*earlier, *([document.id] if now.superseded_by else [])])
            return
        document = now
        made = cut(document.id, version, parsed, document.created_at)


def sweep_files(files: Files, documents: Documents, clock: Clock) -> None:
    """Remove the files that are to go, and put those aside that no document has otherwise; they go
    when a deleted document would.

    Not while an erasure is under way: it reads them to find what quotes them, and removes them
    itself.
    """
    remove_ordered(files, documents)
    with files.locked():
        if unknown := files.kept() - documents.hashes():
            files.put_aside(unknown, clock.now())
    files.drop_aside(clock.now() - timedelta(days=AWAY_DAYS))


def remove_ordered(files: Files, documents: Documents) -> None:
    """Remove the files whose removal is on record, and that no document has again; a killed process
    is gone on from here.
    """
    with files.locked():
        if ordered := documents.removals():
            files.drop_all(ordered)
            documents.removed(ordered)


def _with_what_it_says(
    library: LibraryPorts, document: Document, parsed: ParsedText, earlier: Sequence[Document]
) -> Document:
    """Take over title, date, tags and privacy that the document itself gives, where the person gave
    none; a tag in the midst of a note seals it, too. What the ``earlier`` version said already
    counts no more: the person may have taken it away.
    """
    before = next(filter(None, (text_of(library.files, each) for each in earlier[::-1])), None)
    known = set() if before is None else {*before.tags, *_within(document, before)}
    tags = tuple(tag for tag in parsed.tags if tag not in known)
    within = (tag for tag in _within(document, parsed) if tag not in known)
    said = SelfDescription(
        title=parsed.title[:300] if parsed.title else None,
        created_at=parsed.created_at or day_in_name(document.name),
        tags=tags,
        private=parsed.private and not (before is not None and before.private),
        sealed=seals((*tags, *within), library.seal_tags),
    )
    return library.documents.fill_in(document.id, default_title(document.name), said)


def _within(document: Document, parsed: ParsedText) -> Sequence[str]:
    """Return the tags in the midst of a note."""
    notes = {DocumentKind.MARKDOWN, DocumentKind.TEXT}
    return tuple(tags_within(parsed.text)) if document.kind in notes else ()


def _embedded(
    index: PassageIndex, embedder: Embedder | None, made: Sequence[Chunk], progress: Progress
) -> Embedded | None:
    """Embed what was not embedded before, keeping each batch at once so that a killed job goes on
    where it stood; the index keeps a single one.
    """
    if embedder is None or not made:
        return None
    places: dict[str, list[int]] = {}
    for at, chunk in enumerate(made):
        places.setdefault(text_hash(chunk.content), []).append(at)
    distinct = list(places)
    matrix: NDArray[np.float32] | None = None
    try:
        name = embedder.id
        for start in range(0, len(distinct), BATCH):
            batch = distinct[start : start + BATCH]
            vectors = index.cached_vectors(batch, name)
            todo = [each for each in batch if each not in vectors]
            if todo:
                texts = [made[places[each][0]].content[:EMBEDDED] for each in todo]
                fresh = (
                    embedder.embed_tokens(texts)
                    if isinstance(embedder, TokenEmbedder)
                    else Embedded(name, embedder.embed(texts))
                )
                if len(todo) == len(made):
                    return fresh
                index.cache_vectors(todo, fresh)
                vectors.update(zip(todo, fresh.vectors, strict=True))
            for each in batch:
                if matrix is None:
                    matrix = np.empty((len(made), len(vectors[each])), np.float32)
                matrix[places[each]] = vectors[each]
            done = min(start + BATCH, len(distinct))
            progress(
                0.2 + 0.75 * done / len(distinct), "embed", f"{done} of {len(distinct)} passages"
            )
    except EmbedderUnavailableError:
        return None
    return None if matrix is None else Embedded(name, matrix)
