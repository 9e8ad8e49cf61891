"""What an enemy tries, one test each. What needs a network (relays, floods of connections, libp2p's
own holes) is tested where the network is.
"""

# ruff: noqa: ARG002 - a twin takes what its port takes
from __future__ import annotations

import json
import pickle
import random as dice_of
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import pytest
from nacl import bindings

from protocol import limits
from protocol.answering import Answering
from protocol.card import Card, Rotation
from protocol.contact import (
    Contact,
    ContactState,
    Entrance,
    Happens,
    Invite,
    check_welcome,
    gate,
    make_hello,
    make_welcome,
)
from protocol.encoding import frame, from_base58, to_b64u
from protocol.envelope import Signed, open_envelope, seal, sign, unseal, write_notice
from protocol.events import (
    Answered,
    Asked,
    Declined,
    Event,
    Failed,
    Given,
    Greeted,
    Introduced,
    Noticed,
    Refused,
    Repeated,
    Waiting,
)
from protocol.grants import Consent, Cost, Grant, Held
from protocol.identity import BoxKey, Identity, Kind, did_of, write_statement
from protocol.keystore import (
    KeyFile,
    Keyring,
    LockedError,
    NotAKeystoreError,
    Passphrase,
    lock,
    unlock,
)
from protocol.messages import Message, Verb
from protocol.refusals import Code, LocalProtocolError, Refusal
from protocol.scope import Form, Layer, Row, RowKind, Scope
from protocol.session import Asking, State
from protocol.shape import write_json
from tests.protocol.twins import (
    DAY,
    NOW,
    QUESTION,
    REPLY,
    Books,
    Person,
    acquainted,
    answering,
    deliver,
    dice,
)


def forged(json_bytes: bytes, signer: Person, to: Person, kind: Kind = Kind.MESSAGE) -> bytes:
    """Any bytes, signed by somebody as some kind and sealed."""
    return seal(
        Signed(json_bytes, signer.keys.identity.sign(kind, json_bytes)),
        to.card.box,
        limits.REQUEST,
        signer.random,
    )


def receive(
    asked: Person, asker: Person, envelope: bytes, now: int = NOW, *, stranger: bool = False
) -> tuple[Event, bytes]:
    """Hand an envelope to the asked person over the asker's connection; give the event and what
    went back.
    """
    end = answering(asked, asker, stranger=stranger)
    (event,) = end.feed(frame(envelope), now)
    return event, end.take()


def silently(code: Code, event: Event, out: bytes) -> bool:
    return isinstance(event, Refused) and event.code is code and not event.in_words and out == b""


def in_words(code: Code, event: Event, out: bytes, to: Person) -> bool:
    """The asker could open a refusal with this code."""
    said = open_envelope(out[2:], to.keys, None, NOW, limit=limits.ANSWER, answer=True).message
    return (
        isinstance(event, Refused | Waiting)
        and said.verb is Verb.REFUSAL
        and said.body["code"] == code
    )


def at_once(acts: Sequence[Callable[[], object]]) -> None:
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.fixture
def two() -> tuple[Person, Person]:
    return acquainted()


@pytest.fixture
def mallory() -> Person:
    return Person("mallory")


Two = tuple[Person, Person]

# --- who speaks ----------------------------------------------------------------------------------


def test_spoofed_issuer(two: Two, mallory: Person) -> None:
    asako, bram = two
    message = bram.message(asako.did, grant=asako.gives(bram).id)
    assert silently(
        Code.BAD_SIGNATURE, *receive(asako, bram, forged(message.json(), mallory, asako))
    )


def test_issuer_is_not_the_connected_peer(two: Two, mallory: Person) -> None:
    asako, bram = two
    asako.knows(mallory)
    message = mallory.message(asako.did, grant=asako.gives(mallory).id)
    assert silently(
        Code.SENDER_MISMATCH, *receive(asako, bram, forged(message.json(), mallory, asako))
    )


def test_resealed_to_a_third_party(two: Two, mallory: Person) -> None:
    asako, bram = two
    mallory.knows(bram)
    signed = sign(bram.message(asako.did, grant=asako.gives(bram).id), bram.keys.identity)
    taken = unseal(seal(signed, asako.card.box, limits.REQUEST), asako.keys, NOW, limits.REQUEST)
    assert silently(
        Code.WRONG_AUDIENCE, *receive(mallory, bram, seal(taken, mallory.card.box, limits.REQUEST))
    )


def test_an_identity_of_small_order_signs_nothing(two: Two) -> None:
    asako, bram = two
    for public in (
        b"\1" + bytes(31),
        bytes(32),
        bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    ):
        fields = json.loads(bram.message(asako.did).json()) | {"iss": did_of(public)}
        data = write_json(fields)
        for signature in (bytes(64), b"\1" + bytes(63)):
            event, out = receive(
                asako, bram, seal(Signed(data, signature), asako.card.box, limits.REQUEST)
            )
            assert silently(Code.BAD_SIGNATURE, event, out)


def test_a_card_replayed_as_a_message(two: Two) -> None:
    asako, bram = two
    _, data = bram.keys, write_json(json.loads(bram.message(asako.did).json()))
    assert silently(Code.BAD_SIGNATURE, *receive(asako, bram, forged(data, bram, asako, Kind.CARD)))
    assert silently(
        Code.BAD_SIGNATURE, *receive(asako, bram, forged(data, bram, asako, Kind.GRANT))
    )


# --- again --------------------------------------------------------------------------------------


def test_replay_is_not_done_again(two: Two) -> None:
    asako, bram = two
    message = bram.message(asako.did, grant=asako.gives(bram).id)
    (first,), end, _ = deliver(asako, bram, message)
    assert isinstance(first, Asked)
    end.answer(REPLY, NOW)
    (again,), end, asking = deliver(asako, bram, message)
    assert again == Repeated(bram.did, message.id)
    end.refuse(Code.REPLAY, NOW)
    assert asking.feed(end.take(), NOW) == [Declined(Code.REPLAY)]


def test_replay_after_a_restart(two: Two) -> None:
    asako, bram = two
    message = bram.message(asako.did, grant=asako.gives(bram).id)
    deliver(asako, bram, message)
    asako.books = Books(
        **pickle.loads(  # noqa: S301  our own
            pickle.dumps(
                {name: value for name, value in vars(asako.books).items() if name != "lock"}
            )
        )
    )
    (again,), _, _ = deliver(asako, bram, message)
    assert isinstance(again, Repeated)


def test_an_id_used_again_for_another_question(two: Two) -> None:
    asako, bram = two
    message = bram.message(asako.did, grant=asako.gives(bram).id)
    deliver(asako, bram, message)
    (event,), end, _ = deliver(
        asako, bram, replace(message, body={**QUESTION, "question": "And what else?"})
    )
    assert in_words(Code.REPLAY, event, end.take(), bram)


