"""Tags by which a text says that it is private."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def seals(tags: Iterable[str], seal_tags: Iterable[str]) -> bool:
    """Tell whether one of these tags makes a document private, or a tag above it does.

    >>> [seals([tag], ["private"]) for tag in ("#Private", "ｐｒｉｖａｔｅ", "private/health", "privateer")]
    [True, True, True, False]
    """
    sealing = {_plain(each) for each in seal_tags} - {""}
    return any(_plain(each).split("/")[0] in sealing for each in tags)


def _plain(tag: str) -> str:
    return unicodedata.normalize("NFKC", tag).strip().lstrip("#").strip().casefold()
