"""What the node says when an endpoint is not as it should be: in a sentence, soon, and without
repeating anybody's words.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from lpm_kernel.backends.embed.endpoint import EndpointEmbedder
from lpm_kernel.backends.llm.client import EndpointModel
from lpm_kernel.backends.llm.launch import host_endpoint, read_where, token, write_where
from lpm_kernel.backends.llm.probe import probe, probe_file
from lpm_kernel.backends.llm.weights import bundled_model
from lpm_kernel.domain.ports import ChatMessage, Endpoint
from lpm_kernel.errors import (
    EmbedderUnavailableError,
    InvalidInputError,
    ModelUnavailableError,
    NodeError,
)
from lpm_kernel.node import Node
from lpm_kernel.usecases.models import catalogue
from tests.hosts import Host

CANARY = "the heron under the third bridge"
MODELS = json.dumps({"data": [{"id": "first"}, {"id": "second", "max_model_len": 9000}]})
Answers = dict[str, tuple[int, str] | Callable[[BaseHTTPRequestHandler], None]]


@contextmanager
def server(answers: Answers) -> Iterator[str]:
    """Answer each path with a status and a body, or as a function likes."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            found = answers.get(self.path, (404, "nothing here"))
            if callable(found):
                found(self)
                return
            status, body = found
            self.send_response(status)
            self.send_header(
                "Content-Type",
                "text/event-stream" if body.startswith("data:") else "application/json",
            )
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_POST = answer  # noqa: N815 - the names that http.server looks for

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.server_address[1]}/v1"
        finally:
            listener.shutdown()
            thread.join(5)


def ask(url: str, model: str = "") -> str:
    with closing(EndpointModel(Endpoint(url, model=model), read_seconds=2)) as asked:
        return "".join(piece.text for piece in asked.stream([ChatMessage("user", CANARY)]))


def chunk(text: str, reason: str | None = None) -> str:
    return (
        "data: "
        + json.dumps({"choices": [{"delta": {"content": text}, "finish_reason": reason}]})
        + "\n\n"
    )


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (401, "{}", ModelUnavailableError, "rejects the key"),
        (403, "not json", ModelUnavailableError, "rejects the key"),
        (404, "<html>", ModelUnavailableError, "no OpenAI-compatible endpoint at this path"),
        (429, "{}", ModelUnavailableError, "busy"),
        (500, '{"error": {"message": "out of memory"}}', ModelUnavailableError, "out of memory"),
        (502, "<html>", ModelUnavailableError, "status 502"),
        (400, '{"error": "temperature is odd"}', InvalidInputError, "temperature is odd"),
        (200, "<html>hello</html>", ModelUnavailableError, "."),
        (200, "data: [1, 2]\n\n", ModelUnavailableError, "no OpenAI-compatible stream"),
        (
            200,
            'data: {"choices": [{"delta": "x"}]}\n\n',
            ModelUnavailableError,
            "no OpenAI-compatible stream",
        ),
        (
            200,
            'data: {"error": {"message": "cuda went away"}}\n\n',
            ModelUnavailableError,
            "cuda went away",
        ),
        (200, chunk("half a sen"), ModelUnavailableError, "mid-answer"),
    ],
)
def test_an_answer_that_is_none_is_said_in_words(
    status: int, body: str, kind: type[NodeError], said: str
) -> None:
    with server({"/v1/chat/completions": (status, body)}) as url, pytest.raises(kind) as caught:
        ask(url)
    assert said in str(caught.value)
    assert CANARY not in f"{caught.value} {caught.value.hint}"


def test_an_answer_without_usage_and_without_done_still_counts() -> None:
    with server({"/v1/chat/completions": (200, chunk("one ") + chunk("two", "stop"))}) as url:
        assert ask(url) == "one two"


def test_a_server_that_stops_answering_is_not_waited_for_for_ever() -> None:
    given_up = threading.Event()

    def silent(_handler: BaseHTTPRequestHandler) -> None:
        given_up.wait(60)

    with server({"/v1/chat/completions": silent}) as url:
        with pytest.raises(ModelUnavailableError, match="did not answer in time"):
            ask(url)
        given_up.set()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:9/v1", "nothing answers"),
        ("nonsense", "not a web address"),
        ("ftp://127.0.0.1/v1", "not a web address"),
        ("http://[::1", "not a web address"),
    ],
)
def test_an_address_where_nothing_is(url: str, said: str) -> None:
    with pytest.raises(ModelUnavailableError, match=said):
        probe(Endpoint(url))


def test_a_probe_names_the_models_that_are_there() -> None:
    with server(
        {
            "/v1/models": (200, MODELS),
            "/v1/chat/completions": (200, chunk("one two ") + chunk("three", "stop")),
        }
    ) as url:
        assert probe(Endpoint(url)).card.id == "first"
        found = probe(Endpoint(url, model="second"))
        assert found.card.context_window == 9000
        assert "9,000 tokens" in found.sentence
        with pytest.raises(ModelUnavailableError, match="first, second"):
            probe(Endpoint(url, model="third"))
    with (
        server({"/v1/models": (200, '{"data": []}')}) as url,
        pytest.raises(ModelUnavailableError, match="no model loaded"),
    ):
        probe(Endpoint(url))
    with (
        server({"/v1/models": (200, "<html>")}) as url,
        pytest.raises(ModelUnavailableError, match="not as an OpenAI-compatible"),
    ):
        probe(Endpoint(url))


