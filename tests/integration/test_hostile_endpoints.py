"""A server that the person chose may be anybody's: whatever it sends, the node takes so much of it,
for so long, and then says so.
"""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.api.app import create_app
from lpm_kernel.api.streams import to_the_end
from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.endpoint import EndpointEmbedder
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.embed.probe import embedding_model
from lpm_kernel.backends.llm.client import FALLBACK_WINDOW, EndpointModel
from lpm_kernel.domain.ports import ChatMessage, Delta, Endpoint, Sampling
from lpm_kernel.errors import EmbedderUnavailableError, ModelUnavailableError
from lpm_kernel.node import Node
from tests.servers import Quiet, serving

Answer = Callable[[BaseHTTPRequestHandler], None]
DEEP = "[" * 200_000
BOMB = gzip.compress(b"data: " + b"x" * 60_000_000)
MODELS = json.dumps({"data": [{"id": "first", "context_window": 8192}]})
MOST_MEMORY = 40_000_000
"""Bytes that one hostile answer may cost; before there were bounds it was as many as it sent."""


def hostile(answers: dict[str, Answer]) -> type[Quiet]:
    """Answer each path as a function likes; whoever stops listening is let go."""

    class Handler(Quiet):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with suppress(OSError):
                answers[self.path](self)

        do_GET = do_POST = answer  # noqa: N815  the names that http.server looks for

    return Handler


def begin(handler: BaseHTTPRequestHandler, kind: str = "text/event-stream", **headers: str) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def says(*events: str, kind: str = "text/event-stream") -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        begin(handler, kind)
        handler.wfile.write("".join(events).encode())

    return answer


def floods(piece: bytes, kind: str = "text/event-stream", pause: float = 0.0) -> Answer:
    """Send the same again and again, 600 MB of it or for a minute."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        begin(handler, kind)
        until = time.monotonic() + 60
        for _ in range(600_000_000 // len(piece)):
            handler.wfile.write(piece)
            time.sleep(pause)
            if time.monotonic() > until:
                return

    return answer


def chunk(text: object, reason: object = None, **more: object) -> str:
    return (
        "data: "
        + json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": reason}], **more})
        + "\n\n"
    )


def asked(
    answer: Answer,
    *,
    seconds: float = 1.0,
    most_seconds: float = 30.0,
    sampling: Sampling = Sampling(),
) -> list[Delta]:
    with serving(hostile({"/v1/chat/completions": answer})) as url:
        model = EndpointModel(
            Endpoint(f"{url}/v1"), read_seconds=seconds, most_seconds=most_seconds
        )
        with closing(model):
            return list(model.stream([ChatMessage("user", "Hello?")], sampling))


@pytest.fixture
def measured() -> Iterator[None]:
    """Fail where what was taken in cost too much memory at any moment."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    "piece",
    [
        b"x" * 1_000_000,
        b"data: " + b"x" * 1_000_000,
        b"data: x\n" * 100_000,
        b": " + b"x" * 500_000 + b"\n",
    ],
    ids=["a line without end", "a long event", "an event of many lines", "remarks"],
)
def test_a_stream_without_end_is_broken_off(piece: bytes) -> None:
    with pytest.raises(
        ModelUnavailableError, match=r"too long an answer|no OpenAI-compatible stream"
    ):
        asked(floods(piece))


@pytest.mark.parametrize(
    "piece",
    [b": ping\n\n", b"event: ping\ndata: {}\n\n", chunk("").encode()],
    ids=["remark", "empty", "no words"],
)
def test_signs_of_life_hold_nobody_up(piece: bytes) -> None:
    started = time.monotonic()
    with pytest.raises(ModelUnavailableError, match="one without an end"):
        asked(floods(piece, pause=0.02), seconds=0.5)
    assert time.monotonic() - started < 20


def test_words_without_end_are_broken_off_too() -> None:
    with pytest.raises(ModelUnavailableError, match="one without an end"):
        asked(floods(chunk("word ").encode(), pause=0.02), most_seconds=0.5)


def test_a_server_that_does_not_count_is_stopped_where_it_was_told_to_stop() -> None:
    answer = asked(floods(chunk("word ").encode()), sampling=Sampling(max_tokens=10))
    assert answer[-1].finish_reason == "length"
    assert len(answer) < 200


@pytest.mark.usefixtures("measured")
def test_what_comes_packed_is_not_unpacked() -> None:
    def bomb(handler: BaseHTTPRequestHandler) -> None:
        begin(handler, Content_Encoding="gzip")
        handler.wfile.write(BOMB)

    with pytest.raises(ModelUnavailableError, match="no OpenAI-compatible stream"):
        asked(bomb)


@pytest.mark.parametrize(
    "event",
    [
        f"data: {DEEP}\n\n",
        'data: {"error": ' + '{"message":' * 50_000 + "\n\n",
        'data: {"choices": NaN}\n\n',
        'data: {"choices": {"0": {}}}\n\n',
        'data: {"choices": [[]]}\n\n',
        'data: {"usage": []}\n\n',
        chunk({"a": 1}),
        chunk(["x"]),
        chunk(7),
        "data: 5\n\n",
        "data: \ufeff\n\n",
        'data: {"error": {"message": ' + "[" * 500 + "]" * 500 + "}}\n\n",
    ],
)
def test_what_is_no_piece_of_a_stream_is_said_to_be_none(event: str) -> None:
    with pytest.raises(ModelUnavailableError, match=r"no OpenAI-compatible stream|broke off"):
        asked(says(event))


