"""Zip archives: one file after the other, with limits that a hostile archive runs into before it
does harm.

Names are only ever shown, never used as paths. What is left out comes as a member with its reason.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath

from lpm_kernel.domain.library.documents import Member
from lpm_kernel.errors import UnreadableDocumentError

MOST_MEMBERS = 5_000
MOST_BYTES = 200_000_000
"""Unpacked bytes of one file."""
MOST_TOTAL = 1_000_000_000
"""Unpacked bytes of all files together."""
MOST_RATIO = 200
"""How many times its packed size a file of more than ``HARMLESS`` bytes may have."""
HARMLESS = 10_000_000
_UTF8_NAME, _LOCKED = 0x800, 0x1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""What is unpacked: the others may ask for gigabytes of memory by themselves."""
_SYSTEM = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})


def members(name: str, data: bytes) -> Iterator[Member]:
    """Yield the files of an archive; those that are left out carry the reason. Raises
    ``UnreadableDocumentError``.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            infos = [
                info
                for info in packed.infolist()
                if not info.is_dir() and not _is_of_the_system(_name(info))
            ]
            names = {PurePosixPath(_name(info)).name for info in infos}
            total = 0
            for number, info in enumerate(infos):
                shown = _name(info)
                if "conversations.json" in names and PurePosixPath(shown).name == "chat.html":
                    yield Member(shown, problem="it repeats conversations.json")
                    continue
                problem = (
                    f"beyond the first {MOST_MEMBERS:,} files"
                    if number >= MOST_MEMBERS
                    else _refused(info)
                )
                if problem is None and total + info.file_size > MOST_TOTAL:
                    problem = f"beyond the first {MOST_TOTAL / 1e6:,.0f} MB"
                member = (
                    Member(shown, problem=problem) if problem else _unpacked(packed, info, shown)
                )
                total += len(member.data)
                yield member
    except (
        zipfile.BadZipFile,
        ValueError,
        KeyError,
        OSError,
        EOFError,
        IndexError,
        NotImplementedError,
    ) as error:
        raise UnreadableDocumentError(
            name,
            "the archive is damaged or cut short.",
            "Unpack it yourself if you can, and add the folder.",
        ) from error


def _unpacked(packed: zipfile.ZipFile, info: zipfile.ZipInfo, shown: str) -> Member:
    try:
        with packed.open(info) as stream:  # gives as many bytes as the archive says, never more
            return Member(shown, stream.read(MOST_BYTES))
    except (
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        ValueError,
        RuntimeError,
        NotImplementedError,
    ):
        return Member(shown, problem="damaged")


def _refused(info: zipfile.ZipInfo) -> str | None:
    if info.flag_bits & _LOCKED:
        return "locked with a password"
    if info.compress_type not in _METHODS:
        return "packed in a way that is not read"
    if info.file_size > MOST_BYTES:
        return f"larger than {MOST_BYTES / 1e6:.0f} MB"
    if info.file_size > HARMLESS and info.file_size > MOST_RATIO * max(1, info.compress_size):
        return "far larger once unpacked than its archive lets on"
    return None


def _name(info: zipfile.ZipInfo) -> str:
    """Return a name as it was meant: old archives give Japanese names in cp932 and say nothing of
    it.
    """
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    for encoding in ("utf-8", "cp932"):
        try:
            return info.filename.encode("cp437").decode(encoding)
        except UnicodeError:
            continue
    return info.filename


def _is_of_the_system(name: str) -> bool:
    return any(
        part in _SYSTEM or (part.startswith(".") and part not in {".", ".."})
        for part in name.replace("\\", "/").split("/")
    )
