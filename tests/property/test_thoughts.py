"""What a model thinks is told apart from what it answers, however the text is cut into pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.ports import Delta
from lpm_kernel.domain.thoughts import CLOSES, OPENS, Splitter, apart, without_thoughts

SIGNS = ("a", " ", "\n", "<", "/", ">", "think", OPENS, CLOSES)
WORDS = st.lists(st.sampled_from(SIGNS), max_size=12).map("".join)


def split(pieces: list[str], *, inside: bool = False) -> tuple[str, str]:
    splitter = Splitter(inside=inside)
    fed = [*map(splitter.feed, pieces), splitter.finish()]
    return "".join(said for said, _ in fed), "".join(thought for _, thought in fed)


@pytest.mark.parametrize(
    ("text", "said", "thought"),
    [
        ("Mai.", "Mai.", ""),
        ("<think>Who?</think>Mai.", "Mai.", "Who?"),
        ("\n<think>\nWho?\n</think>\n\nMai.", "Mai.", "\nWho?\n"),
        ("<think>a</think> <think>b</think> Mai.", "Mai.", "ab"),
        ("<think>cut off", "", "cut off"),
        ("<think>cut off</thi", "", "cut off</thi"),
        ("Mai wrote <think> on it.</think>", "Mai wrote <think> on it.</think>", ""),
        ("<thinking aloud", "<thinking aloud", ""),
        ("<", "<", ""),
        ("", "", ""),
    ],
)
def test_thoughts_stand_before_the_answer(text: str, said: str, thought: str) -> None:
    assert split([text]) == (said, thought)
    assert split(list(text)) == (said, thought)
    assert without_thoughts(text) == said


def test_a_prompt_may_end_within_a_thought() -> None:
    assert split(["Who?</th", "ink>Mai."], inside=True) == ("Mai.", "Who?")


@given(WORDS, st.lists(st.integers(0, 60), max_size=6), st.booleans())
def test_pieces_do_not_matter(text: str, cuts: list[int], inside: bool) -> None:
    places = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    pieces = [text[a:b] for a, b in pairwise(places)]
    assert split(pieces, inside=inside) == split([text], inside=inside)


@given(WORDS)
def test_nothing_that_is_said_is_lost(text: str) -> None:
    said, thought = split([text])
    assert text.endswith(said)
    if not text.lstrip().startswith(OPENS):
        assert (said, thought) == (text.lstrip(), "")
    else:
        assert len(thought) <= len(text) - len(said) - len(OPENS)


def test_the_end_of_a_stream_keeps_its_cost() -> None:
    stream = [Delta("<think>Wh"), Delta("o?</think>"), Delta("Mai."), Delta("", "stop", 3, 9)]
    assert list(apart(stream)) == [
        Delta("", thought="Wh"),
        Delta("", thought="o?"),
        Delta("Mai."),
        Delta("", "stop", 3, 9),
    ]
