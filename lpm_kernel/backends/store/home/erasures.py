"""The ``Erasures`` port over SQL: the intent is recorded before anything goes, and each step can be
done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.node.audit import AuditStore, add
from lpm_kernel.backends.store.node.conversations import discard_turns, rewrite_turns
from lpm_kernel.backends.store.node.documents import order_removal
from lpm_kernel.backends.store.node.entities import forget_baseless
from lpm_kernel.backends.store.node.jobs import job_from_row, new_job_row
from lpm_kernel.backends.store.node.profile import forget_unsaid
from lpm_kernel.backends.store.node.reflections import forget_unfounded
from lpm_kernel.backends.store.node.runs import forget_learned
from lpm_kernel.backends.store.node.threads import thread_row
from lpm_kernel.backends.store.peers.contacts import forget_contacts
from lpm_kernel.backends.store.peers.discussions import forget_discussions, forget_said
from lpm_kernel.backends.store.peers.post import forget_answers
from lpm_kernel.backends.store.sqlite import compact, parts, reading, writing
from lpm_kernel.domain.chat.conversations import Turn
from lpm_kernel.domain.home.audit import AuditKind, Fact
from lpm_kernel.domain.home.erasure import Discard, Doomed, Erasure, ErasureState
from lpm_kernel.domain.home.jobs import Job, Lane
from lpm_kernel.domain.ids import (
    DISCARD,
    TURN,
    ConversationId,
    DocumentId,
    JobId,
    TurnId,
    is_thread,
)
from lpm_kernel.errors import NotFoundError

_rows = tables.erasure
_UNDER_WAY = (ErasureState.CONFIRMED.value, ErasureState.CLEANED.value)
REPORTING = ("verify", "import")
"""Kinds of work whose reports name documents."""


class ErasureStore:
    """What the person asked to be gone for good, step by step."""

    def __init__(self, engine: Engine, audit: AuditStore) -> None:
        self._engine, self._audit = engine, audit

    def propose(self, erasure: Erasure, token_hash: str) -> None:
        """Record a request; requests that expired unconfirmed are forgotten."""
        with writing(self._engine) as connection:
            connection.execute(
                delete(_rows).where(
                    _rows.c.state == ErasureState.PROPOSED.value,
                    _rows.c.expires_at <= erasure.created_at,
                )
            )
            values = {
                "id": erasure.id,
                "token": token_hash,
                "state": erasure.state.value,
                "created_at": erasure.created_at,
                "expires_at": erasure.expires_at,
            }
            connection.execute(
                insert(_rows).values(
                    **values,
                    documents=[_bare(doomed) for doomed in erasure.documents],
                    conversations=list(erasure.conversations),
                )
            )

    def by_token(self, token_hash: str) -> Erasure | None:
        """Return the request of this token."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_rows).where(_rows.c.token == token_hash)).first()
            return None if row is None else _erasure(row)

    def get(self, erasure: str) -> Erasure:
        """Return one."""
        with reading(self._engine) as connection:
            return _get(connection, erasure)

    def confirm(
        self, erasure: str, job: JobId, now: datetime, rewrite: Callable[[Turn], Turn]
    ) -> Job:
        """Take the rows away, put every turn through ``rewrite``, leave tombstones, queue the
        job.
        """
        with writing(self._engine) as connection:
            known = _get(connection, erasure)
            if known.job is not None:
                return job_from_row(
                    connection.execute(select(tables.job).where(tables.job.c.id == known.job)).one()
                )
            documents = _as_they_are(connection, known.documents)
            forget(connection, [doomed.id for doomed in documents], known.conversations)
            for each in connection.execute(select(tables.conversation.c.id)).scalars().all():
                rewrite_turns(connection, each, rewrite)
            forget_unsaid(connection)
            for each in (*(document.id for document in documents), *known.conversations):
                connection.execute(
                    upsert(tables.tombstone).values(id=each, at=now).on_conflict_do_nothing()
                )
            connection.execute(
                insert(tables.job).values(
                    **new_job_row(job, "erase", Lane.ERASE, None, now, {"erasure": erasure})
                )
            )
            values = {
                "state": ErasureState.CONFIRMED.value,
                "job": job,
                "documents": [asdict(doomed) for doomed in documents],
            }
            connection.execute(update(_rows).where(_rows.c.id == erasure).values(**values))
            return job_from_row(
                connection.execute(select(tables.job).where(tables.job.c.id == job)).one()
            )

    def discard(self, discard: Discard, job: JobId, now: datetime) -> Job | None:
        """Take the words away, and queue the job that takes out their traces."""
        erasure = DISCARD + job.removeprefix("j_")
        with writing(self._engine) as connection:
            turns = _reduce(connection, discard)
            dropped = tables.thread.c.conversation.in_(discard.threadless)
            connection.execute(delete(tables.thread).where(dropped))
            ids = [doomed.id for doomed in discard.documents]
            documents = _as_they_are(connection, discard.documents)
            there = _there(connection, ids, discard.conversations)
            if not turns and not there:
                return None
            forget(connection, ids, discard.conversations)
            everywhere = discard.everywhere or bool(ids)
            for each in (*ids, *discard.conversations, *(turns if everywhere else ())):
                connection.execute(
                    upsert(tables.tombstone).values(id=each, at=now).on_conflict_do_nothing()
                )
            state = ErasureState.CONFIRMED if everywhere else ErasureState.CLEANED
            values = {
                "id": erasure,
                "token": erasure,
                "state": state.value,
                "created_at": now,
                "expires_at": now,
                "documents": [asdict(doomed) for doomed in documents],
                "conversations": list(discard.conversations),
                "turns": turns,
                "job": job,
            }
            connection.execute(insert(_rows).values(**values))
            row = new_job_row(job, "erase", Lane.ERASE, None, now, {"erasure": erasure})
            connection.execute(insert(tables.job).values(**row))
            return job_from_row(
                connection.execute(select(tables.job).where(tables.job.c.id == job)).one()
            )

    def clean(self, erasure: str, now: datetime, facts: Mapping[str, Fact]) -> None:
        """Forget titles and names, and write it into the audit chain, once."""
        with self._audit.recording() as connection:
            known = _get(connection, erasure)
            if known.state is ErasureState.CONFIRMED:
                values = {
                    "state": ErasureState.CLEANED.value,
                    "documents": [_bare(doomed) for doomed in known.documents],
                }
                connection.execute(update(_rows).where(_rows.c.id == erasure).values(**values))
                _forget_reports(connection)
                if known.is_discard:
                    return
                add(connection, now, AuditKind.ERASED, {"erasure": erasure, **facts})

    def done(self, erasure: str) -> None:
        """Nothing is left to do."""
        with writing(self._engine) as connection:
            connection.execute(
                update(_rows).where(_rows.c.id == erasure).values(state=ErasureState.DONE.value)
            )

    def unfinished(self) -> list[Erasure]:
        """Return what was confirmed and is not done."""
        with reading(self._engine) as connection:
            return [
                _erasure(row)
                for row in connection.execute(select(_rows).where(_rows.c.state.in_(_UNDER_WAY)))
            ]

    def tombstones(self) -> dict[str, datetime]:
        """Return the ids of everything that was erased, and when."""
        with reading(self._engine) as connection:
            return {row.id: row.at for row in connection.execute(select(tables.tombstone))}

    def take_over(self, tombstones: Mapping[str, datetime]) -> None:
        """Apply tombstones of another state of this home: their rows go, and they are remembered
        here too.
        """
        with writing(self._engine) as connection:
            turns = [each for each in tombstones if each.startswith(TURN)]
            forget(connection, list(tombstones), list(tombstones), turns)
            forget_contacts(connection, list(tombstones))
            forget_discussions(connection, tombstones)
            for each, at in tombstones.items():
                connection.execute(
                    upsert(tables.tombstone).values(id=each, at=at).on_conflict_do_nothing()
                )

    def compact(self) -> None:
        """Leave no trace of removed rows in free pages and the write-ahead log."""
        compact(self._engine)


