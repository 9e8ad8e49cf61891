"""The ``Holding`` port over SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime

from sqlalchemy import Engine, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.forgetting import Pin, Use
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.errors import NotFoundError

_uses = tables.memory_use
_pins = tables.memory_pin


class HoldingStore:
    """When statements were used, and which are pinned."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def used(self, uses: Sequence[Use]) -> None:
        """Note uses, one row a memory and day."""
        with writing(self._engine) as connection:
            there: set[str] = set()
            for part in parts(sorted({document for _, document, _ in uses})):
                there.update(
                    connection.execute(
                        select(tables.document.c.id).where(tables.document.c.id.in_(part))
                    ).scalars()
                )
            rows = [
                {"memory": memory, "day": day.isoformat(), "document": document}
                for memory, document, day in uses
                if document in there
            ]
            if rows:
                connection.execute(upsert(_uses).on_conflict_do_nothing(), rows)

    def unused(self, uses: Sequence[Use]) -> None:
        """Take uses back."""
        with writing(self._engine) as connection:
            for memory, _, day in uses:
                same = (_uses.c.memory == memory) & (_uses.c.day == day.isoformat())
                connection.execute(delete(_uses).where(same))

    def uses(self, memories: Collection[MemoryId]) -> Mapping[MemoryId, list[date]]:
        """Return the days on which these were used."""
        found: dict[MemoryId, list[date]] = {}
        with reading(self._engine) as connection:
            for part in parts(sorted(set(memories))):
                for row in connection.execute(
                    select(_uses)
                    .where(_uses.c.memory.in_(part))
                    .order_by(_uses.c.memory, _uses.c.day)
                ):
                    found.setdefault(MemoryId(row.memory), []).append(date.fromisoformat(row.day))
        return found

    def pin(self, memory: MemoryId, document: DocumentId, now: datetime) -> None:
        """Pin one."""
        with writing(self._engine) as connection:
            if (
                connection.execute(
                    select(tables.document.c.id).where(tables.document.c.id == document)
                ).first()
                is None
            ):
                raise NotFoundError("document", document)
            connection.execute(
                upsert(_pins)
                .values(memory=memory, document=document, at=now)
                .on_conflict_do_nothing()
            )

    def unpin(self, memory: MemoryId) -> None:
        """Let one fade again."""
        with writing(self._engine) as connection:
            connection.execute(delete(_pins).where(_pins.c.memory == memory))

    def pinned(self, memories: Collection[MemoryId]) -> set[MemoryId]:
        """Return those of these that are pinned."""
        found: set[MemoryId] = set()
        with reading(self._engine) as connection:
            for part in parts(sorted(set(memories))):
                found.update(
                    MemoryId(each)
                    for each in connection.execute(
                        select(_pins.c.memory).where(_pins.c.memory.in_(part))
                    ).scalars()
                )
        return found

    def pins(self) -> list[Pin]:
        """Return every pin, the oldest first."""
        with reading(self._engine) as connection:
            return [
                Pin(MemoryId(row.memory), DocumentId(row.document), row.at)
                for row in connection.execute(select(_pins).order_by(_pins.c.at, _pins.c.memory))
            ]

    def all_uses(self) -> list[Use]:
        """Return every use, day by day."""
        with reading(self._engine) as connection:
            rows = connection.execute(select(_uses).order_by(_uses.c.day, _uses.c.memory))
            return [
                (MemoryId(row.memory), DocumentId(row.document), date.fromisoformat(row.day))
                for row in rows
            ]
