"""A table with a contact goes on at a pace: hands are told until they were asked for, nobody holds
it up for good, and who makes no progress is let be.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lpm_kernel.domain.share.discussions import TableContactState
from lpm_kernel.domain.share.network import OutboxState
from lpm_kernel.usecases.share.answering import PeerReply
from lpm_kernel.usecases.share.outgoing import Signing, queue
from lpm_kernel.usecases.share.table_answers import TRIES
from lpm_kernel.usecases.share.tables import Typed
from protocol.discussion import Speaker, Step
from protocol.messages import Verb
from tests.passing import FORM, Pair, asked, at, contact, passed, settle, two, waiting

ACCEPTED, LEFT = TableContactState.ACCEPTED, TableContactState.LEFT


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with two(tmp_path) as made:
        yield made


def tells(pair: Pair, **body: object) -> None:
    """Have the guest's node say something to the host."""
    node = pair.guest
    signing = Signing(node.ports.post, node.meeting.keystore, pair.clock)
    queue(signing, contact(node), Verb.DISCUSS, body)
    passed(node, pair.host)


def steps(pair: Pair, table: object) -> list[tuple[str, str]]:
    sitting = pair.host.discussing.get(table)  # type: ignore[arg-type]
    return [(each.step.value, each.fields.get("by", "")) for each in sitting.table.entries[1:]]


# --- hands ---------------------------------------------------------------------------------------


