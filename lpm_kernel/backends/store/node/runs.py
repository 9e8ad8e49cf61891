"""The ``Runs`` port over SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, delete, func, insert, select, update

from lpm_kernel.backends.store.node import audit, tables
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import (
    OF_WEIGHTS,
    Audience,
    Figure,
    InUse,
    Run,
    RunId,
    RunState,
    Scorecard,
    TrainingSource,
    TrainingVerdict,
    with_present_names,
)
from lpm_kernel.errors import NotFoundError

_runs = tables.training_run
_sources = tables.training_source
_uses = tables.training_use


class RunStore:
    """Trainings and their lineage."""

    def __init__(self, engine: Engine, audit_store: audit.AuditStore) -> None:
        self._engine, self._audit = engine, audit_store

    def add(self, run: Run, sources: Sequence[TrainingSource]) -> Run:
        """Note a training and everything that it learns from. The number is given here."""
        with writing(self._engine) as connection:
            number = (connection.execute(select(func.max(_runs.c.number))).scalar() or 0) + 1
            connection.execute(insert(_runs).values(**_values({**_fields(run), "number": number})))
            _learn(connection, run.id, sources)
            return _one(connection, run.id)

    def get(self, run: RunId) -> Run:
        """Return one. Raises ``NotFoundError``."""
        with reading(self._engine) as connection:
            return _one(connection, run)

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Run], str | None]:
        """Return the newest first."""
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection,
                select(_runs),
                _runs.c.created_at,
                _runs.c.id,
                limit=limit,
                cursor=cursor,
            )
            return [_run(row) for row in rows], following

    def change(self, run: RunId, **values: Any) -> Run:  # noqa: ANN401 - fields of ``Run``
        """Change fields of a training and return it. Raises ``NotFoundError``."""
        with writing(self._engine) as connection:
            connection.execute(update(_runs).where(_runs.c.id == run).values(**_values(values)))
            return _one(connection, run)

    def learned(
        self, run: RunId, now: datetime, outcome: Mapping[str, Any], hashes: Mapping[str, str]
    ) -> Run:
        """Note what came of learning, and in the audit that it was learned, both or neither."""
        with self._audit.recording() as connection:
            before = _one(connection, run)
            made = _values({"outcome": outcome, "hashes": hashes})
            connection.execute(update(_runs).where(_runs.c.id == run).values(**made))
            if before.outcome is None:
                facts = {"training": before.number, "memories": _how_many(connection, run)}
                audit.add(connection, now, AuditKind.TRAINED, facts)
            return _one(connection, run)

    def relearn(self, run: RunId, sources: Sequence[TrainingSource]) -> None:
        """Put these in the place of what it learns from."""
        with writing(self._engine) as connection:
            connection.execute(delete(_sources).where(_sources.c.run == run))
            _learn(connection, run, sources)

    def delete(self, run: RunId) -> None:
        """Forget a training. Raises ``NotFoundError``."""
        with writing(self._engine) as connection:
            if not connection.execute(delete(_runs).where(_runs.c.id == run)).rowcount:
                raise NotFoundError("training", run)

    def sources(self, run: RunId) -> list[TrainingSource]:
        """Return what it learned from."""
        with reading(self._engine) as connection:
            rows = connection.execute(
                select(_sources)
                .where(_sources.c.run == run)
                .order_by(_sources.c.memory, _sources.c.document, _sources.c.sha256)
            ).all()
        return [
            TrainingSource(
                MemoryId(row.memory),
                DocumentId(row.document) if row.document else None,
                row.sha256,
            )
            for row in rows
        ]

    def how_many(self, runs: Collection[RunId]) -> dict[RunId, int]:
        """Return how many statements each of these learned from."""
        found = dict.fromkeys(runs, 0)
        with reading(self._engine) as connection:
            for part in parts(sorted(found)):
                counted = (
                    select(_sources.c.run, func.count(_sources.c.memory.distinct()))
                    .where(_sources.c.run.in_(part))
                    .group_by(_sources.c.run)
                )
                found |= {RunId(run): count for run, count in connection.execute(counted)}
        return found

    def knowing(self, memory: MemoryId) -> list[Run]:
        """Return the trainings that learned a statement, the newest first."""
        return self._which(select(_sources.c.run).where(_sources.c.memory == memory))

    def resting_on(self, documents: Collection[DocumentId]) -> list[Run]:
        """Return the trainings that learned something of these documents, but not those whose files
        are gone already.
        """
        found: dict[RunId, Run] = {}
        for part in parts(sorted(documents)):
            found |= {
                run.id: run
                for run in self._which(select(_sources.c.run).where(_sources.c.document.in_(part)))
            }
        return [run for run in found.values() if run.state is not RunState.TAINTED]

    def _which(self, query: Select[Any]) -> list[Run]:
        with reading(self._engine) as connection:
            return [
                _run(row)
                for row in connection.execute(
                    select(_runs).where(_runs.c.id.in_(query)).order_by(_runs.c.number.desc())
                )
            ]

    def in_use(self) -> InUse:
        """Return what answers as the person now."""
        newest = self.used(limit=1)
        return newest[0] if newest else InUse(None, None)

    def used(self, *, limit: int = 100) -> list[InUse]:
        """Return what was in use, the newest first."""
        with reading(self._engine) as connection:
            rows = connection.execute(
                select(_uses).order_by(_uses.c.number.desc()).limit(limit)
            ).all()
        return [InUse(RunId(row.run) if row.run else None, row.since, row.insisted) for row in rows]

    def use(self, run: RunId | None, now: datetime, *, insisted: bool = False) -> InUse:
        """Take a training into use, or the base, and note it in the audit, both or neither."""
        with self._audit.recording() as connection:
            connection.execute(insert(_uses).values(run=run, since=now, insisted=insisted))
            number = _one(connection, run).number if run else 0
            facts = {"training": number, "insisted": insisted}
            audit.add(connection, now, AuditKind.TRAINING_IN_USE, facts)
        return self.in_use()


def _learn(connection: Connection, run: RunId, sources: Sequence[TrainingSource]) -> None:
    rows = [
        {
            "run": run,
            "memory": source.memory,
            "document": source.document or "",
            "sha256": source.sha256,
        }
        for source in dict.fromkeys(sources)
    ]
    if rows:
        connection.execute(insert(_sources), rows)


def forget_learned(connection: Connection, documents: Collection[str]) -> None:
    """Forget the hashes of these documents' texts, and of the rows that were made of them: what is
    short can be guessed from its hash. Those of weights stay.
    """
    for part in parts(sorted(documents)):
        of_them = _sources.c.document.in_(part)
        rows = connection.execute(
            select(_sources.c.run, _sources.c.memory, _sources.c.document).where(of_them).distinct()
        ).all()
        if rows:
            connection.execute(delete(_sources).where(of_them))
            connection.execute(insert(_sources), [row._asdict() for row in rows])
        for run in {row.run for row in rows}:
            hashes = _one(connection, run).hashes
            kept = {name: hashes[name] for name in OF_WEIGHTS & set(hashes)}
            connection.execute(update(_runs).where(_runs.c.id == run).values(hashes=kept))


def _how_many(connection: Connection, run: RunId) -> int:
    """Count the statements that it learned from."""
    counted = select(func.count(_sources.c.memory.distinct())).where(_sources.c.run == run)
    return connection.execute(counted).scalar_one()


def _one(connection: Connection, run: RunId) -> Run:
    row = connection.execute(select(_runs).where(_runs.c.id == run)).first()
    if row is None:
        raise NotFoundError("training", run)
    return _run(row)


def _fields(run: Run) -> dict[str, Any]:
    return {name: getattr(run, name) for name in run.__dataclass_fields__}


def _values(given: dict[str, Any]) -> dict[str, Any]:
    """Give what stands in the row: figures and settings as JSON."""
    found = dict(given)
    for name in ("scorecard", "error"):
        if found.get(name) is not None:
            found[name] = asdict(found[name])
    for name in ("settings", "rows", "left_out", "hashes", "estimate", "outcome"):
        if found.get(name) is not None:
            found[name] = dict(found[name])
    return found


def _run(row: Row[Any]) -> Run:
    values = dict(row._mapping)  # noqa: SLF001  SQLAlchemy's public name for it
    values["id"], values["parent"] = (
        RunId(values["id"]),
        RunId(values["parent"]) if values["parent"] else None,
    )
    values["state"], values["audience"] = RunState(values["state"]), Audience(values["audience"])
    values["settings"] = with_present_names(values["settings"])
    if values["estimate"]:
        values["estimate"] = with_present_names(values["estimate"])
    card, error = values["scorecard"], values["error"]
    values["error"] = Problem(**error) if error else None
    if card:
        arms = {
            name: {measure: Figure(**figure) for measure, figure in arm.items()}
            for name, arm in card["arms"].items()
        }
        values["scorecard"] = Scorecard(
            arms,
            TrainingVerdict(card["verdict"]["better"], tuple(card["verdict"]["reasons"])),
            card["against"],
        )
    return Run(**values)
