"""The ``Discussions`` port over SQL: records of tables, whose entries are added and never changed,
and whose words can go.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import peer_tables, tables
from lpm_kernel.backends.store.node.jobs import new_job_row
from lpm_kernel.backends.store.node.offered import is_open
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.home.erasure import ErasureState
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.ids import STRIKE, JobId
from lpm_kernel.domain.share.discussions import (
    Discussion,
    DiscussionId,
    DiscussionState,
    SaidEntry,
    Seat,
    struck_name,
)
from lpm_kernel.errors import NotFoundError

_rows, _said = peer_tables.discussion, peer_tables.discussion_entry
_NO_WORDS: dict[str, Any] = {"words": None, "basis": [], "documents": []}


class DiscussionStore:
    """Tables, and what was said there."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, discussion: Discussion, opening: SaidEntry) -> None:
        """Keep a new table with its opening."""
        with writing(self._engine) as connection:
            connection.execute(insert(_rows).values(**_row(discussion)))
            connection.execute(insert(_said).values(**_values(discussion.id, opening)))

    def bring_in(self, discussion: Discussion, said: Sequence[SaidEntry]) -> bool:
        """Keep a table from an archive with its record."""
        known = select(_rows.c.id).where(_rows.c.id == discussion.id)
        buried = select(tables.tombstone.c.id).where(tables.tombstone.c.id == discussion.id)
        with writing(self._engine) as connection:
            if any(connection.execute(each).first() is not None for each in (known, buried)):
                return False
            connection.execute(insert(_rows).values(**_row(discussion)))
            connection.execute(insert(_said), [_values(discussion.id, each) for each in said])
        return True

    def get(self, discussion: DiscussionId) -> Discussion:
        """Return one."""
        with reading(self._engine) as connection:
            row = connection.execute(_counted().where(_rows.c.id == discussion)).first()
        if row is None:
            raise NotFoundError("discussion", discussion)
        return _discussion(row)

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Discussion], str | None]:
        """Return the newest first."""
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection,
                _counted(),
                _rows.c.opened_at,
                _rows.c.id,
                limit=limit,
                cursor=cursor,
            )
        return [_discussion(row) for row in rows], following

    def going_on(self) -> list[DiscussionId]:
        """Name the tables that are open, those that waited longest first."""
        wanted = (
            select(_rows.c.id)
            .where(_rows.c.state == DiscussionState.OPEN.value)
            .order_by(_rows.c.changed_at, _rows.c.id)
        )
        with reading(self._engine) as connection:
            return [DiscussionId(each) for each in connection.execute(wanted).scalars()]

    def entries(self, discussion: DiscussionId, after: int = -1) -> list[SaidEntry]:
        """Return what was said there, in its order, after a number."""
        wanted = (
            select(_said, _withheld())
            .where(_said.c.discussion == discussion, _said.c.n > after)
            .order_by(_said.c.n)
        )
        with reading(self._engine) as connection:
            return [_entry(row) for row in connection.execute(wanted)]

    def append(
        self,
        discussion: DiscussionId,
        entry: SaidEntry,
        state: DiscussionState,
        gone: Collection[int] = (),
    ) -> bool:
        """Add the next entry with what the table is then, and drop the words that are gone."""
        mine = _said.c.discussion == discussion
        with writing(self._engine) as connection:
            newest = connection.execute(select(func.max(_said.c.n)).where(mine)).scalar()
            if newest is None:
                raise NotFoundError("discussion", discussion)
            if entry.n != newest + 1 or not _are_there(connection, entry.documents):
                return False
            connection.execute(insert(_said).values(**_values(discussion, entry)))
            _strike(connection, discussion, sorted(gone), entry.at)
            connection.execute(
                update(_rows)
                .where(_rows.c.id == discussion)
                .values(state=state.value, changed_at=entry.at)
            )
        return True

    def keep(self, discussion: DiscussionId, n: int, document: str | None) -> None:
        """Note which document the person made of an entry."""
        mine = (_said.c.discussion == discussion) & (_said.c.n == n)
        with writing(self._engine) as connection:
            connection.execute(update(_said).where(mine).values(kept=document))

    def delete(self, discussion: DiscussionId, at: datetime) -> None:
        """Delete a table with all that was said; a backup does not bring it back."""
        with writing(self._engine) as connection:
            gone = delete(_rows).where(_rows.c.id == discussion)
            if not connection.execute(gone).rowcount:
                raise NotFoundError("discussion", discussion)
            _take_out(connection, [discussion], at)


