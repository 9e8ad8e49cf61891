"""The sample life: an invented person in a node of its own, beside the person's."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import node
from lpm_kernel.api.home.sample_schemas import SampleLink, SampleOut
from lpm_kernel.api.streams import json_response

api = APIBlueprint(
    "sample",
    __name__,
    url_prefix="/api/sample",
    abp_tags=[Tag(name="sample", description="An invented life to look around in")],
)


@api.get("", summary="How the sample life is", responses={200: SampleOut})
def get_sample() -> Response:
    """Say whether it runs, and where."""
    return _sample()


def _sample(status: HTTPStatus = HTTPStatus.OK) -> Response:
    beside = node().ports.beside
    return json_response(
        SampleOut(state=beside.state(), address=beside.address(), home=str(beside.home.root)),
        status,
    )


@api.post("", summary="Start the sample life", responses={202: SampleOut})
def begin_sample() -> Response:
    """Start it in a home and on a port of its own; nothing of it comes into this home."""
    node().ports.beside.begin()
    return _sample(HTTPStatus.ACCEPTED)


@api.post("/link", summary="A link that opens the sample life, once", responses={200: SampleLink})
def open_sample() -> Response:
    """Make a login link for it."""
    return json_response(SampleLink(link=node().link_beside()))


@api.delete("", summary="Stop the sample life", responses={204: None})
def end_sample() -> Response:
    """Stop its node; what was asked there stays in its home."""
    node().ports.beside.end()
    return Response(status=HTTPStatus.NO_CONTENT)
