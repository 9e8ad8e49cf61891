"""What others may still have of a document that they were to have: nothing once it is private, put
away, or gone. Offers of it end in the step in which it became so.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, update

from lpm_kernel.backends.store.node import peer_tables, tables
from lpm_kernel.backends.store.prepared import Prepared
from lpm_kernel.domain.share.network import OutboxState

_offers, _outbox, _documents = peer_tables.peer_offer, peer_tables.outbox, tables.document
_later = _documents.alias("later")
_asked = peer_tables.discussion_contact.alias("asked_at_table")
_handed = peer_tables.discussion_entry.alias("handed")


def is_open(document: ColumnElement[Any]) -> ColumnElement[bool]:
    """Say in SQL that a document is there, and neither it nor what it gave way to is private or put
    away.
    """
    given_way = select(_later.c.id).where(
        _later.c.id == _documents.c.superseded_by,
        or_(_later.c.private, _later.c.deleted_at.is_not(None)),
    )
    there = select(_documents.c.id).where(
        _documents.c.id == document,
        ~_documents.c.private,
        _documents.c.deleted_at.is_(None),
        ~given_way.exists(),
    )
    return there.exists()


def is_offerable(document: ColumnElement[Any]) -> ColumnElement[bool]:
    """Say in SQL that a document is open, and that no newer version took its place: what was taken
    out of it is not to be had from the one before.
    """
    newest = select(_documents.c.id).where(
        _documents.c.id == document, _documents.c.superseded_by.is_(None)
    )
    return and_(is_open(document), newest.exists())


_STANDS = _offers.c.withdrawn_at.is_(None)
_CLOSED = Prepared(
    select(_offers.c.id).where(_offers.c.ours, _STANDS, ~is_offerable(_offers.c.document)).limit(1)
)


def goes() -> ColumnElement[bool]:
    """Say in SQL that a message of the outbox offers nothing that may not be offered, and hands to
    a table no words that were made from what is not open any more. An offer is named as its
    message; a contact at a table notes theirs.
    """
    mine = (_offers.c.id == _outbox.c.id, _offers.c.ours)
    withheld = select(_offers.c.id).where(*mine, ~(_STANDS & is_offerable(_offers.c.document)))
    made_of = func.json_each(_handed.c.documents).table_valued("value")
    closed = select(made_of.c.value).where(~is_open(made_of.c.value)).exists()
    handed = (
        select(_handed.c.n)
        .join(_asked, _asked.c.discussion == _handed.c.discussion)
        .where(func.json_extract(_asked.c.asked, "$.message") == _outbox.c.id)
        .where(_handed.c.n >= _asked.c.have, _handed.c.words.is_not(None), closed)
    )
    return ~withheld.exists() & ~and_(_outbox.c.verb == "discuss", handed.exists())


def withdraw_closed(connection: Connection, now: datetime) -> int:
    """End the offers of what may not be offered any more, and send no word of them that waits
    still. Returns how many ended.
    """
    ended = 0
    while (closed := _CLOSED.first(connection)) is not None:
        waiting = (_outbox.c.id == closed.id, _outbox.c.state == OutboxState.WAITING.value)
        connection.execute(
            update(_outbox).where(*waiting).values(state=OutboxState.WITHDRAWN.value, link="")
        )
        mine = (_offers.c.id == closed.id, _offers.c.ours)
        connection.execute(update(_offers).where(*mine).values(withdrawn_at=now))
        ended += 1
    return ended
