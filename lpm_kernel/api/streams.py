"""Answers as JSON, answers as server-sent events (WHATWG HTML, section 9.2), and noticing that
nobody listens any more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from flask import Response, request, stream_with_context
from pydantic import BaseModel

from lpm_kernel.api.problems import report
from lpm_kernel.api.refusals import INSIDE
from lpm_kernel.domain.documents import Problem
from lpm_kernel.errors import NodeError


def json_response(model: BaseModel, status: int = 200) -> Response:
    """Send a model as JSON."""
    return Response(model.model_dump_json(), status, content_type="application/json")


def event_stream(lines: Iterable[str]) -> Response:
    """Send events as they come; closing the connection closes the iterator behind them."""
    answer = Response(
        stream_with_context(_closing(lines)), content_type="text/event-stream; charset=utf-8"
    )
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
    """Return a function that tells whether the client of this request went away; where the server
    cannot know, it never did.
    """
    told = request.environ.get("waitress.client_disconnected")
    return told if callable(told) else lambda: False


def failure(problem: Problem, **more: Any) -> str:  # noqa: ANN401  JSON
    """Write the event with which a stream ends that did not work."""
    return event(
        "failed",
        {
            "problem": {"title": problem.title, "detail": problem.detail, "hint": problem.hint},
            **more,
        },
    )


def to_the_end(lines: Iterator[str], failed: Callable[[Problem], str] = failure) -> Iterator[str]:
    """Pass events on; a fault that nobody expected ends them with ``failed``, not with silence."""
    try:
        yield from lines
    except NodeError as error:
        yield failed(Problem.of(error))
    except Exception as error:  # noqa: BLE001  the status is sent already, so nobody else can say it
        report(error)
        yield failed(INSIDE.problem)


def _closing(lines: Iterable[str]) -> Iterator[bytes]:
    try:
        for line in lines:
            # halves of surrogate pairs would break the stream off
            yield line.encode("utf-8", "replace")
    finally:
        if isinstance(lines, Generator):
            lines.close()
