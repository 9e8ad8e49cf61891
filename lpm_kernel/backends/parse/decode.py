"""Bytes to text: UTF-8 first, then what the byte order mark or the statistics of the bytes say."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from lpm_kernel.errors import EmptyDocumentError, UnreadableDocumentError

SAMPLE = 200_000
"""Bytes that are looked at to guess an encoding."""
STRAY = 100
"""A text in UTF-8 may have one stray byte in so many characters."""
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_MOST_CONTROL = 0.01
"""Share of control characters above which it is no text."""


def decode(name: str, data: bytes, declared: str | None = None) -> str:
    """Return the text with single newlines as line ends. Raises ``EmptyDocumentError`` and
    ``UnreadableDocumentError``.

    ``declared``: the encoding that the text gives for itself; it counts where the bytes are not
    UTF-8.
    """
    text = _decoded(name, data, declared).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise EmptyDocumentError(name)
    if len(_CONTROL.findall(text[:SAMPLE])) > len(text[:SAMPLE]) * _MOST_CONTROL:
        raise UnreadableDocumentError(
            name,
            "its bytes are not text.",
            "If it is a picture, a recording or a program's own file, export it as PDF or plain"
            " text and add that.",
        )
    return _CONTROL.sub("\ufffd", text)


def _likely(guess: str) -> tuple[str, ...]:
    """Western notes in one byte a letter are far commoner than Central European ones, which look
    alike when short.
    """
    return (
        ("cp1252", guess)
        if guess in {"cp1250", "cp1257", "cp1254", "iso8859_2", "mac_latin2"}
        else (guess,)
    )


_PLAUSIBLE = re.compile(
    r"[\t\n\r -~\u00a0-\u024f\u2010-\u2030\u3000-\u30ff\u4e00-\u9fff\uff01-\uffee]"
)
_MOST_IMPLAUSIBLE = 0.03


def _wide(data: bytes) -> str | None:
    """Return text in two bytes a letter without its mark: read the right way round, nearly all of
    it are letters.
    """
    if b"\0" not in data[:SAMPLE] or len(data) % 2:
        return None
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            head = data[:SAMPLE].decode(encoding, "ignore")
            if len(_PLAUSIBLE.findall(head)) >= (1 - _MOST_IMPLAUSIBLE) * len(head):
                return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def _as_declared(data: bytes, declared: str) -> str | None:
    try:
        name = codecs.lookup(declared).name
        return data.decode("cp932" if name == "shift_jis" else name)
    except (LookupError, UnicodeError):
        return None


def _decoded(name: str, data: bytes, declared: str | None = None) -> str:
    mark = next((mark for mark in _MARKS if data.startswith(mark)), None)
    if mark is None and (wide := _wide(data)) is not None:
        return wide
    encoding = _MARKS[mark] if mark else "utf-8"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        almost = data.decode(encoding, "replace")
        if len(almost) > STRAY * almost.count("\ufffd") > 0 and any(
            character > "\u00ff" and character != "\ufffd" for character in almost
        ):
            return almost  # UTF-8 with a stray byte here and there: the rest is worth having
        if declared and not mark and (text := _as_declared(data, declared)) is not None:
            return text
        guess = None if mark else from_bytes(data[:SAMPLE]).best()
        for name_of in () if guess is None else _likely(guess.encoding):
            try:
                return data.decode(name_of)
            except UnicodeDecodeError:
                continue
        where = data.count(b"\n", 0, error.start) + 1
        raise UnreadableDocumentError(
            name,
            f"its encoding is none that I know (the first stray byte is in line {where}).",
            "Save it again as UTF-8 and add that.",
        ) from error
