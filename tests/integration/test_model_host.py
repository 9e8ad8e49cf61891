"""The model host as a process: who waits, who is stopped, what is refused, and what happens when it
dies.
"""

from __future__ import annotations

import base64
import json
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus
from itertools import islice
from pathlib import Path

import httpx
import numpy as np
import openai
import pytest

from lpm_kernel.api.app import create_app
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.client import EndpointModel
from lpm_kernel.backends.llm.launch import read_where
from lpm_kernel.backends.llm.state import answers_ahead
from lpm_kernel.domain.ports import ChatMessage, Endpoint, Sampling
from lpm_kernel.errors import ModelUnavailableError
from lpm_kernel.node import Node
from tests.hosts import Host
from tests.scale import only_in_full

LONG = " ".join(f"word{number}" for number in range(400))
ENDLESS = " ".join(f"word{number}" for number in range(6_000))
SOON = 30.0
"""Seconds within which something happens also on a busy machine; the endless answer takes 120."""
CANARY = "the heron under the third bridge"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """Answers `long` with 400 words, fifty a second, `endless` with 6,000, and breaks down when
    asked to.
    """
    home = tmp_path_factory.mktemp("home")
    script = [("^long", LONG), ("^endless", ENDLESS), ("^fail", None)]
    scripted = Host.scripted(home, script, pause=0.02)
    scripted.command[scripted.command.index("--embedder") + 1] = (
        "lpm_kernel.backends.embed.hashing:HashingEmbedder"
    )
    with scripted:
        yield scripted


def ask(text: str, **more: object) -> dict[str, object]:
    return {"model": "any", "messages": [{"role": "user", "content": text}], **more}


def quiet_again(host: Host) -> bool:
    """Tell whether the model becomes free before an endless answer would be over: a one-word
    question is answered at once when it is.
    """
    started = time.monotonic()
    with host.client() as client:
        assert client.post("/v1/chat/completions", json=ask("hello")).status_code == HTTPStatus.OK
    return time.monotonic() - started < SOON


def endless(*, stream: bool = False) -> dict[str, object]:
    return ask("endless", stream=stream, max_tokens=6_000)


def test_it_says_where_it_listens_and_keeps_its_key_closed(host: Host) -> None:
    known = read_where(host.home)
    assert known is not None
    assert host.process is not None
    assert known.pid == host.process.pid
    key = host.home / "keys" / "host-token"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_text() not in (host.home / "run" / "host.json").read_text()
    assert host.health()["model"]["state"] == "ready"


def test_without_the_key_nothing_is_answered_but_health(host: Host) -> None:
    url = host.endpoint().url
    for given in ("", "Bearer", "Bearer wrong", "Bearer caf\xe9"):
        assert (
            httpx.get(
                f"{url}/models", headers=[(b"Authorization", given.encode("latin-1"))]
            ).status_code
            == HTTPStatus.UNAUTHORIZED
        )
    with (
        closing(EndpointModel(Endpoint(url, key="wrong"))) as model,
        pytest.raises(ModelUnavailableError, match="rejects the key"),
    ):
        model.card()


def test_the_official_client_works_unchanged(host: Host) -> None:
    endpoint = host.endpoint()
    with openai.OpenAI(base_url=endpoint.url, api_key=endpoint.key) as client:
        assert [model.id for model in client.models.list()] == ["scripted"]
        whole = client.chat.completions.create(
            model="scripted", messages=[{"role": "user", "content": "say it back"}]
        )
        assert whole.choices[0].message.content == "say it back"
        assert whole.usage is not None
        assert whole.usage.total_tokens == 6
        chunks = list(
            client.chat.completions.create(
                model="scripted",
                messages=[{"role": "user", "content": "say it back"}],
                stream=True,
                stream_options={"include_usage": True},
            )
        )
        assert (
            "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
            == "say it back"
        )
        assert chunks[-1].usage is not None
        as_floats = client.embeddings.create(
            model="hashing", input=["a walk", "a river"], encoding_format="float"
        )
        packed = client.embeddings.create(model="hashing", input=["a walk", "a river"])
        np.testing.assert_allclose(as_floats.data[1].embedding, packed.data[1].embedding, atol=1e-6)


