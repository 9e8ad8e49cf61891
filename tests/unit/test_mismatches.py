"""What a quotation plainly does not speak of."""

from __future__ import annotations

import pytest

from lpm_kernel.L1.answering.mismatches import is_another, is_contrary

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("question", "quoted", "another"),
    [
        ("What does Mai's husband do?", "Her father was a piano tuner.", True),
        ("美智子さんの旦那さんの仕事は？", "彼女はお父さんが調律師だった。", True),
        ("妹の誕生日はいつ？", "弟は三月生まれだ。", True),
        ("What is my brother's job?", "My older brother teaches.", False),
        ("What does my partner do?", "My husband bakes.", False),
        ("What does my brother do?", "Conor and my sister run the shop.", False),
        ("What does my father do?", "He tunes pianos.", False),
        ("夫の仕事は？", "弟はもう大丈夫だと言った。", True),
        ("弟の仕事は？", "もう大丈夫だと言った。", False),
        ("What did I promise Ana?", "I said to Ana that I'd rather be cross.", True),
        ("What did I promise Ana?", "I'll bring her the keys.", False),
        ("What did I promise Ana?", "彼女に鍵を返すと約束した。", False),
        ("What did the mayor promise?", "The bridge opens in May.", False),
        ("アナに何を約束した？", "アナと鍵の話をした。", True),
        ("What is my dog called?", "The Ishiguro viola takes a hair off the dog.", True),
        ("What is my dog called?", "In October one can go up the ridge with a dog.", True),
        ("What's the name of my dog?", "She slept, and the dog slept on her foot.", True),
        ("What's my dog's name?", "My dog, as ever, Kuri.", False),
        ("What is my dog called?", "She rolled off the cushion, so she is Kuri.", False),
        ("What is my dog called?", "Kuri, our dog, ate the candle.", False),
        ("What is the boat called?", "The boat is called after my mother.", False),
        ("What is the boat called?", "The boat, the “Adela”, leaks.", False),
        ("What is Ottilie's aunt called?", "Ottilie wrote that her aunt fell.", True),
        ("What is Ottilie's aunt called?", "Ottilie wrote that her aunt Hedwig fell.", False),
        ("What was the boat named after?", "The boat leaks.", False),
        ("What is my dog called?", "犬のクリはもう五歳。", False),
        ("What's my sister's name?", "She rolled off the cushion, so she is Kuri.", True),
        ("What's my sister's name?", "Yuka, my younger sister, has two sons.", False),
        ("What's my sister's name?", "妹の由香に会った。", False),
        ("妹の名前は？", "クリは五歳になった。", True),
        ("妹の名前は？", "妹の由香に会った。", False),
        ("我妹妹叫什么名字？", "小栗五岁了。", True),
    ],
)
def test_what_is_plainly_of_another(question: str, quoted: str, another: bool) -> None:
    assert is_another(question, quoted, quoted) is another


def test_who_is_asked_about_may_stand_elsewhere_in_the_passage() -> None:
    passage = "My husband is back. His father was a tuner, and so is he."
    assert not is_another("What does my husband do?", "His father was a tuner.", passage)


@pytest.mark.parametrize(
    ("question", "sentence", "contrary"),
    [
        ("How cold was my last swim?", "First swim since the clocks changed, 8.4 degrees.", True),
        ("How cold was my last swim?", "Last swim of the year, 12.1 degrees.", False),
        ("When was my first concert?", "The last concert was in May.", True),
        ("When was my first concert?", "The last bus had gone before the concert.", False),
        ("What was the latest price?", "The first price was 40, the latest price 60.", False),
        ("最後の授業はいつ？", "最初の授業は四月だった。", True),
        ("最後の授業はいつ？", "最後の授業は七月だった。", False),
    ],
)
def test_the_first_is_not_the_last(question: str, sentence: str, contrary: bool) -> None:
    assert is_contrary(question, sentence) is contrary