def test_duplicate_delivery_from_an_outbox_costs_once_and_gets_the_kept_answer(two: Two) -> None:
    asako, bram = two
    grant = asako.gives(bram)
    message = bram.message(asako.did, grant=grant.id)
    _, end, lost = deliver(asako, bram, message)
    end.answer(REPLY, NOW)
    assert lost.end() == [Failed(None)]
    spent = asako.books.grants[grant.id].spent
    (again,), end, asking = deliver(asako, bram, message)
    assert isinstance(again, Repeated)
    end.answer(REPLY, NOW)
    (answer,) = asking.feed(end.take(), NOW)
    assert isinstance(answer, Answered)
    assert answer.body == REPLY
    assert asako.books.grants[grant.id].spent == spent == Cost(1, len(write_json(REPLY)), 5)


def test_a_full_replay_table_lets_nothing_through(two: Two) -> None:
    asako, bram = two
    asako.books.room = 0
    (event,), end, _ = deliver(asako, bram, bram.message(asako.did, grant=asako.gives(bram).id))
    assert in_words(Code.BUSY, event, end.take(), bram)


# --- broken bytes -------------------------------------------------------------------------------


def test_every_bit_flipped_and_every_truncation(two: Two) -> None:
    asako, bram = two
    envelope = forged(bram.message(asako.did, Verb.BYE, {}).json(), bram, asako)
    assert open_envelope(envelope, asako.keys, bram.did, NOW).message.verb is Verb.BYE
    for at in range(8 * len(envelope)):
        flipped = bytearray(envelope)
        flipped[at // 8] ^= 1 << at % 8
        with pytest.raises(Refusal):
            open_envelope(bytes(flipped), asako.keys, bram.did, NOW)
    for length in range(len(envelope)):
        with pytest.raises(Refusal):
            open_envelope(envelope[:length], asako.keys, bram.did, NOW)


def test_4000_random_blobs(two: Two) -> None:
    asako, bram = two
    draw = dice_of.Random(4000)
    for _ in range(4000):
        blob = draw.randbytes(draw.choice([0, 1, 67, 339, 340, 596, draw.randrange(4096)]))
        event, out = (
            receive(
                asako,
                bram,
                draw.choice([b"", b"SMP", b"SMP\x01", b"SMP\x01" + asako.keys.box.kid]) + blob,
            )
            if draw.random() < 0.9
            else (None, b"")
        )
        assert event is None or isinstance(event, Refused)
        assert out == b"" or out == frame(write_notice(asako.card.text))


def test_oversize_is_refused_before_it_is_stored(two: Two) -> None:
    asako, bram = two
    end = answering(asako, bram)
    assert end.feed(b"\x81\x80\x10", NOW) == [Refused(Code.TOO_LARGE, "length", in_words=False)]
    assert (end.state, end.take(), end.feed(bytes(10_000), NOW)) == (State.CLOSED, b"", [])
    with pytest.raises(LocalProtocolError):
        seal(Signed(bytes(b"x" * 300_000), bytes(64)), asako.card.box, limits.REQUEST)


def test_a_long_name_of_a_key_is_refused_before_any_arithmetic() -> None:
    class Untouched(str):
        __slots__ = ()

        def __iter__(self) -> NoReturn:
            raise AssertionError

    with pytest.raises(ValueError, match="not base58"):
        from_base58(Untouched("z" * 100_000), 34)


@pytest.mark.parametrize(
    ("suite", "code"),
    [
        (b"SMP\x02", Code.UNSUPPORTED_VERSION),
        (b"SMP\xff", Code.UNSUPPORTED_VERSION),
        (b"SMQ\x01", Code.MALFORMED),
    ],
)
def test_unknown_suite(two: Two, suite: bytes, code: Code) -> None:
    asako, bram = two
    envelope = forged(bram.message(asako.did, Verb.BYE, {}).json(), bram, asako)
    assert silently(code, *receive(asako, bram, suite + envelope[4:]))


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (lambda data: data.replace(b'"v":1', b'"v":2'), Code.UNSUPPORTED_VERSION),
        (lambda data: data.replace(b'"verb":"ask"', b'"verb":"gossip"'), Code.UNSUPPORTED_VERSION),
        (lambda data: data.replace(b'"verb":"ask"', b'"verb":"refusal"'), Code.UNSUPPORTED_VERSION),
        (lambda data: data.replace(b'"v":1', b'"v":1,"also":1'), Code.MALFORMED),
        (
            lambda data: data.replace(b'"tokens":200', b'"tokens":200,"private":true'),
            Code.MALFORMED,
        ),
        (lambda data: data.replace(b'"tokens":200', b'"tokens":"200"'), Code.MALFORMED),
        (lambda data: data.replace(b'"tokens":200', b'"tokens":8193'), Code.MALFORMED),
        (
            lambda data: data.replace(
                b'"tokens":200', b'"tokens":200,"scope":{"tags":["*","food"]}'
            ),
            Code.MALFORMED,
        ),
        (
            lambda data: data.replace(b'"tokens":200', b'"tokens":200,"scope":{"tags":[]}'),
            Code.MALFORMED,
        ),
        (
            lambda data: data.replace(b'"tokens":200', b'"tokens":200,"scope":{"since":null}'),
            Code.MALFORMED,
        ),
    ],
)
def test_signed_by_the_contact_but_not_version_1(
    two: Two, edit: Callable[[bytes], bytes], code: Code
) -> None:
    asako, bram = two
    data = edit(bram.message(asako.did, grant=asako.gives(bram).id).json())
    event, out = receive(asako, bram, forged(data, bram, asako))
    assert in_words(code, event, out, bram)
    assert asako.books.seen == {}


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: data.replace(b'"v":1', b'"v":1,"v":1'),
        lambda data: data.replace(b'"tokens":200', b'"tokens":200,"tokens":1'),
        lambda data: data.replace(b"200}", b"NaN}"),
        lambda data: data.replace(b"200}", b"-Infinity}"),
        lambda data: data.replace(b"200}", b"200.0}"),
        lambda data: data.replace(b"200}", b"2e2}"),
        lambda data: data.replace(b"200}", b"-0}"),
        lambda data: data.replace(b"200}", b"1" * 5000 + b"}"),
        lambda data: data.replace(b"200}", b"[" * 9 + b"]" * 9 + b"}"),
        lambda data: data.replace(b"200}", b"[" * 100_000 + b"}"),
        lambda data: data.replace(b"200}", b'{"a":' * 50_000 + b"}"),
        lambda data: data.replace(b"walk", b"\xff\xfe"),
        lambda data: data.replace(b"walk", b"\xed\xa0\x80"),
        lambda data: data.replace(b"walk", b"\\udfff"),
        lambda data: data.replace(b"walk", b"wal\x00k"),
        lambda data: data.replace(b'"v":1', b'"v":1,"\\ud800":1'),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data + data,
        lambda data: data[:-1],
        lambda _: b"null",
        lambda _: b'"smp"',
    ],
    ids=lambda _: "",
)
def test_json_that_is_not_strict(two: Two, edit: Callable[[bytes], bytes]) -> None:
    asako, bram = two
    data = edit(bram.message(asako.did, grant=asako.gives(bram).id).json())
    assert silently(Code.MALFORMED, *receive(asako, bram, forged(data, bram, asako)))


