"""The OpenAI-compatible shapes: what the host takes and what it sends, checked at the edge.

A field that the host does not know is refused rather than ignored: whoever sends `tools` should
hear that nothing will come of it.
"""

from __future__ import annotations

import time
import uuid
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from lpm_kernel.domain.ports import Adapter, ChatMessage, Delta, Sampling

LARGEST_BODY = 8_000_000
"""Bytes of one request. Longer than any window that fits a personal machine."""

LARGEST_BATCH = 2048
"""Texts of one embedding request, as in the OpenAI API."""

Text = Annotated[str, StringConstraints(max_length=LARGEST_BODY)]


class Strict(BaseModel):
    """A body in which every field is known and of its type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TextPart(Strict):
    """A piece of a message. Only text is read."""

    type: Literal["text"]
    text: Text


class PromptMessage(Strict):
    """One message of a prompt."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Text | list[TextPart]
    name: str | None = None

    def in_domain(self) -> ChatMessage:
        """Return it as the port takes it: parts joined, the newer word for the system's role read
        as the older.
        """
        content = (
            self.content
            if isinstance(self.content, str)
            else "".join(part.text for part in self.content)
        )
        return ChatMessage("system" if self.role == "developer" else self.role, content)


class WireStreamOptions(Strict):
    """What a stream carries besides text."""

    include_usage: bool = False


class AdapterOn(Strict):
    """Beyond the OpenAI API: the LoRA adapter that a request is answered with."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    path: Annotated[str, StringConstraints(min_length=1, max_length=4000)]
    """Its file, from the home's `versions/` on or in full."""
    scale: Annotated[float, Field(ge=0, le=4, allow_inf_nan=False)] = 1.0

    def in_domain(self, versions: Path) -> Adapter | None:
        """Return it as the port takes it, or ``None`` for a file outside of ``versions``."""
        root = versions.resolve()
        try:
            path = (root / self.path).resolve()
        except (OSError, ValueError):  # a loop of links, or a zero in the name
            return None
        return Adapter(self.id, path, self.scale) if path.is_relative_to(root) else None


class ChatRequest(Strict):
    """The body of `POST /v1/chat/completions`."""

    messages: list[PromptMessage] = Field(min_length=1)
    model: str = ""
    stream: bool = False
    stream_options: WireStreamOptions | None = None
    stop: str | list[str] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1)] | None = None
    seed: int | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    response_format: dict[str, Any] | None = None
    n: Literal[1] = 1
    user: str | None = None
    adapter: AdapterOn | None = None

    def sampling(self, adapter: Adapter | None) -> Sampling:
        """Return how words are drawn, and with which adapter, as the port takes it."""
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())
        return Sampling(
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_completion_tokens or self.max_tokens,
            seed=self.seed,
            stop=stop,
            presence_penalty=self.presence_penalty,
            frequency_penalty=self.frequency_penalty,
            response_format=self.response_format,
            adapter=adapter,
        )


class EmbeddingRequest(Strict):
    """The body of `POST /v1/embeddings`."""

    input: Text | Annotated[list[Text], Field(min_length=1, max_length=LARGEST_BATCH)]
    model: str = ""
    encoding_format: Literal["float", "base64"] = "float"
    user: str | None = None
    tokens: bool = False
    """Beyond the OpenAI API: give each text's tokens too, base64 of whole numbers, where the
    embedder has them.
    """

    @property
    def texts(self) -> list[str]:
        """The texts, one or many."""
        return [self.input] if isinstance(self.input, str) else self.input


class ReadRequest(Strict):
    """The body of `POST /v1/read`."""

    question: Text = Field(min_length=1)
    texts: list[Text] = Field(min_length=1, max_length=LARGEST_BATCH)


class ScoreRequest(Strict):
    """The body of `POST /v1/score`, which asks how likely a continuation is after these
    messages.
    """

    messages: list[PromptMessage] = Field(min_length=1)
    continuation: Text = Field(min_length=1)
    model: str = ""
    adapter: AdapterOn | None = None


class ForgetRequest(Strict):
    """The body of `POST /forget`, which may be missing: then what was read is forgotten, and
    adapters stay.
    """

    adapter: str | None = None
    """The id of an adapter that is to be forgotten, with all that was read with it."""


class TokenizeRequest(Strict):
    """The body of `POST /tokenize`."""

    content: Text


class Answer:
    """One answer on its way out, in whole or in pieces."""

    def __init__(self, model: str) -> None:
        self.id = f"chatcmpl-{uuid.uuid4().hex}"
        self.model = model
        self.created = int(time.time())

    def opening(self) -> dict[str, Any]:
        """Return the first chunk, which says who speaks."""
        return self._chunk({"role": "assistant", "content": ""}, None)

    def piece(self, delta: Delta) -> dict[str, Any]:
        """Return a chunk of text, or the last one."""
        said = {"content": delta.text, "reasoning_content": delta.thought}
        return self._chunk({name: text for name, text in said.items() if text}, delta.finish_reason)

    def closing(self, last: Delta) -> dict[str, Any]:
        """Return the chunk that carries the cost, for those who asked for it."""
        return {**self._frame("chat.completion.chunk"), "choices": [], "usage": usage(last)}

    def whole(self, text: str, last: Delta, thought: str = "") -> dict[str, Any]:
        """Return the answer in one body, with what was thought before it."""
        thinking = {"reasoning_content": thought} if thought else {}
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text, "refusal": None, **thinking},
            "logprobs": None,
            "finish_reason": last.finish_reason,
        }
        return {**self._frame("chat.completion"), "choices": [choice], "usage": usage(last)}

    def _chunk(self, delta: dict[str, str], reason: str | None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**self._frame("chat.completion.chunk"), "choices": [choice]}

    def _frame(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def usage(last: Delta) -> dict[str, int]:
    """Return the cost of an answer in tokens."""
    return {
        "prompt_tokens": last.prompt_tokens,
        "completion_tokens": last.completion_tokens,
        "total_tokens": last.prompt_tokens + last.completion_tokens,
    }


def refusal(
    message: str, code: str, kind: str = "invalid_request_error", param: str | None = None
) -> dict[str, Any]:
    """Return an error in the form that the official client understands."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
