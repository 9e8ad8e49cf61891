"""Pictures of pages: a PDF's by pdfium, a picture's own by Pillow, as PNG; and where on the page a
stretch of its text stands.

Runs in the process apart (``child.py``): what it draws was written by somebody else.
"""

from __future__ import annotations

import ctypes
import io
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import SequenceMatcher
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium_c
from PIL import Image, ImageOps

from lpm_kernel.domain.library.documents import DocumentKind
from lpm_kernel.errors import NotFoundError, UnreadableDocumentError

MOST_PIXELS = 16_000_000
"""Pixels of a picture that is drawn; a longer page is drawn smaller."""
MOST_SOURCE = 120_000_000
"""Pixels of a picture that is opened."""
WIDEST = 2400
MOST_PAGES = 20_000
MOST_CITED = 20_000
"""Characters that are looked for on a page."""
SHORTEST = 6
"""Signs that have to stand together to count, where a stretch does not stand on the page as a
whole.
"""
GRID = 1_000_000
"""Steps that a page is divided into to say where something stands."""
_DASHES = frozenset("-\u00ad\u2010\u2011\u0002\ufffe")
"""Left out on both sides: lines are parted at them in one text and not in the other."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, as shares of the page."""


def sizes(name: str, kind: DocumentKind, data: bytes) -> list[tuple[float, float]]:
    """Return width and height of every page. Raises ``UnreadableDocumentError``."""
    if kind is DocumentKind.IMAGE:
        with _picture(name, data) as picture:
            return [(float(picture.width), float(picture.height))]
    with _pdf(name, data) as pdf:
        return [
            (float(width), float(height))
            for width, height in (pdf.get_page_size(at) for at in range(min(len(pdf), MOST_PAGES)))
        ]


def draw(name: str, kind: DocumentKind, data: bytes, page: int, width: int) -> bytes:
    """Draw a page, counted from 1, as PNG of this width. Raises ``NotFoundError`` and
    ``UnreadableDocumentError``.
    """
    out = io.BytesIO()
    if kind is DocumentKind.IMAGE:
        if page != 1:
            raise NotFoundError("page", str(page))
        with _picture(name, data) as picture:
            picture.thumbnail((min(width, picture.width), MOST_PIXELS // max(1, width)))
            picture.save(out, "PNG")
        return out.getvalue()
    with _pdf(name, data) as pdf, _page(pdf, page) as drawn:
        across, down = drawn.get_size()
        scale = min(width / max(across, 1e-3), (MOST_PIXELS / max(across * down, 1e-3)) ** 0.5)
        bitmap = drawn.render(scale=scale, may_draw_forms=False)
        bitmap.to_pil().convert("RGB").save(out, "PNG")
        bitmap.close()
    return out.getvalue()


def places(name: str, data: bytes, page: int, cited: str, share: float) -> list[Box]:
    """Say where on a page of a PDF a stretch stands; ``share`` is about how far down the page's
    text it begins, 0..1.

    Text is taken out of a PDF by two libraries that part lines differently, so signs are compared,
    and no spaces.
    """
    with _pdf(name, data) as pdf, _page(pdf, page) as shown:
        text = shown.get_textpage()
        try:
            signs, at = _signs(text.get_text_range())
            wanted, _ = _signs(cited[:MOST_CITED])
            boxes: list[Box] = []
            for start, end in _found(signs, wanted, share):
                boxes += _boxes(shown, text, at[start], at[end - 1] + 1)
            return boxes
        finally:
            text.close()


def _signs(text: str) -> tuple[str, list[int]]:
    """Return the signs of a text without spaces and dashes, compatible forms as one, and for each
    where it stood.
    """
    kept: list[str] = []
    at: list[int] = []
    for position, sign in enumerate(text):
        for plain in unicodedata.normalize("NFKC", sign).casefold():
            if plain.isprintable() and not plain.isspace() and plain not in _DASHES:
                kept.append(plain)
                at.append(position)
    return "".join(kept), at


def _found(signs: str, wanted: str, share: float) -> list[tuple[int, int]]:
    """Return the stretches of ``signs`` in which ``wanted`` stands: as a whole, nearest to where it
    is said to be, or in pieces.
    """
    if not wanted or not signs:
        return []
    starts, at = [], signs.find(wanted)
    while at >= 0:
        starts.append(at)
        at = signs.find(wanted, at + 1)
    if starts:
        best = min(starts, key=lambda start: abs(start - share * len(signs)))
        return [(best, best + len(wanted))]
    blocks = (
        SequenceMatcher(None, signs, wanted, autojunk=False).get_matching_blocks()
        if len(signs) * len(wanted) < GRID * 20
        else []
    )
    return [
        (block.a, block.a + block.size)
        for block in blocks
        if block.size >= min(SHORTEST, len(wanted))
    ]


def _boxes(page: Any, text: Any, start: int, end: int) -> Iterator[Box]:  # noqa: ANN401  pdfium publishes no types
    for number in range(text.count_rects(start, end - start)):
        left, bottom, right, top = text.get_rect(number)
        # a turned page turns them too
        corners = [_on_page(page, x, y) for x, y in ((left, top), (right, bottom))]
        across, down = sorted(x for x, _ in corners), sorted(y for _, y in corners)
        yield (*(min(1.0, max(0.0, value)) for value in (across[0], down[0], across[1], down[1])),)  # type: ignore[misc]  # four of them


def _on_page(page: Any, x: float, y: float) -> tuple[float, float]:  # noqa: ANN401  as above
    across, down = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDF_PageToDevice(page, 0, 0, GRID, GRID, 0, x, y, across, down)
    return across.value / GRID, down.value / GRID


@contextmanager
def _pdf(name: str, data: bytes) -> Iterator[Any]:
    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableDocumentError(
                name,
                "it needs its password.",
                "Save a copy without the password (print it to PDF) and add that.",
            ) from error
        raise UnreadableDocumentError(
            name,
            "its pages cannot be drawn.",
            "Its text is shown beside; the original can be downloaded.",
        ) from error
    try:
        yield pdf
    except (pypdfium2.PdfiumError, MemoryError) as error:
        raise UnreadableDocumentError(
            name,
            "this page cannot be drawn.",
            "Its text is shown beside; the original can be downloaded.",
        ) from error
    finally:
        pdf.close()


@contextmanager
def _page(pdf: Any, page: int) -> Iterator[Any]:  # noqa: ANN401  as above
    if not 1 <= page <= len(pdf):
        raise NotFoundError("page", str(page))
    found = pdf[page - 1]
    try:
        yield found
    finally:
        found.close()


@contextmanager
def _picture(name: str, data: bytes) -> Iterator[Image.Image]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its size is looked at here
            opened = Image.open(io.BytesIO(data))
            if opened.width * opened.height > MOST_SOURCE:
                # a photograph comes smaller; anything else runs into the limit of this process
                opened.draft("RGB", (WIDEST, WIDEST))
            turned = ImageOps.exif_transpose(opened)
            picture = turned.convert(
                "RGBA" if "A" in turned.getbands() or turned.mode == "P" else "RGB"
            )
    except Exception as error:  # Pillow lets any error out of a broken picture
        raise UnreadableDocumentError(
            name, "this kind of picture cannot be shown here.", "The original can be downloaded."
        ) from error
    try:
        yield picture
    finally:
        picture.close()
