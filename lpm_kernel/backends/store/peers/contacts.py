"""The ``Contacts`` port over SQL: people behind other nodes, and the invites by which they come."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, bindparam, delete, insert, or_, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from lpm_kernel.backends.store.node import peer_tables, tables
from lpm_kernel.backends.store.node.audit import AuditStore, add
from lpm_kernel.backends.store.prepared import Prepared
from lpm_kernel.backends.store.sqlite import parts, reading, writing
from lpm_kernel.domain.home.audit import AuditKind
from lpm_kernel.domain.share.archived import ArchivedContact
from lpm_kernel.domain.share.discussions import TableContactState, left_name
from lpm_kernel.domain.share.network import (
    MOST_ADDRESSES,
    Contact,
    ContactId,
    ContactState,
    Invite,
    InviteState,
    NewCard,
)
from lpm_kernel.errors import ConflictError, NotFoundError

_rows, _invites, _grants, _sent, _places = (
    peer_tables.contact,
    peer_tables.invite,
    peer_tables.peer_grant,
    peer_tables.peer_sent,
    peer_tables.peer_address,
)
_BY_PEER = Prepared(select(_rows).where(_rows.c.peer == bindparam("peer")))
_BY_DID = Prepared(select(_rows).where(_rows.c.did == bindparam("did")))
_INTO = upsert(_sent)
_COUNT_LEFT = Prepared(
    _INTO.on_conflict_do_update(
        index_elements=["contact", "day", "category"],
        set_={"bytes": _sent.c.bytes + _INTO.excluded.bytes},
    )
)
NOBODY = ""
"""Under which what left for contacts who were deleted is counted."""


class ContactStore:
    """Contacts and invites. Whatever changes who may come in stands in the audit, in the same
    transaction.
    """

    def __init__(self, engine: Engine, audit: AuditStore) -> None:
        self._engine, self._audit = engine, audit

    def keep(
        self, card: NewCard, now: datetime, words: Sequence[str] = (), name: str = ""
    ) -> Contact:
        """Write down somebody who was met."""
        with self._audit.recording() as connection:
            return _keep(connection, card, now, words, name)

    def get(self, contact: ContactId) -> Contact:
        """Return one."""
        with reading(self._engine) as connection:
            return _one(connection, contact)

    def by_peer(self, peer: str) -> Contact | None:
        """Return who has this peer id."""
        with reading(self._engine) as connection:
            row = _BY_PEER.first(connection, peer=peer)
        return None if row is None else _contact(row)

    def by_did(self, did: str) -> Contact | None:
        """Return who has this identity."""
        with reading(self._engine) as connection:
            row = _BY_DID.first(connection, did=did)
        return None if row is None else _contact(row)

    def all(self) -> list[Contact]:
        """Return everybody, those met last first."""
        with reading(self._engine) as connection:
            return [
                _contact(row)
                for row in connection.execute(
                    select(_rows).order_by(_rows.c.met_at.desc(), _rows.c.id)
                )
            ]

    def update(self, contact: ContactId, card: NewCard) -> Contact:
        """Take a newer card of the same identity."""
        with self._audit.recording() as connection:
            known = _one(connection, contact)
            if known.did != card.did:
                raise ConflictError(
                    "This card belongs to another identity.",
                    "Ask them whether their identity changed.",
                )
            _follows(connection, known, card)
            connection.execute(
                update(_rows)
                .where(_rows.c.id == contact)
                .values(peer=card.peer, seq=card.seq, card=card.text)
            )
            return _one(connection, contact)

    def change(
        self,
        contact: ContactId,
        *,
        name: str | None = None,
        notes: str | None = None,
        words: Sequence[str] | None = None,
    ) -> Contact:
        """Change what the person says of them."""
        values = {"name": name, "notes": notes, "words": None if words is None else list(words)}
        with self._audit.recording() as connection:
            known = _one(connection, contact)
            wanted: dict[str, Any] = {
                column: value for column, value in values.items() if value is not None
            }
            if words is not None and tuple(words) != known.words:
                wanted["verified_at"] = None
            if wanted:
                connection.execute(update(_rows).where(_rows.c.id == contact).values(**wanted))
            return _one(connection, contact)

    def bring_in(self, archived: ArchivedContact, now: datetime) -> bool:
        """Write down somebody from an archive, with what hangs on them."""
        with self._audit.recording() as connection:
            return _bring_in(connection, archived, now)

    def verify(self, contact: ContactId, words: Sequence[str], now: datetime | None) -> Contact:
        """Note that both have these words."""
        with self._audit.recording() as connection:
            if not words or _one(connection, contact).words != tuple(words):
                raise ConflictError(
                    "These are no longer the words of this contact.",
                    "Look at the contact again, and read the words shown there.",
                )
            connection.execute(update(_rows).where(_rows.c.id == contact).values(verified_at=now))
            return _one(connection, contact)

    def move(
        self,
        contact: ContactId,
        before: ContactState,
        after: ContactState,
        now: datetime,
        next_card: str = "",
    ) -> Contact:
        """Move a contact from one state into another."""
        with self._audit.recording() as connection:
            known = _one(connection, contact)
            if known.state is not before:
                raise ConflictError(
                    f"This contact is now {known.state}, not {before}.",
                    "Look at the contact again.",
                )
            connection.execute(
                update(_rows)
                .where(_rows.c.id == contact)
                .values(state=after.value, next_card=next_card)
            )
            if after is ContactState.ENDED:
                _end_grants(connection, contact, now)
            add(
                connection,
                now,
                AuditKind.CONTACT_CHANGED,
                {"contact": contact, "before": before.value, "state": after.value},
            )
            return _one(connection, contact)

    def accept(self, contact: ContactId, card: NewCard, now: datetime) -> Contact:
        """Go on with a contact who changed, under the identity of this card."""
        with self._audit.recording() as connection:
            known = _one(connection, contact)
            if known.state is not ContactState.CHANGED:
                raise ConflictError(
                    f"This contact is {known.state}; there is no other identity to accept.",
                    "Look at the contact again.",
                )
            _nobody_else(connection, contact, card)
            _end_grants(connection, contact, now)  # they name the identity that was
            values = {
                "did": card.did,
                "peer": card.peer,
                "seq": card.seq,
                "card": card.text,
                "next_card": "",
                "state": ContactState.ACTIVE.value,
                "words": [],
            }
            connection.execute(
                update(_rows).where(_rows.c.id == contact).values(**values, verified_at=None)
            )
            add(
                connection,
                now,
                AuditKind.CONTACT_CHANGED,
                {
                    "contact": contact,
                    "before": known.state.value,
                    "state": ContactState.ACTIVE.value,
                    "identity": True,
                },
            )
            return _one(connection, contact)

    def delete(self, contact: ContactId, now: datetime) -> None:
        """Forget somebody."""
        with self._audit.recording() as connection:
            known = _one(connection, contact)
            entomb(connection, [contact, *_given_to(connection, contact)], now)
            connection.execute(
                update(_invites).where(_invites.c.contact == contact).values(note="")
            )
            forget_contacts(connection, [contact])
            connection.execute(
                delete(peer_tables.inbox).where(peer_tables.inbox.c.issuer == known.did)
            )
            add(connection, now, AuditKind.CONTACT_DELETED, {"contact": contact})

    def found(self, contact: ContactId, addresses: Sequence[str]) -> None:
        """Remember where a contact's node listens."""
        with writing(self._engine) as connection:
            _one(connection, contact)
            connection.execute(delete(_places).where(_places.c.contact == contact))
            rows = [
                {"contact": contact, "address": address, "place": at}
                for at, address in enumerate(list(dict.fromkeys(addresses))[:MOST_ADDRESSES])
            ]
            if rows:
                connection.execute(insert(_places), rows)

    def addresses(self, contact: ContactId) -> list[str]:
        """Return where a contact's node was said to listen."""
        with reading(self._engine) as connection:
            return list(
                connection.execute(
                    select(_places.c.address)
                    .where(_places.c.contact == contact)
                    .order_by(_places.c.place)
                ).scalars()
            )

    # --- invites ---------------------------------------------------------------------------------

    def invite(self, invite: Invite) -> None:
        """Write an invite down."""
        with self._audit.recording() as connection:
            values = {
                "id": invite.id,
                "link": invite.link,
                "made_at": invite.made_at,
                "expires": invite.expires,
                "note": invite.note,
            }
            connection.execute(
                insert(_invites).values(**values, state=invite.state.value, contact=invite.contact)
            )
            add(connection, invite.made_at, AuditKind.INVITED, {"invite": invite.id})

    def invites(self) -> list[Invite]:
        """Return every invite, newest first."""
        with reading(self._engine) as connection:
            return [
                _invite(row)
                for row in connection.execute(
                    select(_invites).order_by(_invites.c.made_at.desc(), _invites.c.id)
                )
            ]

    def open_invite(self, invite: str) -> Invite | None:
        """Return an invite that was neither used nor withdrawn."""
        with reading(self._engine) as connection:
            row = connection.execute(
                select(_invites).where(
                    _invites.c.id == invite, _invites.c.state == InviteState.OPEN.value
                )
            ).first()
        return None if row is None else _invite(row)

    def use(self, invite: str, card: NewCard, now: datetime) -> Contact | None:
        """Use an open invite up and keep the contact in one step."""
        try:
            with self._audit.recording() as connection:
                _close(connection, invite, InviteState.USED)
                met = _keep(connection, card, now, (), "")
                connection.execute(
                    update(_invites).where(_invites.c.id == invite).values(contact=met.id)
                )
                return met
        except (ConflictError, NotFoundError):  # the transaction left no trace
            return None

    def withdraw(self, invite: str, now: datetime) -> None:
        """End an open invite."""
        with self._audit.recording() as connection:
            _close(connection, invite, InviteState.WITHDRAWN)
            add(connection, now, AuditKind.INVITE_WITHDRAWN, {"invite": invite})


