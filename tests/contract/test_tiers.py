"""What every store of the tiers of threads keeps to."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy.exc import StatementError

from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.domain.chat.threads import Thread, Tier
from lpm_kernel.domain.chat.tiers import ThreadFilter, ThreadMove
from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.errors import InvalidInputError, NotFoundError
from tests.contract.test_threads import NOW, chat, database, thread

__all__ = ["database"]
PARTS = {"emotion": 0.5, "novelty": 1.0, "relation": 0.0, "repetition": 0.1, "total": 0.51}
LATER = NOW + timedelta(days=40)


@pytest.fixture
def threads(database: NodeDatabase) -> list[Thread]:
    return database.threads.add(
        [thread(1), thread(3), replace(thread(5), told=False), thread(1, of=2)]
    )


def test_one_that_ended_is_recent(database: NodeDatabase, threads: list[Thread]) -> None:
    assert all(each.tier is Tier.SESSION and not each.consolidated for each in threads)
    assert database.tiers.due(Tier.SESSION, LATER) == threads
    assert database.tiers.due(Tier.SESSION, threads[1].ended_at) == threads[:2]
    assert database.tiers.due(Tier.ARCHIVE, LATER) == []


def test_it_is_moved_with_its_weight_and_keeps_it(
    database: NodeDatabase, threads: list[Thread]
) -> None:
    first = threads[0]
    database.tiers.move([ThreadMove(first.id, Tier.ARCHIVE, PARTS)], LATER)
    moved = replace(first, tier=Tier.ARCHIVE, moved_at=LATER, salience=PARTS)
    assert database.tiers.due(Tier.ARCHIVE, LATER) == [moved]
    database.tiers.move([ThreadMove(first.id, Tier.LONG_TERM, consolidated=True)], LATER)
    held = replace(moved, tier=Tier.LONG_TERM, consolidated=True)
    assert database.threads.many([first.id]) == {first.id: held}
    assert database.tiers.consolidated_since(LATER) == []
    assert database.tiers.consolidated_since(LATER - timedelta(seconds=1)) == [held]
    database.tiers.move([ThreadMove(DocumentId("h_none"), Tier.ARCHIVE)], LATER)


def test_a_hundred_moves_wholly_or_not_at_all(
    database: NodeDatabase, threads: list[Thread]
) -> None:
    moves = [ThreadMove(each.id, Tier.ARCHIVE) for each in threads]
    unwritable = replace(moves[0], salience={"total": {1.0}})  # type: ignore[dict-item]
    with pytest.raises(StatementError):
        database.tiers.move([*moves, unwritable], LATER)
    assert database.tiers.due(Tier.SESSION, LATER) == threads


def test_what_was_told_is_listed_newest_first_and_counted(
    database: NodeDatabase, threads: list[Thread]
) -> None:
    told = [threads[3], threads[1], threads[0]]
    first, cursor = database.tiers.told_of(ThreadFilter(), limit=2)
    assert (first, database.tiers.told_of(ThreadFilter(), limit=2, cursor=cursor)[0]) == (
        told[:2],
        told[2:],
    )
    database.tiers.move(
        [
            ThreadMove(threads[0].id, Tier.LONG_TERM, consolidated=True),
            ThreadMove(threads[1].id, Tier.LONG_TERM),
        ],
        LATER,
    )
    fading, _ = database.tiers.told_of(ThreadFilter((Tier.LONG_TERM,), consolidated=False), limit=9)
    assert [each.id for each in fading] == [threads[1].id]
    assert database.tiers.counts() == {
        (Tier.LONG_TERM, True): 1,
        (Tier.LONG_TERM, False): 1,
        (Tier.SESSION, False): 1,
    }
    with pytest.raises(InvalidInputError):
        database.tiers.told_of(ThreadFilter(), limit=2, cursor="none")


def test_the_person_says_what_is_consolidated(
    database: NodeDatabase, threads: list[Thread]
) -> None:
    for said in (True, False):
        database.tiers.consolidate(threads[0].id, consolidated=said)
        assert database.threads.of(chat(1))[0].consolidated is said
        assert database.threads.of(chat(1))[0].wanted is said
    database.tiers.consolidate(threads[0].id, consolidated=True, wanted=False)
    assert database.threads.of(chat(1))[0].wanted is None
    with pytest.raises(NotFoundError):
        database.tiers.consolidate(DocumentId("h_none"), consolidated=True)


def test_a_chat_that_was_put_away_takes_its_threads_along(
    database: NodeDatabase, threads: list[Thread]
) -> None:
    database.conversations.put_away(chat(1), NOW)
    assert database.tiers.due(Tier.SESSION, LATER) == [threads[3]]
    assert database.tiers.told_of(ThreadFilter(), limit=9)[0] == [threads[3]]
    assert database.tiers.counts() == {(Tier.SESSION, False): 1}
