"""A table as its record makes it: which entry may come next, and which never.

protocol/spec/discussion.md has the rules in this order. Everything here is worked out from entries
alone: who has the same entries has the same table, in whatever order they came. Nothing is
repaired; what does not fit is refused, and the table stands as it did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from protocol import limits
from protocol.discussion import Entry, Member, Says, Speaker, Stance, Step, Stop, Strategy, Words
from protocol.identity import Did
from protocol.refusals import Code, Refusal
from protocol.shape import misshapen

_TAMER: Final = {(Says.SAID, Says.AGREED), (Says.SAID, Says.DISAGREED)}
"""Of who agreed it may be said, too, that they spoke."""
_SAYS: Final = {None: Says.SAID, Stance.AGREES: Says.AGREED, Stance.DISAGREES: Says.DISAGREED}


@dataclass
class Table:
    """One table. Make it with :meth:`open`, and move it by :meth:`take`."""

    opening: Entry
    entries: list[Entry]
    words: dict[int, Words] = field(repr=False)
    """The words that are there, by the number of their entry."""
    members: dict[str, Member] = field(repr=False)
    present: set[str]
    round: int = 1
    heard: set[str] = field(default_factory=set)
    """Who had their turn in this round, or failed to take it."""
    missed: set[str] = field(default_factory=set)
    """Those of them who failed: once the table was paused and goes on, they have it again."""
    called: str | None = None
    paused: bool = False
    struck: set[int] = field(default_factory=set)
    closed: Stop | None = None

    @classmethod
    def open(cls, opening: Entry, words: Words | None, now: int | None = None) -> Table:
        """Begin with an opening. With ``now`` (seconds) it has to be one of a table that goes on.
        Refuses ``malformed``, ``expired``, ``from_future``.
        """
        if opening.step is not Step.OPENING:
            misshapen("entry.step")
        members = [Member.of(each) for each in opening.fields["members"]]
        if len({each.id for each in members}) != len(members):
            misshapen("entry.members")
        if not opening.ts < opening.fields["exp"] <= opening.ts + limits.TABLE_LIFE:
            misshapen("entry.exp")
        if now is not None and opening.ts > now + limits.SKEW:
            raise Refusal(Code.FROM_FUTURE, "entry.ts")
        if now is not None and opening.fields["exp"] <= now - limits.SKEW:
            raise Refusal(Code.EXPIRED, "entry.exp")
        table = cls(opening, [opening], {}, {each.id: each for each in members}, set())
        table.present = {each.id for each in members if each.did == opening.iss}
        if words is not None:
            table.put_words(0, words)
        return table

    # --- what it says of itself ------------------------------------------------------------------

    @property
    def host(self) -> Did:
        """Give who opened it."""
        return self.opening.iss

    @property
    def strategy(self) -> Strategy:
        """Say how it is decided whose turn it is."""
        return Strategy(self.opening.fields["strategy"])

    @property
    def head(self) -> Entry:
        """Give the newest entry: the next one comes after it."""
        return self.entries[-1]

    @property
    def turns(self) -> list[Entry]:
        """Give the turns, in their order."""
        return [each for each in self.entries if each.step is Step.TURN]

    @property
    def voices(self) -> list[str]:
        """Name who is there and has turns by the strategy, in the order of the table: all but those
        who type, who speak when they like.
        """
        return [
            each.id
            for each in self.members.values()
            if each.id in self.present and each.kind is not Speaker.PERSON
        ]

    @property
    def able(self) -> list[str]:
        """Name the voices that have turns left."""
        return self._with_turns(self.voices)

    @property
    def due(self) -> list[str]:
        """Name whose turn it may be now, the first by the strategy first; nobody where the round is
        over or the table is paused or closed.
        """
        if self.closed is not None or self.paused:
            return []
        left = self.able
        match self.strategy:
            case Strategy.MODERATED:
                return [each for each in left if each == self.called]
            case Strategy.FREE:
                turns = self.turns
                last = turns[-1].fields["by"] if turns else None
                alone = not set(left) - {last} - self.missed
                return [each for each in left if each != last or alone]
            case _:
                return [each for each in left if each not in self.heard][:1]

    @property
    def withheld(self) -> list[int]:
        """Number the entries whose words are not there and were not struck."""
        there = self.words.keys() | self.gone
        return [each.n for each in self.entries if "words" in each.fields and each.n not in there]

    @property
    def gone(self) -> set[int]:
        """Number the entries whose words go: those that were struck, and those that quote them."""
        return {each.n for each in self.entries if each.shows(self.struck)}

    def agreed(self) -> int | None:
        """Give the turn that its author said last and that every other voice agreed to in what it
        said last; ``None`` where there is none, or fewer than two are there.
        """
        last = {each.fields["by"]: each for each in self.turns}
        voices = [last.get(each) for each in self.voices]
        if len(voices) < 2:  # noqa: PLR2004 - two agree
            return None
        for turn in sorted(last.values(), key=lambda each: -each.n):
            if all(
                each is not None
                and (
                    each is turn
                    or (each.fields["on"] == turn.n and each.fields["stance"] == Stance.AGREES)
                )
                for each in voices
            ):
                return turn.n
        return None

    # --- what comes next -------------------------------------------------------------------------

    def take(self, entry: Entry, words: Words | None = None) -> bool:
        """Add the next entry; no if it is there already. A refusal leaves the table as it was.

        Refuses ``wrong_audience`` for another table, ``replay`` for another entry of the same
        number or one after another entry, ``malformed`` for a gap, and what the rules refuse.
        """
        if entry.table != self.opening.table:
            raise Refusal(Code.WRONG_AUDIENCE, "entry.table")
        if entry.n < len(self.entries):
            if entry.hash != self.entries[entry.n].hash:
                raise Refusal(Code.REPLAY, "entry.n")
            if words is not None and entry.n not in self.words:
                self.put_words(entry.n, words)
            return False
        if entry.n != len(self.entries):
            misshapen("entry.n")
        if entry.prev != self.head.hash:
            raise Refusal(Code.REPLAY, "entry.prev")
        if entry.n >= limits.ENTRIES:
            raise Refusal(Code.OVER_BUDGET, "entry.n")
        self._check(entry)
        if words is not None:
            self._check_words(entry, words)
        self.entries.append(entry)
        if words is not None and entry.n not in self.gone:
            self.words[entry.n] = words
        self._follow(entry)
        return True

    def put_words(self, n: int, words: Words) -> None:
        """Add words that came later than their entry. Refuses what the entry does not commit to."""
        if n not in self.gone:
            self._check_words(self.entries[n], words)
            self.words[n] = words

    def _check(self, entry: Entry) -> None:
        """Hold an entry against the rules, in the order of the specification."""
        if self.closed is not None and entry.step is not Step.STRUCK:
            raise Refusal(Code.EXPIRED, "entry.step")
        if entry.ts < self.opening.ts - limits.SKEW:
            raise Refusal(Code.REPLAY, "entry.ts")
        for number in entry.fields.get("quotes", ()):
            self._turn(number)
        match entry.step:
            case Step.TURN:
                self._check_turn(entry)
            case Step.JOINED | Step.LEFT:
                self._check_seat(entry)
            case Step.STRUCK:
                self._check_strike(entry)
            case _:
                if entry.iss != self.host:
                    raise Refusal(Code.SENDER_MISMATCH, "entry.iss")
                self._check_host(entry)

    def _check_seat(self, entry: Entry) -> None:
        """Let a member say that it is there, and that it goes; the host, too, may have it go."""
        by = entry.fields["by"]
        if entry.step is Step.JOINED or entry.iss != self.host:
            self._member(entry, by)
        if (by in self.present) is (entry.step is Step.JOINED):
            raise Refusal(Code.OUT_OF_SCOPE, "entry.by")

    def _check_host(self, entry: Entry) -> None:
        match entry.step:
            case Step.OPENING:
                misshapen("entry.step")
            case Step.INVITED:
                self._check_guest(entry.fields["member"]["id"])
            case Step.CALLED | Step.FAILED:
                self._present(entry.fields["by"])
                if entry.step is Step.CALLED and self.strategy is not Strategy.MODERATED:
                    raise Refusal(Code.OUT_OF_SCOPE, "entry.step")
            case Step.PAUSED | Step.RESUMED:
                if self.paused is (entry.step is Step.PAUSED):
                    raise Refusal(Code.OUT_OF_SCOPE, "entry.step")
            case Step.SUMMARY:
                for point in entry.fields["points"]:
                    self._check_point(point["by"], point["turn"], Says(point["says"]))
            case _:
                self._check_end(entry)

    def _check_guest(self, who: str) -> None:
        if who in self.members:
            raise Refusal(Code.REPLAY, "entry.member")
        if len(self.members) >= limits.MEMBERS:
            raise Refusal(Code.OVER_BUDGET, "entry.member")

    def _check_turn(self, entry: Entry) -> None:
        by, number, on = entry.fields["by"], entry.fields["round"], entry.fields["on"]
        member = self._member(entry, by)
        self._present(by)
        if entry.ts >= self.opening.fields["exp"] + limits.SKEW:
            raise Refusal(Code.EXPIRED, "entry.ts")
        self._check_budget(by)
        answered = None if on is None else self._turn(on)
        if entry.fields["stance"] is not None and (answered is None or entry.fields["abstained"]):
            misshapen("entry.stance")
        if answered is not None and answered.fields["by"] == by:
            misshapen("entry.on")
        if member.kind is not Speaker.PERSON:
            self._check_order(by, number)
            later = self.strategy is Strategy.DEBATE and number > 1
            if later and answered is None and not entry.fields["abstained"]:
                raise Refusal(Code.OUT_OF_SCOPE, "entry.on")
        elif number != self.round:
            raise Refusal(Code.OUT_OF_SCOPE, "entry.round")

    def _check_budget(self, by: str) -> None:
        spent = Counter(each.fields["by"] for each in self.turns)
        if spent[by] >= self.opening.fields["turns"]:
            raise Refusal(Code.OVER_BUDGET, "entry.by")
        if spent.total() >= self.opening.fields["total"]:
            raise Refusal(Code.OVER_BUDGET, "entry.n")

    def _check_order(self, by: str, number: int) -> None:
        if self.paused:
            raise Refusal(Code.OUT_OF_SCOPE, "entry.step")
        if number > self.opening.fields["rounds"]:
            raise Refusal(Code.OVER_BUDGET, "entry.round")
        if by not in self.due_in(number):
            raise Refusal(Code.OUT_OF_SCOPE, "entry.by")

    def due_in(self, number: int) -> list[str]:
        """Name who may take a turn of a round: of this one, or of the next where this one is over.

        In turn, nobody is passed over: the next round begins when everybody who is there and has
        turns left had theirs, or failed to take it.
        """
        if number == self.round:
            return self.due
        if number != self.round + 1 or self.closed is not None or self.paused:
            return []
        if self.strategy in {Strategy.MODERATED, Strategy.FREE}:
            return self.due if self.heard else []
        return [] if self.due else self.able[:1]

    def _check_strike(self, entry: Entry) -> None:
        number = entry.fields["entry"]
        if number >= len(self.entries) or "words" not in self.entries[number].fields:
            misshapen("entry.entry")
        if entry.iss not in {self.host, self.entries[number].iss}:
            raise Refusal(Code.SENDER_MISMATCH, "entry.iss")
        if number in self.struck:
            raise Refusal(Code.OUT_OF_SCOPE, "entry.entry")

    def _check_point(self, by: str, number: int, says: Says) -> None:
        """Hold what a summary says of a member against that member's own turn."""
        turn = self._turn(number)
        stance = turn.fields["stance"]
        told = (
            Says.ABSTAINED
            if turn.fields["abstained"]
            else _SAYS[None if stance is None else Stance(stance)]
        )
        if turn.fields["by"] != by or (says is not told and (says, told) not in _TAMER):
            raise Refusal(Code.SENDER_MISMATCH, "entry.points")

    def _check_end(self, entry: Entry) -> None:
        why = Stop(entry.fields["why"])
        if why not in {*self.opening.fields["stop"], Stop.PERSON, Stop.ALONE}:
            raise Refusal(Code.OUT_OF_SCOPE, "entry.why")
        ordered = self.strategy in {Strategy.ROUND_ROBIN, Strategy.DEBATE}
        true = {
            Stop.ROUNDS: self.round >= self.opening.fields["rounds"] and not (ordered and self.due),
            Stop.AGREEMENT: self.agreed() is not None,
            Stop.TIME: entry.ts >= self.opening.fields["exp"] - limits.SKEW,
            Stop.ALONE: not self.able,
        }
        if not true.get(why, True):
            raise Refusal(Code.SENDER_MISMATCH, "entry.why")

    def _check_words(self, entry: Entry, words: Words) -> None:
        entry.check_words(words, self.opening.fields["bytes"])
        for number, quotes in words.quotes.items():
            said = self.words.get(self._turn(number).n)
            if said is not None and any(each not in said.text for each in quotes):
                raise Refusal(Code.SENDER_MISMATCH, "words.cites")

    # --- small questions -------------------------------------------------------------------------

    def _member(self, entry: Entry, who: str) -> Member:
        """Give a member, for whom nobody else signs."""
        member = self.members.get(who)
        if member is None:
            raise Refusal(Code.NO_GRANT, "entry.by")
        if member.did != entry.iss:
            raise Refusal(Code.SENDER_MISMATCH, "entry.iss")
        return member

    def _present(self, who: str) -> None:
        if who not in self.present:
            raise Refusal(Code.NO_GRANT, "entry.by")

    def _turn(self, number: int) -> Entry:
        if number >= len(self.entries) or self.entries[number].step is not Step.TURN:
            misshapen("entry.turn")
        return self.entries[number]

    def _with_turns(self, who: Iterable[str]) -> list[str]:
        rules, spent = self.opening.fields, Counter(each.fields["by"] for each in self.turns)
        some = spent.total() < rules["total"]
        return [each for each in who if some and spent[each] < rules["turns"]]

    def _follow(self, entry: Entry) -> None:
        """Make the table what an entry that was taken makes it."""
        by = entry.fields.get("by", "")
        match entry.step:
            case Step.INVITED:
                member = Member.of(entry.fields["member"])
                self.members[member.id] = member
                self.present |= {member.id} if member.did == self.host else set()
            case Step.JOINED:
                self.present.add(by)
            case Step.LEFT:
                self.present.discard(by)
                self.called = None if self.called == by else self.called
            case Step.CALLED:
                self.called = by
            case Step.TURN | Step.FAILED:
                self._heard(by, entry.fields.get("round", self.round))
                self.missed |= {by} if entry.step is Step.FAILED else set()
            case Step.PAUSED | Step.RESUMED:
                self.paused = entry.step is Step.PAUSED
                self.heard, self.missed = self.heard - self.missed, set()
            case Step.STRUCK:
                self.struck.add(entry.fields["entry"])
                for number in self.gone:
                    self.words.pop(number, None)
            case Step.CLOSED:
                self.closed = Stop(entry.fields["why"])

    def _heard(self, by: str, number: int) -> None:
        if number > self.round:
            self.round, self.heard, self.missed = number, set(), set()
        if self.members[by].kind is not Speaker.PERSON:
            self.heard.add(by)
            self.called = None
