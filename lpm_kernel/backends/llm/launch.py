"""Finding the model host of a home, and the command that starts it.

The host writes where it listens to `run/host.json` once it listens, and takes its key from
`keys/host-token`; both belong to the home, so the command line attaches to a running host as the
server does.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lpm_kernel.domain.ports import Endpoint
from lpm_kernel.errors import ModelUnavailableError

STARTS_WITHIN = 5.0
"""Seconds that a host is waited for which is about to start."""
LOOK_EVERY = 0.05


@dataclass(frozen=True)
class HostFile:
    """What `run/host.json` says."""

    port: int
    pid: int


def where_file(home: Path) -> Path:
    """Return the file that says where the host listens."""
    return home / "run" / "host.json"


def token(home: Path) -> str:
    """Return the host's key, made at first use and readable by the person alone."""
    path = home / "keys" / "host-token"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not _is_token(path):
        with _alone_in(path.parent):
            if not _is_token(path):  # another process may have been quicker
                _write_token(path)
    return path.read_text("ascii").strip()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes and threads that ask for the same out of a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # and with it the lock


def _write_token(path: Path) -> None:
    """Write a fresh key, whole or not at all, in place of what is none."""
    if path.is_dir():
        shutil.rmtree(path)
    fresh = path.with_name(f"host-token.{secrets.token_hex(4)}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as handle:
        handle.write(secrets.token_hex(32))
    fresh.replace(path)


def _is_token(path: Path) -> bool:
    try:
        return re.fullmatch(r"[0-9a-f]{64}", path.read_text("ascii").strip()) is not None
    except (OSError, UnicodeDecodeError):
        return False


def read_where(home: Path) -> HostFile | None:
    """Read where the host listens, if it ever said so. It may be dead since: a connection tells.
    That of the home which this one was copied from is not it.
    """
    try:
        known = json.loads(where_file(home).read_text("utf-8"))
        if known["home"] != str(home.resolve()):
            return None
        return HostFile(port=int(known["port"]), pid=int(known["pid"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_where(home: Path, port: int) -> None:
    """Say where this process listens, whole or not at all."""
    path = where_file(home)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f"host.{os.getpid()}.new")
    fresh.write_text(
        json.dumps({"port": port, "pid": os.getpid(), "home": str(home.resolve())}), "utf-8"
    )
    fresh.replace(path)


def host_endpoint(home: Path, awaited: Callable[[], bool] = lambda: False) -> Endpoint:
    """Return the running host of a home as an endpoint. Raises ``ModelUnavailableError`` when none
    has started.

    ``awaited``: whether somebody is about to start it, as where another model was chosen a moment
    ago; it is waited for then, not longer than :data:`STARTS_WITHIN`.
    """
    until = time.monotonic() + STARTS_WITHIN
    while (known := read_where(home)) is None and awaited() and time.monotonic() < until:
        time.sleep(LOOK_EVERY)
    if known is None:
        raise ModelUnavailableError(
            "The model host has not started.", "Start the node with `lpm start`."
        )
    return Endpoint(url=f"http://127.0.0.1:{known.port}/v1", key=token(home), host=True)


def host_command(
    home: Path,
    *,
    model: str,
    embedder: str,
    reader: str = "none",
    threads: int = 2,
    context: int = 4096,
) -> list[str]:
    """Return the command that starts the host of a home.

    ``model``: `bundled`, a path to a GGUF file, `scripted`, `scripted:FILE`, or `none`.
    ``embedder``, ``reader``: the class to serve, as `package.module:Name`, or `none`; it is named,
    not imported, because backends do not know each other. A reader may have weights of its own:
    `package.module:Name=FILE`.
    """
    options = [
        "--home",
        str(home),
        "--model",
        model,
        "--embedder",
        embedder,
        "--reader",
        reader,
        "--threads",
        str(threads),
        "--context",
        str(context),
    ]
    return [sys.executable, "-m", "lpm_kernel.backends.llm.host", *options]
