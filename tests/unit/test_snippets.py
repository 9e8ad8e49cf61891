"""What is shown of a chat that was looked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.store.node.conversations import snippet
from lpm_kernel.backends.store.sqlite import folded


def test_the_words_are_marked_where_they_stand_whatever_their_case_and_width() -> None:
    found = snippet("工房を Ｔeramachi へ移した。", ["teramachi", "移した"], None)
    assert [found.text[start:end] for start, end in found.spans] == ["Ｔeramachi", "移した"]


@given(st.text(max_size=300), st.text(min_size=1, max_size=20))
def test_every_mark_lies_within_what_is_shown(text: str, word: str) -> None:
    found = snippet(text, folded(word).split() or ["x"], None)
    assert all(0 <= start < end <= len(found.text) for start, end in found.spans)
