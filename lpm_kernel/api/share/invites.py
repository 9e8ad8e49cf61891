"""Invites, and the greetings that answer them."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import paged
from lpm_kernel.api.schemas import ById, Page
from lpm_kernel.api.share.invite_schemas import (
    CodeOut,
    GreetingList,
    GreetingOut,
    InviteIn,
    InviteList,
    InviteOut,
)
from lpm_kernel.api.share.invite_serialisers import serialise_greeting, serialise_invite
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import PEOPLE
from lpm_kernel.backends.qr import draw
from lpm_kernel.errors import NotFoundError

api = PEOPLE.blueprint("invites", __name__)

GREETING = "hello"


@api.post("/invites", summary="Invite somebody", responses={201: InviteOut})
def invite(body: InviteIn) -> Response:
    """Make a link by which one person can become a contact, once. Send it only to them."""
    made = node().meeting.invite(body.label, body.addresses, body.expires_in)
    return json_response(serialise_invite(made, {}), HTTPStatus.CREATED)


@api.get("/invites/<string:id>/code", summary="An invite as a QR code", responses={200: CodeOut})
def draw_invite(path: ById) -> Response:
    """Draw the link of an invite that can still be used, for a telephone to read."""
    drawn = draw(node().meeting.open_invite(path.id).link)
    return json_response(CodeOut(size=drawn.size, path=drawn.path))


@api.get("/invites", summary="List invites", responses={200: InviteList})
def list_invites(query: Page) -> Response:
    """List them, newest first, with what became of them."""
    known = {contact.id: contact for contact in node().ports.contacts.all()}
    items, following = paged(
        lambda: [serialise_invite(each, known) for each in node().ports.contacts.invites()], query
    )
    return json_response(InviteList(items=items, next_cursor=following))


@api.delete("/invites/<string:id>", summary="Withdraw an invite", responses={204: None})
def withdraw(path: ById) -> Response:
    """End a link that nobody used."""
    node().meeting.withdraw(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)


@api.get("/greetings", summary="Greetings on their way", responses={200: GreetingList})
def list_greetings() -> Response:
    """List the invites that were accepted and met nobody yet, with what came of each try."""
    return json_response(
        GreetingList(
            items=[serialise_greeting(outbox_row) for outbox_row in node().meeting.greetings()]
        )
    )


@api.get("/greetings/<string:id>", summary="One greeting", responses={200: GreetingOut})
def get_greeting(path: ById) -> Response:
    """Show how far a greeting has come, and whom it met."""
    row = node().ports.post.outgoing(path.id)
    if row is None or row.verb != GREETING:
        raise NotFoundError("greeting", path.id)
    return json_response(serialise_greeting(row))


@api.delete("/greetings/<string:id>", summary="Stop a greeting", responses={204: None})
def drop_greeting(path: ById) -> Response:
    """Send it no more, or put one out of sight that met nobody."""
    node().meeting.drop_greeting(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)
