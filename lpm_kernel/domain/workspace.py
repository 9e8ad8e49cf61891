"""The workspace: a folder of Markdown that holds the person's statements, to be read and written with any editor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Protocol

CORE = "memory.md"
BANK = {"world": "bank/world.md", "experience": "bank/experience.md", "opinion": "bank/opinions.md", "observation": "bank/observations.md"}
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
"""What a new workspace begins with, by path. ``memory/``, ``bank/entities/`` and ``bank/topics/`` are empty folders then."""
FOLDERS = ("memory", "bank", ENTITIES, TOPICS)


def topic_path(topic: str) -> str:
    """Name the page of a topic."""
    return f"{TOPICS}/{topic}.md"


def daily(day: date) -> str:
    """Name the file of a day.

    >>> daily(date(2026, 11, 21))
    'memory/2026-11-21.md'
    """
    return f"memory/{day.isoformat()}.md"


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
        """Write a file, whole or not at all, where it still reads as it ``was`` (``None``: there is none). ``False``: somebody else changed it."""
        ...

    def remove(self, path: str, was: bytes) -> bool:
        """Remove a file that still reads as it ``was``."""
        ...
