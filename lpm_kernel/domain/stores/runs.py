"""Trainings, what each of them learned, and which one is in use."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import InUse, Run, RunId, TrainingSource


class Runs(Protocol):
    """The registry of trainings and their lineage. It holds no words of the person: those stand in
    the run's folder.
    """

    def add(self, run: Run, sources: Sequence[TrainingSource]) -> Run:
        """Note a training and everything that it learns from. The number is given here."""
        ...

    def get(self, run: RunId) -> Run:
        """Return one. Raises ``NotFoundError``."""
        ...

    def page(self, *, limit: int, cursor: str | None = None) -> tuple[list[Run], str | None]:
        """Return the newest first."""
        ...

    def change(self, run: RunId, **values: Any) -> Run:  # noqa: ANN401 - fields of ``Run``
        """Change fields of a training and return it. Raises ``NotFoundError``."""
        ...

    def learned(
        self, run: RunId, now: datetime, outcome: Mapping[str, Any], hashes: Mapping[str, str]
    ) -> Run:
        """Note what came of learning, and in the audit that it was learned, both or neither. Where
        it was noted before, the audit gets no further line.
        """
        ...

    def relearn(self, run: RunId, sources: Sequence[TrainingSource]) -> None:
        """Put these in the place of what it learns from: rows were struck or made anew."""
        ...

    def delete(self, run: RunId) -> None:
        """Forget a training. Raises ``NotFoundError``."""
        ...

    def sources(self, run: RunId) -> list[TrainingSource]:
        """Return what it learned from."""
        ...

    def how_many(self, runs: Collection[RunId]) -> Mapping[RunId, int]:
        """Return how many statements each of these learned from."""
        ...

    def knowing(self, memory: MemoryId) -> list[Run]:
        """Return the trainings that learned a statement, the newest first."""
        ...

    def resting_on(self, documents: Collection[DocumentId]) -> list[Run]:
        """Return the trainings that learned something of these documents, but not those whose files
        are gone already.
        """
        ...

    def in_use(self) -> InUse:
        """Return what answers as the person now."""
        ...

    def used(self, *, limit: int = 100) -> list[InUse]:
        """Return what was in use, the newest first."""
        ...

    def use(self, run: RunId | None, now: datetime, *, insisted: bool = False) -> InUse:
        """Take a training into use, or the base, and note it in the audit, both or neither. Raises
        ``NotFoundError``.
        """
        ...
