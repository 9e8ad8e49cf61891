"""Tables of a world: a host asks for each entry, members answer under their grants, everybody keeps
the record. What the kernel decides in the same way is here without its stores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from protocol import handing, limits
from protocol.contact import ContactState
from protocol.discussion import Entry, Speaker, Step, Stop, Words
from protocol.grants import Consent
from protocol.identity import Did
from protocol.ledger import Said, verify
from protocol.messages import Message
from protocol.refusals import Code, Refusal
from protocol.scope import Form, Layer, RowKind, Scope
from protocol.table_grants import HeldTableGrant, TableGrant, TurnRequest, allows_turn
from protocol.tables import Table
from tests.simulation.watch import BrokenError

if TYPE_CHECKING:
    from tests.simulation.exchanges import Exchanges
    from tests.simulation.member import Member

HOUR = 3_600
TICK = 120.0
"""Seconds between two looks of a host at its table."""
LIFE = 12 * HOUR
WORD = 900
"""Seconds that a host waits for a turn."""
RESTORED = 0.4
"""Share of the tables whose host goes back to a backup once, unless they are closed by then."""
LATER = 2 * limits.DAY
"""Seconds after the end for which what is missing is handed round."""

_SITS = {"seat", "news", "word", "behind"}
_OF = {None: {"seat"}, "invited": {"seat", "news"}, "accepted": _SITS, "left": _SITS}
"""What a host may say, by where somebody stands at the table."""


@dataclass
class Seat:
    """Somebody at the table of a contact."""

    host: Did
    said: list[Said]
    state: str = "invited"
    grant: TableGrant | None = None
    turns: int = 0
    own: tuple[int, Said] | None = None
    """The turn that was signed for a round, until it stands in the record."""


@dataclass
class Guest:
    """A contact at a table of one's own."""

    did: Did
    here: bool = False
    """Sat down, under a grant."""
    gone: bool = False
    have: int = 0
    waits: str = ""
    """The message that is under way."""
    leaves: bool = False
    """Raised a hand to leave."""


@dataclass
class Hosted:
    """A table of one's own."""

    table: Table
    guests: dict[str, Guest] = field(default_factory=dict)
    """By member."""
    behind: set[str] = field(default_factory=set)
    """Members who may have entries that were lost here."""
    silent: set[str] = field(default_factory=set)
    """Those of them who were not reached for an hour."""
    heard: bool = True
    """One of them has answered since."""


