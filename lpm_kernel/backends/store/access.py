"""The ``Access`` and ``Departures`` ports over SQL. Secrets come in as hashes; none is ever stored in the clear."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Engine, Row, delete, func, insert, select

from lpm_kernel.backends.store import peer_tables, tables
from lpm_kernel.backends.store.audit import AuditStore, add
from lpm_kernel.backends.store.sqlite import reading, writing
from lpm_kernel.domain.audit import AuditKind
from lpm_kernel.domain.stores import ApiKey
from lpm_kernel.errors import NotFoundError

CONTACTS = "your contacts"
"""Where what went to other nodes went, in the sentence that says so; ``Post.all_left`` has it one by one."""
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
            return connection.execute(delete(_codes).where(_codes.c.hash == code_hash)).rowcount == 1

    def new_session(self, session_hash: str, now: datetime) -> None:
        """Record a cookie session."""
        with writing(self._engine) as connection:
            connection.execute(insert(_sessions).values(hash=session_hash, created_at=now))

    def knows_session(self, session_hash: str, since: datetime) -> bool:
        """Tell whether a cookie session is open that began after ``since``."""
        with reading(self._engine) as connection:
            return connection.execute(select(_sessions.c.hash).where(_sessions.c.hash == session_hash, _sessions.c.created_at > since)).first() is not None

    def new_key(self, key: ApiKey, key_hash: str) -> None:
        """Record a key."""
        with self._audit.recording() as connection:
            add(connection, key.created_at, AuditKind.KEY_CREATED, {"key": key.id, "scopes": key.scopes})
            connection.execute(insert(_keys).values(id=key.id, hash=key_hash, name=key.name, scopes=list(key.scopes), created_at=key.created_at))

    def key(self, key_hash: str) -> ApiKey | None:
        """Return the key of this hash."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_keys).where(_keys.c.hash == key_hash)).first()
            return None if row is None else _key(row)

    def all_keys(self) -> list[ApiKey]:
        """Return all keys, newest first."""
        with reading(self._engine) as connection:
            return [_key(row) for row in connection.execute(select(_keys).order_by(_keys.c.created_at.desc(), _keys.c.id))]

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
            connection.execute(insert(tables.departure).values(at=at, host=host, bytes=size, why=why))

    def total(self) -> tuple[int, list[str]]:
        """Return how many bytes left since the home was made, and the hosts that they went to."""
        with reading(self._engine) as connection:
            size = int(connection.execute(select(func.coalesce(func.sum(tables.departure.c.bytes), 0))).scalar_one())
            hosts = list(connection.execute(select(tables.departure.c.host).distinct().order_by(tables.departure.c.host)).scalars())
            to_contacts = int(connection.execute(select(func.coalesce(func.sum(peer_tables.peer_sent.c.bytes), 0))).scalar_one())
            return size + to_contacts, [*hosts, *([CONTACTS] if to_contacts else [])]


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(row.id, row.name, tuple(row.scopes), row.created_at)
