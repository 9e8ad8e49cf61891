"""Tables at which several talk, and what was said there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.share.discussions import (
    Discussion,
    DiscussionId,
    DiscussionState,
    SaidEntry,
)


class Discussions(Protocol):
    """Keeps the records of tables. Entries are added and never changed; their words can go."""

    def add(self, discussion: Discussion, opening: SaidEntry) -> None:
        """Keep a new table with its opening."""
        ...

    def bring_in(self, discussion: Discussion, said: Sequence[SaidEntry]) -> bool:
        """Keep a table from an archive with its record. No where it is known, or was deleted."""
        ...

    def get(self, discussion: DiscussionId) -> Discussion:
        """Return one. Raises ``NotFoundError``."""
        ...

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Discussion], str | None]:
        """Return the newest first."""
        ...

    def going_on(self) -> list[DiscussionId]:
        """Name the tables that are open, those that waited longest first."""
        ...

    def entries(self, discussion: DiscussionId, after: int = -1) -> list[SaidEntry]:
        """Return what was said there, in its order, after a number."""
        ...

    def append(
        self,
        discussion: DiscussionId,
        entry: SaidEntry,
        state: DiscussionState,
        gone: Collection[int] = (),
    ) -> bool:
        """Add the next entry with what the table is then, and drop the words of those that are
        ``gone``: a backup does not bring them back, and a job takes out their traces. No if its
        number is taken, or if a document that it was made from was erased, made private or put
        away. Raises ``NotFoundError``.
        """
        ...

    def keep(self, discussion: DiscussionId, n: int, document: str | None) -> None:
        """Note which document the person made of an entry, or that it is none any more."""
        ...

    def delete(self, discussion: DiscussionId, at: datetime) -> None:
        """Delete a table with all that was said; a backup does not bring it back, and a job takes
        out its traces. Raises ``NotFoundError``.
        """
        ...
