"""Changing many documents at once, and putting them back as they were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lpm_kernel.config import SEAL_TAGS
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, DocumentState
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.stores import Decisions, Documents, Files, Jobs
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.usecases.library.documents import label, put_away, restore, sealed_by
from lpm_kernel.usecases.library.intake import checked_folder, checked_tags

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
    files: Files,
    documents: Documents,
    decisions: Decisions,
    jobs: Jobs,
    index: PassageIndex,
    clock: Clock,
    identifiers: Sequence[DocumentId],
    change: BulkChange,
    seal_tags: Sequence[str] = SEAL_TAGS,
) -> Done:
    """Change these documents, those that are there. Raises ``InvalidInputError``, and then nothing
    was changed.
    """
    wished = [change.labels, change.delete, change.restore, change.retry]
    if sum(wished) != 1:
        raise InvalidInputError(
            "One thing is done at a time: labels are changed, or documents are deleted, brought"
            " back, or read again.",
            "Send a request for each.",
        )
    if len(identifiers) > MOST:
        raise InvalidInputError(
            f"At most {MOST:,} documents can be changed at once.", "Change them in parts."
        )
    if change.delete:
        return Done(tuple(put_away(documents, index, clock, identifiers)))
    if change.restore:
        back = documents.many(identifiers, away=True)
        restore(files, documents, clock, [each.id for each in back])
        return Done(tuple(each.id for each in back))
    known = documents.many(identifiers)
    if change.retry:
        again = [each for each in known if each.state is DocumentState.FAILED]
        documents.change_many(
            {each.id: {"state": DocumentState.RECEIVED, "error": None} for each in again},
            clock.now(),
        )
        for each in again:
            jobs.add("ingest", Lane.INGEST, each.id, clock.now())
        return Done(tuple(each.id for each in again))
    wanted = {each.id: _wanted(each, change, seal_tags) for each in known}
    changed = [each for each in known if wanted[each.id] != _labels(each)]
    _set(documents, decisions, index, clock, {each.id: wanted[each.id] for each in changed})
    return Done(
        tuple(each.id for each in changed),
        tuple(Before(each.id, each.tags, each.folder, each.private) for each in changed),
    )


def put_back(
    documents: Documents,
    decisions: Decisions,
    index: PassageIndex,
    clock: Clock,
    before: Sequence[Before],
) -> Done:
    """Set labels as they were before a change."""
    known = {each.id for each in documents.many([each.id for each in before])}
    labels = {
        each.id: {
            "tags": checked_tags(each.tags),
            "folder": checked_folder(each.folder),
            "private": each.private,
        }
        for each in before
        if each.id in known
    }
    _set(documents, decisions, index, clock, labels)
    return Done(tuple(labels))


def _set(
    documents: Documents,
    decisions: Decisions,
    index: PassageIndex,
    clock: Clock,
    labels: Mapping[DocumentId, Mapping[str, object]],
) -> None:
    """Write the labels; privacy counts as said only where it turns."""
    private = {each.id: each.private for each in documents.many(list(labels))}
    turned = {
        identifier: {
            name: value
            for name, value in wanted.items()
            if name != "private" or value is not private.get(identifier)
        }
        for identifier, wanted in labels.items()
    }
    label(documents, decisions, index, clock, turned)


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
