"""PDF by pypdf: the text of each page is a segment, so a citation can name the page."""

from __future__ import annotations

import io
import logging

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from lpm_kernel.domain.library.documents import ParsedText, Segment
from lpm_kernel.errors import EmptyDocumentError, UnreadableDocumentError

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its warnings can quote the document


def read_pdf(name: str, data: bytes) -> ParsedText:
    """Read a PDF page by page."""
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableDocumentError(
                name,
                "it needs its password.",
                "Save a copy without the password (print it to PDF) and add that.",
            )
        title = reader.metadata.title if reader.metadata else None
        pages = [_plain(page.extract_text()) for page in reader.pages]
    except (
        PyPdfError,
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        RecursionError,
        OverflowError,
        NotImplementedError,
        AssertionError,
    ) as error:
        # pypdf lets Python's own errors out of broken files.
        raise UnreadableDocumentError(
            name,
            "the PDF is damaged or cut short.",
            "Open it in a PDF reader, print it to a new PDF, and add that.",
        ) from error
    segments, length = [], 0
    for number, text in enumerate(pages, start=1):
        segments.append(Segment(length, length + len(text), page=number))
        length += len(text) + 2
    if not any(text.strip() for text in pages):
        raise EmptyDocumentError(name)
    return ParsedText(
        "\n\f".join(pages), tuple(segments), title=str(title).strip() if title else None
    )


def _plain(text: str) -> str:
    """Drop what no encoding can carry: half characters and form feeds inside a page."""
    return (
        text.encode("utf-8", "ignore").decode().replace("\f", "\n").replace("\x00", "").strip("\n")
    )
