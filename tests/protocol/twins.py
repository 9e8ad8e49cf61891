"""Nodes for tests: keys from a seed, and everything that a session remembers by, in memory, behind
one lock.
"""

# ruff: noqa: ARG002 - a twin takes what its port takes
from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from protocol import limits
from protocol.answering import Answering
from protocol.card import Card
from protocol.contact import Contact, ContactState, Invite
from protocol.encoding import to_b64u
from protocol.events import Event
from protocol.grants import Consent, Cost, Grant, Held
from protocol.identity import Did, PeerId, peer_of
from protocol.keystore import Keyring
from protocol.messages import GRANTED, Message, Verb
from protocol.ports import Claim
from protocol.scope import Form, Layer, RowKind, Scope
from protocol.session import Asking, Node

NOW = 1_800_000_000
DAY = limits.DAY
QUESTION = {"question": "Where did we walk?", "purpose": "planning", "bytes": 20_000, "tokens": 200}
REPLY = {"text": "Along the canal.", "abstained": False, "form": "answer", "cites": [], "tokens": 5}


def dice(seed: str) -> Callable[[int], bytes]:
    """Bytes that look random and are the same each time."""
    state = [hashlib.sha256(seed.encode()).digest()]

    def draw(length: int) -> bytes:
        state[0] = hashlib.sha256(state[0]).digest()
        return hashlib.shake_256(state[0]).digest(length)

    return draw


@dataclass
class Books:
    """Every port at once. A real node keeps the same over its database."""

    seen: dict[tuple[str, str], bytes] = field(default_factory=dict)
    room: int = 1_000_000
    invites: dict[str, Invite] = field(default_factory=dict)
    contacts: dict[PeerId, Contact] = field(default_factory=dict)
    grants: dict[str, Held] = field(default_factory=dict)
    offers: set[tuple[str, str, str]] = field(default_factory=set)
    busy: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def claim(self, message: Message, digest: bytes, until: int) -> Claim:
        name = (message.iss, message.id)
        with self.lock:
            known = self.seen.get(name)
            if known is None and len(self.seen) >= self.room:
                return Claim.FULL
            self.seen.setdefault(name, digest)
        return Claim.NEW if known is None else Claim.SAME if known == digest else Claim.OTHER

    def find(self, invite: str) -> Invite | None:
        return self.invites.get(invite)

    def use(self, invite: str, card: Card) -> bool:
        with self.lock:
            known = next(
                (contact for contact in self.contacts.values() if contact.did == card.did), None
            )
            late = known is not None and (
                known.state not in {ContactState.ACTIVE, ContactState.ENDED}
                or known.card.seq > card.seq
            )
            if late or self.invites.pop(invite, None) is None:
                return False
            if known is not None:
                del self.contacts[known.card.peer]
            self.contacts[card.peer] = Contact(card)
        return True

    def put_invite(self, invite: Invite) -> None:
        """Make an invite of the owner's stand in the books."""
        self.invites[invite.id] = invite

    def put_grant(self, grant: Grant, by: Person, to: Person) -> None:
        """Make a grant stand in the books, its parent before it."""
        self.grants[grant.id] = Held(
            grant, parent=self.grants[grant.parent] if grant.parent is not None else None
        )

    def held(self, grant: str, now: int) -> Held | None:
        return self.grants.get(grant)

    def spend(self, grant: str, cost: Cost, now: int) -> bool:
        with self.lock:
            rows = [
                row for row in (self.grants[grant], self.grants[grant].parent) if row is not None
            ]
            fits = all((row.spent + cost).within(row.grant.daily) for row in rows)
            if fits:
                self._book(grant, cost)
        return fits

    def give_back(self, grant: str, cost: Cost, now: int) -> None:
        with self.lock:
            self._book(grant, Cost(-cost.calls, -cost.bytes, -cost.tokens))

    def _book(self, grant: str, cost: Cost) -> None:
        spending = {grant, self.grants[grant].grant.parent}

        def booked(row: Held) -> Held:
            return replace(
                row,
                spent=row.spent + cost if row.grant.id in spending else row.spent,
                parent=row.parent and booked(row.parent),
            )

        self.grants = {name: booked(row) for name, row in self.grants.items()}

    def stands(self, offer: str, item: str, to: Did, now: int) -> bool:
        return (offer, item, to) in self.offers

    def admits(self, by: Did, verb: Verb, now: int) -> bool:
        return not self.busy


