"""Adding what a person has: bytes come in, are kept at once, and a job reads them later."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from lpm_kernel.config import SEAL_TAGS
from lpm_kernel.domain.home.jobs import Job, Lane
from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.library.documents import Document, DocumentState
from lpm_kernel.domain.library.listing import MOST_DEPTH, MOST_FOLDER, plain_folder
from lpm_kernel.domain.lines import plain_line
from lpm_kernel.domain.memory.sealing import seals
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Files, Reader
from lpm_kernel.errors import InvalidInputError, TooLargeError
from lpm_kernel.usecases.library.documents import relabel
from lpm_kernel.usecases.library.file_names import MOST_TITLE, default_title, plain_name
from lpm_kernel.usecases.library.ports import LibraryPorts
from lpm_kernel.usecases.library.succession import going_on, join, predecessor, was_private

MOST_TAGS = 50
MOST_TAG = 60
HEAD = 16_384
"""Bytes that tell the kind of a file."""


@dataclass(frozen=True)
class NewDocument:
    """What a person hands over."""

    name: str = field(repr=False)
    data: bytes = field(repr=False)
    title: str | None = field(default=None, repr=False)
    created_at: datetime | None = None
    tags: tuple[str, ...] = ()
    private: bool = False
    parent: DocumentId | None = None
    """The archive that it was taken out of."""
    folder: str = field(default="", repr=False)
    """The path that it came by, without its name."""
    path: str = field(default="", repr=False)
    """Which file it is (``file_names.file_path``): other bytes by the same path are a new version.
    """
    version_of: DocumentId | None = None
    """The document that it is a new version of, as the person says."""
    open_only: bool = False
    """Handed in by a program that does not see what is private, and makes no version of that."""


@dataclass(frozen=True)
class Received:
    """What became of it: a document, and the job that reads it unless these bytes were known."""

    document: Document
    job: Job | None
    arrived: Document
    """What it is where nobody knew these bytes."""
    before: DocumentId | None = None
    """The version whose place it took."""


def receive(library: LibraryPorts, new: NewDocument) -> Received:
    """Keep the bytes, record document and job. The same bytes twice are one document; one that
    failed is tried again, and one that was open is private where it is handed in as private now.
    Other bytes by the same path, or as the person says, are a new version.

    Raises ``TooLargeError``, ``EmptyDocumentError``, ``UnsupportedFileError``,
    ``InvalidInputError``, and ``NotFoundError`` for what it should be a version of.
    """
    if len(new.data) > library.most_bytes:
        raise TooLargeError(plain_name(new.name), len(new.data), library.most_bytes)
    with library.files.locked():
        arrived = arrive(library.files, library.reader, library.clock, new, library.seal_tags)
        received = _recorded(library, new, arrived)
    document = received.document
    if new.version_of is not None and received.before is None:
        named = library.documents.get(new.version_of)
        if document.id != (named.superseded_by or named.id):  # it came by itself before
            document = join(library, document, named)
    again = document.parent is not None and document.parent == new.parent
    sealed = arrived.private and not document.private and not again
    if sealed or (received.before is not None and arrived.private):  # older versions are too
        document = relabel(library, document.id, private=True)
    return replace(received, document=document)


def _recorded(library: LibraryPorts, new: NewDocument, arrived: Document) -> Received:
    """Record what arrived: as what it was known for, as a new version, or as a new document."""
    documents = library.documents
    before = predecessor(documents, arrived, new.version_of, open_only=new.open_only)
    known = before.document if before is not None and before.unchanged else None
    if known is None and new.version_of is not None:
        known = _current_of_these_bytes(library, arrived)
    if before is None and was_private(documents, arrived):
        arrived = replace(arrived, private=True)
    if before is None or known is not None:
        document, job = documents.receive(
            arrived, "ingest", Lane.INGEST, new_job_id(), known.id if known else None
        )
        if arrived.path and not document.path and _is_same_file(document, arrived):
            document = documents.change(document.id, path=arrived.path)
        return Received(document, job, arrived)
    document, job, _ = documents.supersede(
        going_on(library.files, before.document, arrived),
        "ingest",
        Lane.INGEST,
        new_job_id(),
        before.document.id,
    )
    return Received(document, job, arrived, before.document.id)


def _current_of_these_bytes(library: LibraryPorts, arrived: Document) -> Document | None:
    """Return the document that reads as what arrived, if it is there and could be a version."""
    known = library.documents.by_hash(arrived.sha256)
    if known is None or known.superseded_by is not None or known.deleted_at is not None:
        return None
    return None if known.origin or known.corrects else known


def _is_same_file(known: Document, arrived: Document) -> bool:
    """Tell whether what came alone before came by its path now."""
    return known.name == arrived.name and known.parent is None and arrived.parent is None


def new_job_id() -> JobId:
    """Return an id that no job has."""
    return JobId("j_" + secrets.token_hex(8))


def arrive(
    files: Files,
    reader: Reader,
    clock: Clock,
    new: NewDocument,
    seal_tags: Sequence[str] = SEAL_TAGS,
) -> Document:
    """Keep the bytes, and return the document that is to be recorded before the lock on the files
    is let go.

    Raises ``EmptyDocumentError``, ``UnsupportedFileError``, ``InvalidInputError``.
    """
    name = plain_name(new.name)
    kind = reader.kind(name, new.data[:HEAD])
    title = checked_title(new.title) if new.title is not None else default_title(name)
    tags = checked_tags(new.tags)
    return Document(
        id=DocumentId("d_" + secrets.token_hex(8)),
        title=title,
        name=name,
        kind=kind,
        sha256=files.keep(new.data),
        bytes=len(new.data),
        state=DocumentState.RECEIVED,
        added_at=clock.now(),
        created_at=new.created_at,
        tags=tags,
        private=new.private or (new.parent is None and seals(tags, seal_tags)),
        parent=new.parent,
        sealed_by_archive=new.private and new.parent is not None,
        folder=plain_folder(new.folder),
        path=new.path,
    )


def pasted(text: str, title: str | None, now: datetime) -> tuple[str, bytes]:
    """Make name and bytes of a pasted text."""
    if not text.strip():
        raise InvalidInputError("The text is empty.", "Write or paste something first.")
    first = text.strip().splitlines()[0][:60] if title is None else title
    safe = "".join(
        character if character.isalnum() or character in " -_" else " " for character in first
    )
    return f"{' '.join(safe.split()) or f'{now:%Y-%m-%d %H.%M}'}.md", text.encode(
        "utf-8", "replace"
    )


def checked_title(title: str) -> str:
    """Return a usable title. Raises ``InvalidInputError``."""
    title = " ".join(title.split())
    if not title or len(title) > MOST_TITLE:
        raise InvalidInputError(
            f"A title has between 1 and {MOST_TITLE} characters.", "Shorten it, or leave it out."
        )
    return title


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags without repeats. Raises ``InvalidInputError``."""
    clean = tuple(dict.fromkeys(filter(None, map(plain_line, tags))))
    if len(clean) > MOST_TAGS or any(len(tag) > MOST_TAG for tag in clean):
        raise InvalidInputError(
            f"There can be {MOST_TAGS} tags of up to {MOST_TAG} characters.", "Leave some out."
        )
    return clean


