"""Every count of the profile is the count that anybody makes who goes through the transcript."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from lpm_kernel.domain.chat.profile import LineKind, OwnTurn, ProfileEdit
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.domain.memory.entities import EntityKind
from lpm_kernel.L1.tiers.naming import KnownName, NameIndex
from lpm_kernel.L1.tiers.profile import (
    VECTOR,
    Line,
    Profile,
    arrange,
    asked_lines,
    line_id,
    month_of,
    name_lines,
    read_month,
    topic_lines,
)
from lpm_kernel.L1.tiers.salience import relation

THINGS = ("van", "choir", "garden", "dentist", "蜂箱", "合唱団", "ギター")
PEOPLE = (
    KnownName("leni", "Leni", EntityKind.PERSON, frozenset({"Leni", "Leni Korhonen"})),
    KnownName("conor", "Conor", EntityKind.PERSON, frozenset({"Conor"})),
    KnownName("井出", "井出", EntityKind.PERSON, frozenset({"井出"})),
    KnownName("galway", "Galway", EntityKind.PLACE, frozenset({"Galway"})),
)
NAMES = {each.slug: each.name for each in PEOPLE}
FILLING = ("Please tell me.", "Thanks!", "お願い。", "It rained.")
START = datetime(2026, 1, 3, 12).astimezone()


@st.composite
def transcripts(draw: st.DrawFn) -> list[tuple[OwnTurn, set[str], set[str]]]:
    """Turns with what they were made from: things, and people by their slugs."""
    made = []
    for number in range(draw(st.integers(0, 14))):
        things = draw(st.sets(st.sampled_from(THINGS), max_size=3))
        people = draw(st.sets(st.sampled_from(sorted(NAMES)), max_size=2))
        said = [f"We saw the {each}." if each.isascii() else f"{each}を見た。" for each in things]
        said += [
            f"I met {NAMES[each]} there." if each.isascii() else f"{NAMES[each]}さんに会った。"
            for each in people
        ]
        said += draw(st.lists(st.sampled_from(FILLING), max_size=2))
        turn = OwnTurn(
            TurnId(f"t_{number}"),
            ConversationId("v_1"),
            "",
            number,
            START + timedelta(days=draw(st.integers(0, 150))),
            " ".join(draw(st.permutations(said))) or "Hm.",
            draw(st.sampled_from(["", "r_cook"])),
            played=draw(st.booleans()),
        )
        made.append((turn, things, people))
    return made


def counted(turns: list[OwnTurn], edits: list[ProfileEdit] | None = None) -> Profile:
    months: dict[str, list[OwnTurn]] = {}
    for turn in turns:
        months.setdefault(month_of(turn.at), []).append(turn)
    index = NameIndex(PEOPLE)
    found = {turn.id: index.named_in(turn.text) for turn in turns if not turn.played}
    lines = [
        *topic_lines([read_month(said) for said in months.values()], PEOPLE),
        *name_lines(PEOPLE, found),
        *asked_lines(turns, {"r_cook": "Cook"}),
    ]
    return arrange(turns, lines, edits or [])


def by_key(lines: list[Line]) -> dict[str, int]:
    return {line.key: line.count for line in lines}


@settings(max_examples=40)
@given(transcripts())
def test_counts_equal_the_transcript_s(made: list[tuple[OwnTurn, set[str], set[str]]]) -> None:
    shown = counted([turn for turn, _, _ in made])
    own = [(turn, things, people) for turn, things, people in made if not turn.played]
    topics = Counter(thing for _, things, _ in own for thing in things)
    named = Counter(slug for _, _, people in own for slug in people)
    assert by_key(shown.of(LineKind.TOPIC)) == topics
    assert by_key([*shown.of(LineKind.PERSON), *shown.of(LineKind.PLACE)]) == named
    assert by_key(shown.of(LineKind.ASKED)) == Counter(turn.speaker for turn, _, _ in made)
    for line in shown.of(LineKind.TOPIC):
        naive = Counter(month_of(turn.at) for turn, things, _ in own if line.key in things)
        assert shown.by_month(line) == [naive[month] for month in shown.months]
    persons = shown.of(LineKind.PERSON)
    most = shown.most_by_month(LineKind.PERSON)
    for line in persons:
        for month, depth in zip(shown.months, shown.depth(line, most), strict=True):
            there = [people for turn, _, people in own if month_of(turn.at) == month]
            each = Counter(slug for people in there for slug in people)
            top = max((each[other.key] for other in persons), default=0)
            assert depth == relation([each[line.key]], top)
    vector = shown.vector()
    assert len(vector) == min(VECTOR, len(topics))
    assert abs(sum(share for _, share in vector) - bool(vector)) < 1e-9


@settings(max_examples=40)
@given(
    transcripts(),
    st.lists(
        st.tuples(st.sampled_from(THINGS), st.sampled_from(["hide", "show", *THINGS, ""])),
        max_size=8,
    ),
)
def test_no_change_makes_a_turn_count_twice_or_not_at_all(
    made: list[tuple[OwnTurn, set[str], set[str]]], wanted: list[tuple[str, str]]
) -> None:
    edits = [
        ProfileEdit(
            str(number),
            line_id(LineKind.TOPIC, thing),
            START,
            hidden={"hide": True, "show": False}.get(what),
            into=line_id(LineKind.TOPIC, what) if what in THINGS else what and None,
        )
        for number, (thing, what) in enumerate(wanted)
    ]
    turns = [turn for turn, _, _ in made]
    shown = counted(turns, edits)
    plain = {line.key: line for line in counted(turns).of(LineKind.TOPIC)}
    seen = [*shown.of(LineKind.TOPIC), *shown.of(LineKind.TOPIC, hidden=True)]
    parts = [each for line in seen for each in (line, *line.merged)]
    assert sorted(each.key for each in parts) == sorted(plain)
    for line in seen:
        members = {line.key, *(each.key for each in line.merged)}
        naive = {turn.id for turn, things, _ in made if not turn.played and members & things}
        assert line.turns == naive
