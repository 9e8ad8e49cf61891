"""Readers that learned further from the person's verdicts: kept in the home, one of them in use or
none, and gone with what they learned from.

Each has a folder with its weights, its lineage, and whatever is built of the weights; the lineage
has ids, hashes and figures, never words. A folder appears whole, and the file that names the one in
use is replaced whole, so whoever is killed at any moment leaves what was in use before.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from lpm_kernel.config import HOST_READS, Home
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.usecases.processes import alone

WEIGHTS, LINEAGE, IN_USE = "reader.npz", "lineage.json", "in-use"
LEARNING: Final = "learning"
"""The folder in which one learns; it has the words of its examples, as numbers."""
LOCK: Final = "reader"
"""What is held by the process that learns (`usecases.processes.alone`)."""
PLAN: Final = "plan.json"
"""What is learned there, and from which turns and documents."""
_ID: Final = re.compile(r"r_[0-9a-f]{8}")


@dataclass(frozen=True)
class LearnedReader:
    """A reader that learned further, and what it came from."""

    id: str
    made_at: str
    base: str
    """The hash of the reader that it started from."""
    weights: str
    """The hash of its own."""
    examples: Mapping[str, int]
    """How many there were of each kind."""
    sources: Sequence[Mapping[str, Any]]
    """Turns, conversations and documents that it learned from or was examined on, by id."""
    recipe: Mapping[str, Any]
    figures: Mapping[str, Mapping[str, Mapping[str, float]]]
    """``own`` and ``papers`` → ``shipped`` and ``learned`` → a measure → its figure."""
    reasons: tuple[str, ...]
    """Why it may not be used; empty: it may."""

    @property
    def usable(self) -> bool:
        """Whether nothing got worse."""
        return not self.reasons


def in_use(home: Home) -> Path | None:
    """Return the weights of the reader in use; ``None``: the one that the node ships."""
    try:
        name = (home.readers / IN_USE).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    place = home.readers / name / WEIGHTS
    return place if _ID.fullmatch(name) and place.is_file() else None


def served(home: Home) -> str:
    """Return what the model host serves as the reader: a class, and after ``=`` weights of its
    own.
    """
    weights = in_use(home)
    return HOST_READS if weights is None else f"{HOST_READS}={weights}"


def every(home: Home) -> list[LearnedReader]:
    """Return the readers that are kept, the newest first; a folder without a lineage is none."""
    found = [reader for place in _folders(home) if (reader := _read(place)) is not None]
    return sorted(found, key=lambda reader: (reader.made_at, reader.id), reverse=True)


def get(home: Home, identifier: str) -> LearnedReader:
    """Return one. Raises ``NotFoundError``."""
    known = _read(home.readers / identifier) if _ID.fullmatch(identifier) else None
    if known is None:
        raise NotFoundError("reader", identifier)
    return known


def fresh_id() -> str:
    """Draw the id of a reader that is about to be kept."""
    return f"r_{secrets.token_hex(4)}"


def keep(home: Home, reader: LearnedReader, weights: Path) -> None:
    """Keep a reader with its lineage, whole or not at all. Of one that may not be used the figures
    are kept, and not the weights.
    """
    staged = home.readers / f".new-{reader.id}"
    staged.mkdir(mode=0o700)
    if reader.usable:
        shutil.copyfile(weights, staged / WEIGHTS)
        _sync(staged / WEIGHTS)
    write(staged / LINEAGE, json.dumps(asdict(reader), ensure_ascii=False, indent=1))
    staged.replace(home.readers / reader.id)
    _sync(home.readers)


def use(home: Home, reader: LearnedReader, base: str) -> None:
    """Have a reader read from now on. Raises ``ConflictError`` where it may not, because it got
    worse or belongs to another release.
    """
    if not reader.usable:
        raise ConflictError(
            f"This reader reads worse than the shipped one: {', '.join(reader.reasons)}.",
            "Judge more answers, and let it learn again: `lpm reader learn`.",
        )
    if reader.base != base:
        raise ConflictError(
            "This reader was taught from that of another release.",
            "Let it learn again: `lpm reader learn`.",
        )
    weights = home.readers / reader.id / WEIGHTS
    if not weights.is_file() or hash_of(weights) != reader.weights:
        raise ConflictError(
            "The weights of this reader are damaged or not here.",
            "Let it learn again: `lpm reader learn`.",
        )
    write(home.readers / IN_USE, reader.id)


def reset(home: Home) -> bool:
    """Have the reader read that the node ships. ``False``: it did already."""
    was = in_use(home) is not None
    (home.readers / IN_USE).unlink(missing_ok=True)
    return was


def resting_on(home: Home, ids: Collection[str]) -> list[LearnedReader]:
    """Return the readers that learned from any of these documents or conversations."""
    return [reader for reader in every(home) if any(map(_touches(ids), reader.sources))]


def drop(home: Home, gone: Callable[[Mapping[str, Any]], bool]) -> list[str]:
    """Delete the readers that learned from a source that is gone, with everything that was built
    of them, and what is being learned from one. Doing it twice is doing it once.
    """
    doomed = [reader.id for reader in every(home) if any(gone(source) for source in reader.sources)]
    for identifier in doomed:
        if in_use(home) == home.readers / identifier / WEIGHTS:
            reset(home)
        shutil.rmtree(home.readers / identifier, ignore_errors=True)
    learning = home.readers / LEARNING
    if learning.exists() and any(gone(source) for source in planned(learning)):
        (learning / PLAN).unlink(missing_ok=True)  # whoever learns there sees that it is over
        shutil.rmtree(learning, ignore_errors=True)
    return doomed


def drop_resting_on(home: Home, ids: Collection[str]) -> list[str]:
    """Delete what learned from any of these documents or conversations."""
    return drop(home, _touches(ids))


def sweep(home: Home, base: str, gone: Callable[[Mapping[str, Any]], bool]) -> list[str]:
    """Delete what learned from a source that is gone and what a killed process left half, and put
    one out of use that belongs to another release. Returns the ids of those that are gone.
    """
    with suppress(ConflictError), alone(home, LOCK, ""):  # whoever learns is writing just now
        for place in (*home.readers.glob(".new-*"), *_folders(home), home.readers / LEARNING):
            known = planned(place) if place.name == LEARNING else _read(place)
            if not known:  # nobody knows what it learned from
                shutil.rmtree(place, ignore_errors=True)
    dropped = drop(home, gone)
    used = in_use(home)
    if used is None:
        (home.readers / IN_USE).unlink(missing_ok=True)
    elif get(home, used.parent.name).base != base:
        reset(home)
    return dropped


def planned(learning: Path) -> Sequence[Mapping[str, Any]]:
    """Return what is learned from in a folder; of a plan that cannot be read nothing is known."""
    try:
        plan = json.loads((learning / PLAN).read_text("utf-8"))
        return list(plan["sources"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def write(path: Path, text: str) -> None:
    """Write a file, whole or not at all, and on disk before it returns."""
    fresh = path.with_name(f"{path.name}.new")
    fresh.write_text(text, "utf-8")
    fresh.chmod(0o600)
    _sync(fresh)
    fresh.replace(path)
    _sync(path.parent)


def hash_of(path: Path) -> str:
    """Return the hash of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _touches(ids: Collection[str]) -> Callable[[Mapping[str, Any]], bool]:
    wanted = set(ids)
    return lambda source: (
        not wanted.isdisjoint((source.get("conversation"), *source.get("documents", ())))
    )


def _folders(home: Home) -> Iterator[Path]:
    return home.readers.glob("r_*") if home.readers.is_dir() else iter(())


def _read(place: Path) -> LearnedReader | None:
    try:
        row = json.loads((place / LINEAGE).read_text("utf-8"))
        reader = LearnedReader(**{**row, "reasons": tuple(row["reasons"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return reader if reader.id == place.name else None


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
