"""What came in: taken, read, shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.home.jobs import Job, Progress
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Anchor, Document, ParsedText
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.library import bulk, display, documents, ingestion, succession
from lpm_kernel.usecases.library.comparison import compared
from lpm_kernel.usecases.library.differences import DiffLine
from lpm_kernel.usecases.library.intake import NewDocument, Received, arrive, pasted, receive
from lpm_kernel.usecases.library.ports import LibraryPorts
from lpm_kernel.usecases.library.versions import (
    Version,
    VersionNumber,
    current_of,
    numbers_of,
    versions_of,
)
from lpm_kernel.usecases.processes import reading_documents


class Library:
    """The documents, from the moment they are handed over."""

    def __init__(self, ports: Ports, models: Models) -> None:
        self._ports = ports
        self._models = models
        self.remember: Callable[[Document, ParsedText], None]
        """Keeps what a text states, once it was read."""
        self.inherit: Callable[[Document, ParsedText, Sequence[Document]], None]
        """Has what was decided about older versions hold in a text too."""
        self.seal_pages: Callable[[Sequence[DocumentId]], None]
        """Takes from the node's pages what rests on those of these that are private."""

    @property
    def library_ports(self) -> LibraryPorts:
        """What documents are taken in, read and changed with."""
        here = self._ports
        return LibraryPorts(
            here.files,
            here.documents,
            here.decisions,
            here.jobs,
            here.index,
            here.reader,
            here.clock,
            here.settings.max_upload_bytes,
            here.settings.seal_tags,
            self.remember,
            self.inherit,
            self.seal_pages,
        )

    def receive(self, new: NewDocument) -> Received:
        """Take a document in; a worker reads it."""
        return receive(self.library_ports, new)

    def versions(self, document: Document) -> list[Version]:
        """List what a document said and says, the newest first."""
        documents = self._ports.documents
        return versions_of(documents, current_of(documents, document))

    def compared(self, before: Document | None, after: Document) -> list[DiffLine]:
        """Say what changed between two versions; ``before`` is the one before it unless given."""
        here = self._ports
        return compared(here.files, here.reader, here.documents, before, after)

    def join(self, document: Document, before: Document) -> Document:
        """Make a document the next version of another. Raises ``InvalidInputError`` and
        ``ConflictError``.
        """
        return succession.join(self.library_ports, document, before)

    def part(self, document: Document) -> list[Job]:
        """Make a version, with those after it, a document of its own."""
        return succession.part(self.library_ports, document)

    def use_again(self, document: Document, version: Document) -> tuple[Document, Job]:
        """Make an older version the present one, as a new version. Raises ``ConflictError`` where
        it is that already.
        """
        return succession.use_again(self.library_ports, document, version)

    def numbers_of(self, shown: Sequence[Document]) -> dict[DocumentId, VersionNumber]:
        """Say of each of these which version of how many it is, where there are several."""
        return numbers_of(self._ports.documents, shown)

    def proposed(self, document: Document) -> Document | None:
        """Return what a document that came alone may be a new version of."""
        return succession.proposed(self._ports.documents, document)

    def relabel(self, document: DocumentId, **changes: object) -> Document:
        """Change title, date, tags, folder or privacy; what was made of it follows."""
        return documents.relabel(self.library_ports, document, **changes)

    def change_all(self, documents: Sequence[DocumentId], change: bulk.BulkChange) -> bulk.Done:
        """Change many documents at once. Raises ``InvalidInputError``."""
        return bulk.change_all(self.library_ports, documents, change)

    def put_back(self, before: Sequence[bulk.Before]) -> bulk.Done:
        """Set labels as they were before a change."""
        return bulk.put_back(self.library_ports, before)

    def arrive(self, new: NewDocument) -> Document:
        """Take a document in that is read by a job already queued."""
        here = self._ports
        return arrive(here.files, here.reader, here.clock, new, here.settings.seal_tags)

    def add_bytes(
        self,
        name: str,
        data: bytes,
        *,
        title: str | None = None,
        created_at: datetime | None = None,
        tags: Sequence[str] = (),
        private: bool = False,
    ) -> Received:
        """Take the bytes of a file in."""
        return self.receive(NewDocument(name, data, title, created_at, tuple(tags), private))

    def add_text(
        self,
        text: str,
        *,
        title: str | None = None,
        created_at: datetime | None = None,
        tags: Sequence[str] = (),
        private: bool = False,
    ) -> Received:
        """Take a text in."""
        name, data = pasted(text, title, self._ports.clock.now())
        return self.add_bytes(
            name, data, title=title, created_at=created_at, tags=tags, private=private
        )

    def ingest(self, document: DocumentId, progress: Progress) -> str:
        """Read one document now."""
        with reading_documents(self._ports.home):
            return ingestion.ingest(self.library_ports, self._models.embedder, document, progress)

    def ingest_job(self, job: Job, progress: Progress) -> str:
        """Read a document, as a job. Raises ``NotFoundError`` for a job that names none."""
        return self.ingest(job.document or DocumentId(""), progress)

    def retry_failed(self) -> list[Job]:
        """Queue again everything that failed and was not done since."""
        return documents.retry_failed(self._ports.documents, self._ports.jobs, self._ports.clock)

    def passage_counts(self, documents: Sequence[DocumentId]) -> dict[DocumentId, int]:
        """Return how many passages each of these documents has in the index."""
        return self._ports.index.passage_counts(documents)

    def is_private(self, document: DocumentId) -> bool:
        """Tell whether a document is private; one that is gone may have been."""
        return display.is_private(self._ports.documents, document)

    def quote(self, document: Document, citation: Citation) -> str:
        """Return the cited words, or nothing where they are not what was cited any more."""
        return display.quote(self._ports.files, document, citation)

    def sentences(self, document: Document) -> list[str]:
        """Return the sentences of a document's summary."""
        return display.summary(self._ports.files, document)

    def remarks(self, document: Document) -> list[str]:
        """Say what was left out of a document when it was read."""
        return display.remarks(self._ports.files, document)

    def anchor_of(self, document: Document, citation: Citation) -> Anchor | None:
        """Return the page, row, message, turn or paragraph in which a citation begins, where the
        document has any.
        """
        return display.anchor_of(self._ports.files, self._ports.index, document, citation)
