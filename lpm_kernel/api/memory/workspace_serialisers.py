"""Changes of the workspace, as clients see them."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.memory.workspace_schemas import Written
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.usecases.memory.workspace import FileChange


def serialise_change(made: FileChange) -> Response:
    """Answer with what was written, and the job that reads it."""
    job = next(iter(made.jobs), None)
    return json_response(
        Written(path=made.path, document=made.document, job=serialise_job(job) if job else None),
        HTTPStatus.ACCEPTED,
    )
