"""What the node remembers of other nodes. Every change is one short transaction that is on disk
before the call returns, or at the end of ``Post.together``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from lpm_kernel.domain.share.archived import ArchivedContact
from lpm_kernel.domain.share.network import (
    Amount,
    Arrived,
    Claimed,
    Contact,
    ContactId,
    ContactState,
    Exchange,
    GrantRow,
    InboxRow,
    InboxState,
    Invite,
    NewCard,
    Offer,
    OfferState,
    OutboxRow,
    OutboxState,
    ReceivedGrant,
    SentSummary,
)


class Contacts(Protocol):
    """The people behind other nodes, and the invites by which they come."""

    def keep(
        self, card: NewCard, now: datetime, words: Sequence[str] = (), name: str = ""
    ) -> Contact:
        """Write down somebody who was met: a new contact, or a known one with this card, who was
        active or had ended.

        Raises ``ConflictError`` where they are blocked or waiting, are known by a newer card, or
        their peer id is somebody else's.
        """
        ...

    def get(self, contact: ContactId) -> Contact:
        """Return one. Raises ``NotFoundError``."""
        ...

    def by_peer(self, peer: str) -> Contact | None:
        """Return who has this peer id, whatever their state."""
        ...

    def by_did(self, did: str) -> Contact | None:
        """Return who has this identity, whatever their state."""
        ...

    def all(self) -> list[Contact]:
        """Return everybody, those met last first."""
        ...

    def update(self, contact: ContactId, card: NewCard) -> Contact:
        """Take a newer card of the same identity. Raises ``ConflictError`` for an older one, and
        where the peer id is somebody else's.
        """
        ...

    def change(
        self,
        contact: ContactId,
        *,
        name: str | None = None,
        notes: str | None = None,
        words: Sequence[str] | None = None,
    ) -> Contact:
        """Change what the person says of them. Other words are not verified. Raises
        ``NotFoundError``.
        """
        ...

    def bring_in(self, archived: ArchivedContact, now: datetime) -> bool:
        """Write down somebody from an archive, with what hangs on them, in one step. No, and
        nothing changes, where they are known, or their id, DID or peer id is taken, or they were
        deleted here.
        """
        ...

    def verify(self, contact: ContactId, words: Sequence[str], now: datetime | None) -> Contact:
        """Note that both have these words, or take that back with ``None``. Raises
        ``NotFoundError``, and ``ConflictError`` where the words are others by now.
        """
        ...

    def move(
        self,
        contact: ContactId,
        before: ContactState,
        after: ContactState,
        now: datetime,
        next_card: str = "",
    ) -> Contact:
        """Move a contact from one state into another, with its entry in the audit; one who ended
        has no grants any more, either way.

        Raises ``ConflictError`` where they are in another state by now.
        """
        ...

    def accept(self, contact: ContactId, card: NewCard, now: datetime) -> Contact:
        """Go on with a contact who changed, under the identity of this card. Raises
        ``ConflictError``.
        """
        ...

    def delete(self, contact: ContactId, now: datetime) -> None:
        """Forget somebody: their grants, what they asked and were answered, what waits to be sent.
        A backup does not bring them back.

        How many bytes left for them stays, without their name. Raises ``NotFoundError``.
        """
        ...

    def found(self, contact: ContactId, addresses: Sequence[str]) -> None:
        """Remember where a contact's node listens, the likeliest first, in place of what was known.
        Raises ``NotFoundError``.
        """
        ...

    def addresses(self, contact: ContactId) -> list[str]:
        """Return where a contact's node was said to listen."""
        ...

    def invite(self, invite: Invite) -> None:
        """Write an invite down."""
        ...

    def invites(self) -> list[Invite]:
        """Return every invite, newest first."""
        ...

    def open_invite(self, invite: str) -> Invite | None:
        """Return an invite that was neither used nor withdrawn."""
        ...

    def use(self, invite: str, card: NewCard, now: datetime) -> Contact | None:
        """Use an open invite up and :meth:`keep` the contact in one step; ``None``, and nothing
        changes, where either cannot be.
        """
        ...

    def withdraw(self, invite: str, now: datetime) -> None:
        """End an open invite. Raises ``NotFoundError`` where none of this id is open."""
        ...


