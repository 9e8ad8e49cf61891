"""Answers as JSON, answers as server-sent events (WHATWG HTML, section 9.2), and noticing that
nobody listens any more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator

from flask import Response, request, stream_with_context
from pydantic import BaseModel

from lpm_kernel.api.problems import report
from lpm_kernel.api.refusals import INSIDE
from lpm_kernel.api.schemas import Event
from lpm_kernel.domain.library.documents import Problem
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


def event(told: Event) -> str:
    r"""Write one event.

    >>> from lpm_kernel.api.chat.turn_schemas import WaitingData, WaitingEvent
    >>> event(WaitingEvent(event="waiting", data=WaitingData(ahead=2)))
    'event: waiting\ndata: {"ahead": 2}\n\n'
    """
    data = json.dumps(told.data.model_dump(mode="json"), ensure_ascii=False)
    return f"event: {told.event}\ndata: {data}\n\n"


def listener_gone() -> Callable[[], bool]:
    """Return a function that tells whether the client of this request went away; where the server
    cannot know, it never did.
    """
    told = request.environ.get("waitress.client_disconnected")
    return told if callable(told) else lambda: False


def to_the_end(lines: Iterator[str], failed: Callable[[Problem], str]) -> Iterator[str]:
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
