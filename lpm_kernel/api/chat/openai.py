"""The OpenAI-compatible endpoint. ``second-me`` answers from memory with citations,
``second-me/<role>`` as a role; ``base`` is the model alone.

Shapes: the OpenAI API reference for chat completions, models and embeddings. What the node cannot
honour is refused.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import numpy as np
from flask import Response, request
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.models.tag import Tag

from lpm_kernel.api.chat.openai_schemas import (
    ChatChunk,
    ChatFailed,
    ChatFault,
    ChatIn,
    ChatMessageIn,
    EmbeddingsIn,
)
from lpm_kernel.api.context import is_owner, node
from lpm_kernel.api.memory.recall_serialisers import serialise_citations
from lpm_kernel.api.moments import aware_if_given
from lpm_kernel.api.schemas import ById
from lpm_kernel.api.streams import event_stream, listener_gone, to_the_end
from lpm_kernel.domain.chat.conversations import Turn, TurnState
from lpm_kernel.domain.chat.roles import Role, RoleId
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.domain.library.documents import Problem
from lpm_kernel.domain.ports import ChatMessage, Sampling
from lpm_kernel.errors import (
    EmbedderUnavailableError,
    InvalidInputError,
    NotFoundError,
    TooLargeError,
)
from lpm_kernel.L1.answering.answer import (
    ANSWER_TOKENS,
    LONG_ANSWER_TOKENS,
    AnswerStretch,
    Cited,
    Ended,
)
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.ask import SingleQuestion, ask
from lpm_kernel.usecases.chat.turns import TurnSpeaker

api = APIBlueprint(
    "openai",
    __name__,
    url_prefix="/v1",
    abp_tags=[Tag(name="openai", description="For programs that speak the OpenAI API")],
)

SECOND_ME, BASE = "second-me", "base"

_REFUSED = (
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "functions",
    "function_call",
    "logprobs",
    "top_logprobs",
    "logit_bias",
    "store",
    "metadata",
)

MOST_INPUTS = 256
MOST_BYTES = 4_000_000
"""Of one request: far beyond what any model reads, and below what the model host takes in."""


@api.get("/models", summary="List the models")
def list_models() -> Response:
    """`second-me` answers from memory, `second-me/<role>` as a role with what it may see, `base` is
    the model without memory.
    """
    names = (SECOND_ME, BASE, *(f"{SECOND_ME}/{role.id}" for role in node().ports.roles.all()))
    return _json(
        {
            "object": "list",
            "data": [
                {"id": name, "object": "model", "created": 0, "owned_by": "you"} for name in names
            ],
        }
    )


@api.get("/models/<path:id>", summary="Show a model")
def get_model(path: ById) -> Response:
    """Show one of the list."""
    if path.id != BASE:
        _role(path.id)
    return _json({"id": path.id, "object": "model", "created": 0, "owned_by": "you"})


@api.post("/chat/completions", summary="Chat")
def chat(body: ChatIn) -> Response:
    """Answer, streaming or not; `citations`, `abstained` and `outcome` stand beside `choices`
    (streamed: in the last chunk).
    """
    role = None if body.model == BASE else _role(body.model)
    sampling = _sampling(body, role)
    if (size := len(request.get_data())) > MOST_BYTES:
        raise TooLargeError("The conversation", size, MOST_BYTES)
    messages = [
        ChatMessage("system" if m.role == "developer" else m.role, _text(m)) for m in body.messages
    ]
    if messages[-1].role != "user":
        raise InvalidInputError("The last message has to be the user's.", "Put what you ask last.")
    here, gone = node(), listener_gone()
    if body.model == BASE:
        if body.now is not None:
            raise InvalidInputError(
                "base asks no memory, so it has no use for now.", "Leave now out."
            )
        pieces = _base(here, messages, sampling)
    else:
        if body.response_format is not None and body.response_format.get("type") != "text":
            raise InvalidInputError(
                "second-me answers in sentences that its evidence carries, so it has no other"
                " response_format.",
                'Use model "base" for JSON, or leave response_format out.',
            )
        by = here.chat.speaks(role, owner=is_owner(), now=aware_if_given(body.now))
        pieces = _second_me(here, by, messages, sampling, gone)
    frame = {
        "id": "chatcmpl-" + secrets.token_hex(12),
        "created": int(here.ports.clock.now().timestamp()),
        "model": body.model,
    }
    with_usage = body.stream_options is not None and body.stream_options.include_usage
    if body.stream:
        # so that a model that does not answer is an error with its status, not a broken stream
        first = next(pieces)
        return event_stream(
            to_the_end(_chunks(frame, first, pieces, with_usage=with_usage), _error)
        )
    return _json(_whole(frame, pieces))


@api.post("/embeddings", summary="Embed texts")
def embed(body: EmbeddingsIn) -> Response:
    """Embed each text by itself, with the node's embedder."""
    texts = [body.input] if isinstance(body.input, str) else body.input
    if not 0 < len(texts) <= MOST_INPUTS or not all(text.strip() for text in texts):
        raise InvalidInputError(
            f"`input` has to be one text, or up to {MOST_INPUTS}, none of them empty.",
            "Send fewer at once.",
        )
    embedder = node().models.embedder
    if embedder is None:
        raise EmbedderUnavailableError("No embedder is chosen.", "Set `embedder` in settings.toml.")
    if body.dimensions not in {None, embedder.dimension}:
        raise InvalidInputError(
            f"This embedder has {embedder.dimension} dimensions.", "Leave `dimensions` out."
        )
    vectors = np.asarray(embedder.embed(texts), dtype="<f4")
    data = [
        {
            "object": "embedding",
            "index": n,
            "embedding": (
                base64.b64encode(row.tobytes()).decode()
                if body.encoding_format == "base64"
                else row.tolist()
            ),
        }
        for n, row in enumerate(vectors)
    ]
    tokens = (
        sum(node().models.model.count_tokens(text) for text in texts)
        if node().models.model_state().state == "ready"
        else 0
    )
    return _json(
        {
            "object": "list",
            "model": embedder.id,
            "data": data,
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
    )


@dataclass
class _Piece:
    """A stretch of text, or the end."""

    text: str = ""
    finish_reason: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    thought: str = ""
    """What the base thinks before it answers; the second self's is not passed on."""
    more: dict[str, Any] | None = None


def _base(here: Node, messages: Sequence[ChatMessage], sampling: Sampling) -> Iterator[_Piece]:
    stream = here.models.model.stream(messages, sampling)
    with closing(stream):  # type: ignore[type-var]  # generators close; the port promises no more than an iterator
        for delta in stream:
            yield _Piece(
                delta.text,
                delta.finish_reason,
                delta.prompt_tokens,
                delta.completion_tokens,
                delta.thought,
            )


def _role(model: str) -> Role | None:
    """Return the role that a model names; ``None`` for the second self. Raises
    ``NotFoundError``.
    """
    begins, _, role = model.partition("/")
    if begins != SECOND_ME or (not role and model != SECOND_ME):
        raise NotFoundError("model", model)
    if not role:
        return None
    try:
        return node().ports.roles.get(RoleId(role))
    except NotFoundError as error:
        raise NotFoundError("model", model) from error


def _second_me(
    here: Node,
    by: TurnSpeaker,
    messages: Sequence[ChatMessage],
    sampling: Sampling,
    gone: Any,  # noqa: ANN401  a callable, or waitress' own
) -> Iterator[_Piece]:
    now = here.ports.clock.now()
    none = ConversationId("")
    history = [
        Turn(
            TurnId(""),
            none,
            "user" if m.role == "user" else "assistant",
            m.content,
            TurnState.DONE,
            now,
        )
        for m in messages[:-1]
        if m.role != "system"
    ]
    told = " ".join(m.content for m in messages if m.role == "system")
    me, question = here.ports.conversations.identity(), messages[-1].content
    said = False
    for each in ask(by, me, SingleQuestion(question, history, told), sampling=sampling, gone=gone):
        match each:
            case AnswerStretch(_, kind, text):
                shown = f"“{text}”" if kind.value == "quotation" else text
                yield _Piece(f" {shown}" if said else shown)
                said = True
            case Cited():
                continue
            case Ended() as end:
                here.memory.cited(end.citations)
                cited = [
                    {
                        "id": c.id,
                        "kind": c.kind,
                        "source": c.source,
                        "quote": c.quote,
                        "document": c.document,
                    }
                    for c in serialise_citations(here, end.citations)
                ]
                yield _Piece(
                    "",
                    end.finish_reason,
                    end.prompt_tokens,
                    end.completion_tokens,
                    more={
                        "citations": cited,
                        "abstained": end.abstained,
                        "outcome": end.outcome.value,
                    },
                )


def _chunks(
    frame: dict[str, Any], first: _Piece, rest: Iterator[_Piece], *, with_usage: bool
) -> Iterator[str]:
    def line(choices: list[dict[str, Any]], **more: Any) -> str:  # noqa: ANN401  JSON
        told = {**frame, "object": "chat.completion.chunk", "choices": choices, **more}
        return _line(ChatChunk.model_validate(told))

    yield line([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}])
    last = first
    for piece in _and_then(first, rest):
        last = piece
        said = {"content": piece.text, "reasoning_content": piece.thought}
        if delta := {name: text for name, text in said.items() if text}:
            yield line([{"index": 0, "delta": delta, "finish_reason": None}])
    yield line(
        [{"index": 0, "delta": {}, "finish_reason": last.finish_reason or "stop"}],
        **(last.more or {}),
    )
    if with_usage:
        yield line([], usage=_usage(last))
    yield "data: [DONE]\n\n"


