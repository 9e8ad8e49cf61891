"""What an owner allows a contact to ask, and the pure function that decides. Its default is no.

protocol/spec/grants.md has the fields and the order of the decision. A grant is a signed statement;
beside it the owner keeps a row (:class:`Held`), because the owner is always the one who verifies
it, and taking it back has to work at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, cast

from protocol import limits
from protocol.identity import DID, Did, Identity, Kind, split_statement, verify, write_statement
from protocol.messages import GRANTED, Message, Verb
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
from protocol.shape import (
    ID,
    SECONDS,
    VERSION,
    Choice,
    ListOf,
    Number,
    OrNull,
    Record,
    misshapen,
    read_json,
)


class Consent(StrEnum):
    """Whether the person is asked each time."""

    AUTO = "auto"
    ASK = "ask"


@dataclass(frozen=True)
class Cost:
    """What requests take: how many, bytes of answers, tokens that the model writes."""

    calls: int = 0
    bytes: int = 0
    tokens: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.calls + other.calls, self.bytes + other.bytes, self.tokens + other.tokens)

    def within(self, most: Cost) -> bool:
        """Say whether none of the three is above the other's."""
        return self.calls <= most.calls and self.bytes <= most.bytes and self.tokens <= most.tokens


_GRANT: Final = Record(
    {
        "v": VERSION,
        "id": ID,
        "iss": DID,
        "aud": DID,
        "nbf": SECONDS,
        "exp": SECONDS,
        "verbs": ListOf(Choice(frozenset(GRANTED)), 1, len(GRANTED), distinct=True),
        "tags": TAGS,
        "kinds": KINDS,
        "layers": LAYERS,
        "since": OrNull(SECONDS),
        "until": OrNull(SECONDS),
        "form": FORM,
        "purpose": PURPOSE,
        "calls": Number(0, limits.CALLS_A_DAY),
        "bytes": Number(0, limits.BYTES_A_DAY),
        "tokens": Number(0, limits.TOKENS_A_DAY),
        "consent": Choice(frozenset(Consent)),
        "depth": Number(0, 1),
        "parent": OrNull(ID),
    }
)


@dataclass(frozen=True)
class Grant:
    """What ``iss`` lets ``aud`` ask. ``nbf`` and ``exp`` in seconds, ``daily`` for a day in UTC."""

    id: str
    iss: Did
    aud: Did
    nbf: int
    exp: int
    verbs: frozenset[Verb]
    scope: Scope
    daily: Cost
    consent: Consent = Consent.ASK
    depth: int = 0
    parent: str | None = None

    def write(self, by: Identity) -> str:
        """Sign it, by its issuer; ``LocalProtocolError`` if a field does not fit."""
        scope = {
            "tags": sorted(self.scope.tags),
            "kinds": sorted(self.scope.kinds),
            "layers": sorted(self.scope.layers),
            "since": self.scope.since,
        }
        scope |= {"until": self.scope.until, "form": self.scope.form, "purpose": self.scope.purpose}
        daily = {"calls": self.daily.calls, "bytes": self.daily.bytes, "tokens": self.daily.tokens}
        who = {
            "v": 1,
            "id": self.id,
            "iss": self.iss,
            "aud": self.aud,
            "nbf": self.nbf,
            "exp": self.exp,
            "verbs": sorted(self.verbs),
        }
        text = write_statement(
            Kind.GRANT,
            {
                **who,
                **scope,
                **daily,
                "consent": self.consent,
                "depth": self.depth,
                "parent": self.parent,
            },
            by,
        )
        try:
            Grant.read(text)
        except Refusal as refusal:
            raise LocalProtocolError(f"This is no grant of {by.did}: {refusal}") from refusal
        return text

    @classmethod
    def read(cls, text: str) -> Grant:
        """Read and verify a signed grant. Refuses ``malformed``, ``bad_signature``. Whether it may
        be used, :func:`allows` says.
        """
        (signature,), data = split_statement(text, limits.GRANT_TEXT)
        value = read_json(data)
        issuer = value.get("iss") if isinstance(value, dict) else None
        DID.check(issuer, "grant.iss")
        if not verify(str(issuer), Kind.GRANT, data, signature):
            raise Refusal(Code.BAD_SIGNATURE, "grant")
        _GRANT.check(value, "grant")
        return cls.of(cast("dict[str, Any]", value))

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Grant:
        """Take it from JSON whose shape was checked. Refuses ``malformed`` where fields do not fit
        each other.
        """
        since, until = fields["since"], fields["until"]
        if fields["iss"] == fields["aud"]:
            misshapen("grant.aud")
        if not fields["nbf"] < fields["exp"] <= fields["nbf"] + limits.GRANT_LIFE:
            misshapen("grant.exp")
        if since is not None and until is not None and since >= until:
            misshapen("grant.until")
        kinds, layers = (
            frozenset(map(RowKind, fields["kinds"])),
            frozenset(map(Layer, fields["layers"])),
        )
        scope = Scope(
            tags_of(fields["tags"]),
            kinds,
            layers,
            since,
            until,
            Form(fields["form"]),
            fields["purpose"],
        )
        daily = Cost(fields["calls"], fields["bytes"], fields["tokens"])
        who = {name: fields[name] for name in ("id", "iss", "aud", "nbf", "exp", "depth", "parent")}
        return cls(
            **who,
            verbs=frozenset(map(Verb, fields["verbs"])),
            scope=scope,
            daily=daily,
            consent=Consent(fields["consent"]),
        )


