"""What a model thinks is told apart from what it answers, however the text is cut into pieces."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.backends.llm.client import _deltas, _Limits, _OpenedBeforeError
from lpm_kernel.domain.ports import Delta, Endpoint
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


def streamed(*pieces: str, opened: bool) -> list[Delta]:
    """Read what a server sends that opens thoughts in the prompt."""
    chunks = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    last = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    events = iter([*(json.dumps(each) for each in (*chunks, last)), "[DONE]"])
    return list(_deltas(events, Endpoint("http://127.0.0.1:1/v1"), _Limits(9, 99), opened=opened))


def test_a_thought_that_was_not_seen_to_begin_is_told_apart_once_it_is_known() -> None:
    with pytest.raises(_OpenedBeforeError):
        streamed("Ken owes me. </th", "ink>\n\nI do not say that.", opened=False)
    known = streamed("Ken owes me. </th", "ink>\n\nI do not say that.", opened=True)
    assert "".join(each.text for each in known) == "I do not say that."
    assert "Ken" in "".join(each.thought for each in known)
    at_once = streamed("I do not", " say that.", opened=True)
    assert "".join(each.text for each in at_once) == "I do not say that."
