"""What can be said: the verbs of version 1, and the shape of every request and answer.

The tables are those of protocol/spec/messages.md. A message is written once, signed, and never
written again: who sends it twice sends the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, cast

from protocol import limits
from protocol.identity import DID, Did
from protocol.refusals import Code, Refusal
from protocol.scope import FORM, PURPOSE, WISH, Layer, RowKind, Wish, tags_of
from protocol.shape import (
    HASH,
    ID,
    SECONDS,
    VERSION,
    Bytes,
    Choice,
    Flag,
    Line,
    ListOf,
    Matching,
    Number,
    OneOf,
    OrNull,
    Record,
    Shape,
    Text,
    misshapen,
    write_json,
)


class Verb(StrEnum):
    """What one node can ask of another."""

    HELLO = "hello"
    CARD = "card"
    ASK = "ask"
    RECALL = "recall"
    OFFER = "offer"
    FETCH = "fetch"
    GRANT = "grant"
    DISCUSS = "discuss"
    BYE = "bye"
    REFUSAL = "refusal"
    """In answers only: no, and why."""


GRANTED: Final = frozenset({Verb.ASK, Verb.RECALL, Verb.FETCH})
"""What is answered under a grant only (or, for ``fetch``, an offer). The others give nothing
away.
"""

_SIGNED_CARD: Final = Text(1, limits.CARD_TEXT)
_SIGNED_GRANT: Final = Text(1, limits.GRANT_TEXT)
_BUDGET: Final = Number(1_024, limits.BODY)
_SIZE: Final = Number(1, limits.ITEM)
_START: Final = Number(0, limits.ITEM)
_MEDIA: Final = Matching(r"[a-z0-9.+-]{1,64}/[a-z0-9.+-]{1,64}")
_LAYER: Final = Choice(frozenset(Layer))
_KIND: Final = Choice(frozenset(RowKind))
_PLACE: Final[dict[str, Shape]] = {
    "item": ID,
    "layer": _LAYER,
    "kind": _KIND,
    "at": OrNull(SECONDS),
}
MEMBER_ID: Final = Matching("[a-z0-9-]{1,32}")
"""Of a member of a table (protocol/spec/discussion.md)."""
WORDED: Final = ("joined", "turn", "left", "struck")
"""The steps for which a host hands a member the word."""
_HANDED: Final = ListOf(
    Record({"entry": Text(1, limits.ENTRY_TEXT), "words": OrNull(Text(1, limits.WORDS))}),
    0,
    limits.HANDED,
)
_SEATS: Final = ListOf(MEMBER_ID, 1, 4, distinct=True)
_STEP: Final = Choice(frozenset(WORDED))
_NOTHING: Final = Record()
_KEPT: Final = Record({"kept": Flag(only=True)})

REQUESTS: Final[dict[Verb, Shape]] = {
    Verb.HELLO: Record({"invite": ID, "nonce": ID, "card": _SIGNED_CARD, "proof": HASH}),
    Verb.CARD: Record({"card": _SIGNED_CARD}, {"rotation": Text(1, limits.ROTATION_TEXT)}),
    Verb.ASK: Record(
        {
            "question": Text(1, 4_000),
            "purpose": PURPOSE,
            "bytes": _BUDGET,
            "tokens": Number(1, 8_192),
        },
        {"language": Matching("[a-z]{2,3}"), "scope": WISH},
    ),
    Verb.RECALL: Record(
        {"query": Text(1, 1_000), "purpose": PURPOSE, "bytes": _BUDGET, "most": Number(1, 50)},
        {"scope": WISH},
    ),
    Verb.OFFER: Record(
        {
            "item": ID,
            "title": Line(200),
            "media": _MEDIA,
            "size": _SIZE,
            "hash": HASH,
            "until": SECONDS,
        }
    ),
    Verb.FETCH: Record(
        {"item": ID, "purpose": PURPOSE, "bytes": _BUDGET, "start": _START}, {"offer": ID}
    ),
    Verb.GRANT: OneOf(
        (
            Record({"give": _SIGNED_GRANT}, {"owner": DID}),
            Record({"lodge": _SIGNED_GRANT}),
            Record({"revoked": ID}),
        )
    ),
    Verb.DISCUSS: OneOf(
        (
            Record({"seat": Record({"table": ID, "members": _SEATS, "entries": _HANDED})}),
            Record({"news": Record({"table": ID, "entries": _HANDED})}),
            Record(
                {
                    "word": Record(
                        {
                            "table": ID,
                            "by": MEMBER_ID,
                            "step": _STEP,
                            "n": Number(1, limits.ENTRIES),
                            "entries": _HANDED,
                        },
                        {"round": Number(1, limits.ROUNDS)},
                    )
                }
            ),
            Record({"behind": Record({"table": ID, "n": Number(1, limits.ENTRIES)})}),
            Record({"accept": Record({"table": ID, "grant": _SIGNED_GRANT})}),
            Record({"decline": Record({"table": ID})}),
            Record({"hand": Record({"table": ID, "by": MEMBER_ID, "step": _STEP})}),
        )
    ),
    Verb.BYE: _NOTHING,
}

CITE: Final = Record(_PLACE, {"quote": Text(1, 2_000)})
_FOUND: Final = Record({**_PLACE, "form": FORM, "text": Text(1, 20_000)})

ANSWERS: Final[dict[Verb, Shape]] = {
    Verb.HELLO: Record({"nonce": ID, "card": _SIGNED_CARD, "proof": HASH}),
    Verb.CARD: Record({"card": _SIGNED_CARD}),
    Verb.ASK: Record(
        {
            "text": Text(0, 65_536),
            "abstained": Flag(),
            "form": FORM,
            "cites": ListOf(CITE, 0, 64),
            "tokens": Number(0, 8_192),
        }
    ),
    Verb.RECALL: Record({"items": ListOf(_FOUND, 0, 50)}),
    Verb.OFFER: _KEPT,
    Verb.FETCH: Record({"hash": HASH, "size": _SIZE, "start": _START, "data": Bytes(0, 750_000)}),
    Verb.GRANT: _KEPT,
    Verb.DISCUSS: Record(
        {"have": Number(0, limits.ENTRIES)},
        {
            "entry": Text(1, limits.ENTRY_TEXT),
            "words": Text(1, limits.WORDS),
            "entries": _HANDED,
        },
    ),
    Verb.BYE: _NOTHING,
    Verb.REFUSAL: Record(
        {"code": Choice(frozenset(Code))}, {"after": Number(1, limits.MESSAGE_LIFE)}
    ),
}

_HEAD: Final[dict[str, Shape]] = {
    "v": VERSION,
    "id": ID,
    "iss": DID,
    "aud": DID,
    "ts": SECONDS,
    "exp": SECONDS,
    "verb": Matching("[a-z]{1,16}"),
}
_REQUEST: Final = Record({**_HEAD, "body": Record()}, {"grant": ID})
_ANSWER: Final = Record({**_HEAD, "body": Record(), "re": ID})


@dataclass(frozen=True)
class Message:
    """One request or one answer. ``ts`` and ``exp`` are seconds; ``re`` names the request that this
    answers.
    """

    id: str
    iss: Did
    aud: Did
    ts: int
    exp: int
    verb: Verb
    body: Mapping[str, Any] = field(repr=False)
    grant: str | None = None
    re: str | None = None

    def json(self) -> bytes:
        """Write the bytes that are signed; the same ones each time."""
        fields = {
            "v": 1,
            "id": self.id,
            "iss": self.iss,
            "aud": self.aud,
            "ts": self.ts,
            "exp": self.exp,
            "verb": self.verb,
            "body": self.body,
        }
        return write_json(
            fields
            | {
                name: value
                for name, value in (("grant", self.grant), ("re", self.re))
                if value is not None
            }
        )

    @property
    def wish(self) -> Wish:
        """Give what the request names of a scope."""
        return Wish.of(self.body.get("scope", {}))


def read_message(fields: dict[str, Any], now: int, *, answer: bool) -> Message:
    """Check a message whose signature, sender and audience are good: version, shape, verb, body,
    life, clock; in this order.

    Refuses ``unsupported_version``, ``malformed``, ``from_future``, ``expired``.
    """
    if type(fields.get("v")) is not int or fields["v"] != 1:
        raise Refusal(Code.UNSUPPORTED_VERSION, "v")
    body = fields.get("body")
    (_ANSWER if answer else _REQUEST).check(
        {**fields, "body": {}} if isinstance(body, dict) else fields, ""
    )
    if fields["verb"] not in (ANSWERS if answer else REQUESTS):
        raise Refusal(Code.UNSUPPORTED_VERSION, "verb")
    verb = Verb(fields["verb"])
    if answer:
        ANSWERS[verb].check(body, "body")
    else:
        _check_request(verb, fields)
    if not 0 < fields["exp"] - fields["ts"] <= limits.MESSAGE_LIFE:
        misshapen("exp")
    if fields["ts"] > now + limits.SKEW:
        raise Refusal(Code.FROM_FUTURE, "ts")
    if fields["exp"] <= now - limits.SKEW:
        raise Refusal(Code.EXPIRED, "exp")
    names = ("id", "iss", "aud", "ts", "exp")
    return Message(
        **{name: fields[name] for name in names},
        verb=verb,
        body=fields["body"],
        grant=fields.get("grant"),
        re=fields.get("re"),
    )


def _check_request(verb: Verb, fields: dict[str, Any]) -> None:
    body = fields["body"]
    REQUESTS[verb].check(body, "body")
    if ("grant" in fields) != (verb in GRANTED and "offer" not in body):
        misshapen("grant")
    tags_of(body.get("scope", {}).get("tags", ()))


def as_fields(value: object) -> dict[str, Any]:
    """Take JSON that has to be an object. Refuses ``malformed``."""
    if not isinstance(value, dict):
        misshapen("json")
    return cast("dict[str, Any]", value)
