"""Changing many documents at once, and putting them back as they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, DocumentState
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.usecases.library.documents import label, put_away, restore, sealed_by
from lpm_kernel.usecases.library.intake import checked_folder, checked_tags
from lpm_kernel.usecases.library.ports import LibraryPorts

MOST = 20_000
"""Documents that one request may name."""


@dataclass(frozen=True)
class BulkChange:
    """What is to be done to each. Deleting, bringing back and reading again are each done alone."""

    add_tags: tuple[str, ...] = field(default=(), repr=False)
    remove_tags: tuple[str, ...] = field(default=(), repr=False)
    folder: str | None = field(default=None, repr=False)
    private: bool | None = None
    delete: bool = False
    restore: bool = False
    retry: bool = False

    @property
    def labels(self) -> bool:
        """Whether it changes what the person set on a document."""
        return bool(
            self.add_tags or self.remove_tags or self.folder is not None or self.private is not None
        )


@dataclass(frozen=True)
class Before:
    """What the person had set on a document."""

    id: DocumentId
    tags: tuple[str, ...] = field(repr=False)
    folder: str = field(repr=False)
    private: bool


@dataclass(frozen=True)
class Done:
    """What was done: to which documents, and how they were before."""

    documents: tuple[DocumentId, ...]
    before: tuple[Before, ...] = ()


def change_all(
    library: LibraryPorts, identifiers: Sequence[DocumentId], change: BulkChange
) -> Done:
    """Change these documents, those that are there. Raises ``InvalidInputError``, and then nothing
    was changed.
    """
    _check(identifiers, change)
    documents, clock = library.documents, library.clock
    if change.delete:
        return Done(tuple(put_away(documents, library.index, clock, identifiers)))
    if change.restore:
        back = documents.many(identifiers, away=True)
        restore(library.files, documents, clock, [document.id for document in back])
        return Done(tuple(document.id for document in back))
    if change.retry:
        return _read_again(library, identifiers)
    return _relabel(library, identifiers, change)


def _check(identifiers: Sequence[DocumentId], change: BulkChange) -> None:
    wished = [change.labels, change.delete, change.restore, change.retry]
    if sum(wished) != 1:
        raise InvalidInputError(
            "Only one thing at a time: change labels, or delete, restore or reread documents.",
            "Send a request for each.",
        )
    if len(identifiers) > MOST:
        raise InvalidInputError(
            f"At most {MOST:,} documents can be changed at once.", "Change them in several steps."
        )


def _read_again(library: LibraryPorts, identifiers: Sequence[DocumentId]) -> Done:
    """Queue those of these documents that could not be read."""
    failed = [
        document
        for document in library.documents.many(identifiers)
        if document.state is DocumentState.FAILED
    ]
    now = library.clock.now()
    library.documents.change_many(
        {document.id: {"state": DocumentState.RECEIVED, "error": None} for document in failed}, now
    )
    for document in failed:
        library.jobs.add("ingest", Lane.INGEST, document.id, library.clock.now())
    return Done(tuple(document.id for document in failed))


def _relabel(library: LibraryPorts, identifiers: Sequence[DocumentId], change: BulkChange) -> Done:
    """Set the labels of those of these documents that have others."""
    documents = library.documents.many(identifiers)
    wanted = {document.id: _wanted(document, change, library.seal_tags) for document in documents}
    changed = [document for document in documents if wanted[document.id] != _labels(document)]
    _set(library, {document.id: wanted[document.id] for document in changed})
    return Done(
        tuple(document.id for document in changed),
        tuple(
            Before(document.id, document.tags, document.folder, document.private)
            for document in changed
        ),
    )


def put_back(library: LibraryPorts, before: Sequence[Before]) -> Done:
    """Set labels as they were before a change."""
    known = {document.id for document in library.documents.many([each.id for each in before])}
    labels = {
        each.id: {
            "tags": checked_tags(each.tags),
            "folder": checked_folder(each.folder),
            "private": each.private,
        }
        for each in before
        if each.id in known
    }
    _set(library, labels)
    return Done(tuple(labels))


def _set(library: LibraryPorts, labels: Mapping[DocumentId, Mapping[str, object]]) -> None:
    """Write the labels; privacy counts as said only where it turns."""
    private = {document.id: document.private for document in library.documents.many(list(labels))}
    turned = {
        identifier: {
            name: value
            for name, value in wanted.items()
            if name != "private" or value is not private.get(identifier)
        }
        for identifier, wanted in labels.items()
    }
    label(library.documents, library.decisions, library.index, library.clock, turned)
    library.seal_pages(list(labels))


def _labels(document: Document) -> dict[str, object]:
    return {"tags": document.tags, "folder": document.folder, "private": document.private}


def _wanted(document: Document, change: BulkChange, seal_tags: Sequence[str]) -> dict[str, object]:
    leave = set(change.remove_tags) - set(change.add_tags)
    tags = checked_tags([*(tag for tag in document.tags if tag not in leave), *change.add_tags])
    private = document.private or bool(sealed_by(document, tags, seal_tags))
    return {
        "tags": tags,
        "folder": document.folder if change.folder is None else checked_folder(change.folder),
        "private": private if change.private is None else change.private,
    }