def test_low_order_ephemeral_key(two: Two) -> None:
    asako, bram = two
    header = b"SMP\x01" + asako.keys.box.kid + bytes(32) + bytes(24)
    guessed = bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes(256), header, bytes(24), bytes(32)
    )
    assert silently(Code.DECRYPT_FAILED, *receive(asako, bram, header + guessed))


def test_bytes_after_the_request(two: Two) -> None:
    asako, bram = two
    envelope = forged(bram.message(asako.did, Verb.BYE, {}).json(), bram, asako)
    end = answering(asako, bram)
    (refused,) = end.feed(frame(envelope) + bytes(limits.BLOCK), NOW)
    assert silently(Code.MALFORMED, refused, end.take())
    end = answering(asako, bram)
    assert isinstance(end.feed(frame(envelope), NOW)[0], Asked)
    (late,) = end.feed(b"x", NOW)
    assert silently(Code.MALFORMED, late, end.take())


# --- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ts", "exp", "code"),
    [
        (NOW - 500, NOW - 120, Code.EXPIRED),
        (NOW + 121, NOW + 500, Code.FROM_FUTURE),
        (NOW, NOW + 7 * DAY + 1, Code.MALFORMED),
        (NOW, NOW, Code.MALFORMED),
        (NOW, NOW - 1, Code.MALFORMED),
        (0, limits.WHOLE, Code.MALFORMED),
        (limits.WHOLE - 1, limits.WHOLE, Code.FROM_FUTURE),
    ],
)
def test_expired_future_and_absurd_lifetime(two: Two, ts: int, exp: int, code: Code) -> None:
    asako, bram = two
    (event,), end, _ = deliver(
        asako, bram, bram.message(asako.did, grant=asako.gives(bram).id, ts=ts, exp=exp)
    )
    assert in_words(code, event, end.take(), bram)


@pytest.mark.parametrize(
    ("ts", "exp"), [(NOW + 120, NOW + 130), (NOW - 500, NOW - 119), (NOW, NOW + 7 * DAY)]
)
def test_skew_inside_the_tolerance(two: Two, ts: int, exp: int) -> None:
    asako, bram = two
    (event,), _, _ = deliver(
        asako, bram, bram.message(asako.did, grant=asako.gives(bram).id, ts=ts, exp=exp)
    )
    assert isinstance(event, Asked)


# --- cards and keys -----------------------------------------------------------------------------


def test_forged_card(two: Two, mallory: Person) -> None:
    asako, bram = two
    fields = {
        "v": 1,
        "did": bram.did,
        "peer": mallory.card.peer,
        "kid": to_b64u(mallory.card.kid),
        "box": to_b64u(mallory.card.box),
        "name": "bram",
    }
    text = write_statement(
        Kind.CARD, {**fields, "verbs": ["ask"], "seq": 99, "exp": NOW + DAY}, mallory.keys.identity
    )
    (event,), end, _ = deliver(asako, bram, bram.message(asako.did, Verb.CARD, {"card": text}))
    assert in_words(Code.BAD_SIGNATURE, event, end.take(), bram)


def test_card_of_somebody_else(two: Two, mallory: Person) -> None:
    asako, bram = two
    (event,), end, _ = deliver(
        asako, bram, bram.message(asako.did, Verb.CARD, {"card": mallory.card.text})
    )
    assert in_words(Code.SENDER_MISMATCH, event, end.take(), bram)


def test_card_rollback(two: Two) -> None:
    asako, bram = two
    old = bram.card
    bram.card = bram.new_card(5)
    asako.knows(bram)
    for card in (old, bram.new_card(5, exp=NOW + DAY), bram.new_card(4)):
        (event,), end, _ = deliver(
            asako, bram, bram.message(asako.did, Verb.CARD, {"card": card.text})
        )
        assert in_words(Code.REPLAY, event, end.take(), bram)
    newer = bram.new_card(6)
    (event,), _, _ = deliver(asako, bram, bram.message(asako.did, Verb.CARD, {"card": newer.text}))
    assert isinstance(event, Introduced)
    assert event.card == newer


def test_retired_box_key(two: Two) -> None:
    asako, bram = two
    envelope = forged(bram.message(asako.did, Verb.BYE, {}, exp=NOW + 7 * DAY).json(), bram, asako)
    old = asako.keys
    asako.keys = old.turned(NOW)
    assert unseal(envelope, asako.keys, NOW + limits.BOX_KEPT - 1, limits.REQUEST).json
    with pytest.raises(Refusal, match="unknown_key"):
        unseal(envelope, asako.keys, NOW + limits.BOX_KEPT, limits.REQUEST)
    later = asako.keys.turned(NOW + limits.BOX_KEPT)
    assert old.box.private not in [held.key.private for held in later.boxes]


def test_two_nodes_that_were_apart_for_months_find_back(two: Two) -> None:
    asako, bram = two
    message = bram.message(asako.did, grant=asako.gives(bram).id)
    stale = asako.card
    asako.keys = replace(asako.keys, boxes=Keyring.make(NOW, dice("later")).boxes)
    asako.card = asako.new_card(2)
    (refused,), end, asking = deliver(asako, bram, message, to=stale)
    assert isinstance(refused, Refused)
    (noticed,) = asking.feed(end.take(), NOW)
    assert noticed == Noticed(asako.card)
    (event,), _, _ = deliver(asako, bram, message, to=asako.card)
    assert isinstance(event, Asked)


def test_the_answer_to_a_newer_card_is_sealed_to_it(two: Two) -> None:
    asako, bram = two
    bram.keys = replace(bram.keys, boxes=Keyring.make(NOW, dice("turned")).boxes)
    bram.card = bram.new_card(2)
    (event,), end, asking = deliver(
        asako, bram, bram.message(asako.did, Verb.CARD, {"card": bram.card.text})
    )
    assert isinstance(event, Introduced)
    end.answer({"card": asako.card.text}, NOW)
    (answer,) = asking.feed(end.take(), NOW)
    assert isinstance(answer, Answered)
    assert Card.read(answer.body["card"], NOW) == asako.card


def test_a_notice_can_neither_roll_back_nor_come_from_somebody_else(
    two: Two, mallory: Person
) -> None:
    asako, bram = two
    newest = asako.card
    for card in (asako.new_card(0), newest, mallory.new_card(9)):
        asking = Asking(bram.node, newest, bram.message(asako.did, Verb.BYE, {}))
        asking.ask()
        assert isinstance(asking.feed(frame(write_notice(card.text)), NOW)[0], Failed)


def test_identity_rotated_with_one_signature(two: Two, mallory: Person) -> None:
    asako, bram = two
    fields = {"v": 1, "old": bram.did, "new": mallory.did, "seq": 2, "ts": NOW}
    for signers in ([bram, bram], [mallory, mallory], [mallory, bram]):
        text = write_statement(Kind.ROTATION, fields, *[each.keys.identity for each in signers])
        body: dict[str, object] = {"card": mallory.new_card(2).text, "rotation": text}
        (event,), end, _ = deliver(asako, bram, bram.message(asako.did, Verb.CARD, body))
        assert in_words(Code.BAD_SIGNATURE, event, end.take(), bram)


