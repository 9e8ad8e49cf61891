"""From tokens to text: whole characters, nothing of a stop sequence, nothing lost."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.llm.pieces import ROUND, TIMES, Pieces, WrittenAnswer, goes_round
from lpm_kernel.domain.thoughts import MOST_THOUGHT, Splitter

LETTERS = st.text(alphabet="ab漢🦊", max_size=30)


@given(
    text=LETTERS,
    cuts=st.lists(st.integers(0, 60), max_size=8),
    stops=st.lists(st.text(alphabet="ab漢🦊", min_size=1, max_size=3), max_size=3),
)
def test_wherever_the_tokens_are_cut_the_text_is_the_same(
    text: str, cuts: list[int], stops: list[str]
) -> None:
    raw = text.encode()
    places = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    pieces = Pieces(stops)
    shown = ""
    for start, end in itertools.pairwise(places):
        shown += pieces.add(raw[start:end])
        if pieces.stopped:
            break
    shown += "" if pieces.stopped else pieces.rest()
    found = [place for stop in stops if (place := text.find(stop)) >= 0]
    assert pieces.stopped == bool(found)
    if found:
        assert text.startswith(shown)
        assert all(stop not in shown for stop in stops)
    else:
        assert shown == text


def test_bytes_that_are_no_text_are_shown_as_such() -> None:
    pieces = Pieces()
    assert pieces.add(b"a\xff") + pieces.add(b"\xe6") + pieces.rest() == "a��"


@given(st.lists(st.binary(min_size=1, max_size=2), min_size=1, max_size=ROUND), st.integers(0, 40))
def test_what_is_thought_over_and_over_is_found_whatever_came_before(
    cycle: list[bytes], before: int
) -> None:
    other = [b"%d" % number for number in range(before)]
    whole = [*other, *(cycle * (ROUND * TIMES // len(cycle) + 1))]
    assert goes_round(whole)
    assert not goes_round([*whole[: ROUND * TIMES // 2], b"something new"])
    assert not goes_round([*whole, b"something new"])


def _thinking(tokens: int, piece: bytes = b"so ") -> WrittenAnswer:
    answer = WrittenAnswer((), Splitter())
    answer.add(b"<think>")
    for number in range(tokens):
        answer.add(piece or b"%d " % number)
    return answer


END = (b"\n", b"</think>", b"\n\n")


def test_a_thought_that_goes_round_is_ended_and_any_other_has_its_room() -> None:
    room = 10 * MOST_THOUGHT
    ends = len(END)
    assert not any(_thinking(count).wanders(room, ends) for count in range(ROUND * TIMES - 1))
    assert any(_thinking(ROUND * TIMES + count).wanders(room, ends) for count in range(ROUND))
    assert not any(_thinking(count, b"").wanders(room, ends) for count in range(0, 800, ROUND - 1))
    assert _thinking(MOST_THOUGHT + 1, b"").wanders(room, ends)
    assert _thinking(81, b"").wanders(160, ends)  # the other half is for the answer
    assert not _thinking(81, b"").is_full(160, 60)
    answer = _thinking(20)
    answer.add(b"</think>")
    for _ in range(50):  # an answer may say the same as often as it likes
        answer.add(b"so ")
    assert not answer.is_full(room, 60)
    assert not answer.wanders(room, ends)


def test_a_thought_that_was_ended_is_followed_by_an_answer_and_by_no_other_thought() -> None:
    answer = _thinking(200)
    assert "".join(said for said, _ in answer.cut_short(END)) == ""
    assert not answer.wanders(1000, len(END))
    assert answer.add(b"Mai.") == ("Mai.", "")
    assert not answer.is_full(1000, 2)
    answer.add(b" She did.")
    assert answer.is_full(1000, 2)
    again = _thinking(200)
    again.cut_short(END)
    again.add(b"<think>")
    assert again.is_full(1000, 60)


def test_a_thought_is_not_ended_where_its_end_has_no_room() -> None:
    assert not _thinking(6, b"").wanders(10, len(END))
    assert _thinking(6, b"").wanders(12, len(END))
