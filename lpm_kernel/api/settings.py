"""Who the second self is, how the screen looks, which model answers, and which programs may call."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api import schemas
from lpm_kernel.api.context import node
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.conversations import Identity
from lpm_kernel.usecases import access, models

api = APIBlueprint("settings", __name__, url_prefix="/api", abp_tags=[Tag(name="settings", description="You, the screen, the model, keys")])


@api.get("/identity", summary="Who the node is the second self of", responses={200: schemas.IdentityOut})
def get_identity() -> Response:
    """Show it; the name is empty until somebody gave one."""
    return _identity()


def _identity() -> Response:
    known = node().conversations.identity()
    return json_response(schemas.IdentityOut(name=known.name, introduction=known.introduction, style=known.style, languages=list(known.languages)))


@api.put("/identity", summary="Say who you are", responses={200: schemas.IdentityOut})
def put_identity(body: schemas.IdentityIO) -> Response:
    """Record name, introduction, style and languages; they shape every answer."""
    node().conversations.set_identity(Identity(body.name, body.introduction, body.style, tuple(body.languages)))
    return _identity()


@api.get("/settings", summary="How the screen looks", responses={200: schemas.SettingsIO})
def get_settings() -> Response:
    """Show the settings of the screen."""
    return _settings()


def _settings() -> Response:
    known = node().settings
    return json_response(schemas.SettingsIO.model_validate({"language": known.language, "theme": known.theme, "single_keys": known.single_keys}))


@api.put("/settings", summary="Change how the screen looks", responses={200: schemas.SettingsIO})
def put_settings(body: schemas.SettingsIO) -> Response:
    """Write them to settings.toml."""
    node().change_settings(language=body.language, theme=body.theme, single_keys=body.single_keys)
    return _settings()


@api.get("/models", summary="Models that can be chosen", responses={200: schemas.ModelList})
def list_models() -> Response:
    """List the bundled model, files beside it, and the one in use."""
    return json_response(
        schemas.ModelList(
            items=[schemas.ModelOut.model_validate(each, from_attributes=True) for each in models.choices(node().settings, node().home.root / "models")]
        )
    )


@api.post("/models/probe", summary="Ask a model for a sign of life", responses={200: schemas.ProbeOut})
def probe_model(body: schemas.ModelChoice) -> Response:
    """Try it within five seconds and say in words how it went."""
    tried = node().probe(models.Choice(body.kind, body.path, body.url, body.key, body.model))
    return json_response(schemas.ProbeOut.model_validate(tried, from_attributes=True))


@api.put("/models/active", summary="Use a model", responses={200: schemas.PartState})
def use_model(body: schemas.ModelChoice) -> Response:
    """Probe it, and use it from the next question on; the one before stays when the probe fails."""
    node().use_model(models.Choice(body.kind, body.path, body.url, body.key, body.model))
    return json_response(schemas.PartState.model_validate(node().model_state(), from_attributes=True))


@api.get("/keys", summary="Keys of other programs", responses={200: schemas.KeyList})
def list_keys() -> Response:
    """List them without their secrets."""
    return json_response(
        schemas.KeyList(
            items=[schemas.KeyOut(id=key.id, name=key.name, scopes=list(key.scopes), created_at=key.created_at) for key in node().access.all_keys()]
        )
    )


@api.post("/keys", summary="Make a key for another program", responses={201: schemas.KeyMade})
def create_key(body: schemas.KeyIn) -> Response:
    """Show the secret this once."""
    key, secret = access.create_key(node().access, node().clock, body.name, body.scopes)
    return json_response(schemas.KeyMade(id=key.id, name=key.name, scopes=list(key.scopes), created_at=key.created_at, key=secret), HTTPStatus.CREATED)


@api.delete("/keys/<string:id>", summary="Revoke a key", responses={204: None})
def revoke_key(path: schemas.ById) -> Response:
    """End it now."""
    node().access.revoke_key(path.id)
    return Response(status=HTTPStatus.NO_CONTENT)
