"""Memories: what the person wrote or kept, statement by statement, with its line, its evidence and
what it said before.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.cursors import paged
from lpm_kernel.api.memory import memory_schemas
from lpm_kernel.api.memory.memory_schemas import (
    MemoryIn,
    MemoryKept,
    MemoryList,
    MemoryPatch,
    MemoryWhole,
)
from lpm_kernel.api.memory.memory_serialisers import serialise_memories
from lpm_kernel.api.moments import aware, aware_if_given
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.home.jobs import Job
from lpm_kernel.domain.memory.forgetting import FADING
from lpm_kernel.domain.memory.memories import Belief, MemoryFilter, MemoryId
from lpm_kernel.domain.memory.retain import line_of
from lpm_kernel.domain.memory.validity import UNKNOWN, Validity
from lpm_kernel.domain.statements import Statement, StatementKind
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.usecases.memory.forgetting import weakest_first
from lpm_kernel.usecases.memory.memories import checked
from lpm_kernel.usecases.memory.validity import checked as dates_within
from lpm_kernel.usecases.memory.validity import given

api = APIBlueprint(
    "memories",
    __name__,
    url_prefix="/api/memories",
    abp_tags=[Tag(name="memories", description="Statements, their evidence and their history")],
)

MOST_AT_ONCE = 1_000
"""Statements that are read at once where all of them are put in order."""


@api.get("", summary="List memories", responses={200: MemoryList})
def list_memories(query: memory_schemas.MemoryQuery) -> Response:
    """List statements, newest first; with `as_of`, those that were believed then."""
    wished = MemoryFilter(
        tuple(StatementKind(each) for each in query.kind),
        query.entity.strip(),
        query.q.strip(),
        query.forgotten,
        open_only=not is_owner(),
    )
    if query.as_of is not None and (query.sort == "strength" or query.fading):
        raise InvalidInputError(
            "How strong a memory is can only be told as of now.",
            "Leave out `as_of`, or `sort` and `fading`.",
        )
    if query.forgotten and query.as_of is not None:
        raise InvalidInputError(
            "Forgotten memories can only be listed as of now.", "Leave out `as_of`, or `forgotten`."
        )
    if query.sort == "strength" or query.fading:
        found, following = _by_strength(query, wished)
    elif query.as_of is not None:
        found, following = node().ports.memories.at(aware(query.as_of), wished)[: query.limit], None
    else:
        found, following = node().ports.memories.page(
            wished, limit=query.limit, cursor=query.cursor
        )
    shown = serialise_memories(node(), found)
    if query.valid_at is not None:
        moment = aware(query.valid_at)
        shown = [
            memory
            for memory in shown
            if Validity(memory.valid_from, memory.valid_until).meets(moment, moment)
        ]
    return json_response(MemoryList(items=shown, next_cursor=following))


@api.post("", summary="Add a memory", responses={202: MemoryKept})
def retain(body: MemoryIn) -> Response:
    """Write it below `## Retain` of today's file, or of the one that is named; the job puts it
    where recall finds it.
    """
    if bool(body.line.strip()) == bool(body.content.strip()):
        raise InvalidInputError(
            "Give the memory as `line`, or as `content` with its parts.", "Send one of the two."
        )
    line = body.line or line_of(
        checked(
            Statement(StatementKind(body.kind), body.content, tuple(body.entities), body.confidence)
        )
    )
    known = Validity(aware_if_given(body.valid_from), aware_if_given(body.valid_until))
    path, identifier, jobs = node().workspace.retain(
        line, body.file, known, open_only=not is_owner()
    )
    return _kept(identifier, path, jobs)


@api.get(
    "/<string:id>",
    summary="One memory, with what it said before",
    responses={200: MemoryWhole},
)
def get_memory(path: ById) -> Response:
    """Show the wording that is believed, or was believed last, and all before it."""
    known = _history(path.id)
    if is_owner():
        node().ports.uses.note(known[-1].document, known[-1].start, known[-1].end)
    history = serialise_memories(node(), known)
    return json_response(MemoryWhole(memory=history[-1], history=history[:-1]))


@api.patch("/<string:id>", summary="Correct a memory", responses={202: MemoryKept})
def correct(path: ById, body: MemoryPatch) -> Response:
    """Write its line anew, or say from when until when it is so. What the person writes here
    outranks what is inferred, and what it said before stays as its history.
    """
    known = _history(path.id)[-1]
    said, sent = known.statement, body.model_fields_set
    wanted = Statement(
        StatementKind(body.kind) if body.kind else said.kind,
        said.text if body.content is None else body.content,
        said.entities if body.entities is None else tuple(body.entities),
        body.confidence if "confidence" in sent else said.confidence,
    )
    before = given(node().ports.validities, known)
    after = Validity(
        *(
            aware_if_given(getattr(body, name)) if name in sent else was
            for name, was in (("valid_from", before.start), ("valid_until", before.end))
        )
    )
    dates_within(after)
    rewords = not sent or bool(sent - {"valid_from", "valid_until", "pinned", "renewed"})
    file, jobs = (
        node().workspace.reword(known, checked(wanted), open_only=not is_owner())
        if rewords
        else (node().ports.documents.get(known.document).origin, [])
    )
    if body.renewed is not None:
        node().memory.renew(known, renewed=body.renewed)
    if body.pinned is not None:
        node().memory.pin(known, pinned=body.pinned)
    if after != UNKNOWN or before != UNKNOWN:
        node().workspace.date_memory(known, after, checked(wanted).text if rewords else None)
    return _kept(path.id, file, jobs)


@api.delete("/<string:id>", summary="Forget a memory", responses={202: MemoryKept})
def forget(path: ById) -> Response:
    """Take its line out of its file. What it said stays in its history; `POST /api/erasures` takes
    that too.
    """
    file, jobs = node().workspace.reword(_history(path.id)[-1], None, open_only=not is_owner())
    return _kept(path.id, file, jobs)


def _by_strength(
    query: memory_schemas.MemoryQuery, wished: MemoryFilter
) -> tuple[list[Belief], str | None]:
    """Return a page of what fades most; its cursor counts, since strength moves with the clock and
    with every use.
    """
    every: list[Belief] = []
    cursor: str | None = None
    while True:
        part, cursor = node().ports.memories.page(wished, limit=MOST_AT_ONCE, cursor=cursor)
        every += part
        if cursor is None:
            break
    return paged(
        lambda: weakest_first(every, node().memory.strengths, FADING if query.fading else None),
        query,
    )


def _history(identifier: str) -> list[Belief]:
    known = node().ports.memories.history(MemoryId(identifier))
    if not is_owner() and any(node().library.is_private(belief.document) for belief in known):
        raise NotFoundError("memory", identifier)
    return known


def _kept(identifier: str, path: str, jobs: list[Job]) -> Response:
    job = next(iter(jobs), None)
    return json_response(
        MemoryKept(id=identifier, file=path, job=serialise_job(job) if job else None),
        HTTPStatus.ACCEPTED,
    )
