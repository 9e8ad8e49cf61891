"""How a file becomes text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from lpm_kernel.domain.library.documents import DocumentKind, Member, ParsedText


class Reader(Protocol):
    """Tells kinds of files apart and turns bytes into canonical text."""

    version: str
    """Stands in every canonical text."""

    def kind(self, name: str, head: bytes) -> DocumentKind:
        """Tell how a file is read. Raises ``UnsupportedFileError``, ``EmptyDocumentError`` and
        ``UnreadableDocumentError``.
        """
        ...

    def read(
        self, name: str, kind: DocumentKind, data: bytes, look: Callable[[], None] = ...
    ) -> ParsedText:
        """Turn bytes into text; ``look`` is called now and then, and what it raises ends the
        reading. Raises ``UnreadableDocumentError`` and ``EmptyDocumentError``.
        """
        ...

    def page_sizes(self, name: str, kind: DocumentKind, data: bytes) -> list[tuple[float, float]]:
        """Return width and height of every page, where a kind has pages that can be drawn. Raises
        ``UnreadableDocumentError``.
        """
        ...

    def draw(self, name: str, kind: DocumentKind, data: bytes, page: int, width: int) -> bytes:
        """Draw a page, counted from 1, as PNG. Raises ``NotFoundError``,
        ``UnreadableDocumentError``.
        """
        ...

    def places(
        self, name: str, kind: DocumentKind, data: bytes, page: int, cited: str, share: float
    ) -> list[tuple[float, float, float, float]]:
        """Say where on a page ``cited`` stands, which begins about ``share`` of the way down its
        text: left, top, right, bottom as shares of the page.
        """
        ...

    def members(self, name: str, data: bytes) -> Iterator[Member]:
        """Yield the files of an archive, those that are left out with the reason. Raises
        ``UnreadableDocumentError``.
        """
        ...
