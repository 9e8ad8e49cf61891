"""What a file is, is told in time that grows with its head and no faster."""

from __future__ import annotations

import time

import pytest

from lpm_kernel.backends.parse.sniff import kind_of
from lpm_kernel.domain.library.documents import DocumentKind

PAGE = b"<html><body>Rain.</body></html>"
MAIL = b"Message-ID: <a@b.example>\nSubject: Rain\n and snow\nTo: Lin\n\nIt rains.\n"


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (PAGE, DocumentKind.HTML),
        (b"\xef\xbb\xbf \n<?xml version='1.0'?>\n<!-- one -->\n<!---->" + PAGE, DocumentKind.HTML),
        (b"<!-- " + b"words " * 500 + b"--> <!DOCTYPE html>", DocumentKind.HTML),
        (b"<!-- no end " + PAGE, DocumentKind.TEXT),
        (b"<htmlish>", DocumentKind.TEXT),
        (MAIL, DocumentKind.MAIL),
        (b"From lin@b.example Mon\n" + MAIL, DocumentKind.MAIL),
        (b"Message-ID: <a@b.example>\nSubject: Rain\n\nTo: Lin\n", DocumentKind.TEXT),
        (b" goes on\n" + MAIL, DocumentKind.TEXT),
    ],
)
def test_a_page_and_a_mail_are_told_by_how_they_begin(head: bytes, kind: DocumentKind) -> None:
    assert kind_of("a.txt", head) is kind


@pytest.mark.parametrize(
    "head",
    [
        b"<!---->" * 26 + b"x",
        b"<!---->" * 10_000 + b"x",
        b"<!--" * 500_000,
        b"x" + b" " * 4_000_000,
        b" " * 4_000_000 + b"x",
        b"From " + b"a: \n " * 300_000,
        b"a:\n" + b" \n" * 1_000_000,
        b"Message-ID" * 300_000,
    ],
    ids=lambda head: repr(head[:12]),
)
def test_no_head_takes_long(head: bytes) -> None:
    began = time.process_time()
    kind_of("a.txt", head)
    assert time.process_time() - began < 2.0
