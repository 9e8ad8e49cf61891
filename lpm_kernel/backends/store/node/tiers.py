"""The ``ThreadTiers`` port over SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Engine, and_, func, or_, select, update

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.node.threads import thread_of
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.sqlite import reading, writing
from lpm_kernel.domain.chat.threads import Thread, Tier
from lpm_kernel.domain.chat.tiers import ThreadFilter, ThreadMove
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.errors import NotFoundError

_rows, _chats = tables.thread, tables.conversation
_here = (
    select(_rows)
    .join(_chats, _chats.c.id == _rows.c.conversation)
    .where(_chats.c.deleted_at.is_(None))
)


class TierStore:
    """Where threads stand, and what the person said of them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def due(self, tier: Tier, until: datetime) -> list[Thread]:
        """Return the threads of a tier that ended by then, oldest first."""
        return self._oldest_first(_rows.c.tier == tier.value, _rows.c.ended_at <= until)

    def consolidated_since(self, since: datetime) -> list[Thread]:
        """Return the threads that were consolidated, or ended, since then, and are."""
        return self._oldest_first(
            _rows.c.consolidated, or_(_rows.c.ended_at > since, _rows.c.moved_at > since)
        )

    def move(self, moves: Sequence[ThreadMove], at: datetime) -> None:
        """Move threads, all of them or none."""
        with writing(self._engine) as connection:
            for each in moves:
                values: dict[str, object] = {"tier": each.tier.value, "moved_at": at}
                if each.salience is not None:
                    values["salience"] = dict(each.salience)
                if each.consolidated is not None:
                    values["consolidated"] = each.consolidated
                connection.execute(update(_rows).where(_rows.c.id == each.thread).values(**values))

    def told_of(
        self, wanted: ThreadFilter, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Thread], str | None]:
        """Return a page of threads in which something was told, the newest first."""
        query = _here.where(_rows.c.told)
        if wanted.tiers:
            query = query.where(_rows.c.tier.in_([tier.value for tier in wanted.tiers]))
        if wanted.consolidated is not None:
            query = query.where(_rows.c.consolidated.is_(wanted.consolidated))
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection, query, _rows.c.ended_at, _rows.c.id, limit=limit, cursor=cursor
            )
        return [thread_of(row) for row in rows], following

    def counts(self) -> Mapping[tuple[Tier, bool], int]:
        """Count the threads in which something was told, by tier and whether consolidated."""
        query = (
            select(_rows.c.tier, _rows.c.consolidated, func.count())
            .join(_chats, _chats.c.id == _rows.c.conversation)
            .where(_chats.c.deleted_at.is_(None), _rows.c.told)
            .group_by(_rows.c.tier, _rows.c.consolidated)
        )
        with reading(self._engine) as connection:
            return {
                (Tier(tier), bool(consolidated)): count
                for tier, consolidated, count in connection.execute(query)
            }

    def consolidate(self, thread: DocumentId, *, consolidated: bool, wanted: bool = True) -> None:
        """Have a thread be consolidated or not, as the person said."""
        values = {"consolidated": consolidated, "wanted": consolidated if wanted else None}
        with writing(self._engine) as connection:
            changed = connection.execute(update(_rows).where(_rows.c.id == thread).values(**values))
            if not changed.rowcount:
                raise NotFoundError("thread", thread)

    def _oldest_first(self, *wanted: ColumnElement[bool]) -> list[Thread]:
        query = _here.where(and_(*wanted)).order_by(_rows.c.ended_at, _rows.c.id)
        with reading(self._engine) as connection:
            return [thread_of(row) for row in connection.execute(query)]