def _error(problem: Problem) -> str:
    """Write what the official client raises."""
    message = f"{problem.detail} {problem.hint}".strip()
    fault = ChatFault(message=message, type="server_error", param=None, code=None)
    return _line(ChatFailed(error=fault))


def _line(told: ChatChunk | ChatFailed) -> str:
    """Write one event; what a chunk does not say is left out."""
    said = told.model_dump(mode="json", exclude_unset=True)
    return f"data: {json.dumps(said, ensure_ascii=False)}\n\n"


def _and_then(first: _Piece, rest: Iterator[_Piece]) -> Iterator[_Piece]:
    yield first
    yield from rest


def _whole(frame: dict[str, Any], pieces: Iterator[_Piece]) -> dict[str, Any]:
    texts, thoughts, last = [], [], _Piece()
    for last in pieces:
        texts.append(last.text)
        thoughts.append(last.thought)
    message = {"role": "assistant", "content": "".join(texts)}
    if thought := "".join(thoughts):
        message["reasoning_content"] = thought
    return {
        **frame,
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": last.finish_reason or "stop",
            }
        ],
        "usage": _usage(last),
        **(last.more or {}),
    }


def _usage(last: _Piece) -> dict[str, int]:
    return {
        "prompt_tokens": last.prompt_tokens,
        "completion_tokens": last.completion_tokens,
        "total_tokens": last.prompt_tokens + last.completion_tokens,
    }


