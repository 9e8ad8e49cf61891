"""Background work: see it, cancel it, try it again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import BoundedSemaphore

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.home import job_schemas
from lpm_kernel.api.home.job_schemas import JobList, JobQuery, JobsRetried
from lpm_kernel.api.schemas import ById, JobOut
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import event, event_stream, json_response, listener_gone
from lpm_kernel.domain.home.jobs import ENDED, Job, JobState
from lpm_kernel.domain.ids import JobId
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.usecases.library import documents as library

api = APIBlueprint(
    "jobs",
    __name__,
    url_prefix="/api/jobs",
    abp_tags=[Tag(name="jobs", description="Background work")],
)

LOOK_EVERY = 0.25
"""Seconds between two looks at a job that somebody watches."""

WATCH_AT_MOST = 30.0
"""Seconds after which a watcher has to ask again, so that a forgotten one does not hold a
thread.
"""

WATCHERS = 6
"""Who may watch at once: each holds a thread of the server."""
_watching = BoundedSemaphore(WATCHERS)


@api.get("", summary="List jobs, newest first", responses={200: JobList})
def list_jobs(query: JobQuery) -> Response:
    """Page through the jobs; a program that may not do everything sees none on anything private."""
    try:
        states = [JobState(name.strip()) for name in query.state.split(",") if name.strip()]
    except ValueError as error:
        raise InvalidInputError(
            "There is no such state.",
            f"The states are {', '.join(state.value for state in JobState)}.",
        ) from error
    found, following = node().ports.jobs.page(
        limit=query.limit, cursor=query.cursor, states=states, open_only=not is_owner()
    )
    return json_response(
        JobList(items=[serialise_job(job) for job in found], next_cursor=following)
    )


@api.get("/<string:id>", summary="Show a job", responses={200: JobOut})
def get_job(path: ById) -> Response:
    """Show how far it is."""
    return json_response(serialise_job(node().ports.jobs.get(JobId(path.id))))


@api.get("/<string:id>/events", summary="Watch a job")
def watch_job(path: ById) -> Response:
    """Stream `job` events, one a change, until it has ended, or for half a minute."""
    known = node().ports.jobs.get(JobId(path.id))
    gone = listener_gone()

    def changes(here: Node) -> Iterator[str]:
        # all places are taken: how it is now, and ask again
        if not _watching.acquire(blocking=False):
            yield event(_as_event(here.ports.jobs.get(known.id)))
            return
        shown, until = None, time.monotonic() + WATCH_AT_MOST
        try:
            while not gone() and time.monotonic() < until:
                now = here.ports.jobs.get(known.id)
                if now != shown:
                    shown = now
                    yield event(_as_event(now))
                if now.state in ENDED:
                    return
                time.sleep(LOOK_EVERY)
        finally:
            _watching.release()

    return event_stream(changes(node()))


def _as_event(known: Job) -> job_schemas.JobEvent:
    return job_schemas.JobEvent(event="job", data=serialise_job(known))


def _within_reach(identifier: str) -> JobId:
    """Return the job's id where the caller may stop or repeat it: work on the whole home, or on
    what is private, is the owner's.

    Raises ``NotFoundError``.
    """
    known = node().ports.jobs.get(JobId(identifier))
    if not is_owner() and (known.document is None or node().library.is_private(known.document)):
        raise NotFoundError("job", identifier)
    return known.id


@api.post("/<string:id>/cancel", summary="Cancel a job", responses={200: JobOut})
def cancel_job(path: ById) -> Response:
    """Stop it at its next step; what it made so far is used again when it is retried."""
    return json_response(serialise_job(node().cancel_job(_within_reach(path.id))))


@api.post("/<string:id>/retry", summary="Try a job again", responses={200: JobOut})
def retry_job(path: ById) -> Response:
    """Queue a failed or cancelled job again."""
    return json_response(
        serialise_job(
            library.read_again(
                node().ports.documents,
                node().ports.jobs,
                node().ports.clock,
                _within_reach(path.id),
            )
        )
    )


@api.post("/retry", summary="Try all failed jobs again", responses={200: JobsRetried})
def retry_jobs() -> Response:
    """Queue everything again that failed last; what has succeeded since is left alone."""
    return json_response(
        JobsRetried(items=[serialise_job(job) for job in node().library.retry_failed()])
    )