def test_identity_rotated_by_both_waits_for_the_person(two: Two) -> None:
    asako, bram = two
    heir = Person("bram again")
    rotation = Rotation.write(bram.keys.identity, heir.keys.identity, seq=2, now=NOW)
    (event,), _, _ = deliver(
        asako,
        bram,
        bram.message(
            asako.did, Verb.CARD, {"card": heir.new_card(2).text, "rotation": rotation.text}
        ),
    )
    assert isinstance(event, Introduced)
    assert event.rotation == rotation
    asako.books.contacts[bram.card.peer] = asako.books.contacts[bram.card.peer].after(
        Happens.ROTATION
    )
    (event,), end, _ = deliver(asako, bram, bram.message(asako.did, grant=asako.gives(bram).id))
    assert in_words(Code.CONSENT_REQUIRED, event, end.take(), bram)
    assert not isinstance(event, Waiting)
    (event,), end, _ = deliver(
        asako,
        bram,
        bram.message(
            asako.did, Verb.CARD, {"card": heir.new_card(3).text, "rotation": rotation.text}
        ),
    )
    assert in_words(Code.CONSENT_REQUIRED, event, end.take(), bram)
    for allowed in (
        bram.message(asako.did, Verb.CARD, {"card": bram.card.text}),
        bram.message(asako.did, Verb.BYE, {}),
    ):
        (event,), _, _ = deliver(asako, bram, allowed)
        assert isinstance(event, Introduced | Asked)


def test_a_rotation_of_somebody_else_or_to_an_older_card(two: Two, mallory: Person) -> None:
    asako, bram = two
    heir = Person("heir")
    other = Rotation.write(mallory.keys.identity, heir.keys.identity, seq=2, now=NOW)
    (event,), end, _ = deliver(
        asako,
        bram,
        bram.message(asako.did, Verb.CARD, {"card": heir.new_card(2).text, "rotation": other.text}),
    )
    assert in_words(Code.SENDER_MISMATCH, event, end.take(), bram)
    own = Rotation.write(bram.keys.identity, heir.keys.identity, seq=2, now=NOW)
    for card, code in (
        (heir.new_card(1), Code.REPLAY),
        (bram.new_card(3), Code.SENDER_MISMATCH),
        (mallory.new_card(3), Code.SENDER_MISMATCH),
    ):
        (event,), end, _ = deliver(
            asako,
            bram,
            bram.message(asako.did, Verb.CARD, {"card": card.text, "rotation": own.text}),
        )
        assert in_words(code, event, end.take(), bram)


@pytest.mark.parametrize(
    "opener", [Passphrase("a long passphrase"), KeyFile(b"k" * 32)], ids=["passphrase", "key file"]
)
def test_wrong_passphrase_and_tampered_keystore(opener: Passphrase | KeyFile) -> None:
    keys = Person("asako").keys
    blob = lock(keys, opener, dice("lock"))
    assert unlock(blob, opener).pack() == keys.pack()
    for wrong in (Passphrase("a long passphrasE"), KeyFile(b"K" * 32)):
        with pytest.raises(LockedError):
            unlock(blob, wrong)
    # a guess at a passphrase costs half a second
    places = range(9, len(blob)) if isinstance(opener, KeyFile) else (9, 25, 49, len(blob) - 1)
    for at in places:
        with pytest.raises(LockedError):
            unlock(blob[:at] + bytes([blob[at] ^ 1]) + blob[at + 1 :], opener)
    for none in (
        b"",
        b"SQLite format 3\0" + bytes(500),
        blob[:-1],
        blob + b"\0",
        blob[:40],
        b"SMPKEYS\x02" + blob[8:],
        blob[:8] + b"\x07" + blob[9:],
    ):
        with pytest.raises(NotAKeystoreError):
            unlock(none, opener)


# --- strangers and invites ----------------------------------------------------------------------


def invited(asako: Person, seed: str = "invite") -> Invite:
    invite = Invite.make(asako.card, ("/ip4/192.0.2.7/tcp/4001",), NOW, random=dice(seed))
    asako.books.invites[invite.id] = invite
    return invite


def hello(
    who: Person, invite: Invite, asako: Person, now: int = NOW, **changed: str
) -> tuple[Event, Answering, Asking, dict[str, str]]:
    body = make_hello(invite, who.card, who.random) | {
        name.rstrip("_"): value for name, value in changed.items()
    }
    asking = Asking(who.node, invite, who.message(invite.did, Verb.HELLO, dict(body), ts=now))
    asking.ask()
    end = answering(asako, who, stranger=True)
    (event,) = end.feed(asking.take(), now)
    return event, end, asking, body


def test_invited_and_met() -> None:
    asako, bram = Person("asako"), Person("bram")
    invite = invited(asako)
    event, end, asking, body = hello(bram, Invite.read(invite.link), asako)
    assert isinstance(event, Greeted)
    assert asako.books.contacts[bram.card.peer] == Contact(bram.card)
    end.answer(event.answer, NOW)
    (answer,) = asking.feed(end.take(), NOW)
    assert isinstance(answer, Answered)
    met = check_welcome(invite, body, answer.body, bram.card, asako.card.peer, NOW)
    assert met.card == asako.card
    assert met.words == event.met.words
    assert len(met.words) == 6


def test_invite_reused_expired_and_with_a_wrong_secret(mallory: Person) -> None:
    asako, bram = Person("asako"), Person("bram")
    invite = invited(asako)
    guess = replace(invite, secret=bytes(16))
    event, end, _, _ = hello(mallory, guess, asako, invite_=invite.id)
    assert silently(Code.BAD_SIGNATURE, event, end.take())
    event, end, _, _ = hello(mallory, guess, asako)
    assert silently(Code.NO_GRANT, event, end.take())
    event, end, _, _ = hello(bram, invite, asako, now=invite.exp)
    assert silently(Code.EXPIRED, event, end.take())
    assert asako.books.seen == {}
    assert isinstance(hello(bram, invite, asako)[0], Greeted)
    event, end, _, _ = hello(mallory, invite, asako)
    assert silently(Code.NO_GRANT, event, end.take())
    assert list(asako.books.contacts) == [bram.card.peer]


def test_an_altered_link_does_not_say_hello() -> None:
    asako, bram = Person("asako"), Person("bram")
    invite = invited(asako)
    fields = json.loads(invite.json) | {"addrs": ["/ip4/203.0.113.9/tcp/1"]}
    altered = Invite.read("smp://i/" + to_b64u(write_json(fields)))
    event, end, _, _ = hello(bram, altered, asako)
    assert silently(Code.BAD_SIGNATURE, event, end.take())


def test_a_hello_from_another_host_or_with_another_card(mallory: Person) -> None:
    asako, bram = Person("asako"), Person("bram")
    invite = invited(asako)
    body = make_hello(invite, bram.card, bram.random)
    asking = Asking(bram.node, invite, bram.message(asako.did, Verb.HELLO, dict(body)))
    asking.ask()
    end = answering(asako, mallory, stranger=True)
    (event,) = end.feed(asking.take(), NOW)
    assert silently(Code.SENDER_MISMATCH, event, end.take())
    event, end, _, _ = hello(mallory, invite, asako, card=bram.card.text)
    assert silently(Code.BAD_SIGNATURE, event, end.take())
    stolen = make_hello(invite, replace(bram.card, did=mallory.did), mallory.random)
    asking = Asking(mallory.node, invite, mallory.message(asako.did, Verb.HELLO, dict(stolen)))
    asking.ask()
    end = answering(asako, bram, stranger=True)
    (event,) = end.feed(asking.take(), NOW)
    assert silently(Code.SENDER_MISMATCH, event, end.take())
    assert asako.books.invites


