"""Whatever happens to jobs in whatever order: an ended job stays ended, nobody holds another's job,
progress never goes back.
"""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.domain.home.jobs import ENDED, Job, JobState, Lane
from lpm_kernel.domain.ids import JobId
from lpm_kernel.domain.library.documents import Problem

WORKERS = st.sampled_from(["anna", "ben"])


class Jobs(RuleBasedStateMachine):
    """A table of jobs, two workers, a clock, and a person who cancels and retries."""

    known = Bundle("known")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.database = NodeDatabase(Path(self.folder.name) / "node.db")
        self.jobs = self.database.jobs
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.ended: dict[JobId, JobState] = {}
        self.held: dict[JobId, str] = {}
        self.progress: dict[JobId, float] = {}

    def teardown(self) -> None:
        self.database.close()
        self.folder.cleanup()

    @rule(target=known)
    def add(self) -> JobId:
        self.now += timedelta(seconds=1)
        return self.jobs.add("ingest", Lane.INGEST, None, self.now).id

    @rule(worker=WORKERS)
    def claim(self, worker: str) -> None:
        job = self.jobs.claim([Lane.INGEST], worker, self.now)
        if job is not None:
            assert job.state is JobState.RUNNING
            assert job.id not in self.held
            self.held[job.id] = worker

    @rule(job=known, worker=WORKERS, share=st.floats(0, 1))
    def work(self, job: JobId, worker: str, share: float) -> None:
        mine = self.jobs.heartbeat(job, worker, self.now, progress=share, step="embed", message="")
        assert mine == (self.held.get(job) == worker)

    @rule(job=known, worker=WORKERS)
    def finish(self, job: JobId, worker: str) -> None:
        if self.jobs.finish(job, worker, self.now, "done"):
            assert self.held.pop(job) == worker
            self.ended[job] = JobState.SUCCEEDED

    @rule(job=known, worker=WORKERS)
    def fail(self, job: JobId, worker: str) -> None:
        if self.jobs.fail(job, worker, self.now, Problem("a", "b")):
            assert self.held.pop(job) == worker
            self.ended[job] = JobState.FAILED

    @rule(job=known)
    def cancel(self, job: JobId) -> None:
        if self.jobs.cancel(job, self.now).state is JobState.CANCELLED and job not in self.ended:
            self.held.pop(job, None)
            self.ended[job] = JobState.CANCELLED

    @rule(job=known)
    def retry(self, job: JobId) -> None:
        if self.jobs.retry(job, self.now).state is JobState.QUEUED:
            assert self.ended.pop(job, None) is not JobState.SUCCEEDED

    @rule(seconds=st.integers(1, 60))
    def die(self, seconds: int) -> None:
        """Time passes and nobody renews a lease."""
        self.now += timedelta(seconds=seconds)
        self.jobs.recover(self.now)
        for job in [job for job in self.held if self.jobs.get(job).state is not JobState.RUNNING]:
            del self.held[job]
            if self.jobs.get(job).state is JobState.FAILED:
                self.ended[job] = JobState.FAILED

    @invariant()
    def ended_stays_ended(self) -> None:
        for job, state in self.ended.items():
            assert self.jobs.get(job).state is state

    @invariant()
    def held_is_running(self) -> None:
        seen: list[Job] = self.jobs.page(limit=500)[0]
        assert {job.id for job in seen if job.state is JobState.RUNNING} == set(self.held)
        for job in seen:
            assert job.progress >= self.progress.get(job.id, 0.0)
            self.progress[job.id] = job.progress
            assert (job.ended_at is not None) == (job.state in ENDED)


TestJobs = Jobs.TestCase
TestJobs.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
