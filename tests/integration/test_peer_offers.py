"""One person offers a document, the other fetches it, looks at it, and keeps it or does not: two
homes, real sockets, and nothing of what was neither offered nor granted.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lpm_kernel.api.app import create_app
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.share.network import (
    DAY,
    Amount,
    ContactId,
    Offer,
    OfferState,
    OutboxState,
)
from lpm_kernel.errors import ConflictError, InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.node.meeting import FROM_OTHERS
from lpm_kernel.peer import delivery
from lpm_kernel.peer.speaker import Answer, Composed
from lpm_kernel.usecases.home.access import new_login_code
from lpm_kernel.usecases.library.bulk import BulkChange
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.share import answering, forms, offers, outgoing
from lpm_kernel.usecases.share.inside import Inside
from lpm_kernel.usecases.share.quarantine import Quarantine
from protocol.encoding import from_b64u, to_b64u
from protocol.events import Asked
from protocol.identity import Did
from protocol.messages import Message, Verb
from protocol.refusals import Code, Refusal
from protocol.scope import Form, Layer, RowKind, Scope
from tests.peers import Peer, meet, talk, until

TEXT = "A walk along the canal, stone by stone.\n" * 2_000


def by_node(nodes: list[Node]) -> Answer:
    """Answer as the running node would."""

    def answer(asked: Asked, _now: int) -> Composed:
        made = nodes[0].replying.reply(asked.message.iss, asked.message.id)
        if made.body is None:
            raise Refusal(Code(made.code), "node")
        return Composed(made.body, made.documents)

    return answer


@pytest.fixture
def asako(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Peer]:
    monkeypatch.setattr(offers, "PIECE_BYTES", 20_000)
    nodes: list[Node] = []
    with Peer(tmp_path / "asako", "Asako", by_node(nodes)) as peer:
        nodes.append(peer.node)
        yield peer


@pytest.fixture
def bram(tmp_path: Path) -> Iterator[Peer]:
    with Peer(tmp_path / "bram", "Bram") as peer:
        yield peer


def offered(asako: Peer, bram: Peer, text: str = TEXT, title: str = "The canal") -> Offer:
    """Offer a text, and give the offer as it came."""
    document = asako.node.library.add_text(text, title=title).document
    made = asako.node.meeting.offer(asako.knows(bram).id, document.id, 7)
    return until(lambda: [each for each in known(bram, asako) if each.id == made.id])[0]


def known(peer: Peer, of: Peer) -> list[Offer]:
    return [each for each in peer.node.meeting.offers(peer.knows(of).id) if not each.ours]


def state(peer: Peer, of: Peer, offer: str, *wanted: OfferState) -> Offer:
    """Wait until an offer has come so far."""
    return until(
        lambda: [each for each in known(peer, of) if each.id == offer and each.state in wanted]
    )[0]


def asked_for(asako: Peer) -> list[int]:
    """Say where the pieces began that were asked for, in the order in which they came."""
    rows = [each for each in asako.node.ports.post.inbox(limit=99)[0] if each.verb == "fetch"]
    return [answering.read_request(row).body["start"] for row in reversed(rows)]


def test_what_is_offered_is_fetched_in_pieces_looked_at_and_kept(asako: Peer, bram: Peer) -> None:
    _, of_asako = meet(asako, bram)
    came = offered(asako, bram)
    assert (came.state, came.title, came.size) == (OfferState.OFFERED, "The canal", len(TEXT))
    assert asked_for(asako) == []  # nothing is fetched before the person says so
    with pytest.raises(ConflictError, match="not fetched"):
        bram.node.meeting.look(of_asako.id, came.id)
    before = bram.node.ports.documents.all()
    bram.node.meeting.fetch(of_asako.id, came.id)
    here = state(bram, asako, came.id, OfferState.HERE)
    assert here.fetched == here.size == len(TEXT)
    assert len(asked_for(asako)) == 6
    [mine] = asako.node.meeting.offers(asako.knows(bram).id)
    assert (mine.ours, mine.state, mine.fetched) == (True, OfferState.OFFERED, len(TEXT))
    preview = bram.node.meeting.look(of_asako.id, came.id)
    assert preview.text is not None
    assert TEXT.startswith(preview.text)
    assert preview.cut
    # quarantine: no document, no passage, and no byte of it in the outbox
    assert bram.node.ports.documents.all() == before
    rows, _ = bram.node.ports.post.outbox(limit=99, verb="fetch")
    assert {(row.receipt or {}).get("data") for row in rows} == {""}
    kept = bram.node.meeting.keep_offer(of_asako.id, came.id)
    document = bram.node.ports.documents.get(DocumentId(kept.kept))
    assert (document.title, document.folder) == ("Asako: The canal", FROM_OTHERS)
    assert bram.node.ports.files.original(document.sha256) == TEXT.encode()
    assert not list(bram.node.ports.home.quarantine.iterdir())
    with pytest.raises(ConflictError):
        bram.node.meeting.refuse_offer(of_asako.id, came.id)


def test_what_is_refused_leaves_nothing_and_is_not_fetched_again(asako: Peer, bram: Peer) -> None:
    _, of_asako = meet(asako, bram)
    came = offered(asako, bram, "short and dear")
    bram.node.meeting.fetch(of_asako.id, came.id)
    state(bram, asako, came.id, OfferState.HERE)
    assert bram.node.meeting.look(of_asako.id, came.id).text == "short and dear"
    bram.node.meeting.refuse_offer(of_asako.id, came.id)
    assert not list(bram.node.ports.home.quarantine.iterdir())
    with pytest.raises(ConflictError):
        bram.node.meeting.fetch(of_asako.id, came.id)
    again = bram.node.meeting.reconsider_offer(of_asako.id, came.id)
    assert (again.state, again.fetched) == (OfferState.OFFERED, 0)
    with pytest.raises(ConflictError):  # there is no refusal any more
        bram.node.meeting.reconsider_offer(of_asako.id, came.id)
    bram.node.meeting.fetch(of_asako.id, came.id)
    state(bram, asako, came.id, OfferState.HERE)


def test_what_is_withdrawn_or_erased_before_it_was_sent_is_never_sent(
    asako: Peer, bram: Peer
) -> None:
    meet(asako, bram)
    bram.stop()
    node, of_bram = asako.node, asako.knows(bram).id
    diary, letter, open_one, secret = (
        node.library.add_text(f"A {name}.", title=name).document
        for name in ("diary", "letter", "recipe", "secret")
    )
    made = [node.meeting.offer(of_bram, each.id, 7) for each in (diary, letter, open_one, secret)]
    node.meeting.withdraw_offer(made[0].id)
    node.home.confirm_erasure(node.home.propose_erasure([letter.id]).token)
    assert node.ports.post.outgoing(made[1].id) is None  # it held the title, and a hash of it
    node.library.change_all([secret.id], BulkChange(private=True))
    node.library.change_all([secret.id], BulkChange(private=False))  # which offers nothing
    bram.start()
    asako.tries_again()
    until(lambda: known(bram, asako))
    assert {each.id for each in known(bram, asako)} == {made[2].id}


def test_of_one_s_own_offers_that_are_over_the_newest_stay(
    asako: Peer, bram: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "MOST_OVER", 1)
    meet(asako, bram)
    bram.stop()
    node, of_bram = asako.node, asako.knows(bram).id
    poem = node.library.add_text("A poem.", title="poem").document
    made = []
    for days in (1, 2, 3, 4):
        made.append(node.meeting.offer(of_bram, poem.id, days))
        if days < 4:
            node.meeting.withdraw_offer(made[-1].id)
    assert [each.id for each in node.meeting.offers()] == [made[3].id, made[2].id]
    forgotten = [node.ports.post.outgoing(each.id) is None for each in made]
    assert forgotten == [True, True, False, False]


def test_an_offer_says_whether_word_of_it_was_delivered(asako: Peer, bram: Peer) -> None:
    of_bram, _ = meet(asako, bram)
    bram.stop()
    poem = asako.node.library.add_text("A poem.", title="poem").document
    owner = signed_in(asako.node)
    listed = f"/api/contacts/{of_bram.id}/offers"
    assert body_of(owner.post(listed, json={"document": poem.id}))["told"] is False
    assert [each["told"] for each in body_of(owner.get(listed))["items"]] == [False]
    bram.start()
    asako.tries_again()
    until(lambda: body_of(owner.get(listed))["items"][0]["told"])
    assert [each.title for each in known(bram, asako)] == ["poem"]
    theirs = body_of(signed_in(bram.node).get("/api/offers"))["items"]
    assert [each["told"] for each in theirs] == [True]


def test_what_was_fetched_once_is_not_said_again_after_it_was_withdrawn(
    asako: Peer, bram: Peer
) -> None:
    meet(asako, bram)
    came = offered(asako, bram, "short and dear")
    keys = bram.keystore.keys.identity.did, asako.keystore.keys.identity.did
    now = bram.speaker.now
    wanted = {
        "item": came.item,
        "offer": came.id,
        "purpose": "an offer",
        "bytes": 9_000,
        "start": 0,
    }
    asked = Message(outgoing.new_id(), *keys, now, now + 600, Verb.FETCH, wanted)
    first = bram.call(talk, bram, asako, asked)
    assert from_b64u(first.body["data"]) == b"short and dear"
    kept = asako.node.ports.post.arrived(asked.iss, asked.id)
    assert kept is not None
    assert kept.answer == {**first.body, "data": ""}  # it is made once more where it is asked again
    assert bram.call(talk, bram, asako, asked).body == first.body
    asako.node.meeting.withdraw_offer(came.id)
    again = bram.call(talk, bram, asako, asked)
    assert getattr(again, "code", None) is Code.OUT_OF_SCOPE


def test_what_is_made_private_while_it_waits_behind_others_is_not_sent(
    asako: Peer, bram: Peer
) -> None:
    meet(asako, bram)
    asako.stop()
    node = asako.node
    document = node.library.add_text("A secret.", title="secret").document
    made = node.meeting.offer(asako.knows(bram).id, document.id, 7)
    [row] = node.ports.post.due(asako.speaker.now)  # delivery holds it already
    node.library.change_all([document.id], BulkChange(private=True))
    target = delivery._target(asako.speaker, row)
    assert target is not None
    assert delivery._begin(asako.speaker, target.to, row, target.contact) is None
    assert row.id == made.id


def test_what_a_forgotten_contact_sent_goes_at_once(asako: Peer, bram: Peer) -> None:
    _, of_asako = meet(asako, bram)
    came = offered(asako, bram, "short and dear")
    bram.node.meeting.fetch(of_asako.id, came.id)
    state(bram, asako, came.id, OfferState.HERE)
    bram.stop()
    bram.node.meeting.delete(of_asako.id)
    assert not list(bram.node.ports.home.quarantine.iterdir())


def test_a_fetch_goes_on_where_either_side_left_it(asako: Peer, bram: Peer) -> None:
    _, of_asako = meet(asako, bram)
    came = offered(asako, bram)
    asako.stop()
    bram.node.meeting.fetch(of_asako.id, came.id)
    bram.node.meeting.fetch(of_asako.id, came.id)  # pressed twice
    asako.start()
    bram.tries_again()
    until(lambda: [each for each in known(bram, asako) if each.fetched])
    bram.stop()
    asako.stop()
    asako.start()
    bram.start()
    bram.tries_again()
    assert state(bram, asako, came.id, OfferState.HERE).fetched == len(TEXT)
    starts = asked_for(asako)
    assert starts == sorted(set(starts))


def test_a_private_an_erased_a_withdrawn_and_another_s_offer_are_refused_alike(
    asako: Peer, bram: Peer, tmp_path: Path
) -> None:
    _, of_asako = meet(asako, bram)
    node = asako.node
    documents = [
        node.library.add_text(f"number {n}", title=f"Number {n}").document for n in range(4)
    ]
    of_bram = asako.knows(bram).id
    made = [node.meeting.offer(of_bram, each.id, 7) for each in documents]
    until(lambda: len(known(bram, asako)) == 4)
    node.library.change_all([documents[0].id], BulkChange(private=True))
    node.library.change_all([documents[1].id], BulkChange(delete=True))
    node.meeting.withdraw_offer(made[2].id)
    for each in made[:3]:
        bram.node.meeting.fetch(of_asako.id, each.id)
    ended = {each.id for each in node.meeting.offers() if each.withdrawn_at is not None}
    assert ended == {each.id for each in made[:3]}
    for each in made[:3]:
        failed = state(bram, asako, each.id, OfferState.FAILED)
        assert (failed.code, failed.fetched) == (Code.OUT_OF_SCOPE, 0)
    with pytest.raises(ConflictError, match="cannot be offered"):
        node.meeting.offer(of_bram, documents[0].id, 7)
    with Peer(tmp_path / "chika", "Chika") as chika:
        meet(asako, chika)
        stolen = Message(
            outgoing.new_id(),
            chika.keystore.keys.identity.did,
            asako.keystore.keys.identity.did,
            chika.speaker.now,
            chika.speaker.now + 600,
            Verb.FETCH,
            {
                "item": made[3].item,
                "offer": made[3].id,
                "purpose": "an offer",
                "bytes": 9_000,
                "start": 0,
            },
        )
        said = chika.call(talk, chika, asako, stolen)
        assert getattr(said, "code", None) is Code.OUT_OF_SCOPE


def test_too_large_too_long_and_over_are_told_before_anything_is_asked(
    asako: Peer, bram: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, of_asako = meet(asako, bram)
    came = offered(asako, bram)
    of_bram = asako.knows(bram).id
    document = asako.node.ports.documents.all()[0]
    for days in (0, 31):
        with pytest.raises(InvalidInputError, match="lasts"):
            asako.node.meeting.offer(of_bram, document.id, days)
    monkeypatch.setattr(offers, "MOST_ITEM", 1_000)
    with pytest.raises(InvalidInputError, match="64 MiB"):
        asako.node.meeting.offer(of_bram, document.id, 7)
    with pytest.raises(InvalidInputError, match="64 MiB"):
        bram.node.meeting.fetch(of_asako.id, came.id)
    assert asked_for(asako) == []


class TestPieces:
    """What does not fit ends the fetch, whoever sends it."""

    DATA = b"0123456789" * 10

    @pytest.fixture
    def fetching(self, asako: Peer, bram: Peer) -> tuple[Peer, Offer]:
        meet(asako, bram)
        asako.stop()
        bram.stop()
        ports, contact = bram.node.ports, bram.knows(asako).id
        made = Offer(
            outgoing.new_id(),
            contact,
            ours=False,
            item=outgoing.new_id(),
            title="t",
            media="text/plain",
            size=len(self.DATA),
            hash=to_b64u(hashlib.sha256(self.DATA).digest()),
            until=bram.speaker.now + 600,
        )
        ports.permissions.offer(made)
        bram.node.meeting.fetch(contact, made.id)
        return bram, made

    def take(
        self,
        fetching: tuple[Peer, Offer],
        start: int,
        data: bytes,
        more: dict[str, Any] | None = None,
    ) -> Offer:
        bram, made = fetching
        [row, *_] = bram.node.ports.post.outbox(limit=9, verb="fetch")[0]
        asked = outgoing.message_of(row)
        message = Message(
            asked.id,
            asked.iss,
            asked.aud,
            asked.ts,
            asked.exp,
            Verb.FETCH,
            {**asked.body, "start": start},
        )
        body = {"hash": made.hash, "size": made.size, "start": start, "data": to_b64u(data)}
        body |= more or {}
        node = bram.node
        signing = outgoing.Signing(node.ports.post, bram.keystore, node.ports.clock)
        to = node.ports.contacts.get(made.contact)
        offers.arrived(
            Quarantine(node.ports.home), node.ports.permissions, signing, to, message, body
        )
        return offers.found(node.ports.permissions, made.contact, made.id)

    def test_pieces_in_order_make_the_whole_and_one_that_comes_twice_counts_once(
        self, fetching: tuple[Peer, Offer]
    ) -> None:
        assert self.take(fetching, 0, self.DATA[:40]).fetched == 40
        assert self.take(fetching, 0, b"x" * 40).fetched == 40
        here = self.take(fetching, 40, self.DATA[40:])
        assert (here.state, here.fetched) == (OfferState.HERE, 100)

    @pytest.mark.parametrize(
        ("start", "data", "more"),
        [
            (0, DATA[:40], {"hash": to_b64u(bytes(32))}),
            (0, DATA[:40], {"size": 101}),
            (0, DATA[:40], {"start": 1}),
            (0, b"", {}),
            (0, DATA + b"more", {}),
            (0, b"y" * 100, {}),
        ],
        ids=["hash", "size", "start", "nothing", "too much", "other bytes"],
    )
    def test_what_does_not_fit_ends_it_and_leaves_nothing(
        self, fetching: tuple[Peer, Offer], start: int, data: bytes, more: dict[str, Any]
    ) -> None:
        failed = self.take(fetching, start, data, more)
        assert (failed.state, failed.fetched) == (OfferState.FAILED, 0)
        bram, made = fetching
        assert Quarantine(bram.node.ports.home).size(made.contact, made.id) == 0

    def test_a_piece_that_was_asked_for_before_all_was_thrown_away_is_left_aside(
        self, fetching: tuple[Peer, Offer]
    ) -> None:
        waiting = self.take(fetching, 50, self.DATA[50:])  # the one from 0 is under way
        assert (waiting.state, waiting.fetched) == (OfferState.FETCHING, 0)
        assert self.take(fetching, 0, self.DATA).state is OfferState.HERE

    def test_a_piece_is_not_swept_before_the_database_names_it(
        self, fetching: tuple[Peer, Offer]
    ) -> None:
        bram, made = fetching
        permissions, post = bram.node.ports.permissions, bram.node.ports.post
        quarantine = Quarantine(bram.node.ports.home)
        sweeping = threading.Thread(target=offers.sweep, args=(quarantine, permissions, post))
        with post.together():
            quarantine.write(made.contact, made.id, 0, self.DATA[:40])
            sweeping.start()
            sweeping.join(0.5)
            permissions.move_offer(made.contact, made.id, [OfferState.FETCHING], fetched=40)
        sweeping.join()
        assert quarantine.size(made.contact, made.id) == 40

    def test_what_is_being_kept_is_not_refused_and_a_keeping_that_fails_goes_on(
        self, fetching: tuple[Peer, Offer]
    ) -> None:
        bram, made = fetching
        self.take(fetching, 0, self.DATA)
        permissions, quarantine = bram.node.ports.permissions, Quarantine(bram.node.ports.home)
        to = bram.node.ports.contacts.get(made.contact)

        def broken(*_: object) -> str:
            raise OSError("the disk is full")

        def late(*_: object) -> str:
            with pytest.raises(ConflictError):
                offers.refuse(quarantine, permissions, to.id, made.id)
            offers.sweep(quarantine, permissions, bram.node.ports.post)
            assert quarantine.size(to.id, made.id) == len(self.DATA)
            return "d_kept"

        with pytest.raises(OSError, match="full"):
            offers.keep(quarantine, permissions, to, made.id, broken)
        assert offers.found(permissions, to.id, made.id).state is OfferState.HERE
        kept = offers.keep(quarantine, permissions, to, made.id, late)
        assert (kept.state, kept.kept) == (OfferState.KEPT, "d_kept")
        assert quarantine.size(to.id, made.id) == 0

    def test_offers_that_are_over_make_nobody_wait(
        self, fetching: tuple[Peer, Offer], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bram, made = fetching
        monkeypatch.setattr(offers, "MOST_OFFERED", 1)
        ports, now = bram.node.ports, bram.speaker.now
        did = bram.keystore.keys.identity.did

        def comes(until_then: int) -> None:
            body = {"item": outgoing.new_id(), "title": "t", "media": "text/plain", "size": 1}
            body |= {"hash": made.hash, "until": until_then}
            message = Message(outgoing.new_id(), did, did, now, now + 9, Verb.OFFER, body)
            offers.came(ports.permissions, ports.clock, made.contact, message)

        comes(now)  # it was on its way too long
        comes(now + 60)
        with pytest.raises(Refusal, match="busy"):
            comes(now + 60)

    def test_of_offers_that_are_over_the_newest_stay_and_what_is_here_or_kept(
        self, fetching: tuple[Peer, Offer], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bram, made = fetching
        self.take(fetching, 0, self.DATA)
        monkeypatch.setattr(offers, "MOST_OVER", 2)
        ports, now = bram.node.ports, bram.speaker.now
        did = bram.keystore.keys.identity.did

        def comes(until_then: int) -> str:
            body = {"item": outgoing.new_id(), "title": "t", "media": "text/plain", "size": 1}
            body |= {"hash": made.hash, "until": until_then}
            message = Message(outgoing.new_id(), did, did, now, now + 9, Verb.OFFER, body)
            offers.came(ports.permissions, ports.clock, made.contact, message)
            return message.id

        ended = [comes(now - 9 + nth) for nth in range(5)]
        refused = comes(now + 60)
        bram.node.meeting.refuse_offer(made.contact, refused)
        last = comes(now + 60)
        left = {each.id for each in ports.permissions.offers(made.contact)}
        assert left == {made.id, ended[4], refused, last}

    def test_what_nobody_names_any_more_is_swept(self, fetching: tuple[Peer, Offer]) -> None:
        bram, made = fetching
        self.take(fetching, 0, self.DATA[:40])
        quarantine = Quarantine(bram.node.ports.home)
        quarantine.write(ContactId("p_gone"), "other", 0, b"left behind")
        assert offers.sweep(quarantine, bram.node.ports.permissions, bram.node.ports.post) == 1
        assert quarantine.size(made.contact, made.id) == 40

    def test_a_fetch_of_which_no_piece_is_under_way_has_failed_and_goes_on(
        self, fetching: tuple[Peer, Offer]
    ) -> None:
        bram, made = fetching
        self.take(fetching, 0, self.DATA[:40])
        permissions, post = bram.node.ports.permissions, bram.node.ports.post
        quarantine, to = Quarantine(bram.node.ports.home), made.contact
        offers.sweep(quarantine, permissions, post)
        for row in post.outbox(limit=50, contact=to, verb=Verb.FETCH.value)[0]:
            post.settle(row.id, OutboxState.EXPIRED)
        offers.sweep(quarantine, permissions, post)
        known = offers.found(permissions, to, made.id)
        assert (known.state, known.code, known.fetched) == (OfferState.FAILED, "expired", 40)
        bram.node.meeting.fetch(to, made.id)
        self.take(fetching, 40, self.DATA[40:])
        assert offers.found(permissions, to, made.id).state is OfferState.HERE


TAGS = ("walks", "money", "bees")


class TestUnderAGrant:
    """Under a grant the passages of a document leave that lie inside, and nothing else."""

    @pytest.fixture
    def told(self, asako: Peer) -> Peer:
        for number, tag in enumerate((*TAGS, *TAGS)):
            private = number >= len(TAGS)
            asako.node.library.add_text(
                f"Canary {tag} {'hidden' if private else 'open'}: I walked by the canal.",
                title=f"{tag} {number}",
                tags=[tag],
                private=private,
            )
        asako.node.run_jobs()
        return asako

    def test_an_item_of_an_answer_is_fetched_whole(self, told: Peer, bram: Peer) -> None:
        _, of_asako = meet(told, bram)
        grant = told.gives(
            bram,
            tags=("walks",),
            verbs=("ask", "fetch"),
            layers=("L0",),
            form="verbatim",
            daily=Amount(9, 200_000, 2_000),
        )
        until(bram.node.ports.permissions.received)
        [walk] = [each for each in told.node.ports.documents.all() if each.title == "walks 0"]
        [row] = passages_of(told.node.ports.index)(walk.id)
        mine = bram.keystore.keys.identity.did
        leaving = forms.Leaving(
            Form.VERBATIM,
            mine,
            told.node.ports.home.secret("peer-rows"),
            str,
            9_000,
            "en",
        )
        item = forms.item_of(leaving, row.id)
        bram.node.meeting.fetch_item(of_asako.id, item, grant.id)
        here = state(bram, told, item, OfferState.HERE)
        assert here.grant == grant.id
        text = bram.node.meeting.look(of_asako.id, item).text
        assert text == "Canary walks open: I walked by the canal."
        [standing] = told.node.ports.permissions.given(None, told.speaker.now // 86_400)
        assert standing.spent.calls == 1
        assert standing.spent.bytes > 0
        [row_in] = [
            each for each in told.node.ports.post.inbox(limit=99)[0] if each.verb == "fetch"
        ]
        assert (row_in.answer or {})["data"] == ""
        again = told.node.replying.reply(row_in.issuer, row_in.id)
        assert from_b64u((again.body or {})["data"]).decode() == text
        bram.node.ports.permissions.move_offer(
            of_asako.id, item, [OfferState.HERE], state=OfferState.FAILED
        )
        told.node.meeting.revoke(grant.id)
        renewed = told.gives(
            bram, tags=("walks",), verbs=("fetch",), layers=("L0",), form="verbatim"
        )
        until(lambda: len(bram.node.ports.permissions.received()) == 2)
        bram.node.meeting.fetch_item(of_asako.id, item, renewed.id)
        assert state(bram, told, item, OfferState.HERE).grant == renewed.id

    def test_nothing_is_fetched_that_is_private_or_not_granted(self, told: Peer) -> None:
        node, answerer = told.node, told.node.replying.answerer()
        read = passages_of(node.ports.index)
        rows = [(each, chunk) for each in node.ports.documents.all() for chunk in read(each.id)]
        assert len(rows) == 2 * len(TAGS)

        @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
        @given(
            tags=st.sets(st.sampled_from((*TAGS, "none")), min_size=1),
            over=st.booleans(),
            most=st.integers(1_024, 1_000_000),
            start=st.integers(0, 60),
        )
        def tried(tags: set[str], over: bool, most: int, start: int) -> None:
            until_then = told.speaker.now - 9_000 * DAY if over else None
            said = frozenset({Layer.SAID})
            scope = Scope(
                frozenset(tags),
                frozenset(RowKind),
                said,
                None,
                until_then,
                Form.VERBATIM,
                "a visit",
            )
            inside = answerer.inside(scope)
            for document, chunk in rows:
                may = not document.private and bool({*document.tags} & tags) and not over
                assert (chunk.id in inside.rows) == may
                here = may and start < len(chunk.text.encode())
                got = fetched(answerer, scope, inside, chunk.id, (most, start))
                assert got == (chunk.text.encode()[start:] if here else None)

        tried()


def fetched(
    answerer: answering.Answerer,
    scope: Scope,
    inside: Inside,
    row: str,
    piece: tuple[int, int],
) -> bytes | None:
    """Fetch the item that a row lies in, as a contact would; ``None``: it is out of scope."""
    most, start = piece
    leaving = forms.Leaving(Form.VERBATIM, "did:bram", answerer.key, str, most, "en")
    body = {
        "item": forms.item_of(leaving, row),
        "purpose": "a visit",
        "bytes": most,
        "start": start,
    }
    asked = Message("m", Did("did:bram"), Did("did:asako"), 0, 60, Verb.FETCH, body, "g")
    try:
        made = answering.composed(answerer, asked, scope, inside)
    except Refusal as refusal:
        if refusal.code is not Code.OUT_OF_SCOPE:
            raise
        return None
    assert made.body is not None
    return from_b64u(made.body["data"])


def signed_in(node: Node) -> FlaskClient:
    browser = create_app(node).test_client()
    browser.get(f"/login?code={new_login_code(node.ports.access, node.ports.clock)}")
    return browser


def body_of(came: Any) -> Any:  # noqa: ANN401  a response, JSON
    return came.json


def test_the_screen_s_way_from_an_offer_to_a_document(asako: Peer, bram: Peer) -> None:
    of_bram, of_asako = meet(asako, bram)
    document = asako.node.library.add_text("dear and short", title="A poem").document
    owner, guest = (signed_in(peer.node) for peer in (asako, bram))
    made: Any = owner.post(f"/api/contacts/{of_bram.id}/offers", json={"document": document.id})
    assert made.status_code == 202
    offer = f"/api/contacts/{of_asako.id}/offers/{body_of(made)['id']}"
    listed = f"/api/contacts/{of_asako.id}/offers"
    [came] = until(lambda: body_of(guest.get(listed))["items"])
    assert (came["title"], came["state"], came["ours"], came["name"]) == (
        "A poem",
        "offered",
        False,
        "Asako",
    )
    assert guest.get(f"{offer}/preview").status_code == 409
    assert guest.post(f"{offer}/fetch").status_code == 202
    state(bram, asako, came["id"], OfferState.HERE)
    preview = body_of(guest.get(f"{offer}/preview"))
    assert (preview["text"], preview["cut"]) == ("dear and short", False)
    kept = body_of(guest.post(f"{offer}/keep"))
    assert (kept["state"], bool(kept["kept"])) == ("kept", True)
    assert guest.post(f"{offer}/refuse").status_code == 409
    assert owner.delete(f"/api/contacts/{of_bram.id}/offers/{came['id']}").status_code == 204
    assert guest.delete(offer).status_code == 404
    assert guest.post(f"{offer}/reconsider").status_code == 409
    [row] = body_of(owner.get("/api/offers"))["items"]
    assert (row["contact"], row["ours"], row["fetched"]) == (
        of_bram.id,
        True,
        len("dear and short"),
    )
    assert (
        guest.post(f"/api/contacts/{of_asako.id}/items", json={"item": "A" * 22}).status_code == 409
    )
