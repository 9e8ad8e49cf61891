"""Two nodes on real homes and real sockets: they meet, give, ask, and nobody else comes in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.share.network import ContactState, InboxState, OutboxState
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.peer.delivery import tend
from lpm_kernel.usecases.share import decisions, grants, outgoing, people
from protocol.card import Card
from protocol.encoding import to_b64u
from protocol.messages import Verb
from protocol.refusals import Code
from tests.peers import REPLY, Peer, Tap, fixed, meet, until


@pytest.fixture
def asako(tmp_path: Path) -> Iterator[Peer]:
    with Peer(tmp_path / "asako", "Asako", fixed) as peer:
        yield peer


@pytest.fixture
def bram(tmp_path: Path) -> Iterator[Peer]:
    with Peer(tmp_path / "bram", "Bram") as peer:
        yield peer


def test_two_meet_by_a_link_and_can_read_the_same_six_words(asako: Peer, bram: Peer) -> None:
    of_bram, of_asako = meet(asako, bram)
    assert (of_bram.state, of_asako.state) == (ContactState.ACTIVE, ContactState.ACTIVE)
    assert of_bram.words == of_asako.words
    assert len(of_bram.words) == 6


def test_a_grant_travels_and_a_question_under_it_comes_back_with_its_answer(
    asako: Peer, bram: Peer
) -> None:
    meet(asako, bram)
    grant = asako.gives(bram)
    [received] = until(bram.node.ports.permissions.received)
    assert received.id == grant.id
    answered = bram.outcome(bram.asks(asako, grant.id))
    assert (answered.state, answered.receipt) == (OutboxState.ANSWERED, REPLY)
    [standing] = grants.standing(asako.node.ports.permissions, asako.node.ports.clock)
    assert (standing.row.spent.calls, standing.row.spent.tokens) == (1, REPLY["tokens"])
    assert 0 < standing.row.spent.bytes < 200
    [row] = [each for each in asako.node.ports.post.inbox(limit=9)[0] if each.verb == "ask"]
    assert (row.state, row.answer) == (InboxState.ANSWERED, REPLY)
    left = {(each.category, each.bytes > 0) for each in asako.node.ports.post.all_left()}
    assert left == {("cards", True), ("grants", True), ("answers", True)}


def test_a_grant_that_is_taken_back_refuses_and_they_are_told(asako: Peer, bram: Peer) -> None:
    meet(asako, bram)
    grant = asako.gives(bram)
    until(bram.node.ports.permissions.received)
    node = asako.node
    grants.revoke(
        node.ports.permissions,
        node.ports.contacts,
        outgoing.Signing(node.ports.post, asako.keystore, node.ports.clock),
        grant.id,
    )
    refused = bram.outcome(bram.asks(asako, grant.id))
    assert (refused.state, refused.code) == (OutboxState.REFUSED, Code.REVOKED)
    until(
        lambda: [
            each for each in bram.node.ports.permissions.received() if each.ended_at is not None
        ]
    )


def test_a_question_waits_for_the_person_and_is_answered_after_their_yes(
    asako: Peer, bram: Peer
) -> None:
    meet(asako, bram)
    grant = asako.gives(bram, consent="ask")
    until(bram.node.ports.permissions.received)
    asked = bram.asks(asako, grant.id)
    post = asako.node.ports.post
    [waiting] = until(lambda: post.unfinished(InboxState.WAITING))
    until(lambda: bram.tried(asked))
    decisions.consent(
        post, asako.node.ports.audit, asako.node.ports.clock, waiting.issuer, waiting.id, yes=True
    )
    bram.tries_again()
    answered = bram.outcome(asked)
    assert (answered.state, answered.receipt) == (OutboxState.ANSWERED, REPLY)
    [standing] = grants.standing(asako.node.ports.permissions, asako.node.ports.clock)
    assert (standing.row.spent.calls, standing.row.spent.tokens) == (1, REPLY["tokens"])


def test_who_is_blocked_is_not_let_in_and_what_they_ask_waits(asako: Peer, bram: Peer) -> None:
    of_bram, _ = meet(asako, bram)
    grant = asako.gives(bram)
    until(bram.node.ports.permissions.received)
    people.block(asako.node.ports.contacts, asako.node.ports.clock, of_bram.id)
    asked = bram.asks(asako, grant.id)
    until(lambda: bram.tried(asked))
    assert [each.verb for each in asako.node.ports.post.inbox(limit=9)[0]] == ["hello"]
    assert [
        each.facts
        for each in asako.node.ports.audit.all()
        if '"where":"gate"' in each.facts.replace(" ", "")
    ]
    people.unblock(asako.node.ports.contacts, asako.node.ports.clock, of_bram.id)
    bram.tries_again()
    assert bram.outcome(asked).receipt == REPLY


def test_a_hello_by_a_link_that_was_used_gets_no_answer(
    asako: Peer, bram: Peer, tmp_path: Path
) -> None:
    link = asako.invite()
    assert bram.outcome(bram.accept(link)).state is OutboxState.ANSWERED
    with Peer(tmp_path / "chika", "Chika") as chika:
        row = chika.accept(link)
        until(lambda: chika.tried(row))
        assert asako.node.ports.contacts.by_did(chika.keystore.keys.identity.did) is None
    assert len(asako.node.ports.contacts.all()) == 1


def test_nothing_that_was_said_can_be_read_on_the_way(asako: Peer, bram: Peer) -> None:
    tap = Tap(asako.port)
    with tap.open():
        assert (
            bram.outcome(bram.accept(asako.invite(f"/ip4/127.0.0.1/tcp/{tap.port}"))).state
            is OutboxState.ANSWERED
        )
        of_asako = bram.knows(asako)
        bram.node.ports.contacts.found(of_asako.id, [f"/ip4/127.0.0.1/tcp/{tap.port}"])
        grant = asako.gives(bram)
        until(bram.node.ports.permissions.received)
        assert bram.outcome(bram.asks(asako, grant.id)).receipt == REPLY
    said = [
        "Aldermoor",
        "Tessellated",
        "a visit",
        "Asako",
        "Bram",
        grant.id,
        asako.keystore.keys.identity.did,
        *of_asako.words,
    ]
    assert len(tap.seen) > 2_000
    assert not [word for word in said if word.encode() in tap.seen]
    assert (
        bytes(tap.seen).count(b"/noise\n")
        == 2 * bytes(tap.seen).count(b"\x13/multistream/1.0.0\n") // 2
    )


def test_what_is_due_is_sent_once_the_other_node_is_there_again_and_arrives_once(
    asako: Peer, bram: Peer
) -> None:
    meet(asako, bram)
    asako.stop()
    bram.stop()
    grant = asako.gives(bram)
    asako.start()
    until(lambda: [each for each in asako.node.ports.post.outbox(limit=9)[0] if each.tries])
    bram.start()
    asako.tries_again()
    [received] = until(bram.node.ports.permissions.received)
    assert received.id == grant.id
    assert [each.verb for each in bram.node.ports.post.inbox(limit=9)[0]] == ["grant"]


def test_a_new_box_key_is_shown_to_contacts_once_and_questions_are_sealed_to_it(
    asako: Peer, bram: Peer
) -> None:
    meet(asako, bram)
    grant = asako.gives(bram)
    until(bram.node.ports.permissions.received)
    asako.keystore.turn_box()
    for _ in range(2):
        tend(asako.speaker)
    card = asako.keystore.card("Asako")
    cards = [each for each in asako.node.ports.post.outbox(limit=9)[0] if each.verb == "card"]
    [sent] = [each for each in cards if outgoing.message_of(each).body["card"] == card.text]
    assert asako.outcome(sent).state is OutboxState.ANSWERED
    assert bram.knows(asako).card == card.text
    asked = bram.outcome(bram.asks(asako, grant.id))
    assert asked.receipt == REPLY


def test_a_contact_who_says_goodbye_is_one_no_more_on_either_side(asako: Peer, bram: Peer) -> None:
    of_bram, of_asako = meet(asako, bram)
    grant = asako.gives(bram)
    until(bram.node.ports.permissions.received)
    node = bram.node
    people.end(node.ports.contacts, node.ports.clock, of_asako.id)
    said = outgoing.queue(
        outgoing.Signing(node.ports.post, bram.keystore, node.ports.clock), of_asako, Verb.BYE, {}
    )
    assert bram.outcome(said).state is OutboxState.ANSWERED
    assert asako.node.ports.contacts.get(of_bram.id).state is ContactState.ENDED
    held = asako.node.ports.permissions.held(grant.id, 0)
    assert held is not None
    assert held.revoked_at is not None


def test_an_offer_lies_in_quarantine_until_the_person_says_more(asako: Peer, bram: Peer) -> None:
    _, of_asako = meet(asako, bram)
    body = {
        "item": outgoing.new_id(),
        "title": "A poem",
        "media": "text/plain",
        "size": 12,
        "hash": to_b64u(bytes(32)),
        "until": bram.speaker.now + 600,
    }
    sent = outgoing.queue(
        outgoing.Signing(bram.node.ports.post, bram.keystore, bram.node.ports.clock),
        of_asako,
        Verb.OFFER,
        body,
    )
    assert bram.outcome(sent).receipt == {"kept": True}
    [offer] = asako.node.ports.permissions.offers()
    assert (offer.id, offer.title, offer.ours) == (sent.id, "A poem", False)


@pytest.mark.parametrize("link", ["", "smp://i/", "https://example.org", "own", "nowhere"])
def test_a_link_that_leads_nowhere_is_refused_in_words(asako: Peer, bram: Peer, link: str) -> None:
    made = {
        "own": bram.invite(),
        "nowhere": (
            people.invite(
                asako.node.ports.contacts,
                asako.keystore,
                asako.node.ports.clock,
                "Asako",
                people.InviteTerms([]),
            ).link
        ),
    }
    with pytest.raises(InvalidInputError, match="invite"):
        bram.accept(made.get(link, link))


def test_another_name_reaches_contacts_while_the_host_runs(tmp_path: Path, asako: Peer) -> None:
    with Peer(tmp_path / "bram", "Bram") as bram:
        meet(asako, bram)
        object.__setattr__(
            bram.speaker, "name", lambda: bram.node.ports.conversations.identity().name
        )
        bram.node.ports.conversations.set_identity(Identity("Bram Okada"))
        tend(bram.speaker)
        until(lambda: Card.read(asako.knows(bram).card, asako.speaker.now).name == "Bram Okada")
