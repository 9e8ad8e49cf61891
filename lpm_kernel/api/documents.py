"""Documents: hand over, look after, read."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from http import HTTPStatus

from flask import Response, request
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag
from pydantic import ValidationError
from werkzeug.exceptions import UnsupportedMediaType

from lpm_kernel.api import schemas, shapes
from lpm_kernel.api.context import node
from lpm_kernel.api.problems import from_validation
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.documents import DocumentState
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.usecases import library
from lpm_kernel.usecases.add import NewDocument, checked_tags, checked_title, pasted

api = APIBlueprint("documents", __name__, url_prefix="/api/documents", abp_tags=[Tag(name="documents", description="What came in, untouched")])

YES, NO = {"true", "1", "yes", "on"}, {"", "false", "0", "no", "off"}
_FORM_FIELDS = frozenset({"title", "created_at", "tags", "private"})


@api.post(
    "",
    summary="Hand over a file or a text",
    responses={202: schemas.Added, 200: schemas.Added},
    openapi_extensions={"x-body": "multipart/form-data with `file`, or JSON"},
)
def add_document() -> Response:
    """Keep the bytes and queue the reading of them. The same bytes again answer 200 with the known document."""
    if request.mimetype == "multipart/form-data":
        new = _from_form()
    elif request.mimetype == "application/json":
        try:
            body = schemas.DocumentIn.model_validate_json(request.get_data())
        except ValidationError as error:
            return from_validation(error)
        name, data = pasted(body.text, body.title, node().clock.now())
        new = NewDocument(name, data, body.title, _aware(body.created_at), tuple(body.tags), body.private)
    else:
        raise UnsupportedMediaType("Send multipart/form-data with a field `file`, or JSON with a field `text`.")
    received = node().receive(new)
    shown = schemas.Added(document=shapes.documents(node(), [received.document])[0], job=None if received.job is None else shapes.job(received.job))
    return Response(shown.model_dump_json(), HTTPStatus.OK if received.job is None else HTTPStatus.ACCEPTED, content_type="application/json")


def _from_form() -> NewDocument:
    unknown = sorted(set(request.form) - _FORM_FIELDS | set(request.files) - {"file"})
    if unknown:
        raise InvalidInputError(f"Unknown field: {', '.join(unknown)}.", "The fields are file, title, created_at, tags and private.")
    uploads = request.files.getlist("file")
    if len(uploads) != 1:
        raise InvalidInputError("There has to be one file in the request.", "Send each in a request of its own, in the field `file`.")
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
        raise InvalidInputError("created_at is not a time.", "Write it like 2025-11-20 or 2025-11-20T09:30:00+09:00.") from error
    return NewDocument(
        name=upload.filename or "untitled",
        data=data,
        title=request.form.get("title") or None,
        created_at=created_at,
        tags=tuple(tag for part in request.form.getlist("tags") for tag in part.split(",")),
        private=private in YES,
    )


def _aware(moment: datetime | None) -> datetime | None:
    try:
        return None if moment is None else moment.astimezone()
    except (ValueError, OverflowError) as error:
        raise InvalidInputError("The date lies outside the calendar.", "Give a year between 1 and 9999.") from error


@api.get("", summary="List documents, newest first", responses={200: schemas.DocumentList})
def list_documents(query: schemas.DocumentQuery) -> Response:
    """Page through the library."""
    found, following = node().documents.page(limit=query.limit, cursor=query.cursor, state=DocumentState(query.state) if query.state else None, text=query.q)
    return json_response(schemas.DocumentList(items=shapes.documents(node(), found), next_cursor=following))


@api.get("/<string:id>", summary="Look at one document", responses={200: schemas.DocumentOut})
def get_document(path: schemas.ById) -> Response:
    """Show what is known of it."""
    return json_response(shapes.documents(node(), [node().documents.get(DocumentId(path.id))], whole=True)[0])


@api.patch("/<string:id>", summary="Change title, date, tags or privacy", responses={200: schemas.DocumentOut})
def change_document(path: schemas.ById, body: schemas.DocumentPatch) -> Response:
    """Change what is sent, leave the rest."""
    changes: dict[str, object] = {}
    if "title" in body.model_fields_set:
        changes["title"] = checked_title(body.title or "")
    if body.tags is not None:
        changes["tags"] = checked_tags(body.tags)
    if body.private is not None:
        changes["private"] = body.private
    if "created_at" in body.model_fields_set:
        changes["created_at"] = _aware(body.created_at)
    identifier = DocumentId(path.id)
    changed = library.relabel(node().documents, node().jobs, node().index, node().clock, identifier, **changes) if changes else node().documents.get(identifier)
    return json_response(shapes.documents(node(), [changed], whole=True)[0])


@api.delete("/<string:id>", summary="Delete a document with its passages", responses={204: None})
def delete_document(path: schemas.ById) -> Response:
    """Remove the original, its text and its rows."""
    library.delete(node().files, node().documents, node().index, DocumentId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)


@api.get("/<string:id>/original", summary="Download the original")
def get_original(path: schemas.ById) -> Response:
    """Hand out the bytes as they came in; always as a download, never as a page of this origin."""
    document = node().documents.get(DocumentId(path.id))
    answer = Response(node().files.original(document.sha256), content_type="application/octet-stream")
    answer.headers.set("Content-Disposition", "attachment", filename=document.name)
    return answer


@api.get("/<string:id>/text", summary="Read a stretch of the canonical text", responses={200: schemas.TextOut})
def get_text(path: schemas.ById, query: schemas.TextQuery) -> Response:
    """Offsets count code points, end exclusive; `line` is the number of the first line."""
    shown = library.window(node().files, node().documents, DocumentId(path.id), query.start, query.end)
    pages = [schemas.PageSpan(page=page, start=start, end=end) for page, start, end in shown.pages]
    return json_response(
        schemas.TextOut(text=shown.text, start=shown.start, end=shown.end, length=shown.length, line=shown.line, version=shown.version, pages=pages)
    )


@api.get("/<string:id>/passages", summary="List its passages in the order of the text", responses={200: schemas.PassageList})
def list_passages(path: schemas.ById, query: schemas.Page) -> Response:
    """Page through the passages that recall can find."""
    document = node().documents.get(DocumentId(path.id))
    try:
        found = node().index.chunks_of(document.id, ChunkId(query.cursor) if query.cursor else None, query.limit + 1)
    except NotFoundError as error:
        raise InvalidInputError("The cursor is not one of this list.", "Leave `cursor` out to start at the beginning.") from error
    shown = found[: query.limit]
    return json_response(schemas.PassageList(items=shapes.passage(node(), shown), next_cursor=shown[-1].id if len(found) > query.limit else None))
