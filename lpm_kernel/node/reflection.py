"""What the node writes by itself, and who the person is in their own words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lpm_kernel.domain.home.jobs import Job, JobOutcome, Progress
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.reflection import Evidence, Reflection
from lpm_kernel.domain.memory.workspace import BIOGRAPHY, CORE
from lpm_kernel.L1.answering.perspective import GrammaticalPerson
from lpm_kernel.L1.statements.views import StatedView
from lpm_kernel.node.graph import EntityGraph
from lpm_kernel.node.library import Library
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.workspace import WorkspaceFiles
from lpm_kernel.usecases.memory import inference, nights, settling
from lpm_kernel.usecases.memory import opinions as views
from lpm_kernel.usecases.memory import reflection as reflecting
from lpm_kernel.usecases.memory.pages import Biography, NodePages
from lpm_kernel.usecases.memory.proposals import RULES
from lpm_kernel.usecases.memory.short_biography import LifeClaims, life_claims


class Reflecting:
    """Going over what is new."""

    def __init__(
        self,
        ports: Ports,
        library: Library,
        workspace: WorkspaceFiles,
        memory: Memory,
        graph: EntityGraph,
    ) -> None:
        self._ports = ports
        self._library = library
        self._workspace = workspace
        self._memory = memory
        self._graph = graph
        self._life: tuple[object, LifeClaims] | None = None
        self._disagreed = settling.DisagreementCache()

    @property
    def reflection_ports(self) -> reflecting.ReflectionPorts:
        """What reflection works on."""
        identity = self._ports.conversations.identity()
        return reflecting.ReflectionPorts(
            self._ports.index.claims,
            self._ports.reflections,
            self._ports.documents,
            self._ports.decisions,
            self._ports.files,
            self._workspace.folder,
            RULES,
            self._ports.clock,
            identity.name,
            identity.languages,
            self._memory.fades,
        )

    @property
    def _claimed(self) -> reflecting.ReflectionPorts:
        """The same, with the claims of what came in a moment ago; of much at once the rest comes
        with the worker.
        """
        self.read_claims()
        return self.reflection_ports

    @property
    def _night(self) -> nights.NightPorts:
        here = self._ports
        return nights.NightPorts(
            self.reflection_ports,
            here.jobs,
            here.audit,
            self._workspace.keep_step,
            self._graph.draw_missing,
        )

    @property
    def _pages(self) -> NodePages:
        return NodePages(
            self.reflection_ports,
            self._ports.index,
            self._workspace.keep_step,
            lambda document: self._library.ingest(document, lambda *_: None),
        )

    @property
    def _settling_ports(self) -> settling.SettlingPorts:
        here = self._ports
        return settling.SettlingPorts(
            self._claimed,
            here.index.graph,
            here.memories,
            here.validities,
            here.audit,
            self._memory.decide,
            self._memory.undecide,
        )

    # --- nights ----------------------------------------------------------------------------------

    def queue_reflection(self, since: str | None = None) -> Job:
        """Queue a reflection; one that waits already will do, unless it looks less far back. Raises
        ``InvalidInputError`` for a time that cannot be read.
        """
        return nights.queue(self._night, since)

    def reflect(
        self,
        since: str | datetime | None = None,
        *,
        identifier: str = "",
        progress: Progress = lambda *_: None,
    ) -> reflecting.Reflected:
        """Go over what is new, or also over what is from ``since`` on, and write what follows from
        it onto its pages.
        """
        return nights.go_over(self._night, since, identifier, progress)

    def reflect_job(self, job: Job, progress: Progress) -> JobOutcome:
        """Go over what is new, as a job."""
        return nights.do(self._night, job, progress)

    def undo_reflection(self, identifier: str) -> Reflection:
        """Have the pages read as they did before. Raises ``NotFoundError`` and
        ``ConflictError``.
        """
        return nights.take_back(self._night, identifier)

    def reflection_is_due(self) -> bool:
        """Tell whether a night went by or did not work, there is something new, and nobody is at
        it.
        """
        return nights.night_is_due(self._night, self._ports.settings.reflect)

    def read_claims(self, most: int = inference.AT_ONCE) -> int:
        """Look through some of what was indexed since the last time for what it states; the worker
        does so when it has nothing else to do.
        """
        return inference.read(self.reflection_ports.claimed_from, most=most)

    # --- pages -----------------------------------------------------------------------------------

    def out_of_pages(self, documents: Sequence[DocumentId]) -> None:
        """Take from the pages what rests on documents that are being erased, and read the pages
        anew: statements on them keep their history.
        """
        self._pages.take_out(documents)

    def seal_pages(self, documents: Sequence[DocumentId]) -> None:
        """Take from the pages what rests on what is private by now, and seal the versions that
        repeat it.
        """
        self._pages.seal(documents)

    def pages_resting_on(self, documents: Sequence[DocumentId]) -> list[DocumentId]:
        """Return the pages that repeat something of these documents, as they read now: their
        versions go with the documents.
        """
        return self._pages.resting_on(documents)

    def versions_by_hash(self, path: str) -> dict[str, str]:
        """Return the documents of a page's versions, by the hash of their bytes."""
        return self._pages.versions_by_hash(path)

    def page_hash(self, path: str) -> str | None:
        """Return the hash of how a page was read last; none where there is none."""
        return self._pages.current_hash(path)

    def biography(self, person: GrammaticalPerson = GrammaticalPerson.FIRST) -> Biography:
        """Return who the person is, as their page says it now; no sentence without what it rests
        on.
        """
        return self._pages.biography(person)

    def life(self) -> LifeClaims:
        """Return what tells who the person is, gathered anew when something was read since."""
        ports = self.reflection_ports
        lines = ports.reflections.lines(BIOGRAPHY)
        key = (
            self._ports.index.revision(),
            len(ports.claims.unread(inference.reading_of(ports.extractor, ports.owner))),
            ports.owner,
            frozenset(line.key for line in lines if line.struck_at is not None),
        )
        if self._life is None or self._life[0] != key:
            self._life = key, life_claims(ports)
        return self._life[1]

    def topic(self, identifier: str) -> Biography:
        """Return what one topic of the person's life is about, as its page says it now. Raises
        ``NotFoundError``.
        """
        return self._pages.topic(identifier)

    def places_of(self, evidence: Sequence[Evidence]) -> tuple[tuple[Evidence, Document, str], ...]:
        """Return what evidence says where it stands; what stands nowhere any more is left out."""
        return self._pages.places_of(evidence)

    # --- opinions --------------------------------------------------------------------------------

    def opinions(self) -> list[views.OpinionView]:
        """Return what the person holds, and how sure they are of it by now."""
        return views.views(self._claimed, self._ports.memories)

    def stated_views(self, held: Sequence[views.OpinionView]) -> list[StatedView]:
        """Return what the person's texts say that they think, besides the opinions they keep."""
        return views.stated_views(self._claimed, held)

    def opinion(self, memory: str) -> views.OpinionView:
        """Return one view. Raises ``NotFoundError``."""
        return views.view(self._claimed, self._ports.memories, memory)

    def disagreements(self, *, settled: bool = False) -> list[views.Disagreement]:
        """Return what cannot both be so; looked for again when something was read or decided
        since.
        """
        return settling.disagreements(self._settling_ports, self._disagreed, settled=settled)

    def settle(
        self, identifier: str, verdict: str, changed_on: datetime | None = None
    ) -> views.Disagreement:
        """Say which of two is so, or that it changed and when. Raises ``NotFoundError`` and
        ``InvalidInputError``.
        """
        return settling.settle(self._settling_ports, identifier, verdict, changed_on)

    def unsettle(self, identifier: str) -> None:
        """Take that back, with what was struck for it. Raises ``NotFoundError``."""
        settling.unsettle(self._settling_ports, identifier)

    def core_lines(self) -> list[views.CoreLine]:
        """Return lines that could stand in ``memory.md``; none is put there unasked."""
        return views.core_lines(self._claimed, self._core_text())

    def decide_core(
        self, identifier: str, *, accept: bool, line: str | None = None
    ) -> views.CoreLine:
        """Put a proposed line into ``memory.md``, or turn it down. Raises ``NotFoundError``."""
        return views.decide_core(
            self._claimed,
            self._core_text(),
            identifier,
            accept=accept,
            line=line,
            append=lambda text: self._workspace.append(CORE, text),
        )

    def _core_text(self) -> str:
        self._workspace.keep_step()
        return (self._workspace.folder.read(CORE) or b"").decode("utf-8", "replace")
