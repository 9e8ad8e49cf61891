"""What a file is, told by its first bytes, then by the ending of its name."""

from __future__ import annotations

import re
from pathlib import PurePath

from lpm_kernel.backends.parse.chats import read_chat
from lpm_kernel.backends.parse.decode import decode
from lpm_kernel.domain.library.documents import DocumentKind
from lpm_kernel.errors import EmptyDocumentError, NodeError, UnsupportedFileError

READS = (
    "plain text, Markdown, PDF, Word (.docx), web pages (.html), tables (.csv, .json, .jsonl), mail"
    " (.eml, .mbox), chats (LINE, WhatsApp, ChatGPT), pictures, recordings, and zip archives of"
    " these"
)

PLAIN = frozenset({"", ".txt", ".text", ".log", ".org", ".rst", ".adoc", ".tex", ".vtt", ".srt"})
ENDINGS = {
    ".md": DocumentKind.MARKDOWN,
    ".markdown": DocumentKind.MARKDOWN,
    ".pdf": DocumentKind.PDF,
    ".jsonl": DocumentKind.TRANSCRIPT,
    ".ndjson": DocumentKind.TRANSCRIPT,
    ".json": DocumentKind.TABLE,
    ".csv": DocumentKind.TABLE,
    ".tsv": DocumentKind.TABLE,
    ".eml": DocumentKind.MAIL,
    ".mbox": DocumentKind.MAIL,
    ".html": DocumentKind.HTML,
    ".htm": DocumentKind.HTML,
    ".xhtml": DocumentKind.HTML,
    ".docx": DocumentKind.DOCX,
    ".zip": DocumentKind.ARCHIVE,
    **dict.fromkeys(
        (
            ".png",
            ".jpg",
            ".jpeg",
            ".webp",
            ".gif",
            ".tif",
            ".tiff",
            ".heic",
            ".heif",
            ".avif",
            ".bmp",
        ),
        DocumentKind.IMAGE,
    ),
    **dict.fromkeys(
        (".mp3", ".m4a", ".wav", ".ogg", ".oga", ".opus", ".flac", ".aac"), DocumentKind.AUDIO
    ),
}
_TEXTUAL = frozenset(
    {
        DocumentKind.TEXT,
        DocumentKind.MARKDOWN,
        DocumentKind.TRANSCRIPT,
        DocumentKind.TABLE,
        DocumentKind.MAIL,
        DocumentKind.HTML,
    }
)
_SEEMS = {
    DocumentKind.TEXT: "plain text",
    DocumentKind.PDF: "a PDF",
    DocumentKind.HTML: "a web page",
    DocumentKind.DOCX: "a Word file",
    DocumentKind.ARCHIVE: "a zip archive",
    DocumentKind.IMAGE: "a picture",
    DocumentKind.AUDIO: "a recording",
    DocumentKind.MAIL: "mail",
}
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", DocumentKind.IMAGE),
    (b"\xff\xd8\xff", DocumentKind.IMAGE),
    (b"GIF87a", DocumentKind.IMAGE),
    (b"GIF89a", DocumentKind.IMAGE),
    (b"II*\x00", DocumentKind.IMAGE),
    (b"MM\x00*", DocumentKind.IMAGE),
    (b"ID3", DocumentKind.AUDIO),
    (b"OggS", DocumentKind.AUDIO),
    (b"fLaC", DocumentKind.AUDIO),
)
_IN_BOXES = {
    (b"RIFF", b"WEBP"): DocumentKind.IMAGE,
    (b"RIFF", b"WAVE"): DocumentKind.AUDIO,
    **{
        (b"ftyp", brand): DocumentKind.IMAGE
        for brand in (b"heic", b"heix", b"mif1", b"msf1", b"avif")
    },
    **{(b"ftyp", brand): DocumentKind.AUDIO for brand in (b"M4A ", b"M4B ")},
}
_REFUSED = (
    b"\xd0\xcf\x11\xe0",
    b"\x1f\x8b",
    b"7z\xbc\xaf",
    b"Rar!",
    b"\x7fELF",
    b"SQLite format 3",
    b"MZ\x90",
)
"""Old Office files and locked ones, other archives, programs, databases."""
_OFFICE = (b"[Content_Types].xml", b"_rels/.rels", b"docProps/", b"word/")
"""With what the first name in an Office file begins; it stands behind 30 bytes."""
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_PAGE = re.compile(rb"<(?:!doctype html|html)\b", re.IGNORECASE)
_DECLARATION = 206
"""Bytes that ``<?xml …>`` may take."""
_FIELD = re.compile(rb"[A-Za-z][A-Za-z0-9-]{1,60}:")
_FIELDS = 3
"""How many header fields begin a mail."""
_MAIL_ONLY = re.compile(
    rb"^(?:Message-ID|MIME-Version|Received|Return-Path|Delivered-To):",
    re.IGNORECASE | re.MULTILINE,
)
_CHATGPT = b'"mapping"'
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n" + _BOM
_SPACE = re.compile(rb"\s*")


