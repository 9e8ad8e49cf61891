"""What the person decided about sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.ids import DocumentId, FindingId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.decisions import Decision


class Decisions(Protocol):
    """What the person decided about sentences of documents. A decision goes with its document, and
    with its correction.
    """

    def put(
        self, decision: Decision, correction: Document | None = None
    ) -> tuple[Decision, list[DocumentId]]:
        """Record it, together with the document that holds the correction and the job that reads
        it; another one about the same sentence gives way, in older versions too.

        All in one transaction, which also puts away what corrects nothing any more, so that the
        next sweep removes it. Returns the decision as it was recorded, since known bytes are the
        known document, and what was put away. Raises ``NotFoundError`` for a document that is not
        there.
        """
        ...

    def put_new(self, decisions: Sequence[Decision]) -> list[Decision | None]:
        """Record those of these about whose words nothing was decided yet, all in one transaction.
        Returns for each what holds now: itself, or what was decided before and stays; ``None``
        where the document is not there any more, or became another version.
        """
        ...

    def take_back(self, made: Sequence[tuple[FindingId, datetime]], now: datetime) -> list[bool]:
        """Take back those of these that are still as they were made at that moment, wherever they
        were carried to since, all in one transaction. Returns for each whether it was; what was
        decided about it since stays, and so does what has a correction.
        """
        ...

    def get(self, finding: FindingId) -> Decision:
        """Return one. Raises ``NotFoundError``."""
        ...

    def keep(self, decision: Decision) -> None:
        """Record it as it was elsewhere. Raises ``NotFoundError`` for a document that is not
        there.
        """
        ...

    def remove(self, finding: FindingId, now: datetime) -> list[DocumentId]:
        """Take it back, and put away what corrects nothing any more, in one transaction. Returns
        what was put away.
        """
        ...

    def about(
        self, documents: Collection[DocumentId], *, away: bool = False
    ) -> dict[DocumentId, list[Decision]]:
        """Return what was decided about these documents, and about the corrections that this leads
        to; with ``away`` also where one of them was put away.
        """
        ...

    def correcting(
        self, documents: Collection[DocumentId], *, away: bool = False
    ) -> list[Decision]:
        """Return the decisions whose corrections are among these documents; with ``away`` also
        those that rest because something was put away.
        """
        ...

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Decision], str | None]:
        """Return the newest first, one that holds in several versions of a document once."""
        ...

    def all(self, *, away: bool = False) -> list[Decision]:
        """Return every decision, oldest first; with ``away`` also those that rest because something
        was put away.
        """
        ...

    def count(self) -> int:
        """Count them, on all pages together."""
        ...
