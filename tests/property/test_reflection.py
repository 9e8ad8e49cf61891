"""What must hold of every page: the person's lines stay, the node's are marked, nothing begins
alike a third time; and of every view: it stays between 0 and 1, and one word moves it little.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.memory.pages import mark_of, marked, own_lines
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L1.statements.biography import biography
from lpm_kernel.L1.statements.opinions import STEP, moved, opinion
from lpm_kernel.L1.statements.reflection import (
    ALL_HEADINGS,
    HEADINGS,
    entity_page,
    frame,
    rewritten,
)
from lpm_kernel.L1.statements.stance import Stance

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]),
    min_size=1,
    max_size=40,
)
BY_HAND = st.lists(
    st.one_of(
        WORDS,
        st.sampled_from(["# Ren", "## Hers", "", "- mine", "## Stated", "- W @Ren: sings ^m1a2b3"]),
    ),
    max_size=12,
)
HEADING = st.sampled_from(sorted({each for known in HEADINGS.values() for each in known.values()}))
WANTED = st.lists(
    st.tuples(
        HEADING,
        st.lists(
            WORDS.filter(lambda text: bool(text.strip())).map(
                lambda text: marked(f"- {text.strip()}")
            ),
            min_size=1,
            max_size=4,
        ),
    ),
    max_size=4,
    unique_by=lambda part: part[0],
)
VERBS = ("bought", "sold", "painted", "saw", "lost", "found", "drew", "kept")
THINGS = (
    "a red boat",
    "the old house",
    "two paintings",
    "a kettle",
    "three chairs",
    "the cello",
    "some bread",
    "a letter",
)


def hand(text: str) -> list[str]:
    """Return what the person wrote on a page."""
    own = {each.start for each in own_lines(text)}
    at, found = 0, []
    for raw in text.split("\n"):
        if at not in own and raw.strip() and raw.strip() not in ALL_HEADINGS:
            found.append(raw.rstrip("\r"))
        at += len(raw) + 1
    return found


@given(BY_HAND, WANTED, WANTED)
def test_a_page_keeps_every_line_of_the_persons(
    lines: list[str], first: list[tuple[str, list[str]]], second: list[tuple[str, list[str]]]
) -> None:
    before = "\n".join(lines)
    once = rewritten(before, "Ren", first)
    written = [each for each in hand(once) if each != "# Ren"]
    assert written == [each for each in hand(before) if each != "# Ren"]
    assert Counter(each.mark for each in own_lines(once)) == Counter(
        mark_of(line.rpartition(" ^r")[0]) for _, part in first for line in part
    )
    assert rewritten(once, "Ren", first) == once
    again = rewritten(once, "Ren", second)
    assert [each for each in hand(again) if each != "# Ren"] == written
    assert {each.mark for each in own_lines(again)} == {
        line[-12:] for _, part in second for line in part
    }


OWN_WORDS = st.lists(
    st.one_of(WORDS, st.sampled_from(["# Ren", "## Hers", "", "", "- mine"])),
    min_size=1,
    max_size=12,
)


@given(OWN_WORDS, WANTED, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_the_person_wrote_stays_byte_for_byte(
    lines: list[str], wanted: list[tuple[str, list[str]]], newline: str, ended: bool
) -> None:
    before = newline.join(lines) + (newline if ended else "")
    assert rewritten(before, "Ren", []) == before
    once = rewritten(before, "Ren", wanted)
    if before:
        back = rewritten(once, "Ren", [])
        assert back.removesuffix(newline) == before.removesuffix(newline)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(VERBS),
            st.sampled_from(THINGS),
            st.integers(1, 400),
            st.booleans(),
            st.integers(0, 9),
        ),
        max_size=40,
    )
)
def test_no_page_begins_three_sentences_alike_or_says_a_thing_twice(
    said: list[tuple[str, str, int, bool, int]],
) -> None:
    claims = [
        Claim(
            DocumentId(f"d_{document}"),
            "t",
            0,
            9,
            f"I {verb} {thing} with Nora.",
            StatementKind.EXPERIENCE,
            ("Nora",),
            0.9,
            kept,
            mine=True,
            signs=("first",),
            moment=day * 86_400.0,
        )
        for verb, thing, day, kept, document in said
    ]
    for page in (entity_page(claims, "en"), biography(claims, claims[:10])):
        lines = [each for each in page if len(each.evidence) == 1]
        assert all(each.text == each.evidence[0].text for each in lines)
        assert max(Counter(frame(each.text) for each in lines).values(), default=0) <= 2
        assert len({each.text for each in lines}) == len(lines)


@given(
    st.floats(0, 1),
    st.lists(
        st.tuples(st.booleans(), st.booleans(), st.integers(-400, 400), st.integers(0, 5)),
        max_size=30,
    ),
    st.randoms(),
)
def test_a_view_moves_little_at_a_time_and_stays_within_its_bounds(
    sure: float, said: list[tuple[bool, bool, int, int]], chance: object
) -> None:
    claims = [
        Claim(
            DocumentId(f"d_{document}"),
            "t",
            number,
            number + 9,
            "I find Nora a reliable sailor." if good else "I find Nora an unreliable sailor.",
            StatementKind.OPINION,
            ("Nora",),
            0.9,
            kept=kept,
            mine=True,
            moment=NOW.timestamp() + day * 86_400.0,
        )
        for number, (good, kept, day, document) in enumerate(said)
    ]
    made = opinion("Nora is a reliable sailor", [(NOW, sure)], claims, NOW)
    assert made.points[0].confidence == sure
    steps = [
        abs(two.confidence - one.confidence)
        for one, two in zip(made.points[1:], made.points[2:], strict=False)
    ]
    assert all(0 <= each.confidence <= 1 for each in made.points)
    assert all(each <= STEP / 4 + 1e-9 for each in steps)
    assert len(made.points) - 1 <= len({each.document for each in claims})
    chance.shuffle(claims)  # type: ignore[attr-defined]  # hypothesis' own Random
    assert (
        opinion("Nora is a reliable sailor", [(NOW, sure)], claims, NOW).confidence
        == made.confidence
    )


@given(st.floats(0.02, 0.98))
def test_there_and_back_is_where_it_was(sure: float) -> None:
    there = moved(sure, Stance.SUPPORTS, 1.0)
    if there < 0.98:
        assert abs(moved(there, Stance.CONTRADICTS, 1.0) - sure) < 1e-9
