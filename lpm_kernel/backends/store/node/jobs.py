"""The ``Jobs`` port over SQL: a table with leases. Every change of state asks
:data:`lpm_kernel.domain.home.jobs.LIFE`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, func, insert, select, update

from lpm_kernel.backends.store.node import tables
from lpm_kernel.backends.store.paging import newest_first
from lpm_kernel.backends.store.sqlite import reading, writing
from lpm_kernel.domain.home.jobs import (
    LEASE_SECONDS,
    MOST_ATTEMPTS,
    Job,
    JobEvent,
    JobState,
    Lane,
    after,
    may_come_from,
)
from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.errors import NotFoundError

_rows = tables.job
_KILLED_TOO_OFTEN = Problem(
    "It stopped several times",
    f"The worker ended {MOST_ATTEMPTS} times while doing this, so it is left alone now.",
    "Try again, or leave this document out. The rest goes on.",
)


class JobStore:
    """Background work with leases: claim, heartbeat, finish."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(
        self,
        kind: str,
        lane: Lane,
        document: DocumentId | None,
        now: datetime,
        request: Mapping[str, Any] | None = None,
    ) -> Job:
        """Queue work; where the same work is queued or running already, return that."""
        with writing(self._engine) as connection:
            same = select(_rows).where(
                _rows.c.kind == kind,
                _rows.c.document == document,
                _rows.c.state.in_([JobState.QUEUED.value, JobState.RUNNING.value]),
            )
            row = connection.execute(same).first() if request is None else None
            if row is None:
                identifier = JobId("j_" + secrets.token_hex(8))
                connection.execute(
                    insert(_rows).values(
                        **new_job_row(identifier, kind, lane, document, now, request)
                    )
                )
                row = _row(connection, identifier)
            return job_from_row(row)

    def get(self, job: JobId) -> Job:
        """Return one."""
        with reading(self._engine) as connection:
            return job_from_row(_row(connection, job))

    def page(
        self,
        *,
        limit: int,
        cursor: str | None = None,
        states: Sequence[JobState] = (),
        kind: str = "",
        open_only: bool = False,
    ) -> tuple[list[Job], str | None]:
        """Return the newest first; ``open_only``: none on a document that is private, or not there
        any more and may have been.
        """
        query = select(_rows)
        if states:
            query = query.where(_rows.c.state.in_([state.value for state in states]))
        if kind:
            query = query.where(_rows.c.kind == kind)
        if open_only:
            there = select(tables.document.c.id).where(
                ~tables.document.c.private, tables.document.c.deleted_at.is_(None)
            )
            query = query.where(_rows.c.document.is_(None) | _rows.c.document.in_(there))
        with reading(self._engine) as connection:
            rows, following = newest_first(
                connection, query, _rows.c.created_at, _rows.c.id, limit=limit, cursor=cursor
            )
        return [job_from_row(row) for row in rows], following

    def latest_for(self, documents: Sequence[DocumentId]) -> dict[DocumentId, Job]:
        """Return the newest job of each document that has one."""
        with reading(self._engine) as connection:
            rows = connection.execute(
                select(_rows)
                .where(_rows.c.document.in_(documents))
                .order_by(_rows.c.created_at, _rows.c.id)
            )
            return {DocumentId(row.document): job_from_row(row) for row in rows}

    def claim(self, lanes: Sequence[Lane], worker: str, now: datetime) -> Job | None:
        """Take the oldest queued job of these lanes, what erases first, with a lease."""
        with writing(self._engine) as connection:
            waiting = select(_rows).where(
                _rows.c.state.in_(_before(JobEvent.CLAIM)),
                _rows.c.lane.in_([lane.value for lane in lanes]),
            )
            row = connection.execute(
                waiting.order_by(
                    _rows.c.lane != Lane.ERASE.value, _rows.c.created_at, _rows.c.id
                ).limit(1)
            ).first()
            if row is None:
                return None
            self._move(
                connection,
                _rows.c.id == row.id,
                JobEvent.CLAIM,
                worker=worker,
                lease_until=_lease(now),
                attempts=row.attempts + 1,
            )
            return job_from_row(_row(connection, JobId(row.id)))

    def heartbeat(
        self, job: JobId, worker: str, now: datetime, *, progress: float, step: str, message: str
    ) -> bool:
        """Renew the lease and say how far it is. ``False``: it is no longer this worker's."""
        with writing(self._engine) as connection:
            values = {
                "lease_until": _lease(now),
                "step": step,
                "message": message,
                "progress": func.max(_rows.c.progress, progress),
            }
            return (
                connection.execute(
                    update(_rows).where(_mine(job, worker)).values(**values)
                ).rowcount
                == 1
            )

    def finish(
        self,
        job: JobId,
        worker: str,
        now: datetime,
        message: str,
        result: Mapping[str, Any] | None = None,
    ) -> bool:
        """End it well."""
        values = {
            "ended_at": now,
            "progress": 1.0,
            "message": message,
            "step": "done",
            "result": None if result is None else dict(result),
        }
        with writing(self._engine) as connection:
            return self._move(connection, _mine(job, worker), JobEvent.FINISH, **values) == 1

    def fail(self, job: JobId, worker: str, now: datetime, problem: Problem) -> bool:
        """End it with a problem."""
        with writing(self._engine) as connection:
            return (
                self._move(
                    connection,
                    _mine(job, worker),
                    JobEvent.FAIL,
                    ended_at=now,
                    error=asdict(problem),
                )
                == 1
            )

    def cancel(self, job: JobId, now: datetime) -> Job:
        """Cancel it; an ended job stays as it ended."""
        with writing(self._engine) as connection:
            self._move(connection, _rows.c.id == job, JobEvent.CANCEL, ended_at=now)
            return job_from_row(_row(connection, job))

    def retry(self, job: JobId, now: datetime) -> Job:
        """Queue a failed or cancelled job again; any other stays as it is."""
        with writing(self._engine) as connection:
            row = _row(connection, job)
            same = connection.execute(
                select(_rows).where(
                    _rows.c.kind == row.kind,
                    _rows.c.document == row.document,
                    _rows.c.state.in_([JobState.QUEUED.value, JobState.RUNNING.value]),
                )
            ).first()
            if same is not None and row.document is not None:
                return job_from_row(same)
            self._move(
                connection,
                _rows.c.id == job,
                JobEvent.RETRY,
                ended_at=None,
                error=None,
                attempts=0,
                created_at=now,
            )
            return job_from_row(_row(connection, job))

    def workers(self) -> list[str]:
        """Return the workers that hold a running job."""
        with reading(self._engine) as connection:
            return list(
                connection.execute(
                    select(_rows.c.worker).where(_rows.c.state == JobState.RUNNING.value).distinct()
                ).scalars()
            )

    def recover(self, now: datetime, dead: Sequence[str] = ()) -> int:
        """Queue again what lapsed or is held by workers known to be dead; what killed too many
        workers fails.
        """
        with writing(self._engine) as connection:
            lapsed = (_rows.c.lease_until < now) | _rows.c.worker.in_(dead)
            self._move(
                connection,
                lapsed & (_rows.c.attempts >= MOST_ATTEMPTS),
                JobEvent.FAIL,
                ended_at=now,
                error=asdict(_KILLED_TOO_OFTEN),
                lease_until=None,
            )
            return self._move(connection, lapsed, JobEvent.RECOVER, worker=None, lease_until=None)

    def release(self, worker: str, now: datetime) -> int:  # noqa: ARG002  the port's signature: other stores may stamp it
        """Queue again what this worker holds, because it is stopping."""
        with writing(self._engine) as connection:
            return self._move(
                connection,
                _rows.c.worker == worker,
                JobEvent.RECOVER,
                worker=None,
                lease_until=None,
                attempts=_rows.c.attempts - 1,
            )

    def active(self) -> int:
        """Count queued and running jobs."""
        with reading(self._engine) as connection:
            query = (
                select(func.count())
                .select_from(_rows)
                .where(_rows.c.state.in_([JobState.QUEUED.value, JobState.RUNNING.value]))
            )
            return int(connection.execute(query).scalar_one())

    def _move(
        self, connection: Connection, which: ColumnElement[bool], event: JobEvent, **values: object
    ) -> int:
        """Apply an event to the jobs to which it applies, and return how many those were."""
        moved = 0
        for state in may_come_from(event):
            following = after(state, event)
            if following is not None:
                moved += connection.execute(
                    update(_rows)
                    .where(which, _rows.c.state == state.value)
                    .values(state=following.value, **values)
                ).rowcount
        return moved