def test_two_race_for_one_invite() -> None:
    asako = Person("asako")
    invite = invited(asako)
    racers = [Person(f"racer {n}") for n in range(8)]
    events: list[Event] = []
    at_once(
        [partial(lambda who: events.append(hello(who, invite, asako)[0]), who) for who in racers]
    )
    assert sum(isinstance(event, Greeted) for event in events) == 1
    assert len(asako.books.contacts) == 1


def test_a_hello_again_after_its_answer_was_lost_gets_the_kept_one() -> None:
    asako, bram = Person("asako"), Person("bram")
    invite = invited(asako)
    body = make_hello(invite, bram.card, bram.random)
    message = bram.message(asako.did, Verb.HELLO, dict(body))
    (greeted,), _, _ = deliver(asako, bram, message, stranger=True)
    assert isinstance(greeted, Greeted)
    (again,), end, asking = deliver(asako, bram, message)
    assert again == Repeated(bram.did, message.id)
    end.answer(greeted.answer, NOW)
    (answer,) = asking.feed(end.take(), NOW)
    assert isinstance(answer, Answered)
    assert (
        check_welcome(invite, body, answer.body, bram.card, asako.card.peer, NOW).words
        == greeted.met.words
    )


def test_a_contact_says_hello_again_with_another_invite_but_not_with_an_older_card(
    two: Two,
) -> None:
    asako, bram = two
    old, bram.card = bram.card, bram.new_card(5)
    asako.knows(bram)
    for card, fits in ((old, False), (bram.card, True)):
        bram.card = card
        (event,), end, _ = deliver(
            asako,
            bram,
            bram.message(
                asako.did, Verb.HELLO, dict(make_hello(invited(asako), card, bram.random))
            ),
        )
        assert (
            isinstance(event, Greeted) if fits else in_words(Code.REPLAY, event, end.take(), bram)
        )


def test_an_invite_that_is_used_while_it_is_looked_at() -> None:
    class Late(Books):
        def find(self, invite: str) -> Invite | None:
            found = super().find(invite)
            self.invites.clear()
            return found

    asako, bram = Person("asako"), Person("bram")
    asako.books = Late()
    event, end, _, _ = hello(bram, invited(asako), asako)
    assert silently(Code.NO_GRANT, event, end.take())
    assert asako.books.contacts == {}


def test_somebody_in_between_has_other_words(mallory: Person) -> None:
    """The link is caught and replaced; each side meets Mallory. What they read aloud differs,
    whichever nonce Mallory chooses.
    """
    asako, bram = Person("asako"), Person("bram")
    real, false = invited(asako), invited(mallory, "false")
    caught, _, _, _ = hello(mallory, real, asako)
    assert isinstance(caught, Greeted)
    for n in range(100):
        body = make_hello(false, bram.card, dice(f"bram {n}"))
        welcome, _ = make_welcome(false, body, bram.card, mallory.card, dice(f"mallory {n}"))
        met = check_welcome(false, body, welcome, bram.card, mallory.card.peer, NOW)
        assert set(met.words).isdisjoint(caught.met.words)


def test_a_welcome_from_somebody_else(mallory: Person) -> None:
    asako, bram = Person("asako"), Person("bram")
    invite = invited(asako)
    body = make_hello(invite, bram.card, bram.random)
    welcome, _ = make_welcome(invite, body, bram.card, mallory.card, mallory.random)
    with pytest.raises(Refusal, match="sender_mismatch"):
        check_welcome(invite, body, welcome, bram.card, mallory.card.peer, NOW)
    welcome, _ = make_welcome(
        replace(invite, secret=bytes(16)), body, bram.card, asako.card, mallory.random
    )
    with pytest.raises(Refusal, match="bad_signature"):
        check_welcome(invite, body, welcome, bram.card, asako.card.peer, NOW)


@pytest.mark.parametrize("verb", [Verb.CARD, Verb.GRANT, Verb.OFFER, Verb.BYE, Verb.ASK])
def test_a_stranger_gets_silence(mallory: Person, verb: Verb) -> None:
    asako = Person("asako")
    invited(asako)
    offer = {
        "item": asako.id(),
        "title": "x",
        "media": "a/b",
        "size": 1,
        "hash": to_b64u(bytes(32)),
        "until": NOW + 60,
    }
    bodies: dict[Verb, dict[str, object]] = {
        Verb.CARD: {"card": mallory.card.text},
        Verb.GRANT: {"revoked": asako.id()},
        Verb.OFFER: offer,
        Verb.BYE: {},
    }
    message = mallory.message(
        asako.did, verb, bodies.get(verb), grant=asako.id() if verb is Verb.ASK else None
    )
    (event,), end, _ = deliver(asako, mallory, message, stranger=True)
    assert silently(Code.NO_GRANT, event, end.take())
    assert asako.books.seen == {}


def test_the_gate() -> None:
    card = Person("bram").card
    doors = {
        state: gate(Contact(card, state), invite_open=False, strangers=0) for state in ContactState
    }
    open_to = {ContactState.ACTIVE, ContactState.CHANGED}
    assert doors == {
        state: Entrance.CONTACT if state in open_to else Entrance.CLOSED for state in ContactState
    }
    assert gate(None, invite_open=False, strangers=0) is Entrance.CLOSED
    assert gate(None, invite_open=True, strangers=3) is Entrance.STRANGER
    assert gate(None, invite_open=True, strangers=4) is Entrance.CLOSED
    assert (
        gate(Contact(card, ContactState.BLOCKED), invite_open=True, strangers=0) is Entrance.CLOSED
    )
    assert (
        gate(Contact(card, ContactState.ENDED), invite_open=True, strangers=0) is Entrance.STRANGER
    )


# --- grants -------------------------------------------------------------------------------------


def asks(
    two: Two, held: Held | None, body: dict[str, object] | None = None, verb: Verb = Verb.ASK
) -> tuple[Event, bytes]:
    """Bram asks under a grant as Asako holds it."""
    asako, bram = two
    asako.books.grants = {} if held is None else {held.grant.id: held}
    (event,), end, _ = deliver(
        asako, bram, bram.message(asako.did, verb, body, grant=held.grant.id if held else bram.id())
    )
    return event, end.take()


