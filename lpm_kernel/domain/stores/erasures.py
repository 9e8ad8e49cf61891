"""What the person asked to be gone for good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.chat.conversations import Turn
from lpm_kernel.domain.home.audit import Fact
from lpm_kernel.domain.home.erasure import Discard, Erasure
from lpm_kernel.domain.home.jobs import Job
from lpm_kernel.domain.ids import JobId


class Erasures(Protocol):
    """What the person asked to be gone for good, step by step."""

    def propose(self, erasure: Erasure, token_hash: str) -> None:
        """Record a request that is not confirmed yet; requests that expired unconfirmed are
        forgotten.
        """
        ...

    def by_token(self, token_hash: str) -> Erasure | None:
        """Return the request of this token."""
        ...

    def get(self, erasure: str) -> Erasure:
        """Return one. Raises ``NotFoundError``."""
        ...

    def confirm(
        self, erasure: str, job: JobId, now: datetime, rewrite: Callable[[Turn], Turn]
    ) -> Job:
        """In one transaction: take the rows away, put every turn through ``rewrite``, leave
        tombstones, queue the job.

        Confirming twice is confirming once.
        """
        ...

    def discard(self, discard: Discard, job: JobId, now: datetime) -> Job | None:
        """In one transaction: take the words away, and queue the job that takes out their traces.
        ``None``: all of it was gone already.
        """
        ...

    def clean(self, erasure: str, now: datetime, facts: Mapping[str, Fact]) -> None:
        """Forget titles and names, and write it into the audit chain, once."""
        ...

    def done(self, erasure: str) -> None:
        """Nothing is left to do."""
        ...

    def unfinished(self) -> list[Erasure]:
        """Return what was confirmed and is not done."""
        ...

    def tombstones(self) -> dict[str, datetime]:
        """Return the ids of everything that was erased, and when."""
        ...

    def take_over(self, tombstones: Mapping[str, datetime]) -> None:
        """Remember these too, and take their rows away."""
        ...

    def compact(self) -> None:
        """Leave no trace of removed rows in free pages and the write-ahead log."""
        ...
