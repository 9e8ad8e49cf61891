"""``lpm peer run`` and ``lpm relay``: keeps the process that listens running by itself, and starts
it again on the same address when it dies.

It reads no database and imports no heavy library. When it goes, the process that listens sees its
standard input end, and goes too.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Final

from lpm_kernel.config import Home
from lpm_kernel.errors import ConflictError, HomeLockedError, UnavailableError
from lpm_kernel.usecases.processes import running
from lpm_kernel.usecases.share import passing, reach

LONGEST_PAUSE: Final = 15.0
Announce = Callable[[list[str]], None]
"""What gets the addresses each time that it begins to listen."""
Run = tuple[str, list[str], str]
"""The module of a process, what it is told, and the first line of its standard input."""
_MODULE: Final = "lpm_kernel.peer.process"


def keep(home: Home, host: str, port: int, announce: Announce, passphrase: str = "") -> None:
    """Keep a host running until SIGINT or SIGTERM; ``announce`` gets its addresses each time.

    Raises ``HomeLockedError`` when one runs already, ``ConflictError`` where it cannot listen or
    the keys do not open, and ``UnavailableError`` without libp2p.
    """
    if find_spec("libp2p") is None:
        raise UnavailableError(
            "The part that talks to other nodes is not installed.",
            "Run `make setup` again; it installs libp2p.",
        )
    home.make()
    if (other := dict(running(home)).get("peer")) is not None:
        raise HomeLockedError(other)

    def begin(at: int) -> Run:
        return _MODULE, [str(home.root), host, str(at)], passphrase

    def refuse(status: int, said: dict[str, Any], at: int) -> None:
        _refuse(status, said, host, at, dict(running(home)).get("peer", 0))

    _keep(begin, port, announce, refuse)


def keep_open(
    module: str, arguments: Sequence[str], host: str, port: int, announce: Announce
) -> None:
    """Keep a host that anybody may come to running until SIGINT or SIGTERM, from a module that
    takes a folder, an interface, a port, and the rest of its ``arguments``.

    Raises ``ConflictError`` where it cannot listen, and ``UnavailableError`` without libp2p.
    """
    if find_spec("libp2p") is None:
        raise UnavailableError(
            "The part that talks to other nodes is not installed.",
            "Run `make setup` again; it installs libp2p.",
        )
    folder, *rest = arguments

    def begin(at: int) -> Run:
        return module, [folder, host, str(at), *rest], ""

    def refuse(status: int, said: dict[str, Any], at: int) -> None:
        _refuse(status, said, host, at, 0)

    _keep(begin, port, announce, refuse)


def _keep(
    begin: Callable[[int], Run],
    port: int,
    announce: Announce,
    refuse: Callable[[int, dict[str, Any], int], None],
) -> None:
    """Run it, and again when it dies, at the port where it was; ``refuse`` raises what starting it
    again would not help.
    """
    stop = threading.Event()
    current: list[subprocess.Popen[str]] = []

    def end(*_: object) -> None:
        stop.set()
        for each in current:
            each.terminate()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    deaths = 0
    while not stop.is_set():
        began = time.monotonic()
        status, said = _once(begin(port), announce, stop, current)
        port = int(said.get("port", port))  # it comes back where it was
        if stop.is_set():
            return
        refuse(status, said, port)
        deaths = deaths + 1 if time.monotonic() - began < LONGEST_PAUSE else 1
        print(f"The host ended ({status}); it is started again.", file=sys.stderr, flush=True)  # noqa: T201  a log line of a process of its own
        stop.wait(min(LONGEST_PAUSE, 0.2 * 2 ** (deaths - 1)))


def _once(
    run: Run,
    announce: Announce,
    stop: threading.Event,
    current: list[subprocess.Popen[str]],
) -> tuple[int, dict[str, Any]]:
    """Run it until it ends. Gives its status, and what it said: where it listens, and why it ended
    where it knew.
    """
    module, arguments, passphrase = run
    command = [sys.executable, "-m", module, *arguments]
    said: dict[str, Any] = {}
    with subprocess.Popen(  # noqa: S603  our own command
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        current[:] = [child]
        if stop.is_set():
            child.terminate()
        passing.give(child, passphrase)
        for line in child.stdout or ():
            fresh = _read(line)
            said.update(fresh)
            if "addresses" in fresh:
                announce(fresh["addresses"])
        return child.wait(), said


def _read(line: str) -> dict[str, Any]:
    """Read what the host says on its standard output; a library may say something there too."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _refuse(status: int, said: dict[str, Any], host: str, port: int, other: int) -> None:
    """Raise what starting it again would not help."""
    if status == reach.TAKEN:
        raise ConflictError(
            f"The node cannot listen at {host}, port {port}.",
            "Another program may be using it. Choose another port with --port.",
        )
    if status == reach.HELD:
        raise HomeLockedError(other)
    if status == reach.REFUSED:
        raise ConflictError(str(said.get("refused", "")), str(said.get("hint", "")))
