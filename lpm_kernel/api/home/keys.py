"""Keys for other programs."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.home.key_schemas import KeyIn, KeyList, KeyMade
from lpm_kernel.api.home.key_serialisers import serialise_key
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import SETTINGS
from lpm_kernel.usecases.home import access

api = SETTINGS.blueprint("keys", __name__)


@api.get("/keys", summary="Keys of other programs", responses={200: KeyList})
def list_keys() -> Response:
    """List them without their secrets."""
    return json_response(
        KeyList(items=[serialise_key(key) for key in node().ports.access.all_keys()])
    )


@api.post("/keys", summary="Create a key for another program", responses={201: KeyMade})
def create_key(body: KeyIn) -> Response:
    """Show the secret this once."""
    key, secret = access.create_key(node().ports.access, node().ports.clock, body.name, body.scopes)
    return json_response(KeyMade(**serialise_key(key).model_dump(), key=secret), HTTPStatus.CREATED)


@api.delete("/keys/<string:id>", summary="Revoke a key", responses={204: None})
def revoke_key(path: ById) -> Response:
    """End it now."""
    node().ports.access.revoke_key(path.id, node().ports.clock.now())
    return Response(status=HTTPStatus.NO_CONTENT)
