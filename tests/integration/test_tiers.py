"""Threads move from what is recent into the archive and on into long-term memory; what matters is
consolidated, and nothing is lost on the way.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.backends.clock import FrozenClock
from lpm_kernel.backends.llm.scripted import ScriptedModel
from lpm_kernel.backends.store.home.database import NodeDatabase
from lpm_kernel.domain.chat.conversations import Conversation
from lpm_kernel.domain.chat.threads import Thread, ThreadEnd, Tier
from lpm_kernel.domain.chat.tiers import ThreadMove, ThreadTiers
from lpm_kernel.domain.ids import ConversationId, DocumentId, TurnId
from lpm_kernel.L1.tiers.salience import consolidated_count
from lpm_kernel.L1.tiers.weighing import Standing
from lpm_kernel.node import Node
from lpm_kernel.usecases.chat.tiers import Moved, TierPorts, move_step
from tests.integration.test_threads import SOLD, begin, recall, say

NOW = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
CHAT = ConversationId("v_1")


@dataclass
class Texts:
    """What was told in threads."""

    told: dict[DocumentId, str]

    def of(self, thread: DocumentId) -> str:
        return self.told[thread]

    def standings(self, threads: Sequence[DocumentId]) -> Mapping[DocumentId, Standing]:
        return {each: Standing(0, 0.0, 1) for each in threads if each in self.told}


@contextmanager
def chats(folder: Path, ends: Sequence[datetime]) -> Iterator[tuple[NodeDatabase, Texts]]:
    """A chat whose threads ended at these times; every second one is moving."""
    with closing(NodeDatabase(folder / "node.db")) as database:
        database.conversations.start(Conversation(CHAT, "", NOW, NOW))
        database.threads.add(
            [
                Thread(
                    DocumentId(f"h_{number:04}"),
                    CHAT,
                    TurnId(f"t_{number}"),
                    TurnId(f"t_{number}"),
                    number,
                    number,
                    end,
                    end,
                    ThreadEnd.IDLE,
                    told=True,
                )
                for number, end in enumerate(ends)
            ]
        )
        yield (
            database,
            Texts(
                {
                    DocumentId(f"h_{number:04}"): "I am so sad." if number % 2 else "The bus came."
                    for number in range(len(ends))
                }
            ),
        )


def ports(tiers: ThreadTiers, texts: Texts, now: datetime) -> TierPorts:
    return TierPorts(tiers, FrozenClock(now), texts.of, texts.standings)


def tiers_of(database: NodeDatabase) -> list[tuple[Tier, bool]]:
    return [(each.tier, each.consolidated) for each in database.threads.of(CHAT)]


def test_a_thread_is_recent_for_a_day_then_archived_then_held_for_good(tmp_path: Path) -> None:
    with chats(tmp_path, [NOW] * 10) as (database, texts):
        for passed, expected in (
            (timedelta(hours=23, minutes=59), Moved()),
            (timedelta(hours=24), Moved(archived=10, batches=1)),
            (timedelta(hours=25), Moved()),
            (timedelta(days=6, hours=23), Moved()),
            (timedelta(days=7), Moved(consolidated=7, batches=1)),
            (timedelta(days=8), Moved()),
            (timedelta(days=29), Moved()),
            (timedelta(days=30), Moved(fading=3, batches=1)),
            (timedelta(days=900), Moved()),
        ):
            assert move_step(ports(database.tiers, texts, NOW + passed)) == expected, passed
        known = database.threads.of(CHAT)
    assert [each.consolidated for each in known] == [True, True, True, True, False] + [
        each.consolidated for each in known[5:]
    ]
    # all that is moving, and of what is not the oldest
    assert [number for number, each in enumerate(known) if each.consolidated] == [
        0,
        1,
        2,
        3,
        5,
        7,
        9,
    ]
    weights = {number % 2: each.salience for number, each in enumerate(known)}
    assert weights[0] == {
        "emotion": 0.0,
        "novelty": 1.0,
        "relation": 0.0,
        "repetition": 0.1,
        "total": 0.31,
    }
    assert weights[1] is not None
    assert weights[1]["total"] == pytest.approx(0.31 + 0.4 * weights[1]["emotion"])


def test_one_alone_is_consolidated_and_one_of_two_is_the_moving_one(tmp_path: Path) -> None:
    with chats(tmp_path, [NOW, NOW + timedelta(days=60)]) as (database, texts):
        for days in (1, 8, 31):
            move_step(ports(database.tiers, texts, NOW + timedelta(days=days)))
        assert tiers_of(database) == [(Tier.LONG_TERM, True), (Tier.SESSION, False)]


def test_250_move_in_three_batches_and_one_that_fails_is_tried_alone(tmp_path: Path) -> None:
    class Refuses:
        """A store in which one thread cannot be written."""

        def __init__(self, tiers: ThreadTiers) -> None:
            self.tiers = tiers
            self.asked: list[int] = []

        def __getattr__(self, name: str) -> object:
            return getattr(self.tiers, name)

        def move(self, moves: Sequence[ThreadMove], at: datetime) -> None:
            self.asked.append(len(moves))
            if any(each.thread == "h_0123" for each in moves):
                raise OSError("disk full")
            self.tiers.move(moves, at)

    with chats(tmp_path, [NOW] * 250) as (database, texts):
        refuses = Refuses(database.tiers)
        later = NOW + timedelta(days=1)
        moved = move_step(ports(refuses, texts, later))  # type: ignore[arg-type]
        assert moved == Moved(archived=249, failed=1, batches=3)
        assert refuses.asked == [100, 100, *[1] * 100, 50]
        left = database.tiers.due(Tier.SESSION, later)
        assert [each.id for each in left] == ["h_0123"]
        assert move_step(ports(database.tiers, texts, later)) == Moved(archived=1, batches=1)


def test_what_is_not_read_yet_waits_for_a_week(tmp_path: Path) -> None:
    with chats(tmp_path, [NOW]) as (database, texts):
        unread = Texts({})
        move_step(ports(database.tiers, unread, NOW + timedelta(days=2)))
        assert tiers_of(database) == [(Tier.SESSION, False)]
        move_step(ports(database.tiers, unread, NOW + timedelta(days=7)))
        assert database.threads.of(CHAT)[0].salience is None
        assert tiers_of(database)[0][0] is Tier.ARCHIVE
        move_step(ports(database.tiers, texts, NOW + timedelta(days=8)))
        (read,) = database.threads.of(CHAT)
        assert (read.tier, read.consolidated) == (Tier.LONG_TERM, True)
        assert read.salience is not None


ENDS = st.lists(
    st.integers(min_value=0, max_value=60).map(lambda days: NOW + timedelta(days=days)),
    max_size=25,
)


@settings(max_examples=25, deadline=None)
@given(ends=ENDS, nights=st.lists(st.integers(min_value=0, max_value=120), max_size=6))
def test_none_is_lost_or_moves_back_whenever_it_is_looked(
    ends: list[datetime], nights: list[int]
) -> None:
    order = [Tier.SESSION, Tier.ARCHIVE, Tier.LONG_TERM]
    with tempfile.TemporaryDirectory() as folder, chats(Path(folder), ends) as (database, texts):
        before = tiers_of(database)
        for night in sorted(nights):
            step = ports(database.tiers, texts, NOW + timedelta(days=night, hours=1))
            move_step(step)
            after = tiers_of(database)
            assert len(after) == len(ends)
            for was, now in zip(before, after, strict=True):
                assert order.index(now[0]) >= order.index(was[0])
                assert now[1] or not was[1]
            assert move_step(step).total == 0
            assert tiers_of(database) == after
            before = after


@settings(max_examples=20, deadline=None)
@given(count=st.integers(min_value=0, max_value=30), cut=st.integers(min_value=0, max_value=30))
def test_the_share_is_kept_where_a_move_was_interrupted(count: int, cut: int) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        chats(Path(folder), [NOW] * count) as (database, texts),
    ):
        move_step(ports(database.tiers, texts, NOW + timedelta(days=1)))
        late = NOW + timedelta(days=200)
        # as if it had been killed after so many of the most salient
        best = sorted(
            database.threads.of(CHAT), key=lambda each: -(each.salience or {}).get("total", 0)
        )[: min(cut, consolidated_count(count))]
        database.tiers.move(
            [ThreadMove(each.id, Tier.LONG_TERM, consolidated=True) for each in best], late
        )
        move_step(ports(database.tiers, texts, late))
        known = tiers_of(database)
    assert sum(held for _, held in known) == consolidated_count(count)
    assert all(tier is Tier.LONG_TERM for tier, _ in known)


def test_what_was_told_is_proposed_once_it_is_consolidated_and_found_either_way(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock
) -> None:
    say(client, begin(client, "The van"), SOLD)
    frozen_clock.advance(timedelta(hours=1))
    node.chat.flush()

    def proposed() -> list[str]:
        return [each["content"] for each in client.get("/api/findings").get_json()["items"]]

    assert proposed() == []
    for days in (1, 8):
        frozen_clock.advance(timedelta(days=days))
        node.chat.move_tiers()
    (thread,) = node.ports.tiers.consolidated_since(NOW)
    assert thread.salience is not None
    assert proposed() == [SOLD]
    (finding,) = client.get("/api/findings").get_json()["items"]
    assert finding["source"].startswith("conversations/")
    kept = client.post(f"/api/findings/{finding['id']}", json={"decision": "keep"})
    assert kept.status_code == 200, kept.get_json()
    assert proposed() == []
    (memory,) = client.get("/api/memories").get_json()["items"]
    assert memory["content"] == SOLD
    node.ports.tiers.consolidate(thread.id, consolidated=False)
    assert recall(client, "who bought the van")[0]["content"] == SOLD
    assert (
        replace(thread, consolidated=False, wanted=False)
        in node.ports.threads.many([thread.id]).values()
    )


def test_a_model_that_chooses_well_is_told_what_was_said_lately_in_other_chats(
    node: Node, client: FlaskClient, frozen_clock: FrozenClock, scripted: ScriptedModel
) -> None:
    say(client, begin(client, "The van"), SOLD)
    for number in range(12):
        say(client, begin(client), f"Bee house {number} stands below the pear tree.")
    frozen_clock.advance(timedelta(minutes=20))
    node.chat.flush()
    say(client, begin(client, "Exam"), "I am so afraid of the exam.")

    def told_along(question: str, chat: str) -> list[str]:
        answer = say(client, chat, question)
        return [item["content"] for item in answer["evidence"]]

    other = begin(client)
    said = told_along("Which trees have bee houses?", other)
    assert len(said) == 10
    assert "I am so afraid of the exam." in said[-2:]
    assert sum(each.startswith("Bee house") for each in said) >= 8
    frozen_clock.advance(timedelta(hours=25))
    assert "I am so afraid of the exam." not in told_along("Which trees have bee houses?", other)
    assert scripted.card().parameters is None


def test_a_model_that_chooses_well_has_in_mind_what_the_person_speaks_of(
    client: FlaskClient, scripted: ScriptedModel, frozen_clock: FrozenClock
) -> None:
    chat = begin(client)
    for number in range(3):
        say(client, chat, f"I repaired the accordion with Farah on day {number}.")
    frozen_clock.advance(timedelta(minutes=11))
    say(client, begin(client), "Who did I meet in spring?")
    assert scripted.seen
    assert "Speaks most of: accordion" in scripted.seen[-1][0].content


def test_what_the_person_said_outweighs_salience(tmp_path: Path) -> None:
    with chats(tmp_path, [NOW] * 10) as (database, texts):
        fades, held, again = (DocumentId(f"h_000{number}") for number in (1, 8, 3))
        database.tiers.consolidate(fades, consolidated=False)
        database.tiers.consolidate(held, consolidated=True)
        database.tiers.consolidate(again, consolidated=False)
        database.tiers.consolidate(again, consolidated=False, wanted=False)
        for days in (1, 8, 31):
            move_step(ports(database.tiers, texts, NOW + timedelta(days=days)))
        known = database.threads.many([fades, held, again])
    assert [known[each].consolidated for each in (fades, held, again)] == [False, True, True]
    assert {each.tier for each in known.values()} == {Tier.LONG_TERM}


def test_threads_of_a_chat_never_overlap(tmp_path: Path) -> None:
    with chats(tmp_path, [NOW] * 3) as (database, _):
        first, second, third = database.threads.of(CHAT)
        database.threads.redivide(
            [first.id, second.id, third.id], [replace(first, last_number=third.number)]
        )
        assert database.threads.add([third]) == []
        assert len(database.threads.of(CHAT)) == 1
