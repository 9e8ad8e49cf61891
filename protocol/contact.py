"""How two people become each other's contacts: the invite, hello both ways, six words to read
aloud, and the gate.

protocol/spec/contact.md has the bytes and the tables. Proofs are HMAC-SHA-256 (RFC 2104) under the
invite's secret and are compared in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, cast

from nacl.utils import random as random_bytes

from protocol import limits
from protocol.card import Card
from protocol.encoding import from_b64u, to_b64u
from protocol.identity import BOX, DID, PEER, Did, PeerId, Random
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.shape import (
    SECONDS,
    VERSION,
    Bytes,
    Line,
    ListOf,
    OrNull,
    Record,
    misshapen,
    read_json,
    write_json,
)

_LINK: Final = "smp://i/"
_SECRET: Final = 16
_INVITE: Final = Record(
    {
        "v": VERSION,
        "did": DID,
        "peer": PEER,
        "box": BOX,
        "addrs": ListOf(Line(128), 0, 8),
        "relay": OrNull(Line(256)),
        "secret": Bytes(_SECRET, _SECRET),
        "exp": SECONDS,
    }
)
SYLLABLES: Final = (
    "ka",
    "sa",
    "na",
    "ra",
    "ki",
    "mi",
    "ri",
    "su",
    "mu",
    "ru",
    "te",
    "ne",
    "ko",
    "so",
    "mo",
    "yo",
)
"""Four bits each. They can be said, and told apart, in English and in Japanese; ADR 0012 says why
not a list of words.
"""
KANA: Final = "かさならきみりすむるてねこそもよ"


@dataclass(frozen=True)
class Invite:
    """What the link holds. Whoever has it may say hello once, until ``exp`` (seconds)."""

    did: Did
    peer: PeerId
    box: bytes
    addrs: tuple[str, ...]
    relay: str | None
    secret: bytes = field(repr=False)
    exp: int
    json: bytes = field(repr=False)
    """The exact bytes in the link: proofs cover them."""

    @property
    def id(self) -> str:
        """Name the invite without giving its secret away."""
        return to_b64u(
            hashlib.blake2b(self.secret, digest_size=16, person=b"smp/1 invite").digest()
        )

    @property
    def link(self) -> str:
        """Write the link. It is a secret."""
        return _LINK + to_b64u(self.json)

    @classmethod
    def make(
        cls,
        card: Card,
        addrs: tuple[str, ...],
        now: int,
        *,
        relay: str | None = None,
        life: int = limits.INVITE_LIFE,
        random: Random = random_bytes,
    ) -> Invite:
        """Make one for the owner of the card, good for 24 hours or for less; ``LocalProtocolError``
        if an address or the time does not fit.
        """
        if not 0 < life <= limits.INVITE_LIFE:
            raise LocalProtocolError(f"An invite is good for {limits.INVITE_LIFE} seconds at most.")
        fields = {
            "v": 1,
            "did": card.did,
            "peer": card.peer,
            "box": to_b64u(card.box),
            "addrs": list(addrs),
            "relay": relay,
        }
        json = write_json({**fields, "secret": to_b64u(random(_SECRET)), "exp": now + life})
        try:
            return cls.read(_LINK + to_b64u(json))
        except Refusal as refusal:
            raise LocalProtocolError(f"This is no invite: {refusal}") from refusal

    @classmethod
    def read(cls, link: str) -> Invite:
        """Read a link. Refuses ``malformed``. That it is over is found out when it is used."""
        if len(link) > limits.LINK_TEXT or not link.startswith(_LINK):
            misshapen("invite")
        try:
            json = from_b64u(link[len(_LINK) :])
        except ValueError:
            misshapen("invite")
        value = read_json(json)
        _INVITE.check(value, "invite")
        fields = cast("dict[str, Any]", value)
        place = (
            Did(fields["did"]),
            PeerId(fields["peer"]),
            from_b64u(fields["box"]),
            tuple(fields["addrs"]),
            fields["relay"],
        )
        return cls(*place, secret=from_b64u(fields["secret"]), exp=fields["exp"], json=json)


@dataclass(frozen=True)
class Met:
    """Two who said hello to each other: the other's card, and the words that both can compare."""

    card: Card
    words: tuple[str, ...] = field(repr=False)
    kana: tuple[str, ...] = field(repr=False)