def _strike(
    connection: Connection, discussion: DiscussionId, gone: Sequence[int], at: datetime | None
) -> None:
    """Drop the words of entries that have some still."""
    mine = (_said.c.discussion == discussion, _said.c.words.is_not(None))
    struck: list[int] = []
    for part in parts(list(gone)):
        which = (*mine, _said.c.n.in_(part))
        struck += connection.execute(select(_said.c.n).where(*which)).scalars()
        connection.execute(update(_said).where(*which).values(**_NO_WORDS))
    if struck and at is not None:
        _take_out(connection, [struck_name(discussion, n) for n in struck], at)


def _take_out(connection: Connection, names: Sequence[str], at: datetime) -> None:
    """Remember that this is gone, and queue the job that takes it out of backups, free pages and
    logs.
    """
    for each in names:
        buried = upsert(tables.tombstone).values(id=each, at=at)
        connection.execute(buried.on_conflict_do_nothing())
    token = secrets.token_hex(8)
    erasure, job = f"{STRIKE}{token}", JobId(f"j_{token}")
    row = {
        "id": erasure,
        "token": erasure,
        "state": ErasureState.CONFIRMED.value,
        "created_at": at,
        "expires_at": at,
        "documents": [],
        "conversations": [],
        "turns": list(names),
        "job": job,
    }
    connection.execute(insert(tables.erasure).values(**row))
    work = new_job_row(job, "erase", Lane.ERASE, None, at, {"erasure": erasure})
    connection.execute(insert(tables.job).values(**work))


def forget_said(connection: Connection, documents: Sequence[str]) -> None:
    """Drop the words of what was made from these documents. The entries stay, and their hashes."""
    for part in parts(list(documents)):
        named = func.json_each(_said.c.documents).table_valued("value")
        made_of = select(named.c.value).where(named.c.value.in_(part)).exists()
        connection.execute(update(_said).where(made_of).values(**_NO_WORDS))


def forget_discussions(connection: Connection, erased: Sequence[str]) -> None:
    """Delete the tables among what was erased in another state of this home, and drop the words
    that were struck in it.
    """
    named = _said.c.discussion.concat(".").concat(_said.c.n)
    for part in parts(list(erased)):
        connection.execute(delete(_rows).where(_rows.c.id.in_(part)))
        connection.execute(update(_said).where(named.in_(part)).values(**_NO_WORDS))


def _are_there(connection: Connection, documents: Sequence[str]) -> bool:
    """Tell whether nothing that words were made from was erased, made private or put away while
    they were made.
    """
    known = tables.document.alias("made_of")
    return all(
        connection.execute(
            select(func.count()).where(known.c.id.in_(part), is_open(known.c.id))
        ).scalar()
        == len(part)
        for part in parts(sorted(set(documents)))
    )


def _withheld() -> ColumnElement[bool]:
    """Say in SQL that something that an entry was made from is not open any more."""
    named = func.json_each(_said.c.documents).table_valued("value")
    return select(named.c.value).where(~is_open(named.c.value)).exists().label("withheld")


def _counted() -> Select[Any]:
    count = (
        select(func.count())
        .select_from(_said)
        .where(_said.c.discussion == _rows.c.id)
        .scalar_subquery()
    )
    return select(_rows, count.label("entries"))


def _row(discussion: Discussion) -> dict[str, Any]:
    return {
        "id": discussion.id,
        "opened_at": discussion.opened_at,
        "changed_at": discussion.changed_at,
        "state": discussion.state.value,
        "seats": [asdict(seat) for seat in discussion.seats],
        "template": discussion.template,
        "tags": list(discussion.tags),
    }


def _values(discussion: DiscussionId, entry: SaidEntry) -> dict[str, Any]:
    return {
        "discussion": discussion,
        "n": entry.n,
        "entry": entry.entry,
        "words": entry.words,
        "at": entry.at,
        "documents": list(entry.documents),
        "basis": [dict(each) for each in entry.basis],
        "kept": entry.kept,
    }


def _discussion(row: Row[Any]) -> Discussion:
    return Discussion(
        DiscussionId(row.id),
        row.opened_at,
        row.changed_at,
        DiscussionState(row.state),
        tuple(Seat(**seat) for seat in row.seats),
        row.template,
        tuple(row.tags),
        row.entries,
    )


def _entry(row: Row[Any]) -> SaidEntry:
    return SaidEntry(
        row.n,
        row.entry,
        row.words,
        row.at,
        tuple(row.documents),
        tuple(row.basis),
        row.kept,
        bool(row.withheld),
    )
