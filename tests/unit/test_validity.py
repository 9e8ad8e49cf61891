"""From when until when a sentence is so, as far as it says it: in English, in Japanese, and where
it only looks like it.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lpm_kernel.domain.memory.validity import UNKNOWN
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.statements.validity import asked_about, asks_what_was_so, told

AT = datetime(2025, 11, 20, 12, tzinfo=UTC)


def days(text: str, at: datetime | None = AT) -> tuple[str | None, str | None]:
    known = told(text, at)
    return tuple(each and each.date().isoformat() for each in (known.start, known.end))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Since 2024 I live in Tromsø.", "2024-01-01", None),
        ("I have kept bees since May 2021.", "2021-05-01", None),
        ("Until March 2023 I worked at the ferry office.", None, "2023-04-01"),
        ("Until last year Ola rented the boathouse.", None, "2025-01-01"),
        ("From 2019 to 2022 I lived in Bodø.", "2019-01-01", "2023-01-01"),
        ("From 3 May 2025 on, the shop is shut on Mondays.", "2025-05-03", None),
        ("I used to sing in the choir.", None, "2025-11-20"),
        ("2024年から札幌に住んでいる。", "2024-01-01", None),
        ("去年まで港の倉庫で働いていた。", None, "2025-01-01"),
        ("2019年から2022年まで小樽にいた。", "2019-01-01", "2023-01-01"),
        ("三年前から陶芸を続けている。", "2022-01-01", None),
        ("以前は毎朝走っていた。", None, "2025-11-20"),
        ("今年の3月まで図書館に勤めていた。", None, "2025-04-01"),
    ],
)
def test_a_sentence_says_from_when_until_when(
    text: str, start: str | None, end: str | None
) -> None:
    assert days(text) == (start, end)


@pytest.mark.parametrize(
    "text",
    [
        "I did not move until May 2024.",
        "She never slept until 3 May.",
        "Since March was cold, the seeds failed.",
        "I got a letter from May 2020.",
        "I am used to the noise.",
        "The glue is used to mend chairs.",
        "We met in 2019.",
        "2024年までに家を直したい。",
        "去年まで知らなかった。",
        "2020年からの手紙が出てきた。",
        "母から林檎が届いた。",
        "From 2022 to 2019 nothing makes sense.",
    ],
)
def test_what_only_looks_like_it_says_nothing(text: str) -> None:
    assert told(text, AT) == UNKNOWN


def test_a_year_can_be_read_without_knowing_the_day_and_last_year_cannot() -> None:
    assert days("Since 2024 I live in Tromsø.", None) == ("2024-01-01", None)
    assert told("Until last year Ola rented the boathouse.", None) == UNKNOWN
    assert told("I used to sing in the choir.", None) == UNKNOWN


@pytest.mark.parametrize(
    "question",
    [
        "Where do I live?",
        "Where does Ola work now?",
        "今どこで働いている？",
        "どこに住んでいますか",
    ],
)
def test_a_question_about_now(question: str) -> None:
    assert asked_about(Question(question), AT) == (AT, AT)


@pytest.mark.parametrize(
    "question",
    ["Where did I swim?", "What happened at the quay?", "どこで泳いだ？", "誰に会いましたか"],
)
def test_a_question_about_no_time(question: str) -> None:
    assert asked_about(Question(question), AT) is None


def test_what_was_true_then_is_asked_without_further_words() -> None:
    assert asks_what_was_so(Question("What was true in November 2025?")) == ()
    assert asks_what_was_so(Question("What was true of Ola in 2023?")) == ("ola",)
    assert asks_what_was_so(Question("Where was Ola in 2023?")) is None
