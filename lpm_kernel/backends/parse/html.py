"""Web pages: the words that a reader sees, without scripts, menus and what is hidden; tables as
rows under their headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from lpm_kernel.backends.parse.canvas import Canvas, distinct, headed, one_line, plain, row_text
from lpm_kernel.backends.parse.decode import decode
from lpm_kernel.backends.parse.moments import iso, read_moment
from lpm_kernel.domain.library.documents import ParsedText
from lpm_kernel.errors import EmptyDocumentError, UnreadableDocumentError

_UNSEEN = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "head",
        "nav",
        "aside",
        "footer",
        "form",
        "button",
        "select",
        "option",
        "svg",
        "math",
        "iframe",
        "object",
        "embed",
        "canvas",
        "audio",
        "video",
        "map",
        "dialog",
        "textarea",
        "input",
    ]
)
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "ul",
    ]
)
_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_DATES = (
    "article:published_time",
    "datepublished",
    "dc.date",
    "dcterms.created",
    "date",
    "pubdate",
    "publish_date",
    "dc.date.issued",
)
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([A-Za-z0-9_-]{2,40})", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_TAG = re.compile(r"<[A-Za-z][^<>]*")
_VALUE = re.compile(r"\"[^\"]*+\"|'[^']*+'")
_PLAIN_TAG = 4_000
"""Characters of a tag that cannot hold too many attributes."""
MOST_ATTRIBUTES = 500
"""Attributes of one element: the library compares each with all before it, so that a page of
nothing else takes minutes.
"""
MOST_CELLS = 200
"""Cells of one row."""


def read_html(name: str, data: bytes) -> ParsedText:
    """Read a web page."""
    declared = _CHARSET.search(data[:4096])
    root, whole = _root(decode(name, data, declared[1].decode() if declared else None))
    canvas = Canvas()
    if root is not None:
        _Page(canvas).write(root)
    if not len(canvas):
        if not whole:
            raise UnreadableDocumentError(
                name,
                "its elements are nested too deeply.",
                "Save the page as plain text and add that.",
            )
        raise EmptyDocumentError(name)
    remarks = () if whole else ("Left out what is nested too deeply.",)
    return canvas.parsed(title=_title(root), created_at=_date(root), remarks=remarks)


def text_of(page: str) -> str:
    """Return the words of a page as plain text."""
    try:
        root, _ = _root(page)
    except UnreadableDocumentError:
        return ""
    if root is None:
        return ""
    canvas = Canvas()
    _Page(canvas).write(root)
    return canvas.parsed().text


def _root(text: str) -> tuple[Any, bool]:
    """Return the tree (``None`` where there is none), and whether all of the page is in it."""
    parser = lxml_html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True
    )
    try:
        root = lxml_html.document_fromstring(
            _TAG.sub(_with_few_attributes, plain(text)).encode(), parser=parser
        )
    except (etree.ParserError, etree.XMLSyntaxError):  # nothing but white space and comments
        root = None
    return root, not parser.error_log.filter_types([etree.ErrorTypes.ERR_RESOURCE_LIMIT])


def _with_few_attributes(tag: re.Match[str]) -> str:
    """Return a tag as it is, or without its attributes where it has too many."""
    if len(tag[0]) <= _PLAIN_TAG:
        return tag[0]
    words = _VALUE.sub("v ", tag[0]).replace("/", " ").replace("=", " ").split()
    return tag[0] if len(words) <= 2 * MOST_ATTRIBUTES else words[0][:40] + " "


class _Page:
    """Walks a page and writes its blocks. No recursion: pages may be nested as deep as they
    like.
    """

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._inline: list[str] = []
        self._lead = ""

    def write(self, root: Any) -> None:  # noqa: ANN401  as above
        steps: list[tuple[str, Any]] = [("enter", root)]
        while steps:
            step, element = steps.pop()
            if step == "tail":
                self._inline.append(element)
                continue
            if step == "leave":
                self._flush()
                continue
            if element.tail:
                steps.append(("tail", element.tail))
            tag = element.tag if isinstance(element.tag, str) else ""
            if not tag or tag in _UNSEEN or _unseen(element):
                continue
            if tag == "br":
                self._inline.append("\n")
                continue
            if tag == "table" and _is_data(element):
                self._flush()
                self._table(element)
                continue
            if tag in _BLOCKS or tag in {"tr", "td", "th"}:
                self._flush()
                steps.append(("leave", element))
                self._lead = (
                    f"{_HEADINGS[tag]} " if tag in _HEADINGS else "- " if tag == "li" else ""
                )
            steps += [("enter", child) for child in reversed(element)]
            if element.text:
                self._inline += _lines(element.text) if tag == "pre" else [element.text]
        self._flush()

    def _flush(self) -> None:
        words = "\n".join(
            line
            for line in (one_line(line) for line in "".join(_folded(self._inline)).split("\n"))
            if line
        )
        self._inline = []
        if words:
            self._canvas.paragraph(self._lead + words)
            self._lead = ""

    def _table(self, table: Any) -> None:  # noqa: ANN401  as above
        rows = [
            (
                number,
                [
                    one_line(" ".join(cell.itertext()))
                    for cell in row.xpath("./td|./th")[:MOST_CELLS]
                ],
                not row.xpath("./td"),
            )
            for number, row in enumerate(table.iter("tr"), start=1)
        ]
        headings: list[str] = []
        for number, cells, is_head in rows:
            if is_head and not headings and len(cells) > 1:
                headings = distinct(cells)
            else:
                self._canvas.row(
                    number,
                    row_text(
                        headed(headings, cells) if headings else [("", cell) for cell in cells]
                    ),
                )
        self._canvas.gap()


def _lines(text: str) -> list[str]:
    """Return lines and the breaks between them, one by one."""
    return [piece for line in text.split("\n") for piece in (line, "\n")]


def _folded(pieces: list[str]) -> Iterator[str]:
    """Fold the line breaks of the source into spaces; those of ``br`` stand alone."""
    for piece in pieces:
        yield piece if piece == "\n" else piece.replace("\n", " ")


def _is_data(table: Any) -> bool:  # noqa: ANN401  as above
    """Tell a table of data from one that only lays out the page."""
    return (
        table.find(".//table") is None
        and bool(table.xpath(".//th"))
        and table.get("role") != "presentation"
    )


def _unseen(element: Any) -> bool:  # noqa: ANN401  as above
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or element.get("role") in {"navigation", "search"}
        or _HIDDEN.search(element.get("style") or "") is not None
    )


def _title(root: Any) -> str | None:  # noqa: ANN401  as above
    for path in (
        "string(//head/title)",
        "string(//meta[@property='og:title']/@content)",
        "string(//h1)",
    ):
        title = one_line(root.xpath(path))
        if title:
            return title
    return None


def _date(root: Any) -> datetime | None:  # noqa: ANN401  as above
    known = {
        (meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower(): (
            meta.get("content") or ""
        )
        for meta in root.iter("meta")
    }
    times = [element.get("datetime") or "" for element in root.iter("time")]
    for value in [*(known.get(name, "") for name in _DATES), *times[:1]]:
        moment = read_moment(value) or iso(value)
        if moment is not None:
            return moment
    return None
