"""What a simulated node remembers: the twin's books, with days, buckets and kept answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from protocol import limits
from protocol.grants import Cost, Held
from protocol.identity import Did
from protocol.messages import Verb
from protocol.refusals import Code
from tests.protocol.twins import Books

BUCKETS: Mapping[Verb, tuple[float, float]] = {
    Verb.HELLO: (4, 60),
    Verb.CARD: (8, 30),
    Verb.ASK: (8, 10),
    Verb.RECALL: (16, 4),
    Verb.OFFER: (16, 30),
    Verb.GRANT: (16, 30),
    Verb.FETCH: (64, 0.5),
    Verb.DISCUSS: (64, 1),
    Verb.BYE: (4, 60),
}
"""At once, and seconds to one more: protocol/spec/session.md, Pace."""


@dataclass(frozen=True)
class Kept:
    """What was decided about a request, to be said again."""

    body: Mapping[str, Any] | None = field(default=None, repr=False)
    code: Code | None = None


@dataclass
class SimulatedBooks(Books):
    """The ports of a node; a kill leaves them as they are."""

    spent: dict[tuple[str, int], Cost] = field(default_factory=dict)
    buckets: dict[tuple[Did, Verb], tuple[float, int]] = field(default_factory=dict)
    kept: dict[tuple[str, str], Kept] = field(default_factory=dict)
    working: dict[tuple[str, str], Any] = field(default_factory=dict)
    """Requests that are decided about: written down before, and gone on with after a kill."""

    def held(self, grant: str, now: int) -> Held | None:
        row = self.grants.get(grant)
        return row and replace(row, spent=self.spent.get((grant, now // limits.DAY), Cost()))

    def spend(self, grant: str, cost: Cost, now: int) -> bool:
        row = self.held(grant, now)
        if row is None or not (row.spent + cost).within(row.grant.daily):
            return False
        self.spent[grant, now // limits.DAY] = row.spent + cost
        return True

    def give_back(self, grant: str, cost: Cost, now: int) -> None:
        day = (grant, now // limits.DAY)
        self.spent[day] += Cost(-cost.calls, -cost.bytes, -cost.tokens)

    def admits(self, by: Did, verb: Verb, now: int) -> bool:
        most, every = BUCKETS[verb]
        tokens, at = self.buckets.get((by, verb), (most, now))
        tokens = min(most, tokens + (now - at) / every)
        self.buckets[by, verb] = (tokens - 1 if tokens >= 1 else tokens, now)
        return tokens >= 1
