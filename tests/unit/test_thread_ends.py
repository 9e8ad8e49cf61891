"""Where a thread of a chat ends: one test a reason, and what always holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.chat.conversations import Turn, TurnState
from lpm_kernel.domain.chat.threads import IDLE, MOST_TURNS, ThreadEnd
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.L1.tiers.threads import Stretch, changes_subject, divide

START = datetime(2026, 3, 14, 9, tzinfo=UTC)


def said(number: int, text: str = "", *, at: datetime | None = None, speaker: str = "") -> Turn:
    """A question where the number is odd, else an answer."""
    return Turn(
        TurnId(f"t_{number}"),
        ConversationId("v_1"),
        "user" if number % 2 else "assistant",
        text or f"The bees are in hive {number}.",
        TurnState.DONE,
        at or START + timedelta(seconds=number),
        speaker=speaker,
        number=number,
    )


def never(_before: Sequence[str], _said: str) -> bool:
    return False


def ends(stretches: Sequence[Stretch]) -> list[tuple[int, ThreadEnd | None]]:
    return [(len(stretch.turns), stretch.reason) for stretch in stretches]


def test_the_thirteenth_turn_ends_what_was_before_it() -> None:
    turns = [said(number) for number in range(1, MOST_TURNS + 2)]
    now = turns[-1].created_at
    assert ends(divide(turns[:-1], now, never)) == [(MOST_TURNS, None)]
    assert ends(divide(turns, now, never)) == [(MOST_TURNS, ThreadEnd.LIMIT), (1, None)]


def test_ten_idle_minutes_end_it() -> None:
    first = [said(1), said(2)]
    last = first[-1].created_at
    assert ends(divide(first, last + IDLE - timedelta(seconds=1), never)) == [(2, None)]
    assert ends(divide(first, last + IDLE, never)) == [(2, ThreadEnd.IDLE)]
    turns = [*first, said(3, at=last + IDLE)]
    assert ends(divide(turns, last + IDLE, never)) == [(2, ThreadEnd.IDLE), (1, None)]


@pytest.mark.parametrize(
    "phrase",
    [
        "By the way, who has the van?",
        "Oh, by the way: who has the van?",
        "On another note, who has the van?",
        "ところで、車は誰が持っていますか。",
        "あ、そういえば車はどこ？",
        "话说车在哪里？",
        "对了，车在哪里？",
    ],
)
def test_a_phrase_ends_it(phrase: str) -> None:
    turns = [said(1), said(2), said(3, phrase)]
    assert ends(divide(turns, turns[-1].created_at, never)) == [(2, ThreadEnd.PHRASE), (1, None)]


@pytest.mark.parametrize(
    "text", ["We left by the way we came.", "車のところでは", "Anywhere but here"]
)
def test_the_same_words_elsewhere_end_nothing(text: str) -> None:
    assert not changes_subject(text)


def test_somebody_else_who_is_asked_ends_it() -> None:
    turns = [said(1, speaker="muse"), said(2, speaker="muse"), said(3, speaker="judge")]
    assert ends(divide(turns, turns[-1].created_at, never)) == [(2, ThreadEnd.DOMAIN), (1, None)]


def test_what_is_about_something_else_ends_it() -> None:
    turns = [said(1), said(2), said(3, "The kiln is in the cellar.")]

    def differs(before: Sequence[str], now: str) -> bool:
        assert before == [turns[0].text]
        return "kiln" in now

    assert ends(divide(turns, turns[-1].created_at, differs)) == [
        (2, ThreadEnd.SIMILARITY),
        (1, None),
    ]


def test_another_chat_that_is_gone_on_in_ends_it() -> None:
    turns = [said(1), said(2)]
    last = turns[-1].created_at
    assert ends(divide(turns, last, never, elsewhere=last)) == [(2, ThreadEnd.ELSEWHERE)]
    earlier = last - timedelta(seconds=1)
    assert ends(divide(turns, last, never, elsewhere=earlier)) == [(2, None)]


GAPS = st.lists(st.integers(0, 1200), min_size=1, max_size=60)


@given(GAPS, st.integers(0, 60))
def test_every_turn_is_in_one_thread_and_what_has_ended_stays_so(
    gaps: list[int], more: int
) -> None:
    moment, turns = START, []
    for number, gap in enumerate(gaps, start=1):
        moment += timedelta(seconds=gap)
        turns.append(said(number, at=moment))
    stretches = divide(turns, moment, never)
    assert [turn for stretch in stretches for turn in stretch.turns] == turns
    assert all(stretch.reason is not None for stretch in stretches[:-1])
    assert all(len(stretch.turns) <= MOST_TURNS for stretch in stretches)
    assert all(stretch.turns[0].role == "user" for stretch in stretches)
    later = said(len(turns) + 1, at=moment + timedelta(seconds=more))
    again = divide([*turns, later], later.created_at, never)
    ended = [stretch for stretch in stretches if stretch.reason is not None]
    assert again[: len(ended)] == ended
