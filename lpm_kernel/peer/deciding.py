"""What becomes of what came in: each event of a session is recorded, and answered from what the use cases say. Everything here blocks."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lpm_kernel.domain.network import DAY, Contact, ContactState, InboxRow, InboxState, Offer
from lpm_kernel.errors import ConflictError
from lpm_kernel.peer.books import known
from lpm_kernel.peer.speaker import Claims, Composed, Speaker
from lpm_kernel.usecases.share import decisions, grants, people
from lpm_kernel.usecases.share.people import card_row
from protocol.answering import Answering
from protocol.events import Asked, Event, Given, Greeted, Introduced, Refused, Repeated, Waiting
from protocol.grants import Cost, Request, allows
from protocol.identity import PeerId
from protocol.messages import ANSWERS, GRANTED, Message, Verb, as_fields, read_message
from protocol.refusals import Code, Refusal
from protocol.scope import Scope
from protocol.session import State
from protocol.shape import read_json, write_json

logger = logging.getLogger(__name__)

AGAIN: Final = 5
"""Seconds after which who asks twice while it is worked on may ask again."""


@dataclass
class Turn:
    """One request, from its first byte to the answer. The session belongs to whoever holds the lock: the work, or who watches the wire."""

    speaker: Speaker
    contact: Contact | None
    """Who asks, as the gate knew them; ``None`` for a stranger."""
    answering: Answering
    claims: Claims
    out: bytes = field(default=b"", repr=False)
    """What has to be written to the stream, once it is decided."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def feed(self, data: bytes) -> list[Event]:
        """Take bytes that came in."""
        with self.lock:
            return self.answering.feed(data, self.speaker.now)

    def ended(self, *, broken: bool) -> None:
        """Note that their side of the stream ended, or the whole connection."""
        with self.lock:
            if broken:
                self.answering.abandon()
            else:
                self.answering.end()

    def say(self, body: Mapping[str, Any]) -> None:
        """Answer, if somebody still waits for it."""
        with self.lock:
            if self.answering.state is State.DECIDING:
                self.answering.answer(body, self.speaker.now)

    def refuse(self, code: Code, after: int | None = None) -> None:
        """Refuse in words, if somebody still waits for it."""
        with self.lock:
            if self.answering.state is State.DECIDING:
                self.answering.refuse(code, self.speaker.now, after)


def begin(speaker: Speaker, peer: PeerId, contact: Contact | None, *, full: bool) -> Turn:
    """Begin to be asked by a peer who was let in; ``full``: it is too much at once, and what they ask is refused so."""
    claims = Claims(speaker)
    return Turn(speaker, contact, Answering(speaker.node(claims, full=full), peer, None if contact is None else known(contact)), claims)


def decide(turn: Turn, event: Event) -> None:
    """Record an event, and give the session its answer or its refusal. A fault of ours is refused as busy: they may come again."""
    try:
        _decide(turn, event)
    except Exception as error:  # noqa: BLE001  nothing that comes in may end the host; nothing of it is in the log
        logger.error("A request could not be decided: %s", type(error).__name__)  # noqa: TRY400  as above
        turn.refuse(Code.BUSY)
    finally:
        turn.claims.let_go()
        _leaving(turn, event)


def _decide(turn: Turn, event: Event) -> None:
    speaker = turn.speaker
    match event:
        case Refused():
            _note(turn, event)
        case Waiting(message):
            decisions.wait(speaker.post, speaker.audit, speaker.clock, message.iss, message.id)
        case Repeated(issuer, message_id):
            _repeat(turn, issuer, message_id)
        case Greeted() | Introduced() | Given() | Asked():
            _first(turn, event)
        case _:
            raise TypeError(f"{type(event).__name__} is no event of who is asked.")


def _first(turn: Turn, event: Greeted | Introduced | Given | Asked) -> None:
    speaker, message = turn.speaker, event.message
    try:
        body, documents = _done(speaker, event)
    except Refusal as refusal:
        _refused(turn, (message.iss, message.id), refusal)
        return
    decisions.answered(speaker.post, speaker.audit, speaker.clock, message.iss, message.id, body, documents)
    turn.say(body)


def _refused(turn: Turn, name: tuple[str, str], refusal: Refusal) -> None:
    """Keep a refusal, then say it. Who is busy will not be so for ever, so that is not kept."""
    speaker = turn.speaker
    if refusal.code is not Code.BUSY:
        decisions.refused(speaker.post, speaker.audit, speaker.clock, *name, refusal.code)
    turn.refuse(refusal.code)


