"""The workspace: its files, tools that write to them, and every earlier wording with what
changed.
"""

from __future__ import annotations

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.library.version_schemas import DiffOut, VersionList
from lpm_kernel.api.library.version_serialisers import serialise_diff, serialise_versions
from lpm_kernel.api.memory import workspace_schemas
from lpm_kernel.api.memory.workspace_schemas import (
    AppendIn,
    CoreOut,
    DiffQuery,
    FileQuery,
    InsertIn,
    ReplaceIn,
    RestoreIn,
    WorkspaceOut,
    Written,
)
from lpm_kernel.api.memory.workspace_serialisers import serialise_change
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.L1.answering.core import MOST_TOKENS

api = APIBlueprint(
    "workspace",
    __name__,
    url_prefix="/api/workspace",
    abp_tags=[Tag(name="workspace", description="Files of Markdown, and what they said before")],
)


@api.get("", summary="The workspace as a whole", responses={200: WorkspaceOut})
def whole() -> Response:
    """List its files as they were read last, and what of `memory.md` stands in every prompt."""
    here = node()
    files = [
        workspace_schemas.WorkspaceFile(
            path=workspace_file.path,
            document=known.id,
            bytes=known.bytes,
            read_at=known.added_at,
            private=known.private,
            versions=workspace_file.versions,
        )
        for workspace_file in here.workspace.workspace_files()
        for known in [workspace_file.document]
    ]
    core = here.memory.core_for(owner=True)
    shown = CoreOut(
        lines=list(core.lines), tokens=core.tokens, most=MOST_TOKENS, left_out=core.left_out
    )
    found = WorkspaceOut(
        folder=str(here.ports.home.workspace),
        files=files,
        core=shown,
        troubles=list(here.workspace.workspace_troubles),
        unread=list(here.workspace.workspace_unread),
    )
    return json_response(found)


@api.post("/append", summary="Append text to a file", responses={202: Written})
def append(body: AppendIn) -> Response:
    """On a line of its own; a file that is not there is made."""
    return serialise_change(node().workspace.append(body.path, body.text, open_only=not is_owner()))


@api.post("/replace", summary="Replace words in a file", responses={202: Written})
def replace(body: ReplaceIn) -> Response:
    """Find them as they stand there; they have to stand there once."""
    return serialise_change(
        node().workspace.replace(body.path, body.old, body.new, open_only=not is_owner())
    )


@api.post("/insert", summary="Insert text below a line", responses={202: Written})
def insert(body: InsertIn) -> Response:
    """Lines count from 1; 0 is the top."""
    return serialise_change(
        node().workspace.insert(body.path, body.line, body.text, open_only=not is_owner())
    )


@api.get("/versions", summary="What a file said before", responses={200: VersionList})
def versions(query: FileQuery) -> Response:
    """List every version, the newest first."""
    found = node().workspace.versions(query.path, open_only=not is_owner())
    return json_response(serialise_versions(found))


@api.get("/diff", summary="What changed between two versions", responses={200: DiffOut})
def diff(query: DiffQuery) -> Response:
    """Show the lines that changed, with a few around them."""
    before, after = DocumentId(query.before), DocumentId(query.after)
    return json_response(
        serialise_diff(
            node().workspace.changed_between(query.path, before, after, open_only=not is_owner())
        )
    )


@api.post("/restore", summary="Restore an earlier version of a file", responses={202: Written})
def restore(body: RestoreIn) -> Response:
    """Keep what it says now as a version as well, so that this can be undone the same way."""
    return serialise_change(
        node().workspace.restore_version(
            body.path, DocumentId(body.version), open_only=not is_owner()
        )
    )
