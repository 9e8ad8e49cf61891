"""What the person decided about entities."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.memory.entities import EntityDecision


class EntityDecisions(Protocol):
    """Merges, splits and names that the person gave. A decision goes with the last document that it
    knows an entity by.
    """

    def put(self, decision: EntityDecision) -> None:
        """Record it, and that something was decided, in one transaction. Raises ``NotFoundError``
        where none of its documents is there.
        """
        ...

    def keep(self, decision: EntityDecision) -> None:
        """Record it as it was elsewhere; one whose documents are not there leaves nothing."""
        ...

    def remove(self, decision: str, now: datetime) -> None:
        """Take it back. Raises ``NotFoundError``."""
        ...

    def all(self) -> list[EntityDecision]:
        """Return every decision, oldest first, with a file of the workspace as it reads now in the
        place of what it said before.
        """
        ...
