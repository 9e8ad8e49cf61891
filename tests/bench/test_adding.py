"""What adding costs, and what the kernel takes while it runs. Ratios of one run; processor seconds,
not wall clock.
"""

from __future__ import annotations

import os
import random
import re
import resource
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tests.lives import LIVES, SAMPLE
from tests.processes import RunningNode

MEGABYTE = 1_000_000
CPU_SECONDS = 150.0
AGAIN = 0.02
HELP_SECONDS = 0.3
START_SECONDS = 5.0
RESIDENT = 400e6


def notes(folder: Path, size: int, seed: int = 7) -> int:
    """Write English notes of about ``size`` bytes: sentences of the invented lives, reshuffled and
    with words exchanged.
    """
    dice = random.Random(seed)
    text = " ".join(
        path.read_text("utf-8") for life in (LIVES, SAMPLE) for path in sorted(life.rglob("*.md"))
    )
    sentences = [s for s in re.split(r"(?<=[.!?])\s+", text) if s.isascii() and 20 < len(s) < 300]
    words = sorted({word for s in sentences for word in re.findall(r"[a-z]{4,}", s)})
    folder.mkdir(parents=True)
    written = number = 0
    while written < size:
        paragraphs = [
            " ".join(
                " ".join(
                    (
                        dice.choice(words)
                        if re.fullmatch(r"[a-z]{4,}", w) and dice.random() < 0.3
                        else w
                    )
                    for w in dice.choice(sentences).split()
                )
                for _ in range(dice.randint(3, 6))
            )
            for _ in range(20)
        ]
        page = f"# Note {number}\n\n" + "\n\n".join(paragraphs) + "\n"
        (folder / f"note-{number}.md").write_text(page)
        written += len(page)
        number += 1
    return written


def cpu_of(*command: str, **settings: str) -> float:
    """Return the processor seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "lpm_kernel", *command],
        env=os.environ | settings,
        capture_output=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_adding_a_megabyte_and_adding_it_again(tmp_path: Path) -> None:
    size = notes(tmp_path / "notes", MEGABYTE)
    first = (
        cpu_of("add", str(tmp_path / "notes"), LPM_HOME=str(tmp_path / "home")) * MEGABYTE / size
    )
    again = (
        cpu_of("add", str(tmp_path / "notes"), LPM_HOME=str(tmp_path / "home")) * MEGABYTE / size
    )
    print(
        f"\nadding 1 MB of notes: {first:.0f} cpu-seconds (target {CPU_SECONDS:.0f}); again:"
        f" {again / first:.2%} of that (target {AGAIN:.0%})"
    )
    assert first <= CPU_SECONDS
    assert again / first <= AGAIN


def test_the_command_is_quick_to_help() -> None:
    cpu_of("--help")
    best = min(_wall("--help") for _ in range(5))
    print(f"\nlpm --help: {best:.2f} s (target {HELP_SECONDS} s)")
    assert best < HELP_SECONDS


def test_a_warm_start_and_what_the_kernel_takes(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    notes(tmp_path / "notes", 3_100_000)
    node = RunningNode(tmp_path / "home", port)
    subprocess.run(
        [sys.executable, "-m", "lpm_kernel", "add", str(tmp_path / "notes")],
        env=node.environment,
        capture_output=True,
        check=True,
    )
    began = time.monotonic()
    with node:
        node.ask("GET", "/")
        ready = time.monotonic() - began
        chunks = node.ask("GET", "/api/status").json()["chunks"]
        for _ in range(5):
            node.ask(
                "POST",
                "/api/recall",
                json={"query": "what about the glue and the rain?", "explain": True},
            )
        assert node.process is not None
        supervisor = psutil.Process(node.process.pid)
        kernel = [
            supervisor,
            *(
                child
                for child in supervisor.children()
                if "lpm_kernel.backends.llm.host" not in child.cmdline()
            ),
        ]
        resident = sum(process.memory_info().rss for process in kernel)
    print(
        f"\nwarm start to a usable page: {ready:.1f} s (target {START_SECONDS} s); kernel without"
        f" the model host at {chunks} chunks: {resident / 1e6:.0f} MB (target"
        f" {RESIDENT / 1e6:.0f} MB)"
    )
    assert chunks >= 10_000
    assert ready < START_SECONDS
    assert resident < RESIDENT


def _wall(*command: str) -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-m", "lpm_kernel", *command], capture_output=True, check=True)
    return time.monotonic() - began
