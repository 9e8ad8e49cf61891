"""How one request goes over and what becomes of it, at both ends: the outbox with its pauses, the
gate, work that a kill does not lose, kept answers.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

from protocol.answering import Answering
from protocol.card import Card
from protocol.contact import (
    Contact,
    ContactState,
    Entrance,
    Happens,
    Invite,
    check_welcome,
    gate,
)
from protocol.encoding import to_b64u
from protocol.events import (
    Answered,
    Asked,
    Declined,
    Event,
    Given,
    Greeted,
    Introduced,
    Noticed,
    Refused,
    Repeated,
)
from protocol.grants import Held
from protocol.identity import Did
from protocol.messages import Message, Verb
from protocol.refusals import MEANINGS, Again, Code, Refusal
from protocol.session import Asking
from tests.protocol.twins import NOW
from tests.simulation.books import Kept
from tests.simulation.member import Member, Waiting
from tests.simulation.network import Network
from tests.simulation.tables import Tables
from tests.simulation.watch import Watch

FIRST_PAUSE, LONGEST_PAUSE = 30.0, 6 * 3_600.0
GIVES_UP = 10.0
"""Seconds until who asks sees that nobody is there."""
WORK = 20.0
"""Seconds that an answer takes, on average."""
CAPTURED = 4
"""Envelopes to one node that somebody on the way may have kept."""


class Exchanges:
    """Time, the network, and what travels."""

    def __init__(self, network: Network, random: Random, watch: Watch) -> None:
        self.network, self.random, self.watch = network, random, watch
        self.now = float(NOW)
        self.members: dict[Did, Member] = {}
        self.tables = Tables(self)
        self.used: dict[Did, list[Invite]] = {}
        """By who made them, invites that somebody came by."""
        self.captured: dict[Did, deque[tuple[Did, bytes]]] = {}
        self._events: list[tuple[float, int, Callable[[], object]]] = []
        self._order = count()

    @property
    def second(self) -> int:
        """The time as the protocol has it."""
        return int(self.now)

    def later(self, seconds: float, what: Callable[[], object]) -> None:
        """Have something happen after so many seconds."""
        heapq.heappush(self._events, (self.now + seconds, next(self._order), what))

    def run(self, until: float) -> None:
        """Let everything happen until a time."""
        while self._events and self._events[0][0] <= until:
            self.now, _, what = heapq.heappop(self._events)
            what()
        self.now = max(self.now, until)

    # --- the end that asks -----------------------------------------------------------------------

    def post(self, member: Member, to: Did, body: Mapping[str, Any], life: int) -> Waiting:
        """Write something about a table, and put it into the outbox."""
        at = self.second
        message = member.message(to, Verb.DISCUSS, dict(body), ts=at, exp=at + life)
        waiting = Waiting(message, to, self.now)
        self.later(0, lambda: self.put(member, waiting))
        return waiting

    def drop(self, member: Member, messages: Collection[str]) -> None:
        """Take what waits out of an outbox, as a restore does."""
        for message in messages:
            waiting = member.outbox.get(message)
            if waiting is not None and not waiting.done:
                self._settle(member, waiting, "dropped")

    def put(self, member: Member, waiting: Waiting) -> None:
        """Write a request into an outbox, and try it."""
        self.watch.writes(waiting.message)
        member.outbox[waiting.message.id] = waiting
        self.try_now(member, waiting)

    def try_now(self, member: Member, waiting: Waiting) -> None:
        """Try a request once; what fails comes again."""
        if waiting.done:
            return
        if waiting.message.exp <= self.now:
            self._settle(member, waiting, "expired")
            return
        if not member.up:
            self.later(FIRST_PAUSE, lambda: self.try_now(member, waiting))
            return
        known = member.contact(waiting.to)
        to = waiting.invite or (known.card if known is not None else None)
        other = self.members[waiting.to]
        if to is None:
            self._settle(member, waiting, "dropped")
            return
        waiting.tries += 1
        asking = Asking(member.node, to, waiting.message)
        asking.ask()
        data = asking.take()
        self.watch.sends(data)
        self.watch.counts["tries"] += 1
        seconds = self.network.through(member.number, other.number, self.now)
        if seconds is None or not other.up:
            self._again(member, waiting, GIVES_UP)
            return
        life = member.life

        def back(answer: bytes | None) -> None:
            if member.life != life or not member.up:
                if not waiting.done:
                    self.later(FIRST_PAUSE, lambda: self.try_now(member, waiting))
            elif answer is None:
                self._again(member, waiting, GIVES_UP)
            else:
                self._came_back(member, waiting, asking, answer)

        self.captured.setdefault(other.did, deque(maxlen=CAPTURED)).append((member.did, data))
        self.later(seconds, lambda: self.arrive(member, other, data, back))

    def _again(self, member: Member, waiting: Waiting, after: float = 0) -> None:
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (waiting.tries - 1))
        pause = max(after, pause) * (1 + member.dice.random() / 4)
        self.later(pause, lambda: self.try_now(member, waiting))

    def _came_back(self, member: Member, waiting: Waiting, asking: Asking, data: bytes) -> None:
        if waiting.done:
            return
        [event] = (asking.feed(data, self.second) or asking.end()) if data else asking.end()
        match event:
            case Answered():
                self._take(member, waiting, event)
            case Declined(code, after):
                if MEANINGS[code].again is Again.SAME:
                    self._again(member, waiting, after or 0)
                else:
                    self._settle(member, waiting, f"declined {code}")
            case Noticed(card):
                known = member.contact(card.did)
                if known is not None:
                    member.keep(replace(known, card=card))
                self._again(member, waiting)
            case _:
                self._again(member, waiting)

    def _take(self, member: Member, waiting: Waiting, event: Answered) -> None:
        other, message = self.members[waiting.to], waiting.message
        kept = other.books.kept[message.iss, message.id]
        assert dict(event.body) == dict(kept.body or {}), "another answer came than was kept"
        known = member.contact(waiting.to)
        if waiting.invite is not None:
            # the card that the hello showed: the box key may have been turned since
            mine = Card.read(str(message.body["card"]), int(waiting.written))
            met = check_welcome(
                waiting.invite, message.body, event.body, mine, other.card.peer, self.second
            )
            if known is None or known.state in {ContactState.ACTIVE, ContactState.ENDED}:
                member.keep(Contact(met.card))
        self._settle(member, waiting, "answered", event.body)

    def _settle(
        self,
        member: Member,
        waiting: Waiting,
        what: str,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        waiting.done = True
        del member.outbox[waiting.message.id]
        self.watch.settles(waiting.message, self.now - waiting.written, what)
        if waiting.message.verb is Verb.DISCUSS:
            self.tables.settled(member, waiting.message, body)

    # --- the end that is asked -------------------------------------------------------------------

    def arrive(
        self, asker: Member, asked: Member, data: bytes, back: Callable[[bytes | None], None]
    ) -> list[Event]:
        """Have a frame come in from a node that Noise proved, and say later what goes back."""
        if not asked.up:
            back(None)
            return []
        contact = asked.books.contacts.get(asker.card.peer)
        entrance = gate(contact, invite_open=bool(asked.books.invites), strangers=0)
        if entrance is Entrance.CLOSED:
            self.watch.counts["closed at the gate"] += 1
            back(None)
            return []
        known = contact if entrance is Entrance.CONTACT else None
        end = Answering(asked.node, asker.card.peer, known)
        events = end.feed(data, self.second)
        for event in events:
            self._event(asked, end, event, lambda: self._send(asker, asked, end, back))
        return events

    def _send(
        self, asker: Member, asked: Member, end: Answering, back: Callable[[bytes | None], None]
    ) -> None:
        data = end.take()
        if data:
            self.watch.sends(data)
        seconds = self.network.through(asked.number, asker.number, self.now)
        self.later(seconds or GIVES_UP, lambda: back(None if seconds is None else data))

    def _event(self, asked: Member, end: Answering, event: Event, send: Callable[[], None]) -> None:
        """Do what a node does with what its session tells."""
        match event:
            case Refused(code, _, _, message_id):
                self.watch.refuses(code)
                self._keep_refusal(asked, code, message_id, end)
                send()
            case Repeated(issuer, message_id):
                self.watch.counts["repeated"] += 1
                self._repeat(
                    asked, end, asked.books.kept.get((issuer, message_id)), issuer, message_id
                )
                send()
            case Greeted(message, invite, met, answer):
                self.watch.greets(invite.id)
                self.used.setdefault(asked.did, []).append(invite)
                self._decided(asked, message, answer)
                asked.keep(Contact(met.card))
                self._say(asked, end, message, answer)
                send()
            case Introduced(message, card):
                known = asked.contact(message.iss)
                assert known is not None
                asked.keep(replace(known, card=card))
                body = {"card": asked.card.text}
                self._decided(asked, message, body)
                self._say(asked, end, message, body)
                send()
            case Given(message, grant, _, _):
                asked.received.grants[grant.id] = grant
                self._decided(asked, message, {"kept": True})
                self._say(asked, end, message, {"kept": True})
                send()
            case Asked(message):
                self.watch.decides(asked.did, message, self.second)
                if message.grant is not None:
                    self.watch.spends(asked.books, message.grant, self.second)
                name, life = (message.iss, message.id), asked.life
                asked.books.working[name] = message
                seconds = self.random.expovariate(1 / WORK)
                self.later(seconds, lambda: self._worked(asked, message, life, end, send))
            case _:
                raise AssertionError(f"the end that is asked told {event}")

    def _decided(self, asked: Member, message: Message, body: Mapping[str, Any]) -> None:
        self.watch.decides(asked.did, message, self.second)
        asked.books.kept[message.iss, message.id] = Kept(dict(body))

    def _keep_refusal(
        self, asked: Member, code: Code, message_id: str | None, end: Answering
    ) -> None:
        request = end._request
        if message_id and request is not None and MEANINGS[code].again is not Again.SAME:
            asked.books.kept.setdefault((request.iss, message_id), Kept(code=code))

    def _repeat(
        self, asked: Member, end: Answering, kept: Kept | None, issuer: str, message_id: str
    ) -> None:
        if kept is None:
            working = (issuer, message_id) in asked.books.working
            end.refuse(
                Code.BUSY if working else Code.REPLAY, self.second, after=5 if working else None
            )
        elif kept.code is not None:
            end.refuse(kept.code, self.second)
        elif kept.body is not None:
            message = end._request
            assert message is not None
            self._say(asked, end, message, kept.body)

    def _worked(
        self, asked: Member, message: Message, life: int, end: Answering, send: Callable[[], None]
    ) -> None:
        """Come to an answer: kept first, then sent, if the stream is still there."""
        name = (message.iss, message.id)
        if not asked.up:
            self.later(FIRST_PAUSE, lambda: self._worked(asked, message, life, end, send))
            return
        asked.books.working.pop(name)
        try:
            kept = Kept(self._made(asked, message))
        except Refusal as refusal:
            kept = Kept(code=refusal.code)
            self.watch.counts[f"at a table {refusal.code}"] += 1
        asked.books.kept[name] = kept
        if asked.life == life and kept.code is not None:
            end.refuse(kept.code, self.second)
        elif asked.life == life:
            self._say(asked, end, message, kept.body or {})
        else:
            end.abandon()  # the stream went with the life in which it was opened
        send()

    def _say(
        self, asked: Member, end: Answering, message: Message, body: Mapping[str, Any]
    ) -> None:
        contact = asked.contact(message.iss)
        state = contact.state if contact else ContactState.ENDED
        said_goodbye = message.verb is Verb.BYE and state is ContactState.ENDED
        if state is not ContactState.ACTIVE and not said_goodbye:
            end.abandon()
            return
        if end.answer(body, self.second) is None:
            if not said_goodbye:
                self.watch.answers(asked.did, message, state, self.second)
                self.watch.charges(asked.did, message, body)
            if message.grant is not None:
                self.watch.spends(asked.books, message.grant, self.second)

    def _made(self, asked: Member, message: Message) -> dict[str, Any]:
        """Do what a request asks for."""
        match message.verb:
            case Verb.ASK:
                text = to_b64u(message.id.encode()) + "." * 1_200
                return {
                    "text": text,
                    "abstained": False,
                    "form": "answer",
                    "cites": [],
                    "tokens": 20,
                }
            case Verb.RECALL:
                return {"items": []}
            case Verb.FETCH:
                data = to_b64u(b"what was offered")
                return {"hash": to_b64u(bytes(32)), "size": 16, "start": 0, "data": data}
            case Verb.OFFER:
                asked.received.offers.append((message.iss, message.id, message.body["item"]))
            case Verb.GRANT:
                known = asked.received.grants.get(message.body["revoked"])
                if known is not None and known.iss == message.iss:
                    del asked.received.grants[known.id]
            case Verb.DISCUSS:
                return self.tables.take(asked, message)
            case Verb.BYE:
                contact = asked.contact(message.iss)
                if contact is not None:
                    self.part(asked, contact)
                return {}
            case _:
                pass
        return {"kept": True}

    def part(self, member: Member, contact: Contact) -> None:
        """End a contact, with all grants both ways."""
        if contact.state is not ContactState.ENDED:
            member.keep(contact.after(Happens.BYE))
        for row in list(member.books.grants.values()):
            if row.grant.aud == contact.did and not row.revoked:
                self.revoke(member, row)
        self.tables.end(member, contact.did)
        kept = member.received.grants.items()
        member.received.grants = {name: grant for name, grant in kept if grant.iss != contact.did}

    def revoke(self, member: Member, row: Held) -> None:
        """Take a grant back in its owner's rows: from now on it counts for nothing."""
        member.books.grants[row.grant.id] = replace(row, revoked=True)
        self.watch.grants[row.grant.id].revoked = self.now
