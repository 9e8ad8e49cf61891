"""Threads of chats: what was told, how far it has moved, and how salient it is."""

from __future__ import annotations

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.chat.thread_schemas import (
    HeldThreadList,
    HeldThreadOut,
    SalienceOut,
    ThreadPatch,
    ThreadQuery,
    TierCounts,
)
from lpm_kernel.api.context import node
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.chat.threads import Thread, Tier
from lpm_kernel.domain.chat.tiers import ARCHIVE_MOST, ThreadFilter
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.errors import NotFoundError

api = APIBlueprint(
    "threads",
    __name__,
    url_prefix="/api/threads",
    abp_tags=[Tag(name="threads", description="What was told in chats, and how it is held")],
)


@api.get("", summary="List what was told in chats", responses={200: HeldThreadList})
def list_threads(query: ThreadQuery) -> Response:
    """List the threads of chats in which something was told, the newest first."""
    wanted = ThreadFilter(tuple(Tier(each) for each in query.tier), query.consolidated)
    found, following = node().ports.tiers.told_of(wanted, limit=query.limit, cursor=query.cursor)
    counts = node().ports.tiers.counts()
    return json_response(
        HeldThreadList(
            items=[_shown(thread) for thread in found],
            next_cursor=following,
            counts=TierCounts(
                session=sum(counts.get((Tier.SESSION, held), 0) for held in (True, False)),
                archive=sum(counts.get((Tier.ARCHIVE, held), 0) for held in (True, False)),
                consolidated=counts.get((Tier.LONG_TERM, True), 0),
                fading=counts.get((Tier.LONG_TERM, False), 0),
            ),
        )
    )


@api.patch("/<string:id>", summary="Bring back, or let fade", responses={200: HeldThreadOut})
def consolidate(path: ById, body: ThreadPatch) -> Response:
    """Say whether what was told is consolidated, whatever its salience. Nothing is deleted."""
    identifier = DocumentId(path.id)
    node().ports.tiers.consolidate(identifier, consolidated=body.consolidated, wanted=body.decided)
    known = node().ports.threads.many([identifier]).get(identifier)
    if known is None:
        raise NotFoundError("thread", path.id)
    return json_response(_shown(known))


def _shown(thread: Thread) -> HeldThreadOut:
    return HeldThreadOut(
        id=thread.id,
        conversation=thread.conversation,
        title=node().chat.title_of(thread),
        number=thread.number,
        turn=thread.first,
        started_at=thread.started_at,
        ended_at=thread.ended_at,
        tier=thread.tier.value,
        moved_at=thread.moved_at,
        consolidated=thread.consolidated,
        decided=thread.wanted is not None,
        fades_at=None if thread.consolidated else thread.ended_at + ARCHIVE_MOST,
        salience=None if thread.salience is None else SalienceOut(**thread.salience),
        keywords=list(thread.keywords),
        content=node().chat.gist(thread.id),
    )