def entomb(connection: Connection, identifiers: Iterable[str], now: datetime) -> None:
    """Note that these are gone for good, so that a backup does not bring them back."""
    for identifier in identifiers:
        connection.execute(
            upsert(tables.tombstone).values(id=identifier, at=now).on_conflict_do_nothing()
        )


def forget_contacts(connection: Connection, identifiers: Sequence[str]) -> None:
    """Delete those of these that are contacts, with all that hangs on them, and those that are
    grants.
    """
    for part in parts(list(identifiers)):
        for row in connection.execute(select(_sent).where(_sent.c.contact.in_(part))).all():
            count_left(connection, NOBODY, row.day, row.category, row.bytes)
        connection.execute(delete(_sent).where(_sent.c.contact.in_(part)))
        connection.execute(delete(_grants).where(_grants.c.id.in_(part)))
        connection.execute(delete(_rows).where(_rows.c.id.in_(part)))


def count_left(connection: Connection, contact: str, day: int, category: str, size: int) -> None:
    """Add to what left on a day."""
    _COUNT_LEFT.run(connection, contact=contact, day=day, category=category, bytes=size)


def _keep(
    connection: Connection, card: NewCard, now: datetime, words: Sequence[str], name: str
) -> Contact:
    row = connection.execute(select(_rows).where(_rows.c.did == card.did)).first()
    if row is None:
        made = ContactId("p_" + secrets.token_hex(8))
        _nobody_else(connection, made, card)
        fresh = {
            "id": made,
            "did": card.did,
            "name": name,
            "notes": "",
            "words": list(words),
            "next_card": "",
            "met_at": now,
        }
        connection.execute(
            insert(_rows).values(
                **fresh,
                peer=card.peer,
                seq=card.seq,
                card=card.text,
                state=ContactState.ACTIVE.value,
            )
        )
    else:
        known = _contact(row)
        made = known.id
        if known.state not in {ContactState.ACTIVE, ContactState.ENDED}:
            raise ConflictError(
                f"This contact is {known.state}.",
                "Open the contact and decide there, then meet again.",
            )
        _follows(connection, known, card)
        values = {
            "peer": card.peer,
            "seq": card.seq,
            "card": card.text,
            "state": ContactState.ACTIVE.value,
            "words": list(words),
            "name": name or known.name,
        }
        values["verified_at"] = None
        connection.execute(update(_rows).where(_rows.c.id == made).values(**values))
    connection.execute(
        update(peer_tables.inbox).where(peer_tables.inbox.c.issuer == card.did).values(contact=made)
    )
    add(connection, now, AuditKind.CONTACT_MET, {"contact": made, "known": row is not None})
    return _one(connection, made)