@pytest.mark.parametrize(
    ("changed", "state", "code"),
    [
        ({"exp": NOW}, {}, Code.GRANT_EXPIRED),
        ({"nbf": NOW + 1}, {}, Code.GRANT_EXPIRED),
        ({}, {"revoked": True}, Code.REVOKED),
        ({"daily": Cost(0, 10**6, 10**6)}, {}, Code.OVER_BUDGET),
        ({"daily": Cost(9, 19_999, 10**6)}, {}, Code.OVER_BUDGET),
        ({"daily": Cost(9, 10**6, 199)}, {}, Code.OVER_BUDGET),
        ({"daily": Cost(9, 10**6, 10**6)}, {"spent": Cost(9, 0, 0)}, Code.OVER_BUDGET),
        ({"verbs": frozenset({Verb.RECALL})}, {}, Code.OUT_OF_SCOPE),
        ({"parent": "AAAAAAAAAAAAAAAAAAAAAA"}, {}, Code.ESCALATION),
    ],
)
def test_grant_expired_not_yet_valid_revoked_over_budget_other_verb(
    two: Two, changed: dict[str, Any], state: dict[str, Any], code: Code
) -> None:
    grant = two[0].gives(two[1], **changed)
    event, out = asks(two, Held(grant, **state))
    assert in_words(code, event, out, two[1])


def test_grant_stolen_missing_and_of_another_owner_look_alike(two: Two, mallory: Person) -> None:
    asako, bram = two
    for held in (None, Held(asako.gives(mallory)), Held(mallory.gives(bram))):
        event, out = asks(two, held)
        assert in_words(Code.NO_GRANT, event, out, bram)


def test_grant_forged_and_edited(two: Two, mallory: Person) -> None:
    asako, bram = two
    grant = replace(asako.gives(bram), id=bram.id())
    with pytest.raises(LocalProtocolError):
        grant.write(bram.keys.identity)
    data = write_json({"v": 1, "id": grant.id, "iss": asako.did, "aud": bram.did})
    for signer in (bram, mallory):
        with pytest.raises(Refusal, match="bad_signature"):
            Grant.read(to_b64u(signer.keys.identity.sign(Kind.GRANT, data) + data))
    text = grant.write(asako.keys.identity)
    for at in range(100, len(text), 7):
        letter = "A" if text[at] != "A" else "B"
        with pytest.raises(Refusal):
            Grant.read(text[:at] + letter + text[at + 1 :])


SCOPE = Scope(
    frozenset({"food"}),
    frozenset({RowKind.PASSAGE}),
    frozenset({Layer.SAID}),
    NOW - DAY,
    NOW,
    Form.SUMMARY,
    "planning",
)


@pytest.mark.parametrize(
    "wish",
    [
        {"tags": ["work"]},
        {"tags": ["*"]},
        {"layers": ["L1"]},
        {"kinds": ["opinion"]},
        {"since": NOW - DAY - 1},
        {"until": NOW + 1},
        {"form": "excerpt"},
    ],
    ids=lambda wish: next(iter(wish)),
)
def test_out_of_scope(two: Two, wish: dict[str, object]) -> None:
    event, out = asks(two, Held(two[0].gives(two[1], scope=SCOPE)), {**QUESTION, "scope": wish})
    assert in_words(Code.OUT_OF_SCOPE, event, out, two[1])


def test_out_of_scope_by_purpose_and_by_a_fetch_that_is_not_verbatim(two: Two) -> None:
    event, out = asks(two, Held(two[0].gives(two[1])), {**QUESTION, "purpose": "selling"})
    assert in_words(Code.OUT_OF_SCOPE, event, out, two[1])
    fetch: dict[str, object] = {
        "item": two[1].id(),
        "purpose": "planning",
        "bytes": 2000,
        "start": 0,
    }
    event, out = asks(two, Held(two[0].gives(two[1], scope=SCOPE)), fetch, Verb.FETCH)
    assert in_words(Code.OUT_OF_SCOPE, event, out, two[1])


def test_private_is_in_no_scope() -> None:
    widest = Scope(
        frozenset({"*"}),
        frozenset(RowKind),
        frozenset(Layer),
        None,
        None,
        Form.VERBATIM,
        "planning",
    )
    for layer in Layer:
        assert widest.holds(Row(layer, RowKind.PASSAGE, frozenset(), None, private=False))
        assert not widest.holds(Row(layer, RowKind.PASSAGE, frozenset({"*"}), NOW, private=True))


def test_an_offer_opens_one_item_to_one_contact(two: Two, mallory: Person) -> None:
    asako, bram = two
    item, offer = asako.id(), asako.id()
    body: dict[str, object] = {
        "item": item,
        "purpose": "reading",
        "bytes": 2000,
        "start": 0,
        "offer": offer,
    }
    asako.books.offers.add((offer, item, mallory.did))
    (event,), end, _ = deliver(asako, bram, bram.message(asako.did, Verb.FETCH, body))
    assert in_words(Code.OUT_OF_SCOPE, event, end.take(), bram)
    asako.books.offers.add((offer, item, bram.did))
    (event,), _, _ = deliver(asako, bram, bram.message(asako.did, Verb.FETCH, body))
    assert isinstance(event, Asked)
    assert event.scope is None
    (event,), end, _ = deliver(
        asako, bram, bram.message(asako.did, Verb.FETCH, {**body, "item": asako.id()})
    )
    assert in_words(Code.OUT_OF_SCOPE, event, end.take(), bram)


def passed_on(two: Two, third: Person, **changed: Any) -> tuple[Grant, Held]:  # noqa: ANN401 - fields of a grant
    """Bram passes something on of what Asako gave him."""
    asako, bram = two
    asako.knows(third)
    parent = asako.gives(bram, scope=SCOPE, daily=Cost(5, 10**6, 10**6))
    child = replace(parent, id=bram.id(), iss=bram.did, aud=third.did, depth=0, parent=parent.id)
    return replace(child, **changed), asako.books.grants[parent.id]


@pytest.mark.parametrize(
    "changed",
    [
        {"verbs": frozenset({Verb.ASK}), "scope": replace(SCOPE, tags=frozenset({"*"}))},
        {"scope": replace(SCOPE, tags=frozenset({"food", "work"}))},
        {"scope": replace(SCOPE, kinds=frozenset(RowKind))},
        {"scope": replace(SCOPE, layers=frozenset(Layer))},
        {"scope": replace(SCOPE, since=None)},
        {"scope": replace(SCOPE, until=NOW + 1)},
        {"scope": replace(SCOPE, form=Form.EXCERPT)},
        {"scope": replace(SCOPE, purpose="selling")},
        {"daily": Cost(6, 1, 1)},
        {"daily": Cost(1, 10**6 + 1, 1)},
        {"daily": Cost(1, 1, 10**6 + 1)},
        {"nbf": NOW - DAY - 1},
        {"exp": NOW + DAY + 1},
        {"depth": 1},
    ],
)
def test_delegation_wider_in_any_field(two: Two, mallory: Person, changed: dict[str, Any]) -> None:
    asako, bram = two
    child, parent = passed_on(two, mallory, **changed)
    text = child.write(bram.keys.identity)
    (event,), end, _ = deliver(
        asako, mallory, mallory.message(asako.did, Verb.GRANT, {"lodge": text})
    )
    assert in_words(Code.ESCALATION, event, end.take(), mallory)
    asako.books.grants[child.id] = Held(child, parent=parent)  # even if a row came to be
    (event,), end, _ = deliver(asako, mallory, mallory.message(asako.did, grant=child.id))
    assert in_words(Code.ESCALATION, event, end.take(), mallory)