def kind_of(name: str, head: bytes) -> DocumentKind:
    """Tell how a file is read. Raises ``UnsupportedFileError``, ``EmptyDocumentError``."""
    if not head.strip(_BLANK):
        raise EmptyDocumentError(name)
    found = _by_content(head)
    ending = PurePath(name).suffix.lower()
    if found is DocumentKind.ARCHIVE and ending in {
        ".xlsx",
        ".pptx",
        ".odt",
        ".ods",
        ".odp",
        ".epub",
        ".jar",
        ".apk",
        ".pages",
        ".numbers",
        ".key",
    }:
        raise UnsupportedFileError(name, READS)
    if found is not None:
        return DocumentKind.DOCX if found is DocumentKind.ARCHIVE and ending == ".docx" else found
    said = ENDINGS.get(ending)
    if said is None and ending not in PLAIN:
        raise UnsupportedFileError(name, READS)
    if said is None:
        return _of_text(name, head)
    if said in _TEXTUAL:
        return (
            DocumentKind.TRANSCRIPT
            if said is DocumentKind.TABLE and ending == ".json" and _CHATGPT in head
            else said
        )
    return _of_text(name, head) if _readable(head) and not _cut(said, head) else said


def mislabelled(name: str, kind: DocumentKind) -> str:
    """Say that a file is something else than its name says, or nothing."""
    said = ENDINGS.get(PurePath(name).suffix.lower())
    if (
        said is None
        or said is kind
        or kind not in _SEEMS
        or (said in _TEXTUAL and kind is DocumentKind.TEXT)
    ):
        return ""
    return (
        f"Its name ends in “{PurePath(name).suffix}”, but it is {_SEEMS[kind]}, and was read as"
        " that."
    )


def _by_content(head: bytes) -> DocumentKind | None:
    found = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None) or _IN_BOXES.get(
        (head[:4], head[8:12])
    )
    if head[:1024].lstrip().startswith(b"%PDF-"):
        found = DocumentKind.PDF
    elif head.startswith(_ZIP):
        found = (
            DocumentKind.DOCX
            if head[30:].startswith(_OFFICE) and b"word/" in head
            else DocumentKind.ARCHIVE
        )
    elif head[4:8] == b"ftyp":
        found = _IN_BOXES.get((b"ftyp", head[8:12]))
    elif found is None and _is_page(head):
        found = DocumentKind.HTML
    elif found is None and _is_mail(head) and _MAIL_ONLY.search(head):
        found = DocumentKind.MAIL
    return found


def _is_page(head: bytes) -> bool:
    """Look behind what may stand before a page: a byte order mark, a declaration, any number of
    comments.
    """
    at = _past_space(head, len(_BOM) if head.startswith(_BOM) else 0)
    if head[at : at + 5].lower() == b"<?xml":
        at = _past(head, b">", at, at + _DECLARATION)
    while head.startswith(b"<!--", at):
        at = _past(head, b"-->", at + 4, len(head))
    return _PAGE.match(head, at) is not None


def _past(head: bytes, mark: bytes, start: int, end: int) -> int:
    """Return where the next thing begins behind a mark; the end where the mark is not there."""
    found = head.find(mark, start, end)
    return len(head) if found < 0 else _past_space(head, found + len(mark))


def _past_space(head: bytes, start: int) -> int:
    space = _SPACE.match(head, start)
    return space.end() if space else start


def _is_mail(head: bytes) -> bool:
    """Tell whether the first lines, those that go on left out, are header fields; the last line may
    be cut.
    """
    lines = head.split(b"\n")[:-1]
    fields = 0
    for number, line in enumerate(lines):
        envelope = number == 0 and line.startswith(b"From ") and len(line) > len(b"From ")
        if envelope or (fields and line[:1] in {b" ", b"\t"}):
            continue
        if not _FIELD.match(line):
            return False
        fields += 1
        if fields == _FIELDS:
            return True
    return False


def _of_text(name: str, head: bytes) -> DocumentKind:
    """Tell a chat log from plain text."""
    if head.startswith(_REFUSED):
        raise UnsupportedFileError(name, READS)
    try:
        return (
            DocumentKind.TRANSCRIPT
            if read_chat(decode(name, _whole_lines(head))) is not None
            else DocumentKind.TEXT
        )
    except NodeError:  # it says so when it is read
        return DocumentKind.TEXT


def _readable(head: bytes) -> bool:
    try:
        decode("", _whole_lines(head))
    except NodeError:
        return False
    return True


def _cut(said: DocumentKind, head: bytes) -> bool:
    """Tell whether what calls itself a PDF or an archive is short: a damaged file rather than a
    text under a false name.
    """
    return said is DocumentKind.PDF and b"PDF" in head[:64]


def _whole_lines(head: bytes) -> bytes:
    """Leave out the last line: it may end within a letter."""
    cut = head.rfind(b"\n")
    return head[: cut + 1] if cut > 0 and b"\0" not in head else head
