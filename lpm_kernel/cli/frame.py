"""What every command shares: how it is registered, how it answers, how it opens the node, how it
waits for jobs.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from lpm_kernel.errors import InvalidInputError

if TYPE_CHECKING:
    from lpm_kernel.domain.home.jobs import Job
    from lpm_kernel.node import Node

P = ParamSpec("P")

LOOK_EVERY = 0.5
"""Seconds between two looks at jobs that are waited for."""
PARTS = 1000
"""Of what a progress bar consists."""
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

app = typer.Typer(
    name="lpm",
    help="Your second self, on your own machine.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def command(
    group: typer.Typer, name: str | None = None
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Register a command whose errors leave as one sentence."""

    def register(function: Callable[P, None]) -> Callable[P, None]:
        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            function(*args, **kwargs)

        group.command(name)(run)
        return run

    return register


def say(
    data: dict[str, Any], sentence: str | Iterable[str], *, as_json: bool, flush: bool = False
) -> None:
    """Print the data as JSON, or the sentences; ``flush``: now, because the command goes on."""
    if as_json:
        print(json.dumps(data, ensure_ascii=False, default=str), flush=flush)
    else:
        for line in [sentence] if isinstance(sentence, str) else sentence:
            print(line, flush=flush)


def opened(*, must_exist: bool = True) -> Node:
    """Open the home that `LPM_HOME` names. Raises ``InvalidInputError`` where there is none and
    there has to be one.
    """
    from lpm_kernel.config import default_home
    from lpm_kernel.node import Node
    from lpm_kernel.usecases.home.integrity import is_used

    home = default_home()
    if must_exist and not (home.exists or home.lock.is_dir() or is_used(home)):
        raise InvalidInputError(
            f"There is no home at {home.root}.",
            "Create one with `lpm init`, or set LPM_HOME to another.",
        )
    return Node(home)


def wait_for(node: Node, jobs: list[Job], *, quiet: bool) -> list[Job]:
    """Wait for jobs with a progress bar. Where no worker runs, do them here."""
    from lpm_kernel.domain.home.jobs import ENDED
    from lpm_kernel.usecases.processes import running

    elsewhere = any(name == "work" for name, _ in running(node.ports.home))
    ended: list[Job] = []
    with typer.progressbar(
        length=max(1, len(jobs)), label="Reading", file=sys.stderr, hidden=quiet or not jobs
    ) as bar:
        waiting = {job.id: job for job in jobs}
        looked = 0.0
        while waiting:
            if elsewhere:
                time.sleep(LOOK_EVERY)
            elif not node.do_one_job():
                node.recover_jobs()
                time.sleep(LOOK_EVERY)
                looked = 0.0
            if time.monotonic() - looked < LOOK_EVERY:
                continue
            looked = time.monotonic()
            done = [
                job for job_id in waiting if (job := node.ports.jobs.get(job_id)).state in ENDED
            ]
            bar.update(len(done))
            ended += done
            for job in done:
                del waiting[job.id]
            if (
                elsewhere
                and waiting
                and not any(name == "work" for name, _ in running(node.ports.home))
            ):
                elsewhere = False  # the worker went away: go on here
    return ended


def follow(node: Node, job: Job, label: str, *, quiet: bool) -> Job:
    """Watch one job to its end with a progress bar. Where no worker runs, do it here."""
    from lpm_kernel.domain.home.jobs import ENDED
    from lpm_kernel.usecases.processes import running

    if not any(name == "work" for name, _ in running(node.ports.home)):
        threading.Thread(target=_do, args=(node, job), daemon=True).start()
    with typer.progressbar(length=PARTS, label=label, file=sys.stderr, hidden=quiet) as bar:
        while True:
            now = node.ports.jobs.get(job.id)
            bar.update(round(now.progress * PARTS) - bar.pos)
            if now.state in ENDED:
                return now
            time.sleep(LOOK_EVERY)


def _do(node: Node, job: Job) -> None:
    from lpm_kernel.domain.home.jobs import ENDED

    while node.ports.jobs.get(job.id).state not in ENDED:
        if not node.do_one_job():
            node.recover_jobs()
            time.sleep(LOOK_EVERY)
