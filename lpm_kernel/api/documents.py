"""Documents: hand over, look after, read."""

from __future__ import annotations

import io
from contextlib import closing, suppress
from datetime import datetime
from http import HTTPStatus

from flask import Response, request, send_file
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag
from pydantic import ValidationError
from werkzeug.exceptions import UnsupportedMediaType

from lpm_kernel.api import schemas, shapes
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.problems import from_validation
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.home.jobs import Job, JobState, Lane
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Document, DocumentKind, DocumentState
from lpm_kernel.domain.library.listing import (
    NO_FOLDER,
    Author,
    DocumentFilter,
    FacetCounts,
    Sort,
    plain_folder,
)
from lpm_kernel.errors import InvalidInputError, NotFoundError, StrangeCursorError
from lpm_kernel.L0.language.dates import moment
from lpm_kernel.usecases.library import bulk
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.library.intake import (
    NewDocument,
    Received,
    checked_folder,
    checked_tags,
    checked_title,
    new_job_id,
    pasted,
)

api = APIBlueprint(
    "documents",
    __name__,
    url_prefix="/api/documents",
    abp_tags=[Tag(name="documents", description="What came in, untouched")],
)

YES, NO = {"true", "1", "yes", "on"}, {"", "false", "0", "no", "off"}
_SOUNDS = {b"RIFF": "audio/wav", b"OggS": "audio/ogg", b"fLaC": "audio/flac", b"ID3": "audio/mpeg"}
_FORM_FIELDS = frozenset({"title", "created_at", "tags", "private", "folder"})


@api.post(
    "",
    summary="Hand over a file or a text",
    responses={202: schemas.Added, 200: schemas.Added},
)
def add_document() -> Response:
    """Keep the bytes and queue the reading of them. The same bytes again answer 200 with the known
    document; to other programs a private one is new.
    """
    if request.mimetype == "multipart/form-data":
        new = _from_form()
    elif request.mimetype == "application/json":
        try:
            body = schemas.DocumentIn.model_validate_json(request.get_data())
        except ValidationError as error:
            return from_validation(error)
        name, data = pasted(body.text, body.title, node().ports.clock.now())
        new = NewDocument(
            name,
            data,
            body.title,
            _aware(body.created_at),
            tuple(body.tags),
            body.private,
            folder=body.folder,
        )
    else:
        raise UnsupportedMediaType(
            "Send multipart/form-data with a field `file`, or JSON with a field `text`."
        )
    shown = _shown(node().library.receive(new))
    return json_response(shown, HTTPStatus.OK if shown.job is None else HTTPStatus.ACCEPTED)


def _shown(received: Received) -> schemas.Added:
    """Show what became of bytes; a program learns nothing about a private document by having
    them.
    """
    document, job, arrived = received.document, received.job, received.arrived
    if is_owner() or not document.private or document.id == arrived.id:
        return schemas.Added(
            document=shapes.documents(node(), [document])[0],
            job=None if job is None else shapes.job(job),
        )
    made = Job(new_job_id(), "ingest", Lane.INGEST, JobState.QUEUED, 0.0, "", "", arrived.added_at)
    said = shapes.job(made).model_copy(update={"document": None if arrived.private else arrived.id})
    return schemas.Added(
        document=shapes.documents(node(), [arrived])[0].model_copy(update={"job": made.id}),
        job=said,
    )


def visible(identifier: str, *, deleted: bool = False) -> Document:
    """Return a document, with ``deleted`` also one that was; what is private, or deleted, is there
    for its owner alone. Raises ``NotFoundError``.
    """
    document = node().ports.documents.get(DocumentId(identifier), away=deleted and is_owner())
    if document.private and not is_owner():
        raise NotFoundError("document", identifier)
    return document


def _handed_out(identifier: str) -> Document:
    """Return a document whose original the caller may have. Raises ``NotFoundError``.

    A program has none that nobody has read yet, since it may say itself that it is private, and no
    archive: what came in it may be private, or deleted.
    """
    document = visible(identifier)
    if not is_owner() and (document.text_version is None or document.kind is DocumentKind.ARCHIVE):
        raise NotFoundError("open original of", identifier)
    return document


