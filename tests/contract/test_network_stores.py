"""What the stores for other nodes promise: nothing is given twice, nothing comes back, nobody is
taken for somebody else.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.backends.store.peers.post import PostStore
from lpm_kernel.domain.home.audit import AuditKind, first_break
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import Document, DocumentKind, DocumentState
from lpm_kernel.domain.share.network import (
    INBOX_LIFE,
    MOST_ADDRESSES,
    Amount,
    Arrived,
    Claimed,
    Contact,
    ContactState,
    GrantRow,
    InboxState,
    Invite,
    InviteState,
    NewCard,
    Offer,
    OfferState,
    OutboxRow,
    OutboxState,
    ReceivedGrant,
)
from lpm_kernel.errors import ConflictError, NotFoundError
from protocol import contact as protocol_contact

pytestmark = pytest.mark.contract

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
SECOND = int(NOW.timestamp())
TODAY = SECOND // 86_400
WEEK = 7 * 86_400
SOME = Amount(3, 1000, 1000)


@pytest.fixture(params=["sqlite"])
def database(tmp_path: Path) -> Iterator[NodeDatabase]:
    opened = NodeDatabase(tmp_path / "node.db", "key")
    yield opened
    opened.close()


def card(who: str, seq: int = 1, peer: str = "") -> NewCard:
    return NewCard(f"did:{who}", peer or f"peer-{who}", seq, f"card {who} {seq}")


def grant(
    contact: Contact,
    name: str = "g",
    *,
    parent: str | None = None,
    daily: Amount = SOME,
    text: str = "",
) -> GrantRow:
    return GrantRow(
        name,
        contact.id,
        text or f"signed {name}",
        daily,
        SECOND + WEEK,
        NOW,
        parent,
        "a template",
        "for the garden",
    )


def message(
    who: str,
    name: str = "m",
    digest: bytes = b"d" * 32,
    until: int = SECOND + WEEK,
    json: str = "{}",
) -> Arrived:
    return Arrived(f"did:{who}", name, digest, until, "ask", json, "g")


def outgoing(contact: Contact, name: str = "o", verb: str = "ask") -> OutboxRow:
    return OutboxRow(name, contact.id, verb, b"\x00signed\xff", NOW, SECOND, SECOND + WEEK)


def document(name: str) -> Document:
    return Document(
        DocumentId(name),
        name,
        DocumentKind.TEXT,
        name.ljust(64, "0"),
        3,
        DocumentState.READY,
        NOW,
        name=f"{name}.txt",
    )


def kinds(database: NodeDatabase) -> list[str]:
    return [each.kind for each in database.audit.all()]


class TestContacts:
    def test_a_contact_reads_back_as_it_was_kept_and_as_the_person_changed_it(
        self, database: NodeDatabase
    ) -> None:
        kept = database.contacts.keep(card("bram"), NOW, ["kasaraki"] * 6, "Bram")
        assert (kept.did, kept.peer, kept.state, kept.words, kept.name) == (
            "did:bram",
            "peer-bram",
            ContactState.ACTIVE,
            ("kasaraki",) * 6,
            "Bram",
        )
        changed = database.contacts.change(kept.id, name="B.", notes="from the choir")
        assert (
            database.contacts.by_did("did:bram")
            == database.contacts.by_peer("peer-bram")
            == database.contacts.get(kept.id)
            == changed
        )
        assert (changed.name, changed.notes, changed.words) == ("B.", "from the choir", kept.words)
        assert "choir" not in repr(changed)
        assert database.contacts.by_peer("peer-nobody") is None

    def test_the_states_are_those_of_the_protocol(self) -> None:
        assert {each.value for each in ContactState} == {
            each.value for each in protocol_contact.ContactState
        }
        assert {each.value for each in InviteState} <= {
            each.value for each in protocol_contact.InviteState
        }

    def test_meeting_again_keeps_the_person_s_words_and_takes_the_newer_card_only(
        self, database: NodeDatabase
    ) -> None:
        kept = database.contacts.keep(card("bram", 4), NOW, name="Bram")
        assert database.contacts.keep(card("bram", 5), LATER) == replace(
            kept, seq=5, card="card bram 5"
        )
        for old in (
            card("bram", 3),
            replace(card("bram", 5), text="another card of the same number"),
        ):
            with pytest.raises(ConflictError, match="older"):
                database.contacts.keep(old, LATER)
            with pytest.raises(ConflictError, match="older"):
                database.contacts.update(kept.id, old)
        assert database.contacts.update(kept.id, card("bram", 6)).seq == 6

    def test_nobody_can_take_the_peer_id_of_another_contact(self, database: NodeDatabase) -> None:
        database.contacts.keep(card("chika"), NOW)
        bram = database.contacts.keep(card("bram"), NOW)
        with pytest.raises(ConflictError, match="another contact"):
            database.contacts.update(bram.id, card("bram", 2, peer="peer-chika"))
        with pytest.raises(ConflictError, match="another contact"):
            database.contacts.keep(card("dirk", peer="peer-chika"), NOW)
        with pytest.raises(ConflictError, match="another identity"):
            database.contacts.update(bram.id, card("chika", 9))
        assert [
            (each.did, each.peer)
            for each in sorted(database.contacts.all(), key=lambda each: each.did)
        ] == [
            ("did:bram", "peer-bram"),
            ("did:chika", "peer-chika"),
        ]

    def test_where_a_node_listens_is_remembered_as_it_said_last_and_goes_with_the_contact(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        assert database.contacts.addresses(bram.id) == []
        database.contacts.found(bram.id, ["/ip4/192.0.2.7/tcp/4001"])
        database.contacts.found(
            bram.id,
            ["/ip4/192.0.2.9/tcp/4001", "/ip4/192.0.2.8/tcp/4001", "/ip4/192.0.2.9/tcp/4001"],
        )
        assert database.contacts.addresses(bram.id) == [
            "/ip4/192.0.2.9/tcp/4001",
            "/ip4/192.0.2.8/tcp/4001",
        ]
        database.contacts.found(bram.id, [f"/ip4/192.0.2.9/tcp/{port}" for port in range(40)])
        assert len(database.contacts.addresses(bram.id)) == MOST_ADDRESSES
        database.contacts.delete(bram.id, NOW)
        assert database.contacts.addresses(bram.id) == []
        with pytest.raises(NotFoundError):
            database.contacts.found(bram.id, [])

    def test_who_is_blocked_comes_in_by_no_invite(self, database: NodeDatabase) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.contacts.move(bram.id, ContactState.ACTIVE, ContactState.BLOCKED, NOW)
        database.contacts.invite(Invite("i", "smp://i/secret", NOW, SECOND + 60, "for Bram"))
        assert database.contacts.use("i", card("bram", 2), NOW) is None
        assert database.contacts.open_invite("i") is not None
        with pytest.raises(ConflictError, match="now blocked"):
            database.contacts.move(bram.id, ContactState.ACTIVE, ContactState.ENDED, NOW)

    def test_an_invite_is_used_once_and_its_secret_is_forgotten(
        self, database: NodeDatabase
    ) -> None:
        database.contacts.invite(Invite("i", "smp://i/secret", NOW, SECOND + 60, "for Bram"))
        assert "secret" not in repr(database.contacts.open_invite("i"))
        used = database.contacts.use("i", card("bram"), LATER)
        assert used is not None
        assert database.contacts.use("i", card("chika"), LATER) is None
        assert database.contacts.open_invite("i") is None
        assert [(each.state, each.link, each.contact) for each in database.contacts.invites()] == [
            (InviteState.USED, "", used.id)
        ]
        with pytest.raises(NotFoundError):
            database.contacts.withdraw("i", LATER)

    def test_an_identity_that_goes_on_is_accepted_with_no_grant_of_the_old_one(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram))
        database.contacts.move(
            bram.id, ContactState.ACTIVE, ContactState.CHANGED, NOW, next_card="card new 1"
        )
        held = database.permissions.held("g", TODAY)
        assert held is not None
        assert not held.active
        accepted = database.contacts.accept(bram.id, card("new"), LATER)
        assert (accepted.id, accepted.did, accepted.state, accepted.next_card) == (
            bram.id,
            "did:new",
            ContactState.ACTIVE,
            "",
        )
        assert [each.revoked_at for each in database.permissions.given(bram.id)] == [LATER]

    def test_deleting_somebody_takes_all_that_was_theirs_and_leaves_what_left(
        self, database: NodeDatabase
    ) -> None:
        bram, chika = (
            database.contacts.keep(card("bram"), NOW),
            database.contacts.keep(card("chika"), NOW),
        )
        database.permissions.give(grant(bram))
        database.permissions.give(grant(chika, "passed on", parent="g"))
        database.permissions.receive(ReceivedGrant("r", bram.did, bram.id, "theirs", NOW))
        database.permissions.offer(
            Offer("f", bram.id, True, "x", "a poem", "text/plain", 3, "ab", SECOND + 60, "d1")
        )
        database.post.claim(message("bram", json='{"question":"the canary"}'), NOW)
        database.post.claim(message("chika"), NOW)
        database.post.send(outgoing(bram))
        database.post.left(bram.id, TODAY, "answers", 700)
        database.post.left(chika.id, TODAY, "answers", 30)
        database.contacts.delete(bram.id, LATER)
        assert [each.did for each in database.contacts.all()] == ["did:chika"]
        assert (
            database.permissions.given(),
            database.permissions.received(),
            database.permissions.offers(),
        ) == ([], [], [])
        assert [each.issuer for each in database.post.inbox(limit=9)[0]] == ["did:chika"]
        assert database.post.outbox(limit=9)[0] == []
        assert {(each.contact, each.bytes) for each in database.post.all_left()} == {
            (None, 700),
            (chika.id, 30),
        }
        with pytest.raises(NotFoundError):
            database.contacts.delete(bram.id, LATER)

    def test_what_was_deleted_or_revoked_does_not_come_back_with_an_older_state(
        self, database: NodeDatabase, tmp_path: Path
    ) -> None:
        bram, chika = (
            database.contacts.keep(card("bram"), NOW),
            database.contacts.keep(card("chika"), NOW),
        )
        for name, who in (("g1", bram), ("g2", chika), ("g3", chika)):
            database.permissions.give(grant(who, name))
        database.copy_to(tmp_path / "older.db")
        database.contacts.delete(bram.id, LATER)
        database.permissions.revoke("g2", LATER)
        older = NodeDatabase(tmp_path / "older.db")
        older.erasures.take_over(database.erasures.tombstones())
        assert [each.did for each in older.contacts.all()] == ["did:chika"]
        assert [each.id for each in older.permissions.given()] == ["g3"]
        with pytest.raises(ConflictError, match="revoked"):
            older.permissions.give(grant(chika, "g2"))
        older.close()

    def test_who_may_come_in_and_ask_is_in_the_audit_without_a_word_of_anybody(
        self, database: NodeDatabase
    ) -> None:
        database.contacts.invite(Invite("i", "smp://i/secret", NOW, SECOND + 60, "for Bram"))
        bram = database.contacts.use("i", card("bram"), NOW)
        assert bram is not None
        database.contacts.change(bram.id, name="Bram", notes="choir")
        database.permissions.give(grant(bram))
        # the same again changes nothing, and is not recorded
        database.permissions.give(grant(bram))
        database.permissions.revoke("g", NOW)
        database.contacts.move(bram.id, ContactState.ACTIVE, ContactState.BLOCKED, NOW)
        database.contacts.delete(bram.id, NOW)
        assert kinds(database) == [
            AuditKind.INVITED,
            AuditKind.CONTACT_MET,
            AuditKind.GRANT_GIVEN,
            AuditKind.GRANT_REVOKED,
            AuditKind.CONTACT_CHANGED,
            AuditKind.CONTACT_DELETED,
        ]
        written = "".join(each.facts for each in database.audit.all())
        assert not [
            word for word in ("Bram", "choir", "secret", "garden", "did:") if word in written
        ]
        assert first_break(database.audit.all()) is None


class TestPermissions:
    def test_a_grant_reads_back_with_what_was_spent_of_it_that_day(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram))
        assert database.permissions.spend(["g"], Amount(1, 10, 5), TODAY)
        assert database.permissions.held("g", TODAY) == replace(grant(bram), spent=Amount(1, 10, 5))
        assert database.permissions.held("g", TODAY + 1) == grant(bram)
        assert database.permissions.given(bram.id, TODAY) == [database.permissions.held("g", TODAY)]
        assert database.permissions.held("h", TODAY) is None

    def test_each_limit_holds_by_itself_and_each_day_anew(self, database: NodeDatabase) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram, daily=Amount(3, 100, 10)))
        spend = database.permissions.spend
        assert [
            spend(["g"], cost, TODAY)
            for cost in (
                Amount(1, 101, 0),
                Amount(1, 0, 11),
                Amount(4, 0, 0),
                Amount(3, 100, 10),
                Amount(0, 1, 0),
            )
        ] == [
            False,
            False,
            False,
            True,
            False,
        ]
        assert spend(["g"], Amount(3, 100, 10), TODAY + 1)

    def test_nothing_is_spent_on_one_of_two_alone(self, database: NodeDatabase) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram, "p", daily=Amount(1, 1000, 1000)))
        database.permissions.give(grant(bram, "c", parent="p", daily=Amount(5, 1000, 1000)))
        assert [
            database.permissions.spend(["c", "p"], Amount(1, 1, 1), TODAY) for _ in range(2)
        ] == [True, False]
        assert not database.permissions.spend(["c", "nobody's"], Amount(1, 1, 1), TODAY)
        assert [row.spent for row in database.permissions.given(day=TODAY)] == [Amount(1, 1, 1)] * 2

    def test_more_is_never_given_back_than_was_spent(self, database: NodeDatabase) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram))
        database.permissions.spend(["g"], Amount(1, 10, 10), TODAY)
        database.permissions.give_back(["g"], Amount(1, 500, 4), TODAY)
        database.permissions.give_back(["g"], Amount(1, 1, 1), TODAY + 1)
        assert [row.spent for row in database.permissions.given(day=TODAY)] == [Amount(0, 0, 6)]
        with pytest.raises(ValueError, match="less than nothing"):
            Amount(-1)

    def test_nothing_is_spent_on_what_was_revoked_or_is_a_blocked_contact_s(
        self, database: NodeDatabase
    ) -> None:
        bram, chika = (
            database.contacts.keep(card("bram"), NOW),
            database.contacts.keep(card("chika"), NOW),
        )
        database.permissions.give(grant(bram))
        database.permissions.give(grant(chika, "c", parent="g"))
        database.contacts.move(bram.id, ContactState.ACTIVE, ContactState.BLOCKED, NOW)
        assert not database.permissions.spend(["g"], Amount(1), TODAY)
        assert not database.permissions.spend(["c", "g"], Amount(1), TODAY)
        database.contacts.move(bram.id, ContactState.BLOCKED, ContactState.ACTIVE, NOW)
        assert database.permissions.spend(["c", "g"], Amount(1), TODAY)
        assert database.permissions.revoke("g", LATER) == 1
        assert not database.permissions.spend(["c"], Amount(1), TODAY)
        assert [row.revoked_at for row in database.permissions.given()] == [LATER, LATER]

    def test_a_grant_is_not_written_over_and_not_lodged_again_once_revoked(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram))
        with pytest.raises(ConflictError, match="this id"):
            database.permissions.give(grant(bram, text="another"))
        with pytest.raises(ConflictError, match="no longer exists"):
            database.permissions.give(grant(bram, "c", parent="nobody's"))
        database.permissions.revoke("g", LATER)
        for late in (grant(bram), grant(bram, "c", parent="g")):
            with pytest.raises(ConflictError):
                database.permissions.give(late)
        database.contacts.delete(bram.id, LATER)
        again = database.contacts.keep(card("bram"), LATER)
        with pytest.raises(ConflictError, match="revoked"):
            database.permissions.give(grant(again))

    def test_somebody_s_grant_cannot_take_the_place_of_another_s(
        self, database: NodeDatabase
    ) -> None:
        bram, chika = (
            database.contacts.keep(card("bram"), NOW),
            database.contacts.keep(card("chika"), NOW),
        )
        database.permissions.give(grant(bram))
        for who in (bram, chika):
            database.permissions.receive(ReceivedGrant("g", who.did, who.id, f"of {who.did}", NOW))
        with pytest.raises(ConflictError, match="under this id"):
            database.permissions.receive(ReceivedGrant("g", bram.did, bram.id, "wider", NOW))
        assert not database.permissions.end_received("did:dirk", "g", LATER)
        assert database.permissions.end_received(bram.did, "g", LATER)
        assert {
            (each.issuer, each.text, each.ended_at) for each in database.permissions.received()
        } == {
            (bram.did, f"of {bram.did}", LATER),
            (chika.did, f"of {chika.did}", None),
        }
        held = database.permissions.held("g", TODAY)
        assert held is not None
        assert held.text == "signed g"

    def test_an_offer_stands_for_one_contact_until_its_time_is_over_or_it_is_taken_back(
        self, database: NodeDatabase
    ) -> None:
        bram, chika = (
            database.contacts.keep(card("bram"), NOW),
            database.contacts.keep(card("chika"), NOW),
        )
        mine = Offer("f", bram.id, True, "x", "a poem", "text/plain", 3, "ab", SECOND + 60, "d1")
        database.documents.add(document("d1"))
        database.permissions.offer(mine)
        database.permissions.offer(replace(mine, contact=chika.id, ours=False, item="y"))
        stands = database.permissions.stands
        assert stands("f", "x", bram.did, SECOND)
        assert not [
            each
            for each in (
                ("f", "x", chika.did, SECOND),
                ("f", "y", chika.did, SECOND),
                ("f", "x", bram.did, SECOND + 60),
            )
            if stands(*each)
        ]
        database.permissions.withdraw_offer("f", LATER)
        assert not stands("f", "x", bram.did, SECOND)

    @pytest.mark.parametrize("how", ["change", "change_many", "put_away", "delete"])
    def test_an_offer_ends_with_the_step_that_withholds_its_document(
        self, database: NodeDatabase, how: str
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        for name in ("d1", "d2"):
            database.documents.add(document(name))
            made = Offer(f"f{name}", bram.id, True, "x", "a", "t/p", 3, "ab", SECOND + 60, name)
            database.permissions.offer(made)
            database.post.send(outgoing(bram, f"f{name}", "offer"))
        one, both = DocumentId("d1"), {"fd1", "fd2"}
        assert {each.id for each in database.post.due(SECOND)} == both
        match how:
            case "change":
                database.documents.change(one, private=True)
            case "change_many":
                database.documents.change_many({one: {"private": True}}, NOW)
            case "put_away":
                database.documents.put_away([one], NOW)
            case _:
                database.documents.delete(one)
        assert [each.id for each in database.post.due(SECOND)] == ["fd2"]
        sent = {each.id: each.state for each in database.post.outbox(limit=9)[0]}
        assert sent == {"fd1": OutboxState.WITHDRAWN, "fd2": OutboxState.WAITING}
        ended = {each.id for each in database.permissions.offers() if each.withdrawn_at}
        assert ended == {"fd1"}
        assert [database.post.goes(each) for each in ("fd1", "fd2", "?")] == [False, True, False]
        assert not database.permissions.stands("fd1", "x", bram.did, SECOND)
        if how.startswith("change"):  # open again is not offered again
            database.documents.change_many({one: {"private": False}}, NOW)
            assert not database.permissions.stands("fd1", "x", bram.did, SECOND)

    def test_an_offer_of_what_is_private_is_held_back_whoever_wrote_the_row(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.documents.add(replace(document("d1"), private=True))
        made = Offer("f", bram.id, True, "x", "a", "t/p", 3, "ab", SECOND + 60, "d1")
        database.permissions.offer(made)
        database.post.send(outgoing(bram, "f", "offer"))
        assert not database.post.due(SECOND)
        assert not database.post.goes("f")
        assert not database.permissions.stands("f", "x", bram.did, SECOND)

    def test_an_offer_that_came_in_moves_on_from_where_it_is_and_one_s_own_does_not(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        theirs = Offer(
            "f", bram.id, False, "x", "a poem", "text/plain", 3, "ab", SECOND + 60, came_at=NOW
        )
        store = database.permissions
        store.offer(theirs)
        store.offer(replace(theirs, id="g", ours=True))
        move = store.move_offer
        before = [OfferState.OFFERED, OfferState.FAILED]
        assert move(bram.id, "f", before, state=OfferState.FETCHING, fetched=2)
        assert not move(bram.id, "f", before, state=OfferState.FETCHING)
        assert not move(bram.id, "g", before, state=OfferState.FETCHING)
        by_id = {offer.id: offer for offer in store.offers(bram.id)}
        assert by_id["f"] == replace(theirs, state=OfferState.FETCHING, fetched=2)
        assert by_id["g"] == replace(theirs, id="g", ours=True)
        # what went out of one's own only grows, and is no word about theirs
        for name, given in (("f", 3), ("g", 2), ("g", 1)):
            store.note_given(name, given)
        assert {each.id: each.fetched for each in store.offers(bram.id)} == {"f": 2, "g": 2}

    def test_whose_grants_were_taken_back_since_is_known(self, database: NodeDatabase) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram, "r"))
        assert database.permissions.revoked(NOW) == set()
        database.permissions.revoke("r", LATER)
        assert database.permissions.revoked(NOW) == {bram.id}
        assert database.permissions.revoked(LATER + timedelta(seconds=1)) == set()

    def test_of_processes_that_race_for_the_last_unit_exactly_one_gets_it(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram, daily=Amount(1, 10, 10)))
        program = (
            "import sys\n"
            "from pathlib import Path\n"
            "from lpm_kernel.backends.store.home.database import NodeDatabase\n"
            "from lpm_kernel.domain.share.network import Amount\n"
            "database = NodeDatabase(Path(sys.argv[1]))\n"
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n"
            "spend = database.permissions.spend\n"
            "print(*[spend(['g'], Amount(1, 1, 1), day) for day in range(40)], flush=True)\n"
        )
        racing = [
            subprocess.Popen(
                [sys.executable, "-c", program, database.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        for each in racing:
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"
        for each in racing:
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()
        said = [each.communicate(timeout=60)[0].split() for each in racing]
        assert [sorted(pair) for pair in zip(*said, strict=True)] == [["False", "True"]] * 40


class TestPost:
    def test_a_message_is_kept_in_the_step_that_claims_its_id(self, database: NodeDatabase) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        assert [database.post.claim(message("bram"), NOW) for _ in range(2)] == [
            Claimed.NEW,
            Claimed.SAME,
        ]
        assert database.post.claim(message("bram", digest=b"e" * 32), NOW) is Claimed.OTHER
        assert database.post.claim(message("chika"), NOW) is Claimed.NEW
        known = database.post.arrived("did:bram", "m")
        assert known is not None
        assert (known.contact, known.state, known.json, known.grant) == (
            bram.id,
            InboxState.ASKED,
            "{}",
            "g",
        )
        assert [each.issuer for each in database.post.unfinished(InboxState.ASKED)] == [
            "did:bram",
            "did:chika",
        ]

    def test_there_is_room_for_so_many_of_one_issuer_and_others_have_their_own(
        self, database: NodeDatabase
    ) -> None:
        post = PostStore(database.engine, most_claims=3, most_bytes=100, most_past=2)
        assert [post.claim(message("bram", f"m{n}"), NOW) for n in range(4)] == [
            Claimed.NEW
        ] * 3 + [Claimed.FULL]
        assert post.arrived("did:bram", "m3") is None
        assert post.claim(message("bram", "m0"), NOW) is Claimed.SAME
        assert post.claim(message("chika", json="x" * 99), NOW) is Claimed.NEW
        assert post.claim(message("chika", "n", json="雨"), NOW) is Claimed.FULL

    def test_what_cannot_come_again_makes_room_and_the_newest_of_it_stays_readable(
        self, database: NodeDatabase
    ) -> None:
        post = PostStore(database.engine, most_claims=3, most_past=2)
        for n in range(3):
            post.claim(message("bram", f"m{n}", until=SECOND + n), NOW)
        then = NOW + timedelta(seconds=3)
        assert post.claim(message("bram", "new"), then) is Claimed.NEW
        assert sorted(each.id for each in post.inbox(limit=9)[0]) == ["m1", "m2", "new"]
        assert post.claim(message("bram", "m2", digest=b"e" * 32), then) is Claimed.OTHER

    def test_a_message_moves_on_and_its_answer_is_kept_for_good(
        self, database: NodeDatabase
    ) -> None:
        database.contacts.keep(card("bram"), NOW)
        database.post.claim(message("bram"), NOW)
        bram = ("did:bram", "m")
        assert database.post.advance(*bram, InboxState.WAITING, NOW)
        assert database.post.advance(*bram, InboxState.DECIDED, LATER)
        assert not database.post.advance(*bram, InboxState.WAITING, LATER)
        assert database.post.answer(
            *bram, LATER, {"text": "By the canal.", "tokens": 3}, documents=["d1", "d2"]
        )
        assert not database.post.answer(*bram, LATER, None, "revoked")
        known = database.post.arrived(*bram)
        assert known is not None
        assert (known.state, known.answer, known.code, known.documents) == (
            InboxState.ANSWERED,
            {"text": "By the canal.", "tokens": 3},
            "",
            ("d1", "d2"),
        )
        assert (known.decided_at, known.answered_at) == (LATER, LATER)
        assert "canal" not in repr(known)
        assert set(INBOX_LIFE) == set(InboxState)

    def test_an_answer_goes_when_something_that_it_was_made_of_is_erased(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        for name, made_of in (("m1", ["d1", "d2"]), ("m2", ["d3"])):
            database.post.claim(message("bram", name), NOW)
            database.post.answer("did:bram", name, NOW, {"text": name}, documents=made_of)
        for name, what in (("f1", "d1"), ("f3", "d3")):
            database.permissions.offer(
                Offer(name, bram.id, True, "x", "a poem", "text/plain", 3, "ab", SECOND + 60, what)
            )
        database.erasures.take_over({"d1": NOW})
        assert {each.id: each.answer for each in database.post.inbox(limit=9)[0]} == {
            "m1": None,
            "m2": {"text": "m2"},
        }
        assert [each.id for each in database.permissions.offers()] == ["f3"]

    def test_the_outbox_gives_what_is_due_until_it_is_settled(self, database: NodeDatabase) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.post.send(outgoing(bram))
        assert [each.signed for each in database.post.due(SECOND)] == [b"\x00signed\xff"]
        database.post.tried("o", SECOND + 30)
        assert database.post.due(SECOND + 29) == []
        assert [each.tries for each in database.post.due(SECOND + 30)] == [1]
        assert database.post.settle("o", OutboxState.ANSWERED, {"kept": True})
        assert not database.post.settle("o", OutboxState.REFUSED, code="revoked")
        database.post.tried("o", SECOND)
        [row] = database.post.outbox(limit=9)[0]
        assert (row.state, row.receipt, row.code, row.tries) == (
            OutboxState.ANSWERED,
            {"kept": True},
            "",
            2,
        )

    def test_what_waits_for_a_contact_who_was_found_is_tried_at_once(
        self, database: NodeDatabase
    ) -> None:
        bram, chika = (
            database.contacts.keep(card("bram"), NOW),
            database.contacts.keep(card("chika"), NOW),
        )
        for contact, name in ((bram, "o"), (chika, "p")):
            database.post.send(outgoing(contact, name))
            database.post.tried(name, SECOND + 600)
        database.post.hurry(bram.id, SECOND)
        assert [each.id for each in database.post.due(SECOND)] == ["o"]

    def test_a_hello_waits_without_a_contact_and_its_link_is_forgotten_once_it_is_settled(
        self, database: NodeDatabase
    ) -> None:
        hello = OutboxRow(
            "h",
            None,
            "hello",
            b"signed",
            NOW,
            SECOND,
            SECOND + 60,
            link="smp://i/secret",
            name="Bram from the choir",
        )
        database.post.send(hello)
        assert database.post.due(SECOND) == [hello] == [database.post.outgoing("h")]
        assert database.post.outgoing("nothing") is None
        assert not {word for word in ("secret", "choir") if word in repr(hello)}
        with pytest.raises(ConflictError, match="already"):
            database.post.send(replace(hello, id="again"))
        bram = database.contacts.keep(card("bram"), NOW)
        assert database.post.settle("h", OutboxState.ANSWERED, {"kept": True}, contact=bram.id)
        assert [
            (each.link, each.contact) for each in database.post.outbox(limit=9, contact=bram.id)[0]
        ] == [("", bram.id)]
        database.post.send(replace(hello, id="late"))
        assert database.post.due(SECOND + 60) == []
        assert {each.id: each.link for each in database.post.outbox(limit=9)[0]} == {
            "h": "",
            "late": "",
        }

    def test_what_nobody_answered_in_time_is_over(self, database: NodeDatabase) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.post.send(outgoing(bram))
        assert database.post.due(SECOND + WEEK) == []
        assert [each.state for each in database.post.outbox(limit=9)[0]] == [OutboxState.EXPIRED]

    def test_nothing_goes_to_who_is_blocked_and_a_farewell_goes_to_who_ended(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.post.send(outgoing(bram))
        database.contacts.move(bram.id, ContactState.ACTIVE, ContactState.BLOCKED, NOW)
        assert database.post.due(SECOND) == []
        with pytest.raises(ConflictError, match="nothing was sent"):
            database.post.send(outgoing(bram, "p"))
        database.contacts.move(bram.id, ContactState.BLOCKED, ContactState.ENDED, NOW)
        database.post.send(outgoing(bram, "b", "bye"))
        assert [each.id for each in database.post.due(SECOND)] == ["b"]

    def test_pages_go_from_new_to_old(self, database: NodeDatabase) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        for n in range(5):
            database.post.claim(message("bram", f"m{n}"), NOW + timedelta(minutes=n))
        first, cursor = database.post.inbox(limit=2, contact=bram.id)
        rest, end = database.post.inbox(limit=9, contact=bram.id, cursor=cursor)
        assert [each.id for each in (*first, *rest)] == ["m4", "m3", "m2", "m1", "m0"]
        assert end is None

    def test_what_leaves_is_counted_by_contact_day_and_category(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        for day, category, size in (
            (TODAY, "answers", 100),
            (TODAY, "answers", 11),
            (TODAY, "cards", 5),
            (TODAY - 1, "answers", 7),
        ):
            database.post.left(bram.id, day, category, size)
        assert [(each.day, each.category, each.bytes) for each in database.post.all_left()] == [
            (TODAY, "answers", 111),
            (TODAY, "cards", 5),
            (TODAY - 1, "answers", 7),
        ]


class TestTogether:
    def test_what_several_stores_write_is_there_together_or_not_at_all(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram))

        def write(name: str) -> None:
            assert database.post.claim(message("bram", name), NOW) is Claimed.NEW
            assert database.permissions.spend(["g"], Amount(1, 1, 1), TODAY)
            database.audit.append(NOW, AuditKind.PEER_DECIDED, message=name)

        def fail() -> None:
            with database.post.together():
                write("lost")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert database.post.arrived("did:bram", "lost") is None
        with database.post.together():
            write("kept")
        held = database.permissions.held("g", TODAY)
        assert held is not None
        assert held.spent == Amount(1, 1, 1)
        assert kinds(database).count(AuditKind.PEER_DECIDED) == 1
        noted, newest = database.audit.noted(), database.audit.newest()
        assert noted is not None
        assert newest is not None
        assert noted.number == newest.number

    def test_what_fails_inside_and_is_caught_takes_nothing_else_along(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram", 4), NOW)
        database.contacts.invite(Invite("i", "smp://i/secret", NOW, SECOND + 60))
        with database.post.together():
            assert database.post.claim(message("bram"), NOW) is Claimed.NEW
            assert database.contacts.use("i", card("bram", 3), NOW) is None  # an older card
            assert database.contacts.open_invite("i") is not None
        assert database.post.arrived("did:bram", "m") is not None
        assert database.contacts.get(bram.id).seq == 4

    def test_many_who_write_and_fail_at_once_leave_what_was_written_and_nothing_else(
        self, database: NodeDatabase
    ) -> None:
        bram = database.contacts.keep(card("bram"), NOW)
        database.permissions.give(grant(bram))

        def write(number: int) -> None:
            with suppress(ZeroDivisionError), database.post.together():
                assert database.post.claim(message("bram", f"m{number}"), NOW) is Claimed.NEW
                database.audit.append(NOW, AuditKind.PEER_DECIDED, message=f"m{number}")
                if number % 3 == 0:
                    raise ZeroDivisionError

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(60)))
        kept = [
            number
            for number in range(60)
            if database.post.arrived("did:bram", f"m{number}") is not None
        ]
        assert kept == [number for number in range(60) if number % 3]
        assert kinds(database).count(AuditKind.PEER_DECIDED) == len(kept)
        assert first_break(database.audit.all()) is None

    def test_a_message_that_is_put_off_says_why_until_it_comes_again_or_has_its_answer(
        self, database: NodeDatabase
    ) -> None:
        database.post.claim(message("bram"), NOW)
        database.post.put_off("did:bram", "m", "busy")
        row = database.post.arrived("did:bram", "m")
        assert row is not None
        assert (row.state, row.code) == (InboxState.ASKED, "busy")
        database.post.take_up("did:bram", "m", LATER)
        row = database.post.arrived("did:bram", "m")
        assert row is not None
        assert (row.state, row.code, row.came_at) == (InboxState.ASKED, "", LATER)
        assert database.post.answer("did:bram", "m", LATER, {"text": "yes"})
        database.post.put_off("did:bram", "m", "busy")
        row = database.post.arrived("did:bram", "m")
        assert row is not None
        assert row.code == ""
