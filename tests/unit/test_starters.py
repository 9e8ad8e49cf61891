"""What a sentence is asked about to begin with: what stands by itself in a question, and nothing
that leans on what was said before.
"""

from __future__ import annotations

import pytest

from lpm_kernel.L1.answering.starters import starters


def asked(sentence: str, *, own: bool = True, dated: bool = True) -> list[str]:
    return [each.question for each in starters(sentence, own=own, dated=dated)]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("Sold the boat to Halvard.", "When did I sell the boat to Halvard?"),
        ("Today we planted three lilacs.", "When did we plant three lilacs?"),
        ("I decided to leave the choir, at last.", "When did I decide to leave the choir?"),
        (
            "I quit the choir because the new conductor shouts.",
            "Why did I quit the choir?",
        ),
        ("I can't stand the ring road.", "What do I think of the ring road?"),
        ("蔵の屋根を直した。", "蔵の屋根を直したのはいつですか。"),
        ("雨が続いたので、畑を売った。", "畑を売ったのはなぜですか。"),
        ("満員電車は苦手だ。", "私は満員電車をどう思っていますか。"),
        ("我买了旧相机。", "我是什么时候买旧相机的？"),
        ("因为下大雨，所以我没去面试。", "为什么我没去面试？"),
        ("我喜欢下雨天。", "我怎么看下雨天？"),
    ],
)
def test_the_person_is_asked_for_when_why_and_what_they_think(sentence: str, question: str) -> None:
    assert asked(sentence) == [question]
    assert asked(sentence, own=False) == []


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("Liisbet sent a card with a drawing.", "What did Liisbet send?"),
        ("Mihkel built me a pedal for the space bar.", "What did Mihkel build me?"),
        ("千夏がゼリーを買った。", "千夏は何を買ったのですか。"),
        ("長谷川さんは辞書をくれた。", "長谷川さんは何をくれたのですか。"),
    ],
)
def test_others_are_asked_for_what_they_made_or_gave(sentence: str, question: str) -> None:
    assert asked(sentence)[0] == question


@pytest.mark.parametrize(
    "sentence",
    [
        "Sold it.",
        "I bought one of those again.",
        "I met him at the station where we had met before.",
        "Did I sell the boat?",
        "Sosamma has made me promise that we go.",
        "それを直した。",
        "井上さんは笑いながら話し、途中で畑を売った。",
        "院長说，买一天送六天。",
        "",
    ],
)
def test_what_leans_on_something_else_is_not_asked_about(sentence: str) -> None:
    assert asked(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "If I sold the house, Ann would cry.",
        "Unless I sold the house, Ann would cry.",
        "When I sold the boat, Ann cried.",
        "Had I sold the house, Ann would have cried.",
        "Suppose I sold the house.",
        "If Ann comes and I sold the house, we go.",
        "Maybe I sold the house because Ann cried.",
        "弟弟毕业了，搬到上海工作。",
        "妈妈很高兴，决定卖房子。",
        "妈妈，买了米。",
        "要是下雨，我租了房子。",
    ],
)
def test_nobody_is_asked_for_the_day_of_what_did_not_happen_or_another_did(sentence: str) -> None:
    assert asked(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("Yesterday I sold the house.", "When did I sell the house?"),
        ("We had tea and I sold the house.", "When did I sell the house?"),
        ("买了旧相机。", "我是什么时候买旧相机的？"),
        ("下雨了，我们租了房子。", "我们是什么时候租房子的？"),
    ],
)
def test_what_the_person_did_is_asked_about_wherever_it_stands(
    sentence: str, question: str
) -> None:
    assert asked(sentence) == [question]


def test_without_a_day_nobody_is_asked_for_one() -> None:
    assert asked("Sold the boat to Halvard.", dated=False) == []


def test_in_anothers_words_me_is_not_the_person() -> None:
    assert asked("Mihkel built me a pedal for the space bar.", own=False) == []
