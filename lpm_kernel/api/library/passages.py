"""A document from inside: its original, its text, its pages and its passages."""

from __future__ import annotations

import io
from contextlib import suppress

from flask import Response, send_file

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.library.document_access import visible
from lpm_kernel.api.library.passage_schemas import (
    BoxOut,
    PageList,
    PageOut,
    PagePath,
    PageSpan,
    PassageList,
    PictureQuery,
    PlacesOut,
    SpanQuery,
    TextOut,
    TextQuery,
)
from lpm_kernel.api.library.passage_serialisers import serialise_passages
from lpm_kernel.api.schemas import ById, Page
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import DOCUMENTS
from lpm_kernel.domain.ids import ChunkId
from lpm_kernel.domain.library.documents import Document, DocumentKind
from lpm_kernel.errors import NotFoundError, StrangeCursorError
from lpm_kernel.usecases.library import documents as library

api = DOCUMENTS.blueprint("passages", __name__)

_SOUNDS = {b"RIFF": "audio/wav", b"OggS": "audio/ogg", b"fLaC": "audio/flac", b"ID3": "audio/mpeg"}


def _handed_out(identifier: str) -> Document:
    """Return a document whose original the caller may have. Raises ``NotFoundError``.

    A program has none that nobody has read yet, since it may say itself that it is private, and no
    archive: what came in it may be private, or deleted.
    """
    document = visible(identifier)
    if not is_owner() and (document.text_version is None or document.kind is DocumentKind.ARCHIVE):
        raise NotFoundError("open original of", identifier)
    return document


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


@api.get("/<string:id>/original", summary="Download the original")
def get_original(path: ById) -> Response:
    """Hand out the bytes as they came in; always as a download, never as a page of this origin."""
    document = _handed_out(path.id)
    answer = Response(
        node().ports.files.original(document.sha256), content_type="application/octet-stream"
    )
    answer.headers.set("Content-Disposition", "attachment", filename=document.name)
    return answer


@api.get("/<string:id>/sound", summary="Listen to a recording")
def get_sound(path: ById) -> Response:
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
    responses={200: TextOut},
)
def get_text(path: ById, query: TextQuery) -> Response:
    """Offsets count code points, end exclusive; `line` is the number of the first line."""
    shown = library.window(
        node().ports.files, node().ports.documents, visible(path.id).id, query.start, query.end
    )
    pages = [PageSpan(page=page, start=start, end=end) for page, start, end in shown.pages]
    return json_response(
        TextOut(
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
    responses={200: PageList},
)
def list_pages(path: ById) -> Response:
    """Show those of a PDF, and the one of a picture; other documents have none."""
    shown = node().ports.pictures.pages(_handed_out(path.id))
    return json_response(
        PageList(
            items=[
                PageOut(
                    page=image.number,
                    width=image.width,
                    height=image.height,
                    start=image.start,
                    end=image.end,
                )
                for image in shown
            ]
        )
    )


@api.get("/<string:id>/pages/<int:page>", summary="A page as a picture")
def get_page(path: PagePath, query: PictureQuery) -> Response:
    """Draw it as PNG, in a process apart: nothing in the original is executed."""
    return Response(
        node().ports.pictures.picture(_handed_out(path.id), path.page, query.width),
        content_type="image/png",
    )


@api.get(
    "/<string:id>/pages/<int:page>/places",
    summary="Find a passage on the picture of a page",
    responses={200: PlacesOut},
)
def get_places(path: PagePath, query: SpanQuery) -> Response:
    """Give rectangles for the part of a span of the text that stands on this page."""
    found = node().ports.pictures.places(_handed_out(path.id), path.page, query.start, query.end)
    boxes = [
        BoxOut(left=left, top=top, right=right, bottom=bottom) for left, top, right, bottom in found
    ]
    return json_response(PlacesOut(page=path.page, boxes=boxes))


@api.get(
    "/<string:id>/passages",
    summary="List its passages in the order of the text",
    responses={200: PassageList},
)
def list_passages(path: ById, query: Page) -> Response:
    """Page through the passages that recall can find."""
    document = visible(path.id)
    after = None if query.cursor is None else ChunkId(query.cursor)
    if after is not None and not _has(document, after):
        raise StrangeCursorError
    found = node().ports.index.chunks_of(document.id, after, query.limit + 1)
    shown = found[: query.limit]
    return json_response(
        PassageList(
            items=serialise_passages(node(), shown),
            next_cursor=shown[-1].id if len(found) > query.limit else None,
        )
    )


def _has(document: Document, passage: ChunkId) -> bool:
    with suppress(NotFoundError):
        return node().ports.index.chunk(passage).document == document.id
    return False
