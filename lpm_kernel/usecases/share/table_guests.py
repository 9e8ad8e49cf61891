"""This person at the table of a contact: what comes from its host is checked from the opening on
before it is kept, and what is said there is made under the grant for this table alone, signed, and
kept before it leaves.

The host asks for each entry; nothing is signed unasked, so that entries have one order. What was
signed and did not get in, because another entry came between, is signed again in the next place in
the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from lpm_kernel.domain.share.discussions import (
    Discussion,
    DiscussionId,
    SaidEntry,
    Seat,
    TableContact,
    TableContactState,
)
from lpm_kernel.domain.share.network import Contact
from lpm_kernel.errors import CorruptHomeError, NotFoundError
from lpm_kernel.usecases.share.outgoing import new_id
from lpm_kernel.usecases.share.tables import (
    NextEntry,
    Sitting,
    TablePorts,
    is_unaccounted,
    load,
    state_of,
)
from protocol import handing
from protocol.discussion import Entry, Speaker, Step, Words
from protocol.identity import Did
from protocol.ledger import Said
from protocol.messages import Message
from protocol.refusals import Code, Refusal
from protocol.scope import Scope
from protocol.table_grants import HeldTableGrant, TableGrant, TurnRequest, allows_turn
from protocol.tables import Table

ELSEWHERE: Final = "-"
"""In place of the contact of a member whose node is known to the host alone."""
MOST_INVITATIONS: Final = 20
"""Of one contact that wait for the person."""

Compose = Callable[[Sitting, str, int, Scope], NextEntry]
"""Makes the turn of this person's second self in a round, from a scope. Raises ``Refusal``."""
Own = Mapping[str, Any]


@dataclass(frozen=True)
class GuestPorts:
    """What a table of somebody else is kept by."""

    tables: TablePorts
    compose: Compose

    @property
    def did(self) -> Did:
        """Say who this node is."""
        return self.tables.keystore.keys.identity.did


def seat(ports: GuestPorts, host: Contact, body: Mapping[str, Any]) -> int:
    """Take an invitation to a table. Returns how many of its entries are here. Raises
    ``Refusal``.
    """
    here, identifier = ports.tables.discussions, DiscussionId(body["table"])
    known = _record(ports, identifier, host)
    if known is not None:
        _there(ports, host, identifier)
        return len(known)  # one message is all that is kept before somebody sits down
    if here.was_deleted(identifier):
        raise Refusal(Code.NO_GRANT, "table")
    if invited(ports.tables, host.id) >= MOST_INVITATIONS:
        raise Refusal(Code.BUSY, "table")
    table = _taken(ports, host, body, None)
    for member in body["members"]:
        if member not in table.members or table.members[member].did != ports.did:
            raise Refusal(Code.SENDER_MISMATCH, "members")
        if table.members[member].kind is Speaker.ROLE:
            raise Refusal(Code.OUT_OF_SCOPE, "members")
    _begin(ports, host, table, body["members"])
    return _keep(ports, identifier, table)


def news(ports: GuestPorts, host: Contact, body: Mapping[str, Any]) -> int:
    """Take entries, once this person sat down. Returns how many are here. Raises ``Refusal``."""
    there = _there(ports, host, body["table"])
    if there.state is TableContactState.INVITED:
        raise Refusal(Code.NO_GRANT, "table")
    known = _record(ports, there.discussion, host)
    return _keep(ports, there.discussion, _taken(ports, host, body, known))


def behind(
    ports: GuestPorts, host: Contact, body: Mapping[str, Any]
) -> tuple[list[SaidEntry], int]:
    """Give a host who lost entries those that are here from a number on, and how many there are in
    all. What was made from something that is not open any more has no words. Raises ``Refusal``.
    """
    there = _there(ports, host, body["table"])
    if there.state is TableContactState.INVITED:
        raise Refusal(Code.NO_GRANT, "table")
    sitting = load(ports.tables.discussions, there.discussion)
    closed = {each.n for each in sitting.said if each.withheld}
    bare = {each.n for each in sitting.table.entries if each.shows(closed)}
    if there.state is TableContactState.ACCEPTED and not sitting.table.present & set(there.members):
        # the host may have lost that this person sits down, too: it is told again
        asked = {**(there.asked or {}), "accept": ""}
        ports.tables.discussions.move_contact(there.discussion, there.contact, asked=asked)
    lost = sitting.said[body["n"] :]
    return [replace(each, words=None) if each.n in bare else each for each in lost], len(
        sitting.said
    )


