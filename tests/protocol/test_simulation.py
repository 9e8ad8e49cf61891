"""Two days of a small world: every invariant holds at each step, everybody who lies is refused, and
a fault in a node does not go unseen. `make bench` has a week of 1,000 nodes.
"""

from __future__ import annotations

from random import Random

import pytest

from protocol import envelope, table_grants
from protocol.answering import Answering
from protocol.discussion import Entry, Words
from protocol.envelope import Opened
from protocol.grants import Cost, Held
from protocol.identity import Did
from protocol.keystore import Keyring
from protocol.ports import Claim
from protocol.refusals import Refusal
from protocol.scope import Scope
from protocol.table_grants import HeldTableGrant, TurnRequest
from protocol.tables import Table
from tests.protocol.twins import DAY
from tests.simulation import tables
from tests.simulation.books import SimulatedBooks
from tests.simulation.member import Member
from tests.simulation.network import HOUR, Weather
from tests.simulation.tables import Hosted, Tables
from tests.simulation.watch import BrokenError
from tests.simulation.world import LIARS, Wish, World

pytestmark = pytest.mark.property

STORM = Weather(loss=0.2, up=6 * HOUR, down=2 * HOUR, partitions=2)


def _lived(seed: int, members: int = 14) -> World:
    world = World(Wish(members, 2, seed, STORM, acts=20))
    world.live()
    return world


@pytest.mark.parametrize("seed", range(2))
def test_nothing_is_lost_done_twice_or_answered_without_leave(seed: int) -> None:
    world = _lived(seed)
    counts = world.watch.counts
    for what in ("answered ask", "answered fetch", "repeated", "settled answered", "tables"):
        assert counts[what] > 0, what
    assert counts["tries"] > counts["settled answered"]
    assert counts["tables kept whole"] > 0
    assert any(what.startswith("lie ") for what in counts)
    assert sum(member.liar for member in world.all) == round(LIARS * len(world.all))
    assert not any(member.books.working for member in world.all)


def test_the_same_seed_gives_the_same_world() -> None:
    one, other = _lived(3, 8), _lived(3, 8)
    assert one.watch.counts == other.watch.counts
    assert one.watch.size == other.watch.size


def _broken(seeds: int) -> str:
    """Say what did not hold in one of so many worlds."""
    for seed in range(seeds):
        try:
            _lived(seed)
        except BrokenError as broken:
            return str(broken)
    return ""


def test_a_node_that_does_not_look_again_at_a_grant_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Answering, "_fallen", lambda *_: None)
    assert "grant" in _broken(20)


def test_a_node_that_forgets_what_it_was_asked_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimulatedBooks, "claim", lambda *_: Claim.NEW)
    assert "twice" in _broken(1)


def test_a_node_that_spends_beyond_the_day_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = SimulatedBooks.held

    def held(self: SimulatedBooks, grant: str, now: int) -> Held | None:
        row = honest(self, grant, now)
        return row and Held(row.grant, row.revoked)

    def spend(self: SimulatedBooks, grant: str, cost: Cost, now: int) -> bool:
        row = honest(self, grant, now)
        assert row is not None
        self.spent[grant, now // DAY] = row.spent + cost
        return True

    monkeypatch.setattr(SimulatedBooks, "held", held)
    monkeypatch.setattr(SimulatedBooks, "spend", spend)
    assert "budget" in _broken(4)


def test_a_node_that_charges_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimulatedBooks, "spend", lambda *_: True)
    monkeypatch.setattr(SimulatedBooks, "give_back", lambda *_: None)
    assert "answered than a day's budget" in _broken(4)


def test_a_node_that_does_not_look_who_sends_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = envelope.open_envelope

    def opens(data: bytes, keys: Keyring, _: Did | None, now: int) -> Opened:
        return honest(data, keys, None, now)

    monkeypatch.setattr("protocol.answering.open_envelope", opens)
    assert "captured" in _broken(8)


def test_a_node_that_gives_away_what_was_offered_to_others_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SimulatedBooks, "stands", lambda *_: True)
    assert _broken(8)


def test_a_node_that_lets_a_host_speak_for_others_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "_member", lambda self, _, who: self.members[who])
    assert "speak_for" in _broken(40)


def test_a_host_that_goes_on_from_a_backup_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Tables._restore

    def restores(self: Tables, member: Member, hosted: Hosted, fate: Random) -> None:
        honest(self, member, hosted, fate)
        hosted.behind.clear()

    monkeypatch.setattr(Tables, "_restore", restores)
    assert "two" in _broken(8)


def test_a_node_that_counts_no_turns_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = table_grants.allows_turn

    def allows(held: HeldTableGrant, asked: TurnRequest, now: int) -> Scope | Refusal:
        return honest(HeldTableGrant(held.grant, held.revoked), asked, now)

    monkeypatch.setattr(tables, "allows_turn", allows)
    assert "more turns" in _broken(8)


def test_a_node_that_takes_another_entry_of_the_same_number_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    honest = Table.take

    def takes(self: Table, entry: Entry, words: Words | None = None) -> bool:
        return entry.n >= len(self.entries) and honest(self, entry, words)

    monkeypatch.setattr(Table, "take", takes)
    assert "fork" in _broken(20)
