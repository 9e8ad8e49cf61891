"""The ``Reflections`` port over SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, delete, insert, or_, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.reflection import (
    Evidence,
    PageChange,
    Reflection,
    Ruling,
    What,
    WrittenLine,
)
from lpm_kernel.errors import NotFoundError

_rows = tables.reflection
_pages = tables.reflection_page
_lines = tables.written_line
_evidence = tables.written_evidence
_rulings = tables.proposal_decision


class ReflectionStore:
    """What the node wrote by itself."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def begin(self, reflection: str, at: datetime, documents: int) -> None:
        """Note that one begins."""
        with writing(self._engine) as connection:
            there = upsert(_rows).values(id=reflection, at=at, documents=documents)
            connection.execute(there.on_conflict_do_nothing())

    def will_write(self, reflection: str, change: PageChange, leaving: Collection[str]) -> None:
        """Note how a file read and will read, and forget the lines that leave it."""
        with writing(self._engine) as connection:
            there = upsert(_pages).values(
                reflection=reflection, path=change.path, before=change.before, after=change.after
            )
            connection.execute(
                there.on_conflict_do_update(
                    index_elements=[_pages.c.reflection, _pages.c.path],
                    set_={"after": change.after},
                )
            )
            _drop(connection, change.path, leaving)

    def wrote(self, path: str, lines: Sequence[WrittenLine], now: datetime) -> None:
        """Note what stands there now."""
        with writing(self._engine) as connection:
            _drop(connection, path, [written_line.key for written_line in lines])
            for written_line in lines:
                values = {
                    "path": path,
                    "key": written_line.key,
                    "mark": written_line.mark,
                    "section": written_line.section,
                    "content": written_line.text,
                    "at": now,
                }
                line = connection.execute(
                    insert(_lines).values(**values).returning(_lines.c.id)
                ).scalar_one()
                known = set()
                for part in parts(sorted({place.document for place in written_line.evidence})):
                    known |= set(
                        connection.execute(
                            select(tables.document.c.id).where(tables.document.c.id.in_(part))
                        ).scalars()
                    )
                rows = [
                    {
                        "line": line,
                        "number": number,
                        "document": place.document,
                        "text_version": place.text_version,
                        "start": place.start,
                        "end": place.end,
                    }
                    for number, place in enumerate(written_line.evidence)
                    if place.document in known
                ]
                if rows:
                    connection.execute(insert(_evidence), rows)
            forget_unfounded(connection)

    def strike(self, path: str, keys: Collection[str], now: datetime) -> None:
        """Note that the person took these lines from the page."""
        self._mark(path, keys, now)

    def unstrike(self, path: str, keys: Collection[str]) -> None:
        """Note that the person brought these lines back."""
        self._mark(path, keys, None)

    def _mark(self, path: str, keys: Collection[str], at: datetime | None) -> None:
        with writing(self._engine) as connection:
            for part in parts(sorted(keys)):
                connection.execute(
                    update(_lines)
                    .where(_lines.c.path == path, _lines.c.key.in_(part))
                    .values(struck_at=at)
                )

    def lines(self, path: str) -> list[WrittenLine]:
        """Return what was written on a page and what was struck from it."""
        with reading(self._engine) as connection:
            known = connection.execute(
                select(_lines).where(_lines.c.path == path).order_by(_lines.c.id)
            ).all()
            places: dict[int, list[Row[Any]]] = {}
            on_page = select(_lines.c.id).where(_lines.c.path == path)
            for row in connection.execute(
                select(_evidence)
                .where(_evidence.c.line.in_(on_page))
                .order_by(_evidence.c.line, _evidence.c.number)
            ):
                places.setdefault(row.line, []).append(row)
        return [
            WrittenLine(
                path=row.path,
                key=row.key,
                mark=row.mark,
                section=row.section,
                text=row.content,
                evidence=tuple(
                    Evidence(DocumentId(each.document), each.text_version, each.start, each.end)
                    for each in places.get(row.id, ())
                ),
                struck_at=row.struck_at,
            )
            for row in known
        ]

    def paths(self) -> list[str]:
        """Return every page that the node wrote on."""
        with reading(self._engine) as connection:
            return list(
                connection.execute(
                    select(_lines.c.path).distinct().order_by(_lines.c.path)
                ).scalars()
            )

    def resting_on(self, documents: Collection[DocumentId]) -> list[str]:
        """Return the pages with a sentence that rests on one of these."""
        found: set[str] = set()
        with reading(self._engine) as connection:
            for part in parts(sorted(documents)):
                query = (
                    select(_lines.c.path)
                    .distinct()
                    .join(_evidence, _evidence.c.line == _lines.c.id)
                    .where(_evidence.c.document.in_(part))
                )
                found.update(connection.execute(query).scalars())
        return sorted(found)

    def unsupported(self) -> list[str]:
        """Return the pages with a sentence whose evidence does not stand as it did."""
        document = tables.document.c
        gone = or_(
            document.deleted_at.is_not(None),
            document.superseded_by.is_not(None),
            document.private.is_(True),
        )
        query = (
            select(_lines.c.path)
            .distinct()
            .join(_evidence, _evidence.c.line == _lines.c.id)
            .join(tables.document, document.id == _evidence.c.document)
        )
        with reading(self._engine) as connection:
            return sorted(
                connection.execute(query.where(gone, _lines.c.struck_at.is_(None))).scalars()
            )

    def get(self, reflection: str) -> Reflection:
        """Return one. Raises ``NotFoundError``."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_rows).where(_rows.c.id == reflection)).first()
            if row is None:
                raise NotFoundError("reflection", reflection)
            return _reflection(connection, row)

    def latest(self, limit: int) -> list[Reflection]:
        """Return the newest ones, the newest first."""
        with reading(self._engine) as connection:
            return [
                _reflection(connection, row)
                for row in connection.execute(
                    select(_rows).order_by(_rows.c.at.desc(), _rows.c.id.desc()).limit(limit)
                ).all()
            ]

    def undone(self, reflection: str, now: datetime) -> None:
        """Note that one was undone."""
        with writing(self._engine) as connection:
            connection.execute(update(_rows).where(_rows.c.id == reflection).values(undone_at=now))

    def rule(self, identifier: str, what: What, verdict: str, now: datetime) -> None:
        """Note what the person said of something."""
        values = {"what": what.value, "verdict": verdict, "at": now}
        with writing(self._engine) as connection:
            connection.execute(
                upsert(_rulings)
                .values(id=identifier, **values)
                .on_conflict_do_update(index_elements=[_rulings.c.id], set_=values)
            )

    def unrule(self, identifier: str) -> None:
        """Take it back. Raises ``NotFoundError``."""
        with writing(self._engine) as connection:
            if not connection.execute(delete(_rulings).where(_rulings.c.id == identifier)).rowcount:
                raise NotFoundError("decision", identifier)

    def rulings(self, what: What) -> Mapping[str, str]:
        """Return what was said, by what it was said of."""
        with reading(self._engine) as connection:
            return {
                row.id: row.verdict
                for row in connection.execute(select(_rulings).where(_rulings.c.what == what.value))
            }

    def all_rulings(self) -> list[Ruling]:
        """Return everything that was said, the oldest first."""
        with reading(self._engine) as connection:
            rows = connection.execute(select(_rulings).order_by(_rulings.c.at, _rulings.c.id))
            return [Ruling(row.id, What(row.what), row.verdict, row.at) for row in rows]


def forget_unfounded(connection: Connection) -> None:
    """Delete the sentences that rest on nothing any more: what they said was removed for good."""
    connection.execute(
        delete(_lines).where(
            ~select(_evidence.c.line).where(_evidence.c.line == _lines.c.id).exists()
        )
    )


def _drop(connection: Connection, path: str, keys: Collection[str]) -> None:
    for part in parts(sorted(keys)):
        connection.execute(delete(_lines).where(_lines.c.path == path, _lines.c.key.in_(part)))


def _reflection(connection: Connection, row: Row[Any]) -> Reflection:
    pages = connection.execute(
        select(_pages).where(_pages.c.reflection == row.id).order_by(_pages.c.path)
    )
    changes = tuple(PageChange(each.path, each.before, each.after) for each in pages)
    return Reflection(row.id, row.at, row.documents, changes, row.undone_at)
