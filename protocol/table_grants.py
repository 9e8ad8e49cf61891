"""What an owner allows a table: their second self may take part in this one, say that much of
that, and no more.

A version of the grant of its own, 2 (protocol/spec/discussion.md). It is spent turn by turn, for
the whole of the table. Its default is no.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, cast

from protocol import limits
from protocol.grants import Consent
from protocol.identity import DID, Did, Identity, Kind, split_statement, verify, write_statement
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.scope import (
    FORM,
    KINDS,
    LAYERS,
    PURPOSE,
    TAGS,
    Form,
    Layer,
    RowKind,
    Scope,
    Wish,
    tags_of,
)
from protocol.shape import ID, SECONDS, Choice, Number, OrNull, Record, misshapen, read_json

_GRANT: Final = Record(
    {
        "v": Number(2, 2),
        "id": ID,
        "iss": DID,
        "aud": DID,
        "table": ID,
        "nbf": SECONDS,
        "exp": SECONDS,
        "tags": TAGS,
        "kinds": KINDS,
        "layers": LAYERS,
        "since": OrNull(SECONDS),
        "until": OrNull(SECONDS),
        "form": FORM,
        "purpose": PURPOSE,
        "turns": Number(1, limits.TURNS),
        "bytes": Number(256, limits.WORDS),
        "tokens": Number(1, 8_192),
        "consent": Choice(frozenset(Consent)),
    }
)


@dataclass(frozen=True)
class TableGrant:
    """What ``iss`` lets the host ``aud`` ask at one table. ``turns`` in all; ``bytes`` of words and
    ``tokens`` that the model writes, for each turn.
    """

    id: str
    iss: Did
    aud: Did
    table: str
    nbf: int
    exp: int
    scope: Scope
    turns: int
    bytes: int
    tokens: int
    consent: Consent = Consent.ASK

    def write(self, by: Identity) -> str:
        """Sign it, by its issuer; ``LocalProtocolError`` if a field does not fit."""
        scope = self.scope
        fields: dict[str, object] = {
            "v": 2,
            "id": self.id,
            "iss": self.iss,
            "aud": self.aud,
            "table": self.table,
            "nbf": self.nbf,
            "exp": self.exp,
            "tags": sorted(scope.tags),
            "kinds": sorted(scope.kinds),
            "layers": sorted(scope.layers),
            "since": scope.since,
            "until": scope.until,
            "form": scope.form,
            "purpose": scope.purpose,
            "turns": self.turns,
            "bytes": self.bytes,
            "tokens": self.tokens,
            "consent": self.consent,
        }
        text = write_statement(Kind.GRANT, fields, by)
        try:
            TableGrant.read(text)
        except Refusal as refusal:
            raise LocalProtocolError(f"This is no grant of {by.did}: {refusal}") from refusal
        return text

    @classmethod
    def read(cls, text: str) -> TableGrant:
        """Read and verify a signed grant. Refuses ``malformed``, ``bad_signature``."""
        (signature,), data = split_statement(text, limits.GRANT_TEXT)
        value = read_json(data)
        issuer = value.get("iss") if isinstance(value, dict) else None
        DID.check(issuer, "grant.iss")
        if not verify(str(issuer), Kind.GRANT, data, signature):
            raise Refusal(Code.BAD_SIGNATURE, "grant")
        _GRANT.check(value, "grant")
        return cls._of(cast("dict[str, Any]", value))

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> TableGrant:
        since, until = fields["since"], fields["until"]
        if fields["iss"] == fields["aud"]:
            misshapen("grant.aud")
        if not fields["nbf"] < fields["exp"] <= fields["nbf"] + limits.TABLE_LIFE:
            misshapen("grant.exp")
        if since is not None and until is not None and since >= until:
            misshapen("grant.until")
        scope = Scope(
            tags_of(fields["tags"]),
            frozenset(map(RowKind, fields["kinds"])),
            frozenset(map(Layer, fields["layers"])),
            since,
            until,
            Form(fields["form"]),
            fields["purpose"],
        )
        names = ("id", "iss", "aud", "table", "nbf", "exp", "turns", "bytes", "tokens")
        return cls(
            **{name: fields[name] for name in names},
            scope=scope,
            consent=Consent(fields["consent"]),
        )


@dataclass(frozen=True)
class HeldTableGrant:
    """A grant as its owner's rows have it: taken back or not, and how many turns were spent."""

    grant: TableGrant
    revoked: bool = False
    turns: int = 0


@dataclass(frozen=True)
class TurnRequest:
    """What is decided about: whom a host asks for a turn at which table, and what it may cost."""

    by: Did
    owner: Did
    table: str
    bytes: int
    tokens: int
    wish: Wish = field(default_factory=Wish)
    consented: bool = False


def allows_turn(held: HeldTableGrant, asked: TurnRequest, now: int) -> Scope | Refusal:
    """Decide: the scope that the turn is made from, or the first refusal. Pure; what it allows
    still has to be spent. ``now`` in seconds.
    """
    try:
        return _decide(held, asked, now)
    except Refusal as refusal:
        return refusal


def _decide(held: HeldTableGrant, asked: TurnRequest, now: int) -> Scope:
    grant = held.grant
    if grant.aud != asked.by or grant.iss != asked.owner:
        raise Refusal(Code.NO_GRANT, "aud")
    if held.revoked:
        raise Refusal(Code.REVOKED, "grant")
    if not grant.nbf <= now < grant.exp:
        raise Refusal(Code.GRANT_EXPIRED, "grant")
    if grant.table != asked.table:
        raise Refusal(Code.OUT_OF_SCOPE, "table")
    scope = grant.scope.narrowed(asked.wish)
    if held.turns >= grant.turns or asked.bytes > grant.bytes or asked.tokens > grant.tokens:
        raise Refusal(Code.OVER_BUDGET, "turns")
    if grant.consent is Consent.ASK and not asked.consented:
        raise Refusal(Code.CONSENT_REQUIRED, "consent")
    return scope
