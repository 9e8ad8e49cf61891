"""What is asked of somebody's second self, and what comes back."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import paged
from lpm_kernel.api.schemas import Page
from lpm_kernel.api.share.contact_schemas import ByContact
from lpm_kernel.api.share.question_schemas import (
    ByPeerQuestion,
    PeerQuestionIn,
    PeerQuestionList,
    PeerQuestionOut,
)
from lpm_kernel.api.share.question_serialisers import serialise_question
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import PEOPLE
from lpm_kernel.domain.share.network import ContactId

api = PEOPLE.blueprint("questions", __name__)


@api.post(
    "/contacts/<string:id>/ask",
    summary="Ask somebody's second self",
    responses={202: PeerQuestionOut},
)
def ask(path: ByContact, body: PeerQuestionIn) -> Response:
    """Put a question into the outbox, under a grant of theirs. What comes back stands at the
    question; it reaches memory only if you keep it.
    """
    return json_response(
        serialise_question(
            ContactId(path.id), node().meeting.ask(ContactId(path.id), body.question, body.grant)
        ),
        HTTPStatus.ACCEPTED,
    )


@api.get(
    "/contacts/<string:id>/questions",
    summary="What you asked somebody",
    responses={200: PeerQuestionList},
)
def list_questions(path: ByContact, query: Page) -> Response:
    """List your questions to a contact, newest first, with what came back."""
    contact = ContactId(path.id)
    page, following = paged(
        lambda: node().meeting.questions(node().ports.contacts.get(contact).id), query
    )
    return json_response(
        PeerQuestionList(
            items=[serialise_question(contact, question) for question in page],
            next_cursor=following,
        )
    )


@api.delete(
    "/contacts/<string:id>/questions/<string:question>",
    summary="Withdraw a question",
    responses={200: PeerQuestionOut},
)
def take_back(path: ByPeerQuestion) -> Response:
    """Send it no more. They may have it already; what they answer then is not taken."""
    contact = ContactId(path.id)
    return json_response(
        serialise_question(contact, node().meeting.take_back(contact, path.question))
    )


@api.post(
    "/contacts/<string:id>/questions/<string:question>/keep",
    summary="Keep an answer as a document",
    responses={200: PeerQuestionOut},
)
def keep_answer(path: ByPeerQuestion) -> Response:
    """Make a document of it that says whose words they are, and that nobody checked them."""
    contact = ContactId(path.id)
    return json_response(
        serialise_question(contact, node().meeting.keep_answer(contact, path.question))
    )
