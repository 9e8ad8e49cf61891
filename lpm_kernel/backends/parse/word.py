"""Word files (.docx) by python-docx: headings, paragraphs, and tables with the headings of their
columns in every row.
"""

from __future__ import annotations

import io
import zipfile
from datetime import datetime
from typing import Any

import docx
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml import etree

from lpm_kernel.backends.parse.canvas import Canvas, distinct, headed, one_line, row_text
from lpm_kernel.domain.library.documents import ParsedText
from lpm_kernel.errors import EmptyDocumentError, UnreadableDocumentError

MOST_UNPACKED = 300_000_000
"""Bytes of a Word file once it is unpacked; a small file may claim to hold a world."""
MOST_CELLS = 200
_OLD = b"\xd0\xcf\x11\xe0"
_TEXT, _TAB, _BREAK, _RETURN = qn("w:t"), qn("w:tab"), qn("w:br"), qn("w:cr")


def read_docx(name: str, data: bytes) -> ParsedText:
    """Read a Word file."""
    if data.startswith(_OLD):
        raise UnreadableDocumentError(
            name,
            "it is locked with a password, or was made by a Word before 2007.",
            "Open it, save it as .docx without a password, and add that.",
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
        if unpacked > MOST_UNPACKED:
            raise UnreadableDocumentError(
                name,
                f"unpacked, it has {unpacked / 1e6:,.0f} MB; the limit is"
                f" {MOST_UNPACKED / 1e6:.0f} MB.",
                "Split it and add the parts.",
            )
        document = docx.Document(io.BytesIO(data))
        canvas = Canvas()
        for part in document.iter_inner_content():
            if isinstance(part, Table):
                _table(canvas, part)
            else:
                canvas.paragraph(_heading(part) + _words(part._p))  # noqa: SLF001  python-docx leaves out what was inserted under review
        title, created_at = _properties(document)
    except (
        OpcError,
        zipfile.BadZipFile,
        etree.LxmlError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        NotImplementedError,
        RuntimeError,
        EOFError,
        OSError,
        RecursionError,
    ) as error:
        # python-docx lets Python's own errors out of broken files; EOFError and OSError are those
        # of a damaged zip.
        if isinstance(error, UnreadableDocumentError):
            raise
        raise UnreadableDocumentError(
            name,
            "the Word file is damaged or cut short.",
            "Open it in Word or LibreOffice, save it again, and add that.",
        ) from error
    if not len(canvas):
        raise EmptyDocumentError(name)
    return canvas.parsed(title=title, created_at=created_at)


def _words(element: Any) -> str:  # noqa: ANN401  python-docx types its XML loosely
    pieces = [
        each.text or "" if each.tag == _TEXT else "\t" if each.tag == _TAB else "\n"
        for each in element.iter(_TEXT, _TAB, _BREAK, _RETURN)
    ]
    return "\n".join(one_line(line) for line in "".join(pieces).split("\n"))


def _heading(paragraph: Paragraph) -> str:
    style = paragraph._p.style or ""  # noqa: SLF001  the id of the style, which every language of Word leaves in English
    if style == "Title":
        return "# "
    level = style.removeprefix("Heading").strip()
    return (
        f"{'#' * min(6, int(level))} "
        if style.startswith("Heading") and level.isdecimal() and int(level)
        else ""
    )


def _table(canvas: Canvas, table: Table) -> None:
    rows = [
        [one_line(_words(cell)) for cell in row.tc_lst[:MOST_CELLS]]
        for row in table._tbl.tr_lst  # noqa: SLF001  Table.cells takes a second for a thousand rows
    ]
    headings = distinct(rows[0]) if len(rows) > 1 and len(rows[0]) > 1 and all(rows[0]) else []
    for number, cells in enumerate(rows, start=1):
        if number > 1 or not headings:
            canvas.row(
                number,
                row_text(headed(headings, cells) if headings else [("", cell) for cell in cells]),
            )
    canvas.gap()


def _properties(document: Any) -> tuple[str | None, datetime | None]:  # noqa: ANN401  as above
    try:
        known = document.core_properties
        return known.title or None, known.created.astimezone() if known.created else None
    except (ValueError, KeyError, AttributeError, OverflowError):
        return None, None
