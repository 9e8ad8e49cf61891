"""What the person holds and how sure they are; what cannot both be so; and lines that could stand
in ``memory.md``.
"""

from __future__ import annotations

from datetime import datetime

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import node
from lpm_kernel.api.library.version_serialisers import serialise_diff
from lpm_kernel.api.memory.memory_serialisers import serialise_evidence
from lpm_kernel.api.memory.opinion_schemas import (
    CoreLineIn,
    CoreLineList,
    CoreLineOut,
    DatedEvidence,
    DisagreementList,
    DisagreementOut,
    DisagreementQuery,
    OpinionList,
    OpinionOut,
    OpinionPoint,
    SettleIn,
    StatedViewOut,
)
from lpm_kernel.api.moments import aware
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.reflection import Evidence
from lpm_kernel.domain.memory.validity import UNKNOWN, together
from lpm_kernel.L1.statements.stance import Stance
from lpm_kernel.L1.statements.validity import told
from lpm_kernel.L1.statements.views import StatedView
from lpm_kernel.usecases.memory.graph import moment_of
from lpm_kernel.usecases.memory.opinions import CoreLine, Disagreement, OpinionView

api = APIBlueprint(
    "opinions",
    __name__,
    url_prefix="/api",
    abp_tags=[
        Tag(name="opinions", description="Views, disagreements, and what belongs into memory.md")
    ],
)


@api.get("/opinions", summary="What the person holds", responses={200: OpinionList})
def opinions() -> Response:
    """List every view with how sure it is by now, how that came, and what speaks for it and against
    it, what moved last first; and views that sentences of the person's own texts state.
    """
    held = node().reflection.opinions()
    return json_response(
        OpinionList(
            items=[_opinion(opinion_view) for opinion_view in held],
            stated=[
                stated
                for stated_view in node().reflection.stated_views(held)
                if (stated := _stated(stated_view)).words
            ],
        )
    )


@api.get("/opinions/<string:id>", summary="One view", responses={200: OpinionOut})
def opinion(path: ById) -> Response:
    """Show one view, by the id of its memory."""
    return json_response(_opinion(node().reflection.opinion(path.id)))


@api.get("/disagreements", summary="What cannot both be so", responses={200: DisagreementList})
def disagreements(query: DisagreementQuery) -> Response:
    """List pairs of facts that differ in a number, a date, a "not", in where somebody lives or
    works or something is, or in who somebody is to the person, the older first; or those that were
    settled.
    """
    return json_response(
        DisagreementList(
            items=[
                _disagreement(disagreement)
                for disagreement in node().reflection.disagreements(settled=query.settled)
            ]
        )
    )


@api.post(
    "/disagreements/<string:id>",
    summary="Say which is so",
    responses={200: DisagreementOut},
)
def settle(path: ById, body: SettleIn) -> Response:
    """Settle it: the older was so until the newer, one of them is wrong and is not used any more,
    or both can be so.
    """
    return json_response(
        _disagreement(
            node().reflection.settle(
                path.id, body.verdict, None if body.changed_on is None else aware(body.changed_on)
            )
        )
    )


@api.delete(
    "/disagreements/<string:id>",
    summary="Take that back",
    responses={200: DisagreementList},
)
def unsettle(path: ById) -> Response:
    """Have it open again; what was struck for it is used again."""
    node().reflection.unsettle(path.id)
    return json_response(
        DisagreementList(
            items=[
                _disagreement(disagreement) for disagreement in node().reflection.disagreements()
            ]
        )
    )


@api.get(
    "/core/proposals",
    summary="Lines that could stand in memory.md",
    responses={200: CoreLineList},
)
def core_lines() -> Response:
    """List a few, each with what it rests on and what taking it in would do to the file; nothing is
    written there unasked.
    """
    return json_response(
        CoreLineList(items=[_core_line(core_line) for core_line in node().reflection.core_lines()])
    )


@api.post(
    "/core/proposals/<string:id>",
    summary="Take a line in, or turn it down",
    responses={200: CoreLineList},
)
def decide_core(path: ById, body: CoreLineIn) -> Response:
    """Put it at the end of `memory.md`, worded as you like, or never propose it again."""
    node().reflection.decide_core(path.id, accept=body.accept, line=body.line)
    return json_response(
        CoreLineList(items=[_core_line(core_line) for core_line in node().reflection.core_lines()])
    )


@api.delete(
    "/core/proposals/<string:id>",
    summary="Propose a line again",
    responses={200: CoreLineList},
)
def undecide_core(path: ById) -> Response:
    """Take back that it was turned down, or taken in; a line that stands in the file stays
    there.
    """
    node().ports.reflections.unrule(path.id)
    return json_response(
        CoreLineList(items=[_core_line(core_line) for core_line in node().reflection.core_lines()])
    )


def _opinion(known: OpinionView) -> OpinionOut:
    said = known.belief.statement
    speaks = {id(words): _claim(words.claim) for words in known.opinion.speaks}
    return OpinionOut(
        id=known.belief.memory,
        content=said.text,
        entities=list(said.entities),
        stated=said.confidence,
        confidence=round(known.opinion.confidence, 4),
        updated_at=known.opinion.points[-1].at,
        curve=[
            OpinionPoint(
                at=point.at,
                confidence=round(point.confidence, 4),
                stance=point.by.stance.value if point.by else None,
            )
            for point in known.opinion.points
        ],
        supports=[
            evidence
            for speak in known.opinion.speaks
            if speak.stance is Stance.SUPPORTS
            for evidence in speaks[id(speak)]
        ],
        contradicts=[
            evidence
            for speak in known.opinion.speaks
            if speak.stance is Stance.CONTRADICTS
            for evidence in speaks[id(speak)]
        ],
    )


def _stated(known: StatedView) -> StatedViewOut:
    return StatedViewOut(
        content=known.now.text,
        since=moment_of(known.since),
        turned=known.turned,
        words=[evidence for claim in known.words for evidence in _claim(claim)],
    )


def _claim(claim: Claim) -> list[DatedEvidence]:
    """Show the words of a claim with their day; nothing where they do not stand any more."""
    here = node()
    places = here.reflection.places_of(
        [Evidence(claim.document, claim.text_version, claim.start, claim.end)]
    )
    return [
        DatedEvidence(**evidence.model_dump(), at=_when(claim), kept=claim.kept)
        for evidence in serialise_evidence(here, places)
    ]


def _when(claim: Claim) -> datetime | None:
    return moment_of(claim.moment)


def _disagreement(known: Disagreement) -> DisagreementOut:
    sides = {
        (dated.document, dated.quote): dated.validity
        for dated in node().ports.validities.ruled([known.id])
    }

    def side(claim: Claim) -> list[DatedEvidence]:
        dates = together(
            [sides.get((claim.document, claim.text), UNKNOWN), told(claim.text, _when(claim))]
        )
        return [
            evidence.model_copy(update={"valid_from": dates.start, "valid_until": dates.end})
            for evidence in _claim(claim)
        ]

    shared = [name for name in known.first.about if name in known.second.about]
    unnamed = (
        None
        if any(name.casefold() in known.first.text.casefold() for name in shared)
        else next(iter(shared), None)
    )
    return DisagreementOut(
        id=known.id,
        reason=known.reason.value,
        about=unnamed,
        first=side(known.first),
        second=side(known.second),
        verdict=known.verdict,
    )


def _core_line(known: CoreLine) -> CoreLineOut:
    return CoreLineOut(
        id=known.id,
        line=known.line,
        reason=known.reason,
        evidence=_claim(known.claim),
        change=serialise_diff(known.change).lines,
    )
