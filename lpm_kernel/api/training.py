"""Trainings: prepare, read and strike, learn, examine, take into use, and where it all came
from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from flask import Response, send_file
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api import schemas, shapes
from lpm_kernel.api.context import node
from lpm_kernel.api.cursors import number
from lpm_kernel.api.schemas import training as shape
from lpm_kernel.api.schemas.jobs import JobOut
from lpm_kernel.api.streams import json_response
from lpm_kernel.domain.home.jobs import Job, JobState
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import LOG, Example, ExampleKind, InUse, Maker, Run, RunId
from lpm_kernel.errors import NodeError, NotFoundError
from lpm_kernel.usecases.training import examination
from lpm_kernel.usecases.training.prepare import rewrite
from lpm_kernel.usecases.training.rows import as_row, examples_in
from lpm_kernel.usecases.training.settings import DEFAULTS

api = APIBlueprint(
    "training",
    __name__,
    url_prefix="/api/training",
    abp_tags=[Tag(name="training", description="Memory in weights")],
)

PIECE_OF_LOG = 64_000
"""Bytes of a log that come at once."""
_BESIDES = frozenset({"private", "rows", "exam", "start"})
"""What is asked besides settings."""


@api.get("", summary="How things stand", responses={200: shape.TrainingState})
def state() -> Response:
    """Say what a training would learn, from which base, and what is in use."""
    used, problem, base = node().ports.runs.in_use(), None, None
    try:
        base = node().training.training_base().name
    except NodeError as error:
        problem = f"{error.detail} {error.hint}".strip()
    found = node().training.material()
    return json_response(
        shape.TrainingState(
            in_use=used.run,
            since=used.since,
            insisted=used.insisted,
            memories=len(found.taught),
            left_out=dict(found.left_out),
            base=base,
            problem=problem,
            defaults=dict(DEFAULTS),
        )
    )


@api.post("/runs", summary="Train", responses={202: shape.TrainingQueued})
def train(body: shape.TrainingIn) -> Response:
    """Prepare a training from what is kept now, and learn it, or only measure it."""
    given = {
        name: value
        for name, value in body.model_dump(exclude_none=True).items()
        if name not in _BESIDES
    }
    run = node().training.prepare_training(
        given, private=body.private, added=[_row(each) for each in body.rows], questions=body.exam
    )
    job = node().training.queue_training(run.id, until="examined" if body.start else "measured")
    return json_response(
        shape.TrainingQueued(run=_run(node().ports.runs.get(run.id)), job=shapes.job(job)),
        HTTPStatus.ACCEPTED,
    )


@api.get("/runs", summary="Every training", responses={200: shape.TrainingList})
def list_runs(query: schemas.Page) -> Response:
    """List them, the newest first."""
    page, cursor = node().ports.runs.page(limit=query.limit, cursor=query.cursor)
    return json_response(shape.TrainingList(items=_all(page), next_cursor=cursor))


@api.get("/runs/<string:id>", summary="One training", responses={200: shape.TrainingOut})
def get_run(path: shape.ByTraining) -> Response:
    """Return it with its newest job."""
    return json_response(_run(node().ports.runs.get(RunId(path.id))))


@api.delete("/runs/<string:id>", summary="Delete a training", responses={204: None})
def delete_run(path: shape.ByTraining) -> Response:
    """Delete its rows, its weights and its examination."""
    node().training.delete_training(RunId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)


@api.get("/runs/<string:id>/rows", summary="What is learned", responses={200: shape.RowList})
def rows(path: shape.ByTraining, query: shape.RowsQuery) -> Response:
    """Read the rows, struck ones too."""
    start = number(query.cursor) or 0
    found = [
        each
        for each in _rows(RunId(path.id))
        if (query.kind is None or each.kind == query.kind)
        and query.q.lower() in f"{each.question} {each.answer}".lower()
    ]
    end = start + query.limit
    return json_response(
        shape.RowList(
            items=found[start:end],
            next_cursor=str(end) if end < len(found) else None,
            total=len(found),
        )
    )


@api.get("/runs/<string:id>/rows/export", summary="The rows as a file")
def export_rows(path: shape.ByTraining) -> Response:
    """Hand the rows out as JSON lines."""
    lines = (json.dumps(each.model_dump(), ensure_ascii=False) for each in _rows(RunId(path.id)))
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


@api.patch(
    "/runs/<string:id>/rows", summary="Strike or add rows", responses={200: shape.TrainingOut}
)
def change_rows(path: shape.ByTraining, body: shape.RowsPatch) -> Response:
    """Leave rows out, bring them back, or add some of one's own, before it learns."""
    run = node().ports.runs.get(RunId(path.id))
    return json_response(
        _run(
            rewrite(
                node().training.training_desk,
                run,
                struck=body.strike,
                unstruck=body.unstrike,
                added=[_row(each) for each in body.add],
            )
        )
    )


