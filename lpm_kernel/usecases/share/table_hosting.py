"""Contacts at a table of this node: each is asked for what it says, one thing at a time, and has
the entries handed that it does not have.

What is asked stands in the outbox, and what was asked in the row of the contact, so that a node
that was killed goes on with it. What comes back is checked like any entry before it is added; a
contact who does not answer in time, or answers with what may not stand there, has failed, and the
rest go on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from lpm_kernel.domain.share.discussions import DiscussionId, TableContact, TableContactState
from lpm_kernel.domain.share.network import Contact, ContactId, OutboxRow, OutboxState
from lpm_kernel.domain.stores import Contacts, Post
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.usecases.share.outgoing import Signing, queue
from lpm_kernel.usecases.share.table_steps import NotYetError
from lpm_kernel.usecases.share.tables import NextEntry, Sitting, TablePorts, append
from protocol import handing, limits
from protocol.discussion import Entry, Step, Words
from protocol.ledger import Said
from protocol.messages import Verb
from protocol.refusals import Code, Refusal
from protocol.table_grants import TableGrant

log = logging.getLogger(__name__)

WORD_SECONDS: Final = 300
"""How long a contact has the word before it failed to take it."""
HAND_SECONDS: Final = 90
"""Likewise where their node has only to sign what there is already."""
TRIES: Final = 8
"""Times that a contact is asked anew because another entry came between."""
_HERE: Final = (TableContactState.INVITED, TableContactState.ACCEPTED)
_OVER: Final = frozenset(
    {Code.NO_GRANT, Code.REVOKED, Code.GRANT_EXPIRED, Code.UNSUPPORTED_VERSION, Code.REPLAY}
)
"""After these a contact says nothing at this table any more."""


@dataclass(frozen=True)
class HostPorts:
    """What contacts at a table are asked by."""

    tables: TablePorts
    contacts: Contacts
    post: Post

    @property
    def signing(self) -> Signing:
        """Give what a message to them is signed with."""
        return Signing(self.post, self.tables.keystore, self.tables.clock)

    @property
    def now(self) -> int:
        """The time in seconds."""
        return int(self.tables.clock.now().timestamp())


# --- what comes from them ------------------------------------------------------------------------


def came(ports: HostPorts, sender: Contact, what: str, body: Mapping[str, Any]) -> int:
    """Take what a contact says to an invitation, or that it wants the word. Returns how many
    entries there are. Raises ``Refusal``.
    """
    here, identifier = ports.tables.discussions, DiscussionId(body["table"])
    try:
        known = here.get(identifier)
    except NotFoundError:
        raise Refusal(Code.NO_GRANT, "table") from None
    there = next((each for each in here.contacts_at(identifier) if each.contact == sender.id), None)
    if known.host or there is None:
        raise Refusal(Code.NO_GRANT, "table")
    match what:
        case "accept":
            _accepted(ports, sender, there, body["grant"])
        case "decline" if there.state is TableContactState.ACCEPTED:
            here.move_contact(identifier, sender.id, state=TableContactState.LEFT.value)
        case "decline":
            here.move_contact(identifier, sender.id, state=TableContactState.DECLINED.value)
        case _:
            if body["by"] not in there.members:
                raise Refusal(Code.NO_GRANT, "by")
            # who goes, goes with all of its members
            members = there.members if body["step"] == Step.LEFT else (str(body["by"]),)
            for by in members:
                here.raise_hand(identifier, sender.id, {"by": by, "step": str(body["step"])})
    return known.entries


def _accepted(ports: HostPorts, sender: Contact, there: TableContact, text: str) -> None:
    grant, me = TableGrant.read(text), ports.tables.keystore.keys.identity.did
    if (grant.iss, grant.aud, grant.table) != (sender.did, me, there.discussion):
        raise Refusal(Code.SENDER_MISMATCH, "grant")
    if grant.exp <= ports.now:
        raise Refusal(Code.GRANT_EXPIRED, "grant")
    if there.state is TableContactState.ACCEPTED and there.grant == text:
        return
    if there.state is not TableContactState.INVITED:
        raise Refusal(Code.REPLAY, "grant")
    ports.tables.discussions.move_contact(
        there.discussion,
        there.contact,
        [TableContactState.INVITED],
        state=TableContactState.ACCEPTED.value,
        grant=text,
    )


# --- what they are asked -------------------------------------------------------------------------


def attend(ports: HostPorts, sitting: Sitting) -> bool:
    """Take what contacts answered, and ask for what is next; what was erased here is struck, so
    that they drop it too, and what was made private before all of them had it. Returns whether the
    record grew.
    """
    there_are = ports.tables.discussions.contacts_at(sitting.discussion.id)
    lost = sitting.table.withheld or _kept_back(sitting, there_are)
    if lost:
        struck = NextEntry(Step.STRUCK, {"entry": lost[0]})
        return append(ports.tables, sitting, struck) is not None
    return any(_attend(ports, sitting, there) for there in there_are)


def is_waiting(ports: HostPorts, sitting: Sitting) -> bool:
    """Tell whether the table waits for somebody who was asked to it, is about to sit down, or
    raised a hand.
    """
    over = ports.now >= sitting.table.opening.fields["exp"]
    return not over and any(
        there.state is TableContactState.INVITED
        or (there.state is TableContactState.ACCEPTED and (there.hands or _to_come(sitting, there)))
        for there in ports.tables.discussions.contacts_at(sitting.discussion.id)
    )


def speak(ports: HostPorts, sitting: Sitting, member: str, number: int) -> NextEntry:
    """Have a contact asked for the turn of a member. Raises ``NotYetError`` until it is there; that
    it failed is an entry.
    """
    contact = sitting.seat(member).contact
    there = _of(ports, sitting, contact)
    asked = there.asked or {}
    if asked.get("failed") and (asked["by"], asked["round"]) == (member, number):
        _note(ports, there, None)
        return NextEntry(Step.FAILED, {"by": member, "code": asked["failed"]})
    if "message" not in asked:
        turn = {"by": member, "step": "turn", "round": number}
        _ask(ports, sitting, there, _counted(there, turn))
    raise NotYetError


def remove(ports: HostPorts, sitting: Sitting, member: str) -> bool:
    """Ask a contact no more, who has not sat down. ``False``: this is no member of one."""
    contact = sitting.seat(member).contact
    if not contact or member in sitting.table.present:
        return False
    there = _of(ports, sitting, contact)
    if there.asked is not None and "message" in there.asked:
        ports.post.settle(there.asked["message"], OutboxState.WITHDRAWN)
    return ports.tables.discussions.move_contact(
        sitting.discussion.id, contact, _HERE, state=TableContactState.LEFT.value
    )


def _attend(ports: HostPorts, sitting: Sitting, there: TableContact) -> bool:
    if there.asked is not None and "message" in there.asked:
        row = ports.post.outgoing(there.asked["message"])
        if row is None:  # words in it were struck: it is asked anew
            _note(ports, there, None)
        elif not _is_over(ports, there.asked, row):
            return False
        else:
            with ports.post.together():
                grew = _settled(ports, sitting, there, row)
            if grew:
                return True
        there = _of(ports, sitting, there.contact)
    gone = there.state is TableContactState.LEFT
    for member in there.members:
        if gone and sitting.table.closed is None and member in sitting.table.present:
            return append(ports.tables, sitting, NextEntry(Step.LEFT, {"by": member})) is not None
    with suppress(ConflictError, NotFoundError):  # no contact any more
        _next(ports, sitting, there)
    return False


def _next(ports: HostPorts, sitting: Sitting, there: TableContact) -> None:
    """Ask a contact for what is next, if anything is."""
    table = sitting.table
    if there.asked is not None and there.asked.get("failed"):
        if there.asked["by"] in table.due_in(there.asked["round"]):
            return
        _note(ports, there, None)  # the table has gone on without it
    if there.state is TableContactState.INVITED and table.closed is None:
        if there.have == 0:
            _ask(ports, sitting, there, {"step": "seat"})
    elif _has_sat(there):
        wanted = _wanted(sitting, there)
        if wanted is not None:
            _ask(ports, sitting, there, _counted(there, wanted))
        elif _is_behind(sitting, there):
            _ask(ports, sitting, there, {"step": "news"})


def _has_sat(there: TableContact) -> bool:
    """Tell whether a contact sat down, and maybe left: nobody else is handed anything."""
    return there.state in {TableContactState.ACCEPTED, TableContactState.LEFT} and bool(there.grant)


def _kept_back(sitting: Sitting, there_are: Iterable[TableContact]) -> list[int]:
    """Return the numbers of entries that a contact lacks and whose words may not be handed, since
    what they were made from is not open any more.
    """
    lacked = min((each.have for each in there_are if _has_sat(each)), default=len(sitting.said))
    return [each.n for each in sitting.said[lacked:] if each.withheld and each.words is not None]


def _wanted(sitting: Sitting, there: TableContact) -> Mapping[str, Any] | None:
    """Give what a contact has the word for next, besides its turn: to sit down, and what it raised
    a hand for.
    """
    is_here = there.state is TableContactState.ACCEPTED and sitting.table.closed is None
    coming = _to_come(sitting, there) if is_here else []
    if coming:
        return {"by": coming[0], "step": Step.JOINED.value}
    hands = (each for each in there.hands if is_here or each["step"] == Step.STRUCK)
    return next(hands, None)


def _is_behind(sitting: Sitting, there: TableContact) -> bool:
    """Tell whether a contact lacks entries that will not come with its next turn. Its own come back
    with the next that is not its own.
    """
    table = sitting.table
    did, rest = table.members[there.members[0]].did, table.entries[there.have :]
    if table.closed is not None:
        return bool(rest)
    return any(each.iss != did for each in rest) and not _is_next(sitting, there)


def _counted(there: TableContact, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Add how often it was asked already."""
    before = there.asked or {}
    same = all(before.get(name) == each for name, each in asked.items())
    return {**asked, "tries": int(before.get("tries", 0)) if same else 0}


