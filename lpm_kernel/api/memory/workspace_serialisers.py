"""Changes of the workspace, as clients see them."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from flask import Response

from lpm_kernel.api.memory import workspace_schemas
from lpm_kernel.api.memory.workspace_schemas import DiffOut, Written
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.usecases.memory.revisions import DiffLine
from lpm_kernel.usecases.memory.workspace import FileChange


def serialise_diff(lines: Sequence[DiffLine]) -> DiffOut:
    """Show what changed."""
    return DiffOut(
        lines=[
            workspace_schemas.DiffLine(
                part=diff_line.part.value,
                text=diff_line.text,
                before=diff_line.before,
                after=diff_line.after,
            )
            for diff_line in lines
        ]
    )


def serialise_change(made: FileChange) -> Response:
    """Answer with what was written, and the job that reads it."""
    job = next(iter(made.jobs), None)
    return json_response(
        Written(path=made.path, document=made.document, job=serialise_job(job) if job else None),
        HTTPStatus.ACCEPTED,
    )
