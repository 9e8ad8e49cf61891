"""A sentence of a letter is told without its salutation."""

from __future__ import annotations

import pytest

from lpm_kernel.L0.text.salutations import past_salutation
from lpm_kernel.L1.statements.telling import is_telling

pytestmark = pytest.mark.unit


def told(text: str) -> str:
    return text[past_salutation(text, 0, len(text)) :]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Dear Dr Moe, I am pleased to inform you of it.", "I am pleased to inform you of it."),
        ("Dear Mr. and Mrs. Reyes: Ola came second.", "Ola came second."),
        ("My dear Ann, the well is dry.", "the well is dry."),
        ("Hello, we stayed four nights.", "we stayed four nights."),
        ("Good morning Ann, the kiln is free.", "the kiln is free."),
        ("Hi Ann, good morning, the kiln is free.", "the kiln is free."),
        ("To whom it may concern: Ola has rowed here since May.", "Ola has rowed here since May."),
        ("拝啓　田中様、先日は妹が世話になりました。", "先日は妹が世話になりました。"),
        ("会員各位　来月から会費が上がります。", "来月から会費が上がります。"),
        ("前略、屋根の見積もりが届きました。", "屋根の見積もりが届きました。"),
        ("尊敬的王女士：您的申请已通过。", "您的申请已通过。"),
        ("你好，我是三楼的房东。", "我是三楼的房东。"),
    ],
)
def test_a_sentence_begins_behind_the_salutation(text: str, rest: str) -> None:
    assert told(text) == rest


@pytest.mark.parametrize(
    "text",
    [
        "Dear old Rex, who slept on the stove, died in May.",
        "High tide came early, and the boat floated.",
        "母: 叔母さま、お茶が入りました。",
        "妹へ手紙を書いた。",
        "田中さんは、去年の冬に引っ越した。",
        "小敏昨天说，她不来了。",
        "致富的路很长。",
    ],
)
def test_what_tells_of_somebody_is_no_salutation(text: str) -> None:
    assert told(text) == text


def test_what_stands_before_it_is_passed_over() -> None:
    text = "Friday. Dear Ann, the well is dry."
    assert text[past_salutation(text, 8, len(text)) :] == "the well is dry."


@pytest.mark.parametrize(
    "text",
    [
        "To the Governors of the school,",
        "To whom it may concern,",
        "拝啓 時下ますますご清栄のこととお慶び申し上げます。",
        "貴社ますますご清祥のこととお喜び申し上げます。",
    ],
)
def test_a_salutation_alone_tells_nothing(text: str) -> None:
    assert not is_telling(text)


@pytest.mark.parametrize(
    "sentence",
    [
        "Dear Mum died on Sunday, we buried her in Cork.",
        "My dear wife Ann died, and I was alone.",
        "Good morning coffee with Ann, then work.",
        "Dear me! What a day.",
        "この有様、どうしよう。",
        "宮殿、寺、城を見た。",
        "奥様 は留守だった。",
        "母の担当は山本先生",
        "亲爱的奶奶昨天去世了，我哭了。",
        "我说你好，他没回答。",
        "致癌物：石棉在屋顶里。",
    ],
)
def test_what_is_told_stays(sentence: str) -> None:
    assert past_salutation(sentence, 0, len(sentence)) == 0
