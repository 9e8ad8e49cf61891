"""Documents: hand over, look after, list."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from http import HTTPStatus

from flask import Response, request
from pydantic import ValidationError
from werkzeug.exceptions import UnsupportedMediaType

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.library import document_schemas
from lpm_kernel.api.library.document_access import present, visible
from lpm_kernel.api.library.document_schemas import (
    Added,
    BulkIn,
    BulkOut,
    DocumentCounts,
    DocumentIn,
    DocumentList,
    DocumentOut,
    DocumentPatch,
    DocumentQuery,
    LabelsBefore,
    OneDocumentQuery,
)
from lpm_kernel.api.library.document_serialisers import serialise_documents
from lpm_kernel.api.moments import aware_if_given
from lpm_kernel.api.problems import from_validation
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import DOCUMENTS
from lpm_kernel.domain.home.jobs import Job, JobState, Lane
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import Document, DocumentKind, DocumentState
from lpm_kernel.domain.library.listing import (
    NO_FOLDER,
    Author,
    DocumentFilter,
    FacetCounts,
    Sort,
    plain_folder,
)
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.L0.language.dates import moment
from lpm_kernel.usecases.library import bulk
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.library.file_names import file_path
from lpm_kernel.usecases.library.intake import (
    NewDocument,
    Received,
    checked_folder,
    checked_tags,
    checked_title,
    new_job_id,
    pasted,
)

api = DOCUMENTS.blueprint("documents", __name__)

YES, NO = {"true", "1", "yes", "on"}, {"", "false", "0", "no", "off"}
_FORM_FIELDS = frozenset({"title", "created_at", "tags", "private", "folder", "version_of"})


@api.post(
    "",
    summary="Add a file or a text",
    responses={202: Added, 200: Added},
)
def add_document() -> Response:
    """Keep the bytes and queue the reading of them. The same bytes again answer 200 with the known
    document; to other programs a private one is new.

    Other bytes of a file that came with the same `folder` and name, or with `version_of`, are a new
    version of that document: it answers questions from now on, and the one before stays where it is
    cited.
    """
    if request.mimetype == "multipart/form-data":
        new = _from_form()
    elif request.mimetype == "application/json":
        try:
            body = DocumentIn.model_validate_json(request.get_data())
        except ValidationError as error:
            return from_validation(error)
        name, data = pasted(body.text, body.title, node().ports.clock.now())
        new = NewDocument(
            name,
            data,
            body.title,
            aware_if_given(body.created_at),
            tuple(body.tags),
            body.private,
            folder=body.folder,
            version_of=_version_of(body.version_of),
            open_only=not is_owner(),
        )
    else:
        raise UnsupportedMediaType(
            "Send multipart/form-data with a field `file`, or JSON with a field `text`."
        )
    shown = _shown(node().library.receive(new))
    return json_response(shown, HTTPStatus.OK if shown.job is None else HTTPStatus.ACCEPTED)


def _shown(received: Received) -> Added:
    """Show what became of bytes; a program learns nothing about a private document by having
    them.
    """
    document, job, arrived = received.document, received.job, received.arrived
    if is_owner() or not document.private or document.id == arrived.id:
        return Added(
            document=serialise_documents(node(), [document], whole=is_owner())[0],
            job=None if job is None else serialise_job(job),
        )
    made = Job(new_job_id(), "ingest", Lane.INGEST, JobState.QUEUED, 0.0, "", "", arrived.added_at)
    said = serialise_job(made).model_copy(
        update={"document": None if arrived.private else arrived.id}
    )
    return Added(
        document=serialise_documents(node(), [arrived])[0].model_copy(update={"job": made.id}),
        job=said,
    )


def _from_form() -> NewDocument:
    unknown = sorted(set(request.form) - _FORM_FIELDS | set(request.files) - {"file"})
    if unknown:
        raise InvalidInputError(
            f"Unknown field: {', '.join(unknown)}.",
            "The fields are file, title, created_at, tags, private, folder and version_of.",
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
    folder, moment = request.form.get("folder", ""), request.form.get("created_at")
    try:
        created_at = aware_if_given(datetime.fromisoformat(moment)) if moment else None
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            "`created_at` is not a time.", "Write it like 2025-11-20 or 2025-11-20T09:30:00+09:00."
        ) from error
    return NewDocument(
        name=upload.filename or "untitled",
        data=data,
        title=request.form.get("title") or None,
        created_at=created_at,
        tags=tuple(tag for part in request.form.getlist("tags") for tag in part.split(",")),
        private=private in YES,
        folder=folder,
        path=file_path(folder, upload.filename or "untitled"),
        version_of=_version_of(request.form.get("version_of")),
        open_only=not is_owner(),
    )


def _version_of(identifier: str | None) -> DocumentId | None:
    """Return the document that something is a new version of. Raises ``NotFoundError``."""
    return visible(identifier).id if identifier else None


def _wanted(query: document_schemas.DocumentFilter) -> DocumentFilter | None:
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


@api.get("", summary="List documents, newest first", responses={200: DocumentList})
def list_documents(query: DocumentQuery) -> Response:
    """Page through the library in any order; a program that may not do everything sees nothing
    private and nothing deleted.
    """
    wanted = _wanted(query)
    if wanted is None:
        return json_response(DocumentList(items=[]))
    found, following = node().ports.documents.page(
        limit=query.limit,
        cursor=query.cursor,
        offset=query.offset,
        wanted=wanted,
        sort=Sort(query.sort),
        descending=query.order == "desc",
    )
    return json_response(
        DocumentList(
            items=serialise_documents(node(), found, sentences=query.sentences),
            next_cursor=following,
        )
    )


@api.get("/counts", summary="Count what a filter finds", responses={200: DocumentCounts})
def count_documents(query: document_schemas.DocumentFilter) -> Response:
    """Say how many documents there are of each kind, state, tag and folder."""
    wanted = _wanted(query)
    found = (
        node().ports.documents.counts(wanted)
        if wanted is not None
        else FacetCounts(0, 0, {}, {}, {}, {})
    )
    return json_response(
        DocumentCounts(
            total=found.total,
            bytes=found.bytes,
            private=found.private,
            kinds=found.kinds,
            states=found.states,
            tags=found.tags,
            folders=found.folders,
        )
    )


@api.post("/bulk", summary="Change many documents at once", responses={200: BulkOut})
def change_documents(body: BulkIn) -> Response:
    """Do one thing to all of them in one step, and answer with how their labels were before. What
    is not there is passed over.
    """
    here = node()
    if body.put_back is not None:
        if body.model_fields_set != {"put_back"}:
            raise InvalidInputError(
                "Putting labels back is done alone.", "Send `put_back` and nothing else."
            )
        open_ones = {
            document.id for document in _open([DocumentId(before.id) for before in body.put_back])
        }
        back = [
            bulk.Before(DocumentId(before.id), tuple(before.tags), before.folder, before.private)
            for before in body.put_back
            if before.id in open_ones
        ]
        return _bulk_answer(here.library.put_back(back))
    if (body.ids is None) is (body.filter is None):
        raise InvalidInputError(
            "Give documents by `ids` or by a `filter`, not both.",
            "Send only one of them.",
        )
    if body.filter is not None:
        wanted = _wanted(body.filter)
        ids = here.ports.documents.ids(wanted) if wanted is not None else []
    else:
        away = body.restore and is_owner()
        ids = [
            document.id
            for document in _open([DocumentId(each) for each in body.ids or ()], away=away)
        ]
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
    """Return those of these that are there and may be seen by the caller; what is done to many is
    not done to older versions.
    """
    return [
        document
        for document in node().ports.documents.many(ids, away=away)
        if document.superseded_by is None
        and not is_thread(document.id)
        and (is_owner() or not document.private)
    ]


def _bulk_answer(done: bulk.Done) -> Response:
    before = [
        LabelsBefore(id=each.id, tags=list(each.tags), folder=each.folder, private=each.private)
        for each in done.before
    ]
    return json_response(BulkOut(done=len(done.documents), ids=list(done.documents), before=before))


@api.get("/<string:id>", summary="Show a document", responses={200: DocumentOut})
def get_document(path: ById, query: OneDocumentQuery) -> Response:
    """Show what is known of it."""
    return json_response(
        serialise_documents(node(), [visible(path.id, deleted=query.deleted)], whole=True)[0]
    )


@api.patch(
    "/<string:id>",
    summary="Change title, date, tags, folder or privacy",
    responses={200: DocumentOut},
)
def change_document(path: ById, body: DocumentPatch) -> Response:
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
        changes["created_at"] = aware_if_given(body.created_at)
    known = present(path.id)
    changed = node().library.relabel(known.id, **changes) if changes else known
    return json_response(serialise_documents(node(), [changed], whole=True)[0])


@api.delete(
    "/<string:id>",
    summary="Delete a document; it can be restored for 30 days",
    responses={204: None},
)
def delete_document(path: ById) -> Response:
    """Put it away: from now on nothing finds it. After 30 days it is removed for good; `POST
    /api/erasures` does that at once and in backups too.
    """
    known = present(path.id)
    node().workspace.take_from_folder([known.id])
    library.put_away(node().ports.documents, node().ports.index, node().ports.clock, [known.id])
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post("/<string:id>/restore", summary="Restore a deleted document", responses={200: Added})
def restore_document(path: ById) -> Response:
    """Bring it back as it was; the job puts its passages where recall finds them. One that is there
    stays as it is, with no job.
    """
    known = present(path.id, deleted=True)
    node().workspace.write_back([known.id])
    jobs = library.restore(
        node().ports.files, node().ports.documents, node().ports.clock, [known.id]
    )
    shown = serialise_documents(node(), [node().ports.documents.get(known.id)])[0]
    return json_response(Added(document=shown, job=serialise_job(jobs[0]) if jobs else None))
