"""Erase for good: first say what would go, then do it."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.home.erasure_schemas import ByToken, ErasureIn, ErasureOut, Named, ShareOut
from lpm_kernel.api.schemas import Queued
from lpm_kernel.api.serialisers import queued
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import HOME
from lpm_kernel.domain.ids import ConversationId, DocumentId

api = HOME.blueprint("erasures", __name__)

SHOWN = 200
"""Documents that a proposal names; the counts are of all."""


@api.post("/erasures", summary="Preview an erasure", responses={201: ErasureOut})
def propose_erasure(body: ErasureIn) -> Response:
    """Change nothing; answer with what would go, what cannot be reached, and a token that is good
    for a quarter of an hour.
    """
    documents, conversations = (
        [DocumentId(document) for document in body.documents],
        [ConversationId(conversation) for conversation in body.conversations],
    )
    if body.everything:
        documents, conversations = node().home.all_that_was_told()
    proposal = node().home.propose_erasure(documents, conversations)
    shown = ErasureOut(
        erasure=proposal.erasure.id,
        token=proposal.token,
        expires_at=proposal.erasure.expires_at,
        documents=[
            Named(id=document.id, title=document.title) for document in proposal.documents[:SHOWN]
        ],
        conversations=list(proposal.erasure.conversations),
        goes=[ShareOut.model_validate(share, from_attributes=True) for share in proposal.goes],
        stays=[ShareOut.model_validate(share, from_attributes=True) for share in proposal.stays],
    )
    return json_response(shown, HTTPStatus.CREATED)


@api.post("/erasures/<string:token>/confirm", summary="Erase", responses={202: Queued})
def confirm_erasure(path: ByToken) -> Response:
    """Take it away at once, and queue the job that takes out its traces. A wrong or old token
    answers 410 and erases nothing.
    """
    return queued(node().home.confirm_erasure(path.token))
