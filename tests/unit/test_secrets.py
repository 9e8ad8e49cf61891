"""What looks like a secret, and what only resembles one."""

from __future__ import annotations

import pytest

from lpm_kernel.L1.statements import secrets
from lpm_kernel.L1.statements.secrets import Secret, looks_secret


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
        ("カードは4111ー1111ー1111ー1111です。", Secret.ACCOUNT),
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
        ("The front gate opens if you punch in 7-3-9-1.", Secret.CODE),
        ("The bike lock is 4-8-2-7.", Secret.CODE),
        ("The safe: left 12, right 30, left 8.", Secret.CODE),
        ("wifi password heron2024", Secret.CODE),
        ("Router admin / admin123", Secret.CODE),
        ("Guest wifi: Blauwal_2021", Secret.CODE),
        ("Recovery codes for GitHub: a1b2c-d3e4f", Secret.CODE),
        ("the spare key is under the third flowerpot", Secret.CODE),
        ("鍵は植木鉢の下にある。", Secret.CODE),
        ("スマホのロックは 880412", Secret.CODE),
        ("路由器密码改成了 otter77", Secret.CODE),
        ("备用钥匙放在信箱里", Secret.CODE),
        ("My social is 078-05-1120", Secret.ACCOUNT),
        ("policy no. 88-1123-A", Secret.ACCOUNT),
        ("病歷號 1234567", Secret.ACCOUNT),
        ("I take 50 mg of it at night.", Secret.HEALTH),
        ("We lost the baby.", Secret.HEALTH),
        ("Dad had a stroke in May.", Secret.HEALTH),
        ("母は乳がんだった。", Secret.HEALTH),
        ("爸爸得了老年痴呆。", Secret.HEALTH),
        ("He is having an affair with Anna.", Secret.CONFIDED),
        ("Her secret: she never finished school.", Secret.CONFIDED),
        ("She confided that she is in debt.", Secret.CONFIDED),
        ("彼女が泣きながら打ち明けた。", Secret.CONFIDED),
        ("他坐过牢，千万别说出去。", Secret.CONFIDED),
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
        "Drive safe, see you at 1900.",
        "The alarm rang at 0630.",
        "The door is 210 cm high.",
        "Account of the voyage, 1872.",
        "We took account of 300 replies.",
        "The tropical depression moved north.",
        "Aids to navigation were replaced.",
        "We tested 300 pumps; the test results were good.",
        "Nobody knows who built it.",
        "They had an affair to attend in Bergen.",
        "暗号という本を読んだ。",
        "金庫は明治時代のもので、高さは120センチ。",
        "診断士の試験は2025年だ。",
        "鍵となる石は三つある。",
        "保险箱是1890年造的。",
        "阳性名词和阴性名词。",
        "信用卡在1950年出现。",
        "",
    ],
)
def test_what_only_resembles_one_is_not(text: str) -> None:
    assert looks_secret(text) is None


def test_a_text_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grant is counted over the whole memory each time that it is shown."""
    looked: list[str] = []
    real = secrets._look

    def look(text: str) -> Secret | None:
        looked.append(text)
        return real(text)

    monkeypatch.setattr(secrets, "_look", look)
    for _ in range(3):
        assert looks_secret("The code of the blue safe is 90210.") is Secret.CODE
        assert looks_secret("We ate at half past eight.") is None
    assert len(looked) == 2
