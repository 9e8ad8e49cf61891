"""Any OpenAI-compatible endpoint as the node's language model: the model host on this machine, or a server elsewhere."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any

import httpx
from httpx_sse import SSEError, connect_sse

from lpm_kernel.domain.ports import Adapter, ChatMessage, Delta, Endpoint, ModelCard, Sampling
from lpm_kernel.errors import InvalidInputError, ModelUnavailableError, PromptTooLongError

CONNECT_SECONDS = 5.0
READ_SECONDS = 300.0
"""Between two pieces, or before the first: a large model on a small machine reads long, and requests wait in line."""

NO_PROXY_HERE: dict[str, None] = {"all://127.0.0.1": None, "all://localhost": None, "all://[::1]": None}
"""What stays on this machine goes through no proxy, whatever the environment says."""

FALLBACK_WINDOW = 4096
"""For a server that does not say how much its model reads."""

WINDOW_KEYS = ("context_window", "context_length", "max_model_len", "max_context_length", "n_ctx")
"""Under which names servers say it: this node's host, OpenRouter and Together, vLLM, LM Studio, llama.cpp."""


class EndpointModel:
    """A model behind an endpoint. ``where`` is asked before each request, since the host on this machine moves when it restarts."""

    def __init__(self, where: Endpoint | Callable[[], Endpoint], *, read_seconds: float = READ_SECONDS, connect_seconds: float = CONNECT_SECONDS) -> None:
        self._where = where
        self._client = httpx.Client(timeout=httpx.Timeout(read_seconds, connect=connect_seconds), mounts=NO_PROXY_HERE)
        self._counted = lru_cache(maxsize=4096)(self._count)

    @property
    def endpoint(self) -> Endpoint:
        """Where it is right now. Raises ``ModelUnavailableError`` when there is no host."""
        return self._where if isinstance(self._where, Endpoint) else self._where()

    def card(self) -> ModelCard:
        """Ask the endpoint which model it has."""
        endpoint = self.endpoint
        with _in_words(endpoint):
            response = self._client.get(_address(endpoint, "models"), headers=_headers(endpoint))
            _check(response, endpoint)
        entry = _chosen(response, endpoint)
        window = next((int(entry[key]) for key in WINDOW_KEYS if isinstance(entry.get(key), int)), FALLBACK_WINDOW)
        size = entry.get("parameters")
        return ModelCard(
            id=str(entry["id"]),
            context_window=window,
            local=is_local(endpoint.url),
            description=str(entry.get("description", "")),
            parameters=size if isinstance(size, int) and size > 0 else None,
        )

    def stream(self, messages: Sequence[ChatMessage], sampling: Sampling = Sampling()) -> Iterator[Delta]:
        """Ask for an answer; closing the iterator closes the connection, which stops the model."""
        endpoint = self.endpoint
        body = _request(messages, sampling, endpoint)
        with _in_words(endpoint), connect_sse(self._client, "POST", _address(endpoint, "chat/completions"), json=body, headers=_headers(endpoint)) as source:
            if source.response.status_code != HTTPStatus.OK:
                source.response.read()
                _check(source.response, endpoint)
            yield from _deltas((event.data for event in source.iter_sse()), endpoint)

    def score(self, messages: Sequence[ChatMessage], continuation: str, adapter: Adapter | None = None) -> list[tuple[str, float]]:
        """Ask the host on this machine how likely a continuation is. Another server cannot be asked."""
        endpoint = self.endpoint
        if not endpoint.host:
            raise ModelUnavailableError(f"{_name(endpoint)} cannot say how likely a text is.", "Choose a model on this machine for that.")
        body = {"messages": _messages(messages), "continuation": _text(continuation), **_on(adapter, endpoint)}
        with _in_words(endpoint):
            response = self._client.post(_address(endpoint, "score"), json=body, headers=_headers(endpoint))
            _check(response, endpoint)
        found = response.json()
        return list(zip(found["tokens"], found["token_logprobs"], strict=True))

    def count_tokens(self, text: str) -> int:
        """Count as the host on this machine reads; elsewhere estimate on the high side."""
        return self._counted(text)

    def _count(self, text: str) -> int:
        endpoint = self.endpoint
        if is_local(endpoint.url):
            try:
                response = self._client.post(_beside(endpoint, "tokenize"), json={"content": _text(text)}, headers=_headers(endpoint))
                if response.status_code == HTTPStatus.OK:
                    return int(response.json()["count"])
            except (httpx.HTTPError, ValueError, KeyError, TypeError):
                pass  # another local server, or one that has just died: an estimate serves as well
        return estimate_tokens(text)

    def forget(self) -> None:
        """Have the host on this machine drop what it keeps of prompts, as erasing asks for. A server elsewhere keeps what it keeps."""
        endpoint = self.endpoint
        if is_local(endpoint.url):
            with _in_words(endpoint):
                _check(self._client.post(_beside(endpoint, "forget"), headers=_headers(endpoint)), endpoint)

    def forget_adapter(self, identifier: str) -> None:
        """Have the node's own host drop an adapter, with all that was read with it. A host that does not run has nothing to drop."""
        try:
            endpoint = self.endpoint
        except ModelUnavailableError:
            return
        if endpoint.host:
            with _in_words(endpoint), suppress(httpx.ConnectError):
                _check(self._client.post(_beside(endpoint, "forget"), json={"adapter": identifier}, headers=_headers(endpoint)), endpoint)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def estimate_tokens(text: str) -> int:
    """Estimate on the high side: a token for three Latin letters, one and a half for each character of other scripts.

    >>> estimate_tokens("A walk by the river"), estimate_tokens("川沿いを歩く")
    (7, 9)
    """
    latin = sum(character.isascii() for character in text)
    return math.ceil(latin / 3 + (len(text) - latin) * 1.5)


