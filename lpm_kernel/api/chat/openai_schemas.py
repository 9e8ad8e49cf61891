"""Requests, and what is streamed, as in the OpenAI API."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lpm_kernel.api.chat.turn_schemas import OutcomeName
from lpm_kernel.api.schemas import InJson, MemoryKind, Sent


class ChatMessageIn(BaseModel):
    """One message of an OpenAI chat."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[dict[str, Any]] | None = None
    name: str | None = None


class StreamOptions(Sent):
    """What a streamed answer has besides."""

    include_usage: bool = False


class ChatIn(BaseModel):
    """`POST /v1/chat/completions` as in the OpenAI API. What the node cannot honour is refused,
    never ignored.
    """

    model_config = ConfigDict(extra="forbid")

    model: str
    messages: list[ChatMessageIn] = Field(min_length=1)
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    n: int | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    response_format: dict[str, Any] | None = None
    tools: list[Any] | None = None
    tool_choice: Any | None = None
    parallel_tool_calls: bool | None = None
    functions: list[Any] | None = None
    function_call: Any | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    logit_bias: dict[str, float] | None = None
    user: str | None = None
    store: bool | None = None
    metadata: dict[str, Any] | None = None
    now: datetime | None = Field(
        default=None,
        description="When it is asked: what “yesterday” counts from. Not in the OpenAI API.",
    )


class EmbeddingsIn(BaseModel):
    """`POST /v1/embeddings` as in the OpenAI API."""

    model_config = ConfigDict(extra="forbid")

    model: str
    input: str | list[str]
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str | None = None


class ChunkDelta(BaseModel):
    """What a chunk adds; what it does not add is left out."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    reasoning_content: str | None = Field(
        default=None, description="What the base model thinks before it answers."
    )


class ChunkChoice(BaseModel):
    """The one choice of a chunk."""

    index: Literal[0]
    delta: ChunkDelta
    finish_reason: Literal["stop", "length"] | None


class ChatCitation(BaseModel):
    """What an answer rests on."""

    id: str
    kind: MemoryKind
    source: str
    quote: str
    document: str


class ChatUsage(BaseModel):
    """How much was read and written."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatChunk(BaseModel):
    """A piece of a streamed answer."""

    id: str
    created: int
    model: str
    object: Literal["chat.completion.chunk"]
    choices: list[ChunkChoice]
    citations: list[ChatCitation] | None = Field(
        default=None, description="With the reason why it ended, where memory was asked."
    )
    abstained: bool | None = Field(default=None, description="As `citations`.")
    outcome: OutcomeName | None = Field(default=None, description="As `citations`.")
    usage: ChatUsage | None = Field(
        default=None, description="By itself, last, where `stream_options` asked for it."
    )


class ChatFault(BaseModel):
    """What went wrong, in the shape that the official client raises."""

    message: str
    type: Literal["server_error"]
    param: None
    code: None


class ChatFailed(BaseModel):
    """The stream broke off; nothing follows."""

    error: ChatFault


class ChatEvent(BaseModel):
    """One event of a streamed answer: its `data:` line, the last of which is `[DONE]`. There is no
    `event:` line.
    """

    data: InJson[ChatChunk | ChatFailed] | Literal["[DONE]"]
