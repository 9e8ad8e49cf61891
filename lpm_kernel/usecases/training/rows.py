"""Rows of a training in files: what is learned, what a model said, and how many there are."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Example, ExampleKind, Maker, Run

THOUGHTS = "thoughts.jsonl"
"""What a model that thinks said when it was asked for thoughts, by what it was asked."""
WORDINGS = "wordings.jsonl"
"""What a model said when it was asked for questions, by what it was asked."""


def examples_in(file: Path) -> Iterable[Example]:
    """Read rows as they were written."""
    if not file.exists():
        return
    for line in lines_in(file):
        row = json.loads(line)
        yield Example(
            ExampleKind(row["kind"]),
            row["question"],
            row["answer"],
            tuple(row["notes"]),
            tuple(MemoryId(each) for each in row["memories"]),
            Maker(row["maker"]),
            row.get("thought", ""),
            tuple(row.get("shipped", ())),
            row.get("searched", 0),
            row.get("asker", ""),
        )


def as_row(example: Example) -> dict[str, Any]:
    """Give an example as it is written and exported."""
    return {
        "id": example.id,
        "kind": example.kind.value,
        "question": example.question,
        "answer": example.answer,
        "notes": list(example.notes),
        "memories": list(example.memories),
        "maker": example.maker.value,
        **({"thought": example.thought} if example.thought else {}),
        **({"shipped": list(example.shipped)} if example.shipped else {}),
        **({"searched": example.searched} if example.searched else {}),
        **({"asker": example.asker} if example.asker else {}),
    }


def write_rows(file: Path, rows: Iterable[Example]) -> None:
    """Write rows, one on a line."""
    write_lines(file, map(as_row, rows))


def write_whole(file: Path, words: str) -> None:
    """Write a file for its owner alone; a kill leaves it as it was or as it is to be."""
    part = file.with_suffix(".part")
    part.write_text(words, "utf-8")
    part.chmod(0o600)
    part.replace(file)


def write_lines(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON, one value on a line; a kill leaves the file as it was or as it is to be."""
    write_whole(file, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def cut_off(file: Path) -> None:
    """Take away a last line that was not written to its end: what is appended would run on from
    it.
    """
    if file.exists():
        content = file.read_bytes()
        if not content.endswith(b"\n"):
            os.truncate(file, content.rfind(b"\n") + 1)


def lines_in(file: Path, errors: str = "strict") -> list[str]:
    """Read the lines of a file that may not be there; ``errors`` as ``Path.read_text`` has it."""
    # a text may hold other ends of lines, which JSON leaves as they are
    return file.read_text("utf-8", errors).rstrip("\n").split("\n") if _holds(file) else []


def _holds(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def wordings_in(place: Path, name: str = WORDINGS) -> dict[str, str]:
    """Read what a model said; a line that a kill cut short does not count."""
    found: dict[str, str] = {}
    if (place / name).exists():
        for line in lines_in(place / name, "replace"):
            with suppress(ValueError, KeyError):
                row = json.loads(line)
                found[row["key"]] = row["answer"]
    return found


def hash_of(file: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def rows_of(run: Run) -> int:
    """Count the rows that a training learns."""
    return sum(count for kind, count in run.rows.items() if kind != "held_out")


def lose_checkpoints(place: Path) -> None:
    """Remove what a stopped training would go on from: several times its weights, and of no use
    once it has learned.
    """
    for part in (place, place / "dpo"):
        shutil.rmtree(part / "checkpoints", ignore_errors=True)
