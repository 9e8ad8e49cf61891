"""What came in: taken, read, shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.home.jobs import Job
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Anchor, Document, ParsedText, text_hash
from lpm_kernel.domain.memory.sealing import seals
from lpm_kernel.errors import NotFoundError
from lpm_kernel.node.models import Models
from lpm_kernel.node.ports import Ports
from lpm_kernel.usecases.home import work
from lpm_kernel.usecases.library import bulk
from lpm_kernel.usecases.library import documents as library
from lpm_kernel.usecases.library import ingestion as reading
from lpm_kernel.usecases.library.intake import NewDocument, Received, arrive, pasted, receive
from lpm_kernel.usecases.processes import reading_documents


class Library:
    """The documents, from the moment they are handed over."""

    def __init__(self, ports: Ports, models: Models) -> None:
        self._ports = ports
        self._models = models
        self.remember: Callable[[Document, ParsedText], None]
        """Keeps what a text states, once it was read."""
        self.seal_pages: Callable[[Sequence[DocumentId]], None]
        """Takes from the node's pages what rests on those of these that are private."""

    def receive(self, new: NewDocument) -> Received:
        """Take a document in; a worker reads it."""
        limit, seal_tags = self._ports.settings.max_upload_bytes, self._ports.settings.seal_tags
        taken = receive(
            self._ports.files,
            self._ports.documents,
            self._ports.reader,
            self._ports.clock,
            new,
            limit,
            seal_tags,
        )
        return self._sealed(taken, new)

    def _sealed(self, taken: Received, new: NewDocument) -> Received:
        """Make private what was known and open, and is handed in as private now."""
        known = taken.document
        private = new.private or (
            new.parent is None and seals(new.tags, self._ports.settings.seal_tags)
        )
        again = known.parent is not None and known.parent == new.parent
        if known.private or not private or again:
            return taken
        return replace(taken, document=self.relabel(known.id, private=True))

    def relabel(self, document: DocumentId, **changes: object) -> Document:
        """Change title, date, tags, folder or privacy; what was made of it follows."""
        changed = library.relabel(
            self._ports.documents,
            self._ports.decisions,
            self._ports.jobs,
            self._ports.index,
            self._ports.clock,
            document,
            self._ports.settings.seal_tags,
            **changes,
        )
        self.seal_pages([document])
        return changed

    def change_all(self, documents: Sequence[DocumentId], change: bulk.BulkChange) -> bulk.Done:
        """Change many documents at once. Raises ``InvalidInputError``."""
        stores = (
            self._ports.documents,
            self._ports.decisions,
            self._ports.jobs,
            self._ports.index,
            self._ports.clock,
        )
        done = bulk.change_all(
            self._ports.files, *stores, documents, change, self._ports.settings.seal_tags
        )
        if change.labels:
            self.seal_pages(done.documents)
        return done

    def put_back(self, before: Sequence[bulk.Before]) -> bulk.Done:
        """Set labels as they were before a change."""
        done = bulk.put_back(
            self._ports.documents,
            self._ports.decisions,
            self._ports.index,
            self._ports.clock,
            before,
        )
        self.seal_pages(done.documents)
        return done

    def arrive(self, new: NewDocument) -> Document:
        """Take a document in that is read by a job already queued."""
        return arrive(
            self._ports.files,
            self._ports.reader,
            self._ports.clock,
            new,
            self._ports.settings.seal_tags,
        )

    def add_bytes(
        self,
        name: str,
        data: bytes,
        *,
        title: str | None = None,
        created_at: datetime | None = None,
        tags: Sequence[str] = (),
        private: bool = False,
        folder: str = "",
    ) -> Received:
        """Take the bytes of a file in."""
        return self.receive(
            NewDocument(name, data, title, created_at, tuple(tags), private, folder=folder)
        )

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

    def ingest(self, document: DocumentId, progress: reading.Progress) -> str:
        """Read one document now."""
        with reading_documents(self._ports.home):
            return self._ingest(document, progress)

    def _ingest(self, document: DocumentId, progress: reading.Progress) -> str:
        return reading.ingest(
            self._ports.files,
            self._ports.documents,
            self._ports.reader,
            self._ports.index,
            self._models.embedder,
            document,
            progress,
            self.receive,
            self.remember,
            self._ports.settings.seal_tags,
        )

    def ingest_job(self, job: Job, progress: work.Progress) -> str:
        """Read a document, as a job."""
        if job.document is None:
            raise NotFoundError("document", "")
        return self.ingest(job.document, progress)

    def retry_failed(self) -> list[Job]:
        """Queue again everything that failed and was not done since."""
        return library.retry_failed(self._ports.documents, self._ports.jobs, self._ports.clock)

    def passage_counts(self, documents: Sequence[DocumentId]) -> dict[DocumentId, int]:
        """Return how many passages each of these documents has in the index."""
        return self._ports.index.passage_counts(documents)

    def is_private(self, document: DocumentId) -> bool:
        """Tell whether a document is private; one that is gone may have been."""
        with suppress(NotFoundError):
            return self._ports.documents.get(document).private
        return True

    def quote(self, document: Document, citation: Citation) -> str:
        """Return the cited words, or nothing where they are not what was cited any more."""
        words = (self._ports.files.words(document.sha256, citation.text_version) or "")[
            citation.start : citation.end
        ]
        return words if text_hash(words) == citation.quote_hash else ""

    def sentences(self, document: Document) -> list[str]:
        """Return the sentences of a document's summary."""
        words = (
            self._ports.files.words(document.sha256, document.text_version)
            if document.text_version and document.summary
            else None
        )
        return [words[start:end] if words else "" for start, end in document.summary]

    def remarks(self, document: Document) -> list[str]:
        """Say what was left out of a document when it was read."""
        parsed = (
            self._ports.files.text(document.sha256, document.text_version)
            if document.text_version
            else None
        )
        return list(parsed.remarks) if parsed else []

    def anchor_of(self, document: Document, citation: Citation) -> Anchor | None:
        """Return the page, row, message, turn or paragraph in which a citation begins, where the
        document has any.
        """
        # read anew since: then its place is looked for in the text that was cited
        with suppress(NotFoundError):
            return self._ports.index.chunk(citation.chunk).anchor
        parsed = self._ports.files.text(document.sha256, citation.text_version)
        if parsed is None:
            return None
        return next(
            (
                s.anchor_at(parsed.text, citation.start)
                for s in parsed.segments
                if s.start <= citation.start < s.end
            ),
            None,
        )
