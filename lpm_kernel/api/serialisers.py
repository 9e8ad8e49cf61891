"""Values of the domain that every room shows: what went wrong, and the job that goes on."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import is_owner
from lpm_kernel.api.context import node as here
from lpm_kernel.api.schemas import JobOut, ProblemOut, Queued
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.home.jobs import Job
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.errors import NotFoundError


def serialise_problem(problem: Problem) -> ProblemOut:
    """Show a problem."""
    return ProblemOut(title=problem.title, detail=problem.detail, hint=problem.hint)


def serialise_job(job: Job) -> JobOut:
    """Show a job; to a program that may not do everything, without what it says about anything
    private or about the home as a whole.
    """
    told = is_owner() or _is_open(job)
    return JobOut(
        id=job.id,
        kind=job.kind,
        state=job.state.value,
        progress=job.progress,
        step=job.step,
        message=job.message if told else "",
        error=serialise_problem(job.error) if told and job.error else None,
        created_at=job.created_at,
        ended_at=job.ended_at,
        document=job.document if told else None,
        result=dict(job.result) if job.result and is_owner() else None,
    )


def _is_open(job: Job) -> bool:
    try:
        return job.document is not None and not here().ports.documents.get(job.document).private
    except NotFoundError:
        return False


def queued(job: Job) -> Response:
    """Answer that work was queued."""
    return json_response(Queued(job=serialise_job(job)), HTTPStatus.ACCEPTED)
