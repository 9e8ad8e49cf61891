"""``lpm start``: keeps the node's processes running, restarts what dies, and ends all of it
cleanly.

The supervisor itself stays small: it reads no database and imports no heavy library.
"""

from __future__ import annotations

import ctypes
import http.client
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from lpm_kernel.backends.llm.launch import host_command
from lpm_kernel.backends.vault.vault import SealedVault
from lpm_kernel.config import (
    HOST_SERVES,
    MODEL_WINDOW,
    Home,
    Settings,
    close_to_others,
    is_encrypted,
    reached_at,
    usable_settings,
)
from lpm_kernel.errors import HomeLockedError, NodeError, PortTakenError, UnavailableError
from lpm_kernel.usecases.home.integrity import ensure_whole
from lpm_kernel.usecases.home.locking import KEPT, HomeLock
from lpm_kernel.usecases.home.restore import finish
from lpm_kernel.usecases.processes import (
    address,
    announce,
    last_beat,
    named,
    running,
    running_as,
    withdraw,
)
from lpm_kernel.usecases.share import passing, reach
from lpm_kernel.usecases.training.readers import served

LOOK_EVERY = 0.25
READY_WITHIN = 60.0
ENDS_WITHIN = 10.0
NEXT_PORTS = 20
"""How many ports after the taken one are tried."""
LONGEST_PAUSE = 15.0
NOT_SOON = 300.0
"""Seconds until something is tried again that would not help now."""
OTHER_HOST_PAUSE = 2.0
SILENT_FOR = 60.0
"""Seconds without an answer, or a sign of life, after which a process is ended and started again.
LPM_SILENT_FOR names another number.
"""
ASK_EVERY = 5.0
"""Between two times that a process is asked; a third of what it may be silent for where that is
less.
"""
LOG_BYTES = 5_000_000
LOCKED_WITHIN = 600.0
"""Seconds in which the home is sealed, however large it is."""
UNLOCKED_SECONDS = 1.0
"""What whoever unlocked the home has to say so."""
_PR_SET_PDEATHSIG = 1