def _bring_in(connection: Connection, archived: ArchivedContact, now: datetime) -> bool:
    who = archived.contact
    taken = or_(_rows.c.id == who.id, _rows.c.did == who.did, _rows.c.peer == who.peer)
    if connection.execute(select(_rows.c.id).where(taken)).first() is not None:
        return False
    if _buried(connection, [who.id]):
        return False
    values = asdict(who) | {"state": who.state.value, "words": list(who.words)}
    connection.execute(insert(_rows).values(**values))
    places = [
        {"contact": who.id, "address": address, "place": at}
        for at, address in enumerate(dict.fromkeys(archived.addresses))
    ]
    if places:
        connection.execute(insert(_places), places)
    gone = _buried(connection, [each.id for each in archived.given])
    for grant in archived.given:
        if grant.revoked_at is None:
            raise ValueError("A grant from an archive is over.")
        if grant.id not in gone:
            row = {name: getattr(grant, name) for name in _GRANT} | asdict(grant.daily)
            connection.execute(upsert(_grants).values(**row).on_conflict_do_nothing())
    for had in archived.had:
        into = upsert(peer_tables.received_grant)
        connection.execute(into.values(**asdict(had)).on_conflict_do_nothing())
    for offer in archived.offers:
        kept = asdict(offer) | {"state": offer.state.value}
        kept["peer_grant"] = kept.pop("grant")
        connection.execute(upsert(peer_tables.peer_offer).values(**kept).on_conflict_do_nothing())
    add(connection, now, AuditKind.CONTACT_MET, {"contact": who.id, "archived": True})
    return True


