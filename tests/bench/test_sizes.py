"""Many megabytes of mixed files: what ingesting costs beside reading and embedding alone, and what
it holds in memory.

``LPM_BENCH_MB`` says how many megabytes (10 when it is not given); ``LPM_BENCH_EMBEDDER=minilm``
embeds with the model that a home has, not with the hashing twin.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
import statistics
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from functools import partial
from pathlib import Path
from typing import Self

import docx
import psutil

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import DocumentState
from lpm_kernel.domain.ports import Embedder, TokenEmbedder
from lpm_kernel.domain.stores import Reader
from lpm_kernel.L0.text.chunks import chunks
from lpm_kernel.L0.text.masking import sanitise
from lpm_kernel.node import Node
from tests.bench.test_adding import notes

MEGABYTE = 1_000_000
RATIO = 1.15
RESIDENT = 400e6
GROUP = 16
"""Files that are ingested, and then read alone, before the next: whatever else the machine does
meanwhile slows both.
"""
QUESTIONS = (
    "What about the glue and the rain?",
    "Who painted the sign?",
    "When did the van come?",
    "oil varnish",
    "humidity in the long room",
) * 8


def mixed(folder: Path, size: int, seed: int = 11) -> int:
    """Write about ``size`` bytes: half of it notes, the rest mail, pages, tables, conversations,
    Word files and an archive.
    """
    dice = random.Random(seed)
    written = notes(folder / "notes", size // 2, seed)
    words = (
        " ".join(path.read_text("utf-8") for path in sorted((folder / "notes").glob("*.md"))[:20])
        .replace("#", "")
        .split()
    )
    say: Callable[[int], str] = lambda count: " ".join(dice.choice(words) for _ in range(count))  # noqa: E731  said in a dozen places below
    number = 0
    while written < size:
        number += 1
        for name, data in _files(dice, say, number):
            (folder / name).write_bytes(data)
            written += len(data)
    return written


def _files(
    dice: random.Random, say: Callable[[int], str], number: int
) -> Iterator[tuple[str, bytes]]:
    message = EmailMessage()
    message["From"], message["To"], message["Date"] = (
        "Mai Kurose <mai@example.org>",
        "nagi@example.org",
        f"Tue, {1 + number % 28} Nov 2025 01:42:00 +0900",
    )
    message["Subject"] = say(5)
    message.set_content("\n\n".join(say(60) for _ in range(30)))
    yield f"mail-{number}.eml", message.as_bytes()
    page = "".join(f"<h2>{say(4)}</h2><p>{say(70)}</p>" for _ in range(40))
    yield f"page-{number}.html", f"<!doctype html><title>{say(3)}</title>{page}".encode()
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(["date", "place", "km", "note"])
    rows.writerows(
        [f"2024-{1 + row % 12:02d}-{1 + row % 28:02d}", say(1), row, say(12)] for row in range(400)
    )
    yield f"table-{number}.csv", table.getvalue().encode()
    turns = [
        {
            "id": f"{number}-{turn}",
            "text": say(30),
            "speaker": dice.choice("AB"),
            "timestamp": "2024-04-07T20:30:00",
            "session": f"S{turn // 20}",
        }
        for turn in range(150)
    ]
    yield f"talk-{number}.jsonl", "\n".join(json.dumps(turn) for turn in turns).encode()
    document = docx.Document()
    for _ in range(40):
        document.add_paragraph(say(60))
    word = io.BytesIO()
    document.save(word)
    yield f"word-{number}.docx", word.getvalue()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for inner in range(3):
            archive.writestr(f"packed-{number}-{inner}.md", "\n\n".join(say(60) for _ in range(20)))
    yield f"packed-{number}.zip", packed.getvalue()


def alone(reader: Reader, embedder: Embedder, name: str, data: bytes) -> int:
    """Read, cut and embed a file and keep nothing; returns its passages."""
    kind = reader.kind(name, data[:16_384])
    if kind.value == "archive":
        return sum(
            alone(reader, embedder, member.name, member.data)
            for member in reader.members(name, data)
        )
    made = chunks(DocumentId(name), reader.version, sanitise(reader.read(name, kind, data)), None)
    for start in range(0, len(made), 64):
        texts = [chunk.content for chunk in made[start : start + 64]]
        _ = (
            embedder.embed_tokens(texts)
            if isinstance(embedder, TokenEmbedder)
            else embedder.embed(texts)
        )
    return len(made)


class Spent:
    """Adds up what is done in it: seconds on the clock, and of this process's processor."""

    seconds = processor = 0.0

    def __enter__(self) -> None:
        self.seconds -= time.perf_counter()
        self.processor -= time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter()
        self.processor += time.process_time()


class Watched:
    """Notes the largest resident memory of this process and of the one in which files are read."""

    def __init__(self) -> None:
        self.peak = self.child = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        this = psutil.Process()
        while not self._done.wait(0.05):
            self.peak = max(self.peak, this.memory_info().rss)
            for child in this.children():
                try:
                    self.child = max(self.child, child.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue


def test_mixed_files_cost_little_more_than_reading_and_embedding_them(
    tmp_path: Path, home: Path
) -> None:
    megabytes = int(os.environ.get("LPM_BENCH_MB", "10"))
    size = mixed(tmp_path / "files", megabytes * MEGABYTE)
    paths = sorted(path for path in (tmp_path / "files").rglob("*") if path.is_file())
    embedder: Embedder = HashingEmbedder()
    if os.environ.get("LPM_BENCH_EMBEDDER") == "minilm":
        from lpm_kernel.backends.embed.minilm import MiniLmEmbedder

        embedder = MiniLmEmbedder()
    with Node.open(home, embedder=embedder) as node:
        node.library.add_text("Something to begin with.")
        node.run_jobs()
        assert node.models.embedder is not None
        before = psutil.Process().memory_info().rss
        ingesting, bare, counted = Spent(), Spent(), 0
        with Watched() as watched:
            for start in range(0, len(paths), GROUP):
                group = paths[start : start + GROUP]
                for path in group:
                    node.library.add_bytes(path.name, path.read_bytes())
                with ingesting:
                    node.run_jobs()
                with bare:
                    counted += sum(
                        alone(node.ports.reader, node.models.embedder, path.name, path.read_bytes())
                        for path in group
                    )
        failed = [
            document.name
            for document in node.ports.documents.all()
            if document.state is not DocumentState.READY
        ]
        passages = node.ports.index.counts().chunks
        node.memory.warm()
        times = sorted(_timed(partial(node.memory.recall, question)) for question in QUESTIONS)
    print(
        f"\n{size / MEGABYTE:.0f} MB in {len(paths)} files, {passages:,} passages: with"
        f" {embedder.id}: ingest {ingesting.seconds:.1f} s, reading and embedding alone"
        f" {bare.seconds:.1f} s, ratio {ingesting.seconds / bare.seconds:.2f} (target {RATIO}), of"
        f" processor time {ingesting.processor / bare.processor:.2f},"
        f" {(ingesting.seconds - bare.seconds) / passages * 1e3:.2f} ms a passage more; peak"
        f" resident {watched.peak / 1e6:.0f} MB ({before / 1e6:.0f} MB before; target"
        f" {RESIDENT / 1e6:.0f} MB), the reading process {watched.child / 1e6:.0f} MB; recall p50"
        f" {statistics.median(times) * 1e3:.0f} ms, p95"
        f" {times[int(len(times) * 0.95)] * 1e3:.0f} ms"
    )
    assert failed == []
    assert counted > 0


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
