"""Contacts and tables, as they go into an archive and come out of one.

An archive opens no door (ADR 0027). Whoever was erased here stays erased; a grant that was given
comes along as one that is over, whatever it was; who is known here already stays as they are; where
somebody was reached stays behind, so that no file sends this node to an address. To a
node with another identity contacts come as those with whom it has ended, since every key and every
grant of theirs names the one that was. A table comes with its signed record, checked from its
opening on, once it is closed: one that goes on goes on where it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final

from lpm_kernel.domain.counting import counted
from lpm_kernel.domain.ids import DocumentId, is_thread
from lpm_kernel.domain.lines import plain_line
from lpm_kernel.domain.share.archived import ArchivedContact
from lpm_kernel.domain.share.discussions import (
    Discussion,
    DiscussionId,
    DiscussionState,
    SaidEntry,
    Seat,
)
from lpm_kernel.domain.share.network import (
    MOST_ADDRESSES,
    Amount,
    Contact,
    ContactId,
    ContactState,
    GrantRow,
    Offer,
    OfferState,
    ReceivedGrant,
)
from lpm_kernel.domain.stores import Contacts, Discussions, Permissions
from lpm_kernel.errors import InvalidInputError, UnusableArchiveError
from lpm_kernel.usecases.library.intake import checked_tags
from lpm_kernel.usecases.share.people import LONGEST_NAME, LONGEST_NOTE, own_name
from protocol.card import Card
from protocol.discussion import Entry, Words
from protocol.grants import Grant
from protocol.ledger import verify
from protocol.refusals import Refusal

UNKNOWN_CONTACT: Final = (
    "a contact in it is described in a way that this release does not know, or is not as it was"
    " signed."
)
UNKNOWN_TABLE: Final = (
    "a table in it is described in a way that this release does not know, or its record is not as"
    " it was signed."
)
NO_WORDS: Final[Mapping[str, Any]] = {"words": None, "documents": (), "basis": ()}
MOST_WORDS: Final = 12
"""Words that two read to each other; there are six."""
LARGEST: Final = 2**53
LONGEST_TEXT: Final = 200_000
"""Characters of one signed text."""
_MISHAPS = (
    Refusal,
    InvalidInputError,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    OverflowError,
)
_CONTACT_ID: Final = re.compile(r"p_[0-9a-f]{16}")
"""As this node makes them: a tombstone of a contact must not be that of anything else."""
_THEIRS: Final = re.compile(r"(?:offer|answer)-[\w-]{22}(?:\.\w+)?")
"""As ``offers.keep`` and ``asking.keep`` name what they make."""


@dataclass(frozen=True)
class PeopleStores:
    """The doors to all of it."""

    contacts: Contacts
    permissions: Permissions
    discussions: Discussions
    identity: str
    """The DID of this node; nothing where it has none yet, or has not opened its keys."""


@dataclass(frozen=True)
class PeopleTakenIn:
    """What came of it."""

    contacts: int = 0
    contacts_known: int = 0
    tables: int = 0
    tables_known: int = 0
    erased: int = 0
    """Left out because they were erased here."""
    grants_over: int = 0
    """Grants that were given and stood there: they are over here."""
    strangers: int = 0
    """Contacts who know another identity than this node's."""
    tables_open: int = 0
    """Left out because they are not closed."""
    own: int = 0
    """Left out because they are this node itself."""

    @property
    def sentence(self) -> str:
        """Say it; nothing where there were none."""
        came = [
            counted(number, one)
            for number, one in ((self.contacts, "contact"), (self.tables, "table"))
            if number
        ]
        said = [f"Also added: {' and '.join(came)}."] if came else []
        if self.strangers:
            said.append(f"Contacts who know another identity: {self.strangers}. Invite them anew.")
        if self.contacts > self.strangers:
            said.append("Contacts are reached once their node comes, or by a new invite.")
        if self.own:
            said.append("Left out: a contact who is this node itself.")
        if self.grants_over:
            said.append(f"Grants that you gave and that are over here: {self.grants_over}.")
        if self.tables_open:
            said.append(f"Tables left out because they are not closed: {self.tables_open}.")
        return "".join(f" {sentence}" for sentence in said)


# --- into an archive -----------------------------------------------------------------------------