def make_hello(invite: Invite, card: Card, random: Random = random_bytes) -> dict[str, str]:
    """Write the body of a hello, by who was invited."""
    nonce = to_b64u(random(16))
    return {
        "invite": invite.id,
        "nonce": nonce,
        "card": card.text,
        "proof": to_b64u(_hello_proof(invite, card, nonce)),
    }


def check_hello(
    invite: Invite, body: Mapping[str, str], issuer: Did, peer: PeerId, now: int
) -> Card:
    """Check a hello whose shape is good, by who invited; ``peer`` is what Noise proved. Gives the
    card of who was invited.

    Refuses ``expired``, ``bad_signature``, ``sender_mismatch``, and what a card is refused for.
    """
    if invite.exp <= now:
        raise Refusal(Code.EXPIRED, "invite")
    proof = _proof(
        invite, b"smp/1 hello", invite.json, invite.did, issuer, body["card"], body["nonce"]
    )
    if not hmac.compare_digest(proof, from_b64u(body["proof"])):
        raise Refusal(Code.BAD_SIGNATURE, "proof")
    card = Card.read(body["card"], now)
    if card.did != issuer or card.peer != peer:
        raise Refusal(Code.SENDER_MISMATCH, "card")
    return card


def make_welcome(
    invite: Invite,
    hello: Mapping[str, str],
    theirs: Card,
    mine: Card,
    random: Random = random_bytes,
) -> tuple[dict[str, str], Met]:
    """Write the body of the answer to a hello that was checked, and give who was met."""
    nonce = to_b64u(random(16))
    parts = _both(hello, invite.did, theirs, mine, nonce)
    return {
        "nonce": nonce,
        "card": mine.text,
        "proof": to_b64u(_proof(invite, b"smp/1 welcome", *parts)),
    }, _met(theirs, parts)


def check_welcome(
    invite: Invite,
    hello: Mapping[str, str],
    answer: Mapping[str, str],
    mine: Card,
    peer: PeerId,
    now: int,
) -> Met:
    """Check the answer to one's own hello, by who was invited. Refuses ``sender_mismatch``,
    ``bad_signature``, and what a card is refused for.
    """
    theirs = Card.read(answer["card"], now)
    if theirs.did != invite.did or theirs.peer != invite.peer or theirs.peer != peer:
        raise Refusal(Code.SENDER_MISMATCH, "card")
    parts = _both(hello, invite.did, mine, theirs, answer["nonce"])
    if not hmac.compare_digest(
        _proof(invite, b"smp/1 welcome", *parts), from_b64u(answer["proof"])
    ):
        raise Refusal(Code.BAD_SIGNATURE, "proof")
    return _met(theirs, parts)


def _hello_proof(invite: Invite, card: Card, nonce: str) -> bytes:
    return _proof(invite, b"smp/1 hello", invite.json, invite.did, card.did, card.text, nonce)


def _both(
    hello: Mapping[str, str], inviter: Did, invited_card: Card, inviter_card: Card, nonce: str
) -> tuple[bytes | str, ...]:
    """Give what the answer's proof and the words cover: everything that either side said."""
    return (
        from_b64u(hello["proof"]),
        inviter,
        invited_card.did,
        invited_card.text,
        inviter_card.text,
        hello["nonce"],
        nonce,
    )


def _proof(invite: Invite, label: bytes, *parts: bytes | str) -> bytes:
    return hmac.digest(invite.secret, _transcript(label, parts), "sha256")


def _transcript(label: bytes, parts: tuple[bytes | str, ...]) -> bytes:
    """Join parts so that no two lists of parts give the same bytes."""
    encoded = [part.encode("utf-8") if isinstance(part, str) else part for part in parts]
    return label + b"\0" + b"".join(len(part).to_bytes(4, "big") + part for part in encoded)


def _met(theirs: Card, parts: tuple[bytes | str, ...]) -> Met:
    bits = hashlib.blake2b(
        _transcript(b"smp/1 words", parts), digest_size=12, person=b"smp/1 words"
    ).digest()
    return Met(theirs, spell(bits, SYLLABLES), spell(bits, tuple(KANA)))


