"""A table of this node: opening one, what was said there, and what the person does at it.

Who sits there are the second self, roles and people who type, all of this node: its identity signs
for them. What is kept is the record of the protocol (protocol/spec/discussion.md), which is checked
from its opening on each time it is read.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from lpm_kernel.domain.chat.roles import RoleId
from lpm_kernel.domain.lines import plain_line
from lpm_kernel.domain.ports import Clock
from lpm_kernel.domain.share.discussions import (
    Discussion,
    DiscussionId,
    DiscussionState,
    SaidEntry,
    Seat,
    TableContact,
    TableContactState,
)
from lpm_kernel.domain.share.network import ContactId, ContactState
from lpm_kernel.domain.stores import Contacts, Discussions, Roles
from lpm_kernel.errors import ConflictError, CorruptHomeError, InvalidInputError, NotFoundError
from lpm_kernel.usecases.library.intake import checked_tags
from lpm_kernel.usecases.share.keys import Keystore
from lpm_kernel.usecases.share.people import own_name
from protocol import limits
from protocol.discussion import Entry, Member, Speaker, Stance, Step, Stop, Strategy, Words
from protocol.encoding import to_b64u
from protocol.identity import Did
from protocol.ledger import verify
from protocol.refusals import LocalProtocolError, Refusal
from protocol.scope import EVERY_TAG
from protocol.shape import Line
from protocol.tables import Table

ME: Final = "me"
"""The member that the person is, at each table."""
MOST_SAID: Final = 8_000
MOST_SEATS: Final = 12
ROUNDS: Final = 3
TURNS: Final = 60
"""Of each member."""
IN_ALL: Final = 400
WORDS_BYTES: Final = 40_000
TOKENS: Final = 400
MINUTES: Final = 24 * 60
MOST_MINUTES: Final = 30 * 24 * 60
SILENT: Final = 8
"""Questions in a row that came to nothing, after which a contact is waited for no more."""
TRIES: Final = 8
"""Times an entry is written anew because another one came between."""


@dataclass(frozen=True)
class TablePorts:
    """What a table is kept by."""

    discussions: Discussions
    roles: Roles
    keystore: Keystore
    clock: Clock
    name: str = field(repr=False)
    """What the person is called."""
    contacts: Contacts


@dataclass(frozen=True)
class NewSeat:
    """Who is to sit at a table."""

    kind: str
    role: str = ""
    """Of a role: which one."""
    name: str = field(default="", repr=False)
    """Of somebody who types: how they are called."""
    contact: str = ""
    """Of a contact's second self: whose. They type there, too."""


@dataclass(frozen=True)
class NewTable:
    """What a table is to be."""

    aim: str = field(repr=False)
    seats: Sequence[NewSeat]
    strategy: str = Strategy.ROUND_ROBIN.value
    rounds: int = ROUNDS
    stop: Sequence[str] = ()
    minutes: int = MINUTES
    tags: Sequence[str] = ()
    template: str = ""


@dataclass(frozen=True)
class Sitting:
    """A table with its record."""

    discussion: Discussion
    table: Table
    said: Sequence[SaidEntry]

    def seat(self, member: str) -> Seat:
        """Return who sits there. Raises ``NotFoundError``."""
        found = next((each for each in self.discussion.seats if each.member == member), None)
        if found is None:
            raise NotFoundError("member", member)
        return found

    @property
    def aim(self) -> str:
        """What the table is for; nothing where that was struck."""
        return self.text(0)

    @property
    def is_shared(self) -> bool:
        """Tell whether a contact sits there, or opened it: what is said leaves this machine."""
        return bool(self.discussion.host) or any(each.contact for each in self.discussion.seats)

    def text(self, n: int) -> str:
        """Return what was said in an entry; nothing where its words are gone."""
        words = self.table.words.get(n)
        return "" if words is None else words.text

    def heard(self, n: int) -> str:
        """Return what those hear who speak from memory: nothing of what was made from something
        that is private now, or put away.
        """
        return "" if self.said[n].withheld else self.text(n)