def contact_rows(stores: PeopleStores, shown: Collection[str]) -> Iterator[dict[str, Any]]:
    """Give a row for each contact: card, name, notes, where they are reached, the grants both ways,
    and what of theirs was kept as a document that is ``shown``. No messages, and no invites.
    """
    permissions = stores.permissions
    for contact in stores.contacts.all():
        given = [each for each in permissions.given(contact.id) if _is_own(each, stores.identity)]
        offers = [
            each
            for each in permissions.offers(contact.id)
            if not each.ours and each.state is OfferState.KEPT and each.kept in shown
        ]
        yield _plain(asdict(contact)) | {
            "known_to": stores.identity,
            "addresses": stores.contacts.addresses(contact.id),
            "given": [_plain({name: getattr(each, name) for name in _GIVEN}) for each in given],
            "had": [
                _plain({name: getattr(each, name) for name in _HAD})
                for each in permissions.received(contact.id)
            ],
            "offers": [_plain({name: getattr(each, name) for name in _OFFER}) for each in offers],
        }


def is_theirs(name: str) -> bool:
    """Tell by its file name whether a document came from a contact: this node gives the name.

    >>> is_theirs("offer-AAAAAAAAAAAAAAAAAAAAAA.txt"), is_theirs("offer-2026.txt")
    (True, False)
    """
    return _THEIRS.fullmatch(name) is not None


def naming(stores: PeopleStores) -> Callable[[str], bool]:
    """Return what tells whether a text names a contact, as the person calls them or they
    themselves.
    """
    names = {name for each in stores.contacts.all() for name in (each.name, own_name(each))}
    any_of = "|".join(re.escape(name) for name in sorted(names) if name.strip())
    pattern = re.compile(rf"(?<![a-z0-9])(?:{any_of})(?![a-z0-9])", re.IGNORECASE)
    return lambda text: bool(any_of) and pattern.search(text) is not None


def table_rows(stores: PeopleStores, shown: Collection[str]) -> Iterator[dict[str, Any]]:
    """Give a row for each table with its record. Words are left out that were made from what is not
    ``shown``; their entries stay, and so do the hashes.
    """
    cursor = None
    while True:
        found, cursor = stores.discussions.page(limit=100, cursor=cursor)
        for table in found:
            said = [
                each if _may_say(each, shown) else replace(each, **NO_WORDS)
                for each in stores.discussions.entries(table.id)
            ]
            row = asdict(table) | {"said": [_plain(asdict(each)) for each in said]}
            yield _plain({name: value for name, value in row.items() if name != "entries"})
        if cursor is None:
            return


_GIVEN: Final = ("text", "given_at", "template", "words", "revoked_at")
_HAD: Final = ("text", "received_at", "owner", "ended_at")
_OFFER: Final = (
    "id",
    "item",
    "title",
    "media",
    "size",
    "hash",
    "until",
    "came_at",
    "grant",
    "kept",
)


def _is_own(row: GrantRow, identity: str) -> bool:
    """Tell whether this identity gave it: one may have been passed on by a contact."""
    return row.parent is None and Grant.read(row.text).iss == identity


def _may_say(entry: SaidEntry, shown: Collection[str]) -> bool:
    return all(each in shown or is_thread(each) for each in entry.documents)


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in row.items()
    }


# --- out of one ----------------------------------------------------------------------------------


def check(contacts: Iterable[Mapping[str, Any]], tables: Iterable[Mapping[str, Any]]) -> None:
    """Read everything, signatures and hashes too, and write nothing. Raises
    ``UnusableArchiveError``.
    """
    for row in contacts:
        _read_contact(row)
    for row in tables:
        _read_table(row)


@dataclass(frozen=True)
class Coming:
    """What rows are held against when they come in."""

    names: Mapping[str, DocumentId]
    """The id that each document has here."""
    erased: Collection[str]
    quotes: Callable[[str], bool]
    """Tells whether words are in what was erased here."""
    now: datetime


