"""Which of many names stand in a text, found by how they begin: a text is read once, however many
names there are. Japanese has no spaces, so that a name may stand anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from typing import overload

BEGINS = 3
"""Signs by which names are looked up."""


class NameFinder:
    """Names by how they begin. Empty ones stand nowhere."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_start: dict[str, list[str]] = defaultdict(list)
        for name in dict.fromkeys(filter(None, names)):
            self._by_start[name[:BEGINS]].append(name)
        self._lengths = sorted({len(start) for start in self._by_start})

    def at(self, text: str, place: int) -> Iterator[str]:
        """Yield the names that stand at this place of a text."""
        for length in self._lengths:
            start = text[place : place + length]
            if len(start) == length and start in self._by_start:
                for name in self._by_start[start]:
                    if text.startswith(name, place):
                        yield name

    def within(self, text: str) -> set[str]:
        """Return the names that stand in a text, also as a part of a word.

        >>> sorted(NameFinder(["Mai", "舞", "Kurose"]).within("舞 (Mai) is here."))
        ['Mai', '舞']
        """
        return {name for place in range(len(text)) for name in self.at(text, place)}


class NamesInOrder:
    """Names in the order in which they came, one as often as it came."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(names)
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, name in enumerate(self._names):
            self._places[name].append(place)
        self._index = NameFinder(self._places)

    def absent_from(self, text: str) -> Sequence[str]:
        """Return the names that do not stand in a text, in their order.

        >>> list(NamesInOrder(["Mai", "Ida", "Mai", "Ola"]).absent_from("Mai came."))
        ['Ida', 'Ola']
        """
        there = self._index.within(text)
        return _Without(self._names, [*merge(*(self._places[name] for name in there))])


class _Without(Sequence[str]):
    """Names without those at some places: none of the others is looked at to draw one."""

    def __init__(self, names: Sequence[str], out: Sequence[int]) -> None:
        self._names, self._out = names, out

    def __len__(self) -> int:
        return len(self._names) - len(self._out)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        for out in self._out:
            if out > place:
                break
            place += 1
        return self._names[place]