def test_embeddings_come_as_numbers_or_packed(host: Host) -> None:
    with host.client() as client:
        packed = client.post(
            "/v1/embeddings", json={"input": "a walk", "encoding_format": "base64"}
        ).json()["data"][0]["embedding"]
        plain = client.post("/v1/embeddings", json={"input": "a walk"}).json()["data"][0][
            "embedding"
        ]
    np.testing.assert_array_equal(
        np.frombuffer(base64.b64decode(packed), "<f4"), np.asarray(plain, "<f4")
    )


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/chat/completions", b"", HTTPStatus.BAD_REQUEST),
        ("/v1/chat/completions", b"{", HTTPStatus.BAD_REQUEST),
        ("/v1/chat/completions", b"\xff\xfe", HTTPStatus.BAD_REQUEST),
        ("/v1/chat/completions", b"[]", HTTPStatus.BAD_REQUEST),
        ("/v1/chat/completions", b'{"messages": []}', HTTPStatus.BAD_REQUEST),
        (
            "/v1/chat/completions",
            b'{"messages": [{"role": "tool", "content": "x"}]}',
            HTTPStatus.BAD_REQUEST,
        ),
        (
            "/v1/chat/completions",
            json.dumps(ask(CANARY, tools=[])).encode(),
            HTTPStatus.BAD_REQUEST,
        ),
        (
            "/v1/chat/completions",
            json.dumps(ask(CANARY, temperature="warm")).encode(),
            HTTPStatus.BAD_REQUEST,
        ),
        (
            "/v1/chat/completions",
            json.dumps(ask(CANARY, temperature=3)).encode(),
            HTTPStatus.BAD_REQUEST,
        ),
        ("/v1/chat/completions", json.dumps(ask(CANARY, n=2)).encode(), HTTPStatus.BAD_REQUEST),
        (
            "/v1/chat/completions",
            json.dumps(ask(CANARY, max_tokens=0)).encode(),
            HTTPStatus.BAD_REQUEST,
        ),
        ("/v1/chat/completions", ("[" * 100_000).encode(), HTTPStatus.BAD_REQUEST),
        ("/v1/embeddings", b'{"input": []}', HTTPStatus.BAD_REQUEST),
        ("/v1/embeddings", b'{"input": [1, 2]}', HTTPStatus.BAD_REQUEST),
        (
            "/v1/score",
            json.dumps({"messages": [{"role": "user", "content": CANARY}]}).encode(),
            HTTPStatus.BAD_REQUEST,
        ),
        (
            "/v1/chat/completions",
            json.dumps(ask(CANARY, adapter={"id": "one", "path": "/etc/passwd"})).encode(),
            HTTPStatus.BAD_REQUEST,
        ),
        (
            "/v1/chat/completions",
            json.dumps(ask(CANARY, adapter={"id": "one", "path": "a\0b"})).encode(),
            HTTPStatus.BAD_REQUEST,
        ),
        (
            "/v1/chat/completions",
            json.dumps(ask(CANARY, adapter={"id": "one", "path": "x", "scale": -1})).encode(),
            HTTPStatus.BAD_REQUEST,
        ),
        (
            "/v1/chat/completions",
            json.dumps(ask(CANARY, adapter={"id": "one", "path": "not-there.gguf"})).encode(),
            HTTPStatus.SERVICE_UNAVAILABLE,
        ),
        ("/forget", b'{"adapter": 1}', HTTPStatus.BAD_REQUEST),
        ("/tokenize", b'{"content": 1}', HTTPStatus.BAD_REQUEST),
        ("/v1/completions", b"{}", HTTPStatus.NOT_FOUND),
        ("/../../etc/passwd", b"{}", HTTPStatus.NOT_FOUND),
    ],
)
def test_what_it_does_not_understand_it_refuses_without_repeating_it(
    host: Host, path: str, body: bytes, status: HTTPStatus
) -> None:
    with host.client() as client:
        answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert answer.json()["error"]["message"]
    assert CANARY not in answer.text