class Tables:
    """All tables of a world, and who looks whether they are what they should be."""

    def __init__(self, world: Exchanges) -> None:
        self.world = world
        self.signed: set[str] = set()
        """Hashes of entries that their authors really signed."""
        self.spent: dict[str, int] = {}
        """Turns by grant: the members' own books are not believed."""
        self.left: set[str] = set()
        """Grants that were taken back."""
        self.hosted: dict[str, Hosted] = {}

    # --- what people do --------------------------------------------------------------------------

    def open(self, member: Member, friends: Sequence[Did]) -> None:
        """Ask contacts to a table."""
        dice, now = member.dice, self.world.second
        names = {f"m{at}": did for at, did in enumerate(friends, 1)}
        voices = [{"id": "host", "did": member.did, "kind": Speaker.TWIN, "name": "Host"}]
        voices += [
            {"id": name, "did": did, "kind": Speaker.TWIN, "name": name}
            for name, did in names.items()
        ]
        words = Words.write("canary: where do we go?", random=member.random)
        opening = Entry.write(
            member.keys.identity,
            member.id(),
            None,
            now,
            Step.OPENING,
            members=voices,
            strategy=dice.choice(("round_robin", "free", "debate")),
            rounds=dice.randint(1, 3),
            stop=[Stop.ROUNDS, Stop.TIME],
            turns=10,
            total=30,
            bytes=2_000,
            tokens=100,
            exp=now + LIFE,
            words=words.hash,
        )
        self.signed.add(opening.hash)
        hosted = Hosted(Table.open(opening, words, now))
        hosted.guests = {name: Guest(did) for name, did in names.items()}
        member.hosted[opening.table] = self.hosted[opening.table] = hosted
        self.world.watch.counts["tables"] += 1
        fate = Random(opening.table)  # apart from all other dice
        if fate.random() < RESTORED:
            when = fate.uniform(HOUR / 4, 2 * HOUR)
            self.world.later(when, lambda: self._restore(member, hosted, fate))
        self._tick(member, hosted)

    def leave(self, member: Member) -> None:
        """Take the grant of a table back, and tell its host."""
        there = [name for name, seat in member.seats.items() if seat.state == "accepted"]
        if there:
            name = member.dice.choice(there)
            self._left(member.seats[name])
            self._tell(member, member.seats[name].host, {"decline": {"table": name}})

    def _restore(self, member: Member, hosted: Hosted, fate: Random) -> None:
        """Go back to an older record of a table; what is under way is lost as well."""
        table = hosted.table
        if table.closed is not None:
            return
        left = fate.randint(1, len(table.entries))
        hosted.table = verify([(each, table.words.get(each.n)) for each in table.entries[:left]])
        self.world.watch.counts["restored tables"] += 1
        self.world.watch.counts["entries lost"] += len(table.entries) - left
        waits = {guest.waits for guest in hosted.guests.values()}
        for guest in hosted.guests.values():
            guest.waits, guest.have = "", min(guest.have, left)
        self.world.drop(member, waits)
        hosted.behind = {name for name, guest in hosted.guests.items() if not guest.gone}
        hosted.silent, hosted.heard = set(), False

    def strike(self, member: Member) -> None:
        """Erase what somebody said at a table of one's own."""
        for hosted in member.hosted.values():
            if hosted.behind:
                continue
            if self.world.now > hosted.table.opening.fields["exp"] + limits.DAY:
                continue  # it is handed round no more
            numbers = [each.n for each in hosted.table.turns if each.n in hosted.table.words]
            if numbers:
                self._write(member, hosted, Step.STRUCK, entry=member.dice.choice(numbers))
                return

    def end(self, member: Member, other: Did) -> None:
        """Have what a contact had to do with tables end with the contact."""
        for seat in member.seats.values():
            if seat.host == other:
                self._left(seat)
        for hosted in member.hosted.values():
            for guest in hosted.guests.values():
                guest.gone |= guest.did == other

    def _left(self, seat: Seat) -> None:
        seat.state, seat.own = "left", None
        if seat.grant is not None:
            self.left.add(seat.grant.id)

    # --- the host --------------------------------------------------------------------------------

    def _tick(self, member: Member, hosted: Hosted) -> None:
        if self.world.now >= hosted.table.opening.fields["exp"] + LATER:
            return
        if member.up:
            self._go_on(member, hosted)
        self.world.later(TICK, lambda: self._tick(member, hosted))

    def _go_on(self, member: Member, hosted: Hosted) -> None:
        hosted.behind -= {name for name, guest in hosted.guests.items() if guest.gone}
        if hosted.heard or self.world.now >= hosted.table.opening.fields["exp"]:
            hosted.behind -= hosted.silent
        if hosted.behind:  # nothing is written before it is known what was
            for name in sorted(hosted.behind):
                if not hosted.guests[name].waits:
                    self._ask(member, hosted, name, {"behind": {}})
            return
        table = hosted.table
        for name, guest in hosted.guests.items():
            if guest.gone and name in table.present and table.closed is None:
                self._write(member, hosted, Step.LEFT, by=name)
            if not guest.gone and not guest.waits:
                self._next(member, hosted, name, guest)
        if table.closed is None:
            self._speak(member, hosted)

    def _next(self, member: Member, hosted: Hosted, name: str, guest: Guest) -> None:
        """Ask a contact to sit down, or hand over what they do not have."""
        table = hosted.table
        if guest.have == 0 and table.closed is None:
            self._ask(member, hosted, name, {"seat": {"members": [name]}})
        elif guest.here and name not in table.present and table.closed is None:
            self._ask(member, hosted, name, {"word": {"by": name, "step": "joined"}})
        elif guest.have < len(table.entries) and (guest.here or table.closed is None):
            self._ask(member, hosted, name, {"news": {}})

    def _speak(self, member: Member, hosted: Hosted) -> None:
        """Let who has the word speak, or end the table."""
        table, now = hosted.table, self.world.second
        waiting = [each for each in hosted.guests.values() if not each.gone and not each.here]
        over = now >= table.opening.fields["exp"] - limits.SKEW
        if over:
            self._write(member, hosted, Step.CLOSED, why=Stop.TIME)
            return
        if waiting and now < table.opening.ts + HOUR:
            return
        number = table.round
        due = table.due
        if not due:
            if table.round >= table.opening.fields["rounds"]:
                self._write(member, hosted, Step.CLOSED, why=Stop.ROUNDS)
                return
            number, due = table.round + 1, table.due_in(table.round + 1)
        if table.strategy == "free" and table.heard >= set(table.able):
            if table.round >= table.opening.fields["rounds"]:
                self._write(member, hosted, Step.CLOSED, why=Stop.ROUNDS)
                return
            number, due = table.round + 1, table.due_in(table.round + 1)
        unheard = [each for each in due if number > table.round or each not in table.heard]
        if not (due := unheard or due):
            self._write(member, hosted, Step.CLOSED, why=Stop.PERSON)
        elif due[0] == "host":
            self._turn(member, hosted, number)
        elif not hosted.guests[due[0]].waits:
            asked = {"by": due[0], "step": "turn", "round": number}
            self._ask(member, hosted, due[0], {"word": asked})

    def _turn(self, member: Member, hosted: Hosted, number: int) -> None:
        said = turn_of(hosted.table, "host", number, member.random)
        self._write(member, hosted, Step.TURN, said[1], **said[0])

    def _ask(self, member: Member, hosted: Hosted, name: str, body: dict[str, Any]) -> None:
        guest, table = hosted.guests[name], hosted.table
        known = member.contact(guest.did)
        if known is None or known.state is not ContactState.ACTIVE:
            guest.gone = True
            return
        [(what, about)] = body.items()
        said = [(each, table.words.get(each.n)) for each in table.entries[guest.have :]]
        number = {"n": len(table.entries)} if what in {"word", "behind"} else {}
        entries = {} if what == "behind" else {"entries": handing.hand(said)}
        about = {"table": table.opening.table, **entries, **number, **about}
        # a turn is waited for as long, and the others as the outbox has it
        life = {"turn": WORD, "behind": HOUR}.get(about.get("step", what), limits.DAY)
        waiting = self.world.post(member, guest.did, {what: about}, life)
        guest.waits = waiting.message.id

    def _write(
        self,
        member: Member,
        hosted: Hosted,
        step: Step,
        words: Words | None = None,
        **body: object,
    ) -> None:
        """Sign an entry of the host's own."""
        table = hosted.table
        more = {} if words is None else {"words": words.hash}
        entry = Entry.write(
            member.keys.identity,
            table.opening.table,
            table.head.place,
            max(self.world.second, table.opening.ts),
            step,
            **body,
            **more,
        )
        self.signed.add(entry.hash)
        table.take(entry, words)

    def settled(self, member: Member, message: Message, body: Mapping[str, Any] | None) -> None:
        """Take what came of a question about a table; ``None``: nothing."""
        [(what, about)] = message.body.items()
        hosted = member.hosted.get(about["table"])
        if hosted is None or what not in {"seat", "news", "word", "behind"}:
            return
        for name, guest in hosted.guests.items():
            if guest.waits == message.id:
                guest.waits = ""
                if what == "behind":
                    self._taken_back(member, hosted, name, body)
                elif body is None:
                    self._failed(member, hosted, name, about)
                else:
                    guest.have = min(body["have"], len(hosted.table.entries))
                    self._came(member, hosted, name, about, body)

    def _taken_back(
        self, member: Member, hosted: Hosted, name: str, body: Mapping[str, Any] | None
    ) -> None:
        """Add what a member has of the record. Who was only invited has nothing."""
        guest, table = hosted.guests[name], hosted.table
        if body is None:
            (hosted.silent.add if guest.here else hosted.behind.discard)(name)
            return
        hosted.heard = True
        known = [(each, table.words.get(each.n)) for each in table.entries]
        came = handing.read(body.get("entries", ()))
        hosted.table = handing.take(
            (table.opening.table, member.did), known, came, self.world.second
        )
        self.world.watch.counts["entries given back"] += len(hosted.table.entries) - len(known)
        guest.have = min(body["have"], len(hosted.table.entries))
        if body["have"] <= len(hosted.table.entries):
            hosted.behind.discard(name)

    def _came(
        self,
        member: Member,
        hosted: Hosted,
        name: str,
        about: Mapping[str, Any],
        body: Mapping[str, Any],
    ) -> None:
        if "entry" not in body or hosted.table.closed is not None:
            return
        entry = Entry.read(body["entry"])
        words = Words.read(body["words"]) if "words" in body else None
        if entry.n != len(hosted.table.entries):
            return  # somebody spoke meanwhile: it is asked for again
        try:
            hosted.table.take(entry, words)
        except Refusal:
            self._failed(member, hosted, name, about)

    def _failed(self, member: Member, hosted: Hosted, name: str, about: Mapping[str, Any]) -> None:
        if "round" not in about:
            hosted.guests[name].gone |= hosted.table.closed is None
        elif hosted.table.closed is None and name in hosted.table.due_in(about["round"]):
            self._write(member, hosted, Step.FAILED, by=name, code=Code.BUSY)

    # --- who is asked ----------------------------------------------------------------------------

    def take(self, asked: Member, message: Message) -> dict[str, Any]:
        """Answer a message about a table. Raises ``Refusal``."""
        [(what, about)] = message.body.items()
        match what:
            case "accept" | "decline":
                return self._told(asked, message.iss, what, about)
            case "hand":
                raise Refusal(Code.OUT_OF_SCOPE, "hand")
        seat = asked.seats.get(about["table"])
        known = () if seat is None else seat.said
        if seat is not None and (seat.host != message.iss or seat.state == "declined"):
            raise Refusal(Code.NO_GRANT, "table")
        if what not in _OF[None if seat is None else seat.state]:
            raise Refusal(Code.NO_GRANT, "table")
        if what == "behind":
            return self._given_back(seat, about)
        table = self._handed(known, message, about)
        handing.check_end(table, asked.did)
        if seat is None:
            seat = asked.seats[about["table"]] = Seat(message.iss, [])
            self._decides(asked, about["table"], seat)
        self._keep(seat, table)
        if what != "word" or len(table.entries) != about["n"]:
            return {"have": len(table.entries)}
        if seat.state == "left":
            raise Refusal(Code.REVOKED, "grant")
        return self._worded(asked, seat, table, about)

    def _given_back(self, seat: Seat | None, about: Mapping[str, Any]) -> dict[str, Any]:
        assert seat is not None
        lost = seat.said[about["n"] :]
        return {"have": len(seat.said), "entries": handing.hand(lost)}

    def _handed(self, known: Sequence[Said], message: Message, about: Mapping[str, Any]) -> Table:
        name, came = (about["table"], message.iss), handing.read(about["entries"])
        try:
            return handing.take(name, known, came, self.world.second)
        except Refusal as refusal:
            if refusal.code is Code.REPLAY and not self.world.members[message.iss].liar:
                raise BrokenError("a host wrote two entries of one number") from refusal
            raise

    def _told(self, asked: Member, by: Did, what: str, about: Mapping[str, Any]) -> dict[str, Any]:
        hosted = asked.hosted.get(about["table"])
        guests = [] if hosted is None else hosted.guests.values()
        guest = next((each for each in guests if each.did == by), None)
        if hosted is None or guest is None:
            raise Refusal(Code.NO_GRANT, "table")
        if what == "accept":
            grant = TableGrant.read(about["grant"])
            if (grant.iss, grant.aud, grant.table) != (by, asked.did, about["table"]):
                raise Refusal(Code.SENDER_MISMATCH, "grant")
            guest.here = True
        else:
            guest.gone = True
        return {"have": len(hosted.table.entries)}

    def _decides(self, asked: Member, table: str, seat: Seat) -> None:
        """Have the person sit down after a while, or not."""

        def decide() -> None:
            if seat.state != "invited":
                return
            if asked.dice.random() < 1 / 5:
                seat.state = "declined"
                self._tell(asked, seat.host, {"decline": {"table": table}})
                return
            seat.state, seat.grant = "accepted", self._grant(asked, table, seat)
            text = seat.grant.write(asked.keys.identity)
            self._tell(asked, seat.host, {"accept": {"table": table, "grant": text}})

        self.world.later(asked.dice.expovariate(1 / 1_200), decide)

    def _grant(self, asked: Member, table: str, seat: Seat) -> TableGrant:
        scope = Scope(
            frozenset({"travel"}),
            frozenset(RowKind),
            frozenset(Layer),
            None,
            None,
            Form.EXCERPT,
            "a table",
        )
        now, turns = self.world.second, asked.dice.choice((1, 10))
        name = asked.id()
        return TableGrant(
            name,
            asked.did,
            seat.host,
            table,
            now - limits.MINUTE,
            now + limits.DAY,
            scope,
            turns,
            2_000,
            100,
            Consent.AUTO,
        )

    def _worded(
        self, asked: Member, seat: Seat, table: Table, about: Mapping[str, Any]
    ) -> dict[str, Any]:
        by, number = about["by"], about.get("round", 0)
        if seat.own is not None and seat.own[0] != number:
            seat.own = None
        have, words = len(table.entries), None
        if about["step"] == Step.JOINED:
            assert seat.grant is not None
            body: dict[str, Any] = {"by": by, "grant": seat.grant.id}
        elif about["step"] == Step.TURN:
            body, words = self._granted(asked, seat, table, (by, number))
        else:
            raise Refusal(Code.OUT_OF_SCOPE, "step")
        more = {} if words is None else {"words": words.hash}
        entry = Entry.write(
            asked.keys.identity,
            about["table"],
            table.head.place,
            max(self.world.second, table.opening.ts),
            Step(about["step"]),
            **body,
            **more,
        )
        table.take(entry, words)
        self.signed.add(entry.hash)
        if words is not None and seat.own is None:
            seat.turns += 1
            self._spends(seat.grant)
            seat.own = number, (entry, words)
        said = {} if words is None else {"words": words.json}
        return {"have": have, "entry": entry.text, **said}

    def _granted(
        self, asked: Member, seat: Seat, table: Table, at: tuple[str, int]
    ) -> tuple[dict[str, Any], Words]:
        by, number = at
        assert seat.grant is not None
        held = HeldTableGrant(
            seat.grant, seat.state != "accepted", seat.turns - (seat.own is not None)
        )
        rules = table.opening.fields
        request = TurnRequest(
            seat.host, asked.did, table.opening.table, rules["bytes"], rules["tokens"]
        )
        scope = allows_turn(held, request, self.world.second)
        if isinstance(scope, Refusal):
            raise scope
        if by not in table.due_in(number):
            raise Refusal(Code.OUT_OF_SCOPE, "by")
        if seat.own is not None:
            entry, words = seat.own[1]
            assert words is not None
            names = ("by", "round", "abstained", "on", "stance", "quotes")
            return {name: entry.fields[name] for name in names}, words
        return turn_of(table, by, number, asked.random)

    def _keep(self, seat: Seat, table: Table) -> None:
        seat.said = [(each, table.words.get(each.n)) for each in table.entries]
        if seat.own is not None and seat.own[1][1] is not None:
            mine = {each.fields.get("words") for each in table.entries}
            if seat.own[1][1].hash in mine:
                seat.own = None
        self._holds(table)

    def _tell(self, member: Member, to: Did, body: dict[str, Any]) -> None:
        known = member.contact(to)
        if known is not None and known.state is ContactState.ACTIVE:
            self.world.post(member, to, body, limits.DAY)

    # --- what has to hold ------------------------------------------------------------------------

    def _holds(self, table: Table) -> None:
        """Look at a record as somebody has it: it is the host's, as far as it goes, and everything
        in it was signed by who is named.
        """
        truth = self.hosted[table.opening.table].table.entries
        for mine, theirs in zip(table.entries, truth, strict=False):
            if mine.hash != theirs.hash:
                raise BrokenError("two have different records of one table")
        if not all(each.hash in self.signed for each in table.entries):
            raise BrokenError("somebody spoke for another at a table")
        if table.words.keys() & table.gone:
            raise BrokenError("struck words are there")

    def _spends(self, grant: TableGrant | None) -> None:
        assert grant is not None
        if grant.id in self.left:
            raise BrokenError("a turn was taken after the grant was taken back")
        self.spent[grant.id] = self.spent.get(grant.id, 0) + 1
        if self.spent[grant.id] > grant.turns:
            raise BrokenError("more turns were taken than were granted")

    def at_rest(self) -> None:
        """Look at all tables once everything came to rest: each is closed, and everybody who sits
        there still has the whole of it.
        """
        for name, hosted in self.hosted.items():
            table = hosted.table
            verify([(each, table.words.get(each.n)) for each in table.entries])
            if table.closed is None:
                raise BrokenError("a table did not end")
            for guest in hosted.guests.values():
                other = self.world.members[guest.did]
                seat = other.seats.get(name)
                if guest.gone or not guest.here or seat is None or seat.state != "accepted":
                    continue
                self.world.watch.counts["tables kept whole"] += 1
                if seat.said[-1][0].hash != table.head.hash:
                    raise BrokenError("a member does not have the whole record")


def turn_of(table: Table, by: str, number: int, random: Any) -> tuple[dict[str, Any], Words]:  # noqa: ANN401  gives bytes
    """Write a turn: it answers the last one of somebody else, where there is one."""
    others = [each for each in table.turns if each.fields["by"] != by]
    on = others[-1].n if others else None
    cites = () if on is None else ({"turn": on},)
    words = Words.write(f"canary: what {by} says in round {number}", cites, random)
    quotes = [] if on is None else [on]
    silent = table.strategy == "debate" and on is None  # there is nothing to answer
    body = {"by": by, "round": number, "abstained": silent, "on": on, "stance": None}
    return {**body, "quotes": quotes}, words
