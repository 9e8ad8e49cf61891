"""Who the second self is, how the screen looks, which model answers, and which programs may
call.
"""

from __future__ import annotations

from dataclasses import asdict
from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api import schemas, shapes
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.library.documents import DocumentState
from lpm_kernel.domain.library.listing import DocumentFilter
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.usecases.chat import suggestions
from lpm_kernel.usecases.chat.ask import preview
from lpm_kernel.usecases.home import access
from lpm_kernel.usecases.models import catalogue

api = APIBlueprint(
    "settings",
    __name__,
    url_prefix="/api",
    abp_tags=[Tag(name="settings", description="You, the screen, the model, keys")],
)

LOOKED_AT = 40
"""Documents, the newest, of which questions are made."""


@api.get(
    "/identity", summary="Who the node is the second self of", responses={200: schemas.IdentityOut}
)
def get_identity() -> Response:
    """Show it; the name is empty until somebody gave one."""
    return _identity()


def _identity() -> Response:
    known = node().ports.conversations.identity()
    return json_response(schemas.IdentityOut.model_validate(asdict(known)))


@api.put("/identity", summary="Say who you are", responses={200: schemas.IdentityOut})
def put_identity(body: schemas.IdentityIO) -> Response:
    """Record name, introduction, values, style and languages, how long answers are and how the node
    speaks; they shape every answer.
    """
    node().ports.conversations.set_identity(shapes.identity(body))
    return _identity()


@api.post(
    "/identity/preview",
    summary="Hear how an answer would sound",
    responses={200: schemas.PreviewOut},
)
def preview_identity(body: schemas.PreviewIn) -> Response:
    """Answer a question as the node would speak to this person; no model is asked and nothing is
    kept.
    """
    memory = node().memory.memory_for(owner=is_owner())
    parts = preview(
        memory.recall,
        shapes.identity(body.identity),
        body.question,
        memory.read,
    )
    return json_response(
        schemas.PreviewOut(
            parts=[
                schemas.PartOut(
                    kind=part.kind.value, text=part.text, citations=list(part.citations)
                )
                for part in parts
            ]
        )
    )


@api.get("/questions", summary="Questions to begin with", responses={200: schemas.QuestionList})
def first_questions(query: schemas.QuestionsQuery) -> Response:
    """Make questions from what was added last; each was asked once, and has an answer in the
    document that it was made from.
    """
    here = node()
    newest, _ = here.ports.documents.page(
        limit=LOOKED_AT, wanted=DocumentFilter(states=(DocumentState.READY,), open_only=True)
    )
    memory = here.memory.memory_for(owner=False)
    found = suggestions.suggest(
        newest,
        here.library.sentences,
        memory.recall,
        memory.read,
        query.limit,
    )
    titles = {document.id: document.title for document in newest}
    return json_response(
        schemas.QuestionList(
            items=[
                schemas.QuestionOut(
                    question=each.question,
                    document=each.document,
                    title=titles[each.document],
                    start=each.start,
                    end=each.end,
                )
                for each in found
            ]
        )
    )


@api.get("/settings", summary="How the screen looks", responses={200: schemas.SettingsIO})
def get_settings() -> Response:
    """Show the settings of the screen."""
    return _settings()


def _settings() -> Response:
    known = node().ports.settings
    return json_response(
        schemas.SettingsIO.model_validate(
            {"language": known.language, "theme": known.theme, "single_keys": known.single_keys}
        )
    )


@api.put("/settings", summary="Change how the screen looks", responses={200: schemas.SettingsIO})
def put_settings(body: schemas.SettingsIO) -> Response:
    """Write them to settings.toml."""
    node().ports.change_settings(
        language=body.language, theme=body.theme, single_keys=body.single_keys
    )
    return _settings()


@api.get("/models", summary="Models that can be chosen", responses={200: schemas.ModelList})
def list_models() -> Response:
    """List the bundled model, files beside it, the one in use, and the catalogue of those that can
    be fetched.
    """
    return json_response(
        schemas.ModelList(
            items=[
                schemas.ModelOut.model_validate(each, from_attributes=True)
                for each in node().models.model_choices()
            ]
        )
    )


@api.post(
    "/models/<string:id>/download", summary="Fetch a model", responses={202: schemas.JobStarted}
)
def download_model(path: schemas.ById, body: schemas.DownloadIn) -> Response:
    """Fetch a model of the catalogue; with the id `url`, one of your own choice. It goes on where
    an earlier try stood.
    """
    if path.id == catalogue.OWN and not body.url:
        raise InvalidInputError("The address is missing.", "Give it as “url”.")
    job = node().models.download(
        path.id, body.url if path.id == catalogue.OWN else None, consent=body.consent
    )
    return json_response(schemas.JobStarted(job=shapes.job(job)), HTTPStatus.ACCEPTED)


@api.post(
    "/models/probe", summary="Ask a model for a sign of life", responses={200: schemas.ProbeOut}
)
def probe_model(body: schemas.ModelChoice) -> Response:
    """Try it within five seconds and say in words how it went."""
    tried = node().models.probe(
        catalogue.ModelChoice(body.kind, body.path, body.url, body.key, body.model)
    )
    return json_response(schemas.ProbeOut.model_validate(tried, from_attributes=True))


@api.put("/models/active", summary="Use a model", responses={200: schemas.PartState})
def use_model(body: schemas.ModelChoice) -> Response:
    """Probe it, and use it from the next question on; the one before stays when the probe fails."""
    node().models.use_model(
        catalogue.ModelChoice(body.kind, body.path, body.url, body.key, body.model)
    )
    return json_response(
        schemas.PartState.model_validate(node().models.model_state(), from_attributes=True)
    )


@api.delete(
    "/models/active",
    summary="Take the last choice of a model back",
    responses={200: schemas.PartState},
)
def use_model_before() -> Response:
    """Use the one before again, with its key; it is not probed, since it was in use. Only the last
    choice can be taken back, and only until the node is started again.
    """
    node().models.use_model_before()
    return json_response(
        schemas.PartState.model_validate(node().models.model_state(), from_attributes=True)
    )


@api.get("/keys", summary="Keys of other programs", responses={200: schemas.KeyList})
def list_keys() -> Response:
    """List them without their secrets."""
    return json_response(
        schemas.KeyList(items=[shapes.key(key) for key in node().ports.access.all_keys()])
    )


@api.post("/keys", summary="Make a key for another program", responses={201: schemas.KeyMade})
def create_key(body: schemas.KeyIn) -> Response:
    """Show the secret this once."""
    key, secret = access.create_key(node().ports.access, node().ports.clock, body.name, body.scopes)
    return json_response(
        schemas.KeyMade(**shapes.key(key).model_dump(), key=secret), HTTPStatus.CREATED
    )


@api.delete("/keys/<string:id>", summary="Revoke a key", responses={204: None})
def revoke_key(path: schemas.ById) -> Response:
    """End it now."""
    node().ports.access.revoke_key(path.id, node().ports.clock.now())
    return Response(status=HTTPStatus.NO_CONTENT)
