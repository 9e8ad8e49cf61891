"""What a document said before: its versions, what changed, and what the person says of them."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.library.document_access import present, visible
from lpm_kernel.api.library.document_schemas import Added, DocumentList, DocumentOut
from lpm_kernel.api.library.document_serialisers import serialise_documents
from lpm_kernel.api.library.version_schemas import (
    BeforeQuery,
    DiffOut,
    UseAgainIn,
    VersionIn,
    VersionList,
)
from lpm_kernel.api.library.version_serialisers import serialise_diff, serialise_versions
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import DOCUMENTS
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, DocumentKind
from lpm_kernel.errors import NotFoundError

api = DOCUMENTS.blueprint("versions", __name__)


@api.get("/<string:id>/versions", summary="List its versions", responses={200: VersionList})
def list_versions(path: ById) -> Response:
    """List every version, the newest first, whichever of them is named; a program sees those that
    are not private.
    """
    found = node().library.versions(visible(path.id))
    if not is_owner():
        known = node().ports.documents.many([version.document for version in found])
        shown = {document.id for document in known if not document.private}
        found = [version for version in found if version.document in shown]
    return json_response(serialise_versions(found))


@api.get("/<string:id>/diff", summary="What a version changed", responses={200: DiffOut})
def diff_versions(path: ById, query: BeforeQuery) -> Response:
    """Show the lines of the text that changed up to this version, with a few around them; of two
    archives, what lies in them.
    """
    after = visible(path.id)
    before = visible(query.before) if query.before else _version_before(after)
    if not is_owner() and not all(_is_open(each) for each in (before, after) if each is not None):
        raise NotFoundError("text of the document", path.id)
    return json_response(serialise_diff(node().library.compared(before, after)))


def _is_open(document: Document) -> bool:
    """Tell whether a program may see what a document says: a file in an archive may be private, and
    what was not read yet may say that it is.
    """
    return document.kind is not DocumentKind.ARCHIVE and document.text_version is not None


def _version_before(document: Document) -> Document | None:
    """Return the version before one; to a program, one that it may see. Raises
    ``NotFoundError``.
    """
    found = node().library.versions(document)
    place = next(at for at, version in enumerate(found) if version.document == document.id)
    return visible(found[place + 1].document) if place + 1 < len(found) else None


@api.post(
    "/<string:id>/versions",
    summary="Say that another document is its next version",
    responses={200: DocumentOut},
)
def add_version(path: ById, body: VersionIn) -> Response:
    """Make a document that is there already the present version of this one; the words of this one
    stay where they are cited. `POST …/apart` takes it back.
    """
    joined = node().library.join(visible(body.document), visible(path.id))
    return json_response(serialise_documents(node(), [joined], whole=True)[0])


@api.post(
    "/<string:id>/versions/restore",
    summary="Use an older version again",
    responses={202: Added},
)
def use_version_again(path: ById, body: UseAgainIn) -> Response:
    """Make it the present one, as a new version; what was the present one stays as a version."""
    document, version = present(path.id), visible(body.version)
    here = node()
    if document.origin:
        made = here.workspace.restore_version(
            document.origin, DocumentId(body.version), open_only=not is_owner()
        )
        now = here.ports.documents.get(made.document or document.id)
        job = next(iter(made.jobs), None)
    else:
        now, job = here.library.use_again(document, version)
    shown = Added(
        document=serialise_documents(here, [now])[0], job=serialise_job(job) if job else None
    )
    return json_response(shown, HTTPStatus.ACCEPTED)


@api.post(
    "/<string:id>/apart",
    summary="Say that it is another document",
    responses={200: DocumentList},
)
def set_apart(path: ById) -> Response:
    """Make a version, with those after it, a document of its own; the one before it is the present
    one of the other again. What came alone and was asked about is asked about no more. Answers with
    both, or the one.
    """
    here, known = node(), visible(path.id)
    jobs = here.library.part(known)
    both = [known.id, *(DocumentId(job.document) for job in jobs if job.document)]
    return json_response(
        DocumentList(items=serialise_documents(here, here.ports.documents.many(both)))
    )