@dataclass(frozen=True)
class NextEntry:
    """An entry that is to come next, unsigned."""

    step: Step
    body: Mapping[str, object] = field(default_factory=dict)
    words: Words | None = None
    documents: tuple[str, ...] = ()
    basis: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    signed: Entry | None = None
    """As a contact's node signed it."""


def open_table(ports: TablePorts, wanted: NewTable) -> Sitting:
    """Open a table. Raises ``InvalidInputError``, ``NotFoundError`` for a role that is not there,
    and ``ConflictError`` while the keys are locked.
    """
    aim = checked_text(wanted.aim)
    seats = _seats(ports, wanted.seats)
    if any(seat.contact for seat in seats) and (not wanted.tags or EVERY_TAG & set(wanted.tags)):
        raise InvalidInputError(
            "Choose which tags may be used at a table with a contact.",
            "Your second self uses only what has one of them.",
        )
    identity, now = ports.keystore.keys.identity, ports.clock.now()
    strategy, stop = _checked_rules(wanted)
    members = [_member(ports, seat) for seat in seats]
    words = Words.write(aim)
    seconds = int(now.timestamp())
    rules = {
        "members": members,
        "strategy": strategy,
        "rounds": wanted.rounds,
        "stop": sorted(stop),
        "turns": TURNS,
        "total": IN_ALL,
        "bytes": WORDS_BYTES,
        "tokens": TOKENS,
        "exp": seconds + 60 * wanted.minutes,
    }
    identifier = DiscussionId(to_b64u(secrets.token_bytes(16)))
    try:
        opening = Entry.write(
            identity, identifier, None, seconds, Step.OPENING, **rules, words=words.hash
        )
    except LocalProtocolError as misfit:
        raise InvalidInputError(
            "This table cannot be opened.",
            f"It has between 1 and {limits.ROUNDS} rounds, and names on one line.",
        ) from misfit
    discussion = Discussion(
        identifier,
        now,
        now,
        DiscussionState.OPEN,
        tuple(seats),
        wanted.template,
        checked_tags(wanted.tags),
    )
    first = SaidEntry(0, opening.text, words.json, now)
    ports.discussions.add(discussion, first, _contacts_of(identifier, seats))
    return load(ports.discussions, identifier)


def _member(ports: TablePorts, seat: Seat) -> dict[str, str]:
    did = (
        ports.contacts.get(ContactId(seat.contact)).did
        if seat.contact
        else ports.keystore.keys.identity.did
    )
    return Member(seat.member, Did(did), Speaker(seat.kind), seat.name).as_fields()


def _contacts_of(discussion: DiscussionId, seats: Sequence[Seat]) -> list[TableContact]:
    return [
        TableContact(
            discussion, contact, tuple(seat.member for seat in seats if seat.contact == contact)
        )
        for contact in dict.fromkeys(seat.contact for seat in seats if seat.contact)
    ]


def _checked_rules(wanted: NewTable) -> tuple[Strategy, set[Stop]]:
    """Return how it is talked, and what ends it. Raises ``InvalidInputError``."""
    if not 1 <= wanted.minutes <= MOST_MINUTES:
        raise InvalidInputError(
            "A table lasts up to 30 days.", "Give `minutes` between 1 and that."
        )
    try:
        stop = {Stop(each) for each in wanted.stop} | {Stop.ROUNDS, Stop.TIME, Stop.PERSON}
        return Strategy(wanted.strategy), stop
    except ValueError:
        raise InvalidInputError(
            "That is no way to talk, or no rule to stop by.",
            "The description of the API lists them.",
        ) from None


