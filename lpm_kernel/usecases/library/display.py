"""What is shown of a document beside its row: cited words and their place, summary, remarks."""

from __future__ import annotations

from contextlib import suppress

from lpm_kernel.domain.chat.conversations import Citation
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Anchor, Document, text_hash
from lpm_kernel.domain.ports import PassageIndex
from lpm_kernel.domain.stores import Documents, Files
from lpm_kernel.errors import NotFoundError


def is_private(documents: Documents, document: DocumentId) -> bool:
    """Tell whether a document is private; one that is gone may have been."""
    with suppress(NotFoundError):
        return documents.get(document).private
    return True


def quote(files: Files, document: Document, citation: Citation) -> str:
    """Return the cited words, or nothing where they are not what was cited any more."""
    text = files.words(document.sha256, citation.text_version) or ""
    words = text[citation.start : citation.end]
    return words if text_hash(words) == citation.quote_hash else ""


def summary(files: Files, document: Document) -> list[str]:
    """Return the sentences of a document's summary."""
    if not (document.text_version and document.summary):
        return [""] * len(document.summary)
    words = files.words(document.sha256, document.text_version)
    return [words[start:end] if words else "" for start, end in document.summary]


def remarks(files: Files, document: Document) -> list[str]:
    """Say what was left out of a document when it was read."""
    if not document.text_version:
        return []
    parsed = files.text(document.sha256, document.text_version)
    return list(parsed.remarks) if parsed else []


def anchor_of(
    files: Files, index: PassageIndex, document: Document, citation: Citation
) -> Anchor | None:
    """Return the page, row, message, turn or paragraph in which a citation begins, where the
    document has any.
    """
    # read anew since: then its place is looked for in the text that was cited
    with suppress(NotFoundError):
        return index.chunk(citation.chunk).anchor
    parsed = files.text(document.sha256, citation.text_version)
    if parsed is None:
        return None
    return next(
        (
            segment.anchor_at(parsed.text, citation.start)
            for segment in parsed.segments
            if segment.start <= citation.start < segment.end
        ),
        None,
    )
