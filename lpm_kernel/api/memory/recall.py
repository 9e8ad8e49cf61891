"""Recall: what was found, where it stands, and why."""

from __future__ import annotations

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.memory.recall_schemas import NameList, NameOut, NameQuery, RecallIn, RecallOut
from lpm_kernel.api.memory.recall_serialisers import serialise_recollection
from lpm_kernel.api.moments import aware, aware_if_given
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.library.documents import DocumentKind
from lpm_kernel.domain.library.listing import NO_FOLDER, plain_folder
from lpm_kernel.usecases.chat.recall_options import RecallOptions

api = APIBlueprint(
    "recall",
    __name__,
    url_prefix="/api/recall",
    abp_tags=[Tag(name="recall", description="Find, and see why it was found")],
)


@api.post("", summary="Find what answers a question", responses={200: RecallOut})
def recall(body: RecallIn) -> Response:
    """Find passages, best first, within the token budget."""
    found = node().memory.recall(
        body.query,
        k=body.k,
        options=RecallOptions(
            since=body.since,
            until=body.until,
            as_of=None if body.as_of is None else aware(body.as_of),
            tags=body.tags,
            entities=body.entities,
            memory_kinds=body.kinds,
            kinds=[DocumentKind(kind) for kind in body.document_kinds],
            folder=body.folder if body.folder == NO_FOLDER else plain_folder(body.folder),
            token_budget=body.token_budget,
            explain=body.explain,
            typing=body.typing,
            decay_rate=body.decay_rate if body.ranking == "decay" else None,
            rerank=body.rerank,
            spread=body.spread,
            include_private=is_owner(),
            threads=is_owner() and (not body.kinds or "turn" in body.kinds),
        ),
        now=aware_if_given(body.now),
    )
    return json_response(serialise_recollection(node(), found, explain=body.explain))


@api.get("/names", summary="Names in the texts", responses={200: NameList})
def list_names(query: NameQuery) -> Response:
    """List names as they stand in the texts, most frequent first, for `entities` of a question."""
    found = node().memory.names(query.q, query.limit, include_private=is_owner())
    return json_response(
        NameList(
            items=[
                NameOut(name=party.name, passages=party.passages, speaks=party.speaks)
                for party in found
            ]
        )
    )