def new_job_row(
    job: JobId,
    kind: str,
    lane: Lane,
    document: DocumentId | None,
    now: datetime,
    request: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Make the row of a job that was just queued."""
    return {
        "id": job,
        "kind": kind,
        "lane": lane.value,
        "state": JobState.QUEUED.value,
        "progress": 0.0,
        "step": "waiting",
        "message": "",
        "document": document,
        "created_at": now,
        "attempts": 0,
        "request": None if request is None else dict(request),
    }


def job_from_row(row: Row[Any]) -> Job:
    """Turn a row into a job."""
    return Job(
        id=JobId(row.id),
        kind=row.kind,
        lane=Lane(row.lane),
        state=JobState(row.state),
        progress=row.progress,
        step=row.step,
        message=row.message,
        created_at=row.created_at,
        document=None if row.document is None else DocumentId(row.document),
        error=None if row.error is None else Problem(**row.error),
        ended_at=row.ended_at,
        attempts=row.attempts,
        request=row.request or {},
        result=row.result,
    )


def _row(connection: Connection, job: JobId) -> Row[Any]:
    row = connection.execute(select(_rows).where(_rows.c.id == job)).first()
    if row is None:
        raise NotFoundError("job", job)
    return row


def _mine(job: JobId, worker: str) -> ColumnElement[bool]:
    return (
        (_rows.c.id == job) & (_rows.c.worker == worker) & (_rows.c.state == JobState.RUNNING.value)
    )


def _before(event: JobEvent) -> list[str]:
    return [state.value for state in may_come_from(event)]


def _lease(now: datetime) -> datetime:
    return now + timedelta(seconds=LEASE_SECONDS)