def _reduce(connection: Connection, discard: Discard) -> list[str]:
    """Put the threads in the place of those that had the words of their turns, and return the ids
    of the turns. What another process reduced meanwhile stays as it is.
    """
    found: list[str] = []
    rows, turn = tables.thread.c, tables.turn.c
    for before, thread in discard.reduced:
        mine = (rows.id == before) & ~rows.reduced
        if connection.execute(select(rows.id).where(mine)).first() is None:
            continue
        said = select(turn.id).where(
            turn.conversation == thread.conversation,
            turn.position.between(thread.number - 1, thread.last_number - 1),
        )
        turns = [str(each) for each in connection.execute(said).scalars()]
        discard_turns(connection, turns, [each.text for each in thread.summary])
        connection.execute(delete(tables.thread).where(rows.id == before))
        connection.execute(insert(tables.thread).values(**thread_row(thread)))
        found += turns
    return found


def _there(connection: Connection, documents: list[DocumentId], chats: Sequence[str]) -> bool:
    for table, ids in ((tables.document, documents), (tables.conversation, chats)):
        if connection.execute(select(table.c.id).where(table.c.id.in_(ids)).limit(1)).first():
            return True
    return False


def forget(
    connection: Connection,
    documents: list[DocumentId] | list[str],
    conversations: tuple[ConversationId, ...] | list[str],
    turns: Sequence[str] = (),
) -> None:
    """Delete documents with their jobs, chats with their turns, and what other jobs said: they name
    documents. Of ``turns`` the words go.
    """
    discard_turns(connection, turns)
    _divide_again(connection, documents)
    for table, ids in (
        (tables.document, [str(document) for document in documents]),
        (tables.conversation, [str(conversation) for conversation in conversations]),
    ):
        for part in parts(ids):
            if table is tables.document:
                order_removal(connection, part)
                forget_learned(connection, part)
            connection.execute(delete(table).where(table.c.id.in_(part)))
    forget_unsaid(connection)
    if documents:
        forget_answers(connection, [str(document) for document in documents])
        forget_said(connection, [str(document) for document in documents])
        forget_baseless(connection)
        forget_unfounded(connection)
        _forget_reports(connection)


