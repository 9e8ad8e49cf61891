"""The folder of a run: who may write there, its lines, and its checkpoints."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lpm_kernel.L2.recipes.loop.machine import is_first_process
from lpm_kernel.L2.settling import end_with_parent

STATE = "trainer_state.json"
"""What the trainer notes of itself in a checkpoint."""
WHOLE = "whole"
"""Stands in a checkpoint once all of it is written."""


@contextmanager
def alone(run: Path) -> Iterator[None]:
    """Be the only one that writes there, and do not outlive who started it: a worker that was
    killed leaves nobody behind. Of several processes of one training the first one holds the lock.
    """
    end_with_parent()
    with (run / "lock").open("w") as lock:
        if sys.platform != "win32" and is_first_process():
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def rows_in(file: Path) -> Iterator[Mapping[str, Any]]:
    """Read lines of JSON; a file that is not there has none."""
    if file.exists():
        # a text may hold other ends of lines, which JSON leaves as they are
        for line in file.read_text("utf-8").split("\n"):
            if line.strip():
                yield json.loads(line)


def append(file: Path, line: Mapping[str, Any]) -> None:
    """Add a line of JSON."""
    with file.open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(line, ensure_ascii=False) + "\n")


def cut_off(file: Path) -> None:
    """Take away a last line that was not written to its end: what is appended would run on from
    it.
    """
    if file.exists():
        content = file.read_bytes()
        if not content.endswith(b"\n"):
            os.truncate(file, content.rfind(b"\n") + 1)


def write(file: Path, content: Mapping[str, Any]) -> None:
    """Write a file of JSON, whole or not at all."""
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    part.replace(file)


def checkpoint(run: Path, step: int) -> Path:
    """Return where the checkpoint of a step lies."""
    return run / "checkpoints" / f"checkpoint-{step}"


def last_checkpoint(run: Path) -> Path | None:
    """Give the newest checkpoint that was written to its end; those that were not are put away."""
    found = sorted(
        (run / "checkpoints").glob("checkpoint-*"),
        key=lambda path: int(path.name.rpartition("-")[2]),
    )
    whole = [path for path in found if (path / WHOLE).exists()]
    for path in found:
        if path not in whole and is_first_process():
            shutil.rmtree(path, ignore_errors=True)
    return whole[-1] if whole else None


def state_of(checkpoint: Path) -> dict[str, Any]:
    """Read what the trainer noted of itself in a checkpoint."""
    known: dict[str, Any] = json.loads((checkpoint / STATE).read_text("utf-8"))
    return known


def copy_adapter(checkpoint: Path, target: Path) -> None:
    """Copy the adapter alone out of a checkpoint."""
    target.mkdir()
    for file in checkpoint.glob("adapter_*"):
        shutil.copy2(file, target)