def take_in(
    contacts: Iterable[Mapping[str, Any]],
    tables: Iterable[Mapping[str, Any]],
    stores: PeopleStores,
    coming: Coming,
) -> PeopleTakenIn:
    """Add whom and what is not known here. To be called for rows that :func:`check` has read."""
    counts = dict.fromkeys(PeopleTakenIn.__dataclass_fields__, 0)
    for row in contacts:
        known_to, archived = _read_contact(row)
        if archived.contact.id in coming.erased:
            counts["erased"] += 1
            continue
        if archived.contact.did == stores.identity:
            counts["own"] += 1
            continue
        same = bool(stores.identity) and known_to == stores.identity
        told = _fitted(archived, coming, same=same)
        if not stores.contacts.bring_in(told, coming.now):
            counts["contacts_known"] += 1
            continue
        counts["contacts"] += 1
        counts["strangers"] += not same
        counts["grants_over"] += sum(
            each.revoked_at is None and each.expires > coming.now.timestamp()
            for each in archived.given
        )
    for row in tables:
        table, said = _read_table(row)
        if table.id in coming.erased:
            counts["erased"] += 1
        elif table.state is not DiscussionState.CLOSED:
            counts["tables_open"] += 1
        else:
            came = stores.discussions.bring_in(table, [_said(each, coming) for each in said])
            counts["tables" if came else "tables_known"] += 1
    return PeopleTakenIn(**counts)


def _fitted(archived: ArchivedContact, coming: Coming, *, same: bool) -> ArchivedContact:
    """Return somebody as they may come in: no grant of the person's stands, and where they know
    another identity than this node's, they are no contact until they meet again.
    """
    contact = replace(archived.contact, verified_at=None)
    if contact.state is ContactState.CHANGED:  # no word of the one before stands in an archive
        contact = replace(contact, state=ContactState.ENDED, next_card="")
    offers = [
        replace(each, kept=coming.names[each.kept])
        for each in archived.offers
        if each.kept in coming.names
    ]
    if not same:
        state = (
            ContactState.BLOCKED if contact.state is ContactState.BLOCKED else ContactState.ENDED
        )
        there = replace(contact, state=state, words=(), next_card="")
        return ArchivedContact(there, offers=offers)
    return replace(
        archived,
        contact=contact,
        addresses=(),
        given=[replace(each, revoked_at=each.revoked_at or coming.now) for each in archived.given],
        offers=offers,
    )


def _said(entry: SaidEntry, coming: Coming) -> SaidEntry:
    """Return an entry as it may come in: without its words where they were made from what is not
    here, or tell what was erased.
    """
    there = [
        DocumentId(each) if is_thread(each) else coming.names.get(each) for each in entry.documents
    ]
    gone = (
        any(each is None for each in there)
        or bool(coming.erased and set(entry.documents) & {*coming.erased})
        or (entry.words is not None and coming.quotes(Words.read(entry.words).text))
    )
    kept = None if entry.kept is None else coming.names.get(entry.kept)
    if gone:
        return replace(entry, kept=kept, **NO_WORDS)
    basis = [
        {**each, "document": coming.names.get(each["document"], each["document"])}
        for each in entry.basis
    ]
    documents = tuple(each for each in there if each is not None)
    return replace(entry, documents=documents, basis=tuple(basis), kept=kept)


def _contact_id(value: object) -> ContactId:
    if not isinstance(value, str) or not _CONTACT_ID.fullmatch(value):
        raise ValueError("contact")
    return ContactId(value)


def _read_contact(row: Mapping[str, Any]) -> tuple[str, ArchivedContact]:
    """Read somebody with the DID that they know; every signature is checked."""
    try:
        card = Card.read_kept(_text(row["card"]))
        if card.did != row["did"]:
            raise ValueError(card.did)
        next_card = str(row["next_card"])
        if next_card:
            Card.read_kept(_text(next_card))
        contact = Contact(
            _contact_id(row["id"]),
            card.did,
            card.peer,
            card.seq,
            card.text,
            ContactState(row["state"]),
            _moment(row["met_at"]),
            plain_line(_line(row["name"], LONGEST_NAME)),
            _line(row["notes"], LONGEST_NOTE),
            tuple(_short(each) for each in _few(row["words"], MOST_WORDS)),
            next_card,
            _moment_or_none(row["verified_at"]),
        )
        known_to = _line(row["known_to"], 80)
        archived = ArchivedContact(
            contact,
            [_short(each, 128) for each in _few(row["addresses"], MOST_ADDRESSES)],
            [_given(each, contact, known_to) for each in row["given"]],
            [_had(each, contact, known_to) for each in row["had"]],
            [_offer(each, contact) for each in row["offers"]],
        )
    except _MISHAPS as error:
        raise UnusableArchiveError(UNKNOWN_CONTACT) from error
    return known_to, archived


