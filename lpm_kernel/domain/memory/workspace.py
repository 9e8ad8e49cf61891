"""The workspace: a folder of Markdown that holds the person's statements, to be read and written
with any editor.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Protocol

from lpm_kernel.errors import InvalidInputError

CORE = "memory.md"
BANK = {
    "world": "bank/world.md",
    "experience": "bank/experience.md",
    "opinion": "bank/opinions.md",
    "observation": "bank/observations.md",
}
BIOGRAPHY = "bank/biography.md"
ENTITIES = "bank/entities"
TOPICS = "bank/topics"
MOST_BYTES = 5_000_000
"""A larger file is no note; it is left alone and named."""

LAYOUT: Mapping[str, str] = {
    CORE: "# Memory\n\n## Retain\n\n",
    BANK["world"]: "# World\n\n## Retain\n\n",
    BANK["experience"]: "# Experience\n\n## Retain\n\n",
    BANK["opinion"]: "# Opinions\n\n## Retain\n\n",
}
"""What a new workspace begins with, by path. ``memory/``, ``bank/entities/`` and ``bank/topics/``
are empty folders then.
"""
FOLDERS = ("memory", "bank", ENTITIES, TOPICS)


def topic_path(topic: str) -> str:
    """Name the page of a topic."""
    return f"{TOPICS}/{topic}.md"


PUT_RIGHT, PUT_RIGHT_SEALED = "bank/put-right.md", "bank/put-right-private.md"
"""What the person said is right where an answer was not: lines that the node writes down, and no
documents of the library.
"""


def daily(day: date) -> str:
    """Name the file of a day.

    >>> daily(date(2026, 11, 21))
    'memory/2026-11-21.md'
    """
    return f"memory/{day.isoformat()}.md"


LONGEST_NAME = 255
"""Bytes of a name that file systems take."""


@dataclass(frozen=True)
class NotePath:
    """A file of the workspace by the one spelling that it has: two paths that differ name two
    files.

    ``parse`` reads what somebody typed or sent, ``listed`` what the folder itself says: an editor
    may have named a file in ways that nobody may send.

    >>> NotePath.parse("bank/world.md").text
    'bank/world.md'
    >>> NotePath.parse("./bank//world.md")
    Traceback (most recent call last):
    lpm_kernel.errors.InvalidInputError: “./bank//world.md” is not a file of the workspace.
    """

    text: str

    @classmethod
    def parse(cls, text: str) -> NotePath:
        """Read a path that was sent. Raises ``InvalidInputError`` for every spelling but the
        one.
        """
        path = cls.listed(text)
        *folders, _ = text.split("/")
        # its refusal would tell that the note is there
        below_a_note = any(folder.lower().endswith(".md") for folder in folders)
        if (
            below_a_note
            or not unicodedata.is_normalized("NFC", text)
            or not all(map(_is_plain, text.split("/")))
        ):
            raise _no_file(text)
        return path

    @classmethod
    def listed(cls, text: str) -> NotePath:
        """Take a path as the folder gives it. Raises ``InvalidInputError`` for one that leads
        elsewhere or around.
        """
        parts = text.split("/")
        if not all(map(_is_part, parts)) or PurePosixPath(parts[-1]).suffix.lower() != ".md":
            raise _no_file(text)
        return cls(text)

    @property
    def key(self) -> str:
        """What file systems that ignore case, forms of letters or invisible signs take it for.

        >>> NotePath.parse("Bank/World.md").key == NotePath.parse("bank/world.MD").key
        True
        """
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", self.text).casefold())
        return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")

    @property
    def stem(self) -> str:
        """Its name without the ending."""
        return PurePosixPath(self.text).stem

    def __str__(self) -> str:
        return self.text


def _is_part(part: str) -> bool:
    """Tell whether a folder or a file may be called that, here and on the disk. Hidden ones are
    nobody's notes.
    """
    # halves of surrogate pairs are no text
    whole = part.encode("utf-8", "replace").decode() == part
    return (
        bool(part)
        and not part.startswith(".")
        and "\0" not in part
        and whole
        and len(part.encode()) <= LONGEST_NAME
    )


def _is_plain(part: str) -> bool:
    """Tell whether every file system keeps a name as it is sent, and takes it for nothing else."""
    odd = any(sign in "\\:" or unicodedata.category(sign) in {"Cc", "Zl", "Zp"} for sign in part)
    return not odd and part == part.strip().rstrip(".")


def _no_file(text: str) -> InvalidInputError:
    shown = text.encode("utf-8", "replace").decode()[:LONGEST_NAME]
    return InvalidInputError(
        f"“{shown}” is not a file of the workspace.",
        "Give a Markdown file in it, such as memory.md or bank/world.md.",
    )


@dataclass(frozen=True)
class Stamp:
    """What tells without reading that a file was not changed since."""

    changed_ns: int
    size: int
    inode: int


class Workspace(Protocol):
    """The folder itself. Paths are relative, with ``/``."""

    def make(self) -> bool:
        """Create what is missing of the folders. ``True``: there was no workspace before."""
        ...

    def listing(self) -> dict[str, Stamp]:
        """Return every Markdown file; hidden folders, and links to elsewhere, are left out."""
        ...

    def read(self, path: str) -> bytes | None:
        """Return a file, or ``None`` where there is none."""
        ...

    def write(self, path: str, data: bytes, was: bytes | None) -> bool:
        """Write a file, whole or not at all, where it still reads as it ``was`` (``None``: there is
        none). ``False``: somebody else changed it.
        """
        ...

    def remove(self, path: str, was: bytes) -> bool:
        """Remove a file that still reads as it ``was``."""
        ...