def load(discussions: Discussions, discussion: DiscussionId) -> Sitting:
    """Read a table and check its record. Raises ``NotFoundError``, and ``CorruptHomeError`` where
    what is kept is no record.
    """
    known, said = discussions.get(discussion), discussions.entries(discussion)
    try:
        table = verify(
            (Entry.read(each.entry), None if each.words is None else Words.read(each.words))
            for each in said
        )
    except Refusal as refusal:
        raise CorruptHomeError(
            "What was said at this table is not as it was signed.",
            "Restore a backup, or delete the table.",
        ) from refusal
    return Sitting(known, table, said)


def append(ports: TablePorts, sitting: Sitting, made: NextEntry) -> Sitting | None:
    """Sign an entry and add it; ``None`` where another one came between, or what it was made from
    is gone. Raises ``Refusal`` where it may not come next, and ``ConflictError`` while contacts are
    asked for entries that this node lost: an entry of a number that is taken would fork the record.
    """
    now, table = ports.clock.now(), sitting.table
    if is_recovering(ports, sitting):
        raise ConflictError(
            "This table comes from a backup; its contacts are asked for what was said since.",
            "Wait until one of them is online.",
        )
    entry = made.signed or _signed(ports, table, made)
    table.take(entry, made.words)
    row = SaidEntry(
        entry.n,
        entry.text,
        None if made.words is None else made.words.json,
        now,
        made.documents,
        made.basis,
    )
    gone = table.gone
    if not ports.discussions.append(sitting.discussion.id, row, state_of(table), gone):
        return None
    return load(ports.discussions, sitting.discussion.id)


def _signed(ports: TablePorts, table: Table, made: NextEntry) -> Entry:
    words = {} if made.words is None else {"words": made.words.hash}
    try:
        return Entry.write(
            ports.keystore.keys.identity,
            table.opening.table,
            table.head.place,
            int(ports.clock.now().timestamp()),
            made.step,
            **{**made.body, **words},
        )
    except LocalProtocolError as misfit:
        raise InvalidInputError("This cannot be said here.", "Say it shorter.") from misfit


def is_recovering(ports: TablePorts, sitting: Sitting) -> bool:
    """Tell whether entries may have been lost here, and contacts are asked for them."""
    over = ports.clock.now().timestamp() >= sitting.table.opening.fields["exp"]
    return is_answer_due(ports.discussions.contacts_at(sitting.discussion.id), over=over)


def is_answer_due(there_are: Sequence[TableContact], *, over: bool) -> bool:
    """Tell whether contacts have to say how far the record went: until each has. Who is silent is
    waited for no more once another who sits there has said so, nobody sits there, or the table is
    ``over``.
    """
    ahead = [each for each in there_are if each.is_ahead]
    sit = [each for each in there_are if each.state is TableContactState.ACCEPTED]
    heard = over or not sit or any(not each.is_ahead for each in sit)
    return any(each.quiet < SILENT or not heard for each in ahead)


def is_unaccounted(did: Did, table: Table, entry: Entry) -> bool:
    """Tell whether this is what the second self of this node (``did``) said from memory, where
    nobody knows any more from what, as after a restore: what is erased later could not be found in
    it, so its words are not kept.
    """
    words = table.words.get(entry.n)
    cited = words is not None and any("turn" not in each for each in words.cites)
    return entry.iss == did and cited


def state_of(table: Table) -> DiscussionState:
    """Say where a table stands."""
    if table.closed is not None:
        return DiscussionState.CLOSED
    return DiscussionState.PAUSED if table.paused else DiscussionState.OPEN


# --- what the person does ------------------------------------------------------------------------


@dataclass(frozen=True)
class Typed:
    """What somebody types at a table."""

    text: str = field(repr=False)
    member: str = ME
    on: int | None = None
    """The number of the turn that it is about."""
    stance: str | None = None


