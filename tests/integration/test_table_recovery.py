"""A table with a contact after one of the two restored a backup, or was off: what was said since is
handed back, nothing is written twice, and who claims what is not so holds nobody up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lpm_kernel.api.share.discussion_serialisers import serialise_sitting
from lpm_kernel.domain.share.discussions import DiscussionId, TableContact, TableContactState
from lpm_kernel.errors import ConflictError
from lpm_kernel.usecases.share.answering import PeerReply
from lpm_kernel.usecases.share.outgoing import message_of
from lpm_kernel.usecases.share.table_answers import TRIES
from lpm_kernel.usecases.share.table_hosting import WORD_SECONDS
from lpm_kernel.usecases.share.tables import Typed, is_answer_due
from protocol import limits
from protocol.discussion import Step, Stop
from tests.passing import FORM, Pair, asked, at, contact, passed, settle, two, waiting

HOUR = 3_600


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with two(tmp_path) as made:
        yield made


def hashes(pair: Pair, name: str, table: DiscussionId) -> list[str]:
    return [each.hash for each in getattr(pair, name).discussing.get(table).table.entries]


def failures(pair: Pair, table: DiscussionId) -> list[str]:
    entries = pair.host.discussing.get(table).table.entries
    return [each.fields["code"] for each in entries if each.step is Step.FAILED]


def answers(pair: Pair, reply: Callable[[str], PeerReply]) -> list[str]:
    """Have everything that the host asks answered. Returns what was asked."""
    pair.host.discussing.go_on()
    rows = waiting(pair.host)
    for row in rows:
        [what] = message_of(row).body
        settle(pair.host, row, reply(what))
    return [next(iter(message_of(row).body)) for row in rows]


# --- the host ------------------------------------------------------------------------------------


def test_a_host_that_restores_a_backup_gets_back_what_was_said_since(pair: Pair) -> None:
    table = pair.opens(rounds=3)
    pair.sits_down(table)
    backup = pair.host.home.back_up().id
    pair.host.discussing.say(table, Typed("By train, if we can."))
    for _ in range(6):
        pair.goes_on(1)
    said = hashes(pair, "guest", table)
    assert len(said) > 5
    pair.restores("host", backup)
    assert len(hashes(pair, "host", table)) < len(said)
    with pytest.raises(ConflictError, match="backup"):
        pair.host.discussing.say(table, Typed("By ferry."))
    assert serialise_sitting(pair.host, pair.host.discussing.get(table)).recovering
    pair.host.discussing.go_on()
    assert asked(pair.host) == ["behind"]
    pair.goes_on(1)
    pair.goes_on(1)
    assert hashes(pair, "host", table)[: len(said)] == said
    assert not serialise_sitting(pair.host, pair.host.discussing.get(table)).recovering
    pair.host.discussing.say(table, Typed("By ferry."))
    mine, theirs = pair.ends(table)
    typed = [theirs.text(each.n) for each in theirs.table.turns if each.fields["by"] == "me"]
    assert typed == ["By train, if we can.", "By ferry."]
    assert failures(pair, table) == []
    assert mine.table.struck  # what the host said from memory, and nobody knows from what


def test_a_host_learns_who_sat_down_since_the_backup(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    backup = pair.host.home.back_up().id
    pair.guest.discussing.company.accept(table, FORM)
    for _ in range(5):
        pair.goes_on(1)
    assert "m2" in pair.host.discussing.get(table).table.present
    pair.restores("host", backup)
    pair.ends(table)
    assert failures(pair, table) == []
    assert at(pair.host, table).state is TableContactState.ACCEPTED


def test_who_has_not_sat_down_is_asked_again_after_a_restore(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    pair.restores("host", pair.host.home.back_up().id)
    pair.goes_on(1)
    assert len(hashes(pair, "host", table)) == 1
    pair.guest.discussing.company.accept(table, FORM)
    pair.ends(table)


def test_after_a_restore_nothing_is_said_before_one_of_them_was_reached(pair: Pair) -> None:
    table = pair.opens(rounds=1, minutes=24 * 60)
    pair.sits_down(table)
    there = len(hashes(pair, "host", table))
    pair.restores("host", pair.host.home.back_up().id)
    asked_for = set()
    for _ in range(5 * 60):
        pair.later(60)
        pair.host.discussing.go_on()
        asked_for |= {row.id for row in waiting(pair.host)}
    assert len(hashes(pair, "host", table)) == there
    assert 8 < len(asked_for) < 40  # less and less often
    pair.later(600)
    pair.ends(table)
    assert failures(pair, table) == []


def test_after_a_restore_nobody_is_waited_for_beyond_the_end(pair: Pair) -> None:
    table = pair.opens(rounds=1, minutes=120)
    pair.sits_down(table)
    pair.restores("host", pair.host.home.back_up().id)
    for _ in range(3 * 60):
        pair.later(60)
        pair.host.discussing.go_on()
    assert pair.host.discussing.get(table).table.closed is Stop.TIME


def test_once_one_has_answered_the_silent_are_waited_for_no_more() -> None:
    def due(*asked: dict[str, int] | None, over: bool = False) -> bool:
        table = DiscussionId("t")
        them = [
            TableContact(table, f"p_{n}", ("m",), TableContactState.ACCEPTED, asked=each)
            for n, each in enumerate(asked)
        ]
        return is_answer_due(them, over=over)

    silent = {"ahead": 1, "quiet": 8}
    assert due(None, {**silent, "quiet": 7})
    assert not due(None, silent)
    assert due(silent, silent)
    assert not due(silent, silent, over=True)
    assert due({"ahead": 1}, over=True)
    assert not due(None, {"quiet": 2})


def test_after_a_restore_who_is_no_contact_any_more_is_not_waited_for(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    there = len(hashes(pair, "host", table))
    pair.restores("host", pair.host.home.back_up().id)
    pair.host.meeting.block(contact(pair.host).id)
    waited = 0
    while len(hashes(pair, "host", table)) == there:
        pair.later(30)
        waited += 30
        pair.host.discussing.go_on()
        assert waited < HOUR


def test_who_left_and_says_that_there_is_more_holds_nothing_up(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.host.discussing.go_on()
    pair.guest.discussing.leave(table, "m2")
    waited = 0
    while pair.host.discussing.get(table).table.closed is None:
        pair.later(10)
        waited += 10
        passed(pair.guest, pair.host)
        answers(pair, lambda _: PeerReply({"have": 99, "entries": []}))
        assert waited < 2 * HOUR


def test_who_says_that_there_is_more_where_there_is_none_has_left_in_the_end(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    passed_by = 0
    while pair.host.discussing.get(table).table.closed is None:
        pair.later(10)
        passed_by += 10
        answers(pair, lambda _: PeerReply({"have": 99, "entries": []}))
        assert passed_by < 2 * HOUR
    assert failures(pair, table) or at(pair.host, table).state is TableContactState.LEFT


# --- the guest -----------------------------------------------------------------------------------


def test_a_guest_that_restores_a_backup_is_handed_what_it_lost_and_takes_its_turn(
    pair: Pair,
) -> None:
    table = pair.opens(rounds=3)
    pair.sits_down(table)
    backup = pair.guest.home.back_up().id
    for _ in range(6):
        pair.goes_on(1)
    said = hashes(pair, "host", table)
    pair.restores("guest", backup)
    assert len(hashes(pair, "guest", table)) < len(said)
    mine, _ = pair.ends(table)
    assert failures(pair, table) == []
    assert [each.hash for each in mine.table.entries[: len(said)]] == said


# --- who holds it up -----------------------------------------------------------------------------


def test_what_somebody_once_had_is_no_progress(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    monkeypatch.setattr(limits, "HANDED", 2)
    has = 0

    def reply(what: str) -> PeerReply:
        """Forget everything each time that the word is given, and take in what comes."""
        nonlocal has
        has = 0 if what == "word" else has + 2
        return PeerReply({"have": has})

    waited, asked_for = 0, 0
    while pair.host.discussing.get(table).table.closed is None:
        pair.later(10)
        waited += 10
        asked_for += len(answers(pair, reply))
        assert waited < 2 * HOUR
    assert asked_for < 10 * TRIES


def test_a_turn_is_waited_for_from_the_first_asking(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    while asked(pair.host) != ["word"]:
        pair.host.discussing.go_on()
    monkeypatch.setattr(limits, "HANDED", 2)
    waited = 0
    while not failures(pair, table):
        pair.later(20)
        waited += 20
        answers(pair, lambda what: PeerReply({"have": 0 if what == "word" else 2}))
        assert waited < WORD_SECONDS + 100
    assert failures(pair, table) == ["busy"]


# --- off for a moment ----------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["host", "guest"])
def test_who_is_off_for_a_moment_keeps_the_seat(pair: Pair, who: str) -> None:
    table = pair.opens(rounds=3)
    pair.sits_down(table)
    node = getattr(pair, who)
    node.ports.change_settings(tables_with_contacts=False)
    pair.guest.ports.change_settings(tables_with_contacts=who != "guest")
    for _ in range(4):
        pair.goes_on(20)
    node.ports.change_settings(tables_with_contacts=True)
    pair.ends(table, most=400)
    assert at(pair.host, table).state is TableContactState.ACCEPTED
    assert set(failures(pair, table)) <= {"busy"}
    turns = pair.host.discussing.get(table).table.turns
    assert [each for each in turns if each.fields["by"] == "m2"]
