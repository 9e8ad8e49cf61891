"""Contacts: the people whom this node knows."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import paged
from lpm_kernel.api.share.contact_schemas import (
    ByContact,
    ContactList,
    ContactOut,
    ContactPatch,
    ContactQuery,
    ContactWhole,
    WordsIn,
)
from lpm_kernel.api.share.contact_serialisers import contact_fields, serialise_contact
from lpm_kernel.api.share.grant_serialisers import serialise_grants
from lpm_kernel.api.share.inbox_serialisers import serialise_request
from lpm_kernel.api.share.invite_schemas import GreetingIn, GreetingOut
from lpm_kernel.api.share.invite_serialisers import serialise_greeting
from lpm_kernel.api.share.network_serialisers import serialise_message, serialise_sent
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import PEOPLE
from lpm_kernel.domain.share.network import ContactId
from lpm_kernel.usecases.share.people import look_for

api = PEOPLE.blueprint("contacts", __name__)

EXCHANGED = 50
"""Messages each way that come with a contact."""


@api.post("/contacts", summary="Accept an invite", responses={202: GreetingOut})
def accept_invite(body: GreetingIn) -> Response:
    """Say hello to whoever made the link. It waits until their node answers, a day at most; then
    they are a contact.
    """
    return json_response(
        serialise_greeting(node().meeting.greet(body.invite, body.name)), HTTPStatus.ACCEPTED
    )


@api.get("/contacts", summary="Contacts", responses={200: ContactList})
def list_contacts(query: ContactQuery) -> Response:
    """List the people whom this node knows, those met last first."""
    page, following = paged(
        lambda: (
            look_for(node().ports.contacts, query.text)
            if query.text.strip()
            else node().ports.contacts.all()
        ),
        query,
    )
    return json_response(
        ContactList(
            items=[ContactOut(**contact_field) for contact_field in contact_fields(page)],
            next_cursor=following,
        )
    )


@api.get("/contacts/<string:id>", summary="One contact", responses={200: ContactWhole})
def get_contact(path: ByContact) -> Response:
    """Show somebody with grants both ways and what was exchanged."""
    here, known = node(), node().ports.contacts.get(ContactId(path.id))
    [fields] = contact_fields([known])
    came, _ = here.ports.post.inbox(limit=EXCHANGED, contact=known.id)
    went, _ = here.ports.post.outbox(limit=EXCHANGED, contact=known.id)
    return json_response(
        ContactWhole(
            **fields,
            peer=known.peer,
            addresses=here.ports.contacts.addresses(known.id),
            next_name=here.meeting.own_name(known, other=True),
            grants=serialise_grants(known.id),
            sent=[
                serialise_sent(sent_summary, here.meeting.named)
                for sent_summary in here.ports.post.all_left()
                if sent_summary.contact == known.id
            ],
            inbox=[serialise_request(here, inbox_row) for inbox_row in came],
            outbox=[serialise_message(outbox_row, here.meeting.named) for outbox_row in went],
        )
    )


@api.patch(
    "/contacts/<string:id>",
    summary="Rename a contact, or keep notes about them",
    responses={200: ContactOut},
)
def change_contact(path: ByContact, body: ContactPatch) -> Response:
    """Change what you say of them; nothing goes out. An empty name is the one that their card
    has.
    """
    return json_response(
        serialise_contact(
            node().meeting.change(ContactId(path.id), name=body.name, notes=body.notes)
        )
    )


@api.post(
    "/contacts/<string:id>/words",
    summary="Confirm that the six words match",
    responses={200: ContactOut},
)
def compare_words(path: ByContact, body: WordsIn) -> Response:
    """Note that both read the same six words to each other, or take that back."""
    return json_response(
        serialise_contact(node().meeting.verify(ContactId(path.id), body.words, same=body.same))
    )


@api.delete("/contacts/<string:id>", summary="Delete a contact", responses={204: None})
def delete_contact(path: ByContact) -> Response:
    """Forget their card, words, notes, grants both ways, and everything exchanged. How many bytes
    left stays, without their name.
    """
    node().meeting.delete(ContactId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post("/contacts/<string:id>/block", summary="Block a contact", responses={200: ContactOut})
def block(path: ByContact) -> Response:
    """Close the door to them at once, in the middle of an answer too. Grants stay, and rest."""
    return json_response(serialise_contact(node().meeting.block(ContactId(path.id))))


@api.post(
    "/contacts/<string:id>/unblock",
    summary="Unblock a contact",
    responses={200: ContactOut},
)
def unblock(path: ByContact) -> Response:
    """Open the door again: what was granted is granted again."""
    return json_response(serialise_contact(node().meeting.unblock(ContactId(path.id))))


@api.post("/contacts/<string:id>/end", summary="End a contact", responses={200: ContactOut})
def end(path: ByContact) -> Response:
    """End it with all grants both ways, and tell them. It needs another invite to begin again."""
    return json_response(serialise_contact(node().meeting.end(ContactId(path.id))))


@api.post(
    "/contacts/<string:id>/accept",
    summary="Confirm a contact's new identity",
    responses={200: ContactOut},
)
def accept(path: ByContact) -> Response:
    """Go on with somebody whose identity changed. Grants named the one before, so they are given
    anew.
    """
    return json_response(serialise_contact(node().meeting.accept(ContactId(path.id))))


@api.post(
    "/contacts/<string:id>/decline",
    summary="Reject a contact's new identity",
    responses={200: ContactOut},
)
def decline(path: ByContact) -> Response:
    """End the contact whose identity changed."""
    return json_response(serialise_contact(node().meeting.decline(ContactId(path.id))))
