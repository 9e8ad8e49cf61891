"""Make the test vectors: `python protocol/vectors/make.py [FOLDER]`.

This is the specification written a second time. It imports nothing of the code beside it, so an
error would have to be made twice to go unseen. Everything is drawn from fixed seeds: the same files
come out each time, byte for byte.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nacl import bindings
from nacl.pwhash import argon2id
from nacl.signing import SigningKey

NOW = 1_800_000_000
DAY = 86_400
SYLLABLES = [
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
]
KANA = "かさならきみりすむるてねこそもよ"
HIDDEN = [
    (0x00, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x206F),
    (0xE000, 0xF8FF),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0001, 0xE0001),
    (0xE0020, 0xE007F),
    (0xF0000, 0xFFFFD),
    (0x100000, 0x10FFFD),
]
"""What no line holds; surrogates are no characters, and stand in no JSON that is read."""


def seed(name: str, length: int = 32) -> bytes:
    """Bytes that anybody can make again: SHA-256 of a label."""
    return hashlib.sha256(b"smp/1 vectors " + name.encode()).digest()[:length]


def b64u(data: bytes) -> str:
    """Base64url without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def base58(data: bytes) -> str:
    """Base58btc; none of what is encoded here but a peer id begins with a zero byte."""
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def blake(person: str, data: bytes, length: int) -> bytes:
    """BLAKE2b with a personalisation."""
    return hashlib.blake2b(data, digest_size=length, person=person.encode()).digest()


def wire(value: object) -> bytes:
    """JSON as these vectors write it; a reader takes any strict JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Person:
    """Somebody with all three keys, from one name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.identity = SigningKey(seed(name + " identity"))
        self.transport = SigningKey(seed(name + " transport"))
        self.private = seed(name + " box")
        self.box = bindings.crypto_scalarmult_base(self.private)
        self.did = "did:key:z" + base58(b"\xed\x01" + self.identity.verify_key.encode())
        self.peer = base58(bytes.fromhex("002408011220") + self.transport.verify_key.encode())
        self.kid = blake("smp/1 kid", self.box, 8)

    def sign(self, kind: str, data: bytes) -> bytes:
        """Sign the bytes as a statement of a kind."""
        return self.identity.sign(f"smp/1 {kind}\0".encode() + data).signature

    def statement(self, kind: str, value: dict[str, Any]) -> str:
        """Write a signed statement as it is carried."""
        data = wire(value)
        return b64u(self.sign(kind, data) + data)

    def card_fields(self, **changed: object) -> dict[str, Any]:
        """Give the fields of a card."""
        names = {
            "v": 1,
            "did": self.did,
            "peer": self.peer,
            "kid": b64u(self.kid),
            "box": b64u(self.box),
            "name": self.name.title(),
        }
        return {
            **names,
            "verbs": ["hello", "card", "ask", "recall", "offer", "fetch", "grant", "bye"],
            "seq": 7,
            "exp": NOW + 20 * DAY,
            **changed,
        }

    def card(self, **changed: object) -> str:
        """Give a signed card."""
        return self.statement("card", self.card_fields(**changed))


ASAKO, BRAM, MALLORY = Person("asako"), Person("bram"), Person("mallory")
GRANT_ID = b64u(seed("grant", 16))


def message(**changed: object) -> dict[str, Any]:
    """Give the fields of a good question from Bram to Asako; None takes a field out."""
    ask = {"question": "Where did we walk?", "purpose": "planning", "bytes": 20_000, "tokens": 200}
    fields = {
        "v": 1,
        "id": b64u(seed("question", 16)),
        "iss": BRAM.did,
        "aud": ASAKO.did,
        "ts": NOW,
        "exp": NOW + 3600,
        "verb": "ask",
        "body": ask,
        "grant": GRANT_ID,
    }
    return {name: value for name, value in {**fields, **changed}.items() if value is not None}


def seal(
    data: bytes,
    *,
    by: Person = BRAM,
    to: Person = ASAKO,
    label: str = "envelope",
    kind: str = "msg",
    padding: bytes | None = None,
    **changed: bytes,
) -> bytes:
    """Seal json bytes; the ephemeral key and the nonce come from the label."""
    private, nonce = seed(label + " ephemeral"), seed(label + " nonce", 24)
    header = (
        b"SMP\x01"
        + changed.get("kid", to.kid)
        + changed.get("ephemeral", bindings.crypto_scalarmult_base(private))
        + nonce
    )
    key = blake("smp/1 seal", bindings.crypto_scalarmult(private, to.box) + header + to.box, 32)
    inner = changed.get("signature", by.sign(kind, data)) + data
    inner += bytes(-len(inner) % 256) if padding is None else padding
    return header + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(inner, header, nonce, key)


def keys() -> object:
    """Written forms of keys, right and wrong."""
    wrong = [
        ASAKO.did.upper(),
        ASAKO.did[:-1],
        ASAKO.did + "1",
        "did:key:z" + base58(b"\xec\x01" + ASAKO.box),
        "did:key:z" + base58(b"\xed\x01" + bytes(31)),
        "did:key:z1" + ASAKO.did[9:],
        "did:key:z6Mk0OIl" + ASAKO.did[16:],
        "did:web:example.org",
        "",
    ]
    other_kind = base58(bytes.fromhex("002408021220") + ASAKO.transport.verify_key.encode())
    people = [
        {
            "name": person.name,
            "identity_seed": seed(person.name + " identity").hex(),
            "did": person.did,
            "transport_seed": seed(person.name + " transport").hex(),
            "peer": person.peer,
            "box_private": person.private.hex(),
            "box": person.box.hex(),
            "kid": person.kid.hex(),
        }
        for person in (ASAKO, BRAM, MALLORY)
    ]
    zero_one = [
        bytes(32),
        b"\1" + bytes(31),
        bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    ]
    return {
        "keys": people,
        "not_dids": wrong,
        "not_peers": [
            other_kind,
            ASAKO.peer[:-1],
            ASAKO.peer + "1",
            "1" + ASAKO.peer,
            ASAKO.did,
            "",
        ],
        "box_keys_of_small_order": [each.hex() for each in zero_one],
    }


def cards() -> object:
    """Cards: good ones, and what each check refuses."""
    good = ASAKO.card()
    edited = wire(ASAKO.card_fields(name="Mallory"))
    raw = wire(ASAKO.card_fields())
    cases = [
        ("good", good, None),
        (
            "a word among the verbs that version 1 does not know",
            ASAKO.card(verbs=["ask", "sing"]),
            None,
        ),
        ("edited after it was signed", b64u(ASAKO.sign("card", raw) + edited), "bad_signature"),
        ("signed by somebody else", b64u(MALLORY.sign("card", raw) + raw), "bad_signature"),
        ("signed as a message", b64u(ASAKO.sign("msg", raw) + raw), "bad_signature"),
        ("over", ASAKO.card(exp=NOW - 120), "expired"),
        ("over, within the tolerance", ASAKO.card(exp=NOW - 119), None),
        ("lives too long", ASAKO.card(exp=NOW + 30 * DAY + 121), "malformed"),
        ("another key id", ASAKO.card(kid=b64u(BRAM.kid)), "malformed"),
        (
            "a box key of small order",
            ASAKO.card(box=b64u(bytes(32)), kid=b64u(blake("smp/1 kid", bytes(32), 8))),
            "malformed",
        ),
        ("a field more", ASAKO.card(title="Dr"), "malformed"),
        ("a name that turns the writing round", ASAKO.card(name="Asa\u202eko"), "malformed"),
        (
            "a name that is not written without joiners",
            ASAKO.card(name="👩\u200d🔬 نامه\u200cها"),
            None,
        ),
        ("a name of white space", ASAKO.card(name="   "), "malformed"),
        ("true for 1", ASAKO.card(v=True), "malformed"),
        ("a verb twice", ASAKO.card(verbs=["ask", "ask"]), "malformed"),
        ("a peer id that is none", ASAKO.card(peer=ASAKO.peer[:-1]), "malformed"),
        ("padding in base64url", good + "=", "malformed"),
        ("not base64url", "*" + good[1:], "malformed"),
        ("nothing", "", "malformed"),
    ]
    follow = [
        ("higher", ASAKO.card(seq=8), "newer"),
        ("the same", good, "same"),
        ("the same number, another card", ASAKO.card(name="Asa"), "replay"),
        ("lower", ASAKO.card(seq=6), "replay"),
        ("of somebody else", MALLORY.card(seq=9), "sender_mismatch"),
    ]
    return {
        "now": NOW,
        "cards": [{"name": name, "card": card, "refused": code} for name, card, code in cases],
        "known": good,
        "then": [
            {"name": name, "card": card, "outcome": outcome} for name, card, outcome in follow
        ],
    }


