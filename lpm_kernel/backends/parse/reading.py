"""The ``FileReader`` port: which parser reads what, and where.

All of it happens in a process apart (``confined.py``), which a limit or a cancelled job ends:
telling kinds as well, since a chat is told by reading its first lines, and short text as well,
since no length is too short to be hostile. The way there and back takes a millisecond. A parser is
imported when its kind first comes, since most are heavy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import PurePath
from pkgutil import resolve_name

from lpm_kernel.backends.parse.sniff import mislabelled
from lpm_kernel.domain.library.documents import DocumentKind, Member, ParsedText
from lpm_kernel.errors import NotFoundError

VERSION = "text-3"
"""Stands in every canonical text: raise it when any parser gives other text for the same bytes."""

_PARSERS = {
    DocumentKind.TEXT: "notes:read_text",
    DocumentKind.MARKDOWN: "notes:read_markdown",
    DocumentKind.PDF: "pdf:read_pdf",
    DocumentKind.TRANSCRIPT: "transcript:read_transcript",
    DocumentKind.TABLE: "tables:read_csv",
    DocumentKind.MAIL: "mail:read_mail",
    DocumentKind.HTML: "html:read_html",
    DocumentKind.DOCX: "word:read_docx",
    DocumentKind.IMAGE: "media:read_image",
    DocumentKind.AUDIO: "media:read_audio",
}
_DRAWN = frozenset({DocumentKind.PDF, DocumentKind.IMAGE})


class FileReader:
    """The ``FileReader`` port: tells kinds apart and reads them."""

    version = VERSION

    def kind(self, name: str, head: bytes) -> DocumentKind:
        """Tell how a file is read. ``head`` is its first bytes. Raises ``InvalidInputError``."""
        from lpm_kernel.backends.parse.confined import SNIFFS

        return SNIFFS.kind(name, head)

    def read(
        self, name: str, kind: DocumentKind, data: bytes, look: Callable[[], None] = lambda: None
    ) -> ParsedText:
        """Turn bytes into canonical text, not yet sanitised. ``look`` is called now and then; what
        it raises ends the reading.

        Raises ``UnreadableDocumentError``, ``EmptyDocumentError``.
        """
        from lpm_kernel.backends.parse.confined import CHILD

        return CHILD.read(name, kind, data, look=look)

    def members(self, name: str, data: bytes) -> Iterator[Member]:
        """Yield the files of an archive, those that are left out with the reason. Raises
        ``UnreadableDocumentError``.
        """
        from lpm_kernel.backends.parse.archive import members

        return members(name, data)

    def page_sizes(self, name: str, kind: DocumentKind, data: bytes) -> list[tuple[float, float]]:
        """Return width and height of every page, where a kind has pages that can be drawn. Raises
        ``UnreadableDocumentError``.
        """
        from lpm_kernel.backends.parse.confined import DRAWS

        return DRAWS.sizes(name, kind, data) if kind in _DRAWN else []

    def draw(self, name: str, kind: DocumentKind, data: bytes, page: int, width: int) -> bytes:
        """Draw a page, counted from 1, as PNG. Raises ``NotFoundError``,
        ``UnreadableDocumentError``.
        """
        from lpm_kernel.backends.parse.confined import DRAWS

        if kind not in _DRAWN:
            raise NotFoundError("picture of the page", str(page))
        return DRAWS.draw(name, kind, data, page, width)

    def places(
        self, name: str, kind: DocumentKind, data: bytes, page: int, cited: str, share: float
    ) -> list[tuple[float, float, float, float]]:
        """Say where on a page a stretch of its text stands: left, top, right and bottom as shares
        of the page.
        """
        from lpm_kernel.backends.parse.confined import DRAWS

        return DRAWS.places(name, data, page, cited, share) if kind is DocumentKind.PDF else []

    def plug_ins(self) -> list[str]:
        """Say which programs of this machine read what the node does not read by itself."""
        from lpm_kernel.backends.parse.plugins import tesseract

        return ["tesseract reads the words in pictures."] if tesseract() else []


def parse(name: str, kind: DocumentKind, data: bytes) -> ParsedText:
    """Read with the parser of this kind, here and now."""
    parsed = _parser(name, kind)(name, data)
    remark = mislabelled(name, kind)
    return replace(parsed, remarks=(remark, *parsed.remarks)) if remark else parsed


def _parser(name: str, kind: DocumentKind) -> Callable[[str, bytes], ParsedText]:
    ending = PurePath(name).suffix.lower()
    where = _PARSERS[kind]
    if ending == ".json" and kind in {DocumentKind.TABLE, DocumentKind.TRANSCRIPT}:
        where = "transcript:read_json_file"
    elif kind is DocumentKind.TRANSCRIPT and ending not in {".jsonl", ".ndjson"}:
        where = "notes:read_text"  # a chat log, told by its lines
    found: Callable[[str, bytes], ParsedText] = resolve_name(f"lpm_kernel.backends.parse.{where}")
    return found
