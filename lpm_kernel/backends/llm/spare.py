"""A second model host for a while, beside the one that serves: to try an embedder, to embed
everything with it anew, or to have another model think.
"""

from __future__ import annotations

import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lpm_kernel.backends.llm.launch import host_command, host_endpoint, read_where
from lpm_kernel.backends.llm.state import host_state
from lpm_kernel.domain.ports import Endpoint
from lpm_kernel.errors import EmbedderUnavailableError, ModelUnavailableError

LOAD_SECONDS = 60.0
"""A large file is read from the disk, and hashed, first."""
LOOK_SECONDS = 0.1
ENDS_WITHIN = 5.0


@contextmanager
def spare_host(home: Path, embedder: str, threads: int) -> Iterator[Endpoint]:
    """Serve an embedder from a process of its own that goes with this one. Raises
    ``EmbedderUnavailableError`` with what is wrong.

    A file that kills llama.cpp, or fills the memory, kills that process and nothing else.
    """
    with _spare(home, {"model": "none", "embedder": embedder}, threads, _EMBEDDER) as served:
        yield served


@contextmanager
def spare_model(home: Path, model: str, threads: int) -> Iterator[Endpoint]:
    """Serve a language model in the same way. Raises ``ModelUnavailableError`` with what is
    wrong.
    """
    with _spare(home, {"model": model, "embedder": "none"}, threads, _MODEL) as served:
        yield served


@dataclass(frozen=True)
class _Part:
    """What is served, and what is said where that fails."""

    name: Literal["model", "embedder"]
    error: type[EmbedderUnavailableError | ModelUnavailableError]


_EMBEDDER = _Part("embedder", EmbedderUnavailableError)
_MODEL = _Part("model", ModelUnavailableError)


@contextmanager
def _spare(home: Path, serves: dict[str, str], threads: int, part: _Part) -> Iterator[Endpoint]:
    folder = home / "run" / f"spare-{secrets.token_hex(4)}"
    folder.mkdir(parents=True, mode=0o700)
    command = [
        *host_command(folder, model=serves["model"], embedder=serves["embedder"], threads=threads),
        "--with-parent",
    ]
    process = subprocess.Popen(  # noqa: S603  our own command
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait(folder, process, Path(serves[part.name]).name, part)
        yield host_endpoint(folder)
    finally:
        process.terminate()
        try:
            process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(folder: Path, process: subprocess.Popen[bytes], name: str, part: _Part) -> None:
    until = time.monotonic() + LOAD_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise part.error(
                f"“{name}” fails while loading.",
                "It may be incomplete, of a newer kind, or larger than the memory.",
            )
        if read_where(folder) is not None:
            state, sentence = host_state(folder)[part.name]
            if state == "ready":
                return
            if state == "down":
                raise part.error(sentence, "Choose another file.")
        time.sleep(LOOK_SECONDS)
    raise part.error(
        f"“{name}” was not loaded within a minute.",
        "It may be too large for this machine; take a smaller one.",
    )
