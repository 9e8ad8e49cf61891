"""What must hold for every text: chunks cover it in order, none overlaps, nothing but white space
lies between.
"""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.library.documents import ParsedText, Segment
from lpm_kernel.domain.memory.retain import parse
from lpm_kernel.L0.text.chunks import LIMIT, chunks
from lpm_kernel.L0.text.masking import find, sanitise
from lpm_kernel.L0.text.sentences import sentences

WORDS = st.sampled_from(
    [
        "rain",
        "glue",
        "Mr. Ide",
        "雨だった。",
        "「待つ」",
        "# Heading",
        "- B item",
        "mai@example.org",
        "4111 1111 1111 1111",
        "https://a.example/?token=x1",
        "\n",
        "\n\n",
        " ",
        "!",
        "x" * 600,
    ]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=60).map(" ".join), st.text(max_size=400))


@given(TEXTS)
def test_chunks_cover_the_text_in_order(text: str) -> None:
    made = chunks(DocumentId("d"), "text-1", ParsedText(text, ()), None)
    position = 0
    for chunk in made:
        assert not text[position : chunk.start].strip()
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip() == chunk.text != ""
        assert len(chunk.text) <= LIMIT
        position = chunk.end
    assert not text[position:].strip()


@given(TEXTS)
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(TEXTS, st.data())
def test_segments_stay_on_their_words_when_text_is_masked(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
    segments = tuple(Segment(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False))
    masked = sanitise(ParsedText(text, segments))
    for before, after in zip(segments, masked.segments, strict=True):
        assert 0 <= after.start <= after.end <= len(masked.text)
        untouched = not any(
            start < before.end and before.start < end for start, end, _ in find(text)
        )
        if untouched:
            assert masked.text[after.start : after.end] == text[before.start : before.end]


@given(TEXTS)
def test_masking_twice_is_masking_once(text: str) -> None:
    once = sanitise(ParsedText(text, ())).text
    assert sanitise(ParsedText(once, ())).text == once


_ONLY_MARKS = re.compile(r"(?:(?:- W|- O\(c=0\.5\)|\^mabc1|## Retain|# Day) ?)*")
LINES = [
    "## Retain",
    "# Day",
    "- W @Mai: lives in Kobe ^mabc1",
    "- O(c=0.5) Tea.",
    "- none of them",
    "It rained. " * 60,
    "",
    "雨だった。",
    "1. one",
]


@given(st.lists(st.sampled_from(LINES), max_size=20))
def test_statements_are_chunks_of_their_own_and_only_their_marks_lie_between(
    lines: list[str],
) -> None:
    text = "\n".join(lines)
    made = chunks(DocumentId("d"), "text-1", ParsedText(text, ()), None)
    known = parse(text).statements
    assert [(each.start, each.end) for each in made if each.kind is not None] == [
        each.about for each in known
    ]
    assert [each.confidence for each in made if each.kind is not None] == [
        each.statement.confidence for each in known
    ]
    ends = [0, *(chunk.end for chunk in made)]
    starts = [*(chunk.start for chunk in made), len(text)]
    between = [" ".join(text[end:start].split()) for end, start in zip(ends, starts, strict=True)]
    assert all(_ONLY_MARKS.fullmatch(each) for each in between)
