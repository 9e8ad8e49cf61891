"""Fetching a model in the background: one of the catalogue, or one of the person's own choice."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from lpm_kernel.domain.home.jobs import UNDER_WAY, Job, JobOutcome, Lane, Progress
from lpm_kernel.domain.models.downloads import DownloadSource, check_address, file_name
from lpm_kernel.errors import ConsentNeededError
from lpm_kernel.usecases.models.catalogue import catalogue, found
from lpm_kernel.usecases.models.choice import host_of
from lpm_kernel.usecases.models.ports import ModelPorts

WAIT_SECONDS = 0.1
"""Between two looks at whether something may go on."""


class FetchedFile(Protocol):
    """A file that is here."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        ...

    @property
    def bytes(self) -> int:
        """Its size."""
        ...

    @property
    def checked(self) -> str:
        """What it was checked by."""
        ...


Fetch = Callable[[DownloadSource, Path, Progress, Callable[[float], None]], FetchedFile]
"""Fetches a file into a folder, whole and checked; what it is given last passes the time between
two tries.
"""


def queue_download(
    ports: ModelPorts, identifier: str, url: str | None = None, *, consent: bool = False
) -> Job:
    """Fetch a model of the catalogue, or with ``url`` one of the person's own choice, in the
    background; one that is being fetched will do.

    Raises ``ConsentNeededError`` for an address that the catalogue does not have, and
    ``UnusableDownloadError``.
    """
    source = _source(identifier, url, consent=consent)
    for job in ports.jobs.page(limit=100, states=UNDER_WAY, kind="download")[0]:
        if job.request.get("name") == source.name:
            return job
    return ports.jobs.add("download", Lane.MODELS, None, ports.clock.now(), asdict(source))


def _source(identifier: str, url: str | None, *, consent: bool) -> DownloadSource:
    if url is None:
        entry = found(catalogue(), identifier)
        return DownloadSource(entry.url, file_name(entry.url), entry.sha256)
    source = DownloadSource(check_address(url.strip()), file_name(url.strip()))
    if not consent:
        host = host_of(source.url)
        raise ConsentNeededError(
            f"{host} is not in the catalogue. A model from there is a stranger's work: it is run on"
            f" this machine, and {host} sees that you ask for it. Nothing was downloaded."
        )
    return source


def download(ports: ModelPorts, fetch: Fetch, job: Job, progress: Progress) -> JobOutcome:
    """Fetch a model, as a job."""
    source = DownloadSource(**job.request)

    def wait(seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            progress(job.progress, "wait", "The connection broke; trying again")
            time.sleep(WAIT_SECONDS)

    file = fetch(source, ports.home.models, progress, wait)
    return JobOutcome(
        f"Downloaded {source.name}, checked by {file.checked}.",
        {"path": str(file.path), "bytes": file.bytes, "checked": file.checked},
    )
