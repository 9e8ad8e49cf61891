"""Reading in a process apart, with a limit on time and memory: a file that makes a parser loop,
swell or crash costs one document.

One child serves many files, since starting one takes longer than reading most. It is started when
it is first needed, leaves by itself when nothing came for a while, and dies with its parent.
"""

from __future__ import annotations

import atexit
import base64
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import IO, Any

from lpm_kernel.domain.library.canonical import with_details
from lpm_kernel.domain.library.documents import DocumentKind, ParsedText
from lpm_kernel.errors import (
    EmptyDocumentError,
    NodeError,
    NotFoundError,
    UnreadableDocumentError,
    UnsupportedFileError,
)

SECONDS = 120.0
"""How long a file may take; a large one longer."""
SECONDS_A_MEGABYTE = 3.0
SNIFFING = 10.0
"""How long the kind of a file may take to be told, from some kilobytes."""
LOOK_EVERY = 0.5
"""Between two looks at whether anybody still wants to have it."""
DRAWING = 20.0
"""How long a page may take to be drawn."""
HEADER = 8
"""Bytes that say how long a message is."""
_CHUNK = 1 << 20
_SAYS: dict[str, type[NodeError]] = {
    each.__name__: each
    for each in (UnreadableDocumentError, EmptyDocumentError, UnsupportedFileError, NotFoundError)
}
_WHOLE = "Save it again as PDF or as plain text in UTF-8, and add that."


class _GoneError(Exception):
    """The child ended without an answer."""

    def __init__(self, *, by_itself: bool) -> None:
        super().__init__()
        self.by_itself = by_itself