@pytest.mark.parametrize(
    "chunks",
    [
        [chunk("word", "stop", usage={"prompt_tokens": -5, "completion_tokens": 10**30})],
        [chunk("word", "stop", usage={"prompt_tokens": "many", "completion_tokens": True})],
    ],
)
def test_a_cost_that_is_none_counts_as_missing(chunks: list[str]) -> None:
    answer = asked(says(*chunks, "data: [DONE]\n\n"))
    assert "".join(each.text for each in answer) == "word"
    assert answer[-1] == Delta("", "stop", prompt_tokens=0, completion_tokens=1)


def test_halves_of_surrogate_pairs_become_text() -> None:
    answer = asked(says(chunk("a\ud800b", "stop")))
    assert answer[0].text == "a?b"


@pytest.mark.parametrize("window", [-5, 0, True, 1.5, "8192", 10**30, None, []])
def test_a_window_that_is_none_is_not_taken(window: object) -> None:
    listed = json.dumps(
        {
            "data": [
                {
                    "id": "first",
                    "context_window": window,
                    "parameters": window,
                    "description": window,
                }
            ]
        }
    )
    with (
        serving(hostile({"/v1/models": says(listed, kind="application/json")})) as url,
        closing(EndpointModel(Endpoint(f"{url}/v1"))) as model,
    ):
        assert model.card().context_window == FALLBACK_WINDOW


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    "answer",
    [
        floods(b" " * 1_000_000, "application/json"),
        floods(b" ", "application/json", pause=0.02),
        says(DEEP),
        says('{"data": [5]}'),
        says('{"data": {"id": 1}}'),
    ],
    ids=["600 MB", "drop by drop", "deep", "numbers", "no list"],
)
def test_a_list_of_models_has_an_end_and_a_shape(answer: Answer) -> None:
    with serving(hostile({"/v1/models": answer})) as url:
        endpoint = Endpoint(f"{url}/v1")
        with (
            closing(EndpointModel(endpoint, read_seconds=0.5)) as model,
            pytest.raises(ModelUnavailableError),
        ):
            model.card()


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    "answer", [floods(b" " * 1_000_000, "application/json"), says(DEEP), says('{"data": [5]}')]
)
def test_nor_is_the_list_of_embedders_taken_on_trust(answer: Answer) -> None:
    with serving(hostile({"/v1/models": answer})) as url, pytest.raises(EmbedderUnavailableError):
        embedding_model(Endpoint(f"{url}/v1"))


@pytest.mark.parametrize(
    "said",
    [
        DEEP,
        '{"data": [{"index": 0, "embedding": ' + DEEP,
        '{"data": [{"index": 0, "embedding": [[1, 2], [3, 4]]}]}',
        '{"data": [{"index": 0, "embedding": [1e400, 1]}]}',
        '{"data": [{"index": 0, "embedding": ["1", "2"]}]}',
        '{"data": [{"index": 9, "embedding": [1, 2]}]}',
        '{"data": [{"index": 0, "embedding": {"a": 1}}]}',
        '{"data": {"index": 0}}',
        json.dumps({"data": [{"index": 0, "embedding": [0.5] * 70_000}]}),
    ],
)
def test_what_is_no_vector_is_refused(said: str) -> None:
    with serving(hostile({"/v1/embeddings": says(said, kind="application/json")})) as url:
        embedder = EndpointEmbedder(Endpoint(f"{url}/v1"), identity="x")
        with closing(embedder), pytest.raises(EmbedderUnavailableError):
            embedder.embed(["a"])


@pytest.mark.parametrize(
    "answer",
    [
        floods(b"x" * 1_000_000),
        says(f"data: {DEEP}\n\n"),
        says(chunk("word\ud800")),
        says("data: {}\n\n", kind="text/html"),
        says('data: {"error": "\\ud800"}\n\n'),
    ],
    ids=[
        "a line without end",
        "deep",
        "half a pair, then nothing",
        "another kind",
        "half a pair as the reason",
    ],
)
def test_failed_reaches_the_screen_whatever_the_server_does(
    home: Path, frozen_clock: FrozenClock, answer: Answer
) -> None:
    with serving(
        hostile(
            {"/v1/chat/completions": answer, "/v1/models": says(MODELS, kind="application/json")}
        )
    ) as url:
        model = EndpointModel(Endpoint(f"{url}/v1"), read_seconds=2)
        with Node.open(home, clock=frozen_clock, model=model, embedder=HashingEmbedder()) as node:
            browser: FlaskClient = create_app(node).test_client()
            browser.environ_base["HTTP_AUTHORIZATION"] = (
                f"Bearer {node.ports.home.secret('api-token')}"
            )
            node.library.add_text("The kiln is in the old mill.")
            node.run_jobs()
            chat = browser.post("/api/conversations", json={}).get_json()["id"]
            said = browser.post(
                f"/api/conversations/{chat}/turns", json={"text": "Where is the kiln?"}
            )
            assert said.status_code == 200
            assert "event: failed\n" in said.text
            turns = browser.get(f"/api/conversations/{chat}").get_json()["items"]
            assert turns[-1]["state"] == "failed"


def test_a_fault_in_the_middle_of_a_stream_is_an_event_and_not_silence() -> None:
    def lines() -> Iterator[str]:
        yield "event: token\ndata: {}\n\n"
        raise RecursionError

    first, last = to_the_end(lines(), lambda problem: f"event: failed\ndata: {problem.title}\n\n")
    assert first.startswith("event: token")
    assert last == "event: failed\ndata: Something went wrong inside the node\n\n"
