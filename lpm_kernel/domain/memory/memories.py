"""What the node holds to be so, statement by statement, and what it held before: each wording with
the time from which and until which it was believed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NewType, Protocol

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.statements import Statement, StatementKind

MemoryId = NewType("MemoryId", str)


@dataclass(frozen=True)
class Belief:
    """One wording of a memory. The one that has no end is what is believed now."""

    memory: MemoryId
    number: int
    """Counts the wordings of this memory from 1."""
    statement: Statement = field(repr=False)
    document: DocumentId
    start: int
    end: int
    """Where it stands in the canonical text of that document, which is kept as it was: code points,
    end exclusive.
    """
    believed_from: datetime
    believed_until: datetime | None = None


@dataclass(frozen=True)
class MemoryFilter:
    """Which memories. What is left at its default does not narrow anything."""

    kinds: tuple[StatementKind, ...] = ()
    about: str = field(default="", repr=False)
    """Names this person, place or thing, however it is written in capitals."""
    text: str = field(default="", repr=False)
    forgotten: bool = False
    """Those that are believed no more, in their last wording, instead of those that are."""
    open_only: bool = False
    """Nothing of private documents."""


class Memories(Protocol):
    """The ledger: ids, wordings and times of every statement that the person wrote or kept."""

    def believed(self, document: DocumentId) -> list[Belief]:
        """Return what is believed now and stands in this document or in what that file of the
        workspace said before, in the order of the text.
        """
        ...

    def write(self, beliefs: list[Belief], ended: list[MemoryId], now: datetime) -> None:
        """In one transaction: end these memories, and put each belief in the place of the present
        wording of its memory.

        The same number moves its place; a higher number ends the wording before it.
        """
        ...

    def page(
        self, wished: MemoryFilter, *, limit: int, cursor: str | None = None
    ) -> tuple[list[Belief], str | None]:
        """Return what is believed now, or what is no more, newest first, and the cursor of the next
        page.
        """
        ...

    def count(self, *, open_only: bool = False) -> int:
        """Count what is believed now; ``open_only``: without what is private."""
        ...

    def history(self, memory: MemoryId) -> list[Belief]:
        """Return every wording of a memory, oldest first. Raises ``NotFoundError``."""
        ...

    def last(self, memory: MemoryId) -> Belief | None:
        """Return the newest wording of a memory, also where its document was put away."""
        ...

    def noted(self, memories: Collection[MemoryId]) -> Mapping[MemoryId, list[datetime]]:
        """Return when each wording of these began to be believed, the first one first."""
        ...

    def at(self, moment: datetime, wished: MemoryFilter) -> list[Belief]:
        """Return what was believed at a moment."""
        ...
