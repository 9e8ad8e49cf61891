"""Cards, which bind an identity to where it is spoken from and what to seal to; and the statement
that an identity goes on under another key.

protocol/spec/keys.md has the fields and the order of the checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, cast

from protocol import limits
from protocol.encoding import from_b64u, to_b64u
from protocol.identity import (
    BOX,
    DID,
    KEY_ID,
    PEER,
    Did,
    Identity,
    Kind,
    PeerId,
    key_id,
    split_statement,
    verify,
    write_statement,
)
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.shape import (
    SECONDS,
    VERSION,
    Bytes,
    Line,
    ListOf,
    Matching,
    Number,
    Record,
    misshapen,
    read_json,
)

NAME: Final = Line(80)
_CARD: Final = Record(
    {
        "v": VERSION,
        "did": DID,
        "peer": PEER,
        "kid": Bytes(KEY_ID, KEY_ID),
        "box": BOX,
        "name": NAME,
        "verbs": ListOf(Matching("[a-z]{1,16}"), 1, 16, distinct=True),
        "seq": Number(0, limits.WHOLE),
        "exp": SECONDS,
    }
)
_ROTATION: Final = Record(
    {"v": VERSION, "old": DID, "new": DID, "seq": Number(0, limits.WHOLE), "ts": SECONDS}
)


class Follows(StrEnum):
    """What a card is to the one that was known."""

    NEWER = "newer"
    SAME = "same"


@dataclass(frozen=True)
class Card:
    """What its owner signed about how to reach them. ``text`` is the signed form, as it is carried,
    shown and kept.
    """

    did: Did
    peer: PeerId
    box: bytes
    name: str = field(repr=False)
    verbs: tuple[str, ...]
    seq: int
    exp: int
    text: str = field(repr=False)

    @property
    def kid(self) -> bytes:
        """Name the box key."""
        return key_id(self.box)

    @classmethod
    def write(
        cls,
        by: Identity,
        *,
        peer: PeerId,
        box: bytes,
        name: str,
        verbs: tuple[str, ...],
        seq: int,
        exp: int,
    ) -> Card:
        """Sign a card of one's own; ``LocalProtocolError`` if a field does not fit."""
        kid = to_b64u(key_id(box))
        fields = {
            "v": 1,
            "did": by.did,
            "peer": peer,
            "kid": kid,
            "box": to_b64u(box),
            "name": name,
            "verbs": list(verbs),
            "seq": seq,
            "exp": exp,
        }
        try:
            return cls.read(
                write_statement(Kind.CARD, fields, by), now=max(0, exp - limits.CARD_LIFE)
            )
        except Refusal as refusal:
            raise LocalProtocolError(f"This is no card: {refusal}") from refusal

    @classmethod
    def read(cls, text: str, now: int) -> Card:
        """Read and verify a signed card at a time in seconds. Refuses ``malformed``,
        ``bad_signature``, ``expired``.
        """
        (signature,), data = split_statement(text, limits.CARD_TEXT)
        value = read_json(data)
        did = value.get("did") if isinstance(value, dict) else None
        DID.check(did, "card.did")
        if not verify(cast("Did", did), Kind.CARD, data, signature):
            raise Refusal(Code.BAD_SIGNATURE, "card")
        _CARD.check(value, "card")
        fields = cast("dict[str, Any]", value)
        box = from_b64u(fields["box"])
        if from_b64u(fields["kid"]) != key_id(box):
            misshapen("card.kid")
        if fields["exp"] > now + limits.CARD_LIFE + limits.SKEW:
            misshapen("card.exp")
        if fields["exp"] <= now - limits.SKEW:
            raise Refusal(Code.EXPIRED, "card.exp")
        return cls(
            Did(fields["did"]),
            PeerId(fields["peer"]),
            box,
            fields["name"],
            tuple(fields["verbs"]),
            fields["seq"],
            fields["exp"],
            text,
        )

    @classmethod
    def read_kept(cls, text: str) -> Card:
        """Read a card that was verified when it was kept, as of a time at which it was good: it may
        have run out since.
        """
        _, data = split_statement(text, limits.CARD_TEXT)
        value = read_json(data)
        _CARD.check(value, "card")
        return cls.read(text, max(0, cast("dict[str, Any]", value)["exp"] - limits.CARD_LIFE))

    def followed_by(self, card: Card) -> Follows:
        """Say what a card, already verified, is to this one. Refuses ``sender_mismatch``, and
        ``replay`` for a rollback.
        """
        if card.did != self.did:
            raise Refusal(Code.SENDER_MISMATCH, "card.did")
        if card.text == self.text:
            return Follows.SAME
        if card.seq <= self.seq:
            raise Refusal(Code.REPLAY, "card.seq")
        return Follows.NEWER


@dataclass(frozen=True)
class Rotation:
    """The old and the new identity say that they are one person. It counts when the person at the
    other end accepts it.
    """

    old: Did
    new: Did
    seq: int
    ts: int
    text: str = field(repr=False)

    @classmethod
    def write(cls, old: Identity, new: Identity, *, seq: int, now: int) -> Rotation:
        """Sign one with both."""
        text = write_statement(
            Kind.ROTATION, {"v": 1, "old": old.did, "new": new.did, "seq": seq, "ts": now}, old, new
        )
        try:
            return cls.read(text, now)
        except Refusal as refusal:
            raise LocalProtocolError(f"This is no rotation: {refusal}") from refusal

    @classmethod
    def read(cls, text: str, now: int) -> Rotation:
        """Read and verify one. Refuses ``malformed``, ``bad_signature``, ``from_future``,
        ``expired``.
        """
        (by_old, by_new), data = split_statement(text, limits.ROTATION_TEXT, signatures=2)
        value = read_json(data)
        _ROTATION.check(value, "rotation")
        fields = cast("dict[str, Any]", value)
        old, new = Did(fields["old"]), Did(fields["new"])
        if old == new:
            misshapen("rotation.new")
        # Both are tried, so that the time it takes does not say which of them fits.
        fits = [verify(old, Kind.ROTATION, data, by_old), verify(new, Kind.ROTATION, data, by_new)]
        if not all(fits):
            raise Refusal(Code.BAD_SIGNATURE, "rotation")
        if fields["ts"] > now + limits.SKEW:
            raise Refusal(Code.FROM_FUTURE, "rotation.ts")
        if fields["ts"] <= now - limits.ROTATION_LIFE:
            raise Refusal(Code.EXPIRED, "rotation.ts")
        return cls(old, new, fields["seq"], fields["ts"], text)

    def leads_to(self, card: Card) -> None:
        """Check that a card is the one that the new identity goes on with. Refuses
        ``sender_mismatch``, ``replay``.
        """
        if card.did != self.new:
            raise Refusal(Code.SENDER_MISMATCH, "rotation.new")
        if card.seq < self.seq:
            raise Refusal(Code.REPLAY, "rotation.seq")
