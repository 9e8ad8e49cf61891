"""Learning on a fast disk where the home lies on a slow one: what is read is copied there, and the
adapter comes back, whole or not at all.

What lies there is plain text, readable by its owner alone; it goes when the training is over, and
with what is erased (`usecases/training/sweeping.py`).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lpm_kernel.domain.training.runs import LOG, Learned, Trainer
from lpm_kernel.errors import TrainingFailedError

LEARNED = ("examples.jsonl", "held_out.jsonl", "recipe.json")
PREFERRED = ("pairs.jsonl", "pairs_held_out.jsonl", "dpo.json")
TOLD = ("progress.jsonl", "samples.jsonl", "margins.jsonl", LOG)
"""Files that are looked at while it learns."""
COPIED = "copied.json"
"""Stands in a folder there once all that is read has come, with the hashes of it."""


class ScratchTrainer:
    """Has another trainer learn in ``folder``."""

    def __init__(self, inner: Trainer, folder: Path) -> None:
        self._inner, self._folder = inner, folder
        self.id = inner.id

    def measure(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Measure there what the whole would need there."""
        place = self._there(run, "sft", LEARNED)
        found = self._inner.measure(place, said)
        if (place / "estimate.json").exists():
            bring_file(place / "estimate.json", run / "estimate.json")
        return found

    def learn(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Learn there, going on from what is there, and bring the adapter back."""
        if (run / "outcome.json").exists():
            return self._inner.learn(run, said)
        place = self._there(run, "sft", LEARNED)
        with _watched(place, place, run, said) as told:
            found = self._inner.learn(place, told)
        _take_home(place, run)
        _clear(place.parent)
        return found

    def prefer(self, run: Path, said: Callable[[Learned], None]) -> Mapping[str, Any]:
        """Learn from pairs there, in the same way."""
        home = run / "dpo"
        home.mkdir(exist_ok=True)
        if (home / "outcome.json").exists():
            return self._inner.prefer(run, said)
        place = self._there(run, "dpo", PREFERRED)
        with _watched(place, place / "dpo", home, said) as told:
            found = self._inner.prefer(place, told)
        _take_home(place / "dpo", home)
        _clear(place.parent)
        return found

    def export(self, adapter: Path, target: Path, base: Path, name: str) -> None:
        """Write the adapter from the home into the home: it is small, and is written once."""
        self._inner.export(adapter, target, base, name)

    def merge(
        self,
        run: Path,
        base: Path,
        target: Path,
        kind: str,
        scale: float,
        said: Callable[[Learned], None],
    ) -> Path:
        """Write a whole model where it is to lie."""
        return self._inner.merge(run, base, target, kind, scale, said)

    def _there(self, run: Path, part: str, names: tuple[str, ...]) -> Path:
        """Return the folder there, with all that is read; what was learned there before stays
        unless something else is to be learned.
        """
        place = self._folder / run.name / part
        sources = {name: run / name for name in names}
        if part == "dpo":
            sources |= {f"adapter/{file.name}": file for file in (run / "adapter").iterdir()}
        elif start := json.loads((run / "recipe.json").read_text("utf-8")).get("start"):
            sources |= {f"start/{file.name}": file for file in Path(start).iterdir()}
        hashes = {name: hash_of(file) for name, file in sources.items()}
        noted = place / COPIED
        if noted.exists() and json.loads(noted.read_text("utf-8")) == hashes:
            return place
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True, mode=0o700)
        for name, file in sources.items():
            (place / name).parent.mkdir(exist_ok=True)
            copy_file(file, place / name)
        _leave_start(place)
        kept, learning = (run / "dpo", place / "dpo") if part == "dpo" else (run, place)
        if (kept / "checkpoints").is_dir():  # of one that was stopped
            shutil.copytree(kept / "checkpoints", learning / "checkpoints")
            for name in TOLD:
                if (kept / name).exists():
                    shutil.copyfile(kept / name, learning / name)
        if (run / "estimate.json").exists():
            shutil.copyfile(run / "estimate.json", place / "estimate.json")
        fresh = noted.with_suffix(".part")  # half of it would be read by who goes on
        fresh.write_text(json.dumps(hashes), "utf-8")
        fresh.replace(noted)
        return place


@contextmanager
def _watched(
    place: Path, learning: Path, home: Path, said: Callable[[Learned], None]
) -> Iterator[Callable[[Learned], None]]:
    """Show in the home what is told there. One that is stopped leaves its checkpoints in the home,
    and nothing in ``place``.
    """

    def told(learned: Learned) -> None:
        _mirror(learning, home)
        said(learned)

    try:
        yield told
    except BaseException:
        if home.is_dir():  # else it was erased meanwhile
            _mirror(learning, home)
        if home.is_dir() and (learning / "checkpoints").is_dir():
            bring(learning / "checkpoints", home / "checkpoints")
        _clear(place.parent)
        raise
    _mirror(learning, home)


def _clear(place: Path) -> None:
    """Remove a folder at once, and then what is in it: half of it is never taken for whole."""
    gone = place.with_name(f"gone_{place.name}")
    shutil.rmtree(gone, ignore_errors=True)
    if place.is_dir():  # else it was erased meanwhile
        place.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def _take_home(learning: Path, home: Path) -> None:
    """Put the adapter into the home, and then what came of it. Raises ``TrainingFailedError`` where
    the training was erased meanwhile.
    """
    if not home.is_dir():
        raise TrainingFailedError("This training was erased.", "Prepare another one.")
    bring(learning / "adapter", home / "adapter")
    if (learning / "outcome.json").exists():
        bring_file(learning / "outcome.json", home / "outcome.json")
    shutil.rmtree(home / "checkpoints", ignore_errors=True)


def _leave_start(place: Path) -> None:
    """Have the recipe go on from the copy."""
    recipe = place / "recipe.json"
    if (place / "start").is_dir():
        known = json.loads(recipe.read_text("utf-8"))
        recipe.write_text(json.dumps({**known, "start": str(place / "start")}), "utf-8")


def _mirror(place: Path, home: Path) -> None:
    """Copy the files that are looked at, where they grew."""
    for name in TOLD:
        source, target = place / name, home / name
        if source.exists() and (
            not target.exists() or source.stat().st_size != target.stat().st_size
        ):
            bring_file(source, target)


def bring_file(source: Path, target: Path) -> None:
    """Put a copy of a file in its place, whole or not at all."""
    part = target.with_name(f"{target.name}.part")
    shutil.copyfile(source, part)
    part.chmod(0o600)
    part.replace(target)


def bring(source: Path, target: Path) -> None:
    """Put a copy of a folder in its place, with the same hashes and on the disk, or leave what is
    there. Raises ``TrainingFailedError``.
    """
    fresh, before = (target.with_name(f".{target.name}.{which}") for which in ("new", "before"))
    if before.exists() and not target.exists():
        before.rename(target)  # killed between the two below
    for leftover in (fresh, before):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir()  # nothing above it: what was erased meanwhile does not come back
    for file in sorted(path for path in source.rglob("*") if path.is_file()):
        folder = fresh
        for part in file.relative_to(source).parts[:-1]:
            folder = folder / part
            folder.mkdir(exist_ok=True)
        copy_file(file, folder / file.name)
    if target.exists():
        target.rename(before)
    fresh.rename(target)
    shutil.rmtree(before, ignore_errors=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file onto the disk and read it again. Raises ``TrainingFailedError``."""
    shutil.copyfile(source, target)
    handle = os.open(target, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
    if hash_of(source) != hash_of(target):
        raise TrainingFailedError(
            "A file did not arrive as it was sent.",
            "Look after the disk, and continue; the training that was there before is kept.",
        )


def hash_of(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
