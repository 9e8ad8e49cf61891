"""Who works on what: threads of their own for health, recall, chats, uploads and the rest, so that
none holds up another.

Each lane has so many places to wait. Whoever finds none, or has waited for too long, is told so at
once, with when to come back, in place of silence.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from waitress.task import ThreadedTaskDispatcher
from waitress.utilities import Error

from lpm_kernel.api.problems import type_of
from lpm_kernel.api.refusals import BUSY

RETRY_AFTER = 2
"""Seconds after which somebody who was sent away may come back."""


class RequestLane(StrEnum):
    """What a request is about."""

    HEALTH = "health"
    RECALL = "recall"
    CHATS = "chats"
    WATCHING = "watching"
    UPLOADS = "uploads"
    REST = "rest"


@dataclass(frozen=True)
class Width:
    """How much of a lane there is."""

    threads: int
    waiting: int
    seconds: float = 20.0
    """How long somebody waits for a thread."""


WIDTHS: Mapping[RequestLane, Width] = {
    RequestLane.HEALTH: Width(2, 64),
    RequestLane.RECALL: Width(4, 32),
    RequestLane.CHATS: Width(16, 16),
    RequestLane.WATCHING: Width(8, 8),
    RequestLane.UPLOADS: Width(3, 32, 60.0),
    RequestLane.REST: Width(8, 64),
}


def lane_of(method: str, path: str) -> RequestLane:
    """Return the lane of a request.

    >>> (lane_of("GET", "/healthz").value, lane_of("POST", "/api/recall").value,
    ...  lane_of("POST", "/api/conversations/v_1/turns").value)
    ('health', 'recall', 'chats')
    """
    if path in {"/healthz", "/readyz"}:
        return RequestLane.HEALTH
    if path == "/api/recall" or path.startswith("/api/recall/"):
        return RequestLane.RECALL
    if method == "GET":
        return (
            RequestLane.WATCHING
            if path.startswith(("/api/jobs/", "/api/discussions/")) and path.endswith("/events")
            else RequestLane.REST
        )
    if path.endswith(("/turns", "/again", "/next")) or path in {
        "/v1/chat/completions",
        "/api/roles/try",
        "/inward/replies",
    }:
        return RequestLane.CHATS
    return RequestLane.UPLOADS if path in {"/api/documents", "/api/imports"} else RequestLane.REST


class BusyError(Error):  # type: ignore[misc]  # waitress has no types
    """Take the place of an answer: come back later."""

    code, reason = "503", "Service Unavailable"

    def __init__(self, waiting: int) -> None:
        super().__init__("")
        self.waiting = waiting

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:  # noqa: ARG002  the server names itself nowhere
        """Write it as a problem."""
        detail = (
            f"{self.waiting} requests wait already. {BUSY.problem.detail}"
            if self.waiting
            else BUSY.problem.detail
        )
        said = {
            "type": type_of(BUSY.slug),
            "title": BUSY.problem.title,
            "status": 503,
            "detail": detail,
            "hint": BUSY.problem.hint,
        }
        headers = [
            ("Content-Type", "application/problem+json"),
            ("Retry-After", str(RETRY_AFTER)),
            ("Cache-Control", "no-store"),
            ("Connection", "close"),
        ]
        return f"{self.code} {self.reason}", headers, json.dumps(said, ensure_ascii=False).encode()


class Lanes:
    """What the server hands its requests to. Channels are waitress' own: ``requests[0]`` is what is
    to be answered.
    """

    def __init__(self, widths: Mapping[RequestLane, Width] = WIDTHS) -> None:
        self._widths = widths
        self._lanes = {lane: ThreadedTaskDispatcher() for lane in widths}
        for lane, width in widths.items():
            self._lanes[lane].set_thread_count(width.threads)

    def add_task(self, channel: Any) -> None:  # noqa: ANN401  waitress has no types
        """Let a request wait for a thread of its lane, or send it away."""
        request = channel.requests[0]
        # it is answered at once
        lane = (
            lane_of(request.command, request.path) if request.error is None else RequestLane.HEALTH
        )
        dispatcher = self._lanes[lane]
        with dispatcher.lock:
            waiting = len(dispatcher.queue)
            busy = (
                dispatcher.active_count + waiting
                >= self._widths[lane].threads + self._widths[lane].waiting
            )
        if busy and request.error is None:
            self._send_away(channel, waiting)
            return
        channel.queued_at = time.monotonic()
        dispatcher.add_task(channel)

    def sweep(self) -> None:
        """Send away who has waited for too long."""
        for lane, dispatcher in self._lanes.items():
            before = time.monotonic() - self._widths[lane].seconds
            with dispatcher.lock:
                late = [
                    each for each in dispatcher.queue if each.queued_at < before and each.requests
                ]
                for channel in late:
                    dispatcher.queue.remove(channel)
                waiting = len(dispatcher.queue)
            for channel in late:
                self._send_away(channel, waiting)

    def set_thread_count(self, count: int) -> None:
        """Do nothing: each lane knows how many it has."""

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        """Let every thread go."""
        for dispatcher in self._lanes.values():
            dispatcher.set_thread_count(0)
        ended = [
            lane.shutdown(cancel_pending, timeout / len(self._lanes))
            for lane in self._lanes.values()
        ]
        return all(ended)

    def _send_away(self, channel: Any, waiting: int) -> None:  # noqa: ANN401  as above
        channel.requests[0].error = BusyError(waiting)
        channel.queued_at = time.monotonic()
        self._lanes[RequestLane.HEALTH].add_task(channel)
