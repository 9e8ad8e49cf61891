"""The ``Memories`` port over SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Engine, Row, func, or_, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.sqlite import folded, parts, reading, writing
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import Belief, MemoryFilter, MemoryId
from lpm_kernel.domain.statements import Statement, StatementKind
from lpm_kernel.errors import NotFoundError

_rows = tables.memory_version
_documents = tables.document
_NOW = _rows.c.believed_until.is_(None)
_THERE = (
    select(_documents.c.id)
    .where(_documents.c.id == _rows.c.document, _documents.c.deleted_at.is_(None))
    .exists()
)


class MemoryStore:
    """The ledger of statements."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def believed(self, document: DocumentId) -> list[Belief]:
        """Return what is believed now and stands in this document, or in what that file said
        before.
        """
        mine = select(_documents.c.id).where(
            (_documents.c.id == document) | (_documents.c.superseded_by == document)
        )
        with reading(self._engine) as connection:
            query = (
                select(_rows)
                .where(_NOW, _rows.c.document.in_(mine))
                .order_by(_rows.c.start, _rows.c.memory)
            )
            return [_belief(row) for row in connection.execute(query)]

    def write(self, beliefs: list[Belief], ended: list[MemoryId], now: datetime) -> None:
        """End these memories, and put each belief in the place of the present wording of its
        memory.
        """
        with writing(self._engine) as connection:
            for memory in ended:
                connection.execute(
                    update(_rows).where(_rows.c.memory == memory, _NOW).values(believed_until=now)
                )
            for belief in beliefs:
                row = _row(belief)
                connection.execute(
                    update(_rows)
                    .where(_rows.c.memory == belief.memory, _rows.c.number < belief.number, _NOW)
                    .values(believed_until=now)
                )
                connection.execute(
                    upsert(_rows)
                    .values(**row)
                    .on_conflict_do_update(index_elements=["memory", "number"], set_=row)
                )

    def page(
        self, wished: MemoryFilter, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Belief], str | None]:
        """Return what is believed now, or what is no more, newest first."""
        later = _rows.alias("later")
        last = (
            ~select(later.c.number)
            .where(later.c.memory == _rows.c.memory, later.c.number > _rows.c.number)
            .exists()
        )
        wanted, key = (
            ((_rows.c.believed_until.is_not(None), last), _rows.c.believed_until)
            if wished.forgotten
            else ((_NOW,), _rows.c.believed_from)
        )
        with reading(self._engine) as connection:
            query = select(_rows).where(*wanted, _THERE, *_narrowed(wished))
            rows, following = newest_first(
                connection, query, key, _rows.c.memory, limit=limit, cursor=cursor
            )
        return [_belief(row) for row in rows], following

    def count(self, *, open_only: bool = False) -> int:
        """Count what is believed now; ``open_only``: without what is private."""
        with reading(self._engine) as connection:
            query = (
                select(func.count())
                .select_from(_rows)
                .where(_NOW, _THERE, *_narrowed(MemoryFilter(open_only=open_only)))
            )
            return int(connection.execute(query).scalar_one())

    def history(self, memory: MemoryId) -> list[Belief]:
        """Return every wording of a memory, oldest first."""
        with reading(self._engine) as connection:
            rows = connection.execute(
                select(_rows).where(_rows.c.memory == memory, _THERE).order_by(_rows.c.number)
            ).all()
        if not rows:
            raise NotFoundError("memory", memory)
        return [_belief(row) for row in rows]

    def last(self, memory: MemoryId) -> Belief | None:
        """Return the newest wording, also of a document that was put away."""
        with reading(self._engine) as connection:
            row = connection.execute(
                select(_rows)
                .where(_rows.c.memory == memory)
                .order_by(_rows.c.number.desc())
                .limit(1)
            ).first()
        return None if row is None else _belief(row)

    def noted(self, memories: Collection[MemoryId]) -> Mapping[MemoryId, list[datetime]]:
        """Return when each wording of these began to be believed."""
        found: dict[MemoryId, list[datetime]] = {}
        with reading(self._engine) as connection:
            for part in parts(sorted(set(memories))):
                query = (
                    select(_rows.c.memory, _rows.c.believed_from)
                    .where(_rows.c.memory.in_(part))
                    .order_by(_rows.c.memory, _rows.c.number)
                )
                for row in connection.execute(query):
                    found.setdefault(MemoryId(row.memory), []).append(row.believed_from)
        return found

    def at(self, moment: datetime, wished: MemoryFilter) -> list[Belief]:
        """Return what was believed at a moment."""
        then = (_rows.c.believed_from <= moment, or_(_NOW, _rows.c.believed_until > moment))
        with reading(self._engine) as connection:
            query = (
                select(_rows)
                .where(*then, _THERE, *_narrowed(wished))
                .order_by(_rows.c.believed_from.desc(), _rows.c.memory)
            )
            return [_belief(row) for row in connection.execute(query)]


def _narrowed(wished: MemoryFilter) -> list[ColumnElement[bool]]:
    said: list[ColumnElement[bool]] = []
    if wished.kinds:
        said.append(_rows.c.kind.in_([kind.value for kind in wished.kinds]))
    if wished.about:
        name = func.json_each(_rows.c.about).table_valued("value")
        said.append(
            select(name.c.value).where(func.folded(name.c.value) == folded(wished.about)).exists()
        )
    if wished.text:
        said.append(func.folded(_rows.c.content).contains(folded(wished.text), autoescape=True))
    if wished.open_only:
        said.append(
            select(_documents.c.id)
            .where(_documents.c.id == _rows.c.document, _documents.c.private.is_(False))
            .exists()
        )
    return said


def _row(belief: Belief) -> dict[str, Any]:
    said = belief.statement
    return {
        "memory": belief.memory,
        "number": belief.number,
        "document": belief.document,
        "start": belief.start,
        "end": belief.end,
        "kind": said.kind.value,
        "content": said.text,
        "about": list(said.entities),
        "confidence": said.confidence,
        "believed_from": belief.believed_from,
        "believed_until": belief.believed_until,
    }


def _belief(row: Row[Any]) -> Belief:
    return Belief(
        memory=MemoryId(row.memory),
        number=row.number,
        statement=Statement(StatementKind(row.kind), row.content, tuple(row.about), row.confidence),
        document=DocumentId(row.document),
        start=row.start,
        end=row.end,
        believed_from=row.believed_from,
        believed_until=row.believed_until,
    )
