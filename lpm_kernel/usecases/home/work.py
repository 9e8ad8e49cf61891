"""Doing one job: claim it, keep its lease while it is done, end it. A killed worker loses nothing
but its lease.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import psutil

from lpm_kernel.domain.home.jobs import (
    INSIDE,
    LEASE_SECONDS,
    Job,
    JobLostError,
    JobOutcome,
    JobState,
    Lane,
    Progress,
)
from lpm_kernel.domain.library.documents import DocumentState, Problem
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Documents, Jobs
from lpm_kernel.errors import NodeError, NotFoundError

log = logging.getLogger(__name__)

LANES = (Lane.ERASE, Lane.INTERACTIVE, Lane.INGEST, Lane.HEAVY, Lane.MODELS)
SAY_EVERY = 0.25
"""Seconds between two notes about the progress of one step."""
SAY_AFTER = 0.05
"""Seconds after which a new step is noted: a note is a write that reaches the disk, and most steps
of a small document are over before.
"""
RENEW_EVERY = LEASE_SECONDS / 4

Handler = Callable[[Job, Progress], str | JobOutcome]
"""Does a job and returns a sentence about what came of it."""


class Hold:
    """A worker's hold on one job: says how far it is, and keeps the lease while a step takes
    long.
    """

    def __init__(
        self,
        jobs: Jobs,
        clock: Clock,
        job: Job,
        worker: str,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._jobs, self._clock, self._job, self._worker, self._stopping = (
            jobs,
            clock,
            job,
            worker,
            stopping,
        )
        self._at = (job.progress, job.step, job.message)
        self._said = time.monotonic()
        self._due = self._said + RENEW_EVERY
        self._lost = threading.Event()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def progress(self, share: float, step: str, message: str) -> None:
        """Note how far the job is. Raises :class:`JobLostError` when it is not this worker's any
        more, or the worker is stopping.
        """
        new_step = step != self._at[1]
        self._at = (share, step, message)
        now = time.monotonic()
        self._due = min(self._due, now + SAY_AFTER if new_step else self._said + SAY_EVERY)
        if now >= self._due:
            self._say()
        elif new_step and not self._goes_on():
            self._lost.set()
        if self._lost.is_set() or self._stopping():
            raise JobLostError

    def _say(self) -> None:
        self._said = time.monotonic()
        self._due = self._said + RENEW_EVERY
        share, step, message = self._at
        if not self._jobs.heartbeat(
            self._job.id,
            self._worker,
            self._clock.now(),
            progress=share,
            step=step,
            message=message,
        ):
            self._lost.set()

    def _goes_on(self) -> bool:
        """Look, without writing, whether the job was cancelled or its document deleted."""
        try:
            return self._jobs.get(self._job.id).state is JobState.RUNNING
        except NotFoundError:
            return False

    def _renew(self) -> None:
        """Say what a step left unsaid, and otherwise keep the lease."""
        while not self._done.wait(SAY_AFTER):
            if time.monotonic() >= self._due:
                self._say()


def recover(jobs: Jobs, clock: Clock) -> int:
    """Queue again what lapsed, and what workers hold whose process on this machine is gone."""
    return jobs.recover(clock.now(), [worker for worker in jobs.workers() if not _alive(worker)])


def _alive(worker: str) -> bool:
    """Tell whether the process of a worker lives; its name begins with its process id."""
    return psutil.pid_exists(int(worker.partition("-")[0]))


@dataclass(frozen=True)
class Worker:
    """Who does jobs."""

    name: str
    lanes: Sequence[Lane] = LANES
    """Whose jobs it takes."""
    stopping: Callable[[], bool] = lambda: False
    """Tells whether it is to leave its job."""


def do_one(
    jobs: Jobs, documents: Documents, clock: Clock, by: Worker, handlers: Mapping[str, Handler]
) -> bool:
    """Do the oldest waiting job of these lanes. ``False``: none was waiting. A job that is left
    because the worker is stopping stays this worker's.
    """
    worker = by.name
    job = jobs.claim(by.lanes, worker, clock.now())
    if job is None:
        return False
    problem = None
    with Hold(jobs, clock, job, worker, by.stopping) as hold:
        try:
            outcome = handlers[job.kind](job, hold.progress)
        except JobLostError:
            log.info("job %s was cancelled or left", job.id)
            return True
        except NodeError as error:
            problem = Problem.of(error)
        except Exception as error:  # noqa: BLE001  the one place that reports: one document must not stop the rest
            # the error's own words stay out: they may quote a memory
            where = traceback.extract_tb(error.__traceback__)
            steps = " < ".join(
                f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}" for frame in reversed(where)
            )
            log.error("job %s: %s at %s", job.id, type(error).__name__, steps)  # noqa: TRY400  log.exception would write the words
            problem = INSIDE
        else:
            done = JobOutcome(outcome, {}) if isinstance(outcome, str) else outcome
            jobs.finish(job.id, worker, clock.now(), done.sentence, done.result or None)
    if problem is not None:
        _fail(jobs, documents, clock, job, worker, problem)
    return True


def _fail(
    jobs: Jobs, documents: Documents, clock: Clock, job: Job, worker: str, problem: Problem
) -> None:
    if jobs.fail(job.id, worker, clock.now(), problem) and job.document is not None:
        try:
            documents.change(job.document, state=DocumentState.FAILED, error=problem)
        except NotFoundError:
            log.info("job %s: its document was deleted", job.id)
