"""Archives that lie in a home: those that were made for export, and those that came for import."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path, PurePath

from lpm_kernel.config import Home
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.jobs import Job, JobOutcome, JobState, Progress
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Jobs
from lpm_kernel.errors import NotFoundError, UnusableArchiveError
from lpm_kernel.usecases.home.archive_export import ExportOptions
from lpm_kernel.usecases.home.archive_import import TakenIn

ARCHIVE_SECONDS = 86_400.0
"""How long an exported archive lies ready."""


def export_as_job(
    export: Callable[[Path, ExportOptions, Progress], dict[str, object]],
    exports: Path,
    job: Job,
    progress: Progress,
) -> JobOutcome:
    """Write an archive, as a job."""
    options = ExportOptions(
        private=job.request.get("private") is not False,
        conversations=job.request.get("conversations") is not False,
    )
    made = export(exports / f"{job.id}.zip", options, progress)
    return JobOutcome(
        f"{counted(int(str(made['documents'])), 'document')} and"
        f" {counted(int(str(made['conversations'])), 'conversation')} in one archive.",
        made,
    )


def import_as_job(
    take_in: Callable[[Path, Progress], TakenIn], imports: Path, job: Job, progress: Progress
) -> JobOutcome:
    """Take an archive in, as a job. Raises ``NotFoundError`` and ``UnusableArchiveError``."""
    path = imports / _archive_of(job)
    if not path.is_file():
        raise NotFoundError("archive", path.name)
    try:
        taken_in = take_in(path, progress)
    except UnusableArchiveError:
        path.unlink(missing_ok=True)
        raise
    return JobOutcome(taken_in.sentence, asdict(taken_in))


def exported(exports: Path) -> list[Path]:
    """Return the archives that lie ready, oldest first; one that is removed meanwhile is left
    out.
    """
    made: dict[Path, float] = {}
    for path in exports.glob("*.zip"):
        with suppress(FileNotFoundError):
            made[path] = path.stat().st_mtime
    return sorted(made, key=lambda path: made[path])


def drop_imported(imports: Path, jobs: Jobs) -> None:
    """Remove what was taken in. Not before its job has ended: a job that is killed then is done
    again, and needs it.
    """
    waiting = list(imports.iterdir())
    if not waiting:
        return
    states = [(_archive_of(job), job.state) for job in jobs.page(limit=500, kind="import")[0]]
    succeeded = {name for name, state in states if state is JobState.SUCCEEDED}
    others = {name for name, state in states if state is not JobState.SUCCEEDED}
    for path in waiting:
        if path.name in succeeded - others:
            path.unlink(missing_ok=True)


def sweep(home: Home, jobs: Jobs, clock: Clock, sweep_half_written: Callable[[Path], None]) -> None:
    """Remove archives that were made for export and are a day old, and what came for import and has
    no job any more.
    """
    wanted = {
        _archive_of(job) for job in jobs.page(limit=500, kind="import")[0] if job.ended_at is None
    }
    now = clock.now().timestamp()
    for folder, keep in ((home.exports, set[str]()), (home.imports, wanted)):
        for half_written in (folder, home.root):
            sweep_half_written(half_written)
        for path in folder.iterdir():
            if path.name not in keep and now - path.stat().st_mtime > ARCHIVE_SECONDS:
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _archive_of(job: Job) -> str:
    return PurePath(str(job.request.get("archive", ""))).name