def rotations() -> object:
    """Statements that an identity goes on under another key."""
    fields = {"v": 1, "old": ASAKO.did, "new": BRAM.did, "seq": 8, "ts": NOW}

    def both(first: Person, second: Person, kind: str = "rotation", **changed: object) -> str:
        data = wire({**fields, **changed})
        return b64u(first.sign(kind, data) + second.sign(kind, data) + data)

    cases = [
        ("good", both(ASAKO, BRAM), None),
        ("the old key alone", both(ASAKO, ASAKO), "bad_signature"),
        ("the new key alone", both(BRAM, BRAM), "bad_signature"),
        ("the other way round", both(BRAM, ASAKO), "bad_signature"),
        ("signed as a card", both(ASAKO, BRAM, "card"), "bad_signature"),
        ("to itself", both(ASAKO, ASAKO, new=ASAKO.did), "malformed"),
        ("from the future", both(ASAKO, BRAM, ts=NOW + 121), "from_future"),
        ("long ago", both(ASAKO, BRAM, ts=NOW - 30 * DAY), "expired"),
        ("one signature", b64u(ASAKO.sign("rotation", wire(fields)) + wire(fields)), "malformed"),
    ]
    return {
        "now": NOW,
        "rotations": [
            {"name": name, "rotation": text, "refused": code} for name, text, code in cases
        ],
    }


def transcript(label: str, *parts: bytes) -> bytes:
    """T of the specification."""
    return label.encode() + b"\0" + b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def spelled(digits: str, syllables: Sequence[str]) -> list[str]:
    """Write six words of four syllables, one for each digit of four bits."""
    said = [syllables[int(digit, 16)] for digit in digits]
    return ["".join(said[at : at + 4]) for at in range(0, 24, 4)]


def contact() -> object:
    """Say hello both ways, from an invite to the six words."""
    secret = seed("invite", 16)
    addresses = ["/ip4/192.0.2.7/tcp/4001", "/ip6/2001:db8::7/tcp/4001"]
    fields = {
        "v": 1,
        "did": ASAKO.did,
        "peer": ASAKO.peer,
        "box": b64u(ASAKO.box),
        "addrs": addresses,
        "relay": None,
        "secret": b64u(secret),
        "exp": NOW + DAY,
    }
    raw = wire(fields)
    a, b, card_a, card_b = (
        ASAKO.did.encode(),
        BRAM.did.encode(),
        ASAKO.card().encode(),
        BRAM.card().encode(),
    )
    nonce_b, nonce_a = b64u(seed("nonce of bram", 16)), b64u(seed("nonce of asako", 16))
    hello_covers = transcript("smp/1 hello", raw, a, b, card_b, nonce_b.encode())
    proof_b = hmac.digest(secret, hello_covers, "sha256")
    both = (proof_b, a, b, card_b, card_a, nonce_b.encode(), nonce_a.encode())
    proof_a = hmac.digest(secret, transcript("smp/1 welcome", *both), "sha256")
    bits = blake("smp/1 words", transcript("smp/1 words", *both), 12)
    digits = bits.hex()
    invite = b64u(blake("smp/1 invite", secret, 16))
    hello = {"invite": invite, "nonce": nonce_b, "card": card_b.decode(), "proof": b64u(proof_b)}
    outer = {"id": b64u(seed("hello", 16)), "verb": "hello", "grant": None}
    answer = {"nonce": nonce_a, "card": card_a.decode(), "proof": b64u(proof_a)}
    back = message(
        id=b64u(seed("welcome", 16)),
        iss=ASAKO.did,
        aud=BRAM.did,
        verb="hello",
        grant=None,
        re=outer["id"],
        body=answer,
    )
    wrong = [
        ("another scheme", "http" + "://i/" + b64u(raw)),
        ("a secret of 15 bytes", "smp://i/" + b64u(wire({**fields, "secret": b64u(secret[:15])}))),
        (
            "nine addresses",
            "smp://i/"
            + b64u(wire({**fields, "addrs": [f"/ip4/192.0.2.{n}/tcp/1" for n in range(9)]})),
        ),
        ("a field more", "smp://i/" + b64u(wire({**fields, "name": "Asako"}))),
        ("cut short", "smp://i/" + b64u(raw)[:-5]),
    ]
    return {
        "now": NOW,
        "link": "smp://i/" + b64u(raw),
        "invite_id": invite,
        "fields": fields,
        "hello": hello,
        "hello_covers": hello_covers.hex(),
        "hello_envelope": seal(wire(message(**outer, body=hello)), label="hello").hex(),
        "welcome": answer,
        "welcome_covers": transcript("smp/1 welcome", *both).hex(),
        "welcome_envelope": seal(wire(back), by=ASAKO, to=BRAM, label="welcome").hex(),
        "words_cover": transcript("smp/1 words", *both).hex(),
        "words_bits": digits,
        "words": spelled(digits, SYLLABLES),
        "words_kana": spelled(digits, KANA),
        "not_invites": [{"name": name, "link": link} for name, link in wrong],
    }


def envelopes() -> object:
    """Envelopes that open, with every part of them, and one or more for each refusal."""
    data = wire(message())
    good = seal(data)
    private = seed("envelope ephemeral")
    shared = bindings.crypto_scalarmult(private, ASAKO.box)
    flipped = bytearray(good)
    flipped[200] ^= 1
    room = 256 - 64 - len(wire(message(body={}, verb="bye", grant=None)))
    fits = wire(message(body={}, verb="bye", grant=None)) + b" " * (room % 256)
    cases: list[tuple[str, bytes, str | None]] = [
        ("a good question", good, None),
        ("json that fills its block: no padding", seal(fits), None),
        ("json of one byte more: 255 zeros", seal(fits + b" "), None),
        ("ts within the tolerance", seal(wire(message(ts=NOW + 120, exp=NOW + 200))), None),
        ("exp within the tolerance", seal(wire(message(ts=NOW - 500, exp=NOW - 119))), None),
        ("lives seven days", seal(wire(message(exp=NOW + 7 * DAY))), None),
        ("too large", bytes(262_145), "too_large"),
        ("nothing", b"", "malformed"),
        ("one byte short", good[:-1], "malformed"),
        ("one byte more", good + b"\0", "malformed"),
        ("a block short", good[:-256], "decrypt_failed"),
        ("other first bytes", b"SMQ" + good[3:], "malformed"),
        ("suite 2", b"SMP\x02" + good[4:], "unsupported_version"),
        ("a key id that is not held", seal(data, to=MALLORY), "unknown_key"),
        (
            "a held key id on a box of somebody else",
            seal(data, to=MALLORY, kid=ASAKO.kid),
            "decrypt_failed",
        ),
        ("one bit flipped", bytes(flipped), "decrypt_failed"),
        ("an ephemeral key of small order", seal(data, ephemeral=bytes(32)), "decrypt_failed"),
        (
            "256 zeros too many",
            seal(data, padding=bytes(-(64 + len(data)) % 256 + 256)),
            "malformed",
        ),
        (
            "padding that is not zero",
            seal(data, padding=bytes(-(64 + len(data)) % 256 - 1) + b"\1"),
            "malformed",
        ),
        ("zeros only", seal(b""), "malformed"),
        ("signed by somebody else", seal(data, by=MALLORY), "bad_signature"),
        ("signed as a card", seal(data, kind="card"), "bad_signature"),
        ("a signature of zeros", seal(data, signature=bytes(64)), "bad_signature"),
        (
            "a good signature of another",
            seal(wire(message(iss=MALLORY.did)), by=MALLORY),
            "sender_mismatch",
        ),
        ("sealed anew to a third", seal(wire(message(aud=MALLORY.did))), "wrong_audience"),
        ("version 2", seal(wire(message(v=2))), "unsupported_version"),
        ("a verb that is not known", seal(wire(message(verb="sing"))), "unsupported_version"),
        ("a field that is not known", seal(wire(message(more=1))), "malformed"),
        ("a field too few", seal(wire(message(exp=None))), "malformed"),
        ("no grant where one has to be", seal(wire(message(grant=None))), "malformed"),
        ("a grant where none may be", seal(wire(message(verb="bye", body={}))), "malformed"),
        ("an answer that nobody asked for", seal(wire(message(re=GRANT_ID))), "malformed"),
        (
            "a question of nothing",
            seal(wire(message(body={**message()["body"], "question": ""}))),
            "malformed",
        ),
        ("a name twice", seal(data.replace(b'"v":1', b'"v":1,"v":1')), "malformed"),
        ("NaN", seal(data.replace(b'"v":1', b'"v":NaN')), "malformed"),
        ("a fraction", seal(data.replace(b'"v":1', b'"v":1.0')), "malformed"),
        ("an exponent", seal(data.replace(b'"v":1', b'"v":1e0')), "malformed"),
        ("minus zero", seal(data.replace(b'"v":1', b'"v":-0')), "malformed"),
        ("a number too long", seal(data.replace(b'"v":1', b'"v":9007199254740992')), "malformed"),
        ("true for 1", seal(wire(message(v=True))), "unsupported_version"),
        ("nine deep", seal(data.replace(b'"v":1', b'"v":[[[[[[[[1]]]]]]]]')), "malformed"),
        ("bytes that are not UTF-8", seal(data.replace(b"walk", b"w\xffk?")), "malformed"),
        ("half a surrogate pair", seal(data.replace(b"walk", b"\\ud800")), "malformed"),
        ("a byte order mark", seal(b"\xef\xbb\xbf" + data), "malformed"),
        ("something after the value", seal(data + b"1"), "malformed"),
        ("not an object", seal(b"[1]"), "malformed"),
        ("ends before it was written", seal(wire(message(exp=NOW))), "malformed"),
        ("lives too long", seal(wire(message(exp=NOW + 7 * DAY + 1))), "malformed"),
        ("from the future", seal(wire(message(ts=NOW + 121))), "from_future"),
        ("over", seal(wire(message(ts=NOW - 500, exp=NOW - 120))), "expired"),
    ]
    made = {
        "json": data.decode(),
        "signature": BRAM.sign("msg", data).hex(),
        "ephemeral_private": private.hex(),
        "nonce": seed("envelope nonce", 24).hex(),
        "header": good[:68].hex(),
        "shared": shared.hex(),
        "key": blake("smp/1 seal", shared + good[:68] + ASAKO.box, 32).hex(),
        "envelope": good.hex(),
    }
    ages = [(None, None), (0, None), (30 * DAY - 1, None), (30 * DAY, "unknown_key")]
    retired = [{"seconds_since_retired": age, "refused": code} for age, code in ages]
    listed = [
        {
            "name": name,
            **({"zeros": len(data)} if not any(data) else {"envelope": data.hex()}),
            "refused": code,
        }
        for name, data, code in cases
    ]
    return {
        "now": NOW,
        "reader": "asako",
        "connected": "bram",
        "made": made,
        "envelopes": listed,
        "retired": retired,
    }