@api.post(
    "/runs/<string:id>/resume", summary="Learn, or go on", responses={202: shape.TrainingQueued}
)
def resume(path: shape.ByTraining) -> Response:
    """Begin what was prepared, or go on from the last checkpoint."""
    job = node().training.queue_training(RunId(path.id))
    return json_response(
        shape.TrainingQueued(run=_run(node().ports.runs.get(RunId(path.id))), job=shapes.job(job)),
        HTTPStatus.ACCEPTED,
    )


@api.post(
    "/runs/<string:id>/measure", summary="Measure again", responses={202: shape.TrainingQueued}
)
def measure(path: shape.ByTraining) -> Response:
    """Take three steps with the rows as they are now, and say anew what it would need. Nothing is
    learned.
    """
    job = node().training.queue_training(RunId(path.id), until="measured")
    return json_response(
        shape.TrainingQueued(run=_run(node().ports.runs.get(RunId(path.id))), job=shapes.job(job)),
        HTTPStatus.ACCEPTED,
    )


@api.post(
    "/runs/<string:id>/merged",
    summary="Export as a whole model",
    responses={202: shape.TrainingQueued},
)
def merge(path: shape.ByTraining, body: shape.MergedIn) -> Response:
    """Write base and training as one GGUF file for other programs; when the job has succeeded, it
    lies at `/api/training/runs/{id}/merged/{kind}`.
    """
    job = node().training.queue_merge(RunId(path.id), body.kind)
    return json_response(
        shape.TrainingQueued(run=_run(node().ports.runs.get(RunId(path.id))), job=shapes.job(job)),
        HTTPStatus.ACCEPTED,
    )


@api.get("/runs/<string:id>/merged/<string:kind>", summary="Download a whole model")
def get_merged(path: shape.ByMerged) -> Response:
    """Hand out the file."""
    run, file = _merged(path)
    return send_file(
        file,
        mimetype="application/octet-stream",
        as_attachment=True,
        download_name=f"second-me-{run.number}-{path.kind}.gguf",
        max_age=0,
    )


@api.delete(
    "/runs/<string:id>/merged/<string:kind>", summary="Remove a whole model", responses={204: None}
)
def remove_merged(path: shape.ByMerged) -> Response:
    """Make room; the training itself stays."""
    _merged(path)[1].unlink(missing_ok=True)
    return Response(status=HTTPStatus.NO_CONTENT)


def _merged(path: shape.ByMerged) -> tuple[Run, Path]:
    run = node().ports.runs.get(RunId(path.id))
    file = node().training.merged(run.id).get(path.kind)
    if file is None:
        raise NotFoundError("model of training", str(run.number))
    return run, file


@api.post("/runs/<string:id>/cancel", summary="Stop", responses={200: shape.TrainingOut})
def cancel(path: shape.ByTraining) -> Response:
    """Stop it; what was learned until then is kept, and it can go on."""
    return json_response(_run(node().training.cancel_training(RunId(path.id))))


@api.post("/runs/<string:id>/promote", summary="Take it into use", responses={200: shape.UsedOut})
def promote(path: shape.ByTraining, body: shape.PromoteIn) -> Response:
    """Take it into use, as what the next training is held against and what is asked beside the
    base. One that got worse is refused unless one insists.
    """
    return json_response(
        _used(node().training.promote_training(RunId(path.id), insist=body.insist))
    )


@api.post("/runs/<string:id>/rollback", summary="Go one step back", responses={200: shape.UsedOut})
def roll_back(path: shape.ByTraining) -> Response:
    """Put what was in use before this one into its place."""
    return json_response(_used(node().training.roll_back_training(RunId(path.id))))


