"""Start and stop a real model host for a test."""

from __future__ import annotations

import json
import subprocess
import time
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from lpm_kernel.backends.llm.launch import host_command, host_endpoint, read_where
from lpm_kernel.domain.ports import Endpoint

PATIENCE = 60.0


class Host:
    """A host process on a home of its own, with the scripted twin unless told otherwise."""

    def __init__(
        self,
        home: Path,
        *,
        model: str = "scripted",
        embedder: str = "none",
        reader: str = "none",
        context: int = 4096,
    ) -> None:
        self.home = home
        self.command = host_command(
            home, model=model, embedder=embedder, reader=reader, context=context
        )
        self.process: subprocess.Popen[bytes] | None = None

    @classmethod
    def scripted(
        cls,
        home: Path,
        answers: list[tuple[str, str | None]],
        *,
        adapters: dict[str, list[tuple[str, str | None]]] | None = None,
        pause: float = 0.0,
        window: int = 8192,
    ) -> Host:
        home.mkdir(parents=True, exist_ok=True)
        script = home / "script.json"
        script.write_text(
            json.dumps(
                {"answers": answers, "adapters": adapters or {}, "pause": pause, "window": window}
            ),
            "utf-8",
        )
        return cls(home, model=f"scripted:{script}")

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

    def start(self) -> None:
        """Start it and wait until both parts are up, or down for good."""
        self.process = subprocess.Popen(self.command)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            known = read_where(self.home)
            if (
                known is not None
                and known.pid == self.process.pid
                and "starting"
                not in {part["state"] for part in self.health().values() if isinstance(part, dict)}
            ):
                return
            time.sleep(0.02)
        raise TimeoutError("The host did not come up.")

    def stop(self) -> int:
        """End it as the supervisor does, and return how it went."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """End it as a lack of memory would."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE)

    def endpoint(self) -> Endpoint:
        """Say where it is right now."""
        return host_endpoint(self.home)

    def health(self) -> dict[str, Any]:
        """Ask how it is, without a key."""
        answer = httpx.get(self.endpoint().url.removesuffix("/v1") + "/healthz", timeout=10)
        assert answer.status_code == HTTPStatus.OK
        return dict(answer.json())

    def client(self) -> httpx.Client:
        """Return a client that holds the key."""
        endpoint = self.endpoint()
        return httpx.Client(
            base_url=endpoint.url.removesuffix("/v1"),
            headers={"Authorization": f"Bearer {endpoint.key}"},
            timeout=PATIENCE,
        )
