"""Going over what is new: ask for it, see what it wrote, undo it."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import node
from lpm_kernel.api.memory.reflection_schemas import (
    ByReflection,
    PageChangeOut,
    ReflectIn,
    ReflectionList,
    ReflectionOut,
)
from lpm_kernel.api.schemas import Queued
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.memory.reflection import PageChange, Reflection

api = APIBlueprint(
    "reflections",
    __name__,
    url_prefix="/api/reflections",
    abp_tags=[Tag(name="reflections", description="What the node writes by itself")],
)

SHOWN = 30


@api.post("", summary="Reflect on what is new", responses={202: Queued})
def reflect(body: ReflectIn) -> Response:
    """Queue it: pages of people, places and things, and the biography, are brought up to date where
    something new concerns them.
    """
    return json_response(
        Queued(job=serialise_job(node().reflection.queue_reflection(body.since))),
        HTTPStatus.ACCEPTED,
    )


@api.get("", summary="What was written, and when", responses={200: ReflectionList})
def list_reflections() -> Response:
    """List the last ones, the newest first, each with its pages; one that wrote nothing is not
    listed.
    """
    return json_response(
        ReflectionList(
            items=[
                _shown(reflection)
                for reflection in node().ports.reflections.latest(SHOWN)
                if reflection.pages
            ]
        )
    )


@api.post("/<string:id>/undo", summary="Undo a reflection", responses={200: ReflectionOut})
def undo(path: ByReflection) -> Response:
    """Have its pages read as before; what it wrote does not come back by itself. Pages that were
    changed since stay as they are.
    """
    return json_response(_shown(node().reflection.undo_reflection(path.id)))


def _shown(known: Reflection) -> ReflectionOut:
    return ReflectionOut(
        id=known.id,
        at=known.at,
        documents=known.documents,
        pages=[_page(change) for change in known.pages],
        undone_at=known.undone_at,
    )


def _page(change: PageChange) -> PageChangeOut:
    versions = node().reflection.versions_by_hash(change.path)
    document = node().ports.documents.by_origin(change.path)
    return PageChangeOut(
        path=change.path,
        title=document.title if document else change.path,
        made=change.before is None,
        removed=change.after is None,
        before=versions.get(change.before or ""),
        after=versions.get(change.after or ""),
        changed_since=node().reflection.page_hash(change.path) not in {change.before, change.after},
    )
