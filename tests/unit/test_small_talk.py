"""Small talk is met as small talk, and nothing else is."""

from __future__ import annotations

import pytest

from lpm_kernel.domain.chat.conversations import (
    AnswerPart,
    Identity,
    Manner,
    Outcome,
    PartKind,
    outcome_of,
)
from lpm_kernel.domain.chat.recall import Recollection
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import leaning, recalled_for
from lpm_kernel.L1.answering.small_talk import SmallTalk, reply_to, small_talk
from lpm_kernel.L1.answering.voice import Voice
from lpm_kernel.usecases.chat.ask import preview

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hi", SmallTalk.GREETING),
        ("Hello there!", SmallTalk.GREETING),
        ("Good morning 🙂", SmallTalk.GREETING),
        ("おはようございます。", SmallTalk.GREETING),
        ("你好！", SmallTalk.GREETING),
        ("Hello, who are you?", SmallTalk.WHO),
        ("what can you do", SmallTalk.WHO),
        ("あなたは誰ですか？", SmallTalk.WHO),
        ("你是谁？", SmallTalk.WHO),
        ("How are you today?", SmallTalk.WELL),
        ("元気ですか", SmallTalk.WELL),
        ("thanks a lot!", SmallTalk.THANKS),
        ("ありがとうございます", SmallTalk.THANKS),
        ("谢谢你", SmallTalk.THANKS),
        ("Good night.", SmallTalk.FAREWELL),
        ("またね", SmallTalk.FAREWELL),
        ("How is the weather today?", SmallTalk.OUTSIDE),
        ("What time is it?", SmallTalk.OUTSIDE),
        ("明日の天気は？", SmallTalk.OUTSIDE),
        ("今何時ですか？", SmallTalk.OUTSIDE),
        ("今天天气怎么样？", SmallTalk.OUTSIDE),
    ],
)
def test_small_talk_is_told_from_questions(text: str, kind: SmallTalk) -> None:
    assert small_talk(text) is kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "Who is Mai?",
        "Who are you meeting on Friday?",
        "Hi Mai, when do we meet?",
        "Thanks to whom did I find the flat?",
        "How is the cello?",
        "How was the weather on 5 May?",
        "What time is it that the train leaves?",
        "引っ越しの日の天気は？",
        "What did Mai say when I said hello?",
        "What can you do with spruce?",
        "元気の出る曲は？",
        "你好像说过什么？",
        "hello " * 40,
    ],
)
def test_what_asks_for_something_is_no_small_talk(text: str) -> None:
    assert small_talk(text) is None


def test_nothing_is_looked_for_and_no_earlier_question_is_taken_up() -> None:
    def never(_: object) -> Recollection:
        raise AssertionError

    assert recalled_for(Question("Thanks!"), never).items == ()
    assert leaning(Question("Thanks!"), ()).text == "Thanks!"
    (said,) = preview(never, Identity("Nagi"), "Who are you?")
    assert said.text.startswith("I’m Nagi’s second self")


def test_it_is_answered_in_the_language_and_manner_of_the_person() -> None:
    nagi = Identity("Nagi")
    assert reply_to(SmallTalk.WHO, Voice("ja"), nagi).startswith("Nagiさんの分身です")
    assert reply_to(SmallTalk.WHO, Voice("ja", manner=Manner.PLAIN), nagi).startswith("Nagi")
    assert reply_to(SmallTalk.WHO, Voice("zh"), Identity("")).startswith("我是你的分身")
    assert all(
        "{" not in reply_to(kind, Voice(language, manner=manner), nagi)
        for kind in SmallTalk
        for language in ("en", "ja", "zh")
        for manner in Manner
    )


def test_what_comes_of_it_is_no_answer() -> None:
    said = AnswerPart(PartKind.NOTE, "Hello.")
    assert outcome_of([said], abstained=False) is Outcome.TALK
    assert outcome_of([], abstained=False) is Outcome.ANSWERED
