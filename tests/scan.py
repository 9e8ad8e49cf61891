"""Look through every byte of a folder for what is left of some texts, in every form in which they
could be written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

WIDTH = 12
"""Characters in a row that count as a trace."""


def windows(texts: Iterable[str], *, but: Iterable[str] = ()) -> set[str]:
    """Every stretch of these texts that stands in none of the others; what is mostly blank or
    figures is not distinctive.
    """
    others = "\n".join(but)
    found = {text[i : i + WIDTH] for text in texts for i in range(len(text) - WIDTH + 1)}
    return {
        each
        for each in found
        if each not in others and sum(sign.isalpha() for sign in each) >= WIDTH // 2
    }


def forms(text: str) -> set[bytes]:
    """UTF-8, UTF-16 both ways, and escaped as JSON."""
    return {
        text.encode(),
        text.encode("utf-16-le"),
        text.encode("utf-16-be"),
        json.dumps(text)[1:-1].encode(),
        json.dumps(text, ensure_ascii=False)[1:-1].encode(),
    }


def traces(root: Path, wanted: Iterable[str]) -> list[tuple[str, str]]:
    """Name each file in which something of this stands, and what."""
    needles = {each: forms(each) for each in wanted}
    found = []
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        data = path.read_bytes()
        found += [
            (str(path.relative_to(root)), text)
            for text, written in needles.items()
            if any(form in data or form in str(path.name).encode() for form in written)
        ]
    return found
