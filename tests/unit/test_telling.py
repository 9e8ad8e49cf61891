"""What is a sentence that tells something, and what only stands in a text."""

from __future__ import annotations

import pytest

from lpm_kernel.L1.statements.extraction import signs
from lpm_kernel.L1.statements.telling import is_telling, needs_context

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Cork in May.",
        "Kev: needs licence 2 yrs and no points",
        "Worked till ten, free trams after eight, so it was carnage.",
        "On 3 May 2021, Ola, Ann and I sold 51 loaves.",
        "千夏に背中を押されて手を挙げた。",
        "家賃は四千円上がる",
    ],
)
def test_a_sentence_tells_something(text: str) -> None:
    assert is_telling(text)


@pytest.mark.parametrize(
    "text",
    [
        "Date: 2024-03-19 09:00",
        "Subject: Rent review - 41 Barrack St",
        "件名: シフトの件",
        "Dear Mr Cotter, I got your letter.",
        "Best wishes, Donal",
        "団員各位",
        "Sat, 22, 51, 390, Grażyna + Ola",
        "2022-10-07,MOT fail - sill weld,210,65900",
        "day, service washes, self service, coins, notes",
        "日付,項目,店・先,金額",
        "費目,円,メモ",
        "who: Ann; where: Cork; price: 40",
        "| Ann | Cork |",
        "# A day",
        "Are you there?",
        "“COTTER & SONS DYERS & CLEANERS 1931”.",
        "guy called Brendan",
        "https://example.org/a/long/address",
    ],
)
def test_a_head_a_salutation_a_row_and_a_shred_tell_nothing(text: str) -> None:
    assert not is_telling(text)


@pytest.mark.parametrize("text", ["Sat, 22, 51, 390, Ola", "Date: 2024-03-19 09:00"])
def test_rows_and_heads_are_never_proposed(text: str) -> None:
    assert signs(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "It leaks again.",
        "She moved to Cork.",
        "We talked for an hour.",
        "Did I tell you of the roof.",
        "Mam: I have the bag packed since Tuesday.",
        "no. colic hr 6-8pm, hoover sound works.",
        "Plan for the week",
        "その人は来なかった。",
        "西原: 機械がまた止まりました。",
        "左は視力0.7→0.5、眼鏡作り直し",
    ],
)
def test_what_means_something_that_stands_elsewhere_needs_its_context(text: str) -> None:
    assert needs_context(text)


@pytest.mark.parametrize(
    "text",
    [
        "The summer course has six places.",
        "Ottilie says she moved to Cork.",
        "My brother Colm sold his boat.",
        "I told Nora that we were late.",
        "重松さんの猫は太っている。",
    ],
)
def test_what_names_whom_it_means_needs_none(text: str) -> None:
    assert not needs_context(text)
