"""The map: entities, what they are named with, and the groups that they form."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.memory.entity_serialisers import serialise_proofs
from lpm_kernel.api.memory.graph_schemas import (
    ByEdge,
    CommunityOut,
    EdgeOut,
    GraphOut,
    GraphQuery,
    GraphState,
    NodeOut,
    ProofList,
)
from lpm_kernel.api.schemas import Queued
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.memory.graph import Edge
from lpm_kernel.L1.entities.graph import MOST_EVIDENCE, within
from lpm_kernel.usecases.memory.graph import moment_of

api = APIBlueprint(
    "graph",
    __name__,
    url_prefix="/api/graph",
    abp_tags=[Tag(name="graph", description="The map of what is named together")],
)

EDGES_A_NODE = 4
"""Edges that are shown for each entity on the average, the heaviest."""
REPORTS = 24
"""Communities that come with a report, the largest."""


@api.get("", summary="The map, or a part of it", responses={200: GraphOut})
def get_graph(query: GraphQuery) -> Response:
    """Show the entities that are named most often, or those around one, with their edges, places
    and communities.
    """
    here = node()
    shown, state = here.graph.named(include_private=is_owner()), here.graph.graph_state()
    made = shown.kept.made
    if made is None:
        return json_response(
            GraphOut(state="none", made_at=None, nodes=[], edges=[], communities=[])
        )
    around = shown.entity(query.around).slug if query.around else ""
    chosen = within(shown.found, shown.edges, around, query.hops, query.limit)
    nodes = [
        entity
        for entity in shown.found.by_slug.values()
        if entity.slug in chosen and not entity.hidden
    ]
    there = {entity.slug for entity in nodes}
    drawn = [edge for edge in shown.edges if edge.source in there and edge.target in there]
    drawn = sorted(
        sorted(drawn, key=lambda each: -each.weight)[: EDGES_A_NODE * query.limit],
        key=lambda each: (each.source, each.target),
    )
    groups = [group for group in shown.communities if not there.isdisjoint(group.members)]
    titles = here.graph.titles(shown, groups)
    return json_response(
        GraphOut(
            state=cast("GraphState", state),
            made_at=made.at,
            nodes=[
                NodeOut(
                    id=entity.slug,
                    name=entity.name,
                    kind=entity.kind.value,
                    x=shown.spots[entity.slug].x,
                    y=shown.spots[entity.slug].y,
                    size=len(entity.rows),
                    community=shown.community_of.get(entity.slug),
                    first=moment_of(entity.first),
                    last=moment_of(entity.last),
                    self=entity.self,
                )
                for entity in nodes
            ],
            edges=[_edge(edge) for edge in drawn],
            communities=[
                CommunityOut(
                    id=community.id,
                    title=titles[community.id],
                    size=len(community.members),
                    report=serialise_proofs(here, list(here.graph.report(community)))
                    if number < REPORTS
                    else [],
                    members=list(community.members),
                )
                for number, community in enumerate(groups)
            ],
        )
    )


@api.get(
    "/edges/<string:source>/<string:target>",
    summary="What an edge rests on",
    responses={200: ProofList},
)
def get_edge(path: ByEdge) -> Response:
    """Show the passages that name both, the best first."""
    here = node()
    edge = here.graph.named(include_private=is_owner()).edge(path.source, path.target)
    return json_response(
        ProofList(
            items=serialise_proofs(
                here,
                [
                    (recalled, recalled.text)
                    for recalled in here.graph.evidence(edge, MOST_EVIDENCE)
                ],
            )
        )
    )


@api.post("/rebuild", summary="Redraw the map", responses={202: Queued})
def rebuild() -> Response:
    """Queue it; the map that is there is shown until the new one is ready."""
    return json_response(Queued(job=serialise_job(node().graph.queue_graph())), HTTPStatus.ACCEPTED)


def _edge(known: Edge) -> EdgeOut:
    return EdgeOut(
        source=known.source,
        target=known.target,
        weight=known.weight,
        first=moment_of(known.first),
        last=moment_of(known.last),
        private=known.private,
    )
