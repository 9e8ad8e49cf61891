"""Contacts at a table of this node: each is asked for what it says, one thing at a time, and has
the entries handed that it does not have.

What is asked stands in the outbox, and what was asked in the row of the contact, so that a node
that was killed goes on with it. What comes back is checked like any entry before it is added; a
contact who does not answer in time, or answers with what may not stand there, has failed, and the
rest go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from lpm_kernel.domain.share.discussions import DiscussionId, TableContact, TableContactState
from lpm_kernel.domain.share.network import Contact, ContactId, ContactState, OutboxState
from lpm_kernel.errors import ConflictError, NotFoundError
from lpm_kernel.usecases.share.outgoing import queue
from lpm_kernel.usecases.share.table_answers import (
    HERE,
    TRIES,
    HostPorts,
    contact_at,
    is_over,
    lasting,
    move,
    resting,
    settled,
)
from lpm_kernel.usecases.share.table_steps import NotYetError
from lpm_kernel.usecases.share.tables import NextEntry, Sitting, append, is_recovering, load
from protocol import handing, limits
from protocol.discussion import Step
from protocol.ledger import Said
from protocol.messages import Verb
from protocol.refusals import Code, Refusal
from protocol.table_grants import TableGrant

WORD_SECONDS: Final = 300
"""How long a contact has the word, from the first time that it is asked for this turn, before it
failed to take it.
"""
HAND_SECONDS: Final = 90
"""Likewise where their node has only to sign what there is already."""


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
        case "decline":
            _declined(ports, there)
        case _:
            if body["by"] not in there.members:
                raise Refusal(Code.NO_GRANT, "by")
            # who goes, goes with all of its members
            members = there.members if body["step"] == Step.LEFT else (str(body["by"]),)
            for by in members:
                here.raise_hand(identifier, sender.id, {"by": by, "step": str(body["step"])})
    return known.entries


def _declined(ports: HostPorts, there: TableContact) -> None:
    """Note that a contact does not sit down, or goes."""
    for before, after in (
        (TableContactState.INVITED, TableContactState.DECLINED),
        (TableContactState.ACCEPTED, TableContactState.LEFT),
    ):
        if ports.tables.discussions.move_contact(
            there.discussion, there.contact, [before], state=after.value
        ):
            return


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
    if not is_recovering(ports.tables, sitting):
        return _goes_on(ports, sitting)
    identifier = sitting.discussion.id
    with ports.post.together():  # what has to be struck of what came back is struck with it
        there_are = ports.tables.discussions.contacts_at(identifier)
        grew = any(_attend(ports, sitting, there) for there in _asked_back(there_are))
        if is_recovering(ports.tables, sitting):  # nothing is written before it is known what was
            return grew
        return _goes_on(ports, load(ports.tables.discussions, identifier)) or grew


def _goes_on(ports: HostPorts, sitting: Sitting) -> bool:
    there_are = ports.tables.discussions.contacts_at(sitting.discussion.id)
    if ahead := [each for each in there_are if each.is_ahead]:  # nobody waits for them any more
        for there in ahead:
            move(ports, there, read=there, asked={**(there.asked or {}), "ahead": 0})
        there_are = ports.tables.discussions.contacts_at(sitting.discussion.id)
    lost = sitting.table.withheld or _kept_back(sitting, there_are)
    if lost:
        struck = NextEntry(Step.STRUCK, {"entry": lost[0]})
        return append(ports.tables, sitting, struck) is not None
    return any(_attend(ports, sitting, there) for there in there_are)


def _asked_back(there_are: Iterable[TableContact]) -> list[TableContact]:
    """Choose which contacts are asked for what was lost now: all; then one who has a tail, rather
    of others than of their own.
    """
    ahead = [each for each in there_are if each.is_ahead]
    first = [each for each in ahead if not each.tail and each.quiet < TRIES]
    tails = sorted((each for each in ahead if each.tail), key=lambda each: each.tail == "own")
    silent = [each for each in ahead if not each.tail and each.quiet >= TRIES]
    return first or tails[:1] or silent


def is_waiting(ports: HostPorts, sitting: Sitting) -> bool:
    """Tell whether the table waits for somebody who was asked to it, is about to sit down, or
    raised a hand, or for entries that were lost here.
    """
    there_are = ports.tables.discussions.contacts_at(sitting.discussion.id)
    over = ports.now >= sitting.table.opening.fields["exp"]
    return is_recovering(ports.tables, sitting) or (
        not over and any(_is_waited_for(ports, sitting, each) for each in there_are)
    )


def _is_waited_for(ports: HostPorts, sitting: Sitting, there: TableContact) -> bool:
    """Tell whether a table waits for a contact besides its turn. For a hand of who did not do what
    it was asked for before, nobody waits, nor for an answer of who is no contact any more.
    """
    if there.state is not TableContactState.ACCEPTED:
        return there.state is TableContactState.INVITED and _is_contact(ports, there)
    quiet = there.quiet
    return bool(there.hands and not quiet) or (quiet < TRIES and bool(_to_come(sitting, there)))


def _is_contact(ports: HostPorts, there: TableContact) -> bool:
    try:
        known = ports.contacts.get(ContactId(there.contact))
    except NotFoundError:
        return False
    return known.state is ContactState.ACTIVE


def speak(ports: HostPorts, sitting: Sitting, member: str, number: int) -> NextEntry:
    """Have a contact asked for the turn of a member. Raises ``NotYetError`` until it is there; that
    it failed is an entry.
    """
    there = contact_at(ports, sitting, sitting.seat(member).contact)
    asked = there.asked or {}
    if _is_to_be_noted(sitting, asked) and (asked["by"], asked["round"]) == (member, number):
        return NextEntry(Step.FAILED, {"by": member, "code": asked["failed"]})
    if "message" not in asked:
        turn = _turn(ports, sitting, there, member, number)
        if ports.now >= turn["since"] + WORD_SECONDS:
            return NextEntry(Step.FAILED, {"by": member, "code": Code.BUSY})
        wanted = {"by": member, "step": "turn", "round": number, "turn": turn}
        _ask(ports, sitting, there, wanted)
    raise NotYetError


def _turn(
    ports: HostPorts, sitting: Sitting, there: TableContact, member: str, number: int
) -> Mapping[str, Any]:
    """Say since when a contact has the word for a turn; anew once it had it, or the table was
    paused.
    """
    known, entries = (there.asked or {}).get("turn"), sitting.table.entries
    if known is not None and (known["by"], known["round"]) == (member, number):
        since = entries[known["at"] :]
        if not any(
            each.step is Step.RESUMED
            or (each.step in {Step.FAILED, Step.TURN} and each.fields["by"] == member)
            for each in since
        ):
            return dict(known)
    return {"by": member, "round": number, "since": ports.now, "at": len(entries)}


def remove(ports: HostPorts, sitting: Sitting, member: str) -> bool:
    """Ask a contact no more, who has not sat down. ``False``: this is no member of one."""
    contact = sitting.seat(member).contact
    if not contact or member in sitting.table.present:
        return False
    there = contact_at(ports, sitting, contact)
    if there.asked is not None and "message" in there.asked:
        ports.post.settle(there.asked["message"], OutboxState.WITHDRAWN)
    return ports.tables.discussions.move_contact(
        sitting.discussion.id, contact, HERE, state=TableContactState.LEFT.value
    )


def _attend(ports: HostPorts, sitting: Sitting, there: TableContact) -> bool:
    if there.asked is not None and "message" in there.asked:
        row = ports.post.outgoing(there.asked["message"])
        if row is None:  # words in it were struck: it is asked anew
            move(ports, there, read=there, asked=lasting(there))
        elif not is_over(ports, there.asked, row):
            return False
        else:
            with ports.post.together():
                grew = settled(ports, sitting, there, row)
            if grew:
                return True
        there = contact_at(ports, sitting, there.contact)
    gone = there.state is TableContactState.LEFT and not there.is_ahead
    for member in there.members:
        if gone and sitting.table.closed is None and member in sitting.table.present:
            return append(ports.tables, sitting, NextEntry(Step.LEFT, {"by": member})) is not None
    try:
        _next(ports, sitting, there)
    except (ConflictError, NotFoundError):  # no contact any more
        move(ports, there, asked={**resting(ports, there), "ahead": 0})
    return False


def _next(ports: HostPorts, sitting: Sitting, there: TableContact) -> None:
    """Ask a contact for what is next, if anything is."""
    table, asked = sitting.table, there.asked or {}
    if "message" in asked or ports.now < asked.get("rest", 0):
        return
    if there.is_ahead:
        _ask(ports, sitting, there, {"step": "behind"})
        return
    if _is_to_be_noted(sitting, asked) and asked["by"] in table.due_in(asked["round"]):
        return
    if there.state is TableContactState.INVITED and table.closed is None:
        if there.have == 0:
            _ask(ports, sitting, there, {"step": "seat"})
    elif _is_told(sitting, there):
        wanted = _wanted(sitting, there)
        if wanted is not None:
            _ask(ports, sitting, there, wanted)
        elif _is_behind(sitting, there):
            _ask(ports, sitting, there, {"step": "news"})


def _kept_back(sitting: Sitting, there_are: Iterable[TableContact]) -> list[int]:
    """Return the numbers of entries that a contact lacks and whose words may not be handed, since
    what they were made from is not open any more.
    """
    told = (each.have for each in there_are if _is_told(sitting, each))
    lacked = min(told, default=len(sitting.said))
    return [each.n for each in sitting.said[lacked:] if each.withheld and each.words is not None]


def _is_told(sitting: Sitting, there: TableContact) -> bool:
    """Tell whether a contact is handed what is said: who sits there, and who sat there and has the
    record still.
    """
    sat = bool(there.have) and len(_to_come(sitting, there)) < len(there.members)
    return there.state is TableContactState.ACCEPTED or (
        there.state is TableContactState.LEFT and sat
    )


def _is_to_be_noted(sitting: Sitting, asked: Mapping[str, Any]) -> bool:
    """Tell whether a contact failed to take its turn, and the record does not say so yet."""
    since = sitting.table.entries[asked["to"] :] if "failed" in asked else ()
    return "failed" in asked and not any(
        each.step is Step.FAILED and each.fields["by"] == asked["by"] for each in since
    )


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
    if step not in {"seat", "news", "behind"} and len(handed) < len(rest):
        since = {"turn": asked["turn"]} if "turn" in asked else {}
        asked, step = {**since, "step": "news"}, "news"
    about: dict[str, Any] = {"table": sitting.discussion.id, "entries": handed}
    life = HAND_SECONDS
    match step:
        case "behind":
            body = {"behind": {"table": about["table"], "n": there.ahead_from}}
            handed = []
        case "seat":
            body = {"seat": {**about, "members": list(there.members)}}
            left = sitting.table.opening.fields["exp"] - ports.now
            life = max(60, min(limits.MESSAGE_LIFE, left))
        case "news":
            body = {"news": about}
            life = limits.MESSAGE_LIFE if sitting.table.closed is not None else HAND_SECONDS
        case _:
            wanted = {name: asked[name] for name in ("by", "step", "round") if name in asked}
            body = {"word": {**about, **wanted, "n": len(sitting.table.entries)}}
            if "turn" in asked:
                life = max(1, asked["turn"]["since"] + WORD_SECONDS - ports.now)
    to = ports.contacts.get(ContactId(there.contact))
    with ports.post.together():
        row = queue(ports.signing, to, Verb.DISCUSS, body, life=life)
        noted = {"message": row.id, "until": row.until, "quiet": there.quiet}
        asked = {**lasting(there), **asked, **noted}
        asked["to"] = there.have + len(handed)
        if not move(ports, there, read=there, asked=asked):  # somebody asked before
            ports.post.settle(row.id, OutboxState.WITHDRAWN)
            ports.post.forget_sent(row.id)


def _said(sitting: Sitting) -> list[Said]:
    return [(entry, sitting.table.words.get(entry.n)) for entry in sitting.table.entries]
