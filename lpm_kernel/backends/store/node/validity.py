"""The ``Validities`` port over SQL."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, Row, delete, or_, select
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.validity import UNKNOWN, Dated, Validity
from lpm_kernel.errors import NotFoundError

_rows = tables.validity
_THERE = (
    select(tables.document.c.id)
    .where(tables.document.c.id == _rows.c.document, tables.document.c.deleted_at.is_(None))
    .exists()
)


class ValidityStore:
    """From when until when sentences are so."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, dated: Dated) -> None:
        """Keep these dates in the place of those before them."""
        with writing(self._engine) as connection:
            if dated.validity == UNKNOWN:
                connection.execute(
                    delete(_rows).where(_rows.c.id == dated.id, _rows.c.ruling == dated.ruling)
                )
                return
            if (
                connection.execute(
                    select(tables.document.c.id).where(tables.document.c.id == dated.document)
                ).first()
                is None
            ):
                raise NotFoundError("document", dated.document)
            row = _row(dated)
            connection.execute(
                upsert(_rows)
                .values(**row)
                .on_conflict_do_update(index_elements=["id", "ruling"], set_=row)
            )

    def take_back(self, ruling: str) -> None:
        """Forget what a ruling set."""
        with writing(self._engine) as connection:
            connection.execute(delete(_rows).where(_rows.c.ruling == ruling))

    def about(
        self, documents: Collection[DocumentId], memories: Collection[str] = ()
    ) -> list[Dated]:
        """Return what is known of sentences of these documents and of these memories."""
        found: dict[tuple[str, str], Dated] = {}
        with reading(self._engine) as connection:
            for column, wanted in ((_rows.c.document, documents), (_rows.c.id, memories)):
                for part in parts(sorted(set(wanted))):
                    found.update(
                        ((row.id, row.ruling), _dated(row))
                        for row in connection.execute(select(_rows).where(column.in_(part), _THERE))
                    )
        newest = sorted(found.values(), key=lambda each: (each.at, each.id), reverse=True)
        return sorted(newest, key=lambda each: bool(each.ruling))

    def ruled(self, rulings: Collection[str]) -> list[Dated]:
        """Return what these rulings set."""
        found: list[Dated] = []
        with reading(self._engine) as connection:
            for part in parts(sorted({ruling for ruling in rulings if ruling})):
                query = (
                    select(_rows)
                    .where(_rows.c.ruling.in_(part), _THERE)
                    .order_by(_rows.c.ruling, _rows.c.id)
                )
                found += [_dated(row) for row in connection.execute(query)]
        return found

    def during(self, first: datetime, last: datetime, limit: int) -> list[Dated]:
        """Return what was so at any time from ``first`` to ``last``."""
        begun = or_(
            _rows.c.valid_from.is_(None), _rows.c.valid_from < last, _rows.c.valid_from <= first
        )
        going = or_(_rows.c.valid_until.is_(None), _rows.c.valid_until > first)
        query = (
            select(_rows)
            .where(begun, going, _THERE)
            .order_by(_rows.c.valid_from.desc(), _rows.c.id)
            .limit(limit)
        )
        with reading(self._engine) as connection:
            return [_dated(row) for row in connection.execute(query)]

    def all(self) -> list[Dated]:
        """Return everything, oldest first."""
        with reading(self._engine) as connection:
            return [
                _dated(row)
                for row in connection.execute(
                    select(_rows).order_by(_rows.c.at, _rows.c.id, _rows.c.ruling)
                )
            ]


def _row(dated: Dated) -> dict[str, Any]:
    return {
        "id": dated.id,
        "ruling": dated.ruling,
        "document": dated.document,
        "quote": dated.quote,
        "text_version": dated.text_version,
        "start": dated.start,
        "end": dated.end,
        "valid_from": dated.validity.start,
        "valid_until": dated.validity.end,
        "at": dated.at,
    }


def _dated(row: Row[Any]) -> Dated:
    validity = Validity(row.valid_from, row.valid_until)
    return Dated(
        row.id,
        DocumentId(row.document),
        row.quote,
        row.text_version,
        row.start,
        row.end,
        validity,
        row.at,
        row.ruling,
    )