def grant(**changed: object) -> dict[str, Any]:
    """Give the fields of Asako's grant to Bram."""
    who = {
        "v": 1,
        "id": GRANT_ID,
        "iss": ASAKO.did,
        "aud": BRAM.did,
        "nbf": NOW - DAY,
        "exp": NOW + 30 * DAY,
        "verbs": ["ask", "recall"],
    }
    scope = {
        "tags": ["food", "walks"],
        "kinds": ["passage", "experience"],
        "layers": ["L0", "L1"],
        "since": NOW - 365 * DAY,
        "until": NOW,
        "form": "excerpt",
    }
    daily = {"calls": 10, "bytes": 100_000, "tokens": 1_000}
    return {
        **who,
        **scope,
        "purpose": "planning",
        **daily,
        "consent": "auto",
        "depth": 1,
        "parent": None,
        **changed,
    }


def grants() -> object:
    """Signed grants, what is decided under them, and which are narrower."""
    signed = ASAKO.statement("grant", grant())
    raw = wire(grant())
    reading = [
        ("good", signed, None),
        ("edited", b64u(ASAKO.sign("grant", raw) + wire(grant(calls=9999))), "bad_signature"),
        ("signed by who wants it", BRAM.statement("grant", grant()), "bad_signature"),
        ("signed as a card", b64u(ASAKO.sign("card", raw) + raw), "bad_signature"),
        ("to oneself", ASAKO.statement("grant", grant(aud=ASAKO.did)), "malformed"),
        ("depth 2", ASAKO.statement("grant", grant(depth=2)), "malformed"),
        ("no tag", ASAKO.statement("grant", grant(tags=[])), "malformed"),
        ("every tag and one", ASAKO.statement("grant", grant(tags=["*", "food"])), "malformed"),
        ("a layer that is none", ASAKO.statement("grant", grant(layers=["L3"])), "malformed"),
        ("private asked for", ASAKO.statement("grant", grant(private=True)), "malformed"),
        ("ends before it begins", ASAKO.statement("grant", grant(exp=NOW - DAY)), "malformed"),
        ("longer than a year", ASAKO.statement("grant", grant(exp=NOW + 366 * DAY)), "malformed"),
        (
            "times the wrong way round",
            ASAKO.statement("grant", grant(since=NOW, until=NOW)),
            "malformed",
        ),
        (
            "a verb that needs no grant",
            ASAKO.statement("grant", grant(verbs=["hello"])),
            "malformed",
        ),
    ]
    ask: dict[str, Any] = {
        "by": BRAM.did,
        "owner": ASAKO.did,
        "verb": "ask",
        "purpose": "planning",
        "scope": {},
        "bytes": 20_000,
        "tokens": 200,
        "consented": False,
    }
    plain: dict[str, Any] = {
        name: grant()[name]
        for name in ("tags", "kinds", "layers", "since", "until", "form", "purpose")
    }
    child = grant(
        id=b64u(seed("child", 16)),
        iss=BRAM.did,
        aud=MALLORY.did,
        tags=["food"],
        depth=0,
        parent=GRANT_ID,
        calls=5,
    )
    passed = {"grant": child, "parent": {"grant": grant()}}
    third = {**ask, "by": MALLORY.did}
    decisions: list[tuple[str, dict[str, Any], dict[str, Any], object]] = [
        ("as granted", {"grant": grant()}, ask, plain),
        (
            "a part named",
            {"grant": grant()},
            {**ask, "scope": {"tags": ["food"], "form": "answer", "since": NOW - DAY}},
            {**plain, "tags": ["food"], "form": "answer", "since": NOW - DAY},
        ),
        (
            "every tag granted, one named",
            {"grant": grant(tags=["*"])},
            {**ask, "scope": {"tags": ["work"]}},
            {**plain, "tags": ["work"]},
        ),
        (
            "at the limit of the budget",
            {"grant": grant(), "spent": {"calls": 9, "bytes": 80_000, "tokens": 800}},
            ask,
            plain,
        ),
        ("the person said yes", {"grant": grant(consent="ask")}, {**ask, "consented": True}, plain),
        ("somebody else's", {"grant": grant()}, {**ask, "by": MALLORY.did}, "no_grant"),
        ("of another owner", {"grant": grant()}, {**ask, "owner": MALLORY.did}, "no_grant"),
        ("taken back", {"grant": grant(), "revoked": True}, ask, "revoked"),
        ("not yet", {"grant": grant(nbf=NOW + 1)}, ask, "grant_expired"),
        ("over", {"grant": grant(exp=NOW)}, ask, "grant_expired"),
        ("another verb", {"grant": grant()}, {**ask, "verb": "fetch"}, "out_of_scope"),
        ("another purpose", {"grant": grant()}, {**ask, "purpose": "Planning"}, "out_of_scope"),
        (
            "a layer more",
            {"grant": grant()},
            {**ask, "scope": {"layers": ["L1", "L2"]}},
            "out_of_scope",
        ),
        (
            "a kind more",
            {"grant": grant()},
            {**ask, "scope": {"kinds": ["opinion"]}},
            "out_of_scope",
        ),
        (
            "a tag more",
            {"grant": grant()},
            {**ask, "scope": {"tags": ["food", "work"]}},
            "out_of_scope",
        ),
        ("every tag", {"grant": grant()}, {**ask, "scope": {"tags": ["*"]}}, "out_of_scope"),
        (
            "earlier",
            {"grant": grant()},
            {**ask, "scope": {"since": NOW - 366 * DAY}},
            "out_of_scope",
        ),
        ("later", {"grant": grant()}, {**ask, "scope": {"until": NOW + 1}}, "out_of_scope"),
        ("no time left", {"grant": grant()}, {**ask, "scope": {"since": NOW}}, "out_of_scope"),
        (
            "more literal",
            {"grant": grant()},
            {**ask, "scope": {"form": "verbatim"}},
            "out_of_scope",
        ),
        (
            "no call left",
            {"grant": grant(), "spent": {"calls": 10, "bytes": 0, "tokens": 0}},
            ask,
            "over_budget",
        ),
        (
            "too many bytes",
            {"grant": grant(), "spent": {"calls": 0, "bytes": 80_001, "tokens": 0}},
            ask,
            "over_budget",
        ),
        (
            "too many tokens",
            {"grant": grant(), "spent": {"calls": 0, "bytes": 0, "tokens": 801}},
            ask,
            "over_budget",
        ),
        ("the person has to say yes", {"grant": grant(consent="ask")}, ask, "consent_required"),
        (
            "over budget comes before the person is asked",
            {"grant": grant(consent="ask", calls=0)},
            ask,
            "over_budget",
        ),
        ("passed on", passed, third, {**plain, "tags": ["food"]}),
        ("passed on, used by who passed it on", passed, ask, "no_grant"),
        (
            "passed on, its parent taken back",
            {**passed, "parent": {"grant": grant(), "revoked": True}},
            third,
            "revoked",
        ),
        (
            "passed on, its parent spent",
            {
                **passed,
                "parent": {"grant": grant(), "spent": {"calls": 10, "bytes": 0, "tokens": 0}},
            },
            third,
            "over_budget",
        ),
        (
            "passed on, its parent asks the person",
            {"grant": {**child, "consent": "ask"}, "parent": {"grant": grant(consent="ask")}},
            third,
            "consent_required",
        ),
        (
            "passed on without its parent",
            {"grant": child},
            {**third, "owner": BRAM.did},
            "escalation",
        ),
        (
            "a parent that was not named",
            {"grant": {**child, "parent": None}, "parent": {"grant": grant()}},
            third,
            "escalation",
        ),
        (
            "another parent",
            {**passed, "parent": {"grant": grant(id=b64u(seed("other", 16)))}},
            third,
            "escalation",
        ),
        (
            "passed on by somebody else",
            {**passed, "parent": {"grant": grant(aud=MALLORY.did)}},
            third,
            "escalation",
        ),
        (
            "passed on where it may not be",
            {**passed, "parent": {"grant": grant(depth=0)}},
            third,
            "escalation",
        ),
        (
            "a parent that says it was passed on",
            {**passed, "parent": {"grant": grant(parent=b64u(seed("other", 16)))}},
            third,
            "escalation",
        ),
        (
            "a parent with a parent",
            {**passed, "parent": {"grant": grant(), "parent": {"grant": grant()}}},
            third,
            "escalation",
        ),
        (
            "a second door",
            {"grant": {**child, "depth": 1}, "parent": {"grant": grant()}},
            third,
            "escalation",
        ),
    ]
    wider: dict[str, object] = {
        "verbs": ["ask", "fetch"],
        "tags": ["*"],
        "kinds": ["opinion"],
        "layers": ["L0", "L2"],
        "since": None,
        "until": NOW + 1,
        "form": "verbatim",
        "purpose": "selling",
        "calls": 11,
        "bytes": 100_001,
        "tokens": 1_001,
        "nbf": NOW - DAY - 1,
        "exp": NOW + 30 * DAY + 1,
    }
    decisions += [
        (
            f"passed on with wider {name}",
            {**passed, "grant": {**child, name: value}},
            third,
            "escalation",
        )
        for name, value in wider.items()
    ]
    decisions.append(
        (
            "passed on without asking the person",
            {"grant": child, "parent": {"grant": grant(consent="ask")}},
            third,
            "escalation",
        )
    )
    return {
        "now": NOW,
        "grants": [{"name": name, "grant": text, "refused": code} for name, text, code in reading],
        "decisions": [
            {"name": name, "held": held, "request": request, "outcome": outcome}
            for name, held, request, outcome in decisions
        ],
    }