def _to_come(sitting: Sitting, there: TableContact) -> list[str]:
    """Name the members of a contact that never sat down."""
    table = sitting.table
    known = {each.fields["by"] for each in table.entries if each.step is Step.JOINED}
    return [each for each in there.members if each not in known and each not in table.present]


def _is_next(sitting: Sitting, there: TableContact) -> bool:
    table = sitting.table
    due = table.due or table.due_in(table.round + 1)
    return bool(set(due[:1]) & set(there.members))


def _ask(ports: HostPorts, sitting: Sitting, there: TableContact, asked: Mapping[str, Any]) -> None:
    """Put a question into the outbox, with the entries that they do not have. Where these are too
    many for one message, they come first.
    """
    step = asked["step"]
    rest = _said(sitting)[there.have :]
    handed = handing.hand(rest[:1] if step == "seat" else rest)
    if step not in {"seat", "news"} and len(handed) < len(rest):
        asked, step = {"step": "news"}, "news"
    about = {"table": sitting.discussion.id, "entries": handed}
    life = WORD_SECONDS if "round" in asked else HAND_SECONDS
    match step:
        case "seat":
            body = {"seat": {**about, "members": list(there.members)}}
            left = sitting.table.opening.fields["exp"] - ports.now
            life = max(60, min(limits.MESSAGE_LIFE, left))
        case "news":
            body = {"news": about}
            life = limits.MESSAGE_LIFE if sitting.table.closed is not None else HAND_SECONDS
        case _:
            wanted = {name: asked[name] for name in ("by", "step", "round") if name in asked}
            body = {"word": {**about, **wanted}}
    to = ports.contacts.get(ContactId(there.contact))
    with ports.post.together():
        row = queue(ports.signing, to, Verb.DISCUSS, body, life=life)
        handed_to = there.have + len(handed)
        _note(ports, there, {**asked, "message": row.id, "until": row.until, "to": handed_to})