@api.get("/runs/<string:id>/progress", summary="How it goes", responses={200: shape.ProgressOut})
def progress(path: shape.ByTraining) -> Response:
    """Give every step with its loss, and the sample answers before and now."""
    run = node().ports.runs.get(RunId(path.id))
    place = node().ports.home.versions / run.id
    steps: dict[int, dict[str, float | None]] = {}
    of, pace = 0, []
    for row in _lines(place / "progress.jsonl"):
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
        shape.StepOut(step=step, loss=each["loss"], held_out=each["held_out"])
        for step, each in sorted(steps.items())
    ]
    return json_response(
        shape.ProgressOut(
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
    summary="What the program that learns writes",
    responses={200: shape.LogOut},
)
def log(path: shape.ByTraining, query: shape.LogQuery) -> Response:
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
    return json_response(
        shape.LogOut(text=whole.decode("utf-8", "replace"), after=start + len(whole))
    )


@api.get("/runs/<string:id>/scorecard", summary="What changed", responses={200: shape.ScorecardOut})
def scorecard(path: shape.ByTraining) -> Response:
    """Give the examination in figures."""
    card = _scorecard(node().ports.runs.get(RunId(path.id)))
    if card is None:
        raise NotFoundError("scorecard of training", path.id)
    return json_response(card)


@api.get(
    "/runs/<string:id>/answers",
    summary="The examination, question by question",
    responses={200: shape.AnswerRows},
)
def answers(path: shape.ByTraining, query: shape.AnswersQuery) -> Response:
    """Read what was answered, all of it or only what was wrong."""
    run = node().ports.runs.get(RunId(path.id))
    place = node().ports.home.versions / run.id
    items = examination.items_in(place / "exam.jsonl")
    found = []
    for each in examination.answers_in(place / "answers.jsonl"):
        item = items[each.item]
        good = (each.value == 0) if item.measure.value == "leak_rate" else (each.value == 1)
        if (
            each.arm == query.arm
            and query.measure in ("", item.measure.value)
            and not (query.wrong and good)
        ):
            found.append(
                shape.AnswerRow(
                    measure=item.measure.value,
                    question=item.question,
                    answer=each.answer,
                    expected=item.expected,
                    right=good,
                    memory=item.memory,
                )
            )
    return json_response(shape.AnswerRows(items=found[: query.limit]))


@api.get(
    "/runs/<string:id>/lineage", summary="What it came from", responses={200: shape.LineageOut}
)
def lineage(path: shape.ByTraining) -> Response:
    """List the statements and documents that it learned, and its hashes; what was put right since
    stands beside what was learned.
    """
    run = node().ports.runs.get(RunId(path.id))
    sources = node().training.learned_from(run)
    found = [
        shape.SourceOut(
            memory=each.memory,
            content=each.now,
            document=each.document,
            learned=each.then if each.outdated else None,
        )
        for each in sources
    ]
    documents = sorted({each.document for each in sources if each.document})
    return json_response(
        shape.LineageOut(
            run=run.id,
            number=run.number,
            parent=run.parent,
            base=run.base,
            hashes=dict(run.hashes),
            memories=found,
            documents=documents,
        )
    )


@api.get("/knowing", summary="Which trainings know this?", responses={200: shape.TrainingList})
def knowing(query: shape.KnowingQuery) -> Response:
    """List the trainings that learned a statement, the newest first."""
    return json_response(
        shape.TrainingList(items=_all(node().training.knowing(MemoryId(query.memory))))
    )


@api.post("/ask", summary="Ask the weights", responses={200: shape.AskTrainedOut})
def ask(body: shape.AskTrainedIn) -> Response:
    """Answer from the weights alone or with what recall finds, for holding trainings and the base
    side by side.
    """
    run = node().ports.runs.get(RunId(body.run)) if body.run else None
    said = node().training.ask_trained(
        body.question, run.id if run else None, retrieval=body.retrieval
    )
    return json_response(
        shape.AskTrainedOut(
            answer=said,
            run=run.id if run else None,
            number=run.number if run else None,
            retrieval=body.retrieval,
        )
    )


def _row(row: shape.RowIn) -> Example:
    return Example(
        ExampleKind.FACT,
        row.question,
        row.answer,
        memories=(MemoryId(row.memory),) if row.memory else (),
        maker=Maker.PERSON,
    )


def _rows(identifier: RunId) -> list[shape.RowOut]:
    run = node().ports.runs.get(identifier)
    place = node().ports.home.versions / run.id
    if not place.is_dir():
        return []
    struck = set(json.loads((place / "struck.json").read_text("utf-8")))
    held = {
        row["prompt"][-1]["content"] + "\x1f" + row["completion"][0]["content"]
        for row in _lines(place / "held_out.jsonl")
    }
    return [
        shape.RowOut(
            **as_row(each),
            struck=each.id in struck,
            held_out=f"{each.question}\x1f{each.answer}" in held,
        )
        for each in examples_in(place / "rows.jsonl")
    ]


def _lines(file: Path) -> list[dict[str, Any]]:
    """Read JSON lines; one that is being written does not count yet."""
    if not file.exists():
        return []
    whole = file.read_text("utf-8", "replace").rpartition("\n")[0]
    return [json.loads(line) for line in whole.splitlines() if line.strip()]


def _samples(run: Run) -> list[shape.AskedOut]:
    place = node().ports.home.versions / run.id
    asked = (
        json.loads((place / "samples.json").read_text("utf-8"))
        if (place / "samples.json").exists()
        else []
    )
    before: dict[int, str] = {}
    now: dict[int, Mapping[str, Any]] = {}
    for row in _lines(place / "samples.jsonl"):
        before.setdefault(row["question"], row["answer"])
        now[row["question"]] = row
    return [
        shape.AskedOut(
            question=question,
            before=before[number],
            now=now[number]["answer"],
            step=now[number]["step"],
        )
        for number, question in enumerate(asked)
        if number in before
    ]


def _scorecard(run: Run) -> shape.ScorecardOut | None:
    if run.scorecard is None:
        return None
    arms = {
        name: {
            measure: shape.FigureOut(
                value=figure.value, low=figure.low, high=figure.high, n=figure.n
            )
            for measure, figure in arm.items()
        }
        for name, arm in run.scorecard.arms.items()
    }
    verdict = shape.VerdictOut(
        better=run.scorecard.verdict.better, reasons=list(run.scorecard.verdict.reasons)
    )
    return shape.ScorecardOut(arms=arms, verdict=verdict, against=run.scorecard.against)


def _used(used: InUse) -> shape.UsedOut:
    return shape.UsedOut(run=used.run, since=used.since, insisted=used.insisted)


def _run(run: Run) -> shape.TrainingOut:
    return _all([run])[0]


def _all(runs: Sequence[Run]) -> list[shape.TrainingOut]:
    """Show trainings, with one look each at the jobs, at what is in use, and at how much they
    learned from.
    """
    jobs, merging = node().training.training_jobs(), node().training.merging_jobs()
    used, counts = (
        node().ports.runs.in_use().run,
        node().ports.runs.how_many([run.id for run in runs]),
    )
    return [
        _one(
            run,
            _shown(jobs.get(run.id)),
            _shown(merging.get(run.id)),
            counts[run.id],
            in_use=run.id == used,
        )
        for run in runs
    ]


def _shown(job: Job | None) -> JobOut | None:
    """Show a job that is at work or failed; one that ended well has left what it was for."""
    return (
        shapes.job(job)
        if job is not None and job.state in (JobState.QUEUED, JobState.RUNNING, JobState.FAILED)
        else None
    )


def _one(
    run: Run, job: JobOut | None, merging: JobOut | None, memories: int, *, in_use: bool
) -> shape.TrainingOut:
    return shape.TrainingOut(
        id=run.id,
        number=run.number,
        state=run.state.value,
        in_use=in_use,
        created_at=run.created_at,
        ended_at=run.ended_at,
        base=run.base,
        synthesiser=run.synthesiser,
        audience=run.audience.value,
        parent=run.parent,
        settings={name: value for name, value in run.settings.items() if name != "struck"},
        rows=dict(run.rows),
        left_out=dict(run.left_out),
        memories=memories,
        hashes=dict(run.hashes),
        estimate=dict(run.estimate) if run.estimate else None,
        outcome=dict(run.outcome) if run.outcome else None,
        scorecard=_scorecard(run),
        error=(
            schemas.ProblemOut(title=run.error.title, detail=run.error.detail, hint=run.error.hint)
            if run.error
            else None
        ),
        job=job,
        merging=merging,
        merged=[
            shape.MergedOut.model_validate({"kind": kind, "bytes": file.stat().st_size})
            for kind, file in node().training.merged(run.id).items()
        ],
    )
