"""The ``Documents`` port over SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, Row, delete, func, insert, select, update

from lpm_kernel.backends.store import tables
from lpm_kernel.backends.store.jobs import job_from_row, new_job_row
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.sqlite import reading, writing
from lpm_kernel.domain.documents import Document, DocumentKind, DocumentState, Problem
from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.jobs import Job, Lane
from lpm_kernel.errors import NotFoundError

_rows = tables.document


class DocumentStore:
    """What is known of each original."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def receive(self, document: Document, kind: str, lane: Lane, job: JobId) -> tuple[Document, Job | None]:
        """Record a document and the job that reads it; known bytes give the known document and no job."""
        with writing(self._engine) as connection:
            known = connection.execute(select(_rows).where(_rows.c.sha256 == document.sha256)).first()
            if known is not None and known.state != DocumentState.FAILED.value:
                return document_from_row(known), None
            if known is not None:  # it failed; whoever adds it again wants it tried again
                connection.execute(update(_rows).where(_rows.c.id == known.id).values(state=DocumentState.RECEIVED.value, error=None))
                received = _one(connection.execute(select(_rows).where(_rows.c.id == known.id)).first(), DocumentId(known.id))
            else:
                connection.execute(insert(_rows).values(**_to_row(document)))
                received = document
            connection.execute(insert(tables.job).values(**new_job_row(job, kind, lane, received.id, document.added_at)))
            return received, job_from_row(connection.execute(select(tables.job).where(tables.job.c.id == job)).one())

    def get(self, document: DocumentId) -> Document:
        """Return one."""
        with reading(self._engine) as connection:
            return _one(connection.execute(select(_rows).where(_rows.c.id == document)).first(), document)

    def by_hash(self, sha256: str) -> Document | None:
        """Return the document of these bytes."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_rows).where(_rows.c.sha256 == sha256)).first()
            return None if row is None else document_from_row(row)

    def page(self, *, limit: int, cursor: str | None = None, state: DocumentState | None = None, text: str = "") -> tuple[list[Document], str | None]:
        """Return the newest first, and the cursor of the next page."""
        query = select(_rows)
        if state is not None:
            query = query.where(_rows.c.state == state.value)
        if text:
            query = query.where(_rows.c.title.icontains(text, autoescape=True) | _rows.c.name.icontains(text, autoescape=True))
        with reading(self._engine) as connection:
            rows, following = newest_first(connection, query, _rows.c.added_at, _rows.c.id, limit=limit, cursor=cursor)
        return [document_from_row(row) for row in rows], following

    def all(self) -> list[Document]:
        """Return every document, oldest first."""
        with reading(self._engine) as connection:
            return [document_from_row(row) for row in connection.execute(select(_rows).order_by(_rows.c.added_at, _rows.c.id))]

    def count(self) -> int:
        """Count documents."""
        with reading(self._engine) as connection:
            return int(connection.execute(select(func.count()).select_from(_rows)).scalar_one())

    def fill_in(
        self, document: DocumentId, *, default_title: str, title: str | None, created_at: datetime | None, tags: Sequence[str], private: bool
    ) -> Document:
        """Take over what the document says of itself, where the person has said nothing."""
        with writing(self._engine) as connection:
            now = _one(connection.execute(select(_rows).where(_rows.c.id == document)).first(), document)
            first = now.text_version is None
            changes: dict[str, object] = {}
            if title and now.title == default_title:
                changes["title"] = title
            if created_at is not None and now.created_at is None:
                changes["created_at"] = created_at
            if first and set(tags) - set(now.tags):
                changes["tags"] = list(dict.fromkeys((*now.tags, *tags)))
            if first and private:
                changes["private"] = True
            if changes:
                connection.execute(update(_rows).where(_rows.c.id == document).values(**changes))
            return _one(connection.execute(select(_rows).where(_rows.c.id == document)).first(), document)

    def change(self, document: DocumentId, **changes: object) -> Document:
        """Change fields of one document and return it."""
        with writing(self._engine) as connection:
            connection.execute(update(_rows).where(_rows.c.id == document).values(**{key: _to_cell(value) for key, value in changes.items()}))
            return _one(connection.execute(select(_rows).where(_rows.c.id == document)).first(), document)

    def delete(self, document: DocumentId) -> Document:
        """Forget the row, its jobs included, and return what it was."""
        with writing(self._engine) as connection:
            was = _one(connection.execute(select(_rows).where(_rows.c.id == document)).first(), document)
            connection.execute(delete(_rows).where(_rows.c.id == document))
            return was


def _one(row: Row[Any] | None, document: DocumentId) -> Document:
    if row is None:
        raise NotFoundError("document", document)
    return document_from_row(row)


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
