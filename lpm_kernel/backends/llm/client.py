"""Any OpenAI-compatible endpoint as the node's language model: the model host on this machine, or a
server elsewhere.
"""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any

import httpx
from httpx_sse._decoders import SSEDecoder

from lpm_kernel.domain.models import bounds
from lpm_kernel.domain.models.bounds import Bound, TooMuchError
from lpm_kernel.domain.ports import Adapter, ChatMessage, Delta, Endpoint, ModelCard, Sampling
from lpm_kernel.domain.thoughts import CLOSES, MOST_THOUGHT, Splitter
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, PromptTooLongError

CONNECT_SECONDS = 5.0
READ_SECONDS = 300.0
"""Between two pieces, or before the first: a large model on a small machine reads long, and
requests wait in line.
"""

NO_PROXY_HERE: dict[str, None] = {
    "all://127.0.0.1": None,
    "all://localhost": None,
    "all://[::1]": None,
}
"""What stays on this machine goes through no proxy, whatever the environment says."""

FALLBACK_WINDOW = 4096
"""For a server that does not say how much its model reads, or says nonsense."""

MOST_LISTED = 8_000_000
"""Bytes of a list of models, and of every answer that comes in one piece; the longest known list
has one million.
"""
MOST_SCORED = 64_000_000
MOST_LINE = 1_000_000
"""Bytes of a line of a stream, and of all that comes between two of its events."""
MOST_SECONDS = 1800.0
"""How long one answer may take from its first byte to its last."""
MOST_PIECES = 100_000
PIECES_A_TOKEN = 4
"""A server that writes more pieces than this for a token that was asked for has not heard how
many.
"""
LONGEST_PIECE = 100_000
LONGEST_NAME, LONGEST_SAID = 300, 300
MOST_PARAMETERS = 10**14
THINKING_KEYS = ("reasoning_content", "reasoning")
"""Under which names servers show what a model thinks before it answers."""
NO_STREAM = "sent something that is no OpenAI-compatible stream."
PLAIN = {"Accept-Encoding": "identity"}
"""Nothing is unpacked: a kilobyte could become a gigabyte."""

WINDOW_KEYS = ("context_window", "context_length", "max_model_len", "max_context_length", "n_ctx")
"""Under which names servers say it: this node's host, OpenRouter and Together, vLLM, LM Studio,
llama.cpp.
"""


class _OpenedBeforeError(Exception):
    """A thought ended that was not seen to begin: the server opens it."""