class Person:
    """A node with its keys, card and books."""

    def __init__(self, name: str, seq: int = 1) -> None:
        self.random = dice(name)
        self.name = name
        self.keys = Keyring.make(NOW, self.random)
        self.books = Books()
        self.card = self.new_card(seq)

    def new_card(self, seq: int, **changed: int) -> Card:
        peer = peer_of(hashlib.sha256(self.keys.transport_seed).digest())
        verbs = tuple(verb.value for verb in Verb if verb is not Verb.REFUSAL)
        return Card.write(
            self.keys.identity,
            peer=peer,
            box=self.keys.box.public,
            name=self.name,
            verbs=verbs,
            seq=seq,
            exp=changed.get("exp", NOW + 20 * DAY),
        )

    @property
    def did(self) -> Did:
        return self.keys.identity.did

    @property
    def node(self) -> Node:
        return Node(
            self.keys,
            self.card,
            self.books,
            self.books,
            self.books,
            self.books,
            self.books,
            self.random,
        )

    def id(self) -> str:
        return to_b64u(self.random(16))

    def knows(self, other: Person) -> Contact:
        self.books.contacts[other.card.peer] = Contact(other.card)
        return self.books.contacts[other.card.peer]

    def message(
        self,
        to: Did,
        verb: Verb = Verb.ASK,
        body: dict[str, object] | None = None,
        grant: str | None = None,
        **changed: int,
    ) -> Message:
        ts = changed.get("ts", NOW)
        return Message(
            self.id(),
            self.did,
            to,
            ts,
            changed.get("exp", ts + 3600),
            verb,
            QUESTION if body is None else body,
            grant,
        )

    def gives(self, other: Person, **changed: object) -> Grant:
        """Grant the other all there is, and keep the row."""
        scope = Scope(
            frozenset({"*"}),
            frozenset(RowKind),
            frozenset(Layer),
            None,
            None,
            Form.VERBATIM,
            "planning",
        )
        daily = Cost(limits.CALLS_A_DAY, limits.BYTES_A_DAY, limits.TOKENS_A_DAY)
        plain = Grant(
            self.id(),
            self.did,
            other.did,
            NOW - DAY,
            NOW + DAY,
            GRANTED,
            scope,
            daily,
            Consent.AUTO,
            1,
        )
        grant = replace(plain, **changed)  # type: ignore[arg-type]
        self.books.grants[grant.id] = Held(grant)
        return grant


def answering(asked: Person, asker: Person, *, stranger: bool = False) -> Answering:
    """The asked person's end of a stream from the other's node."""
    return Answering(
        asked.node, asker.card.peer, None if stranger else asked.books.contacts.get(asker.card.peer)
    )


def deliver(
    asked: Person,
    asker: Person,
    message: Message,
    *,
    stranger: bool = False,
    to: Card | Invite | None = None,
) -> tuple[list[Event], Answering, Asking]:
    """Carry a request over; give what it made happen, and both ends."""
    asking = Asking(asker.node, to or asked.card, message)
    asking.ask()
    end = answering(asked, asker, stranger=stranger)
    return end.feed(asking.take(), NOW), end, asking


def acquainted() -> tuple[Person, Person]:
    """Two who are each other's contacts."""
    asako, bram = Person("asako"), Person("bram")
    asako.knows(bram)
    bram.knows(asako)
    return asako, bram
