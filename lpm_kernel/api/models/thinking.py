"""The model that thinks, chosen apart from the one that answers."""

from __future__ import annotations

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.models.model_schemas import ProbeOut, ThinkingChoice, ThinkingOut
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import SETTINGS
from lpm_kernel.usecases.models.catalogue import ModelChoice

api = SETTINGS.blueprint("thinking", __name__)


@api.get("/thinking", summary="The model that thinks", responses={200: ThinkingOut})
def show_thinking() -> Response:
    """Show what thinks where a training teaches to think before the answer."""
    return json_response(_thinking())


@api.post("/thinking/probe", summary="Test whether a model thinks", responses={200: ProbeOut})
def probe_thinking(body: ThinkingChoice) -> Response:
    """Try it within five seconds, a file within a minute, and say in words how it went: a wrong
    key, an address where nothing is, an answer without a thought.
    """
    tried = node().models.probe_thinking(_choice(body))
    return json_response(ProbeOut.model_validate(tried, from_attributes=True))


@api.put("/thinking", summary="Have a model think", responses={200: ThinkingOut})
def use_thinking(body: ThinkingChoice) -> Response:
    """Probe it, and have it think from now on; the one before stays when the probe fails."""
    node().models.use_thinking(_choice(body))
    return json_response(_thinking())


def _thinking() -> ThinkingOut:
    here = node()
    state = here.models.thinking_state()
    return ThinkingOut(
        kind=state.kind,
        name=state.name,
        model=here.ports.settings.thinking_model_name,
        here=state.here,
        keyed=state.keyed,
    )


def _choice(body: ThinkingChoice) -> ModelChoice | None:
    if body.kind == "none":
        return None
    return ModelChoice(body.kind, body.path, body.url, body.key, body.model)