def _divide_again(connection: Connection, documents: Sequence[str]) -> None:
    """Forget the threads of which what was told is erased, so that their chats are divided again
    from the words that are there.
    """
    rows, chats = tables.thread.c, tables.conversation
    for part in parts([each for each in documents if is_thread(each)]):
        mine = select(rows.conversation).where(rows.id.in_(part)).distinct()
        of = list(connection.execute(mine).scalars())
        gone = rows.id.in_(part) | ~rows.reduced
        connection.execute(delete(tables.thread).where(rows.conversation.in_(of), gone))
        connection.execute(update(chats).where(chats.c.id.in_(of)).values(settled_at=None))


def _forget_reports(connection: Connection) -> None:
    job = tables.job.c
    connection.execute(
        delete(tables.job).where(
            job.document.is_(None), job.kind.in_(REPORTING), job.ended_at.is_not(None)
        )
    )


def _as_they_are(connection: Connection, documents: tuple[Doomed, ...]) -> list[Doomed]:
    """Return the documents with the titles and names that they have now; those that are gone
    already stay as they were.
    """
    found: dict[str, Doomed] = {doomed.id: doomed for doomed in documents}
    columns = tables.document.c
    ids = list(found)
    for part in parts(ids):
        for row in connection.execute(
            select(columns.id, columns.sha256, columns.title, columns.name).where(
                columns.id.in_(part)
            )
        ):
            found[row.id] = Doomed(DocumentId(row.id), row.sha256, row.title, row.name)
    return list(found.values())


def _bare(doomed: Doomed) -> dict[str, str]:
    return {"id": doomed.id, "sha256": ""}


def _get(connection: Connection, erasure: str) -> Erasure:
    row = connection.execute(select(_rows).where(_rows.c.id == erasure)).first()
    if row is None:
        raise NotFoundError("erasure", erasure)
    return _erasure(row)


def _erasure(row: Row[Any]) -> Erasure:
    return Erasure(
        id=row.id,
        state=ErasureState(row.state),
        created_at=row.created_at,
        expires_at=row.expires_at,
        documents=tuple(Doomed(**document) for document in row.documents),
        conversations=tuple(ConversationId(conversation) for conversation in row.conversations),
        job=None if row.job is None else JobId(row.job),
        turns=tuple(map(TurnId, row.turns)),
    )
