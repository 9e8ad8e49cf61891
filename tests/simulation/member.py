"""One simulated node: its keys and books, what it has to send, and what its person knows of
others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from protocol.contact import Contact, ContactState, Happens, Invite
from protocol.grants import Grant
from protocol.identity import Did
from protocol.messages import Message
from protocol.session import Node
from tests.protocol.twins import Person
from tests.simulation.books import SimulatedBooks
from tests.simulation.tables import Hosted, Seat


@dataclass
class Waiting:
    """A request in the outbox."""

    message: Message
    to: Did
    written: float
    invite: Invite | None = None
    tries: int = 0
    done: bool = False


@dataclass
class Received:
    """What others gave or offered."""

    grants: dict[str, Grant] = field(default_factory=dict)
    offers: list[tuple[Did, str, str]] = field(default_factory=list)
    """By whom, the message, the item."""


class Member(Person):
    """A node in a world."""

    def __init__(self, number: int, seed: int, *, liar: bool) -> None:
        super().__init__(f"{seed}:{number}")
        self.number = number
        self.liar = liar
        self.books: SimulatedBooks = SimulatedBooks()
        self.dice = Random(f"{seed}:{number}:acts")
        self.up = True
        self.life = 0
        """Counts how often it was killed: what began in another life has no stream any more."""
        self.outbox: dict[str, Waiting] = {}
        self.received = Received()
        self.hosted: dict[str, Hosted] = {}
        self.seats: dict[str, Seat] = {}
        self._node: Node | None = None

    @property
    def node(self) -> Node:
        """What its sessions speak with."""
        if self._node is None:
            self._node = super().node
        return self._node

    def turn_box(self, now: int) -> None:
        """Take a new box key, and a card that names it."""
        self.keys = self.keys.turned(now, self.random)
        self.card = self.new_card(self.card.seq + 1)
        self._node = None

    def contact(self, did: Did) -> Contact | None:
        """Give a contact by who they are."""
        return next((each for each in self.books.contacts.values() if each.did == did), None)

    def friends(self) -> list[Contact]:
        """List who can be asked."""
        return [each for each in self.books.contacts.values() if each.state is ContactState.ACTIVE]

    def keep(self, contact: Contact) -> None:
        """Write a contact down."""
        self.books.contacts[contact.card.peer] = contact

    def part(self, contact: Contact, how: Happens) -> None:
        """End a contact, or block them."""
        self.keep(contact.after(how))
