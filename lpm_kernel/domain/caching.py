"""A bounded cache of what was worked out from something that may change.

Every value is kept with the version of what it was made from, and is given back for that version
alone: whoever changes a profile sees the change at the next look, without telling the cache. What
was used longest ago goes first. One object serves all threads.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final, Generic, TypeVar

PROFILES: Final = 1_000
"""Parts of the person's profile that are kept: what was read in a month, and whom it names."""
QUESTIONS: Final = 500
"""Questions whose vectors are kept: 9 MB at most, where each is as long as the embedder reads."""

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class VersionedCache(Generic[KeyT, ValueT]):
    """Keeps the last ``most`` values, one a key.

    >>> lengths = VersionedCache[str, int](most=2)
    >>> lengths.get("name", version="Nagi", make=lambda: 4)
    4
    >>> lengths.get("name", version="Nagi", make=lambda: 0)
    4
    >>> lengths.get("name", version="Nagi Sorrel", make=lambda: 11)
    11
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[KeyT, tuple[Hashable, ValueT]] = OrderedDict()
        self._emptied = 0
        self._lock = Lock()

    def get(self, key: KeyT, version: Hashable, make: Callable[[], ValueT]) -> ValueT:
        """Return what was made for this key of this version, or make it now. Two threads that ask
        at once may both make it; what ``make`` raises is raised and nothing is kept.
        """
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and kept[0] == version:
                self._kept.move_to_end(key)
                return kept[1]
            emptied = self._emptied
        made = make()
        with self._lock:
            if emptied == self._emptied:  # what was made of something erased meanwhile is not kept
                self._kept[key] = (version, made)
                self._kept.move_to_end(key)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return made

    def forget(self) -> None:
        """Keep nothing of what was made until now, nor of what is being made."""
        with self._lock:
            self._kept.clear()
            self._emptied += 1

    def __len__(self) -> int:
        with self._lock:
            return len(self._kept)
