"""What becomes of words that were erased, struck or made private at a table with contacts, and of
what this person allowed it: at a contact's table, with a host who says what it likes, and at one of
this node, with a guest who does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.share.discussions import (
    DiscussionId,
    TableContactState,
    left_name,
    struck_name,
)
from lpm_kernel.domain.share.network import Arrived, OutboxRow, OutboxState
from lpm_kernel.node import Node
from lpm_kernel.peer.process import verbs_off
from lpm_kernel.usecases.library.bulk import BulkChange
from lpm_kernel.usecases.share.answering import PeerReply
from lpm_kernel.usecases.share.outgoing import message_of, new_id
from lpm_kernel.usecases.share.table_guests import own_of
from lpm_kernel.usecases.share.tables import NewSeat, NewTable, NextEntry, Typed
from protocol import handing
from protocol.discussion import Entry, Step, Words
from protocol.identity import Did
from protocol.ledger import Said
from protocol.messages import Message, Verb
from protocol.scope import Form, Layer, RowKind, Scope
from protocol.table_grants import TableGrant
from tests.asking import ASKER, OWNER, befriended
from tests.conftest import MORNING
from tests.integration.test_table_attacks import HUT, Host

SIX_BEDS = "six beds"


@pytest.fixture
def bram(node: Node) -> Node:
    """A node with something to say under a tag."""
    node.ports.change_settings(tables_with_contacts=True)
    node.ports.conversations.set_identity(Identity("Bram"))
    node.library.add_text(HUT, title="Hut", tags=["travel"])
    node.run_jobs()
    return node


@pytest.fixture
def host(bram: Node) -> Host:
    made = Host(bram)
    made.opens()
    made.seats()
    made.said.append(made.turn("To the sea.", 1))
    return made


def hut(node: Node) -> DocumentId:
    [document] = [each for each in node.ports.documents.all() if each.title == "Hut"]
    return document.id


def erase_hut(node: Node) -> None:
    node.home.confirm_erasure(node.home.propose_erasure([hut(node)]).token)
    node.run_jobs()


def own_steps(host: Host) -> list[str]:
    [there] = host.node.discussing.company.there(DiscussionId(host.table))
    return [each["step"] for each in there.own]


def everything(node: Node, table: str) -> str:
    """Give all that is kept of a table: its record, what is under way, and messages."""
    here = node.ports
    rows = [each.words or "" for each in here.discussions.entries(DiscussionId(table))]
    own = [str(each.own) for each in here.discussions.contacts_at(DiscussionId(table))]
    came = [f"{each.json}{each.answer}" for each in here.post.inbox(limit=99)[0]]
    sent = [f"{each.signed!r}{each.receipt}" for each in here.post.outbox(limit=99)[0]]
    return "".join([*rows, *own, *came, *sent])


class TestAtATableOfAContact:
    def test_words_that_are_erased_under_way_do_not_come_back(self, host: Host) -> None:
        first = host.asks(1)
        entry = host.takes(first)
        assert SIX_BEDS in str(first.body)
        erase_hut(host.node)
        assert SIX_BEDS not in everything(host.node, host.table)
        host.said.pop()
        assert host.asks(1).code == "out_of_scope"  # nothing else is said in its place
        host.said.append((entry, Words.read(str((first.body or {})["words"]))))
        assert host.says("news").body == {"have": 5}  # the host had it already
        assert SIX_BEDS not in everything(host.node, host.table)
        assert own_steps(host) == ["struck"]
        struck = host.takes(host.says("word", by="guest", step="struck"))
        assert struck.fields["entry"] == entry.n
        assert host.says("news").body == {"have": 6}
        assert own_steps(host) == []

    def test_what_is_erased_before_it_got_in_is_made_anew(self, host: Host) -> None:
        host.asks(1)
        erase_hut(host.node)
        host.said.append(host.entry(Step.PAUSED))
        host.said.append(host.entry(Step.RESUMED))
        host.takes(host.asks(1))
        words = host.said[-1][1]
        assert words is not None
        assert SIX_BEDS not in words.text
        assert host.says("news").body == {"have": 7}
        assert own_steps(host) == []

    def test_what_is_made_private_under_way_is_said_no_more_and_struck(self, host: Host) -> None:
        first = host.asks(1)
        host.node.library.change_all([hut(host.node)], BulkChange(private=True))
        assert host.asks(1).code == "out_of_scope"
        entry = host.takes(first)
        assert host.says("news").body == {"have": 5}
        assert host.node.discussing.get(DiscussionId(host.table)).text(entry.n) == ""
        assert own_steps(host) == ["struck"]

    def test_who_asks_again_for_what_was_erased_is_told_so(self, host: Host) -> None:
        host.asks(1)
        [row] = [each for each in host.node.ports.post.inbox(limit=99)[0] if "turn" in each.json]
        answer = {"have": 4, "entry": "e", "words": _own_words(host)}
        now = host.node.ports.clock.now()
        documents = [str(hut(host.node))]
        host.node.ports.post.answer(row.issuer, row.id, now, answer, documents=documents)
        erase_hut(host.node)
        after = host.node.ports.post.arrived(row.issuer, row.id)
        assert after is not None
        assert (after.answer, after.code, after.json) == (None, "out_of_scope", "")

    def test_leaving_takes_the_permission_back_also_in_a_backup(
        self, host: Host, home: Path
    ) -> None:
        table = DiscussionId(host.table)
        made = host.node.home.back_up()
        host.node.discussing.leave(table, "guest")
        assert left_name(table) in host.node.ports.erasures.tombstones()
        host.node.home.restore(made.id)
        host.node.close()
        with Node.open(home, clock=FrozenClock(MORNING), embedder=HashingEmbedder()) as again:
            [there] = again.discussing.company.there(table)
            assert there.state is TableContactState.LEFT
            assert there.revoked_at is not None
            back = Host(again, table=host.table, said=host.said)
            assert back.asks(1).code == "revoked"

    @pytest.mark.parametrize("step", ["turn", "left", "struck"])
    def test_nothing_is_signed_in_a_record_of_another_length(self, host: Host, step: str) -> None:
        for n in (3, 5):
            assert host.says("word", by="guest", step=step, round=1, n=n).body == {"have": 4}
        assert own_steps(host) == []
        assert host.node.discussing.company.there(DiscussionId(host.table))[0].turns == 0

    def test_a_host_who_lost_entries_gets_them_without_what_is_not_open(self, host: Host) -> None:
        host.takes(host.asks(1))
        host.says("news")
        lost = host.sends({"behind": {"table": host.table, "n": 3}})
        assert lost.body is not None
        assert lost.body["have"] == 5
        assert handing.read(lost.body["entries"]) == host.said[3:]
        host.node.library.change_all([hut(host.node)], BulkChange(private=True))
        told = host.sends({"behind": {"table": host.table, "n": 3}}).body
        assert told is not None
        assert SIX_BEDS not in str(told)
        assert len(told["entries"]) == 2

    def test_the_answer_to_who_lost_entries_goes_with_their_words(self, host: Host) -> None:
        host.takes(host.asks(1))
        host.says("news")
        reply = host.sends({"behind": {"table": host.table, "n": 3}})
        [row] = [each for each in host.node.ports.post.inbox(limit=99)[0] if "behind" in each.json]
        now = host.node.ports.clock.now()
        host.node.ports.post.answer(row.issuer, row.id, now, reply.body, documents=reply.documents)
        assert SIX_BEDS in everything(host.node, host.table)
        erase_hut(host.node)
        assert SIX_BEDS not in everything(host.node, host.table)

    def test_who_has_only_been_invited_gives_nothing_back(self, host: Host) -> None:
        other = Host(host.node)
        other.opens()
        other.says("seat", members=["guest"])
        assert other.sends({"behind": {"table": other.table, "n": 1}}).code == "no_grant"

    def test_who_leaves_while_a_turn_is_made_says_nothing_more(self, host: Host) -> None:
        table = DiscussionId(host.table)
        [there] = host.node.discussing.company.there(table)
        host.node.discussing.leave(table, "guest")
        made = own_of(NextEntry(Step.TURN, {}, Words.write("The hut.")), "guest", 1)
        here = host.node.ports.discussions
        assert not here.put_own(table, there.contact, made)
        assert not here.put_own(table, there.contact, made, 9)
        assert "turn" not in own_steps(host)

    def test_leaving_drops_no_strike(self, host: Host) -> None:
        entry = host.takes(host.asks(1))
        host.says("news")
        host.node.discussing.strike(DiscussionId(host.table), entry.n)
        host.node.discussing.leave(DiscussionId(host.table), "guest")
        assert host.takes(host.says("word", by="guest", step="struck")).step is Step.STRUCK

    def test_words_are_struck_after_the_end(self, host: Host) -> None:
        table = DiscussionId(host.table)
        turn = host.takes(host.asks(1))
        quote = {"turn": turn.n, "quote": "hut"}
        summary = host.entry(Step.SUMMARY, Words.write("", (quote,)), points=[], quotes=[turn.n])
        host.said.append(summary)
        host.said.append(host.entry(Step.CLOSED, why="person"))
        assert host.says("news").body == {"have": 7}
        host.node.discussing.strike(table, turn.n)
        host.node.discussing.strike(table, turn.n)  # it is on its way
        assert own_steps(host) == ["struck"]
        assert set(host.node.discussing.get(table).table.words) == {0, 3}
        assert host.says("news").body == {"have": 7}  # all of it once more
        assert set(host.node.discussing.get(table).table.words) == {0, 3}
        assert host.takes(host.says("word", by="guest", step="struck")).step is Step.STRUCK
        assert host.says("news").body == {"have": 8}
        assert host.node.discussing.get(table).table.struck == {turn.n}
        assert own_steps(host) == []

    def test_what_is_erased_is_not_quoted_any_more_either(self, host: Host) -> None:
        turn = host.takes(host.asks(1))
        quote = {"turn": turn.n, "quote": SIX_BEDS}
        summary = host.entry(Step.SUMMARY, Words.write("", (quote,)), points=[], quotes=[turn.n])
        host.said.append(summary)
        host.said.append(host.entry(Step.CLOSED, why="person"))
        assert host.says("news").body == {"have": 7}
        erase_hut(host.node)
        assert SIX_BEDS not in everything(host.node, host.table)
        assert host.says("news").body == {"have": 7}  # handed again, and not kept
        rows = host.node.ports.discussions.entries(DiscussionId(host.table))
        assert not any(SIX_BEDS in (each.words or "") for each in rows)

    def test_killed_before_it_could_strike_it_does_so_later(self, host: Host) -> None:
        table = DiscussionId(host.table)
        turn = host.takes(host.asks(1))
        host.says("news")
        now = host.node.ports.clock.now()
        host.node.ports.discussions.drop_words(table, {turn.n}, now)
        assert own_steps(host) == []
        host.says("news")
        assert own_steps(host) == ["struck"]

    def test_what_is_struck_goes_as_other_strikes_do(self, host: Host) -> None:
        table = DiscussionId(host.table)
        turn = host.takes(host.asks(1))
        host.says("news")
        waits = _waiting(host)
        assert SIX_BEDS in everything(host.node, host.table)
        host.node.discussing.strike(table, turn.n)
        assert SIX_BEDS not in everything(host.node, host.table)
        assert struck_name(table, turn.n) in host.node.ports.erasures.tombstones()
        assert len(host.node.ports.erasures.unfinished()) == 1
        # what else came with the message is still read
        assert host.node.replying.reply(ASKER.did, waits).body == {"have": 5}

    def test_nothing_more_is_kept_before_somebody_sits_down(self, host: Host) -> None:
        other = Host(host.node)
        other.opens()
        assert other.says("seat", members=["guest"]).body == {"have": 1}
        other.said.append(other.turn("To the sea.", 1))
        assert other.says("seat", members=["guest"]).body == {"have": 1}
        assert other.says("news").code == "no_grant"
        assert len(host.node.ports.discussions.entries(DiscussionId(other.table))) == 1
        host.node.discussing.company.decline(DiscussionId(other.table))
        assert other.says("seat", members=["guest"]).code == "no_grant"

    @pytest.mark.parametrize("most", [256, 600])
    def test_a_turn_fits_into_few_bytes_and_is_spent(self, bram: Node, most: int) -> None:
        host = Host(bram)
        host.opens(bytes=most)
        host.seats()
        host.said.append(host.turn("To the hut, as Bram says.", 1))
        host.takes(host.asks(1))
        words = host.said[-1][1]
        assert words is not None
        assert len(words.json.encode()) <= most
        [there] = bram.discussing.company.there(DiscussionId(host.table))
        assert there.turns == 1


def _own_words(host: Host) -> str:
    [there] = host.node.discussing.company.there(DiscussionId(host.table))
    return str(there.own[0]["words"])


def _waiting(host: Host) -> str:
    """Have a message come in that is not answered yet. Returns its id."""
    body = {"news": {"table": host.table, "entries": handing.hand(host.said)}}
    message = Message(new_id(), ASKER.did, OWNER.did, host.now, host.now + 60, Verb.DISCUSS, body)
    json = message.json().decode()
    arrived = Arrived(ASKER.did, message.id, b"d" * 32, host.now + 60, "discuss", json)
    host.node.ports.post.claim(arrived, host.node.ports.clock.now())
    return message.id


@dataclass
class Guest:
    """A contact at a table of a node, with keys of their own."""

    node: Node
    table: DiscussionId
    said: list[Said] = field(default_factory=list)

    @property
    def now(self) -> int:
        return int(self.node.ports.clock.now().timestamp())

    @property
    def waiting(self) -> list[OutboxRow]:
        rows = self.node.ports.post.outbox(limit=99, verb="discuss")[0]
        return [each for each in rows if each.state is OutboxState.WAITING]

    def asked(self) -> tuple[str, dict[str, Any]]:
        """Have the table go on until this one is asked; take what is handed."""
        for _ in range(20):
            self.node.discussing.go_on()
            if self.waiting:
                break
        [row] = self.waiting
        [(what, body)] = message_of(row).body.items()
        host = Did(self.node.meeting.keystore.keys.identity.did)
        came = handing.read(body.get("entries", ()))
        taken = handing.take((self.table, host), self.said, came, self.now)
        self.said = [(each, taken.words.get(each.n)) for each in taken.entries]
        return what, dict(body)

    def answers(self, entry: Said | None = None) -> None:
        have = len(self.said)
        receipt: dict[str, Any] = {"have": have}
        if entry is not None:
            receipt["entry"] = entry[0].text
            receipt |= {} if entry[1] is None else {"words": entry[1].json}
        [row] = self.waiting
        self.node.ports.post.settle(row.id, OutboxState.ANSWERED, receipt)

    def writes(self, step: Step, words: Words | None = None, /, **body: object) -> Said:
        body |= {} if words is None else {"words": words.hash}
        place = self.said[-1][0].place
        return Entry.write(ASKER, self.table, place, self.now, step, **body), words

    def sends(self, body: dict[str, Any]) -> PeerReply:
        message = Message(
            new_id(), ASKER.did, OWNER.did, self.now, self.now + 60, Verb.DISCUSS, body
        )
        json = message.json().decode()
        arrived = Arrived(ASKER.did, message.id, b"d" * 32, self.now + 60, "discuss", json)
        self.node.ports.post.claim(arrived, self.node.ports.clock.now())
        return self.node.replying.reply(ASKER.did, message.id)

    def sits(self) -> None:
        assert self.asked()[0] == "seat"
        assert len(self.said) == 1  # who does not sit down is handed nothing more
        self.answers()
        scope = Scope(
            frozenset({"travel"}),
            frozenset(RowKind),
            frozenset({Layer.SAID}),
            None,
            None,
            Form.EXCERPT,
            "a table",
        )
        host = Did(self.node.meeting.keystore.keys.identity.did)
        grant = TableGrant(
            new_id(), ASKER.did, host, self.table, self.now, self.now + 999, scope, 9, 40_000, 400
        )
        text = grant.write(ASKER)
        assert self.sends({"accept": {"table": self.table, "grant": text}}).body
        for member in ("m2", "m2-types"):
            what, body = self.asked()
            assert (what, body["by"], body["step"]) == ("word", member, "joined")
            self.answers(self.writes(Step.JOINED, by=member, grant=grant.id))


@pytest.fixture
def guest(bram: Node) -> Guest:
    contact = befriended(bram)
    seats = (NewSeat("twin"), NewSeat("twin", contact=contact))
    table = NewTable("Is the road to the hut open?", seats, rounds=2, tags=["travel"])
    made = Guest(bram, bram.discussing.open(table).discussion.id)
    made.sits()
    return made


class TestAtATableOfThisNode:
    def test_what_is_made_private_is_not_handed_any_more(self, guest: Guest) -> None:
        node = guest.node
        for _ in range(9):  # both of the guest are there, the second self spoke, the guest is asked
            node.discussing.go_on()
        [asked] = guest.waiting
        assert SIX_BEDS in str(message_of(asked).body)
        assert node.ports.post.goes(asked.id)
        node.library.change_all([hut(node)], BulkChange(private=True))
        assert not node.ports.post.goes(asked.id)
        assert SIX_BEDS not in str(guest.asked()[1])
        assert SIX_BEDS not in everything(node, guest.table)
        assert any(each.step is Step.STRUCK for each, _ in guest.said)

    def test_struck_words_stay_in_no_message(self, guest: Guest) -> None:
        node = guest.node
        node.discussing.say(guest.table, Typed("The marzipan is behind the barometer."))
        for _ in range(9):
            node.discussing.go_on()
        [before] = guest.waiting
        assert "marzipan" in str(message_of(before).body)
        turns = node.discussing.get(guest.table).table.turns
        [typed] = [each.n for each in turns if each.fields["by"] == "me"]
        node.discussing.strike(guest.table, typed)
        assert "marzipan" not in everything(node, guest.table)
        what, body = guest.asked()  # anew, and nothing failed
        assert (what, body["by"], body["step"]) == ("word", "m2-types", "joined")
        assert "marzipan" not in str(body)
        guest.answers(guest.writes(Step.JOINED, by="m2-types", grant=None))
        node.discussing.go_on()
        assert "m2-types" in node.discussing.get(guest.table).table.present

    def test_a_table_that_is_deleted_is_sent_no_more(self, guest: Guest) -> None:
        for _ in range(9):
            guest.node.discussing.go_on()
        assert guest.waiting
        guest.node.discussing.delete(guest.table)
        assert guest.waiting == []

    def test_where_it_is_off_nothing_of_it_is_sent(self, guest: Guest) -> None:
        post, settings = guest.node.ports.post, guest.node.ports.settings
        guest.asked()
        assert [each.verb for each in post.due(guest.now, but=verbs_off(settings))] == ["discuss"]
        guest.node.ports.change_settings(tables_with_contacts=False)
        assert post.due(guest.now, but=verbs_off(guest.node.ports.settings)) == []

    def test_a_closed_table_is_looked_at_only_where_somebody_lacks_something(
        self, guest: Guest
    ) -> None:
        node, here = guest.node, guest.node.ports.discussions
        node.discussing.close(guest.table)
        guest.asked()
        assert here.hosted() == []  # it waits for the answer
        guest.answers()
        assert here.hosted() == [guest.table]
        node.discussing.go_on()
        while guest.waiting:
            guest.asked()
            guest.answers()
            node.discussing.go_on()
        assert here.hosted() == []
        node.discussing.strike(guest.table, 0)
        assert here.hosted() == [guest.table]
        assert guest.asked()[0] == "news"
        assert guest.said[-1][0].step is Step.STRUCK

    def test_what_is_erased_after_the_end_is_struck(self, guest: Guest) -> None:
        node, here = guest.node, guest.node.ports.discussions
        what, body = guest.asked()
        assert (what, body["step"]) == ("word", "turn")
        guest.answers()
        node.discussing.close(guest.table)
        node.discussing.go_on()
        while guest.waiting:
            guest.asked()
            guest.answers()
            node.discussing.go_on()
        assert here.hosted() == []
        erase_hut(node)
        assert here.hosted() == [guest.table]
        guest.asked()
        assert guest.said[-1][0].step is Step.STRUCK
        assert SIX_BEDS not in "".join(each.json for _, each in guest.said if each is not None)