class EndpointModel:
    """A model behind an endpoint. ``where`` is asked before each request, since the host on this
    machine moves when it restarts.
    """

    def __init__(
        self,
        where: Endpoint | Callable[[], Endpoint],
        *,
        read_seconds: float = READ_SECONDS,
        connect_seconds: float = CONNECT_SECONDS,
        most_seconds: float = MOST_SECONDS,
    ) -> None:
        self._where = where
        self._read_seconds, self._most_seconds = read_seconds, most_seconds
        self._client = httpx.Client(
            timeout=httpx.Timeout(read_seconds, connect=connect_seconds),
            mounts=NO_PROXY_HERE,
            headers=PLAIN,
        )
        weakref.finalize(self, self._client.close)
        self._thinks = self._opened = False
        self._counted = lru_cache(maxsize=4096)(self._count)

    @property
    def endpoint(self) -> Endpoint:
        """Where it is right now. Raises ``ModelUnavailableError`` when there is no host."""
        return self._where if isinstance(self._where, Endpoint) else self._where()

    def card(self) -> ModelCard:
        """Ask the endpoint which model it has."""
        endpoint = self.endpoint
        with _in_words(endpoint):
            answer = self._whole("GET", _address(endpoint, "models"), endpoint)
            _check(answer, endpoint)
        entry = _entry_of(answer, endpoint)
        window = next(
            (
                known
                for key in WINDOW_KEYS
                if (known := bounds.count(entry.get(key), 1)) is not None
            ),
            FALLBACK_WINDOW,
        )
        size = entry.get("parameters")
        return ModelCard(
            id=bounds.text(entry["id"], LONGEST_NAME),
            context_window=window,
            local=is_local(endpoint.url),
            description=bounds.text(entry.get("description"), LONGEST_SAID),
            parameters=size if isinstance(size, int) and 0 < size < MOST_PARAMETERS else None,
        )

    def stream(
        self, messages: Sequence[ChatMessage], sampling: Sampling = Sampling()
    ) -> Iterator[Delta]:
        """Ask for an answer; closing the iterator closes the connection, which stops the model.

        A server counts what a model thinks as answer, so one that thinks may say more: it is asked
        again where the words ran out before it said any.
        """
        try:
            yield from self._with_room(messages, sampling)
        except _OpenedBeforeError as error:
            self._thinks = self._opened = True
            raise ModelUnavailableError(
                f"{_name(self.endpoint)} thinks before it answers, and did not say where that"
                " begins.",
                "Ask again: what it thinks is told apart from now on.",
            ) from error

    def _with_room(self, messages: Sequence[ChatMessage], sampling: Sampling) -> Iterator[Delta]:
        """Ask, and once more where the words ran out in thought; the host on this machine counts
        thoughts for themselves, and would write the same again.
        """
        said = thought = False
        known = self._thinks or bool(self.endpoint.host)
        with closing(self._streamed(messages, sampling, thinks=self._thinks)) as stream:
            for delta in stream:
                said, thought = said or bool(delta.text), thought or bool(delta.thought)
                self._thinks = self._thinks or thought
                if delta.finish_reason == "length" and thought and not said and not known:
                    break
                yield delta
            else:
                return
        yield from self._streamed(messages, sampling, thinks=True)

    def _streamed(
        self, messages: Sequence[ChatMessage], sampling: Sampling, *, thinks: bool
    ) -> Generator[Delta]:
        endpoint = self.endpoint
        # the host on this machine counts thoughts for themselves
        if thinks and sampling.max_tokens is not None and not endpoint.host:
            sampling = replace(sampling, max_tokens=sampling.max_tokens + MOST_THOUGHT)
        body = _request(messages, sampling, endpoint)
        headers = {**_headers(endpoint), "Accept": "text/event-stream", "Cache-Control": "no-store"}
        address = _address(endpoint, "chat/completions")
        with (
            _in_words(endpoint),
            self._client.stream("POST", address, json=body, headers=headers) as response,
        ):
            if response.status_code != HTTPStatus.OK:
                _check(self._taken(response, MOST_LISTED), endpoint)
            if _kind(response) != "text/event-stream" or _is_packed(response):
                raise ModelUnavailableError(f"{_name(endpoint)} {NO_STREAM}")
            pieces = bounds.lines(response.iter_raw(), Bound(MOST_LINE, self._most_seconds))
            yield from _deltas(
                _events(pieces),
                endpoint,
                _Limits(self._read_seconds, _most_pieces(sampling)),
                opened=self._opened and not endpoint.host,
            )

    def score(
        self, messages: Sequence[ChatMessage], continuation: str, adapter: Adapter | None = None
    ) -> list[tuple[str, float]]:
        """Ask the host on this machine how likely a continuation is. Another server cannot be
        asked.
        """
        endpoint = self.endpoint
        if not endpoint.host:
            raise ModelUnavailableError(
                f"{_name(endpoint)} cannot say how likely a text is.",
                "Choose a model on this machine for that.",
            )
        body = {
            "messages": _messages(messages),
            "continuation": _text(continuation),
            **_on(adapter, endpoint),
        }
        with _in_words(endpoint):
            answer = self._whole(
                "POST", _address(endpoint, "score"), endpoint, json=body, most=MOST_SCORED
            )
            _check(answer, endpoint)
        found = _body(answer)
        tokens, values = (
            bounds.sequence(found.get("tokens")),
            bounds.sequence(found.get("token_logprobs")),
        )
        scored = [
            (bounds.text(token, LONGEST_PIECE), float(value))
            for token, value in zip(tokens, values, strict=False)
            if isinstance(value, int | float)
        ]
        if not scored or not len(tokens) == len(values) == len(scored):
            raise ModelUnavailableError(f"{_name(endpoint)} did not say how likely the text is.")
        return scored

    def count_tokens(self, text: str) -> int:
        """Count as the host on this machine reads; elsewhere estimate on the high side."""
        return self._counted(text)

    def _count(self, text: str) -> int:
        endpoint = self.endpoint
        if is_local(endpoint.url):
            # another local server, or one that has just died: an estimate serves as well
            with suppress(httpx.HTTPError, TooMuchError):
                answer = self._whole(
                    "POST", _beside(endpoint, "tokenize"), endpoint, json={"content": _text(text)}
                )
                known = bounds.count(_body(answer).get("count"))
                if answer.status == HTTPStatus.OK and known is not None:
                    return known
        return estimate_tokens(text)

    def forget(self) -> None:
        """Have the host on this machine drop what it keeps of prompts, as erasing asks for. A
        server elsewhere keeps what it keeps.
        """
        endpoint = self.endpoint
        if is_local(endpoint.url):
            with _in_words(endpoint):
                _check(self._whole("POST", _beside(endpoint, "forget"), endpoint), endpoint)

    def forget_adapter(self, identifier: str) -> None:
        """Have the node's own host drop an adapter, with all that was read with it. A host that
        does not run has nothing to drop.
        """
        try:
            endpoint = self.endpoint
        except ModelUnavailableError:
            return
        if endpoint.host:
            with _in_words(endpoint), suppress(httpx.ConnectError):
                _check(
                    self._whole(
                        "POST", _beside(endpoint, "forget"), endpoint, json={"adapter": identifier}
                    ),
                    endpoint,
                )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _whole(
        self,
        method: str,
        address: str,
        endpoint: Endpoint,
        *,
        json: object = None,
        most: int = MOST_LISTED,
    ) -> _Answer:
        """Ask for something that comes in one piece. Raises ``TooMuchError`` for more than ``most``
        bytes.
        """
        with self._client.stream(
            method, address, json=json, headers=_headers(endpoint)
        ) as response:
            return self._taken(response, most)

    def _taken(self, response: httpx.Response, most: int) -> _Answer:
        if _is_packed(response):
            return _Answer(response.status_code, response.headers, b"")
        return _Answer(
            response.status_code,
            response.headers,
            bounds.gather(response.iter_raw(), Bound(most, self._read_seconds)),
        )