class Confined:
    """A child that reads one file after the other. One at a time: callers wait for each other."""

    def __init__(self, *command: str, seconds: float = SECONDS) -> None:
        self._command = command or (sys.executable, "-m", "lpm_kernel.backends.parse.child")
        self._seconds = seconds
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def kind(self, name: str, head: bytes) -> DocumentKind:
        """Tell how a file is read. Raises ``UnsupportedFileError``, ``EmptyDocumentError``,
        ``UnreadableDocumentError``.
        """
        return DocumentKind(
            self._answer(name, DocumentKind.TEXT, head, SNIFFING, {"sniff": True})["kind"]
        )

    def read(
        self, name: str, kind: DocumentKind, data: bytes, look: Callable[[], None] = lambda: None
    ) -> ParsedText:
        """Read a file in the child. What ``look`` raises ends the child and goes on to the caller.

        Raises ``UnreadableDocumentError``, ``EmptyDocumentError``.
        """
        answer = self._answer(name, kind, data, self._seconds, {}, look)
        return with_details(answer["text"], answer["details"])

    def sizes(self, name: str, kind: DocumentKind, data: bytes) -> list[tuple[float, float]]:
        """Return width and height of every page. Raises ``UnreadableDocumentError``."""
        return [
            (width, height)
            for width, height in self._answer(name, kind, data, DRAWING, {"draw": {}})["sizes"]
        ]

    def draw(self, name: str, kind: DocumentKind, data: bytes, page: int, width: int) -> bytes:
        """Draw a page as PNG. Raises ``NotFoundError``, ``UnreadableDocumentError``."""
        return base64.b64decode(
            self._answer(name, kind, data, DRAWING, {"draw": {"page": page, "width": width}})["png"]
        )

    def places(
        self, name: str, data: bytes, page: int, cited: str, share: float
    ) -> list[tuple[float, float, float, float]]:
        """Say where on a page of a PDF a stretch stands. Raises ``NotFoundError``,
        ``UnreadableDocumentError``.
        """
        wanted = {"draw": {"page": page, "cited": cited, "share": share}}
        return [
            (left, top, right, bottom)
            for left, top, right, bottom in self._answer(
                name, DocumentKind.PDF, data, DRAWING, wanted
            )["boxes"]
        ]

    def _answer(
        self,
        name: str,
        kind: DocumentKind,
        data: bytes,
        seconds: float,
        wanted: Mapping[str, Any],
        look: Callable[[], None] = lambda: None,
    ) -> dict[str, Any]:
        allowed = seconds + SECONDS_A_MEGABYTE * len(data) / 1e6
        head = json.dumps(
            {"name": name, "kind": kind.value, "bytes": len(data), "seconds": allowed, **wanted}
        ).encode()
        with self._lock:
            try:
                answer = self._ask(head, data, allowed, look)
            except _GoneError as gone:
                if not gone.by_itself:
                    raise UnreadableDocumentError(
                        name,
                        "reading it took more memory than one file may have, or broke the reader.",
                        _WHOLE,
                    ) from None
                try:  # it had just left because nothing came for a while
                    answer = self._ask(head, data, allowed, look)
                except _GoneError:
                    raise UnreadableDocumentError(
                        name, "the reader ended before it was done.", _WHOLE
                    ) from None
            except TimeoutError:
                raise UnreadableDocumentError(
                    name, f"reading it took longer than {allowed:.0f} seconds.", _WHOLE
                ) from None
        if "error" in answer:
            error = _SAYS[answer["error"]]
            raised = error.__new__(error)
            NodeError.__init__(raised, answer["detail"], answer["hint"])
            raise raised
        return answer

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()
            child.wait()

    def _ask(
        self, head: bytes, data: bytes, seconds: float, look: Callable[[], None]
    ) -> dict[str, Any]:
        child = self._running()
        until = time.monotonic() + seconds
        try:
            _send(child, len(head).to_bytes(HEADER, "big") + head, until)
            _send(child, data, until)
            _await(child, until, look)
            length = int.from_bytes(_take(child, HEADER, until), "big")
            answer: dict[str, Any] = json.loads(_take(child, length, until))
        except (BrokenPipeError, EOFError):
            code = child.wait()
            self.close()
            raise _GoneError(by_itself=code == 0) from None
        except BaseException:  # whatever it is: half an answer must not be taken for the next one
            self.close()
            raise
        return answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self.close()
            self._child = subprocess.Popen(  # noqa: S603  our own command
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
            assert self._child.stdin is not None  # noqa: S101  asked for in the line above
            os.set_blocking(self._child.stdin.fileno(), False)
        return self._child


def _ready(pipe: IO[bytes], event: int, seconds: float) -> bool:
    """Wait until a pipe can be read or written; `select` itself knows no file descriptor beyond
    1,023.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, event)
        return bool(selector.select(max(0.0, seconds)))


def _send(child: subprocess.Popen[bytes], data: bytes, until: float) -> None:
    assert child.stdin is not None  # noqa: S101  made with a pipe
    view = memoryview(data)
    while view:
        if not _ready(child.stdin, selectors.EVENT_WRITE, until - time.monotonic()):
            raise TimeoutError
        view = view[os.write(child.stdin.fileno(), view[:_CHUNK]) :]


def _await(child: subprocess.Popen[bytes], until: float, look: Callable[[], None]) -> None:
    """Wait until the child has something to say."""
    assert child.stdout is not None  # noqa: S101  made with a pipe
    while not _ready(child.stdout, selectors.EVENT_READ, min(LOOK_EVERY, until - time.monotonic())):
        if time.monotonic() >= until:
            raise TimeoutError
        look()


def _take(child: subprocess.Popen[bytes], length: int, until: float) -> bytes:
    assert child.stdout is not None  # noqa: S101  made with a pipe
    taken = bytearray()
    while len(taken) < length:
        if not _ready(child.stdout, selectors.EVENT_READ, until - time.monotonic()):
            raise TimeoutError
        piece = os.read(child.stdout.fileno(), min(_CHUNK, length - len(taken)))
        if not piece:
            raise EOFError
        taken += piece
    return bytes(taken)


CHILD = Confined()
"""The one child of this process that reads."""
DRAWS = Confined()
"""The one that draws pages, so that a screen does not wait for a long reading."""
SNIFFS = Confined()
"""The one that tells kinds, so that adding a file does not wait for a long reading."""
atexit.register(SNIFFS.close)
atexit.register(CHILD.close)
atexit.register(DRAWS.close)
