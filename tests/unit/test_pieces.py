"""From tokens to text: whole characters, nothing of a stop sequence, nothing lost."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.llm.pieces import Pieces

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
