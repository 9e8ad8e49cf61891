"""What is proposed of what came in: by rule, or by the language model once it was asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lpm_kernel.domain.chat.tiers import ThreadFilter
from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.home.jobs import Job, JobOutcome, Progress
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.library.documents import Document, DocumentState
from lpm_kernel.domain.memory.proposals import Extractor
from lpm_kernel.L1.statements.extraction_model import asker
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.memory import extraction
from lpm_kernel.usecases.memory import findings as judging
from lpm_kernel.usecases.memory.short_biography import LifeClaims

TOLD = 30
"""Threads, consolidated and the newest, of which it is proposed what was told in them."""


class Findings:
    """What was found, and the job that has the model look for it."""

    def __init__(self, ports: Ports, models: Models) -> None:
        self.life: Callable[[], LifeClaims]
        """Gives what tells who the person is."""
        self._ports = ports
        self._models = models

    def findings(self) -> list[judging.Finding]:
        """Return what was found in what came last, and not decided about."""
        ports, life = self._ports, self.life()
        held, _ = ports.tiers.told_of(ThreadFilter(consolidated=True), limit=TOLD)
        return judging.undecided(
            judging.FindingPorts(ports.documents, ports.decisions, ports.files, self.extractors),
            ports.conversations.identity().name,
            [*life.mine, *life.by_others],
            [thread.id for thread in held],
        )

    def waiting(self) -> judging.Waiting:
        """Return all that was found and waits for a decision, not the best alone."""
        ports, life = self._ports, self.life()
        return judging.waiting(
            judging.FindingPorts(ports.documents, ports.decisions, ports.files, self.extractors),
            ports.conversations.identity().name,
            [*life.mine, *life.by_others],
        )

    def own_statements(self, documents: Sequence[DocumentId] | None) -> list[judging.Finding]:
        """Return what the person says in these documents, or in all that may be theirs, and did not
        decide about.
        """
        ports = self._ports
        there = ports.documents.all() if documents is None else self._as_they_are_now(documents)
        read = [
            each
            for each in there
            if each.state is DocumentState.READY and not each.corrects and not is_thread(each.id)
        ]
        return judging.own_statements(
            judging.FindingPorts(ports.documents, ports.decisions, ports.files, self.extractors),
            sorted(read, key=lambda each: each.created_at or each.added_at, reverse=True),
            ports.conversations.identity().name,
            self._is_own,
        )

    def _as_they_are_now(self, documents: Sequence[DocumentId]) -> list[Document]:
        """Return the present versions of documents that are there."""
        found: dict[DocumentId, Document] = {}
        for each in self._ports.documents.many(documents):
            now, seen = each, set[DocumentId]()
            while now.superseded_by is not None and now.id not in seen:
                seen.add(now.id)
                later = self._ports.documents.many([now.superseded_by])
                if not later:
                    break
                now = later[0]
            if now.superseded_by is None:
                found[now.id] = now
        return list(found.values())

    def _is_own(self, document: Document, start: int) -> bool:
        """Tell whether the person wrote what begins at a place, as far as the document shows it."""
        author = self._ports.authors.at(document, document.text_version or "", start)
        return author is not None and author.own is True

    def extractors(self, documents: Sequence[DocumentId]) -> Mapping[DocumentId, Extractor]:
        """Return what reads these documents, where that is not the rules."""
        return (
            extraction.extractors(self._ports.index.replies, self._asker, documents)
            if self._asker
            else {}
        )

    @property
    def _asker(self) -> str:
        """Who is asked about passages; empty where the rules read them. A model elsewhere is never
        asked: it would see everything.
        """
        settings = self._ports.settings
        return (
            asker(f"{settings.model} {settings.model_name}")
            if settings.extractor == "model" and self._models.model_is_here
            else ""
        )

    def extraction_is_due(self) -> bool:
        """Tell whether there are passages that the model was not asked about, and no job that
        asks.
        """
        return (
            bool(self._asker)
            and not extraction.under_way(self._ports.jobs)
            and extraction.is_lacking(self._ports.index.replies, self._asker)
        )

    def extraction_stamp(self) -> tuple[object, ...]:
        """Return something that changes whenever the model may have to be asked again."""
        return self._asker, self._ports.index.revision()

    def extraction_broke_down(self) -> bool:
        """Tell whether the last job that asked failed."""
        return bool(self._asker) and extraction.broke_down(self._ports.jobs)

    def queue_extraction(self) -> Job:
        """Queue the job that asks the model about every passage."""
        return extraction.queue(self._ports.jobs, self._ports.clock)

    def extract_job(self, _job: Job, progress: Progress) -> JobOutcome:
        """Ask about the passages that wait, as a job."""
        if not self._asker:  # the settings were changed since
            return JobOutcome("The rules propose; nothing was asked.", {"asked": 0})
        asked = extraction.ask(self._ports.index.replies, self._models.model, self._asker, progress)
        return JobOutcome(
            f"The model was asked about {counted(asked, 'passage')}.", {"asked": asked}
        )
