"""One stream, from either end, without I/O: bytes in, events out; a decision in, bytes out.

:class:`Asking` is the end that asks; the end that is asked is in ``answering``. Each walks a table
(protocol/spec/session.md). Nothing that comes in can raise: it ends in events. What the *node* does
wrong is a :class:`LocalProtocolError`. Clocks, timeouts and counters belong to the node; what has
to be remembered is behind the ports. A session belongs to one thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nacl.utils import random as random_bytes

from protocol import limits
from protocol.card import Card, Follows
from protocol.contact import Invite
from protocol.encoding import frame, frame_length
from protocol.envelope import open_envelope, read_notice, seal, sign
from protocol.events import Answered, Declined, Event, Failed, Noticed
from protocol.identity import Did, Random
from protocol.keystore import Keyring
from protocol.messages import Message, Verb
from protocol.ports import Grants, Invites, Offers, Pace, Replays
from protocol.refusals import Code, LocalProtocolError, Refusal


class State(StrEnum):
    """Where a stream stands."""

    READING = "reading"
    DECIDING = "deciding"
    READY = "ready"
    WAITING = "waiting"
    CLOSED = "closed"


class Move(StrEnum):
    """What moves a stream on."""

    REQUEST = "request"
    ANSWER = "answer"
    ASK = "ask"
    END = "end"


ANSWERING: Final[dict[State, dict[Move, State]]] = {
    State.READING: {Move.REQUEST: State.DECIDING, Move.END: State.CLOSED},
    State.DECIDING: {Move.ANSWER: State.CLOSED, Move.END: State.CLOSED},
    State.CLOSED: {Move.END: State.CLOSED},
}
ASKING: Final[dict[State, dict[Move, State]]] = {
    State.READY: {Move.ASK: State.WAITING, Move.END: State.CLOSED},
    State.WAITING: {Move.ANSWER: State.CLOSED, Move.END: State.CLOSED},
    State.CLOSED: {Move.END: State.CLOSED},
}


@dataclass(frozen=True)
class Node:
    """What a session speaks with: the keys and the card of its own node, what it remembers by, and
    where its dice come from.
    """

    keys: Keyring
    card: Card
    replays: Replays
    invites: Invites
    grants: Grants
    offers: Offers
    pace: Pace
    random: Random = random_bytes

    def __post_init__(self) -> None:
        if self.card.did != self.did or all(
            held.key.kid != self.card.kid for held in self.keys.boxes
        ):
            raise LocalProtocolError("The card is not one of these keys.")

    @property
    def did(self) -> Did:
        """Say who this node is."""
        return self.keys.identity.did


class Stream:
    """What both ends share: a state that a table moves, one frame in, bytes out."""

    def __init__(self, table: dict[State, dict[Move, State]], start: State, most: int) -> None:
        self._table = table
        self.state = start
        self._most = most
        self._came = bytearray()
        self._out = bytearray()

    def _move(self, move: Move) -> None:
        if move not in self._table[self.state]:
            raise LocalProtocolError(f"A stream that is {self.state} does not take: {move}.")
        self.state = self._table[self.state][move]

    def take(self) -> bytes:
        """Give what has to be written to the stream now. When the state is CLOSED and this was
        written, close it.
        """
        out = bytes(self._out)
        self._out.clear()
        return out

    def _frame(self, data: bytes) -> bytes | None:
        """Add what came in; give the frame once it is whole. Refuses a frame that is too long, and
        bytes after it.
        """
        self._came += data
        length = frame_length(bytes(self._came[: limits.VARINT]), self._most)
        if length is None or len(self._came) < sum(length):
            return None
        if len(self._came) > sum(length):
            raise Refusal(Code.MALFORMED, "frame")
        whole = bytes(self._came[length[1] :])
        self._came.clear()
        return whole


class Asking(Stream):
    """The end that asks. :meth:`ask` once, feed it what comes back; every event is the last one.

    ``to`` is the newest card of a contact, or an invite (for ``hello``). The message may be asked
    again in another stream, as it is.
    """

    def __init__(self, node: Node, to: Card | Invite, message: Message) -> None:
        super().__init__(ASKING, State.READY, limits.ANSWER)
        self._node = node
        self._to = to
        self._message = message

    def ask(self) -> None:
        """Seal the message; ``LocalProtocolError`` if it is meant for somebody else, or too
        long.
        """
        if self._message.aud != self._to.did:
            raise LocalProtocolError("The message is meant for somebody else.")
        signed = sign(self._message, self._node.keys.identity)
        self._out += frame(seal(signed, self._to.box, limits.REQUEST, self._node.random))
        self._move(Move.ASK)

    def feed(self, data: bytes, now: int) -> list[Event]:
        """Take bytes that came in at a time (seconds); give what follows. Never raises because of
        the bytes.
        """
        if self.state is not State.WAITING or not data:
            return []
        try:
            whole = self._frame(data)
            if whole is None:
                return []
            event = self._read(whole, now)
        except Refusal as refusal:
            event = Failed(refusal.code, refusal.where)
        self._move(Move.ANSWER)
        return [event]

    def end(self) -> list[Event]:
        """Their side of the stream ended."""
        ended: list[Event] = [Failed(None)] if self.state is State.WAITING else []
        self._move(Move.END)
        return ended

    def _read(self, data: bytes, now: int) -> Event:
        notice = read_notice(data)
        if notice is not None:
            return self._noticed(Card.read(notice, now))
        answer = open_envelope(
            data, self._node.keys, self._to.did, now, limit=limits.ANSWER, answer=True
        ).message
        if answer.re != self._message.id or answer.verb not in {self._message.verb, Verb.REFUSAL}:
            raise Refusal(Code.SENDER_MISMATCH, "re")
        if answer.verb is Verb.REFUSAL:
            return Declined(Code(answer.body["code"]), answer.body.get("after"))
        return Answered(answer.body, answer)

    def _noticed(self, card: Card) -> Event:
        """Believe a notice only from a contact, and only if it is newer than what is known."""
        if not isinstance(self._to, Card) or self._to.followed_by(card) is not Follows.NEWER:
            raise Refusal(Code.REPLAY, "notice")
        return Noticed(card)
