"""A short question leans on the one before it, unless it names what it is about."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lpm_kernel.domain.chat.conversations import Turn, TurnState
from lpm_kernel.domain.ids import ConversationId, TurnId
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L1.answering.answer import leaning

pytestmark = pytest.mark.unit

BEFORE = "When did I move the workshop?"


@pytest.mark.parametrize(
    ("question", "leans"),
    [
        ("And why?", True),
        ("And Mai?", True),
        ("Where to?", True),
        ("Who is the Kantor?", False),
        ("Who painted the sign of the new shop?", False),
        ("それで、舞さんは？", True),
        ("マイマイはだれ？", False),
    ],
)
def test_what_is_looked_for(question: str, *, leans: bool) -> None:
    history = [
        Turn(
            TurnId("t"),
            ConversationId("v"),
            "user",
            BEFORE,
            TurnState.DONE,
            datetime(2025, 11, 20, tzinfo=UTC),
        )
    ]
    assert leaning(Question(question), history) == Question(
        f"{BEFORE}\n{question}" if leans else question
    )
    assert leaning(Question(question), []) == Question(question)
