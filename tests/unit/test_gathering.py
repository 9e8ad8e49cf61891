"""What is put beside a request is about what it asks for, not only about the same people."""

from __future__ import annotations

import pytest

from lpm_kernel.domain.chat.recall import Sought
from lpm_kernel.L1.answering.gathering import belongs, named_in

pytestmark = pytest.mark.unit

ASKED = [Sought(word, (word,), 4.0) for word in ("riaan", "nandi", "crech")]


@pytest.mark.parametrize(
    ("text", "near", "wanted"),
    [
        ("Riaan walked Nandi along the beach.", 0.4, False),
        ("Riaan found the creche locked on Tuesdays.", 0.4, True),
        ("Riaan and Nandi are at the creche until four.", 0.1, True),
        ("Nandi cannot eat peanuts.", 0.1, True),
        ("Riaan took Nandi home at four, as on every Friday.", 0.55, True),
    ],
)
def test_names_alone_are_no_evidence_unless_the_meaning_is_near(
    text: str, near: float, wanted: bool
) -> None:
    assert belongs(text, ASKED, near, named_in("Ask Riaan about Nandi.")) is wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Someone ate them.", False),
        ("he'll never sign that", False),
        ("The oven gives burnt edges and raw middles on every second tray.", True),
    ],
)
def test_a_few_words_belong_to_nothing_by_their_meaning_alone(text: str, wanted: bool) -> None:
    asked = [Sought(word, (word,), 4.0) for word in ("plan", "dinner")]
    assert belongs(text, asked, 0.6) is wanted
