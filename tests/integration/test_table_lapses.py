"""What a table with contacts comes to when something is lost: an answer on its way, a backup that
is restored, an invitation, a contact.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from lpm_kernel.api.share.discussion_serialisers import serialise_sitting
from lpm_kernel.backends.store.node import peer_tables
from lpm_kernel.backends.store.sqlite import writing
from lpm_kernel.domain.share.discussions import DiscussionId
from lpm_kernel.domain.share.network import OutboxRow, OutboxState
from lpm_kernel.errors import InvalidInputError
from lpm_kernel.node import Node
from lpm_kernel.usecases.library.bulk import BulkChange
from lpm_kernel.usecases.share.outgoing import message_of
from lpm_kernel.usecases.share.tables import Typed
from tests.company import accepted, goes_on, opened, someone
from tests.passing import Pair, two
from tests.peers import PATIENCE, Peer, meet, until

SAID = "six beds"
HUT = "The hut above Kongsberg has six beds. In May the road to the hut is open."
SEA = "We went to the sea at Risør in May. The ferry to Risør took two hours."
NEVER = 2**53


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with two(tmp_path) as made:
        yield made


def turn_answered(host: Peer) -> OutboxRow:
    """Let a table go on until a contact answered with a turn, which is not in the record yet."""

    def look() -> list[OutboxRow]:
        rows = host.node.ports.post.outbox(limit=50, verb="discuss")[0]
        bodies = [(row, message_of(row).body.get("word", {})) for row in rows]
        return [row for row, word in bodies if word.get("step") == "turn"]

    for _ in goes_on(host):
        if look():
            break
    return until(
        lambda: next((each for each in look() if each.state is OutboxState.ANSWERED), None)
    )


def loses_the_answer(host: Peer, row: OutboxRow, next_try: int) -> None:
    """Have a question wait again, as where its answer did not come through."""
    outbox = peer_tables.outbox
    with writing(host.node.ports.post._engine) as connection:  # type: ignore[attr-defined]
        connection.execute(
            update(outbox)
            .where(outbox.c.id == row.id)
            .values(state="waiting", receipt=None, next_try=next_try)
        )


@pytest.mark.parametrize("what", ["left", "private", "off"])
def test_an_answer_that_was_lost_is_said_again_only_while_it_may_be(
    tmp_path: Path, what: str
) -> None:
    with someone(tmp_path / "a", "Asako", SEA) as asako, someone(tmp_path / "b", "Bram", HUT) as b:
        meet(asako, b)
        table = opened(asako, b, rounds=1)
        accepted(asako, b, table)
        row = turn_answered(asako)
        loses_the_answer(asako, row, NEVER)
        match what:
            case "left":
                b.node.discussing.leave(table, "m2")
            case "private":
                [made_of] = [
                    each.id for each in b.node.ports.documents.all() if each.title == "Bram"
                ]
                b.node.library.change_all([made_of], BulkChange(private=True))
            case _:
                b.node.ports.change_settings(tables_with_contacts=False)
        loses_the_answer(asako, row, 0)
        if what == "off":  # which may be for a moment
            until(lambda: _code_of(asako, row) == "busy")
        else:
            assert asako.outcome(row, PATIENCE).state is not OutboxState.ANSWERED
        for _ in range(5):
            asako.node.discussing.go_on()
            time.sleep(0.05)
        said = asako.node.discussing.get(table).table.words.values()
        assert not any(SAID in each.json for each in said)


def _code_of(peer: Peer, row: OutboxRow) -> str:
    known = peer.node.ports.post.outgoing(row.id)
    return "" if known is None else known.code


def erases(node: Node, title: str) -> None:
    [document] = [each.id for each in node.ports.documents.all() if each.title == title]
    node.home.confirm_erasure(node.home.propose_erasure([document]).token)
    node.run_jobs()


def kept(node: Node, table: DiscussionId) -> bool:
    return any(SAID in (row.words or "") for row in node.ports.discussions.entries(table))


def test_what_came_back_after_a_restore_is_struck_since_nobody_knows_what_it_was_made_from(
    pair: Pair,
) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    made = pair.guest.home.back_up()
    pair.ends(table)
    assert kept(pair.host, table)
    pair.guest.home.restore(made.id)
    pair.begins_again("guest")
    pair.host.discussing.strike(table, 0)  # there is something to hand
    for _ in range(50):
        pair.goes_on(600)
    erases(pair.guest, "Bram")
    for _ in range(5):
        pair.goes_on(600)
    assert not kept(pair.guest, table)
    assert not kept(pair.host, table)


def test_what_is_typed_is_shown_until_it_is_said_and_what_cannot_be_said_is_not_taken(
    pair: Pair,
) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.host.discussing.pause(table)
    with pytest.raises(InvalidInputError, match="cannot be said here"):
        pair.guest.discussing.say(table, Typed("About nothing.", on=999))
    pair.guest.discussing.say(table, Typed("Not by ferry."))
    shown = serialise_sitting(pair.guest, pair.guest.discussing.get(table))
    assert shown.unsaid == ["Not by ferry."]
    pair.host.discussing.resume(table)
    for _ in range(20):
        pair.goes_on(60)
    shown = serialise_sitting(pair.guest, pair.guest.discussing.get(table))
    assert shown.unsaid == []
    assert "Not by ferry." in [each.text for each in shown.items]


def test_who_deletes_an_invitation_has_declined_it(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    pair.guest.discussing.delete(table)
    for _ in range(10):
        pair.goes_on(600)
    assert pair.host.discussing.get(table).table.turns


def test_nobody_waits_for_an_answer_of_who_was_blocked(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.goes_on()
    [other] = pair.host.ports.contacts.all()
    pair.host.meeting.block(other.id)
    for _ in range(3):
        pair.later(600)
        pair.host.discussing.go_on()
    assert pair.host.discussing.get(table).table.turns


def test_a_closed_table_that_a_contact_deleted_is_looked_at_no_more(pair: Pair) -> None:
    table = pair.opens(rounds=1)
    pair.sits_down(table)
    pair.ends(table)
    pair.host.discussing.go_on()
    pair.guest.discussing.delete(table)
    pair.host.discussing.strike(table, 3)
    for _ in range(60):
        pair.goes_on(600)
    assert pair.host.ports.discussions.hosted() == []
