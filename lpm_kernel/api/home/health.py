"""How the node is: at a glance, and check by check."""

from __future__ import annotations

import json
from http import HTTPStatus

from flask import Response, request
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

import lpm_kernel
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.home.health_schemas import CheckOut, HealthOut, Left, StatusOut, WaitingOut
from lpm_kernel.api.models.model_schemas import PartState
from lpm_kernel.api.streams import json_response
from lpm_kernel.usecases.home.doctor import WaitingSummary

api = APIBlueprint("health", __name__, abp_tags=[Tag(name="health", description="How the node is")])

NOTHING_LEFT = "Nothing sent out"


@api.get("/healthz", summary="A sign of life")
def healthz() -> Response:
    """Answer without a key."""
    return Response(
        json.dumps({"status": "ok", "version": lpm_kernel.__version__}),
        content_type="application/json",
    )


@api.get("/readyz", summary="What is not ready, and why")
def readyz() -> Response:
    """Answer 503 with the parts that are not ready."""
    parts = [node().models.model_state(), node().models.embedder_state()]
    waiting = [
        {"id": part.id, "state": part.state, "sentence": part.sentence}
        for part in parts
        if part.state != "ready"
    ]
    status = HTTPStatus.SERVICE_UNAVAILABLE if waiting else HTTPStatus.OK
    return Response(
        json.dumps({"ready": not waiting, "waiting": waiting}, ensure_ascii=False),
        status,
        content_type="application/json",
    )


@api.get("/api/status", summary="The node at a glance", responses={200: StatusOut})
def status() -> Response:
    """Show name, sizes, parts and what left this machine."""
    here = node()
    identity, counts = (
        here.ports.conversations.identity(),
        here.workspace.numbers(open_only=not is_owner()),
    )
    embedder = here.models.embedder_state()
    return json_response(
        StatusOut(
            version=lpm_kernel.__version__,
            name=identity.name,
            intro=identity.introduction,
            named=bool(identity.name),
            documents=counts.documents,
            chunks=counts.passages,
            memories=counts.memories,
            pages=counts.pages,
            address=request.host,
            level="words+vectors" if embedder.state == "ready" else "words",
            model=PartState.model_validate(here.models.model_state(), from_attributes=True),
            embedder=PartState.model_validate(embedder, from_attributes=True),
            training=here.speaking.training_in_use(owner=is_owner()),
            private=is_owner() and here.models.model_is_here,
            jobs_running=here.ports.jobs.active(),
            left=Left.model_validate(here.left(), from_attributes=True),
            waiting=WaitingOut.model_validate(
                here.waiting() if is_owner() else WaitingSummary(), from_attributes=True
            ),
        )
    )


@api.get("/api/health", summary="What the doctor finds", responses={200: HealthOut})
def health() -> Response:
    """Run every check now."""
    checks = [CheckOut.model_validate(check, from_attributes=True) for check in node().examine()]
    return json_response(HealthOut(checks=checks, checked_at=node().ports.clock.now()))