def _said(sitting: Sitting) -> list[Said]:
    return [(entry, sitting.table.words.get(entry.n)) for entry in sitting.table.entries]


# --- what they answered --------------------------------------------------------------------------


def _is_over(ports: HostPorts, asked: Mapping[str, Any], row: OutboxRow) -> bool:
    """Tell whether a question has its answer, or will have none; one that waits too long is taken
    back.
    """
    if row.state is not OutboxState.WAITING:
        return True
    if ports.now < int(asked["until"]):
        return False
    ports.post.settle(row.id, OutboxState.WITHDRAWN, code=row.code)
    return True


def _settled(ports: HostPorts, sitting: Sitting, there: TableContact, row: OutboxRow) -> bool:
    """Take an answer, or that there is none. Returns whether the record grew."""
    asked = there.asked or {}
    receipt = None if row.state is not OutboxState.ANSWERED else row.receipt
    if receipt is None:
        _failed(ports, there, asked, Code(row.code) if row.code else Code.BUSY)
        grew = False
    else:
        grew = _answered(ports, sitting, there, receipt)
    ports.post.forget_sent(row.id)  # words of the table stand in it
    return grew


def _answered(
    ports: HostPorts, sitting: Sitting, there: TableContact, receipt: Mapping[str, Any]
) -> bool:
    asked, here = there.asked or {}, ports.tables.discussions
    have = min(int(receipt["have"]), int(asked["to"]), len(sitting.table.entries))
    here.move_contact(there.discussion, there.contact, have=have, asked=None)
    if asked["step"] in {"seat", "news"}:
        return False
    if have < int(asked["to"]) or "entry" not in receipt:
        _failed(ports, there, asked, Code.MALFORMED)
        return False
    try:
        made = _read(ports, there, asked, receipt)
        stale = made.signed is not None and made.signed.n != len(sitting.table.entries)
        if stale and int(asked.get("tries", 0)) < TRIES:
            _note(ports, there, _anew(asked))  # somebody spoke meanwhile
            return False
        grew = append(ports.tables, sitting, made) is not None
    except Refusal as refusal:
        _failed(ports, there, asked, refusal.code)
        return False
    if grew:
        here.lower_hand(there.discussion, there.contact, _hand_of(asked))
        if made.signed is not None and made.signed.step is Step.LEFT:
            _left(ports, sitting, there)
    return grew


