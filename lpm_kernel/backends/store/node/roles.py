"""The ``Roles`` port over SQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Engine, Row, delete, insert, select, update

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.sqlite import reading, writing
from lpm_kernel.domain.chat.conversations import Length, Manner
from lpm_kernel.domain.chat.roles import Origin, Role, RoleId, Sees, Speech, as_row
from lpm_kernel.domain.library.documents import DocumentKind
from lpm_kernel.errors import NotFoundError

_rows = tables.role
_there = _rows.c.deleted_at.is_(None)


class RoleStore:
    """The roles that the person keeps."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, role: Role) -> bool:
        """Record a new one."""
        with writing(self._engine) as connection:
            if (
                connection.execute(select(_rows.c.id).where(_rows.c.id == role.id)).first()
                is not None
            ):
                return False
            connection.execute(
                insert(_rows).values(id=role.id, created_at=role.created_at, **_words(role))
            )
        return True

    def get(self, role: RoleId) -> Role:
        """Return one that is there."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_rows).where(_rows.c.id == role, _there)).first()
        if row is None:
            raise NotFoundError("role", role)
        return _role(row)

    def all(self, *, put_away: bool = False) -> list[Role]:
        """Return those that are there, or those that were put away."""
        wanted = (
            select(_rows)
            .where(~_there if put_away else _there)
            .order_by(_rows.c.created_at, _rows.c.id)
        )
        with reading(self._engine) as connection:
            return [_role(row) for row in connection.execute(wanted)]

    def change(self, role: Role) -> Role:
        """Record how it reads now."""
        with writing(self._engine) as connection:
            if not connection.execute(
                update(_rows).where(_rows.c.id == role.id, _there).values(**_words(role))
            ).rowcount:
                raise NotFoundError("role", role.id)
        return self.get(role.id)

    def put_away(self, role: RoleId, at: datetime) -> None:
        """Put it away, so that it can be brought back."""
        with writing(self._engine) as connection:
            if not connection.execute(
                update(_rows).where(_rows.c.id == role, _there).values(deleted_at=at)
            ).rowcount:
                raise NotFoundError("role", role)

    def bring_back(self, role: RoleId) -> Role:
        """Bring back what was put away."""
        with writing(self._engine) as connection:
            connection.execute(update(_rows).where(_rows.c.id == role).values(deleted_at=None))
        return self.get(role)

    def let_go(self, before: datetime) -> int:
        """Delete for good what was put away before then."""
        with writing(self._engine) as connection:
            return connection.execute(delete(_rows).where(_rows.c.deleted_at < before)).rowcount


def _words(role: Role) -> dict[str, Any]:
    words = as_row(role)
    return {
        **words,
        "sees": {**words["sees"], "private": role.sees.private},
        "origin": role.origin.value,
        "updated_at": role.updated_at,
    }


def _role(row: Row[Any]) -> Role:
    speech, sees = row.speech, row.sees
    return Role(
        RoleId(row.id),
        row.name,
        row.purpose,
        row.prompt,
        row.seal,
        Speech(
            speech["style"],
            Length(speech["length"]),
            Manner(speech["manner"]),
            float(speech["temperature"]),
        ),
        Sees(
            tuple(sees["tags"]),
            tuple(map(DocumentKind, sees["kinds"])),
            tuple(sees["memory_kinds"]),
            sees["folder"],
            None if sees["since"] is None else datetime.fromisoformat(sees["since"]),
            None if sees["until"] is None else datetime.fromisoformat(sees["until"]),
            sees["private"],
        ),
        Origin(row.origin),
        row.created_at,
        row.updated_at,
        row.deleted_at,
    )
