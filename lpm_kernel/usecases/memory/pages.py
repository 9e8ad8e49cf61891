"""The pages that the node writes by itself: which they are, what they say now, and what goes from
them with the documents that they rest on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.memory.pages import own_lines
from lpm_kernel.domain.memory.reflection import Evidence, Reflections, WrittenLine
from lpm_kernel.domain.memory.workspace import BIOGRAPHY, topic_path
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.stores import Documents
from lpm_kernel.errors import NotFoundError
from lpm_kernel.L0.language.identification import language_of
from lpm_kernel.L1.answering.perspective import GrammaticalPerson, called_in, turned
from lpm_kernel.L1.statements.biography import in_short
from lpm_kernel.usecases.library.documents import label
from lpm_kernel.usecases.memory.reflection import ReflectionPorts, drop_lines, take_lines


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

    @property
    def short(self) -> tuple[str, ...]:
        """Who they are in up to three sentences of it."""
        told = [(sentence.line.section, sentence.text) for sentence in self.sentences]
        return tuple(in_short(told))


def own_pages(documents: Documents, reflections: Reflections) -> frozenset[DocumentId]:
    """Return the pages that the node wrote by itself."""
    pages = (documents.by_origin(path) for path in reflections.paths())
    return frozenset(page.id for page in pages if page is not None)


class NodePages:
    """The node's own pages. ``keep_step`` takes in what was written to the folder, ``read_anew``
    reads one of its files again.
    """

    def __init__(
        self,
        ports: ReflectionPorts,
        index: PassageIndex,
        keep_step: Callable[[], object],
        read_anew: Callable[[DocumentId], object],
    ) -> None:
        self._ports = ports
        self._index = index
        self._keep_step = keep_step
        self._read_anew = read_anew

    def biography(self, person: GrammaticalPerson) -> Biography:
        """Return who the person is, as their page says it now; no sentence without what it rests
        on.
        """
        name = self._ports.owner
        document, text, lines = self._page(BIOGRAPHY)
        sentences: list[BiographySentence] = []
        left_out, section = 0, ""
        for sentence in lines:
            called = called_in(name, language_of(sentence.text))
            said = turned(
                sentence.text, person, called, named=section != sentence.line.section
            ) or turned(sentence.text, person, called)
            left_out += said is None
            if said is not None:
                section = sentence.line.section
                sentences.append(replace(sentence, text=said))
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
        self._keep_step()
        document = self._ports.documents.by_origin(path)
        if document is None or document.deleted_at is not None:
            return None, "", []
        text = self._ports.files.original(document.sha256).decode("utf-8", "replace")
        written = {
            line.mark: line
            for line in self._ports.reflections.lines(path)
            if line.struck_at is None
        }
        lines = []
        for own in own_lines(text):
            line = written.get(own.mark)
            evidence = self.places_of(line.evidence) if line else ()
            if line is not None and evidence:
                raw = text[own.start : own.end]
                lines.append(BiographySentence(line, line.text, raw, evidence))
        return document, text, lines

    def places_of(self, evidence: Sequence[Evidence]) -> tuple[tuple[Evidence, Document, str], ...]:
        """Return what evidence says where it stands; what stands nowhere any more is left out."""
        documents = {
            document.id: document
            for document in self._ports.documents.many(sorted({span.document for span in evidence}))
        }
        places = []
        for span in evidence:
            document = documents.get(span.document)
            words = (
                self._ports.files.words(document.sha256, span.text_version) if document else None
            )
            if document and words and span.end <= len(words):
                places.append((span, document, words[span.start : span.end]))
        return tuple(places)

    def versions_by_hash(self, path: str) -> dict[str, str]:
        """Return the documents of a page's versions, by the hash of their bytes."""
        now = self._ports.documents.by_origin(path)
        if now is None:
            return {}
        versions = (*self._ports.documents.revisions(now.id), now)
        return {version.sha256: version.id for version in versions}

    def current_hash(self, path: str) -> str | None:
        """Return the hash of how a page was read last; none where there is none."""
        now = self._ports.documents.by_origin(path)
        return None if now is None or now.deleted_at is not None else now.sha256

    def resting_on(self, documents: Sequence[DocumentId]) -> list[DocumentId]:
        """Return the pages that repeat something of these documents, as they read now: their
        versions go with the documents.
        """
        pages = (
            self._ports.documents.by_origin(path)
            for path in self._ports.reflections.resting_on(documents)
        )
        return [page.id for page in pages if page is not None]

    def take_out(self, documents: Sequence[DocumentId]) -> None:
        """Take from the pages what rests on documents that are being erased, and read the pages
        anew: statements on them keep their history.
        """
        paths = drop_lines(self._ports, documents)
        self._keep_step()
        for path in paths:
            now = self._ports.documents.by_origin(path)
            if now is not None and now.deleted_at is None:
                self._read_anew(now.id)

    def seal(self, documents: Sequence[DocumentId]) -> None:
        """Take from the pages what rests on what is private by now, and seal the versions that
        repeat it.
        """
        ports = self._ports
        members = ports.documents.members(list(documents))
        named = [*documents, *(member.id for member in members)]
        rows = (*ports.documents.many(named), *ports.documents.many(named, away=True))
        private = [document.id for document in rows if document.private]
        if not ports.reflections.resting_on(private):
            return
        for path, marks in take_lines(ports, private).items():
            self._keep_step()
            now = ports.documents.by_origin(path)
            if now is None:
                continue
            versions = *ports.documents.revisions(now.id), now
            sealed = {document.id: {"private": True} for document in self._telling(versions, marks)}
            label(ports.documents, ports.decisions, self._index, ports.clock, sealed)
            if now.deleted_at is None:
                self._read_anew(now.id)

    def _telling(self, versions: Sequence[Document], marks: set[str]) -> list[Document]:
        """Return the versions of a page on which one of these lines stands."""
        texts = {
            version.id: self._ports.files.original(version.sha256).decode("utf-8", "replace")
            for version in versions
        }
        return [
            version
            for version in versions
            if not marks.isdisjoint(line.mark for line in own_lines(texts[version.id]))
        ]


def _by_hand(text: str) -> list[str]:
    own = {line.start for line in own_lines(text)}
    at, by_hand = 0, []
    for raw in text.splitlines(keepends=True):
        if at not in own and raw.strip() and not raw.lstrip().startswith("#"):
            by_hand.append(raw.strip())
        at += len(raw)
    return by_hand
