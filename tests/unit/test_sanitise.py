"""What is masked, and what beside it stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.library.documents import ParsedText, Segment
from lpm_kernel.L0.text.masking import sanitise


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Mail mai.kurose+walks@example.co.jp, not Mai.", "Mail [e-mail], not Mai."),
        ("<a@b.org>; c@d.example", "<[e-mail]>; [e-mail]"),
        ("He said @Mai and a@b and 2@3 o'clock.", "He said @Mai and a@b and 2@3 o'clock."),
        (
            "Card 4111 1111 1111 1111, order 4111 1111 1111 1112.",
            "Card [card], order 4111 1111 1111 1112.",
        ),
        (
            "Card 5500-0000-0000-0004 and IBAN-ish 1234567890123.",
            "Card [card] and IBAN-ish 1234567890123.",
        ),
        ("Zeros 0000 0000 0000 0000.", "Zeros 0000 0000 0000 0000."),
        (
            "See https://a.example/x?q=glue&sid=9f8e7d.",
            "See https://a.example/x?q=glue&sid=hidden.",
        ),
        (
            "See (https://a.example/p/3f2504e0-4f89-11d3-9a0c-0305e82c3301).",
            "See (https://a.example/p/hidden).",
        ),
        ("https://u:pw@a.example/x", "https://a.example/x"),
        (
            "See www.a.example/cart?item=7&token=abc123.",
            "See www.a.example/cart?item=7&token=hidden.",
        ),
        ("https://a.example/x;jsessionid=1A2B?y=1", "https://a.example/x;jsessionid=hidden?y=1"),
        (
            "https://a.example/a-quiet-week-in-the-workshop-of-2025",
            "https://a.example/a-quiet-week-in-the-workshop-of-2025",
        ),
        ("https://a.example/cb#access_token=abc&x=1", "https://a.example/cb#hidden"),
        ("連絡先はmai@example.jpです。", "連絡先は[e-mail]です。"),
        ("联系mai@example.cn，谢谢", "联系[e-mail]，谢谢"),
        ("山田@example.jp", "[e-mail]"),
        ("taro＠example.jp まで", "[e-mail] まで"),
        ("müller@example.de schrieb", "[e-mail] schrieb"),
        ("カードは4111 1111 1111 1111です", "カードは[card]です"),
        ("カードは4111ー1111ー1111ー1111です", "カードは[card]です"),
        ("カードは4111−1111−1111−1111です", "カードは[card]です"),
        ("カードは４１１１－１１１１－１１１１－１１１１です", "カードは[card]です"),
        ("https://a.example/reset/Zq81KfPw9xTt2m", "https://a.example/reset/hidden"),
        ("https://a.example/x/Zq81KfPw9xTt2mを開く", "https://a.example/x/hiddenを開く"),
        ("https://a.example/invite/k7m2p9", "https://a.example/invite/hidden"),
        ("https://a.example/d/a3f9c2e17b604d", "https://a.example/d/hidden"),
    ],
)
def test_masks(before: str, after: str) -> None:
    assert sanitise(ParsedText(before, ())).text == after


LUHN = "4111 1111 1111 1111"
ORDINARY = st.sampled_from(
    [
        "雨の日は膠を煮ない。",
        "Mai came at 5.",
        "order 4111 1111 1111 1112",
        "+81 76 221 0000",
        "ISBN 978-3-16-148410-0",
        "https://a.example/page?q=glue",
        "2024-04-06",
        "\n",
    ]
)
SECRET = st.sampled_from(
    [
        "mai@example.org",
        LUHN,
        "https://a.example/x?token=Zq81Kf",
        "https://u:pw@a.example/3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ]
)


@given(parts=st.lists(st.one_of(ORDINARY, SECRET), max_size=12))
def test_secrets_go_neighbours_stay_and_each_segment_keeps_its_own_words(parts: list[str]) -> None:
    text, segments = "", []
    for part in parts:
        segments.append(Segment(len(text), len(text) + len(part)))
        text += f"{part} | "
    masked = sanitise(ParsedText(text, tuple(segments)))
    for secret in ("mai@example.org", LUHN, "Zq81Kf", "pw@", "3f2504e0"):
        assert secret not in masked.text
    for part, segment in zip(parts, masked.segments, strict=True):
        assert masked.text[segment.start : segment.end] == sanitise(ParsedText(part, ())).text
        assert masked.text[segment.end : segment.end + 3] == " | "


@pytest.mark.parametrize(
    "kept",
    [
        "2024-04-06 2024-04-07 2024-04-08",
        "1234567890123456",
        "Room 4111-1111, seat 11",
        "lat 36.5613254, lon 136.6562051",
        "The shelf is 1200 mm, 1800 mm, 2400 mm.",
        "https://a.example/2025/11/violin-repair",
        "see a.example/b@c",
        "https://a.example/products/iPhone15ProMax",
        "https://a.example/hackathon2024/winners",
        "https://a.example/2024Q3Report",
        "https://a.example/login/help",
        "https://a.example/login/forgotPassword",
        "https://a.example/auth/OAuth2Guide",
        "https://a.example/share/iPhone15ProMax",
        "https://a.example/watch?v=dQw4w9WgXcQ",
        "https://ja.example.org/wiki/膠",
        "https://a.example/s/spring-walks-2024",
        "番号は1234567890123456です",
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(kept: str) -> None:
    assert sanitise(ParsedText(kept, ())).text == kept


def test_the_title_and_the_names_are_masked_too() -> None:
    parsed = sanitise(
        ParsedText(
            "Hello.",
            (Segment(0, 6, session="with mai@example.org", speaker="mai@example.org"),),
            title="To mai@example.org",
        )
    )
    assert (parsed.title, parsed.segments[0].session, parsed.segments[0].speaker) == (
        "To [e-mail]",
        "with [e-mail]",
        "[e-mail]",
    )
