"""The ``Decisions`` port over SQL."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, delete, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.node.audit import AuditStore, add
from lpm_kernel.backends.store.node.documents import put_away, receive
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.domain.ids import DocumentId, FindingId, JobId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision, JudgedSentence, Verdict, settles
from lpm_kernel.errors import NotFoundError

_rows = tables.decision
_THERE = ~(
    select(tables.document.c.id)
    .where(
        (tables.document.c.id == _rows.c.document) | (tables.document.c.id == _rows.c.correction),
        tables.document.c.deleted_at.is_not(None),
    )
    .exists()
)
"""Neither the document nor the correction was put away; a decision whose correction was counts for
nothing until it comes back.
"""
_later = _rows.alias()
_CARRIED = (
    select(_later.c.id)
    .join(tables.document, tables.document.c.superseded_by == _later.c.document)
    .where(tables.document.c.id == _rows.c.document, _later.c.quote == _rows.c.quote)
    .exists()
)
"""It is about an older version, and holds in the present one too."""
_SAID = {
    Verdict.KEEP: AuditKind.TAKEN_BACK,
    Verdict.MEND: AuditKind.CORRECTED,
    Verdict.FORGET: AuditKind.FORGOTTEN,
    Verdict.DISMISS: AuditKind.TAKEN_BACK,
}
"""What a decision is called in the audit chain; to keep or dismiss what was struck is to take that
back.
"""
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
"""What was put away then does not wait to come back: the next sweep removes it for good, if a
killed process did not.
"""


class DecisionStore:
    """What the person decided about sentences of documents."""

    def __init__(self, engine: Engine, audit: AuditStore) -> None:
        self._engine, self._audit = engine, audit

    def put(
        self, decision: Decision, correction: Document | None = None
    ) -> tuple[Decision, list[DocumentId]]:
        """Record it, together with the document that holds the correction and the job that reads
        it; another one about the same sentence gives way.
        """
        with self._audit.recording() as connection:
            if correction is not None:
                received, _ = receive(
                    connection,
                    replace(correction, corrects=True),
                    "ingest",
                    Lane.INGEST,
                    JobId("j_" + secrets.token_hex(8)),
                )
                decision = replace(decision, correction=received.id)
            before = connection.execute(select(_rows).where(_rows.c.id == decision.id)).first()
            _put(connection, decision)
            _forget_earlier(connection, decision.document, decision.quote)
            if decision.strikes or (before is not None and _decision(before).strikes):
                kind = _SAID[decision.verdict]
                add(
                    connection,
                    decision.at,
                    kind,
                    {"document": decision.document, "finding": decision.id},
                )
            return decision, _let_go(connection, before, decision.at)

    def put_new(self, decisions: Sequence[Decision]) -> list[Decision | None]:
        """Record those about whose words nothing was decided yet; return what holds now."""
        with self._audit.recording() as connection:
            return [_put_new(connection, decision) for decision in decisions]

    def take_back(self, made: Sequence[tuple[FindingId, datetime]], now: datetime) -> list[bool]:
        """Take back those that are still as they were made at that moment."""
        with self._audit.recording() as connection:
            return [_take_back(connection, finding, at, now) for finding, at in made]

    def keep(self, decision: Decision) -> None:
        """Record it as it was elsewhere."""
        with writing(self._engine) as connection:
            _put(connection, decision)

    def get(self, finding: FindingId) -> Decision:
        """Return one."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_rows).where(_rows.c.id == finding, _THERE)).first()
        if row is None:
            raise NotFoundError("decision", finding)
        return _decision(row)

    def remove(self, finding: FindingId, now: datetime) -> list[DocumentId]:
        """Take it back."""
        with self._audit.recording() as connection:
            before = connection.execute(select(_rows).where(_rows.c.id == finding)).first()
            connection.execute(delete(_rows).where(_rows.c.id == finding))
            if before is not None:
                _forget_earlier(connection, before.document, before.quote)
            if before is not None and _decision(before).strikes:
                add(
                    connection,
                    now,
                    AuditKind.TAKEN_BACK,
                    {"document": before.document, "finding": finding},
                )
            return _let_go(connection, before, now)

    def about(
        self, documents: Collection[DocumentId], *, away: bool = False
    ) -> dict[DocumentId, list[Decision]]:
        """Return what was decided about these documents, and about the corrections that this leads
        to; with ``away`` also where one of them was put away.
        """
        found: dict[DocumentId, list[Decision]] = {}
        wanted = sorted(set(documents))
        with reading(self._engine) as connection:
            while wanted:
                seen = {*wanted, *found}
                further: set[DocumentId] = set()
                for part in parts(wanted):
                    query = (
                        select(_rows)
                        .where(_rows.c.document.in_(part), *([] if away else [_THERE]))
                        .order_by(_rows.c.at, _rows.c.id)
                    )
                    for row in connection.execute(query):
                        decision = _decision(row)
                        found.setdefault(decision.document, []).append(decision)
                        if decision.correction and decision.correction not in seen:
                            further.add(decision.correction)
                wanted = sorted(further)
        return found

    def correcting(
        self, documents: Collection[DocumentId], *, away: bool = False
    ) -> list[Decision]:
        """Return the decisions whose corrections are among these documents; with ``away`` also
        those that rest because something was put away.
        """
        wanted, found = sorted(set(documents)), []
        with reading(self._engine) as connection:
            for part in parts(wanted):
                found += [
                    _decision(row)
                    for row in connection.execute(
                        select(_rows).where(
                            _rows.c.correction.in_(part), *([] if away else [_THERE])
                        )
                    )
                ]
        return found

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Decision], str | None]:
        """Return the newest first."""
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection,
                select(_rows).where(_THERE, ~_CARRIED),
                _rows.c.at,
                _rows.c.id,
                limit=limit,
                cursor=cursor,
            )
        return [_decision(row) for row in rows], following

    def all(self, *, away: bool = False) -> list[Decision]:
        """Return every decision, oldest first; with ``away`` also those that rest because something
        was put away.
        """
        with reading(self._engine) as connection:
            return [
                _decision(row)
                for row in connection.execute(
                    select(_rows)
                    .where(*([] if away else [_THERE]))
                    .order_by(_rows.c.at, _rows.c.id)
                )
            ]

    def count(self) -> int:
        """Count them, on all pages together."""
        with reading(self._engine) as connection:
            counted = select(func.count()).select_from(_rows).where(_THERE, ~_CARRIED)
            return connection.scalar(counted) or 0


