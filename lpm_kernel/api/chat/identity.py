"""Who the node is the second self of, and what one could ask it first."""

from __future__ import annotations

from dataclasses import asdict

from flask import Response

from lpm_kernel.api.chat.identity_schemas import (
    IdentityIO,
    IdentityOut,
    PreviewIn,
    PreviewOut,
    QuestionList,
    QuestionOut,
    QuestionsQuery,
)
from lpm_kernel.api.chat.turn_serialisers import serialise_part
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import SETTINGS
from lpm_kernel.domain.chat.conversations import Identity, Length, Manner
from lpm_kernel.usecases.chat.ask import preview

api = SETTINGS.blueprint("identity", __name__)


def _parsed(identity: IdentityIO) -> Identity:
    """Take over who the person says they are."""
    return Identity(
        identity.name,
        identity.introduction,
        identity.style,
        tuple(identity.languages),
        identity.values,
        Length(identity.length),
        Manner(identity.manner),
    )


@api.get("/identity", summary="Who the node is the second self of", responses={200: IdentityOut})
def get_identity() -> Response:
    """Show it; the name is empty until somebody gave one."""
    return _identity()


def _identity() -> Response:
    known = node().ports.conversations.identity()
    return json_response(IdentityOut.model_validate(asdict(known)))


@api.put("/identity", summary="Change who you are", responses={200: IdentityOut})
def put_identity(body: IdentityIO) -> Response:
    """Record name, introduction, values, style and languages, how long answers are and how the node
    speaks; they shape every answer.
    """
    node().ports.conversations.set_identity(_parsed(body))
    return _identity()


@api.post(
    "/identity/preview",
    summary="Preview how an answer would sound",
    responses={200: PreviewOut},
)
def preview_identity(body: PreviewIn) -> Response:
    """Answer a question as the node would speak to this person; no model is asked and nothing is
    kept.
    """
    memory = node().memory.memory_for(owner=is_owner())
    parts = preview(
        memory.recall,
        _parsed(body.identity),
        body.question,
        memory.read,
    )
    return json_response(PreviewOut(parts=[serialise_part(part) for part in parts]))


@api.get("/questions", summary="Questions to begin with", responses={200: QuestionList})
def first_questions(query: QuestionsQuery) -> Response:
    """Make questions from what was added last; each was asked once, and was answered from the
    place that is given with it.
    """
    here = node()
    found = here.memory.suggestions(query.limit)
    titles = {
        document.id: document.title
        for document in here.ports.documents.many([each.document for each in found])
    }
    return json_response(
        QuestionList(
            items=[
                QuestionOut(
                    question=suggested.question,
                    document=suggested.document,
                    title=titles[suggested.document],
                    start=suggested.start,
                    end=suggested.end,
                )
                for suggested in found
            ]
        )
    )
