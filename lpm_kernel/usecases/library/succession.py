"""What comes again changed: which document it is a new version of, and what it takes over.

A file that came by a path is known by that path. One that came alone is only proposed as a version
of another with its name: two people's ``notes.md`` are two things. The person may say either, and
take it back.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime

from lpm_kernel.domain.home.jobs import Job, Lane
from lpm_kernel.domain.ids import DocumentId, JobId, is_thread
from lpm_kernel.domain.library.documents import Document, DocumentState, ParsedText
from lpm_kernel.domain.stores import Documents, Files
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.library.documents import relabel
from lpm_kernel.usecases.library.file_names import day_in_name, default_title
from lpm_kernel.usecases.library.ports import LibraryPorts
from lpm_kernel.usecases.library.versions import current_of


@dataclass(frozen=True)
class Predecessor:
    """The document that something came again of, as it reads now."""

    document: Document
    unchanged: bool
    """What came reads as it does, or as the file did when it came last."""


def predecessor(
    documents: Documents,
    arrived: Document,
    version_of: DocumentId | None = None,
    *,
    open_only: bool = False,
) -> Predecessor | None:
    """Return what a document is a new version of: what the person named, or what came by its path;
    ``open_only``: by a path at which nothing is private.

    Raises ``NotFoundError`` and ``InvalidInputError`` for what was named.
    """
    if version_of is not None:
        named = versioned(documents, documents.get(version_of))
        return Predecessor(named, named.sha256 == arrived.sha256)
    came = _at_its_path(documents, arrived)
    if not came or (open_only and any(current.private for _, current in came)):
        return None
    last, now = came[0]
    if last.sha256 != arrived.sha256:  # what could not be read took nothing's place
        now = next((each for _, each in came if each.state is not DocumentState.FAILED), now)
    return Predecessor(now, arrived.sha256 in {last.sha256, now.sha256})


def versioned(documents: Documents, document: Document) -> Document:
    """Return how a document reads now, where what is handed in can be a version of it. Raises
    ``InvalidInputError``.
    """
    if document.origin:
        raise InvalidInputError(
            f"{document.origin} is a file of the workspace, whose versions are made there.",
            "Change the file itself.",
        )
    if is_thread(document.id):
        raise InvalidInputError(
            "What was said in a chat has no versions.", "Say it anew, or delete the chat."
        )
    if document.corrects:
        raise InvalidInputError(
            "A correction has no versions.", "Correct the sentence itself once more."
        )
    return current_of(documents, document)


def _at_its_path(documents: Documents, document: Document) -> list[tuple[Document, Document]]:
    """Return what came by the path of a document, the last first, each with how it reads now."""
    if not document.path:
        return []
    archive = _archive(documents, document)
    return [
        (known, current_of(documents, known))
        for known in documents.at_path(document.path)
        if known.deleted_at is None
        and known.id != document.id
        and _archive(documents, known) == archive
    ]


def was_private(documents: Documents, arrived: Document) -> bool:
    """Tell whether something private that was deleted came by the path of a document: what comes
    there again is private too, and brings nothing back.
    """
    return bool(arrived.path) and any(
        known.private
        for known in documents.at_path(arrived.path)
        if known.deleted_at is not None
        and _archive(documents, known) == _archive(documents, arrived)
    )


def _archive(documents: Documents, document: Document) -> DocumentId | None:
    """Name the archive, as it reads now, that a document came in: a path within tells the files of
    that one apart, and of no other.
    """
    if document.parent is None:
        return None
    try:
        archive = documents.get(document.parent, away=True)
    except NotFoundError:  # it was deleted, and what came in it stays
        return document.parent
    return archive.superseded_by or archive.id


def proposed(documents: Documents, document: Document) -> Document | None:
    """Return what a document may be a new version of: it came alone, and something that was there
    is called so. Nothing once the person said what it is.
    """
    if (
        document.superseded_by
        or document.parent
        or document.path
        or document.origin
        or document.version > 1
        or document.apart
        or document.corrects
    ):
        return None
    return next(
        (
            known
            for known in documents.named(document.name)
            if known.id != document.id
            and known.parent is None
            and known.added_at <= document.added_at
        ),
        None,
    )


def going_on(files: Files, before: Document, arrived: Document) -> Document:
    """Return what comes again with what the person set on it before: title, date, tags, folder. It
    is private from the first moment where it was.
    """
    own_title = arrived.title != default_title(arrived.name)
    return replace(
        arrived,
        title=arrived.title if own_title else _given_title(files, before) or arrived.title,
        created_at=arrived.created_at or _given_date(files, before, arrived.name),
        tags=tuple(dict.fromkeys((*before.tags, *arrived.tags))),
        private=before.private or arrived.private,
        sealed_by_archive=arrived.sealed_by_archive
        and (before.sealed_by_archive or not before.private),
        folder=before.folder or arrived.folder,
    )


def _given_title(files: Files, before: Document) -> str | None:
    """Return the title that the person gave; one that the text or the name gives is read again."""
    said = text_of(files, before)
    own = before.title == default_title(before.name) or (
        said is not None and (said.title or "").startswith(before.title)
    )
    return None if own else before.title


def _given_date(files: Files, before: Document, name: str) -> datetime | None:
    """Return the date that the person gave, where nothing in the text or the names gives one."""
    said = text_of(files, before)
    own = (said is not None and said.created_at is not None) or day_in_name(before.name)
    return None if own or day_in_name(name) else before.created_at


def text_of(files: Files, document: Document) -> ParsedText | None:
    """Return the text of a document as it was read last; nothing before that."""
    return files.text(document.sha256, document.text_version) if document.text_version else None


def join(library: LibraryPorts, document: Document, before: Document) -> Document:
    """Make a document the next version of another; of two archives, what came in them too. Returns
    it as it is then. Doing it twice is doing it once.

    Raises ``InvalidInputError``, and ``ConflictError`` for an older version.
    """
    documents, clock = library.documents, library.clock
    later, earlier = versioned(documents, document), versioned(documents, before)
    if document.id == before.id:
        raise InvalidInputError("A document is no version of itself.", "Name another one.")
    if document.superseded_by is not None and later.id != earlier.id:
        raise older_version()
    if later.id == earlier.id:  # a process may have died in between
        _join_members(library, [later, *documents.revisions(later.id)])
        return later
    older = [*documents.revisions(earlier.id), earlier]
    text = text_of(library.files, later)
    if text is not None:
        library.inherit(later, text, older)
    title = _given_title(library.files, earlier)
    documents.join(later.id, earlier.id, clock.now())
    library.index.put_away([each.id for each in older])
    now = documents.get(later.id)
    changes: dict[str, object] = {"tags": now.tags}
    if now.private and not (later.private and earlier.private):
        changes["private"] = True
    if title is not None and later.title != title and _given_title(library.files, later) is None:
        changes["title"] = title
    joined = relabel(library, now.id, **changes)
    if text is not None:
        library.remember(joined, text)
    _join_members(library, [joined, *documents.revisions(joined.id)])
    return joined


def _join_members(library: LibraryPorts, archives: list[Document]) -> None:
    """Join what came by the same path in the versions of an archive."""
    documents = library.documents
    for member in documents.members([each.id for each in archives]):
        if member.superseded_by is None and member.deleted_at is None:
            older = next(
                (
                    current
                    for known, current in _at_its_path(documents, member)
                    if current.id != member.id
                    and current.deleted_at is None
                    and known.added_at <= member.added_at
                ),
                None,
            )
            if older is not None:
                join(library, member, older)


def part(library: LibraryPorts, document: Document) -> list[Job]:
    """Make a version, with those after it, a document of its own, and the one before it current
    again; the jobs read that one. One that was only proposed as a version is proposed no more.
    """
    if document.corrects or document.origin or is_thread(document.id):
        versioned(library.documents, document)
    with library.files.locked():
        return library.documents.part(document.id, library.clock.now())


def use_again(library: LibraryPorts, document: Document, version: Document) -> tuple[Document, Job]:
    """Make an older version of a document the present one, as a new version; the job reads it.
    Raises ``InvalidInputError``, ``NotFoundError`` for what is no version of it, and
    ``ConflictError`` where it is the present one already.
    """
    documents = library.documents
    now = versioned(documents, document)
    if now.id != (version.superseded_by or version.id):
        raise NotFoundError("version of this document", version.id)
    if now.id == version.id:
        raise ConflictError(
            "The document reads so already.", "Choose an older version among its versions."
        )
    with library.files.locked():
        again = replace(
            version,
            id=DocumentId("d_" + secrets.token_hex(8)),
            title=_given_title(library.files, now) or version.title,
            state=DocumentState.RECEIVED,
            added_at=library.clock.now(),
            error=None,
            text_version=None,
            keywords=(),
            summary=(),
            tags=now.tags,
            private=now.private,
            sealed_by_archive=now.sealed_by_archive,
            folder=now.folder,
            superseded_by=None,
            path="",
            apart=False,
        )
        made, job, _ = documents.supersede(
            again, "ingest", Lane.INGEST, JobId("j_" + secrets.token_hex(8)), now.id
        )
    return made, job


def older_version() -> ConflictError:
    """Say that something is done to the present version only."""
    return ConflictError(
        "This is an older version, which stays as it is.",
        "Open the present version, and do it there.",
    )
