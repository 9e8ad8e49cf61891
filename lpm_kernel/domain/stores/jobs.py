"""Background work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from lpm_kernel.domain.home.jobs import Job, JobState, Lane
from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.library.documents import Problem


class Jobs(Protocol):
    """Background work with leases: claim, heartbeat, finish."""

    def add(
        self,
        kind: str,
        lane: Lane,
        document: DocumentId | None,
        now: datetime,
        request: Mapping[str, Any] | None = None,
    ) -> Job:
        """Queue work; where the same work is queued or running already, return that."""
        ...

    def get(self, job: JobId) -> Job:
        """Return one. Raises ``NotFoundError``."""
        ...

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
        ...

    def latest_for(self, documents: Sequence[DocumentId]) -> dict[DocumentId, Job]:
        """Return the newest job of each document that has one."""
        ...

    def claim(self, lanes: Sequence[Lane], worker: str, now: datetime) -> Job | None:
        """Take the oldest queued job of these lanes, what erases first, with a lease."""
        ...

    def heartbeat(
        self, job: JobId, worker: str, now: datetime, *, progress: float, step: str, message: str
    ) -> bool:
        """Renew the lease and say how far it is. ``False``: it is no longer this worker's
        (cancelled, or taken over).
        """
        ...

    def finish(
        self,
        job: JobId,
        worker: str,
        now: datetime,
        message: str,
        result: Mapping[str, Any] | None = None,
    ) -> bool:
        """End it well. ``False``: it was no longer this worker's."""
        ...

    def fail(self, job: JobId, worker: str, now: datetime, problem: Problem) -> bool:
        """End it with a problem. ``False``: it was no longer this worker's."""
        ...

    def cancel(self, job: JobId, now: datetime) -> Job:
        """Cancel it; an ended job stays as it ended."""
        ...

    def retry(self, job: JobId, now: datetime) -> Job:
        """Queue a failed or cancelled job again; any other stays as it is."""
        ...

    def workers(self) -> list[str]:
        """Return the workers that hold a running job."""
        ...

    def recover(self, now: datetime, dead: Sequence[str] = ()) -> int:
        """Queue again what lapsed or is held by workers known to be dead, and return how many."""
        ...

    def release(self, worker: str, now: datetime) -> int:
        """Queue again what this worker holds, because it is stopping."""
        ...

    def active(self) -> int:
        """Count queued and running jobs."""
        ...
