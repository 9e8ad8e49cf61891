"""What a training was examined on, and asking the weights oneself."""

from __future__ import annotations

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import TRAINING
from lpm_kernel.api.training.examination_schemas import (
    AnswerRow,
    AnswerRows,
    AnswersQuery,
    AskTrainedIn,
    AskTrainedOut,
    ScorecardQuery,
    ScorecardReportOut,
)
from lpm_kernel.api.training.run_schemas import ByTraining
from lpm_kernel.domain.training.runs import RunId
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L2.exam import passed
from lpm_kernel.usecases.training import examination, report

api = TRAINING.blueprint("examinations", __name__)


@api.get("/runs/<string:id>/scorecard", summary="What changed", responses={200: ScorecardReportOut})
def scorecard(path: ByTraining, query: ScorecardQuery) -> Response:
    """Give the examination in figures, with what was trained and how: as JSON, or as a page in
    Markdown to keep.
    """
    ports = node().training.training_ports
    run = ports.runs.get(RunId(path.id))
    if run.scorecard is None:
        raise NotFoundError("scorecard of training", path.id)
    if query.format == "markdown":
        text = report.as_markdown(ports, run, ports.clock.now())
        answer = Response(text, content_type="text/markdown; charset=utf-8")
    else:
        answer = json_response(ScorecardReportOut.model_validate(report.as_data(ports, run)))
    if query.download:
        name = f"scorecard-{run.number}.{'md' if query.format == 'markdown' else 'json'}"
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@api.get(
    "/runs/<string:id>/answers",
    summary="The examination, question by question",
    responses={200: AnswerRows},
)
def answers(path: ByTraining, query: AnswersQuery) -> Response:
    """Read what was answered, all of it or only what was wrong."""
    run = node().ports.runs.get(RunId(path.id))
    place = node().ports.home.versions / run.id
    items = examination.items_in(place / "exam.jsonl")
    found = []
    for answer in examination.answers_in(place / "answers.jsonl"):
        item = items[answer.item]
        good = passed(item.measure, answer.value)
        if (
            answer.arm == query.arm
            and query.measure in ("", item.measure.value)
            and not (query.wrong and good)
        ):
            found.append(
                AnswerRow(
                    measure=item.measure.value,
                    question=item.question,
                    answer=answer.answer,
                    expected=item.expected,
                    right=good,
                    memory=item.memory,
                )
            )
    return json_response(AnswerRows(items=found[: query.limit]))


@api.post("/ask", summary="Ask a training, with memory or without", responses={200: AskTrainedOut})
def ask(body: AskTrainedIn) -> Response:
    """Answer from the weights alone or with what recall finds, for holding trainings and the base
    side by side.
    """
    run = node().ports.runs.get(RunId(body.run)) if body.run else None
    said = node().training.ask_trained(
        body.question, run.id if run else None, retrieval=body.retrieval
    )
    return json_response(
        AskTrainedOut(
            answer=said,
            run=run.id if run else None,
            number=run.number if run else None,
            retrieval=body.retrieval,
        )
    )
