"""Which parser reads what: by the first bytes, then by the ending of the name."""

from __future__ import annotations

from pathlib import PurePath

from lpm_kernel.backends.parse.notes import read_markdown, read_text
from lpm_kernel.backends.parse.transcript import read_transcript
from lpm_kernel.domain.documents import DocumentKind, ParsedText
from lpm_kernel.errors import EmptyDocumentError, UnsupportedFileError

VERSION = "text-1"
"""Stands in every canonical text: raise it when any parser gives other text for the same bytes."""
READS = "plain text, Markdown, PDF and transcripts (.jsonl)"

_ENDINGS = {
    ".md": DocumentKind.MARKDOWN,
    ".markdown": DocumentKind.MARKDOWN,
    ".pdf": DocumentKind.PDF,
    ".jsonl": DocumentKind.TRANSCRIPT,
    ".ndjson": DocumentKind.TRANSCRIPT,
}
_PLAIN = {"", ".txt", ".text", ".log", ".org", ".rst", ".adoc", ".tex", ".vtt", ".srt"}


def _read_pdf(name: str, data: bytes) -> ParsedText:
    from lpm_kernel.backends.parse.pdf import read_pdf  # pypdf takes 0.4 s to import, and most documents are none

    return read_pdf(name, data)


_PARSERS = {DocumentKind.TEXT: read_text, DocumentKind.MARKDOWN: read_markdown, DocumentKind.PDF: _read_pdf, DocumentKind.TRANSCRIPT: read_transcript}


class Reader:
    """The ``Reader`` port: tells kinds apart and reads them."""

    version = VERSION

    def kind(self, name: str, head: bytes) -> DocumentKind:
        """Tell how a file is read. ``head`` is its first bytes. Raises ``UnsupportedFileError``, ``EmptyDocumentError``."""
        if not head.strip(b" \t\r\n\xef\xbb\xbf"):
            raise EmptyDocumentError(name)
        if head[:1024].lstrip().startswith(b"%PDF-"):
            return DocumentKind.PDF
        ending = PurePath(name).suffix.lower()
        if ending in _ENDINGS and _ENDINGS[ending] is not DocumentKind.PDF:
            return _ENDINGS[ending]
        if ending in _PLAIN or ending == ".pdf":  # a .pdf without its mark says of itself that it is damaged
            return DocumentKind.PDF if ending == ".pdf" else DocumentKind.TEXT
        raise UnsupportedFileError(name, READS)

    def read(self, name: str, kind: DocumentKind, data: bytes) -> ParsedText:
        """Turn bytes into canonical text, not yet sanitised. Raises ``UnreadableDocumentError``, ``EmptyDocumentError``."""
        return _PARSERS[kind](name, data)
