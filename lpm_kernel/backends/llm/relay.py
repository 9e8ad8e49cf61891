"""The model and the embedder that are in use, behind an OpenAI-compatible endpoint on this machine,
for a program that knows no other way to ask: with what each of its stages costs.

The first part of the path names the stage (``/index/v1/chat/completions``). It answers whoever has
its key, and nobody else, until it is closed.
"""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from waitress.server import create_server

from lpm_kernel.backends.llm.gate import never
from lpm_kernel.backends.llm.host_app import HostApp, HostParts, Served
from lpm_kernel.domain.ports import (
    Adapter,
    ChatMessage,
    Delta,
    Embedder,
    LanguageModel,
    ModelCard,
    Sampling,
)
from lpm_kernel.domain.training.comparison import Cost
from lpm_kernel.errors import NodeError

if TYPE_CHECKING:
    from typing import Self

    from _typeshed.wsgi import StartResponse, WSGIEnvironment

THREADS = 4


class Relay:
    """Listens as long as it is open."""

    def __init__(self, model: LanguageModel, embedder: Embedder) -> None:
        self.key = secrets.token_hex(32)
        self._parts = HostParts()
        self._embedder = embedder
        self._model = _Counting(model)
        self._parts.model.ready(cast("Served", self._model), "")
        self._parts.embedder.ready(embedder, "")
        # no adapter is asked for here, so there is no folder of any
        self._app = HostApp(self.key, self._parts, Path("/nonexistent"))
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        """Where it listens, without a stage."""
        self._server: Any = create_server(
            self._routed, sockets=[self._listener], threads=THREADS, ident=None
        )
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()
        self._thread.join(timeout=5)

    @property
    def window(self) -> int:
        """Tokens that the model reads at once. Raises ``ModelUnavailableError``."""
        return self._model.card().context_window

    @property
    def name(self) -> str:
        """What the model is called. Raises ``ModelUnavailableError``."""
        return self._model.card().id

    @property
    def dimension(self) -> int:
        """Length of a vector of the embedder."""
        return self._embedder.dimension

    def costs(self) -> dict[str, Cost]:
        """Return what was asked of the model so far, by stage."""
        return dict(self._model.costs)

    def _serve(self) -> None:
        try:
            self._server.run()
        except OSError:  # it was closed
            return

    def _routed(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        stage, _, rest = environ.get("PATH_INFO", "").lstrip("/").partition("/")
        environ["PATH_INFO"] = f"/{rest}"
        # a stream is worded while it is sent, in the same thread
        self._model.stage.name = stage
        return self._app(environ, start_response)


class _Counting:
    """A model that counts what it is asked, by the stage that its thread is at."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.stage = threading.local()
        self.costs: defaultdict[str, Cost] = defaultdict(Cost)

    def card(self) -> ModelCard:
        """Describe the model."""
        return self._model.card()

    def count_tokens(self, text: str) -> int:
        """Count tokens as the model does."""
        return self._model.count_tokens(text)

    def stream(
        self,
        messages: list[ChatMessage],
        sampling: Sampling,
        gone: Callable[[], bool] = never,
    ) -> Iterator[Delta]:
        """Write an answer, and note what it cost."""
        stage, began = getattr(self.stage, "name", ""), time.monotonic()
        try:
            for delta in self._model.stream(messages, sampling):
                if gone():
                    return
                if delta.finish_reason is not None:
                    self._note(stage, delta)
                yield delta
        except NodeError:
            self._note(stage, None)
            raise
        finally:
            known = self.costs[stage]
            self.costs[stage] = replace(known, seconds=known.seconds + time.monotonic() - began)

    def _note(self, stage: str, last: Delta | None) -> None:
        known = self.costs[stage]
        if last is None:
            self.costs[stage] = replace(known, calls=known.calls + 1, refused=known.refused + 1)
            return
        self.costs[stage] = replace(
            known,
            calls=known.calls + 1,
            prompt_tokens=known.prompt_tokens + last.prompt_tokens,
            completion_tokens=known.completion_tokens + last.completion_tokens,
        )

    def score(
        self,
        messages: list[ChatMessage],
        continuation: str,
        adapter: Adapter | None,
        gone: Callable[[], bool] = never,
    ) -> list[tuple[str, float]]:
        """Refuse: nobody asks for that here."""
        raise NotImplementedError

    def forget(self) -> None:
        """Forget nothing."""

    def forget_adapter(self, identifier: str) -> None:
        """Forget nothing."""
