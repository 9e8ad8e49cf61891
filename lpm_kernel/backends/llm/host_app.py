"""What the model host answers over HTTP: a small WSGI application, OpenAI-compatible, for this
machine only.

Completions and embeddings each take turns among themselves and do not wait for each other. A client
that goes away takes its request with it, also while it waits and before the first token.
"""

from __future__ import annotations

import base64
import hmac
import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np
from pydantic import ValidationError

from lpm_kernel.backends.llm import wire
from lpm_kernel.backends.llm.gate import LOOK_SECONDS, Gate, GoneError, never
from lpm_kernel.domain.library.passages import Embedded
from lpm_kernel.domain.ports import (
    Adapter,
    ChatMessage,
    Delta,
    Embedder,
    ModelCard,
    ReadingModel,
    Sampling,
    TokenEmbedder,
)
from lpm_kernel.errors import InvalidInputError, NodeError, PromptTooLongError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from numpy.typing import NDArray

T = TypeVar("T")

MOST_WAITING = 8
"""Requests that may wait for the model; one more is told to come back later."""

AT_ONCE = 8
"""Texts that are embedded in one turn; whoever brings more lets others go first."""


class Served(Protocol):
    """A language model that minds whether anybody still listens."""

    def card(self) -> ModelCard: ...  # noqa: D102 - see the port

    def count_tokens(self, text: str) -> int: ...  # noqa: D102 - see the port

    def stream(  # noqa: D102  see the port
        self, messages: list[ChatMessage], sampling: Sampling, gone: Callable[[], bool] = never
    ) -> Iterator[Delta]: ...

    def score(  # noqa: D102  see the port
        self,
        messages: list[ChatMessage],
        continuation: str,
        adapter: Adapter | None,
        gone: Callable[[], bool] = never,
    ) -> list[tuple[str, float]]: ...

    def forget(self) -> None:
        """Drop what was kept of prompts."""
        ...

    def forget_adapter(self, identifier: str) -> None:
        """Drop an adapter with all that was read with it."""
        ...


@dataclass
class HostPart(Generic[T]):
    """One of the things that the host serves: coming up, ready, or down and why."""

    state: str = "starting"
    sentence: str = "It is being loaded."
    thing: T | None = None
    settled: threading.Event = field(default_factory=threading.Event)

    def ready(self, thing: T, sentence: str) -> None:
        """Serve it from now on."""
        self.thing, self.state, self.sentence = thing, "ready", sentence
        self.settled.set()

    def down(self, sentence: str) -> None:
        """Say from now on why it is not there."""
        self.state, self.sentence = "down", sentence
        self.settled.set()

    def report(self) -> dict[str, str]:
        """Return its state in words."""
        return {"state": self.state, "sentence": self.sentence}

    def use(self, gone: Callable[[], bool]) -> T:
        """Return the thing, waiting while it is being loaded. Raises :class:`NotServedError`."""
        while not self.settled.wait(LOOK_SECONDS):
            if gone():
                raise GoneError
        if self.thing is None:
            raise NotServedError(self.sentence)
        return self.thing


@dataclass(frozen=True)
class HostParts:
    """What the host serves."""

    model: HostPart[Served] = field(default_factory=HostPart)
    embedder: HostPart[Embedder] = field(default_factory=HostPart)
    reader: HostPart[ReadingModel] = field(default_factory=HostPart)


class NotServedError(Exception):
    """What was asked for is not there; the message says why."""


class RefusedError(Exception):
    """A request that cannot be answered, with the status and the body that say why."""

    def __init__(
        self, status: HTTPStatus, message: str, code: str, param: str | None = None
    ) -> None:
        super().__init__(code)
        self.status = status
        kind = (
            "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "server_error"
        )
        self.body = wire.refusal(message, code, kind, param)