@dataclass
class Child:
    """One process that is kept running."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    deaths: int = 0
    not_before: float = field(default=0.0)
    wanted: bool = True
    held: bool = False
    """The first line of its standard input is the passphrase of the keys, empty where none is
    known. The host ends when that input does.
    """
    given: str = field(default="", repr=False)
    """The passphrase that it got so."""
    heard: float = 0.0
    """When it last answered or gave a sign of life."""
    sign: str | None = None
    """That sign."""


def run(home: Home, port: int | None) -> None:
    """Start everything, keep it running, and end it on SIGINT or SIGTERM. Raises
    ``HomeLockedError`` and ``CorruptHomeError``.
    """
    _prepare(home)
    with running_as(home, "node"):
        withdraw(home)  # what a killed node noted, or the one that this home was copied from
        # before a port is chosen: what a killed node left behind may still listen on its own
        _sweep(home)
        _lock_of(home).begin()
        settings, _ = usable_settings(home)
        chosen = _port(settings.host, settings.port if port is None else port)
        _Supervisor(home, settings, chosen).run()


def _prepare(home: Home) -> None:
    """Make a home ready for its processes; of a locked one, the place where they note themselves.
    Raises ``CorruptHomeError`` and ``ConflictError``.
    """
    close_to_others()
    _lock_of(home).settle()
    if home.is_locked:
        home.run.mkdir(parents=True, exist_ok=True, mode=0o700)
        return
    finish(home)
    ensure_whole(home)
    home.make()


def _lock_of(home: Home) -> HomeLock:
    """Return its lock. Put together here, since ``node`` would bring the databases along."""
    return HomeLock(home, SealedVault(home.root, KEPT))


def _logs(home: Home) -> Path:
    """Return where processes report: beside their numbers while the home is locked."""
    return home.run if home.is_locked else home.logs


def detach(home: Home, port: int | None) -> None:
    """Start the node in the background and return once it answers. Raises ``CorruptHomeError``."""
    _prepare(home)
    if address(home):
        raise HomeLockedError(dict(running(home)).get("node", 0))
    command = [*_lpm(), "start", *(["--port", str(port)] if port is not None else [])]
    # a home that has a passphrase may be locked before this is read
    start_log = (home.run if home.lock.is_dir() else home.logs) / "start.log"
    with start_log.open("ab") as log:
        began = subprocess.Popen(  # noqa: S603  our own command
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=os.environ | {"LPM_HOME": str(home.root), "LPM_DETACHED": "1"},
        )
    until = time.monotonic() + READY_WITHIN
    while time.monotonic() < until:
        if (where := address(home)) and _answers(where):
            subprocess.run(  # noqa: S603  our own command
                [*_lpm(), "open"], check=False, env=os.environ | {"LPM_HOME": str(home.root)}
            )
            return
        if began.poll() is not None:
            last = start_log.read_text("utf-8", "replace").strip().rpartition("\n")[2]
            raise UnavailableError(
                f"The node did not start: {last}", "`lpm doctor` says what is wrong."
            )
        time.sleep(LOOK_EVERY)
    raise UnavailableError(
        "The node did not answer within a minute.", f"See the logs in {home.logs}."
    )


def stop(home: Home) -> bool:
    """Stop the node of this home and wait until it is gone. ``False``: none was running."""
    pid = dict(running(home)).get("node") if home.run.exists() else None
    if pid is None:
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    # it is locked before the node is gone
    until = time.monotonic() + (LOCKED_WITHIN if home.lock.is_dir() else 2 * ENDS_WITHIN)
    while time.monotonic() < until:
        if "node" not in dict(running(home)):
            return True
        time.sleep(0.1)
    raise UnavailableError(
        "The node did not stop in time.", f"End process {pid} yourself; nothing is lost."
    )


class _Supervisor:
    def __init__(self, home: Home, settings: Settings, port: int) -> None:
        self._home = home
        self._settings = settings
        self._reader = served(home)
        self._stop = threading.Event()
        self._opened = False
        self._children = [
            Child("host", self._host()),
            Child("work", [*_lpm(), "work"]),
            Child("serve", []),
        ]
        self._peer, self._serve = (
            Child("peer", [], wanted=settings.peers, held=True),
            self._children[-1],
        )
        self._children.append(self._peer)
        self._serve.held = True
        self._serve_at(port)
        self._passphrase = passing.PassphraseChannel()
        self._lock, self._locked = _lock_of(home), home.is_locked
        self._want()
        self._silent_for = float(os.environ.get("LPM_SILENT_FOR", SILENT_FOR))
        self._asked = 0.0

    def run(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self._stop.set())
        try:
            while not self._stop.is_set():
                self._heed_lock()
                self._keep()
                self._listen()
                self._apply_settings()
                if self._passphrase.heard():
                    self._peer.not_before, self._peer.deaths = 0.0, 0
                    if self._peer.process is not None:  # it opens the keys with what it was given
                        _end([self._peer.process])
                if not self._opened and _answers(self._url):
                    self._opened = True
                    self._announce()
                self._stop.wait(LOOK_EVERY)
        finally:
            self._end()
            withdraw(self._home)
            if not self._home.is_locked:
                self._seal()

    def _heed_lock(self) -> None:
        """Lock the home when that was asked; begin anew when it was locked or unlocked."""
        if self._lock.take_request() and not self._home.is_locked:
            self._end()
            self._seal()
        if self._home.is_locked != self._locked and not self._lock.is_under_way:
            self._locked = self._home.is_locked
            if not self._locked:
                self._stop.wait(UNLOCKED_SECONDS)
            self._end()
            self._passphrase.passphrase = ""
            for child in self._children:
                child.given, child.deaths, child.not_before = "", 0, 0.0
            self._want()

    def _seal(self) -> None:
        """Lock a home that has a passphrase; nothing of this node has it open."""
        try:
            if self._lock.is_set:
                self._lock.seal()
        except NodeError as error:
            self._lock.note_failure(error.detail)
            print(f"{error.detail} {error.hint}", file=sys.stderr, flush=True)

    def _want(self) -> None:
        """Of a locked home, have nothing run but the screen that unlocks it."""
        for child in self._children:
            if child is not self._serve:
                child.wanted = not self._locked and (
                    child is not self._peer or self._settings.peers
                )

    def _host(self) -> list[str]:
        served = HOST_SERVES.get(self._settings.embedder)
        embedder = (
            served[0]
            if served
            else (
                self._settings.embedder
                if self._settings.embedder.lower().endswith(".gguf")
                else "none"
            )
        )
        model = "none" if self._settings.model.startswith("http") else self._settings.model
        return host_command(
            self._home.root,
            model=model,
            embedder=embedder,
            reader=self._reader if self._settings.reads else "none",
            threads=self._settings.model_threads,
            context=MODEL_WINDOW,
        )

    def _announce(self) -> None:
        announce(self._home, self._url)
        if not os.environ.get("LPM_DETACHED"):
            print(
                f"Your second self answers at {self._url} (end it with Ctrl-C). Open it with:",
                flush=True,
            )
            subprocess.run([*_lpm(), "open"], check=False, env=self._environment())  # noqa: S603  our own command

    def _keep(self) -> None:
        """Start what is not running; what dies again and again is started less and less often."""
        now = time.monotonic()
        for child in self._children:
            if child.process is not None and child.process.poll() is not None:
                self._ended(child, child.process.returncode, now)
            if (
                child.wanted
                and child.process is None
                and now >= child.not_before
                and (child is not self._peer or self._may_listen(now))
            ):
                child.started = child.heard = now
                child.process = self._spawn(child)

    def _listen(self) -> None:
        """End what has been silent for too long: the server that answers nothing, the worker that
        gives no sign of life.

        Either may be busy with what a stranger wrote and let nothing else have a turn, so it is
        killed rather than asked to end. What it was doing is done again, and left alone after a few
        times.
        """
        now = time.monotonic()
        if now - self._asked < min(ASK_EVERY, self._silent_for / 3):
            return
        self._asked = now
        for child in self._children:
            if child.process is None or child.name not in {"serve", "work"}:
                continue
            sign = last_beat(self._home, child.name) if child.name == "work" else None
            if (sign != child.sign) if child.name == "work" else _answers(self._url):
                child.heard, child.sign = now, sign
            elif now - child.heard > self._silent_for:
                print(
                    f"{child.name} has not answered for {self._silent_for:.0f} seconds.",
                    file=sys.stderr,
                    flush=True,
                )
                child.process.kill()

    def _ended(self, child: Child, status: int, now: float) -> None:
        child.process = None
        if not child.wanted:
            return
        if child is self._serve and self._has_moved():
            return
        child.deaths = child.deaths + 1 if now - child.started < LONGEST_PAUSE else 1
        child.not_before = now + min(LONGEST_PAUSE, 0.2 * 2 ** (child.deaths - 1))
        # the screen asks for the passphrase
        if (
            child is self._peer
            and status == reach.REFUSED
            and child.given == self._passphrase.passphrase
        ):
            child.not_before = now + NOT_SOON
        print(f"{child.name} ended ({status}); it is started again.", file=sys.stderr, flush=True)

    def _serve_at(self, port: int) -> None:
        self._port = port
        self._serve.command = [*_lpm(), "serve", "--port", str(port)]
        scheme = "https" if is_encrypted(self._settings) else "http"
        self._url = f"{scheme}://{reached_at(self._settings.host)}:{port}"

    def _has_moved(self) -> bool:
        """Take the next free port for the screen where another program has got the chosen one
        before the server did, and say so.
        """
        if _free(self._settings.host, self._port):
            return False
        try:
            self._serve_at(_port(self._settings.host, self._port))
        except PortTakenError:
            return False
        self._opened = False  # where it is now is made known again
        return True

    def _may_listen(self, now: float) -> bool:
        """Choose where other nodes reach this one: where they did before, else the port of the
        settings or the next free one. Not while `lpm peer run` does it.
        """
        peer, settings = self._peer, self._settings
        if "peer" in dict(running(self._home)):
            peer.not_before = now + OTHER_HOST_PAUSE
            return False
        last, again = reach.last_port(self._home), bool(peer.command)
        try:
            if (
                (again or not settings.peers_port)
                and last is not None
                and _free(settings.peers_host, last)
            ):
                port = last
            else:
                port = (
                    _port(settings.peers_host, settings.peers_port, "Contacts can reach you at")
                    if settings.peers_port
                    else 0
                )
        except PortTakenError:
            peer.not_before = now + NOT_SOON
            return False
        peer.command = [
            sys.executable,
            "-m",
            "lpm_kernel.peer.process",
            str(self._home.root),
            settings.peers_host,
            str(port),
        ]
        return True

    def _spawn(self, child: Child) -> subprocess.Popen[bytes]:
        path = _logs(self._home) / f"{child.name}.log"
        if path.exists() and path.stat().st_size > LOG_BYTES:
            path.replace(path.with_suffix(".log.1"))
        with path.open("ab") as log:
            path.chmod(0o600)
            began = subprocess.Popen(  # noqa: S603  our own commands, and this process has one thread
                child.command,
                stdin=subprocess.PIPE if child.held else subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment()
                | (self._passphrase.environment if child is self._serve else {}),
                pass_fds=(self._passphrase.inherited,) if child is self._serve else (),
                preexec_fn=partial(_die_with_parent, os.getpid()),  # noqa: PLW1509  as above
                start_new_session=True,
            )
        if child.held:
            child.given = self._passphrase.passphrase
            passing.give(began, child.given)
        return began

    def _environment(self) -> dict[str, str]:
        return os.environ | {
            "LPM_HOME": str(self._home.root),
            "LPM_PORT": str(self._port),
            "OMP_WAIT_POLICY": "PASSIVE",
            "PYTHONUNBUFFERED": "1",
        }

    def _apply_settings(self) -> None:
        """Restart what a changed setting, or another reader in use, concerns."""
        if self._locked:
            return
        settings, _ = usable_settings(self._home, self._settings)
        reader = served(self._home)
        if settings == self._settings and reader == self._reader:
            return
        listened, self._settings, self._reader = self._listens(), settings, reader
        host = self._children[0]
        before, host.command = host.command, self._host()
        if before != host.command:
            _end([host.process] if host.process is not None else [])
        if listened != self._listens():
            self._peer.wanted, self._peer.not_before, self._peer.command = settings.peers, 0.0, []
            _end([self._peer.process] if self._peer.process is not None else [])

    def _listens(self) -> tuple[bool, str, int, int]:
        settings = self._settings
        return settings.peers, settings.peers_host, settings.peers_port, settings.peers_idle

    def _end(self) -> None:
        _end([child.process for child in self._children if child.process is not None])


def _sweep(home: Home) -> None:
    """End what a supervisor that was killed left behind (on Linux it ends by itself, a little
    later).
    """
    left = []
    # a host goes by itself with who kept it; one of `lpm peer run` stays
    for pid in {pid for name, pid in running(home) if name not in {"node", "peer"}}:
        with suppress(psutil.NoSuchProcess):
            left.append(psutil.Process(pid))
    for process in left:
        with suppress(psutil.NoSuchProcess):
            process.terminate()
    _, stubborn = psutil.wait_procs(left, timeout=ENDS_WITHIN)
    for process in stubborn:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    # one that waits for a slow disk ends when that answers, and has its port until then
    psutil.wait_procs([*stubborn, *_ending(home)], timeout=ENDS_WITHIN)


def _ending(home: Home) -> list[psutil.Process]:
    """Return those that gave their name up already and are about to be gone."""
    found = []
    for pid in named(home):
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            # no other one that has its number by now
            if "lpm_kernel" in process.cmdline() and process.environ().get("LPM_HOME") == str(
                home.root
            ):
                found.append(process)
    return found


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            process.terminate()
    until = time.monotonic() + ENDS_WITHIN
    for process in processes:
        try:
            process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _die_with_parent(parent: int) -> None:
    """Ask Linux to end this process when the supervisor dies, however it dies; and at once when it
    is dead already.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(0)


