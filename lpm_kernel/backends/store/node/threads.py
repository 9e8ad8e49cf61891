"""The ``Threads`` port over SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, Row, delete, insert, or_, select, update

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.chat.conversations import Keeping, PartKind
from lpm_kernel.domain.chat.threads import (
    OpenChat,
    SentenceKind,
    Thread,
    ThreadEnd,
    ThreadSentence,
    Tier,
)
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.errors import NotFoundError

_rows, _chats = tables.thread, tables.conversation


class ThreadStore:
    """The threads of all chats that have ended."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, threads: Sequence[Thread]) -> list[Thread]:
        """Record threads, and return those that were not recorded before."""
        added: list[Thread] = []
        with writing(self._engine) as connection:
            for thread in threads:
                same = (_rows.c.conversation == thread.conversation) & (
                    _rows.c.first == thread.first
                )
                there = select(_chats.c.id).where(_chats.c.id == thread.conversation)
                overlaps = (
                    (_rows.c.conversation == thread.conversation)
                    & (_rows.c.number <= thread.last_number)
                    & (_rows.c.last_number >= thread.number)
                )
                if (
                    connection.execute(select(_rows.c.id).where(same | overlaps)).first() is None
                    and connection.execute(there).first() is not None
                ):
                    connection.execute(insert(_rows).values(**thread_row(thread)))
                    added.append(thread)
        return added

    def of(self, conversation: ConversationId) -> list[Thread]:
        """Return the threads of a chat, oldest first."""
        wanted = select(_rows).where(_rows.c.conversation == conversation)
        with reading(self._engine) as connection:
            return [thread_of(row) for row in connection.execute(wanted.order_by(_rows.c.number))]

    def many(self, threads: Sequence[DocumentId]) -> dict[DocumentId, Thread]:
        """Return those of these that there are."""
        found: dict[DocumentId, Thread] = {}
        with reading(self._engine) as connection:
            for part in parts(list(dict.fromkeys(threads))):
                for row in connection.execute(select(_rows).where(_rows.c.id.in_(part))):
                    found[DocumentId(row.id)] = thread_of(row)
        return found

    def conversation_of(self, thread: DocumentId) -> ConversationId | None:
        """Return the chat that a thread is of."""
        with reading(self._engine) as connection:
            found = connection.execute(
                select(_rows.c.conversation).where(_rows.c.id == thread)
            ).scalar()
        return None if found is None else ConversationId(found)

    def between(self, since: datetime, until: datetime, limit: int) -> list[Thread]:
        """Return the threads that began in a time, of chats that are there, oldest first."""
        wanted = (
            select(_rows)
            .join(_chats, _chats.c.id == _rows.c.conversation)
            .where(
                _chats.c.deleted_at.is_(None),
                _rows.c.started_at >= since,
                _rows.c.started_at < until,
            )
            .order_by(_rows.c.started_at, _rows.c.number)
            .limit(limit)
        )
        with reading(self._engine) as connection:
            return [thread_of(row) for row in connection.execute(wanted)]

    def latest(self, limit: int) -> list[Thread]:
        """Return the threads that began last, of chats that are there, oldest first."""
        wanted = (
            select(_rows)
            .join(_chats, _chats.c.id == _rows.c.conversation)
            .where(_chats.c.deleted_at.is_(None))
            .order_by(_rows.c.started_at.desc(), _rows.c.number.desc())
            .limit(limit)
        )
        with reading(self._engine) as connection:
            return [thread_of(row) for row in connection.execute(wanted)][::-1]

    def unreduced(self) -> list[Thread]:
        """Return the threads whose words are still there, of chats that keep summaries alone."""
        wanted = (
            select(_rows)
            .join(_chats, _chats.c.id == _rows.c.conversation)
            .where(_chats.c.keeping == Keeping.SUMMARY.value, ~_rows.c.reduced)
            .order_by(_rows.c.conversation, _rows.c.number)
        )
        with reading(self._engine) as connection:
            return [thread_of(row) for row in connection.execute(wanted)]

    def open_chats(self) -> list[OpenChat]:
        """Return the chats in which something was said since they were settled."""
        wanted = select(_chats.c.id, _chats.c.updated_at).where(
            _chats.c.deleted_at.is_(None),
            _chats.c.keeping != Keeping.NONE.value,
            or_(_chats.c.settled_at.is_(None), _chats.c.settled_at < _chats.c.updated_at),
        )
        with reading(self._engine) as connection:
            return [
                OpenChat(ConversationId(row.id), row.updated_at)
                for row in connection.execute(wanted.order_by(_chats.c.updated_at, _chats.c.id))
            ]

    def settle(self, conversation: ConversationId, at: datetime) -> None:
        """Note that every thread has ended of what was said until then."""
        with writing(self._engine) as connection:
            connection.execute(
                update(_chats).where(_chats.c.id == conversation).values(settled_at=at)
            )

    def ids(self, *, put_away: bool = False) -> set[DocumentId]:
        """Name every thread of the chats that are there, or that were put away."""
        away = _chats.c.deleted_at.is_not(None) if put_away else _chats.c.deleted_at.is_(None)
        wanted = select(_rows.c.id).join(_chats, _chats.c.id == _rows.c.conversation).where(away)
        with reading(self._engine) as connection:
            return {DocumentId(each) for each in connection.execute(wanted).scalars()}

    def redivide(self, before: Sequence[DocumentId], after: Sequence[Thread]) -> None:
        """Put threads in the place of others of the same chat, all or none."""
        with writing(self._engine) as connection:
            for identifier in before:
                if not connection.execute(delete(_rows).where(_rows.c.id == identifier)).rowcount:
                    raise NotFoundError("thread", identifier)
            for thread in after:
                connection.execute(insert(_rows).values(**thread_row(thread)))

    def drop(self, conversation: ConversationId) -> list[DocumentId]:
        """Forget the threads of a chat, so that it is divided anew. Returns which there were."""
        mine = _rows.c.conversation == conversation
        with writing(self._engine) as connection:
            known = [
                DocumentId(each)
                for each in connection.execute(
                    select(_rows.c.id).where(mine).order_by(_rows.c.number)
                ).scalars()
            ]
            connection.execute(delete(_rows).where(mine))
            connection.execute(
                update(_chats).where(_chats.c.id == conversation).values(settled_at=None)
            )
        return known