@dataclass(frozen=True)
class _Answer:
    """What a server said in one piece."""

    status: int
    headers: httpx.Headers = field(repr=False)
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class _Limits:
    """What one stream may take besides bytes."""

    idle_seconds: float
    """Without a word; signs of life in between do not count."""
    pieces: int


def estimate_tokens(text: str) -> int:
    """Estimate on the high side: a token for three Latin letters, one and a half for each character
    of other scripts.

    >>> estimate_tokens("A walk by the river"), estimate_tokens("川沿いを歩く")
    (7, 9)
    """
    latin = sum(character.isascii() for character in text)
    return math.ceil(latin / 3 + (len(text) - latin) * 1.5)


def is_local(url: str) -> bool:
    """Tell whether an address stays on this machine.

    >>> (is_local("http://127.0.0.1:8080/v1"), is_local("http://localhost:1234/v1"),
    ...  is_local("https://api.example.org/v1"))
    (True, True, False)
    """
    try:
        host = httpx.URL(url).host
        return host == "localhost" or ip_address(host).is_loopback
    except (ValueError, httpx.InvalidURL):
        return False


def _address(endpoint: Endpoint, path: str) -> str:
    return f"{endpoint.url.rstrip('/')}/{path}"


def _text(content: str) -> str:
    """Replace halves of surrogate pairs, which are no text and cannot be sent."""
    return content.encode("utf-8", "replace").decode("utf-8")