def _put(connection: Connection, decision: Decision) -> None:
    for needed in (decision.document, decision.correction):
        if (
            needed
            and connection.execute(
                select(tables.document.c.id).where(tables.document.c.id == needed)
            ).first()
            is None
        ):
            raise NotFoundError("document", needed)
    row = asdict(decision) | {"verdict": decision.verdict.value}
    connection.execute(
        upsert(_rows).values(**row).on_conflict_do_update(index_elements=["id"], set_=row)
    )


def _put_new(connection: Connection, decision: Decision) -> Decision | None:
    """Record a decision unless there is one about the same words, in this text or the one
    before.
    """
    document = connection.execute(
        select(tables.document.c.id).where(
            tables.document.c.id == decision.document,
            tables.document.c.deleted_at.is_(None),
            tables.document.c.superseded_by.is_(None),
        )
    ).first()
    if document is None:
        return None
    said = JudgedSentence(decision.quote, decision.text_version, decision.start, decision.end)
    earlier = select(tables.document.c.id).where(
        tables.document.c.superseded_by == decision.document
    )
    about = (_rows.c.document == decision.document) | (
        _rows.c.document.in_(earlier) & (_rows.c.quote == decision.quote)
    )
    there = select(_rows).where(about).order_by(_rows.c.at, _rows.c.id)
    for known in map(_decision, connection.execute(there).all()):
        if known.document != decision.document or settles(known, said):
            return known
    _put(connection, decision)
    if decision.strikes:
        facts = {"document": decision.document, "finding": decision.id}
        add(connection, decision.at, _SAID[decision.verdict], facts)
    return decision


def _take_back(connection: Connection, finding: FindingId, at: datetime, now: datetime) -> bool:
    """Delete a decision that is still the one of that moment, in every version of its document
    that it was carried to.
    """
    row = connection.execute(select(_rows).where(_rows.c.id == finding)).first()
    if row is None or row.at != at or row.correction is not None:
        return False
    made, document = _decision(row), row.document
    while document is not None:
        same = (_rows.c.document == document) & (_rows.c.quote == made.quote)
        connection.execute(
            delete(_rows).where(same, _rows.c.at == at, _rows.c.correction.is_(None))
        )
        document = connection.scalar(
            select(tables.document.c.superseded_by).where(tables.document.c.id == document)
        )
    _forget_earlier(connection, made.document, made.quote)
    if made.strikes:
        facts = {"document": made.document, "finding": finding}
        add(connection, now, AuditKind.TAKEN_BACK, facts)
    return True


def _forget_earlier(connection: Connection, document: str, quote: str) -> None:
    """Delete what was decided about the same words in older versions: what is said of the present
    one takes its place.
    """
    earlier = select(tables.document.c.id).where(tables.document.c.superseded_by == document)
    connection.execute(delete(_rows).where(_rows.c.document.in_(earlier), _rows.c.quote == quote))


def _let_go(connection: Connection, before: Row[Any] | None, now: datetime) -> list[DocumentId]:
    """Put away the correction of a decision that counts no more, unless it corrects something else,
    and what corrected it in turn.
    """
    gone: list[DocumentId] = []
    waiting = [before.correction] if before is not None and before.correction else []
    documents = tables.document
    while waiting:
        each = waiting.pop()
        needed = (
            select(_rows.c.id)
            .where(_rows.c.correction == each, _rows.c.document.not_in(gone))
            .exists()
        )
        if (
            each not in gone
            and connection.execute(
                select(documents.c.id).where(documents.c.id == each, documents.c.corrects, ~needed)
            ).first()
            is not None
        ):
            gone.append(DocumentId(each))
            waiting += connection.execute(
                select(_rows.c.correction).where(
                    _rows.c.document == each, _rows.c.correction.is_not(None)
                )
            ).scalars()
    put_away(connection, gone, now, deleted_at=LONG_AGO)
    return gone


def _decision(row: Row[Any]) -> Decision:
    return Decision(
        id=FindingId(row.id),
        document=DocumentId(row.document),
        quote=row.quote,
        text_version=row.text_version,
        start=row.start,
        end=row.end,
        verdict=Verdict(row.verdict),
        at=row.at,
        correction=DocumentId(row.correction) if row.correction else None,
    )