def _from_form() -> NewDocument:
    unknown = sorted(set(request.form) - _FORM_FIELDS | set(request.files) - {"file"})
    if unknown:
        raise InvalidInputError(
            f"Unknown field: {', '.join(unknown)}.",
            "The fields are file, title, created_at, tags, private and folder.",
        )
    uploads = request.files.getlist("file")
    if len(uploads) != 1:
        raise InvalidInputError(
            "There has to be one file in the request.",
            "Send each in a request of its own, in the field `file`.",
        )
    (upload,) = uploads
    private = request.form.get("private", "").lower()
    if private not in YES | NO:
        raise InvalidInputError("`private` is neither yes nor no.", "Send true or false.")
    with closing(upload):  # a large one lies in a temporary file
        data = upload.stream.read()
    moment = request.form.get("created_at")
    try:
        created_at = _aware(datetime.fromisoformat(moment)) if moment else None
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            "created_at is not a time.", "Write it like 2025-11-20 or 2025-11-20T09:30:00+09:00."
        ) from error
    return NewDocument(
        name=upload.filename or "untitled",
        data=data,
        title=request.form.get("title") or None,
        created_at=created_at,
        tags=tuple(tag for part in request.form.getlist("tags") for tag in part.split(",")),
        private=private in YES,
        folder=request.form.get("folder", ""),
    )


def sound_kind(head: bytes) -> str | None:
    """Tell by its first bytes how a recording is played.

    >>> sound_kind(b"RIFF....WAVEfmt "), sound_kind(b"<html>")
    ('audio/wav', None)
    """
    if head[4:8] == b"ftyp":
        return "audio/mp4"
    if head[:1] == b"\xff" and head[1:2] >= b"\xe0":
        return "audio/mpeg"
    return next((kind for start, kind in _SOUNDS.items() if head.startswith(start)), None)


def _aware(moment: datetime | None) -> datetime | None:
    try:
        return None if moment is None else moment.astimezone()
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            "The date lies outside the calendar.", "Give a year between 1 and 9999."
        ) from error


def _wanted(query: schemas.DocumentFilter) -> DocumentFilter | None:
    """Read a filter; ``None`` where the caller may see nothing of it: what is private, or deleted,
    is there for its owner alone.
    """
    if not is_owner() and (query.deleted or query.private):
        return None
    now = node().ports.clock.now()
    return DocumentFilter(
        text=query.q.strip(),
        kinds=tuple(DocumentKind(each) for each in query.kind),
        states=tuple(DocumentState(each) for each in query.state),
        tags=tuple(query.tag),
        folder=query.folder if query.folder == NO_FOLDER else plain_folder(query.folder),
        private=query.private,
        open_only=not is_owner(),
        since=moment(query.since, now) if query.since else None,
        until=moment(query.until, now, until=True) if query.until else None,
        parent=query.parent,
        author=Author(query.made_by),
        away=query.deleted,
    )


@api.get("", summary="List documents, newest first", responses={200: schemas.DocumentList})
def list_documents(query: schemas.DocumentQuery) -> Response:
    """Page through the library in any order; a program that may not do everything sees nothing
    private and nothing deleted.
    """
    wanted = _wanted(query)
    if wanted is None:
        return json_response(schemas.DocumentList(items=[]))
    found, following = node().ports.documents.page(
        limit=query.limit,
        cursor=query.cursor,
        offset=query.offset,
        wanted=wanted,
        sort=Sort(query.sort),
        descending=query.order == "desc",
    )
    return json_response(
        schemas.DocumentList(
            items=shapes.documents(node(), found, sentences=query.sentences), next_cursor=following
        )
    )


@api.get("/counts", summary="Count what a filter finds", responses={200: schemas.DocumentCounts})
def count_documents(query: schemas.DocumentFilter) -> Response:
    """Say how many documents there are of each kind, state, tag and folder."""
    wanted = _wanted(query)
    found = (
        node().ports.documents.counts(wanted)
        if wanted is not None
        else FacetCounts(0, 0, {}, {}, {}, {})
    )
    return json_response(
        schemas.DocumentCounts(
            total=found.total,
            bytes=found.bytes,
            private=found.private,
            kinds=found.kinds,
            states=found.states,
            tags=found.tags,
            folders=found.folders,
        )
    )