def test_the_last_choice_of_a_model_is_taken_back_with_the_key_of_the_one_before(
    node: Node, client: FlaskClient
) -> None:
    answers: Answers = {
        "/v1/models": (200, MODELS),
        "/v1/chat/completions": (200, chunk("one two ") + chunk("three", "stop")),
    }
    first = node.ports.settings.model

    def choose(url: str, key: str) -> None:
        assert (
            client.put(
                "/api/models/active",
                json={"kind": "endpoint", "url": url, "key": key, "model": "first"},
            ).status_code
            == 200
        )

    def kept() -> tuple[str, str, str]:
        return (
            node.ports.settings.model,
            node.ports.settings.model_name,
            (node.ports.home.keys / "endpoint-key").read_text(),
        )

    assert client.delete("/api/models/active").status_code == 404
    with server(answers) as one, server(answers) as two:
        choose(one, "key-one")
        assert client.delete("/api/models/active").status_code == 200
        assert node.ports.settings.model == first
        choose(one, "key-one")
        choose(two, "key-two")
        assert kept() == (two, "first", "key-two")
    assert client.delete("/api/models/active").status_code == 200  # neither answers any more
    assert kept() == (one, "first", "key-one")
    assert client.delete("/api/models/active").status_code == 404
    changed = [
        each
        for each in client.get("/api/audit?limit=20").get_json()["items"]
        if each["kind"] == "model-changed"
    ]
    assert [each["facts"]["to"] for each in reversed(changed)] == [
        "endpoint",
        catalogue.kind_of(first),
        "endpoint",
        "endpoint",
        "endpoint",
    ]
    assert "key-" not in json.dumps(changed)


def test_a_probe_ends_before_the_answer_does() -> None:
    def slowly(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        try:
            for _ in range(600):
                handler.wfile.write(chunk("word ").encode())
                time.sleep(0.2)
        except OSError:
            return  # the probe has heard enough

    with server({"/v1/models": (200, MODELS), "/v1/chat/completions": slowly}) as url:
        started = time.monotonic()
        found = probe(Endpoint(url))
        assert time.monotonic() - started < 30  # the words come for two minutes
    assert 2 < found.words_per_second < 10


def test_the_twin_behind_the_host_is_probed(tmp_path: Path) -> None:
    with Host(tmp_path / "home") as host:
        found = probe(host.endpoint())
    assert found.card.local
    assert "on this machine" in found.sentence


def test_a_file_is_tried_by_a_child(tmp_path: Path) -> None:
    found = probe_file(bundled_model())
    assert found.words_per_second > 0
    assert found.card.context_window == 4096
    for name, content, said in (
        ("picture.gguf", b"\x89PNG", "is not a GGUF file"),
        ("cut.gguf", bundled_model().read_bytes()[:2_000_000], "could not be loaded"),
        ("junk.gguf", b"GGUF" + b"\xff" * 400, "could not be loaded"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ModelUnavailableError, match=said):
            probe_file(tmp_path / name)
    with pytest.raises(ModelUnavailableError, match="no file"):
        probe_file(tmp_path / "nowhere.gguf")


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, "{}", "rejects the key"),
        (500, '{"error": {"message": "no embedder"}}', "no embedder"),
        (502, "<html>", "status 502"),
        (200, "<html>", "not with embeddings"),
        (200, '{"data": [{"index": 0, "embedding": [1, 2]}]}', "does not return a vector"),
        (200, '{"data": [{"index": 0, "embedding": "a"}]}', "not with embeddings"),
        (200, '{"data": []}', "does not return a vector"),
    ],
)
def test_an_embedder_that_is_none_is_said_in_words(status: int, body: str, said: str) -> None:
    with (
        server({"/v1/embeddings": (status, body)}) as url,
        closing(EndpointEmbedder(Endpoint(url), identity="x", dimension=3)) as embedder,
        pytest.raises(EmbedderUnavailableError, match=said),
    ):
        embedder.embed([CANARY])


def test_a_home_without_a_host_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="has not started"):
        host_endpoint(tmp_path)
    with (
        closing(
            EndpointEmbedder(lambda: host_endpoint(tmp_path), identity="x", dimension=3)
        ) as embedder,
        pytest.raises(EmbedderUnavailableError),
    ):
        embedder.embed(["x"])
    (tmp_path / "run").mkdir()
    for broken in ("", "[]", '{"port": "x"}', "{}"):
        (tmp_path / "run" / "host.json").write_text(broken)
        assert read_where(tmp_path) is None


def test_a_host_that_is_about_to_start_is_waited_for(tmp_path: Path) -> None:
    looks: list[None] = []

    def awaited() -> bool:
        looks.append(None)
        if len(looks) == 3:
            write_where(tmp_path, 4321)
        return True

    assert host_endpoint(tmp_path, awaited).url == "http://127.0.0.1:4321/v1"
    assert len(looks) == 3


@pytest.mark.parametrize("there", [None, "", "half of a key"])
def test_many_processes_agree_on_one_key(tmp_path: Path, there: str | None) -> None:
    for n in range(25):
        home = tmp_path / str(n)
        if there is not None:
            (home / "keys").mkdir(parents=True)
            (home / "keys" / "host-token").write_text(there)
        keys: list[str] = []
        begin = threading.Barrier(8)

        def ask(
            home: Path = home, keys: list[str] = keys, begin: threading.Barrier = begin
        ) -> None:
            begin.wait()
            keys.append(token(home))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)
        assert len(set(keys)) == 1
        assert len(keys) == 8
        assert [path.name for path in (home / "keys").iterdir()] == ["host-token"]
