"""A parser that loops, swells or crashes costs one document, and the next is read."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from lpm_kernel.backends.parse.child import GROWN
from lpm_kernel.backends.parse.confined import Confined
from lpm_kernel.domain.library.documents import DocumentKind
from lpm_kernel.errors import EmptyDocumentError, UnreadableDocumentError, UnsupportedFileError

CHILD = """
import os, sys, time
from lpm_kernel.backends.parse import child, reading
known = child.parse
def parse(name, kind, data):
    if name == "loops.txt":
        while True:
            pass
    if name == "sleeps.txt":
        time.sleep(60)
    if name == "swells.txt":
        return bytearray(1 << 40)
    if name == "crashes.txt":
        os.abort()
    return known(name, kind, data)
child.parse = parse
child.IDLE_SECONDS = 0.5
child.main()
"""


@pytest.fixture
def confined(tmp_path: Path) -> Iterator[Confined]:
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    made = Confined(sys.executable, str(script), seconds=3.0)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("loops.txt", "took longer than"),
        ("swells.txt", "more memory than one file may have"),
        ("crashes.txt", "or broke the reader"),
    ],
)
def test_a_file_that_breaks_its_parser_is_unreadable_and_the_next_is_read(
    confined: Confined, name: str, sentence: str
) -> None:
    with pytest.raises(UnreadableDocumentError, match=sentence):
        confined.read(name, DocumentKind.TEXT, b"words")
    assert confined.read("a.txt", DocumentKind.TEXT, b"words").text == "words"


def test_a_reading_that_nobody_wants_any_more_is_ended_at_once_and_the_next_file_is_read(
    confined: Confined,
) -> None:
    confined.read("a.txt", DocumentKind.TEXT, b"words")
    child = confined._child
    assert child is not None

    def look() -> None:
        raise InterruptedError

    began = time.monotonic()
    with pytest.raises(InterruptedError):
        confined.read("sleeps.txt", DocumentKind.TEXT, b"words", look)
    assert time.monotonic() - began < 30  # it would have slept for a minute
    assert child.poll() is not None
    assert confined.read("a.txt", DocumentKind.TEXT, b"words").text == "words"


def test_a_kind_is_told_in_the_child(confined: Confined) -> None:
    assert confined.kind("a.txt", b"<html><p>Rain.</p>") is DocumentKind.HTML
    with pytest.raises(UnsupportedFileError):
        confined.kind("a.exe", b"MZ\x90\x00")


def test_what_a_parser_says_comes_through(confined: Confined) -> None:
    with pytest.raises(EmptyDocumentError, match=r"“a\.txt” contains no text"):
        confined.read("a.txt", DocumentKind.TEXT, b" ")
    with pytest.raises(UnreadableDocumentError) as raised:
        confined.read("a.pdf", DocumentKind.PDF, b"%PDF-1.4 cut")
    assert raised.value.hint.startswith("Open it in a PDF reader")


def test_a_child_that_left_because_nothing_came_is_started_again(confined: Confined) -> None:
    for _ in range(2):
        assert confined.read("a.txt", DocumentKind.TEXT, "凪".encode()).text == "凪"
        assert confined._child is not None
        confined._child.wait()


def test_a_large_file_goes_over_and_comes_back(confined: Confined) -> None:
    text = "varnish and rain\n" * 300_000
    assert confined.read("a.txt", DocumentKind.TEXT, text.encode()).text == text


def test_a_large_parent_does_not_make_its_child_leave_after_each_file() -> None:
    large = b"x" * (GROWN + 100_000_000)
    confined = Confined()
    try:
        children: set[int] = set()
        before = {each.pid for each in psutil.Process().children()}
        for name in ("a.txt", "b.txt", "c.txt"):
            assert confined.read(name, DocumentKind.TEXT, b"words").text == "words"
            time.sleep(0.1)
            children |= {each.pid for each in psutil.Process().children()} - before
        assert len(large) > GROWN
        assert len(children) == 1
    finally:
        confined.close()
