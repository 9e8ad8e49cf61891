"""What each port promises, of the twin that keeps it in memory and of the node's own over its
database, opened once or anew before each call.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.contact import Invite
from protocol.grants import Cost, Grant
from protocol.identity import PeerId
from protocol.ports import Claim
from tests.protocol.own import OwnBooks
from tests.protocol.twins import NOW, Books, Person, acquainted, dice

ASAKO, BRAM = acquainted()
Kept = Books | OwnBooks


@pytest.fixture(params=["memory", "database", "opened anew"])
def books(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    if request.param == "memory":
        yield Books()
        return
    own = OwnBooks(tmp_path / "node.db", anew=request.param == "opened anew")
    yield own
    own.close()


def met(books: Kept) -> list[PeerId]:
    return list(books.contacts)


def test_an_id_is_new_once_and_the_same_only_with_the_same_hash(books: Kept) -> None:
    message = BRAM.message(ASAKO.did)
    assert [books.claim(message, b"a" * 32, NOW + 60) for _ in range(2)] == [Claim.NEW, Claim.SAME]
    assert books.claim(message, b"b" * 32, NOW + 60) is Claim.OTHER
    assert books.claim(message, b"a" * 32, NOW + 60) is Claim.SAME
    assert books.claim(replace(message, iss=ASAKO.did), b"b" * 32, NOW + 60) is Claim.NEW


def test_of_many_who_claim_at_once_one_is_new(books: Kept) -> None:
    message = BRAM.message(ASAKO.did)
    with ThreadPoolExecutor(16) as pool:
        claims = list(pool.map(lambda _: books.claim(message, b"a" * 32, NOW + 60), range(64)))
    assert sorted(claims) == [Claim.NEW, *[Claim.SAME] * 63]


def test_an_invite_is_used_once_and_makes_a_contact(books: Kept) -> None:
    invite = Invite.make(ASAKO.card, (), NOW, random=dice("port"))
    books.put_invite(invite)
    assert books.find(invite.id) == invite
    guests = [Person(f"guest {n}") for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        used = list(pool.map(lambda who: books.use(invite.id, who.card), guests))
    assert used.count(True) == 1
    assert met(books) == [guests[used.index(True)].card.peer]
    assert books.find(invite.id) is None


def chain(books: Kept, daily: Cost, parents: Cost) -> Grant:
    parent = replace(ASAKO.gives(BRAM), daily=parents)
    child = replace(parent, id=BRAM.id(), parent=parent.id, depth=0, daily=daily)
    books.put_grant(parent, ASAKO, BRAM)
    books.put_grant(child, ASAKO, BRAM)
    return child


def test_spending_is_on_both_rows_or_on_neither(books: Kept) -> None:
    child = chain(books, Cost(9, 100, 100), Cost(1, 100, 100))
    assert books.spend(child.id, Cost(1, 60, 0), NOW)
    assert not books.spend(child.id, Cost(1, 10, 0), NOW)  # the parent has no call left
    held = books.held(child.id, NOW)
    assert held is not None
    assert held.parent is not None
    assert (held.spent, held.parent.spent) == (Cost(1, 60, 0), Cost(1, 60, 0))
    assert books.held(held.parent.grant.id, NOW) == held.parent
    books.give_back(child.id, Cost(1, 60, 0), NOW)
    assert books.spend(child.id, Cost(1, 100, 100), NOW)


def test_of_many_who_spend_at_once_no_more_than_fit_do(books: Kept) -> None:
    child = chain(books, Cost(5, 10**6, 10**6), Cost(9, 10**6, 10**6))
    with ThreadPoolExecutor(16) as pool:
        spent = list(pool.map(lambda _: books.spend(child.id, Cost(1, 1, 1), NOW), range(64)))
    assert spent.count(True) == 5


def test_what_nobody_knows_is_not_there(books: Kept) -> None:
    assert books.held(BRAM.id(), NOW) is None
    assert books.find(BRAM.id()) is None
    assert not books.use(BRAM.id(), BRAM.card)
    assert not books.stands(BRAM.id(), BRAM.id(), BRAM.did, NOW)


def test_a_contact_who_is_known_by_a_newer_card_does_not_use_an_invite_with_an_older_one(
    books: Kept,
) -> None:
    first, second = (
        Invite.make(ASAKO.card, (), NOW, random=dice(name)) for name in ("first", "second")
    )
    books.put_invite(first)
    books.put_invite(second)
    assert books.use(first.id, BRAM.new_card(5))
    assert not books.use(second.id, BRAM.new_card(4))
    assert books.find(second.id) == second
    assert books.use(second.id, BRAM.new_card(6))