def word(
    ports: GuestPorts, host: Contact, body: Mapping[str, Any]
) -> tuple[int, tuple[Entry, Words | None, Sequence[str]] | None]:
    """Say what the host asks for, after the entries that came with it. Returns how many were here
    before, and the entry with its words and what it was made from; without one where this record is
    not as long as the host's. Raises ``Refusal``.
    """
    there, step, by = _there(ports, host, body["table"]), Step(body["step"]), str(body["by"])
    if by not in there.members:
        raise Refusal(Code.NO_GRANT, "by")
    if there.state is TableContactState.INVITED:
        raise Refusal(Code.NO_GRANT, "grant")
    known = _record(ports, there.discussion, host)
    _keep(ports, there.discussion, _taken(ports, host, body, known))
    there, sitting = (
        _there(ports, host, body["table"]),
        load(ports.tables.discussions, there.discussion),
    )
    if len(sitting.table.entries) != body["n"]:
        return len(sitting.table.entries), None
    if there.state is TableContactState.LEFT and step not in {Step.LEFT, Step.STRUCK}:
        raise Refusal(Code.REVOKED, "grant")
    own = next((each for each in there.own if (each["by"], each["step"]) == (by, step)), None)
    if own is not None and own.get("gone"):
        raise Refusal(Code.OUT_OF_SCOPE, "words")  # they were erased, and may be on their way
    if step is Step.TURN and sitting.table.members[by].kind is Speaker.TWIN:
        if own is not None and own["round"] != body.get("round"):
            ports.tables.discussions.drop_own(there.discussion, there.contact, [own["id"]])
            own = None  # it did not get in, and its round is over
        own, spend = _turn(ports, host, (there, sitting), own, body)
    else:
        own, spend = _wanted(there, sitting, own, (by, step)), None
    return body["n"], _signed(ports, there, sitting, own, spend)


def _turn(
    ports: GuestPorts,
    host: Contact,
    at: tuple[TableContact, Sitting],
    own: Own | None,
    body: Mapping[str, Any],
) -> tuple[Own, int | None]:
    """Give the turn of the second self, made under the grant for this table, and out of how many
    it has to be spent still. Raises ``Refusal``.
    """
    there, sitting = at
    by, number = str(body["by"]), int(body.get("round", 0))
    grant = TableGrant.read(there.grant)
    scope = _allowed(ports, host, there, grant, sitting.table, again=own is not None)
    if by not in sitting.table.due_in(number):
        raise Refusal(Code.OUT_OF_SCOPE, "by")
    if own is not None:
        return own, None
    made = ports.compose(sitting, by, number, scope)
    return own_of(made, by, number), grant.turns


def _allowed(
    ports: GuestPorts,
    host: Contact,
    there: TableContact,
    grant: TableGrant,
    table: Table,
    *,
    again: bool,
) -> Scope:
    rules = table.opening.fields
    spent = max(there.turns - again, _turns_said(ports, table))  # a restore forgets what was spent
    held = HeldTableGrant(grant, there.revoked_at is not None, spent)
    asked = TurnRequest(Did(host.did), ports.did, there.discussion, rules["bytes"], rules["tokens"])
    scope = allows_turn(held, asked, int(ports.tables.clock.now().timestamp()))
    if isinstance(scope, Refusal):
        raise scope
    return scope


def _turns_said(ports: GuestPorts, table: Table) -> int:
    """Count the turns of the second self that stand in the record."""
    mine = [table.members[each.fields["by"]] for each in table.turns if each.iss == ports.did]
    return sum(each.kind is Speaker.TWIN for each in mine)


def _wanted(there: TableContact, sitting: Sitting, own: Own | None, named: tuple[str, Step]) -> Own:
    """Give what the person wanted to say, or the word that a member is there. Raises ``Refusal``
    where there is nothing.
    """
    by, step = named
    if step is Step.JOINED and there.state is TableContactState.ACCEPTED and own is None:
        twin = sitting.table.members[by].kind is Speaker.TWIN
        grant = TableGrant.read(there.grant).id if twin else None
        return own_of(NextEntry(Step.JOINED, {"by": by, "grant": grant}), by)
    if own is None:
        raise Refusal(Code.OUT_OF_SCOPE, "step")
    return own


