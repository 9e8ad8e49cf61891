"""What contacts at a table of this node answered, once each: an entry that is checked like any
before it is added, that they have what they were handed, or nothing; and how they stand then.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from lpm_kernel.domain.share.discussions import TableContact, TableContactState
from lpm_kernel.domain.share.network import ContactId, OutboxRow, OutboxState, pause
from lpm_kernel.domain.stores import Contacts, Post
from lpm_kernel.errors import NotFoundError
from lpm_kernel.usecases.share.outgoing import Signing
from lpm_kernel.usecases.share.table_recovery import take_back
from lpm_kernel.usecases.share.tables import SILENT, NextEntry, Sitting, TablePorts, append
from protocol import limits
from protocol.discussion import Entry, Step, Words
from protocol.refusals import MEANINGS, Again, Code, Refusal

log = logging.getLogger(__name__)

TRIES: Final = SILENT
"""Times in a row that nothing comes of what a contact is asked, before it is waited for no more;
who answers so often without having more of the record has left.
"""
LONGEST_REST: Final = 600
"""Seconds for which a contact is asked nothing but for its turn, after nothing came of it."""
_LASTING: Final = ("ahead", "tail", "top", "turn")
"""What is known of a contact beyond one question: that they may have more of the record, how many
entries they once had, and since when they have the word.
"""
HERE: Final = (TableContactState.INVITED, TableContactState.ACCEPTED)
_NOTHING_THERE: Final = frozenset({Code.NO_GRANT, Code.UNSUPPORTED_VERSION})
"""With these a contact says that it has no such table any more."""
_OVER: Final = _NOTHING_THERE | {Code.REVOKED, Code.GRANT_EXPIRED}
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


def is_over(ports: HostPorts, asked: Mapping[str, Any], row: OutboxRow) -> bool:
    """Tell whether a question has its answer, or will have none; one that waits too long is taken
    back.
    """
    if row.state is not OutboxState.WAITING:
        return True
    if ports.now < int(asked["until"]):
        return False
    ports.post.settle(row.id, OutboxState.WITHDRAWN, code=row.code)
    return True


def settled(ports: HostPorts, sitting: Sitting, there: TableContact, row: OutboxRow) -> bool:
    """Take an answer, or that there is none, once. Returns whether the record grew."""
    if not move(ports, there, read=there, asked=lasting(there)):
        return False
    receipt = None if row.state is not OutboxState.ANSWERED else row.receipt
    if there.is_ahead:
        grew = _is_told_what_was_lost(ports, sitting, there, row)
    elif receipt is None:
        _failed(ports, there, Code(row.code) if row.code else Code.BUSY)
        grew = False
    else:
        grew = _answered(ports, sitting, there, receipt)
    ports.post.forget_sent(row.id)  # words of the table stand in it
    return grew


def _answered(
    ports: HostPorts, sitting: Sitting, there: TableContact, receipt: Mapping[str, Any]
) -> bool:
    asked, entries = there.asked or {}, sitting.table.entries
    to = int(asked["to"])
    if int(receipt["have"]) > len(entries):  # what nobody handed them
        _not_taken(ports, there)
        return False
    had, have = there.have, min(int(receipt["have"]), to)
    top = max(had, asked.get("top", 0))
    there = replace(there, have=have, asked={**asked, "top": max(top, have)})
    move(ports, there, have=have, asked=lasting(there))
    brought = asked["step"] in {"seat", "news"}
    if have <= had if brought else have < to:
        _not_taken(ports, there)
        return False
    if brought:  # what they once had is no progress
        if have <= top:
            move(ports, there, asked={**lasting(there), "quiet": there.quiet})
        return False
    try:
        made = _read(ports, there, receipt)
        if made.signed is not None and made.signed.n == to < len(entries):
            # somebody spoke meanwhile: it is asked for again, with as much time
            move(ports, there, asked={**lasting(there), "turn": None})
            return False
        grew = append(ports.tables, sitting, made) is not None
    except Refusal as refusal:
        _failed(ports, there, refusal.code)
        return False
    if grew:
        ports.tables.discussions.lower_hand(there.discussion, there.contact, _hand_of(asked))
        if asked["step"] == Step.LEFT:
            _left(ports, sitting, there)
    return grew


def _is_told_what_was_lost(
    ports: HostPorts, sitting: Sitting, there: TableContact, row: OutboxRow
) -> bool:
    """Take entries that this node lost from the answer to a question for them; any other that was
    on its way is asked again. Returns whether the record grew.
    """
    asked = there.asked or {}
    if asked["step"] != "behind":
        return False
    if row.state is not OutboxState.ANSWERED or row.receipt is None:
        code = Code(row.code) if row.code else Code.BUSY
        refused, after = MEANINGS[code].again is not Again.SAME, resting(ports, there)
        move(ports, there, asked={**after, "ahead": 0} if refused else after)
        if refused and code in _OVER and there.state is TableContactState.ACCEPTED:
            _gone(ports, there, keeps=False)
        return False
    before, receipt = len(sitting.table.entries), row.receipt
    try:
        now, left = take_back(ports.tables, sitting, receipt, tail=bool(there.tail))
    except Refusal as refusal:
        log.warning("What a contact has of a table does not follow: %s", refusal.code.value)
        _not_taken(ports, replace(there, asked={**asked, "ahead": 0}))
        return False
    entries, to = now.table.entries, there.ahead_from + len(receipt.get("entries", ()))
    have = min(int(receipt["have"]), len(entries))
    after = {"top": have, "ahead": 0}
    if left:  # what this node signed none of is taken once all have answered
        did = ports.contacts.get(ContactId(there.contact)).did
        whose = "own" if left[0][0].iss == did else "others"
        after |= {"ahead": len(entries), "tail": whose}
    elif int(receipt["have"]) > to > there.ahead_from:  # there are more than fit into one answer
        after |= {"ahead": to}
    move(ports, there, have=have, asked=after)
    return len(entries) > before


def _left(ports: HostPorts, sitting: Sitting, there: TableContact) -> None:
    """Note that a contact is gone, once all of its members are."""
    if not set(there.members) & sitting.table.present:
        ports.tables.discussions.move_contact(
            there.discussion, there.contact, HERE, state=TableContactState.LEFT.value
        )


def _read(ports: HostPorts, there: TableContact, receipt: Mapping[str, Any]) -> NextEntry:
    """Read an entry that came back. Refuses another one than was asked for, and one without its
    words.
    """
    if "entry" not in receipt:
        raise Refusal(Code.MALFORMED, "entry")
    asked, entry = there.asked or {}, Entry.read(receipt["entry"])
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


def _failed(ports: HostPorts, there: TableContact, code: Code) -> None:
    """Note that a contact did not do what it was asked for. A hand is up until it was refused: who
    is busy, or was not reached, is asked again.
    """
    asked = there.asked or {}
    step, refused = asked["step"], MEANINGS[code].again is not Again.SAME
    log.warning("A contact at a table did not take the word: %s (%s)", code.value, step)
    after = resting(ports, there)
    if "round" in asked:
        failed = {name: asked[name] for name in ("by", "step", "round", "to")}
        after = {**lasting(there), **failed, "failed": code.value, "quiet": after["quiet"]}
    elif refused and "by" in asked:
        ports.tables.discussions.lower_hand(there.discussion, there.contact, _hand_of(asked))
    move(ports, there, asked=after)
    over = code in _OVER or (refused and step in {"seat", Step.JOINED.value})
    if over or (refused and step == "news" and after["quiet"] >= TRIES):
        _gone(ports, there, keeps=over and code not in _NOTHING_THERE)


def _not_taken(ports: HostPorts, there: TableContact) -> None:
    """Note that a contact answered without having what it was handed."""
    after = resting(ports, there)
    move(ports, there, asked=after)
    if after["quiet"] >= TRIES:
        _gone(ports, there, keeps=False)


def _gone(ports: HostPorts, there: TableContact, *, keeps: bool) -> None:
    """Note that a contact says nothing any more. Who does not keep the record either is handed
    nothing more.
    """
    invited = there.state is TableContactState.INVITED
    state = TableContactState.DECLINED if invited else TableContactState.LEFT
    move(ports, there, HERE, state=state.value)
    if not keeps:
        move(ports, there, have=0)


def resting(ports: HostPorts, there: TableContact) -> dict[str, Any]:
    """Have a contact left alone, longer each time."""
    quiet = there.quiet + 1
    rest = ports.now + min(pause(quiet, 0.0), LONGEST_REST)
    return {**lasting(there), "quiet": quiet, "rest": rest}


def lasting(there: TableContact) -> dict[str, Any]:
    """Give what is known of a contact beyond the question that is over."""
    return {name: each for name, each in (there.asked or {}).items() if name in _LASTING}


def _hand_of(asked: Mapping[str, Any]) -> dict[str, str]:
    return {"by": str(asked["by"]), "step": str(asked["step"])}


def move(
    ports: HostPorts,
    there: TableContact,
    before: Collection[TableContactState] = (),
    *,
    read: TableContact | None = None,
    **values: object,
) -> bool:
    """Change how a contact stands, if it is as it was ``read``, and stood as one of ``before``."""
    here = ports.tables.discussions
    return here.move_contact(there.discussion, there.contact, before, read=read, **values)


def contact_at(ports: HostPorts, sitting: Sitting, contact: str) -> TableContact:
    """Return how a contact stands at a table. Raises ``NotFoundError``."""
    for each in ports.tables.discussions.contacts_at(sitting.discussion.id):
        if each.contact == contact:
            return each
    raise NotFoundError("contact", contact)
