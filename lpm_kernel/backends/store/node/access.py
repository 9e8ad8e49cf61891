"""The ``Access`` and ``Departures`` ports over SQL. Secrets come in as hashes; none is ever stored
in the clear.
"""

from __future__ import annotations

import logging
import sqlite3
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, Row, Update, delete, func, insert, select, update
from sqlalchemy.exc import OperationalError

from lpm_kernel.backends.store.node import peer_tables, tables
from lpm_kernel.backends.store.node.audit import AuditStore, add
from lpm_kernel.backends.store.sqlite import reading, writing
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.stores import ApiKey, Browser, Departed
from lpm_kernel.errors import NotFoundError

logger = logging.getLogger(__name__)

CONTACTS = "your contacts"
"""Where what went to other nodes went, in the sentence that says so; ``Post.all_left`` has it one
by one.
"""
NAMED_BY = 16
"""Signs of the hash that name a session; who knows them cannot sign in with them."""
_codes, _sessions, _keys = tables.login_code, tables.web_session, tables.api_key


class AccessStore:
    """Login codes, cookie sessions and keys of programs."""

    def __init__(self, engine: Engine, audit: AuditStore) -> None:
        self._engine, self._audit = engine, audit

    def new_code(self, code_hash: str, expires_at: datetime) -> None:
        """Record a login code."""
        with writing(self._engine) as connection:
            connection.execute(insert(_codes).values(hash=code_hash, expires_at=expires_at))

    def use_code(self, code_hash: str, now: datetime) -> bool:
        """Use a login code up: true once, before it expires. Expired ones are swept on the way."""
        with writing(self._engine) as connection:
            connection.execute(delete(_codes).where(_codes.c.expires_at <= now))
            return (
                connection.execute(delete(_codes).where(_codes.c.hash == code_hash)).rowcount == 1
            )

    def new_session(self, session_hash: str, now: datetime, program: str = "") -> None:
        """Record a cookie session, and which browser has it."""
        with self._audit.recording() as connection:
            add(
                connection,
                now,
                AuditKind.SIGNED_IN,
                {"browser": session_hash[:NAMED_BY], "program": program},
            )
            connection.execute(
                insert(_sessions).values(
                    hash=session_hash, created_at=now, last_used_at=now, program=program
                )
            )

    def session(self, session_hash: str, since: datetime) -> Browser | None:
        """Return the cookie session of this hash, if it is open and began after ``since``."""
        with reading(self._engine) as connection:
            row = connection.execute(
                select(_sessions).where(
                    _sessions.c.hash == session_hash, _sessions.c.created_at > since
                )
            ).first()
            return None if row is None else _browser(row)

    def all_sessions(self, since: datetime) -> list[Browser]:
        """Return the cookie sessions that began after ``since``, newest first."""
        query = (
            select(_sessions)
            .where(_sessions.c.created_at > since)
            .order_by(_sessions.c.created_at.desc(), _sessions.c.hash)
        )
        with reading(self._engine) as connection:
            return [_browser(row) for row in connection.execute(query)]

    def end_session(self, browser: str, now: datetime) -> None:
        """Sign a browser out now."""
        named = func.substr(_sessions.c.hash, 1, NAMED_BY) == browser
        with self._audit.recording() as connection:
            if connection.execute(delete(_sessions).where(named)).rowcount == 0:
                raise NotFoundError("browser", browser)
            add(connection, now, AuditKind.SIGNED_OUT, {"browser": browser})

    def used_session(self, browser: str, now: datetime) -> None:
        """Note that a browser called."""
        self._note(
            update(_sessions)
            .where(func.substr(_sessions.c.hash, 1, NAMED_BY) == browser)
            .values(last_used_at=now)
        )

    def used_key(self, key_id: str, now: datetime) -> None:
        """Note that a program called with a key."""
        self._note(update(_keys).where(_keys.c.id == key_id).values(last_used_at=now))

    def _note(self, change: Update) -> None:
        """Write when somebody called. A disk that takes nothing more is no reason to turn them
        away.
        """
        try:
            with writing(self._engine) as connection:
                connection.execute(change)
        except (OperationalError, sqlite3.OperationalError) as error:
            logger.warning(
                "When a caller was last here could not be noted: %s", type(error).__name__
            )

    def new_key(self, key: ApiKey, key_hash: str) -> None:
        """Record a key."""
        with self._audit.recording() as connection:
            add(
                connection,
                key.created_at,
                AuditKind.KEY_CREATED,
                {"key": key.id, "scopes": key.scopes},
            )
            connection.execute(
                insert(_keys).values(
                    id=key.id,
                    hash=key_hash,
                    name=key.name,
                    scopes=list(key.scopes),
                    created_at=key.created_at,
                )
            )

    def key(self, key_hash: str) -> ApiKey | None:
        """Return the key of this hash."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_keys).where(_keys.c.hash == key_hash)).first()
            return None if row is None else _key(row)

    def all_keys(self) -> list[ApiKey]:
        """Return all keys, newest first."""
        with reading(self._engine) as connection:
            return [
                _key(row)
                for row in connection.execute(
                    select(_keys).order_by(_keys.c.created_at.desc(), _keys.c.id)
                )
            ]

    def revoke_key(self, key_id: str, now: datetime) -> None:
        """End a key now."""
        with self._audit.recording() as connection:
            if connection.execute(delete(_keys).where(_keys.c.id == key_id)).rowcount == 0:
                raise NotFoundError("key", key_id)
            add(connection, now, AuditKind.KEY_REVOKED, {"key": key_id})


class DepartureStore:
    """What left this machine: where to and how much, never what."""

    def __init__(self, engine: Engine, audit: AuditStore) -> None:
        self._engine, self._audit = engine, audit

    def record(self, at: datetime, host: str, size: int, why: str) -> None:
        """Record that bytes are about to leave; called before they do."""
        with self._audit.recording() as connection:
            add(connection, at, AuditKind.LEFT, {"host": host, "bytes": size, "why": why})
            connection.execute(insert(tables.egress).values(at=at, host=host, bytes=size, why=why))

    def total(self) -> tuple[int, list[str]]:
        """Return how many bytes left since the home was made, and the hosts that they went to."""
        with reading(self._engine) as connection:
            size = int(
                connection.execute(
                    select(func.coalesce(func.sum(tables.egress.c.bytes), 0))
                ).scalar_one()
            )
            hosts = list(
                connection.execute(
                    select(tables.egress.c.host).distinct().order_by(tables.egress.c.host)
                ).scalars()
            )
            to_contacts = int(
                connection.execute(
                    select(func.coalesce(func.sum(peer_tables.peer_sent.c.bytes), 0))
                ).scalar_one()
            )
            return size + to_contacts, [*hosts, *([CONTACTS] if to_contacts else [])]

    def by_host(self) -> list[Departed]:
        """Return what left for models and embedders elsewhere, host by host, the latest first."""
        rows = tables.egress.c
        first, last = func.min(rows.at).label("first_at"), func.max(rows.at).label("last_at")
        query = select(
            rows.host,
            rows.why,
            func.count().label("times"),
            func.sum(rows.bytes).label("bytes"),
            first,
            last,
        )
        with reading(self._engine) as connection:
            found = connection.execute(
                query.group_by(rows.host, rows.why).order_by(last.desc(), rows.host, rows.why)
            ).all()
        return [
            Departed(row.host, row.why, row.times, row.bytes, row.first_at, row.last_at)
            for row in found
        ]


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(row.id, row.name, tuple(row.scopes), row.created_at, row.last_used_at)


def _browser(row: Row[Any]) -> Browser:
    return Browser(row.hash[:NAMED_BY], row.program, row.created_at, row.last_used_at)
