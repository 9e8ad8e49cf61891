"""The ``Documents`` port over SQL."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.node.audit import AuditStore, add
from lpm_kernel.backends.store.node.entities import forget_baseless
from lpm_kernel.backends.store.node.jobs import job_from_row, new_job_row
from lpm_kernel.backends.store.node.offered import withdraw_closed
from lpm_kernel.backends.store.paging import KeyOrder, PageRequest, by_key
from lpm_kernel.backends.store.sqlite import folded, parts, reading, writing
from lpm_kernel.domain.home.audit import AuditKind, of_documents
from lpm_kernel.domain.home.jobs import Job, JobEvent, JobState, Lane, may_come_from
from lpm_kernel.domain.ids import THREAD, DocumentId, JobId
from lpm_kernel.domain.library.documents import (
    Document,
    DocumentKind,
    DocumentState,
    Problem,
    SelfDescription,
    ThreadDocument,
)
from lpm_kernel.domain.library.listing import NO_FOLDER, Author, DocumentFilter, FacetCounts, Sort
from lpm_kernel.domain.memory.workspace import (
    BIOGRAPHY,
    ENTITIES,
    PUT_RIGHT,
    PUT_RIGHT_SEALED,
    TOPICS,
)
from lpm_kernel.errors import NotFoundError

T = TypeVar("T")

BEFORE_TAGS = frozenset({"text-1", "text-2"})
"""Versions of texts whose readers knew no tags that seal, so that nobody can have opened what one
sealed.
"""
_rows = tables.document
_removals = tables.removal
_HERE = _rows.c.deleted_at.is_(None)
_SHOWN = _HERE & _rows.c.superseded_by.is_(None)
_PAGE = or_(
    _rows.c.origin == BIOGRAPHY,
    *(_rows.c.origin.startswith(f"{folder}/", autoescape=True) for folder in (ENTITIES, TOPICS)),
)
_PUT_RIGHT = _rows.c.origin.in_((PUT_RIGHT, PUT_RIGHT_SEALED))
_MADE_BY: Mapping[Author, Sequence[ColumnElement[bool]]] = {
    Author.ANYONE: (),
    Author.PERSON: (~_PAGE, ~_PUT_RIGHT, ~_rows.c.corrects),
    Author.NODE: (_PAGE,),
}


class DocumentStore:
    """What is known of each original."""

    def __init__(self, engine: Engine, audit: AuditStore) -> None:
        self._engine, self._audit = engine, audit

    def receive(
        self,
        document: Document,
        kind: str,
        lane: Lane,
        job: JobId,
        known: DocumentId | None = None,
    ) -> tuple[Document, Job | None]:
        """Record a document and the job that reads it; known bytes give the known document and no
        job. What was put away comes back.
        """
        with writing(self._engine) as connection:
            return receive(connection, document, kind, lane, job, known)

    def add(self, document: Document) -> None:
        """Record a document that nobody handed in, without a job; one of this id, or of these
        bytes, stands as it is.
        """
        with writing(self._engine) as connection:
            same = (_rows.c.id == document.id) | (_rows.c.sha256 == document.sha256)
            if connection.execute(select(_rows.c.id).where(same)).first() is None:
                connection.execute(insert(_rows).values(**_to_row(document)))

    def supersede(
        self,
        document: Document,
        kind: str,
        lane: Lane,
        job: JobId,
        before: DocumentId | None = None,
    ) -> tuple[Document, Job, list[DocumentId]]:
        """Record how a file of the workspace, or the document ``before``, reads now, with the job
        that reads it; what it said before gives way to it.
        """
        with writing(self._engine) as connection:
            there = select(_rows.c.id).where(
                _rows.c.origin == document.origin,
                _rows.c.origin != "",
                _rows.c.superseded_by.is_(None),
            )
            given_up = [
                each
                for each in {connection.execute(there).scalar_one_or_none(), before}
                if each is not None
            ]
            if given_up:
                _cancel(connection, [DocumentId(each) for each in given_up], document.added_at)
                mine = _rows.c.id.in_(given_up) | _rows.c.superseded_by.in_(given_up)
                if not document.origin:
                    document = replace(document, version=1 + _last_version(connection, mine))
                    _seal_if(connection, mine, private=document.private)
                connection.execute(
                    update(_rows).where(mine).values(superseded_by=document.id, deleted_at=None)
                )
            connection.execute(insert(_rows).values(**_to_row(document)))
            withdraw_closed(connection, document.added_at)
            queued = _queue(connection, document, (kind, lane, job))
            earlier = connection.execute(
                select(_rows.c.id).where(_rows.c.superseded_by == document.id)
            ).scalars()
            return document, queued, [DocumentId(each) for each in earlier]

    def join(self, document: DocumentId, before: DocumentId, now: datetime) -> None:
        """Make a document, with its versions, go on from another."""
        with writing(self._engine) as connection:
            later, earlier = (
                _one(connection, each, away=each == before) for each in (document, before)
            )
            if later.superseded_by or earlier.superseded_by or later.id == earlier.id:
                return
            new, old = _family(later.id), _family(earlier.id)
            last = _last_version(connection, old)
            _cancel(connection, [earlier.id], now)
            connection.execute(
                update(_rows).where(new).values(version=_rows.c.version + last, apart=False)
            )
            _seal_if(connection, new | old, private=later.private or earlier.private)
            connection.execute(
                update(_rows).where(old).values(superseded_by=later.id, deleted_at=None)
            )
            labels = {
                "tags": list(dict.fromkeys((*earlier.tags, *later.tags))),
                "folder": earlier.folder or later.folder,
            }
            connection.execute(update(_rows).where(_rows.c.id == later.id).values(**labels))
            withdraw_closed(connection, now)

    def part(self, document: DocumentId, now: datetime, *, failed: bool = False) -> list[Job]:
        """Make a version, with those after it, a document of its own."""
        with writing(self._engine) as connection:
            version = _one(connection, document)
            family = _family(version.superseded_by or version.id)
            earlier = connection.execute(
                select(_rows)
                .where(family, _rows.c.version < version.version)
                .order_by(_rows.c.version)
            ).all()
            if version.origin or not earlier:
                connection.execute(
                    update(_rows)
                    .where(_rows.c.id == document, _rows.c.origin == "")
                    .values(apart=True)
                )
                return []
            connection.execute(
                update(_rows)
                .where(family, _rows.c.version >= version.version)
                .values(version=_rows.c.version - version.version + 1, apart=True)
            )
            last, ids = earlier[-1], [row.id for row in earlier]
            path = {} if failed else {"path": ""}
            connection.execute(
                update(_rows)
                .where(_rows.c.id.in_(ids))
                .values(superseded_by=last.id, apart=True, **path)
            )
            unread = last.state != DocumentState.FAILED.value
            state = DocumentState.RECEIVED.value if unread else last.state
            connection.execute(
                update(_rows).where(_rows.c.id == last.id).values(superseded_by=None, state=state)
            )
            job = ("ingest", Lane.INGEST, JobId("j_" + secrets.token_hex(8)))
            now_there = replace(document_from_row(last), added_at=now)
            return [_queue(connection, now_there, job)] if unread else []

    def at_path(self, path: str) -> list[Document]:
        """Return what was handed in as this file, put away or not, older versions too; newest
        first.
        """
        return self._handed_in(_rows.c.path == path, _rows.c.path != "")

    def named(self, name: str) -> list[Document]:
        """Return what was handed in under a file name and is there, newest first."""
        return self._handed_in(_rows.c.name == name, _SHOWN)

    def _handed_in(self, *which: ColumnElement[bool]) -> list[Document]:
        with reading(self._engine) as connection:
            query = (
                select(_rows)
                .where(*which, _rows.c.origin == "", ~_rows.c.corrects)
                .order_by(_rows.c.added_at.desc(), _rows.c.version.desc(), _rows.c.id)
            )
            return [document_from_row(row) for row in connection.execute(query)]

    def add_revision(self, document: Document) -> None:
        """Record an older version: ``superseded_by`` names how it reads now."""
        with writing(self._engine) as connection:
            connection.execute(insert(_rows).values(**_to_row(document)))

    def revisions(self, document: DocumentId) -> list[Document]:
        """Return the older versions of a document, oldest first."""
        with reading(self._engine) as connection:
            query = (
                select(_rows)
                .where(_rows.c.superseded_by == document)
                .order_by(_rows.c.version, _rows.c.added_at, _rows.c.id)
            )
            return [document_from_row(row) for row in connection.execute(query)]

    def revision_counts(self) -> dict[DocumentId, int]:
        """Count the older versions of each document; one that has none is left out."""
        query = (
            select(_rows.c.superseded_by, func.count())
            .where(_rows.c.superseded_by.is_not(None))
            .group_by(_rows.c.superseded_by)
        )
        with reading(self._engine) as connection:
            return {DocumentId(document): count for document, count in connection.execute(query)}

    def by_origin(self, origin: str) -> Document | None:
        """Return a file of the workspace as it was read last, put away or not."""
        with reading(self._engine) as connection:
            row = connection.execute(
                select(_rows).where(
                    _rows.c.origin == origin, _rows.c.origin != "", _rows.c.superseded_by.is_(None)
                )
            ).first()
            return None if row is None else document_from_row(row)

    def origins(self) -> dict[str, Document]:
        """Return the files of the workspace as they were read last, put away or not, by their
        paths.
        """
        with reading(self._engine) as connection:
            query = select(_rows).where(_rows.c.origin != "", _rows.c.superseded_by.is_(None))
            return {row.origin: document_from_row(row) for row in connection.execute(query)}

    def get(self, document: DocumentId, *, away: bool = False) -> Document:
        """Return one; with ``away`` also one that was put away."""
        with reading(self._engine) as connection:
            return _one(connection, document, away=away)

    def many(self, documents: Sequence[DocumentId], *, away: bool = False) -> list[Document]:
        """Return those of these that are there, or with ``away`` those that were put away, in the
        order asked for.
        """
        with reading(self._engine) as connection:
            found = {
                row.id: document_from_row(row)
                for row in _rows_of(connection, documents)
                if (row.deleted_at is not None) is away
            }
        return [
            found[document_id] for document_id in dict.fromkeys(documents) if document_id in found
        ]

    def by_hash(self, sha256: str) -> Document | None:
        """Return the document of these bytes, put away or not."""
        with reading(self._engine) as connection:
            row = connection.execute(
                select(_rows)
                .where(_rows.c.sha256 == sha256)
                .order_by(
                    _rows.c.superseded_by.is_not(None),
                    _rows.c.corrects,
                    _rows.c.origin,
                    _rows.c.version,
                    _rows.c.id,
                )
            ).first()
            return None if row is None else document_from_row(row)

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
        """Return one page, and the cursor of the next."""
        wanted = wanted or DocumentFilter()
        query = select(_rows).where(*_narrowed(wanted))
        key = (
            _rows.c.deleted_at
            if wanted.away and sort is Sort.ADDED
            else _keys(descending=descending)[sort]
        )
        with reading(self._engine) as connection:
            rows, following = by_key(
                connection,
                query,
                KeyOrder(key, _rows.c.id, sort.value, descending),
                PageRequest(limit, cursor, offset),
            )
        return [document_from_row(row) for row in rows], following

    def ids(self, wanted: DocumentFilter) -> list[DocumentId]:
        """Name everything that a filter finds, newest first."""
        with reading(self._engine) as connection:
            query = (
                select(_rows.c.id)
                .where(*_narrowed(wanted))
                .order_by(_rows.c.added_at.desc(), _rows.c.id.desc())
            )
            return [DocumentId(each) for each in connection.execute(query).scalars()]

    def counts(self, wanted: DocumentFilter) -> FacetCounts:
        """Count what a filter finds, and for each of its questions how many every answer would
        give.
        """
        with reading(self._engine) as connection:
            total, size = connection.execute(
                select(func.count(), func.coalesce(func.sum(_rows.c.bytes), 0)).where(
                    *_narrowed(wanted)
                )
            ).one()
            tag = func.json_each(_rows.c.tags).table_valued("value", joins_implicitly=True)
            tags = (
                select(tag.c.value, func.count())
                .select_from(_rows)
                .where(*_narrowed(wanted))
                .group_by(tag.c.value)
            )
            private = (
                select(func.count())
                .select_from(_rows)
                .where(*_narrowed(wanted.without("private")), _rows.c.private)
            )
            return FacetCounts(
                total=int(total),
                bytes=int(size),
                kinds=_grouped(connection, _rows.c.kind, wanted.without("kinds")),
                states=_grouped(connection, _rows.c.state, wanted.without("states")),
                tags={str(name): int(count) for name, count in connection.execute(tags)},
                folders=_grouped(connection, _rows.c.folder, wanted.without("folder")),
                private=int(connection.execute(private).scalar_one()),
            )

    def all(self) -> list[Document]:
        """Return every document that is there, oldest first."""
        return [
            document
            for document in self.everything()
            if document.deleted_at is None and document.superseded_by is None
        ]

    def everything(self) -> list[Document]:
        """Return every document, those that were put away and older versions too, oldest first."""
        with reading(self._engine) as connection:
            return [
                document_from_row(row)
                for row in connection.execute(select(_rows).order_by(_rows.c.added_at, _rows.c.id))
            ]

    def threads(self) -> dict[DocumentId, ThreadDocument]:
        """Return the documents that hold what was told in threads of chats, put away or not."""
        wanted = select(_rows.c.id, _rows.c.sha256, _rows.c.deleted_at).where(
            _rows.c.id.startswith(THREAD, autoescape=True)
        )
        with reading(self._engine) as connection:
            return {
                DocumentId(row.id): ThreadDocument(row.sha256, put_away=row.deleted_at is not None)
                for row in connection.execute(wanted)
            }

    def hashes(self) -> set[str]:
        """Return the hashes of the bytes of all documents."""
        with reading(self._engine) as connection:
            return set(connection.execute(select(_rows.c.sha256).distinct()).scalars())

    def put_away_by(self, until: datetime) -> list[DocumentId]:
        """Name those that were put away by then, the oldest first."""
        wanted = select(_rows.c.id).where(_rows.c.deleted_at <= until)
        with reading(self._engine) as connection:
            return [
                DocumentId(each)
                for each in connection.execute(
                    wanted.order_by(_rows.c.added_at, _rows.c.id)
                ).scalars()
            ]

    def members(self, archives: Sequence[DocumentId]) -> list[Document]:
        """Return what came in these archives, put away or not."""
        with reading(self._engine) as connection:
            asked = (
                select(_rows).where(_rows.c.parent.in_(part)) for part in parts(list(archives))
            )
            return [document_from_row(row) for query in asked for row in connection.execute(query)]

    def corrections(self) -> list[DocumentId]:
        """Name what was made to put something right and is there."""
        with reading(self._engine) as connection:
            return [
                DocumentId(each)
                for each in connection.execute(
                    select(_rows.c.id).where(_rows.c.corrects, _SHOWN).order_by(_rows.c.id)
                ).scalars()
            ]

    def count(self, author: Author = Author.ANYONE, *, open_only: bool = False) -> int:
        """Count the documents that are there, of anybody or of one; ``open_only``: without what is
        private.
        """
        wanted = DocumentFilter(author=author, open_only=open_only)
        with reading(self._engine) as connection:
            return int(
                connection.execute(
                    select(func.count()).select_from(_rows).where(*_narrowed(wanted))
                ).scalar_one()
            )

    def fill_in(self, document: DocumentId, default_title: str, said: SelfDescription) -> Document:
        """Take over what the document says of itself, where the person has said nothing."""
        with writing(self._engine) as connection:
            now = _one(connection, document)
            first = now.text_version is None
            changes: dict[str, object] = {}
            if said.title and now.title == default_title:
                changes["title"] = said.title
            if said.created_at is not None and now.created_at is None:
                changes["created_at"] = said.created_at
            if first and set(said.tags) - set(now.tags):
                changes["tags"] = list(dict.fromkeys((*now.tags, *said.tags)))
            tags_count = first or now.text_version in BEFORE_TAGS
            if (first and said.private) or (tags_count and said.sealed):
                changes |= {"private": True, "sealed_by_archive": False}
            if not changes:
                return now
            connection.execute(update(_rows).where(_rows.c.id == document).values(**changes))
            withdraw_closed(connection, datetime.now().astimezone())
            return _one(connection, document)

    def change(self, document: DocumentId, **changes: object) -> Document:
        """Change fields of one document and return it."""
        with writing(self._engine) as connection:
            connection.execute(
                update(_rows)
                .where(_rows.c.id == document, _HERE)
                .values(**{key: _to_cell(value) for key, value in changes.items()})
            )
            if "private" in changes:
                withdraw_closed(connection, datetime.now().astimezone())
            return _one(connection, document)

    def change_many(
        self, changes: Mapping[DocumentId, Mapping[str, object]], now: datetime
    ) -> None:
        """Change several documents, put away or not, in one transaction; what is not there is
        passed over. What is made private or open is recorded.
        """
        with self._audit.recording() as connection:
            before = {
                DocumentId(row.id): row.private for row in _rows_of(connection, list(changes))
            }
            for identifier, each in changes.items():
                connection.execute(
                    update(_rows)
                    .where(_rows.c.id == identifier)
                    .values(**{key: _to_cell(value) for key, value in each.items()})
                )
            withdraw_closed(connection, now)
            for kind, private in ((AuditKind.MADE_PRIVATE, True), (AuditKind.MADE_OPEN, False)):
                turned = [
                    document_id
                    for document_id, was in before.items()
                    if changes[document_id].get("private", was) is private is not was
                ]
                if turned:
                    add(connection, now, kind, of_documents(turned))

    def put_away(self, documents: Sequence[DocumentId], now: datetime) -> list[DocumentId]:
        """Put documents away, their work with them, in one transaction. Returns those that were
        there.
        """
        with self._audit.recording() as connection:
            gone = [
                DocumentId(row.id)
                for row in _rows_of(connection, documents)
                if row.deleted_at is None
            ]
            put_away(connection, gone, now, deleted_at=now)
            if gone:
                add(connection, now, AuditKind.DELETED, of_documents(gone))
        return gone

    def restore(self, documents: Sequence[DocumentId], now: datetime) -> list[Job]:
        """Bring documents back that were put away, each with the job that reads it, in one
        transaction; what could not be read stays so.
        """
        with self._audit.recording() as connection:
            back = [row for row in _rows_of(connection, documents) if row.deleted_at is not None]
            jobs = []
            for row in back:
                failed = row.state == DocumentState.FAILED.value
                state = row.state if failed else DocumentState.RECEIVED.value
                connection.execute(
                    update(_rows).where(_rows.c.id == row.id).values(deleted_at=None, state=state)
                )
                connection.execute(
                    update(_rows).where(_rows.c.superseded_by == row.id).values(deleted_at=None)
                )
                if not failed:
                    job = JobId("j_" + secrets.token_hex(8))
                    connection.execute(
                        insert(tables.job).values(
                            **new_job_row(job, "ingest", Lane.INGEST, DocumentId(row.id), now)
                        )
                    )
                    jobs.append(
                        job_from_row(
                            connection.execute(
                                select(tables.job).where(tables.job.c.id == job)
                            ).one()
                        )
                    )
            if back:
                add(connection, now, AuditKind.BROUGHT_BACK, of_documents([row.id for row in back]))
            return jobs

    def delete(self, document: DocumentId) -> Document:
        """Forget the row for good, its jobs included, and return what it was; its files are to go
        from now on.
        """
        with writing(self._engine) as connection:
            was = _one(connection, document, away=True)
            order_removal(connection, [document])
            connection.execute(delete(_rows).where(_rows.c.id == document))
            withdraw_closed(connection, datetime.now().astimezone())
            forget_baseless(connection)
            return was

    def removals(self) -> set[str]:
        """Return the hashes of files that are to go, and that no document has."""
        with reading(self._engine) as connection:
            ordered = select(_removals.c.sha256).where(
                _removals.c.sha256.not_in(select(_rows.c.sha256))
            )
            return set(connection.execute(ordered).scalars())

    def removed_ids(self) -> set[str]:
        """Return the ids of every document that is gone for good because somebody asked for it."""
        with reading(self._engine) as connection:
            return set(connection.execute(select(tables.removed_document.c.id)).scalars())

    def removed(self, hashes: Collection[str]) -> None:
        """Note that files are gone."""
        with writing(self._engine) as connection:
            for part in parts(sorted(hashes)):
                connection.execute(delete(_removals).where(_removals.c.sha256.in_(part)))


def order_removal(connection: Connection, documents: Sequence[str]) -> None:
    """Record, before rows go, that their files are to go, so that it is known after a crash that
    nobody lost them.
    """
    now = datetime.now().astimezone()
    for row in connection.execute(
        select(_rows.c.sha256).where(_rows.c.id.in_(documents)).distinct()
    ).all():
        values = {"sha256": row.sha256, "at": now}
        connection.execute(upsert(_removals).values(**values).on_conflict_do_nothing())
    for document in documents:
        connection.execute(
            upsert(tables.removed_document).values(id=document, at=now).on_conflict_do_nothing()
        )


def receive(
    connection: Connection,
    document: Document,
    kind: str,
    lane: Lane,
    job: JobId,
    named: DocumentId | None = None,
) -> tuple[Document, Job | None]:
    """Record a document and the job that reads it, within a transaction; known bytes, or the
    document that is ``named``, give the known one and no job. A correction is always another.
    """
    same = (
        select(_rows)
        .where(
            _rows.c.sha256 == document.sha256 if named is None else _rows.c.id == named,
            _rows.c.origin == "",
            ~_rows.c.corrects,
            _rows.c.superseded_by.is_(None),
        )
        .order_by(_rows.c.deleted_at.is_not(None), _rows.c.version, _rows.c.added_at, _rows.c.id)
    )
    known = None if document.corrects else connection.execute(same).first()
    if known is not None and known.state != DocumentState.FAILED.value and known.deleted_at is None:
        return document_from_row(known), None
    if known is not None:  # it failed, or was put away; whoever adds it again wants it read
        values = {
            "state": DocumentState.RECEIVED.value,
            "error": None,
            "deleted_at": None,
            "private": known.private or document.private,
        }
        connection.execute(update(_rows).where(_rows.c.id == known.id).values(**values))
        connection.execute(
            update(_rows).where(_rows.c.superseded_by == known.id).values(deleted_at=None)
        )
        withdraw_closed(connection, document.added_at)
        received = _one(connection, DocumentId(known.id))
    else:
        connection.execute(insert(_rows).values(**_to_row(document)))
        received = document
    return received, _queue(
        connection, replace(received, added_at=document.added_at), (kind, lane, job)
    )


def _queue(connection: Connection, document: Document, wanted: tuple[str, Lane, JobId]) -> Job:
    """Queue a job for a document that came just now, within a transaction."""
    kind, lane, job = wanted
    connection.execute(
        insert(tables.job).values(**new_job_row(job, kind, lane, document.id, document.added_at))
    )
    return job_from_row(connection.execute(select(tables.job).where(tables.job.c.id == job)).one())


def _family(current: DocumentId) -> ColumnElement[bool]:
    """Say which rows are the versions of a document."""
    return (_rows.c.id == current) | (_rows.c.superseded_by == current)


def _last_version(connection: Connection, family: ColumnElement[bool]) -> int:
    return connection.scalar(select(func.max(_rows.c.version)).where(family)) or 0


def _seal_if(connection: Connection, family: ColumnElement[bool], *, private: bool) -> None:
    if private:
        connection.execute(update(_rows).where(family).values(private=True))


def put_away(
    connection: Connection, documents: list[DocumentId], now: datetime, *, deleted_at: datetime
) -> None:
    """Put documents away and cancel their work, within a transaction."""
    for part in parts(documents):
        connection.execute(
            update(_rows)
            .where(_rows.c.id.in_(part) | _rows.c.superseded_by.in_(part))
            .values(deleted_at=deleted_at)
        )
        _cancel(connection, part, now)
    withdraw_closed(connection, now)


def _one(connection: Connection, document: DocumentId, *, away: bool = False) -> Document:
    row = connection.execute(
        select(_rows).where(_rows.c.id == document, *([] if away else [_HERE]))
    ).first()
    if row is None:
        raise NotFoundError("document", document)
    return document_from_row(row)


def _cancel(connection: Connection, documents: Sequence[DocumentId], now: datetime) -> None:
    """Cancel the work on these documents."""
    jobs, ending = tables.job, [state.value for state in may_come_from(JobEvent.CANCEL)]
    connection.execute(
        update(jobs)
        .where(jobs.c.document.in_(documents), jobs.c.state.in_(ending))
        .values(state=JobState.CANCELLED.value, ended_at=now)
    )


def _rows_of(connection: Connection, documents: Sequence[DocumentId]) -> Iterator[Row[Any]]:
    for part in parts(list(dict.fromkeys(documents))):
        yield from connection.execute(select(_rows).where(_rows.c.id.in_(part))).all()


def _narrowed(wanted: DocumentFilter) -> list[ColumnElement[bool]]:
    """Say in SQL what a filter lets through."""
    rows = _rows.c
    said: list[ColumnElement[bool]] = [
        rows.deleted_at.is_not(None) & rows.superseded_by.is_(None) if wanted.away else _SHOWN,
        ~rows.id.startswith(THREAD, autoescape=True),
        *_in_folder(wanted.folder),
        *(_tagged(tag) for tag in wanted.tags),
        *_MADE_BY[wanted.author],
    ]
    if wanted.text:
        text = folded(wanted.text)
        said.append(
            func.folded(rows.title).contains(text, autoescape=True)
            | func.folded(rows.name).contains(text, autoescape=True)
        )
    for column, values in (
        (rows.kind, [kind.value for kind in wanted.kinds]),
        (rows.state, [state.value for state in wanted.states]),
    ):
        if values:
            said.append(column.in_(values))
    if wanted.open_only:
        said.append(rows.private.is_(False))
    if wanted.private is not None:
        said.append(rows.private.is_(wanted.private))
    if wanted.since is not None:
        said.append(rows.created_at >= wanted.since)
    if wanted.until is not None:
        said.append(rows.created_at < wanted.until)
    if wanted.parent:
        said.append(rows.parent == wanted.parent)
    return said


def _tagged(name: str) -> ColumnElement[bool]:
    tag = func.json_each(_rows.c.tags).table_valued("value")
    return select(tag.c.value).where(tag.c.value == name).exists()


def _in_folder(folder: str) -> list[ColumnElement[bool]]:
    """Say that a document lies in a folder or below it; letters count as they are written, which
    `LIKE` does not promise.
    """
    column, below = _rows.c.folder, f"{folder}/"
    if folder == NO_FOLDER:
        return [column == ""]
    return [(column == folder) | (func.substr(column, 1, len(below)) == below)] if folder else []


def _keys(*, descending: bool) -> dict[Sort, ColumnElement[Any]]:
    """Say what stands for each order; nothing that it stands for is empty, so that a page can go on
    from any row.
    """
    rows = _rows.c
    # texts of numbers: one sorts before, one behind them
    written = func.coalesce(rows.created_at, literal("" if descending else "~"))
    return {
        Sort.ADDED: rows.added_at,
        Sort.CREATED: written,
        Sort.TITLE: func.lower(rows.title),
        Sort.SIZE: rows.bytes,
    }


def _grouped(
    connection: Connection, column: ColumnElement[Any], wanted: DocumentFilter
) -> dict[str, int]:
    return {
        str(name): int(count)
        for name, count in connection.execute(
            select(column, func.count()).where(*_narrowed(wanted)).group_by(column)
        )
    }


def problem_from_cell(cell: dict[str, str] | None) -> Problem | None:
    """Read a problem back."""
    return None if cell is None else Problem(**cell)


def document_from_row(row: Row[Any]) -> Document:
    """Turn a row into a document."""
    return Document(
        id=DocumentId(row.id),
        title=row.title,
        name=row.name,
        kind=DocumentKind(row.kind),
        sha256=row.sha256,
        bytes=row.bytes,
        state=DocumentState(row.state),
        added_at=row.added_at,
        created_at=row.created_at,
        tags=tuple(row.tags),
        private=row.private,
        error=problem_from_cell(row.error),
        text_version=row.text_version,
        keywords=tuple(row.keywords),
        summary=tuple((start, end) for start, end in row.summary),
        parent=DocumentId(row.parent) if row.parent else None,
        folder=row.folder,
        deleted_at=row.deleted_at,
        origin=row.origin,
        superseded_by=DocumentId(row.superseded_by) if row.superseded_by else None,
        corrects=row.corrects,
        sealed_by_archive=row.sealed_by_archive,
        version=row.version,
        path=row.path,
        apart=row.apart,
    )


def _to_row(document: Document) -> dict[str, Any]:
    row = {key: _to_cell(getattr(document, key)) for key in document.__dataclass_fields__}
    return row | {"id": document.id}


def _to_cell(value: object) -> object:
    if isinstance(value, Problem):
        return asdict(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, DocumentKind | DocumentState):
        return value.value
    return value
