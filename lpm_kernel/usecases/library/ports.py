"""What documents are taken in, read and changed with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, ParsedText
from lpm_kernel.domain.ports import Clock, PassageIndex
from lpm_kernel.domain.stores import Decisions, Documents, Files, Jobs, Reader


@dataclass(frozen=True)
class LibraryPorts:
    """Everything that the library reads from and writes to, and what follows from what it does."""

    files: Files
    documents: Documents
    decisions: Decisions
    jobs: Jobs
    index: PassageIndex
    reader: Reader
    clock: Clock
    most_bytes: int
    """Of a file that is taken in."""
    seal_tags: Sequence[str]
    """Tags that make a document private."""
    remember: Callable[[Document, ParsedText], None]
    """Keeps what a text states, once it was read."""
    inherit: Callable[[Document, ParsedText, Sequence[Document]], None]
    """Has what was decided about older versions, oldest first, hold in a text too."""
    seal_pages: Callable[[Sequence[DocumentId]], None]
    """Takes from the node's pages what rests on those of these that are private."""
