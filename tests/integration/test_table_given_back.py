"""What contacts hand back to a host that was restored: three at a table, of whom one lies, is off,
or was never there; and what the host had struck, erased, or ended since the backup.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lpm_kernel.domain.share.discussions import DiscussionId, TableContactState
from lpm_kernel.domain.share.network import OutboxRow
from lpm_kernel.node import Node
from lpm_kernel.usecases.share.answering import PeerReply
from lpm_kernel.usecases.share.outgoing import message_of
from lpm_kernel.usecases.share.tables import Typed
from protocol import handing
from protocol.discussion import Entry, Speaker, Step, Words
from tests.passing import FORM, Pair, Trio, answer, at, passed, three, two

PIN = "The marzipan is behind the barometer."


@pytest.fixture
def trio(tmp_path: Path) -> Iterator[Trio]:
    with three(tmp_path) as made:
        yield made


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with two(tmp_path) as made:
        yield made


def hashes(node: Node, table: DiscussionId) -> list[str]:
    return [each.hash for each in node.discussing.get(table).table.entries]


def typed(node: Node, table: DiscussionId) -> list[Entry]:
    return [each for each in node.discussing.get(table).table.turns if each.fields["by"] == "me"]


def lived(trio: Trio) -> tuple[DiscussionId, str]:
    """Have three sit there, and say something after a backup."""
    table = trio.opens()
    trio.sit_down(table)
    backup = trio.host.home.back_up().id
    trio.host.discussing.say(table, Typed("By train, if we can."))
    for _ in range(12):
        trio.goes_on()
    return table, backup


def test_what_one_signs_in_the_place_of_what_was_said_is_not_taken(trio: Trio) -> None:
    table, backup = lived(trio)
    liar, honest = trio.guests
    before = hashes(honest, table)
    trio.restores(backup)
    lost = len(hashes(trio.host, table))

    def lies(row: OutboxRow) -> PeerReply | None:
        [(what, _)] = message_of(row).body.items()
        if what != "behind":
            return None
        record = trio.host.discussing.get(table).table
        me = next(
            each.id
            for each in record.members.values()
            if each.did == liar.meeting.keystore.keys.identity.did and each.kind is Speaker.PERSON
        )
        words = Words.write("We all agreed on the plane.")
        body = {"by": me, "round": record.round, "abstained": False, "on": None, "stance": None}
        now = int(trio.clock.now().timestamp())
        forged = Entry.write(
            liar.meeting.keystore.keys.identity,
            table,
            record.entries[lost - 1].place,
            now,
            Step.TURN,
            **body,
            quotes=[],
            words=words.hash,
        )
        return PeerReply({"have": lost + 1, "entries": handing.hand([(forged, words)])})

    trio.lies[trio.named(liar)] = lies
    for _ in range(3):
        trio.goes_on(off=honest)
    for _ in range(60):
        trio.goes_on(20)
    assert hashes(trio.host, table)[: len(before)] == before
    assert hashes(honest, table) == hashes(trio.host, table)


def test_words_that_one_keeps_back_come_from_the_other(trio: Trio) -> None:
    table, backup = lived(trio)
    liar, honest = trio.guests
    trio.restores(backup)

    def keeps_back(row: OutboxRow) -> PeerReply | None:
        if "behind" not in message_of(row).body:
            return None
        body = dict(answer(liar, row).body or {})
        bare = [{**each, "words": None} for each in body["entries"]]
        return PeerReply({**body, "entries": bare})

    trio.lies[trio.named(liar)] = keeps_back
    for _ in range(3):
        trio.goes_on(off=honest)
    for _ in range(40):
        trio.goes_on()
    [mine] = typed(trio.host, table)
    assert trio.host.discussing.get(table).text(mine.n) == "By train, if we can."
    assert mine.n not in trio.host.discussing.get(table).table.struck


def test_who_was_only_invited_and_is_off_blocks_nothing_for_good(trio: Trio) -> None:
    table = trio.opens(rounds=1, minutes=60)
    for _ in range(3):
        trio.goes_on()
    one, never = trio.guests
    one.discussing.company.accept(table, FORM)
    for _ in range(5):
        trio.goes_on(off=never)
    backup = trio.host.home.back_up().id
    for _ in range(80):
        trio.goes_on(60, off=never)
    assert trio.host.discussing.get(table).table.closed is not None
    trio.restores(backup)
    for _ in range(120):
        trio.goes_on(60, off=never)
    assert trio.host.discussing.get(table).table.closed is not None
    trio.host.discussing.strike(table, 0)


# --- what went stays gone ------------------------------------------------------------------------


def test_what_the_host_struck_after_the_backup_is_struck_again(pair: Pair) -> None:
    table = pair.opens(rounds=3)
    pair.sits_down(table)
    backup = pair.host.home.back_up().id
    pair.host.discussing.pause(table)
    pair.host.discussing.say(table, Typed(PIN))
    for _ in range(3):
        pair.goes_on(1)
    [said] = typed(pair.host, table)
    assert pair.guest.discussing.get(table).text(said.n) == PIN
    pair.host.discussing.strike(table, said.n)  # the guest is off
    pair.host.run_jobs()
    pair.restores("host", backup)
    for _ in range(30):
        pair.goes_on(10)
    for node in (pair.host, pair.guest):
        assert node.discussing.get(table).text(said.n) == ""
        assert said.n in node.discussing.get(table).table.struck


def test_what_a_guest_struck_after_its_backup_is_struck_again(pair: Pair) -> None:
    table = pair.opens(rounds=3)
    pair.sits_down(table)
    pair.host.discussing.pause(table)
    backup = pair.guest.home.back_up().id
    pair.guest.discussing.say(table, Typed(PIN))
    for _ in range(4):
        pair.goes_on(1)
    turns = pair.host.discussing.get(table).table.turns
    [said] = [each.n for each in turns if each.fields["by"] == "m2-types"]
    pair.host.discussing.resume(table)
    for _ in range(4):
        pair.goes_on(1)
    pair.host.discussing.pause(table)
    pair.guest.discussing.strike(table, said)  # the host is off
    pair.guest.run_jobs()
    pair.restores("guest", backup)
    for _ in range(20):
        pair.goes_on(60)
    for node in (pair.host, pair.guest):
        assert node.discussing.get(table).text(said) == ""
    assert said in pair.host.discussing.get(table).table.struck


def test_what_the_second_self_said_of_an_ended_table_is_struck_with_its_quotes(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    backup = pair.host.home.back_up().id
    pair.ends(table)
    pair.restores("host", backup)
    for _ in range(30):
        pair.goes_on(60)
    for node in (pair.host, pair.guest):
        rows = node.ports.discussions.entries(table)
        assert not any("Risør" in (row.words or "") for row in rows)
        assert node.discussing.get(table).table.struck


def test_an_ended_table_of_this_month_is_asked_for_too(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.host.discussing.say(table, Typed("One secret."))
    pair.host.discussing.say(table, Typed(PIN))
    pair.ends(table)
    first, second = [each.n for each in typed(pair.host, table)]
    backup = pair.host.home.back_up().id
    pair.host.discussing.strike(table, first)
    for _ in range(5):
        pair.goes_on(1)
    pair.host.run_jobs()
    pair.restores("host", backup)
    for _ in range(10):
        pair.goes_on(10)
    pair.host.discussing.strike(table, second)
    for _ in range(10):
        pair.goes_on(10)
    for node in (pair.host, pair.guest):
        assert {first, second} <= node.discussing.get(table).table.struck
    assert hashes(pair.host, table) == hashes(pair.guest, table)


# --- what was allowed ----------------------------------------------------------------------------


def test_a_guest_that_was_restored_speaks_no_more_turns_than_it_allowed(pair: Pair) -> None:
    table = pair.opens(rounds=5)
    pair.goes_on()
    pair.guest.discussing.company.accept(table, replace(FORM, turns=2))
    for _ in range(4):
        pair.goes_on(1)
    backup = pair.guest.home.back_up().id
    for _ in range(12):
        pair.goes_on(1)
    pair.restores("guest", backup)
    for _ in range(40):
        pair.goes_on(1)
    turns = pair.host.discussing.get(table).table.turns
    assert len([each for each in turns if each.fields["by"] == "m2"]) == 2


def test_that_somebody_sits_down_is_told_again_to_a_host_that_lost_it(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    backup = pair.host.home.back_up().id
    pair.guest.discussing.company.accept(table, FORM)
    pair.guest.discussing.go_on()
    passed(pair.guest, pair.host)
    pair.restores("host", backup)
    pair.ends(table, most=400)
    assert at(pair.host, table).state is TableContactState.ACCEPTED


@pytest.mark.parametrize("how", ["leave", "delete"])
def test_a_grant_that_was_not_sent_yet_is_not_sent_after_leaving(pair: Pair, how: str) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    pair.guest.discussing.company.accept(table, FORM)  # the host is off
    if how == "leave":
        pair.guest.discussing.leave(table, "m2")
    else:
        pair.guest.discussing.delete(table)
    rows, _ = pair.guest.ports.post.outbox(limit=99, verb="discuss")
    waits = [each for each in rows if each.state.value == "waiting"]
    assert not [each for each in waits if "accept" in message_of(each).body]
    for _ in range(5):
        pair.goes_on(10)
    assert at(pair.host, table).state is not TableContactState.ACCEPTED
    assert at(pair.host, table).grant == ""


def test_invitations_that_are_over_are_not_counted(pair: Pair) -> None:
    for _ in range(20):
        pair.opens(rounds=1, minutes=1)
        pair.goes_on()
    pair.later(3_600)
    table = pair.opens(rounds=1)
    for _ in range(3):
        pair.goes_on(1)
    assert at(pair.guest, table).state is TableContactState.INVITED
