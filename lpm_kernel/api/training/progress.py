"""How a training goes: its steps, its sample answers, its log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Response

from lpm_kernel.api.context import node
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import TRAINING
from lpm_kernel.api.training.progress_schemas import (
    AskedOut,
    LogOut,
    LogQuery,
    ProgressOut,
    StepOut,
)
from lpm_kernel.api.training.run_files import json_lines
from lpm_kernel.api.training.run_schemas import ByTraining
from lpm_kernel.domain.training.runs import LOG, Run, RunId

api = TRAINING.blueprint("progress", __name__)

PIECE_OF_LOG = 64_000
"""Bytes of a log that come at once."""


@api.get(
    "/runs/<string:id>/progress", summary="Progress of a training", responses={200: ProgressOut}
)
def progress(path: ByTraining) -> Response:
    """Give every step with its loss, and the sample answers before and now."""
    run = node().ports.runs.get(RunId(path.id))
    place = node().ports.home.versions / run.id
    steps: dict[int, dict[str, float | None]] = {}
    of, pace = 0, []
    for row in json_lines(place / "progress.jsonl"):
        of = max(of, int(row.get("of", 0)))
        steps.setdefault(int(row["step"]), {"loss": None, "held_out": None}).update(
            {name: row[name] for name in ("loss", "held_out") if name in row}
        )
        if "seconds" in row:
            pace.append(float(row["seconds"]))
    last = max(steps, default=0)
    lately = pace[-10:]
    left = (of - last) * sum(lately) / len(lately) if lately and run.outcome is None else None
    shown = [
        StepOut(step=step, loss=each["loss"], held_out=each["held_out"])
        for step, each in sorted(steps.items())
    ]
    return json_response(
        ProgressOut(
            state=run.state.value,
            step=last,
            of=of,
            seconds_left=left,
            steps=shown,
            samples=_samples(run),
        )
    )


@api.get(
    "/runs/<string:id>/log",
    summary="Output of the training program",
    responses={200: LogOut},
)
def log(path: ByTraining, query: LogQuery) -> Response:
    """Read its log piece by piece, in whole lines: ask again with `after` for what came since. It
    is for finding out what went wrong, and may quote what is learned.
    """
    file = node().ports.home.versions / node().ports.runs.get(RunId(path.id)).id / LOG
    size = file.stat().st_size if file.exists() else 0
    start = max(0, size - PIECE_OF_LOG) if query.after is None else min(query.after, size)
    piece = b""
    if size:
        with file.open("rb") as handle:
            handle.seek(start)
            piece = handle.read(PIECE_OF_LOG)
    whole = (
        piece[: piece.rfind(b"\n") + 1]
        or piece[: PIECE_OF_LOG if len(piece) == PIECE_OF_LOG else 0]
    )
    return json_response(LogOut(text=whole.decode("utf-8", "replace"), after=start + len(whole)))


def _samples(run: Run) -> list[AskedOut]:
    place = node().ports.home.versions / run.id
    asked = (
        json.loads((place / "samples.json").read_text("utf-8"))
        if (place / "samples.json").exists()
        else []
    )
    before: dict[int, str] = {}
    now: dict[int, Mapping[str, Any]] = {}
    for row in json_lines(place / "samples.jsonl"):
        before.setdefault(row["question"], row["answer"])
        now[row["question"]] = row
    return [
        AskedOut(
            question=question,
            before=before[number],
            now=now[number]["answer"],
            step=now[number]["step"],
        )
        for number, question in enumerate(asked)
        if number in before
    ]