def test_a_wrong_method_and_a_body_over_the_limit_are_refused(host: Host) -> None:
    with host.client() as client:
        assert client.get("/v1/chat/completions").status_code == HTTPStatus.METHOD_NOT_ALLOWED
        assert (
            client.post("/tokenize", content=b"x" * 8_000_001).status_code
            == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        )


def test_a_breakdown_is_an_error_and_the_next_answer_comes(host: Host) -> None:
    with host.client() as client:
        assert (
            client.post("/v1/chat/completions", json=ask("fail")).status_code
            == HTTPStatus.SERVICE_UNAVAILABLE
        )
        assert (
            client.post("/v1/chat/completions", json=ask("fail", stream=True)).status_code
            == HTTPStatus.SERVICE_UNAVAILABLE
        )
    assert quiet_again(host)


def test_a_second_request_waits_and_does_not_interrupt_the_first(host: Host) -> None:
    ended: list[str] = []

    def run(name: str, words: int) -> None:
        with host.client() as client:
            answer = client.post("/v1/chat/completions", json=ask("long", max_tokens=words)).json()
        assert answer["usage"]["completion_tokens"] == words
        ended.append(name)

    with (
        host.client() as client,
        client.stream(
            "POST", "/v1/chat/completions", json=ask("long", stream=True, max_tokens=100)
        ) as answer,
    ):
        lines = answer.iter_lines()
        next(lines)
        # The third says more, so that its end cannot be noticed before the second's on a busy
        # machine.
        threads = [
            threading.Thread(target=run, args=each) for each in (("second", 2), ("third", 80))
        ]
        for waiting, thread in enumerate(threads, start=1):
            thread.start()
            while host.health()["waiting"] < waiting:
                time.sleep(0.01)
        spoken = (line for line in lines if '"content": "word' in line)
        words = list(islice(spoken, 50))
        assert not ended
        words += spoken
    for thread in threads:
        thread.join(30)
    assert len(words) == 100
    assert ended == ["second", "third"]


def test_a_question_is_told_how_many_answers_come_first(host: Host, tmp_path: Path) -> None:
    assert answers_ahead(host.home) == 0
    with (
        host.client() as client,
        # it ends when it is left, however long the node takes to open beside it
        client.stream("POST", "/v1/chat/completions", json=endless(stream=True)) as answer,
    ):
        lines = answer.iter_lines()  # held: who lets go of it leaves
        next(lines)
        assert answers_ahead(host.home) == 1
        with Node.open(host.home, embedder=HashingEmbedder()) as node:
            browser = create_app(node).test_client()
            browser.environ_base["HTTP_AUTHORIZATION"] = (
                f"Bearer {node.ports.home.secret('api-token')}"
            )
            chat = browser.post("/api/conversations", json={}).get_json()["id"]
            told = browser.post(
                f"/api/conversations/{chat}/turns",
                json={"text": "Where is the kiln?"},
                buffered=False,
            )
            events = (
                str(piece, "utf-8") if isinstance(piece, bytes) else piece
                for piece in told.response
            )
            assert (
                next(each for each in events if not each.startswith("event: evidence"))
                == 'event: waiting\ndata: {"ahead": 1}\n\n'
            )
            told.close()
    assert answers_ahead(tmp_path) == 0


def test_embedding_does_not_wait_for_an_answer(host: Host) -> None:
    with (
        host.client() as client,
        host.client() as other,
        client.stream("POST", "/v1/chat/completions", json=endless(stream=True)) as answer,
    ):
        next(answer.iter_bytes())
        started = time.monotonic()
        other.post("/v1/embeddings", json={"input": "a walk"}).raise_for_status()
        assert time.monotonic() - started < SOON
        assert other.get("/healthz").json()["model"]["state"] == "ready"