def test_delegation_that_skips_the_person_s_consent(two: Two, mallory: Person) -> None:
    asako, _ = two
    child, parent = passed_on(two, mallory)
    asking = replace(parent.grant, consent=Consent.ASK)
    asako.books.grants = {child.id: Held(child, parent=Held(asking))}
    (event,), end, _ = deliver(asako, mallory, mallory.message(asako.did, grant=child.id))
    assert in_words(Code.ESCALATION, event, end.take(), mallory)


def test_spliced_chain(two: Two, mallory: Person) -> None:
    asako, bram = two
    child, _ = passed_on(two, mallory)
    another = asako.gives(mallory)
    lodgings = {
        Code.NO_GRANT: replace(child, parent=bram.id()),  # a parent that does not exist
        # a parent that was given to somebody else
        Code.ESCALATION: replace(child, parent=another.id),
        Code.SENDER_MISMATCH: replace(child, aud=asako.did),  # lodged by who may not use it
    }
    for code, spliced in lodgings.items():
        (event,), end, _ = deliver(
            asako,
            mallory,
            mallory.message(asako.did, Verb.GRANT, {"lodge": spliced.write(bram.keys.identity)}),
        )
        assert in_words(code, event, end.take(), mallory)
    grandchild = replace(child, id=mallory.id(), iss=mallory.did, aud=bram.did, parent=child.id)
    asako.books.grants[child.id] = Held(child, parent=asako.books.grants[child.parent or ""])
    (event,), end, _ = deliver(
        asako,
        bram,
        bram.message(asako.did, Verb.GRANT, {"lodge": grandchild.write(mallory.keys.identity)}),
    )
    assert in_words(Code.NO_GRANT, event, end.take(), bram)


def test_revoked_parent_and_the_parent_s_budget(two: Two, mallory: Person) -> None:
    asako, bram = two
    child, parent = passed_on(two, mallory, daily=Cost(5, 10**6, 10**6))
    (event,), _, _ = deliver(
        asako,
        mallory,
        mallory.message(asako.did, Verb.GRANT, {"lodge": child.write(bram.keys.identity)}),
    )
    assert isinstance(event, Given)
    assert event.lodged
    for held, code in (
        (replace(parent, revoked=True), Code.REVOKED),
        (replace(parent, spent=Cost(5, 0, 0)), Code.OVER_BUDGET),
    ):
        asako.books.grants[child.id] = Held(child, parent=held)
        (event,), end, _ = deliver(asako, mallory, mallory.message(asako.did, grant=child.id))
        assert in_words(code, event, end.take(), mallory)
    asako.books.grants[child.id] = Held(child, parent=parent)
    (event,), _, _ = deliver(asako, mallory, mallory.message(asako.did, grant=child.id))
    assert isinstance(event, Asked)
    assert event.scope == SCOPE


def test_a_grant_given_in_somebody_else_s_name(two: Two, mallory: Person) -> None:
    asako, bram = two
    for grant, signer in ((mallory.gives(asako), mallory), (bram.gives(mallory), bram)):
        (event,), end, _ = deliver(
            asako,
            bram,
            bram.message(asako.did, Verb.GRANT, {"give": grant.write(signer.keys.identity)}),
        )
        assert in_words(Code.SENDER_MISMATCH, event, end.take(), bram)
    own = bram.gives(asako)
    passed = replace(own, id=bram.id(), parent=bram.id())
    for grant, owner in ((own, {}), (passed, {"owner": mallory.did})):
        text = grant.write(bram.keys.identity)
        (event,), _, _ = deliver(
            asako, bram, bram.message(asako.did, Verb.GRANT, {"give": text, **owner})
        )
        assert isinstance(event, Given)
        assert event.grant == grant
        (event,), end, _ = deliver(
            asako,
            bram,
            bram.message(
                asako.did,
                Verb.GRANT,
                {"give": text} if owner else {"give": text, "owner": mallory.did},
            ),
        )
        assert in_words(Code.MALFORMED, event, end.take(), bram)


def test_a_grant_lodged_under_the_id_of_another(two: Two, mallory: Person) -> None:
    asako, bram = two
    child, parent = passed_on(two, mallory)
    other = asako.gives(mallory)
    for taken in (parent.grant.id, other.id):
        text = replace(child, id=taken).write(bram.keys.identity)
        (event,), end, _ = deliver(
            asako, mallory, mallory.message(asako.did, Verb.GRANT, {"lodge": text})
        )
        assert in_words(Code.REPLAY, event, end.take(), mallory)
    text = child.write(bram.keys.identity)
    asako.books.grants[child.id] = Held(child, parent=parent)
    (event,), _, _ = deliver(
        asako, mallory, mallory.message(asako.did, Verb.GRANT, {"lodge": text})
    )
    assert isinstance(event, Given)
    asako.books.grants[child.id] = Held(child, revoked=True, parent=parent)
    (event,), end, _ = deliver(
        asako, mallory, mallory.message(asako.did, Verb.GRANT, {"lodge": text})
    )
    assert in_words(Code.REVOKED, event, end.take(), mallory)


def test_two_requests_race_for_the_last_unit_of_a_budget(two: Two) -> None:
    asako, bram = two
    grant = asako.gives(bram, daily=Cost(3, 10**6, 10**6))
    streams = []
    for _ in range(12):
        asking = Asking(bram.node, asako.card, bram.message(asako.did, grant=grant.id))
        asking.ask()
        streams.append((answering(asako, bram), asking.take()))
    events: list[Event] = []
    at_once(
        [
            partial(lambda end, data: events.extend(end.feed(data, NOW)), end, data)
            for end, data in streams
        ]
    )
    assert sum(isinstance(event, Asked) for event in events) == 3
    assert asako.books.grants[grant.id].spent.calls == 3
    assert {event.code for event in events if isinstance(event, Refused)} == {Code.OVER_BUDGET}


def test_the_budget_goes_between_the_decision_and_the_spending(two: Two) -> None:
    class Poor(Books):
        def spend(self, grant: str, cost: Cost, now: int) -> bool:
            return False

    asako, bram = two
    asako.books = Poor(contacts=asako.books.contacts)
    (event,), end, _ = deliver(asako, bram, bram.message(asako.did, grant=asako.gives(bram).id))
    assert in_words(Code.OVER_BUDGET, event, end.take(), bram)


@pytest.mark.parametrize(
    ("until", "fits"),
    [(NOW, False), (NOW + 1, True), (NOW + 30 * DAY + 120, True), (NOW + 30 * DAY + 121, False)],
)
def test_an_offer_lasts_a_month_at_most(two: Two, until: int, fits: bool) -> None:
    asako, bram = two
    offer: dict[str, object] = {
        "item": bram.id(),
        "title": "A walk",
        "media": "text/plain",
        "size": 1,
        "hash": to_b64u(bytes(32)),
        "until": until,
    }
    (event,), end, _ = deliver(asako, bram, bram.message(asako.did, Verb.OFFER, offer))
    assert isinstance(event, Asked) if fits else in_words(Code.MALFORMED, event, end.take(), bram)