def frame(data: bytes) -> bytes:
    """Put its length before the bytes, as an unsigned varint."""
    length, out = len(data), b""
    while length >> 7:
        out, length = out + bytes([length & 127 | 128]), length >> 7
    return out + bytes([length]) + data


def sessions() -> object:
    """Frames to a node that holds Asako's keys, Bram's contact and one grant, and what it does."""
    good = seal(wire(message()))

    other = wire(message(body={**message()["body"], "question": "What else?"}))
    stale = frame(seal(wire(message()), to=MALLORY))
    cases: list[tuple[str, list[bytes], dict[str, Any], str, str | None]] = [
        ("a question", [frame(good)], {}, "answer", None),
        ("in single bytes", [bytes([each]) for each in frame(good)], {}, "answer", None),
        (
            "a length in a longer form",
            [bytes([frame(good)[0], frame(good)[1] | 0x80, 0]) + good],
            {},
            "closed",
            "malformed",
        ),
        ("a length that is too large", [b"\x81\x80\x10"], {}, "closed", "too_large"),
        ("a length of four bytes", [b"\x80\x80\x80\x01"], {}, "closed", "too_large"),
        ("a byte after the frame", [frame(good) + b"\0"], {}, "closed", "malformed"),
        ("a key that is not held", [stale], {}, "notice", "unknown_key"),
        (
            "a key that is not held, from a stranger",
            [stale],
            {"stranger": True},
            "closed",
            "unknown_key",
        ),
        ("a stranger who asks", [frame(good)], {"stranger": True}, "closed", "no_grant"),
        ("too fast", [frame(good)], {"busy": True}, "refusal", "busy"),
        (
            "an id that was used for something else",
            [frame(good)],
            {"seen": [other.decode()]},
            "refusal",
            "replay",
        ),
        (
            "the same again, nothing kept",
            [frame(good)],
            {"seen": [wire(message()).decode()]},
            "refusal",
            "replay",
        ),
        ("a grant that is not there", [frame(good)], {"no_grant": True}, "refusal", "no_grant"),
        (
            "a contact whose identity changed",
            [frame(good)],
            {"changed": True},
            "refusal",
            "consent_required",
        ),
        ("version 2", [frame(seal(wire(message(v=2))))], {}, "refusal", "unsupported_version"),
        (
            "from somebody else",
            [frame(seal(wire(message(iss=MALLORY.did)), by=MALLORY))],
            {},
            "closed",
            "sender_mismatch",
        ),
    ]
    cut = ("a frame that the end of the stream cuts", [frame(good)[:-1]], {"ended": True})
    cases.append((*cut, "closed", None))
    listed = []
    for name, chunks, context, outcome, code in cases:
        joined = b"".join(chunks)
        listed.append(
            {
                "name": name,
                "bytes": joined.hex(),
                "chunk": len(chunks[0]),
                "context": context,
                "outcome": outcome,
                "refused": code,
            }
        )
    return {
        "now": NOW,
        "grant": ASAKO.statement("grant", grant()),
        "contact": BRAM.card(),
        "sessions": listed,
    }


def keystores() -> object:
    """Asako's keystore under a passphrase and under a key file."""
    boxes = [{"private": b64u(ASAKO.private), "made": NOW, "retired": None}]
    contents = wire(
        {
            "v": 1,
            "identity": b64u(seed("asako identity")),
            "transport": b64u(seed("asako transport")),
            "boxes": boxes,
        }
    )
    salt, nonce, passphrase = seed("salt", 16), seed("keystore nonce", 24), "zwölf Boxkämpfer 犬"
    stretched = argon2id.kdf(
        32, passphrase.encode(), salt, argon2id.OPSLIMIT_MODERATE, argon2id.MEMLIMIT_MODERATE
    )

    def locked(way: int, key: bytes) -> str:
        header = b"SMPKEYS\x01" + bytes([way]) + salt + nonce
        return (
            header
            + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
                contents + bytes(-len(contents) % 256), header, nonce, key
            )
        ).hex()

    return {
        "contents": contents.decode(),
        "passphrase": passphrase,
        "stretched": stretched.hex(),
        "by_passphrase": locked(1, stretched),
        "key_file": seed("key file").hex(),
        "by_key_file": locked(2, seed("key file")),
    }


