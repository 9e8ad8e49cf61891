"""Two nodes at one table, one of which is killed before each of its writes in turn: both come to
the same record, in which nothing is lost and nothing is said twice.

What SQLite has not committed is gone with a process that is killed, and what it has committed
stays; so a write that never comes to its end, and a node that is opened anew, are the same as
SIGKILL between the two writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, event

from lpm_kernel.domain.share.discussions import DiscussionId, TableContactState
from lpm_kernel.node import Node
from lpm_kernel.usecases.share.tables import Sitting, Typed
from protocol.discussion import Step
from protocol.ledger import verify
from tests.passing import FORM, Pair, at, two, waiting
from tests.scale import many

EVERY = many(1, 37)
"""Which of the moments are tried: one in so many."""
LEAST = 40
"""Fewer than there are."""
ROUNDS = 2
TEXT = "I would rather stay at home."

pytestmark = pytest.mark.slow


class KilledError(BaseException):
    """The node is not there any more."""


@contextmanager
def killed_before(node: Node, write: int) -> Iterator[list[int]]:
    """Kill a node before its n-th write from now on. Gives how many are left until then."""
    left = [write]

    def commit(connection: Connection) -> None:
        if connection.get_execution_options().get("writing"):
            left[0] -= 1
            if not left[0]:
                raise KilledError

    engine = node.ports.discussions._engine  # type: ignore[attr-defined]
    event.listen(engine, "commit", commit)
    try:
        yield left
    finally:
        event.remove(engine, "commit", commit)


def acts(pair: Pair, table: DiscussionId) -> None:
    """Do what the guest's person has not done yet: sit down, type, strike that."""
    if table not in {each.id for each in pair.guest.discussing.page(200)[0]}:
        return
    there, sitting = at(pair.guest, table), pair.guest.discussing.get(table)
    if there.state is TableContactState.INVITED:
        pair.guest.discussing.company.accept(table, FORM)
    elif not typed(sitting) and not there.own:
        pair.guest.discussing.say(table, Typed(TEXT))
    elif typed(sitting) and not sitting.table.struck and not there.own:
        pair.guest.discussing.strike(table, typed(sitting)[0])


def typed(sitting: Sitting) -> list[int]:
    return [each.n for each in sitting.table.turns if each.fields["by"] == "m2-types"]


def is_over(pair: Pair, table: DiscussionId) -> bool:
    if table not in {each.id for each in pair.guest.discussing.page(200)[0]}:
        return False
    mine, theirs = (each.discussing.get(table).table for each in (pair.host, pair.guest))
    return mine.closed is not None and bool(theirs.struck) and mine.head.hash == theirs.head.hash


def lives_through(pair: Pair, victim: str, write: int) -> bool:
    """Have a table talked to its end while one of them is killed once; no if it was over before."""
    table, killed = pair.opens(rounds=ROUNDS), False
    node: Node = getattr(pair, victim)
    with killed_before(node, write) as left:
        for _ in range(60):
            try:
                acts(pair, table)
                pair.goes_on(1)
            except KilledError:
                break
            if is_over(pair, table):
                break
        killed = left[0] <= 0
    if killed:
        pair.begins_again(victim)
    for _ in range(60):
        if is_over(pair, table):
            break
        acts(pair, table)
        pair.goes_on(5)
    assert_whole(pair, table)
    return killed


def assert_whole(pair: Pair, table: DiscussionId) -> None:
    mine, theirs = (each.discussing.get(table) for each in (pair.host, pair.guest))
    assert [each.text for each in mine.table.entries] == [
        each.text for each in theirs.table.entries
    ]
    for side in (mine, theirs):
        said = [(each, side.table.words.get(each.n)) for each in side.table.entries]
        assert verify(said, whole=True).struck == set(typed(mine))
        assert not any(TEXT in (row.words or "") for row in side.said)
    counted = [(each.step, each.fields.get("by")) for each in mine.table.entries]
    for by, often in (("m1", ROUNDS), ("m2", ROUNDS), ("m2-types", 1)):
        assert counted.count((Step.TURN, by)) == often
    assert {Step.FAILED, Step.LEFT} & {step for step, _ in counted} == set()
    assert at(pair.guest, table).turns == ROUNDS
    for _ in range(3):
        pair.goes_on(1)
    assert at(pair.guest, table).own == ()
    assert not waiting(pair.host)
    assert not waiting(pair.guest)


@pytest.mark.parametrize("victim", ["host", "guest"])
def test_killed_before_any_write_nothing_is_lost_or_said_twice(tmp_path: Path, victim: str) -> None:
    with two(tmp_path) as pair:
        write = 1
        while lives_through(pair, victim, write):
            write += EVERY
    assert write > LEAST
