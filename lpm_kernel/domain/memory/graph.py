"""The map: which entities are named together, which of them belong together, and where each is
drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from lpm_kernel.domain.memory.claims import KnownEntity
from lpm_kernel.domain.memory.entities import Mention, PassageStanding


@dataclass(frozen=True)
class Edge:
    """Two entities that are named together; ``source`` comes before ``target`` in the order of
    signs.
    """

    source: str = field(repr=False)
    target: str = field(repr=False)
    weight: float
    rows: tuple[int, ...] = field(repr=False)
    """Passages that name both, the best first; at most ``graph.MOST_EVIDENCE``."""
    first: float | None
    last: float | None
    private: bool
    """Nothing that is open says so."""


@dataclass(frozen=True)
class SentenceSpan:
    """A sentence of a passage, by its place in the passage's text."""

    row: int
    start: int
    end: int


@dataclass(frozen=True)
class Community:
    """Entities that are named together more often than with others."""

    id: str = field(repr=False)
    """The slug of its heaviest member."""
    title: str = field(repr=False)
    members: tuple[str, ...] = field(repr=False)
    """The heaviest first."""
    report: tuple[SentenceSpan, ...] = ()


@dataclass(frozen=True)
class Spot:
    """Where an entity is drawn, 0..1, and with which others it belongs."""

    x: float
    y: float
    community: int | None = None


@dataclass(frozen=True)
class Made:
    """What the last job made."""

    at: datetime
    revision: int
    """The index's, before it was read."""
    digest: str
    """Of the edges and of what drew them: equal ones are not drawn again."""
    clusters: str
    """Which backend found the communities."""


@dataclass(frozen=True)
class StoredGraph:
    """All that is kept of the map. Edges and reports are worked out from it when they are shown."""

    made: Made | None
    mentions: Sequence[Mention] = field(repr=False)
    standings: Mapping[int, PassageStanding] = field(repr=False)
    spots: Mapping[bytes, Spot] = field(repr=False)
    """By ``graph.key_of`` a slug."""


class Communities(Protocol):
    """Finds groups in a weighted graph. The twin is Louvain's method in plain Python."""

    @property
    def name(self) -> str:
        """What it works with; another one may group otherwise."""
        ...

    def groups(self, edges: Sequence[tuple[str, str, float]]) -> list[list[str]]:
        """Divide the nodes of these edges: every node in exactly one group. The same edges, in any
        order, give the same groups.
        """
        ...


class Graph(Protocol):
    """Keeps what the job found, in the index: mentions go with their passages at once."""

    def kept(self) -> StoredGraph:
        """Return all of it."""
        ...

    def serial(self) -> tuple[int, int]:
        """Return two numbers that change whenever :meth:`kept` would say something else."""
        ...

    def swap(
        self,
        made: Made,
        mentions: Sequence[Mention],
        spots: Mapping[bytes, Spot],
        shown: Sequence[KnownEntity] = (),
    ) -> None:
        """Put this in the place of what was there, in one transaction; mentions of passages that
        are gone by now are left out.
        """
        ...

    def keep_only(self, alive: Sequence[bytes], shown: Sequence[KnownEntity]) -> None:
        """Forget where anything else was drawn, and how it was called."""
        ...
