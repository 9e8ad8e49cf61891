"""What looks like a secret, and what only resembles one."""

from __future__ import annotations

import pytest

from lpm_kernel.L1.secrets import Secret, looks_secret


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The code of the safe is 4711.", Secret.CODE),
        ("Safe: 12-34-56, left first.", Secret.CODE),
        ("I changed the alarm to 90210 on Monday.", Secret.CODE),
        ("Ida's PIN is 0815.", Secret.CODE),
        ("Her door code: 44B7#", Secret.CODE),
        ("4711 opens the safe in the hall.", Secret.CODE),
        ("The wifi password is correct-horse.", Secret.CODE),
        ("password: hunter2", Secret.CODE),
        ("金庫の暗証番号は４７１１です。", Secret.CODE),
        ("Wi-Fiのパスワードはsakura88です。", Secret.CODE),
        ("家里的密码是 8842。", Secret.CODE),
        ("保险箱密码：30-14-22", Secret.CODE),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", Secret.KEY),
        ("API_KEY=9f8a7b6c5d4e", Secret.KEY),
        ("Use ghp_abcdefghijklmnopqrstuvwxyz0123 to clone.", Secret.KEY),
        ("The seed phrase is: legal winner thank year", Secret.KEY),
        ("Pay to DE89 3704 0044 0532 0130 00 by Friday.", Secret.ACCOUNT),
        ("My passport number is X1234567.", Secret.ACCOUNT),
        ("Card 4111 1111 1111 1111", Secret.ACCOUNT),
        ("口座番号は1234567です。", Secret.ACCOUNT),
        ("我的身份证号是 110101199003072316", Secret.ACCOUNT),
        ("Mai was diagnosed in March.", Secret.HEALTH),
        ("母はうつ病の薬を飲んでいる。", Secret.HEALTH),
        ("他去年得了癌症。", Secret.HEALTH),
        ("Ren is leaving his wife; don't tell anyone.", Secret.CONFIDED),
        ("Between you and me, the shop will close.", Secret.CONFIDED),
        ("Ida's news: her secret is that she sold the house.", Secret.CONFIDED),
        ("これは内緒だけど、来月引っ越す。", Secret.CONFIDED),
        ("誰にも言わないで。", Secret.CONFIDED),
        ("别告诉妈妈，我辞职了。", Secret.CONFIDED),
    ],
)
def test_what_looks_like_a_secret_is_seen(text: str, secret: Secret) -> None:
    assert looks_secret(text) is secret


@pytest.mark.parametrize(
    "text",
    [
        "Order number 4711-2290 arrived on Monday.",
        "The order code is A-4711.",
        "ISBN 978-0-306-40615-7 is on the shelf.",
        "On 2026-03-14 we ate at 19:30.",
        "The shop's telephone is 03-1234-5678.",
        "The postal code is 920-0853.",
        "We felt safe, and paid 45 euros.",
        "I wrote code all day for version 2024.",
        "The pin fell out of the hinge.",
        "He works at a bank; we have no account of it.",
        "The dress code is black.",
        "The secret of good bread is time.",
        "注文番号は4711-2290です。",
        "電話は03-1234-5678です。",
        "2026年3月14日に金沢へ行った。",
        "订单号是 20260314001。",
        "今天下雨，我们在工房。",
        "Six elm boards, 120 by 40.",
        "",
    ],
)
def test_what_only_resembles_one_is_not(text: str) -> None:
    assert looks_secret(text) is None
