"""What turns texts into vectors: what there is, trying it, and embedding everything anew with
it.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import node
from lpm_kernel.api.library import embedder_schemas
from lpm_kernel.api.library.embedder_schemas import (
    EmbedderList,
    EmbedderOut,
    EmbedderStarted,
    EmbedderTried,
)
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.home.jobs import JobState
from lpm_kernel.usecases.library.embedders import EmbedderChoice, EmbedderSpec

api = APIBlueprint(
    "embedders",
    __name__,
    url_prefix="/api/embedders",
    abp_tags=[Tag(name="embedders", description="What turns texts into vectors")],
)


def _choice(body: embedder_schemas.EmbedderChoice) -> EmbedderChoice:
    return EmbedderChoice(body.kind, body.path, body.url, body.key, body.model)


@api.get("", summary="List embedders", responses={200: EmbedderList})
def list_embedders() -> Response:
    """List them, say which serves, and how far the next one is."""
    here = node()
    jobs, _ = here.ports.jobs.page(limit=1, kind="reembed")
    job = jobs[0] if jobs and jobs[0].state is not JobState.SUCCEEDED else None
    return json_response(
        EmbedderList(
            items=[
                EmbedderOut.model_validate(option, from_attributes=True)
                for option in here.models.embedder_choices()
            ],
            passages=here.ports.index.counts().chunks,
            wanted=EmbedderSpec(**job.request).name if job else None,
            job=serialise_job(job) if job else None,
        )
    )


@api.post("/probe", summary="Try an embedder", responses={200: EmbedderTried})
def probe_embedder(body: embedder_schemas.EmbedderChoice) -> Response:
    """Try it with sentences that are nobody's: how long its vectors are, how fast it is, whether
    they mean anything.
    """
    return json_response(
        EmbedderTried.model_validate(
            node().models.probe_embedder(_choice(body)), from_attributes=True
        )
    )


@api.put("/active", summary="Use an embedder", responses={202: EmbedderStarted})
def use_embedder(body: embedder_schemas.EmbedderChoice) -> Response:
    """Try it, and embed everything with it in the background; the one before serves until that is
    done.
    """
    tried, job = node().models.use_embedder(_choice(body), consent=body.consent)
    return json_response(
        EmbedderStarted(
            job=serialise_job(job),
            tried=EmbedderTried.model_validate(tried, from_attributes=True),
        ),
        HTTPStatus.ACCEPTED,
    )
