"""Contacts and tables in archives: what comes out is what went in, nothing that was signed can be
changed on the way, nothing that was erased comes back, and no door is opened.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.domain.chat.conversations import Conversation
from lpm_kernel.domain.ids import ConversationId, DocumentId
from lpm_kernel.domain.lines import plain_line
from lpm_kernel.domain.share.archived import ArchivedContact
from lpm_kernel.domain.share.discussions import DiscussionId
from lpm_kernel.domain.share.network import (
    DAY,
    Amount,
    Contact,
    ContactId,
    ContactState,
    GrantRow,
    NewCard,
    Offer,
    OfferState,
    ReceivedGrant,
)
from lpm_kernel.errors import ConflictError, NotFoundError, UnusableArchiveError
from lpm_kernel.node import Node
from lpm_kernel.usecases.home.archive_export import ExportOptions
from lpm_kernel.usecases.library.intake import NewDocument
from lpm_kernel.usecases.share.people_archives import (
    Coming,
    PeopleStores,
    check,
    contact_rows,
    take_in,
)
from lpm_kernel.usecases.share.tables import NewSeat, NewTable, Typed
from protocol.card import Card
from protocol.grants import Cost, Grant
from protocol.identity import Identity, peer_of, public_of
from protocol.messages import Verb
from protocol.scope import EVERY_TAG, Form, Layer, RowKind, Scope

NOW = datetime(2026, 5, 20, 9, tzinfo=UTC)
SECOND = int(NOW.timestamp())
ME, OTHER = Identity(b"a" * 32), Identity(b"o" * 32)
BRAM = Identity(b"b" * 32)
MOMENTS = st.none() | st.integers(0, 10**6).map(lambda after: NOW - timedelta(seconds=after))
SEA = "In May the ferry to the sea at Risør took two hours and twenty minutes."
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)


def card_of(who: Identity, seq: int = 1) -> Card:
    return Card.write(
        who,
        peer=peer_of(public_of(Identity(hashlib.sha256(who.did.encode()).digest()).did)),
        box=b"x" * 32,
        name="Bram",
        verbs=("ask",),
        seq=seq,
        exp=SECOND + 20 * DAY,
    )


def signed(by: Identity, to: Identity, name: str, exp: int = SECOND + DAY) -> tuple[Grant, str]:
    scope = Scope(
        EVERY_TAG, frozenset(RowKind), frozenset(Layer), None, None, Form.ANSWER, "a visit"
    )
    grant = Grant(
        name * 22,
        by.did,
        to.did,
        SECOND - DAY,
        exp,
        frozenset({Verb.ASK}),
        scope,
        Cost(3, 9_000, 9),
    )
    return grant, grant.write(by)


@st.composite
def people(draw: st.DrawFn) -> ArchivedContact:
    """Somebody as a home may hold them."""
    card = card_of(BRAM, draw(st.integers(1, 9)))
    state = draw(st.sampled_from(ContactState))
    words = tuple(draw(st.sampled_from([(), ("kasaraki",) * 6])))
    who = Contact(
        ContactId("p_" + "1" * 16),
        card.did,
        card.peer,
        card.seq,
        card.text,
        state,
        NOW,
        plain_line(draw(TEXTS)),
        draw(TEXTS),
        words,
        card_of(OTHER).text if state is ContactState.CHANGED else "",
        verified_at=draw(MOMENTS) if words else None,
    )
    mine, text = signed(ME, BRAM, "g")
    given = GrantRow(
        mine.id,
        who.id,
        text,
        Amount(3, 9_000, 9),
        mine.exp,
        NOW,
        None,
        "topic",
        draw(TEXTS),
        NOW - timedelta(seconds=draw(st.integers(0, 10**6))),
    )
    theirs, text = signed(BRAM, ME, "w")
    had = ReceivedGrant(theirs.id, BRAM.did, who.id, text, NOW, "", draw(MOMENTS))
    offer = Offer(
        "A" * 22,
        who.id,
        ours=False,
        item="Q" * 22,
        title=draw(TEXTS),
        media="text/plain",
        size=7,
        hash="h",
        until=SECOND,
        state=OfferState.KEPT,
        fetched=7,
        came_at=NOW,
        kept="d_1",
    )
    return ArchivedContact(
        who,
        draw(st.sampled_from([[], ["/ip4/192.0.2.1/tcp/4001"]])),
        [given] if draw(st.booleans()) else [],
        [had] if draw(st.booleans()) else [],
        [offer] if draw(st.booleans()) else [],
    )


Opened = Callable[[], NodeDatabase]


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Opened]:
    """Open one empty database after another."""
    made: list[NodeDatabase] = []

    def another() -> NodeDatabase:
        made.append(NodeDatabase(tmp_path / f"{len(made)}.db", "key"))
        return made[-1]

    yield another
    for each in made:
        each.close()


def stores(database: NodeDatabase, identity: str = ME.did) -> PeopleStores:
    return PeopleStores(database.contacts, database.permissions, database.discussions, identity)


def rows_of(database: NodeDatabase, identity: str = ME.did) -> list[dict[str, Any]]:
    """Export, as it stands in the file."""
    found = contact_rows(stores(database, identity), {"d_1"})
    return [json.loads(json.dumps(each)) for each in found]


def coming(**changed: Any) -> Coming:  # noqa: ANN401  what a test says otherwise
    return replace(Coming({"d_1": DocumentId("d_1")}, (), lambda _: False, NOW), **changed)


class TestContacts:
    @given(archived=people())
    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    def test_export_import_export_is_the_same(self, archived: ArchivedContact) -> None:
        with (
            TemporaryDirectory() as folder,
            closing(NodeDatabase(Path(folder) / "1.db", "key")) as one,
            closing(NodeDatabase(Path(folder) / "2.db", "key")) as two,
        ):
            assert one.contacts.bring_in(archived, NOW)
            rows = rows_of(one)
            check(rows, [])
            came = take_in(rows, [], stores(two), coming())
            assert (came.contacts, came.strangers, came.grants_over) == (1, 0, 0)
            ended = {"state": "ended", "next_card": ""}
            expected = [
                {**row, "verified_at": None, "addresses": []}
                | (ended if row["state"] == "changed" else {})
                for row in rows
            ]
            assert rows_of(two) == expected
            assert take_in(rows, [], stores(two), coming()).contacts_known == 1
            assert rows_of(two) == expected

    @pytest.mark.parametrize("name", ["d_0123456789abcdef", "a/b", "p_1", ""])
    def test_an_id_that_this_node_does_not_make_is_refused(self, name: str) -> None:
        """A tombstone of such a contact would be that of a document."""
        with (
            TemporaryDirectory() as folder,
            closing(NodeDatabase(Path(folder) / "1.db", "key")) as one,
        ):
            self.full(one)
            rows = [{**row, "id": name} for row in rows_of(one)]
        with pytest.raises(UnusableArchiveError):
            check(rows, [])

    def full(self, database: NodeDatabase) -> Contact:
        """Somebody active, with a grant each way that stands."""
        card = card_of(BRAM)
        who = database.contacts.keep(
            NewCard(card.did, card.peer, card.seq, card.text), NOW, ["kasaraki"] * 6, "Bram"
        )
        mine, text = signed(ME, BRAM, "g")
        database.permissions.give(
            GrantRow(mine.id, who.id, text, Amount(3, 9_000, 9), mine.exp, NOW)
        )
        theirs, text = signed(BRAM, ME, "w")
        database.permissions.receive(ReceivedGrant(theirs.id, BRAM.did, who.id, text, NOW))
        return who

    def test_a_grant_that_stood_is_over_and_cannot_be_given_again(self, fresh: Opened) -> None:
        one, two = fresh(), fresh()
        who = self.full(one)
        came = take_in(rows_of(one), [], stores(two), coming())
        assert (came.contacts, came.grants_over) == (1, 1)
        assert two.contacts.get(who.id) == one.contacts.get(who.id)
        [over] = two.permissions.given(who.id)
        assert over.revoked_at == NOW
        with pytest.raises(ConflictError, match="revoked"):
            two.permissions.give(replace(over, revoked_at=None))
        assert not two.permissions.spend([over.id], Amount(1), SECOND // DAY)
        # what they let the person ask is theirs to end
        assert [each.ended_at for each in two.permissions.received(who.id)] == [None]

    def test_nobody_is_called_because_a_file_says_where(self, fresh: Opened) -> None:
        one, two = fresh(), fresh()
        who = self.full(one)
        one.contacts.found(who.id, ["/ip4/192.0.2.1/tcp/4001"])
        came = take_in(rows_of(one), [], stores(two), coming())
        assert two.contacts.get(who.id).state is ContactState.ACTIVE
        assert two.contacts.addresses(who.id) == []
        assert "reached once their node comes, or by a new invite" in came.sentence

    def test_oneself_is_left_out_and_said_so(self, fresh: Opened) -> None:
        one, two = fresh(), fresh()
        self.full(one)
        came = take_in(rows_of(one), [], stores(two, BRAM.did), coming())
        assert (came.contacts, came.own, two.contacts.all()) == (0, 1, [])
        assert "this node itself" in came.sentence

    def test_to_another_identity_they_come_without_words_and_grants(self, fresh: Opened) -> None:
        one, two = fresh(), fresh()
        who = self.full(one)
        one.contacts.change(who.id, notes="from the choir")
        came = take_in(rows_of(one), [], stores(two, OTHER.did), coming())
        assert (came.contacts, came.strangers) == (1, 1)
        there = two.contacts.get(who.id)
        assert (there.name, there.notes, there.state, there.words) == (
            "Bram",
            "from the choir",
            ContactState.ENDED,
            (),
        )
        assert two.permissions.given() == []
        assert two.permissions.received() == []
        # a home without keys is another one, too
        three = fresh()
        assert take_in(rows_of(one, ""), [], stores(three, ""), coming()).strangers == 1

    def test_who_was_blocked_stays_so_with_another_identity(self, fresh: Opened) -> None:
        one, two = fresh(), fresh()
        who = self.full(one)
        one.contacts.move(who.id, ContactState.ACTIVE, ContactState.BLOCKED, NOW)
        take_in(rows_of(one), [], stores(two, OTHER.did), coming())
        assert two.contacts.get(who.id).state is ContactState.BLOCKED

    def test_who_was_deleted_here_does_not_come_back(self, fresh: Opened) -> None:
        one = fresh()
        who = self.full(one)
        rows = rows_of(one)
        one.contacts.delete(who.id, NOW)
        erased = one.erasures.tombstones()
        assert take_in(rows, [], stores(one), coming(erased=erased)).erased == 1
        # and not where the tombstone is laid while the archive is read
        assert take_in(rows, [], stores(one), coming()).contacts == 0
        assert one.contacts.all() == []

    def test_who_is_known_here_stays_as_they_are(self, fresh: Opened) -> None:
        one = fresh()
        who = self.full(one)
        rows = rows_of(one)
        one.permissions.revoke("g" * 22, NOW)
        one.contacts.move(who.id, ContactState.ACTIVE, ContactState.BLOCKED, NOW)
        before = rows_of(one)
        assert take_in(rows, [], stores(one), coming()).contacts_known == 1
        assert rows_of(one) == before

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda row: row.update(did=OTHER.did),
            lambda row: row.update(card=row["card"][:-2] + "AA"),
            lambda row: row.update(card=None),
            lambda row: row.update(state="friend"),
            lambda row: row.update(notes="x" * 5_000),
            lambda row: row.update(met_at="long ago"),
            lambda row: row.pop("had"),
            lambda row: row.update(given=[{**row["given"][0], "text": row["had"][0]["text"]}]),
            lambda row: row["given"][0].update(text=row["given"][0]["text"][:-2] + "AA"),
            lambda row: row["had"][0].update(text="A"),
            lambda row: row.update(addresses=["/x"] * 99),
        ],
    )
    def test_one_that_is_not_as_it_was_signed_is_a_sentence(
        self, fresh: Opened, spoil: Callable[[dict[str, Any]], object]
    ) -> None:
        one = fresh()
        self.full(one)
        [row] = rows_of(one)
        check([row], [])
        spoil(row)
        with pytest.raises(UnusableArchiveError, match="contact"):
            check([row], [])


@pytest.fixture
def other(tmp_path: Path, frozen_clock: FrozenClock) -> Iterator[Node]:
    with Node.open(
        tmp_path / "other",
        clock=frozen_clock,
        model=ScriptedModel([(".", "I do not know.")]),
        embedder=HashingEmbedder(),
    ) as opened:
        yield opened


def table(node: Node, *, closed: bool = True) -> DiscussionId:
    """A table at which two things were typed, one of them struck."""
    seats = (NewSeat("twin"), NewSeat("person", name="Bram"))
    made = node.discussing.open(NewTable(aim="Where do we go in May?", seats=seats)).discussion.id
    node.discussing.say(made, Typed(SEA))
    node.discussing.say(made, Typed("Canary seventeen."))
    node.discussing.strike(made, 2)
    if closed:
        node.discussing.close(made)
    return made


def exported(node: Node, path: Path, **options: bool) -> dict[str, list[dict[str, Any]]]:
    """Export, and read the lines of contacts and tables."""
    node.home.export(path, ExportOptions(**options))
    with zipfile.ZipFile(path) as archive:
        return {
            name: [json.loads(line) for line in archive.read(f"{name}.jsonl").splitlines()]
            for name in ("contacts", "tables")
        }


def with_rows(path: Path, spoiled: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    """Write an archive anew with other lines in one of its files, and a manifest that fits."""
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(spoiled, "w") as fresh:
        manifest = json.loads(archive.read("manifest.json"))
        lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        manifest["members"][name] = hashlib.sha256(lines).hexdigest()
        for member in archive.namelist():
            data = {name: lines, "manifest.json": json.dumps(manifest).encode()}.get(member)
            fresh.writestr(member, archive.read(member) if data is None else data)
    return spoiled


class TestTables:
    def test_a_closed_table_comes_with_its_record_and_an_open_one_stays(
        self, node: Node, other: Node, tmp_path: Path
    ) -> None:
        closed, still_open = table(node), table(node, closed=False)
        rows = exported(node, tmp_path / "all.zip")
        came = other.home.take_in(tmp_path / "all.zip")
        assert (came.people.tables, came.people.tables_open) == (1, 1)
        assert "not closed: 1" in came.sentence
        assert other.discussing.get(closed).table.head.hash == (
            node.discussing.get(closed).table.head.hash
        )
        assert [each.words for each in other.ports.discussions.entries(closed)] == [
            each.words for each in node.ports.discussions.entries(closed)
        ]
        with pytest.raises(NotFoundError):
            other.discussing.get(still_open)
        again = exported(other, tmp_path / "again.zip")
        assert again["tables"] == [row for row in rows["tables"] if row["id"] == closed]
        assert other.home.take_in(tmp_path / "all.zip").people.tables_known == 1

    def test_what_was_deleted_here_does_not_come_back(self, node: Node, tmp_path: Path) -> None:
        made = table(node)
        exported(node, tmp_path / "all.zip")
        node.discussing.delete(made)
        came = node.home.take_in(tmp_path / "all.zip")
        assert (came.people.tables, came.people.erased) == (0, 1)
        assert "deleted here: 1" in came.sentence

    def test_words_that_tell_what_was_erased_do_not_come_back(
        self, node: Node, other: Node, tmp_path: Path
    ) -> None:
        lost = node.library.add_text(SEA, title="Lost").document
        node.run_jobs()
        exported(node, tmp_path / "before.zip")
        other.home.take_in(tmp_path / "before.zip")
        other.run_jobs()
        other.home.confirm_erasure(other.home.propose_erasure([lost.id]).token)
        made = table(node)
        exported(node, tmp_path / "all.zip")
        other.home.take_in(tmp_path / "all.zip")
        assert other.discussing.get(made).text(1) == ""
        assert other.discussing.get(made).text(0) != ""

    def test_neither_goes_where_what_is_private_does_not(self, node: Node, tmp_path: Path) -> None:
        table(node)
        without = exported(node, tmp_path / "open.zip", private=False)
        assert without == {"contacts": [], "tables": []}
        assert exported(node, tmp_path / "silent.zip", conversations=False)["tables"] == []

    def test_without_private_no_contact_is_named(
        self, node: Node, other: Node, tmp_path: Path
    ) -> None:
        card = card_of(BRAM)
        row = NewCard(card.did, card.peer, card.seq, card.text)
        who = node.ports.contacts.keep(row, NOW, name="Leander")
        theirs = NewDocument(f"offer-{'A' * 22}.txt", b"A walk.", "Leander: The canal", folder="x")
        node.library.receive(theirs)
        node.library.add_text("A cello of 1911.", title="Cello")
        chats = node.ports.conversations
        for n, title in enumerate(("What Leander said", "Leanderthal", "The canal, by bram")):
            chats.start(Conversation(ConversationId(f"v_{n}"), title, NOW, NOW))
        path = tmp_path / "open.zip"
        node.home.export(path, ExportOptions(private=False))
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name).decode() for name in archive.namelist()}
        titles = [json.loads(line)["title"] for line in members["conversations.jsonl"].splitlines()]
        assert sorted(titles) == ["", "", "Leanderthal"]
        assert "Cello" in members["documents.jsonl"]
        rest = "".join(members.values()).replace("Leanderthal", "")
        assert [each for each in (who.id, "Leander", "The canal") if each in rest] == []
        assert other.home.take_in(path).documents == 1

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda row: row["said"].pop(1),
            lambda row: row["said"].reverse(),
            lambda row: row["said"][1].update(words=row["said"][0]["words"]),
            lambda row: row["said"][1].update(entry=row["said"][1]["entry"][:-2] + "AA"),
            lambda row: row.update(id="A" * 22),
            lambda row: row.update(said=[]),
            lambda row: row.pop("seats"),
        ],
    )
    def test_a_record_that_was_changed_is_a_sentence_and_changes_nothing(
        self,
        node: Node,
        other: Node,
        tmp_path: Path,
        spoil: Callable[[dict[str, Any]], object],
    ) -> None:
        node.library.add_text("A cello of 1911.", title="Cello")
        table(node)
        rows = exported(node, tmp_path / "all.zip")["tables"]
        spoil(rows[0])
        spoiled = with_rows(tmp_path / "all.zip", tmp_path / "bad.zip", "tables.jsonl", rows)
        before = other.ports.audit.newest()
        with pytest.raises(UnusableArchiveError, match="table"):
            other.home.take_in(spoiled)
        assert other.ports.documents.count() == 0
        assert other.discussing.page(9)[0] == []
        assert other.ports.audit.newest() == before

    def test_struck_words_stay_away_though_an_archive_has_them(
        self, node: Node, other: Node, tmp_path: Path
    ) -> None:
        seats = (NewSeat("twin"),)
        made = node.discussing.open(NewTable(aim="Where?", seats=seats)).discussion.id
        node.discussing.say(made, Typed("Canary seventeen."))
        words = node.ports.discussions.entries(made)[1].words
        node.discussing.strike(made, 1)
        node.discussing.close(made)
        rows = exported(node, tmp_path / "all.zip")["tables"]
        rows[0]["said"][1]["words"] = words
        slipped = with_rows(tmp_path / "all.zip", tmp_path / "slipped.zip", "tables.jsonl", rows)
        other.home.take_in(slipped)
        assert other.ports.discussions.entries(made)[1].words is None
