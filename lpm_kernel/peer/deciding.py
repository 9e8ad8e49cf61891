"""What becomes of what came in: each event of a session is recorded, and answered from what the use
cases say. Everything here blocks.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from lpm_kernel.domain.share.network import DAY, Contact, ContactState, InboxRow, InboxState
from lpm_kernel.errors import ConflictError
from lpm_kernel.peer.books import known
from lpm_kernel.peer.speaker import Composed, ReplayClaims, Speaker
from lpm_kernel.usecases.share import decisions, grants, offers, people
from lpm_kernel.usecases.share.answering import read_request
from lpm_kernel.usecases.share.people import card_row
from protocol import limits
from protocol.answering import Answering
from protocol.contact import Entrance, gate
from protocol.events import Asked, Event, Given, Greeted, Introduced, Refused, Repeated, Waiting
from protocol.grants import Cost, Request, allows
from protocol.identity import PeerId
from protocol.messages import ANSWERS, GRANTED, Message, Verb
from protocol.refusals import Code, Refusal
from protocol.scope import Scope
from protocol.session import State
from protocol.shape import write_json

logger = logging.getLogger(__name__)

AGAIN: Final = 5
"""Seconds after which who asks twice while it is worked on may ask again."""


@dataclass
class RequestTurn:
    """One request, from its bytes to the answer. It belongs to the thread that works on it."""

    speaker: Speaker
    peer: PeerId
    full: bool
    """It is too much at once, and what they ask is refused so."""
    behind: Callable[[], bytes | None]
    """What came in behind the request; ``None`` once they hung up."""
    claims: ReplayClaims = field(init=False)
    contact: Contact | None = None
    """Who asks; ``None`` for a stranger."""
    answering: Answering | None = None
    """The session, once it is known who asks."""
    out: bytes = field(default=b"", repr=False)
    """What has to be written to the stream, once it is decided."""

    def __post_init__(self) -> None:
        self.claims = ReplayClaims(self.speaker)

    def begin(self, contact: Contact | None, data: bytes) -> list[Event]:
        """Begin to be asked by a peer who was let in, with what came from them."""
        more = self.behind()
        if more is None:
            return []
        self.contact = contact
        self.answering = Answering(
            self.speaker.node(self.claims, full=self.full),
            self.peer,
            None if contact is None else known(contact),
        )
        return self.answering.feed(data + more, self.speaker.now)

    @property
    def waited_for(self) -> Answering | None:
        """The session, if somebody still waits for an answer."""
        self._look()
        return (
            self.answering
            if self.answering is not None and self.answering.state is State.DECIDING
            else None
        )

    def _look(self) -> None:
        """See whether they hung up while they were being answered, or said more than one request,
        by which nothing could be meant.
        """
        if self.answering is None or self.answering.state is not State.DECIDING:
            return
        more = self.behind()
        if more is None:
            self.answering.abandon()
        else:
            self.answering.feed(more, self.speaker.now)

    def say(self, body: Mapping[str, Any]) -> None:
        """Answer, if somebody still waits for it."""
        with self.speaker.post.together():
            session = self.waited_for
            if session is not None:
                session.answer(body, self.speaker.now)

    def refuse(self, code: Code, after: int | None = None) -> bool:
        """Refuse in words, if somebody still waits for it; ``False``: nobody does."""
        with self.speaker.post.together():
            session = self.waited_for
            if session is not None:
                session.refuse(code, self.speaker.now, after)
            return session is not None

    def take(self) -> bytes:
        """Give what has to be written."""
        return b"" if self.answering is None else self.answering.take()


def work(turn: RequestTurn, data: bytes, *, stranger: bool) -> list[Event] | None:
    """Take a request, decide about it, and leave in ``turn.out`` what has to be written. ``None``:
    the peer is nobody whom the gate lets in any more.

    What they are refused at once is written down with the message; an answer takes its time, so the
    message, with what it may cost, is written down before it is made. All of it is on disk before
    this returns, by one wait that is shared with whatever else is answered then.
    """
    speaker = turn.speaker
    try:
        with speaker.post.together(lasting=False):
            contact = None if stranger else speaker.contacts.by_peer(turn.peer)
            if not stranger and (
                contact is None
                or gate(known(contact), invite_open=False, strangers=0) is not Entrance.CONTACT
            ):
                return None
            events = turn.begin(contact, data)
            for event in events:
                if isinstance(event, Refused | Waiting):
                    decide(turn, event)
        for event in events:
            if not isinstance(event, Refused | Waiting):
                decide(turn, event)
        speaker.post.make_lasting()
    finally:
        turn.claims.let_go()
    return events


def decide(turn: RequestTurn, event: Event) -> None:
    """Record an event, and give the session its answer or its refusal. A fault of ours is refused
    as busy: they may come again.
    """
    try:
        _decide(turn, event)
    except Exception as error:  # noqa: BLE001  nothing that comes in may end the host; nothing of it is in the log
        logger.error("A request could not be decided: %s", type(error).__name__)  # noqa: TRY400  as above
        with _leaving(turn, event):
            _put_off(turn)
    finally:
        turn.claims.let_go()


def _decide(turn: RequestTurn, event: Event) -> None:
    speaker = turn.speaker
    match event:
        case Refused():
            with _leaving(turn, event):
                _note(turn, event)
        case Waiting(message):
            with _leaving(turn, event):
                decisions.wait(speaker.post, speaker.audit, speaker.clock, message.iss, message.id)
        case Repeated(issuer, message_id):
            _repeat(turn, event, issuer, message_id)
        case Greeted() | Introduced() | Given() | Asked():
            _first(turn, event)
        case _:
            raise TypeError(f"{type(event).__name__} is no event of who is asked.")


def _first(turn: RequestTurn, event: Greeted | Introduced | Given | Asked) -> None:
    speaker, message = turn.speaker, event.message
    try:
        body, documents = _done(speaker, event)
    except Refusal as refusal:
        _refused(turn, event, (message.iss, message.id), refusal)
        return
    with _leaving(turn, event):
        decisions.answered(
            speaker.post, speaker.audit, speaker.clock, (message.iss, message.id), body, documents
        )
        turn.say(body)


def _refused(turn: RequestTurn, event: Event, name: tuple[str, str], refusal: Refusal) -> None:
    """Keep a refusal, then say it. Who is busy will not be so for ever, so that is not kept."""
    speaker = turn.speaker
    with _leaving(turn, event):
        if refusal.code is Code.BUSY:
            _put_off(turn)
            return
        decisions.refused(speaker.post, speaker.audit, speaker.clock, *name, refusal.code)
        turn.refuse(refusal.code)


def _put_off(turn: RequestTurn) -> None:
    """Say that they may come again, and note that nothing is set aside for the message any more."""
    mine = turn.claims.mine
    if turn.refuse(Code.BUSY) and mine is not None:
        turn.speaker.post.put_off(*mine, Code.BUSY)


def _done(
    speaker: Speaker, event: Greeted | Introduced | Given | Asked
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Do what was asked for; give the answer and what it was made from. Raises ``Refusal``."""
    try:
        match event:
            case Greeted():
                people.welcome(speaker.contacts, event.met)
                return event.answer, ()
            case Introduced():
                _introduced(speaker, event)
                return {"card": speaker.keystore.card(speaker.called).text}, ()
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
            offers.came(speaker.permissions, speaker.clock, known.id, message)
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
    """Let it be answered, and look at the answer before it is kept: one that could not be sent
    would be kept for good.
    """
    composed, message = speaker.answer(asked, speaker.now), asked.message
    try:
        ANSWERS[message.verb].check(composed.body, "body")
    except Refusal as misfit:
        raise TypeError("The answer has not the shape of its verb.") from misfit
    if len(write_json(composed.body)) > message.body.get("bytes", limits.BODY):
        raise ValueError("The answer is longer than was asked for.")
    return composed


