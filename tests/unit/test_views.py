"""Which sentences say what their writer thinks of something, and how a view moved."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L1.statements.views import grouped, is_view

pytestmark = pytest.mark.unit

LABELLED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "statements" / "opinions.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize(
    "case", [case for case in LABELLED if not case["opinion"]], ids=lambda case: case["text"][:40]
)
def test_what_is_no_opinion_of_the_writers_is_not_taken_for_one(case: dict[str, str]) -> None:
    assert not is_view(case["text"])


def test_most_opinions_are_found() -> None:
    opinions = [case["text"] for case in LABELLED if case["opinion"]]
    assert sum(map(is_view, opinions)) >= 0.9 * len(opinions)


@pytest.mark.parametrize(
    "text",
    [
        "I love it.",
        "I think that is fair, chestnuts are up too.",
        "でも好き。",
        "良い返事だと思う。",
        "Reasons I like nights:",
        "Mam says I hate cooking.",
        "But I think Priya should ask",
    ],
)
def test_what_does_not_say_of_what_it_is_is_no_view(text: str) -> None:
    assert not is_view(text)


def claim(year: int, text: str) -> Claim:
    return Claim(
        DocumentId(f"d_{year}"),
        "v",
        0,
        len(text),
        text,
        StatementKind.OPINION,
        (),
        0.7,
        kept=False,
        mine=True,
        moment=datetime(year, 5, 1, tzinfo=UTC).timestamp(),
    )


def test_views_of_one_thing_stand_together_and_the_newest_leads() -> None:
    said = [
        claim(2018, "I hate opera."),
        claim(2021, "I love opera, even the long ones."),
        claim(2024, "I love opera."),
        claim(2023, "I prefer letters to phone calls."),
    ]
    opera, letters = grouped(said)
    assert [words.document for words in opera.words] == ["d_2024", "d_2021", "d_2018"]
    assert opera.turned
    assert opera.since == said[1].moment
    assert letters.words == (said[3],)
    assert not letters.turned
