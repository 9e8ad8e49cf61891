"""Pages as pictures, and the place of a cited stretch on them. What was drawn last is kept in
memory alone, and goes with the process.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from lpm_kernel.domain.library.documents import Document
from lpm_kernel.domain.stores import Files, Reader
from lpm_kernel.errors import NotFoundError

KEEP = 48_000_000
"""Bytes of pictures that are kept."""
NARROWEST, WIDEST = 40, 2400


@dataclass(frozen=True)
class PageImage:
    """A page, its size in its own measure, and where it lies in the text; no place where the text
    has no pages.
    """

    number: int
    width: float
    height: float
    start: int | None = None
    end: int | None = None


class Pictures:
    """Draws pages and remembers the last ones. One object serves all threads."""

    def __init__(self, files: Files, reader: Reader, keep: int = KEEP) -> None:
        self._files, self._reader, self._keep = files, reader, keep
        self._drawn: OrderedDict[tuple[str, int, int], bytes] = OrderedDict()
        self._sizes: OrderedDict[str, list[tuple[float, float]]] = OrderedDict()
        self._lock = Lock()

    def pages(self, document: Document) -> list[PageImage]:
        """Return the pages that can be drawn; none for a document that has no pages. Raises
        ``UnreadableDocumentError``.
        """
        with self._lock:
            sizes = self._sizes.get(document.sha256)
        if sizes is None:
            sizes = self._reader.page_sizes(
                document.name, document.kind, self._files.original(document.sha256)
            )
            with self._lock:
                self._sizes[document.sha256] = sizes
                while len(self._sizes) > len(self._drawn) + 100:
                    self._sizes.popitem(last=False)
        spans = self._spans(document)
        return [
            PageImage(number, width, height, *spans.get(number, (None, None)))
            for number, (width, height) in enumerate(sizes, start=1)
        ]

    def picture(self, document: Document, page: int, width: int) -> bytes:
        """Return a page as PNG. Raises ``NotFoundError``, ``UnreadableDocumentError``."""
        key = (document.sha256, page, min(WIDEST, max(NARROWEST, width)))
        with self._lock:
            if key in self._drawn:
                self._drawn.move_to_end(key)
                return self._drawn[key]
        drawn = self._reader.draw(
            document.name, document.kind, self._files.original(document.sha256), *key[1:]
        )
        with self._lock:
            self._drawn[key] = drawn
            while (
                len(self._drawn) > 1
                and sum(len(each) for each in self._drawn.values()) > self._keep
            ):
                self._drawn.popitem(last=False)
        return drawn

    def places(
        self, document: Document, page: int, start: int, end: int
    ) -> list[tuple[float, float, float, float]]:
        """Say where the part of a span that stands on a page stands there. Raises
        ``NotFoundError``, ``UnreadableDocumentError``.
        """
        spans = self._spans(document)
        if page not in spans:
            raise NotFoundError("page", str(page))
        first, last = spans[page]
        begin, finish = max(start, first), min(end, last)
        words = (
            self._files.words(document.sha256, document.text_version)
            if document.text_version
            else None
        )
        if words is None or begin >= finish:
            return []
        share = (begin - first) / max(1, last - first)
        return self._reader.places(
            document.name,
            document.kind,
            self._files.original(document.sha256),
            page,
            words[begin:finish],
            share,
        )

    def forget(self) -> None:
        """Drop everything: something is being erased."""
        with self._lock:
            self._drawn.clear()
            self._sizes.clear()

    def _spans(self, document: Document) -> dict[int, tuple[int, int]]:
        parsed = (
            self._files.text(document.sha256, document.text_version)
            if document.text_version
            else None
        )
        return {
            segment.page: (segment.start, segment.end)
            for segment in (parsed.segments if parsed else ())
            if segment.page is not None
        }
