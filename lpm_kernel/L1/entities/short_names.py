"""Short names and the full ones that they may stand for, and whether texts give reason
to take the two for one: a family name alone may be anybody's of the family, or of another family
of that name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.entities import Mention, PassageStanding

HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff々〆〇]")
LONGEST_GIVEN = 4
"""Signs of a Japanese given name that may follow a family name."""


@dataclass(frozen=True)
class Circle:
    """Where a name stands, and among whom."""

    key: str = field(repr=False)
    documents: frozenset[DocumentId]
    company: frozenset[str] = field(repr=False)
    """The names that stand in one session with it, and it."""


def circles_of(
    by_key: Mapping[str, Sequence[Mention]], standings: Mapping[int, PassageStanding]
) -> dict[str, Circle]:
    """Return the circle of each name."""
    company: dict[tuple[int, int], set[str]] = defaultdict(set)
    for key, said in by_key.items():
        for mention in said:
            company[standings[mention.row].session].add(key)
    return {
        key: Circle(
            key,
            frozenset(standings[mention.row].document for mention in said),
            frozenset().union(*(company[standings[mention.row].session] for mention in said)),
        )
        for key, said in by_key.items()
    }


def share_a_circle(one: Circle, other: Circle, nobody: Collection[str]) -> bool:
    """Tell whether a document has both names, or somebody is named with either; ``nobody`` is
    named with everybody.
    """
    between = (one.company & other.company) - {one.key, other.key, *nobody}
    return bool(one.documents & other.documents or between)


def longer_names(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the keys that begin with a word, or in Japanese with a few signs less, by that
    beginning.
    """
    found: dict[str, list[str]] = {}
    for key in keys:
        japanese = bool(HAN_OR_KANA.match(key))
        for beginning in (
            [key[:-more] for more in range(1, LONGEST_GIVEN + 1)]
            if japanese
            else [key.partition(" ")[0]]
        ):
            if beginning and beginning != key:
                found.setdefault(beginning, []).append(key)
    return found