def thread_row(thread: Thread) -> dict[str, Any]:
    """Turn a thread into a row."""
    return vars(thread) | {
        "summary": [sentence_cell(each) for each in thread.summary],
        "reason": thread.reason.value,
        "keywords": list(thread.keywords),
        "spoken": dict(thread.spoken),
        "tier": thread.tier.value,
    }


def thread_of(row: Row[Any]) -> Thread:
    """Read a row."""
    return Thread(
        DocumentId(row.id),
        ConversationId(row.conversation),
        TurnId(row.first),
        TurnId(row.last),
        row.number,
        row.last_number,
        row.started_at,
        row.ended_at,
        ThreadEnd(row.reason),
        tuple(row.keywords),
        row.spoken,
        row.told,
        Tier(row.tier),
        row.moved_at,
        row.salience,
        row.consolidated,
        row.wanted,
        tuple(map(_sentence, row.summary)),
        row.reduced,
    )


def sentence_cell(sentence: ThreadSentence) -> dict[str, Any]:
    """Write a sentence of a summary as JSON."""
    return vars(sentence) | {
        "kind": sentence.kind.value,
        "part": sentence.part and sentence.part.value,
        "documents": list(sentence.documents),
    }


def _sentence(cell: dict[str, Any]) -> ThreadSentence:
    return ThreadSentence(
        TurnId(cell["turn"]),
        cell["number"],
        SentenceKind(cell["kind"]),
        cell["text"],
        cell["speaker"],
        None if cell["part"] is None else PartKind(cell["part"]),
        tuple(map(DocumentId, cell["documents"])),
    )