def own_of(made: NextEntry, by: str, number: int = 0) -> Own:
    """Write down what this node says, unsigned."""
    return {
        "id": new_id(),
        "by": by,
        "step": made.step.value,
        "round": number,
        "body": dict(made.body),
        "words": None if made.words is None else made.words.json,
        "documents": list(made.documents),
        "basis": [dict(each) for each in made.basis],
        "entry": None,
    }


def strike_of(there: TableContact, number: int) -> Own:
    """Write down that this node strikes an entry of its own."""
    by = there.members[0]
    return {**own_of(NextEntry(Step.STRUCK, {"entry": number}), by), "id": _strike_id(number)}


def _strike_id(number: int) -> str:
    return f"struck-{number}"


def _signed(
    ports: GuestPorts, there: TableContact, sitting: Sitting, own: Own, turns: int | None
) -> tuple[Entry, Words | None, Sequence[str]]:
    """Sign what is said in the next place, unless it is signed for that one; kept before it is
    given back. Raises ``Refusal``.
    """
    table = sitting.table
    words = None if own["words"] is None else Words.read(own["words"])
    entry = None if own["entry"] is None else Entry.read(own["entry"])
    have = len(table.entries)
    if entry is None or (entry.n, entry.prev) != (have, table.head.hash):
        body = dict(own["body"]) | ({} if words is None else {"words": words.hash})
        if own["step"] == Step.TURN and table.members[own["by"]].kind is Speaker.PERSON:
            body["round"] = table.round
        entry = Entry.write(
            ports.tables.keystore.keys.identity,
            table.opening.table,
            table.head.place,
            int(ports.tables.clock.now().timestamp()),
            Step(own["step"]),
            **body,
        )
    table.take(entry, words)
    kept = {**own, "entry": entry.text}
    if not ports.tables.discussions.put_own(there.discussion, there.contact, kept, turns):
        # what was signed before is made from something that is not open any more
        raise Refusal(Code.BUSY if own["entry"] is None else Code.OUT_OF_SCOPE, "own")
    return entry, words, own["documents"]


# --- the record ----------------------------------------------------------------------------------


def _there(ports: GuestPorts, host: Contact, table: str) -> TableContact:
    """Give how this person stands at a table of this host. Raises ``Refusal``: nobody learns at
    which tables of others somebody sits.
    """
    try:
        known = ports.tables.discussions.get(DiscussionId(table))
    except NotFoundError:
        raise Refusal(Code.NO_GRANT, "table") from None
    there = ports.tables.discussions.contacts_at(known.id)
    if known.host != host.id or not there or there[0].state is TableContactState.DECLINED:
        raise Refusal(Code.NO_GRANT, "table")
    return there[0]


def _record(ports: GuestPorts, identifier: DiscussionId, host: Contact) -> list[Said] | None:
    """Give what is kept of a table of this host; ``None``: nothing. Raises ``Refusal``."""
    try:
        known = ports.tables.discussions.get(identifier)
    except NotFoundError:
        return None
    if known.host != host.id:
        raise Refusal(Code.NO_GRANT, "table")
    return [
        (Entry.read(each.entry), None if each.words is None else Words.read(each.words))
        for each in ports.tables.discussions.entries(identifier)
    ]


def _taken(
    ports: GuestPorts, host: Contact, body: Mapping[str, Any], known: Sequence[Said] | None
) -> Table:
    now = int(ports.tables.clock.now().timestamp())
    came = handing.read(body["entries"])
    table = handing.take((body["table"], Did(host.did)), known or (), came, now)
    there = ports.tables.discussions.contacts_at(DiscussionId(body["table"])) if known else []
    striking = {
        own["body"]["entry"] for each in there for own in each.own if own["step"] == Step.STRUCK
    }
    handing.check_end(table, ports.did, striking)
    return table


def _begin(ports: GuestPorts, host: Contact, table: Table, members: Sequence[str]) -> None:
    now, identifier = ports.tables.clock.now(), DiscussionId(table.opening.table)
    seats = tuple(
        Seat(
            each.id,
            each.kind.value,
            each.name,
            contact="" if each.id in members else host.id if each.did == host.did else ELSEWHERE,
        )
        for each in table.members.values()
    )
    discussion = Discussion(identifier, now, now, state_of(table), seats, host=host.id)
    there = TableContact(identifier, host.id, tuple(members))
    ports.tables.discussions.add(discussion, _row(table, 0, now), [there])