class HostApp:
    """The WSGI application. Its parts may still be coming up when it starts to answer.

    ``versions`` is the folder that adapters are taken from, and none from elsewhere.
    """

    def __init__(self, token: str, parts: HostParts, versions: Path) -> None:
        self.model = parts.model
        self.embedder = parts.embedder
        self.reader = parts.reader
        self.versions = versions
        self._token = token
        self._completing = Gate()
        self._embedding = Gate()
        self._reading = Gate()
        self._routes: dict[
            tuple[str, str], Callable[[WSGIEnvironment, Callable[[], bool]], HostReply]
        ] = {
            ("GET", "/v1/models"): self._models,
            ("POST", "/v1/chat/completions"): self._complete,
            ("POST", "/v1/embeddings"): self._embed,
            ("POST", "/v1/read"): self._read,
            ("POST", "/v1/score"): self._score,
            ("POST", "/tokenize"): self._tokenize,
            ("POST", "/forget"): self._forget,
        }

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        gone: Callable[[], bool] = environ.get("waitress.client_disconnected", never)
        try:
            reply = self._route(environ, gone)
        except GoneError:
            reply = HostReply(
                HTTPStatus.SERVICE_UNAVAILABLE, wire.refusal("The client has gone away.", "gone")
            )
        except RefusedError as error:
            reply = HostReply(error.status, error.body)
        except NotServedError as error:
            reply = HostReply(
                HTTPStatus.SERVICE_UNAVAILABLE,
                wire.refusal(str(error), "not_served", "server_error"),
            )
        except PromptTooLongError as error:
            reply = HostReply(
                HTTPStatus.BAD_REQUEST,
                wire.refusal(error.detail, "context_length_exceeded", param="messages"),
                (error.tokens, error.window),
            )
        except InvalidInputError as error:
            reply = HostReply(
                HTTPStatus.BAD_REQUEST,
                wire.refusal(f"{error.detail} {error.hint}".strip(), "invalid_value"),
            )
        except NodeError as error:
            reply = HostReply(
                HTTPStatus.SERVICE_UNAVAILABLE,
                wire.refusal(error.detail, "model_unavailable", "server_error"),
            )
        return reply.send(start_response)

    def _route(self, environ: WSGIEnvironment, gone: Callable[[], bool]) -> HostReply:
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        if path == "/healthz":
            return HostReply(
                HTTPStatus.OK,
                {
                    "model": self.model.report(),
                    "embedder": self.embedder.report(),
                    "reader": self.reader.report(),
                    "waiting": self._completing.waiting,
                    "ahead": self._completing.ahead,
                },
            )
        given = (
            environ.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ").encode("utf-8", "replace")
        )
        if not hmac.compare_digest(given, self._token.encode()):
            raise RefusedError(
                HTTPStatus.UNAUTHORIZED, "The key is missing or wrong.", "invalid_api_key"
            )
        answer = self._routes.get((method, path))
        if answer is not None:
            return answer(environ, gone)
        if any(path == known for _, known in self._routes):
            raise RefusedError(
                HTTPStatus.METHOD_NOT_ALLOWED,
                f"{method} is not answered at {path[:80]}.",
                "method_not_allowed",
            )
        raise RefusedError(HTTPStatus.NOT_FOUND, f"There is nothing at {path[:80]}.", "not_found")

    # --- what it answers -------------------------------------------------------------------------

    def _models(self, _environ: WSGIEnvironment, gone: Callable[[], bool]) -> HostReply:
        card = self.model.use(gone).card()
        entry = {
            "id": card.id,
            "object": "model",
            "created": 0,
            "owned_by": "second-me",
            "context_window": card.context_window,
            "parameters": card.parameters,
            "description": card.description,
        }
        return HostReply(HTTPStatus.OK, {"object": "list", "data": [entry]})

    def _complete(self, environ: WSGIEnvironment, gone: Callable[[], bool]) -> HostReply:
        request = _body(environ, wire.ChatRequest)
        model = self.model.use(gone)
        if self._completing.waiting >= MOST_WAITING:
            raise RefusedError(
                HTTPStatus.TOO_MANY_REQUESTS,
                "The model is busy and many requests are already waiting. Try again in a moment.",
                "busy",
            )
        answer = wire.Answer(model.card().id)
        deltas = self._in_turn(model, request, self._adapter(request.adapter), gone)
        # what can be refused is refused here, while the status can still say so
        first = next(deltas, None)
        if first is None:
            raise GoneError
        if request.stream:
            with_usage = request.stream_options is not None and request.stream_options.include_usage
            return HostReply(HTTPStatus.OK, _events(answer, first, deltas, with_usage=with_usage))
        text, thought, last = first.text, first.thought, first
        for last in deltas:
            text, thought = text + last.text, thought + last.thought
        if last.finish_reason is None:
            raise GoneError
        return HostReply(HTTPStatus.OK, answer.whole(text, last, thought))

    def _in_turn(
        self,
        model: Served,
        request: wire.ChatRequest,
        adapter: Adapter | None,
        gone: Callable[[], bool],
    ) -> Iterator[Delta]:
        with self._completing.turn(gone):
            yield from model.stream(
                [message.in_domain() for message in request.messages],
                request.sampling(adapter),
                gone,
            )

    def _adapter(self, asked: wire.AdapterOn | None) -> Adapter | None:
        if asked is None:
            return None
        adapter = asked.in_domain(self.versions)
        if adapter is None:
            raise RefusedError(
                HTTPStatus.BAD_REQUEST,
                "Adapters are taken from the home's folder `versions` alone.",
                "invalid_value",
                "adapter.path",
            )
        return adapter

    def _embed(self, environ: WSGIEnvironment, gone: Callable[[], bool]) -> HostReply:
        request = _body(environ, wire.EmbeddingRequest)
        embedder = self.embedder.use(gone)
        made = self._embedded(embedder, request, gone)
        vectors = np.ascontiguousarray(made.vectors, dtype="<f4")
        as_text = request.encoding_format == "base64"
        rows: list[Any] = [_packed(vector) if as_text else vector.tolist() for vector in vectors]
        data: list[dict[str, Any]] = [
            {"object": "embedding", "index": index, "embedding": row}
            for index, row in enumerate(rows)
        ]
        for row, tokens in zip(data, made.tokens or (), strict=False):
            row["tokens"] = _packed(tokens)
        return HostReply(
            HTTPStatus.OK,
            {
                "object": "list",
                "model": embedder.id,
                "data": data,
                "usage": {"prompt_tokens": 0, "total_tokens": 0},
            },
        )

    def _embedded(
        self, embedder: Embedder, request: wire.EmbeddingRequest, gone: Callable[[], bool]
    ) -> Embedded:
        """Embed a question at once; many texts, of a document that is being read, a few at a time,
        so that questions go between.
        """
        texts = request.texts
        by_length = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        vectors = np.empty((len(texts), embedder.dimension), np.float32)
        tokens = [np.empty(0, np.int8)] * len(texts)
        for start in range(0, len(texts), AT_ONCE):
            part = by_length[start : start + AT_ONCE]
            with self._embedding.turn(gone, patient=len(texts) > AT_ONCE):
                if request.tokens and isinstance(embedder, TokenEmbedder):
                    made = embedder.embed_tokens([texts[index] for index in part])
                else:
                    made = Embedded(embedder.id, embedder.embed([texts[index] for index in part]))
            vectors[part] = made.vectors
            for index, of_text in zip(part, made.tokens or (), strict=False):
                tokens[index] = of_text
        with_tokens = request.tokens and isinstance(embedder, TokenEmbedder)
        return Embedded(embedder.id, vectors, tokens if with_tokens else None)

    def _score(self, environ: WSGIEnvironment, gone: Callable[[], bool]) -> HostReply:
        request = _body(environ, wire.ScoreRequest)
        model, adapter = self.model.use(gone), self._adapter(request.adapter)
        with self._completing.turn(gone):
            tokens = model.score(
                [message.in_domain() for message in request.messages],
                request.continuation,
                adapter,
                gone,
            )
        body = {
            "logprob": sum(value for _, value in tokens),
            "tokens": [text for text, _ in tokens],
            "token_logprobs": [value for _, value in tokens],
        }
        return HostReply(HTTPStatus.OK, body)

    def _read(self, environ: WSGIEnvironment, gone: Callable[[], bool]) -> HostReply:
        """Read texts with a question in mind."""
        request = _body(environ, wire.ReadRequest)
        reader = self.reader.use(gone)
        with self._reading.turn(gone):
            readings = reader.read(request.question, request.texts)
        data = [
            {
                "relevance": reading.relevance,
                "none": reading.none,
                "spans": _packed(reading.spans.astype("<i4")),
                "begins": _packed(reading.begins.astype("<f4")),
                "ends": _packed(reading.ends.astype("<f4")),
            }
            for reading in readings
        ]
        return HostReply(HTTPStatus.OK, {"model": reader.id, "data": data})

    def _tokenize(self, environ: WSGIEnvironment, gone: Callable[[], bool]) -> HostReply:
        request = _body(environ, wire.TokenizeRequest)
        return HostReply(
            HTTPStatus.OK, {"count": self.model.use(gone).count_tokens(request.content)}
        )

    def _forget(self, environ: WSGIEnvironment, gone: Callable[[], bool]) -> HostReply:
        """Drop the kept states of prompts, or an adapter: part of erasing something."""
        request = (
            _body(environ, wire.ForgetRequest)
            if environ.get("CONTENT_LENGTH", "0") not in {"", "0"}
            else wire.ForgetRequest()
        )
        try:
            model = self.model.use(gone)
        except NotServedError:  # so nothing was read either
            return HostReply(HTTPStatus.OK, {"forgotten": True})
        if request.adapter is None:
            model.forget()
        else:
            model.forget_adapter(request.adapter)
        return HostReply(HTTPStatus.OK, {"forgotten": True})


