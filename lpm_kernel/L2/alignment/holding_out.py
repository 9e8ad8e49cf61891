"""Which sources are held out: whole documents and whole chats, drawn by a seed.

What two sources say together keeps them together, so that nothing that is learned shares a source
with what is asked about later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

SHARE = 0.2
"""Of what there is, about so much is held out."""


@dataclass(frozen=True)
class Sourced:
    """Something that is learned or held out, with its sources."""

    sources: tuple[str, ...]
    text: str = field(repr=False)
    """Its words, by which the draw goes: ids are drawn by lot, and draws must not hang on them."""
    label: str = ""
    """What has to be represented among what is held out; empty for what needs not."""


def held_out(items: Sequence[Sourced], seed: int, share: float = SHARE) -> frozenset[str]:
    """Draw the sources that are held out: about this share of the items, at least one group of
    sources of every label that has two, and never more than half of everything.

    >>> day = [Sourced((f"d{number}",), f"said on day {number}") for number in range(10)]
    >>> len(held_out(day, seed=1)), held_out(day[:1], seed=1)
    (2, frozenset())
    """
    groups = _groups(items)
    by_group: dict[str, list[Sourced]] = defaultdict(list)
    for item in items:
        if item.sources:
            by_group[groups[item.sources[0]]].append(item)
    order = sorted(by_group, key=lambda group: _drawn(by_group[group], seed))
    most, half = round(share * len(items)), len(items) / 2
    held: set[str] = set()
    taken = 0

    def take(candidates: Iterable[str], bound: float, wanted: int = 1) -> None:
        nonlocal taken
        for group in candidates:
            if wanted and group not in held and taken + len(by_group[group]) <= bound:
                held.add(group)
                taken += len(by_group[group])
                wanted -= 1

    take(order, most, len(order))
    smallest = sorted(order, key=lambda group: len(by_group[group]))
    if not held:
        take(smallest, half)
    for have in _by_label(by_group, smallest):
        if len(have) > 1 and not held & set(have):
            take(have, half)
    return frozenset(source for source, group in groups.items() if group in held)


def _by_label(by_group: Mapping[str, Sequence[Sourced]], order: Sequence[str]) -> list[list[str]]:
    """List for each label the groups that have it, in this order."""
    having: dict[str, list[str]] = defaultdict(list)
    for group in order:
        for label in {item.label for item in by_group[group]} - {""}:
            having[label].append(group)
    return [having[label] for label in sorted(having)]


def _groups(items: Sequence[Sourced]) -> dict[str, str]:
    """Name for each source the group that it belongs to: disjoint sets, each by one of its
    members.
    """
    above: dict[str, str] = {}

    def root(source: str) -> str:
        above.setdefault(source, source)
        while above[source] != source:
            above[source] = above[above[source]]
            source = above[source]
        return source

    for item in items:
        for source in item.sources:
            above[root(source)] = root(item.sources[0])
    return {source: root(source) for source in list(above)}


def _drawn(items: Sequence[Sourced], seed: int) -> str:
    return sha256(f"{seed}:{min(item.text for item in items)}".encode()).hexdigest()
