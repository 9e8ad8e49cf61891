"""The preference pairs of a training: read, strike, add, hand out."""

from __future__ import annotations

import json

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import number
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import TRAINING
from lpm_kernel.api.training.pair_schemas import PairList, PairsPatch, PairsQuery
from lpm_kernel.api.training.pair_serialisers import parse_pair, serialise_pairs
from lpm_kernel.api.training.run_schemas import ByTraining, TrainingOut
from lpm_kernel.api.training.run_serialisers import serialise_run
from lpm_kernel.domain.training.runs import RunId
from lpm_kernel.usecases.training.prepare import rewrite_pairs

api = TRAINING.blueprint("pairs", __name__)


@api.get(
    "/runs/<string:id>/pairs",
    summary="The preference pairs of a training",
    responses={200: PairList},
)
def pairs(path: ByTraining, query: PairsQuery) -> Response:
    """Read the pairs, struck ones and those held out too."""
    start, wanted = number(query.cursor) or 0, query.q.lower()
    found = [
        pair
        for pair in serialise_pairs(RunId(path.id))
        if (query.rule is None or pair.rule == query.rule)
        and wanted in f"{pair.question} {pair.chosen} {pair.rejected}".lower()
    ]
    end = start + query.limit
    return json_response(
        PairList(
            items=found[start:end],
            next_cursor=str(end) if end < len(found) else None,
            total=len(found),
        )
    )


@api.get("/runs/<string:id>/pairs/export", summary="The preference pairs as a file")
def export_pairs(path: ByTraining) -> Response:
    """Hand the pairs out as JSON lines, each with where it comes from."""
    lines = (
        json.dumps(pair.model_dump(), ensure_ascii=False)
        for pair in serialise_pairs(RunId(path.id))
    )
    run = node().ports.runs.get(RunId(path.id))
    name = f"training-{run.number}-pairs.jsonl"
    return Response(
        "".join(f"{line}\n" for line in lines),
        content_type="application/x-ndjson; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@api.patch(
    "/runs/<string:id>/pairs",
    summary="Remove or add preference pairs",
    responses={200: TrainingOut},
)
def change_pairs(path: ByTraining, body: PairsPatch) -> Response:
    """Leave pairs out, bring them back, or add some of one's own, before it learns."""
    run = node().ports.runs.get(RunId(path.id))
    return json_response(
        serialise_run(
            rewrite_pairs(
                node().training.training_ports,
                run,
                struck=body.strike,
                unstruck=body.unstrike,
                added=[parse_pair(pair) for pair in body.add],
            )
        )
    )
