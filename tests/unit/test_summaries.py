"""What a summary is made of: sentences that were said, decisions and promises before all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpm_kernel.domain.chat.conversations import (
    AnswerPart,
    Citation,
    PartKind,
    Turn,
    TurnState,
)
from lpm_kernel.domain.chat.threads import SentenceKind
from lpm_kernel.domain.ids import ChunkId, ConversationId, DocumentId, TurnId
from lpm_kernel.L1.tiers.summary import MOST, decides, promises, summarise

MORNING = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


def turn(
    number: int, text: str, role: Literal["user", "assistant"] = "user", **more: object
) -> Turn:
    values: dict[str, object] = {
        "id": TurnId(f"t_{number}"),
        "conversation": ConversationId("v_1"),
        "role": role,
        "text": text,
        "state": TurnState.DONE,
        "created_at": MORNING + timedelta(minutes=number),
        "by_owner": True if role == "user" else None,
        "number": number,
    }
    return Turn(**(values | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "sentence",
    [
        "I decided to sell the van.",
        "We've finally decided on Lisbon.",
        "Okay, let's go with the blue tiles.",
        "I'm going with the second offer.",
        "So we settled on May.",
        "車を売ることにした。",
        "名前は「空」に決めました。",
        "会場は京都に決定です。",
        "青いほうで行こう。",
        "我决定卖掉那辆车。",
        "我们最后决定去上海。",
        "就这么定了。",
        "那就买蓝色的吧。",
        "In the end we decided against the loft conversion.",
        "I've decided: we sell the van.",
        "We will go with option B.",
        "We agreed to meet on Friday.",
        "母が忙しいので、毎週通うことにしました。",
        "犬の名前はハチに決めました。",
        "说好了，周五见。",
    ],
)
def test_a_decision_is_known_by_how_it_is_said(sentence: str) -> None:
    assert decides(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I haven't decided about the van.",
        "I can't decide.",
        "She decided to leave.",
        "Have you decided?",
        "I almost decided to go.",
        "It was a decisive year.",
        "毎朝走ることにしている。",
        "京都へ転勤することになった。",
        "まだ決めていない。",
        "母は引っ越すことにした。",
        "我还没决定。",
        "他决定辞职。",
        "这是决定性的一天。",
        "We decided nothing.",
        "I decided the weather was awful.",
        "I decided to leave, but changed my mind.",
        "My decision is still open.",
        "My boss says: we decided to close the branch.",
        "I'm going with Conor to Galway.",
        "I am going with the kids to Rome.",
        "We're going for a walk.",
        "I'm sticking with asthma.",
        "バスで行きます。",
        "医者が薬をやめると決めた。",
        "結婚することにしたのは兄だ。",
        "私は彼が引っ越すことにしたと聞いた。",
        "公司，决定裁员。",
        "他们最后决定卖掉房子。",
    ],
)
def test_what_is_undecided_or_somebody_else_s_is_no_decision(sentence: str) -> None:
    assert not decides(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I'll bring the keys on Friday.",
        "I promise to call her.",
        "Okay, I will pay you back by May.",
        "I swear I won't tell.",
        "金曜に返すと約束する。",
        "資料は明日送るね。",
        "鍵は返しておきます。",
        "必ず電話します。",
        "我会把钥匙带来。",
        "我保证不说出去。",
        "明天我会打电话给她。",
        "Dad, I will fix the gate before Easter.",
        "I won't tell anybody.",
        "I'll never smoke again.",
        "鍵は私が返すよ。",
        "明日までに写真を送ります。",
        "我一定会还你钱。",
        "明天我会送你去机场。",
        "I'll let the school know tomorrow.",
    ],
)
def test_a_promise_is_known_by_how_it_is_said(sentence: str) -> None:
    assert promises(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I'll be honest, it was dull.",
        "I'll probably stay.",
        "I'll never forget that day.",
        "She promised to call.",
        "I will be 40 in May.",
        "I'll have to sell it.",
        "Will I see her?",
        "約束がある。",
        "約束を破った。",
        "明日は雨になるね。",
        "母は電話すると約束した。",
        "我会说中文。",
        "我会很难过。",
        "他会来的。",
        "He said: I promise to pay.",
        "I'll bring the keys, she said.",
        "If I win, I'll buy a boat.",
        "In the dream I promised to marry a goose.",
        "I promised once, and broke it.",
        "I'll have surgery on Monday.",
        "I'll lose my job if this goes on.",
        "I will inherit the house.",
        "I'll call it a day.",
        "雨が必ず降る。",
        "必ず負ける。",
        "窓を開けておく。",
        "毎晩、鍵を確認します。",
        "父は必ず返すと言った。",
        "我会感冒。",
        "我会忘记。",
        "我会买菜做饭。",
        "我会接受不了。",
        "我会送外卖。",
        "We'll drive each other mad.",
        "I will write badly if I'm tired.",
        "We'll check out at noon.",
        "I'll pay for that remark one day.",
        "I'll buy it if I must, maybe.",
        "I'll show my age now.",
        "We'll finish in tears.",
        "I'll order too much again.",
        "我会帮倒忙。",
        "我答应不了。",
        "我答应过他，可是忘了。",
    ],
)
def test_what_is_expected_admitted_or_somebody_else_s_is_no_promise(sentence: str) -> None:
    assert not promises(sentence)


def test_what_was_decided_and_promised_comes_before_what_was_only_told() -> None:
    said = [f"The hive number {number} has a new queen." for number in range(MOST)]
    turns = [turn(n, text) for n, text in enumerate(said, start=1)]
    turns += [
        turn(7, "I decided to sell the honey."),
        turn(8, "I'll bring Mai a jar. It drizzled."),
    ]
    summary = summarise(turns)
    assert [each.kind for each in summary][-2:] == [SentenceKind.DECIDED, SentenceKind.PROMISED]
    assert len(summary) == MOST
    assert {each.speaker for each in summary} == {"user"}


def test_an_answer_is_in_it_with_what_it_cites_where_there_is_room() -> None:
    citation = Citation(1, ChunkId("c"), DocumentId("d_1"), "1", 0, 3, "")
    parts = (
        AnswerPart(PartKind.NOTE, "You wrote on 3 May:"),
        AnswerPart(PartKind.QUOTATION, "The van went to Conor. He paid.", (1,)),
    )
    answer = turn(2, "", "assistant", parts=parts, citations=(citation,), speaker="")
    asked, answered = summarise([turn(1, "Hello! Who has the van?"), answer])
    assert (asked.kind, asked.text) == (SentenceKind.ASKED, "Who has the van?")
    assert (answered.kind, answered.text) == (SentenceKind.ANSWERED, "The van went to Conor.")
    assert answered.documents == (DocumentId("d_1"),)
    assert answered.part is PartKind.QUOTATION


@pytest.mark.parametrize(
    ("text", "by_owner"),
    [("I sold the van to Conor.", False), ("Mai wrote: “I sold the van to Conor.”", True)],
)
def test_nobody_else_s_words_are_the_person_s(text: str, by_owner: bool) -> None:
    assert summarise([turn(1, text, by_owner=by_owner)]) == ()


TALK = st.lists(
    st.lists(
        st.sampled_from(
            [
                "I sold the van to Conor.",
                "I decided to plant quinces.",
                "I'll call Mai on Thursday.",
                "Who has the keys?",
                "Thanks!",
                "車は売ることにした。",
                "鍵は返しておきます。",
                "我会把钥匙带来。",
                "It drizzled.",
                "Please translate this: I quit.",
            ]
        )
        | st.text(max_size=40),
        min_size=1,
        max_size=4,
    ).map(" ".join),
    max_size=12,
)


@given(TALK)
def test_it_holds_only_what_was_said_in_order_and_little_of_it(said: list[str]) -> None:
    turns = [turn(n, text) for n, text in enumerate(said, start=1)]
    summary = summarise(turns)
    assert len(summary) <= MOST
    assert [each.number for each in summary] == sorted(each.number for each in summary)
    assert all(each.text in said[each.number - 1] for each in summary)
    assert len({each.text for each in summary}) == len(summary)
    assert summarise(turns) == summary
