"""Tables at which the second self, roles and people who type talk: the record, the order, what
fails, what is erased, and what is kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.embed.hashing import HashingEmbedder
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.domain.chat.conversations import Identity
from lpm_kernel.domain.chat.roles import Role, RoleId, Sees
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.share.discussions import DiscussionId, DiscussionState
from lpm_kernel.errors import ConflictError, InvalidInputError, NotFoundError
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.bulk import BulkChange
from lpm_kernel.usecases.library.passages import passages_of
from lpm_kernel.usecases.share import table_steps
from lpm_kernel.usecases.share.tables import NewSeat, NewTable, NextEntry, Sitting, Typed
from protocol.discussion import Entry, Says, Step, Stop, Words
from protocol.ledger import verify
from protocol.refusals import Code
from tests.conftest import MORNING
from tests.scale import many
from tests.scan import traces, windows

SEA = "We went to the sea at Risør in May. The ferry took two hours."
HILLS = "The hills above Kongsberg have a hut with six beds."
AIM = "Where do we go in May?"
ALL = (NewSeat("twin"), NewSeat("role", "cook"), NewSeat("role", "guide"))


@pytest.fixture
def life(node: Node, scripted: ScriptedModel) -> Node:
    """Nagi, with two roles, and a model that plays them."""
    scripted.script = ScriptedModel(
        [("as “Cook”", "I would cook fish soup."), ("as “Guide”", "I agree. The sea it is.")]
    ).script
    node.library.add_text(SEA, title="Sea", tags=["travel"])
    node.library.add_text(HILLS, title="Hills", tags=["travel"])
    node.run_jobs()
    node.ports.conversations.set_identity(Identity("Nagi"))
    for name in ("Cook", "Guide"):
        node.ports.roles.add(
            Role(
                RoleId(name.lower()),
                name,
                "",
                f"You are a {name}.",
                created_at=MORNING,
                updated_at=MORNING,
            )
        )
    return node


def opened(node: Node, seats: Sequence[NewSeat] = ALL, **changed: object) -> DiscussionId:
    wanted = {"aim": AIM, "seats": seats, "rounds": 2} | changed
    return node.discussing.open(NewTable(**wanted)).discussion.id  # type: ignore[arg-type]


def finished(node: Node, table: DiscussionId, most: int = 60) -> Sitting:
    """Take every step that there is to take."""
    for _ in range(most):
        if node.discussing.step(table) is None:
            return node.discussing.get(table)
    raise AssertionError("it does not end")


def steps(sitting: Sitting) -> list[tuple[str, str]]:
    return [(each.step.value, each.fields.get("by", "")) for each in sitting.table.entries[1:]]


class TestTalking:
    def test_three_voices_talk_offline_to_the_end(self, life: Node) -> None:
        done = finished(life, opened(life))
        assert steps(done) == [
            ("turn", "m1"),
            ("turn", "m2"),
            ("turn", "m3"),
            ("turn", "m1"),
            ("turn", "m2"),
            ("turn", "m3"),
            ("summary", ""),
            ("closed", ""),
        ]
        assert done.table.closed is Stop.ROUNDS
        assert done.discussion.state is DiscussionState.CLOSED
        said = [(each, done.table.words.get(each.n)) for each in done.table.entries]
        assert verify(said, whole=True).closed is Stop.ROUNDS

    def test_the_second_self_cites_what_it_says(self, life: Node) -> None:
        done = finished(life, opened(life, aim="How long did the ferry to Risør take?", rounds=1))
        (cited, *_) = done.table.words[1].cites
        assert cited["quote"] in SEA
        assert cited["quote"] in done.text(1)
        assert cited["layer"] == "L0"
        row = done.said[1]
        assert [each["quote_hash"] for each in row.basis]
        assert life.ports.documents.get(DocumentId(row.basis[0]["document"])).title == "Sea"

    def test_who_has_nothing_abstains(self, life: Node) -> None:
        done = finished(
            life, opened(life, [NewSeat("twin")], aim="What is the capital of Peru?", rounds=1)
        )
        assert done.table.entries[1].fields["abstained"]
        assert done.table.words[1].cites == ()
        assert [each["says"] for each in done.table.entries[2].fields["points"]] == [Says.ABSTAINED]

    def test_who_repeats_itself_abstains(self, life: Node) -> None:
        done = finished(life, opened(life, [NewSeat("role", "cook")], rounds=2))
        assert [each.fields["abstained"] for each in done.table.turns] == [False, True]
        assert done.text(2) == "I have nothing to add to what I said."
        (point,) = done.table.entries[3].fields["points"]
        assert (point["turn"], point["says"]) == (1, "said")

    def test_what_only_comes_near_what_another_said_is_not_added(self, life: Node) -> None:
        seats = [NewSeat("twin"), NewSeat("role", "cook")]
        aim = "How long did the ferry to Risør take?"
        done = finished(life, opened(life, seats, aim=aim, rounds=2))
        own = [each for each in done.table.turns if each.fields["by"] == "m1"]
        assert [each.fields["abstained"] for each in own] == [False, True]
        assert done.text(own[1].n) == "I have nothing to add to what I said."

    def test_who_was_called_and_goes_keeps_nobody_from_speaking(self, life: Node) -> None:
        seats = [NewSeat("twin"), NewSeat("role", "cook")]
        table = opened(life, seats, strategy="moderated", rounds=1)
        other = opened(life, seats, rounds=1)
        life.discussing.step(table)
        called = life.discussing.get(table).table.called
        assert called is not None
        life.discussing.leave(table, called)
        while life.discussing.go_on():
            pass
        for each in (table, other):
            assert life.discussing.get(each).discussion.state is DiscussionState.CLOSED
        spoke = {each.fields["by"] for each in life.discussing.get(table).table.turns}
        assert spoke == {"m1", "m2"} - {called}

    def test_agreement_ends_it(self, life: Node) -> None:
        seats = [NewSeat("role", "cook"), NewSeat("role", "guide")]
        done = finished(life, opened(life, seats, rounds=9, stop=["agreement"]))
        assert done.table.closed is Stop.AGREEMENT
        summary = next(each for each in done.table.entries if each.step is Step.SUMMARY)
        assert [(each["by"], each["says"]) for each in summary.fields["points"]] == [
            ("m1", "said"),
            ("m2", "agreed"),
        ]
        assert done.table.words[summary.n].text == ""

    def test_no_new_evidence_ends_it(self, life: Node) -> None:
        done = finished(
            life,
            opened(
                life,
                [NewSeat("twin")],
                aim="How long did the ferry to Risør take?",
                rounds=9,
                stop=["no_new_evidence"],
            ),
        )
        assert done.table.closed is Stop.NO_NEW_EVIDENCE
        assert done.table.round == 2

    def test_time_ends_it(self, life: Node, frozen_clock: FrozenClock) -> None:
        table = opened(life, rounds=9, minutes=5)
        life.discussing.step(table)
        frozen_clock.advance(timedelta(seconds=301))
        done = finished(life, table)
        assert done.table.closed is Stop.TIME
        assert len(done.table.turns) == 1

    @pytest.mark.parametrize("strategy", ["moderated", "free", "debate"])
    def test_each_strategy_ends(self, life: Node, strategy: str) -> None:
        done = finished(life, opened(life, strategy=strategy))
        assert done.table.closed is Stop.ROUNDS
        assert {each.fields["by"] for each in done.table.turns} == {"m1", "m2", "m3"}

    def test_the_person_speaks_at_any_moment_and_is_answered(
        self, life: Node, scripted: ScriptedModel
    ) -> None:
        table = opened(life, [NewSeat("role", "cook")])
        life.discussing.step(table)
        life.discussing.say(table, Typed("Without fish, please.", on=1, stance="disagrees"))
        assert life.discussing.get(table).table.due == []
        life.discussing.step(table)
        assert any("Without fish, please." in each.content for each in scripted.seen[-1])

    def test_others_who_type_have_a_name(self, life: Node) -> None:
        table = opened(life, [NewSeat("twin"), NewSeat("person", name="Jonas")])
        said = life.discussing.say(table, Typed("I have a car.", "m2"))
        assert said.table.members["m2"].name == "Jonas"
        with pytest.raises(InvalidInputError):
            life.discussing.say(table, Typed("I have a car.", "m1"))

    def test_paused_only_the_person_speaks(self, life: Node) -> None:
        table = opened(life)
        life.discussing.pause(table)
        assert life.discussing.step(table) is None
        life.discussing.say(table, Typed("A moment."))
        life.discussing.resume(table)
        assert life.discussing.step(table) is not None

    def test_closed_nobody_speaks(self, life: Node) -> None:
        table = opened(life)
        life.discussing.step(table)
        assert life.discussing.close(table).table.closed is Stop.PERSON
        assert life.discussing.step(table) is None
        with pytest.raises(ConflictError):
            life.discussing.say(table, Typed("But"))


class TestFailing:
    def test_one_fails_and_the_rest_go_on(self, life: Node, scripted: ScriptedModel) -> None:
        scripted.script = ScriptedModel(
            [("as “Cook”", None), ("as “Guide”", "The sea."), (".", "I do not know.")]
        ).script
        done = finished(life, opened(life, rounds=1))
        assert steps(done)[:3] == [("turn", "m1"), ("failed", "m2"), ("turn", "m3")]
        assert done.table.closed is Stop.ROUNDS

    @pytest.mark.parametrize("strategy", ["round_robin", "moderated", "free", "debate"])
    def test_all_fail_and_it_waits_for_the_person(
        self, life: Node, scripted: ScriptedModel, strategy: str
    ) -> None:
        scripted.script = ScriptedModel([(".", None)]).script
        seats = [NewSeat("role", "cook"), NewSeat("role", "guide")]
        table = opened(life, seats, strategy=strategy, rounds=1)
        done = finished(life, table)
        assert done.discussion.state is DiscussionState.PAUSED
        scripted.script = ScriptedModel([(".", "The sea.")]).script
        life.discussing.resume(table)
        assert len(finished(life, table).table.turns) >= 2

    @pytest.mark.parametrize("strategy", ["free", "moderated"])
    def test_one_who_always_fails_keeps_nobody(
        self, life: Node, scripted: ScriptedModel, strategy: str
    ) -> None:
        scripted.script = ScriptedModel([("as “Cook”", None), (".", "The sea.")]).script
        seats = [NewSeat("role", "cook"), NewSeat("role", "guide")]
        done = finished(life, opened(life, seats, strategy=strategy, rounds=3))
        assert done.table.closed is Stop.ROUNDS

    def test_what_can_never_be_said_is_a_failure_and_not_tried_again_at_once(
        self, life: Node
    ) -> None:
        real = life.discussing._speak

        def unsayable(sitting: Sitting, member: str, number: int) -> NextEntry:
            if member == "m1":
                Words.write("a\x00b")  # raises
            made = real(sitting, member, number)
            late = {**made.body, "round": 90}  # the table has no such round
            return replace(made, body=late) if member == "m2" else made

        life.discussing._speak = unsayable  # type: ignore[method-assign]
        done = finished(life, opened(life, rounds=1))
        assert steps(done)[:3] == [("failed", "m1"), ("failed", "m2"), ("turn", "m3")]
        codes = [each.fields["code"] for each in done.table.entries if each.step is Step.FAILED]
        assert codes == [Code.MALFORMED, Code.OVER_BUDGET]
        assert done.table.closed is Stop.ROUNDS

    def test_one_who_begins_and_always_fails_does_not_go_on_for_ever(
        self, life: Node, scripted: ScriptedModel
    ) -> None:
        scripted.script = ScriptedModel([("as “Cook”", None), (".", "The sea.")]).script
        seats = [NewSeat("role", "cook"), NewSeat("role", "guide")]
        table = opened(life, seats, strategy="round_robin", rounds=3)
        waits = finished(life, table)
        assert waits.discussion.state is DiscussionState.PAUSED
        assert [each for each, _ in steps(waits)] == ["failed", "turn", *["failed"] * 3, "paused"]
        life.discussing.leave(table, "m1")
        life.discussing.resume(table)
        assert finished(life, table).table.closed is Stop.ROUNDS

    def test_a_table_that_fails_is_let_be_for_longer_and_longer_and_then_waits(
        self, life: Node, frozen_clock: FrozenClock
    ) -> None:
        bad, good = opened(life, rounds=1), opened(life, rounds=1)
        tried: list[datetime] = []
        real = life.discussing._speak

        def breaks(sitting: Sitting, member: str, number: int) -> NextEntry:
            if sitting.discussion.id != bad:
                return real(sitting, member, number)
            tried.append(frozen_clock.now())
            raise RuntimeError("a fault of ours")

        life.discussing._speak = breaks  # type: ignore[method-assign]
        for _ in range(400):
            life.discussing.go_on()
            frozen_clock.advance(timedelta(seconds=1))
        pauses = [(b - a).total_seconds() for a, b in pairwise(tried)]
        assert pauses == [2, 4, 8, 16, 32]
        assert life.discussing.get(bad).discussion.state is DiscussionState.PAUSED
        assert life.discussing.get(good).table.closed is Stop.ROUNDS

    def test_a_table_whose_summary_cannot_be_added_ends_all_the_same(
        self, life: Node, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        table = opened(life, rounds=1)
        monkeypatch.setattr(
            table_steps, "summary", lambda _: NextEntry(Step.SUMMARY, {"points": 1, "quotes": []})
        )
        assert life.discussing.close(table).table.closed is Stop.PERSON
        other = opened(life, [NewSeat("role", "cook")], rounds=1)
        assert finished(life, other).discussion.state is DiscussionState.PAUSED

    def test_the_person_stays_at_their_own_table(self, life: Node) -> None:
        table = opened(life)
        with pytest.raises(ConflictError, match="own table"):
            life.discussing.leave(table, "me")

    def test_a_role_that_is_deleted_leaves(self, life: Node) -> None:
        table = opened(life)
        life.ports.roles.put_away(RoleId("cook"), MORNING)
        assert steps(finished(life, table))[1] == ("left", "m2")

    def test_killed_in_the_middle_it_goes_on(self, life: Node, home: Path) -> None:
        table = opened(life)
        for _ in range(3):
            life.discussing.step(table)
        before = [each.hash for each in life.discussing.get(table).table.entries]
        again = ScriptedModel([("as “Cook”", "Fish."), (".", "I do not know.")])
        with Node.open(
            home, clock=FrozenClock(MORNING), model=again, embedder=HashingEmbedder()
        ) as other:
            done = finished(other, table)
        assert [each.hash for each in done.table.entries][:4] == before
        assert len(done.table.turns) == 6
        assert [each.hash for each in life.discussing.get(table).table.entries] == [
            each.hash for each in done.table.entries
        ]

    def test_two_processes_take_no_turn_twice(self, life: Node) -> None:
        table = opened(life, rounds=1)
        real = life.discussing._speak

        def beaten(sitting: Sitting, member: str, number: int) -> object:
            made = real(sitting, member, number)
            if len(sitting.table.entries) == 1:
                life.discussing._speak = real  # type: ignore[method-assign]
                life.discussing.step(table)
            return made

        life.discussing._speak = beaten  # type: ignore[method-assign,assignment]
        assert [each for each, _ in steps(finished(life, table))].count("turn") == 3


class TestWhatIsOpened:
    @pytest.mark.parametrize(
        "changed",
        [
            {"aim": " "},
            {"aim": "x" * 8_001},
            {"aim": "a\u0085b"},
            {"seats": []},
            {"seats": [NewSeat("person", name="Jonas")]},
            {"seats": [NewSeat("twin"), NewSeat("twin")]},
            {"seats": [NewSeat("role", "cook"), NewSeat("role", "cook")]},
            {"seats": [NewSeat("twin"), NewSeat("person")]},
            {"seats": [NewSeat("ghost")]},
            {"strategy": "shouting"},
            {"stop": ["never"]},
            {"rounds": 0},
            {"rounds": 101},
            {"minutes": 0},
        ],
    )
    def test_what_is_no_table_is_refused(self, life: Node, changed: dict[str, object]) -> None:
        with pytest.raises(InvalidInputError):
            opened(life, **changed)  # type: ignore[arg-type]
        assert life.discussing.page(10) == ([], None)

    def test_a_role_that_is_not_there(self, life: Node) -> None:
        with pytest.raises(NotFoundError):
            opened(life, [NewSeat("role", "nobody")])

    def test_the_record_can_be_checked_by_anybody(self, life: Node) -> None:
        done = finished(life, opened(life))
        rows = life.ports.discussions.entries(done.discussion.id)
        table = verify(
            (Entry.read(each.entry), None if each.words is None else Words.read(each.words))
            for each in rows
        )
        assert table.head.hash == done.table.head.hash
        assert table.host == life.meeting.keystore.keys.identity.did


def _prompts(model: ScriptedModel) -> str:
    return "\n".join(each.content for seen in model.seen for each in seen)


class TestWhatIsErased:
    def test_struck_words_are_gone_and_the_hashes_stay(self, life: Node, home: Path) -> None:
        table = opened(life)
        life.discussing.say(table, Typed("The marzipan is behind the barometer."))
        done = finished(life, table)
        before = [each.hash for each in done.table.entries]
        words = windows(["The marzipan is behind the barometer."])
        assert traces(home, words)
        struck = life.discussing.strike(table, 1)
        assert [each.hash for each in struck.table.entries][:-1] == before
        assert struck.table.struck == {1}
        assert struck.table.withheld == []
        summary = next(each for each in struck.table.entries if each.step is Step.SUMMARY)
        assert summary.n not in struck.table.words  # it quotes them
        life.run_jobs()
        assert traces(home, words) == []  # while it is open, its log and its backups too

    @pytest.mark.parametrize("how", ["struck", "deleted"])
    def test_a_backup_keeps_and_brings_back_nothing_of_it(
        self, life: Node, home: Path, how: str
    ) -> None:
        table = opened(life, [NewSeat("twin")], rounds=1)
        canary = "The marzipan is behind the barometer."
        life.discussing.say(table, Typed(canary))
        life.discussing.say(table, Typed("And something that stays for good."))
        made = life.home.back_up()
        words = windows([canary])
        if how == "struck":
            life.discussing.strike(table, 1)
        else:
            life.discussing.delete(table)
        with pytest.raises(ConflictError, match="erasure"):
            life.home.restore(made.id)
        life.run_jobs()
        assert life.ports.erasures.unfinished() == []
        assert traces(home, words) == []
        life.home.restore(made.id)
        life.close()
        assert traces(home, words) == []
        with Node.open(home, clock=FrozenClock(MORNING), embedder=HashingEmbedder()) as again:
            if how == "deleted":
                with pytest.raises(NotFoundError):
                    again.discussing.get(table)
            else:
                back = again.discussing.get(table)
                assert back.text(1) == ""
                assert back.text(2) == "And something that stays for good."

    def test_what_was_struck_before_takes_no_second_erasure(self, life: Node) -> None:
        table = opened(life, [NewSeat("twin")], rounds=1)
        life.discussing.say(table, Typed("One."))
        life.discussing.strike(table, 1)
        life.discussing.say(table, Typed("Two."))
        assert len(life.ports.erasures.unfinished()) == 1
        assert set(life.ports.erasures.tombstones()) == {f"{table}.1"}

    def test_an_erased_source_takes_its_words_and_leaves_the_hashes(
        self, life: Node, home: Path
    ) -> None:
        secret = "The walnut box lies under the ninth stair of the mill."
        document = life.library.add_text(secret, title="Box").document
        life.run_jobs()
        table = opened(life, [NewSeat("twin")], aim="Where does the walnut box lie?", rounds=1)
        done = finished(life, table)
        assert "ninth stair" in done.text(1)
        life.home.back_up()
        before = [each.hash for each in done.table.entries]
        life.home.confirm_erasure(life.home.propose_erasure([document.id]).token)
        life.run_jobs()
        after = life.discussing.get(table)
        assert [each.hash for each in after.table.entries] == before
        assert after.text(1) == ""
        assert after.text(0) == "Where does the walnut box lie?"
        life.close()
        assert traces(home, windows([secret], but=["Where does the walnut box lie?"])) == []

    def test_what_was_heard_of_it_goes_too(self, life: Node, scripted: ScriptedModel) -> None:
        secret = life.library.add_text("The box lies under the stair.", title="Box").document
        life.run_jobs()
        scripted.script = ScriptedModel([("as “Cook”", "Under the stair, then.")]).script
        seats = [NewSeat("twin"), NewSeat("role", "cook")]
        table = opened(life, seats, aim="Where does the box lie?", rounds=1)
        life.discussing.say(table, Typed("I wonder, too."))
        finished(life, table)
        life.home.confirm_erasure(life.home.propose_erasure([secret.id]).token)
        after = life.discussing.get(table)
        assert set(after.table.words) == {0, 1}

    def test_what_was_made_private_is_heard_no_more(
        self, life: Node, scripted: ScriptedModel
    ) -> None:
        box = life.library.add_text("The box lies under the stair.", title="Box").document
        life.run_jobs()
        scripted.script = ScriptedModel([("", "Let me think.")]).script
        seats = [NewSeat("twin"), NewSeat("role", "cook")]
        aim = "Where does the box lie?"
        tables = [opened(life, seats, aim=aim, rounds=1) for _ in range(2)]
        for table in tables:
            life.discussing.step(table)
            assert "under the stair" in life.discussing.get(table).text(1)
        heard = finished(life, tables[0])
        assert "under the stair" in _prompts(scripted)
        assert box.id in heard.said[2].documents
        scripted.seen.clear()
        life.library.change_all([box.id], BulkChange(private=True))
        unheard = finished(life, tables[1])
        assert unheard.text(2) == "Let me think."
        assert "stair" not in _prompts(scripted)
        assert all(box.id not in row.documents for row in unheard.said[2:])
        assert unheard.table.entries[2].fields["on"] is None
        summary = next(each for each in unheard.table.entries if each.step is Step.SUMMARY)
        assert "stair" not in unheard.said[summary.n].entry + (unheard.said[summary.n].words or "")
        assert "under the stair" in unheard.text(1)  # the person's own screen has it still
        life.library.change_all([box.id], BulkChange(private=False))
        assert life.discussing.get(tables[1]).heard(1) == unheard.text(1)

    @pytest.mark.parametrize("how", [BulkChange(private=True), BulkChange(delete=True)])
    def test_what_is_made_private_while_it_is_worded_is_not_said(
        self, life: Node, how: BulkChange
    ) -> None:
        secret = life.library.add_text("The box lies under the stair.", title="Box").document
        life.run_jobs()
        table = opened(life, [NewSeat("twin")], aim="Where does the box lie?", rounds=1)
        real = life.discussing._speak

        def hidden(sitting: Sitting, member: str, number: int) -> object:
            made = real(sitting, member, number)
            life.discussing._speak = real  # type: ignore[method-assign]
            life.library.change_all([secret.id], how)
            return made

        life.discussing._speak = hidden  # type: ignore[method-assign,assignment]
        life.discussing.step(table)
        assert "stair" not in life.discussing.get(table).text(1)

    def test_what_is_erased_while_it_is_worded_is_not_said(self, life: Node) -> None:
        secret = life.library.add_text("The box lies under the stair.", title="Box").document
        life.run_jobs()
        table = opened(life, [NewSeat("twin")], aim="Where does the box lie?", rounds=1)
        real = life.discussing._speak

        def erased(sitting: Sitting, member: str, number: int) -> object:
            made = real(sitting, member, number)
            life.discussing._speak = real  # type: ignore[method-assign]
            life.home.confirm_erasure(life.home.propose_erasure([secret.id]).token)
            return made

        life.discussing._speak = erased  # type: ignore[method-assign,assignment]
        life.discussing.step(table)
        assert "stair" not in life.discussing.get(table).text(1)

    def test_a_deleted_table_is_gone(self, life: Node) -> None:
        table = opened(life)
        life.discussing.delete(table)
        with pytest.raises(NotFoundError):
            life.discussing.get(table)
        with pytest.raises(NotFoundError):
            life.discussing.delete(table)


class TestWhatIsKept:
    def test_nothing_said_is_a_memory_until_it_is_kept(self, life: Node) -> None:
        table = opened(life, [NewSeat("role", "cook")], rounds=1)
        life.discussing.say(table, Typed("Ottilie bakes walnut bread on Sundays."))
        finished(life, table)
        life.run_jobs()
        life.reconcile()

        def found() -> list[str]:
            return [item.chunk.text for item in life.memory.recall("Ottilie walnut bread").items]

        assert not any("Ottilie" in text for text in found())
        document = life.discussing.keep(table, 1)
        life.run_jobs()
        assert any("Ottilie" in text for text in found())
        kept = life.ports.documents.get(DocumentId(document))
        assert kept.folder == "from tables"
        assert life.discussing.keep(table, 1) == document
        life.discussing.let_go(table, 1)
        assert not any("Ottilie" in text for text in found())
        with pytest.raises(NotFoundError):
            life.discussing.let_go(table, 1)

    def test_what_a_role_said_is_not_the_person_s(self, life: Node) -> None:
        table = opened(life, [NewSeat("role", "cook")], rounds=1)
        finished(life, table)
        document = life.discussing.keep(table, 1)
        life.run_jobs()
        (chunk,) = passages_of(life.ports.index)(DocumentId(document))
        assert chunk.speaker == "Cook (role)"

    def test_it_is_written_as_markdown(self, life: Node) -> None:
        table = opened(life)
        life.discussing.say(table, Typed("# Not a heading <b>"))
        finished(life, table)
        text = life.discussing.markdown(table)
        assert text.startswith(f"# {AIM}\n")
        assert "\n\\# Not a heading \\<b>\n" in text
        assert "## Summary" in text
        assert life.discussing.get(table).table.head.hash in text


# --- what lies outside changes no byte -----------------------------------------------------------


WORDS = st.sampled_from(["sea", "ferry", "Risør", "May", "hut", "beds", "Kongsberg", "walnut"])
SENTENCES = st.lists(WORDS, min_size=2, max_size=6).map(lambda words: f"The {' '.join(words)}.")


def said_at(home: Path, outside: Sequence[tuple[str, bool]]) -> tuple[object, object]:
    """Open the same table over a home that also holds this, and give what was said and asked."""
    model = ScriptedModel([("as “Cook”", "Fish."), (".", "The ferry took two hours.")])
    clock = FrozenClock(MORNING)
    with Node.open(home, clock=clock, model=model, embedder=HashingEmbedder()) as node:
        node.ports.conversations.set_identity(Identity("Nagi"))
        node.library.add_text(SEA, title="Sea", tags=["travel"])
        for number, (text, private) in enumerate(outside):
            made = node.library.add_text(
                text, title=f"Other {number}", tags=["travel" if private else "work"]
            )
            node.library.relabel(made.document.id, private=private)
        node.run_jobs()
        node.ports.roles.add(
            Role(
                RoleId("cook"),
                "Cook",
                "",
                "Cook.",
                sees=Sees(tags=("travel",)),
                created_at=MORNING,
                updated_at=MORNING,
            )
        )
        table = opened(
            node,
            [NewSeat("twin"), NewSeat("role", "cook")],
            aim="How long did the ferry to Risør take?",
            tags=["travel"],
        )
        done = finished(node, table)
        told = [
            (
                each.step,
                {
                    name: each.fields[name]
                    for name in ("by", "abstained", "on")
                    if name in each.fields
                },
                done.text(each.n),
                [cite.get("quote") for cite in done.table.words[each.n].cites]
                if each.n in done.table.words
                else None,
            )
            for each in done.table.entries
        ]
        return told, [[message.content for message in prompt] for prompt in model.seen]


@settings(max_examples=many(300, 6))
@given(
    # the same text is one document, and what was said of it last holds
    st.lists(
        st.tuples(SENTENCES, st.booleans()), min_size=1, max_size=4, unique_by=lambda each: each[0]
    )
)
def test_what_is_private_or_not_chosen_changes_no_byte_of_what_is_said(
    tmp_path_factory: pytest.TempPathFactory, outside: list[tuple[str, bool]]
) -> None:
    bare = said_at(tmp_path_factory.mktemp("bare") / "home", [])
    assert said_at(tmp_path_factory.mktemp("full") / "home", outside) == bare
    assert json.dumps(bare, default=str).count("two hours")