def is_local(url: str) -> bool:
    """Tell whether an address stays on this machine.

    >>> is_local("http://127.0.0.1:8080/v1"), is_local("http://localhost:1234/v1"), is_local("https://api.example.org/v1")
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
    """Name an adapter to the node's own host. A server that does not know of adapters would answer without: that is said instead."""
    if adapter is None or adapter.scale == 0:
        return {}
    if not endpoint.host:
        raise ModelUnavailableError(
            f"{_name(endpoint)} cannot answer with what was trained here: an adapter belongs to the base model on this machine.",
            "Choose the model on this machine, or ask without the trained version.",
        )
    return {"adapter": {"id": adapter.id, "path": str(adapter.path), "scale": adapter.scale}}


def _request(messages: Sequence[ChatMessage], sampling: Sampling, endpoint: Endpoint) -> dict[str, Any]:
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
    prompt: int = 0
    completion: int = 0


def _deltas(events: Iterator[str], endpoint: Endpoint) -> Iterator[Delta]:
    tally = _Tally()
    for data in events:
        if data.strip() == "[DONE]":
            break
        try:
            chunk = json.loads(data)
            choices, cost = chunk.get("choices") or [], chunk.get("usage") or {}
            choice = choices[0] if choices else {}
            text = (choice.get("delta") or {}).get("content") or ""
            tally.reason = choice.get("finish_reason") or tally.reason
            tally.prompt, tally.completion = cost.get("prompt_tokens", tally.prompt), cost.get("completion_tokens", tally.completion)
        except (ValueError, AttributeError, TypeError, LookupError) as error:
            raise ModelUnavailableError(f"{_name(endpoint)} sent something that is no OpenAI-compatible stream.") from error
        if "error" in chunk:
            raise ModelUnavailableError(f"{_name(endpoint)} broke off: {_said(chunk)}")
        if text:
            tally.pieces += 1
            yield Delta(str(text))
    if tally.reason is None:
        raise ModelUnavailableError(f"{_name(endpoint)} broke off in the middle of the answer.")
    yield Delta("", "length" if tally.reason == "length" else "stop", prompt_tokens=tally.prompt, completion_tokens=tally.completion or tally.pieces)


