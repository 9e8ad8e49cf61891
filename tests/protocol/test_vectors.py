"""The vectors are what the script makes, and the code agrees with every one of them."""

from __future__ import annotations

import hmac
import json
import unicodedata
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import replace
from hashlib import blake2b
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from nacl.signing import SigningKey

from protocol import handing, limits
from protocol.answering import Answering
from protocol.card import Card, Rotation
from protocol.contact import (
    Contact,
    ContactState,
    Invite,
    check_hello,
    check_welcome,
    make_hello,
    make_welcome,
)
from protocol.discussion import Entry, Words
from protocol.encoding import frame, from_b64u, to_b64u
from protocol.envelope import NOTICE, Signed, open_envelope, seal
from protocol.events import Asked
from protocol.grants import Cost, Grant, Held, Request, allows
from protocol.identity import BOX, DID, PEER, BoxKey, Identity, Kind, peer_of, write_statement
from protocol.keystore import HeldBox, KeyFile, Keyring, Passphrase, lock, unlock
from protocol.ledger import verify
from protocol.messages import ANSWERS, REQUESTS, Verb
from protocol.refusals import MEANINGS, Code, Refusal
from protocol.rendezvous import Pair
from protocol.scope import Scope, Wish
from protocol.session import Node, State
from protocol.shape import Line, Text
from protocol.table_grants import HeldTableGrant, TableGrant, TurnRequest, allows_turn
from tests.protocol.twins import REPLY, Books, dice

FOLDER = Path(__file__).resolve().parents[2] / "protocol" / "vectors"


