"""The examination of a training, and questions to the weights."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from lpm_kernel.api.schemas import Sent

ArmName = Literal[
    "base", "retrieval", "sft", "sft_retrieval", "sft_dpo", "sft_dpo_retrieval", "before"
]


class FigureOut(BaseModel):
    """A measure with its interval (95 %)."""

    value: float
    low: float
    high: float
    n: int


class VerdictOut(BaseModel):
    """Whether it is better than what it was held against."""

    better: bool
    reasons: list[str] = Field(description="Measures that got worse, the worst first.")


class ScorecardOut(BaseModel):
    """The same questions, several ways."""

    arms: dict[str, dict[str, FigureOut]]
    verdict: VerdictOut
    against: str = Field(description="`base`, or the id of the training that was in use.")


class ScorecardQuery(Sent):
    """In which form."""

    format: Literal["json", "markdown"] = "json"
    download: bool = Field(default=False, description="As a file with a name of its own.")


class ExaminedTraining(BaseModel):
    """What a scorecard is of, and how it can be done again."""

    id: str
    number: int
    examined_at: datetime | None
    base: str = Field(description="Name of the base, and of its file's hash.")
    synthesiser: str = Field(description="Who worded the questions.")
    audience: str
    memories: int
    rows: dict[str, int] = Field(description="Rows that were learned, by kind.")
    left_out: dict[str, int]
    settings: dict[str, Any]
    hashes: dict[str, str] = Field(description="SHA-256 of examples, pairs and adapter.")


class ScorecardReportOut(ScorecardOut):
    """A scorecard with what it is of."""

    training: ExaminedTraining


class AnswersQuery(Sent):
    """Which answers."""

    arm: ArmName = "sft"
    measure: str = Field(default="", max_length=40)
    wrong: bool = False
    limit: int = Field(default=50, ge=1, le=500)


class AnswerRow(BaseModel):
    """A question of the examination with what was answered."""

    measure: str
    question: str
    answer: str
    expected: str
    right: bool
    memory: str | None


class AnswerRows(BaseModel):
    """Answers."""

    items: list[AnswerRow]


class AskTrainedIn(Sent):
    """A question to the weights."""

    question: str = Field(min_length=1, max_length=4000)
    run: str | None = Field(default=None, max_length=100, description="Left out: the base.")
    retrieval: bool = False


class AskTrainedOut(BaseModel):
    """What it says, from its weights and unchecked."""

    answer: str
    run: str | None
    number: int | None
    retrieval: bool