class Permissions(Protocol):
    """Grants given and received, what was spent of them, and offers."""

    def give(self, grant: GrantRow) -> None:
        """Write a grant down. The same again changes nothing.

        Raises ``ConflictError`` for another one of this id, for one that was revoked, and for a
        contact who is not active.
        """
        ...

    def decide_secrets(self, grant: str, said: Mapping[str, bool], now: datetime) -> None:
        """Note which rows that look like a secret may be used under a grant, and which stay here.
        Raises ``NotFoundError``.
        """
        ...

    def secrets(self, grant: str) -> dict[str, bool]:
        """Return what was said of rows that look like a secret, by their names."""
        ...

    def held(self, grant: str, day: int) -> GrantRow | None:
        """Return a grant with what was spent of it on a day (days since 1970, UTC)."""
        ...

    def given(self, contact: ContactId | None = None, day: int = 0) -> list[GrantRow]:
        """Return the grants that are checked here, of one contact or of all, newest first, with
        what was spent of each on that day.
        """
        ...

    def revoke(self, grant: str, now: datetime) -> int:
        """Take a grant back with all that was passed on from it. Returns how many that were. A
        backup does not bring them back. Raises ``NotFoundError``.
        """
        ...

    def revoked(self, since: datetime) -> set[ContactId]:
        """Return the contacts of whom a grant was taken back at that time or later."""
        ...

    def spend(self, grants: Sequence[str], cost: Amount, day: int) -> bool:
        """Spend on all of these grants or on none: ``False`` where one is not there, was revoked,
        or would go over its day's limit.
        """
        ...

    def give_back(self, grants: Sequence[str], cost: Amount, day: int) -> None:
        """Give back what was spent on a day and not used."""
        ...

    def receive(self, grant: ReceivedGrant) -> None:
        """Write down what somebody lets this person ask. The same again changes nothing; another
        text under the same name raises ``ConflictError``.
        """
        ...

    def received(self, contact: ContactId | None = None) -> list[ReceivedGrant]:
        """Return what this person may ask, of one contact or of all, newest first."""
        ...

    def end_received(self, issuer: str, grant: str, now: datetime) -> bool:
        """Note that somebody took back what they gave. ``False``: there is none of theirs by this
        id.
        """
        ...

    def offer(self, offer: Offer) -> None:
        """Write an offer down. The same again changes nothing."""
        ...

    def offers(self, contact: ContactId | None = None) -> list[Offer]:
        """Return offers, both ways, of one contact or of all, those that last longest first."""
        ...

    def move_offer(
        self,
        contact: ContactId,
        offer: str,
        before: Collection[OfferState],
        **values: str | int,
    ) -> bool:
        """Note how far an offer has come that came in (``state fetched size hash kept code``).
        ``False``: it is not in one of the states before.
        """
        ...

    def drop_offers(self, contact: ContactId, offers: Sequence[str]) -> None:
        """Forget these offers of a contact, made or come in."""
        ...

    def note_given(self, offer: str, given: int) -> None:
        """Note that they were given an item that the person offered, as far as ``given`` bytes.
        Less than before changes nothing.
        """
        ...

    def stands(self, offer: str, item: str, did: str, now: int) -> bool:
        """Say whether this item was offered by the person to that active contact in that message,
        and still is: not withdrawn, not over, and its document neither private nor put away.
        """
        ...

    def withdraw_offer(self, offer: str, now: datetime) -> None:
        """Take an offer back that the person made. Raises ``NotFoundError``."""
        ...