def _left(ports: HostPorts, sitting: Sitting, there: TableContact) -> None:
    """Note that a contact is gone, once all of its members are."""
    if not set(there.members) & sitting.table.present:
        ports.tables.discussions.move_contact(
            there.discussion, there.contact, _HERE, state=TableContactState.LEFT.value
        )


def _read(
    ports: HostPorts, there: TableContact, asked: Mapping[str, Any], receipt: Mapping[str, Any]
) -> NextEntry:
    """Read an entry that came back. Refuses another one than was asked for, and one without its
    words.
    """
    entry = Entry.read(receipt["entry"])
    words = Words.read(receipt["words"]) if "words" in receipt else None
    if entry.iss != ports.contacts.get(ContactId(there.contact)).did:
        raise Refusal(Code.SENDER_MISMATCH, "entry.iss")
    if entry.ts > ports.now + limits.SKEW:
        raise Refusal(Code.FROM_FUTURE, "entry.ts")
    by = entry.fields.get("by", asked["by"])
    if (entry.step.value, by) != (asked["step"], asked["by"]):
        raise Refusal(Code.SENDER_MISMATCH, "entry.by")
    if ("words" in entry.fields) != (words is not None):
        raise Refusal(Code.MALFORMED, "words")
    return NextEntry(entry.step, {}, words, signed=entry)


def _anew(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Keep what was asked, to be asked anew."""
    kept = {name: asked[name] for name in ("by", "step", "round") if name in asked}
    return {**kept, "tries": int(asked.get("tries", 0)) + 1}


def _failed(ports: HostPorts, there: TableContact, asked: Mapping[str, Any], code: Code) -> None:
    """Note that a contact did not do what it was asked for."""
    here, step = ports.tables.discussions, asked["step"]
    over = code in _OVER or (step in {"seat", "news"} and code is not Code.BUSY)
    log.warning("A contact at a table did not take the word: %s (%s)", code.value, step)
    if "round" in asked:
        failed = {name: asked[name] for name in ("by", "step", "round")}
        _note(ports, there, {**failed, "failed": code.value})
    else:
        _note(ports, there, None)
        if step not in {"seat", "news"}:
            here.lower_hand(there.discussion, there.contact, _hand_of(asked))
    if over:
        gone = TableContactState.DECLINED if step == "seat" else TableContactState.LEFT
        here.move_contact(there.discussion, there.contact, _HERE, state=gone.value)


def _hand_of(asked: Mapping[str, Any]) -> dict[str, str]:
    return {"by": str(asked["by"]), "step": str(asked["step"])}


def _note(ports: HostPorts, there: TableContact, asked: Mapping[str, Any] | None) -> None:
    kept = None if asked is None else dict(asked)
    ports.tables.discussions.move_contact(there.discussion, there.contact, asked=kept)


def _of(ports: HostPorts, sitting: Sitting, contact: str) -> TableContact:
    for each in ports.tables.discussions.contacts_at(sitting.discussion.id):
        if each.contact == contact:
            return each
    raise NotFoundError("contact", contact)
