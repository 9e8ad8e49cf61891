"""Models that write: which there are, trying one, using one, fetching one."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.models import model_schemas
from lpm_kernel.api.models.model_schemas import DownloadIn, ModelList, ModelOut, PartState, ProbeOut
from lpm_kernel.api.schemas import ById, JobStarted
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import SETTINGS
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.usecases.models import catalogue

api = SETTINGS.blueprint("models", __name__)


@api.get("/models", summary="List models", responses={200: ModelList})
def list_models() -> Response:
    """List the bundled model, files beside it, the one in use, and the catalogue of those that can
    be fetched.
    """
    return json_response(
        ModelList(
            items=[
                ModelOut.model_validate(option, from_attributes=True)
                for option in node().models.model_choices()
            ]
        )
    )


@api.post("/models/<string:id>/download", summary="Download a model", responses={202: JobStarted})
def download_model(path: ById, body: DownloadIn) -> Response:
    """Fetch a model of the catalogue; with the id `url`, one of your own choice. It goes on where
    an earlier try stood.
    """
    if path.id == catalogue.OWN and not body.url:
        raise InvalidInputError("The address is missing.", "Give it as “url”.")
    job = node().models.download(
        path.id, body.url if path.id == catalogue.OWN else None, consent=body.consent
    )
    return json_response(JobStarted(job=serialise_job(job)), HTTPStatus.ACCEPTED)


@api.post("/models/probe", summary="Test a model", responses={200: ProbeOut})
def probe_model(body: model_schemas.ModelChoice) -> Response:
    """Try it within five seconds and say in words how it went."""
    tried = node().models.probe(
        catalogue.ModelChoice(body.kind, body.path, body.url, body.key, body.model)
    )
    return json_response(ProbeOut.model_validate(tried, from_attributes=True))


@api.put("/models/active", summary="Use a model", responses={200: PartState})
def use_model(body: model_schemas.ModelChoice) -> Response:
    """Probe it, and use it from the next question on; the one before stays when the probe fails."""
    node().models.use_model(
        catalogue.ModelChoice(body.kind, body.path, body.url, body.key, body.model)
    )
    return json_response(
        PartState.model_validate(node().models.model_state(), from_attributes=True)
    )


@api.delete(
    "/models/active",
    summary="Undo the last choice of a model",
    responses={200: PartState},
)
def use_model_before() -> Response:
    """Use the one before again, with its key; it is not probed, since it was in use. Only the last
    choice can be taken back, and only until the node is started again.
    """
    node().models.use_model_before()
    return json_response(
        PartState.model_validate(node().models.model_state(), from_attributes=True)
    )
