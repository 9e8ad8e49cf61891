"""What the home takes up, by kind of thing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lpm_kernel.config import Home

Kind = Literal[
    "originals", "texts", "memory", "index", "models", "backups", "archives", "logs", "other"
]
KINDS: tuple[Kind, ...] = (
    "originals",
    "texts",
    "memory",
    "index",
    "models",
    "backups",
    "archives",
    "logs",
    "other",
)
HASH = 64
"""Characters of the name of an original; what was made of it has more."""


@dataclass(frozen=True)
class Size:
    """What one kind of thing takes up."""

    id: Kind
    bytes: int
    files: int


def measure(home: Home) -> list[Size]:
    """Count bytes and files. A file that has two names (an original in a backup) counts once, where
    it was looked at first.
    """
    known: set[tuple[int, int]] = set()
    total: dict[Kind, list[int]] = {kind: [0, 0] for kind in KINDS}
    for path, size, identity in _files(home.root):
        if identity not in known:
            known.add(identity)
            of = total[kind_of(home, path)]
            of[0] += size
            of[1] += 1
    return [Size(kind, *total[kind]) for kind in KINDS]


def _files(root: Path) -> Iterator[tuple[Path, int, tuple[int, int]]]:
    """Yield every plain file, the originals before the backups that share them; what vanishes
    meanwhile is left out.
    """
    for folder, below, names in os.walk(root):
        below.sort(key=lambda name: (name == "backups", name))
        for name in names:
            path = Path(folder, name)
            with suppress(OSError):
                found = path.lstat()
                if stat.S_ISREG(found.st_mode):
                    yield path, found.st_size, (found.st_dev, found.st_ino)


def kind_of(home: Home, path: Path) -> Kind:
    """Say what a file of the home is.

    >>> home = Home(Path("/home"))
    >>> (kind_of(home, home.files / ("a" * 64)),
    ...  kind_of(home, home.files / ("a" * 64 + ".text-1.txt")),
    ...  kind_of(home, Path("/home/index.db-wal")))
    ('originals', 'texts', 'index')
    """
    first = path.relative_to(home.root).parts[0]
    if first == home.files.name:
        return (
            "other" if len(path.name) < HASH else "originals" if len(path.name) == HASH else "texts"
        )
    if first.startswith(home.index_db.name):
        return "index"
    if first.startswith((home.node_db.name, "audit.json")):
        return "memory"
    places: dict[str, Kind] = {
        home.models.name: "models",
        home.backups.name: "backups",
        home.exports.name: "archives",
        home.imports.name: "archives",
        home.logs.name: "logs",
    }
    return places.get(first, "other")