def say(ports: TablePorts, discussion: DiscussionId, typed: Typed) -> Sitting:
    """Say something, at any moment. Raises ``NotFoundError``, ``InvalidInputError``, and
    ``ConflictError`` once the table is closed.
    """
    text = checked_text(typed.text)
    sitting = load(ports.discussions, discussion)
    if sitting.seat(typed.member).kind != Speaker.PERSON:
        raise InvalidInputError(
            "Nobody types for a second self or a role.", "Say it as somebody who types."
        )
    stance = None if typed.stance is None else stance_named(typed.stance)
    words = Words.write(text)

    def turn(table: Table) -> NextEntry:
        return NextEntry(
            Step.TURN,
            {
                "by": typed.member,
                "round": table.round,
                "abstained": False,
                "on": typed.on,
                "stance": stance,
                "quotes": [],
            },
            words,
        )

    return _do(ports, sitting, turn)


def stance_named(word: str) -> Stance:
    """Return a stance by its name. Raises ``InvalidInputError``."""
    try:
        return Stance(word)
    except ValueError:
        raise InvalidInputError(
            "That is no stance.", "Say `agrees`, `disagrees`, or nothing."
        ) from None


def pause(ports: TablePorts, discussion: DiscussionId) -> Sitting:
    """Have only those speak who type, until it is resumed. Raises ``NotFoundError`` and
    ``ConflictError``.
    """
    sitting = load(ports.discussions, discussion)
    return (
        sitting if sitting.table.paused else _do(ports, sitting, lambda _: NextEntry(Step.PAUSED))
    )


def resume(ports: TablePorts, discussion: DiscussionId) -> Sitting:
    """Go on; who failed is asked again. Raises ``NotFoundError`` and ``ConflictError``."""
    sitting = load(ports.discussions, discussion)
    return (
        _do(ports, sitting, lambda _: NextEntry(Step.RESUMED)) if sitting.table.paused else sitting
    )


def strike(ports: TablePorts, discussion: DiscussionId, number: int) -> Sitting:
    """Erase the words of an entry, and of those that quote it; the hashes stay. Raises
    ``NotFoundError``.
    """
    sitting = load(ports.discussions, discussion)
    entries = sitting.table.entries
    if not 0 <= number < len(entries) or "words" not in entries[number].fields:
        raise NotFoundError("turn", str(number))
    if number in sitting.table.struck:
        return sitting
    return _do(ports, sitting, lambda _: NextEntry(Step.STRUCK, {"entry": number}))


def leave(ports: TablePorts, discussion: DiscussionId, member: str) -> Sitting:
    """Have a member go; the rest go on. The person stays, who alone can end it. Raises
    ``NotFoundError`` and ``ConflictError``.
    """
    if member == ME:
        raise ConflictError("You cannot leave your own table.", "Close it, or delete it.")
    sitting = load(ports.discussions, discussion)
    sitting.seat(member)
    if member not in sitting.table.present:
        return sitting
    return _do(ports, sitting, lambda _: NextEntry(Step.LEFT, {"by": member}))


def _do(ports: TablePorts, sitting: Sitting, make: Callable[[Table], NextEntry]) -> Sitting:
    """Add what the person does, after whatever came meanwhile."""
    for _ in range(TRIES):
        try:
            done = append(ports, sitting, make(sitting.table))
        except Refusal as refusal:
            raise _not_now(refusal) from refusal
        if done is not None:
            return done
        sitting = load(ports.discussions, sitting.discussion.id)
    raise ConflictError("Too much is said at once.", "Try again.")


def _not_now(refusal: Refusal) -> ConflictError:
    return ConflictError(
        "This cannot be done at this table now.",
        {
            "expired": "It is closed. Open another one.",
            "over_budget": "Nothing more can be said at it. Close it, or open another one.",
        }.get(refusal.code.value, "Look at it again; it may have gone on."),
    )


# --- who sits there ------------------------------------------------------------------------------


def _seats(ports: TablePorts, wanted: Sequence[NewSeat]) -> list[Seat]:
    """Give everybody a place; the person always has one."""
    if not wanted or len(wanted) > MOST_SEATS:
        raise InvalidInputError(
            f"At a table sit between 1 and {MOST_SEATS}, and you.", "Choose who takes part."
        )
    own = [_seat(ports, number, each) for number, each in enumerate(wanted, 1) if not each.contact]
    _check_own(own, company=any(each.contact for each in wanted))
    theirs = _invited(ports, wanted)
    if len(own) + len(theirs) >= limits.MEMBERS:
        raise InvalidInputError(
            "These are too many for a table.", "A contact takes two places: they type, too."
        )
    return [*own, *theirs, Seat(ME, Speaker.PERSON, _line(ports.name) or "Me")]


