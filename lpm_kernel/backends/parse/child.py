"""The process in which risky files are read: ``python -m lpm_kernel.backends.parse.child``, fed by
``confined.py``.

It takes a message (a length, a header in JSON, the bytes of a file) and answers with the text, or
with the sentence of what was wrong. It never writes anything else: a parser's own words may quote a
memory.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import resource
import select
import signal
import sys
from contextlib import suppress
from typing import Any, BinaryIO

import psutil

from lpm_kernel.backends.parse.reading import parse
from lpm_kernel.backends.parse.sniff import kind_of
from lpm_kernel.domain.library.canonical import details_of
from lpm_kernel.domain.library.documents import DocumentKind
from lpm_kernel.errors import InvalidInputError, NotFoundError

MEMORY = 3 << 30
"""Bytes of address space that reading a file may take."""
IDLE_SECONDS = 30.0
GROWN = 500_000_000
"""Bytes of memory: a child that has grown larger leaves, and the next file gets a fresh one."""
HEADER = 8
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve files until the pipe closes, nothing came for a while, or a file has made this process
    large.
    """
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    questions = os.fdopen(os.dup(0), "rb", buffering=0)
    _confine()
    while select.select([questions], [], [], IDLE_SECONDS)[0]:
        first = _exactly(questions, HEADER)
        if len(first) < HEADER:
            return
        head = json.loads(_exactly(questions, int.from_bytes(first, "big")))
        answer = json.dumps(
            _answer(head, _exactly(questions, head["bytes"])), ensure_ascii=False
        ).encode("utf-8", "replace")
        answers.write(len(answer).to_bytes(HEADER, "big") + answer)
        answers.flush()
        # not getrusage's ru_maxrss: Linux hands that of the parent down to the child
        if psutil.Process().memory_info().rss > GROWN:
            return


def _answer(head: dict[str, Any], data: bytes) -> dict[str, Any]:
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    # a system that has no such limit still has the parent's clock
    with suppress(ValueError, OSError):
        resource.setrlimit(
            resource.RLIMIT_CPU, (int(used + head["seconds"]) + 5, resource.RLIM_INFINITY)
        )
    try:
        if "sniff" in head:
            return {"kind": kind_of(head["name"], data).value}
        if "draw" in head:
            return _drawn(head["name"], DocumentKind(head["kind"]), data, head["draw"])
        parsed = parse(head["name"], DocumentKind(head["kind"]), data)
    except (InvalidInputError, NotFoundError) as error:
        return {"error": type(error).__name__, "detail": error.detail, "hint": error.hint}
    return {"text": parsed.text.encode("utf-8", "replace").decode(), "details": details_of(parsed)}


def _drawn(name: str, kind: DocumentKind, data: bytes, wanted: dict[str, Any]) -> dict[str, Any]:
    from lpm_kernel.backends.parse import pages

    if "width" in wanted:
        return {
            "png": (
                base64.b64encode(
                    pages.draw(name, kind, data, wanted["page"], wanted["width"])
                ).decode()
            )
        }
    if "cited" in wanted:
        return {"boxes": pages.places(name, data, wanted["page"], wanted["cited"], wanted["share"])}
    return {"sizes": pages.sizes(name, kind, data)}


def _exactly(pipe: BinaryIO | Any, length: int) -> bytes:  # noqa: ANN401  a raw pipe
    taken = bytearray()
    while len(taken) < length and (piece := pipe.read(min(1 << 20, length - len(taken)))):
        taken += piece
    return bytes(taken)


def _confine() -> None:
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would hold the file
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main()
