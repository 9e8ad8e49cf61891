"""Broken bytes for as long as LPM_ATTACK_SECONDS says (5 without it), from the seed
LPM_ATTACK_SEED, into everything that reads bytes from outside: each ends in a value or a refusal.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from protocol import handing, limits
from protocol.answering import Answering
from protocol.card import Card, Rotation
from protocol.contact import Invite, make_hello
from protocol.discussion import Entry, Step, Words
from protocol.encoding import frame, from_b64u, to_b64u
from protocol.envelope import Signed, open_envelope, seal, sign
from protocol.events import Failed, Greeted
from protocol.grants import Grant
from protocol.identity import Kind
from protocol.keystore import KeyFile, LockedError, NotAKeystoreError, lock, unlock
from protocol.ledger import Ledger, verify
from protocol.messages import ANSWERS, REQUESTS, Verb
from protocol.refusals import Refusal
from protocol.session import Asking, State
from protocol.shape import read_json
from protocol.table_grants import TableGrant
from tests.protocol.sitting import table_grant, told
from tests.protocol.twins import NOW, REPLY, Person, acquainted, dice

SECONDS = float(os.environ.get("LPM_ATTACK_SECONDS", "5"))
SEED = os.environ.get("LPM_ATTACK_SEED", "0")
ASAKO, BRAM = acquainted()
HEIR = Person("heir")
KEY = KeyFile(b"k" * 32)
WORDS = [
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b",",
    b":",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"true",
    b"-0",
    b"1e9",
    b"NaN",
    b"0.1",
    b"9" * 40,
    b"\xff",
    b"\x00",
    b'{"a":' * 20,
]


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Change, drop, double, cut or enter a few bytes."""
    out = bytearray(data)
    for _ in range(draw.choice([1, 1, 1, 2, 4, 16])):
        at = draw.randrange(len(out) + 1)
        kind = draw.randrange(6)
        if kind == 0 and at < len(out):
            out[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del out[at : at + draw.choice([1, 2, 8, 64])]
        elif kind == 2:
            out[at:at] = draw.randbytes(draw.choice([1, 2, 8, 64]))
        elif kind == 3:
            out[at:at] = draw.choice(WORDS)
        elif kind == 4:
            out[at:at] = out[at : at + draw.choice([1, 8, 64])]
        elif draw.random() < 0.2:
            del out[at:]
    return bytes(out)


def signed_again(text: str, kind: Kind, signers: list[Person]) -> Callable[[random.Random], str]:
    """Change the json of a statement and sign it anew, so that what comes after the signature is
    reached.
    """
    data = from_b64u(text)[64 * len(signers) :]

    def make(draw: random.Random) -> str:
        json = mutated(data, draw)
        return to_b64u(b"".join(each.keys.identity.sign(kind, json) for each in signers) + json)

    return make


REQUEST = sign(BRAM.message(ASAKO.did, grant=ASAKO.gives(BRAM).id), BRAM.keys.identity)
ENVELOPE = seal(REQUEST, ASAKO.card.box, limits.REQUEST, BRAM.random)
CARD = signed_again(BRAM.card.text, Kind.CARD, [BRAM])
GRANT = signed_again(ASAKO.gives(BRAM).write(ASAKO.keys.identity), Kind.GRANT, [ASAKO])
TABLE_GRANT = signed_again(table_grant(BRAM, ASAKO).write(BRAM.keys.identity), Kind.GRANT, [BRAM])
TURN = ("by", "round", "abstained", "on", "stance", "quotes")
ROTATION = signed_again(
    Rotation.write(BRAM.keys.identity, HEIR.keys.identity, seq=2, now=NOW).text,
    Kind.ROTATION,
    [BRAM, HEIR],
)
INVITE = Invite.make(ASAKO.card, ("/ip4/192.0.2.7/tcp/4001",), NOW, random=dice("invite"))
ANSWER = sign(replace(ASAKO.message(BRAM.did, body=dict(REPLY)), re=BRAM.id()), ASAKO.keys.identity)
KEYSTORE = lock(ASAKO.keys, KEY, dice("lock"))


def signed_json(draw: random.Random) -> bytes:
    json = mutated(REQUEST.json, draw)
    return seal(
        Signed(json, BRAM.keys.identity.sign(Kind.MESSAGE, json)),
        ASAKO.card.box,
        limits.REQUEST,
        BRAM.random,
    )


def hello(draw: random.Random) -> None:
    """A stranger who has the link, and changes the hello in one place or another."""
    ASAKO.books.invites[INVITE.id] = INVITE
    json = mutated(
        BRAM.message(
            ASAKO.did, Verb.HELLO, dict(make_hello(INVITE, BRAM.card, BRAM.random))
        ).json(),
        draw,
    )
    sealed = seal(
        Signed(json, BRAM.keys.identity.sign(Kind.MESSAGE, json)),
        INVITE.box,
        limits.REQUEST,
        BRAM.random,
    )
    end = Answering(ASAKO.node, BRAM.card.peer, None)
    (event,) = end.feed(frame(sealed), NOW)
    assert isinstance(event, Greeted) or not end.take()


def answer(draw: random.Random) -> None:
    """A contact who answers with something else."""
    asking = Asking(BRAM.node, ASAKO.card, BRAM.message(ASAKO.did, grant=BRAM.id()))
    asking.ask()
    json = mutated(ANSWER.json, draw)
    sealed = seal(
        Signed(json, ASAKO.keys.identity.sign(Kind.MESSAGE, json)),
        BRAM.card.box,
        limits.ANSWER,
        ASAKO.random,
    )
    (event,) = asking.feed(frame(sealed), NOW)
    assert isinstance(event, Failed)  # it answers another question


def stream(draw: random.Random) -> None:
    """One whole session, cut into pieces, some of them broken."""
    end = Answering(
        ASAKO.node,
        BRAM.card.peer,
        None if draw.random() < 0.2 else ASAKO.books.contacts[BRAM.card.peer],
    )
    data = frame(
        draw.choice([ENVELOPE, signed_json(draw), mutated(ENVELOPE, draw), draw.randbytes(400)])
    )
    data = mutated(data, draw) if draw.random() < 0.3 else data
    while data:
        cut = draw.choice([1, 100, 10_000])
        end.feed(data[:cut], NOW)
        data = data[cut:]
    if end.state is State.DECIDING:
        end.abandon()
    asking = Asking(BRAM.node, ASAKO.card, BRAM.message(ASAKO.did, Verb.BYE, {}))
    asking.ask()
    asking.feed(mutated(end.take() or frame(ENVELOPE), draw), NOW)


def entry(draw: random.Random) -> None:
    """An entry that its author signed, whatever it says, into a table that goes on."""
    record = told(agree=False)
    which = draw.choice(record)[0]
    signer = next(each for each in (ASAKO, BRAM) if each.did == which.iss)
    ledger = Ledger(record[0][0].table, ASAKO.did)
    for each, words in record[: draw.randrange(1, len(record) + 1)]:
        ledger.accept(each, words, NOW)
    json = mutated(from_b64u(which.text)[64:], draw)
    ledger.accept(Entry.read(carried(json, signer)), None, NOW)


def carried(json: bytes, signer: Person) -> str:
    return to_b64u(signer.keys.identity.sign(Kind.TURN, json) + json)


def said(draw: random.Random) -> None:
    """Words of a turn, committed to as they are, in their place."""
    *before, (turn, words) = told(agree=False)
    assert words is not None
    broken = Words.read(mutated(words.json.encode(), draw).decode("utf-8", "surrogateescape"))
    table = verify(before)
    fields = {name: turn.fields[name] for name in TURN} | {"words": broken.hash}
    table.take(
        Entry.write(BRAM.keys.identity, turn.table, table.head.place, NOW, Step.TURN, **fields),
        broken,
    )


def handed(draw: random.Random) -> None:
    """A message of a table's host, broken in the JSON of its body."""
    record = told(agree=False)
    known = record[: draw.randrange(len(record))]
    about = {"table": record[0][0].table, "entries": handing.hand(record)}
    body = draw.choice(
        (
            {"news": about},
            {"seat": {**about, "members": ["bram"]}},
            {"word": {**about, "by": "bram", "step": "turn", "n": len(record), "round": 1}},
            {"behind": {"table": about["table"], "n": len(known) or 1}},
            {"hand": {"table": about["table"], "by": "bram", "step": "left"}},
            {"decline": {"table": about["table"]}},
        )
    )
    broken = read_json(mutated(json.dumps(body).encode(), draw))
    REQUESTS[Verb.DISCUSS].check(broken, "body")
    assert isinstance(broken, dict)
    [came] = broken.values()
    if "entries" in came:
        table = handing.take((came["table"], ASAKO.did), known, handing.read(came["entries"]), NOW)
        handing.check_end(table, BRAM.did)
        assert len(table.entries) >= len(known)


def handed_back(draw: random.Random) -> None:
    """The answer of a member to a host who lost entries, broken in its JSON."""
    record = told(agree=False)
    known = record[: draw.randrange(1, len(record))]
    body = {"have": len(record), "entries": handing.hand(record[len(known) :])}
    broken = read_json(mutated(json.dumps(body).encode(), draw))
    ANSWERS[Verb.DISCUSS].check(broken, "body")
    assert isinstance(broken, dict)
    came = handing.read(broken.get("entries", ()))
    table = handing.take((record[0][0].table, ASAKO.did), known, came, NOW)
    assert len(table.entries) >= len(known)


TARGETS: dict[str, Callable[[random.Random], object]] = {
    "json": lambda draw: read_json(mutated(REQUEST.json, draw)),
    "envelope": lambda draw: open_envelope(mutated(ENVELOPE, draw), ASAKO.keys, BRAM.did, NOW),
    "message": lambda draw: open_envelope(signed_json(draw), ASAKO.keys, BRAM.did, NOW),
    "card": lambda draw: Card.read(CARD(draw), NOW),
    "grant": lambda draw: Grant.read(GRANT(draw)),
    "table grant": lambda draw: TableGrant.read(TABLE_GRANT(draw)),
    "entry": entry,
    "words": said,
    "discuss": handed,
    "what a host lost": handed_back,
    "rotation": lambda draw: Rotation.read(ROTATION(draw), NOW),
    "invite": lambda draw: Invite.read("smp://i/" + to_b64u(mutated(INVITE.json, draw))),
    "link": lambda draw: Invite.read(
        mutated(INVITE.link.encode(), draw).decode("utf-8", "replace")
    ),
    "keystore": lambda draw: unlock(mutated(KEYSTORE, draw), KEY),
    "hello": hello,
    "answer": answer,
    "session": stream,
}


@pytest.mark.attack
def test_broken_bytes_end_in_a_value_or_a_refusal() -> None:
    ends, rounds, until = Counter[str](), 0, time.monotonic() + SECONDS
    while time.monotonic() < until:
        for name, target in TARGETS.items():
            dealt = f"{SEED} {rounds} {name}"
            try:
                target(random.Random(dealt))
                ends["read"] += 1
            except (Refusal, LockedError, NotAKeystoreError) as no:
                ends[no.code.value if isinstance(no, Refusal) else type(no).__name__] += 1
            except Exception as error:
                raise AssertionError(f"random.Random({dealt!r}) ends in {error!r}") from error
        ASAKO.books.seen.clear()
        rounds += 1
    print(
        f"{rounds} broken inputs for each of {', '.join(TARGETS)} in {SECONDS:.0f} s, seed {SEED};"
        f" ended as {dict(ends.most_common())}"
    )
    assert rounds
