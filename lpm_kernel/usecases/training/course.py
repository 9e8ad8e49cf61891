"""The course of a training: prepared, queued, learned, examined, put into use, taken out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lpm_kernel.domain.chat.recall import Recollection, Scope
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.jobs import (
    INSIDE,
    UNDER_WAY,
    Job,
    JobLostError,
    JobOutcome,
    Lane,
    Progress,
)
from lpm_kernel.domain.ids import JobId
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.domain.ports import Adapter, ChatMessage, LanguageModel, Sampling
from lpm_kernel.domain.stores import Jobs
from lpm_kernel.domain.training.runs import InUse, Run, RunId, RunState, Scorecard
from lpm_kernel.errors import ConflictError, InvalidInputError, NodeError, NotFoundError
from lpm_kernel.L0.index.query import RecallQuery
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L2.exam import Item, read_items
from lpm_kernel.L2.render import as_person, with_notes
from lpm_kernel.usecases.training import (
    examination,
    learn,
    merging,
    minds,
    prepare,
    service,
    thinking,
    wording,
)
from lpm_kernel.usecases.training.material import material
from lpm_kernel.usecases.training.minds import Mind
from lpm_kernel.usecases.training.ports import TrainingBase, TrainingPorts
from lpm_kernel.usecases.training.rows import write_whole
from lpm_kernel.usecases.training.thinking import Thinking

GROWS = "grow"
"""The kind of job by which the second self grows every week."""
NOTES_READ = 4
"""Passages that are read with a question of the examination."""


@dataclass(frozen=True)
class TrainingWork:
    """What trainings are carried through with."""

    ports: TrainingPorts
    jobs: Jobs
    base: Callable[[], TrainingBase]
    """Gives what a training starts from. Raises ``ConflictError``."""
    model: Callable[[], LanguageModel]
    recall: Callable[[RecallQuery], Recollection]
    thinking: Thinking = field(default=nullcontext)
    """Brings up the model that thinks."""

    def notes_for(self, question: str) -> list[str]:
        """Return what recall finds for a question of the examination, in what is open."""
        query = RecallQuery(Question(question), k=NOTES_READ, scope=Scope(include_private=False))
        return [item.content for item in self.recall(query).items[:NOTES_READ]]


def at_work(jobs: Jobs, kind: str = "train") -> list[Job]:
    """Return the jobs of this kind that wait or run."""
    return jobs.page(limit=100, kind=kind, states=UNDER_WAY)[0]


def working_at(jobs: Jobs, runs: Sequence[Run]) -> list[Job]:
    """Return the jobs that learn one of these, or have to."""
    named = {run.id for run in runs}
    grown = {run.settings.get("grown") for run in runs}
    return [
        *(job for job in at_work(jobs) if job.request.get("run") in named),
        *(job for job in at_work(jobs, GROWS) if job.id in grown),
    ]


def jobs_of(jobs: Jobs, runs: Sequence[Run]) -> dict[RunId, Job]:
    """Return the newest job that learned each of these, of those that had one lately."""
    found = newest_jobs(jobs, "train")
    weekly = {job.id: job for job in jobs.page(limit=100, kind=GROWS)[0]}
    for run in runs:
        job = weekly.get(JobId(str(run.settings.get("grown"))))
        later = found.get(run.id)
        if job is not None and (later is None or later.created_at < job.created_at):
            found[run.id] = job
    return found


def newest_jobs(jobs: Jobs, kind: str) -> dict[RunId, Job]:
    """Return the newest job of this kind of each training that had one lately."""
    newest_first = jobs.page(limit=100, kind=kind)[0]
    return {RunId(str(job.request.get("run"))): job for job in reversed(newest_first)}


def prepare_run(
    work: TrainingWork,
    given: Mapping[str, Any],
    *,
    private: bool,
    own: prepare.OwnRows,
    questions: str,
) -> Run:
    """Make the rows of a training, to be read before anything is learned. ``questions`` are JSON
    lines for its examination.
    """
    read_items(questions, ())
    run = prepare.prepare(work.ports, work.base(), given, private=private, own=own)
    if questions.strip():
        write_whole(work.ports.folder / run.id / "questions.jsonl", questions)
    return run


def queue(work: TrainingWork, run: RunId, until: str) -> Job:
    """Queue a training, from where it is. ``until``: ``measured`` or ``examined``. Raises
    ``ConflictError`` where another is at work.
    """
    runs, now = work.ports.runs, work.ports.clock.now()
    if runs.get(run).state in (RunState.READY, RunState.THINNED, RunState.TAINTED):
        raise ConflictError("This training is over.", "Prepare another one.")
    for job in (*at_work(work.jobs), *at_work(work.jobs, GROWS)):
        if job.request.get("run") != run:
            raise ConflictError("Another training is running.", "Wait for it, or cancel it first.")
        if job.request.get("until") == until:
            return job
        if until == "measured":
            raise ConflictError("This training is learning.", "Stop it first.")
        work.jobs.cancel(job.id, now)
    runs.change(run, **{"state": RunState.WORKING} if until == "examined" else {}, error=None)
    return work.jobs.add("train", Lane.HEAVY, None, now, {"run": run, "until": until})


def cancel(work: TrainingWork, identifier: RunId) -> Run:
    """Stop a training with a checkpoint; it can go on."""
    run = work.ports.runs.get(identifier)
    for job in working_at(work.jobs, [run]):
        work.jobs.cancel(job.id, work.ports.clock.now())
    return learn.stop(work.ports.runs, run)


def do(work: TrainingWork, job: Job, progress: Progress) -> JobOutcome:
    """Learn, examine and put ready, as a job."""
    run = RunId(str(job.request["run"]))
    with noting_the_end(work, run):
        return _train(work, run, str(job.request.get("until", "examined")), progress)


@contextmanager
def noting_the_end(work: TrainingWork, run: RunId) -> Iterator[None]:
    """Note at a training why it does not go on, where it does not."""
    try:
        yield
    except NodeError as error:
        learn.failed(work.ports, run, Problem.of(error))
        raise
    except JobLostError:
        leave(work, run)
        raise
    except Exception:
        learn.failed(work.ports, run, INSIDE)
        raise


def leave(work: TrainingWork, identifier: RunId) -> None:
    """Note that a training does not go on, where no job is to go on with it."""
    with suppress(NotFoundError):
        run = work.ports.runs.get(identifier)
        if not working_at(work.jobs, [run]):
            learn.stop(work.ports.runs, run)


def leave_job(work: TrainingWork, job: Job) -> None:
    """Note at the training of a job that was cancelled that it does not go on."""
    for run in service.every(work.ports.runs):
        if job.request.get("run") == run.id or run.settings.get("grown") == job.id:
            leave(work, run.id)


def _train(work: TrainingWork, identifier: RunId, until: str, progress: Progress) -> JobOutcome:
    base, run = work.base(), work.ports.runs.get(identifier)
    if run.base != base.name:
        raise ConflictError(
            f"This training was prepared for {run.base.partition('@')[0]}, and another model is in"
            " use now.",
            "Use that model again, or prepare another training.",
        )
    run = measured(work, run, progress)
    if until == "measured":
        estimate = dict(run.estimate or {})
        minutes = max(1, round(estimate.get("seconds", 0) / 60))
        return JobOutcome(f"About {counted(minutes, 'minute')}.", estimate)
    card = carry_through(work, run, progress)
    better = card.verdict.better
    return JobOutcome(
        f"Training {run.number} is {'better' if better else 'not better'} than what was in use.",
        {"run": run.id, "better": better},
    )


def measured(work: TrainingWork, run: Run, progress: Progress) -> Run:
    """Word the questions of a training and what is thought, and note what learning them would
    need.
    """

    def say(messages: Sequence[ChatMessage], sampling: Sampling) -> str:
        return wording.saying(work.model())(messages, sampling)

    ports = work.ports
    worded = wording.word(ports, run, say, progress)
    thought = thinking.think(ports, worded, work.thinking, progress)
    return learn.measure(ports, thought, work.base(), progress)


def carry_through(work: TrainingWork, run: Run, progress: Progress) -> Scorecard:
    """Measure, learn and examine a training, from where it is; one that is ready was examined."""
    if run.state is RunState.READY and run.scorecard is not None:
        return run.scorecard  # killed after that
    ports = work.ports
    if not learn.has_begun(ports, run):
        run = prepare.freshened(ports, run)
    run = measured(work, run, progress)
    if run.state is not RunState.WORKING:
        run = ports.runs.change(run.id, state=RunState.WORKING)
    run = learn.learn(ports, run, work.base(), progress, lambda file: _sft(work, run.id, file))
    return examine(work, run.id, progress)


def examine(
    work: TrainingWork, identifier: RunId, progress: Progress, questions: str = ""
) -> Scorecard:
    """Examine a training; new ``questions`` have it examined anew."""
    ports = work.ports
    run, place = ports.runs.get(identifier), ports.folder / identifier
    if questions.strip():
        read_items(questions, ())
        write_whole(place / "questions.jsonl", questions)
        for name in ("answers.jsonl", "exam.jsonl"):
            (place / name).unlink(missing_ok=True)
    given: list[Item] = []
    if (place / "questions.jsonl").exists():
        given = read_items(
            (place / "questions.jsonl").read_text("utf-8"), material(ports, private=True).taught
        )
    mind = Mind(work.model(), minds.adapter_of(ports.folder, run))
    against, before = _before(work, run)
    plan = examination.ExamPlan(
        given, _supervised(work, run), before, against, goes_on="start" in run.settings
    )
    return examination.examine(ports, run, mind, work.notes_for, progress, plan)


def _supervised(work: TrainingWork, run: Run) -> Mind | None:
    """Return what a training was before it learned preferences, where it did."""
    file = work.ports.folder / run.id / learn.SUPERVISED
    return _sft(work, run.id, file) if file.exists() else None


def _sft(work: TrainingWork, run: RunId, file: Path) -> Mind:
    return Mind(work.model(), Adapter(f"{run}-sft", file, 1.0))


def _before(work: TrainingWork, run: Run) -> tuple[str, Mind | None]:
    """Return what a training is held against: what it went on from, or what is in use of the same
    base, where its weights are still there; else the base.
    """
    runs = work.ports.runs
    named = run.settings.get("start") or runs.in_use().run
    if named is None or named == run.id:
        return examination.BASE, None
    try:
        known = runs.get(RunId(str(named)))
        if known.base == run.base:
            mind = Mind(work.model(), minds.adapter_of(work.ports.folder, known))
            return known.id, mind
    except NotFoundError:
        pass
    return examination.BASE, None


def ask(work: TrainingWork, question: str, run: RunId | None, *, retrieval: bool) -> str:
    """Answer a question from the weights, with what recall finds or without; ``run`` of ``None`` is
    the base. Raises ``InvalidInputError``.
    """
    if not question.strip():
        raise InvalidInputError("There is no question.", "Write one.")
    ports = work.ports
    notes = work.notes_for(question) if retrieval else ()
    asked = with_notes(question, notes, ports.name) if notes else as_person(question, ports.name)
    adapter = (
        minds.adapter_of(ports.folder, ports.runs.get(run)) if run else Adapter("", Path(), 0.0)
    )
    return Mind(work.model(), adapter).answer(asked, trained=run is not None)


def promote(
    work: TrainingWork, run: RunId, *, insist: bool = False, not_worse: bool = False
) -> InUse:
    """Let a training answer as the person; with ``not_worse`` one that is no better, too."""
    runs = work.ports.runs
    return service.promote(work.ports, runs.get(run), insist=insist, not_worse=not_worse)


def roll_back(work: TrainingWork, run: RunId | None) -> InUse:
    """Go one step back. Raises ``ConflictError`` where ``run`` is not the one in use."""
    runs = work.ports.runs
    if run is not None and runs.in_use().run != run:
        raise ConflictError(
            "This training is not in use.", "You can only switch back from the one in use."
        )
    return service.roll_back(work.ports)


def delete(work: TrainingWork, identifier: RunId) -> None:
    """Delete a training and everything that it left."""
    run = work.ports.runs.get(identifier)
    if any(job.request.get("run") == identifier for job in at_work(work.jobs, "merge")):
        raise ConflictError(
            "This training is being exported.", "Wait for it, or cancel that first."
        )
    service.delete(work.ports, run)
    forget_adapter(work.model(), identifier)


def taint(work: TrainingWork, ids: Sequence[str]) -> list[Run]:
    """Take every training out of service that learned something of these documents or chats, or of
    a chat that is gone.
    """
    ports = work.ports
    doomed = service.doomed(ports, ids)
    named = {run.id for run in doomed}
    merging_them = (j for j in at_work(work.jobs, "merge") if j.request.get("run") in named)
    for job in (*working_at(work.jobs, doomed), *merging_them):
        work.jobs.cancel(job.id, ports.clock.now())
    touched = service.taint(ports, ids)
    for run in touched:
        forget_adapter(work.model(), run.id)
    return touched


def forget_adapter(model: LanguageModel, run: RunId) -> None:
    """Have the model drop an adapter, with what it kept of prompts under it."""
    forget = getattr(model, "forget_adapter", None)
    if forget is not None:
        forget(run)
        forget(f"{run}-sft")


def merge(
    work: TrainingWork, run: RunId, kind: str, progress: Progress, target: Path | None = None
) -> Path:
    """Write a training as a whole model, here and now."""
    return merging.merge(work.ports, work.ports.runs.get(run), work.base(), kind, progress, target)


def queue_merge(work: TrainingWork, run: RunId, kind: str) -> Job:
    """Queue writing a training as a whole model into its folder; one that is waiting already will
    do. Refused at once where it cannot be.
    """
    merging.check(work.ports, work.ports.runs.get(run), work.base(), kind)
    request = {"run": run, "kind": kind}
    for job in at_work(work.jobs, "merge"):
        if {name: job.request.get(name) for name in request} == request:
            return job
    return work.jobs.add("merge", Lane.HEAVY, None, work.ports.clock.now(), request)


def do_merge(work: TrainingWork, job: Job, progress: Progress) -> JobOutcome:
    """Write a training as a whole model, as a job."""
    run = work.ports.runs.get(RunId(str(job.request["run"])))
    made = merge(work, run.id, str(job.request["kind"]), progress)
    size = made.stat().st_size
    return JobOutcome(
        f"Training {run.number} is a model of {size / 1e6:.0f} MB.", {"run": run.id, "bytes": size}
    )