def _repeat(turn: RequestTurn, event: Event, issuer: str, message_id: str) -> None:
    """Say again what was said, or how far it has come. After the person's yes the work begins
    here.
    """
    post = turn.speaker.post
    row = post.arrived(issuer, message_id)
    if (
        row is not None
        and row.state is InboxState.DECIDED
        and turn.claims.take((issuer, message_id))
    ):
        row = post.arrived(issuer, message_id)  # whoever worked on it may have finished meanwhile
        if row is not None and row.state is InboxState.DECIDED:
            _consented(turn, event, row)
            return
    if row is not None and row.verb in (Verb.FETCH, Verb.DISCUSS) and row.answer is not None:
        _give_again(turn, event, row)
        return
    if row is not None and row.verb in (Verb.ASK, Verb.RECALL):
        row = row if post.may_repeat(issuer, message_id) else None  # as what was forgotten
    with _leaving(turn, event):
        _said_before(turn, row)


def _give_again(turn: RequestTurn, event: Event, row: InboxRow) -> None:
    """Make once more what was given before: decided anew, paid for once. The bytes of a piece are
    not kept, and one that is not the same any more is refused as what was forgotten is; what is
    said at a table is said again only while the person sits there, and what it is made from is
    open.
    """
    speaker, message = turn.speaker, read_request(row)
    code, body = Code.BUSY, None
    if turn.claims.take((row.issuer, row.id)):
        try:
            scope = None if message.grant is None else _may(speaker, message, Cost())
            made = _composed(speaker, Asked(message, scope)).body
            same = row.verb == Verb.DISCUSS or offers.is_as_noted(made, row.answer or {})
            code, body = Code.REPLAY, made if same else None
        except Refusal as refusal:
            code = refusal.code
    with _leaving(turn, event):
        if body is None:
            turn.refuse(code, AGAIN if code is Code.BUSY else None)
        else:
            turn.say(body)


