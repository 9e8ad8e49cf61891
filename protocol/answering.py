"""The end of a stream that is asked: every check in its order, the decision under a grant, and the
answer.

The tables are in protocol/spec/session.md and protocol/spec/envelope.md. The cost of a request is
set aside before it is decided; the rest is given back with the answer, all of it with a refusal,
and nothing when the other side hangs up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocol import limits
from protocol.card import Card, Follows, Rotation
from protocol.contact import Contact, ContactState, check_hello, make_welcome
from protocol.encoding import frame, to_b64u
from protocol.envelope import Opened, open_envelope, seal, sign, write_notice
from protocol.events import Asked, Event, Given, Greeted, Introduced, Refused, Repeated, Waiting
from protocol.grants import Cost, Grant, Held, Request, allows, stands
from protocol.identity import PeerId
from protocol.messages import ANSWERS, Message, Verb
from protocol.ports import Claim
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.session import ANSWERING, Move, Node, State, Stream
from protocol.shape import write_json


class Answering(Stream):
    """The end that is asked. Feed it what comes in; where it gives an event to answer, call
    :meth:`answer` or :meth:`refuse` once.

    ``contact`` is who the gate admitted by the peer id that Noise proved, ``None`` for a stranger
    with an invite open.
    """

    def __init__(self, node: Node, peer: PeerId, contact: Contact | None) -> None:
        super().__init__(ANSWERING, State.READING, limits.REQUEST)
        self._node = node
        self._peer = peer
        self._contact = contact
        self._card = contact.card if contact is not None else None
        self._request: Message | None = None
        self._spent: tuple[str, Cost, int] | None = None

    def feed(self, data: bytes, now: int) -> list[Event]:
        """Take bytes that came in at a time (seconds); give what follows. Never raises because of
        the bytes.
        """
        if self.state is State.CLOSED or not data:
            return []
        if self.state is State.DECIDING:
            self._move(Move.END)
            return [
                Refused(
                    Code.MALFORMED,
                    "frame",
                    in_words=False,
                    message_id=self._request.id if self._request else None,
                )
            ]
        try:
            whole = self._frame(data)
            return [] if whole is None else [self._read(whole, now)]
        except Refusal as refusal:
            return [self._refused(refusal, now)]

    def end(self) -> list[Event]:
        """Their side of the stream ended. What is being decided goes on: they may have closed their
        half only.
        """
        if self.state is State.READING:
            self._move(Move.END)
        return []

    def abandon(self) -> None:
        """Close without a word: the connection broke, or it took too long. What was set aside stays
        spent.

        The work goes on and its answer is kept for the same message; a node that ends the work
        instead gives back by itself.
        """
        self._move(Move.END)

    def answer(self, body: Mapping[str, Any], now: int) -> Refused | None:
        """Send the answer, if the grant still stands; else the refusal is sent and given. Write the
        answer down before.
        """
        request = self._deciding()
        try:
            ANSWERS[request.verb].check(body, "body")
        except Refusal as misfit:
            raise LocalProtocolError(f"This is no answer to {request.verb}: {misfit}") from misfit
        fallen = self._fallen(request, now)
        if fallen is not None:
            return self.refuse(fallen.code, now)
        size = len(write_json(body))
        if size > request.body.get("bytes", limits.BODY):
            raise LocalProtocolError("The answer is longer than was asked for.")
        self._say(request.verb, request.id, body, now)
        self._move(Move.ANSWER)
        if self._spent is not None:
            grant, cost, when = self._spent
            self._node.grants.give_back(
                grant, Cost(0, cost.bytes - size, max(0, cost.tokens - body.get("tokens", 0))), when
            )
        return None

    def refuse(self, code: Code, now: int, after: int | None = None) -> Refused:
        """Send a refusal in words; what was set aside is given back."""
        request = self._deciding()
        self._return_spent()
        self._say(
            Verb.REFUSAL,
            request.id,
            {"code": code} if after is None else {"code": code, "after": after},
            now,
        )
        self._move(Move.ANSWER)
        return Refused(code, "", in_words=True, message_id=request.id)

    # --- reading ---------------------------------------------------------------------------------

    def _read(self, data: bytes, now: int) -> Event:
        opened = open_envelope(
            data, self._node.keys, self._contact.did if self._contact else None, now
        )
        self._request = opened.message
        try:
            event = (
                self._stranger(opened, now)
                if self._contact is None
                else self._known(opened, self._contact, now)
            )
        except Refusal as refusal:
            refusal.re = opened.message.id
            raise
        self._move(Move.REQUEST)
        return event

    def _stranger(self, opened: Opened, now: int) -> Event:
        if opened.message.verb is not Verb.HELLO:
            raise Refusal(Code.NO_GRANT, "verb")
        return self._hello(opened, None, now)

    def _known(self, opened: Opened, contact: Contact, now: int) -> Event:
        message = opened.message
        changed = contact.state is ContactState.CHANGED and message.verb in {Verb.CARD, Verb.BYE}
        if contact.state is not ContactState.ACTIVE and not changed:
            raise Refusal(Code.CONSENT_REQUIRED, "contact")
        if not self._node.pace.admits(message.iss, message.verb, now):
            raise Refusal(Code.BUSY, "pace")
        if self._claim(opened) is Claim.SAME:
            return Repeated(message.iss, message.id)
        match message.verb:
            case Verb.HELLO:
                return self._hello(opened, contact, now)
            case Verb.CARD:
                return self._introduction(message, contact, now)
            case Verb.GRANT:
                return self._giving(message, now)
            case Verb.OFFER | Verb.DISCUSS | Verb.BYE:
                return self._offered(message, now)
            case _:
                return self._asked(message, now)

    def _claim(self, opened: Opened) -> Claim:
        message = opened.message
        claim = self._node.replays.claim(message, opened.digest, message.exp + limits.SKEW)
        if claim is Claim.FULL:
            raise Refusal(Code.BUSY, "replays")
        if claim is Claim.OTHER:
            raise Refusal(Code.REPLAY, "id")
        return claim

    def _hello(self, opened: Opened, known: Contact | None, now: int) -> Greeted:
        """Read a hello. Until its proof is good nothing of a stranger is written down."""
        message = opened.message
        invite = self._node.invites.find(message.body["invite"])
        if invite is None:
            raise Refusal(Code.NO_GRANT, "invite")
        theirs = check_hello(invite, message.body, message.iss, self._peer, now)
        if known is not None:
            known.card.followed_by(theirs)
        else:
            self._claim(opened)
        if not self._node.invites.use(invite.id, theirs):
            raise Refusal(Code.NO_GRANT, "invite")
        self._card = theirs
        answer, met = make_welcome(invite, message.body, theirs, self._node.card, self._node.random)
        return Greeted(message, invite, met, answer)

    def _introduction(self, message: Message, contact: Contact, now: int) -> Introduced:
        known, card = contact.card, Card.read(message.body["card"], now)
        if "rotation" in message.body:
            if contact.state is ContactState.CHANGED:
                raise Refusal(Code.CONSENT_REQUIRED, "rotation")
            rotation = Rotation.read(message.body["rotation"], now)
            if rotation.old != known.did:
                raise Refusal(Code.SENDER_MISMATCH, "rotation.old")
            rotation.leads_to(card)
            return Introduced(message, card, rotation)
        if known.followed_by(card) is Follows.NEWER:
            self._card = card
        return Introduced(message, card)

    def _giving(self, message: Message, now: int) -> Event:
        if "revoked" in message.body:
            return Asked(message)
        lodged = "lodge" in message.body
        text = message.body["lodge" if lodged else "give"]
        grant = Grant.read(text)
        if not lodged:
            if (grant.iss, grant.aud) != (message.iss, message.aud):
                raise Refusal(Code.SENDER_MISMATCH, "grant")
            if (grant.parent is None) == ("owner" in message.body):
                raise Refusal(Code.MALFORMED, "body.owner")
            return Given(message, grant, text, lodged=False)
        if grant.aud != message.iss or grant.parent is None:
            raise Refusal(Code.SENDER_MISMATCH, "grant")
        parent = self._node.grants.held(grant.parent, now)
        refusal = (
            Refusal(Code.NO_GRANT, "parent")
            if parent is None
            else stands(Held(grant, parent=parent), message.iss, self._node.did, now)
        )
        if refusal is not None:
            raise refusal
        row = self._node.grants.held(grant.id, now)
        if row is not None and row.grant != grant:
            raise Refusal(Code.REPLAY, "grant.id")
        if row is not None and row.revoked:
            raise Refusal(Code.REVOKED, "grant")
        return Given(message, grant, text, lodged=True)

    def _offered(self, message: Message, now: int) -> Asked:
        if (
            message.verb is Verb.OFFER
            and not now < message.body["until"] <= now + limits.OFFER_LIFE + limits.SKEW
        ):
            raise Refusal(Code.MALFORMED, "body.until")
        return Asked(message)

    def _asked(self, message: Message, now: int) -> Asked:
        """Decide under the grant, or under an offer that was made to them; then spend."""
        if message.grant is None:
            if not self._node.offers.stands(
                message.body["offer"], message.body["item"], message.iss, now
            ):
                raise Refusal(Code.OUT_OF_SCOPE, "offer")
            return Asked(message)
        held = self._node.grants.held(message.grant, now)
        if held is None:
            raise Refusal(Code.NO_GRANT, "grant")
        request = Request.of(message)
        scope = allows(held, request, now)
        if isinstance(scope, Refusal):
            raise scope
        if not self._node.grants.spend(message.grant, request.cost, now):
            raise Refusal(Code.OVER_BUDGET, "daily")
        self._spent = (message.grant, request.cost, now)
        return Asked(message, scope)

    # --- replying --------------------------------------------------------------------------------

    def _fallen(self, request: Message, now: int) -> Refusal | None:
        """Say why the grant, or the offer, does not stand any more, now that the answer leaves."""
        body = request.body
        if request.verb is Verb.FETCH and "offer" in body:
            offered = self._node.offers.stands(body["offer"], body["item"], request.iss, now)
            return None if offered else Refusal(Code.OUT_OF_SCOPE, "offer")
        if request.grant is None:
            return None
        held = self._node.grants.held(request.grant, now)
        return (
            Refusal(Code.NO_GRANT, "grant")
            if held is None
            else stands(held, request.iss, request.aud, now)
        )

    def _deciding(self) -> Message:
        if self.state is not State.DECIDING or self._request is None:
            raise LocalProtocolError(f"A stream that is {self.state} has nothing to be answered.")
        return self._request

    def _say(self, verb: Verb, re: str, body: Mapping[str, Any], now: int) -> None:
        node = self._node
        if self._card is None:
            raise LocalProtocolError("Nothing is said to a stranger.")
        message = Message(
            to_b64u(node.random(16)),
            node.did,
            self._card.did,
            now,
            now + limits.MESSAGE_LIFE,
            verb,
            body,
            re=re,
        )
        self._out += frame(
            seal(sign(message, node.keys.identity), self._card.box, limits.ANSWER, node.random)
        )

    def _refused(self, refusal: Refusal, now: int) -> Event:
        """End the stream as the table of checks says: in words, with a notice, or closed."""
        in_words = self._card is not None and refusal.re is not None
        if in_words and refusal.re is not None:
            self._say(Verb.REFUSAL, refusal.re, {"code": refusal.code}, now)
        elif self._contact is not None and refusal.code is Code.UNKNOWN_KEY:
            self._out += frame(write_notice(self._node.card.text))
        self._move(Move.END)
        active = self._contact is not None and self._contact.state is ContactState.ACTIVE
        if active and refusal.code is Code.CONSENT_REQUIRED and self._request is not None:
            return Waiting(self._request)
        return Refused(refusal.code, refusal.where, in_words=in_words, message_id=refusal.re)

    def _return_spent(self) -> None:
        if self._spent is not None:
            self._node.grants.give_back(*self._spent)
            self._spent = None