def checked_folder(folder: str) -> str:
    """Return a usable folder; an empty one is none. Raises ``InvalidInputError``."""
    clean = plain_folder(folder)
    parts = [part for part in folder.replace("\\", "/").split("/") if part.strip()]
    if len(folder) > MOST_FOLDER or len(parts) > MOST_DEPTH:
        raise InvalidInputError(
            f"A folder has up to {MOST_FOLDER} characters and lies at most {MOST_DEPTH} deep.",
            "Shorten it, or leave it out.",
        )
    return clean


def folder_of(path: Path, given: Sequence[Path]) -> str:
    """Return where a file lies below the folder that was handed over, that folder's own name first;
    nothing for a file by itself.

    >>> (folder_of(Path("old/letters/2024/a.md"), [Path("old/letters")]),
    ...  folder_of(Path("a.md"), [Path("a.md")]))
    ('letters/2024', '')
    """
    for each in given:
        if path != each and path.is_relative_to(each):
            return plain_folder(
                "/".join((each.absolute().name, *path.relative_to(each).parts[:-1]))
            )
    return ""


def walk(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the files under these paths in a stable order; hidden files and links to elsewhere are
    left out.
    """
    for path in paths:
        if path.is_dir():
            yield from sorted(
                p
                for p in path.rglob("*")
                if p.is_file()
                and not p.is_symlink()
                and not any(part.startswith(".") for part in p.relative_to(path).parts)
            )
        else:
            yield path