def _sampling(body: ChatIn, role: Role | None) -> Sampling:
    """Read the sampling fields. Raises ``InvalidInputError`` naming what cannot be honoured."""
    refused = [
        name for name in _REFUSED if getattr(body, name) not in (None, False, [], {}, "none")
    ]
    if body.stream_options is not None and not body.stream:
        refused.append("stream_options without stream")
    played = (
        role.speech.temperature if role is not None else 0.0 if body.model == SECOND_ME else None
    )
    if refused or body.n not in {None, 1}:
        named = ", ".join([*refused, *(["n"] if body.n not in {None, 1} else [])])
        raise InvalidInputError(f"This node does not support {named}.", "Leave it out.")
    stop = (body.stop,) if isinstance(body.stop, str) else tuple(body.stop or ())
    return Sampling(
        temperature=played if body.temperature is None else body.temperature,
        top_p=body.top_p,
        max_tokens=body.max_completion_tokens
        or body.max_tokens
        or (None if body.model == BASE else ANSWER_TOKENS if role is None else LONG_ANSWER_TOKENS),
        seed=body.seed,
        stop=stop,
        presence_penalty=body.presence_penalty,
        frequency_penalty=body.frequency_penalty,
        response_format=body.response_format if body.model == BASE else None,
    )


def _text(message: ChatMessageIn) -> str:
    """Return a message's text. Raises ``InvalidInputError`` for pictures and sound."""
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    parts = []
    for part in message.content:
        if part.get("type") != "text" or not isinstance(part.get("text"), str):
            raise InvalidInputError(
                "This node reads only text parts.", "Add pictures and recordings as documents."
            )
        parts.append(part["text"])
    return "\n".join(parts)


def _json(body: dict[str, Any]) -> Response:
    return Response(
        json.dumps(body, ensure_ascii=False), HTTPStatus.OK, content_type="application/json"
    )
