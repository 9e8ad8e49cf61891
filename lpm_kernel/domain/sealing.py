"""Tags by which a text says that it is private."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

_CODE = re.compile(r"`[^`\n]{0,500}`")
_TAG = re.compile(r"(?<![\w#&/])[#＃]([^\s#＃.,;:!?()\[\]{}<>\"'、。，！？「」]{1,60})")
_PARTS = re.compile(r"[/,、;\[\]]")
_FENCES = ("```", "~~~")


def seals(tags: Iterable[str], seal_tags: Iterable[str]) -> bool:
    """Tell whether one of these tags makes a document private, or a part of one does: above it, below it, or beside it in a list that was not read as one.

    >>> [seals([tag], ["private"]) for tag in ("#Private", "ｐｒｉｖａｔｅ", "private/health", "home/private", "家、private", "privateer")]
    [True, True, True, True, True, False]
    """
    sealing = {_plain(each) for each in seal_tags} - {""}
    return any(_plain(part) in sealing for each in tags for part in (each, *_PARTS.split(unicodedata.normalize("NFKC", each))))


def tags_within(text: str) -> Iterator[str]:
    """Yield the tags that stand in the text of a note, outside of code.

    >>> list(tags_within("Rain. #private, `#code`, #家/秘密 and C#sharp"))
    ['private', '家/秘密']
    """
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith(_FENCES):
            fenced = not fenced
        elif not fenced and ("#" in line or "＃" in line):
            yield from _TAG.findall(_CODE.sub(" ", line))


def _plain(tag: str) -> str:
    shown = "".join(sign for sign in unicodedata.normalize("NFKC", tag) if unicodedata.category(sign) != "Cf")
    return shown.strip().lstrip("#").strip().casefold()
