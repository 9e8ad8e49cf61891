"""Entities: who and what is named, and what the person says of it."""

from __future__ import annotations

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.cursors import number, paged
from lpm_kernel.api.library.document_serialisers import serialise_document_ref
from lpm_kernel.api.memory.entity_schemas import (
    ApartIn,
    BySlug,
    Decided,
    DuplicateOut,
    EntityDecisionOut,
    EntityLanguage,
    EntityList,
    EntityOut,
    EntityPatch,
    EntityQuery,
    EntityWhole,
    IntroductionOut,
    MergeIn,
    NamingList,
    NamingOut,
    NeighbourOut,
    SplitIn,
)
from lpm_kernel.api.memory.entity_serialisers import serialise_proofs
from lpm_kernel.api.memory.memory_serialisers import serialise_memories
from lpm_kernel.api.memory.recall_serialisers import serialise_items
from lpm_kernel.api.schemas import ById, Page
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import Entity, EntityDecision, EntityKind
from lpm_kernel.L0.language.identification import Language
from lpm_kernel.node import Node
from lpm_kernel.usecases.memory.graph import GraphView, matching, moment_of

api = APIBlueprint(
    "entities",
    __name__,
    url_prefix="/api/entities",
    abp_tags=[Tag(name="entities", description="People, places, things and ideas")],
)

PASSAGES = 20
NEIGHBOURS = 12
PROOFS = 2
"""Passages, neighbours, and evidence of each neighbour that come with an entity."""


@api.get("", summary="List who and what is named", responses={200: EntityList})
def list_entities(query: EntityQuery) -> Response:
    """List people, places, things and ideas, those named most often first; there are none until the
    first map was drawn.
    """
    shown = _named()
    found, following = paged(
        lambda: matching(shown, query.text, EntityKind(query.kind) if query.kind else None), query
    )
    return json_response(
        EntityList(items=[EntityOut(**_fields(shown, entity)) for entity in found], next=following)
    )


@api.get(
    "/<string:slug>",
    summary="One of them, with all that is known of it",
    responses={200: EntityWhole},
)
def get_entity(path: BySlug, query: EntityLanguage) -> Response:
    """Show who it is, statements about it, passages that name it, what it is named with, what may
    be the same one, and what was decided about it; a slug that was merged shows what it became.
    """
    shown, here = _named(), node()
    entity = shown.entity(path.slug)
    return json_response(
        EntityWhole(
            **_fields(shown, entity),
            introduction=_introduction(here, shown, entity, query.language),
            duplicates=_duplicates(here, shown, entity),
            statements=serialise_memories(
                here, here.graph.statements_about(entity, include_private=is_owner())
            ),
            passages=serialise_items(
                here, here.graph.passages_about(shown, entity, PASSAGES), explain=False
            ),
            neighbours=_neighbours(here, shown, entity),
            decisions=[
                _decision(decision) for decision in shown.found.decided.get(entity.slug, ())
            ],
        )
    )


@api.get(
    "/<string:slug>/documents",
    summary="Every document that names it",
    responses={200: NamingList},
)
def list_documents(path: BySlug, query: Page) -> Response:
    """List the documents among which a split chooses, the one that named it last first."""
    shown, here, first = _named(), node(), number(query.cursor) or 0
    found = here.graph.documents_about(shown, shown.entity(path.slug))
    last = first + query.limit
    items = [
        NamingOut(**serialise_document_ref(document).model_dump(), passages=passages)
        for document, passages in found[first:last]
    ]
    return json_response(
        NamingList(items=items, total=len(found), next=str(last) if last < len(found) else None)
    )


@api.post("/merge", summary="Say that several are one", responses={200: Decided})
def merge_entities(body: MergeIn) -> Response:
    """Make them one from now on; taking the decision back makes them several again."""
    return _decided(node().graph.merge_entities(body.into, body.slugs))