class Post(Protocol):
    """Messages that came in, messages that go out, and what left the machine."""

    def together(self, *, lasting: bool = True) -> AbstractContextManager[None]:
        """Let everything that this thread writes inside, into whichever store of the node, be one
        step: on disk at the end of the block, or not at all.

        ``lasting=False``: written at the end of the block, and on disk after
        :meth:`make_lasting`; a killed process loses nothing of it, a power cut may.

        What raises inside and is caught there takes back only itself.
        """
        ...

    def make_lasting(self) -> None:
        """Return once everything that this process wrote is on disk: to be called before anything
        leaves that rests on it. Who waits at once waits together. Raises ``OSError``.
        """
        ...

    def claim(self, message: Arrived, now: datetime) -> Claimed:
        """Look (issuer, id) up, and write the message down if it is new. What cannot come again any
        more is swept on the way.
        """
        ...

    def arrived(self, issuer: str, message: str) -> InboxRow | None:
        """Return one message that came in."""
        ...

    def may_repeat(self, issuer: str, message: str) -> bool:
        """Say whether all that an answer was made from is there still, and none of it private."""
        ...

    def inbox(
        self, *, limit: int, cursor: str | None = None, contact: ContactId | None = None
    ) -> tuple[list[InboxRow], str | None]:
        """Return what came in, newest first."""
        ...

    def unfinished(self, state: InboxState) -> list[InboxRow]:
        """Return what is in this state, oldest first: what a node that died goes on with, or what
        waits for the person.
        """
        ...

    def advance(self, issuer: str, message: str, state: InboxState, now: datetime) -> bool:
        """Move a message on. ``False``: it was further already."""
        ...

    def draft(
        self, issuer: str, message: str, draft: Mapping[str, Any] | None, documents: Sequence[str]
    ) -> None:
        """Keep the answer that would leave, and what it was made from; it changes nothing of a
        message that has its answer.
        """
        ...

    def put_off(self, issuer: str, message: str, code: str) -> None:
        """Note that who asked was told to come again, and why. It changes nothing of a message that
        has its answer.
        """
        ...

    def take_up(self, issuer: str, message: str, now: datetime) -> None:
        """Note that a message came again that was put off, or that a process left that died over
        it.
        """
        ...

    def answer(
        self,
        issuer: str,
        message: str,
        now: datetime,
        answer: Mapping[str, Any] | None,
        code: str = "",
        documents: Sequence[str] = (),
    ) -> bool:
        """Keep the answer, or the refusal, and what it was made from. ``False``: it has one
        already, which stands.
        """
        ...

    def send(self, row: OutboxRow) -> None:
        """Put a message into the outbox. Raises ``ConflictError`` for a contact who is not active,
        and for a second hello by the same link.
        """
        ...

    def outbox(
        self,
        *,
        limit: int,
        cursor: str | None = None,
        contact: ContactId | None = None,
        verb: str = "",
    ) -> tuple[list[OutboxRow], str | None]:
        """Return what goes out and went, newest first; of one contact, or of one verb."""
        ...

    def outgoing(self, message: str) -> OutboxRow | None:
        """Return one message that goes out or went."""
        ...

    def due(self, now: int, limit: int = 32, but: Collection[str] = ()) -> list[OutboxRow]:
        """Return what has to be tried now, hellos and what goes to contacts who are active; what is
        too late by now is marked so, and left out. What offers, or hands to a table, what others
        may not have any more stays, and so do the verbs ``but``.
        """
        ...

    def goes(self, message: str) -> bool:
        """Say whether a message is still to be sent: it waits, and others may have what it offers
        or hands to a table. To be asked right before each try.
        """
        ...

    def tried(self, message: str, next_try: int, code: str = "") -> None:
        """Note a try that brought no answer, and why where they said so. It does not change what
        was settled meanwhile.
        """
        ...

    def hurry(self, contact: ContactId, now: int) -> None:
        """Let what waits for a contact be tried now: they were found at another place."""
        ...

    def settle(
        self,
        message: str,
        state: OutboxState,
        receipt: Mapping[str, Any] | None = None,
        code: str = "",
        contact: ContactId | None = None,
    ) -> bool:
        """Note how it ended, and whom a hello met. ``False``: it had ended already."""
        ...

    def clear(self, message: str) -> None:
        """Forget a hello that met nobody and waits no more. Raises ``NotFoundError``."""
        ...

    def keep(self, message: str, document: str) -> None:
        """Note which document the person made of an answer."""
        ...

    def forget_sent(self, message: str) -> None:
        """Forget a message that goes out no more, with its answer; one that waits stays."""
        ...

    def forget_said(self, issuer: str, table: str, but: str) -> None:
        """Forget what was said in answered messages of an issuer about a table, and the answers,
        but for one message; the ids stay, so that none counts as new.
        """
        ...

    def left(self, contact: ContactId, day: int, category: str, size: int) -> None:
        """Count bytes that are about to leave; called before they do."""
        ...

    def all_left(self) -> list[SentSummary]:
        """Return what left, newest day first."""
        ...

    def exchanges(self) -> list[Exchange]:
        """Count what was asked and what was answered with something else than a refusal, by contact
        and grant.
        """
        ...
