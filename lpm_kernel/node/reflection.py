"""What the node writes by itself, and who the person is in their own words."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import takewhile

from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.home.jobs import Job, JobState, Lane
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.decisions import Verdict
from lpm_kernel.domain.memory.pages import own_lines
from lpm_kernel.domain.memory.reflection import Evidence, Reflection, What, WrittenLine
from lpm_kernel.domain.memory.validity import Validity
from lpm_kernel.domain.memory.workspace import BIOGRAPHY, CORE, topic_path
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.language.dates import moment
from lpm_kernel.L1.answering.perspective import GrammaticalPerson, turned
from lpm_kernel.node.graph import EntityGraph
from lpm_kernel.node.library import Library
from lpm_kernel.node.memory import Memory
from lpm_kernel.node.ports import Ports
from lpm_kernel.node.workspace import WorkspaceFiles
from lpm_kernel.usecases.home import work
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.memory import inference, validity
from lpm_kernel.usecases.memory import opinions as views
from lpm_kernel.usecases.memory import reflection as reflecting
from lpm_kernel.usecases.memory.findings import SentenceDecision, finding_id
from lpm_kernel.usecases.memory.proposals import RULES

AT_ONCE = 50
"""Documents that are looked through for claims at once: about a second."""


@dataclass(frozen=True)
class BiographySentence:
    """A sentence of the biography, in the person that was asked for, with the words that it rests
    on.
    """

    line: WrittenLine
    text: str = field(repr=False)
    raw: str = field(repr=False)
    """The whole line, as it stands in the file."""
    evidence: tuple[tuple[Evidence, Document, str], ...] = field(repr=False)


@dataclass(frozen=True)
class Biography:
    """Who somebody is, as the page says it now."""

    name: str = field(repr=False)
    document: Document | None
    sentences: tuple[BiographySentence, ...]
    by_hand: tuple[str, ...] = field(repr=False)
    """Lines that the person wrote on the page."""
    left_out: int
    """Sentences that cannot be said in that person by rule."""


class Reflecting:
    """Going over what is new."""

    _disagreed: tuple[tuple[object, ...], list[views.Disagreement]] | None = None
    """What was found last, with what it was found in."""

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

    @property
    def desk(self) -> reflecting.ReflectionPorts:
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
        )

    def queue_reflection(self, since: str | None = None) -> Job:
        """Queue a reflection; one that waits already will do, unless it looks less far back. Raises
        ``InvalidInputError`` for a time that cannot be read.
        """
        if since is not None:
            moment(since, self._ports.clock.now())
        waiting = self._ports.jobs.page(limit=1, kind="reflect", states=[JobState.QUEUED])[0]
        if waiting and waiting[0].request.get("since") == since:
            return waiting[0]
        return self._ports.jobs.add(
            "reflect", Lane.HEAVY, None, self._ports.clock.now(), {"since": since} if since else {}
        )

    def reflect(
        self,
        since: str | datetime | None = None,
        *,
        identifier: str = "",
        progress: work.Progress = lambda *_: None,
    ) -> reflecting.Reflected:
        """Go over what is new, or also over what is from ``since`` on, and write what follows from
        it onto its pages.
        """
        self._workspace.keep_step()
        if self._ports.index.graph.serial()[1] == 0 and self._ports.index.counts().chunks:
            progress(0.0, "graph", "Finding who and what is named")
            self._graph.draw()
        start = moment(since, self._ports.clock.now()) if isinstance(since, str) else since
        identifier = identifier or f"r_{self._ports.clock.now().timestamp():.6f}".replace(".", "_")
        found = reflecting.reflect(
            self.desk, identifier, start.timestamp() if start else None, progress
        )
        if found.written:
            self._ports.audit.append(
                self._ports.clock.now(),
                AuditKind.REFLECTED,
                pages=len(found.written),
                documents=found.documents,
            )
            self._workspace.keep_step()
        return found

    def out_of_pages(
        self, documents: Sequence[DocumentId], progress: work.Progress = lambda *_: None
    ) -> None:
        """Take from the pages what rests on documents that are being erased, and read the pages
        anew: statements on them keep their history.
        """
        paths = reflecting.drop_lines(self.desk, documents)
        self._workspace.keep_step()
        for path in paths:
            now = self._ports.documents.by_origin(path)
            if now is not None and now.deleted_at is None:
                self._library.ingest(now.id, progress)

    def seal_pages(self, documents: Sequence[DocumentId]) -> None:
        """Take from the pages what rests on what is private by now, and seal the versions that
        repeat it.
        """
        named = [*documents, *(each.id for each in self._ports.documents.members(list(documents)))]
        rows = (*self._ports.documents.many(named), *self._ports.documents.many(named, away=True))
        private = [each.id for each in rows if each.private]
        if not self._ports.reflections.resting_on(private):
            return
        for path, marks in reflecting.take_lines(self.desk, private).items():
            self._workspace.keep_step()
            now = self._ports.documents.by_origin(path)
            if now is None:
                continue
            versions = *self._ports.documents.revisions(now.id), now
            sealed = {each.id: {"private": True} for each in self._telling(versions, marks)}
            library.label(
                self._ports.documents,
                self._ports.decisions,
                self._ports.index,
                self._ports.clock,
                sealed,
            )
            if now.deleted_at is None:
                self._library.ingest(now.id, lambda *_: None)

    def _telling(self, versions: Sequence[Document], marks: set[str]) -> list[Document]:
        """Return the versions of a page on which one of these lines stands."""
        texts = {
            each.id: self._ports.files.original(each.sha256).decode("utf-8", "replace")
            for each in versions
        }
        return [
            each
            for each in versions
            if not marks.isdisjoint(line.mark for line in own_lines(texts[each.id]))
        ]

    def pages_resting_on(self, documents: Sequence[DocumentId]) -> list[DocumentId]:
        """Return the pages that repeat something of these documents, as they read now: their
        versions go with the documents.
        """
        found = (
            self._ports.documents.by_origin(path)
            for path in self._ports.reflections.resting_on(documents)
        )
        return [each.id for each in found if each is not None]

    def reflect_job(self, job: Job, progress: work.Progress) -> work.JobOutcome:
        """Go over what is new, as a job."""
        since = job.request.get("since")
        found = self.reflect(
            since if isinstance(since, str) else None, identifier=job.id, progress=progress
        )
        pages = len(found.written)
        said = (
            "Nothing new follows from it."
            if not pages
            else f"{pages} page{'' if pages == 1 else 's'} written."
        )
        more = f" {len(found.left)} were being changed and wait." if found.left else ""
        return work.JobOutcome(
            f"{found.documents} documents gone over. {said}{more}",
            {"documents": found.documents, "pages": pages},
        )

    def undo_reflection(self, identifier: str) -> Reflection:
        """Have the pages read as they did before. Raises ``NotFoundError`` and
        ``ConflictError``.
        """
        self._workspace.keep_step()
        undone = reflecting.undo(self.desk, identifier)
        self._ports.audit.append(
            self._ports.clock.now(), AuditKind.REFLECTION_UNDONE, pages=len(undone.pages)
        )
        self._workspace.keep_step()
        return undone

    def opinions(self) -> list[views.OpinionView]:
        """Return what the person holds, and how sure they are of it by now."""
        return views.views(self._claimed, self._ports.memories)

    def opinion(self, memory: str) -> views.OpinionView:
        """Return one view. Raises ``NotFoundError``."""
        return views.view(self._claimed, self._ports.memories, memory)

    def disagreements(self, *, settled: bool = False) -> list[views.Disagreement]:
        """Return what cannot both be so; looked for again when something was read or decided
        since.
        """
        desk = self._claimed
        newest = self._ports.audit.newest()
        key: tuple[object, ...] = (
            self._ports.index.graph.serial(),
            newest.number if newest else 0,
            tuple(desk.reflections.rulings(What.DISAGREEMENT).items()),
            desk.owner,
            settled,
        )
        # the worker reads the rest of much that came in at once
        key = (*key, len(desk.claims.unread(f"{RULES.name} {RULES.version}")))
        if self._disagreed is None or self._disagreed[0] != key:
            self._disagreed = (key, views.disagreements(desk, settled=settled))
        return self._disagreed[1]

    def settle(
        self, identifier: str, verdict: str, changed_on: datetime | None = None
    ) -> views.Disagreement:
        """Say which of two is so, or that it changed and when. Raises ``NotFoundError`` and
        ``InvalidInputError``.
        """

        def date(claim: Claim, known: Validity) -> None:
            validity.date_claim(
                self._ports.validities,
                self._ports.memories,
                claim,
                known,
                identifier,
                self._ports.clock.now(),
            )

        return views.settle(self._claimed, identifier, verdict, self._strike, date, changed_on)

    def unsettle(self, identifier: str) -> None:
        """Take that back, with what was struck for it. Raises ``NotFoundError``."""
        desk = self._claimed
        known = next(
            (each for each in views.disagreements(desk, settled=True) if each.id == identifier),
            None,
        )
        desk.reflections.unrule(identifier)
        self._ports.validities.take_back(identifier)
        if known is not None and known.verdict in {"first", "second"}:
            wrong = known.second if known.verdict == "first" else known.first
            with suppress(NotFoundError):
                self._memory.undecide(finding_id(wrong.document, wrong.start, wrong.end))

    def _strike(self, claim: Claim) -> None:
        self._memory.decide(
            SentenceDecision(
                claim.document, claim.start, claim.end, Verdict.FORGET, quote=claim.text
            )
        )

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
            append=self._append,
        )

    def _append(self, text: str) -> None:
        self._workspace.append(CORE, text)

    def _core_text(self) -> str:
        self._workspace.keep_step()
        return (self._workspace.folder.read(CORE) or b"").decode("utf-8", "replace")

    def read_claims(self, most: int = AT_ONCE) -> int:
        """Look through some of what was indexed since the last time for what it states; the worker
        does so when it has nothing else to do.
        """
        desk = self.desk
        return inference.read(
            desk.claims, desk.documents, desk.files, desk.extractor, desk.owner, most=most
        )

    @property
    def _claimed(self) -> reflecting.ReflectionPorts:
        """The desk, with the claims of what came in a moment ago; of much at once the rest comes
        with the worker.
        """
        self.read_claims()
        return self.desk

    def versions_by_hash(self, path: str) -> dict[str, str]:
        """Return the documents of a page's versions, by the hash of their bytes."""
        now = self._ports.documents.by_origin(path)
        return (
            {each.sha256: each.id for each in (*self._ports.documents.revisions(now.id), now)}
            if now
            else {}
        )

    def page_hash(self, path: str) -> str | None:
        """Return the hash of how a page was read last; none where there is none."""
        now = self._ports.documents.by_origin(path)
        return None if now is None or now.deleted_at is not None else now.sha256

    def reflection_is_due(self) -> bool:
        """Tell whether a night went by or did not work, there is something new, and nobody is at
        it.
        """
        if (
            self._ports.settings.reflect != "nightly"
            or self._ports.jobs.page(
                limit=1, kind="reflect", states=[JobState.QUEUED, JobState.RUNNING]
            )[0]
        ):
            return False
        tried = self._ports.jobs.page(limit=1 + len(reflecting.RETRIES) + 1, kind="reflect")[0]
        last = next((job for job in tried if job.state is not JobState.FAILED), None)
        failed = [
            job.created_at for job in takewhile(lambda job: job.state is JobState.FAILED, tried)
        ]
        now = self._ports.clock.now().astimezone()
        first = next(self._ports.audit.all(), None)
        born = datetime.fromisoformat(first.at).astimezone() if first else now
        if not reflecting.is_due(now, last.created_at.astimezone() if last else None, born, failed):
            return False
        claims = self._ports.index.claims
        return bool(claims.unread(f"{RULES.name} {RULES.version}") or claims.fresh())

    def biography(self, person: GrammaticalPerson = GrammaticalPerson.FIRST) -> Biography:
        """Return who the person is, as their page says it now; no sentence without what it rests
        on.
        """
        name = self._ports.conversations.identity().name
        document, text, lines = self._page(BIOGRAPHY)
        sentences: list[BiographySentence] = []
        left_out, section = 0, ""
        for each in lines:
            said = turned(each.text, person, name, named=section != each.line.section) or turned(
                each.text, person, name
            )
            left_out += said is None
            if said is not None:
                section = each.line.section
                sentences.append(replace(each, text=said))
        return Biography(name, document, tuple(sentences), tuple(_by_hand(text)), left_out)

    def topic(self, identifier: str) -> Biography:
        """Return what one topic of the person's life is about, as its page says it now. Raises
        ``NotFoundError``.
        """
        document, text, lines = self._page(topic_path(identifier))
        if document is None:
            raise NotFoundError("page of a topic", identifier)
        heading = next(
            (line[2:].strip() for line in text.splitlines() if line.startswith("# ")), identifier
        )
        return Biography(heading, document, tuple(lines), tuple(_by_hand(text)), 0)

    def _page(self, path: str) -> tuple[Document | None, str, list[BiographySentence]]:
        """Return a page of the node's, its text, and its lines with what they rest on; one that
        rests on nothing any more is left out.
        """
        self._workspace.keep_step()
        document = self._ports.documents.by_origin(path)
        if document is None or document.deleted_at is not None:
            return None, "", []
        text = self._ports.files.original(document.sha256).decode("utf-8", "replace")
        known = {
            each.mark: each
            for each in self._ports.reflections.lines(path)
            if each.struck_at is None
        }
        lines = []
        for own in own_lines(text):
            line = known.get(own.mark)
            evidence = self.places_of(line.evidence) if line else ()
            if line is not None and evidence:
                lines.append(
                    BiographySentence(line, line.text, text[own.start : own.end], evidence)
                )
        return document, text, lines

    def places_of(self, evidence: Sequence[Evidence]) -> tuple[tuple[Evidence, Document, str], ...]:
        """Return what evidence says where it stands; what stands nowhere any more is left out."""
        documents = {
            each.id: each
            for each in self._ports.documents.many(sorted({each.document for each in evidence}))
        }
        found = []
        for each in evidence:
            document = documents.get(each.document)
            words = (
                self._ports.files.words(document.sha256, each.text_version) if document else None
            )
            if document and words and each.end <= len(words):
                found.append((each, document, words[each.start : each.end]))
        return tuple(found)


def _by_hand(text: str) -> list[str]:
    own = {each.start for each in own_lines(text)}
    at, found = 0, []
    for raw in text.splitlines(keepends=True):
        if at not in own and raw.strip() and not raw.lstrip().startswith("#"):
            found.append(raw.strip())
        at += len(raw)
    return found