def _check_own(own: Sequence[Seat], *, company: bool) -> None:
    """Refuse seats of this node that cannot be taken together."""
    kinds = [seat.kind for seat in own]
    voices = {Speaker.TWIN, Speaker.ROLE} & set(kinds)
    if kinds.count(Speaker.TWIN) > 1 or not (voices or company):
        raise InvalidInputError(
            "At a table sits your second self once, or a role, or both.", "Choose one of them."
        )
    roles = [seat.role for seat in own if seat.role]
    if len(set(roles)) < len(roles):
        raise InvalidInputError("A role sits at a table once.", "Leave one of them out.")


def _invited(ports: TablePorts, wanted: Sequence[NewSeat]) -> list[Seat]:
    """Give contacts their places."""
    asked = [each.contact for each in wanted if each.contact]
    if len(set(asked)) < len(asked):
        raise InvalidInputError("A contact sits at a table once.", "Leave one of them out.")
    return [
        seat
        for number, each in enumerate(wanted, 1)
        if each.contact
        for seat in _seats_of(ports, number, each)
    ]


def _seat(ports: TablePorts, number: int, wanted: NewSeat) -> Seat:
    member = f"m{number}"
    match wanted.kind:
        case Speaker.TWIN:
            return Seat(member, Speaker.TWIN, _line(ports.name) or "Second self")
        case Speaker.ROLE:
            role = ports.roles.get(RoleId(wanted.role))
            return Seat(member, Speaker.ROLE, _line(role.name) or role.id, role.id)
        case Speaker.PERSON if _line(wanted.name):
            return Seat(member, Speaker.PERSON, _line(wanted.name))
        case Speaker.PERSON:
            raise InvalidInputError("Who types has a name.", "Give `name`, on one line.")
        case _:
            raise InvalidInputError(
                "Nobody of that kind sits at a table.", "Say `twin`, `role` or `person`."
            )


def _seats_of(ports: TablePorts, number: int, wanted: NewSeat) -> list[Seat]:
    """Give a contact's second self its place, and the contact, who types."""
    if wanted.kind != Speaker.TWIN:
        raise InvalidInputError(
            "Only a contact's second self can be invited.", "Leave `role` and `name` out."
        )
    contact = ports.contacts.get(ContactId(wanted.contact))
    if contact.state is not ContactState.ACTIVE:
        raise ConflictError(
            f"This contact is {contact.state}, so they cannot be invited.",
            "Open the contact and decide there first.",
        )
    name = _line(own_name(contact)) or "Contact"  # what the person calls them is for no record
    return [
        Seat(f"m{number}", Speaker.TWIN, name, contact=contact.id),
        Seat(f"m{number}-types", Speaker.PERSON, name, contact=contact.id),
    ]


def _line(text: str) -> str:
    """Return a name as the protocol writes it; nothing where it cannot be written so."""
    name = plain_line(text)[:80]
    try:
        Line(80).check(name, "name")
    except Refusal:
        return ""
    return name


def checked_text(text: str) -> str:
    """Return what is said as it can be said. Raises ``InvalidInputError``."""
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > MOST_SAID:
        raise InvalidInputError(
            f"What is said has between 1 and {MOST_SAID:,} characters.", "Say it shorter."
        )
    try:
        Words.write(text)
    except LocalProtocolError as misfit:
        raise InvalidInputError(
            "There are characters in it that cannot be said.", "Write it as plain text."
        ) from misfit
    return text


def moment(entry: Entry) -> datetime:
    """Return when an entry was written."""
    return datetime.fromtimestamp(entry.ts, UTC)