def test_a_client_that_goes_away_in_the_middle_stops_the_model(host: Host) -> None:
    with (
        host.client() as client,
        client.stream("POST", "/v1/chat/completions", json=endless(stream=True)) as answer,
    ):
        next(answer.iter_bytes())
    assert quiet_again(host)


def test_a_client_that_goes_away_while_it_waits_leaves_the_line(host: Host) -> None:
    with (
        host.client() as client,
        client.stream("POST", "/v1/chat/completions", json=endless(stream=True)) as answer,
    ):
        next(answer.iter_bytes())
        with host.client() as hasty, pytest.raises(httpx.ReadTimeout):
            hasty.post("/v1/chat/completions", json=endless(), timeout=0.3)
        until = time.monotonic() + SOON
        while host.health()["waiting"] and time.monotonic() < until:
            time.sleep(0.05)
        assert host.health()["waiting"] == 0
    assert quiet_again(host)


def test_a_client_that_goes_away_during_a_whole_answer_stops_the_model(host: Host) -> None:
    with host.client() as client, pytest.raises(httpx.ReadTimeout):
        client.post("/v1/chat/completions", json=endless(), timeout=0.5)
    assert quiet_again(host)


def test_what_was_read_can_be_forgotten(tmp_path: Path) -> None:
    with (
        Host(tmp_path / "home", model="bundled") as host,
        closing(EndpointModel(host.endpoint)) as model,
    ):
        question = [ChatMessage("user", CANARY)]
        before = "".join(
            piece.text for piece in model.stream(question, Sampling(temperature=0.0, max_tokens=4))
        )
        model.forget()
        assert (
            "".join(
                piece.text
                for piece in model.stream(question, Sampling(temperature=0.0, max_tokens=4))
            )
            == before
        )


def test_it_is_killed_and_comes_back_at_another_port(tmp_path: Path) -> None:
    """The client asks where the host is before each request, so a restart is an error once and then
    nothing.
    """
    host = Host.scripted(tmp_path / "home", [("^long", LONG)], pause=0.02)
    host.start()
    with closing(EndpointModel(host.endpoint)) as model:
        stream = model.stream([ChatMessage("user", "long")])
        assert next(stream).text
        host.kill()
        with pytest.raises(ModelUnavailableError):
            list(stream)
        with pytest.raises(ModelUnavailableError, match="cannot be reached"):
            model.card()
        host.start()
        assert (
            "".join(
                piece.text
                for piece in model.stream([ChatMessage("user", "hello again")], Sampling())
            )
            == "hello again"
        )
    assert host.stop() == 0
    assert read_where(host.home) is None


def test_a_model_that_is_not_there_is_a_sentence_and_not_the_end(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no model")
    with (
        Host(tmp_path / "home", model=str(tmp_path / "notes.txt")) as host,
        closing(EndpointModel(host.endpoint)) as model,
    ):
        assert host.health()["model"]["state"] == "down"
        with pytest.raises(ModelUnavailableError, match="could not be loaded"):
            model.card()


@only_in_full
def test_the_bundled_model_is_stopped_before_its_first_word(tmp_path: Path) -> None:
    """Reading 3,500 tokens takes seconds; whoever leaves after a moment must not keep the model
    reading.
    """
    prompt = "The harbour log of another day, with wind and boats. " * 300
    with Host(tmp_path / "home", model="bundled") as host:
        with host.client() as client, pytest.raises(httpx.ReadTimeout):
            client.post("/v1/chat/completions", json=ask(prompt, max_tokens=4), timeout=0.5)
        with host.client() as client:
            started = time.monotonic()
            client.post("/v1/chat/completions", json=ask("Hello", max_tokens=1)).raise_for_status()
            after_abort = time.monotonic() - started
            started = time.monotonic()
            client.post(
                "/v1/chat/completions", json=ask(" ".join(reversed(prompt.split())), max_tokens=1)
            ).raise_for_status()
            reading = time.monotonic() - started
    assert after_abort < 0.6 * reading
