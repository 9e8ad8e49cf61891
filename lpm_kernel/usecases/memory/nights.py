"""Going over what is new: in the night, or when the person asks for it; and taking it back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import UNDER_WAY, Job, JobOutcome, JobState, Lane, Progress
from lpm_kernel.domain.memory.reflection import Reflection
from lpm_kernel.domain.stores import Audit, Jobs
from lpm_kernel.L0.language.dates import moment
from lpm_kernel.usecases.memory.reflection import (
    RETRIES,
    Reflected,
    ReflectionPorts,
    is_due,
    reflect,
    undo,
)


@dataclass(frozen=True)
class NightPorts:
    """What a reflection is made with, and what goes before and after it."""

    reflection: ReflectionPorts
    jobs: Jobs
    audit: Audit
    keep_step: Callable[[], object]
    """Takes in what was written to the workspace."""
    draw_missing_map: Callable[[Progress], None]
    """Finds who and what is named, where nobody did yet."""


def queue(ports: NightPorts, since: str | None = None) -> Job:
    """Queue a reflection; one that waits already will do, unless it looks less far back. Raises
    ``InvalidInputError`` for a time that cannot be read.
    """
    now = ports.reflection.clock.now()
    if since is not None:
        moment(since, now)
    waiting = ports.jobs.page(limit=1, kind="reflect", states=[JobState.QUEUED])[0]
    if waiting and waiting[0].request.get("since") == since:
        return waiting[0]
    return ports.jobs.add("reflect", Lane.HEAVY, None, now, {"since": since} if since else {})


def go_over(
    ports: NightPorts,
    since: str | datetime | None = None,
    identifier: str = "",
    progress: Progress = lambda *_: None,
) -> Reflected:
    """Go over what is new, or also over what is from ``since`` on, and write what follows from it
    onto its pages.
    """
    clock = ports.reflection.clock
    ports.keep_step()
    ports.draw_missing_map(progress)
    start = moment(since, clock.now()) if isinstance(since, str) else since
    identifier = identifier or f"r_{clock.now().timestamp():.6f}".replace(".", "_")
    reflected = reflect(
        ports.reflection, identifier, start.timestamp() if start else None, progress
    )
    if reflected.written:
        ports.audit.append(
            clock.now(),
            AuditKind.REFLECTED,
            pages=len(reflected.written),
            documents=reflected.documents,
        )
        ports.keep_step()
    return reflected


def do(ports: NightPorts, job: Job, progress: Progress) -> JobOutcome:
    """Go over what is new, as a job."""
    since = job.request.get("since")
    reflected = go_over(ports, since if isinstance(since, str) else None, job.id, progress)
    pages = len(reflected.written)
    said = f"{counted(pages, 'page')} written." if pages else "Nothing new to write."
    more = (
        f" {counted(len(reflected.left), 'page')} being edited, left for next time."
        if reflected.left
        else ""
    )
    return JobOutcome(
        f"{counted(reflected.documents, 'document')} read. {said}{more}",
        {"documents": reflected.documents, "pages": pages},
    )


def take_back(ports: NightPorts, identifier: str) -> Reflection:
    """Have the pages read as they did before. Raises ``NotFoundError`` and ``ConflictError``."""
    ports.keep_step()
    undone = undo(ports.reflection, identifier)
    ports.audit.append(
        ports.reflection.clock.now(), AuditKind.REFLECTION_UNDONE, pages=len(undone.pages)
    )
    ports.keep_step()
    return undone


def night_is_due(ports: NightPorts, schedule: str) -> bool:
    """Tell whether a night went by or did not work, there is something new, and nobody is at it;
    never where the ``schedule`` of the settings is another one.
    """
    if schedule != "nightly":
        return False
    if ports.jobs.page(limit=1, kind="reflect", states=UNDER_WAY)[0]:
        return False
    tried = ports.jobs.page(limit=1 + len(RETRIES) + 1, kind="reflect")[0]
    last = next((job for job in tried if job.state is not JobState.FAILED), None)
    failed = [job.created_at for job in takewhile(lambda job: job.state is JobState.FAILED, tried)]
    now = ports.reflection.clock.now().astimezone()
    first = next(ports.audit.all(), None)
    born = datetime.fromisoformat(first.at).astimezone() if first else now
    if not is_due(now, last.created_at.astimezone() if last else None, born, failed):
        return False
    claims, extractor = ports.reflection.claims, ports.reflection.extractor
    return bool(claims.unread(f"{extractor.name} {extractor.version}") or claims.fresh())
