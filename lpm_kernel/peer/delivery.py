"""What goes out: the outbox is looked into, contacts are dialled, each message is sent until it has
its answer.

Nothing is kept here. What waits stands in the outbox with the second of its next try, so a process
that dies changes nothing: the same bytes go again, and whoever had them already says the same as
before.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import trio

from lpm_kernel.domain.share.network import DAY, Contact, OutboxRow, OutboxState, pause
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.peer.deciding import category
from lpm_kernel.peer.host import AT_ONCE, Host, whole
from lpm_kernel.peer.identify import IDENTIFY
from lpm_kernel.peer.speaker import ReplayClaims, Speaker
from lpm_kernel.peer.wire import DIAL_SECONDS, SMP, Connection, Trouble, WireError
from lpm_kernel.usecases.share import offers, outgoing, people
from lpm_kernel.usecases.share.people import card_row
from lpm_kernel.usecases.share.quarantine import Quarantine
from protocol import limits
from protocol.card import Card
from protocol.contact import Invite, check_welcome
from protocol.events import Answered, Declined, Event, Failed, Noticed
from protocol.identity import PeerId
from protocol.messages import GRANTED, Message, Verb
from protocol.refusals import MEANINGS, Again, Code, Refusal
from protocol.session import Asking

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 1.0
"""How often the outbox is looked into."""
ANSWER_SECONDS: Final = 120
LINGER_SECONDS: Final = 1.0
"""How long the connection of a hello stays after its answer, for who was greeted to learn where
this node listens.
"""
TEND_SECONDS: Final = 60
DIALS: Final = 8
"""Nodes that are dialled at a time."""


@dataclass(frozen=True)
class Target:
    """Whom some messages go to, and how they are reached."""

    peer: PeerId
    to: Card | Invite
    addresses: Sequence[str]
    contact: Contact | None


@dataclass(frozen=True)
class Sending:
    """What everything that is sent shares."""

    host: Host
    nursery: trio.Nursery
    """In which connections live that are kept."""
    dials: trio.CapacityLimiter
    busy: set[str]
    """To whom something is being sent."""


async def deliver(host: Host, look: float = LOOK_SECONDS) -> None:
    """Send what is due, again and again, until cancelled. What fails is tried later; nothing here
    ends the host.
    """
    dials = trio.CapacityLimiter(DIALS)
    busy: set[str] = set()
    async with trio.open_nursery() as nursery:
        while True:
            for name, rows in (await host.blocking(_due, host.speaker)).items():
                if name not in busy:
                    busy.add(name)
                    nursery.start_soon(_send_to, Sending(host, nursery, dials, busy), name, rows)
            await trio.sleep(look)


def _due(speaker: Speaker) -> dict[str, list[OutboxRow]]:
    """Give what has to be tried now, by whom it goes to; nothing while the database cannot be
    read.
    """
    groups: dict[str, list[OutboxRow]] = {}
    try:
        speaker.post.make_lasting()  # receipts, which nobody waited for
        for row in speaker.post.due(speaker.now, but=speaker.off()):
            groups.setdefault(row.contact or row.id, []).append(row)
    except Exception as error:  # noqa: BLE001  looked into again in a moment
        logger.warning("The outbox could not be looked into: %s", type(error).__name__)
    return groups


async def tend_keys(host: Host) -> None:
    """Turn the box key each week, let contacts have the card, and write down what was refused
    several times in a minute, until cancelled.
    """
    while True:
        try:
            await host.blocking(tend, host.speaker)
        except Exception as error:  # noqa: BLE001  tried again in a minute
            logger.warning("The card could not be looked after: %s", type(error).__name__)
        await trio.sleep(TEND_SECONDS)


def tend(speaker: Speaker) -> None:
    """Take a new box key where the present one is a week old; send contacts the card that they do
    not have.
    """
    if speaker.keystore.keys.boxes[0].made + limits.BOX_TURN <= speaker.now:
        speaker.keystore.turn_box()
    speaker.turned_away.settle()
    offers.sweep(Quarantine(speaker.keystore.home), speaker.permissions, speaker.post)
    outgoing.introduce(
        speaker.contacts, speaker.post, speaker.keystore, speaker.clock, speaker.called
    )


async def _send_to(sending: Sending, name: str, rows: list[OutboxRow]) -> None:
    host = sending.host
    try:
        async with sending.dials:
            await _send(host, rows, sending.nursery)
    except Exception as error:  # noqa: BLE001  what breaks is tried later, and the rest goes on
        logger.warning("What waits for a contact could not be sent: %s", type(error).__name__)
        with suppress(Exception):
            await host.blocking(_tried, host.speaker, rows)
    finally:
        sending.busy.discard(name)


async def _send(host: Host, rows: list[OutboxRow], nursery: trio.Nursery) -> None:
    """Send what waits for one node over one connection."""
    speaker = host.speaker
    target = await host.blocking(_target, speaker, rows[0])
    # the card first, so that the answers to the rest can be opened; what takes its time last
    left = sorted(rows, key=lambda row: (row.verb != Verb.CARD) + (row.verb in GRANTED))
    if target is not None and target.contact is not None:
        left = await _send_to_contact(host, target, left, nursery)
    elif target is not None:
        left = await _greet(host, target, left)
    await host.blocking(_tried, speaker, left, target)


async def _send_to_contact(
    host: Host, target: Target, rows: list[OutboxRow], nursery: trio.Nursery
) -> list[OutboxRow]:
    """Send over a connection that is open, or over a new one where there is none, or it broke.
    Returns what has no answer.
    """
    left = rows
    open_one = await host.connections.usable(target.peer)
    if open_one is not None:
        left = await _ask_all(host, open_one, target, left)
        if not left or not (open_one.over or open_one.leaving):
            return left
    for address, patience in host.routes.tries(target.peer, target.addresses):
        with suppress(WireError):
            connection = await connect(host, target, address, nursery, patience)
            before = len(left)
            left = await _ask_all(host, connection, target, left)
            if len(left) < before:
                break
    return left


async def connect(
    host: Host,
    target: Target,
    address: str,
    nursery: trio.Nursery,
    patience: float = DIAL_SECONDS,
) -> Connection:
    """Open a connection to a contact that stays while it is used; ``patience``: seconds until
    somebody has to answer there. Raises ``WireError``.
    """
    connection: Connection = await nursery.start(host.keep, address, target.peer, patience)
    host.routes.worked(target.peer, address)
    return connection


async def _ask_all(
    host: Host, connection: Connection, target: Target, rows: list[OutboxRow]
) -> list[OutboxRow]:
    """Ask one after the other, and from the first question on several at once. Returns what has no
    answer.
    """
    left, failed = list(rows), list[OutboxRow]()
    while left and left[0].verb not in GRANTED:
        if not await _ask(host, connection, target, left[0]):
            return left
        left.pop(0)

    async def work() -> None:
        while left and not failed:
            row = left.pop(0)
            if not await _ask(host, connection, target, row):
                failed.append(row)

    async with trio.open_nursery() as nursery:
        for _ in range(min(AT_ONCE, len(left))):
            nursery.start_soon(work)
    return failed + left


async def _greet(host: Host, target: Target, rows: list[OutboxRow]) -> list[OutboxRow]:
    """Say hello over a connection of its own. Returns what has no answer."""
    left = list(rows)
    for address, patience in host.routes.tries(target.peer, target.addresses):
        with suppress(WireError):
            spoken = frozenset({IDENTIFY})
            async with host.wire.dialled(
                address, target.peer, spoken, host.answer, patience
            ) as connection:
                host.routes.worked(target.peer, address)
                while left and await _ask(host, connection, target, left[0]):
                    left.pop(0)
                if len(left) < len(rows):
                    with trio.move_on_after(LINGER_SECONDS):
                        await connection.identified.wait()
        if len(left) < len(rows):
            break
    return left


async def _ask(host: Host, connection: Connection, target: Target, row: OutboxRow) -> bool:
    """Ask one thing. Returns whether they said anything to it, or it is not to be asked any more;
    ``False`` leaves it for a later try.
    """
    begun = await host.blocking(_begin, host.speaker, target.to, row, target.contact)
    if begun is None:
        return True
    asking, message, data = begun
    came = await exchanged(connection, data)
    if came:
        connection.answered.set()
    else:
        connection.leaving = True  # whatever comes next is asked over another one
    return bool(await host.blocking(_ended, host.speaker, target, row, message, asking, came))


async def ask(host: Host, connection: Connection, to: Card | Invite, message: Message) -> Event:
    """Ask one message that is in no outbox over a connection, and give what came of it. Nothing is
    kept of it here.
    """
    asking = Asking(host.speaker.node(ReplayClaims(host.speaker)), to, message)
    asking.ask()
    return _event(host.speaker, asking, await exchanged(connection, asking.take()))


async def exchanged(connection: Connection, data: bytes) -> bytes:
    """Send a request in a stream of its own, and give what came back: one frame, or as much as
    shows that it is none, or nothing.
    """
    came = b""
    with trio.move_on_after(ANSWER_SECONDS), suppress(WireError, *Trouble):
        async with connection.stream(SMP) as stream:
            await stream.write(data)
            came = await whole(stream, limits.ANSWER)
            await stream.finish()
    return came


def _begin(
    speaker: Speaker, to: Card | Invite, row: OutboxRow, contact: Contact | None
) -> tuple[Asking, Message, bytes] | None:
    """Seal a message of the outbox, and count what is about to leave; ``None``: it was taken back
    while others were asked before it, what it offers was made private, or its verb is off.
    """
    if row.verb in speaker.off() or not speaker.post.goes(row.id):
        return None
    message = outgoing.message_of(row)
    asking = Asking(speaker.node(ReplayClaims(speaker)), to, message)
    asking.ask()
    data = asking.take()
    if contact is not None:
        speaker.post.left(
            contact.id, speaker.now // DAY, category(message.verb, answer=False), len(data)
        )
    return asking, message, data


def _ended(
    speaker: Speaker, target: Target, row: OutboxRow, message: Message, asking: Asking, came: bytes
) -> bool:
    """Note what came back. Of what a power cut takes the same message asks once more, so nobody
    waits for the disk here, but for the contact that a hello made.
    """
    event = _event(speaker, asking, came)
    with speaker.post.together(lasting=target.contact is None):
        return _note_reply(speaker, target, row, message, event)


def _event(speaker: Speaker, asking: Asking, came: bytes) -> Event:
    return next(iter(asking.feed(came, speaker.now)), Failed(None))


def _target(speaker: Speaker, row: OutboxRow) -> Target | None:
    if row.contact is None:
        invite = Invite.read(row.link)
        return Target(invite.peer, invite, people.leads_to(invite), None)
    contact = speaker.contacts.get(row.contact)
    return Target(
        PeerId(contact.peer),
        Card.read_kept(contact.card),
        speaker.contacts.addresses(contact.id),
        contact,
    )


def _note_reply(
    speaker: Speaker, target: Target, row: OutboxRow, message: Message, event: Event
) -> bool:
    """Note what came back. Returns whether the next message may be asked over the same
    connection.
    """
    match event:
        case Answered(body) if isinstance(target.to, Invite):
            return _welcomed(speaker, target.to, row, message, event)
        case Answered(body):
            if message.verb is Verb.CARD:
                _card_came(speaker, target, str(body["card"]))
            if message.verb is Verb.FETCH:
                body = _piece_came(speaker, target, message, body)
            return speaker.post.settle(row.id, OutboxState.ANSWERED, body)
        case Noticed(card) if target.contact is not None:
            speaker.contacts.update(target.contact.id, card_row(card))
            return False
        case Declined(code, after):
            if MEANINGS[code].again is not Again.SAME:
                if message.verb is Verb.FETCH and target.contact is not None:
                    here = Quarantine(speaker.keystore.home)
                    offers.failed(here, speaker.permissions, target.contact, message, code.value)
                return speaker.post.settle(row.id, OutboxState.REFUSED, code=code.value)
            speaker.post.tried(row.id, speaker.now + max(after or 0, _pause(row)), code.value)
            return True
        case _:
            return False


def _piece_came(
    speaker: Speaker, target: Target, message: Message, body: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Put a piece into the quarantine. Returns the receipt, which holds no byte of it."""
    if target.contact is not None:
        signing = outgoing.Signing(speaker.post, speaker.keystore, speaker.clock)
        here = Quarantine(speaker.keystore.home)
        offers.arrived(here, speaker.permissions, signing, target.contact, message, body)
    return {**body, "data": ""}