def _done(speaker: Speaker, event: Greeted | Introduced | Given | Asked) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Do what was asked for; give the answer and what it was made from. Raises ``Refusal``."""
    try:
        match event:
            case Greeted():
                people.welcome(speaker.contacts, event.met)
                return event.answer, ()
            case Introduced():
                _introduced(speaker, event)
                return {"card": speaker.keystore.card(speaker.name).text}, ()
            case Given():
                grants.take(speaker.permissions, speaker.contacts, speaker.clock, event)
                return {"kept": True}, ()
            case Asked():
                return _asked(speaker, event)
    except ConflictError as conflict:
        raise Refusal(Code.REPLAY, "kept") from conflict


def _introduced(speaker: Speaker, event: Introduced) -> None:
    known = _contact(speaker, event.message)
    if event.rotation is not None:
        people.changed(speaker.contacts, speaker.clock, known.id, event.rotation, event.card)
    else:
        speaker.contacts.update(known.id, card_row(event.card))


def _asked(speaker: Speaker, asked: Asked) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    message, body = asked.message, asked.message.body
    match message.verb:
        case Verb.OFFER:
            known = _contact(speaker, message)
            offer = Offer(message.id, known.id, ours=False, **{each: body[each] for each in ("item", "title", "media", "size", "hash", "until")})
            speaker.permissions.offer(offer)
            return {"kept": True}, ()
        case Verb.GRANT:
            speaker.permissions.end_received(message.iss, body["revoked"], speaker.clock.now())
            return {"kept": True}, ()
        case Verb.BYE:
            known = _contact(speaker, message)
            if known.state is not ContactState.ENDED:
                people.end(speaker.contacts, speaker.clock, known.id)
            return {}, ()
        case _:
            composed = _composed(speaker, asked)
            return composed.body, composed.documents


def _composed(speaker: Speaker, asked: Asked) -> Composed:
    """Let it be answered, and look at the answer before it is kept: one that could not be sent would be kept for good."""
    composed, message = speaker.answer(asked, speaker.now), asked.message
    try:
        ANSWERS[message.verb].check(composed.body, "body")
    except Refusal as misfit:
        raise TypeError("The answer has not the shape of its verb.") from misfit
    if len(write_json(composed.body)) > message.body["bytes"]:
        raise ValueError("The answer is longer than was asked for.")
    return composed


def _repeat(turn: Turn, issuer: str, message_id: str) -> None:
    """Say again what was said, or how far it has come. After the person's yes the work begins here."""
    row = turn.speaker.post.arrived(issuer, message_id)
    if row is None:
        turn.refuse(Code.REPLAY)
    elif row.state is InboxState.ANSWERED and row.answer is not None:
        turn.say(row.answer)
    elif row.state is InboxState.ANSWERED:
        turn.refuse(Code(row.code) if row.code else Code.REPLAY)
    elif row.state is InboxState.WAITING:
        turn.refuse(Code.CONSENT_REQUIRED)
    elif row.state is InboxState.DECIDED and turn.claims.take((issuer, message_id)):
        _consented(turn, row)
    else:
        turn.refuse(Code.BUSY, AGAIN)


def _consented(turn: Turn, row: InboxRow) -> None:
    """Answer what the person said yes to: decided anew, paid for, kept, then sent."""
    speaker, now = turn.speaker, turn.speaker.now
    message = read_message(as_fields(read_json(row.json.encode())), int(row.came_at.timestamp()), answer=False)
    cost = Request.of(message).cost
    try:
        scope = _paid(speaker, message, now)
        try:
            composed = _composed(speaker, Asked(message, scope))
        except BaseException:
            speaker.books.give_back(row.grant, cost, now)
            raise
    except Refusal as refusal:
        _refused(turn, (row.issuer, row.id), refusal)
        return
    unused = Cost(0, max(0, cost.bytes - len(write_json(composed.body))), max(0, cost.tokens - composed.body.get("tokens", 0)))
    speaker.books.give_back(row.grant, unused, now)
    decisions.answered(speaker.post, speaker.audit, speaker.clock, row.issuer, row.id, composed.body, composed.documents)
    turn.say(composed.body)


def _paid(speaker: Speaker, message: Message, now: int) -> Scope:
    """Decide as if the person had been asked, and set the cost aside. Raises ``Refusal``."""
    held = None if message.grant is None else speaker.books.held(message.grant, now)
    if held is None:
        raise Refusal(Code.NO_GRANT, "grant")
    request = Request.of(message, consented=True)
    scope = allows(held, request, now)
    if isinstance(scope, Refusal):
        raise scope
    if not speaker.books.spend(held.grant.id, request.cost, now):
        raise Refusal(Code.OVER_BUDGET, "daily")
    return scope


def _note(turn: Turn, refused: Refused) -> None:
    """Keep a refusal with its message, where this stream wrote it down; otherwise count it."""
    speaker, mine = turn.speaker, turn.claims.mine
    if mine is not None and refused.message_id == mine[1] and refused.code is not Code.BUSY:
        decisions.refused(speaker.post, speaker.audit, speaker.clock, *mine, refused.code)
    else:
        speaker.turned_away.note("" if turn.contact is None else turn.contact.id, refused.code, refused.where)


def _leaving(turn: Turn, event: Event) -> None:
    """Count what is about to leave for a contact."""
    with turn.lock:
        turn.out = turn.answering.take()
    verb = Verb.REFUSAL
    if isinstance(event, Greeted | Introduced | Given | Asked):
        verb = event.message.verb
    elif isinstance(event, Repeated):
        row = turn.speaker.post.arrived(event.issuer, event.message_id)
        verb = Verb.REFUSAL if row is None else Verb(row.verb)
    to = turn.speaker.contacts.by_did(event.message.iss) if isinstance(event, Greeted) else turn.contact
    if to is not None and turn.out:
        turn.speaker.post.left(to.id, turn.speaker.now // DAY, category(verb, answer=True), len(turn.out))


def _contact(speaker: Speaker, message: Message) -> Contact:
    known = speaker.contacts.by_did(message.iss)
    if known is None:
        raise Refusal(Code.CONSENT_REQUIRED, "contact")
    return known


def category(verb: Verb, *, answer: bool) -> str:
    """Say under which name bytes are counted that leave for a contact.

    >>> category(Verb.ASK, answer=True), category(Verb.ASK, answer=False), category(Verb.CARD, answer=True)
    ('answers', 'questions', 'cards')
    """
    if verb in GRANTED:
        return "answers" if answer else "questions"
    return {Verb.HELLO: "cards", Verb.CARD: "cards", Verb.GRANT: "grants", Verb.OFFER: "offers"}.get(verb, "notices")
