"""How much at once: a bucket of tokens for each contact and verb, which fills up again with
time.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from protocol.identity import Did
from protocol.messages import Verb


@dataclass(frozen=True)
class Rate:
    """So many at once, and one more every so many seconds."""

    burst: int
    seconds: float


RATES: Final[Mapping[Verb, Rate]] = {
    Verb.HELLO: Rate(4, 60),
    Verb.CARD: Rate(8, 30),
    Verb.ASK: Rate(8, 10),
    Verb.RECALL: Rate(16, 4),
    Verb.OFFER: Rate(16, 30),
    Verb.FETCH: Rate(64, 0.5),
    Verb.GRANT: Rate(16, 30),
    Verb.DISCUSS: Rate(64, 1),
    Verb.BYE: Rate(4, 60),
}


@dataclass
class Buckets:
    """Counts requests. A restart fills every bucket: what must not be had twice is a budget, and
    stands in the database.
    """

    rates: Mapping[Verb, Rate] = field(default_factory=lambda: RATES)
    _left: dict[tuple[Did, Verb], tuple[float, int]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def admits(self, by: Did, verb: Verb, now: int) -> bool:
        """Take one out and say whether there was one. A clock that goes back fills nothing and
        empties nothing.

        >>> buckets = Buckets({Verb.ASK: Rate(2, 10)})
        >>> [buckets.admits(Did("did:key:z1"), Verb.ASK, now) for now in (0, 0, 0, 9, 10, 10)]
        [True, True, False, False, True, False]
        """
        rate = self.rates[verb]
        with self._lock:
            left, since = self._left.get((by, verb), (float(rate.burst), now))
            left = min(float(rate.burst), left + max(0, now - since) / rate.seconds)
            admitted = left >= 1
            self._left[by, verb] = left - admitted, max(now, since)
        return admitted