def spell(bits: bytes, syllables: tuple[str, ...] = SYLLABLES) -> tuple[str, ...]:
    """Write each 16 bits as a word of four syllables.

    >>> spell(bytes.fromhex("1f3a0000"))
    ('sayorate', 'kakakaka')
    """
    return tuple(
        "".join(syllables[int(digit, 16)] for digit in bits[at : at + 2].hex())
        for at in range(0, len(bits), 2)
    )


# --- who a contact is ---------------------------------------------------------------------------


class InviteState(StrEnum):
    """Where an invite stands."""

    OPEN = "open"
    USED = "used"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class ContactState(StrEnum):
    """Where a contact stands."""

    ACTIVE = "active"
    CHANGED = "changed"
    """Their identity goes on under another key; the person has not said yet that it is them."""
    BLOCKED = "blocked"
    ENDED = "ended"


class Happens(StrEnum):
    """What moves an invite or a contact."""

    HELLO = "hello"
    TIME = "time"
    WITHDRAW = "withdraw"
    ROTATION = "rotation"
    ACCEPT = "accept"
    DECLINE = "decline"
    BLOCK = "block"
    UNBLOCK = "unblock"
    BYE = "bye"


INVITE_LIFE: Final[dict[InviteState, dict[Happens, InviteState]]] = {
    InviteState.OPEN: {
        Happens.HELLO: InviteState.USED,
        Happens.TIME: InviteState.EXPIRED,
        Happens.WITHDRAW: InviteState.WITHDRAWN,
    },
    InviteState.USED: {},
    InviteState.EXPIRED: {},
    InviteState.WITHDRAWN: {},
}
CONTACT_LIFE: Final[dict[ContactState, dict[Happens, ContactState]]] = {
    ContactState.ACTIVE: {
        Happens.HELLO: ContactState.ACTIVE,
        Happens.ROTATION: ContactState.CHANGED,
        Happens.BLOCK: ContactState.BLOCKED,
        Happens.BYE: ContactState.ENDED,
    },
    ContactState.CHANGED: {
        Happens.ACCEPT: ContactState.ACTIVE,
        Happens.DECLINE: ContactState.ENDED,
        Happens.BLOCK: ContactState.BLOCKED,
        Happens.BYE: ContactState.ENDED,
    },
    ContactState.BLOCKED: {Happens.UNBLOCK: ContactState.ACTIVE, Happens.BYE: ContactState.ENDED},
    ContactState.ENDED: {Happens.HELLO: ContactState.ACTIVE},
}


@dataclass(frozen=True)
class Contact:
    """The person behind another node, by the newest card of theirs that was verified."""

    card: Card
    state: ContactState = ContactState.ACTIVE

    @property
    def did(self) -> Did:
        """Say who they are."""
        return self.card.did

    def after(self, happens: Happens) -> Contact:
        """Give the contact as it is after this; ``LocalProtocolError`` if it cannot happen now."""
        if happens not in CONTACT_LIFE[self.state]:
            raise LocalProtocolError(f"{happens} does not happen to a contact who is {self.state}.")
        return replace(self, state=CONTACT_LIFE[self.state][happens])


class Entrance(StrEnum):
    """What becomes of a connection, right after Noise."""

    CONTACT = "contact"
    STRANGER = "stranger"
    """Hello is read, nothing else, and nothing is said but the answer to a good one."""
    CLOSED = "closed"


def gate(contact: Contact | None, *, invite_open: bool, strangers: int) -> Entrance:
    """Decide about a connection by the contact whose peer id Noise proved, before a byte is read;
    ``strangers`` are in already.

    >>> gate(None, invite_open=False, strangers=0)
    <Entrance.CLOSED: 'closed'>
    """
    if contact is not None and contact.state in {ContactState.ACTIVE, ContactState.CHANGED}:
        return Entrance.CONTACT
    if contact is not None and contact.state is ContactState.BLOCKED:
        return Entrance.CLOSED
    return Entrance.STRANGER if invite_open and strangers < limits.STRANGERS else Entrance.CLOSED
