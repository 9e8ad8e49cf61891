"""Two people on real homes: from an invite to a grant that was seen before it was given, and
everything taken back again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.home.audit import AuditKind, first_break
from lpm_kernel.domain.share.network import (
    Amount,
    ContactState,
    GrantRow,
    InboxState,
    InviteState,
    ReceivedGrant,
)
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.peer.books import PeerStores, known
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.share import decisions, grants, outgoing, people, view
from lpm_kernel.usecases.share.keys import Keystore
from protocol.answering import Answering
from protocol.card import Card, Rotation
from protocol.contact import Invite, Met, check_welcome, make_hello
from protocol.events import Answered, Asked, Declined, Given, Greeted, Refused, Repeated, Waiting
from protocol.identity import Identity, peer_of, public_of
from protocol.messages import Message, Verb
from protocol.refusals import Code
from protocol.session import Asking
from protocol.session import Node as Speaker
from tests.conftest import MORNING

QUESTION = {"question": "Where did we walk?", "purpose": "a visit", "bytes": 20_000, "tokens": 200}
REPLY = {"text": "Along the canal.", "abstained": False, "form": "answer", "cites": [], "tokens": 5}


class Side:
    """One person with a home, keys and books; what a host does between streams, without the
    streams.
    """

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(mode=0o700)
        self.name = name
        self.clock = FrozenClock(MORNING)
        self.node = Node.open(folder, clock=self.clock, embedder=HashingEmbedder())
        self.keystore = Keystore(self.node.ports.home, self.clock)
        self.books = PeerStores(
            self.node.ports.contacts, self.node.ports.permissions, self.node.ports.post, self.clock
        )

    @property
    def now(self) -> int:
        return int(self.clock.now().timestamp())

    @property
    def card(self) -> Card:
        return self.keystore.card(self.name)

    @property
    def speaker(self) -> Speaker:
        return Speaker(
            self.keystore.keys,
            self.card,
            self.books,
            self.books,
            self.books,
            self.books,
            self.books,
        )

    def answering(self, other: Side) -> Answering:
        return Answering(self.speaker, other.keystore.peer, self.books.contact(other.keystore.peer))

    def message(
        self, to: Side, verb: Verb, body: dict[str, object], grant: str | None = None
    ) -> Message:
        return Message(
            outgoing.new_id(),
            self.keystore.keys.identity.did,
            to.keystore.keys.identity.did,
            self.now,
            self.now + 3600,
            verb,
            body,
            grant,
        )

    def grant(self, contact: str, wanted: grants.GrantForm) -> GrantRow:
        known_as = next(each.id for each in self.node.ports.contacts.all() if each.id == contact)
        return grants.give(
            self.node.ports.permissions,
            self.node.ports.contacts,
            outgoing.Signing(self.node.ports.post, self.keystore, self.clock),
            known_as,
            wanted,
        )[0]


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[tuple[Side, Side]]:
    asako, bram = Side(tmp_path / "asako", "Asako"), Side(tmp_path / "bram", "Bram")
    yield asako, bram
    asako.node.close()
    bram.node.close()


def introduce(asako: Side, bram: Side) -> None:
    row = people.invite(
        asako.node.ports.contacts,
        asako.keystore,
        asako.clock,
        "Asako",
        people.InviteTerms(["/ip4/192.0.2.7/tcp/4001"], note="for Bram"),
    )
    invite = Invite.read(row.link)
    hello = make_hello(invite, bram.card)
    asking = Asking(bram.speaker, invite, bram.message(asako, Verb.HELLO, dict(hello)))
    asking.ask()
    end = Answering(asako.speaker, bram.keystore.peer, None)
    [greeted] = end.feed(asking.take(), asako.now)
    assert isinstance(greeted, Greeted)
    end.answer(greeted.answer, asako.now)
    people.welcome(asako.node.ports.contacts, greeted.met)
    [answered] = asking.feed(end.take(), bram.now)
    assert isinstance(answered, Answered)
    people.meet(
        bram.node.ports.contacts,
        bram.clock,
        check_welcome(invite, hello, answered.body, bram.card, asako.keystore.peer, bram.now),
        "Asako from the choir",
    )


def add(
    side: Side, text: str, name: str, *, tags: tuple[str, ...] = (), private: bool = False
) -> str:
    return side.node.library.add_bytes(name, text.encode(), tags=tags, private=private).document.id


def test_two_meet_and_what_each_keeps_of_the_other_is_the_same_six_words(
    sides: tuple[Side, Side],
) -> None:
    asako, bram = sides
    introduce(asako, bram)
    [of_bram], [of_asako] = asako.node.ports.contacts.all(), bram.node.ports.contacts.all()
    assert of_bram.words == of_asako.words
    assert len(of_bram.words) == 6
    assert (of_bram.did, of_bram.peer) == (bram.keystore.keys.identity.did, bram.keystore.peer)
    assert of_asako.name == "Asako from the choir"
    assert [(each.state, each.link) for each in asako.node.ports.contacts.invites()] == [
        (InviteState.USED, "")
    ]
    again = people.invite(
        asako.node.ports.contacts, asako.keystore, asako.clock, "Asako", people.InviteTerms([])
    )
    people.withdraw(asako.node.ports.contacts, asako.clock, again.id)
    assert asako.books.find(again.id) is None
    with pytest.raises(NotFoundError):
        people.withdraw(asako.node.ports.contacts, asako.clock, again.id)
    with pytest.raises(InvalidInputError):
        people.invite(
            asako.node.ports.contacts,
            asako.keystore,
            asako.clock,
            "Asako",
            people.InviteTerms(["x" * 200]),
        )


def test_a_question_is_answered_under_the_grant_and_the_same_again_gets_the_kept_answer(
    sides: tuple[Side, Side],
) -> None:
    asako, bram = sides
    introduce(asako, bram)
    [of_bram], [of_asako] = asako.node.ports.contacts.all(), bram.node.ports.contacts.all()
    row = asako.grant(
        of_bram.id, grants.GrantForm("answers", "a visit", consent="auto", words="he comes in May")
    )
    [queued] = asako.node.ports.post.due(asako.now)
    given = outgoing.message_of(queued)
    asking = Asking(asako.speaker, known(of_bram).card, given)
    asking.ask()
    end = bram.answering(asako)
    [came] = end.feed(asking.take(), bram.now)
    assert isinstance(came, Given)
    received = grants.take(bram.node.ports.permissions, bram.node.ports.contacts, bram.clock, came)
    assert isinstance(received, ReceivedGrant)
    assert bram.node.ports.permissions.received(of_asako.id) == [received]

    question = bram.message(asako, Verb.ASK, QUESTION, row.id)
    asking = Asking(bram.speaker, known(of_asako).card, question)
    asking.ask()
    sent = asking.take()
    end = asako.answering(bram)
    [asked] = end.feed(sent, asako.now)
    assert isinstance(asked, Asked)
    audit, post = asako.node.ports.audit, asako.node.ports.post
    assert decisions.answered(post, audit, asako.clock, (question.iss, question.id), REPLY, ["d_1"])
    assert end.answer(REPLY, asako.now) is None
    [answered] = asking.feed(end.take(), bram.now)
    assert isinstance(answered, Answered)
    [standing] = grants.standing(asako.node.ports.permissions, asako.clock, of_bram.id)
    assert (standing.row.spent.calls, standing.row.spent.tokens, standing.row.words) == (
        1,
        5,
        "he comes in May",
    )
    assert 0 < standing.row.spent.bytes < 200

    end = asako.answering(bram)
    [repeated] = end.feed(sent, asako.now)
    assert isinstance(repeated, Repeated)
    kept = post.arrived(repeated.issuer, repeated.message_id)
    assert kept is not None
    assert (kept.answer, kept.documents) == (REPLY, ("d_1",))
    assert not decisions.answered(
        post, audit, asako.clock, (question.iss, question.id), {**REPLY, "text": "another"}, []
    )

    assert (
        grants.revoke(
            asako.node.ports.permissions,
            asako.node.ports.contacts,
            outgoing.Signing(post, asako.keystore, asako.clock),
            row.id,
        )
        == 0
    )
    assert [
        outgoing.message_of(each).body for each in post.due(asako.now) if each.id != queued.id
    ] == [{"revoked": row.id}]
    asking = Asking(
        bram.speaker, known(of_asako).card, bram.message(asako, Verb.ASK, QUESTION, row.id)
    )
    asking.ask()
    end = asako.answering(bram)
    [refused] = end.feed(asking.take(), asako.now)
    assert isinstance(refused, Refused)
    assert asking.feed(end.take(), bram.now) == [Declined(Code.REVOKED)]


def test_blocking_is_obeyed_in_the_middle_of_an_answer(sides: tuple[Side, Side]) -> None:
    asako, bram = sides
    introduce(asako, bram)
    [of_bram], [of_asako] = asako.node.ports.contacts.all(), bram.node.ports.contacts.all()
    row = asako.grant(of_bram.id, grants.GrantForm("answers", "a visit", consent="auto"))
    asking = Asking(
        bram.speaker, known(of_asako).card, bram.message(asako, Verb.ASK, QUESTION, row.id)
    )
    asking.ask()
    end = asako.answering(bram)
    end.feed(asking.take(), asako.now)
    people.block(asako.node.ports.contacts, asako.clock, of_bram.id)
    refused = end.answer(REPLY, asako.now)
    assert refused is not None
    assert refused.code is Code.REVOKED
    people.unblock(asako.node.ports.contacts, asako.clock, of_bram.id)
    [standing] = grants.standing(asako.node.ports.permissions, asako.clock)
    assert (standing.row.active, standing.row.spent.calls) == (True, 0)
    with pytest.raises(ConflictError, match="cannot be done now"):
        people.unblock(asako.node.ports.contacts, asako.clock, of_bram.id)


@pytest.mark.parametrize("yes", [True, False])
def test_a_request_waits_for_the_person_and_every_step_is_in_the_audit(
    sides: tuple[Side, Side], *, yes: bool
) -> None:
    asako, bram = sides
    introduce(asako, bram)
    [of_bram], [of_asako] = asako.node.ports.contacts.all(), bram.node.ports.contacts.all()
    row = asako.grant(of_bram.id, grants.GrantForm("answers", "a visit"))
    question = bram.message(asako, Verb.ASK, QUESTION, row.id)
    asking = Asking(bram.speaker, known(of_asako).card, question)
    asking.ask()
    [waiting] = asako.answering(bram).feed(asking.take(), asako.now)
    assert isinstance(waiting, Waiting)
    post, audit, name = asako.node.ports.post, asako.node.ports.audit, (question.iss, question.id)
    for _ in range(2):
        decisions.wait(post, audit, asako.clock, *name)
    assert [each.id for each in post.unfinished(InboxState.WAITING)] == [question.id]
    decided = decisions.consent(post, audit, asako.clock, *name, yes=yes)
    assert (decided.state, decided.code) == (
        (InboxState.DECIDED, "") if yes else (InboxState.ANSWERED, Code.NO_GRANT)
    )
    with pytest.raises(ConflictError, match="no longer waiting"):
        decisions.consent(post, audit, asako.clock, *name, yes=not yes)
    if yes:
        assert decisions.refused(post, audit, asako.clock, *name, Code.OVER_BUDGET)
    entries = [each for each in audit.all() if each.kind == AuditKind.PEER_DECIDED]
    assert len(entries) == (3 if yes else 2)
    assert not [word for each in entries for word in ("walk", "visit") if word in each.facts]
    assert first_break(audit.all()) is None


def test_rubbish_is_noted_once_a_minute_with_how_often(sides: tuple[Side, Side]) -> None:
    asako, _ = sides
    turned = decisions.TurnedAway(asako.node.ports.audit, asako.clock)
    for _ in range(50):
        turned.note("p_1", Code.MALFORMED, "json")
    turned.note("p_2", Code.MALFORMED, "json")
    asako.clock.advance(timedelta(seconds=61))
    turned.note("p_1", Code.MALFORMED, "json")
    times = [
        json.loads(each.facts)["times"]
        for each in asako.node.ports.audit.all()
        if each.kind == AuditKind.PEER_DECIDED
    ]
    assert times == [1, 1, 50]


def test_what_was_refused_again_within_a_minute_is_counted_though_nothing_more_comes(
    sides: tuple[Side, Side],
) -> None:
    asako, _ = sides
    audit = asako.node.ports.audit
    turned = decisions.TurnedAway(audit, asako.clock)

    def counted() -> list[int]:
        entries = (each for each in audit.all() if each.kind == AuditKind.PEER_DECIDED)
        return [json.loads(each.facts)["times"] for each in entries]

    for _ in range(50):
        turned.note("p_1", Code.MALFORMED, "json")
    turned.note("p_2", Code.MALFORMED, "json")
    assert (turned.settle(), counted()) == (0, [1, 1])
    asako.clock.advance(timedelta(seconds=61))
    assert (turned.settle(), counted()) == (1, [1, 1, 49])
    assert turned.settle() == 0
    for _ in range(3):
        turned.note("p_1", Code.MALFORMED, "json")
    turned.note("p_2", Code.MALFORMED, "json")
    assert (turned.settle(last=True), counted()) == (1, [1, 1, 49, 1, 3])
    assert sum(counted()) == 55


def test_an_identity_that_goes_on_is_the_person_s_to_believe(
    sides: tuple[Side, Side], tmp_path: Path
) -> None:
    asako, bram = sides
    introduce(asako, bram)
    [of_bram] = asako.node.ports.contacts.all()
    asako.grant(of_bram.id, grants.GrantForm("answers", "a visit"))
    later = Side(tmp_path / "later", "Bram")
    rotation = Rotation.write(
        bram.keystore.keys.identity, later.keystore.keys.identity, seq=1, now=asako.now
    )
    stranger = Rotation.write(
        Identity(b"s" * 32), later.keystore.keys.identity, seq=1, now=asako.now
    )
    with pytest.raises(ConflictError, match="not this contact"):
        people.changed(asako.node.ports.contacts, asako.clock, of_bram.id, stranger, later.card)
    people.changed(asako.node.ports.contacts, asako.clock, of_bram.id, rotation, later.card)
    with pytest.raises(ConflictError, match="changed"):
        asako.grant(of_bram.id, grants.GrantForm("answers", "a visit"))
    accepted = people.accept(asako.node.ports.contacts, asako.clock, of_bram.id)
    assert (accepted.did, accepted.state) == (later.keystore.keys.identity.did, ContactState.ACTIVE)
    assert [
        each.row.revoked_at is not None
        for each in grants.standing(asako.node.ports.permissions, asako.clock)
    ] == [True]
    later.node.close()


def test_a_grant_is_seen_before_it_is_given_and_covers_what_was_seen(
    sides: tuple[Side, Side],
) -> None:
    asako, _ = sides
    add(
        asako,
        "The cello is of 1911.\n\n## Retain\n\n- W @Cello: made in Mirecourt.\n- O(c=0.9) @Cello:"
        " the best of all.\n",
        "cello.md",
        tags=("music",),
    )
    add(asako, "The doctor said it is nothing.", "doctor.md", tags=("music",), private=True)
    add(asako, "The garden needs lime.", "garden.md", tags=("garden",))
    asako.node.run_jobs()
    rows = (
        asako.node.ports.documents,
        asako.node.ports.decisions,
        passages_of(asako.node.ports.index),
    )
    seen = view.preview(
        view.RowSources(*rows), grants.scope_of(grants.GrantForm("topic", "a concert", ("music",)))
    )
    assert (seen.documents, seen.private) == (1, 1)
    assert seen.statements == 2
    assert seen.passages >= 1
    assert len(seen.first) == seen.statements + seen.passages
    words = " ".join(each.text for each in seen.first)
    assert "Mirecourt" in words
    assert not [word for word in ("doctor", "lime") if word in words]
    assert "Mirecourt" not in repr(seen)
    opinions = view.preview(
        view.RowSources(*rows),
        grants.scope_of(grants.GrantForm("topic", "a concert", ("music",), kinds=("opinion",))),
    )
    assert (opinions.statements, opinions.passages) == (1, 0)
    everything = view.preview(
        view.RowSources(*rows), grants.scope_of(grants.GrantForm("answers", "a concert")), first=1
    )
    assert (everything.statements, everything.passages, len(everything.first)) == (2, 0, 1)
    [cello] = [each for each in asako.node.ports.documents.all() if each.name == "cello.md"]
    asako.node.ports.documents.change(cello.id, private=True)
    assert (
        view.preview(
            view.RowSources(*rows),
            grants.scope_of(grants.GrantForm("topic", "a concert", ("music",))),
        ).documents
        == 0
    )


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (grants.GrantForm("all", "x"), "There is no template"),
        (grants.GrantForm("topic", "x"), "at least one tag"),
        (grants.GrantForm("topic", "x", ("*",)), "as a tag"),
        (grants.GrantForm("topic", "x", ("a", "a")), "each once"),
        (grants.GrantForm("answers", " "), "one line"),
        (grants.GrantForm("answers", "two\nlines"), "one line"),
        (grants.GrantForm("answers", "x", kinds=("diary",)), "no kind"),
        (grants.GrantForm("answers", "x", form="whole"), "no form"),
        (grants.GrantForm("answers", "x", consent="maybe"), "no consent"),
        (grants.GrantForm("answers", "x", days=400), "400 days"),
        (grants.GrantForm("answers", "x", since=MORNING, until=MORNING), "ends before"),
        (grants.GrantForm("answers", "x", daily=Amount(10**6)), "these limits"),
        (grants.GrantForm("answers", "x", words="w" * 2001), "2,001"),
    ],
)
def test_a_grant_that_cannot_be_says_why_and_nothing_is_kept(
    sides: tuple[Side, Side], wanted: grants.GrantForm, sentence: str
) -> None:
    asako, bram = sides
    contact = people.meet(asako.node.ports.contacts, asako.clock, _met(bram))
    with pytest.raises(InvalidInputError, match=sentence):
        asako.grant(contact.id, wanted)
    assert asako.node.ports.permissions.given() == []
    assert asako.node.ports.post.due(asako.now) == []


def _met(bram: Side) -> Met:
    return Met(bram.card, ("kasaraki",) * 6, ("かさらき",) * 6)


def test_a_grant_that_was_passed_on_is_lodged_and_falls_with_its_parent(
    sides: tuple[Side, Side],
) -> None:
    asako, bram = sides
    introduce(asako, bram)
    [of_bram] = asako.node.ports.contacts.all()
    chika = Identity(b"c" * 32)
    row = asako.grant(of_bram.id, grants.GrantForm("topic", "a visit", ("music",), passed_on=True))
    [standing] = grants.standing(asako.node.ports.permissions, asako.clock)
    child = replace(
        standing.grant,
        id=outgoing.new_id(),
        iss=bram.keystore.keys.identity.did,
        aud=chika.did,
        depth=0,
        parent=row.id,
    )
    card = Card.write(
        chika,
        peer=peer_of(public_of(Identity(b"t" * 32).did)),
        box=bram.card.box,
        name="Chika",
        verbs=("ask",),
        seq=1,
        exp=asako.now + 86_400,
    )
    people.meet(asako.node.ports.contacts, asako.clock, Met(card, (), ()))
    lodging = Message(
        outgoing.new_id(),
        chika.did,
        asako.keystore.keys.identity.did,
        asako.now,
        asako.now + 60,
        Verb.GRANT,
        {},
    )
    came = Given(lodging, child, child.write(bram.keystore.keys.identity), lodged=True)
    grants.take(asako.node.ports.permissions, asako.node.ports.contacts, asako.clock, came)
    held = asako.books.held(child.id, asako.now)
    assert held is not None
    assert held.parent is not None
    assert held.parent.grant.id == row.id
    assert (
        grants.revoke(
            asako.node.ports.permissions,
            asako.node.ports.contacts,
            outgoing.Signing(asako.node.ports.post, asako.keystore, asako.clock),
            row.id,
        )
        == 1
    )
    with pytest.raises(ConflictError, match="revoked"):
        grants.take(asako.node.ports.permissions, asako.node.ports.contacts, asako.clock, came)


def test_what_a_contact_was_given_and_asked_is_gone_from_the_home_once_they_are_deleted(
    sides: tuple[Side, Side],
) -> None:
    asako, bram = sides
    introduce(asako, bram)
    [of_bram], [of_asako] = asako.node.ports.contacts.all(), bram.node.ports.contacts.all()
    people.rename(asako.node.ports.contacts, of_bram.id, "Bramcanary")
    people.annotate(asako.node.ports.contacts, of_bram.id, "notecanary")
    row = asako.grant(of_bram.id, grants.GrantForm("answers", "a visit", words="wordscanary"))
    question = bram.message(asako, Verb.ASK, {**QUESTION, "question": "questioncanary?"}, row.id)
    asking = Asking(bram.speaker, known(of_asako).card, question)
    asking.ask()
    asako.answering(bram).feed(asking.take(), asako.now)
    decisions.answered(
        asako.node.ports.post,
        asako.node.ports.audit,
        asako.clock,
        (question.iss, question.id),
        {**REPLY, "text": "answercanary"},
        [],
    )
    people.delete(asako.node.ports.contacts, asako.clock, of_bram.id)
    asako.node.ports.erasures.compact()
    held = b"".join(path.read_bytes() for path in asako.node.ports.home.root.glob("node.db*"))
    assert not [
        word
        for word in (
            "Bramcanary",
            "notecanary",
            "wordscanary",
            "questioncanary",
            "answercanary",
            of_bram.did,
        )
        if word.encode() in held
    ]
    assert asako.books.contact(bram.keystore.peer) is None
    assert asako.books.held(row.id, asako.now) is None
    with pytest.raises(NotFoundError):
        people.delete(asako.node.ports.contacts, asako.clock, of_bram.id)
