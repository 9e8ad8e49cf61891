"""From whom a row has a name: each row names every statement of which anything is in it.

A row may have a name from elsewhere than the statements that it was made of: another note, another
name of the same bearer. What hangs on the statements is worked out once, and a row is read once,
so that a life of thousands of statements takes no longer for each of its rows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lpm_kernel.domain.memory.memories import MemoryId
from lpm_kernel.domain.training.runs import Example, Maker, Taught
from lpm_kernel.L0.language.analysis import unspaced
from lpm_kernel.L2.name_finder import NameFinder
from lpm_kernel.L2.told import people

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class _Bearer:
    """A name as it is compared, and the first statement that names its bearer."""

    place: int
    """Among all names."""
    said: str = field(repr=False)
    memory: MemoryId


class Tracing:
    """Finds the statements from which rows have names."""

    def __init__(self, told: Sequence[Taught], called: Mapping[str, Sequence[str]]) -> None:
        """Index the names once. ``called`` gives by name what else its bearer is called."""
        self._texts = {taught.memory: _flat(taught.text) for taught in told}
        self._by_word: dict[str, list[_Bearer]] = defaultdict(list)
        self._anywhere: dict[str, list[_Bearer]] = defaultdict(list)
        for place, (name, memory) in enumerate(_bearers(told, called)):
            said = _flat(name)
            if unspaced(said):
                said = said.strip()
                self._anywhere[said].append(_Bearer(place, said, memory))
            elif words := said.split():
                self._by_word[words[0]].append(_Bearer(place, said, memory))
        self._index = NameFinder(self._anywhere)

    def traced(self, rows: Iterable[Example]) -> Iterator[Example]:
        """Have each row name the statement from which it has a name that stands in none of its
        own.
        """
        for row in rows:
            if row.maker is Maker.PERSON:
                yield row
                continue
            own = [self._texts[memory] for memory in row.memories if memory in self._texts]
            further = [
                bearer.memory
                for bearer in self._named(_flat(" ".join((row.question, row.answer, *row.notes))))
                if not any(bearer.said in text for text in own)
            ]
            memories = tuple(dict.fromkeys((*row.memories, *further)))
            yield replace(row, memories=memories) if memories != row.memories else row

    def _named(self, said: str) -> list[_Bearer]:
        """Return whose names stand in a text, in the order of the names."""
        found = [
            bearer
            for word in set(said.split())
            for bearer in self._by_word.get(word, ())
            if bearer.said in said
        ]
        found += (each for name in self._index.within(said) for each in self._anywhere[name])
        return sorted(found, key=lambda bearer: bearer.place)


def _bearers(
    told: Sequence[Taught], called: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, MemoryId]]:
    """Yield names with statements that name their bearers. A word in katakana is a name only where
    somebody has it.
    """
    named = {name for taught in told for name in taught.entities}
    named |= {each for name, others in called.items() for each in (name, *others)}
    for name, memory in people(told, called).items():
        if len(name) > 1 and (name in named or not unspaced(name)):
            yield name, memory


def _flat(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
