"""The home as a whole: erase for good, see what happened, back up, hand out, take in, verify."""

from __future__ import annotations

import json
import re
import secrets
import shutil
from contextlib import closing
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

from flask import Response, request, send_file
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api import cursors, schemas, shapes
from lpm_kernel.api.context import node
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.home.jobs import Job, Lane
from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.usecases.home.disk_usage import measure

api = APIBlueprint(
    "home",
    __name__,
    url_prefix="/api",
    abp_tags=[Tag(name="home", description="Erase, audit, back up, hand out, take in, verify")],
)

SHOWN = 200
"""Documents that a proposal names; the counts are of all."""


@api.post(
    "/erasures", summary="Say what erasing would take away", responses={201: schemas.ErasureOut}
)
def propose_erasure(body: schemas.ErasureIn) -> Response:
    """Change nothing; answer with what would go, what cannot be reached, and a token that is good
    for a quarter of an hour.
    """
    documents, conversations = (
        [DocumentId(each) for each in body.documents],
        [ConversationId(each) for each in body.conversations],
    )
    if body.everything:
        documents, conversations = node().home.all_that_was_told()
    proposal = node().home.propose_erasure(documents, conversations)
    shown = schemas.ErasureOut(
        erasure=proposal.erasure.id,
        token=proposal.token,
        expires_at=proposal.erasure.expires_at,
        documents=[
            schemas.Named(id=each.id, title=each.title) for each in proposal.documents[:SHOWN]
        ],
        conversations=list(proposal.erasure.conversations),
        goes=[
            schemas.ShareOut.model_validate(each, from_attributes=True) for each in proposal.goes
        ],
        stays=[
            schemas.ShareOut.model_validate(each, from_attributes=True) for each in proposal.stays
        ],
    )
    return json_response(shown, HTTPStatus.CREATED)


@api.post("/erasures/<string:token>/confirm", summary="Erase", responses={202: schemas.Queued})
def confirm_erasure(path: schemas.ByToken) -> Response:
    """Take it away at once, and queue the job that takes out its traces. A wrong or old token
    answers 410 and erases nothing.
    """
    return _queued(node().home.confirm_erasure(path.token))


@api.get(
    "/audit", summary="What happened to the home, newest first", responses={200: schemas.AuditList}
)
def list_audit(query: schemas.AuditQuery) -> Response:
    """Page through the chain; `verify=true` walks it whole and names the first entry that does not
    hold.
    """
    found, following = node().ports.audit.page(
        limit=query.limit, before=cursors.number(query.cursor)
    )
    items = [
        schemas.AuditEntry(
            number=each.number,
            at=datetime.fromisoformat(each.at),
            kind=each.kind,
            facts=json.loads(each.facts),
            previous=each.previous,
            hash=each.hash,
        )
        for each in found
    ]
    broken = node().home.first_break() if query.verify else None
    return json_response(
        schemas.AuditList(
            items=items,
            next_cursor=None if following is None else str(following),
            verified=None if not query.verify else broken is None,
            broken=(
                None
                if broken is None
                else schemas.BreakOut(number=broken.number, sentence=broken.sentence)
            ),
        )
    )


@api.get("/sizes", summary="What the home takes up", responses={200: schemas.SizesOut})
def sizes() -> Response:
    """Count bytes by kind of thing."""
    home = node().ports.home
    found = measure(home)
    items = [schemas.SizeOut.model_validate(each, from_attributes=True) for each in found]
    return json_response(
        schemas.SizesOut(
            items=items,
            bytes=sum(each.bytes for each in found),
            free=shutil.disk_usage(home.root).free,
            home=str(home.root),
        )
    )


@api.get("/backups", summary="List backups, newest first", responses={200: schemas.BackupList})
def list_backups() -> Response:
    """Show those that lie in the folder of the backups."""
    shelf = node().home.backups
    items = [
        schemas.BackupOut(
            id=each.id,
            at=each.at,
            label=each.label,
            documents=each.documents,
            bytes=each.bytes,
            lost=each.lost,
        )
        for each in reversed(shelf.all())
    ]
    return json_response(schemas.BackupList(items=items, folder=str(shelf.folder)))


@api.post("/backups", summary="Make a backup now", responses={202: schemas.Queued})
def make_backup() -> Response:
    """Copy the database, link the files, check both. Restoring is `lpm restore`, while the node is
    stopped.
    """
    return _queued(
        node().ports.jobs.add(
            "backup", Lane.HEAVY, None, node().ports.clock.now(), {"label": "asked"}
        )
    )


@api.delete("/backups/<string:id>", summary="Remove a backup", responses={204: None})
def remove_backup(path: schemas.ById) -> Response:
    """Remove it; the others stay whole."""
    node().home.backups.remove(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.get(
    "/exports", summary="Archives that lie ready, newest first", responses={200: schemas.ExportList}
)
def list_exports() -> Response:
    """They are removed after a day."""
    items = (_export(each) for each in reversed(node().home.exported()))
    return json_response(schemas.ExportList(items=[each for each in items if each is not None]))


@api.post(
    "/exports", summary="Put everything into one archive", responses={202: schemas.ExportQueued}
)
def make_export(body: schemas.ExportIn) -> Response:
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
        schemas.ExportQueued(job=shapes.job(job), export=schemas.ExportRef(id=job.id)),
        HTTPStatus.ACCEPTED,
    )


@api.get("/exports/<string:id>/archive", summary="Download an archive")
def get_export(path: schemas.ById) -> Response:
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
def remove_export(path: schemas.ById) -> Response:
    """Remove it now rather than after a day."""
    _archive(path.id).unlink(missing_ok=True)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post("/imports", summary="Take an archive in", responses={202: schemas.Queued})
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
    return _queued(
        node().ports.jobs.add(
            "import", Lane.HEAVY, None, node().ports.clock.now(), {"archive": name}
        )
    )


@api.post(
    "/verifications", summary="Hold everything against everything", responses={202: schemas.Queued}
)
def verify(body: schemas.VerificationIn) -> Response:
    """Queue it; what was found stands in the job's `result`. `repair` makes again what can be made
    again.
    """
    return _queued(
        node().ports.jobs.add(
            "verify", Lane.HEAVY, None, node().ports.clock.now(), {"repair": body.repair}
        )
    )


def _queued(job: Job) -> Response:
    return json_response(schemas.Queued(job=shapes.job(job)), HTTPStatus.ACCEPTED)


def _export(path: Path) -> schemas.ExportOut | None:
    """Show an archive; ``None`` where an erasure took it a moment ago."""
    try:
        known = path.stat()
    except FileNotFoundError:
        return None
    return schemas.ExportOut(
        id=path.stem, bytes=known.st_size, made_at=datetime.fromtimestamp(known.st_mtime, UTC)
    )


def _archive(identifier: str) -> Path:
    path = node().ports.home.exports / f"{identifier}.zip"
    if not re.fullmatch(r"[\w-]{1,80}", identifier) or not path.is_file():
        raise NotFoundError("archive", identifier)
    return path
