"""Messages of the person's own: signed once, kept in the outbox, and sealed anew at each try by
whoever sends them.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import Contact, ContactId, ContactState, OutboxRow, OutboxState
from lpm_kernel.domain.stores import Contacts, Post
from lpm_kernel.errors import InvalidInputError, NotFoundError
from lpm_kernel.usecases.share import people
from lpm_kernel.usecases.share.keys import Keystore
from lpm_kernel.usecases.share.people import name_line, named
from protocol import limits
from protocol.contact import Invite, make_hello
from protocol.encoding import to_b64u
from protocol.envelope import Signed, sign
from protocol.identity import Did
from protocol.messages import REQUESTS, Message, Verb, as_fields, read_message
from protocol.refusals import Refusal
from protocol.shape import read_json

LOOKED_AT: Final = 100
"""How many of the newest messages to a contact are looked through for the card."""


def new_id() -> str:
    """Make an id that nobody can guess."""
    return to_b64u(secrets.token_bytes(16))


@dataclass(frozen=True)
class Signing:
    """What a message to somebody else is signed with, and where it waits until it is sent."""

    post: Post
    keystore: Keystore
    clock: Clock


def queue(
    signing: Signing,
    to: Contact,
    verb: Verb,
    body: Mapping[str, Any],
    grant: str | None = None,
    life: int = limits.MESSAGE_LIFE,
) -> OutboxRow:
    """Sign a message and put it into the outbox. Raises ``InvalidInputError`` for a body that is
    none, ``ConflictError`` for a contact who is not active.
    """
    now = signing.clock.now()
    seconds = int(now.timestamp())
    keys = signing.keystore.keys
    try:
        REQUESTS[verb].check(dict(body), "body")
    except Refusal as refusal:
        raise InvalidInputError(
            f"The message cannot be sent like this: {refusal.where} does not fit.",
            "Make it shorter, or leave it out.",
        ) from refusal
    message = Message(
        new_id(), keys.identity.did, Did(to.did), seconds, seconds + life, verb, body, grant
    )
    signed = sign(message, keys.identity)
    row = OutboxRow(
        message.id, to.id, verb.value, signed.signature + signed.json, now, seconds, message.exp
    )
    signing.post.send(row)
    return row


def greet(
    post: Post, keystore: Keystore, clock: Clock, link: str, name: str, call_them: str = ""
) -> OutboxRow:
    """Put a hello into the outbox, for whoever made this invite; they are a contact once their node
    answers.

    ``name`` is what the card calls this node's person. Raises ``InvalidInputError`` for a person
    without a name, for a link that is none, is over, or is the person's own, and ``ConflictError``
    for one that is being answered already.
    """
    try:
        invite = Invite.read(link.strip())
    except Refusal as refusal:
        raise InvalidInputError(
            "This is not an invite.", "Copy the whole link; it begins with smp://i/."
        ) from refusal
    now = clock.now()
    seconds, keys = int(now.timestamp()), keystore.keys
    if invite.exp <= seconds:
        raise InvalidInputError(
            "This invite has expired: it is valid for one day.", "Ask for a new one."
        )
    if invite.did == keys.identity.did:
        raise InvalidInputError("This invite is your own.", "Give the link to the other person.")
    if not people.leads_to(invite):
        raise InvalidInputError(
            "This invite contains no address.",
            "Ask for a new one, created while their node can be reached.",
        )
    body = make_hello(invite, keystore.card(named(name)))
    message = Message(
        new_id(),
        keys.identity.did,
        invite.did,
        seconds,
        min(invite.exp, seconds + limits.MESSAGE_LIFE),
        Verb.HELLO,
        body,
    )
    signed = sign(message, keys.identity)
    called = name_line(call_them)
    row = OutboxRow(
        message.id,
        None,
        Verb.HELLO.value,
        signed.signature + signed.json,
        now,
        seconds,
        message.exp,
        link=invite.link,
        name=called,
    )
    post.send(row)
    return row


def greetings(post: Post) -> list[OutboxRow]:
    """Return the hellos that wait or met nobody, newest first."""
    rows, _ = post.outbox(limit=LOOKED_AT, verb=Verb.HELLO.value)
    return [row for row in rows if row.contact is None and row.state is not OutboxState.WITHDRAWN]


def drop_greeting(post: Post, message: str) -> None:
    """Stop saying hello, or put one out of sight that met nobody. Raises ``NotFoundError``."""
    row = post.outgoing(message)
    if row is None or row.verb != Verb.HELLO.value or row.contact is not None:
        raise NotFoundError("greeting", message)
    post.settle(message, OutboxState.WITHDRAWN)
    post.clear(message)


def introduce(contacts: Contacts, post: Post, keystore: Keystore, clock: Clock, name: str) -> int:
    """Put the card of this node into the outbox for every active contact who was not sent it.
    Returns for how many.
    """
    card, told = keystore.card(name), 0
    for contact in contacts.all():
        # a card's number is its second, so the hello brought it
        if contact.state is not ContactState.ACTIVE or contact.met_at.timestamp() > card.seq + 1:
            continue
        rows, _ = post.outbox(limit=LOOKED_AT, contact=contact.id)
        if any(row.verb == Verb.CARD and message_of(row).body["card"] == card.text for row in rows):
            continue
        queue(Signing(post, keystore, clock), contact, Verb.CARD, {"card": card.text})
        told += 1
    return told


def tell_places(contacts: Contacts, post: Post, keystore: Keystore, clock: Clock, name: str) -> int:
    """Have every active contact learn anew where this node listens: their node asks whoever sends
    it a card. Returns for how many there is a card in the outbox now.
    """
    card, told = keystore.card(name), 0
    for contact in contacts.all():
        if contact.state is not ContactState.ACTIVE:
            continue
        rows, _ = post.outbox(limit=LOOKED_AT, contact=contact.id)
        if any(row.verb == Verb.CARD and row.state is OutboxState.WAITING for row in rows):
            post.hurry(contact.id, int(clock.now().timestamp()))
        else:
            queue(Signing(post, keystore, clock), contact, Verb.CARD, {"card": card.text})
        told += 1
    return told


def farewell(post: Post, keystore: Keystore, clock: Clock, contact: Contact) -> None:
    """Have somebody told that the contact is over, once."""
    queue(Signing(post, keystore, clock), contact, Verb.BYE, {})


def message_of(row: OutboxRow) -> Message:
    """Read a message of the outbox as it was signed; whoever sends it signs the same bytes
    again.
    """
    signed = Signed(row.signed[limits.SIGNATURE :], row.signed[: limits.SIGNATURE])
    return read_message(
        as_fields(read_json(signed.json)), int(row.made_at.timestamp()), answer=False
    )


def end(contacts: Contacts, signing: Signing, contact: ContactId) -> Contact:
    """End a contact with all grants both ways, and tell who was not blocked. Raises
    ``ConflictError``.
    """
    before = contacts.get(contact)
    ended = people.end(contacts, signing.clock, contact)
    if before.state is not ContactState.BLOCKED:
        farewell(signing.post, signing.keystore, signing.clock, ended)
    return ended
