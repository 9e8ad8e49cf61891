"""The people behind other nodes: inviting, meeting, naming, blocking, ending and deleting. The
moves are those of the protocol's table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lpm_kernel.domain.lines import plain_line
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.network import (
    Contact,
    ContactId,
    ContactState,
    Invite,
    InviteState,
    NewCard,
)
from lpm_kernel.domain.stores import Contacts
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.share.keys import Keystore
from lpm_kernel.usecases.share.reach import CIRCUIT
from protocol import contact as protocol_contact
from protocol import limits
from protocol.card import Card, Rotation
from protocol.contact import CONTACT_LIFE, Happens, Met
from protocol.refusals import LocalProtocolError, Refusal

LONGEST_NAME, LONGEST_NOTE = 80, 4_000
NAMELESS = "Second Me"
"""What the card calls a person who has not said their name."""


@dataclass(frozen=True)
class InviteTerms:
    """Where the link of an invite leads, and how long it can be used."""

    addresses: Sequence[str]
    """The first that goes through a relay stands for the relay."""
    relay: str | None = None
    note: str = field(default="", repr=False)
    """For the person alone."""
    life: int = limits.INVITE_LIFE
    """Seconds."""


def invite(
    contacts: Contacts,
    keystore: Keystore,
    clock: Clock,
    name: str,
    terms: InviteTerms,
) -> Invite:
    """Make a link by which one person can say hello. ``name`` is what the card calls this node's
    person.

    Raises ``InvalidInputError`` for an address, a name or a note that cannot be used.
    """
    now, note = clock.now(), short(terms.note, LONGEST_NOTE, "note")
    named(name)
    direct = [each for each in terms.addresses if not each.endswith(CIRCUIT)]
    through = [each.removesuffix(CIRCUIT) for each in terms.addresses if each.endswith(CIRCUIT)]
    try:
        made = protocol_contact.Invite.make(
            keystore.card(name),
            tuple(direct),
            int(now.timestamp()),
            relay=terms.relay or next(iter(through), None),
            life=terms.life,
        )
    except LocalProtocolError as error:
        raise InvalidInputError(
            "The invite could not be created with this name and these addresses.",
            "Give a name of up to 80 characters and up to 8 addresses.",
        ) from error
    row = Invite(made.id, made.link, now, made.exp, note)
    contacts.invite(row)
    return row


def named(name: str) -> str:
    """Give the name that this node's card calls its person. Raises ``InvalidInputError`` where they
    have not said it.
    """
    if not name.strip():
        raise InvalidInputError(
            "An invite shows your name, and you have not entered one yet.",
            "Enter it in Settings, under You (or with `lpm init --name`), and try again.",
        )
    return name


def places(invite: Invite) -> list[str]:
    """Return where the link of an invite says that this node is reached; nothing once the link was
    forgotten.
    """
    return leads_to(protocol_contact.Invite.read(invite.link)) if invite.link else []


def leads_to(invite: protocol_contact.Invite) -> list[str]:
    """Return where whoever made an invite is reached: at their own addresses, and after them
    through the relay that it names.
    """
    through = [] if invite.relay is None else [invite.relay.removesuffix(CIRCUIT) + CIRCUIT]
    return [*invite.addrs, *through]


def withdraw(contacts: Contacts, clock: Clock, identifier: str) -> None:
    """End an invite that nobody used. Raises ``NotFoundError``."""
    contacts.withdraw(identifier, clock.now())


def welcome(contacts: Contacts, met: Met) -> Contact:
    """Keep the six words of somebody who used an invite: their contact was written down when they
    did. Raises ``ConflictError``.
    """
    known = contacts.by_did(met.card.did)
    if known is None or known.card != met.card.text:
        raise ConflictError(
            "This contact has changed in the meantime.", "Look at the contact again."
        )
    return contacts.change(known.id, words=met.words)


def meet(contacts: Contacts, clock: Clock, met: Met, name: str = "") -> Contact:
    """Keep whom this person said hello to. Raises ``ConflictError`` where they are blocked, or
    known by a newer card.
    """
    return contacts.keep(card_row(met.card), clock.now(), met.words, name_line(name))


def called(contact: Contact) -> str:
    """Give the name that the person calls them by, or else the one that they call themselves."""
    return contact.name or own_name(contact)


def own_name(contact: Contact, *, other: bool = False) -> str:
    """Say what somebody calls themselves, by the card that was verified when it was kept;
    ``other``: by the one of the identity that follows.
    """
    text = contact.next_card if other else contact.card
    return Card.read_kept(text).name if text else ""


def look_for(contacts: Contacts, words: str) -> list[Contact]:
    """Return those whose names, notes, identity, peer id or addresses hold these words, those met
    last first.
    """
    wanted = words.strip().casefold()
    return [
        contact
        for contact in contacts.all()
        if any(
            wanted in text.casefold()
            for text in (
                contact.name,
                own_name(contact),
                contact.notes,
                contact.did,
                contact.peer,
                *contacts.addresses(contact.id),
            )
        )
    ]


def verify(
    contacts: Contacts, clock: Clock, contact: ContactId, words: Sequence[str], *, same: bool
) -> Contact:
    """Note that both read the same words to each other, or that this is not so. Raises
    ``ConflictError`` where they are others by now.
    """
    return contacts.verify(contact, words, clock.now() if same else None)


def rename(contacts: Contacts, contact: ContactId, name: str) -> Contact:
    """Call somebody otherwise; nothing goes out. Raises ``NotFoundError`` and
    ``InvalidInputError``.
    """
    return contacts.change(contact, name=name_line(name))


def annotate(contacts: Contacts, contact: ContactId, notes: str) -> Contact:
    """Keep notes on somebody. Raises ``NotFoundError`` and ``InvalidInputError``."""
    return contacts.change(contact, notes=short(notes, LONGEST_NOTE, "note"))


def block(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """Close the door to somebody at once, in the middle of an answer too. Grants stay and rest.
    Raises ``ConflictError`` where that cannot be.
    """
    return _move(contacts, clock, contact, Happens.BLOCK)


def unblock(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """Open it again: what was granted is granted again. Raises ``ConflictError``."""
    return _move(contacts, clock, contact, Happens.UNBLOCK)


def end(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """End a contact, with all grants both ways. They are kept, and need another invite to come in.
    Raises ``ConflictError``.
    """
    return _move(contacts, clock, contact, Happens.BYE)


def delete(contacts: Contacts, clock: Clock, contact: ContactId) -> None:
    """Forget somebody: card, words, notes, grants both ways, what they asked and were answered,
    what waits to be sent.

    What stays is that a contact was deleted, and how many bytes left. A backup does not bring them
    back. Raises ``NotFoundError``.
    """
    contacts.delete(contact, clock.now())


def changed(
    contacts: Contacts, clock: Clock, contact: ContactId, rotation: Rotation, card: Card
) -> Contact:
    """Note that somebody's identity goes on under another key, for the person to say whether it is
    them. Raises ``ConflictError``.
    """
    known = contacts.get(contact)
    if rotation.old != known.did or rotation.new != card.did:
        raise ConflictError(
            "This change of identity is not this contact's.", "Ask them for a new invite."
        )
    return _move(contacts, clock, contact, Happens.ROTATION, next_card=card.text)


def accept(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """Believe that it is them. Grants named the identity that was, so they are given anew. Raises
    ``ConflictError``.
    """
    known = contacts.get(contact)
    _after(known, Happens.ACCEPT)
    try:
        card = Card.read(known.next_card, int(clock.now().timestamp()))
    except Refusal as refusal:
        raise ConflictError(
            "Their new card has expired.",
            "Ask them to open their node, so that it sends another one, or meet again by an"
            " invite.",
        ) from refusal
    return contacts.accept(contact, card_row(card), clock.now())


def decline(contacts: Contacts, clock: Clock, contact: ContactId) -> Contact:
    """Do not believe that it is them: the contact ends. Raises ``ConflictError``."""
    return _move(contacts, clock, contact, Happens.DECLINE)


def card_row(card: Card) -> NewCard:
    """Give a card that was verified as it is kept."""
    return NewCard(card.did, card.peer, card.seq, card.text)


def _move(
    contacts: Contacts, clock: Clock, contact: ContactId, happens: Happens, next_card: str = ""
) -> Contact:
    known = contacts.get(contact)
    return contacts.move(contact, known.state, _after(known, happens), clock.now(), next_card)


def _after(known: Contact, happens: Happens) -> ContactState:
    moves = CONTACT_LIFE[protocol_contact.ContactState(known.state.value)]
    if happens not in moves:
        raise ConflictError(
            f"This contact is {known.state}, so this cannot be done now.",
            "Look at the contact again.",
        )
    return ContactState(moves[happens].value)


def name_line(name: str) -> str:
    """Take what the person calls somebody. Raises ``InvalidInputError`` for what is too long."""
    return short(plain_line(name), LONGEST_NAME, "name")


def short(text: str, most: int, what: str) -> str:
    """Take a line of the person's without space around it. Raises ``InvalidInputError`` for one
    that is too long.
    """
    clean = text.strip()
    if len(clean) > most or "\x00" in clean:
        raise InvalidInputError(
            f"The {what} has {len(clean):,} characters; it can have {most:,}.", "Make it shorter."
        )
    return clean


def open_invite(contacts: Contacts, clock: Clock, identifier: str) -> Invite:
    """Return an invite that can still be used. Raises ``NotFoundError``."""
    row = contacts.open_invite(identifier)
    if row is None or not _is_open(row, clock):
        raise NotFoundError("open invite", identifier)
    return row


def open_invites(contacts: Contacts, clock: Clock) -> list[Invite]:
    """Return the links by which somebody can still become a contact."""
    return [row for row in contacts.invites() if _is_open(row, clock)]


def _is_open(row: Invite, clock: Clock) -> bool:
    return row.state is InviteState.OPEN and row.expires > clock.now().timestamp()


def change(contacts: Contacts, contact: ContactId, name: str | None, notes: str | None) -> Contact:
    """Call somebody otherwise, or keep notes on them. Raises ``NotFoundError`` and
    ``InvalidInputError``.
    """
    known = contacts.get(contact)
    if name is not None:
        known = rename(contacts, contact, name)
    return known if notes is None else annotate(contacts, contact, notes)


def name_of(contacts: Contacts, contact: ContactId | None) -> str:
    """Say how the person calls somebody; nothing where they were deleted."""
    if contact is None:
        return ""
    try:
        return called(contacts.get(contact))
    except NotFoundError:
        return ""
