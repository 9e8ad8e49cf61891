"""Tags by which a text says that it is private."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

_CODE = re.compile(r"`[^`\n]{0,500}`")
_TAG = re.compile(
    r"(?<![\w#&/])[#＃]([^\s#＃.,;:!?()\[\]{}<>\"'*`|\\~“”‘’…‥—"
    r"、。，．：；！？（）［］｛｝「」『』【】〔〕〈〉《》〖〗｜～〜]{1,60})"
)
_PARTS = re.compile(r"[/,、;・\[\]]")


def seals(tags: Iterable[str], seal_tags: Iterable[str]) -> bool:
    """Tell whether one of these tags makes a document private, or a part of one does: above it,
    below it, or beside it in a list that was not read as one.

    >>> [seals([tag], ["private"])
    ...     for tag in ("#Private", "ｐｒｉｖａｔｅ", "private/health", "home/private",
    ...     "家、private", "privateer")]
    [True, True, True, True, True, False]
    >>> seals(["家・秘密"], ["秘密"])
    True
    """
    sealing = {_plain(seal_tag) for seal_tag in seal_tags} - {""}
    return any(
        _plain(part) in sealing
        for tag in tags
        for part in (tag, *_PARTS.split(unicodedata.normalize("NFKC", tag)))
    )


def tags_within(text: str) -> Iterator[str]:
    r"""Yield the tags that stand in the text of a note, outside of code.

    >>> list(tags_within("Rain. #private, `#code`, #家/秘密 and C#sharp"))
    ['private', '家/秘密']
    >>> list(tags_within("~~~\n```\n#code\n~~~\n【#秘密】 ```#code``` #home（庭）"))
    ['秘密', 'home']
    """
    opened = ""
    for line in text.splitlines():
        fence, after = _fence(line)
        if opened:
            if fence.startswith(opened) and not after:
                opened = ""
        elif fence and not (fence.startswith("`") and "`" in after):
            opened = fence
        elif "#" in line or "＃" in line:
            yield from _TAG.findall(_CODE.sub(" ", line))


def _fence(line: str) -> tuple[str, str]:
    """Return what a line begins with that may open or close code, and what follows it."""
    said = line.lstrip(" \t>").rstrip()
    rest = said.lstrip(said[:1]) if said.startswith(("```", "~~~")) else said
    return said[: len(said) - len(rest)], rest.strip()


def _plain(tag: str) -> str:
    shown = "".join(
        sign for sign in unicodedata.normalize("NFKC", tag) if unicodedata.category(sign) != "Cf"
    )
    return shown.strip().lstrip("#").strip().casefold()
