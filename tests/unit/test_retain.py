"""Lines under ``## Retain``: what is one, what is none and why."""

from __future__ import annotations

import pytest

from lpm_kernel.domain.memory.retain import parse, statement
from lpm_kernel.domain.statements import Statement, StatementKind

WORLD, LIFE, OPINION, SUMMARY = (
    StatementKind.WORLD,
    StatementKind.EXPERIENCE,
    StatementKind.OPINION,
    StatementKind.OBSERVATION,
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("W The bridge is closed.", Statement(WORLD, "The bridge is closed.")),
        ("B I moved in April.", Statement(LIFE, "I moved in April.")),
        ("S Mornings are for the bench.", Statement(SUMMARY, "Mornings are for the bench.")),
        (
            "O(c=0.95) @Peter: prefers short replies",
            Statement(OPINION, "prefers short replies", ("Peter",), 0.95),
        ),
        ("O (c = 1) Tea.", Statement(OPINION, "Tea.", (), 1.0)),
        ("O(c=.5) Tea.", Statement(OPINION, "Tea.", (), 0.5)),
        ("O Tea.", Statement(OPINION, "Tea.")),
        ("O() Tea.", Statement(OPINION, "Tea.")),
        ("o(c=0) Tea.", Statement(OPINION, "Tea.", (), 0.0)),
        (
            "W @Mr Ide: retired, owns the house",
            Statement(WORLD, "retired, owns the house", ("Mr Ide",)),
        ),
        ("W @Mai, @Jonas: are cousins", Statement(WORLD, "are cousins", ("Mai", "Jonas"))),
        ("W @Mai met @Jonas.", Statement(WORLD, "@Mai met @Jonas.", ("Mai", "Jonas"))),
        (
            "W @[Mr Ide] met @Mai: at noon",
            Statement(WORLD, "@[Mr Ide] met @Mai: at noon", ("Mr Ide", "Mai")),
        ),
        ("W@Mai: came", Statement(WORLD, "came", ("Mai",))),
        (
            "Ｏ（ｃ＝０.９） ＠舞：短い返事がいい",
            Statement(OPINION, "短い返事がいい", ("舞",), 0.9),
        ),
        ("B 四月に引っ越した。", Statement(LIFE, "四月に引っ越した。")),
        ("W See https://example.org/a", Statement(WORLD, "See https://example.org/a")),
        ("W Rain. ^m12ab34", Statement(WORLD, "Rain.", (), None, "m12ab34")),
    ],
)
def test_a_statement_is_read(line: str, expected: Statement) -> None:
    assert statement(line) == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("O(c=1.4) Tea.", "1.4 is not between 0 and 1"),
        ("O(c=-0.1) Tea.", "is no confidence"),
        ("O(c=nan) Tea.", "is no confidence"),
        ("O(c=high) Tea.", "is no confidence"),
        ("O(0.9) Tea.", "is no confidence"),
        ("X Tea.", "no kind X"),
        ("Tea is good.", "does not begin with its kind"),
        ("a cup of tea", "does not begin with its kind"),
        ("", "does not begin with its kind"),
        ("W", "says nothing"),
        ("W @Mai:", "says nothing"),
        ("O(c=0.5)", "says nothing"),
        ("We went home.", "does not begin with its kind"),
        ("Otherwise fine", "does not begin with its kind"),
    ],
)
def test_what_is_none_says_why(line: str, reason: str) -> None:
    read = statement(line)
    assert isinstance(read, str)
    assert reason in read


def test_bad_lines_are_named_and_the_others_are_read() -> None:
    text = (
        "# Day\n- W not here\n\n## Retain\n- W One.\nprose\n* X Two.\n\n- B Three.\n\n### Inside\n+"
        " S Four.\n## After\n- W not here either\n\n# RETAIN #\n- O(c=2) Five.\n- W Six.\n"
    )
    found = parse(text)
    assert [
        (each.line, each.statement.text, text[each.start : each.end]) for each in found.statements
    ] == [
        (5, "One.", "One."),
        (9, "Three.", "Three."),
        (12, "Four.", "Four."),
        (18, "Six.", "Six."),
    ]
    assert [each.line for each in found.bad] == [6, 7, 17]