def _welcomed(
    speaker: Speaker, invite: Invite, row: OutboxRow, message: Message, event: Answered
) -> bool:
    """Check who answered a hello, and keep them as a contact."""
    hello = message.body
    try:
        mine = Card.read(str(hello["card"]), int(row.made_at.timestamp()))
        met = check_welcome(invite, hello, event.body, mine, invite.peer, speaker.now)
        kept = people.meet(speaker.contacts, speaker.clock, met, row.name)
    except Refusal as refusal:
        return speaker.post.settle(row.id, OutboxState.REFUSED, code=refusal.code.value)
    except ConflictError:
        return speaker.post.settle(row.id, OutboxState.REFUSED, code=Code.REPLAY.value)
    speaker.contacts.found(kept.id, people.leads_to(invite))
    return speaker.post.settle(row.id, OutboxState.ANSWERED, contact=kept.id)


def _card_came(speaker: Speaker, target: Target, text: str) -> None:
    """Take a newer card of theirs; an older one, or one that is none, changes nothing."""
    with suppress(Refusal, ConflictError, NotFoundError):
        if target.contact is not None:
            speaker.contacts.update(target.contact.id, card_row(Card.read(text, speaker.now)))


def _tried(speaker: Speaker, rows: Sequence[OutboxRow], target: Target | None = None) -> None:
    """Leave what was not sent for later; for now, where they were found at another place
    meanwhile.
    """
    for row in rows:
        speaker.post.tried(row.id, speaker.now + _pause(row))
    contact = None if target is None else target.contact
    if (
        contact is not None
        and target is not None
        and speaker.contacts.addresses(contact.id) != target.addresses
    ):
        speaker.post.hurry(contact.id, speaker.now)


def _pause(row: OutboxRow) -> int:
    return pause(row.tries + 1, random.random())  # noqa: S311  so that nodes do not come all at once