def texts() -> object:
    """Lines and texts, and what makes a string none."""
    hidden = {each for low, high in HIDDEN for each in range(low, high + 1)}
    controls = {each for low, high in HIDDEN[:2] for each in range(low, high + 1)}
    edges = {each for low, high in HIDDEN for each in (low - 1, low, high, high + 1)}
    edges -= {-1, 0x110000, 0xD800 - 1, 0xE000 - 1}
    letters = [
        {
            "code_point": f"{each:04x}",
            "line": each not in hidden,
            "text": each in {9, 10} or each not in controls,
        }
        for each in sorted(edges)
    ]
    lines = [
        ("eighty letters", "a" * 80, True),
        ("eighty-one letters", "a" * 81, False),
        ("eighty code points outside of the first plane", "𠮷" * 80, True),
        ("nothing", "", False),
        ("spaces", " \u3000\u2003", False),
        ("a joiner alone", "\u200d", True),
        ("spaces around it are kept", " a ", True),
    ]
    return {
        "around": "a%sb",
        "letters": letters,
        "lines": [{"name": name, "line": line, "good": good} for name, line, good in lines],
    }


class Noise:
    """One side of Noise_XX_25519_ChaChaPoly_SHA256 (noiseprotocol.org, revision 34), without a
    prologue.
    """

    def __init__(self, static: bytes, ephemeral: bytes) -> None:
        self.static, self.ephemeral = static, ephemeral
        self.chain = self.hash = b"Noise_XX_25519_ChaChaPoly_SHA256"
        self.key, self.count = b"", 0
        self._mix(b"")

    def _mix(self, data: bytes) -> bytes:
        self.hash = hashlib.sha256(self.hash + data).digest()
        return data

    def derived(self, secret: bytes) -> tuple[bytes, bytes]:
        """Give two keys of the chain and a secret."""
        both = hmac.digest(self.chain, secret, "sha256")
        first = hmac.digest(both, b"\x01", "sha256")
        return first, hmac.digest(both, first + b"\x02", "sha256")

    def agree(self, private: bytes, public: bytes) -> None:
        """Take a shared secret into the chain."""
        self.chain, self.key = self.derived(bindings.crypto_scalarmult(private, public))
        self.count = 0

    def say(self, data: bytes) -> bytes:
        """Say bytes, sealed once there is a key."""
        sealed = sealed_by(self.key, self.count, data, self.hash) if self.key else data
        self.count += bool(self.key)
        return self._mix(sealed)

    def hear(self, sealed: bytes) -> None:
        """Take what the other side said into the transcript."""
        self.count += bool(self.key)
        self._mix(sealed)


def sealed_by(key: bytes, count: int, data: bytes, beside: bytes) -> bytes:
    """Seal with ChaCha20-Poly1305 under a nonce that counts."""
    nonce = bytes(4) + count.to_bytes(8, "little")
    return bindings.crypto_aead_chacha20poly1305_ietf_encrypt(data, beside, nonce, key)


def shaken() -> tuple[dict[str, Any], bytes, bytes]:
    """Bram dials Asako: the keys, the payloads and the three messages of the handshake, and the
    keys of what the dialler and the listener say afterwards.
    """
    names = ("dialler", "listener")
    drawn = {
        name: {kind: seed(f"noise {kind} of the {name}") for kind in ("static", "ephemeral")}
        for name in names
    }
    public = {
        name: {kind: bindings.crypto_scalarmult_base(key) for kind, key in keys.items()}
        for name, keys in drawn.items()
    }
    payloads = {}
    for name, person in zip(names, (BRAM, ASAKO), strict=True):
        signed = b"noise-libp2p-static-key:" + public[name]["static"]
        key = bytes.fromhex("08011220") + person.transport.verify_key.encode()
        signature = person.transport.sign(signed).signature
        payloads[name] = b"\x0a\x24" + key + b"\x12\x40" + signature
    dialler, listener = (Noise(**drawn[name]) for name in names)
    theirs, ours = public["listener"], public["dialler"]
    first = dialler.say(ours["ephemeral"]) + dialler.say(b"")
    listener.hear(ours["ephemeral"])
    listener.hear(b"")
    second = listener.say(theirs["ephemeral"])
    dialler.hear(second)
    for side, other in ((listener, ours["ephemeral"]), (dialler, theirs["ephemeral"])):
        side.agree(side.ephemeral, other)
    static = listener.say(theirs["static"])
    dialler.hear(static)
    listener.agree(listener.static, ours["ephemeral"])
    dialler.agree(dialler.ephemeral, theirs["static"])
    payload = listener.say(payloads["listener"])
    dialler.hear(payload)
    second += static + payload
    third = dialler.say(ours["static"])
    dialler.agree(dialler.static, theirs["ephemeral"])
    third += dialler.say(payloads["dialler"])
    keys = dialler.derived(b"")
    return {
        "private": {
            name: {kind: key.hex() for kind, key in keys.items()} for name, keys in drawn.items()
        },
        "payloads": {name: payload.hex() for name, payload in payloads.items()},
        "messages": [message.hex() for message in (first, second, third)],
        "keys": {name: key.hex() for name, key in zip(names, keys, strict=True)},
    }, *keys


def lines(*words: str) -> bytes:
    """Write lines of multistream-select."""
    return b"".join(frame(word.encode() + b"\n") for word in words)


def yamux(kind: int, flags: int, length: int, data: bytes = b"") -> bytes:
    """Write a frame of stream 1: its kind (0 data, 1 window update), flags (SYN 1, ACK 2, FIN 4)
    and length.
    """
    return (
        bytes([0, kind])
        + flags.to_bytes(2, "big")
        + (1).to_bytes(4, "big")
        + length.to_bytes(4, "big")
        + data
    )


def identified() -> bytes:
    """Write what Asako's host says to identify, by hand: the fields of its protobuf in order."""
    key = bytes.fromhex("08011220") + ASAKO.transport.verify_key.encode()
    address = bytes.fromhex("04c0000207060fa1")
    said = b"\x0a\x24" + key + b"\x12\x08" + address
    for protocol in ("/smp/1", "/ipfs/id/1.0.0"):
        said += b"\x1a" + frame(protocol.encode())
    return frame(said + b"\x2a" + frame(b"smp/1") + b"\x32\x00")


def negotiation() -> object:
    """Bram's host dials Asako's and asks one thing: every byte of the socket, from its opening to
    the end of the stream.
    """
    noise, *keys = shaken()
    counts = {"dialler": 0, "listener": 0}
    steps: list[dict[str, str]] = []

    def step(by: str, says: str, data: bytes, layer: str = "socket") -> None:
        out = data
        if layer != "socket":
            key = keys[0] if by == "dialler" else keys[1]
            sealed = sealed_by(key, counts[by], data, b"")
            out = len(sealed).to_bytes(2, "big") + sealed
            counts[by] += 1
        steps.append(
            {"by": by, "says": says, "layer": layer, "said": data.hex(), "bytes": out.hex()}
        )

    both = ("/multistream/1.0.0", "/noise")
    step("dialler", "which security", lines(*both))
    step("listener", "that one", lines(*both))
    for by, data in zip(("dialler", "listener", "dialler"), noise["messages"], strict=True):
        sent = bytes.fromhex(data)
        step(by, "Noise XX", len(sent).to_bytes(2, "big") + sent)
    step("dialler", "which muxer", lines(both[0], "/yamux/1.0.0"), "noise")
    step("listener", "that one", lines(both[0], "/yamux/1.0.0"), "noise")
    request, answer = frame(seal(wire(message()))), frame(b"what is sealed to the asker")
    agreed = lines(both[0], "/smp/1")
    step(
        "dialler",
        "a stream, its protocol and the request",
        yamux(0, 1, len(agreed + request), agreed + request),
        "yamux",
    )
    step("listener", "the stream is taken", yamux(1, 2, 0), "yamux")
    step(
        "listener",
        "its protocol and the answer, then the end of this half",
        yamux(0, 0, len(agreed + answer), agreed + answer) + yamux(1, 4, 0),
        "yamux",
    )
    step("dialler", "the end of the other half", yamux(1, 4, 0), "yamux")
    return {
        "dialler": BRAM.peer,
        "listener": ASAKO.peer,
        "noise": noise,
        "request": request.hex(),
        "answer": answer.hex(),
        "steps": steps,
        "not_spoken": {
            "asked": lines(both[0], "/ipfs/id/1.0.0").hex(),
            "answered": lines(both[0], "na").hex(),
        },
        "identify": {"address": "/ip4/192.0.2.7/tcp/4001", "frame": identified().hex()},
    }


