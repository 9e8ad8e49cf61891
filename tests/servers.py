"""Servers on loopback that behave, or do not, as a test needs it."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lpm_kernel.backends.embed.hashing import HashingEmbedder


class Quiet(BaseHTTPRequestHandler):
    """A handler that does not report."""

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve on a free port and give the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listener:
        listener.daemon_threads = True
        thread = threading.Thread(
            target=listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.server_address[1]}"
        finally:  # else it polls for ever what another socket has become
            listener.shutdown()
            thread.join(5)


@dataclass
class Embeddings:
    """An OpenAI-compatible endpoint that embeds, and remembers what it was asked."""

    dimension: int = 64
    key: str = ""
    pause: float = 0.0
    permits: threading.Semaphore | None = None
    """Each answer waits for one of these, when there are any."""
    fickle: bool = False
    """Another vector for the same text each time."""
    broken: bool = False
    texts: list[str] = field(default_factory=list)
    calls: int = 0

    @contextmanager
    def run(self) -> Iterator[str]:
        """Serve, and give the address of the endpoint."""
        embedder = HashingEmbedder(self.dimension)
        server = self

        class Handler(Quiet):
            def do_GET(self) -> None:
                self.reply(200, {"data": [{"id": "chatty"}, {"id": "tiny-embed"}]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.calls += 1
                if server.key and self.headers.get("Authorization") != f"Bearer {server.key}":
                    self.reply(401, {})
                    return
                if server.broken:
                    self.reply(500, {"error": {"message": "out of memory"}})
                    return
                if server.permits:
                    server.permits.acquire()
                time.sleep(server.pause)
                texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
                server.texts += texts
                seed = [f"{text} {server.calls}" for text in texts] if server.fickle else texts
                rows = embedder.embed(seed)
                self.reply(
                    200,
                    {
                        "model": body["model"],
                        "data": [
                            {
                                "index": at,
                                "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode(),
                            }
                            for at, row in enumerate(rows)
                        ],
                    },
                )

            def reply(self, status: int, body: object) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        with serving(Handler) as url:
            yield f"{url}/v1"


@dataclass
class Words:
    """An OpenAI-compatible endpoint that words questions, and remembers what it was sent."""

    questions: tuple[str, ...] = ()
    """What it words, whatever it is asked."""
    key: str = "right"
    fails_after: int = 1_000
    refuses: bool = False
    prompts: list[str] = field(default_factory=list)
    listed: int = 0

    @contextmanager
    def run(self) -> Iterator[str]:
        """Serve, and give the address of the endpoint."""
        server = self

        class Handler(Quiet):
            def do_GET(self) -> None:
                server.listed += 1
                self.answer(200, json.dumps({"data": [{"id": "wordy"}]}))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.prompts.append("\n".join(each["content"] for each in body["messages"]))
                if self.headers.get("Authorization") != f"Bearer {server.key}":
                    self.answer(401, "{}")
                elif server.refuses:
                    self.answer(400, json.dumps({"error": {"message": "no schemas here"}}))
                elif len(server.prompts) > server.fails_after:
                    self.answer(500, "{}")
                else:
                    said = json.dumps({"questions": server.questions})
                    pieces = [{"choices": [{"delta": {"content": said}, "finish_reason": "stop"}]}]
                    lines = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
                    self.answer(200, f"{lines}data: [DONE]\n\n", "text/event-stream")

            def answer(self, status: int, words: str, kind: str = "application/json") -> None:
                data = words.encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        with serving(Handler) as url:
            yield f"{url}/v1"


@dataclass
class Shelf:
    """A server with one file, and the bad habits of servers."""

    content: bytes
    drop_after: int | None = None
    """Each connection ends after this many bytes."""
    ranges: bool = True
    etag: str = '"one"'
    sha256: bool = False
    """State the file's hash."""
    length: int | None = None
    """What it says of the length, where that is not the truth."""
    chunked: bool = False
    status: int = 200
    pause: float = 0.0
    asked: list[str] = field(default_factory=list)
    """The Range of each request."""
    sent: int = 0

    @contextmanager
    def run(self) -> Iterator[str]:  # noqa: C901  one bad habit after the other
        """Serve, and give the file's address."""
        shelf = self

        class Handler(Quiet):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                if self.path.startswith("/away"):
                    self.send_response(302)
                    self.send_header("Location", shelf.elsewhere)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                wanted = self.headers.get("Range", "")
                shelf.asked.append(wanted)
                content, first = shelf.content, 0
                if shelf.status != 200:
                    self.send_response(shelf.status)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if wanted and shelf.ranges and self.headers.get("If-Range") == shelf.etag:
                    first = int(wanted.removeprefix("bytes=").partition("-")[0])
                    self.send_response(206)
                    self.send_header(
                        "Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}"
                    )
                else:
                    self.send_response(200)
                if shelf.etag:
                    self.send_header("ETag", shelf.etag)
                if shelf.sha256:
                    self.send_header("X-Linked-ETag", f'"{hashlib.sha256(content).hexdigest()}"')
                rest = content[first:]
                if shelf.chunked:
                    self.send_header("Transfer-Encoding", "chunked")
                else:
                    self.send_header(
                        "Content-Length", str(len(rest) if shelf.length is None else shelf.length)
                    )
                self.end_headers()
                stop = len(rest) if shelf.drop_after is None else min(shelf.drop_after, len(rest))
                for start in range(0, stop, 65_536):
                    piece = rest[start : min(start + 65_536, stop)]
                    try:
                        self.wfile.write(
                            f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
                            if shelf.chunked
                            else piece
                        )
                    except OSError:
                        break
                    shelf.sent += len(piece)
                    time.sleep(shelf.pause)
                if shelf.chunked and stop == len(rest):
                    self.wfile.write(b"0\r\n\r\n")
                self.close_connection = True

        with serving(Handler) as url:
            yield f"{url}/tiny.gguf"

    elsewhere: str = ""
