"""What the name of a file says: the name without its path, which file it is, a title, a day."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from pathlib import PurePath

from lpm_kernel.domain.library.listing import path_parts

MOST_TITLE = 300
MOST_PATH = 2_000
_DAY_IN_NAME = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.]?([01]\d)[-_.]?([0-3]\d)(?!\d)")


def plain_name(name: str) -> str:
    r"""Return the last part of a name, without anything that could be a path.

    >>> plain_name("../../etc/passwd"), plain_name("C:\\notes\\a.md")
    ('passwd', 'a.md')
    """
    last = PurePath(name.replace("\\", "/")).name
    printable = "".join(character for character in last if character.isprintable()).strip()
    return printable[-200:] or "untitled"


def file_path(folder: str, name: str, *, archived: bool = False) -> str:
    """Say which file it is; nothing for one that came without a folder. In an archive there is
    always a path: the one within it, with a slash before it.

    >>> file_path("letters//2024", "a.md"), file_path("", "a.md")
    ('letters/2024/a.md', '')
    >>> file_path("", "a.md", archived=True)
    '/a.md'
    """
    parts = path_parts(folder)
    path = "/".join((*([""] if archived else []), *parts, plain_name(name)))
    told = (parts or archived) and len(path) <= MOST_PATH
    return unicodedata.normalize("NFC", path) if told else ""


def default_title(name: str) -> str:
    """Return the title of a document whose person gave none."""
    return PurePath(name).stem[:MOST_TITLE] or name


def day_in_name(name: str) -> datetime | None:
    """Return noon of the day that a file name carries.

    >>> str(day_in_name("2025-08-30.md").date()), day_in_name("notes 7.md")
    ('2025-08-30', None)
    """
    match = _DAY_IN_NAME.search(name)
    if match is None:
        return None
    year, month, day = (int(part) for part in match.groups())
    try:
        return datetime(year, month, day, 12).astimezone()
    except ValueError:  # 20251345
        return None