def _beside(endpoint: Endpoint, path: str) -> str:
    """Return the address of something that the host has beside the OpenAI-compatible part."""
    return f"{endpoint.url.rstrip('/').removesuffix('/v1')}/{path}"


def _headers(endpoint: Endpoint) -> dict[str, str]:
    return {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def _messages(messages: Sequence[ChatMessage]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": _text(message.content)} for message in messages]


def _on(adapter: Adapter | None, endpoint: Endpoint) -> dict[str, Any]:
    """Name an adapter to the node's own host. A server that does not know of adapters would answer
    without: that is said instead.
    """
    if adapter is None or adapter.scale == 0:
        return {}
    if not endpoint.host:
        raise ModelUnavailableError(
            f"{_name(endpoint)} cannot answer with what was trained here: an adapter belongs to the"
            " base model on this machine.",
            "Choose the model on this machine, or ask without the trained version.",
        )
    return {"adapter": {"id": adapter.id, "path": str(adapter.path), "scale": adapter.scale}}


def _request(
    messages: Sequence[ChatMessage], sampling: Sampling, endpoint: Endpoint
) -> dict[str, Any]:
    wanted: dict[str, Any] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
        "presence_penalty": sampling.presence_penalty,
        "frequency_penalty": sampling.frequency_penalty,
        "response_format": sampling.response_format,
    }
    return {
        "model": endpoint.model,
        "messages": _messages(messages),
        "stream": True,
        "stream_options": {"include_usage": True},
        **{name: value for name, value in wanted.items() if value is not None},
        **_on(sampling.adapter, endpoint),
    }


@dataclass
class _Tally:
    """What the end of a stream says; the cost may come after the reason."""

    reason: str | None = None
    pieces: int = 0
    thoughts: int = 0
    """Pieces of what is thought."""
    prompt: int = 0
    completion: int = 0
    splitter: Splitter = field(default_factory=Splitter)
    end: str = ""
    """Of what was said, as far as the end of a thought may stand in it."""

    def take(self, chunk: dict[str, object]) -> tuple[str, str]:
        """Return what a chunk says, and what the model thinks aloud in it. Raises ``ValueError``
        for another shape.
        """
        nothing: dict[str, object] = {}
        choices, cost = (
            bounds.shaped(chunk.get("choices"), [nothing]),
            bounds.shaped(chunk.get("usage"), nothing),
        )
        choice = bounds.shaped(choices[0], nothing) if choices else nothing
        delta = bounds.shaped(choice.get("delta"), nothing)
        self.reason = bounds.text(choice.get("finish_reason"), LONGEST_NAME) or self.reason
        prompt, completion = (
            bounds.count(cost.get("prompt_tokens")),
            bounds.count(cost.get("completion_tokens")),
        )
        self.prompt = self.prompt if prompt is None else prompt
        self.completion = self.completion if completion is None else completion
        text = bounds.text(bounds.shaped(delta.get("content"), ""), LONGEST_PIECE)
        thoughts = (delta.get(key) for key in THINKING_KEYS)
        thought = next((each for each in thoughts if isinstance(each, str) and each), "")
        said, more = self.splitter.feed(text)
        self.end = (self.end + said)[-len(CLOSES) - len(said) :]
        if CLOSES in self.end:
            raise _OpenedBeforeError
        thought = bounds.text(thought, LONGEST_PIECE) + more
        self.pieces += bool(said)
        self.thoughts += bool(thought)
        return said, thought


def _most_pieces(sampling: Sampling) -> int:
    return (
        MOST_PIECES
        if sampling.max_tokens is None
        else min(MOST_PIECES, PIECES_A_TOKEN * (sampling.max_tokens + 16))
    )


def _events(lines: Iterator[str]) -> Iterator[str | None]:
    """Return what each event of a stream says, and ``None`` for a line that ends none. Raises
    ``TooMuchError``.
    """
    decoder, between = SSEDecoder(), 0
    for line in lines:
        between += len(line)
        if between > MOST_LINE:
            raise TooMuchError
        # names, ids and remarks say nothing here
        event = decoder.decode(line) if line.startswith("data") or not line else None
        if event is not None:
            between = 0
        yield None if event is None else event.data


def _taken(tally: _Tally, chunk: dict[str, object], endpoint: Endpoint) -> tuple[str, str]:
    """Return what a chunk says and thinks. Raises ``ModelUnavailableError`` for another shape."""
    try:
        return tally.take(chunk)
    except ValueError as error:
        raise ModelUnavailableError(f"{_name(endpoint)} {NO_STREAM}") from error


def _deltas(
    events: Iterator[str | None], endpoint: Endpoint, limits: _Limits, *, opened: bool = False
) -> Iterator[Delta]:
    """Read an answer; ``opened``: the server opens a thought that it does not show. Raises
    ``ModelUnavailableError``, and ``_OpenedBeforeError`` where that was not known.
    """
    tally, thoughts = _Tally(splitter=Splitter(inside=opened)), ""
    heard = time.monotonic()
    for data in events:
        if time.monotonic() - heard > limits.idle_seconds:
            raise TooMuchError
        if data is None:
            continue
        if data.strip() == "[DONE]":
            break
        text, thought = _taken(tally, _chunk(data, endpoint), endpoint)
        if tally.pieces > limits.pieces or tally.thoughts > PIECES_A_TOKEN * MOST_THOUGHT:
            tally.reason = "length"
            break
        thoughts += thought
        if text or thought:
            yield Delta(text, thought=thought)
            heard = time.monotonic()  # not before: whoever reads may take their time
    if tally.reason is None:
        raise ModelUnavailableError(f"{_name(endpoint)} broke off mid-answer.")
    said, thought = tally.splitter.finish()
    if opened and not tally.splitter.answers and tally.reason != "length":
        said = thoughts + thought  # this time it answered at once
    yield Delta(
        said,
        "length" if tally.reason == "length" else "stop",
        prompt_tokens=tally.prompt,
        completion_tokens=tally.completion or tally.pieces + tally.thoughts,
        thought=thought,
    )


def _chunk(data: str, endpoint: Endpoint) -> dict[str, object]:
    """Return one piece of a stream. Raises ``ModelUnavailableError`` for what is none, and for what
    the server says went wrong.
    """
    try:
        chunk = bounds.parsed(data)
    except ValueError as error:
        raise ModelUnavailableError(f"{_name(endpoint)} {NO_STREAM}") from error
    if not isinstance(chunk, dict):
        raise ModelUnavailableError(f"{_name(endpoint)} {NO_STREAM}")
    if "error" in chunk:
        raise ModelUnavailableError(f"{_name(endpoint)} broke off: {_said(chunk)}")
    return chunk


def _entry_of(answer: _Answer, endpoint: Endpoint) -> dict[str, object]:
    """Return the entry of the model list that is meant. Raises ``ModelUnavailableError``."""
    listed = _body(answer).get("data")
    if not isinstance(listed, list) or not all(
        isinstance(bounds.mapping(entry).get("id"), str) for entry in listed
    ):
        raise ModelUnavailableError(
            f"{_name(endpoint)} answers, but not as an OpenAI-compatible endpoint does.",
            "Check the address; it usually ends in /v1.",
        )
    entries: list[dict[str, object]] = listed
    if not entries:
        raise ModelUnavailableError(
            f"{_name(endpoint)} has no model loaded.", "Load one there, then try again."
        )
    if not endpoint.model:
        return dict(entries[0])
    for entry in entries:
        if entry["id"] == endpoint.model:
            return dict(entry)
    known = ", ".join(bounds.text(entry["id"], 60) for entry in entries[:5])
    raise ModelUnavailableError(
        f"{_name(endpoint)} has no model “{endpoint.model[:80]}”. It has: {known}.",
        "Choose one of these.",
    )


@contextmanager
def _in_words(endpoint: Endpoint) -> Iterator[None]:
    """Say in a sentence what a failed connection means. Nothing of the request or the answer is
    repeated.
    """
    name = _name(endpoint)
    try:
        yield
    except TooMuchError as error:
        raise ModelUnavailableError(
            f"{name} sent too long an answer, or one without an end.",
            "Choose another model if it happens again.",
        ) from error
    except httpx.ConnectTimeout as error:
        raise ModelUnavailableError(
            f"{name} cannot be reached: nothing answers in time."
        ) from error
    except httpx.TimeoutException as error:
        raise ModelUnavailableError(
            f"{name} took the question but did not answer in time."
        ) from error
    except httpx.ConnectError as error:
        raise ModelUnavailableError(
            f"{name} cannot be reached: nothing answers there.",
            "Is the server running, and is the address right?",
        ) from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise ModelUnavailableError(
            "The address of the endpoint is not a web address.",
            "It looks like http://127.0.0.1:8080/v1.",
        ) from error
    except httpx.HTTPError as error:
        raise ModelUnavailableError(f"The connection to {name} broke off.") from error


def _check(answer: _Answer, endpoint: Endpoint) -> None:
    """Raise the error that a status stands for; 200 passes."""
    status = answer.status
    name = _name(endpoint)
    if status == HTTPStatus.OK:
        return
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        raise ModelUnavailableError(
            f"{name} rejects the key.",
            "Check the key; it may be incomplete or expired.",
        )
    code = bounds.mapping(_body(answer).get("error")).get("code")
    if code == "context_length_exceeded":
        raise PromptTooLongError(
            _number(answer, "X-Prompt-Tokens"), _number(answer, "X-Context-Window")
        )
    if status == HTTPStatus.NOT_FOUND:
        meant = f"has no model “{endpoint.model[:80]}”, or" if endpoint.model else "answers, but"
        raise ModelUnavailableError(
            f"{name} {meant} is no OpenAI-compatible endpoint at this path.",
            "Check the address and the model's name; the address as a rule ends in /v1.",
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise ModelUnavailableError(
            f"{name} is busy, or its limit is used up.", "Try again in a moment."
        )
    if status in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}:
        raise InvalidInputError(f"{name} refuses the request: {_said(_body(answer))}")
    raise ModelUnavailableError(
        f"{name} cannot answer: {_said(_body(answer)) or f'status {status}'}"
    )


def _kind(response: httpx.Response) -> str:
    return str(response.headers.get("Content-Type", "")).partition(";")[0].strip().lower()


def _is_packed(response: httpx.Response) -> bool:
    return response.headers.get("Content-Encoding", "identity").strip().lower() not in {
        "",
        "identity",
    }


def _body(answer: _Answer) -> dict[str, object]:
    try:
        return bounds.mapping(bounds.parsed(answer.content))
    except ValueError:
        return {}


def _said(body: dict[str, object]) -> str:
    """Return what a server said of its error, short. It is the server's sentence, which a local
    host never fills with a person's words.
    """
    error = body.get("error")
    return bounds.text(error.get("message") if isinstance(error, dict) else error, LONGEST_SAID)


def _number(answer: _Answer, header: str) -> int:
    value = answer.headers.get(header, "")
    return (
        int(value)
        if value.isascii() and value.isdigit() and len(value) < len(str(bounds.LARGEST_COUNT))
        else 0
    )


def _name(endpoint: Endpoint) -> str:
    """Name an endpoint without anything that might be secret in its address."""
    try:
        url = httpx.URL(endpoint.url)
    except httpx.InvalidURL:
        return "The endpoint"
    port = f":{url.port}" if url.port else ""
    return f"The server at {url.host}{port}" if url.host else "The endpoint"
