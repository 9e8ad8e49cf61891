"""What is known of each original."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.home.jobs import Job, Lane
from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.library.documents import Document, SelfDescription, ThreadDocument
from lpm_kernel.domain.library.listing import Author, DocumentFilter, FacetCounts, Sort


class Documents(Protocol):
    """What is known of each original."""

    def receive(
        self,
        document: Document,
        kind: str,
        lane: Lane,
        job: JobId,
        known: DocumentId | None = None,
    ) -> tuple[Document, Job | None]:
        """Record a document and the job that reads it, in one transaction.

        The same bytes again, or what is named as ``known``: the known document comes back, with no
        job. One that was put away is there again, with a job. Older versions are not among what is
        known.
        """
        ...

    def add(self, document: Document) -> None:
        """Record a document that nobody handed in, without a job; one of this id, or of these
        bytes, stands as it is.
        """
        ...

    def supersede(
        self,
        document: Document,
        kind: str,
        lane: Lane,
        job: JobId,
        before: DocumentId | None = None,
    ) -> tuple[Document, Job, list[DocumentId]]:
        """Record how a file of the workspace (``document.origin``), or the document ``before``,
        reads now, with the job that reads it, in one transaction.

        What it said before gives way to it, put away or not, and is named: ``before``, where the
        file had another path then. What is handed in as private makes its older versions so.
        """
        ...

    def join(self, document: DocumentId, before: DocumentId, now: datetime) -> None:
        """Make a document the next version of another, with its own versions in between; in one
        transaction. Tags are put together; it is private, all of it, where one of both was, and
        lies where the earlier one did.

        What is an older version itself is left as it is. Raises ``NotFoundError``.
        """
        ...

    def part(self, document: DocumentId, now: datetime, *, failed: bool = False) -> list[Job]:
        """Make a version, with those after it, a document of its own; the one before it is current
        again, and the job that is returned reads it. In one transaction.

        The file at its path goes on with the later one, unless that ``failed``. One that has no
        version before it is from now on known not to be another one's. Raises ``NotFoundError``.
        """
        ...

    def at_path(self, path: str) -> list[Document]:
        """Return what was handed in as this file, put away or not, older versions too; newest
        first.
        """
        ...

    def named(self, name: str) -> list[Document]:
        """Return what was handed in under a file name and is there, newest first."""
        ...

    def add_revision(self, document: Document) -> None:
        """Record an older version: ``superseded_by`` names how it reads now. Nothing reads or
        indexes it.
        """
        ...

    def revisions(self, document: DocumentId) -> list[Document]:
        """Return the older versions of a document, oldest first."""
        ...

    def revision_counts(self) -> dict[DocumentId, int]:
        """Count the older versions of each document; one that has none is left out."""
        ...

    def by_origin(self, origin: str) -> Document | None:
        """Return a file of the workspace as it was read last, put away or not."""
        ...

    def origins(self) -> dict[str, Document]:
        """Return the files of the workspace as they were read last, put away or not, by their
        paths.
        """
        ...

    def get(self, document: DocumentId, *, away: bool = False) -> Document:
        """Return one; with ``away`` also one that was put away. Raises ``NotFoundError``."""
        ...

    def many(self, documents: Sequence[DocumentId], *, away: bool = False) -> list[Document]:
        """Return those of these that are there, or with ``away`` those that were put away, in the
        order asked for.
        """
        ...

    def by_hash(self, sha256: str) -> Document | None:
        """Return the document of these bytes, put away or not: it holds the file. An older version,
        or a correction, only where nothing else has them.
        """
        ...

    def page(
        self,
        *,
        limit: int,
        cursor: str | None = None,
        offset: int = 0,
        wanted: DocumentFilter | None = None,
        sort: Sort = Sort.ADDED,
        descending: bool = True,
    ) -> tuple[list[Document], str | None]:
        """Return one page, and the cursor of the next. Of those that were put away, ``Sort.ADDED``
        means when.
        """
        ...

    def ids(self, wanted: DocumentFilter) -> list[DocumentId]:
        """Name everything that a filter finds, newest first."""
        ...

    def counts(self, wanted: DocumentFilter) -> FacetCounts:
        """Count what a filter finds. Kind, state, folder and privacy are each counted as if nothing
        were chosen there.
        """
        ...

    def all(self) -> list[Document]:
        """Return every document that is there, oldest first."""
        ...

    def everything(self) -> list[Document]:
        """Return every document, those that were put away too: what has to do with files, backups
        or erasing asks this.
        """
        ...

    def threads(self) -> dict[DocumentId, ThreadDocument]:
        """Return the documents that hold what was told in threads of chats, put away or not."""
        ...

    def hashes(self) -> set[str]:
        """Return the hashes of the bytes of all documents, put away and older ones too."""
        ...

    def put_away_by(self, until: datetime) -> list[DocumentId]:
        """Name those that were put away by then, the oldest first."""
        ...

    def members(self, archives: Sequence[DocumentId]) -> list[Document]:
        """Return what came in these archives, put away or not."""
        ...

    def corrections(self) -> list[DocumentId]:
        """Name what was made to put something right and is there."""
        ...

    def count(self, author: Author = ..., *, open_only: bool = False) -> int:
        """Count the documents that are there; ``open_only``: without what is private."""
        ...

    def fill_in(self, document: DocumentId, default_title: str, said: SelfDescription) -> Document:
        """Take over what the document says of itself, where the person has said nothing; in one
        transaction.

        Tags and privacy count at the first reading only: afterwards the person may have taken them
        away. What a tag seals counts as well where it was read by a release to which tags said
        nothing.
        """
        ...

    def change(self, document: DocumentId, **changes: object) -> Document:
        """Change fields of one document and return it. Raises ``NotFoundError``."""
        ...

    def change_many(
        self, changes: Mapping[DocumentId, Mapping[str, object]], now: datetime
    ) -> None:
        """Change several documents, put away or not, in one transaction; what is not there is
        passed over. What is made private or open is recorded.
        """
        ...

    def put_away(self, documents: Sequence[DocumentId], now: datetime) -> list[DocumentId]:
        """Put documents away, cancel their work and record it, in one transaction. Returns those
        that were there; from then on only ``away`` finds them.

        Older versions go and come back with it.
        """
        ...

    def restore(self, documents: Sequence[DocumentId], now: datetime) -> list[Job]:
        """Bring documents back that were put away, each with the job that reads it, in one
        transaction.
        """
        ...

    def delete(self, document: DocumentId) -> Document:
        """Forget the row for good, its jobs included, and return what it was; its files are to go.
        Raises ``NotFoundError``.
        """
        ...

    def removals(self) -> set[str]:
        """Return the hashes of files that are to go, and that no document has."""
        ...

    def removed_ids(self) -> set[str]:
        """Return the ids of every document that is gone for good because somebody asked for it."""
        ...

    def removed(self, hashes: Collection[str]) -> None:
        """Note that files are gone."""
        ...
