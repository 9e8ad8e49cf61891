"""Two nodes at one table in this process, whose messages are passed by hand, on a clock that stands
still until it is moved: what a node does after ten minutes, or while the other one is off, is seen
at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.share.discussions import DiscussionId, TableContact
from lpm_kernel.domain.share.network import (
    Arrived,
    Contact,
    ContactId,
    InboxState,
    OutboxRow,
    OutboxState,
)
from lpm_kernel.node import Node
from lpm_kernel.usecases.share import decisions
from lpm_kernel.usecases.share.answering import PeerReply
from lpm_kernel.usecases.share.outgoing import message_of
from lpm_kernel.usecases.share.people import card_row
from lpm_kernel.usecases.share.table_joining import TableForm
from lpm_kernel.usecases.share.tables import NewSeat, NewTable, Sitting
from protocol.messages import ANSWERS, Verb
from protocol.refusals import MEANINGS, Again, Code
from tests.conftest import MORNING

SEA = "We went to the sea at Risør in May. The ferry to Risør took two hours."
HUT = "The hut above Kongsberg has six beds. In May the road to the hut is open."
FORM = TableForm(tags=("travel",))


@dataclass
class Pair:
    """Two people who are contacts: one opens a table, the other is asked to it."""

    host: Node
    guest: Node
    clock: FrozenClock

    def opens(self, **changed: Any) -> DiscussionId:  # noqa: ANN401  fields of a table
        seats = (NewSeat("twin"), NewSeat("twin", contact=contact(self.host).id))
        wanted = NewTable("Where do we go in May?", seats, rounds=2, tags=["travel"])
        return self.host.discussing.open(replace(wanted, **changed)).discussion.id

    def sits_down(self, table: DiscussionId) -> None:
        """Have the guest asked, and sit down."""
        self.goes_on()
        self.guest.discussing.company.accept(table, FORM)
        for _ in range(8):
            self.goes_on()
            sitting = self.host.discussing.get(table)
            if {"m2", "m2-types"} <= sitting.table.present:
                return
        raise AssertionError

    def goes_on(self, seconds: int = 0) -> None:
        """Let some time pass, have both look after their tables, and pass what they send."""
        self.later(seconds)
        for one, other in ((self.host, self.guest), (self.guest, self.host)):
            one.discussing.go_on()
            passed(one, other)

    def later(self, seconds: int) -> None:
        self.clock.advance(timedelta(seconds=seconds))

    def begins_again(self, name: str) -> None:
        """Open one of the two anew, as after a kill."""
        node: Node = getattr(self, name)
        node.close()
        setattr(self, name, opened_node(node.ports.home.root, self.clock))

    def restores(self, name: str, backup: str) -> None:
        """Have one of the two go back to a backup."""
        getattr(self, name).home.restore(backup)
        self.begins_again(name)

    def ends(self, table: DiscussionId, most: int = 60) -> tuple[Sitting, Sitting]:
        """Go on until both have the table to its end; gives it as each has it."""
        for _ in range(most):
            self.goes_on(1)
            mine, theirs = (each.discussing.get(table) for each in (self.host, self.guest))
            closed = mine.table.closed is not None and theirs.table.closed is not None
            if closed and mine.table.head.hash == theirs.table.head.hash:
                return mine, theirs
        raise AssertionError


def opened_node(folder: Path, clock: FrozenClock) -> Node:
    return Node.open(folder, clock=clock, embedder=HashingEmbedder(), model=ScriptedModel([]))


@contextmanager
def two(folder: Path) -> Iterator[Pair]:
    """Open a home for each, and have them meet."""
    clock = FrozenClock(MORNING)
    host, guest = (
        lived_in(folder / name.lower(), name, text, clock)
        for name, text in (("Asako", SEA), ("Bram", HUT))
    )
    for one, other, name in ((host, guest, "Bram"), (guest, host, "Asako")):
        one.ports.contacts.keep(card_row(other.meeting.keystore.card(name)), clock.now())
    pair = Pair(host, guest, clock)
    try:
        yield pair
    finally:
        for node in (pair.host, pair.guest):
            node.close()


def lived_in(folder: Path, name: str, text: str, clock: FrozenClock) -> Node:
    """Open a home in which there is something to speak from."""
    node = opened_node(folder, clock)
    node.ports.change_settings(tables_with_contacts=True)
    node.ports.conversations.set_identity(Identity(name))
    node.library.add_text(text, title=name, tags=["travel"])
    node.run_jobs()
    return node


def contact(node: Node) -> Contact:
    """Give the one contact of a node."""
    [known] = node.ports.contacts.all()
    return known


def at(node: Node, table: DiscussionId) -> TableContact:
    """Say how the contact stands at a table."""
    [there] = node.discussing.company.there(table)
    return there


def waiting(node: Node) -> list[OutboxRow]:
    """Give what a node has to send about tables."""
    rows, _ = node.ports.post.outbox(limit=200, verb=Verb.DISCUSS.value)
    return [row for row in rows if row.state is OutboxState.WAITING]


def asked(node: Node) -> list[str]:
    """Name what a node has to send about tables."""
    return [next(iter(message_of(row).body)) for row in waiting(node)]


def passed(sender: Node, taker: Node) -> int:
    """Hand over what is due, and bring the answers back. Returns how many messages there were."""
    rows = sender.ports.post.due(int(sender.ports.clock.now().timestamp()))
    for row in rows:
        settle(sender, row, answer(taker, row))
    return len(rows)


def settle(sender: Node, row: OutboxRow, reply: PeerReply) -> None:
    """Note what came back, as whoever sends messages does."""
    if reply.body is not None:
        ANSWERS[Verb.DISCUSS].check(dict(reply.body), "body")
        sender.ports.post.settle(row.id, OutboxState.ANSWERED, reply.body)
    elif MEANINGS[Code(reply.code)].again is Again.SAME:
        later = int(sender.ports.clock.now().timestamp()) + 30
        sender.ports.post.tried(row.id, later, reply.code)
    else:
        sender.ports.post.settle(row.id, OutboxState.REFUSED, code=reply.code)


def answer(taker: Node, row: OutboxRow) -> PeerReply:
    """Have a node answer a message, which is written down first; the same one gets the same."""
    message, post = message_of(row), taker.ports.post
    digest, json = sha256(row.signed).digest(), message.json().decode()
    name, verb = (str(message.iss), message.id), message.verb.value
    post.claim(Arrived(*name, digest, message.exp, verb, json), taker.ports.clock.now())
    known = post.arrived(*name)
    assert known is not None
    if known.state is InboxState.ANSWERED:
        code = "" if known.answer is not None else known.code or Code.REPLAY.value
        return PeerReply(known.answer, code=code)
    reply = taker.replying.reply(*name)
    keeping = (post, taker.ports.audit, taker.ports.clock)
    if reply.body is not None:
        decisions.answered(*keeping, name, reply.body, reply.documents)
    elif Code(reply.code) is not Code.BUSY:
        decisions.refused(*keeping, *name, Code(reply.code))
    return reply


@dataclass
class Trio:
    """A host with two guests, of whom one may be off, or answer what it likes."""

    host: Node
    guests: tuple[Node, Node]
    clock: FrozenClock
    lies: dict[str, Callable[[OutboxRow], PeerReply | None]] = field(default_factory=dict)
    """By contact, what a guest answers in place of the truth; ``None``: the truth."""

    def named(self, guest: Node) -> ContactId:
        """Say which contact of the host a guest is."""
        known = self.host.ports.contacts.by_did(guest.meeting.keystore.keys.identity.did)
        assert known is not None
        return known.id

    def opens(self, **changed: Any) -> DiscussionId:  # noqa: ANN401  fields of a table
        others = tuple(NewSeat("twin", contact=self.named(each)) for each in self.guests)
        seats = (NewSeat("twin"), *others)
        wanted = NewTable("Where do we go in May?", seats, rounds=3, tags=["travel"])
        return self.host.discussing.open(replace(wanted, **changed)).discussion.id

    def sit_down(self, table: DiscussionId) -> None:
        for _ in range(3):
            self.goes_on()
        for guest in self.guests:
            guest.discussing.company.accept(table, FORM)
        for _ in range(20):
            self.goes_on()
            if len(self.host.discussing.get(table).table.present) == 6:
                return
        raise AssertionError

    def goes_on(self, seconds: int = 1, off: Node | None = None) -> None:
        """Let some time pass, and pass what is sent; nothing to or from who is off."""
        self.clock.advance(timedelta(seconds=seconds))
        self.host.discussing.go_on()
        here = {self.named(each): each for each in self.guests if each is not off}
        for row in self.host.ports.post.due(int(self.clock.now().timestamp())):
            contact = ContactId(row.contact or "")
            if (to := here.get(contact)) is not None:
                lie = self.lies.get(contact)
                reply = lie(row) if lie else None
                settle(self.host, row, answer(to, row) if reply is None else reply)
        for guest in here.values():
            guest.discussing.go_on()
            passed(guest, self.host)

    def restores(self, backup: str) -> None:
        """Have the host go back to a backup."""
        self.host.home.restore(backup)
        self.host.close()
        self.host = opened_node(self.host.ports.home.root, self.clock)


@contextmanager
def three(folder: Path) -> Iterator[Trio]:
    """Open a home for each, and have the host meet the others."""
    clock = FrozenClock(MORNING)
    told = (("Asako", SEA), ("Bram", HUT), ("Cleo", HUT))
    host, *guests = (lived_in(folder / name.lower(), name, text, clock) for name, text in told)
    for guest, name in zip(guests, ("Bram", "Cleo"), strict=True):
        host.ports.contacts.keep(card_row(guest.meeting.keystore.card(name)), clock.now())
        guest.ports.contacts.keep(card_row(host.meeting.keystore.card("Asako")), clock.now())
    trio = Trio(host, (guests[0], guests[1]), clock)
    try:
        yield trio
    finally:
        for node in (trio.host, *trio.guests):
            node.close()
