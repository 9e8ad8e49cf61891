"""The core: what the person wants the node to have in mind always, as it stands in ``memory.md``.

It goes into every prompt, so it is short: whole lines from the top, as many as fit. What comes
after them is in the memory like any other note, and is found when a question needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.memory.retain import statement
from lpm_kernel.domain.statements import Statement

MOST_TOKENS = 400
"""Of every prompt; a small model reads them in about a second, and has room for the evidence
still.
"""

_FRONT = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)
_ASIDE = re.compile(r"<!--.*?(?:-->|\Z)|%%.*?%%", re.DOTALL)
"""Remarks of HTML and of Obsidian, which a reader of the note does not see either."""
_HEADING = re.compile(r"\s*#{1,6}(?:\s|$)")
_BULLET = re.compile(r"\s{0,40}(?:[-*+・]|\d{1,9}[.)])\s+")
_LETTER = re.compile(r"[^\W_]")
MARK = 1
"""Letters of a line that are a mark, as that of a kind."""
_BLOCK = re.compile(r"\s{1,40}\^[\w-]{1,60}\s{0,40}$")


@dataclass(frozen=True)
class Core:
    """What is always in mind."""

    lines: tuple[str, ...] = field(default=(), repr=False)
    tokens: int = 0
    left_out: int = 0
    """Lines of the file that did not fit."""


def core_of(text: str, count_tokens: Callable[[str], int], most: int = MOST_TOKENS) -> Core:
    r"""Read the core out of a note in Markdown; no more than ``most`` tokens, whole lines only.

    >>> core_of("# Memory\n\n## Retain\n\n- O(c=0.9) @Peter: prefers short replies ^m1a2b\n"
    ...     "- I write by hand.\n", len)
    Core(tokens=44, left_out=0)
    """
    plain = _ASIDE.sub("", _FRONT.sub("", text.replace("\r\n", "\n")))
    said = [
        line
        for line in (_said(raw) for raw in plain.splitlines() if not _HEADING.match(raw))
        if line
    ]
    kept: list[str] = []
    tokens = 0
    for line in said:
        cost = count_tokens(line)
        if tokens + cost > most:
            break
        kept.append(line)
        tokens += cost
    return Core(tuple(kept), tokens, len(said) - len(kept))


def without_struck(text: str, struck: Iterable[str]) -> str:
    r"""Leave out of the note what the person wants forgotten or has put right: these words, and a
    line of which nothing else is left.

    >>> without_struck("- W The goat lives in Wajima. ^m1a2b\n- Goats. They climb.",
    ...     ["The goat lives in Wajima.", "They climb."])
    '- Goats. '
    """
    pieces = [piece.strip() for each in struck for piece in each.splitlines() if piece.strip()]
    lines = []
    for line in text.splitlines():
        left = line
        for piece in pieces:
            left = left.replace(piece, "")
        if left == line or len(_LETTER.findall(_BLOCK.sub("", left))) > MARK:
            lines.append(left)
    return "\n".join(lines)


def _said(line: str) -> str:
    """Return a line without its marks; whom a statement is about stands in front of it."""
    body = _BLOCK.sub("", _BULLET.sub("", line, count=1)).strip()
    read = statement(body)
    return body if isinstance(read, str) else _told(read)


def _told(read: Statement) -> str:
    before: Sequence[str] = [name for name in read.entities if name not in read.text]
    return f"{', '.join(before)}: {read.text}" if before else read.text
