"""Two versions of a document beside each other."""

from __future__ import annotations

from lpm_kernel.domain.library.documents import Document, DocumentKind
from lpm_kernel.domain.stores import Documents, Files, Reader
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.library.differences import DiffLine, difference
from lpm_kernel.usecases.library.ingestion import canonical_text


def compared(
    files: Files, reader: Reader, documents: Documents, before: Document | None, after: Document
) -> list[DiffLine]:
    """Say what changed in the text from one version to another; ``before`` is the one before it
    unless given. Of archives, what lies in them. Raises ``NotFoundError`` where both are not
    versions of one document, and ``InvalidInputError`` for what cannot be read.
    """
    current = after.superseded_by or after.id
    if before is None:
        older = documents.revisions(current)
        place = next((at for at, each in enumerate(older) if each.id == after.id), len(older))
        before = older[place - 1] if place else None
    elif (before.superseded_by or before.id) != current:
        raise NotFoundError("version of this document", before.id)
    was = "" if before is None else _lines(files, reader, before)
    return difference(was, _lines(files, reader, after))


def _lines(files: Files, reader: Reader, document: Document) -> str:
    """Return the text, both read by the same release of the reader."""
    if document.kind is not DocumentKind.ARCHIVE:
        return canonical_text(files, reader, document).text
    members = reader.members(document.name, files.original(document.sha256))
    return "\n".join(sorted(f"{each.name} · {len(each.data):,} bytes" for each in members))