TABLE = b64u(seed("table", 16))


def said(label: str, text: str, cites: Sequence[dict[str, Any]] = ()) -> str:
    """Words of an entry, in the bytes that it commits to."""
    return wire({"salt": b64u(seed(label + " salt", 16)), "text": text, "cites": cites}).decode()


def committed(words: str) -> str:
    """Give what an entry holds of its words."""
    return b64u(blake("smp/1 said", words.encode(), 32))


def entry_hash(text: str) -> str:
    """Name an entry."""
    return b64u(blake("smp/1 entry", urlsafe_b64decode(text + "=" * (-len(text) % 4)), 32))


class Told:
    """A record that grows: entries as they travel, with their words."""

    def __init__(self, *said: tuple[str, str | None]) -> None:
        self.said = list(said)

    def entry(self, by: Person, step: str, /, **body: object) -> str:
        """Sign what would come next; fields of the head can be given."""
        head = {
            "v": 1,
            "table": TABLE,
            "n": len(self.said),
            "prev": entry_hash(self.said[-1][0]) if self.said else None,
            "iss": by.did,
            "ts": NOW + len(self.said),
            "step": step,
        }
        return by.statement("turn", {**head, **body})

    def then(self, by: Person, step: str, words: str | None = None, /, **body: object) -> Told:
        """Give the record with one entry more."""
        with_words = {} if words is None else {"words": committed(words)}
        return Told(*self.said, (self.entry(by, step, **{**with_words, **body}), words))

    def turn(
        self,
        by: Person,
        who: str,
        text: str,
        round_: int = 1,
        /,
        cites: Sequence[dict[str, Any]] = (),
        **changed: object,
    ) -> Told:
        """Give the record with one turn more."""
        words = said(f"turn {len(self.said)} {text}", text, cites)
        body = {"by": who, "round": round_, "abstained": False, "on": None, "stance": None}
        return self.then(by, "turn", words, **{**body, "quotes": [], **changed})


def opening(**changed: object) -> Told:
    """Open a table of Asako's second self, a role of hers, Asako who types, and Bram's."""
    seats = [
        (ASAKO, "asako", "twin", "Asako"),
        (BRAM, "bram", "twin", "Bram"),
        (ASAKO, "cook", "role", "The cook"),
        (ASAKO, "me", "person", "Asako"),
    ]
    members = [
        {"id": name, "did": who.did, "kind": kind, "name": shown}
        for who, name, kind, shown in seats
    ]
    rules = {
        "members": members,
        "strategy": "round_robin",
        "rounds": 2,
        "stop": ["rounds", "agreement"],
        "turns": 3,
        "total": 9,
        "bytes": 2_000,
        "tokens": 200,
        "exp": NOW + DAY,
    }
    return Told().then(
        ASAKO, "opening", said("aim", "Where do we go in May?"), **{**rules, **changed}
    )


def joined(**changed: object) -> Told:
    """Have Bram's second self come to it."""
    return opening(**changed).then(BRAM, "joined", by="bram", grant=GRANT_ID)


ROW = {"item": b64u(seed("item", 16)), "layer": "L0", "kind": "passage", "at": NOW - DAY}
START = joined()
ONE = START.turn(ASAKO, "asako", "To the sea.", cites=[{**ROW, "quote": "the sea"}])
AGREES: dict[str, Any] = {"on": 2, "stance": "agrees"}
TWO = ONE.turn(BRAM, "bram", "Yes, the sea.", **AGREES)
THREE = TWO.turn(ASAKO, "cook", "Fish, then.", **AGREES)
POINT = {"by": "bram", "turn": 3, "says": "agreed"}
QUOTED = said("summary", "", [{"turn": 3, "quote": "the sea"}])
SUMMED = THREE.then(ASAKO, "summary", QUOTED, points=[POINT], quotes=[3])
FORGED = said("forged", "", [{"turn": 3, "quote": "the hills"}])
PLAIN = said("plain", "")
TALK = said("talk", "Bram pays for everybody.")
NONE: dict[str, object] = {"points": [], "quotes": []}
STRUCK = SUMMED.then(BRAM, "struck", entry=3)
ERASED = Told(*[(text, None if n in {3, 5} else words)
                for n, (text, words) in enumerate(STRUCK.said)])  # fmt: skip
FREE = joined(strategy="free", turns=1)
MODERATED = joined(strategy="moderated")
DEBATE = joined(strategy="debate").turn(ASAKO, "asako", "The sea.").turn(BRAM, "bram", "No.")
AGAIN = DEBATE.turn(ASAKO, "cook", "Fish.")
PAUSED = START.then(ASAKO, "paused")
FAILED = ONE.then(ASAKO, "failed", by="bram", code="busy").turn(ASAKO, "cook", "Fish.")
SILENT: dict[str, Any] = {"abstained": True}
FORK = Told(*TWO.said[:3], Told(*TWO.said[:2]).turn(ASAKO, "asako", "Hills.").said[-1])
TableCase = tuple[str, Told, str | None]
"""What a record shows, the record, and why its last entry is refused."""


def kept_cases() -> list[TableCase]:
    """List records that are taken."""
    return [
        ("opened", opening(), None),
        ("joined", START, None),
        ("a turn that cites a memory", ONE, None),
        ("everybody agrees", THREE, None),
        ("a summary", SUMMED, None),
        ("agreement ends it", SUMMED.then(ASAKO, "closed", why="agreement"), None),
        ("struck by its author", STRUCK, None),
        ("struck, and its words are gone, with those that quote it", ERASED, None),
        ("struck after the end",
         THREE.then(ASAKO, "closed", why="person").then(ASAKO, "struck", entry=2), None),
        ("who types speaks at any moment", ONE.turn(ASAKO, "me", "Not too far."), None),
        ("who types speaks while it is paused", PAUSED.turn(ASAKO, "me", "A moment."), None),
        ("one failed, and the rest go on", FAILED, None),
        ("the round is over, the next begins", FAILED.turn(ASAKO, "asako", "Well?", 2), None),
        ("who failed is asked again after a pause",
         FAILED.then(ASAKO, "paused").then(ASAKO, "resumed").turn(BRAM, "bram", "Back."), None),
        ("abstains", START.turn(ASAKO, "asako", "I know nothing of it.", **SILENT), None),
        ("called", MODERATED.then(ASAKO, "called", by="bram").turn(BRAM, "bram", "Hm."), None),
        ("a debate goes on", AGAIN.turn(ASAKO, "asako", "Why?", 2, on=3), None),
        ("invited later",
         START.then(ASAKO, "invited", member={"id": "guest", "did": MALLORY.did, "kind": "twin",
                                              "name": "Mallory"}), None),
    ]  # fmt: skip


def order_cases() -> list[TableCase]:
    """List records whose last entry is not of this place, author or time."""
    return [
        ("another table", Told(*ONE.said, (ONE.entry(ASAKO, "paused", table=GRANT_ID), None)),
         "wrong_audience"),
        ("a gap", Told(*ONE.said, (ONE.entry(ASAKO, "paused", n=7), None)), "malformed"),
        ("after another entry",
         Told(*ONE.said, (ONE.entry(ASAKO, "paused", prev=entry_hash(START.said[0][0])), None)),
         "replay"),
        ("a number that is taken", FORK, "replay"),
        ("after the end",
         THREE.then(ASAKO, "closed", why="person").turn(ASAKO, "asako", "But", 2), "expired"),
        ("before the table", ONE.then(ASAKO, "paused", ts=NOW - 121), "replay"),
        ("a turn after its time", START.turn(ASAKO, "asako", "Late.", ts=NOW + DAY + 120),
         "expired"),
        ("signed for another", ONE.turn(ASAKO, "bram", "I pay."), "sender_mismatch"),
        ("by nobody at the table", ONE.turn(MALLORY, "mallory", "Hello."), "no_grant"),
        ("a member who has not joined", opening().turn(BRAM, "bram", "Hello."), "no_grant"),
        ("another joins for a member", opening().then(ASAKO, "joined", by="bram", grant=None),
         "sender_mismatch"),
        ("joins twice", START.then(BRAM, "joined", by="bram", grant=None), "out_of_scope"),
        ("a member pauses", START.then(BRAM, "paused"), "sender_mismatch"),
        ("paused twice", PAUSED.then(ASAKO, "paused"), "out_of_scope"),
        ("a voice while it is paused", PAUSED.turn(ASAKO, "asako", "But"), "out_of_scope"),
        ("out of turn", START.turn(BRAM, "bram", "Me first."), "out_of_scope"),
        ("passed over", ONE.turn(ASAKO, "cook", "Fish."), "out_of_scope"),
        ("a round too early", ONE.turn(ASAKO, "asako", "And", 2), "out_of_scope"),
        ("more rounds than there are",
         joined(rounds=1).turn(ASAKO, "asako", "a").turn(BRAM, "bram", "b")
         .turn(ASAKO, "cook", "c").turn(ASAKO, "asako", "d", 2), "over_budget"),
        ("more turns than one has",
         FREE.turn(ASAKO, "asako", "a").turn(BRAM, "bram", "b").turn(ASAKO, "asako", "c"),
         "over_budget"),
        ("more turns than there are",
         joined(total=1).turn(ASAKO, "asako", "a").turn(BRAM, "bram", "b"), "over_budget"),
        ("twice in a row",
         joined(strategy="free").turn(ASAKO, "asako", "a").turn(ASAKO, "asako", "b"),
         "out_of_scope"),
        ("not called", MODERATED.turn(BRAM, "bram", "Hm."), "out_of_scope"),
        ("called where nobody is", START.then(ASAKO, "called", by="bram"), "out_of_scope"),
        ("a debate that answers nobody", AGAIN.turn(ASAKO, "asako", "Why?", 2), "out_of_scope"),
    ]  # fmt: skip


