"""Whose words a sentence is, as far as its document shows it."""

from __future__ import annotations

import pytest

from lpm_kernel.L1.entities.resolution import own_keys
from lpm_kernel.L1.statements.authorship import authorship_of

pytestmark = pytest.mark.unit

AISLING = frozenset(own_keys("Aisling Keane"))
KEIKO = frozenset(own_keys("平野 圭子"))


def own(text: str, words: str, keys: frozenset[str] = AISLING) -> bool:
    return authorship_of(text, keys).may_be_own(text.index(words))


TALK = """Conor: hartnett says 21 june not 7. lad broke his arm
Aisling: then I'll take doyle
Conor: he signed"""


@pytest.mark.parametrize(
    ("words", "is_own"),
    [("hartnett", False), ("lad broke", False), ("I'll take", True), ("he signed", False)],
)
def test_a_line_of_a_talk_is_whose_name_stands_before_it(words: str, *, is_own: bool) -> None:
    assert own(TALK, words) is is_own


@pytest.mark.parametrize(
    "text",
    [
        "Dear Aisling,\n\nI noticed the gate is narrow.",
        "Hi Conor and Aisling, as promised I noticed something.",
        "To: Aisling Keane, Licensing.\nI noticed a duck.",
        "Patient: Aisling Keane, 33. I noticed hives.",
    ],
)
def test_what_is_written_to_the_person_is_not_theirs(text: str) -> None:
    assert not own(text, "I noticed" if "I noticed" in text else "noticed")


def test_a_japanese_letter_says_at_its_head_to_whom_it_goes() -> None:
    assert not own("圭子へ\n私は元気です。", "私は", KEIKO)
    assert not own("平野圭子様\n私どもの会は", "私ども", KEIKO)
    assert own("京都へ\n私は行った。", "私は", KEIKO)


@pytest.mark.parametrize(
    "text",
    [
        "I drew a box on the map.",
        "Dear Tadhg, I drew a box on the map.",
        "Time: three\nPlace: Kyoto\nBring: I bring rope",
        "19:30 I came home. 20:15 I slept.",
        "see https://example.org/a\nhttps://example.org/b\nI read both.",
    ],
)
def test_what_does_not_show_that_it_is_somebody_elses_may_be_the_persons(text: str) -> None:
    assert own(text, "I ")


def test_a_bill_speaks_of_nobody() -> None:
    assert not authorship_of("Paid to date 48,000. Balance 8,807.", AISLING).speaks_of_self
    assert authorship_of("Paid my share.", AISLING).speaks_of_self
    assert authorship_of("家賃を払った。", AISLING).speaks_of_self