@api.post("/bulk", summary="Change many documents at once", responses={200: schemas.BulkOut})
def change_documents(body: schemas.BulkIn) -> Response:
    """Do one thing to all of them in one step, and answer with how their labels were before. What
    is not there is passed over.
    """
    here = node()
    if body.put_back is not None:
        if body.model_fields_set != {"put_back"}:
            raise InvalidInputError(
                "Putting labels back is done alone.", "Send `put_back` and nothing else."
            )
        open_ones = {each.id for each in _open([DocumentId(each.id) for each in body.put_back])}
        back = [
            bulk.Before(DocumentId(each.id), tuple(each.tags), each.folder, each.private)
            for each in body.put_back
            if each.id in open_ones
        ]
        return _bulk_answer(here.library.put_back(back))
    if (body.ids is None) is (body.filter is None):
        raise InvalidInputError(
            "Documents are named by `ids` or found by a `filter`, one of the two.",
            "Send the other one alone.",
        )
    if body.filter is not None:
        wanted = _wanted(body.filter)
        ids = here.ports.documents.ids(wanted) if wanted is not None else []
    else:
        away = body.restore and is_owner()
        ids = [each.id for each in _open([DocumentId(each) for each in body.ids or ()], away=away)]
    change = bulk.BulkChange(
        tuple(body.add_tags),
        tuple(body.remove_tags),
        body.folder,
        body.private,
        body.delete,
        body.restore,
        body.retry,
    )
    if body.restore:
        here.workspace.write_back(ids)
    if body.delete and change == bulk.BulkChange(delete=True):
        here.workspace.take_from_folder(ids)
    return _bulk_answer(here.library.change_all(ids, change))


def _open(ids: list[DocumentId], *, away: bool = False) -> list[Document]:
    """Return those of these that are there and may be seen by the caller."""
    return [
        each
        for each in node().ports.documents.many(ids, away=away)
        if is_owner() or not each.private
    ]


def _bulk_answer(done: bulk.Done) -> Response:
    before = [
        schemas.LabelsBefore(
            id=each.id, tags=list(each.tags), folder=each.folder, private=each.private
        )
        for each in done.before
    ]
    return json_response(
        schemas.BulkOut(done=len(done.documents), ids=list(done.documents), before=before)
    )


@api.get("/<string:id>", summary="Look at one document", responses={200: schemas.DocumentOut})
def get_document(path: schemas.ById, query: schemas.OneDocumentQuery) -> Response:
    """Show what is known of it."""
    return json_response(
        shapes.documents(node(), [visible(path.id, deleted=query.deleted)], whole=True)[0]
    )


@api.patch(
    "/<string:id>",
    summary="Change title, date, tags, folder or privacy",
    responses={200: schemas.DocumentOut},
)
def change_document(path: schemas.ById, body: schemas.DocumentPatch) -> Response:
    """Change what is sent, leave the rest."""
    changes: dict[str, object] = {}
    if "title" in body.model_fields_set:
        changes["title"] = checked_title(body.title or "")
    if body.tags is not None:
        changes["tags"] = checked_tags(body.tags)
    if body.private is not None:
        changes["private"] = body.private
    if body.folder is not None:
        changes["folder"] = checked_folder(body.folder)
    if "created_at" in body.model_fields_set:
        changes["created_at"] = _aware(body.created_at)
    known = visible(path.id)
    changed = node().library.relabel(known.id, **changes) if changes else known
    return json_response(shapes.documents(node(), [changed], whole=True)[0])


@api.delete(
    "/<string:id>", summary="Delete a document; it can come back for 30 days", responses={204: None}
)
def delete_document(path: schemas.ById) -> Response:
    """Put it away: from now on nothing finds it. After 30 days it is removed for good; `POST
    /api/erasures` does that at once and in backups too.
    """
    known = visible(path.id)
    node().workspace.take_from_folder([known.id])
    library.put_away(node().ports.documents, node().ports.index, node().ports.clock, [known.id])
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post(
    "/<string:id>/restore", summary="Bring a deleted document back", responses={200: schemas.Added}
)
def restore_document(path: schemas.ById) -> Response:
    """Bring it back as it was; the job puts its passages where recall finds them. One that is there
    stays as it is, with no job.
    """
    known = visible(path.id, deleted=True)
    node().workspace.write_back([known.id])
    jobs = library.restore(
        node().ports.files, node().ports.documents, node().ports.clock, [known.id]
    )
    shown = shapes.documents(node(), [node().ports.documents.get(known.id)])[0]
    return json_response(schemas.Added(document=shown, job=shapes.job(jobs[0]) if jobs else None))