def saying_cases() -> list[TableCase]:
    """List records whose last entry says what it may not."""
    return [
        ("a stance on nothing", START.turn(ASAKO, "asako", "Yes.", stance="agrees"), "malformed"),
        ("on one's own turn",
         joined(strategy="free").turn(ASAKO, "asako", "a").turn(BRAM, "bram", "b")
         .turn(ASAKO, "asako", "c", on=2), "malformed"),
        ("on what is no turn", START.turn(ASAKO, "asako", "Yes.", on=1), "malformed"),
        ("other words", Told(*START.said, (ONE.said[-1][0], said("x", "To the hills."))),
         "bad_signature"),
        ("more words than allowed", START.turn(ASAKO, "asako", "x" * 2_000), "over_budget"),
        ("a quotation that is none",
         ONE.turn(BRAM, "bram", "As you said", quotes=[2], cites=[{"turn": 2, "quote": "hill"}]),
         "sender_mismatch"),
        ("a quotation that is not named",
         ONE.turn(BRAM, "bram", "As you said", cites=[{"turn": 2}]), "malformed"),
        ("abstains and cites", START.turn(ASAKO, "asako", "No.", cites=[ROW], **SILENT),
         "malformed"),
        ("a summary by a member", THREE.then(BRAM, "summary", PLAIN, **NONE), "sender_mismatch"),
        ("a summary that tells more", THREE.then(ASAKO, "summary", TALK, **NONE), "malformed"),
        ("a summary of what was not agreed",
         THREE.then(ASAKO, "summary", PLAIN, points=[{**POINT, "by": "asako", "turn": 2}],
                    quotes=[]), "sender_mismatch"),
        ("a summary of another's turn",
         THREE.then(ASAKO, "summary", PLAIN, points=[{**POINT, "turn": 4}], quotes=[]),
         "sender_mismatch"),
        ("a summary that quotes what was not said",
         THREE.then(ASAKO, "summary", FORGED, points=[POINT], quotes=[3]), "sender_mismatch"),
        ("struck by another", THREE.then(BRAM, "struck", entry=2), "sender_mismatch"),
        ("struck again", THREE.then(ASAKO, "struck", entry=2).then(ASAKO, "struck", entry=2),
         "out_of_scope"),
        ("struck where no words are", THREE.then(ASAKO, "struck", entry=1), "malformed"),
        ("agreement that is none", TWO.then(ASAKO, "closed", why="agreement"), "sender_mismatch"),
        ("rounds that are not over", THREE.then(ASAKO, "closed", why="rounds"), "sender_mismatch"),
        ("an end that was not named", THREE.then(ASAKO, "closed", why="time"), "out_of_scope"),
    ]  # fmt: skip


def table_grant(**changed: object) -> dict[str, Any]:
    """Give the fields of what Bram allows at Asako's table."""
    return {
        "v": 2,
        "id": GRANT_ID,
        "iss": BRAM.did,
        "aud": ASAKO.did,
        "table": TABLE,
        "nbf": NOW,
        "exp": NOW + DAY,
        "tags": ["travel"],
        "kinds": ["passage"],
        "layers": ["L0"],
        "since": None,
        "until": None,
        "form": "excerpt",
        "purpose": "planning",
        "turns": 30,
        "bytes": 2_000,
        "tokens": 200,
        "consent": "auto",
        **changed,
    }


def single_entries() -> list[tuple[str, str, str | None]]:
    """List entries by themselves, and why each is refused."""
    good = opening().said[0][0]
    raw = wire({"v": 1})
    bare = Told()
    return [
        ("good", good, None),
        ("signed as a message", b64u(ASAKO.sign("msg", raw) + raw), "malformed"),
        ("edited", good[:-8] + ("AAAA" if good[-8:-4] != "AAAA" else "BBBB") + good[-4:],
         "malformed"),
        ("signed by another",
         b64u(MALLORY.sign("turn", wire({"v": 1, "iss": ASAKO.did}))
              + wire({"v": 1, "iss": ASAKO.did})), "bad_signature"),
        ("signed as a card",
         b64u(ASAKO.sign("card", wire({"v": 1, "iss": ASAKO.did}))
              + wire({"v": 1, "iss": ASAKO.did})), "bad_signature"),
        ("version 2", bare.entry(ASAKO, "paused", v=2), "unsupported_version"),
        ("a step that is none", bare.entry(ASAKO, "sing"), "malformed"),
        ("a field more", joined().entry(ASAKO, "paused", more=1), "malformed"),
        ("a beginning that is no opening", bare.entry(ASAKO, "paused"), "malformed"),
        ("nothing before it", joined().entry(ASAKO, "paused", prev=None), "malformed"),
        ("no member", opening(members=[]).said[0][0], "malformed"),
        ("a stop that is none", opening(stop=["never"]).said[0][0], "malformed"),
    ]  # fmt: skip


def as_handed(told: Told, start: int = 0) -> list[dict[str, str | None]]:
    """Write entries of a record down as a message holds them."""
    return [{"entry": entry, "words": words} for entry, words in told.said[start:]]


def discuss_bodies() -> list[tuple[str, bool, dict[str, Any], str | None]]:
    """Give bodies of `discuss`: whether it is an answer, the body, and what it is refused with."""
    about: dict[str, Any] = {"table": TABLE, "entries": as_handed(opening())}
    word = {**about, "by": "bram", "step": "turn", "round": 1, "n": 1}
    grant = BRAM.statement("grant", table_grant())
    return [
        ("an invitation", False, {"seat": {**about, "members": ["bram"]}}, None),
        ("an invitation of nobody", False, {"seat": {**about, "members": []}}, "malformed"),
        ("an invitation of one twice", False, {"seat": {**about, "members": ["bram", "bram"]}},
         "malformed"),
        ("news", False, {"news": about}, None),
        ("news of nothing", False, {"news": {**about, "entries": []}}, None),
        ("too many at once", False, {"news": {**about, "entries": about["entries"] * 65}},
         "malformed"),
        ("the word", False, {"word": word}, None),
        ("the word, to sit down", False,
         {"word": {**about, "by": "bram", "step": "joined", "n": 1}}, None),
        ("the word, to sum up", False, {"word": {**word, "step": "summary"}}, "malformed"),
        ("round nought", False, {"word": {**word, "round": 0}}, "malformed"),
        ("the word for no number", False, {"word": {**word, "n": 0}}, "malformed"),
        ("what the host lost", False, {"behind": {"table": TABLE, "n": 1}}, None),
        ("the opening lost", False, {"behind": {"table": TABLE, "n": 0}}, "malformed"),
        ("yes", False, {"accept": {"table": TABLE, "grant": grant}}, None),
        ("yes to no table", False, {"accept": {"grant": grant}}, "malformed"),
        ("no", False, {"decline": {"table": TABLE}}, None),
        ("a hand", False, {"hand": {"table": TABLE, "by": "bram", "step": "left"}}, None),
        ("two things", False, {"news": about, "decline": {"table": TABLE}}, "malformed"),
        ("nothing", False, {}, "malformed"),
        ("kept", True, {"have": 1}, None),
        ("an entry", True, {"have": 1, "entry": joined().said[1][0]}, None),
        ("what the host lost", True, {"have": 2, "entries": as_handed(joined(), 1)}, None),
        ("more than a table has", True, {"have": 4_097}, "malformed"),
        ("half an answer", True, {"entry": joined().said[1][0]}, "malformed"),
    ]  # fmt: skip


