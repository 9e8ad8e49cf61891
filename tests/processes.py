"""Start and stop a whole node, as a person does, for tests that need its processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import psutil

from lpm_kernel.config import Home

PATIENCE = 240.0
"""Seconds: a machine that stands still for a minute is not a failure of the node."""
SETTINGS = (
    'model = "{model}"\nembedder = "hashing"\ncommunities = "louvain"\nreflect = "asked"\nopen ='
    ' false\nport = {port}\npeers_host = "127.0.0.1"\npeers_port = 0\n'
)


def told(pid: int) -> str:
    """Return the command lines and environments of a process and of all below it; of those that
    end while they are looked at, nothing.
    """
    return "\n".join(
        f"{' '.join(_words(each))} {_variables(each)}"
        for each in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True))
    )


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:  # a zombie too
        return []


def _variables(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except psutil.NoSuchProcess:
        return {}


class RunningNode:
    """``lpm start`` on a home, with the scripted model and the hashing embedder unless told
    otherwise.
    """

    def __init__(self, root: Path, port: int, *, model: str = "scripted") -> None:
        self.home = Home(root)
        root.mkdir(parents=True, exist_ok=True)
        self.home.settings_file.write_text(SETTINGS.format(model=model, port=port))
        self.port = port
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def environment(self) -> dict[str, str]:
        return {key: value for key, value in os.environ.items() if not key.startswith("LPM_")} | {
            "LPM_HOME": str(self.home.root)
        }

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lpm_kernel", "start"],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wait()

    def stop(self) -> None:
        """End it as Ctrl-C does; every process of it has to be gone afterwards."""
        assert self.process is not None
        if self.process.poll() is None:
            children = psutil.Process(self.process.pid).children(recursive=True)
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)
            _, left = psutil.wait_procs(children, timeout=10)
            assert not left

    def kill(self) -> None:
        """Kill the supervisor without a word."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def pid(self, name: str) -> int | None:
        """Return the process id of one of its processes, while it has one."""
        assert self.process is not None
        marks = {
            "serve": "serve",
            "work": "work",
            "host": "lpm_kernel.backends.llm.host",
            "peer": "lpm_kernel.peer.process",
        }
        with suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self.process.pid).children():
                if marks[name] in _words(child):
                    return child.pid
        return None

    def kill_one(self, name: str) -> int:
        """Kill one of its processes, as soon as it has it; return the process id that it had."""
        until = time.monotonic() + PATIENCE
        while (pid := self.pid(name)) is None:
            assert time.monotonic() < until, f"no process {name}"
            time.sleep(0.05)
        os.kill(pid, signal.SIGKILL)
        return pid

    def wait(self) -> None:
        """Wait until it answers."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                if httpx.get(f"{self.url}/healthz").status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        raise TimeoutError("The node did not answer.")

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:  # noqa: ANN401  what httpx takes
        """Call the API with the local token; asks again while the server is being started anew."""
        headers = {"Authorization": f"Bearer {self.home.secret('api-token')}"}
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return httpx.request(method, self.url + path, headers=headers, timeout=30, **more)
            except httpx.TransportError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def settle(self) -> None:
        """Wait until no job is left to do."""
        until = time.monotonic() + 2 * PATIENCE
        while time.monotonic() < until:
            if not self.ask("GET", "/api/jobs?state=queued,running&limit=1").json()["items"]:
                return
            time.sleep(0.1)
        raise TimeoutError("Jobs were left.")
