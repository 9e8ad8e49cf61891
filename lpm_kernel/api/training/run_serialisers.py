"""Trainings, as clients see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from lpm_kernel.api.context import node
from lpm_kernel.api.schemas import JobOut, ProblemOut
from lpm_kernel.api.serialisers import serialise_job
from lpm_kernel.api.training.examination_schemas import FigureOut, ScorecardOut, VerdictOut
from lpm_kernel.api.training.pair_serialisers import serialise_pair_counts
from lpm_kernel.api.training.run_schemas import (
    MergedOut,
    ThoughtOut,
    TrainingOut,
    UsedOut,
    WordedOut,
)
from lpm_kernel.domain.home.jobs import Job, JobState
from lpm_kernel.domain.training.runs import InUse, Run, RunState
from lpm_kernel.usecases.training.sweeping import NOT_HERE
from lpm_kernel.usecases.training.thinking import thought_in
from lpm_kernel.usecases.training.words_elsewhere import worded_in


def serialise_scorecard(run: Run) -> ScorecardOut | None:
    """Show the examination in figures; ``None`` before there was one."""
    if run.scorecard is None:
        return None
    arms = {
        name: {
            measure: FigureOut(value=figure.value, low=figure.low, high=figure.high, n=figure.n)
            for measure, figure in arm.items()
        }
        for name, arm in run.scorecard.arms.items()
    }
    verdict = VerdictOut(
        better=run.scorecard.verdict.better, reasons=list(run.scorecard.verdict.reasons)
    )
    return ScorecardOut(arms=arms, verdict=verdict, against=run.scorecard.against)


def serialise_use(used: InUse) -> UsedOut:
    """Show which training is in use."""
    return UsedOut(run=used.run, since=used.since, insisted=used.insisted)


def serialise_run(run: Run) -> TrainingOut:
    """Show one training."""
    return serialise_runs([run])[0]


def serialise_runs(runs: Sequence[Run]) -> list[TrainingOut]:
    """Show trainings, with one look each at the jobs, at what is in use, and at how much they
    learned from.
    """
    jobs, merging = node().training.training_jobs(runs), node().training.merging_jobs()
    used, counts = (
        node().ports.runs.in_use().run,
        node().ports.runs.how_many([run.id for run in runs]),
    )
    return [
        _serialise(
            run,
            _unfinished(jobs.get(run.id)),
            _unfinished(merging.get(run.id)),
            counts[run.id],
            in_use=run.id == used,
        )
        for run in runs
    ]


def _serialise_worded(run: Run) -> WordedOut | None:
    worded = worded_in(node().ports.home.versions / run.id)
    return None if worded is None else WordedOut.model_validate(asdict(worded))


def _serialise_thought(run: Run) -> ThoughtOut | None:
    thought = thought_in(node().ports.home.versions / run.id)
    return None if thought is None else ThoughtOut.model_validate(asdict(thought))


def _unfinished(job: Job | None) -> JobOut | None:
    """Show a job that is at work or failed; one that ended well has left what it was for."""
    return (
        serialise_job(job)
        if job is not None and job.state in (JobState.QUEUED, JobState.RUNNING, JobState.FAILED)
        else None
    )


def _serialise(
    run: Run, job: JobOut | None, merging: JobOut | None, memories: int, *, in_use: bool
) -> TrainingOut:
    return TrainingOut(
        id=run.id,
        number=run.number,
        state=run.state.value,
        in_use=in_use,
        lost=run.state is RunState.TAINTED and run.error == NOT_HERE,
        created_at=run.created_at,
        ended_at=run.ended_at,
        base=run.base,
        synthesiser=run.synthesiser,
        audience=run.audience.value,
        parent=run.parent,
        settings={name: value for name, value in run.settings.items() if name != "struck"},
        rows=dict(run.rows),
        pairs=serialise_pair_counts(run.id),
        left_out=dict(run.left_out),
        worded=_serialise_worded(run),
        thought=_serialise_thought(run),
        memories=memories,
        hashes=dict(run.hashes),
        estimate=dict(run.estimate) if run.estimate else None,
        outcome=dict(run.outcome) if run.outcome else None,
        scorecard=serialise_scorecard(run),
        error=(
            ProblemOut(title=run.error.title, detail=run.error.detail, hint=run.error.hint)
            if run.error
            else None
        ),
        job=job,
        merging=merging,
        merged=[
            MergedOut.model_validate({"kind": kind, "bytes": file.stat().st_size})
            for kind, file in node().training.merged(run.id).items()
        ],
    )
