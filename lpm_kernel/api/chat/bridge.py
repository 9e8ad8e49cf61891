"""Between the person and an expert elsewhere: nothing is sent from here, the person carries the
text over.
"""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.chat.bridge_schemas import (
    CritiqueIn,
    CritiqueOut,
    EnhanceIn,
    EnhanceOut,
    FactOut,
    PointOut,
)
from lpm_kernel.api.context import node
from lpm_kernel.api.streams import json_response
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat import bridge
from lpm_kernel.usecases.chat.bridge import BridgeFact

api = APIBlueprint(
    "bridge",
    __name__,
    url_prefix="/api/bridge",
    abp_tags=[Tag(name="bridge", description="Requests to experts elsewhere, and their replies")],
)


@api.post("/enhance", summary="Complete a request from memory", responses={200: EnhanceOut})
def enhance(body: EnhanceIn) -> Response:
    """Add what the person wrote about it, each with its source, none of it private; `strike` leaves
    facts out, and what says the same. Nothing is sent.
    """
    here = node()
    me = here.ports.conversations.identity().name
    made = bridge.enhance(
        _memory(here),
        here.models.model,
        body.request,
        set(body.strike),
        me,
    )
    return json_response(EnhanceOut(request=made.request, facts=_facts(here, made.facts)))


@api.post("/critique", summary="Check a reply against a request", responses={200: CritiqueOut})
def critique(body: CritiqueIn) -> Response:
    """Say what the reply meets, leaves out and contradicts of what was asked for and what the
    person wrote, and what cannot be told.
    """
    here = node()
    made = bridge.critique(
        _memory(here),
        here.models.model,
        here.ports.clock,
        body.request,
        body.reply,
    )
    points = [
        PointOut(
            kind=point.outcome.held.value,
            text=point.text,
            reply_span=None if point.outcome.span is None else list(point.outcome.span),
            want=point.want,
            source=next(iter(_facts(here, [point.fact])), None) if point.fact is not None else None,
        )
        for point in made.points
    ]
    return json_response(CritiqueOut(verdict=made.verdict, points=points))


def _memory(here: Node) -> bridge.BridgeMemory:
    memory = here.memory.memory_for(owner=False)
    return bridge.BridgeMemory(
        memory.recall, memory.gather, here.ports.index.chunk, here.library.is_private
    )


def _facts(here: Node, known: Sequence[BridgeFact]) -> list[FactOut]:
    return [
        FactOut(
            id=fact.id,
            text=fact.text,
            source=place.source,
            document=fact.chunk.document,
            title="" if place.document is None else place.document.title,
            start=fact.start,
            end=fact.end,
            timestamp=fact.chunk.said_at,
            why=fact.why,
        )
        for fact, place in zip(known, here.ports.places.of(one.chunk for one in known), strict=True)
    ]