_GRANT = (
    "id",
    "contact",
    "text",
    "expires",
    "given_at",
    "parent",
    "template",
    "words",
    "revoked_at",
)


def _buried(connection: Connection, identifiers: Sequence[str]) -> set[str]:
    """Return those of these that are gone for good."""
    buried = tables.tombstone.c.id
    return {
        each
        for part in parts(list(identifiers))
        for each in connection.execute(select(buried).where(buried.in_(part))).scalars()
    }


def _follows(connection: Connection, known: Contact, card: NewCard) -> None:
    if card.seq < known.seq or (card.seq == known.seq and card.text != known.card):
        raise ConflictError(
            "This card is older than the one that is known.",
            "Ask them to open their node and send their card again.",
        )
    _nobody_else(connection, known.id, card)


def _nobody_else(connection: Connection, contact: ContactId, card: NewCard) -> None:
    """Refuse a card that names the node of another contact: a card may name any peer id, and one
    that is somebody else's would let its writer be taken for them.
    """
    taken = or_(_rows.c.peer == card.peer, _rows.c.did == card.did)
    if (
        connection.execute(select(_rows.c.id).where(taken, _rows.c.id != contact)).first()
        is not None
    ):
        raise ConflictError(
            "This card names a node that belongs to another contact.",
            "Ask them for a new invite; tell the other contact.",
        )


def _close(connection: Connection, invite: str, state: InviteState) -> None:
    closing = update(_invites).where(
        _invites.c.id == invite, _invites.c.state == InviteState.OPEN.value
    )
    if connection.execute(closing.values(state=state.value, link="")).rowcount != 1:
        raise NotFoundError("open invite", invite)


def _given_to(connection: Connection, contact: ContactId) -> list[str]:
    """Name the grants of a contact, and those that were passed on from them."""
    own = select(_grants.c.id).where(_grants.c.contact == contact)
    return list(
        connection.execute(
            select(_grants.c.id).where(or_(_grants.c.contact == contact, _grants.c.parent.in_(own)))
        ).scalars()
    )


def _end_grants(connection: Connection, contact: ContactId, now: datetime) -> None:
    ending = _given_to(connection, contact)
    for part in parts(ending):
        connection.execute(
            update(_grants)
            .where(_grants.c.id.in_(part), _grants.c.revoked_at.is_(None))
            .values(revoked_at=now)
        )
    entomb(connection, ending, now)
    there, rows = peer_tables.discussion_contact, peer_tables.discussion
    theirs_at = connection.execute(select(rows.c.id).where(rows.c.host == contact)).scalars()
    entomb(connection, map(left_name, theirs_at.all()), now)
    connection.execute(
        update(there)
        .where(there.c.contact == contact, there.c.revoked_at.is_(None))
        .values(revoked_at=now, state=TableContactState.LEFT.value, own=[])
    )
    theirs = peer_tables.received_grant
    connection.execute(
        update(theirs)
        .where(theirs.c.contact == contact, theirs.c.ended_at.is_(None))
        .values(ended_at=now)
    )


def _one(connection: Connection, contact: ContactId) -> Contact:
    row = connection.execute(select(_rows).where(_rows.c.id == contact)).first()
    if row is None:
        raise NotFoundError("contact", contact)
    return _contact(row)


def _contact(row: Row[Any]) -> Contact:
    said = (row.name, row.notes, tuple(row.words), row.next_card, row.verified_at)
    return Contact(
        ContactId(row.id),
        row.did,
        row.peer,
        row.seq,
        row.card,
        ContactState(row.state),
        row.met_at,
        *said,
    )


def _invite(row: Row[Any]) -> Invite:
    who = ContactId(row.contact) if row.contact else None
    return Invite(row.id, row.link, row.made_at, row.expires, row.note, InviteState(row.state), who)