def _lpm() -> list[str]:
    return [sys.executable, "-m", "lpm_kernel"]


def _port(host: str, wanted: int, moved: str = "I have moved to") -> int:
    """Return the wanted port, or say who has it and take the next free one. Raises
    ``PortTakenError``.
    """
    for port in range(wanted, wanted + NEXT_PORTS + 1):
        if _free(host, port):
            if port != wanted:
                print(f"Port {wanted} is used by {user_of(wanted)}. {moved} {port}.", flush=True)
            return port
    raise PortTakenError(wanted, user_of(wanted))


def _free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError:
            return False
        return True


def user_of(port: int) -> str:
    """Name the program that listens on a port, as far as the system tells."""
    with suppress(psutil.Error):
        for connection in psutil.net_connections("tcp"):
            if (
                connection.status == psutil.CONN_LISTEN
                and connection.laddr
                and connection.laddr[1] == port
                and connection.pid
            ):
                return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    return "another program"


def _answers(url: str) -> bool:
    place = urlsplit(url)
    host, port = place.hostname or "", place.port
    connected = (
        http.client.HTTPSConnection(host, port, timeout=1, context=_unverified())
        if place.scheme == "https"
        else http.client.HTTPConnection(host, port, timeout=1)
    )
    with closing(connected) as connection:
        try:
            connection.request("GET", "/healthz", headers={"Host": "localhost"})
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False


def _unverified() -> ssl.SSLContext:
    """Nothing is told, and nobody is believed: whether somebody answers is all that is asked."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
