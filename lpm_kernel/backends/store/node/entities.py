"""The ``EntityDecisions`` port over SQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, select

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.node.audit import AuditStore, add
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import EntityDecision, EntityKind, EntityVerdict, Party
from lpm_kernel.errors import NotFoundError

_rows = tables.entity_decision
_parties = tables.entity_party
ALONG = -1
"""The number under which the documents stand that a split takes along."""


class EntityDecisionStore:
    """What the person decided about entities."""

    def __init__(self, engine: Engine, audit: AuditStore) -> None:
        self._engine, self._audit = engine, audit

    def put(self, decision: EntityDecision) -> None:
        """Record it, and that something was decided."""
        with self._audit.recording() as connection:
            if not _put(connection, decision):
                raise NotFoundError("entity", decision.parties[0].slug)
            add(
                connection,
                decision.at,
                AuditKind.ENTITY_DECIDED,
                {"decision": decision.id, "what": decision.verdict.value},
            )

    def keep(self, decision: EntityDecision) -> None:
        """Record it as it was elsewhere."""
        with writing(self._engine) as connection:
            if (
                connection.execute(select(_rows.c.id).where(_rows.c.id == decision.id)).first()
                is None
            ):
                _put(connection, decision)

    def remove(self, decision: str, now: datetime) -> None:
        """Take it back."""
        with self._audit.recording() as connection:
            if not connection.execute(delete(_rows).where(_rows.c.id == decision)).rowcount:
                raise NotFoundError("decision", decision)
            add(connection, now, AuditKind.ENTITY_TAKEN_BACK, {"decision": decision})

    def all(self) -> list[EntityDecision]:
        """Return every decision, oldest first."""
        documents = tables.document
        now = func.coalesce(documents.c.superseded_by, documents.c.id).label("now")
        with reading(self._engine) as connection:
            decisions = connection.execute(select(_rows).order_by(_rows.c.at, _rows.c.id)).all()
            known = (
                connection.execute(
                    select(_parties, now).join(documents, documents.c.id == _parties.c.document)
                ).all()
                if decisions
                else []
            )
        held: dict[str, dict[int, list[Any]]] = {}
        for row in known:
            held.setdefault(row.decision, {}).setdefault(row.number, []).append(row)
        return [
            _decision(row, held.get(row.id, {})) for row in decisions if 0 in held.get(row.id, {})
        ]


def forget_baseless(connection: Connection) -> None:
    """Delete the decisions that know no entity any more: what they were about was removed for
    good.
    """
    numbers = select(_parties.c.number).where(_parties.c.decision == _rows.c.id)
    alone = ~numbers.where(_parties.c.number != 0).exists() & (
        _rows.c.verdict != EntityVerdict.CHANGE.value
    )
    connection.execute(delete(_rows).where(~numbers.where(_parties.c.number == 0).exists() | alone))


def _put(connection: Connection, decision: EntityDecision) -> bool:
    """Write it down as far as its documents are there. ``False``: nothing of it would hold."""
    kind = None if decision.kind is None else decision.kind.value
    values = {
        "verdict": decision.verdict.value,
        "at": decision.at,
        "name": decision.name,
        "kind": kind,
        "hidden": decision.hidden,
    }
    connection.execute(insert(_rows).values(id=decision.id, **values))
    wanted: list[dict[str, Any]] = [
        {
            "decision": decision.id,
            "number": number,
            "form": form,
            "document": document,
            "slug": party.slug,
            "name": party.name,
        }
        for number, party in enumerate(decision.parties)
        for form, documents in party.forms.items()
        for document in documents
    ]
    wanted += [
        {
            "decision": decision.id,
            "number": ALONG,
            "form": "",
            "document": document,
            "slug": "",
            "name": "",
        }
        for document in decision.documents
    ]
    there: set[str] = set()
    for part in parts(sorted({each["document"] for each in wanted})):
        there.update(
            connection.execute(
                select(tables.document.c.id).where(tables.document.c.id.in_(part))
            ).scalars()
        )
    rows = [each for each in wanted if each["document"] in there]
    for part in parts(rows):
        connection.execute(insert(_parties), part)
    forget_baseless(connection)
    return (
        connection.execute(select(_rows.c.id).where(_rows.c.id == decision.id)).first() is not None
    )


def _decision(row: Any, held: dict[int, list[Any]]) -> EntityDecision:  # noqa: ANN401  rows of two tables
    along = held.get(ALONG, [])
    return EntityDecision(
        id=row.id,
        verdict=EntityVerdict(row.verdict),
        at=row.at,
        parties=tuple(_party(held[number]) for number in sorted(held) if number != ALONG),
        name=row.name,
        kind=None if row.kind is None else EntityKind(row.kind),
        hidden=row.hidden,
        documents=frozenset(DocumentId(each.now) for each in along),
    )


def _party(rows: list[Any]) -> Party:
    forms: dict[str, set[DocumentId]] = {}
    for row in rows:
        forms.setdefault(row.form, set()).add(DocumentId(row.now))
    return Party(
        rows[0].slug, rows[0].name, {form: frozenset(forms[form]) for form in sorted(forms)}
    )
