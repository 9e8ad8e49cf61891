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
    MadeOut,
    ReviewedOut,
    ReviewIn,
    ReviewOut,
    TakeBackIn,
    TakeBackOut,
    TakenBackOut,
    VerdictIn,
)
from lpm_kernel.api.memory.finding_serialisers import serialise_finding
from lpm_kernel.api.schemas import ById, ProblemOut
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.ids import DocumentId, FindingId
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.usecases.memory import findings, review

api = APIBlueprint(
    "findings",
    __name__,
    url_prefix="/api/findings",
    abp_tags=[Tag(name="findings", description="Keep, mend or forget what was found")],
)


@api.get("", summary="List what was found, or what was decided", responses={200: FindingList})
def list_findings(query: FindingQuery) -> Response:
    """Show sentences of the documents that came last, the best of each first; with `every` all that
    wait, with `decided` those that were decided about, newest first. A cursor counts those that
    were shown and left open.
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
    best = node().findings.findings
    waiting = node().findings.waiting() if query.every else findings.Waiting(best(), further=False)
    shown, following = paged(lambda: waiting.findings, query)
    return json_response(
        FindingList(
            items=[serialise_finding(node(), finding) for finding in shown],
            next_cursor=following,
            total=len(waiting.findings),
            further=waiting.further,
        )
    )


@api.post("", summary="Decide about a stretch of a document", responses={200: FindingOut})
def decide_about_a_stretch(body: FindingIn) -> Response:
    """Keep, mend or forget the words at a place; the same words again replace what was decided."""
    judged = findings.SentenceDecision(
        DocumentId(body.document), body.start, body.end, Verdict(body.decision), body.content
    )
    return json_response(serialise_finding(node(), node().memory.decide(judged)))


@api.post("/bulk", summary="Decide about much of what was found", responses={200: ReviewOut})
def decide_about_many(body: ReviewIn) -> Response:
    """Keep, dismiss or forget each of them, in one step. What was decided about meanwhile is not
    overruled, and what cannot be decided holds up nothing else.
    """
    settled = node().memory.decide_all(
        [
            review.Reviewed(FindingId(each.id), Verdict(each.decision), each.content)
            for each in body.items
        ]
    )
    items = [_serialise_settled(each) for each in settled]
    return json_response(
        ReviewOut(items=items, decided=sum(each.outcome == "decided" for each in items))
    )


def _serialise_settled(settled: review.ReviewedFinding) -> ReviewedOut:
    decision, problem = settled.decision, settled.problem
    return ReviewedOut(
        id=settled.finding,
        outcome=settled.outcome.value,
        decision=(
            MadeOut(id=decision.id, verdict=decision.verdict.value, at=decision.at)
            if decision
            else None
        ),
        problem=(
            ProblemOut(title=problem.title, detail=problem.detail, hint=problem.hint)
            if problem
            else None
        ),
    )


@api.post("/bulk/undo", summary="Take many decisions back", responses={200: TakeBackOut})
def take_back_many(body: TakeBackIn) -> Response:
    """Take back those that are still as they were made, in one step, as if they had not been
    made.
    """
    taken = node().memory.take_back([(FindingId(each.id), each.at) for each in body.items])
    return json_response(
        TakeBackOut(
            items=[
                TakenBackOut(id=each.id, outcome="open" if done else "changed")
                for each, done in zip(body.items, taken, strict=True)
            ],
            taken_back=sum(taken),
        )
    )


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
