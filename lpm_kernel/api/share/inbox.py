"""What others asked, and the answers that wait for a word."""

from __future__ import annotations

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import paged
from lpm_kernel.api.share.inbox_schemas import (
    ApproveIn,
    ByRequest,
    InboxList,
    InboxQuery,
    RequestOut,
)
from lpm_kernel.api.share.inbox_serialisers import serialise_request
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import PEOPLE
from lpm_kernel.domain.share.network import ContactId
from lpm_kernel.usecases.share.reading import handled

api = PEOPLE.blueprint("inbox", __name__)


@api.get("/inbox", summary="Requests from others", responses={200: InboxList})
def list_inbox(query: InboxQuery) -> Response:
    """List what came in, newest first, or what waits for your word."""
    here = node()
    waiting = here.meeting.waiting()
    contact = None if query.contact is None else ContactId(query.contact)
    following: str | None
    if query.waiting:
        found, following = paged(
            lambda: [inbox_row for inbox_row in waiting if contact in (None, inbox_row.contact)],
            query,
        )
    else:
        found, following = here.ports.post.inbox(
            limit=query.limit, cursor=query.cursor, contact=contact
        )
    return json_response(
        InboxList(
            items=[serialise_request(here, inbox_row) for inbox_row in found],
            next_cursor=following,
            waiting=len(waiting),
        )
    )


@api.post(
    "/inbox/<string:id>/draft",
    summary="Read the answer before it leaves",
    responses={200: RequestOut},
)
def draft_answer(path: ByRequest) -> Response:
    """Write the answer to a request that waits as it would leave, with what it rests on and what is
    held back. Nothing leaves.
    """
    return json_response(serialise_request(node(), node().replying.draft(handled(path.id))))


@api.post("/inbox/<string:id>/approve", summary="Approve a request", responses={200: RequestOut})
def approve(path: ByRequest, body: ApproveIn) -> Response:
    """Send the draft that you read, word for word, or your own words in its place. Nothing leaves
    unread.
    """
    here = node()
    chosen = here.replying.sendable(handled(path.id), (body.draft, body.text))
    return json_response(serialise_request(here, here.meeting.approve(path.id, chosen)))


@api.post("/inbox/<string:id>/refuse", summary="Refuse a request", responses={200: RequestOut})
def refuse(path: ByRequest) -> Response:
    """Refuse a request. They learn that no grant covers it, and not why."""
    return json_response(serialise_request(node(), node().meeting.refuse(path.id)))
