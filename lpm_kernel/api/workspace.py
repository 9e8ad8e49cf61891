"""The workspace: its files, tools that write to them, and every earlier wording with what
changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api import schemas, shapes
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.L1.answering.core import MOST_TOKENS
from lpm_kernel.usecases.memory.revisions import DiffLine
from lpm_kernel.usecases.memory.workspace import FileChange

api = APIBlueprint(
    "workspace",
    __name__,
    url_prefix="/api/workspace",
    abp_tags=[Tag(name="workspace", description="Files of Markdown, and what they said before")],
)


@api.get("", summary="The workspace as a whole", responses={200: schemas.WorkspaceOut})
def whole() -> Response:
    """List its files as they were read last, and what of `memory.md` stands in every prompt."""
    here = node()
    files = [
        schemas.WorkspaceFile(
            path=each.path,
            document=known.id,
            bytes=known.bytes,
            read_at=known.added_at,
            private=known.private,
            versions=each.versions,
        )
        for each in here.workspace.workspace_files()
        for known in [each.document]
    ]
    core = here.memory.core_for(owner=True)
    shown = schemas.CoreOut(
        lines=list(core.lines), tokens=core.tokens, most=MOST_TOKENS, left_out=core.left_out
    )
    found = schemas.WorkspaceOut(
        folder=str(here.ports.home.workspace),
        files=files,
        core=shown,
        troubles=list(here.workspace.workspace_troubles),
        unread=list(here.workspace.workspace_unread),
    )
    return json_response(found)


@api.post("/append", summary="Put text at the end of a file", responses={202: schemas.Written})
def append(body: schemas.AppendIn) -> Response:
    """On a line of its own; a file that is not there is made."""
    return written(node().workspace.append(body.path, body.text, open_only=not is_owner()))


@api.post(
    "/replace", summary="Put other words in the place of some", responses={202: schemas.Written}
)
def replace(body: schemas.ReplaceIn) -> Response:
    """Find them as they stand there; they have to stand there once."""
    return written(
        node().workspace.replace(body.path, body.old, body.new, open_only=not is_owner())
    )


@api.post("/insert", summary="Put text below a line", responses={202: schemas.Written})
def insert(body: schemas.InsertIn) -> Response:
    """Lines count from 1; 0 is the top."""
    return written(
        node().workspace.insert(body.path, body.line, body.text, open_only=not is_owner())
    )


@api.get("/versions", summary="What a file said before", responses={200: schemas.VersionList})
def versions(query: schemas.FileQuery) -> Response:
    """List every version, the newest first."""
    found = node().workspace.versions(query.path, open_only=not is_owner())
    items = [
        schemas.VersionOut(
            document=v.document, number=v.number, at=v.at, bytes=v.bytes, current=v.current
        )
        for v in found
    ]
    return json_response(schemas.VersionList(items=items))


@api.get("/diff", summary="What changed between two versions", responses={200: schemas.DiffOut})
def diff(query: schemas.DiffQuery) -> Response:
    """Show the lines that changed, with a few around them."""
    before, after = DocumentId(query.before), DocumentId(query.after)
    return json_response(
        diff_of(
            node().workspace.changed_between(query.path, before, after, open_only=not is_owner())
        )
    )


@api.post("/restore", summary="Have a file read as it did", responses={202: schemas.Written})
def restore(body: schemas.RestoreIn) -> Response:
    """Keep what it says now as a version as well, so that this can be undone the same way."""
    return written(
        node().workspace.restore_version(
            body.path, DocumentId(body.version), open_only=not is_owner()
        )
    )


def diff_of(lines: Sequence[DiffLine]) -> schemas.DiffOut:
    """Show what changed."""
    return schemas.DiffOut(
        lines=[
            schemas.DiffLine(
                part=each.part.value, text=each.text, before=each.before, after=each.after
            )
            for each in lines
        ]
    )


def written(made: FileChange) -> Response:
    """Answer with what was written, and the job that reads it."""
    job = next(iter(made.jobs), None)
    return json_response(
        schemas.Written(
            path=made.path, document=made.document, job=shapes.job(job) if job else None
        ),
        HTTPStatus.ACCEPTED,
    )