@dataclass(frozen=True)
class Held:
    """A grant as its owner's rows have it: taken back or not, what was spent today, and the same of
    its parent.
    """

    grant: Grant
    revoked: bool = False
    spent: Cost = Cost()
    parent: Held | None = None


@dataclass(frozen=True)
class Request:
    """What is decided about: who asks whom for what, and what it may cost at most."""

    by: Did
    owner: Did
    verb: Verb
    purpose: str = field(repr=False)
    wish: Wish
    cost: Cost
    consented: bool = False
    """The person said yes to this very request."""

    @classmethod
    def of(cls, message: Message, *, consented: bool = False) -> Request:
        """Take it from a message of a verb that needs a grant."""
        cost = Cost(1, message.body["bytes"], message.body.get("tokens", 0))
        return cls(
            message.iss,
            message.aud,
            message.verb,
            message.body["purpose"],
            message.wish,
            cost,
            consented,
        )


def narrower(child: Grant, parent: Grant) -> bool:
    """Say whether a grant gives nothing that the other does not. A partial order on what they give
    (not on who gives it to whom).
    """
    return (
        child.verbs <= parent.verbs
        and child.scope.within(parent.scope)
        and child.nbf >= parent.nbf
        and child.exp <= parent.exp
        and child.daily.within(parent.daily)
        and (child.consent is Consent.ASK or parent.consent is Consent.AUTO)
        and child.depth <= parent.depth
    )


def stands(held: Held, by: Did, owner: Did, now: int) -> Refusal | None:
    """Say why a grant does not stand at all: rows 1 to 4 of the table, which are checked again when
    an answer leaves.
    """
    grant, parent = held.grant, held.parent
    root = parent.grant if parent is not None else grant
    if grant.aud != by or root.iss != owner:
        return Refusal(Code.NO_GRANT, "aud")
    if (grant.parent is None) != (parent is None):
        return Refusal(Code.ESCALATION, "parent")
    if parent is not None and not _passed_on(grant, parent):
        return Refusal(Code.ESCALATION, "parent")
    if held.revoked or (parent is not None and parent.revoked):
        return Refusal(Code.REVOKED, "grant")
    if not (grant.nbf <= now < grant.exp and root.nbf <= now < root.exp):
        return Refusal(Code.GRANT_EXPIRED, "grant")
    return None


def _passed_on(child: Grant, parent: Held) -> bool:
    """Say whether the parent's audience might pass on this: one door, and never more than they
    have.
    """
    fits = (
        parent.grant.id == child.parent
        and parent.grant.aud == child.iss
        and parent.grant.parent is None
        and parent.parent is None
    )
    return fits and parent.grant.depth == 1 and child.depth == 0 and narrower(child, parent.grant)


def allows(held: Held, request: Request, now: int) -> Scope | Refusal:
    """Decide: the scope that the request is answered from, or the first refusal. Pure; what it
    allows still has to be spent.
    """
    try:
        return _decide(held, request, now)
    except Refusal as refusal:
        return refusal


def _decide(held: Held, request: Request, now: int) -> Scope:
    refusal = stands(held, request.by, request.owner, now)
    if refusal is not None:
        raise refusal
    if request.verb not in held.grant.verbs:
        raise Refusal(Code.OUT_OF_SCOPE, "verb")
    if request.purpose != held.grant.scope.purpose:
        raise Refusal(Code.OUT_OF_SCOPE, "purpose")
    scope = held.grant.scope.narrowed(request.wish)
    if request.verb is Verb.FETCH and scope.form is not Form.VERBATIM:
        raise Refusal(Code.OUT_OF_SCOPE, "form")
    rows = [held] if held.parent is None else [held, held.parent]
    if not all((row.spent + request.cost).within(row.grant.daily) for row in rows):
        raise Refusal(Code.OVER_BUDGET, "daily")
    if not request.consented and any(row.grant.consent is Consent.ASK for row in rows):
        raise Refusal(Code.CONSENT_REQUIRED, "consent")
    return scope
