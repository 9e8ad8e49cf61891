"""What a host may try with a member of its table, one test each, past the wire: refused with its
code, and the record of the member stands as it did. And what a member says is the same to the byte
with and without what was not granted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.share.discussions import DiscussionId
from lpm_kernel.domain.share.network import Arrived
from lpm_kernel.errors import ConflictError
from lpm_kernel.node import Node
from lpm_kernel.usecases.share.answering import PeerReply
from lpm_kernel.usecases.share.outgoing import new_id
from lpm_kernel.usecases.share.table_joining import TableForm
from lpm_kernel.usecases.share.tables import NewSeat, NewTable
from protocol import handing
from protocol.discussion import Entry, Step, Words
from protocol.identity import Did
from protocol.ledger import Said
from protocol.messages import Message, Verb
from tests.asking import ASKER, OWNER, befriended
from tests.scale import many

HUT = "The hut above Kongsberg has six beds. In May the road to the hut is open."
AIM = "Is the road to the hut open in May?"
FORM = TableForm(tags=("travel",), turns=2)


@dataclass
class Host:
    """A host who says what it likes, with the keys of a contact."""

    node: Node
    table: str = field(default_factory=new_id)
    said: list[Said] = field(default_factory=list)

    def __post_init__(self) -> None:
        befriended(self.node)
        self.me = Did(self.node.meeting.keystore.keys.identity.did)

    @property
    def now(self) -> int:
        return int(self.node.ports.clock.now().timestamp())

    def entry(self, step: Step, words: Words | None = None, /, **body: object) -> Said:
        after = self.said[-1][0].place if self.said else None
        body |= {} if words is None else {"words": words.hash}
        return Entry.write(ASKER, self.table, after, self.now, step, **body), words

    def opens(self, **changed: object) -> None:
        seats = [(ASKER.did, "host", "twin"), (self.me, "guest", "twin"), (self.me, "p", "person")]
        members = [
            {"id": name, "did": did, "kind": kind, "name": name} for did, name, kind in seats
        ]
        rules: dict[str, object] = {"members": members, "strategy": "round_robin", "rounds": 9}
        rules |= {"stop": ["rounds"], "turns": 9, "total": 30, "bytes": 20_000, "tokens": 200}
        rules |= {"exp": self.now + 3_600, **changed}
        aim = Words.write(AIM, random=lambda size: b"a" * size)
        self.said = [self.entry(Step.OPENING, aim, **rules)]

    def turn(self, text: str, number: int, by: str = "host") -> Said:
        words = Words.write(text, random=lambda size: b"t" * size)
        body = {"by": by, "round": number, "abstained": False, "on": None, "stance": None}
        return self.entry(Step.TURN, words, **body, quotes=[])

    def says(self, what: str, said: list[Said] | None = None, **more: object) -> PeerReply:
        handed = handing.hand(self.said if said is None else said)
        if what == "word":
            more = {"n": len(self.said), **more}
        return self.sends({what: {"table": self.table, "entries": handed, **more}})

    def sends(self, body: dict[str, Any]) -> PeerReply:
        message = Message(
            new_id(), ASKER.did, OWNER.did, self.now, self.now + 60, Verb.DISCUSS, body
        )
        json = message.json().decode()
        arrived = Arrived(ASKER.did, message.id, b"d" * 32, self.now + 60, "discuss", json)
        self.node.ports.post.claim(arrived, self.node.ports.clock.now())
        return self.node.replying.reply(ASKER.did, message.id)

    def asks(self, number: int) -> PeerReply:
        return self.says("word", by="guest", step="turn", round=number)

    def takes(self, reply: PeerReply) -> Entry:
        assert reply.body is not None, reply.code
        words = reply.body.get("words")
        entry = Entry.read(reply.body["entry"])
        self.said.append((entry, None if words is None else Words.read(words)))
        return entry

    def seats(self) -> None:
        assert self.says("seat", members=["guest", "p"]).body == {"have": 1}
        self.node.discussing.company.accept(DiscussionId(self.table), FORM)
        for by in ("guest", "p"):
            self.takes(self.says("word", by=by, step="joined"))

    @property
    def head(self) -> str:
        return self.node.discussing.get(DiscussionId(self.table)).table.head.hash


@pytest.fixture
def host(node: Node) -> Host:
    node.ports.change_settings(tables_with_contacts=True)
    node.ports.conversations.set_identity(Identity("Bram"))
    node.library.add_text(HUT, title="Hut", tags=["travel"])
    node.run_jobs()
    made = Host(node)
    made.opens()
    made.seats()
    made.said.append(made.turn("To the sea.", 1))
    return made


def test_a_repeat_is_answered_with_the_same_bytes_and_spent_once(host: Host) -> None:
    first, second = host.asks(1), host.asks(1)
    assert first.body == second.body
    entry = host.takes(second)
    assert entry.fields["by"] == "guest"
    assert host.node.discussing.company.there(DiscussionId(host.table))[0].turns == 1


def test_another_entry_between_has_the_same_words_signed_for_the_next_place(host: Host) -> None:
    first = host.asks(1)
    host.said.append(host.entry(Step.PAUSED))
    assert host.asks(1).code == "out_of_scope"
    host.said.append(host.entry(Step.RESUMED))
    second = host.asks(1)
    assert first.body is not None
    assert second.body is not None
    assert first.body["words"] == second.body["words"]
    assert host.takes(second).n == 6
    assert host.node.discussing.company.there(DiscussionId(host.table))[0].turns == 1


def test_what_a_host_may_not_do(host: Host) -> None:
    before = host.node.discussing.get(DiscussionId(host.table)).table.head.hash
    good = list(host.said)
    forged = host.turn("I pay for everybody.", 1, by="guest")
    words = Words.write("Something else.")
    rewritten = (good[3][0], words)
    other = Host(host.node, table=host.table)
    other.opens(rounds=3)
    for said, code in (
        ([*good, forged], "sender_mismatch"),  # signs for another
        ([*good[:3], rewritten], "bad_signature"),  # rewrites
        (other.said, "replay"),  # another table under this id
        ([*good, host.entry(Step.CLOSED, why="rounds")], "sender_mismatch"),  # not so
        (
            [*good, host.entry(Step.SUMMARY, Words.write(""), points=[
                {"by": "guest", "turn": 3, "says": "agreed"}], quotes=[])],
            "sender_mismatch",
        ),  # said what was not said
    ):  # fmt: skip
        assert host.says("news", said).code == code
        assert host.head == before
    assert host.asks(1).body
    assert host.says("word", by="host", step="turn", round=1).code == "no_grant"
    assert host.says("word", by="p", step="turn").code == "out_of_scope"
    assert host.says("word", by="guest", step="struck").code == "out_of_scope"


def test_a_fork_does_not_go_on_at_who_has_the_other_branch(host: Host) -> None:
    host.takes(host.asks(1))
    assert host.says("news").body == {"have": 5}
    fork = Host(host.node, table=host.table, said=host.said[:4])
    fork.said.append(fork.entry(Step.FAILED, by="guest", code="busy"))
    assert fork.says("news").code == "replay"


def test_turns_over_budget_after_leaving_and_at_other_tables(host: Host) -> None:
    for number in (1, 2):
        host.takes(host.asks(number))
        host.said.append(host.turn(f"On we go, {number}.", number + 1))
    assert host.asks(3).code == "over_budget"
    host.node.discussing.leave(DiscussionId(host.table), "guest")
    assert host.asks(3).code == "revoked"
    assert host.takes(host.says("word", by="guest", step="left")).step is Step.LEFT
    other = Host(host.node)
    other.opens()
    assert other.asks(1).code == "no_grant"
    assert other.says("seat", members=["guest"]).body == {"have": 1}
    assert other.asks(1).code == "no_grant"  # nobody sat down


def test_an_old_table_and_too_many_invitations(host: Host) -> None:
    old = Host(host.node)
    old.opens(exp=old.now + 1)
    old.said = [(Entry.write(ASKER, old.table, None, old.now - 9_000, Step.OPENING, **{
        name: each for name, each in old.said[0][0].fields.items()
        if name not in {"v", "table", "n", "prev", "iss", "ts", "step", "exp"}
    }, exp=old.now - 8_000), old.said[0][1])]  # fmt: skip
    assert old.says("seat", members=["guest"]).code == "expired"
    codes = []
    for _ in range(22):
        more = Host(host.node)
        more.opens()
        codes.append(more.says("seat", members=["guest"]).code)
    assert codes == [""] * 20 + ["busy"] * 2


def test_who_deleted_a_table_is_not_asked_to_it_again(host: Host) -> None:
    host.node.discussing.delete(DiscussionId(host.table))
    assert host.says("seat", members=["guest"]).code == "no_grant"
    assert host.asks(1).code == "no_grant"


WORDS = ["hut", "road", "May", "beds", "Kongsberg", "sea", "open", "six"]


@settings(max_examples=many(300, 4), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_what_was_not_granted_changes_no_byte_of_what_is_said(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    dice, said = Random(seed), []
    granted = [" ".join(dice.choices(WORDS, k=6)).capitalize() + "." for _ in range(3)]
    more = [" ".join(dice.choices(WORDS, k=6)).capitalize() + "!" for _ in range(3)]
    for extra in ([], more):
        folder = tmp_path_factory.mktemp("world")
        with Node.open(folder, embedder=HashingEmbedder(), model=ScriptedModel([])) as node:
            node.ports.change_settings(tables_with_contacts=True)
            node.ports.conversations.set_identity(Identity("Bram"))
            for number, text in enumerate(granted):
                node.library.add_text(text, title=f"Note {number}", tags=["travel"])
            for number, text in enumerate(extra):
                tags = [["diary"], [], ["work"]][number]
                node.library.add_text(text, title=f"Diary {number}", tags=tags)
            node.run_jobs()
            host = Host(node)
            host.opens()
            host.seats()
            host.said.append(host.turn("The road to the hut.", 1))
            host.takes(host.asks(1))
            words = host.said[-1][1]
            assert words is not None
            cites = [
                {name: each for name, each in cite.items() if name not in {"item", "at"}}
                for cite in words.cites
            ]
            said.append((words.text, cites, host.said[-1][0].fields["abstained"]))
    assert said[0] == said[1]


def test_a_node_where_it_is_off_knows_nothing_of_tables_but_of_those_it_shares(host: Host) -> None:
    host.node.ports.change_settings(tables_with_contacts=False)
    other = Host(host.node)
    other.opens()
    assert other.says("seat", members=["guest", "p"]).code == "unsupported_version"
    assert host.asks(1).code == "busy"
    seat = NewSeat("twin", contact="p_0000000000000000")
    with pytest.raises(ConflictError, match="off"):
        host.node.discussing.open(NewTable("Where?", (seat,), tags=("travel",)))
