"""The people behind other nodes: inviting, meeting, naming, blocking, ending and deleting. The moves are those of the protocol's table."""

from __future__ import annotations

from collections.abc import Sequence

from lpm_kernel.domain.network import Contact, ContactId, ContactState, Invite, NewCard
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.stores import Contacts
from lpm_kernel.errors import ConflictError, InvalidInputError
from lpm_kernel.usecases.share.keys import Keystore
from protocol import contact as protocol_contact
from protocol.card import Card, Rotation
from protocol.contact import CONTACT_LIFE, Happens, Met
from protocol.refusals import LocalProtocolError, Refusal

LONGEST_NAME, LONGEST_NOTE = 80, 4_000


def invite(contacts: Contacts, keystore: Keystore, clock: Clock, name: str, addresses: Sequence[str], relay: str | None = None, note: str = "") -> Invite:
    """Make a link by which one person can say hello within 24 hours. ``name`` is what the card calls this node's person.

    Raises ``InvalidInputError`` for an address, a name or a note that cannot be used.
    """
    now = clock.now()
    try:
        made = protocol_contact.Invite.make(keystore.card(name), tuple(addresses), int(now.timestamp()), relay=relay)
    except LocalProtocolError as error:
        raise InvalidInputError(
            "The invite could not be made with this name and these addresses.", "Give a name of up to 80 characters and up to 8 addresses."
        ) from error
    row = Invite(made.id, made.link, now, made.exp, _short(note, LONGEST_NOTE, "note"))
    contacts.invite(row)
    return row


def withdraw(contacts: Contacts, clock: Clock, identifier: str) -> None:
    """End an invite that nobody used. Raises ``NotFoundError``."""
    contacts.withdraw(identifier, clock.now())


def welcome(contacts: Contacts, met: Met) -> Contact:
    """Keep the six words of somebody who used an invite: their contact was written down when they did. Raises ``ConflictError``."""
    known = contacts.by_did(met.card.did)
    if known is None or known.card != met.card.text:
        raise ConflictError("This contact changed meanwhile.", "Look at the contact again.")
    return contacts.change(known.id, words=met.words)


def meet(contacts: Contacts, clock: Clock, met: Met, name: str = "") -> Contact:
    """Keep whom this person said hello to. Raises ``ConflictError`` where they are blocked, or known by a newer card."""
    return contacts.keep(card_row(met.card), clock.now(), met.words, _short(name, LONGEST_NAME, "name"))


def rename(contacts: Contacts, contact: ContactId, name: str) -> Contact:
    """Call somebody otherwise; nothing goes out. Raises ``NotFoundError`` and ``InvalidInputError``."""
    return contacts.change(contact, name=_short(name, LONGEST_NAME, "name"))


def annotate(contacts: Contacts, contact: ContactId, notes: str) -> Contact:
    """Keep notes on somebody. Raises ``NotFoundError`` and ``InvalidInputError``."""
    return contacts.change(contact, notes=_short(notes, LONGEST_NOTE, "note"))


def block(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """Close the door to somebody at once, in the middle of an answer too. Grants stay and rest. Raises ``ConflictError`` where that cannot be."""
    return _move(contacts, clock, contact, Happens.BLOCK)


def unblock(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """Open it again: what was granted is granted again. Raises ``ConflictError``."""
    return _move(contacts, clock, contact, Happens.UNBLOCK)


def end(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """End a contact, with all grants both ways. They are kept, and need another invite to come in. Raises ``ConflictError``."""
    return _move(contacts, clock, contact, Happens.BYE)


def delete(contacts: Contacts, clock: Clock, contact: ContactId) -> None:
    """Forget somebody: card, words, notes, grants both ways, what they asked and were answered, what waits to be sent.

    What stays is that a contact was deleted, and how many bytes left. A backup does not bring them back. Raises ``NotFoundError``.
    """
    contacts.delete(contact, clock.now())


def changed(contacts: Contacts, clock: Clock, contact: ContactId, rotation: Rotation, card: Card) -> Contact:
    """Note that somebody's identity goes on under another key, for the person to say whether it is them. Raises ``ConflictError``."""
    known = contacts.get(contact)
    if rotation.old != known.did or rotation.new != card.did:
        raise ConflictError("This change of identity is not this contact's.", "Ask them for a new invite.")
    return _move(contacts, clock, contact, Happens.ROTATION, next_card=card.text)


def accept(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """Believe that it is them. Grants named the identity that was, so they are given anew. Raises ``ConflictError``."""
    known = contacts.get(contact)
    _after(known, Happens.ACCEPT)
    try:
        card = Card.read(known.next_card, int(clock.now().timestamp()))
    except Refusal as refusal:
        raise ConflictError(
            "Their new card has run out.", "Ask them to open their node, so that it sends another one, or meet again by an invite."
        ) from refusal
    return contacts.accept(contact, card_row(card), clock.now())


def decline(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """Do not believe that it is them: the contact ends. Raises ``ConflictError``."""
    return _move(contacts, clock, contact, Happens.DECLINE)


def card_row(card: Card) -> NewCard:
    """Give a card that was verified as it is kept."""
    return NewCard(card.did, card.peer, card.seq, card.text)


def _move(contacts: Contacts, clock: Clock, contact: ContactId, happens: Happens, next_card: str = "") -> Contact:
    known = contacts.get(contact)
    return contacts.move(contact, known.state, _after(known, happens), clock.now(), next_card)


def _after(known: Contact, happens: Happens) -> ContactState:
    moves = CONTACT_LIFE[protocol_contact.ContactState(known.state.value)]
    if happens not in moves:
        raise ConflictError(f"This contact is {known.state}, so this cannot be done now.", "Look at the contact again.")
    return ContactState(moves[happens].value)


def _short(text: str, most: int, what: str) -> str:
    clean = text.strip()
    if len(clean) > most or "\x00" in clean:
        raise InvalidInputError(f"The {what} has {len(clean):,} characters; it can have {most:,}.", "Make it shorter.")
    return clean
