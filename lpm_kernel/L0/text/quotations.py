"""Where words of one text stand in another: what quotes a text that is to be erased.

A quotation is a stretch of :data:`STRETCH` bytes, about thirty Latin letters or ten kana, whatever
the case and the spacing. Both texts are read as hashes of every such stretch, so a diary is
compared in a moment.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

STRETCH = 32
"""Bytes of UTF-8 in a row that two texts have to share; a power of two."""
SHORTEST_NAME = 12
"""Bytes of a title or a file name that is looked for; a shorter one is a word like any other."""
_PRIME = np.uint64(0x100000001B3)
_SPACE = re.compile(r"\s+")


class Traces:
    r"""The stretches of some texts, and some names.

    >>> traces = Traces(["The kingfisher keeps its ledger under the ninth stair."],
    ...     ["kingfisher.md"])
    >>> (traces.in_("They say the Kingfisher keeps its\nledger under a stone"),
    ...  traces.in_("a kingfisher"), traces.in_("see kingfisher.md"))
    (True, False, True)
    """

    def __init__(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        hashes = [_stretches(_plain(text)) for text in texts]
        self._known = np.unique(np.concatenate(hashes)) if hashes else np.empty(0, np.uint64)
        plain = (_plain(name) for name in names)
        self._names = tuple({name for name in plain if len(name.encode()) >= SHORTEST_NAME})

    def in_(self, text: str) -> bool:
        """Tell whether a text quotes one of them, or names one."""
        plain = _plain(text)
        if any(name in plain for name in self._names):
            return True
        hashes = _stretches(plain)
        if not hashes.size or not self._known.size:
            return False
        at = np.searchsorted(self._known, hashes)
        at[at == self._known.size] = 0
        return bool((self._known[at] == hashes).any())


def _plain(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).casefold().strip()


def _stretches(text: str) -> NDArray[np.uint64]:
    """Hash every stretch of a text. The hash of a stretch is put together from those of its
    halves.
    """
    hashes = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8).astype(
        np.uint64
    ) + np.uint64(1)
    width, power = 1, _PRIME
    with np.errstate(over="ignore"):
        while width < STRETCH:
            if hashes.size <= width:
                return np.empty(0, np.uint64)
            hashes = hashes[:-width] * power + hashes[width:]
            width, power = width * 2, power * power
    return hashes
