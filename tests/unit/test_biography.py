"""Who somebody is in their own sentences: which of them tell a part of a life by themselves, and in
what order they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from lpm_kernel.domain.ids import DocumentId
from lpm_kernel.domain.memory.claims import Claim
from lpm_kernel.domain.statements import StatementKind
from lpm_kernel.L1.statements.biography import biography, in_short, part_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("I was born in Cork in 1979.", "origin"),
        ("My parents came from Gdańsk.", "origin"),
        ("I have two brothers.", "family"),
        ("My sister Anna lives in Ghent with her husband.", "family"),
        ("My father died in 2011.", "family"),
        ("I work as a nurse at the hospital in Mallow.", "work"),
        ("I studied chemistry in Porto.", "work"),
        ("I retired from the post office in 2019.", "work"),
        ("I moved to Tralee in 2014.", "places"),
        ("I rent a flat over a bakery.", "places"),
        ("I play the cello in an orchestra.", "now"),
        ("I don't eat meat or fish.", "now"),
        ("私は松江で生まれた。", "origin"),
        ("妹の由美は神戸に住んでいる。", "family"),
        ("2015年に市役所に就職した。", "work"),
        ("出雲に引っ越した。", "places"),
        ("毎週チェロを習っている。", "now"),
    ],
)
def test_a_sentence_that_tells_a_part_of_a_life(text: str, part: str) -> None:
    assert part_of(text) == part


@pytest.mark.parametrize(
    "text",
    [
        "She lives in Ghent.",
        "I moved there in 2014.",
        "I work with him.",
        "I would live in Rome if I could.",
        "I moved to Tralee yesterday.",
        "Moved to Tralee.",
        "moved to Tralee, then back",
        "Mam said “I work as a nurse”.",
        "I moved the bag to Cork.",
        "I live.",
        "My cousin Colm came along.",
        "My sister Anna is late.",
        "We live in Cork.",
        "I want to work as a nurse.",
        "I keep my word.",
        "I keep walking past Mr Ide's door.",
        "I came in April with two planes.",
        "I live in Cork. Rain all day.",
        "I work with you on Monday?",
        "| I live in Cork | 2014 |",
        "彼は松江に住んでいる。",
        "はちは七つの家に住んでいます。",
        "台風の夜、停電の産院で生まれた。",
        "妹が結婚したときの写真だ。",
        "来年は東京に住みたい。",
    ],
)
def test_what_does_not_stand_alone_or_is_of_somebody_else_tells_none(text: str) -> None:
    assert part_of(text) is None


def claims(*told: tuple[int, str]) -> list[Claim]:
    return [
        Claim(
            DocumentId(f"{year} {text}"),
            "v",
            0,
            len(text),
            text,
            StatementKind.EXPERIENCE,
            (),
            0.9,
            kept=False,
            mine=True,
            signs=("first",),
            moment=datetime(year, 5, 1, tzinfo=UTC).timestamp(),
        )
        for year, text in told
    ]


def sections(mine: Sequence[Claim], lately: Sequence[Claim] = ()) -> list[tuple[str, str]]:
    return [(line.section.value, line.text) for line in biography(mine, lately)]


def test_a_life_is_told_in_its_order_whatever_was_written_first() -> None:
    mine = claims(
        (2024, "I play the cello in an orchestra."),
        (2023, "I work as a nurse at the hospital in Mallow."),
        (2015, "I moved to Tralee in 2014."),
        (2020, "My sister Anna lives in Ghent."),
        (2021, "I was born in Cork in 1979."),
        (2022, "I signed for the bag."),
    )
    lately = claims((2024, "I met Nora in Kinsale on 3 May."), (2024, "I put the bag away."))
    assert [section for section, _ in sections(mine, lately)] == [
        "origin",
        "family",
        "work",
        "places",
        "now",
        "lately",
    ]


def test_of_two_homes_the_newer_is_told() -> None:
    told = sections(claims((2014, "I live in Cork."), (2024, "I live in Tralee.")))
    assert told == [("places", "I live in Tralee.")]


def test_loose_sentences_are_no_biography() -> None:
    loose = claims((2024, "I put the bag away."), (2024, "I met Nora in Kinsale on 3 May."))
    assert sections(loose, loose) == []


def test_in_short_is_what_one_does_where_one_lives_and_with_whom() -> None:
    told = [
        ("origin", "I was born in Cork."),
        ("family", "I am married."),
        ("work", "I worked as a cook."),
        ("work", "I work as a nurse."),
        ("places", "I live in Tralee."),
        ("lately", "I met Nora in Kinsale."),
    ]
    assert in_short(told) == ["I am married.", "I work as a nurse.", "I live in Tralee."]
    assert in_short(told[:1]) == ["I was born in Cork."]
    assert in_short([("lately", "I met Nora in Kinsale.")]) == []