def test_revoke_during_an_ask(two: Two) -> None:
    asako, bram = two
    grant = asako.gives(bram)
    (event,), end, asking = deliver(asako, bram, bram.message(asako.did, grant=grant.id))
    assert isinstance(event, Asked)
    asako.books.grants[grant.id] = replace(asako.books.grants[grant.id], revoked=True)
    refused = end.answer(REPLY, NOW)
    assert refused is not None
    assert refused.code is Code.REVOKED
    assert asking.feed(end.take(), NOW) == [Declined(Code.REVOKED)]
    assert asako.books.grants[grant.id].spent == Cost()


def test_a_kept_answer_does_not_outlive_the_grant(two: Two) -> None:
    asako, bram = two
    grant = asako.gives(bram)
    message = bram.message(asako.did, grant=grant.id)
    _, end, _ = deliver(asako, bram, message)
    end.answer(REPLY, NOW)
    del asako.books.grants[grant.id]
    _, end, asking = deliver(asako, bram, message)
    end.answer(REPLY, NOW)
    assert asking.feed(end.take(), NOW) == [Declined(Code.NO_GRANT)]


def test_consent_is_waited_for_and_costs_nothing_until_then(two: Two) -> None:
    asako, bram = two
    grant = asako.gives(bram, consent=Consent.ASK)
    message = bram.message(asako.did, grant=grant.id)
    (event,), end, asking = deliver(asako, bram, message)
    assert event == Waiting(message)
    assert asking.feed(end.take(), NOW) == [Declined(Code.CONSENT_REQUIRED)]
    assert asako.books.grants[grant.id].spent == Cost()
    (event,), _, _ = deliver(asako, bram, message)
    assert isinstance(event, Repeated)


def test_who_is_refused_pays_nothing_and_who_hangs_up_pays(two: Two) -> None:
    asako, bram = two
    grant, whole = asako.gives(bram), Cost(1, 20_000, 200)
    ways: list[tuple[Callable[[Answering], object], Cost]] = [
        (lambda end: end.refuse(Code.BUSY, NOW, 30), Cost()),
        (lambda end: end.abandon(), whole),
        (lambda end: end.feed(b"x", NOW), whole + whole),
    ]
    for end_it, spent in ways:
        _, end, _ = deliver(asako, bram, bram.message(asako.did, grant=grant.id))
        end_it(end)
        end.abandon()
        assert asako.books.grants[grant.id].spent == spent


# --- a hostile answer ---------------------------------------------------------------------------


def answered_with(asker: Person, asked: Person, answer: Message, signer: Person) -> Event:
    asking = Asking(asker.node, asked.card, asker.message(asked.did, grant=asker.id()))
    asking.ask()
    message = replace(answer, re=asking._message.id if answer.re == "right" else answer.re)
    data = message.json()
    (event,) = asking.feed(
        frame(
            seal(
                Signed(data, signer.keys.identity.sign(Kind.MESSAGE, data)),
                asker.card.box,
                limits.ANSWER,
            )
        ),
        NOW,
    )
    return event


def test_an_answer_from_somebody_else_to_something_else_or_of_another_shape(
    two: Two, mallory: Person
) -> None:
    asako, bram = two
    good = replace(asako.message(bram.did, Verb.ASK, dict(REPLY)), re="right")
    assert isinstance(answered_with(bram, asako, good, asako), Answered)
    hostile: list[tuple[Message, Person, Code]] = [
        (good, mallory, Code.BAD_SIGNATURE),
        (replace(good, iss=mallory.did), mallory, Code.SENDER_MISMATCH),
        (replace(good, aud=mallory.did), asako, Code.WRONG_AUDIENCE),
        (replace(good, re=asako.id()), asako, Code.SENDER_MISMATCH),
        (replace(good, re=None), asako, Code.MALFORMED),
        (replace(good, verb=Verb.BYE, body={}), asako, Code.SENDER_MISMATCH),
        (replace(good, body={**REPLY, "tool": "rm"}), asako, Code.MALFORMED),
        (replace(good, body={**REPLY, "text": "\u0000"}), asako, Code.MALFORMED),
        (replace(good, verb=Verb.REFUSAL, body={"code": "because"}), asako, Code.MALFORMED),
        (
            replace(good, verb=Verb.REFUSAL, body={"code": "busy", "after": 0}),
            asako,
            Code.MALFORMED,
        ),
        (replace(good, ts=NOW + 500, exp=NOW + 900), asako, Code.FROM_FUTURE),
    ]
    for message, signer, code in hostile:
        event = answered_with(bram, asako, message, signer)
        assert isinstance(event, Failed)
        assert event.code is code


def test_a_flood_in_place_of_an_answer(two: Two) -> None:
    asako, bram = two
    asking = Asking(bram.node, asako.card, bram.message(asako.did, Verb.BYE, {}))
    asking.ask()
    assert asking.feed(b"\xff\xff\xff\xff" + bytes(10_000), NOW) == [
        Failed(Code.TOO_LARGE, "length")
    ]
    assert asking.feed(bytes(10_000), NOW) == []


# --- our own faults -----------------------------------------------------------------------------


def test_a_second_answer_a_wrong_one_and_one_that_is_too_long_are_our_faults(two: Two) -> None:
    asako, bram = two
    _, end, _ = deliver(
        asako,
        bram,
        bram.message(asako.did, body={**QUESTION, "bytes": 1024}, grant=asako.gives(bram).id),
    )
    for wrong in ({}, {**REPLY, "cites": [{"private": True}]}, {**REPLY, "text": "x" * 2000}):
        with pytest.raises(LocalProtocolError):
            end.answer(wrong, NOW)
    assert end.answer(REPLY, NOW) is None
    with pytest.raises(LocalProtocolError):
        end.answer(REPLY, NOW)
    with pytest.raises(LocalProtocolError):
        end.refuse(Code.BUSY, NOW)
    with pytest.raises(LocalProtocolError):
        sign(bram.message(asako.did), asako.keys.identity)
    with pytest.raises(LocalProtocolError):
        Asking(bram.node, bram.card, bram.message(asako.did, Verb.BYE, {})).ask()
    with pytest.raises(LocalProtocolError):
        Contact(bram.card).after(Happens.ACCEPT)
    with pytest.raises(LocalProtocolError):
        replace(bram.node, card=asako.card)
    with pytest.raises(LocalProtocolError):
        seal(Signed(b"{}", bytes(64)), bytes(32), limits.REQUEST)
    with pytest.raises(LocalProtocolError):
        Card.write(
            bram.keys.identity,
            peer=bram.card.peer,
            box=bram.card.box,
            name="\u202e",
            verbs=("ask",),
            seq=1,
            exp=NOW,
        )


def test_keys_are_different_each_time() -> None:
    assert len({Identity.make().did for _ in range(8)}) == 8
    assert len({BoxKey.make().kid for _ in range(8)}) == 8
    bram = Person("bram")
    signed = Signed(b"{}", bytes(64))
    assert len({seal(signed, bram.card.box, limits.REQUEST) for _ in range(8)}) == 8
