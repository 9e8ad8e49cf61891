"""Trainings: prepare, learn, take into use, and where it all came from."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import datetime, timedelta
from http import HTTPStatus
from pathlib import Path

from flask import Response, send_file

from lpm_kernel.api.context import node
from lpm_kernel.api.moments import aware
from lpm_kernel.api.schemas import Page
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.streams import json_response
from lpm_kernel.api.subjects import TRAINING
from lpm_kernel.api.training.pair_serialisers import parse_pair
from lpm_kernel.api.training.row_serialisers import parse_row
from lpm_kernel.api.training.run_schemas import (
    ByMerged,
    ByTraining,
    KnowingQuery,
    LearnedTextOut,
    LineageOut,
    MergedIn,
    OwnDocument,
    OwnDocumentList,
    PromoteIn,
    SourceOut,
    TrainingIn,
    TrainingList,
    TrainingOut,
    TrainingQueued,
    TrainingState,
    UsedOut,
    WordsEndpointIn,
    WordsLeavingOut,
)
from lpm_kernel.api.training.run_serialisers import serialise_run, serialise_runs, serialise_use
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Audience, Run, RunId
from lpm_kernel.errors import ConflictError, InvalidInputError, NodeError, NotFoundError
from lpm_kernel.node.training import WordsWish
from lpm_kernel.usecases.training.material import MOST_WRITTEN
from lpm_kernel.usecases.training.settings import DEFAULTS

api = TRAINING.blueprint("runs", __name__)

_BESIDES = frozenset(
    {
        *("again", "base", "since", "private", "rows", "own_pairs", "exam", "start"),
        *("words_key", "consent"),
    }
)
"""What is asked besides settings."""


@api.get(
    "", summary="What a training would learn, and what is in use", responses={200: TrainingState}
)
def state() -> Response:
    """Say what a training would learn, from which base, and what is in use."""
    used, problem, base = node().ports.runs.in_use(), None, None
    try:
        base = node().training.training_base().name
    except NodeError as error:
        problem = f"{error.detail} {error.hint}".strip()
    found = node().training.material()
    return json_response(
        TrainingState(
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


@api.get(
    "/documents",
    summary="What you wrote and did not keep, by document",
    responses={200: OwnDocumentList},
)
def own_documents() -> Response:
    """Count, by document, the sentences in which you speak of yourself or of others and about which
    you did not decide. A training learns from these documents where you name them.
    """
    found = node().training.own_statements(None)
    counts = Counter(finding.document.id for finding in found)
    documents = {finding.document.id: finding.document for finding in found}
    return json_response(
        OwnDocumentList(
            items=[
                OwnDocument(
                    id=identifier,
                    title=documents[identifier].title,
                    private=documents[identifier].private,
                    statements=count,
                )
                for identifier, count in counts.most_common()
            ],
            statements=len(found),
            most=MOST_WRITTEN,
        )
    )


@api.post("/runs", summary="Prepare a training, and start it", responses={202: TrainingQueued})
def train(body: TrainingIn) -> Response:
    """Prepare a training from what is kept now, and learn it, or only measure it."""
    given = {
        name: value
        for name, value in body.model_dump(exclude_none=True).items()
        if name not in _BESIDES
    }
    _check_base(body.base)
    if body.since is not None:
        given["recent_days"] = _days_since(body.since, body.recent_days)
    private = body.private
    if body.again is not None:
        given = {**node().training.settings_again(RunId(body.again)), **given}
        before = node().ports.runs.get(RunId(body.again))
        private = before.audience is Audience.OWNER if private is None else private
    run = node().training.prepare_training(
        given,
        private=bool(private),
        words=WordsWish(body.words_key, body.consent),
        added=[parse_row(row) for row in body.rows],
        pairs=[parse_pair(pair) for pair in body.own_pairs],
        questions=body.exam,
    )
    job = node().training.queue_training(run.id, until="examined" if body.start else "measured")
    return json_response(
        TrainingQueued(run=serialise_run(node().ports.runs.get(run.id)), job=serialise_job(job)),
        HTTPStatus.ACCEPTED,
    )


def _check_base(wanted: str | None) -> None:
    """Refuse a base that is not the model in use. Raises ``ConflictError``."""
    if wanted is None:
        return
    base = node().training.training_base().name
    if wanted not in (base, base.partition("@")[0]):
        raise ConflictError(
            f"A training starts from the model in use, {base.partition('@')[0]}.",
            "Leave the base out, or use that model first (Settings).",
        )


def _days_since(since: datetime, recent_days: int | None) -> int:
    """Count the days from a time that was sent until now, the one that has begun too. Raises
    ``InvalidInputError``.
    """
    if recent_days is not None:
        raise InvalidInputError(
            "`since` and `recent_days` say the same thing.", "Send one of the two."
        )
    past = node().ports.clock.now() - aware(since)
    if past < timedelta(0):
        raise InvalidInputError("“since” has not come yet.", "Give a time in the past.")
    return past.days + 1


@api.post(
    "/words",
    summary="What would leave if an endpoint worded the questions",
    responses={200: WordsLeavingOut},
)
def words(body: WordsEndpointIn) -> Response:
    """Count what would be sent to an endpoint, and say where that is. Nothing is sent."""
    given = body.model_dump(exclude={"private"}, exclude_none=True)
    found = node().training.words_leaving(given, private=body.private)
    return json_response(WordsLeavingOut.model_validate(asdict(found)))


@api.get("/runs", summary="List trainings", responses={200: TrainingList})
def list_runs(query: Page) -> Response:
    """List them, the newest first."""
    page, cursor = node().ports.runs.page(limit=query.limit, cursor=query.cursor)
    return json_response(TrainingList(items=serialise_runs(page), next_cursor=cursor))


@api.get("/runs/<string:id>", summary="One training", responses={200: TrainingOut})
def get_run(path: ByTraining) -> Response:
    """Return it with its newest job."""
    return json_response(serialise_run(node().ports.runs.get(RunId(path.id))))


@api.delete("/runs/<string:id>", summary="Delete a training", responses={204: None})
def delete_run(path: ByTraining) -> Response:
    """Delete its rows, its weights and its examination."""
    node().training.delete_training(RunId(path.id))
    return Response(status=HTTPStatus.NO_CONTENT)


@api.post(
    "/runs/<string:id>/resume",
    summary="Start or continue a training",
    responses={202: TrainingQueued},
)
def resume(path: ByTraining) -> Response:
    """Begin what was prepared, or go on from the last checkpoint."""
    job = node().training.queue_training(RunId(path.id))
    return json_response(
        TrainingQueued(
            run=serialise_run(node().ports.runs.get(RunId(path.id))), job=serialise_job(job)
        ),
        HTTPStatus.ACCEPTED,
    )


@api.post(
    "/runs/<string:id>/measure", summary="Measure a training again", responses={202: TrainingQueued}
)
def measure(path: ByTraining) -> Response:
    """Take three steps with the rows as they are now, and say anew what it would need. Nothing is
    learned.
    """
    job = node().training.queue_training(RunId(path.id), until="measured")
    return json_response(
        TrainingQueued(
            run=serialise_run(node().ports.runs.get(RunId(path.id))), job=serialise_job(job)
        ),
        HTTPStatus.ACCEPTED,
    )


@api.post(
    "/runs/<string:id>/merged",
    summary="Export as a whole model",
    responses={202: TrainingQueued},
)
def merge(path: ByTraining, body: MergedIn) -> Response:
    """Write base and training as one GGUF file for other programs; when the job has succeeded, it
    lies at `/api/training/runs/{id}/merged/{kind}`.
    """
    job = node().training.queue_merge(RunId(path.id), body.kind)
    return json_response(
        TrainingQueued(
            run=serialise_run(node().ports.runs.get(RunId(path.id))), job=serialise_job(job)
        ),
        HTTPStatus.ACCEPTED,
    )


@api.get("/runs/<string:id>/merged/<string:kind>", summary="Download a whole model")
def get_merged(path: ByMerged) -> Response:
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
def remove_merged(path: ByMerged) -> Response:
    """Make room; the training itself stays."""
    _merged(path)[1].unlink(missing_ok=True)
    return Response(status=HTTPStatus.NO_CONTENT)


def _merged(path: ByMerged) -> tuple[Run, Path]:
    run = node().ports.runs.get(RunId(path.id))
    file = node().training.merged(run.id).get(path.kind)
    if file is None:
        raise NotFoundError("model of training", str(run.number))
    return run, file


@api.post("/runs/<string:id>/cancel", summary="Stop a training", responses={200: TrainingOut})
def cancel(path: ByTraining) -> Response:
    """Stop it; what was learned until then is kept, and it can go on."""
    return json_response(serialise_run(node().training.cancel_training(RunId(path.id))))


@api.post("/runs/<string:id>/promote", summary="Use a training", responses={200: UsedOut})
def promote(path: ByTraining, body: PromoteIn) -> Response:
    """Take it into use, as what the next training is held against and what is asked beside the
    base. One that got worse is refused unless one insists.
    """
    return json_response(
        serialise_use(node().training.promote_training(RunId(path.id), insist=body.insist))
    )


@api.post(
    "/runs/<string:id>/rollback",
    summary="Switch back to what was in use before",
    responses={200: UsedOut},
)
def roll_back(path: ByTraining) -> Response:
    """Put what was in use before this one was first taken into use into its place."""
    return json_response(serialise_use(node().training.roll_back_training(RunId(path.id))))


@api.get(
    "/runs/<string:id>/lineage", summary="What a training learned from", responses={200: LineageOut}
)
def lineage(path: ByTraining) -> Response:
    """List the statements and documents that it learned, and its hashes; what was put right since
    stands beside what was learned.
    """
    run = node().ports.runs.get(RunId(path.id))
    sources = node().training.learned_from(run)
    found = [
        SourceOut(
            memory=learned_from.memory,
            content=learned_from.now,
            document=learned_from.document,
            learned=learned_from.then if learned_from.outdated else None,
        )
        for learned_from in sources
    ]
    texts = [
        LearnedTextOut(document=text.document, sha256=text.sha256, same=text.same)
        for text in node().training.learned_texts(run)
    ]
    documents = sorted({learned_from.document for learned_from in sources if learned_from.document})
    return json_response(
        LineageOut(
            run=run.id,
            number=run.number,
            parent=run.parent,
            base=run.base,
            hashes=dict(run.hashes),
            memories=found,
            documents=documents,
            texts=texts,
        )
    )


@api.get("/knowing", summary="Which trainings know this?", responses={200: TrainingList})
def knowing(query: KnowingQuery) -> Response:
    """List the trainings that learned a statement, the newest first."""
    return json_response(
        TrainingList(items=serialise_runs(node().training.knowing(MemoryId(query.memory))))
    )