def _given(row: Mapping[str, Any], contact: Contact, known_to: str) -> GrantRow:
    """Read a grant that the person gave. Raises ``ValueError`` for one that another signed."""
    grant = Grant.read(_text(row["text"]))
    if grant.iss != known_to or grant.parent is not None:
        raise ValueError(grant.iss)
    return GrantRow(
        grant.id,
        contact.id,
        str(row["text"]),
        Amount(grant.daily.calls, grant.daily.bytes, grant.daily.tokens),
        grant.exp,
        _moment(row["given_at"]),
        None,
        _line(row["template"], 40),
        _line(row["words"], 2_000),
        _moment_or_none(row["revoked_at"]),
    )


def _had(row: Mapping[str, Any], contact: Contact, known_to: str) -> ReceivedGrant:
    """Read a grant that the person was given. One for another identity than this, or by another
    than the contact is now, is over.
    """
    grant, received, ended = (
        Grant.read(_text(row["text"])),
        _moment(row["received_at"]),
        _moment_or_none(row["ended_at"]),
    )
    if grant.aud != known_to or grant.iss != contact.did:
        ended = ended or received
    owner = _line(row["owner"], 80)
    return ReceivedGrant(grant.id, grant.iss, contact.id, str(row["text"]), received, owner, ended)


def _offer(row: Mapping[str, Any], contact: Contact) -> Offer:
    size = _whole(row["size"])
    return Offer(
        _short(row["id"]),
        contact.id,
        ours=False,
        item=_short(row["item"]),
        title=_line(row["title"], 200),
        media=_line(row["media"], 140),
        size=size,
        hash=_line(row["hash"], 64),
        until=_whole(row["until"]),
        state=OfferState.KEPT,
        fetched=size,
        came_at=_moment_or_none(row["came_at"]),
        grant=_line(row["grant"], 40),
        kept=_short(row["kept"]),
    )


def _read_table(row: Mapping[str, Any]) -> tuple[Discussion, list[SaidEntry]]:
    """Read a table with its record, checked from the opening on. Words that were struck are not
    among what comes out, whatever the archive has.
    """
    try:
        said = [_entry(n, each) for n, each in enumerate(row["said"])]
        record = verify(
            (Entry.read(each.entry), None if each.words is None else Words.read(each.words))
            for each in said
        )
        if record.opening.table != row["id"]:
            raise ValueError(row["id"])
        closed = record.closed is not None
        table = Discussion(
            DiscussionId(_short(row["id"])),
            _moment(row["opened_at"]),
            _moment(row["changed_at"]),
            DiscussionState.CLOSED if closed else DiscussionState.PAUSED,
            tuple(
                Seat(
                    _line(each["member"], 200),
                    _line(each["kind"], 200),
                    _line(each["name"], 200),
                    _line(each["role"], 200),
                    _line(each.get("contact", ""), 200),
                )
                for each in row["seats"]
            ),
            _line(row["template"], 40),
            checked_tags([str(each) for each in row["tags"]]),
            len(said),
            _line(row.get("host", ""), 200),
        )
    except _MISHAPS as error:
        raise UnusableArchiveError(UNKNOWN_TABLE) from error
    there = record.words
    return table, [
        each if each.words is None or each.n in there else replace(each, **NO_WORDS)
        for each in said
    ]


def _entry(n: int, row: Mapping[str, Any]) -> SaidEntry:
    if row["n"] != n:
        raise ValueError(row["n"])
    return SaidEntry(
        n,
        _text(row["entry"]),
        None if row["words"] is None else _text(row["words"]),
        _moment(row["at"]),
        tuple(_short(each) for each in row["documents"]),
        tuple(_basis(each) for each in row["basis"]),
        None if row["kept"] is None else _short(row["kept"]),
    )


def _basis(row: Mapping[str, Any]) -> Mapping[str, Any]:
    words = ("chunk", "document", "text_version", "quote_hash")
    return {name: _whole(row[name]) for name in ("n", "start", "end")} | {
        name: _short(row[name], 64) for name in words
    }


def _few(value: object, most: int) -> list[object]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError(value)
    return value


def _line(value: object, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(value)
    return value


def _text(value: object) -> str:
    return _short(value, LONGEST_TEXT)


def _short(value: object, longest: int = 40) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= longest:
        raise ValueError(value)
    return value


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < LARGEST:
        raise ValueError(value)
    return value


def _moment(value: object) -> datetime:
    return datetime.fromisoformat(str(value)).astimezone()


def _moment_or_none(value: object) -> datetime | None:
    return None if value is None else _moment(value)