@api.post("/apart", summary="Say that several are not one", responses={200: Decided})
def keep_entities_apart(body: ApartIn) -> Response:
    """Propose them as one no more; the first of them comes back. Counts until it is taken back."""
    return _decided(node().graph.keep_entities_apart(body.slugs))


@api.post(
    "/<string:slug>/split",
    summary="Say that some of it is another",
    responses={200: Decided},
)
def split_entity(path: BySlug, body: SplitIn) -> Response:
    """Give the mentions of these documents to a new entity, which comes back."""
    made = node().graph.split_entity(
        path.slug, body.name, [DocumentId(document) for document in body.documents]
    )
    shown = _named()
    fresh = next(
        slug
        for slug, known in shown.found.decided.items()
        if slug != made.parties[0].slug and any(decision.id == made.id for decision in known)
    )
    return json_response(
        Decided(decision=made.id, entity=EntityOut(**_fields(shown, shown.entity(fresh))))
    )


@api.patch(
    "/<string:slug>",
    summary="Say how it is called, what it is, or that it is none",
    responses={200: Decided},
)
def change_entity(path: BySlug, body: EntityPatch) -> Response:
    """Give it a name or a kind, or leave it out of lists and map. Counts at once."""
    kind = None if body.kind is None else EntityKind(body.kind)
    return _decided(
        node().graph.change_entity(path.slug, name=body.name, kind=kind, hidden=body.hidden)
    )


@api.delete(
    "/decisions/<string:id>", summary="Take a decision about an entity back", responses={204: None}
)
def undecide(path: ById) -> Response:
    """Bring back what was before it."""
    node().graph.undecide_entity(path.id)
    return Response(status=204)


def _named() -> GraphView:
    return node().graph.named(include_private=is_owner())


def _decided(made: EntityDecision) -> Response:
    shown = _named()
    return json_response(
        Decided(
            decision=made.id,
            entity=EntityOut(**_fields(shown, shown.entity(made.parties[0].slug))),
        )
    )


def _fields(shown: GraphView, known: Entity) -> dict[str, object]:
    return {
        "slug": known.slug,
        "name": known.name,
        "kind": known.kind.value,
        "aliases": list(known.aliases),
        "mentions": len(known.rows),
        "first": moment_of(known.first),
        "last": moment_of(known.last),
        "community": shown.community_of.get(known.slug),
        "self": known.self,
    }


def _introduction(
    here: Node, shown: GraphView, entity: Entity, language: Language
) -> list[IntroductionOut]:
    return [
        IntroductionOut(text=text, evidence=serialise_proofs(here, [quoted])[0])
        for text, quoted in here.graph.introduction(shown, entity, language)
    ]


def _duplicates(here: Node, shown: GraphView, entity: Entity) -> list[DuplicateOut]:
    ends = [
        (({found.one, found.other} - {entity.slug}).pop(), found.points)
        for found in here.graph.duplicates(shown)
        if entity.slug in {found.one, found.other}
    ]
    return [
        DuplicateOut(**_fields(shown, shown.entity(slug)), points=points) for slug, points in ends
    ]


def _neighbours(here: Node, shown: GraphView, entity: Entity) -> list[NeighbourOut]:
    found = []
    for edge in shown.beside.get(entity.slug, [])[:NEIGHBOURS]:
        other = shown.found.by_slug[edge.target if edge.source == entity.slug else edge.source]
        proofs = serialise_proofs(
            here, [(recalled, recalled.text) for recalled in here.graph.evidence(edge, PROOFS)]
        )
        found.append(
            NeighbourOut(
                slug=other.slug,
                name=other.name,
                kind=other.kind.value,
                weight=edge.weight,
                evidence=proofs,
            )
        )
    return found


def _decision(known: EntityDecision) -> EntityDecisionOut:
    return EntityDecisionOut(
        id=known.id,
        what=known.verdict.value,
        at=known.at,
        names=[party.name for party in known.parties],
        name=known.name,
        kind=None if known.kind is None else known.kind.value,
        hidden=known.hidden,
        documents=sorted(known.documents),
    )