def _keep(ports: GuestPorts, identifier: DiscussionId, table: Table) -> int:
    """Keep what is new of a record. Returns how many entries are here."""
    here, now = ports.tables.discussions, ports.tables.clock.now()
    known = {each.n: each for each in here.entries(identifier)}
    there = here.contacts_at(identifier)[0]
    own = {_hash_of(each): each for each in there.own}
    went = here.gone(identifier)  # also where a restore brings the rest back
    later = _came_later(ports, table, known)
    if later:
        here.put_words(identifier, later)
    for entry in table.entries[len(known) :]:
        mine = own.get(entry.fields.get("words", ""))
        row, state = _row(table, entry.n, now, mine), state_of(table)
        gone = is_unaccounted(ports.did, table, entry) if mine is None else mine.get("gone")
        if gone or entry.shows(went) or not here.append(identifier, row, state, table.gone):
            # what it was made from was erased or made private meanwhile
            bare = replace(row, documents=(), basis=())
            here.append(identifier, bare, state, {*table.gone, entry.n})
    _strike_missing(ports, there, table)
    done = _past(ports, table, there)
    if done:
        here.drop_own(identifier, there.contact, done)
    return len(table.entries)


def _came_later(ports: GuestPorts, table: Table, known: Mapping[int, SaidEntry]) -> dict[int, str]:
    """Give words that were missing and may be kept: none of one's own, which went here, and none
    that quote such.
    """
    missing = {n for n, each in known.items() if each.words is None}
    went = {n for n in missing if table.entries[n].iss == ports.did}
    return {
        n: words.json
        for n, words in table.words.items()
        if n in missing and not table.entries[n].shows(went)
    }


def _strike_missing(ports: GuestPorts, there: TableContact, table: Table) -> None:
    """Have what this node said and has no words of any more struck for the others, too."""
    here = ports.tables.discussions
    waits = {own["id"] for each in here.contacts_at(there.discussion) for own in each.own}
    for said in here.entries(there.discussion):
        entry = table.entries[said.n]
        missing = said.words is None and "words" in entry.fields and said.n not in table.gone
        if missing and entry.iss == ports.did and _strike_id(said.n) not in waits:
            here.put_own(there.discussion, there.contact, strike_of(there, said.n))


def _past(ports: GuestPorts, table: Table, there: TableContact) -> list[str]:
    """Name what of that which this node was to say stands in the record by now, in whichever place,
    is done without it, or cannot come into it any more.
    """
    mine = [each for each in table.entries if each.iss == ports.did]
    said = {each.fields["words"] for each in mine if "words" in each.fields}
    seats = {(each.step, each.fields.get("by")) for each in table.entries}

    def stands(own: Own) -> bool:
        match Step(own["step"]):
            case Step.STRUCK:
                return own["body"]["entry"] in table.struck
            case Step.TURN:
                return _hash_of(own) in said
            case step:
                return (step, own["by"]) in seats

    return [own["id"] for own in there.own if stands(own) or _is_late(own, table, there)]


def _is_late(own: Own, table: Table, there: TableContact) -> bool:
    """Tell whether something cannot come into the record any more. What was signed and may be on
    its way is waited for, also of who left and of what was erased.
    """
    if own["step"] == Step.STRUCK:
        return False
    signed = own["entry"] is not None and Entry.read(own["entry"]).n < len(table.entries)
    over = there.state is TableContactState.LEFT or "gone" in own
    return table.closed is not None or (signed and over and own["step"] != Step.LEFT)


def _hash_of(own: Own) -> str | None:
    """Give what an entry commits to; of one whose words were erased, as it was signed."""
    if own["words"] is not None:
        return Words.read(own["words"]).hash
    return None if own["entry"] is None else Entry.read(own["entry"]).fields.get("words")


def _row(table: Table, n: int, now: datetime, own: Own | None = None) -> SaidEntry:
    words = table.words.get(n)
    made_from = () if own is None or words is None else tuple(own["documents"])
    basis = () if own is None or words is None else tuple(own["basis"])
    text = None if words is None else words.json
    return SaidEntry(n, table.entries[n].text, text, now, made_from, basis)


def invited(ports: TablePorts, host: str | None = None) -> int:
    """Count the invitations, of a contact or of all, that wait for the person and are not over."""
    here, now = ports.discussions, ports.clock.now().timestamp()
    openings = []
    for each in here.invitations(host):
        with suppress(CorruptHomeError):  # a record that is not as it was signed invites nobody
            openings.append(load(here, each).table.opening)
    return sum(each.fields["exp"] > now for each in openings)


def table_of(message: Message) -> str:
    """Give which table a message is about."""
    [body] = message.body.values()
    return str(body["table"])