def test_a_hand_is_up_until_its_entry_is_there(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.host.discussing.pause(table)
    pair.guest.discussing.say(table, Typed("I would rather stay at home."))
    passed(pair.guest, pair.host)
    pair.host.discussing.go_on()
    assert asked(pair.host) == ["word"]
    pair.later(91)  # the guest is off
    pair.host.discussing.go_on()
    assert at(pair.host, table).hands == ({"by": "m2-types", "step": "turn"},)
    for _ in range(3):
        pair.goes_on(60)
    [typed] = pair.host.discussing.get(table).table.turns[-1:]
    assert typed.fields["by"] == "m2-types"
    assert at(pair.host, table).hands == ()


def test_a_hand_is_told_again_until_it_was_asked_for(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.host.discussing.pause(table)
    pair.guest.discussing.say(table, Typed("I would rather stay at home."))
    [hand] = waiting(pair.guest)
    pair.guest.ports.post.tried(hand.id, hand.next_try + 20_000)  # the host is off
    pair.later(601)
    pair.guest.discussing.go_on()
    assert [row.id for row in waiting(pair.guest)] == [hand.id]  # the same one, now
    passed(pair.guest, pair.host)
    pair.host.ports.discussions.lower_hand(
        table, contact(pair.host).id, {"by": "m2-types", "step": "turn"}
    )  # as a backup of the host knows nothing of it
    pair.later(300)
    pair.guest.discussing.go_on()
    assert asked(pair.guest) == []
    pair.later(301)
    pair.guest.discussing.go_on()
    assert asked(pair.guest) == ["hand"]
    for _ in range(3):
        pair.goes_on(1)
    assert pair.host.discussing.get(table).table.turns[-1].fields["by"] == "m2-types"
    pair.goes_on(601)
    assert asked(pair.guest) == []
    rows, _ = pair.guest.ports.post.outbox(limit=99, verb="discuss")
    assert len([row for row in rows if row.state is not OutboxState.WAITING]) <= 2  # and accept


def test_two_things_that_were_typed_both_get_in_in_their_order(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    for text in ("Not too far.", "And not by ferry."):
        pair.guest.discussing.say(table, Typed(text))
    passed(pair.guest, pair.host)
    pair.host.discussing.go_on()
    pair.host.discussing.say(table, Typed("Hear, hear."))  # it comes between
    mine, theirs = pair.ends(table)
    typed = [
        each.n
        for each in mine.table.turns
        if mine.table.members[each.fields["by"]].kind is Speaker.PERSON
    ]
    told = ["Hear, hear.", "Not too far.", "And not by ferry."]
    assert [theirs.text(n) for n in typed] == told
    assert at(pair.guest, table).own == ()


def test_what_is_struck_twice_and_then_left_is_all_struck(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    for text in ("Not too far.", "And not by ferry."):
        pair.guest.discussing.say(table, Typed(text))
        for _ in range(3):
            pair.goes_on(1)
    pair.host.discussing.pause(table)
    pair.goes_on(1)
    typed = [
        each.n
        for each in pair.guest.discussing.get(table).table.turns
        if each.fields["by"] == "m2-types"
    ]
    for number in typed:
        pair.guest.discussing.strike(table, number)
    pair.guest.discussing.leave(table, "m2")
    for _ in range(12):
        pair.goes_on(60)
    assert set(typed) <= pair.host.discussing.get(table).table.struck
    assert at(pair.host, table).state is LEFT
    pair.host.discussing.close(table)
    for _ in range(3):
        pair.goes_on(60)
    assert at(pair.guest, table).own == ()


# --- nobody holds it up --------------------------------------------------------------------------


def test_who_failed_with_a_hand_up_does_not_hold_the_table(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.host.discussing.go_on()
    pair.host.discussing.go_on()
    assert asked(pair.host) == ["word"]  # for its turn
    pair.guest.discussing.say(table, Typed("I would rather stay at home."))
    passed(pair.guest, pair.host)
    for _ in range(4):  # and off it is
        pair.later(301)
        pair.host.discussing.go_on()
    assert steps(pair, table)[2:5] == [("turn", "m1"), ("failed", "m2"), ("summary", "")]
    pair.goes_on(601)
    pair.goes_on(601)


def test_who_never_sits_down_is_not_waited_for_for_good(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    pair.guest.discussing.company.accept(table, FORM)
    passed(pair.guest, pair.host)
    messages = set()
    for _ in range(200):
        pair.later(20)
        pair.host.discussing.go_on()
        messages |= {row.id for row in waiting(pair.host)}
    assert ("closed", "") in steps(pair, table)
    assert len(messages) < TRIES + 3


def test_who_says_no_to_sitting_down_after_all_has_left(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    pair.guest.discussing.company.accept(table, FORM)
    passed(pair.guest, pair.host)
    pair.host.discussing.go_on()
    [row] = waiting(pair.host)
    settle(pair.host, row, PeerReply(code="out_of_scope"))
    for _ in range(5):
        pair.host.discussing.go_on()
    assert at(pair.host, table).state is LEFT
    assert steps(pair, table) == [("turn", "m1"), ("summary", ""), ("closed", "")]
    assert asked(pair.host) == []


def test_one_hand_after_the_other_holds_nothing_up(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    looks = 0
    while ("closed", "") not in steps(pair, table):
        looks += 1
        for step in ("turn", "struck", "joined"):
            tells(pair, hand={"table": table, "by": "m2-types", "step": step})
        pair.later(1)
        pair.host.discussing.go_on()
        for row in waiting(pair.host):
            settle(pair.host, row, PeerReply(code="out_of_scope"))
        assert looks < 12


# --- who makes no progress -----------------------------------------------------------------------


def test_who_deleted_the_table_is_handed_nothing_more(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.guest.discussing.delete(table)
    sent = 0
    for _ in range(30):
        pair.later(1)
        pair.host.discussing.go_on()
        sent += passed(pair.host, pair.guest)
    assert at(pair.host, table).state is LEFT
    assert sent <= 2
    assert pair.host.discussing.get(table).table.closed is not None


def test_who_makes_no_progress_is_asked_less_and_less_and_has_left(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.ends(table)
    pair.host.discussing.strike(table, 3)
    sent, at_last = 0, 0
    for second in range(0, 4_000, 10):
        pair.later(10)
        pair.host.discussing.go_on()
        for row in waiting(pair.host):
            sent, at_last = sent + 1, second
            settle(pair.host, row, PeerReply({"have": 2}))
    assert sent == TRIES
    assert 1_000 < at_last < 3_000
    assert at(pair.host, table).state is LEFT


def test_who_lost_entries_is_handed_them_again(pair: Pair) -> None:
    table = pair.opens(rounds=2)
    pair.sits_down(table)
    pair.host.discussing.go_on()
    pair.host.discussing.go_on()
    [row] = waiting(pair.host)
    settle(pair.host, row, PeerReply({"have": 1}))  # as from a backup
    mine, _ = pair.ends(table)
    assert at(pair.host, table).state is ACCEPTED
    assert not [each for each in mine.table.entries if each.step is Step.FAILED]


# --- collisions, and one thing at a time ---------------------------------------------------------


def test_entries_between_are_nobodys_fault(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.host.discussing.go_on()
    for number in range(TRIES + 4):
        pair.host.discussing.go_on()
        assert asked(pair.host) == ["word"]
        pair.host.discussing.say(table, Typed(f"And one more thing, number {number}."))
        passed(pair.host, pair.guest)
    mine, _ = pair.ends(table)
    assert not [each for each in mine.table.entries if each.step in {Step.FAILED, Step.LEFT}]
    assert at(pair.host, table).state is ACCEPTED
    assert at(pair.guest, table).turns == 1


def test_declining_twice_is_declining_once(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    for _ in range(2):
        tells(pair, decline={"table": table})
        assert at(pair.host, table).state is LEFT
    other = pair.opens(rounds=1)
    pair.goes_on()
    for _ in range(2):
        tells(pair, decline={"table": other})
        assert at(pair.host, other).state is TableContactState.DECLINED


def test_a_contact_is_asked_one_thing_at_a_time(pair: Pair) -> None:
    table, who = pair.opens(rounds=1), contact(pair.host).id
    here, read = pair.host.ports.discussions, at(pair.host, table)
    assert here.move_contact(table, who, read=read, asked={"step": "seat"})
    assert not here.move_contact(table, who, read=read, asked={"step": "news"})
    assert at(pair.host, table).asked == {"step": "seat"}
    assert here.move_contact(table, who, read=at(pair.host, table), asked=None)
    assert at(pair.host, table) == read


def test_whose_invitation_was_taken_back_is_handed_nothing(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    pair.host.discussing.leave(table, "m2")
    for _ in range(20):
        pair.goes_on(1)
    assert pair.host.discussing.get(table).table.closed is not None
    assert len(pair.guest.discussing.get(table).table.entries) == 1


def test_the_sources_of_a_turn_are_those_of_the_one_that_is_in_the_record(pair: Pair) -> None:
    table = pair.opens(rounds=2)
    pair.sits_down(table)
    pair.host.discussing.go_on()
    pair.host.discussing.go_on()
    pair.host.discussing.say(table, Typed("Not before the tenth."))
    pair.ends(table)
    [document] = [each.id for each in pair.guest.ports.documents.all() if each.title == "Bram"]
    rows = pair.guest.ports.discussions.entries(table)
    turns = pair.guest.discussing.get(table).table.turns
    made_from = {each.n: rows[each.n].documents for each in turns}
    assert next(made_from[each.n] for each in turns if each.fields["by"] == "m2") == (document,)
    assert not any(made_from[each.n] for each in turns if each.fields["by"] != "m2")
