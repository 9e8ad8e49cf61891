"""Background work that a person can see, cancel and resume.

State is a table, :data:`LIFE`; :func:`after` walks it and nothing else changes a job's state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from lpm_kernel.domain.ids import DocumentId, JobId
from lpm_kernel.domain.library.documents import Problem


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobEvent(StrEnum):
    """What can happen to a job."""

    CLAIM = "claim"
    FINISH = "finish"
    FAIL = "fail"
    CANCEL = "cancel"
    RECOVER = "recover"
    """Its worker died: the lease ran out."""
    RETRY = "retry"


LIFE: dict[JobState, dict[JobEvent, JobState]] = {
    JobState.QUEUED: {
        JobEvent.CLAIM: JobState.RUNNING,
        JobEvent.CANCEL: JobState.CANCELLED,
    },
    JobState.RUNNING: {
        JobEvent.FINISH: JobState.SUCCEEDED,
        JobEvent.FAIL: JobState.FAILED,
        JobEvent.CANCEL: JobState.CANCELLED,
        JobEvent.RECOVER: JobState.QUEUED,
    },
    JobState.SUCCEEDED: {},
    JobState.FAILED: {JobEvent.RETRY: JobState.QUEUED},
    JobState.CANCELLED: {JobEvent.RETRY: JobState.QUEUED},
}

ENDED = frozenset({JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED})
LEASE_SECONDS = 30.0
"""A worker that has not been heard of for this long is taken for dead."""
MOST_ATTEMPTS = 5
"""A job whose worker died this often is failed, so that one document cannot keep killing the
worker.
"""


def after(state: JobState, event: JobEvent) -> JobState | None:
    """Return the state that follows, or ``None`` where the event does not apply.

    >>> after(JobState.RUNNING, JobEvent.RECOVER)
    <JobState.QUEUED: 'queued'>
    >>> after(JobState.SUCCEEDED, JobEvent.CANCEL) is None
    True
    """
    return LIFE[state].get(event)


def may_come_from(event: JobEvent) -> tuple[JobState, ...]:
    """Return the states in which the event applies.

    >>> [s.value for s in may_come_from(JobEvent.RETRY)]
    ['failed', 'cancelled']
    """
    return tuple(state for state, ways in LIFE.items() if event in ways)


class Lane(StrEnum):
    """Lanes do not wait for each other."""

    ERASE = "erase"
    """Goes before everything else."""
    INTERACTIVE = "interactive"
    INGEST = "ingest"
    HEAVY = "heavy"
    MODELS = "models"
    """Downloads and embedding anew, which may take hours."""


@dataclass(frozen=True)
class Job:
    """One piece of background work."""

    id: JobId
    kind: str
    lane: Lane
    state: JobState
    progress: float
    """0..1; never goes back within one attempt, nor when it is resumed."""
    step: str
    message: str = field(repr=False)
    created_at: datetime
    document: DocumentId | None = None
    error: Problem | None = None
    ended_at: datetime | None = None
    attempts: int = 0
    request: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """What was asked, for work that is about more than a document."""
    result: Mapping[str, Any] | None = field(default=None, repr=False)
    """What came of it, where a sentence does not say it all."""


Progress = Callable[[float, str, str], None]
"""Takes how much of a job is done, 0..1, its step and a sentence. Raises :class:`JobLostError` to
stop the job.
"""


class JobLostError(Exception):
    """The job was cancelled, or another worker has it now: leave it."""


INSIDE = Problem(
    "Something went wrong inside the node",
    "What was kept before is still kept. The log in the home says where it happened.",
    "Try again. If it is about one document, leave that out; the rest goes on.",
)
"""What is said of a failure that was not foreseen."""

UNDER_WAY = (JobState.QUEUED, JobState.RUNNING)
"""States of a job that waits or runs."""


@dataclass(frozen=True)
class JobOutcome:
    """What came of a job, in a sentence and in figures."""

    sentence: str
    result: Mapping[str, Any]
