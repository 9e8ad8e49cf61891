"""Who knows the truth: every invariant of the specification, looked at as things happen.

A node decides by its own rows; here stands what its person really did, whoever said so. What does
not hold raises ``BrokenError`` at once, with the seed in the world that ran.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from protocol import limits
from protocol.contact import ContactState
from protocol.grants import Cost, Grant
from protocol.identity import Did
from protocol.messages import GRANTED, Message
from protocol.refusals import Code
from protocol.shape import write_json
from tests.simulation.books import SimulatedBooks

CANARY = b"canary"
"""Stands in every question, and on no wire."""


class BrokenError(AssertionError):
    """An invariant of the specification does not hold."""


def _hold(holds: bool, what: str) -> None:
    if not holds:
        raise BrokenError(what)


@dataclass
class Truth:
    """A grant as its owner gave it."""

    grant: Grant
    revoked: float | None = None


@dataclass
class Watch:
    """Looks at every step, and counts."""

    grants: dict[str, Truth] = field(default_factory=dict)
    offers: dict[tuple[str, str], tuple[Did, Did]] = field(default_factory=dict)
    """By message and item: who offered it, and to whom."""
    written: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """Messages by who wrote them and their ids, as they wrote them."""
    decided: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """On which day a node took a request for good."""
    charged: set[tuple[str, str, str]] = field(default_factory=set)
    account: dict[tuple[str, int], Cost] = field(default_factory=dict)
    """By grant and day, what its answers really were: the node's own books are not believed."""
    settled: set[tuple[str, str]] = field(default_factory=set)
    greeted: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    size: int = 0
    """Bytes of all that was sent."""
    seconds: list[float] = field(default_factory=list)
    """From a question to its answer."""

    def writes(self, message: Message) -> None:
        """Note what somebody wrote in their own name."""
        name = (message.iss, message.id)
        _hold(name not in self.written, f"an id was used twice: {name}")
        self.written[name] = message.json()

    def sends(self, data: bytes) -> None:
        """Look at what goes over a wire."""
        _hold(CANARY not in data, "words were on the wire")
        self.counts["frames"] += 1
        self.size += len(data)

    def decides(self, owner: Did, message: Message, now: int) -> None:
        """Look at a request that a node takes for good: who wrote it, for whom, and once."""
        name = (message.iss, message.id)
        _hold(self.written.get(name) == message.json(), "somebody spoke in another's name")
        _hold(message.aud == owner, "what was meant for somebody else was taken")
        _hold((owner, *name) not in self.decided, "a request was decided about twice")
        self.decided[owner, *name] = now // limits.DAY

    def answers(self, owner: Did, message: Message, state: ContactState, now: float) -> None:
        """Look at an answer that leaves: the grant, or the offer, stands at this moment."""
        _hold(state is ContactState.ACTIVE, f"answered to a contact who is {state}")
        if message.grant is not None:
            truth = self.grants.get(message.grant)
            _hold(truth is not None, "answered under a grant that nobody gave")
            assert truth is not None
            grant = truth.grant
            _hold((grant.iss, grant.aud) == (owner, message.iss), "answered under another's grant")
            _hold(grant.nbf <= now < grant.exp, "answered outside a grant's time")
            _hold(truth.revoked is None, "answered under a grant that was taken back")
            _hold(message.verb in grant.verbs, "answered what the grant does not name")
            _hold(message.body["purpose"] == grant.scope.purpose, "answered for another purpose")
        elif message.verb in GRANTED:
            offered = self.offers.get((message.body["offer"], message.body["item"]))
            _hold(offered == (owner, message.iss), "gave what was not offered")
        self.counts[f"answered {message.verb}"] += 1

    def charges(self, owner: Did, message: Message, body: Mapping[str, Any]) -> None:
        """Sum up what was answered under a grant, once for each request."""
        name = (owner, message.iss, message.id)
        if message.grant is None or name in self.charged:
            return
        self.charged.add(name)
        day = (message.grant, self.decided[name])
        cost = Cost(1, len(write_json(body)), body.get("tokens", 0))
        self.account[day] = self.account.get(day, Cost()) + cost
        daily = self.grants[message.grant].grant.daily
        _hold(self.account[day].within(daily), "more was answered than a day's budget")

    def spends(self, books: SimulatedBooks, grant: str, now: int) -> None:
        """Look at a day's budget."""
        spent = books.spent.get((grant, now // limits.DAY), Cost())
        _hold(spent.within(books.grants[grant].grant.daily), "more than a day's budget was spent")
        _hold(min(spent.calls, spent.bytes, spent.tokens) >= 0, "more was given back than spent")

    def greets(self, invite: str) -> None:
        """Look at an invite that was used up."""
        _hold(invite not in self.greeted, "an invite was used twice")
        self.greeted.add(invite)

    def refuses(self, code: Code) -> None:
        """Count a refusal."""
        self.counts[f"refused {code}"] += 1

    def settles(self, message: Message, after: float, what: str) -> None:
        """Look at what came of a request, at the end that asked."""
        name = (message.iss, message.id)
        _hold(name not in self.settled, "a request was settled twice")
        self.settled.add(name)
        self.counts[f"settled {what}"] += 1
        if what == "answered":
            self.seconds.append(after)
