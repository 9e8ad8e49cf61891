"""What is masked, and what beside it stays."""

from __future__ import annotations

import pytest

from lpm_kernel.domain.documents import ParsedText
from lpm_kernel.L0.sanitise import sanitise


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Mail mai.kurose+walks@example.co.jp, not Mai.", "Mail [e-mail], not Mai."),
        ("<a@b.org>; c@d.example", "<[e-mail]>; [e-mail]"),
        ("He said @Mai and a@b and 2@3 o'clock.", "He said @Mai and a@b and 2@3 o'clock."),
        ("Card 4111 1111 1111 1111, order 4111 1111 1111 1112.", "Card [card], order 4111 1111 1111 1112."),
        ("Card 5500-0000-0000-0004 and IBAN-ish 1234567890123.", "Card [card] and IBAN-ish 1234567890123."),
        ("Zeros 0000 0000 0000 0000.", "Zeros 0000 0000 0000 0000."),
        ("See https://a.example/x?q=glue&sid=9f8e7d.", "See https://a.example/x?q=glue&sid=hidden."),
        ("See (https://a.example/p/3f2504e0-4f89-11d3-9a0c-0305e82c3301).", "See (https://a.example/p/hidden)."),
        ("https://u:pw@a.example/x", "https://a.example/x"),
        ("https://a.example/x;jsessionid=1A2B?y=1", "https://a.example/x;jsessionid=hidden?y=1"),
        ("https://a.example/a-quiet-week-in-the-workshop-of-2025", "https://a.example/a-quiet-week-in-the-workshop-of-2025"),
        ("https://a.example/cb#access_token=abc&x=1", "https://a.example/cb#hidden"),
    ],
)
def test_masks(before: str, after: str) -> None:
    assert sanitise(ParsedText(before, ())).text == after
