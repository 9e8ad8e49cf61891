"""Growing every week: a small training that goes on from the one in use, learns what is new with
some of the old, is examined, and answers as the person where nothing got worse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from lpm_kernel.domain.home.jobs import Job, JobOutcome, Lane, Progress
from lpm_kernel.domain.training.growth import (
    DAYS,
    FOR_NOW,
    WEEK,
    MachineState,
    SkipReason,
    closes,
    next_day,
    opens,
    to_thin,
)
from lpm_kernel.domain.training.runs import Audience, Run, RunState
from lpm_kernel.errors import ConflictError, NodeError
from lpm_kernel.usecases.training import course, prepare, service
from lpm_kernel.usecases.training.course import GROWS, TrainingWork, at_work
from lpm_kernel.usecases.training.lineage import ancestors
from lpm_kernel.usecases.training.material import Known, material
from lpm_kernel.usecases.training.rows import lose_checkpoints
from lpm_kernel.usecases.training.settings import DEFAULTS, WORDS
from lpm_kernel.usecases.training.words_elsewhere import BY_ENDPOINT

SAID: dict[SkipReason, str] = {
    SkipReason.NOTHING_IN_USE: "No training is in use, so there is nothing to go on from.",
    SkipReason.OTHER_MODEL: "The training in use belongs to another base model.",
    SkipReason.NOTHING_NEW: "Everything that could be learned is known already.",
    SkipReason.BUSY: "The machine was busy all day.",
    SkipReason.ON_BATTERY: "The machine was on battery all day.",
    SkipReason.OTHER_TRAINING: "Another training was not over.",
}
HINTS: dict[SkipReason, str] = {
    SkipReason.NOTHING_IN_USE: "Prepare a training, and use it.",
    SkipReason.OTHER_MODEL: "Use that model again, or prepare another training.",
    SkipReason.NOTHING_NEW: "Keep some of what the node found (Today), then ask again.",
    SkipReason.OTHER_TRAINING: "Wait for it, or cancel it first.",
}
"""What to do where the person asks for it and it cannot be."""
KEPT_SETTINGS = tuple(
    name
    for name in DEFAULTS
    if name
    not in {"recent_days", "older", "steps", "batch", "micro_batch_size", "pairs", "dpo", *WORDS}
)
"""Settings that a training has from the one that it goes on from."""


@dataclass(frozen=True)
class GrowthPorts:
    """What it grows with."""

    work: TrainingWork
    schedule: str
    """``weekly``, or ``off``."""
    day: str
    """English name of the day of the week."""
    steps: int
    batch: int
    machine: Callable[[], MachineState]


@dataclass(frozen=True)
class GrowthState:
    """How it stands with growing."""

    schedule: str
    day: str
    next_at: datetime | None
    """Local time; ``None`` where it does not grow by itself."""
    last: Job | None
    """The newest week, grown or skipped."""


def state(ports: GrowthPorts) -> GrowthState:
    """Say how it stands."""
    last = _last(ports)
    now, day = _now(ports), DAYS.index(ports.day)
    done = opens(now, day) and (closes(now) or _is_of(last, now))
    weekly = ports.schedule == "weekly"
    return GrowthState(
        ports.schedule, ports.day, next_day(now, day, done_today=done) if weekly else None, last
    )


def look(ports: GrowthPorts) -> Job | None:
    """Queue this week's training where it is due, or note why it is skipped. ``None``: not now."""
    now = _now(ports)
    if ports.schedule != "weekly" or not opens(now, DAYS.index(ports.day)):
        return None
    if _is_of(_last(ports), now):
        return None
    reason = why_not(ports)
    if reason in FOR_NOW and not closes(now):
        return None
    if reason is None and closes(now):
        return None  # what came up this late waits for next week
    return queue(ports, reason)


def queue(ports: GrowthPorts, skipped: SkipReason | None = None) -> Job:
    """Queue a week's training, or the note that it is ``skipped``; one that waits will do."""
    for job in at_work(ports.work.jobs, GROWS):
        return job
    now = ports.work.ports.clock.now()
    request = {"skipped": skipped.value} if skipped else {}
    return ports.work.jobs.add(GROWS, Lane.HEAVY, None, now, request)


def queue_asked(ports: GrowthPorts) -> Job:
    """Queue it because the person asks, whatever the day and the machine. Raises ``ConflictError``
    where there is nothing to learn, or to go on from.
    """
    if reason := why_not(ports, asked=True):
        raise ConflictError(SAID[reason], HINTS.get(reason, ""))
    return queue(ports)


def why_not(ports: GrowthPorts, *, asked: bool = False) -> SkipReason | None:
    """Return why nothing is learned now, ``None`` where it can be. Where the person ``asked``, it
    is learned beside other work and on battery.
    """
    work = ports.work
    parent = _parent(work)
    if work.ports.runs.in_use().run is None:
        return SkipReason.NOTHING_IN_USE
    if parent is None:
        return SkipReason.OTHER_MODEL
    known = Known.of(work.ports, parent.id)
    documents = parent.settings.get("documents", ())
    found = material(work.ports, private=parent.audience is Audience.OWNER, documents=documents)
    if all(map(known.holds, found.taught)):
        return SkipReason.NOTHING_NEW
    if at_work(work.jobs):
        return SkipReason.OTHER_TRAINING
    machine = ports.machine()
    if not asked and not machine.on_power:
        return SkipReason.ON_BATTERY
    return None if asked or machine.idle else SkipReason.BUSY