@api.get("/<string:id>/original", summary="Download the original")
def get_original(path: schemas.ById) -> Response:
    """Hand out the bytes as they came in; always as a download, never as a page of this origin."""
    document = _handed_out(path.id)
    answer = Response(
        node().ports.files.original(document.sha256), content_type="application/octet-stream"
    )
    answer.headers.set("Content-Disposition", "attachment", filename=document.name)
    return answer


@api.get("/<string:id>/sound", summary="Listen to a recording")
def get_sound(path: schemas.ById) -> Response:
    """Hand out a recording for playing, whole or in parts. Anything else than sound is not handed
    out here.
    """
    document = _handed_out(path.id)
    data = node().ports.files.original(document.sha256)
    kind = sound_kind(data[:16]) if document.kind is DocumentKind.AUDIO else None
    if kind is None:
        raise NotFoundError("recording that can be played", document.id)
    return send_file(
        io.BytesIO(data), mimetype=kind, conditional=True, etag=document.sha256, max_age=0
    )


@api.get(
    "/<string:id>/text",
    summary="Read a stretch of the canonical text",
    responses={200: schemas.TextOut},
)
def get_text(path: schemas.ById, query: schemas.TextQuery) -> Response:
    """Offsets count code points, end exclusive; `line` is the number of the first line."""
    shown = library.window(
        node().ports.files, node().ports.documents, visible(path.id).id, query.start, query.end
    )
    pages = [schemas.PageSpan(page=page, start=start, end=end) for page, start, end in shown.pages]
    return json_response(
        schemas.TextOut(
            text=shown.text,
            start=shown.start,
            end=shown.end,
            length=shown.length,
            line=shown.line,
            version=shown.version,
            pages=pages,
        )
    )


@api.get(
    "/<string:id>/pages",
    summary="List the pages that can be shown as pictures",
    responses={200: schemas.PageList},
)
def list_pages(path: schemas.ById) -> Response:
    """Show those of a PDF, and the one of a picture; other documents have none."""
    shown = node().ports.pictures.pages(_handed_out(path.id))
    return json_response(
        schemas.PageList(
            items=[
                schemas.PageOut(
                    page=each.number,
                    width=each.width,
                    height=each.height,
                    start=each.start,
                    end=each.end,
                )
                for each in shown
            ]
        )
    )


@api.get("/<string:id>/pages/<int:page>", summary="A page as a picture")
def get_page(path: schemas.PagePath, query: schemas.PictureQuery) -> Response:
    """Draw it as PNG, in a process apart: nothing in the original is executed."""
    return Response(
        node().ports.pictures.picture(_handed_out(path.id), path.page, query.width),
        content_type="image/png",
    )


@api.get(
    "/<string:id>/pages/<int:page>/places",
    summary="Where a stretch stands on a page",
    responses={200: schemas.PlacesOut},
)
def get_places(path: schemas.PagePath, query: schemas.SpanQuery) -> Response:
    """Give rectangles for the part of a span of the text that stands on this page."""
    found = node().ports.pictures.places(_handed_out(path.id), path.page, query.start, query.end)
    boxes = [
        schemas.BoxOut(left=left, top=top, right=right, bottom=bottom)
        for left, top, right, bottom in found
    ]
    return json_response(schemas.PlacesOut(page=path.page, boxes=boxes))


@api.get(
    "/<string:id>/passages",
    summary="List its passages in the order of the text",
    responses={200: schemas.PassageList},
)
def list_passages(path: schemas.ById, query: schemas.Page) -> Response:
    """Page through the passages that recall can find."""
    document = visible(path.id)
    after = None if query.cursor is None else ChunkId(query.cursor)
    if after is not None and not _has(document, after):
        raise StrangeCursorError
    found = node().ports.index.chunks_of(document.id, after, query.limit + 1)
    shown = found[: query.limit]
    return json_response(
        schemas.PassageList(
            items=shapes.passage(node(), shown),
            next_cursor=shown[-1].id if len(found) > query.limit else None,
        )
    )


def _has(document: Document, passage: ChunkId) -> bool:
    with suppress(NotFoundError):
        return node().ports.index.chunk(passage).document == document.id
    return False
