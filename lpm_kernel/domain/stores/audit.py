"""What happened to the home, and what left the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.home.audit import AuditEntry, AuditKind, Fact, Head


@dataclass(frozen=True)
class Departed:
    """What left for one host, and for which purpose: ``model`` or ``embedder``."""

    host: str
    why: str
    times: int
    bytes: int
    first_at: datetime
    last_at: datetime


class Departures(Protocol):
    """What left this machine: where to and how much, never what."""

    def record(self, at: datetime, host: str, size: int, why: str) -> None:
        """Record that bytes are about to leave; called before they do."""
        ...

    def total(self) -> tuple[int, list[str]]:
        """Return how many bytes left since the home was made, and the hosts that they went to; what
        went to contacts is among it.
        """
        ...

    def by_host(self) -> list[Departed]:
        """Return what left for models and embedders elsewhere, host by host, the latest first."""
        ...


class Audit(Protocol):
    """The chain of what happened to the home; see ``domain/home/audit.py``."""

    def take_over(self, entries: list[AuditEntry]) -> None:
        """Write entries of the same chain that came after these: a home that was restored keeps
        what happened since.
        """
        ...

    def append(self, at: datetime, kind: AuditKind, **facts: Fact) -> AuditEntry:
        """Record what happened."""
        ...

    def page(self, *, limit: int, before: int | None = None) -> tuple[list[AuditEntry], int | None]:
        """Return the newest first, and the number to go on from."""
        ...

    def all(self) -> Iterator[AuditEntry]:
        """Yield every entry, oldest first."""
        ...

    def newest(self) -> AuditEntry | None:
        """Return the last entry."""
        ...

    def noting_apart(self) -> AbstractContextManager[None]:
        """Let nobody wait, inside the block, until the newest entry is noted: that is done beside,
        a second later at most.
        """
        ...

    def noted(self) -> Head | None:
        """Return the newest entry as the home noted it outside the database."""
        ...