def do(ports: GrowthPorts, job: Job, progress: Progress) -> JobOutcome:
    """Grow, as a job; one that was killed goes on with the training that it began."""
    work = ports.work
    run = _begun(work, job)
    if run is None:
        parent, reason = _parent(work), job.request.get("skipped") or why_not(ports, asked=True)
        if parent is None or reason is not None:
            skipped = SkipReason(str(reason or SkipReason.NOTHING_IN_USE))
            return JobOutcome(f"Skipped. {SAID[skipped]}", {"skipped": skipped.value})
        run = _prepared(ports, job, parent)
    with course.noting_the_end(work, run.id):
        card = course.carry_through(work, run, progress)
    if card.verdict.reasons:
        worse = ", ".join(card.verdict.reasons)
        return _waits(work, run, f"{worse} got worse")
    used = work.ports.runs.in_use().run
    if used != run.id:  # it is in use where the job was killed after that
        if used != run.settings["start"]:
            return _waits(work, run, "what is in use was changed meanwhile")
        course.promote(work, run.id, not_worse=True)
    thinned = thin(work)
    learned = "learned what was new" if card.verdict.better else "is no worse than before"
    return JobOutcome(
        f"Training {run.number} {learned}, and answers as you now.",
        {"run": run.id, "in_use": True, "thinned": len(thinned)},
    )


def _waits(work: TrainingWork, run: Run, why: str) -> JobOutcome:
    thin(work)
    return JobOutcome(
        f"Training {run.number} waits to be looked at: {why}.", {"run": run.id, "in_use": False}
    )


def thin(work: TrainingWork) -> list[Run]:
    """Take away the weights of older trainings that grew by themselves, and the checkpoints of
    those that did not come to an end; what they learned, and what came of it, stays known.
    """
    runs, used = work.ports.runs, work.ports.runs.in_use().run
    weeks = [run for run in service.every(runs) if run.settings.get("grown")]
    for run in weeks[1:]:
        if run.state is RunState.STOPPED:
            lose_checkpoints(work.ports.folder / run.id)
    grown = [run.id for run in weeks if run.state is RunState.READY]
    thinned = []
    exported = {job.request.get("run") for job in at_work(work.jobs, "merge")}
    for identifier in to_thin(grown, used, [run.id for run in ancestors(runs, used)]):
        if identifier in exported:
            continue  # next week
        # noted first: what is noted as there has its weights
        thinned.append(runs.change(identifier, state=RunState.THINNED))
        service.lose_weights(work.ports.folder / identifier)
        course.forget_adapter(work.model(), identifier)
    return thinned


def _prepared(ports: GrowthPorts, job: Job, parent: Run) -> Run:
    """Make the rows of this week's training: what is new since the one in use, or for a week."""
    work = ports.work
    since = max(WEEK, work.ports.clock.now() - parent.created_at)
    given = {
        **{name: parent.settings[name] for name in KEPT_SETTINGS if name in parent.settings},
        "recent_days": since.days + 1,
        "steps": ports.steps,
        "batch": ports.batch,
        "micro_batch_size": None,
        "pairs": 0,
    }
    if given.get("wording") == BY_ENDPOINT:
        given["wording"] = DEFAULTS["wording"]  # nobody is there to say yes
    return prepare.prepare(
        work.ports,
        work.base(),
        given,
        private=parent.audience is Audience.OWNER,
        goes_on=prepare.GoesOn(parent, job.id),
    )


def _parent(work: TrainingWork) -> Run | None:
    """Return the training in use where its weights are there and go onto the model in use."""
    used = work.ports.runs.in_use().run
    try:
        run = work.ports.runs.get(used) if used is not None else None
        there = (
            run is not None
            and run.state is RunState.READY
            and run.base == work.base().name
            and (work.ports.folder / run.id / "adapter").is_dir()
        )
    except NodeError:
        return None
    return run if there else None


def _begun(work: TrainingWork, job: Job) -> Run | None:
    """Return the training that this job began before it was killed."""
    return next(
        (
            run
            for run in service.every(work.ports.runs)
            if run.settings.get("grown") == job.id
            and run.state not in (RunState.THINNED, RunState.TAINTED)
        ),
        None,
    )


def _now(ports: GrowthPorts) -> datetime:
    return ports.work.ports.clock.now().astimezone()


def _last(ports: GrowthPorts) -> Job | None:
    return next(iter(ports.work.jobs.page(limit=1, kind=GROWS)[0]), None)


def _is_of(job: Job | None, now: datetime) -> bool:
    """Tell whether a job is of this day."""
    return job is not None and job.created_at.astimezone().date() == now.date()
