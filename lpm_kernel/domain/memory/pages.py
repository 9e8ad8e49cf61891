"""Lines of the workspace that the node wrote by itself: each ends with a mark that its own words
give.

``- We met on the quay. — Letter to Ren, 2024-05-03 ^r5f1c0d2a9b3e``. Who changes such a line in an
editor makes it their own: the mark does not fit it any more. A line whose mark fits repeats what
stands elsewhere, so it is no passage of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_MARKED = re.compile(r"^(?P<body>[^\n]*\S)[ \t]+\^r(?P<mark>[0-9a-f]{12})[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True)
class OwnLine:
    """A line that reads as the node wrote it. ``start`` and ``end`` count code points, end
    exclusive, without the line end.
    """

    start: int
    end: int
    mark: str
    body: str = field(repr=False)


def mark_of(body: str) -> str:
    """Return the mark of a line that reads so.

    >>> mark_of("- We met.")
    '5e9ff99cef24'
    """
    return hashlib.sha256(body.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def marked(body: str) -> str:
    """Return the line with its mark."""
    return f"{body.rstrip()} ^r{mark_of(body)}"


def own_lines(text: str) -> Iterator[OwnLine]:
    r"""Yield the lines that the node wrote and nobody changed.

    >>> page = marked("- We met.") + "\n- We fell out. ^r000000000000\n- Rain."
    >>> [each.body for each in own_lines(page)]
    ['- We met.']
    """
    if "^r" not in text:
        return
    for found in _MARKED.finditer(text):
        if mark_of(found["body"]) == found["mark"]:
            yield OwnLine(found.start(), found.end(), found["mark"], found["body"].strip())
