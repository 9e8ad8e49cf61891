"""Facts that cannot both be so, on pairs that were written before the rule: a false contradiction
is worse than a missed one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lpm_kernel.L1.statements.disagreements import facts
from lpm_kernel.L1.statements.stance import disagree

PAIRS = [
    json.loads(line)
    for line in (
        (Path(__file__).parents[1] / "data" / "statements" / "pairs.jsonl")
        .read_text("utf-8")
        .splitlines()
    )
]


@pytest.mark.parametrize(
    "pair", [each for each in PAIRS if each["reason"] is None], ids=lambda pair: pair["first"][:40]
)
def test_what_can_both_be_so_is_no_contradiction(pair: dict[str, str]) -> None:
    assert disagree(pair["first"], pair["second"]) is None
    assert disagree(pair["second"], pair["first"]) is None


def test_most_of_what_cannot_both_be_so_is_found_for_its_reason() -> None:
    against = [each for each in PAIRS if each["reason"]]
    found = [
        each
        for each in against
        if (reason := disagree(each["first"], each["second"])) is not None
        and reason.value == each["reason"]
    ]
    assert len(found) >= 0.9 * len(against)
    assert len(found) == sum(
        disagree(each["second"], each["first"]) is not None for each in against
    )


@pytest.mark.parametrize(
    "text",
    [
        "Room 4 has beds.",
        "I slept seven hours.",
        "Are there six seats?",
        "祖母は九十一歳です。",
        "The class does not have six seats.",
        "x" * 500 + " is 6",
    ],
)
def test_what_is_not_plain_is_held_against_nothing(text: str) -> None:
    assert facts(text) == ()
