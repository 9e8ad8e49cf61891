"""Readers of this home that learned further from the person's verdicts."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from lpm_kernel import L2
from lpm_kernel.backends.embed.e5.further import E5ReaderTrainer
from lpm_kernel.backends.embed.reader_twin import ScriptedReaderTrainer
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import Progress
from lpm_kernel.domain.training.reading import ReaderTrainer
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.training import reader_course, readers
from lpm_kernel.usecases.training.reader_course import ReaderWork
from lpm_kernel.usecases.training.readers import LearnedReader
from lpm_kernel.usecases.training.verdict_examples import VerdictExamples, VerdictPorts, gather

PAPERS = Path(L2.__file__).parent / "data" / "reading"
"""The papers of invented lives that reading was learned from."""


class Readers:
    """The reader, as far as it learns."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    @cached_property
    def trainer(self) -> ReaderTrainer:
        """What teaches the reader: the recipe, or the twin where the settings say so."""
        scripted = self._ports.settings.trainer == "scripted"
        return ScriptedReaderTrainer() if scripted else E5ReaderTrainer(PAPERS)

    @property
    def _work(self) -> ReaderWork:
        here = self._ports
        verdicts = VerdictPorts(
            here.conversations, here.documents, here.decisions, here.memories, here.index
        )
        return ReaderWork(here.home, self.trainer, verdicts, here.clock)

    def gathered(self) -> VerdictExamples:
        """Return what could be learned now."""
        return gather(self._work.verdicts)

    def learn(self, progress: Progress = lambda *_: None) -> LearnedReader:
        """Learn from the verdicts, examine it and keep it. Raises ``ConflictError``."""
        made = reader_course.learn(self._work, progress)
        self._record(AuditKind.READER_LEARNED, made.id)
        return made

    def every(self) -> list[LearnedReader]:
        """Return the readers that are kept, the newest first."""
        return readers.every(self._ports.home)

    @property
    def in_use(self) -> str | None:
        """The id of the one in use; ``None``: the one that the node ships."""
        weights = readers.in_use(self._ports.home)
        return None if weights is None else weights.parent.name

    def use(self, identifier: str) -> LearnedReader:
        """Have a reader read from now on. Raises ``NotFoundError`` and ``ConflictError``."""
        known = readers.get(self._ports.home, identifier)
        self.drop()
        readers.use(self._ports.home, readers.get(self._ports.home, known.id), self.trainer.base)
        self._record(AuditKind.READER_IN_USE, known.id)
        return known

    def reset(self) -> bool:
        """Have the reader read that the node ships. ``False``: it did already."""
        changed = readers.reset(self._ports.home)
        if changed:
            self._record(AuditKind.READER_IN_USE)
        return changed

    def drop(self, ids: Collection[str] = ()) -> None:
        """Delete what learned from these documents or conversations, or from anything that is not
        there any more or is private by now.
        """
        home = self._ports.home
        gone = reader_course.gone(self._work)
        for dropped in (*readers.drop_resting_on(home, ids), *readers.drop(home, gone)):
            self._record(AuditKind.READER_DROPPED, dropped)

    def sweep(self) -> None:
        """Delete what a killed process left half, and what learned from something that is gone."""
        if self._ports.home.readers.is_dir():
            gone = reader_course.gone(self._work)
            for dropped in readers.sweep(self._ports.home, self.trainer.base, gone):
                self._record(AuditKind.READER_DROPPED, dropped)

    def _record(self, kind: AuditKind, reader: str = "") -> None:
        self._ports.audit.append(self._ports.clock.now(), kind, reader=reader)