def handed() -> list[tuple[str, Told, list[dict[str, str | None]], int, str | None]]:
    """Give what a member has, what comes, how many entries it has then, and the refusal."""
    begun = joined()
    told = begun.turn(ASAKO, "asako", "To the sea.").turn(BRAM, "bram", "To the hills.")
    fork = begun.then(ASAKO, "paused")
    other = opening(rounds=3)
    stolen = begun.turn(ASAKO, "asako", "To the sea.").turn(ASAKO, "bram", "I pay.")
    kept_back = Told(*told.said[:2], (told.said[2][0], None), *told.said[3:])
    ended = kept_back.then(ASAKO, "closed", why="person")
    foreign = [
        {
            "entry": ASAKO.statement(
                "turn",
                {
                    "v": 1,
                    "table": GRANT_ID,
                    "n": 2,
                    "prev": entry_hash(begun.said[1][0]),
                    "iss": ASAKO.did,
                    "ts": NOW,
                    "step": "paused",
                },
            ),
            "words": None,
        }
    ]
    return [
        ("the whole of it", Told(), as_handed(told), 4, None),
        ("what is new", begun, as_handed(told, 2), 4, None),
        ("twice", begun, as_handed(told) + as_handed(told), 4, None),
        ("out of order", begun, as_handed(told, 2)[::-1], 4, None),
        ("one is missing: what follows it is left out", begun, as_handed(told, 3), 2, None),
        ("words that come later", kept_back, as_handed(told), 4, None),
        ("no opening", Told(), as_handed(told, 1), 0, "malformed"),
        ("another table", begun, foreign, 2, "wrong_audience"),
        ("another opening", begun, as_handed(other), 2, "replay"),
        ("the host says two things", told, as_handed(fork, 2), 4, "replay"),
        ("what follows another entry", begun,
         as_handed(fork.then(ASAKO, "resumed"), 3) + as_handed(told, 2), 2, "replay"),
        ("in a member's name", begun, as_handed(stolen, 2), 2, "sender_mismatch"),
        ("words kept back, as long as it goes on", begun, as_handed(kept_back, 2), 4, None),
        ("words kept back at the end", begun, as_handed(ended, 2), 2, "malformed"),
    ]  # fmt: skip


def turn_decisions() -> list[tuple[str, dict[str, Any], dict[str, Any], str | None]]:
    """Give what is decided about a turn: a row, a request, and the refusal."""
    ask = {"by": ASAKO.did, "owner": BRAM.did, "table": TABLE, "bytes": 2_000, "tokens": 200}
    plain = {**ask, "scope": {}, "consented": False}
    return [
        ("as granted", {"grant": table_grant()}, plain, None),
        ("the last turn", {"grant": table_grant(), "turns": 29}, plain, None),
        ("the person said yes", {"grant": table_grant(consent="ask")},
         {**plain, "consented": True}, None),
        ("somebody else's", {"grant": table_grant()}, {**plain, "by": MALLORY.did}, "no_grant"),
        ("of another owner", {"grant": table_grant()}, {**plain, "owner": MALLORY.did},
         "no_grant"),
        ("taken back", {"grant": table_grant(), "revoked": True}, plain, "revoked"),
        ("over", {"grant": table_grant(nbf=NOW - DAY, exp=NOW)}, plain, "grant_expired"),
        ("another table", {"grant": table_grant()}, {**plain, "table": GRANT_ID},
         "out_of_scope"),
        ("a tag more", {"grant": table_grant()}, {**plain, "scope": {"tags": ["work"]}},
         "out_of_scope"),
        ("no turn left", {"grant": table_grant(), "turns": 30}, plain, "over_budget"),
        ("too many bytes", {"grant": table_grant()}, {**plain, "bytes": 2_001}, "over_budget"),
        ("too many tokens", {"grant": table_grant()}, {**plain, "tokens": 201}, "over_budget"),
        ("the person has to say yes", {"grant": table_grant(consent="ask")}, plain,
         "consent_required"),
    ]  # fmt: skip


def discussions() -> object:
    """Give records of tables, single entries, grants for one table, and how entries travel."""
    signed = [
        ("good", BRAM.statement("grant", table_grant()), None),
        ("version 1", BRAM.statement("grant", table_grant(v=1)), "malformed"),
        ("no turn", BRAM.statement("grant", table_grant(turns=0)), "malformed"),
        ("longer than a table", BRAM.statement("grant", table_grant(exp=NOW + 31 * DAY)),
         "malformed"),
        ("signed by the host", ASAKO.statement("grant", table_grant()), "bad_signature"),
    ]  # fmt: skip
    return {
        "now": NOW,
        "table": TABLE,
        "host": ASAKO.did,
        "entries": [
            {"name": name, "entry": text, "refused": code} for name, text, code in single_entries()
        ],
        "records": [
            {
                "name": name,
                "said": told.said,
                "head": entry_hash(told.said[-1][0]),
                "refused": code,
            }
            for name, told, code in [*kept_cases(), *order_cases(), *saying_cases()]
        ],
        "grants": [{"name": name, "grant": text, "refused": code} for name, text, code in signed],
        "decisions": [
            {"name": name, "held": row, "request": request, "refused": code}
            for name, row, request, code in turn_decisions()
        ],
        "messages": [
            {"name": name, "answer": answer, "body": body, "refused": code}
            for name, answer, body, code in discuss_bodies()
        ],
        "handed": [
            {"name": name, "reader": BRAM.did, "known": known.said, "entries": came,
             "have": have, "refused": code}
            for name, known, came, have, code in handed()
        ],
    }  # fmt: skip


def rendezvous() -> object:
    """Make what two leave for each other at a server on one day."""
    shared = bindings.crypto_scalarmult(
        bindings.crypto_sign_ed25519_sk_to_curve25519(
            ASAKO.identity.encode() + ASAKO.identity.verify_key.encode()
        ),
        bindings.crypto_sign_ed25519_pk_to_curve25519(BRAM.identity.verify_key.encode()),
    )
    key = blake("smp/1 pair", shared + "".join(sorted([ASAKO.did, BRAM.did])).encode(), 32)
    day, left = NOW // DAY, []
    for person in (ASAKO, BRAM):
        said = day.to_bytes(8, "big") + person.did.encode()
        tag, place_key = (
            hashlib.blake2b(said, digest_size=32, key=key, person=purpose).digest()
            for purpose in (b"smp/1 tag", b"smp/1 place")
        )
        addrs, nonce = ["/ip4/192.0.2.7/tcp/4001"], seed(f"{person.name} rendezvous", 24)
        name = seed(f"{person.name} near", 16).hex()
        near = hashlib.blake2b(
            said + f" {name} {addrs[0]}".encode(), digest_size=32, key=key, person=b"smp/1 near"
        ).digest()[:16]
        plain = wire({"v": 1, "addrs": addrs}).ljust(1_280, b"\0")
        sealed = bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, tag, nonce, place_key)
        left.append(
            {
                "name": person.name,
                "tag": tag.hex(),
                "place_key": place_key.hex(),
                "nonce": nonce.hex(),
                "addrs": addrs,
                "blob": (nonce + sealed).hex(),
                "near": {"name": name, "tag": near.hex()},
            }
        )
    return {"day": day, "shared": shared.hex(), "pair_key": key.hex(), "left": left}


FILES = {
    "keys": keys,
    "cards": cards,
    "rotations": rotations,
    "contact": contact,
    "envelopes": envelopes,
    "grants": grants,
    "sessions": sessions,
    "keystores": keystores,
    "texts": texts,
    "negotiation": negotiation,
    "discussions": discussions,
    "rendezvous": rendezvous,
}


def made() -> dict[str, bytes]:
    """Give every file by its name, as bytes."""
    return {
        f"{name}.json": json.dumps(make(), ensure_ascii=False, indent=1).encode() + b"\n"
        for name, make in FILES.items()
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name, data in made().items():
        (folder / name).write_bytes(data)
