"""The home as one archive: hand it out, take one in."""

from __future__ import annotations

import re
import secrets
import shutil
from contextlib import closing
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

from flask import Response, request, send_file

from lpm_kernel.api.context import node
from lpm_kernel.api.home.archive_schemas import (
    ExportIn,
    ExportList,
    ExportOut,
    ExportQueued,
    ExportRef,
)
from lpm_kernel.api.schemas import ById, Queued
from lpm_kernel.api.serialisers import queued, serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import HOME
from lpm_kernel.domain.home.jobs import Lane
from lpm_kernel.errors import InvalidInputError, NotFoundError

api = HOME.blueprint("archives", __name__)


@api.get(
    "/exports", summary="Archives ready for download, newest first", responses={200: ExportList}
)
def list_exports() -> Response:
    """They are removed after a day."""
    items = (_export(path) for path in reversed(node().home.exported()))
    return json_response(ExportList(items=[item for item in items if item is not None]))


@api.post("/exports", summary="Export everything into one archive", responses={202: ExportQueued})
def make_export(body: ExportIn) -> Response:
    """Queue it; when the job has succeeded, the archive lies at `/api/exports/{id}/archive` for a
    day.
    """
    job = node().ports.jobs.add(
        "export",
        Lane.HEAVY,
        None,
        node().ports.clock.now(),
        {"private": body.private, "conversations": body.conversations},
    )
    return json_response(
        ExportQueued(job=serialise_job(job), export=ExportRef(id=job.id)),
        HTTPStatus.ACCEPTED,
    )


@api.get("/exports/<string:id>/archive", summary="Download an archive")
def get_export(path: ById) -> Response:
    """Hand out the zip."""
    found = _archive(path.id)
    made = datetime.fromtimestamp(found.stat().st_mtime, UTC)
    return send_file(
        found,
        mimetype="application/zip",
        as_attachment=True,
        download_name=f"second-me-{made:%Y-%m-%d}.zip",
        max_age=0,
    )


@api.delete("/exports/<string:id>", summary="Remove an archive", responses={204: None})
def remove_export(path: ById) -> Response:
    """Remove it now rather than after a day."""
    _archive(path.id).unlink(missing_ok=True)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post("/imports", summary="Import an archive", responses={202: Queued})
def take_in() -> Response:
    """Keep the upload and queue the job that checks it and adds what is not known. Larger ones than
    an upload may be: `lpm import FILE`.
    """
    if request.mimetype != "multipart/form-data":
        raise InvalidInputError(
            "There is no archive in the request.",
            "Send multipart/form-data with the zip in the field `file`.",
        )
    unknown = sorted({*request.form} | set(request.files) - {"file"})
    uploads = request.files.getlist("file")
    if unknown or len(uploads) != 1:
        raise InvalidInputError(
            "There has to be one file in the request, in the field `file`, and nothing else.",
            "Send each archive by itself.",
        )
    name = f"{secrets.token_hex(8)}.zip"
    with closing(uploads[0]), (node().ports.home.imports / name).open("xb") as target:
        (node().ports.home.imports / name).chmod(0o600)
        shutil.copyfileobj(uploads[0].stream, target)
    return queued(
        node().ports.jobs.add(
            "import", Lane.HEAVY, None, node().ports.clock.now(), {"archive": name}
        )
    )


def _export(path: Path) -> ExportOut | None:
    """Show an archive; ``None`` where an erasure took it a moment ago."""
    try:
        known = path.stat()
    except FileNotFoundError:
        return None
    return ExportOut(
        id=path.stem, bytes=known.st_size, made_at=datetime.fromtimestamp(known.st_mtime, UTC)
    )


def _archive(identifier: str) -> Path:
    path = node().ports.home.exports / f"{identifier}.zip"
    if not re.fullmatch(r"[\w-]{1,80}", identifier) or not path.is_file():
        raise NotFoundError("archive", identifier)
    return path
