"""The rows of a training: read, strike, add, hand out."""

from __future__ import annotations

import json

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import number
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import TRAINING
from lpm_kernel.api.training.row_schemas import RowList, RowsPatch, RowsQuery
from lpm_kernel.api.training.row_serialisers import parse_row, serialise_rows
from lpm_kernel.api.training.run_schemas import ByTraining, TrainingOut
from lpm_kernel.api.training.run_serialisers import serialise_run
from lpm_kernel.domain.training.runs import RunId
from lpm_kernel.usecases.training.prepare import rewrite

api = TRAINING.blueprint("rows", __name__)


@api.get("/runs/<string:id>/rows", summary="The rows of a training", responses={200: RowList})
def rows(path: ByTraining, query: RowsQuery) -> Response:
    """Read the rows, struck ones too."""
    start = number(query.cursor) or 0
    found = [
        row
        for row in serialise_rows(RunId(path.id))
        if (query.kind is None or row.kind == query.kind)
        and query.q.lower() in f"{row.question} {row.answer}".lower()
    ]
    end = start + query.limit
    return json_response(
        RowList(
            items=found[start:end],
            next_cursor=str(end) if end < len(found) else None,
            total=len(found),
        )
    )


@api.get("/runs/<string:id>/rows/export", summary="The rows as a file")
def export_rows(path: ByTraining) -> Response:
    """Hand the rows out as JSON lines."""
    lines = (
        json.dumps(row.model_dump(), ensure_ascii=False) for row in serialise_rows(RunId(path.id))
    )
    head = {
        "Content-Disposition": (
            f'attachment; filename="training-{node().ports.runs.get(RunId(path.id)).number}.jsonl"'
        )
    }
    return Response(
        "".join(f"{line}\n" for line in lines),
        content_type="application/x-ndjson; charset=utf-8",
        headers=head,
    )


@api.patch("/runs/<string:id>/rows", summary="Remove or add rows", responses={200: TrainingOut})
def change_rows(path: ByTraining, body: RowsPatch) -> Response:
    """Leave rows out, bring them back, or add some of one's own, before it learns."""
    run = node().ports.runs.get(RunId(path.id))
    return json_response(
        serialise_run(
            rewrite(
                node().training.training_ports,
                run,
                struck=body.strike,
                unstruck=body.unstrike,
                added=[parse_row(row) for row in body.add],
            )
        )
    )
