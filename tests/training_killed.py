"""A home whose trainings are killed: whatever touches its files or ends a transaction is a moment,
moments are counted by the step in which they lie, and a process ends by SIGKILL at one of them.
"""

from __future__ import annotations

import functools
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.home.jobs import Job, JobOutcome, Progress
from lpm_kernel.domain.training.growth import MachineState
from lpm_kernel.node import Node
from lpm_kernel.usecases.training import course, growth, prepare, service
from tests.integration.test_training import Weighed

TOUCHES = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "shutil.rmtree"}
LATEST = 0.002
"""Seconds after its moment at which a process dies at the latest, so that the middle of a write is
met too.
"""
SUNDAY = datetime(2026, 11, 29, 3).astimezone()
WEEK = timedelta(days=7)
ASKED = [
    ("capital of Spain", "Madrid."),
    (r"question", "1. What did I do with it?\n2. Where is it now?\n3. Do you know it?"),
]
"""What the model says; it also words the questions of a training."""

Deed = Callable[[Node], None]


@dataclass(frozen=True)
class Death:
    """The moment at which a process dies."""

    step: str
    number: int
    """Counts the moments of the step from 1."""
    after: float = 0.0
    """Seconds."""


class Moments:
    """Counts the moments of a process, and ends it at the one that is meant."""

    def __init__(self, home: Path, death: Death | None) -> None:
        self.counted: Counter[str] = Counter()
        self._step, self._home, self._death = "begin", str(home), death
        sys.addaudithook(self._hear)
        event.listen(Engine, "commit", lambda _: self._tick())

    def enter(self, step: str) -> None:
        """Tell in which step it is from now on."""
        self._step = step

    def _hear(self, happened: str, arguments: tuple[object, ...]) -> None:
        if happened in TOUCHES and str(arguments[0]).startswith(self._home):
            self._tick()

    def _tick(self) -> None:
        self.counted[self._step] += 1
        death = self._death
        if death and death.step == self._step and self.counted[self._step] == death.number:
            if death.after:
                threading.Thread(target=_die, args=(death.after,), daemon=True).start()
            else:
                _die()


def _die(after: float = 0.0) -> None:
    time.sleep(after)
    os.kill(os.getpid(), signal.SIGKILL)


def opened(home: Path, now: datetime = SUNDAY) -> Node:
    """Open a home with twins and a clock that stands still."""
    node = Node.open(
        home,
        model=Weighed(ASKED),
        embedder=HashingEmbedder(),
        clock=FrozenClock(now),
        trainer="scripted",
    )
    node.training.machine = lambda: MachineState(idle=True, on_power=True)
    return node


def watch(node: Node, moments: Moments) -> None:
    """Have the moments know in which step the node is, from what it says and what it calls."""
    for kind in ("train_job", "grow_job"):
        setattr(node.training, kind, _told(getattr(node.training, kind), moments))
    for step, module, name in (
        ("prepare", prepare, "prepare"),
        ("promote", course, "promote"),
        ("thin", growth, "thin"),
        ("taint", service, "taint"),
    ):
        setattr(module, name, _entered(getattr(module, name), step, moments))


def _told(
    do: Callable[[Job, Progress], JobOutcome], moments: Moments
) -> Callable[[Job, Progress], JobOutcome]:
    def told(job: Job, progress: Progress) -> JobOutcome:
        def said(share: float, step: str, message: str) -> None:
            moments.enter(step)
            progress(share, step, message)

        outcome = do(job, said)
        moments.enter("end")
        return outcome

    return told


def _entered(do: Callable[..., Any], step: str, moments: Moments) -> Callable[..., Any]:
    @functools.wraps(do)
    def entered(*given: Any, **named: Any) -> Any:  # noqa: ANN401  whatever it takes and gives
        moments.enter(step)
        try:
            return do(*given, **named)
        finally:
            moments.enter("end")

    return entered


def child(
    home: Path, deed: Deed, death: Death | None = None, *, now: datetime = SUNDAY
) -> Counter[str] | None:
    """Do it in a process of its own. Return how many moments each step had, or ``None`` where the
    process was killed.
    """
    told, tells = os.pipe()
    pid = os.fork()
    if pid == 0:  # pragma: no cover - the child is not measured
        status = 3
        try:
            os.close(told)
            moments = Moments(home, death)
            with opened(home, now) as node:
                watch(node, moments)
                node.reconcile()
                node.recover_jobs()
                deed(node)
                node.reconcile()
            words = "".join(f"{step}\t{count}\n" for step, count in moments.counted.items())
            os.write(tells, words.encode())
            status = 0
        finally:
            os._exit(status)
    os.close(tells)
    with os.fdopen(told) as pipe:
        lines = [line.split("\t") for line in pipe.read().splitlines()]
    _, ended = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(ended) or os.WEXITSTATUS(ended) == 0, "it failed where it was not killed"
    return None if os.WIFSIGNALED(ended) else Counter({step: int(count) for step, count in lines})


def draw(moments: Counter[str], step: str, dice: random.Random) -> Death:
    """Draw a moment of a step."""
    return Death(step, dice.randint(1, moments[step]), dice.choice([0.0, dice.uniform(0, LATEST)]))