def _said_before(turn: RequestTurn, row: InboxRow | None) -> None:
    if row is None:
        turn.refuse(Code.REPLAY)
    elif row.state is InboxState.ANSWERED and row.answer is not None:
        turn.say(row.answer)
    elif row.state is InboxState.ANSWERED:
        turn.refuse(Code(row.code) if row.code else Code.REPLAY)
    elif row.state is InboxState.WAITING:
        turn.refuse(Code.CONSENT_REQUIRED)
    else:
        turn.refuse(Code.BUSY, AGAIN)


def _consented(turn: RequestTurn, event: Event, row: InboxRow) -> None:
    """Answer what the person said yes to: decided anew, then worked on; paid for in the step in
    which the answer is kept, so that it is paid for once.
    """
    speaker = turn.speaker
    message = read_request(row)
    name = row.issuer, row.id
    try:
        composed = _composed(
            speaker, Asked(message, _may(speaker, message, Request.of(message).cost))
        )
    except Refusal as refusal:
        _refused(turn, event, name, refusal)
        return
    with _leaving(turn, event):
        cost = Cost(1, len(write_json(composed.body)), composed.body.get("tokens", 0))
        try:
            _pay(speaker, message, cost)
        except Refusal as refusal:
            decisions.refused(speaker.post, speaker.audit, speaker.clock, *name, refusal.code)
            turn.refuse(refusal.code)
        else:
            decisions.answered(
                speaker.post,
                speaker.audit,
                speaker.clock,
                name,
                composed.body,
                composed.documents,
            )
            turn.say(composed.body)


def _may(speaker: Speaker, message: Message, cost: Cost) -> Scope:
    """Decide as the person did, now. Raises ``Refusal``."""
    held = None if message.grant is None else speaker.books.held(message.grant, speaker.now)
    if held is None:
        raise Refusal(Code.NO_GRANT, "grant")
    scope = allows(held, replace(Request.of(message, consented=True), cost=cost), speaker.now)
    if isinstance(scope, Refusal):
        raise scope
    return scope


def _pay(speaker: Speaker, message: Message, cost: Cost) -> None:
    """Take what it cost from the budget. Raises ``Refusal`` where the grant does not stand any
    more, or others spent the rest meanwhile.
    """
    _may(speaker, message, cost)
    if message.grant is None or not speaker.books.spend(message.grant, cost, speaker.now):
        raise Refusal(Code.OVER_BUDGET, "daily")


def _note(turn: RequestTurn, refused: Refused) -> None:
    """Keep a refusal with its message, where this stream wrote it down; otherwise count it."""
    speaker, mine = turn.speaker, turn.claims.mine
    if mine is not None and refused.message_id == mine[1] and refused.code is not Code.BUSY:
        decisions.refused(speaker.post, speaker.audit, speaker.clock, *mine, refused.code)
    else:
        speaker.turned_away.note(
            "" if turn.contact is None else turn.contact.id, refused.code, refused.where
        )


@contextmanager
def _leaving(turn: RequestTurn, event: Event) -> Iterator[None]:
    """Write down together all that an event comes to, and count what is about to leave for it.
    Nothing leaves of what could not be written down; :func:`work` waits for the disk.
    """
    with turn.speaker.post.together(lasting=False):
        yield
        out = turn.take()
        _count(turn, event, len(out))
    turn.out = out


def _count(turn: RequestTurn, event: Event, size: int) -> None:
    verb = Verb.REFUSAL
    if isinstance(event, Greeted | Introduced | Given | Asked):
        verb = event.message.verb
    elif isinstance(event, Repeated):
        row = turn.speaker.post.arrived(event.issuer, event.message_id)
        verb = Verb.REFUSAL if row is None else Verb(row.verb)
    to = (
        turn.speaker.contacts.by_did(event.message.iss)
        if isinstance(event, Greeted)
        else turn.contact
    )
    if to is not None and size:
        turn.speaker.post.left(to.id, turn.speaker.now // DAY, category(verb, answer=True), size)


def _contact(speaker: Speaker, message: Message) -> Contact:
    known = speaker.contacts.by_did(message.iss)
    if known is None:
        raise Refusal(Code.CONSENT_REQUIRED, "contact")
    return known


def category(verb: Verb, *, answer: bool) -> str:
    """Say under which name bytes are counted that leave for a contact.

    >>> (category(Verb.ASK, answer=True), category(Verb.ASK, answer=False),
    ...  category(Verb.CARD, answer=True))
    ('answers', 'questions', 'cards')
    """
    if verb in GRANTED:
        return "answers" if answer else "questions"
    return {
        Verb.HELLO: "cards",
        Verb.CARD: "cards",
        Verb.GRANT: "grants",
        Verb.OFFER: "offers",
        Verb.DISCUSS: "tables",
    }.get(verb, "notices")
