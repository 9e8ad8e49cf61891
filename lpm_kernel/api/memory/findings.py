"""What was found in what was added, and what the person decides about it."""

from __future__ import annotations

from http import HTTPStatus

from flask import Response
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import paged
from lpm_kernel.api.memory.finding_schemas import (
    FindingIn,
    FindingList,
    FindingOut,
    FindingQuery,
    VerdictIn,
)
from lpm_kernel.api.memory.finding_serialisers import serialise_finding
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.ids import DocumentId, FindingId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.usecases.memory import findings

api = APIBlueprint(
    "findings",
    __name__,
    url_prefix="/api/findings",
    abp_tags=[Tag(name="findings", description="Keep, mend or forget what was found")],
)


@api.get("", summary="List what was found, or what was decided", responses={200: FindingList})
def list_findings(query: FindingQuery) -> Response:
    """Show sentences of the documents that came last, the best of each first; with `decided` those
    that were decided about, newest first.
    """
    if query.decided:
        known, following = node().ports.decisions.page(limit=query.limit, cursor=query.cursor)
        items = [
            serialise_finding(
                node(),
                findings.Finding(
                    decision.id,
                    node().ports.documents.get(decision.document),
                    decision.quote,
                    decision.start,
                    decision.end,
                    decision,
                ),
            )
            for decision in known
        ]
        return json_response(
            FindingList(items=items, next_cursor=following, total=node().ports.decisions.count())
        )
    found = node().findings.findings()
    shown, following = paged(lambda: found, query)
    return json_response(
        FindingList(
            items=[serialise_finding(node(), finding) for finding in shown],
            next_cursor=following,
            total=len(found),
        )
    )


@api.post("", summary="Decide about a stretch of a document", responses={200: FindingOut})
def decide_about_a_stretch(body: FindingIn) -> Response:
    """Keep, mend or forget the words at a place; the same words again replace what was decided."""
    judged = findings.SentenceDecision(
        DocumentId(body.document), body.start, body.end, Verdict(body.decision), body.content
    )
    return json_response(serialise_finding(node(), node().memory.decide(judged)))


@api.post("/<string:id>", summary="Decide about what was found", responses={200: FindingOut})
def decide(path: ById, body: VerdictIn) -> Response:
    """Keep, mend or forget it. What is mended here is never guessed at again."""
    return json_response(
        serialise_finding(
            node(),
            node().memory.decide(
                node().memory.judged(FindingId(path.id), Verdict(body.decision), body.content)
            ),
        )
    )


@api.delete("/<string:id>", summary="Take a decision back", responses={204: None})
def undecide(path: ById) -> Response:
    """Forget the decision, and the correction that was made for it."""
    node().memory.undecide(FindingId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)