def _chosen(response: httpx.Response, endpoint: Endpoint) -> dict[str, Any]:
    """Return the entry of the model list that is meant. Raises ``ModelUnavailableError``."""
    try:
        entries = [entry for entry in response.json()["data"] if isinstance(entry["id"], str)]
    except (ValueError, KeyError, TypeError) as error:
        raise ModelUnavailableError(
            f"{_name(endpoint)} answers, but not as an OpenAI-compatible endpoint does.", "Check the address; as a rule it ends in /v1."
        ) from error
    if not entries:
        raise ModelUnavailableError(f"{_name(endpoint)} has no model loaded.", "Load one there, then try again.")
    if not endpoint.model:
        return dict(entries[0])
    for entry in entries:
        if entry["id"] == endpoint.model:
            return dict(entry)
    known = ", ".join(entry["id"][:60] for entry in entries[:5])
    raise ModelUnavailableError(f"{_name(endpoint)} has no model “{endpoint.model[:80]}”. It has: {known}.", "Choose one of these.")


@contextmanager
def _in_words(endpoint: Endpoint) -> Iterator[None]:
    """Say in a sentence what a failed connection means. Nothing of the request or the answer is repeated."""
    name = _name(endpoint)
    try:
        yield
    except httpx.ConnectTimeout as error:
        raise ModelUnavailableError(f"{name} cannot be reached: nothing answers in time.") from error
    except httpx.TimeoutException as error:
        raise ModelUnavailableError(f"{name} took the question but did not answer in time.") from error
    except httpx.ConnectError as error:
        raise ModelUnavailableError(f"{name} cannot be reached: nothing answers there.", "Is the server running, and is the address right?") from error
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise ModelUnavailableError("The address of the endpoint is no web address.", "It looks like http://127.0.0.1:8080/v1.") from error
    except (httpx.HTTPError, SSEError) as error:
        raise ModelUnavailableError(f"The connection to {name} broke off.") from error


def _check(response: httpx.Response, endpoint: Endpoint) -> None:
    """Raise the error that a status stands for; 200 passes."""
    status = response.status_code
    name = _name(endpoint)
    if status == HTTPStatus.OK:
        return
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        raise ModelUnavailableError(f"{name} refuses the key.", "Check the key: a missing letter is enough, and keys expire.")
    code = _error(response).get("code")
    if code == "context_length_exceeded":
        raise PromptTooLongError(_number(response, "X-Prompt-Tokens"), _number(response, "X-Context-Window"))
    if status == HTTPStatus.NOT_FOUND:
        meant = f"has no model “{endpoint.model[:80]}”, or" if endpoint.model else "answers, but"
        raise ModelUnavailableError(
            f"{name} {meant} is no OpenAI-compatible endpoint at this path.", "Check the address and the model's name; the address as a rule ends in /v1."
        )
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise ModelUnavailableError(f"{name} is busy or its limit is used up.", "Try again in a moment.")
    if status in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}:
        raise InvalidInputError(f"{name} refuses the request: {_said(_body(response))}")
    raise ModelUnavailableError(f"{name} cannot answer: {_said(_body(response)) or f'status {status}'}")


def _body(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _error(response: httpx.Response) -> dict[str, Any]:
    error = _body(response).get("error")
    return error if isinstance(error, dict) else {}


def _said(body: dict[str, Any]) -> str:
    """Return what a server said of its error, short. It is the server's sentence, which a local host never fills with a person's words."""
    error = body.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    return str(message or "")[:300]


def _number(response: httpx.Response, header: str) -> int:
    value = response.headers.get(header, "")
    return int(value) if value.isdigit() else 0


def _name(endpoint: Endpoint) -> str:
    """Name an endpoint without anything that might be secret in its address."""
    try:
        url = httpx.URL(endpoint.url)
    except httpx.InvalidURL:
        return "The endpoint"
    port = f":{url.port}" if url.port else ""
    return f"The server at {url.host}{port}" if url.host else "The endpoint"
