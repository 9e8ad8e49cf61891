"""Answers as JSON, answers as server-sent events (WHATWG HTML, section 9.2), and noticing that nobody listens any more."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from flask import Response, request, stream_with_context
from pydantic import BaseModel


def json_response(model: BaseModel, status: int = 200) -> Response:
    """Send a model as JSON."""
    return Response(model.model_dump_json(), status, content_type="application/json")


def event_stream(lines: Iterable[str]) -> Response:
    """Send events as they come; closing the connection closes the iterator behind them."""
    answer = Response(stream_with_context(_closing(lines)), content_type="text/event-stream; charset=utf-8")
    answer.headers["Cache-Control"] = "no-store, no-transform"
    answer.headers["X-Accel-Buffering"] = "no"
    return answer


def event(name: str, data: dict[str, Any]) -> str:
    r"""Write one event.

    >>> event("token", {"text": "雨"})
    'event: token\ndata: {"text": "雨"}\n\n'
    """
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def listener_gone() -> Callable[[], bool]:
    """Return a function that tells whether the client of this request went away; where the server cannot know, it never did."""
    told = request.environ.get("waitress.client_disconnected")
    return told if callable(told) else lambda: False


def _closing(lines: Iterable[str]) -> Iterator[str]:
    try:
        yield from lines
    finally:
        if isinstance(lines, Generator):
            lines.close()
