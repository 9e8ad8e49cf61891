"""Recall: what was found, where it stands, and why."""

from __future__ import annotations

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api import schemas, shapes
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.streams import json_response
from lpm_kernel.errors import InvalidInputError

api = APIBlueprint("recall", __name__, url_prefix="/api/recall", abp_tags=[Tag(name="recall", description="Find, and see why it was found")])


@api.post("", summary="Find what answers a question", responses={200: schemas.RecallOut})
def recall(body: schemas.RecallIn) -> Response:
    """Find passages, best first, within the token budget."""
    if body.as_of is not None or (body.kinds and "passage" not in body.kinds):
        raise InvalidInputError("Statements are not kept yet: `as_of`, and kinds other than `passage`, find nothing to work on.", "Leave them out.")
    found = node().recall(
        body.query,
        k=body.k,
        since=body.since,
        until=body.until,
        tags=tuple(body.tags),
        speakers=tuple(body.entities),
        token_budget=body.token_budget,
        explain=body.explain,
        include_private=is_owner(),
    )
    return json_response(shapes.recollection(node(), found, explain=body.explain))
