"""A week: who meets whom, what they give, ask and take back, and who lies."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random

from protocol import limits
from protocol.contact import ContactState, Happens, Invite, make_hello
from protocol.encoding import to_b64u
from protocol.grants import Consent, Cost, Grant, Held
from protocol.identity import Did
from protocol.messages import Verb
from protocol.scope import Form, Layer, RowKind, Scope
from tests.protocol.twins import NOW
from tests.simulation.exchanges import Exchanges
from tests.simulation.lies import QUESTION, lie
from tests.simulation.member import Member, Waiting
from tests.simulation.network import CALM, HOUR, Network, Weather
from tests.simulation.table_lies import lie_at_table
from tests.simulation.watch import BrokenError, Truth, Watch

DAY = float(limits.DAY)
FRIENDS = 8
"""Contacts after which somebody looks for no more."""
LIARS = 0.05


@dataclass(frozen=True)
class Wish:
    """How large a world is, and for how long."""

    members: int
    days: float = 7
    seed: int = 1
    weather: Weather = field(default_factory=Weather)
    acts: float = 12
    """What one person does in a day, on average."""


class World(Exchanges):
    """So many nodes, and what their people do."""

    def __init__(self, wish: Wish) -> None:
        random = Random(wish.seed)
        super().__init__(Network(random, wish.weather, wish.days * DAY), random, Watch())
        self.wish = wish
        for number in range(wish.members):
            liar = number < round(LIARS * wish.members)
            member = Member(number, wish.seed, liar=liar)
            self.members[member.did] = member
        self.all = list(self.members.values())
        self.acts: list[tuple[Callable[[Member], None], float]] = [
            (self.meet, 2),
            (self.give, 2),
            (self.ask, 6),
            (self.offer, 0.7),
            (self.fetch, 0.7),
            (self.take_back, 0.3),
            (self.table, 0.5),
            (self.tables.leave, 0.05),
            (self.tables.strike, 0.1),
            (self.turn, 0.15),
            (self.say_goodbye, 0.05),
            (self.block, 0.05),
        ]

    def live(self) -> float:
        """Let the time pass, then let everything come to rest; give the seconds that this took.
        Raises ``BrokenError``, which names the seed.
        """
        began = time.perf_counter()
        try:
            for member in self.all:
                self._act_later(member)
                self.later(self.network.stays(), partial(self.leave, member))
            self.run(NOW + self.wish.days * DAY)
            self.rest()
        except BrokenError as broken:
            raise BrokenError(f"seed {self.wish.seed}: {broken}") from broken
        return time.perf_counter() - began

    @property
    def is_over(self) -> bool:
        """Whether nobody begins anything any more."""
        return self.now >= NOW + self.wish.days * DAY

    def _act_later(self, member: Member) -> None:
        rate = self.wish.acts / DAY

        def act() -> None:
            if self.is_over:
                return
            if member.up:
                doing, weights = zip(*self.acts, strict=True)
                member.dice.choices(doing, weights)[0](member)
                if member.liar and (friends := member.friends()):
                    lie(self, member, self.members[member.dice.choice(friends).did])
                    lie_at_table(self, member, self.members[member.dice.choice(friends).did])
            self._act_later(member)

        self.later(member.dice.expovariate(rate), act)

    def leave(self, member: Member) -> None:
        """Kill a node; what it wrote down is there when it comes back."""
        if not self.is_over:
            member.up = False
            member.life += 1
            self.later(self.network.is_away(), lambda: self.come_back(member))

    def come_back(self, member: Member) -> None:
        """Start a node again."""
        member.up = True
        self.later(self.network.stays(), lambda: self.leave(member))

    def rest(self) -> None:
        """Have everybody there on a good network, until nothing is under way; then nothing that was
        asked may be left without an end.
        """
        self.network.weather = CALM
        for member in self.all:
            member.up = True
        self.run(self.now + DAY)
        self.tables.at_rest()
        for member in self.all:
            for waiting in member.outbox.values():
                known = self.members[waiting.to].contact(member.did)
                late = waiting.written < self.now - HOUR  # tables go on until their time is over
                if late and known is not None and known.state is ContactState.ACTIVE:
                    raise BrokenError(f"nothing came of {waiting.message.verb} to a contact")

    # --- what people do --------------------------------------------------------------------------

    def send(
        self, member: Member, to: Did, verb: Verb, body: dict[str, object], grant: str | None = None
    ) -> Waiting:
        """Write a request, and put it into the outbox."""
        at = self.second
        message = member.message(to, verb, body, grant, ts=at, exp=at + 3 * limits.DAY)
        waiting = Waiting(message, to, self.now)
        self.put(member, waiting)
        return waiting

    def meet(self, member: Member) -> None:
        """Invite somebody, who says hello."""
        other = member.dice.choice(self.all)
        known = other.contact(member.did)
        if other is member or len(member.friends()) >= FRIENDS or not other.up:
            return
        if known is not None and known.state is not ContactState.ENDED:
            return
        address = ("/ip4/127.0.0.1/tcp/4001",)
        invite = Invite.make(member.card, address, self.second, random=member.random)
        member.books.put_invite(invite)
        at = self.second
        hello = make_hello(invite, other.card, other.random)
        message = other.message(member.did, Verb.HELLO, dict(hello), ts=at, exp=invite.exp)
        self.put(other, Waiting(message, member.did, self.now, invite))

    def give(self, member: Member) -> None:
        """Give a contact a grant."""
        if not (friends := member.friends()):
            return
        to = member.dice.choice(friends).did
        scope = Scope(
            frozenset({"*"}),
            frozenset(RowKind),
            frozenset(Layer),
            None,
            None,
            Form.EXCERPT,
            "planning",
        )
        life = int(member.dice.uniform(0.5, 10) * DAY)
        grant = Grant(
            member.id(),
            member.did,
            to,
            self.second - limits.MINUTE,
            self.second + life,
            frozenset({Verb.ASK, Verb.RECALL}),
            scope,
            Cost(member.dice.choice((2, 20)), member.dice.choice((4_000, 40_000)), 1_000),
            Consent.AUTO,
        )
        text = grant.write(member.keys.identity)
        member.books.grants[grant.id] = Held(grant)
        self.watch.grants[grant.id] = Truth(grant)
        self.send(member, to, Verb.GRANT, {"give": text})

    def ask(self, member: Member) -> None:
        """Ask a contact something, under a grant of theirs."""
        grants = list(member.received.grants.values())
        if not grants:
            return
        grant = member.dice.choice(grants)
        if member.contact(grant.iss) not in member.friends():
            return
        if member.dice.random() < 1 / 4:
            body = {"query": "canary", "purpose": "planning", "bytes": 4_000, "most": 5}
            self.send(member, grant.iss, Verb.RECALL, body, grant.id)
        else:
            self.send(member, grant.iss, Verb.ASK, dict(QUESTION), grant.id)

    def offer(self, member: Member) -> None:
        """Offer a contact something."""
        if not (friends := member.friends()):
            return
        to, item = member.dice.choice(friends).did, member.id()
        body = {"item": item, "title": "canary", "media": "text/plain", "size": 16}
        body |= {"hash": to_b64u(bytes(32)), "until": self.second + 5 * limits.DAY}
        waiting = self.send(member, to, Verb.OFFER, body)
        member.books.offers.add((waiting.message.id, item, to))
        self.watch.offers[waiting.message.id, item] = (member.did, to)

    def fetch(self, member: Member) -> None:
        """Fetch what a contact offered."""
        if not member.received.offers:
            return
        by, offer, item = member.dice.choice(member.received.offers)
        if member.contact(by) in member.friends():
            body = {"item": item, "purpose": "planning", "bytes": 2_000, "start": 0, "offer": offer}
            self.send(member, by, Verb.FETCH, body)

    def table(self, member: Member) -> None:
        """Ask a few contacts to a table."""
        if friends := member.friends():
            some = member.dice.sample(friends, min(len(friends), member.dice.randint(1, 3)))
            self.tables.open(member, [each.did for each in some])

    def take_back(self, member: Member) -> None:
        """Take a grant back; it counts at once, and its holder is told."""
        standing = [row for row in member.books.grants.values() if not row.revoked]
        if not standing:
            return
        row = member.dice.choice(standing)
        grant = row.grant
        self.revoke(member, row)
        if member.contact(grant.aud) in member.friends():
            self.send(member, grant.aud, Verb.GRANT, {"revoked": grant.id})

    def turn(self, member: Member) -> None:
        """Take a new box key, and tell the contacts."""
        member.turn_box(self.second)
        for contact in member.friends():
            self.send(member, contact.did, Verb.CARD, {"card": member.card.text})

    def say_goodbye(self, member: Member) -> None:
        """End a contact."""
        if friends := member.friends():
            contact = member.dice.choice(friends)
            self.send(member, contact.did, Verb.BYE, {})
            now = member.contact(contact.did)
            if now is not None and now.state is ContactState.ACTIVE:
                self.part(member, now)

    def block(self, member: Member) -> None:
        """Let a contact in no more."""
        if friends := member.friends():
            contact = member.dice.choice(friends)
            member.keep(contact.after(Happens.BLOCK))
            self.tables.end(member, contact.did)