class HostReply:
    """A status with one JSON body, or with a stream of events."""

    def __init__(
        self,
        status: HTTPStatus,
        content: dict[str, Any] | Iterator[bytes],
        over: tuple[int, int] | None = None,
    ) -> None:
        self.status = status
        self.content = content
        self.over = over

    def send(self, start_response: StartResponse) -> Iterable[bytes]:
        """Hand it to the server."""
        head = [("Cache-Control", "no-store")]
        if self.over is not None:
            head += [
                ("X-Prompt-Tokens", str(self.over[0])),
                ("X-Context-Window", str(self.over[1])),
            ]
        line = f"{self.status.value} {self.status.phrase}"
        if not isinstance(self.content, dict):
            start_response(line, [("Content-Type", "text/event-stream; charset=utf-8"), *head])
            return self.content
        body = json.dumps(self.content, ensure_ascii=False).encode()
        start_response(
            line, [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *head]
        )
        return [body]


def _events(
    answer: wire.Answer, first: Delta, rest: Iterator[Delta], *, with_usage: bool
) -> Iterator[bytes]:
    """Write an answer as server-sent events. The server closes this when the client is gone, and
    that closes the model's stream.
    """
    try:
        yield _event(answer.opening())
        last = first
        yield _event(answer.piece(first))
        for last in rest:
            yield _event(answer.piece(last))
        if with_usage:
            yield _event(answer.closing(last))
        yield b"data: [DONE]\n\n"
    except NodeError as error:
        yield _event(wire.refusal(error.detail, "model_unavailable", "server_error"))
    finally:
        close = getattr(rest, "close", None)
        if close is not None:
            close()


def _packed(numbers: NDArray[np.generic]) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode("ascii")


def _event(body: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


Body = TypeVar("Body", bound=wire.Strict)


def _body(environ: WSGIEnvironment, kind: type[Body]) -> Body:
    """Read and check the body of a request. Raises :class:`RefusedError`, which names fields but
    repeats nothing of what was in them.
    """
    try:
        length = int(environ.get("CONTENT_LENGTH") or 0)
    except ValueError:
        length = 0
    if length > wire.LARGEST_BODY:
        raise RefusedError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"The request is longer than {wire.LARGEST_BODY // 1_000_000} MB.",
            "too_large",
        )
    try:
        return kind.model_validate_json(environ["wsgi.input"].read(length))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        message = f"{place}: {first['msg']}" if place else first["msg"]
        raise RefusedError(
            HTTPStatus.BAD_REQUEST,
            f"The request is not valid. {message}.",
            str(first["type"]),
            place or None,
        ) from None