def read(name: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def cases(file: str, group: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in read(file)[group]]


def refusal_of(code: str | None) -> pytest.RaisesExc[Refusal]:
    return pytest.raises(Refusal, match=f"^{code}\\b")


PEOPLE = {each["name"]: each for each in read("keys")["keys"]}


def keyring(name: str) -> Keyring:
    person = PEOPLE[name]
    box = BoxKey(bytes.fromhex(person["box_private"]))
    return Keyring(
        Identity(bytes.fromhex(person["identity_seed"])),
        bytes.fromhex(person["transport_seed"]),
        (HeldBox(box, 0),),
    )


def test_the_files_are_what_the_script_makes() -> None:
    spec = spec_from_file_location("make", FOLDER / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make = module_from_spec(spec)
    spec.loader.exec_module(make)
    made = make.made()
    assert set(made) == {path.name for path in FOLDER.glob("*.json")}
    for name, data in made.items():
        assert (FOLDER / name).read_bytes() == data, (
            "Run `python protocol/vectors/make.py` and commit what it made."
        )


def test_the_script_knows_nothing_of_the_code() -> None:
    assert "import protocol" not in (FOLDER / "make.py").read_text("utf-8")
    assert "from protocol" not in (FOLDER / "make.py").read_text("utf-8")


def test_every_code_has_a_vector() -> None:
    text = "".join(path.read_text("utf-8") for path in FOLDER.glob("*.json"))
    assert [
        code
        for code in Code
        if f'"refused": "{code}"' not in text and f'"outcome": "{code}"' not in text
    ] == []
    assert set(MEANINGS) == set(Code)


@pytest.mark.parametrize("person", PEOPLE.values(), ids=PEOPLE)
def test_keys_are_written_the_one_way(person: dict[str, str]) -> None:
    keys = keyring(person["name"])
    assert keys.identity.did == person["did"]
    assert peer_of(bytes(SigningKey(keys.transport_seed).verify_key)) == person["peer"]
    assert (keys.box.public.hex(), keys.box.kid.hex()) == (person["box"], person["kid"])
    DID.check(person["did"], "")
    PEER.check(person["peer"], "")


@pytest.mark.parametrize("text", read("keys")["not_dids"])
def test_what_is_no_did_is_refused(text: str) -> None:
    with refusal_of("malformed"):
        DID.check(text, "did")


@pytest.mark.parametrize("text", read("keys")["not_peers"])
def test_what_is_no_peer_id_is_refused(text: str) -> None:
    with refusal_of("malformed"):
        PEER.check(text, "peer")


@pytest.mark.parametrize("key", read("keys")["box_keys_of_small_order"])
def test_a_box_key_of_small_order_is_refused(key: str) -> None:
    with refusal_of("malformed"):
        BOX.check(to_b64u(bytes.fromhex(key)), "box")


@pytest.mark.parametrize("case", cases("cards", "cards"))
def test_cards(case: dict[str, Any]) -> None:
    if case["refused"] is None:
        assert Card.read(case["card"], read("cards")["now"]).text == case["card"]
    else:
        with refusal_of(case["refused"]):
            Card.read(case["card"], read("cards")["now"])


@pytest.mark.parametrize("case", cases("cards", "then"))
def test_a_card_after_another(case: dict[str, Any]) -> None:
    vectors = read("cards")
    known, card = (
        Card.read(vectors["known"], vectors["now"]),
        Card.read(case["card"], vectors["now"]),
    )
    if case["outcome"] in {"newer", "same"}:
        assert known.followed_by(card) == case["outcome"]
    else:
        with refusal_of(case["outcome"]):
            known.followed_by(card)


@pytest.mark.parametrize("case", cases("rotations", "rotations"))
def test_rotations(case: dict[str, Any]) -> None:
    if case["refused"] is None:
        assert (
            Rotation.read(case["rotation"], read("rotations")["now"]).new == PEOPLE["bram"]["did"]
        )
    else:
        with refusal_of(case["refused"]):
            Rotation.read(case["rotation"], read("rotations")["now"])


def test_invite_hello_welcome_and_words() -> None:
    vectors, cards = (
        read("contact"),
        {
            name: Card.read(read(file)[field], read("cards")["now"])
            for name, file, field in (("asako", "cards", "known"), ("bram", "sessions", "contact"))
        },
    )
    invite = Invite.read(vectors["link"])
    assert (invite.id, invite.link, json.loads(invite.json)) == (
        vectors["invite_id"],
        vectors["link"],
        vectors["fields"],
    )

    hello = open_envelope(
        bytes.fromhex(vectors["hello_envelope"]), keyring("asako"), None, vectors["now"]
    ).message
    assert (hello.verb, hello.body) == (Verb.HELLO, vectors["hello"])
    theirs = check_hello(invite, hello.body, hello.iss, cards["bram"].peer, vectors["now"])
    assert theirs == cards["bram"]

    welcome = open_envelope(
        bytes.fromhex(vectors["welcome_envelope"]),
        keyring("bram"),
        invite.did,
        vectors["now"],
        answer=True,
    ).message
    assert (welcome.re, welcome.body) == (hello.id, vectors["welcome"])
    met = check_welcome(
        invite, hello.body, welcome.body, cards["bram"], cards["asako"].peer, vectors["now"]
    )
    assert (list(met.words), list(met.kana)) == (vectors["words"], vectors["words_kana"])


def test_hello_and_welcome_are_written_as_the_vectors_are() -> None:
    vectors = read("contact")
    asako, bram = (
        Card.read(read("cards")["known"], vectors["now"]),
        Card.read(read("sessions")["contact"], vectors["now"]),
    )
    nonces = [from_b64u(vectors[side]["nonce"]) for side in ("hello", "welcome")]
    invite = Invite.read(vectors["link"])
    hello = make_hello(invite, bram, lambda _: nonces[0])
    assert hello == vectors["hello"]
    welcome, met = make_welcome(invite, hello, bram, asako, lambda _: nonces[1])
    assert welcome == vectors["welcome"]
    assert list(met.words) == vectors["words"]
    secret = invite.secret
    for covered, said in (("hello_covers", hello), ("welcome_covers", welcome)):
        proof = hmac.digest(secret, bytes.fromhex(vectors[covered]), "sha256")
        assert to_b64u(proof) == said["proof"]
    bits = blake2b(bytes.fromhex(vectors["words_cover"]), digest_size=12, person=b"smp/1 words")
    assert bits.hexdigest() == vectors["words_bits"]


@pytest.mark.parametrize("case", cases("contact", "not_invites"))
def test_what_is_no_invite_is_refused(case: dict[str, str]) -> None:
    with refusal_of("malformed"):
        Invite.read(case["link"])


def test_an_envelope_is_sealed_to_the_bytes_of_the_vector() -> None:
    made = read("envelopes")["made"]
    drawn = iter([bytes.fromhex(made["ephemeral_private"]), bytes.fromhex(made["nonce"])])
    signed = Signed(made["json"].encode(), bytes.fromhex(made["signature"]))
    sealed = seal(
        signed, bytes.fromhex(PEOPLE["asako"]["box"]), limits.REQUEST, lambda _: next(drawn)
    )
    assert sealed.hex() == made["envelope"]
    assert (
        BoxKey(bytes.fromhex(made["ephemeral_private"]))
        .shared(bytes.fromhex(PEOPLE["asako"]["box"]))
        .hex()
        == made["shared"]
    )


@pytest.mark.parametrize("case", cases("envelopes", "envelopes"))
def test_envelopes(case: dict[str, Any]) -> None:
    vectors = read("envelopes")
    data = bytes(case["zeros"]) if "zeros" in case else bytes.fromhex(case["envelope"])
    if case["refused"] is None:
        assert (
            open_envelope(data, keyring("asako"), PEOPLE["bram"]["did"], vectors["now"]).message.iss
            == PEOPLE["bram"]["did"]
        )
    else:
        with refusal_of(case["refused"]):
            open_envelope(data, keyring("asako"), PEOPLE["bram"]["did"], vectors["now"])


@pytest.mark.parametrize(
    "case", read("envelopes")["retired"], ids=lambda case: str(case["seconds_since_retired"])
)
def test_a_retired_box_key(case: dict[str, Any]) -> None:
    vectors, keys, age = read("envelopes"), keyring("asako"), case["seconds_since_retired"]
    held = replace(keys.boxes[0], retired=None if age is None else vectors["now"] - age)
    envelope = bytes.fromhex(vectors["made"]["envelope"])
    if case["refused"] is None:
        assert (
            open_envelope(
                envelope, replace(keys, boxes=(held,)), PEOPLE["bram"]["did"], vectors["now"]
            )
            .message.json()
            .decode()
            == vectors["made"]["json"]
        )
    else:
        with refusal_of(case["refused"]):
            open_envelope(
                envelope, replace(keys, boxes=(held,)), PEOPLE["bram"]["did"], vectors["now"]
            )


@pytest.mark.parametrize("case", cases("grants", "grants"))
def test_grants(case: dict[str, Any]) -> None:
    if case["refused"] is None:
        grant = Grant.read(case["grant"])
        assert grant.aud == PEOPLE["bram"]["did"]
        assert Grant.read(grant.write(keyring("asako").identity)) == grant
    else:
        with refusal_of(case["refused"]):
            Grant.read(case["grant"])


def held(fields: dict[str, Any]) -> Held:
    parent = held(fields["parent"]) if "parent" in fields else None
    return Held(
        Grant.of(fields["grant"]),
        fields.get("revoked", False),
        Cost(**fields.get("spent", {})),
        parent,
    )


def scope_of(fields: dict[str, Any]) -> Scope:
    whole = {
        "verbs": ["ask"],
        "calls": 0,
        "bytes": 0,
        "tokens": 0,
        "consent": "auto",
        "depth": 0,
        "parent": None,
    }
    return Grant.of({**whole, "id": "", "iss": "a", "aud": "b", "nbf": 0, "exp": 1, **fields}).scope


@pytest.mark.parametrize("case", cases("grants", "decisions"))
def test_decisions(case: dict[str, Any]) -> None:
    asked = case["request"]
    cost = Cost(1, asked["bytes"], asked["tokens"])
    request = Request(
        asked["by"],
        asked["owner"],
        Verb(asked["verb"]),
        asked["purpose"],
        Wish.of(asked["scope"]),
        cost,
        asked["consented"],
    )
    decided = allows(held(case["held"]), request, read("grants")["now"])
    if isinstance(decided, Refusal):
        assert decided.code == case["outcome"]
    else:
        assert decided == scope_of(case["outcome"])


@pytest.mark.parametrize("case", cases("sessions", "sessions"))
def test_sessions(case: dict[str, Any]) -> None:
    vectors, context = read("sessions"), case["context"]
    now, books, random = vectors["now"], Books(busy="busy" in case["context"]), dice("sessions")
    grant = Grant.read(vectors["grant"])
    books.grants = {} if "no_grant" in context else {grant.id: Held(grant)}
    for json_text in context.get("seen", []):
        fields = json.loads(json_text)
        books.seen[fields["iss"], fields["id"]] = Signed(json_text.encode(), b"").digest
    card = Card.read(read("cards")["known"], now)
    node = Node(keyring("asako"), card, books, books, books, books, books, random)
    contact = Contact(
        Card.read(vectors["contact"], now),
        ContactState.CHANGED if "changed" in context else ContactState.ACTIVE,
    )
    end = Answering(node, contact.card.peer, None if "stranger" in context else contact)
    data, events = bytes.fromhex(case["bytes"]), []
    for at in range(0, len(data), case["chunk"]):
        events += end.feed(data[at : at + case["chunk"]], now)
    if "ended" in context:
        assert (events, end.end(), end.take(), end.state) == ([], [], b"", State.CLOSED)
        return
    assert len(events) == 1
    if end.state is State.DECIDING and isinstance(events[0], Asked):
        end.answer(REPLY, now)
    elif end.state is State.DECIDING:
        end.refuse(Code.REPLAY, now)
    out = end.take()
    assert getattr(events[0], "code", case["refused"]) == case["refused"]
    assert end.state is State.CLOSED
    if case["outcome"] == "closed":
        assert out == b""
    elif case["outcome"] == "notice":
        assert out == frame(NOTICE + card.text.encode())
    else:
        answer = open_envelope(
            out[2:], keyring("bram"), node.did, now, limit=limits.ANSWER, answer=True
        ).message
        assert (answer.verb == Verb.REFUSAL) == (case["outcome"] == "refusal")
        assert answer.body.get("code") == case["refused"]


def test_keystores() -> None:
    vectors = read("keystores")
    assert (
        unlock(
            bytes.fromhex(vectors["by_passphrase"]),
            Passphrase(unicodedata.normalize("NFD", vectors["passphrase"])),
        )
        .pack()
        .decode()
        == vectors["contents"]
    )
    for opener, blob in (
        (Passphrase(vectors["passphrase"]), vectors["by_passphrase"]),
        (KeyFile(bytes.fromhex(vectors["key_file"])), vectors["by_key_file"]),
    ):
        keys = unlock(bytes.fromhex(blob), opener)
        assert keys.pack().decode() == vectors["contents"]
        salt, nonce = bytes.fromhex(blob)[9:25], bytes.fromhex(blob)[25:49]
        drawn = iter([salt, nonce])
        assert lock(keys, opener, lambda _, drawn=drawn: next(drawn)).hex() == blob  # type: ignore[misc]


def test_what_two_leave_for_each_other() -> None:
    vectors = read("rendezvous")
    people = {name: keyring(name).identity for name in ("asako", "bram")}
    for left in vectors["left"]:
        by = people[left["name"]]
        other = people["bram" if left["name"] == "asako" else "asako"]
        pair, seen = Pair.of(by, other.did), Pair.of(other, by.did)
        assert pair.key.hex() == seen.key.hex() == vectors["pair_key"]
        day, nonce = vectors["day"], bytes.fromhex(left["nonce"])
        assert pair.tag(day, ours=True).hex() == left["tag"]
        assert seen.tag(day, ours=False).hex() == left["tag"]
        blob = pair.write(day, left["addrs"], lambda _, nonce=nonce: nonce)  # type: ignore[misc]
        assert blob.hex() == left["blob"]
        assert seen.read(day, blob) == left["addrs"]
        name, [address] = left["near"]["name"], left["addrs"]
        assert pair.near(day, name, address, ours=True).hex() == left["near"]["tag"]
        assert seen.near(day, name, address, ours=False).hex() == left["near"]["tag"]


@pytest.mark.parametrize("kind", ["line", "text"])
def test_what_a_line_and_a_text_may_hold(kind: str) -> None:
    vectors, shape = read("texts"), Line(80) if kind == "line" else Text(1, 80)
    for letter in vectors["letters"]:
        value = vectors["around"] % chr(int(letter["code_point"], 16))
        with nullcontext() if letter[kind] else refusal_of("malformed"):
            shape.check(value, letter["code_point"])


@pytest.mark.parametrize("case", cases("texts", "lines"))
def test_lines(case: dict[str, Any]) -> None:
    with nullcontext() if case["good"] else refusal_of("malformed"):
        Line(80).check(case["line"], "line")


@pytest.mark.parametrize("case", cases("discussions", "entries"))
def test_entries_of_a_table(case: dict[str, Any]) -> None:
    if case["refused"] is None:
        assert Entry.read(case["entry"]).text == case["entry"]
    else:
        with refusal_of(case["refused"]):
            Entry.read(case["entry"])


@pytest.mark.parametrize("case", cases("discussions", "records"))
def test_records_of_tables(case: dict[str, Any]) -> None:
    said = [
        (Entry.read(entry), None if words is None else Words.read(words))
        for entry, words in case["said"]
    ]
    assert said[-1][0].hash == case["head"]
    if case["refused"] is None:
        assert verify(said).head.hash == case["head"]
        return
    table = verify(said[:-1])
    before = deepcopy(table)
    with refusal_of(case["refused"]):
        table.take(*said[-1])
    assert table == before


@pytest.mark.parametrize("case", cases("discussions", "grants"))
def test_grants_for_one_table(case: dict[str, Any]) -> None:
    if case["refused"] is None:
        grant = TableGrant.read(case["grant"])
        assert TableGrant.read(grant.write(keyring("bram").identity)) == grant
        with refusal_of("malformed"):
            Grant.read(case["grant"])
    else:
        with refusal_of(case["refused"]):
            TableGrant.read(case["grant"])


@pytest.mark.parametrize("case", cases("discussions", "decisions"))
def test_decisions_about_a_turn(case: dict[str, Any]) -> None:
    row, asked = case["held"], case["request"]
    owner = keyring("bram").identity
    grant = TableGrant.read(write_statement(Kind.GRANT, row["grant"], owner))
    request = TurnRequest(
        asked["by"],
        asked["owner"],
        asked["table"],
        asked["bytes"],
        asked["tokens"],
        Wish.of(asked["scope"]),
        asked["consented"],
    )
    held_grant = HeldTableGrant(grant, row.get("revoked", False), row.get("turns", 0))
    outcome = allows_turn(held_grant, request, read("discussions")["now"])
    assert (
        outcome == grant.scope
        if case["refused"] is None
        else isinstance(outcome, Refusal) and outcome.code == case["refused"]
    )


@pytest.mark.parametrize("case", cases("discussions", "messages"))
def test_bodies_of_discuss(case: dict[str, Any]) -> None:
    shape = (ANSWERS if case["answer"] else REQUESTS)[Verb.DISCUSS]
    with nullcontext() if case["refused"] is None else refusal_of(case["refused"]):
        shape.check(case["body"], "body")


@pytest.mark.parametrize("case", cases("discussions", "handed"))
def test_entries_that_are_handed(case: dict[str, Any]) -> None:
    file = read("discussions")
    known = [
        (Entry.read(entry), None if words is None else Words.read(words))
        for entry, words in case["known"]
    ]
    with nullcontext() if case["refused"] is None else refusal_of(case["refused"]):
        came = handing.read(case["entries"])
        table = handing.take((file["table"], file["host"]), known, came, file["now"])
        handing.check_end(table, case["reader"])
        assert len(table.entries) == case["have"]
